//! A spec with every default filled in, for people.

use super::{
    Spec,
    tree::{self, Node, Nodes, quoted},
};

/// The spec as TOML with every default filled in. It parses back to the same [`Spec`]. Keys without a value stand there
/// as comments that say what happens.
#[must_use]
pub fn explain(spec: &Spec) -> String {
    let mut text = format!("name = {}\n", quoted(&spec.name));
    for engine in &spec.engines {
        text.push_str("\n[[engine]]\n");
        lines(&tree::engine(engine), &mut text);
    }
    text.push_str("\n[event]\n");
    lines(&tree::event(&spec.event), &mut text);
    text
}

/// `key = value` each, the values below each other.
pub(super) fn lines(nodes: &Nodes, text: &mut String) {
    let length = |(key, node): &(String, Node)| key.len() + if matches!(node, Node::Unset(_)) { 2 } else { 0 };
    let width = nodes.iter().map(length).max().unwrap_or(0);
    for (key, node) in nodes {
        match node {
            Node::Unset(what) => text.push_str(&format!("# {key:<w$} : {what}\n", w = width - 2)),
            node => text.push_str(&format!("{key:<width$} = {}\n", node.inline())),
        }
    }
}
