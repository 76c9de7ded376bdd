//! Games that engines play without a fault.

use std::time::Duration;

use rookery_game::GameKind;
use rookery_worker::table::TableEvent;

use crate::{help::*, skip};

fn real(name: &str) -> Option<Engine> {
    Some(Engine::real(name)?.option("Hash", "16"))
}

#[test]
fn two_stockfishes_by_nodes() {
    let Some(stockfish) = real("stockfish") else { skip!("no stockfish") };
    let mut slot = slot();
    let (end, events) = play_on(&mut slot, &order(&stockfish, &stockfish, "nodes=200"));
    let record = finished(end);
    let outcome = outcome(&record);
    assert_eq!(outcome.fault, None, "{outcome:?}");
    assert!(record.plies.len() > 20);
    assert!(record.engines[0].id_name.starts_with("Stockfish"), "{:?}", record.engines);
    assert_eq!(record.warnings, Default::default());
    assert!(
        record.plies.iter().all(|ply| ply.score.is_some() && ply.depth > 0 && ply.time_ns > 0 && !ply.pv.is_empty())
    );
    assert!(matches!(events[0], TableEvent::Started { .. }));
    // The same engines stay for the next game, and it is another's turn to be white.
    let (end, _) = play_on(&mut slot, &order(&stockfish, &stockfish, "nodes=200"));
    assert_eq!(finished(end).plies.len(), record.plies.len(), "same nodes, same game");
}

#[test]
fn every_real_engine_plays_a_fast_game() {
    for (first, second) in [("stockfish", "ethereal-chess"), ("glaurung", "toga2"), ("toga2", "stockfish")] {
        let (Some(first), Some(second)) = (real(first), real(second)) else { skip!("no {first} or {second}") };
        let mut order = order(&first, &second, "3+0.01");
        order.setup.adjudication.max_moves = Some(30);
        let Some(record) = timed(&order) else { skip!("the machine is too busy") };
        let outcome = outcome(&record);
        assert_eq!(outcome.fault, None, "{outcome:?}");
        let mut left = [Duration::from_secs(3); 2];
        for (n, ply) in record.plies.iter().enumerate() {
            left[n % 2] = left[n % 2] - ply.time() + Duration::from_millis(10);
            assert_eq!(ply.clock_ns, Some(u64::try_from(left[n % 2].as_nanos()).unwrap()), "ply {n}");
        }
    }
}

#[test]
fn chess960_with_castling() {
    let Some(stockfish) = real("stockfish") else { skip!("no stockfish") };
    let mut order = order(&stockfish, &stockfish, "nodes=500");
    order.setup.kind = GameKind::Chess960;
    order.setup.start.position = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9".to_owned();
    let record = play(&order);
    assert_eq!(outcome(&record).fault, None);
    assert_eq!(record.warnings, Default::default());
    assert!(record.engines[0].options.contains(&("UCI_Chess960".to_owned(), "true".to_owned())));
}

#[test]
fn pondering() {
    let Some(stockfish) = real("stockfish") else { skip!("no stockfish") };
    let mut order = order(&stockfish, &stockfish, "1+0.02");
    order.setup.sides[0].ponder = true;
    order.setup.sides[1].ponder = true;
    order.setup.keep_transcript = true;
    order.setup.adjudication.max_moves = Some(20);
    let Some(record) = timed(&order) else { skip!("the machine is too busy") };
    assert_eq!(outcome(&record).fault, None, "{:?}", record.outcome);
    let lines = record.transcripts.iter().flat_map(|t| &t.lines);
    assert!(lines.clone().any(|line| line.contains("> ponderhit")));
    assert!(lines.clone().any(|line| line.contains("> go ponder wtime")));
}
