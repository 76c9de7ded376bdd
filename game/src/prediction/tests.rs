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
    offered: Option<Seat>,
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
        self.offered = offer.then(|| self.board.to_move().other());
        if self.offered.is_none() {
            self.reply();
        }
    }

    fn reply(&mut self) {
        if let Some(mv) = self.series.reply(&*self.board) {
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
                assert_eq!(self.offered, Some(by.other()));
                self.end("1/2-1/2", "agreement");
            }
            (Some(_), ..) => {
                self.offered = None;
                self.reply();
            }
            (_, Some(true), _) => self.end(lost, "resignation"),
            (_, _, Some(why)) => self.end(lost, why),
            _ => {
                assert_eq!(self.board.to_move(), by, "{event}");
                self.offered = None;
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
        let mut table = Table { board, series, plies: Vec::new(), remarks: Vec::new(), over: None, offered: None };
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
