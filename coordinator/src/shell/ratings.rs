//! Rating lists of events, kept so that the next one begins where the last ended.

use std::{collections::BTreeMap, sync::Mutex};

use rookery_proto::v1;
use rookery_tournament::{
    rating::{List, Live, Model, Request, bayeselo, ordo, tcec},
    spec::RatingModel,
};

use crate::core::Rated;

/// Lists that are kept: of a few events that somebody watches. The oldest go by name, which is as good as any order.
const KEPT: usize = 16;

/// See the module.
#[derive(Default)]
pub(super) struct Ratings {
    kept: Mutex<BTreeMap<(String, &'static str), Live>>,
}

impl Ratings {
    /// The list of an event's games now, by the model and the anchor that were asked for, else by its own.
    pub(super) fn list(&self, asked: v1::RatingModel, anchor: Option<(String, f64)>, rated: Rated) -> List {
        let model = match asked {
            v1::RatingModel::Unspecified => rated.model,
            v1::RatingModel::Bayeselo => RatingModel::Bayeselo,
            v1::RatingModel::Ordo => RatingModel::Ordo,
            v1::RatingModel::Tcec => RatingModel::Tcec,
            v1::RatingModel::BradleyTerry => RatingModel::BradleyTerry,
        };
        let request = request(model, anchor.or(rated.anchor));
        let key = (rated.uid, model.as_str());
        // A list in the making elsewhere is not waited for: this one is then made from nothing.
        let known = self.kept.lock().ok().and_then(|mut kept| kept.remove(&key));
        let live = match known.filter(|live| *live.request() == request) {
            Some(mut live) => {
                live.set(rated.games);
                live
            }
            None => Live::new(rated.games, request),
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

fn request(model: RatingModel, anchor: Option<(String, f64)>) -> Request {
    let model = match model {
        RatingModel::Bayeselo => Model::BayesElo {
            options: bayeselo::Options::default(),
            scale: None,
            tcec_scale: false,
            offset: anchor.map_or((0.0, None), |(name, rating)| (rating, Some(name))),
        },
        RatingModel::Ordo => {
            let default = ordo::Options::default();
            let anchor = anchor.map_or(default.anchor, |(name, rating)| ordo::Anchor::Player(name, rating));
            Model::Ordo(ordo::Options { anchor, ..default })
        }
        RatingModel::Tcec => tcec::model(false),
        RatingModel::BradleyTerry => Model::BradleyTerry { anchor },
    };
    Request { model, ..Request::default() }
}
