//! Why there are no last lines of engines, where somebody asks for them.

use rookery_proto::v1::{Ending, GamePhase, GameSummary};

/// One line for people; `None` where the lines of the attempt that counts are there. `shown`: there are some of it;
/// `before`: there are some of attempts that broke off.
pub(super) fn missing(game: &GameSummary, shown: bool, before: bool) -> Option<String> {
    if shown {
        return None;
    }
    let outcome = game.outcome.as_ref();
    let why = match (game.phase(), outcome) {
        (GamePhase::Playing | GamePhase::HandedOut, _) => {
            let worker =
                if game.worker.is_empty() { "its worker".to_owned() } else { format!("worker {}", game.worker) };
            format!("those of this attempt are with {worker} until it ends")
        }
        (_, Some(outcome)) if outcome.ending() == Ending::InterruptionRule => {
            "the rule for interruptions scored it, no attempt ended with a result".to_owned()
        }
        (_, Some(_)) => {
            "not kept, as no engine was at fault; `transcripts = true` in the event keeps them of every game".to_owned()
        }
        (_, None) => "no attempt has a result".to_owned(),
    };
    let broken = match (before, outcome) {
        (true, _) => "; attempts that broke off follow",
        (false, None) => {
            "; of an attempt that broke off there are some where its worker told them to the coordinator that leads"
        }
        (false, Some(_)) => "",
    };
    Some(format!("last lines of the engines: {why}{broken}"))
}

#[cfg(test)]
mod tests {
    use rookery_proto::v1::Outcome;

    use super::*;

    #[test]
    fn each_case_says_why() {
        #[track_caller]
        fn check(phase: GamePhase, ending: Option<Ending>, before: bool, part: &str) {
            let outcome = ending.map(|ending| Outcome { ending: ending.into(), ..Outcome::default() });
            let game = GameSummary { phase: phase.into(), outcome, worker: "w1".to_owned(), ..GameSummary::default() };
            let line = missing(&game, false, before).unwrap();
            assert!(line.contains(part), "{line}");
            assert_eq!(missing(&game, true, before), None);
        }
        check(GamePhase::Playing, None, false, "with worker w1 until it ends");
        check(GamePhase::Waiting, None, true, "attempts that broke off follow");
        check(GamePhase::Waiting, None, false, "where its worker told them");
        check(GamePhase::Finished, Some(Ending::Checkmate), false, "`transcripts = true`");
        check(GamePhase::Finished, Some(Ending::InterruptionRule), true, "rule for interruptions");
    }
}
