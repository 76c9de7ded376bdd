//! Orders, engines and what is asked of a record, in few words.

use std::{path::PathBuf, time::Duration};

use rookery_game::{
    Ending, GameKind, GameRecord, GameSetup, Outcome, Seat,
    adjudicate::Adjudication,
    setup::{EngineSetup, Limits, Side, Start},
};
use rookery_worker::{
    engine::Launch,
    table::{Control, HandedBack, Slot, SlotConfig, TableEnd, TableEvent, TableOrder},
};

/// Says why a test did not run. In CI that is a failure.
#[macro_export]
macro_rules! skip {
    ($($why:tt)*) => {{
        println!("SKIP {}", format!($($why)*));
        assert!(std::env::var_os("CI").is_none(), "skipped in CI");
        return;
    }};
}

/// An engine's program and arguments, and what is set on it.
#[derive(Clone, Default)]
pub(crate) struct Engine {
    pub(crate) launch: Launch,
    pub(crate) setup: EngineSetup,
}

impl Engine {
    pub(crate) fn program(name: &str, program: &str, args: &[&str]) -> Self {
        let launch = Launch {
            program: PathBuf::from(program),
            args: args.iter().map(Into::into).collect(),
            ..Launch::default()
        };
        Self { launch, setup: EngineSetup { name: name.to_owned(), ..EngineSetup::default() } }
    }

    /// A real engine from the system, if it is there.
    pub(crate) fn real(name: &str) -> Option<Self> {
        let path = format!("/usr/games/{name}");
        std::path::Path::new(&path).exists().then(|| Self::program(name, &path, &[]))
    }

    /// Our own engine with faults; `faults` as its header says.
    pub(crate) fn fake(name: &str, faults: &[&str]) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engines/fake.py");
        let args: Vec<&str> = std::iter::once(script).chain(faults.iter().copied()).collect();
        Self::program(name, "/usr/bin/python3", &args)
    }

    pub(crate) fn option(mut self, name: &str, value: &str) -> Self {
        self.setup.options.push((name.to_owned(), value.to_owned()));
        self
    }
}

pub(crate) fn python() -> bool {
    std::path::Path::new("/usr/bin/python3").exists()
}

pub(crate) fn order(first: &Engine, second: &Engine, control: &str) -> TableOrder {
    let side = |engine: &Engine| Side {
        engine: engine.setup.clone(),
        time_control: control.parse().expect("a time control"),
        margin: Duration::ZERO,
        ponder: false,
    };
    let setup = GameSetup {
        kind: GameKind::Chess,
        start: Start::default(),
        rules: Default::default(),
        sides: [side(first), side(second)],
        adjudication: Adjudication::default(),
        // Most tests are about engines, on a machine that may be busy: what it takes is not to decide them.
        limits: Limits { lag: Duration::from_secs(60), ..Limits::default() },
        tags: Default::default(),
        keep_transcript: false,
        killed: rookery_game::setup::Killed::Crash,
        predictions: None,
    };
    TableOrder {
        event: "test".to_owned(),
        name: "1/1/1".to_owned(),
        setup,
        resume: None,
        launches: [first.launch.clone(), second.launch.clone()],
        new_pair: true,
        worker: "here".to_owned(),
    }
}

pub(crate) fn slot() -> Slot {
    Slot::new(SlotConfig::default())
}

pub(crate) fn play_on(slot: &mut Slot, order: &TableOrder) -> (TableEnd, Vec<TableEvent>) {
    let mut events = Vec::new();
    let control = Control::new().expect("a descriptor");
    let end = slot.play(order, None, &control, &mut |event| events.push(event));
    (end, events)
}

pub(crate) fn finished(end: TableEnd) -> GameRecord {
    match end {
        TableEnd::Finished(record) => *record,
        TableEnd::HandedBack(back) => panic!("handed back: {:?}: {}", back.reason, back.evidence),
    }
}

/// A game against real time, played again where an engine was late or the table called that the host's fault: here the
/// machine may be busy with other things. `None` when that does not help.
pub(crate) fn timed(order: &TableOrder) -> Option<GameRecord> {
    (0..5).find_map(|_| match play_on(&mut slot(), order).0 {
        TableEnd::Finished(record) => (outcome(&record).ending != Ending::TimeLoss).then_some(*record),
        TableEnd::HandedBack(back) => panic!("handed back: {:?}: {}", back.reason, back.evidence),
    })
}

pub(crate) fn handed_back(end: TableEnd) -> HandedBack {
    match end {
        TableEnd::HandedBack(back) => *back,
        TableEnd::Finished(record) => panic!("finished: {:?}", record.outcome),
    }
}

pub(crate) fn play(order: &TableOrder) -> GameRecord {
    finished(play_on(&mut slot(), order).0)
}

/// The outcome, after checking that the record replays to the end that it claims.
pub(crate) fn outcome(record: &GameRecord) -> Outcome {
    let mut board = rookery_game::board::at(record.setup.kind, &record.setup.start.position).expect("a start");
    let form = rookery_game::board::protocol_form(record.setup.kind);
    for ply in &record.plies {
        let mv = board.parse(&ply.mv, form).expect("a legal move");
        board.play(mv);
    }
    let outcome = record.outcome.clone().expect("an outcome");
    if matches!(outcome.ending, Ending::Checkmate | Ending::Stalemate | Ending::Repetition | Ending::FiftyMoves) {
        assert_eq!(board.ending(), Some(outcome.clone()));
    }
    outcome
}

#[track_caller]
pub(crate) fn assert_fault(record: &GameRecord, seat: Seat, ending: Ending, detail: &str) {
    let outcome = outcome(record);
    assert_eq!((outcome.fault, outcome.ending), (Some(seat), ending), "{outcome:?} after {}", record.plies.len());
    assert!(outcome.detail.contains(detail), "{:?} should contain {detail:?}", outcome.detail);
    assert_eq!(record.transcripts.len(), 2);
}
