//! `ratings`: an event's list.

use rookery_proto::v1;
use serde_json::{Value, json};

use super::print_json;
use crate::{
    client::{Client, failed},
    rate::ModelArg,
};

/// Prints the list; with `watch` again after each change, until the event is over.
pub(super) async fn run(
    client: &mut Client,
    event: String,
    model: ModelArg,
    csv: bool,
    watch: bool,
    json: bool,
) -> Result<(), Box<dyn std::error::Error>> {
    use v1::EventPhase as P;
    if !watch {
        return once(client, event, model, csv, json).await;
    }
    let request = v1::WatchEventRequest { event: event.clone() };
    let mut stream = client.seasons.watch_event(request).await.map_err(failed)?.into_inner();
    let mut games = None;
    while let Some(answer) = stream.message().await.map_err(failed)? {
        let Some(summary) = answer.summary else { continue };
        if games.replace(summary.games_done) != Some(summary.games_done) {
            once(client, summary.event_uid.clone(), model, csv, json).await?;
        }
        if matches!(summary.phase(), P::Finished | P::Stopped | P::Sealed) {
            break;
        }
    }
    Ok(())
}

async fn once(
    client: &mut Client,
    event: String,
    model: ModelArg,
    csv: bool,
    json: bool,
) -> Result<(), Box<dyn std::error::Error>> {
    let model = match model {
        ModelArg::Bayeselo => v1::RatingModel::Bayeselo,
        ModelArg::Ordo => v1::RatingModel::Ordo,
        ModelArg::Tcec => v1::RatingModel::Tcec,
    };
    let request = v1::GetRatingsRequest { event, model: model.into() };
    let answer = client.seasons.get_ratings(request).await.map_err(failed)?.into_inner();
    for warning in &answer.warnings {
        eprintln!("warning: {warning}");
    }
    if json {
        print_json(&ratings_json(&answer));
    } else {
        print!("{}", if csv { &answer.csv } else { &answer.text });
    }
    Ok(())
}

fn ratings_json(answer: &v1::GetRatingsResponse) -> Value {
    let row = |row: &v1::Rating| {
        json!({ "rank": row.rank, "engine": row.engine, "elo": row.elo, "elo_error": row.elo_error,
            "games": row.games, "points": row.half_points as f64 / 2.0, "opponents": row.opponents,
            "draw_ratio": row.draw_ratio, "superiority": row.superiority, "mark": row.mark })
    };
    json!({ "event": answer.event, "games": answer.games, "errors": answer.errors, "advantage": answer.advantage,
        "warnings": answer.warnings, "ratings": answer.ratings.iter().map(row).collect::<Vec<_>>() })
}
