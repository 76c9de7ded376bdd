//! Opponents of a newcomer, chosen by the ratings of a list: once, when its event is made; who that is is on record.

use std::{collections::BTreeMap, sync::Arc};

use rookery_proto::v1;
use rookery_tournament::{
    Fact,
    fact::Listed,
    spec::{ListChoice, Spec, chooses_by, nearest, ratings_of},
};

use super::handle::Handle;
use crate::core::{Answer, Denied, Rated, Request};

/// What a spec's loader is asked for beside files, and what it answers.
pub(super) type Said = BTreeMap<String, String>;

/// A list's word on who meets whom.
pub(super) struct Choice {
    list: String,
    ratings: BTreeMap<String, f64>,
    /// Who plays in the event already.
    kept: Option<Vec<String>>,
}

/// The answer with which a spec is read before its list was asked; empty where it asks none.
pub(super) fn before(text: &str) -> Said {
    let open = ListChoice { open: true, ..ListChoice::default() };
    chooses_by(text).map(|list| (ratings_of(&list), json(&open))).into_iter().collect()
}

fn json(choice: &ListChoice) -> String {
    serde_json::to_string(choice).unwrap_or_default()
}

impl Choice {
    /// The answer of a spec's loader.
    pub(super) fn said(&self) -> Said {
        let choice = ListChoice { ratings: self.ratings.clone(), chosen: self.kept.clone(), open: false };
        [(ratings_of(&self.list), json(&choice))].into()
    }

    /// What is put on record with a new event; `None` where it is there already.
    pub(super) fn fact(&self, spec: &Spec) -> Option<Fact> {
        if self.kept.is_some() {
            return None;
        }
        let engines = spec.engines.iter().filter_map(|engine| {
            let name = &engine.setup.name;
            #[expect(clippy::cast_possible_truncation, reason = "ratings have a few digits; a cast saturates")]
            self.ratings.get(name).map(|elo| Listed { engine: name.clone(), centi_elo: (elo * 100.0).round() as i64 })
        });
        Some(Fact::Chosen { list: self.list.clone(), engines: engines.collect() })
    }
}

/// What may have been meant by a name that nobody has.
fn no_player(name: &str, names: &[String]) -> String {
    match nearest(name, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are: {}", names.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ")),
    }
}

impl Handle {
    /// What the list that a spec names says now, for the event of this name.
    ///
    /// # Errors
    /// As the core denies it: [`Denied::NotFound`] where there is no such list.
    pub(super) async fn choice(&self, list: String, event: &str) -> Result<Choice, Denied> {
        let kept = match self.ask(Request::Event(event.to_owned())).await {
            Ok(Answer::Event(summary, spec)) if summary.phase() != v1::EventPhase::Stopped => {
                Some(spec.engines.into_iter().map(|engine| engine.setup.name).collect())
            }
            Ok(_) | Err(Denied::NotFound(_)) => None,
            Err(denied) => return Err(denied),
        };
        let Answer::Ratings(rated) = self.ask(Request::Ratings(list.clone())).await? else {
            return Err(Denied::Unavailable("the core answered another question".to_owned()));
        };
        let list_of = self.list_of(*rated, v1::RatingModel::Unspecified, None).await;
        let rows = list_of.map_err(|status| Denied::Unavailable(status.message().to_owned()))?.rows;
        Ok(Choice { list, ratings: rows.into_iter().map(|row| (row.name, row.elo)).collect(), kept })
    }

    /// The list of what is rated, with the games of files that were brought in.
    pub(super) async fn list_of(
        &self,
        mut rated: Rated,
        model: v1::RatingModel,
        anchor: Option<(String, f64)>,
    ) -> Result<rookery_tournament::rating::List, tonic::Status> {
        rated.games = self.inner.imports.joined(self, rated.games, &rated.files).await?;
        if let Some((name, _)) = &anchor
            && rated.games.count() > 0
            && rated.games.find(name).is_none()
        {
            let hint = no_player(name, rated.games.names());
            return Err(tonic::Status::invalid_argument(format!("no `{name}` in `{}`; {hint}", rated.event)));
        }
        let inner = Arc::clone(&self.inner);
        // A list of thousands takes longer than a task may.
        let list = tokio::task::spawn_blocking(move || inner.ratings.list(model, anchor, rated)).await;
        list.map_err(|_| tonic::Status::internal("the list could not be made"))
    }
}
