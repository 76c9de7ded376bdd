//! Seasons: events that are joined by promotion and relegation.
//!
//! Pure: what an event of a season is follows from the season as applied, how the events before it ended, and the
//! season's log. An event depends on others through its roster alone, which is frozen when it opens.

mod history;
mod line;
mod log;
mod next;
mod numbers;
mod open;
mod programs;
mod question;
mod spec;
#[cfg(test)]
mod tests;
mod update_test;

pub use history::{TestMatch, history};
pub use line::{PlayOff, play_off};
pub use log::{Closed, Invitation, LoggedSeasonFact, SeasonFact};
pub use next::{next_rosters, next_season};
pub use numbers::{Numbers, numbers};
pub use open::{Opened, event_name, open};
pub use programs::{UpdateTest, programs, update_tests};
pub use question::Question;
pub use spec::{Move, SeasonEvent, SeasonSpec, Updates, Vacancies};
pub use update_test::update_test;
