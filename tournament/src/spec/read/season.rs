//! A season: `[events.NAME]` tables, each in front of the one of its preset.

use std::collections::BTreeSet;

use rookery_game::setup::GameKind;
use toml::de::{DeTable, DeValue};

use super::{MAX_NAME, MAX_PATH, Roster, document, engine::RawEngine, event, event_name};
use crate::{
    season::{Move, SeasonEvent, SeasonSpec, Updates, Vacancies},
    spec::{
        EventSpec, OpeningSource,
        error::{Sink, Source},
        season::ParsedSeason,
        walk::{Table, Value, clean},
    },
};

/// Presets: their names and their texts.
const PRESETS: [(&str, &str); 2] = [
    ("tcec-leagues", include_str!("../../../../deploy/presets/tcec-leagues.toml")),
    ("tcec-season", include_str!("../../../../deploy/presets/tcec-season.toml")),
];
/// How a preset is named in messages.
pub(super) const PRESET: &str = "the preset";
/// No season has more.
const MAX_EVENTS: usize = 64;

/// A season, as far as it can be read; mistakes go to the sink.
pub(in crate::spec) fn read(
    file_name: &str,
    text: &str,
    loader: &dyn Fn(&str) -> Result<String, String>,
    sink: &Sink,
) -> ParsedSeason {
    let source = Source::new(file_name, text, sink);
    let mut parsed = ParsedSeason {
        season: SeasonSpec {
            name: String::new(),
            engines: Vec::new(),
            vacancies: Vacancies::default(),
            events: Vec::new(),
            seed: None,
        },
        files: Vec::new(),
    };
    let Some(own) = document(&source) else { return parsed };
    let root = Table::new(&source, &own, 0..0, "the season");
    let mut list = Roster::default();
    if let Some(value) = root.get("engines")
        && let Some(name) = value.line("engines.toml", MAX_PATH)
    {
        parsed.files.push(name.to_owned());
        match loader(name) {
            Ok(text) => list.read_file(name, &text, sink),
            Err(why) => value.error(format!("cannot read `{}`", clean(name)), clean(&why)),
        }
    }
    if let Some(value) = root.get("engine") {
        list.read(value);
    }
    let preset = root.get("preset").and_then(|value| value.word(&PRESETS)).unwrap_or_default();
    let behind = Source::new(PRESET, preset, sink);
    let preset_document = document(&behind).unwrap_or_default();
    let root = root.before(&behind, &preset_document);
    match root.get("name").and_then(event_name) {
        Some(name) => parsed.season.name = name,
        None if source.is_whole() && !root.has("name") => {
            source.error_of_file("a season without `name`", "expected e.g. `name = \"Season 30\"`");
        }
        None => {}
    }
    let vacancies = [("relegate-less", Vacancies::RelegateLess), ("promote-more", Vacancies::PromoteMore)];
    parsed.season.vacancies = root.get("vacancies").and_then(|value| value.word(&vacancies)).unwrap_or_default();
    parsed.season.seed = root.get("seed").and_then(|value| value.count(0, i128::from(u64::MAX)));
    let of_preset = preset_document.get("events").and_then(|value| match value.get_ref() {
        DeValue::Table(events) => Some(events),
        _ => None,
    });
    let own_events = own.get("events").is_some().then(|| root.get("events")).flatten();
    let own_events = own_events.and_then(|value| value.table("[events]", "[events.NAME]"));
    root.finish();
    // Who plays where is known when an event opens.
    sink.set_unread();

    let empty = DeTable::new();
    let mut names: Vec<&str> = Vec::new();
    if let Some(events) = of_preset {
        let mut all: Vec<_> = events.iter().map(|(key, _)| (key.span().start, key.get_ref().as_ref())).collect();
        all.sort_unstable();
        names.extend(all.into_iter().map(|(_, name)| name));
    }
    let own_list = own_events.as_ref().map(Table::all).unwrap_or_default();
    for (name, span, _) in &own_list {
        if name.len() > 40 || name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
            source.error(span.clone(), format!("`{}` is no name of an event", clean(name)), "letters, digits and `-`");
        } else if names.len() >= MAX_EVENTS {
            source.error(span.clone(), "too many events", format!("at most {MAX_EVENTS}"));
        } else if !names.contains(name) {
            names.push(name);
        }
    }
    let known: Vec<String> = list.engines.iter().map(|engine| engine.spec.setup.name.clone()).collect();
    for (at, name) in names.iter().enumerate() {
        let value = own_list.iter().find(|(own, ..)| own == name).map(|(_, _, value)| *value);
        let what = format!("[events.{name}]");
        let table = match value {
            Some(value) => value.table(what.clone(), &what),
            None => Some(Table::new(&source, &empty, 0..0, what)),
        };
        let Some(mut table) = table else { continue };
        if let Some(DeValue::Table(entries)) =
            of_preset.and_then(|events| events.get(*name)).map(|value| value.get_ref())
        {
            table = table.before(&behind, entries);
        }
        let context = Context { names: &names, at, engines: &known };
        parsed.season.events.push(context.read(table, &list.engines));
    }
    if parsed.season.events.is_empty() && source.is_whole() {
        source.error_of_file(
            "a season without events",
            "expected `[events.NAME]` tables, or `preset = \"tcec-leagues\"`",
        );
    }
    parsed.season.engines = list.engines.into_iter().map(|raw| raw.spec).collect();
    for engine in &mut parsed.season.engines {
        if engine.setup.protocol.is_empty() {
            "uci".clone_into(&mut engine.setup.protocol);
        }
    }
    twice(&source, &parsed.season);
    other_games(&source, &parsed.season);
    unofficial(&source, &parsed.season);
    sink.forget_echoes();
    parsed
}

/// Where another event must stand.
#[derive(Debug, Clone, Copy)]
enum Side {
    Earlier,
    Later,
}

impl Side {
    const fn word(self) -> &'static str {
        match self {
            Self::Earlier => "earlier",
            Self::Later => "later",
        }
    }
}

/// What is known around one event.
struct Context<'a> {
    names: &'a [&'a str],
    at: usize,
    engines: &'a [String],
}

impl Context<'_> {
    fn read(&self, table: Table<'_>, engines: &[RawEngine]) -> SeasonEvent {
        let name = self.names[self.at].to_owned();
        let entrants = table.either(&["entrants", "stay"]).map(|value| self.entrants(value)).unwrap_or_default();
        let places = table.get("places").and_then(|value| value.count(2, 10_000));
        let promote = table.get("promote").and_then(|value| self.to(value, true));
        let relegate = table.get("relegate").and_then(|value| self.to(value, false));
        let qualify = table.get("qualify").map(|value| match value.is_list() {
            true => value.list("").unwrap_or_default().into_iter().filter_map(|value| self.to(value, true)).collect(),
            false => self.to(value, true).into_iter().collect(),
        });
        let qualify = qualify.unwrap_or_default();
        let before = self.at.checked_sub(1).map(|before| self.names[before].to_owned());
        let after = match table.get("after") {
            Some(value) => {
                let values = value.list("after = [\"el\"]").unwrap_or_default();
                values.into_iter().filter_map(|value| self.event(value, Side::Earlier)).collect()
            }
            None => before.into_iter().collect(),
        };
        let updates = [("promoted", Updates::Promoted), ("all", Updates::All), ("none", Updates::None)];
        let updates = table.get("updates").and_then(|value| value.word(&updates)).unwrap_or_default();
        let update_test = table.get("update-test").and_then(update_test);
        let game = event::game(&table).unwrap_or(GameKind::Chess);
        let (_, event) =
            event::read(table, game, &mut engines.to_vec(), event::Of::Season { names: self.names, at: self.at });
        let title = if event.title.is_empty() { name.clone() } else { event.title.clone() };
        let event = EventSpec { title, ..event };
        SeasonEvent { name, event, entrants, places, promote, relegate, qualify, after, updates, update_test }
    }

    fn entrants(&self, value: Value<'_>) -> Vec<String> {
        let mut entrants: Vec<String> = Vec::new();
        for value in value.list("entrants = [\"A\", \"B\"]").unwrap_or_default() {
            let Some(name) = value.line("Stockfish 17", MAX_NAME) else { continue };
            if !self.engines.iter().any(|engine| engine == name) {
                value.unknown_word("engine", name, self.engines.iter().map(String::as_str));
            } else if entrants.iter().any(|other| other == name) {
                value.error(format!("`{}` stands here twice", clean(name)), "leave it out here");
            } else {
                entrants.push(name.to_owned());
            }
        }
        entrants
    }

    /// The name of an event that is there.
    fn event(&self, value: Value<'_>, side: Side) -> Option<String> {
        let name = value.text(self.names.first().copied().unwrap_or("el"))?;
        let Some(at) = self.names.iter().position(|known| *known == name) else {
            value.unknown_word("event", name, self.names.iter().copied());
            return None;
        };
        let right = match side {
            Side::Earlier => at < self.at,
            Side::Later => at > self.at,
        };
        if !right {
            let message = format!("`{name}` must come {} in the season", side.word());
            value.error(message, "events stand in the order in which they are played");
        }
        right.then(|| name.to_owned())
    }

    fn to(&self, value: Value<'_>, upwards: bool) -> Option<Move> {
        let example = if upwards { "{ count = 4, to = \"l2\" }" } else { "{ count = 6 }" };
        let table = value.table(format!("`{}`", value.key), &format!("{} = {example}", value.key))?;
        let (count, places) = (table.get("count"), table.get("places"));
        let places = places.map(|value| self.places(value, upwards && count.is_none())).unwrap_or_default();
        if count.is_none() && places.is_empty() {
            table.error("it does not say how many", format!("expected e.g. `{} = {example}`", value.key));
        }
        let to = table.get("to");
        if to.is_none() && upwards {
            table.error("it does not say where to", format!("expected e.g. `{} = {example}`", value.key));
        }
        let played_off = table.get("played-off").and_then(|value| self.event(value, Side::Later));
        let side = if upwards { Side::Later } else { Side::Earlier };
        let who = table.get("who").and_then(|value| value.word(&[("all", false), ("unplaced", true)]));
        let count = count.and_then(|value| value.count(1, 10_000)).unwrap_or(1);
        let read = Move {
            count: if places.is_empty() { count } else { u32::try_from(places.len()).unwrap_or(1) },
            to: to.and_then(|value| self.event(value, side)).unwrap_or_default(),
            played_off,
            places,
            unplaced: who.unwrap_or(false),
        };
        if read.played_off.is_some() && (read.unplaced || !read.places.is_empty()) {
            table.error("places that are played off are the first of all", "leave out `places` and `who`");
        }
        table.finish();
        Some(read)
    }

    /// Places of a table, each once.
    fn places(&self, value: Value<'_>, fits: bool) -> Vec<u32> {
        if !fits {
            value.error("`places` stands in place of `count`, where engines go up", "leave out one of them");
        }
        let mut places: Vec<u32> = Vec::new();
        for value in value.list("places = [1, 3]").unwrap_or_default() {
            let Some(place) = value.count(1, 10_000) else { continue };
            if places.contains(&place) {
                value.error(format!("place {place} stands here twice"), "leave it out here");
            } else {
                places.push(place);
            }
        }
        places
    }
}

/// The match by which a new program is tried.
fn update_test(value: Value<'_>) -> Option<u32> {
    let table = value.table("`update-test`", "update-test = { pairs = 1 }")?;
    let pairs = table.get("pairs").and_then(|value| value.count(1, 1_000));
    table.finish();
    Some(pairs.unwrap_or(1))
}

/// What does not count sends nobody anywhere.
fn unofficial(source: &Source<'_>, season: &SeasonSpec) {
    for event in season.events.iter().filter(|event| !event.event.official) {
        let moves = event.promote.is_some() || event.relegate.is_some() || !event.qualify.is_empty();
        if moves || season.played_off_in(&event.name).is_some() {
            let message = format!("`[events.{}]` is not official, and decides who plays elsewhere", event.name);
            source.error_of_file(message, "leave out `official`, or who goes where");
        }
    }
}

/// Books of one game are no openings of another.
fn other_games(source: &Source<'_>, season: &SeasonSpec) {
    for event in &season.events {
        for openings in event.event.openings.all() {
            let OpeningSource::UsedIn(names) = &openings.source else { continue };
            let other = |name: &&String| season.event(name).is_some_and(|of| of.event.game != event.event.game);
            if let Some(name) = names.iter().find(other) {
                let message = format!("`[events.{}]` takes openings of `{name}`, which is another game", event.name);
                source.error_of_file(message, "leave it out of `used-in`");
            }
        }
    }
}

/// No engine begins the season in two leagues.
fn twice(source: &Source<'_>, season: &SeasonSpec) {
    let mut placed: BTreeSet<&str> = BTreeSet::new();
    for event in season.events.iter().filter(|event| event.promote.is_some() || event.relegate.is_some()) {
        for engine in &event.entrants {
            if !placed.insert(engine) {
                let message = format!("`{}` begins the season in two leagues", clean(engine));
                source.error_of_file(message, format!("it stands also in `[events.{}]`", event.name));
            }
        }
    }
}
