//! Every open question has an answer: why a game waits, runs or ended.

use rookery_coordinator::core::{Answer, Request};
use rookery_proto::v1;
use rookery_tournament::GameId;

use super::Holds;
use crate::world::World;

impl World {
    /// The leader says why of one game, whichever it is.
    pub(crate) fn explains_one(&mut self) -> Holds {
        let Some(node) = self.nodes.iter().position(crate::node::Node::leads) else { return Ok(()) };
        let event = &self.watch.event;
        let games = (0..).take_while(|order| event.game_at(*order).is_some()).count() as u64;
        let Some(game) = event.game_at(self.dice.roll(games)) else { return Ok(()) };
        self.explains_game(node, &game.id, "")
    }

    fn explains_game(&mut self, node: usize, game: &GameId, must: &str) -> Holds {
        let request = Request::Explain { event: self.watch.uid.clone(), game: game.to_string() };
        match self.look(node, request) {
            Ok(Answer::Explained(_, lines, ..)) => {
                if lines.iter().all(|line| line.trim().is_empty()) {
                    return Err(format!("answers: nothing explains {game}"));
                }
                if !lines.iter().any(|line| line.contains(must)) {
                    return Err(format!("answers: {game} is asked about, and explained as {lines:?}"));
                }
                Ok(())
            }
            // It leads no longer, or does not know the event yet.
            _ => Ok(()),
        }
    }

    /// What is asked of a person is explained with each game that it is about.
    pub(crate) fn explains(&mut self, summary: &v1::EventSummary) -> Holds {
        let Some(node) = self.nodes.iter().position(crate::node::Node::leads) else { return Ok(()) };
        for question in &summary.questions {
            if question.trim().is_empty() {
                return Err("answers: a question without words".to_owned());
            }
            let Some(pair) = question.strip_prefix("pair ").and_then(|rest| rest.split(' ').next()) else { continue };
            for number in 1..=self.shape.spec.event.games_per_pair {
                let Ok(game) = format!("{pair}/{number}").parse::<GameId>() else { continue };
                if self.watch.event.game(&game).is_some() {
                    self.explains_game(node, &game, "")?;
                }
            }
        }
        Ok(())
    }
}
