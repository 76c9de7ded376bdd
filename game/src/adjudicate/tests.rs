//! Each rule as a table of scores, and the ply after which it fires.

use std::collections::BTreeMap;

use super::*;
use crate::{Form, GameKind, Notation, board};

/// Rook against rook and pawns: room to shuffle, nothing that ends.
const SHUFFLE: &str = "4k3/7p/8/8/8/8/7P/R3K3 w - - 0 1";

/// `-` is a missing score, `b` a book ply, `m5` a mate in five, `m-2` mated in two.
fn ply(text: &str) -> Ply {
    let score = match text {
        "-" | "b" => None,
        text => Some(match text.strip_prefix('m') {
            Some(moves) => Score::Mate(moves.parse().unwrap()),
            None => Score::Cp(text.parse().unwrap()),
        }),
    };
    // A book ply with a score: the score must not count.
    if text == "b" {
        Ply { book: true, score: Some(Score::Cp(0)), ..Ply::default() }
    } else {
        Ply { score, ..Ply::default() }
    }
}

/// Plays kings and rooks to and fro with the scores in turn, and says after which ply which outcome came.
fn run(rules: &Adjudication, position: &str, scores: &str) -> Option<(usize, GameResult, Ending)> {
    let mut board = board::at(GameKind::Chess, position).unwrap();
    let mut adjudicator = Adjudicator::new(rules.clone());
    for (number, text) in (1..).zip(scores.split_whitespace()) {
        let to_and_fro = match board.to_move() {
            Seat::First => ["a1b1", "b1a1"],
            Seat::Second => ["e8d8", "d8e8"],
        };
        let mv = to_and_fro.iter().find_map(|text| board.parse(text, Form::Uci).ok()).unwrap();
        board.play(mv);
        if let Some(outcome) = adjudicator.after(board.as_ref(), &ply(text), None) {
            assert_eq!(outcome.fault, None);
            return Some((number, outcome.result, outcome.ending));
        }
    }
    None
}

fn check(rules: &Adjudication, scores: &str, expected: Option<(usize, GameResult, Ending)>) {
    assert_eq!(run(rules, SHUFFLE, scores), expected, "{scores}");
}

#[test]
fn resign() {
    use Ending::ResignAdjudication as Resign;
    use GameResult::{FirstWins, SecondWins};
    let one_sided = Adjudication {
        resign: Some(ResignRule { moves: 3, beyond: 600, two_sided: false }),
        ..Adjudication::default()
    };
    // The counter is each engine's own, and a good score starts it afresh.
    let scores = "0 -700 0 -700 0 0 0 -700 0 -700 0 -700";
    check(&one_sided, scores, Some((12, FirstWins, Resign)));
    // The winner's scores alone end nothing.
    check(&one_sided, "650 0 650 0 650 0 650 0 650 0", None);
    // The limit itself counts, one less does not.
    check(&one_sided, "0 -600 0 -600 0 -600", Some((6, FirstWins, Resign)));
    check(&one_sided, "0 -599 0 -599 0 -599 0 -599", None);
    // A mate is beyond everything, for the side that is mated alone.
    check(&one_sided, "m5 0 m4 0 m3 0 m2 0", None);
    check(&one_sided, "m-5 0 m-4 0 m-3", Some((5, SecondWins, Resign)));
    check(&one_sided, "m0 0 m0 0 m0", Some((5, SecondWins, Resign)));
    // A missing score and a book ply start it afresh.
    check(&one_sided, "0 -700 0 -700 0 - 0 -700 0 -700", None);
    check(&one_sided, "0 -700 0 -700 0 b 0 -700 0 -700", None);
    let two_sided =
        Adjudication { resign: Some(ResignRule { moves: 3, beyond: 600, two_sided: true }), ..Adjudication::default() };
    check(&two_sided, "650 -700 650 -700 650 -700 650", Some((6, FirstWins, Resign)));
    check(&two_sided, "650 -700 650 -700 500 -700 650 -700 650 -700 650", Some((11, FirstWins, Resign)));
    check(&two_sided, "0 -700 0 -700 0 -700 0 -700", None);
    check(&two_sided, "650 0 650 0 650 0 650 0", None);
    check(&two_sided, "m9 m-9 m8 m-8 m7 m-7", Some((6, FirstWins, Resign)));
    // A rule of no moves at all still needs one.
    let none = Adjudication {
        resign: Some(ResignRule { moves: 0, beyond: 600, two_sided: false }),
        ..Adjudication::default()
    };
    check(&none, "0 0 0 -600", Some((4, FirstWins, Resign)));
}

#[test]
fn draw() {
    use Ending::DrawAdjudication;
    use GameResult::Draw;
    let rule = |from_move, plies, within| Adjudication {
        draw: Some(DrawRule { from_move, plies, within }),
        ..Adjudication::default()
    };
    let at = |ply| Some((ply, Draw, DrawAdjudication));
    check(&rule(0, 4, 20), "20 -20 20 -20", at(4));
    check(&rule(0, 4, 20), "20 -20 21 0 0 0 0", at(7));
    check(&rule(0, 4, 20), "0 0 0 - 0 0 0", None);
    check(&rule(0, 4, 20), "b b b b 0 0 0 0", at(8));
    check(&rule(0, 4, 1000), "0 0 m5 0 0 0 0", at(7));
    check(&rule(0, 3, 20), "0 0 0", at(3));
    // Earlier plies count, but the move number must be reached: Black's ply of move 3 belongs to move 3.
    check(&rule(3, 4, 20), "0 0 0 0 0 0", at(5));
    check(&rule(3, 6, 20), "0 0 0 0 0 0", at(6));
    // The number is the one of the start position: the same game from a position and from an opening ends alike.
    let rules = rule(34, 4, 20);
    let at_30 = "4k3/7p/8/8/8/8/7P/1R2K3 w - - 0 30";
    assert_eq!(run(&rules, at_30, "0 0 0 0 0 0 0 0 0 0"), at(9));
    let black_first = "3k4/7p/8/8/8/8/7P/1R2K3 b - - 0 32";
    assert_eq!(run(&rules, black_first, "0 0 0 0 0 0 0 0 0 0"), at(4));
    let black_first = "3k4/7p/8/8/8/8/7P/1R2K3 b - - 0 34";
    assert_eq!(run(&rules, black_first, "0 0 0 0 0 0"), at(4));
}

#[test]
fn tcec() {
    use Ending::{TcecDraw, TcecWin};
    use GameResult::{Draw, FirstWins, SecondWins};
    let draw = |pieces| Adjudication {
        tcec_draw: Some(TcecDrawRule { pieces, plies: 8, within: 25 }),
        ..Adjudication::default()
    };
    check(&draw(6), "25 -25 0 0 0 0 0 0", Some((8, Draw, TcecDraw)));
    check(&draw(6), "25 -25 26 0 0 0 0 0 0 0 0", Some((11, Draw, TcecDraw)));
    check(&draw(6), "0 0 0 0 0 - 0 0 0 0 0 0 0", None);
    check(&draw(6), "b b b b b b b b 0 0 0 0 0 0 0 0", Some((16, Draw, TcecDraw)));
    check(&draw(6), "0 0 0 0 m9 0 0 0 0 0 0 0", None);
    // Two kings and a rook are on the board.
    check(&draw(3), "0 0 0 0 0 0 0 0", Some((8, Draw, TcecDraw)));
    check(&draw(2), "0 0 0 0 0 0 0 0 0 0", None);
    let win = Adjudication { tcec_win: Some(TcecWinRule { plies: 8, beyond: 650 }), ..Adjudication::default() };
    check(&win, "650 -650 700 -700 m8 m-7 900 -900", Some((8, FirstWins, TcecWin)));
    check(&win, "-650 650 -700 700 m-8 m7 -900 900", Some((8, SecondWins, TcecWin)));
    check(&win, "650 650 650 650 650 650 650 650 650 650", None);
    check(&win, "650 -650 650 -649 650 -650 650 -650 650", None);
}

#[test]
fn maximum_length_and_order() {
    use GameResult::Draw;
    let mut rules = Adjudication { max_moves: Some(3), ..Adjudication::default() };
    check(&rules, "0 0 0 0 0 0", Some((6, Draw, Ending::MaxMoves)));
    let black_first = "3k4/7p/8/8/8/8/7P/1R2K3 b - - 0 2";
    assert_eq!(run(&rules, black_first, "0 0 0 0"), Some((3, Draw, Ending::MaxMoves)));
    rules.resign = Some(ResignRule { moves: 3, beyond: 0, two_sided: false });
    rules.draw = Some(DrawRule { from_move: 3, plies: 6, within: 0 });
    rules.max_moves = Some(2);
    // Length alone is reached at ply 4.
    check(&rules, "0 0 0 0", Some((4, Draw, Ending::MaxMoves)));
    rules.max_moves = Some(3);
    rules.resign = Some(ResignRule { moves: 3, beyond: 500, two_sided: false });
    check(&rules, "0 0 0 0 0 0", Some((6, Draw, Ending::DrawAdjudication)));
    rules.tcec_draw = Some(TcecDrawRule { pieces: 6, plies: 6, within: 25 });
    check(&rules, "0 0 0 0 0 0", Some((6, Draw, Ending::TcecDraw)));
    check(&rules, "-500 0 -500 0 -500 0", Some((5, GameResult::SecondWins, Ending::ResignAdjudication)));
    check(&Adjudication::default(), "0 0 0 0 0 0 m-1 m-1 m-1 m-1", None);
}

/// A table that knows a few positions by their FEN.
struct Map(BTreeMap<&'static str, GameResult>);

impl Tablebase for Map {
    fn probe(&self, position: &shakmaty::Chess, _rule: &TablebaseRule) -> Option<GameResult> {
        let fen = shakmaty::fen::Fen::from_position(position, shakmaty::EnPassantMode::Legal).to_string();
        self.0.get(fen.as_str()).copied()
    }
}

#[test]
fn tables() {
    let map = Map(BTreeMap::from([
        ("8/8/8/3k4/8/8/1Q6/K7 b - - 1 1", GameResult::FirstWins),
        ("8/8/8/3k4/8/8/7p/K7 b - - 1 1", GameResult::SecondWins),
        ("8/8/8/3k4/8/8/P7/1K6 b - - 1 1", GameResult::Draw),
        ("1k6/8/8/8/8/8/P7/R3K1R1 b Q - 1 1", GameResult::FirstWins),
        ("1k6/8/8/8/8/8/P7/R3K1R1 b - - 1 1", GameResult::FirstWins),
    ]));
    let probe = |position: &str, mv: &str, rule: TablebaseRule, book: bool| {
        let mut board = board::at(GameKind::Chess, position).unwrap();
        let mv = board.parse(mv, Form::Uci).unwrap();
        board.play(mv);
        // A draw rule fires at the same ply, and comes later.
        let rules = Adjudication {
            tablebases: Some(rule),
            draw: Some(DrawRule { from_move: 0, plies: 1, within: 0 }),
            ..Adjudication::default()
        };
        let ply = Ply { score: Some(Score::Cp(0)), book, ..Ply::default() };
        let found = Adjudicator::new(rules).after(board.as_ref(), &ply, Some(&map));
        found.map(|outcome| (outcome.result, outcome.ending))
    };
    let rule = TablebaseRule { men: 6, fifty_moves: true, draws_only: false };
    let by_table = |result| Some((result, Ending::TablebaseAdjudication));
    let by_score = Some((GameResult::Draw, Ending::DrawAdjudication));
    let queen = "8/8/8/3k4/8/8/8/KQ6 w - - 0 1";
    assert_eq!(probe(queen, "b1b2", rule, false), by_table(GameResult::FirstWins));
    assert_eq!(probe(queen, "b1b2", rule, true), by_table(GameResult::FirstWins));
    assert_eq!(probe(queen, "b1b2", TablebaseRule { men: 3, ..rule }, false), by_table(GameResult::FirstWins));
    assert_eq!(probe(queen, "b1b2", TablebaseRule { men: 2, ..rule }, false), by_score);
    assert_eq!(probe(queen, "b1b2", TablebaseRule { draws_only: true, ..rule }, false), by_score);
    // Nobody knows this one.
    assert_eq!(probe(queen, "b1b3", rule, false), by_score);
    let pawn = "8/8/8/3k4/8/8/P7/K7 w - - 0 1";
    let draws_only = TablebaseRule { draws_only: true, ..rule };
    assert_eq!(probe(pawn, "a1b1", draws_only, false), by_table(GameResult::Draw));
    let black_pawn = "8/8/8/3k4/8/8/7p/1K6 w - - 0 1";
    assert_eq!(probe(black_pawn, "b1a1", rule, false), by_table(GameResult::SecondWins));
    // With a castling right no table is asked.
    let castling = "1k6/8/8/8/8/8/P7/R3K2R w Q - 0 1";
    assert_eq!(probe(castling, "h1g1", rule, false), by_score);
    let no_castling = "1k6/8/8/8/8/8/P7/R3K2R w - - 0 1";
    assert_eq!(probe(no_castling, "h1g1", rule, false), by_table(GameResult::FirstWins));
}

#[test]
fn flags() {
    let lone_king = board::at(GameKind::Chess, "4k3/8/8/8/8/8/8/4K2R w - - 0 1").unwrap();
    let by_default = Adjudication::default();
    let lenient = Adjudication { flag_draw_without_material: true, ..Adjudication::default() };
    let outcome = flag_outcome(lone_king.as_ref(), Seat::First, &by_default);
    assert_eq!(outcome, Outcome::fault(Seat::First, Ending::TimeLoss, ""));
    let outcome = flag_outcome(lone_king.as_ref(), Seat::First, &lenient);
    assert_eq!(
        (outcome.result, outcome.ending, outcome.fault),
        (GameResult::Draw, Ending::TimeLoss, Some(Seat::First))
    );
    let outcome = flag_outcome(lone_king.as_ref(), Seat::Second, &lenient);
    assert_eq!((outcome.result, outcome.fault), (GameResult::FirstWins, Some(Seat::Second)));
}

/// What a table can say of a position, by the fifty-move rule as the counter stands. It shows how the trait is to be
/// implemented over real tables; the worker's own does it with its files.
struct Syzygy(shakmaty_syzygy::Tablebase<shakmaty::Chess>);

impl Tablebase for Syzygy {
    fn probe(&self, position: &shakmaty::Chess, rule: &TablebaseRule) -> Option<GameResult> {
        use shakmaty_syzygy::{AmbiguousWdl, Wdl};
        let turn = position.turn();
        let win =
            |color: shakmaty::Color| if color.is_white() { GameResult::FirstWins } else { GameResult::SecondWins };
        // Straight after a capture or a pawn's move the files without distances know it all.
        let wdl = if rule.fifty_moves && position.halfmoves() > 0 {
            match self.0.probe_wdl(position).ok()? {
                AmbiguousWdl::Win => Wdl::Win,
                AmbiguousWdl::Loss => Wdl::Loss,
                AmbiguousWdl::Draw | AmbiguousWdl::BlessedLoss | AmbiguousWdl::CursedWin => Wdl::Draw,
                // The distance is known to one ply only: nothing is certain.
                AmbiguousWdl::MaybeWin | AmbiguousWdl::MaybeLoss => return None,
            }
        } else {
            self.0.probe_wdl_after_zeroing(position).ok()?
        };
        match wdl {
            Wdl::Win => Some(win(turn)),
            Wdl::Loss => Some(win(!turn)),
            Wdl::Draw => Some(GameResult::Draw),
            Wdl::CursedWin => Some(if rule.fifty_moves { GameResult::Draw } else { win(turn) }),
            Wdl::BlessedLoss => Some(if rule.fifty_moves { GameResult::Draw } else { win(!turn) }),
        }
    }
}

#[test]
fn real_tables() {
    let Some(path) = crate::testing::shared("tablebases") else { return };
    let mut files = shakmaty_syzygy::Tablebase::new();
    files.add_directory(path).unwrap();
    let tables = Syzygy(files);
    let probe = |position: &str, fifty_moves: bool| {
        let board = board::at(GameKind::Chess, position).unwrap();
        assert!(matches!(board.notation(), Notation::Fen(_)));
        tables.probe(board.as_chess().unwrap(), &TablebaseRule { men: 5, fifty_moves, draws_only: false })
    };
    use GameResult::{Draw, FirstWins, SecondWins};
    for (position, by_fifty, without) in [
        ("8/8/8/3k4/8/8/8/KQ6 w - - 0 60", Some(FirstWins), Some(FirstWins)),
        // Four plies are left, and no mate is in them.
        ("8/8/8/3k4/8/8/8/KQ6 w - - 96 100", Some(Draw), Some(FirstWins)),
        ("8/8/8/3k4/8/8/8/KQ6 b - - 0 60", Some(FirstWins), Some(FirstWins)),
        ("8/8/8/3K4/8/8/8/kq6 w - - 0 60", Some(SecondWins), Some(SecondWins)),
        // The rook is lost at once.
        ("8/8/8/8/8/8/3k4/K2R4 b - - 0 1", Some(Draw), Some(Draw)),
    ] {
        assert_eq!((probe(position, true), probe(position, false)), (by_fifty, without), "{position}");
    }
}
