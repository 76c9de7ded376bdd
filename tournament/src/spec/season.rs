//! From a season's text to a [`SeasonSpec`].

use toml::de::DeTable;

use super::{
    SpecErrors,
    error::Sink,
    read::season,
    tree::{self, quoted},
};
use crate::season::{Move, SeasonSpec, Updates, Vacancies};

/// A season that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedSeason {
    /// With every default filled in.
    pub season: SeasonSpec,
    /// Files that it was read from beside its own, as it names them.
    pub files: Vec<String>,
}

/// Whether a text is a season's rather than an event's: it has events, or a preset of them.
#[must_use]
pub fn is_season(text: &str) -> bool {
    let (document, _) = DeTable::parse_recoverable(text);
    let root = document.get_ref();
    !root.contains_key("event") && (root.contains_key("events") || root.contains_key("preset"))
}

/// Reads a season. `file_name` is for messages; `loader` gives the text of a file that the season names (`engines`), or
/// says why it cannot.
///
/// # Errors
/// All mistakes at once, each at its place.
pub fn parse_season(
    file_name: &str,
    text: &str,
    loader: &dyn Fn(&str) -> Result<String, String>,
) -> Result<ParsedSeason, SpecErrors> {
    let sink = Sink::default();
    let parsed = season::read(file_name, text, loader, &sink);
    sink.into_errors(file_name)?;
    Ok(parsed)
}

/// Who go where, as TOML.
fn move_text(to: &Move) -> String {
    let mut parts = Vec::new();
    match to.places.as_slice() {
        [] => parts.push(format!("count = {}", to.count)),
        places => {
            let places: Vec<String> = places.iter().map(ToString::to_string).collect();
            parts.push(format!("places = [{}]", places.join(", ")));
        }
    }
    if !to.to.is_empty() {
        parts.push(format!("to = {}", quoted(&to.to)));
    }
    parts.extend(to.played_off.as_ref().map(|off| format!("played-off = {}", quoted(off))));
    if to.unplaced {
        parts.push("who = \"unplaced\"".to_owned());
    }
    format!("{{ {} }}", parts.join(", "))
}

/// The season as TOML with every default filled in, its engines and its preset included. It parses back to the same.
#[must_use]
pub fn explain_season(season: &SeasonSpec) -> String {
    let vacancies = match season.vacancies {
        Vacancies::RelegateLess => "relegate-less",
        Vacancies::PromoteMore => "promote-more",
    };
    let mut text = format!("name = {}\nvacancies = \"{vacancies}\"\n", quoted(&season.name));
    match season.seed {
        Some(seed) => text.push_str(&format!("seed = {seed}\n")),
        None => text.push_str("# seed: drawn when it is applied, kept and printed\n"),
    }
    for engine in &season.engines {
        text.push_str("\n[[engine]]\n");
        super::explain::lines(&tree::engine(engine), &mut text);
    }
    for event in &season.events {
        text.push_str(&format!("\n[events.{}]\n", tree::key_text(&event.name)));
        let list = |names: &[String]| names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
        text.push_str(&format!("entrants = [{}]\n", list(&event.entrants)));
        if let Some(places) = event.places {
            text.push_str(&format!("places = {places}\n"));
        }
        for (word, to) in [("promote", &event.promote), ("relegate", &event.relegate)] {
            if let Some(to) = to {
                text.push_str(&format!("{word} = {}\n", move_text(to)));
            }
        }
        match event.qualify.as_slice() {
            [] => {}
            [one] => text.push_str(&format!("qualify = {}\n", move_text(one))),
            more => {
                let more: Vec<String> = more.iter().map(|to| format!("    {},\n", move_text(to))).collect();
                text.push_str(&format!("qualify = [\n{}]\n", more.concat()));
            }
        }
        text.push_str(&format!("after = [{}]\n", list(&event.after)));
        let updates = match event.updates {
            Updates::Promoted => "promoted",
            Updates::All => "all",
            Updates::None => "none",
        };
        text.push_str(&format!("updates = \"{updates}\"\n"));
        if let Some(pairs) = event.update_test {
            text.push_str(&format!("update-test = {{ pairs = {pairs} }}\n"));
        }
        super::explain::lines(&tree::event(&event.event), &mut text);
    }
    text
}
