//! `ratings`: an event's list.

use rookery_proto::v1;
use serde_json::{Value, json};

use super::print_json;
use crate::{
    client::{Client, failed},
    rate::{ModelArg, anchored},
};

/// Prints the list; with `watch` again after each change, until the event is over.
pub(super) async fn run(
    client: &mut Client,
    event: String,
    model: Option<ModelArg>,
    anchor: Option<&str>,
    (csv, watch, json): (bool, bool, bool),
) -> Result<(), Box<dyn std::error::Error>> {
    use v1::EventPhase as P;
    let model = match model {
        None => v1::RatingModel::Unspecified,
        Some(ModelArg::Bayeselo) => v1::RatingModel::Bayeselo,
        Some(ModelArg::Ordo) => v1::RatingModel::Ordo,
        Some(ModelArg::Tcec) => v1::RatingModel::Tcec,
        Some(ModelArg::BradleyTerry) => v1::RatingModel::BradleyTerry,
    };
    let (anchor, anchor_rating) = anchor.map(|text| anchored(text, None)).transpose()?.unwrap_or_default();
    let asked = v1::GetRatingsRequest { event: event.clone(), model: model.into(), anchor, anchor_rating };
    if !watch {
        return once(client, asked, csv, json).await;
    }
    let request = v1::WatchEventRequest { event: event.clone() };
    let mut stream = client.seasons.watch_event(request).await.map_err(failed)?.into_inner();
    let mut games = None;
    while let Some(answer) = stream.message().await.map_err(failed)? {
        let Some(summary) = answer.summary else { continue };
        if games.replace(summary.games_done) != Some(summary.games_done) {
            let asked = v1::GetRatingsRequest { event: summary.event_uid.clone(), ..asked.clone() };
            once(client, asked, csv, json).await?;
        }
        if matches!(summary.phase(), P::Finished | P::Stopped | P::Sealed) {
            break;
        }
    }
    Ok(())
}

async fn once(
    client: &mut Client,
    asked: v1::GetRatingsRequest,
    csv: bool,
    json: bool,
) -> Result<(), Box<dyn std::error::Error>> {
    let answer = client.seasons.get_ratings(asked).await.map_err(failed)?.into_inner();
    for warning in &answer.warnings {
        tell!("warning: {warning}");
    }
    if json {
        print_json(&ratings_json(&answer));
    } else {
        print!("{}", if csv { &answer.csv } else { &answer.text });
    }
    Ok(())
}

pub(super) fn ratings_json(answer: &v1::GetRatingsResponse) -> Value {
    let row = |row: &v1::Rating| {
        json!({ "rank": row.rank, "engine": row.engine, "elo": row.elo, "elo_error": row.elo_error,
            "games": row.games, "points": row.half_points as f64 / 2.0, "opponents": row.opponents,
            "draw_ratio": row.draw_ratio, "superiority": row.superiority, "mark": row.mark })
    };
    json!({ "event": answer.event, "model": answer.model, "games": answer.games, "errors": answer.errors, "advantage": answer.advantage,
        "warnings": answer.warnings, "ratings": answer.ratings.iter().map(row).collect::<Vec<_>>() })
}
