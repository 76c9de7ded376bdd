//! Commands about seasons.

use std::{fmt::Write as _, path::Path};

use rookery_proto::v1;
use rookery_tournament::{season::SeasonSpec, spec::explain_season};
use serde_json::{Value, json};

use super::{print_json, upload};
use crate::{
    args::OperatorCommand,
    client::{Client, failed},
    exit::{self, Outcome, Usage},
    table::{Align, Table},
};

/// Applies a season, its books sent along.
pub(super) async fn apply(
    client: &mut Client,
    path: &Path,
    season: &SeasonSpec,
    base: &Path,
    (dry_run, json): (bool, bool),
    change: Option<v1::Change>,
) -> Outcome {
    let mut files = Vec::new();
    for (name, content) in crate::run::season::files(season, base)? {
        let digest = upload(client, &name, content).await?;
        files.push(v1::SpecFile { name, digest });
    }
    let request = v1::ApplyRequest {
        spec: explain_season(season),
        file_name: path.display().to_string(),
        files,
        dry_run,
        change,
        paused: false,
        ruling: false,
        ladder_state: String::new(),
    };
    let answer = client.seasons.apply(request).await.map_err(failed)?.into_inner();
    if json {
        print_json(&json!({ "season": answer.event, "season_uid": answer.event_uid, "created": answer.created,
            "differences": answer.differences, "games": answer.games, "warnings": answer.warnings,
            "dry_run": dry_run }));
        return Ok(exit::DONE);
    }
    for warning in &answer.warnings {
        tell!("warning: {warning}");
    }
    let done = match (dry_run, answer.created) {
        (true, true) => "would begin",
        (true, false) => "would change",
        (false, true) => "began",
        (false, false) if answer.differences.is_empty() => "is there already, unchanged",
        (false, false) => "changed",
    };
    println!("{}: {done}; {} events, {} games as planned", answer.event, season.events.len(), answer.games);
    Ok(exit::DONE)
}

/// Carries out one command about a season.
pub(super) async fn run(
    client: &mut Client,
    command: OperatorCommand,
    change: Option<v1::Change>,
    json: bool,
) -> Outcome {
    let summary = match command {
        OperatorCommand::Season { season, history, next } => {
            let answer = client.seasons.get_season(v1::GetSeasonRequest { season }).await.map_err(failed)?.into_inner();
            if history || next {
                if next && answer.next_season.is_empty() {
                    return Err("the leagues of this season are not over".into());
                }
                print!("{}", if history { answer.history } else { answer.next_season });
                return Ok(exit::DONE);
            }
            answer.summary
        }
        OperatorCommand::Advance { season, event } => {
            let request = v1::AdvanceSeasonRequest { season, event, change };
            client.seasons.advance_season(request).await.map_err(failed)?.into_inner().summary
        }
        OperatorCommand::Numbers { season, event, promote, relegate } => {
            let request = v1::SetNumbersRequest { season, event, promote, relegate, change };
            client.seasons.set_numbers(request).await.map_err(failed)?.into_inner().summary
        }
        OperatorCommand::Invite { season, engine, answer } => {
            let state = match answer.as_str() {
                "invited" => v1::InvitationState::Invited,
                "accepted" => v1::InvitationState::Accepted,
                "declined" => v1::InvitationState::Declined,
                other => {
                    let why = format!("`{other}` is no answer; expected invited, accepted or declined");
                    return Err(Usage(why).into());
                }
            };
            let request = v1::AnswerInvitationRequest { season, engine, state: state.into(), change };
            client.seasons.answer_invitation(request).await.map_err(failed)?.into_inner().summary
        }
        OperatorCommand::Update { season, engine, event } => {
            let request = v1::AllowUpdateRequest { season, engine, event, change };
            client.seasons.allow_update(request).await.map_err(failed)?.into_inner().summary
        }
        _ => None,
    };
    let summary = summary.unwrap_or_default();
    if json {
        print_json(&to_json(&summary));
    } else {
        print!("{}", text(&summary));
    }
    Ok(exit::DONE)
}

fn state(event: &v1::SeasonEventSummary) -> String {
    match event.phase() {
        _ if event.skipped => "not needed".to_owned(),
        v1::EventPhase::Unspecified => "not open".to_owned(),
        phase => super::show::phase_word(phase).to_owned(),
    }
}

fn text(season: &v1::SeasonSummary) -> String {
    use Align::{Left, Right};
    let mut text = format!("{}{}\n", season.season, if season.over { ", over" } else { "" });
    let columns = [("event", Left), ("title", Left), ("phase", Left), ("play", Right), ("up", Right), ("down", Right)];
    let mut table = Table::new(columns.into_iter().chain([("waits for", Left)]).collect::<Vec<_>>());
    for event in &season.events {
        table.row([
            event.name.clone(),
            event.title.clone(),
            state(event),
            event.playing.to_string(),
            event.promote.to_string(),
            event.relegate.to_string(),
            event.waits_for.join("; "),
        ]);
    }
    text.push_str(&table.render());
    for (event, test) in season.events.iter().flat_map(|event| event.tests.iter().map(move |test| (event, test))) {
        let faults =
            if test.faults > 0 { format!(", {} lost by faults of its own", test.faults) } else { String::new() };
        let _ = writeln!(
            text,
            "before {}: test of {} against {}: {:.1} of {}, of {} games{faults} ({})",
            event.name,
            test.engine,
            test.opponent,
            f64::from(test.half_points) / 2.0,
            test.games,
            test.games_total,
            super::show::phase_word(test.phase())
        );
    }
    text.push_str(&questions_text(season));
    text
}

/// What waits for a person.
pub(super) fn questions_text(season: &v1::SeasonSummary) -> String {
    let mut text = String::new();
    for question in &season.questions {
        let _ = writeln!(text, "{} waits: {question}", season.season);
    }
    text
}

fn test_json(test: &v1::TestMatch) -> Value {
    json!({ "event": test.event, "event_uid": test.event_uid, "engine": test.engine, "program": test.program,
        "opponent": test.opponent, "phase": super::show::phase_word(test.phase()), "games": test.games,
        "games_total": test.games_total, "points": f64::from(test.half_points) / 2.0, "faults": test.faults })
}

pub(super) fn to_json(season: &v1::SeasonSummary) -> Value {
    let events = season.events.iter().map(|event| {
        json!({ "name": event.name, "title": event.title, "event": event.event, "event_uid": event.event_uid,
            "phase": state(event), "roster": event.roster, "playing": event.playing, "promote": event.promote,
            "relegate": event.relegate, "waits_for": event.waits_for,
            "tests": event.tests.iter().map(test_json).collect::<Vec<_>>() })
    });
    json!({ "season": season.season, "season_uid": season.season_uid, "over": season.over,
        "questions": season.questions, "events": events.collect::<Vec<_>>() })
}
