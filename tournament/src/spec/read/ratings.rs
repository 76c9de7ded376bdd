//! `ratings`: how an event's list is made.

use super::{MAX_NAME, engine::RawEngine};
use crate::spec::{
    RatingModel, RatingsSpec,
    walk::{Table, clean},
};

/// No scale has larger numbers.
const LARGEST: f64 = 100_000.0;

/// The word of a model, or `{ model, anchor, rating }`. The anchor plays in the event, where it is known who does.
pub(super) fn read(event: &Table<'_>, engines: Option<&[RawEngine]>) -> Option<RatingsSpec> {
    let words = RatingModel::ALL.map(|model| (model.as_str(), model));
    let value = event.get("ratings")?;
    if value.is_text() {
        return value.word(&words).map(|model| RatingsSpec { model: Some(model), ..RatingsSpec::default() });
    }
    let example = "ratings = { model = \"bradley-terry\", anchor = \"random\", rating = 0 }";
    let table = value.table("`ratings`", example)?;
    let model = table.get("model").and_then(|v| v.word(&words));
    let anchor = table.get("anchor");
    let rating = table.get("rating");
    if let (Some(rating), None) = (&rating, &anchor) {
        rating.error("a rating without its engine", "expected `anchor`, the engine that has it");
    }
    let anchor = anchor.as_ref().and_then(|value| {
        let name = value.line("random", MAX_NAME)?;
        if let Some(engines) = engines
            && !engines.iter().any(|engine| engine.spec.setup.name == name)
        {
            let names = engines.iter().map(|engine| engine.spec.setup.name.as_str());
            value.unknown_word("engine", &clean(name), names);
        }
        Some(name.to_owned())
    });
    if anchor.is_some() && model == Some(RatingModel::Tcec) {
        table.error("TCEC's list has an anchor of its own", "leave `anchor` out, or name another model");
    }
    let rating = rating.and_then(|value| value.real(-LARGEST, LARGEST)).unwrap_or(0.0);
    table.finish();
    Some(RatingsSpec { model, anchor, rating })
}
