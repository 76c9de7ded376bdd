//! What differs between two specs of a running event, and whether it may change.

use std::{collections::BTreeMap, fmt};

use super::{
    FormatSpec, Spec,
    tree::{self, Node, Nodes, key_text},
};

/// Whether a key may change once a game is on record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// At any time; `stop` only until it is reached.
    Free,
    /// By a ruling, with who and why.
    Ruling,
    /// Not at all.
    Locked,
}

/// One key that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// As people write it: `event.slot.memory`, `engine."Ethereal 12".options.Hash`.
    pub key: String,
    /// As TOML; `None`: it was not there.
    pub old: Option<String>,
    /// As TOML; `None`: it is not there any more.
    pub new: Option<String>,
    /// Whether it may change.
    pub class: Class,
    /// One line for people: what it means, and the ways out where it is locked.
    pub message: String,
}

impl fmt::Display for Difference {
    /// `event.ponder: false -> true (locked once a game is on record: …)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |value: &Option<String>| value.clone().unwrap_or_else(|| "(nothing)".to_owned());
        write!(f, "{}: {} -> {} ({})", self.key, show(&self.old), show(&self.new), self.message)
    }
}

/// What is free at any time: a key, or all below it.
const FREE: [&str; 15] = [
    "event.title",
    "event.priority",
    "event.slot.memory",
    "event.slot.labels",
    "event.gate",
    "event.not-before",
    "event.break",
    "event.stop",
    "event.crashes",
    "event.concurrency",
    "event.output",
    "event.log",
    "event.transcripts",
    "event.tablebases",
    "event.ratings",
];

/// What changes by a ruling only.
const BY_RULING: [&str; 3] = ["event.tie-breaks", "event.interruption", "event.killed"];

/// All keys that differ, in the order of the new spec. Engines are known by their names.
#[must_use]
pub fn differences(old: &Spec, new: &Spec) -> Vec<Difference> {
    let mut found = Vec::new();
    if old.name != new.name {
        let (a, b) = (tree::quoted(&old.name), tree::quoted(&new.name));
        found.push(difference("name", Some(a), Some(b), Class::Locked));
    }
    engines(old, new, &mut found);
    let (a, b) = (flat("event", &tree::event(&old.event)), flat("event", &tree::event(&new.event)));
    let renamed = old.name != new.name && old.event.title == old.name && new.event.title == new.name;
    for (key, a, b) in compare(a, b) {
        // A title that nobody wrote follows the name.
        if key == "event.title" && renamed {
            continue;
        }
        let class = class(&key, a.as_deref(), b.as_deref(), old.event.format.widens());
        found.push(difference(&key, a, b, class));
    }
    found
}

fn engines(old: &Spec, new: &Spec, found: &mut Vec<Difference>) {
    let index = |spec: &Spec| -> BTreeMap<String, Nodes> {
        spec.engines.iter().map(|e| (e.setup.name.clone(), tree::engine(e))).collect()
    };
    let (olds, news) = (index(old), index(new));
    let order = |spec: &Spec, other: &BTreeMap<String, Nodes>| -> Vec<String> {
        spec.engines.iter().map(|e| e.setup.name.clone()).filter(|name| other.contains_key(name)).collect()
    };
    let (before, after) = (order(old, &news), order(new, &olds));
    if before != after {
        let list = |names: &[String]| Some(names.iter().map(|n| tree::quoted(n)).collect::<Vec<_>>().join(", "));
        found.push(difference("engine (order)", list(&before), list(&after), Class::Locked));
    }
    for engine in &old.engines {
        let name = &engine.setup.name;
        let key = format!("engine.{}", key_text(name));
        let Some(nodes) = news.get(name) else {
            let old = Some(Node::Table(tree::engine(engine)).inline());
            let message = "an engine leaves a running event by `rookery withdraw`, which says whether its games count";
            let message = message.to_owned();
            found.push(Difference { key, old, new: None, class: Class::Locked, message });
            continue;
        };
        for (key, a, b) in compare(flat(&key, &tree::engine(engine)), flat(&key, nodes)) {
            found.push(difference(&key, a, b, Class::Locked));
        }
    }
    for engine in new.engines.iter().filter(|e| !olds.contains_key(&e.setup.name)) {
        let key = format!("engine.{}", key_text(&engine.setup.name));
        let new = Some(Node::Table(tree::engine(engine)).inline());
        let (class, message) = match old.event.format {
            FormatSpec::Match { .. } => (Class::Locked, "a match is between two, and has begun"),
            FormatSpec::RoundRobin { .. } => (Class::Free, "joins, and meets all that are there"),
            FormatSpec::Gauntlet { .. } => (Class::Free, "joins, and meets all of the other side"),
            FormatSpec::Swiss { .. } => (Class::Free, "joins, and is paired from the next round on"),
            FormatSpec::Knockout { .. } | FormatSpec::Ladder { .. } | FormatSpec::ConditionalTieBreak { .. } => {
                (Class::Locked, "nobody joins this format once it has begun")
            }
        };
        found.push(Difference { key, old: None, new, class, message: message.to_owned() });
    }
}

/// Keys with all that is above them, in order, and their values.
fn flat(above: &str, nodes: &Nodes) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (key, node) in nodes {
        let key = format!("{above}.{}", key_text(key));
        match node {
            Node::Leaf(text) => all.push((key, text.clone())),
            Node::Table(nodes) => all.extend(flat(&key, nodes)),
            Node::Unset(_) => {}
        }
    }
    all
}

type Changed = (String, Option<String>, Option<String>);

fn compare(old: Vec<(String, String)>, new: Vec<(String, String)>) -> Vec<Changed> {
    let olds: BTreeMap<&str, &str> = old.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    let news: BTreeMap<&str, &str> = new.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    let gone = old.iter().filter(|(key, _)| !news.contains_key(key.as_str()));
    let mut changed: Vec<Changed> = gone.map(|(key, value)| (key.clone(), Some(value.clone()), None)).collect();
    for (key, value) in &new {
        match olds.get(key.as_str()) {
            Some(old) if old == value => {}
            other => changed.push((key.clone(), other.map(|s| (*s).to_owned()), Some(value.clone()))),
        }
    }
    changed
}

fn class(key: &str, old: Option<&str>, new: Option<&str>, widens: bool) -> Class {
    let below = |of: &&str| key == *of || key.strip_prefix(*of).is_some_and(|rest| rest.starts_with('.'));
    if BY_RULING.iter().any(below) {
        return Class::Ruling;
    }
    let number = |text: Option<&str>| text.and_then(|t| t.parse::<u64>().ok());
    let more_pairs = widens && key.starts_with("event.format.") && key.ends_with(".pairs") && number(new) > number(old);
    // A format that changes its kind loses a key too, and that one is locked.
    let free = FREE.iter().any(below) || (more_pairs && old.is_some());
    if free { Class::Free } else { Class::Locked }
}

fn difference(key: &str, old: Option<String>, new: Option<String>, class: Class) -> Difference {
    let message = match class {
        Class::Free if key.starts_with("event.stop") => "free until the stop is reached".to_owned(),
        Class::Free => "free at any time".to_owned(),
        Class::Ruling => "it changes only by a ruling: `rookery apply --ruling`, with --by and --reason".to_owned(),
        Class::Locked if key.starts_with("event.format.") && key.ends_with(".pairs") => {
            "it may only rise once the event has begun; fewer: `rookery stop`, or a new event".to_owned()
        }
        Class::Locked => "locked once the event has begun".to_owned(),
    };
    Difference { key: key.to_owned(), old, new, class, message }
}
