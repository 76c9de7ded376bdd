//! Games whose prediction was won (the PS column of ICCF's Prediction Criterion, 2024): the first tie-break where it is used.

use super::tally::Table;

/// Predictions won; who plays more games as second has more chances, as level predictions are the second seat's.
pub(super) fn value(table: &Table, entrant: usize) -> i64 {
    i64::from(table.own[entrant].predictions)
}

#[cfg(test)]
mod tests {
    use rookery_game::{Ending, GameResult, prediction};
    use serde_json::Value;

    use crate::{
        EntrantId,
        event::Counted,
        standings::{Tally, rank},
    };

    #[test]
    fn the_tables_of_the_worked_examples() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/vectors/prediction/examples.json");
        let Ok(text) = std::fs::read_to_string(path) else {
            println!("SKIP: no examples at {path}");
            return;
        };
        let examples: Value = serde_json::from_str(&text).unwrap();
        for example in examples["table_examples"].as_array().unwrap() {
            let names: Vec<&str> = example["players"].as_array().unwrap().iter().map(|p| p.as_str().unwrap()).collect();
            let id = |name: &Value| EntrantId(names.iter().position(|n| name == n).unwrap() as u32 + 1);
            let mut tally = Tally::default();
            tally.resize(names.len());
            for game in example["games"].as_array().unwrap() {
                let results = [GameResult::FirstWins, GameResult::SecondWins, GameResult::Draw];
                // An unfinished game is not on record.
                let Some(result) = results.into_iter().find(|r| game["result"] == r.as_str()) else { continue };
                let point = |side: &str| game["points"][side].as_u64().unwrap() as u32;
                let points = [point("w"), point("b")];
                let winner = prediction::Tally { points, ..Default::default() }.winner();
                // Nobody moved: nobody won the prediction.
                let prediction = game["played"].as_bool().unwrap().then_some(winner);
                let counted =
                    Counted { result, ending: Ending::Ruling, fault: None, r_mobility: None, plies: None, prediction };
                tally.add(&[Some(((id(&game["w"]), id(&game["b"])), counted)), None], 1);
            }
            let table = rank(&names, &tally, &["prediction".to_owned()], &[]);
            let order: Vec<&str> = table.lines.iter().map(|line| line.engine.as_str()).collect();
            assert_eq!(serde_json::json!(order), example["expect"]["order"], "{}", example["id"]);
            for line in &table.lines {
                let expect = &example["expect"]["table"][&line.engine];
                let ps = expect["ps"].to_string();
                assert_eq!(
                    (f64::from(line.half_points) / 2.0, line.tie_breaks[0].as_str()),
                    (expect["points"].as_f64().unwrap(), ps.as_str())
                );
            }
        }
    }

    #[test]
    fn games_for_ratings_are_those_of_the_tally() {
        let counted = |result| Counted {
            result,
            ending: Ending::Ruling,
            fault: None,
            r_mobility: None,
            plies: None,
            prediction: None,
        };
        let (a, b) = (EntrantId(1), EntrantId(3));
        let pair = [Some(((b, a), counted(GameResult::FirstWins))), Some(((a, b), counted(GameResult::Draw)))];
        let mut tally = Tally::default();
        tally.resize(3);
        tally.add(&pair, 1);
        tally.add(&pair, 1);
        tally.add(&pair, -1);
        let games = tally.rating_games(|id| format!("E{}", id.0));
        assert_eq!(games.names(), ["E1", "E3"]);
        assert_eq!((games.count(), games.paired()), (2, 2));
        let [low, high] = games.cells() else { panic!("{games:?}") };
        assert_eq!((low.draws, high.wins, games.pairs()[0].counts[3]), (1, 1, 1));
        tally.add(&pair, -1);
        assert_eq!(tally.rating_games(|_| String::new()).count(), 0);
    }
}
