use rookery_game::{
    Ending, GameKind, GameResult, Outcome, Score,
    pgn::{self, PgnOptions},
};

use super::common::record;

#[test]
fn a_plain_game() {
    let outcome = Outcome::new(GameResult::SecondWins, Ending::Checkmate);
    let mut record = record(GameKind::Chess, "", "f2f3 e7e5 g2g4 d8h4", 1, Some(outcome));
    record.plies[1].score = Some(Score::Cp(35));
    record.plies[1].depth = 18;
    record.plies[2].score = Some(Score::Mate(0));
    record.plies[3].score = Some(Score::Mate(1));
    record.plies[3].clock_ns = Some(9_488_000_000);
    let text = pgn::write(&record, &PgnOptions::default());
    assert_eq!(
        text,
        "[Event \"A match\"]\n[Site \"?\"]\n[Date \"2023.11.14\"]\n[Round \"?\"]\n[White \"One\"]\n[Black \"Two\"]\n\
         [Result \"0-1\"]\n[PlyCount \"4\"]\n[TimeControl \"-\"]\n[Termination \"normal\"]\n\
         [TerminationDetails \"Black mates\"]\n[GameStartTime \"2023-11-14T22:13:20.000 UTC\"]\n\
         [GameEndTime \"2023-11-14T22:15:23.000 UTC\"]\n[GameDuration \"00:02:03\"]\n[RookeryGame \"1-1/1/0\"]\n\n\
         1. f3 {book} e5 {+0.35/18 0.512s} 2. g4 {-M0/0 0.512s} Qh4# {+M1/0\n\
         0.512s [%clk 0:00:09.488]} {Black mates} 0-1\n\n"
    );
    let minimal = pgn::write(&record, &PgnOptions::minimal());
    assert!(minimal.ends_with("\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n"), "{minimal}");
}
