//! What is played: an event of some shape, by seed. To cover another format is to add a line.

use rookery_tournament::spec::{Spec, parse};

use crate::{dice::Dice, script::TIME_CONTROL};

/// An event, and what may be done to it.
pub(crate) struct Shape {
    pub(crate) spec: Spec,
    /// In how many of 100 decided games the loser breaks down.
    pub(crate) crashes: u64,
    /// Results may be taken away or changed only before anything is played: what stops it would depend on when.
    pub(crate) stops: bool,
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

/// Formats that draw as results come in.
const DRAWN: [(&str, u32); 7] = [
    ("match = { pairs = 2, when-level = { pairs = 2 } }", 2),
    ("match = { pairs = 3, begins = \"second\", stop-when-decided = true, when-level = \"pairs\" }", 2),
    ("knockout = { pairs = [1, 2], bronze = 1, seeded = 2 }", 4),
    ("swiss = { rounds = 2 }", 4),
    ("swiss = { rounds = 2, system = \"fide\" }", 3),
    ("conditional-tie-break = { spots = 1 }", 3),
    ("ladder = { pairs = 2 }", 3),
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

/// Each so many seeds one that draws.
const DRAWS: u64 = 4;

impl Shape {
    /// The book for level matches is the event's own under another digest.
    pub(crate) fn has_level_book(&self) -> bool {
        self.spec.event.openings.when_level.is_some()
    }

    pub(crate) fn of(dice: &mut Dice, seed: u64) -> Self {
        let (format, engines, stops) = *dice.pick(&FORMATS);
        let drawn = &DRAWN[(seed / DRAWS) as usize % DRAWN.len()];
        let (format, engines, stops) = match seed.is_multiple_of(DRAWS) {
            true => (format!("format = {{ {} }}", drawn.0), drawn.1, true),
            false => (format.to_owned(), engines, stops),
        };
        let interruption = *dice.pick(&INTERRUPTIONS);
        let (limits, crashes) = *dice.pick(&CRASHES);
        let openings = dice.pick(&OPENINGS).replace("{ ", "{ book = \"book.pgn\", ");
        let openings = match format.contains("when-level") {
            true => openings.replace(" }", ", when-level = { book = \"level.pgn\" } }"),
            false => openings,
        };
        let mut text = String::from("name = \"event\"\n");
        for name in ["A", "B", "C", "D"].iter().take(engines as usize) {
            text.push_str(&format!("[[engine]]\nname = \"{name}\"\nprogram = \"{}\"\n", name.to_lowercase()));
        }
        text.push_str(&format!(
            "[event]\n{format}\ninterruption = {interruption}\ncrashes = {limits}\nopenings = {openings}\n\
             time-control = \"{TIME_CONTROL}\"\nslot = {{ cores = 1, memory = \"1 GiB\" }}\n\
             tie-breaks = [\"direct-encounter\", \"sonneborn-berger\", \"wins\", \"shared\"]\n\
             limits = {{ start = \"5s\", ready = \"5s\", new-game = \"5s\", quit = \"1s\", stall = \"2s\" }}\n",
        ));
        let files = |name: &str| Err(format!("no file {name}"));
        match parse("simulation.toml", &text, &files) {
            Ok(parsed) => Self { spec: parsed.spec, crashes, stops: stops || !limits.contains("continue") },
            Err(errors) => panic!("{errors}\n{text}"),
        }
    }
}
