//! Rating lists of events, kept so that the next one begins where the last ended.

use std::{collections::BTreeMap, sync::Mutex};

use rookery_proto::v1::RatingModel;
use rookery_tournament::rating::{Games, List, Live, Model, Request, ordo, tcec};

/// Lists that are kept: of a few events that somebody watches. The oldest go by name, which is as good as any order.
const KEPT: usize = 16;

/// See the module.
#[derive(Default)]
pub(super) struct Ratings {
    kept: Mutex<BTreeMap<(String, i32), Live>>,
}

impl Ratings {
    /// The list of an event's games now.
    pub(super) fn list(&self, uid: &str, model: RatingModel, games: Games) -> List {
        let key = (uid.to_owned(), model as i32);
        // A list in the making elsewhere is not waited for: this one is then made from nothing.
        let known = self.kept.lock().ok().and_then(|mut kept| kept.remove(&key));
        let live = match known {
            Some(mut live) => {
                live.set(games);
                live
            }
            None => Live::new(games, request(model)),
        };
        let list = live.list().clone();
        if let Ok(mut kept) = self.kept.lock() {
            kept.insert(key, live);
            while kept.len() > KEPT {
                kept.pop_first();
            }
        }
        list
    }
}

fn request(model: RatingModel) -> Request {
    match model {
        RatingModel::Unspecified | RatingModel::Bayeselo => Request::default(),
        RatingModel::Ordo => Request { model: Model::Ordo(ordo::Options::default()), ..Request::default() },
        RatingModel::Tcec => Request { model: tcec::model(false), ..Request::default() },
    }
}
