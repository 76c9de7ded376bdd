//! The worked examples, played through.

use serde_json::Value;

use super::*;
use crate::{Board, Form, GameResult, Seat, board, setup::GameKind};

fn examples() -> Option<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/vectors/prediction/examples.json");
    let Ok(text) = std::fs::read_to_string(path) else {
        println!("SKIP: no examples at {path}");
        return None;
    };
    Some(serde_json::from_str(&text).unwrap())
}

fn rules(config: &Value) -> Predictions {
    Predictions {
        from: config["pc1"].as_u64().unwrap() as u32,
        to: config["pc2"].as_u64().unwrap() as u32,
        zone: serde_json::from_value(config["zone_ref"].clone()).unwrap(),
        mandatory: config["mandatory"].as_bool().unwrap(),
        on_illegal: serde_json::from_value(config["on_illegal"].clone()).unwrap(),
        terminal_tail: config["allow_terminal_tail"].as_bool().unwrap(),
        max_pairs: config["max_pairs"].as_u64().map(|n| n as u32),
        ..Predictions::default()
    }
}

const fn letter(seat: Seat) -> &'static str {
    match seat {
        Seat::First => "w",
        Seat::Second => "b",
    }
}

fn seat(text: &str) -> Seat {
    if text == "w" { Seat::First } else { Seat::Second }
}

/// A table in small: what it is told, and what it writes down.
struct Table {
    board: Box<dyn Board>,
    series: Series,
    plies: Vec<String>,
    remarks: Vec<Value>,
    over: Option<(&'static str, String)>,
}

impl Table {
    fn play(&mut self, text: &str, auto: bool, cond: Option<&Vec<Value>>, offer: bool) {
        let mv = super::strings::read(&*self.board, text).unwrap();
        let chess = self.board.as_chess().is_some();
        let form = if chess { Form::San } else { board::protocol_form(self.board.kind()) };
        let dots = if self.board.to_move() == Seat::First { "." } else { "..." };
        let mut line = format!("{}{dots}{}", self.board.move_number(), self.board.write(mv, form));
        let hit = self.series.played(&*self.board, mv, auto);
        if auto {
            line.push_str(" auto");
        }
        if let Some(hit) = hit {
            line.push_str(&format!(" hit:{}{}", letter(hit.by), if hit.counted { "" } else { "(uncounted)" }));
        }
        self.plies.push(line);
        self.board.play(mv);
        if !auto {
            let line = cond.into_iter().flatten().map(|text| text.as_str().unwrap());
            for remark in self.series.attach(&*self.board, line) {
                self.remark(remark);
            }
        }
        if let Some(outcome) = self.board.ending() {
            let word = format!("{:?}", outcome.ending).to_lowercase();
            return self.end(outcome.result.as_str(), &word);
        }
        if offer {
            assert!(self.series.offer(self.board.to_move().other()));
        }
        self.reply();
    }

    fn reply(&mut self) {
        if let Next::Reply(mv) = self.series.next(&*self.board) {
            let text = self.board.write(mv, board::protocol_form(self.board.kind()));
            self.play(&text, true, None, false);
        }
    }

    fn end(&mut self, result: &'static str, reason: &str) {
        self.over = Some((result, reason.to_owned()));
        self.series.close();
    }

    fn remark(&mut self, remark: Remark) {
        self.remarks.push(match remark {
            Remark::Illegal { by, number, index, text } => {
                serde_json::json!({ "kind": "illegal_conditional", "by": letter(by), "number": number, "index": index, "move": text })
            }
            Remark::Dangling { by, number, text } => {
                serde_json::json!({ "kind": "dangling_prediction_dropped", "by": letter(by), "number": number, "move": text })
            }
            Remark::Missing { by, number } => {
                serde_json::json!({ "kind": "missing_conditional", "by": letter(by), "number": number })
            }
        });
    }

    fn event(&mut self, event: &Value) {
        let by = event["by"].as_str().map(seat);
        if let Some(result) = event["adjudicate"].as_str() {
            let results = [GameResult::FirstWins, GameResult::SecondWins, GameResult::Draw].map(GameResult::as_str);
            let result = results.into_iter().find(|r| *r == result).unwrap();
            return self.end(result, "adjudication");
        }
        let by = by.unwrap();
        let lost = GameResult::win(by.other()).as_str();
        match (event["draw"].as_str(), event["resign"].as_bool(), event["forfeit"].as_str()) {
            (Some("accept"), ..) => {
                let outcome = self.series.accept(by).unwrap();
                self.end(outcome.result.as_str(), outcome.ending.as_str());
            }
            (Some(_), ..) => {
                self.series.decline();
                self.reply();
            }
            (_, Some(true), _) => self.end(lost, "resignation"),
            (_, _, Some(why)) => self.end(lost, why),
            _ => {
                assert_eq!(self.board.to_move(), by, "{event}");
                let offer = event["offer_draw"].as_bool() == Some(true);
                self.play(event["move"].as_str().unwrap(), false, event["cond"].as_array(), offer);
            }
        }
    }
}

#[test]
fn the_worked_examples() {
    let Some(examples) = examples() else { return };
    let mut played = 0;
    for example in examples["examples"].as_array().unwrap() {
        let id = example["id"].as_str().unwrap();
        let (kind, position) = match example["game"].as_str().unwrap() {
            "chess" => (GameKind::Chess, example["start_fen"].as_str().unwrap_or_default().to_owned()),
            _ => {
                let start = &example["start"];
                (
                    GameKind::ChineseCheckers,
                    format!("{} {} {}", start["cells"].as_str().unwrap(), start["player"], start["ply"]),
                )
            }
        };
        let board = match board::at(kind, &position) {
            Ok(board) => board,
            Err(error) if kind == GameKind::ChineseCheckers => {
                println!("SKIP: {id}: {error}");
                continue;
            }
            Err(error) => panic!("{id}: {error}"),
        };
        let series = Series::new(rules(&example["config"]));
        let mut table = Table { board, series, plies: Vec::new(), remarks: Vec::new(), over: None };
        for event in example["events"].as_array().unwrap() {
            assert!(table.over.is_none(), "{id}: over before {event}");
            table.event(event);
        }
        let expect = &example["expect"];
        assert_eq!(serde_json::json!(table.plies), expect["plies"], "{id}");
        assert_eq!(serde_json::json!(table.remarks), expect["notes"], "{id}");
        let tally = table.series.tally();
        let points = serde_json::json!({ "w": tally.points[0], "b": tally.points[1] });
        assert_eq!(points, expect["points"], "{id}");
        let (result, reason) = table.over.clone().unwrap_or_else(|| panic!("{id}: not over"));
        assert_eq!(
            (result, reason.as_str()),
            (expect["result"].as_str().unwrap(), expect["reason"].as_str().unwrap()),
            "{id}"
        );
        assert_eq!(letter(tally.winner()), expect["prediction_winner"].as_str().unwrap(), "{id}");
        let open = serde_json::json!({ "w": table.series.open(Seat::First), "b": table.series.open(Seat::Second) });
        assert_eq!(open, expect["open_strings"], "{id}");
        played += 1;
    }
    assert!(played >= 24, "{played}");
}

#[test]
fn strings_from_variations() {
    let Some(examples) = examples() else { return };
    for example in examples["pv_examples"].as_array().unwrap() {
        let words = |value: &Value| -> Vec<String> {
            value.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
        };
        let board = board::at(GameKind::Chess, "").unwrap();
        let played = board.parse(example["bestmove"].as_str().unwrap(), Form::Uci).unwrap();
        let pv = words(&example["pv"]).join(" ");
        let pairs = example["max_pairs"].as_u64().unwrap() as u32;
        assert_eq!(from_pv(&*board, played, &pv, pairs), words(&example["expect"]), "{}", example["id"]);
    }
}

#[test]
fn who_owed_a_string_may_lose_the_prediction() {
    for (points, forfeited, winner) in [
        ([3, 2], [false, false], Seat::First),
        ([2, 2], [false, false], Seat::Second),
        ([3, 2], [true, false], Seat::Second),
        ([0, 2], [false, true], Seat::First),
        ([3, 2], [true, true], Seat::First),
    ] {
        assert_eq!(Tally { points, forfeited }.winner(), winner, "{points:?} {forfeited:?}");
    }
}

#[test]
fn a_long_string_is_cut() {
    let board = board::at(GameKind::Chess, "").unwrap();
    let mut after = board.fork();
    after.play(after.parse("g1f3", Form::Uci).unwrap());
    let line = ["g8f6", "f3g1", "f6g8", "g1f3"].into_iter().cycle().take(100_000);
    let (moves, _) = checked(&Predictions::default(), &*after, Seat::First, 1, line);
    assert!(moves.len() <= MAX_STRING);
    let short = Predictions { max_pairs: Some(2), ..Predictions::default() };
    assert_eq!(checked(&short, &*after, Seat::First, 1, ["e5", "e4", "d6", "d4", "c6", "c4"].into_iter()).0.len(), 4);
}

/// The game of the table below: `A` has foreseen what `B` plays, twice. `!`: an offer with that move.
fn paused(moves: &[(&str, &str)]) -> (Box<dyn Board>, Series, Vec<crate::Ply>) {
    let rules = Predictions { from: 1, mandatory: false, ..Predictions::default() };
    let (mut board, mut series) = (board::at(GameKind::Chess, "").unwrap(), Series::new(rules));
    let mut plies = Vec::new();
    for (text, line) in moves {
        let (text, offer) = (text.trim_end_matches('!'), text.ends_with('!'));
        let mv = board.parse(text, Form::Uci).unwrap();
        let auto = series.next(&*board) == Next::Reply(mv);
        series.played(&*board, mv, auto);
        board.play(mv);
        if !auto {
            series.attach(&*board, line.split(' ').filter(|word| !word.is_empty()));
            if offer {
                series.offer(board.to_move().other());
            }
        }
        plies.push(crate::Ply {
            mv: text.to_owned(),
            auto,
            offer,
            conditional: (*line).to_owned(),
            ..crate::Ply::default()
        });
    }
    (board, series, plies)
}

const FORESEEN: (&str, &str) = ("e2e4", "e7e5 g1f3 b8c6 f1b5");

#[test]
fn an_offer_pauses_a_series_and_stands_for_one_answer() {
    let reply = |board: &dyn Board, text: &str| Next::Reply(board.parse(text, Form::Uci).unwrap());
    // With the foreseen move: the point stands, the owner is asked, and none but the owner.
    let (board, mut series, _) = paused(&[FORESEEN, ("e7e5!", "")]);
    assert_eq!((series.next(&*board), series.tally().points), (Next::Asked, [1, 0]));
    assert_eq!(series.accept(Seat::Second), None);
    // Declined: the stored reply, and the string lives.
    series.decline();
    assert_eq!((series.next(&*board), series.open(Seat::First)), (reply(&*board, "g1f3"), 3));
    assert_eq!(series.accept(Seat::First), None, "an offer is answered once");
    // Accepted: over, nothing is stored, the point stands.
    let (board, mut series, _) = paused(&[FORESEEN, ("e7e5!", "")]);
    assert_eq!(series.accept(Seat::First), Some(crate::Outcome::new(GameResult::Draw, crate::Ending::Agreement)));
    assert_eq!((series.open(Seat::First), series.tally().points), (0, [1, 0]));
    assert_eq!(series.next(&*board), Next::Player { offered: false });
    // With another move: nothing pauses, and the owner's own move declines it.
    let (board, mut series, _) = paused(&[FORESEEN, ("c7c5!", "")]);
    assert_eq!(series.next(&*board), Next::Player { offered: true });
    series.played(&*board, board.parse("g1f3", Form::Uci).unwrap(), false);
    assert_eq!(series.accept(Seat::First), None);
    // With the last foreseen move there is no reply to pause.
    let (board, series, _) = paused(&[("e2e4", "e7e5 g1f3"), ("e7e5", ""), ("g1f3", ""), ("b8c6!", "")]);
    assert_eq!(series.next(&*board), Next::Player { offered: true });
    // The owner's own offer: accepted it is no hit, answered by the foreseen move it is one.
    let own = ("e2e4!", FORESEEN.1);
    let (board, mut series, _) = paused(&[own]);
    assert_eq!(series.next(&*board), Next::Player { offered: true });
    assert!(series.accept(Seat::First).is_none() && series.accept(Seat::Second).is_some());
    assert_eq!(series.tally().points, [0, 0]);
    let (board, series, _) = paused(&[own, ("e7e5", "")]);
    assert_eq!((series.next(&*board), series.tally().points), (reply(&*board, "g1f3"), [1, 0]));
}

#[test]
fn who_both_foresee_are_each_asked_in_their_turn() {
    // `B` foresees the reply that the table plays for `A`, and its own reply is played in turn: offers come with neither.
    let moves = [FORESEEN, ("e7e5!", "g1f3 b8c6")];
    let (mut board, mut series, _) = paused(&moves);
    assert_eq!(series.next(&*board), Next::Asked);
    series.decline();
    for text in ["g1f3", "b8c6", "f1b5"] {
        let mv = board.parse(text, Form::Uci).unwrap();
        assert_eq!(series.next(&*board), Next::Reply(mv), "{text}");
        series.played(&*board, mv, true);
        board.play(mv);
    }
    assert_eq!(series.tally().points, [2, 1]);
}

#[test]
fn what_was_offered_is_told_by_the_record() {
    // The last ply's offer is open; one before it was declined, by a move or by the reply that the table played.
    let (board, series, plies) = paused(&[FORESEEN, ("e7e5!", "")]);
    let again = |plies: &[crate::Ply]| {
        let mut board = board::at(GameKind::Chess, "").unwrap();
        let mut series = Series::new(Predictions { from: 1, mandatory: false, ..Predictions::default() });
        series.replay(&mut *board, plies);
        (series.next(&*board), series.tally())
    };
    assert_eq!(again(&plies), (series.next(&*board), series.tally()));
    let mut more = plies.clone();
    more.push(crate::Ply { mv: "g1f3".to_owned(), auto: true, ..crate::Ply::default() });
    assert_eq!(again(&more), (Next::Player { offered: false }, Tally { points: [1, 0], forfeited: [false; 2] }));
    more.push(crate::Ply { mv: "b8c6".to_owned(), ..crate::Ply::default() });
    assert_eq!(again(&more).1.points, [2, 0], "the string outlives the pause");
    // A record that says the table offered one says nothing.
    more[2].offer = true;
    assert_eq!(again(&more[..3]).0, Next::Player { offered: false });
}

#[test]
fn where_no_draw_may_be_offered_none_is() {
    let (board, _, plies) = paused(&[FORESEEN, ("e7e5!", "")]);
    let mut series = Series::new(Predictions { from: 1, draw_offers: false, ..Predictions::default() });
    series.replay(&mut *board::at(GameKind::Chess, "").unwrap(), &plies);
    assert_eq!(series.next(&*board), Next::Reply(board.parse("g1f3", Form::Uci).unwrap()));
    assert!(!series.offer(Seat::Second) && series.accept(Seat::First).is_none());
}
