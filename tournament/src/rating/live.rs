//! A list that is up to date after each game.

use rookery_game::GameResult;

use super::{
    Games, List, Request,
    make::{Known, list_from},
};

/// A list that follows the games. One game more moves the maximum so little that one or two Newton steps from the last one
/// reach it: what it says is the whole fit, not an approximation of it.
#[derive(Debug, Clone)]
pub struct Live {
    games: Games,
    request: Request,
    known: Option<Known>,
    list: List,
}

impl Live {
    /// Rates what has been played so far.
    #[must_use]
    pub fn new(games: Games, request: Request) -> Self {
        let mut live = Self { games, request, known: None, list: List::default() };
        live.update();
        live
    }

    /// Takes one more game into account. A player that is new joins the list.
    pub fn add(&mut self, first: &str, second: &str, result: GameResult) {
        let (first, second) = (self.games.player(first), self.games.player(second));
        self.games.add(first, second, result);
        self.update();
    }

    /// Takes other games into account, best those that it had and a few more.
    pub fn set(&mut self, games: Games) {
        if games != self.games {
            self.games = games;
            self.update();
        }
    }

    fn update(&mut self) {
        let usable = self.known.as_ref().filter(|known| match known {
            Known::BayesElo(fit) => fit.converged,
            Known::Ordo(fit) => fit.converged,
        });
        let (list, known) = list_from(&self.games, &self.request, usable);
        self.list = list;
        self.known = Some(known);
    }

    /// The games so far.
    #[must_use]
    pub const fn games(&self) -> &Games {
        &self.games
    }

    /// What was asked for.
    #[must_use]
    pub const fn request(&self) -> &Request {
        &self.request
    }

    /// The list now.
    #[must_use]
    pub const fn list(&self) -> &List {
        &self.list
    }
}
