//! What is played: an event of some shape, by seed. To cover another format is to add a line.

use rookery_tournament::{
    season::SeasonSpec,
    spec::{EngineSpec, FormatSpec, Spec, parse, parse_season},
};

use crate::{dice::Dice, script::TIME_CONTROL};

/// An event, and what may be done to it.
pub(crate) struct Shape {
    pub(crate) spec: Spec,
    /// In how many of 100 decided games the loser breaks down.
    pub(crate) crashes: u64,
    /// Results may be taken away or changed only before anything is played: what stops it would depend on when.
    pub(crate) stops: bool,
    /// It begins once that is done.
    pub(crate) held: bool,
    /// The season that its events are of; `spec` is then the newest one's.
    pub(crate) season: Option<SeasonSpec>,
    /// Who may join while it runs.
    pub(crate) newcomers: Vec<EngineSpec>,
}

/// Format and what else its shape needs; engines; whether something that results decide can stop it.
const FORMATS: [(&str, u32, bool); 12] = [
    ("format = { match = { pairs = 5 } }", 2, false),
    ("format = { match = { pairs = 8 } }\nplay = \"cycles\"", 2, false),
    ("format = { match = { pairs = 7 } }\ngames-per-pair = 1", 2, false),
    ("format = { match = { pairs = 4 } }\none-at-a-time = true", 2, false),
    (
        "format = { match = { pairs = 16 } }\nstop = { sprt = { elo0 = 0, elo1 = 300, alpha = 0.3, beta = 0.3 } }",
        2,
        true,
    ),
    (
        "format = { match = { pairs = 16 } }\ngames-per-pair = 1\n\
         stop = { sprt = { elo0 = 0, elo1 = 200, alpha = 0.4, beta = 0.4, model = \"logistic\" } }",
        2,
        true,
    ),
    ("format = { round-robin = { cycles = 1, pairs = 1 } }", 4, false),
    ("format = { round-robin = { cycles = 2, pairs = 1 } }\nplay = \"cycles\"", 3, false),
    ("format = { round-robin = { cycles = 1, pairs = 2, order = \"shuffled\" } }", 3, false),
    ("format = { round-robin = { cycles = 2, pairs = 1, order = \"shuffled\" } }\ngames-per-pair = 1", 4, false),
    ("format = { gauntlet = { engine = \"A\", pairs = 2 } }", 4, false),
    ("format = { gauntlet = { engines = [\"A\", \"B\"], pairs = 1 } }\nplay = \"cycles\"", 4, false),
];

/// Leagues, matches that end early or go on, cups, tie-breaks, Swiss and ladders: where all rounds are not known from
/// the start they are drawn as results come in.
const MORE: [(&str, u32, bool); 36] = [
    // Leagues.
    ("format = { round-robin = { double-rounds = 1, order = \"shuffled\" } }", 4, false),
    ("format = { round-robin = { double-rounds = 2 } }\nplay = \"cycles\"", 3, false),
    ("format = { round-robin = { double-rounds = 2, begins = \"lower\" } }", 3, false),
    ("format = { round-robin = { cycles = 2, begins = \"lower\" } }\ngames-per-pair = 1", 5, false),
    ("format = { round-robin = { double-rounds = 1 } }\none-at-a-time = true", 3, false),
    // Gauntlets.
    ("format = { gauntlet = { engine = \"A\", pairs = 1, cycles = 2 } }", 4, false),
    ("format = { gauntlet = { engines = [\"B\", \"C\"], pairs = 2 } }\ngames-per-pair = 1", 5, false),
    // Superfinals, and matches that stop when they are decided.
    ("format = { match = { pairs = 2, when-level = { pairs = 2 } } }", 2, true),
    (
        "format = { match = { pairs = 4, begins = \"second\", when-level = { pairs = 3 } } }\none-at-a-time = true",
        2,
        true,
    ),
    (
        "format = { match = { pairs = 3, begins = \"second\", stop-when-decided = true, when-level = \"pairs\" } }",
        2,
        true,
    ),
    ("format = { match = { pairs = 6, stop-when-decided = true, pairs-at-once = \"all\" } }", 2, true),
    ("format = { match = { pairs = 5, stop-when-decided = true, pairs-at-once = \"one\" } }", 2, true),
    ("format = { match = { pairs = 8, stop-when-decided = true } }\ngames-per-pair = 1", 2, true),
    // Cups.
    ("format = { knockout = { pairs = [1, 2], bronze = 1, seeded = 2 } }", 4, true),
    ("format = { knockout = { pairs = 2, pairs-at-once = \"one\" } }", 3, true),
    ("format = { knockout = { pairs = [1, 2], bronze = 1, pairs-at-once = \"all\" } }", 5, true),
    ("format = { knockout = { pairs = 1, bronze = 1, seeded = 4, stop-when-decided = false } }", 6, true),
    ("format = { knockout = { pairs = [2, 1], bronze = 2 } }", 4, true),
    ("format = { knockout = { pairs = 3, pairs-at-once = \"all\" } }\ngames-per-pair = 1", 3, true),
    // Conditional tie-breaks.
    ("format = { conditional-tie-break = { spots = 1 } }", 3, true),
    ("format = { conditional-tie-break = { spots = 2 } }", 4, true),
    ("format = { conditional-tie-break = { spots = 1 } }", 2, true),
    // Swiss.
    ("format = { swiss = { rounds = 2 } }", 4, true),
    ("format = { swiss = { rounds = 3 } }", 5, true),
    ("format = { swiss = { rounds = 4 } }", 6, true),
    ("format = { swiss = { rounds = 3, groups = 2 } }", 6, true),
    ("format = { swiss = { rounds = 3 } }\ngames-per-pair = 1", 6, true),
    ("format = { swiss = { rounds = 2, pairs = 2 } }", 3, true),
    ("format = { swiss = { rounds = 2, system = \"fide\" } }", 3, true),
    ("format = { swiss = { rounds = 4, system = \"fide\" } }\ngames-per-pair = 1", 6, true),
    ("format = { swiss = { rounds = 3, system = \"fide\", groups = 2, order = \"listed\" } }", 5, true),
    // Ladders.
    ("format = { ladder = { pairs = 2 } }", 3, true),
    ("format = { ladder = { pairs = 3, pairs-at-once = \"needed\" } }", 4, true),
    ("format = { ladder = { pairs = 4, pairs-at-once = \"all\" } }", 3, true),
    ("format = { ladder = { pairs = 3, pairs-at-once = \"all\" } }\ngames-per-pair = 1", 4, true),
    ("format = { ladder = { pairs = 2 } }\none-at-a-time = true", 3, true),
];

/// Who joins later.
const LATER: [&str; 2] = ["G", "H"];

/// Seasons whose events open one after the other, as those before close; `EVENT` is what all of them have.
const SEASONS: [&str; 3] = [
    "[events.low]\nentrants = [\"A\", \"B\", \"C\"]\nformat = { round-robin = { double-rounds = 1 } }\n\
     promote = { count = 1, to = \"top\" }\ntie-breaks = [\"wins\", \"shared\"]\ngate = \"organiser\"\nEVENT\
     [events.top]\nstay = [\"D\", \"E\"]\nformat = { round-robin = { double-rounds = 1, order = \"shuffled\" } }\n\
     tie-breaks = [\"wins\", \"ruling\"]\nEVENT",
    "[events.low]\nentrants = [\"A\", \"B\", \"C\"]\nformat = { round-robin = { double-rounds = 1 } }\n\
     promote = { count = 2, to = \"top\" }\ntie-breaks = [\"direct-encounter\", \"ruling\"]\nEVENT\
     [events.top]\nstay = [\"D\"]\nformat = { round-robin = { cycles = 1 } }\n\
     tie-breaks = [\"wins\", \"shared\"]\nqualify = { count = 2, to = \"final\" }\ngate = \"organiser\"\nEVENT\
     [events.final]\nformat = { match = { pairs = 2, begins = \"second\", when-level = \"pairs\" } }\n\
     tie-breaks = [\"shared\"]\nEVENT",
    "[events.top]\nentrants = [\"A\", \"B\", \"C\", \"D\"]\nformat = { round-robin = { cycles = 1 } }\n\
     tie-breaks = [\"wins\", \"shared\"]\nqualify = { count = 2, to = \"final\", played-off = \"off\" }\nEVENT\
     [events.off]\nformat = \"round-robin\"\ntie-breaks = [\"wins\", \"ruling\"]\nEVENT\
     [events.final]\nformat = { match = { pairs = 2 } }\ntie-breaks = [\"shared\"]\nEVENT",
];

/// What comes last where points are level: a shared place, or a person's word.
const TIES: [&str; 3] = [
    "[\"direct-encounter\", \"sonneborn-berger\", \"wins\", \"shared\"]",
    "[\"wins\", \"ruling\"]",
    "[\"direct-encounter\", \"ruling\"]",
];

const INTERRUPTIONS: [&str; 8] = [
    "\"replay\"",
    "\"restart\"",
    "\"csa\"",
    "\"tcec\"",
    "{ compensation = { base = \"5%\" }, max-restarts = 1 }",
    "{ win = \"10 pawns\", draw = { within = \"0.15 pawns\", moves = 8 }, men = 7, compensation = { fixed = \"3s\" }, max-restarts = 2 }",
    "{ compensation = { last-think = \"100%\" }, every-ply = false }",
    "{ win = \"10 pawns\", men = 6, then = \"replay\" }",
];

/// Limits of crashes, and in how many of 100 decided games the loser breaks down.
const CRASHES: [(&str, u64); 5] = [
    ("{ then = \"continue\" }", 20),
    ("{ then = \"continue\" }", 5),
    ("{ in-a-row = 2, then = \"set-aside\" }", 60),
    ("{ in-a-row = 2, of-games = \"off\", then = \"stop\" }", 60),
    ("{ in-a-row = 4, then = \"set-aside\" }", 80),
];

const OPENINGS: [&str; 4] = [
    "{ order = \"random\" }",
    "{ order = \"sequential\", start = 2 }",
    "{ order = \"random\", per = \"round\" }",
    "{ order = \"sequential\", per = \"encounter\", distinct = \"no\" }",
];

/// Each so many seeds one of the second list.
const MORE_EVERY: u64 = 2;
/// Names of engines, as many as any event has.
const NAMES: [&str; 6] = ["A", "B", "C", "D", "E", "F"];

impl Shape {
    /// Whether its rounds are drawn as results come in, in an event of its own.
    pub(crate) fn draws(&self) -> bool {
        let format = &self.spec.event.format;
        let drawn =
            matches!(format, FormatSpec::Swiss { .. } | FormatSpec::Knockout { .. } | FormatSpec::Ladder { .. });
        drawn && self.season.is_none()
    }

    /// The book for level matches is the event's own under another digest.
    pub(crate) fn has_level_book(&self) -> bool {
        self.spec.event.openings.when_level.is_some()
    }

    pub(crate) fn of(dice: &mut Dice, seed: u64) -> Self {
        let (mut format, mut engines, mut stops) = *dice.pick(&FORMATS);
        let (mut ties, mut season) = (TIES[0], None);
        if seed.is_multiple_of(MORE_EVERY) {
            let (kinds, at) = (MORE.len() + SEASONS.len(), seed / MORE_EVERY);
            let (kind, turn) = (at as usize % kinds, at as usize / kinds);
            match MORE.get(kind) {
                Some(more) => (format, engines, stops) = *more,
                None => season = SEASONS.get(kind - MORE.len()),
            }
            // Where points alone make the order.
            if format.contains("round-robin") || format.contains("swiss") {
                ties = TIES[turn % TIES.len()];
            }
        }
        let interruption = *dice.pick(&INTERRUPTIONS);
        let (limits, crashes) = *dice.pick(&CRASHES);
        let openings = dice.pick(&OPENINGS).replace("{ ", "{ book = \"book.pgn\", ");
        let openings = match format.contains("when-level") {
            true => openings.replace(" }", ", when-level = { book = \"level.pgn\" } }"),
            false => openings,
        };
        if let Some(season) = season {
            let all = format!(
                "interruption = {interruption}\ncrashes = {limits}\nopenings = {openings}\n{}\n",
                common().replace("tie-breaks = TIES\n", "")
            );
            return Self::of_season(&season.replace("EVENT", &all), crashes);
        }
        let mut text = String::from("name = \"event\"\n");
        text.push_str(&engine_tables(&NAMES[..engines as usize]));
        text.push_str(&format!(
            "[event]\n{format}\ninterruption = {interruption}\ncrashes = {limits}\nopenings = {openings}\n\
             {}",
            common().replace("TIES", ties)
        ));
        let spec = read(&text);
        let mut newcomers = Vec::new();
        let open = matches!(spec.event.format, FormatSpec::RoundRobin { .. } | FormatSpec::Gauntlet { .. });
        if open && seed.is_multiple_of(MORE_EVERY) {
            // As they are written beside those who are there.
            newcomers = read(&text.replacen("[event]", &format!("{}[event]", engine_tables(&LATER)), 1)).engines;
            newcomers.drain(..spec.engines.len());
        }
        let stops = stops || !limits.contains("continue");
        Self { spec, crashes, stops, held: stops && seed.is_multiple_of(MORE_EVERY), season: None, newcomers }
    }

    fn of_season(events: &str, crashes: u64) -> Self {
        let text = format!("name = \"S\"\n{events}{}", engine_tables(&NAMES[..5]));
        let files = |name: &str| Err(format!("no file {name}"));
        let season = match parse_season("simulation.toml", &text, &files) {
            Ok(parsed) => parsed.season,
            Err(errors) => panic!("{errors}\n{text}"),
        };
        let event = season.events[0].event.clone();
        // Until its first event is open.
        let spec = Spec { name: String::new(), engines: season.engines.clone(), event };
        Self { spec, crashes, stops: true, held: false, season: Some(season), newcomers: Vec::new() }
    }

    /// One event of its season.
    pub(crate) fn of_event(&self, spec: Spec) -> Self {
        Self { spec, crashes: self.crashes, stops: true, held: false, season: None, newcomers: Vec::new() }
    }
}

/// What each event has.
fn common() -> String {
    format!(
        "time-control = \"{TIME_CONTROL}\"\nslot = {{ cores = 1, memory = \"1 GiB\" }}\ntie-breaks = TIES\n\
         limits = {{ start = \"5s\", ready = \"5s\", new-game = \"5s\", quit = \"1s\", stall = \"2s\" }}\n"
    )
}

fn engine_tables(names: &[&str]) -> String {
    let table = |name: &&str| format!("[[engine]]\nname = \"{name}\"\nprogram = \"{}\"\n", name.to_lowercase());
    names.iter().map(table).collect()
}

fn read(text: &str) -> Spec {
    let files = |name: &str| Err(format!("no file {name}"));
    match parse("simulation.toml", text, &files) {
        Ok(parsed) => parsed.spec,
        Err(errors) => panic!("{errors}\n{text}"),
    }
}
