//! Commands about rating lists over many events.

use std::path::{Path, PathBuf};

use rookery_proto::v1;
use rookery_tournament::spec::{ListSpec, explain_list};
use serde_json::{Value, json};

use super::{print_json, upload};
use crate::{
    client::{Client, failed},
    exit::{self, Outcome, Usage},
    table::{Align, Table},
};

/// Applies a list.
pub(super) async fn apply(
    client: &mut Client,
    path: &Path,
    list: &ListSpec,
    (dry_run, json): (bool, bool),
    change: Option<v1::Change>,
) -> Outcome {
    let request = v1::ApplyRequest {
        spec: explain_list(list),
        file_name: path.display().to_string(),
        dry_run,
        change,
        ..v1::ApplyRequest::default()
    };
    let answer = client.seasons.apply(request).await.map_err(failed)?.into_inner();
    if json {
        print_json(&json!({ "list": answer.event, "created": answer.created, "differences": answer.differences,
            "games": answer.games, "warnings": answer.warnings, "dry_run": dry_run }));
        return Ok(exit::DONE);
    }
    for warning in &answer.warnings {
        tell!("warning: {warning}");
    }
    let done = match (dry_run, answer.created, answer.differences.is_empty()) {
        (true, true, _) => "would be made",
        (true, false, false) => "would change",
        (false, true, _) => "made",
        (false, false, false) => "changed",
        (_, false, true) => "is there already, unchanged",
    };
    println!("{}: {done}; {} games of its events", answer.event, answer.games);
    Ok(exit::DONE)
}

/// All lists.
pub(super) async fn all(client: &mut Client, json: bool) -> Result<(), Box<dyn std::error::Error>> {
    let lists = client.lists.list_lists(v1::ListListsRequest {}).await.map_err(failed)?.into_inner().lists;
    if json {
        print_json(&lists.iter().map(to_json).collect::<Vec<_>>().into());
        return Ok(());
    }
    let mut table = Table::new([
        ("list", Align::Left),
        ("games", Align::Right),
        ("events", Align::Left),
        ("brought in", Align::Left),
        ("published", Align::Left),
    ]);
    for list in &lists {
        let imports: Vec<&str> = list.imports.iter().map(|import| import.file_name.as_str()).collect();
        table.row([
            list.list.clone(),
            list.games.to_string(),
            list.events.join(", "),
            imports.join(", "),
            published(list),
        ]);
    }
    print!("{}", table.render());
    Ok(())
}

/// Where, and how often.
fn published(list: &v1::ListSummary) -> String {
    match list.publish_every_ms {
        0 => list.publish_to.clone(),
        every => format!("{} every {}", list.publish_to, crate::progress::span(every / 1000)),
    }
}

fn to_json(list: &v1::ListSummary) -> Value {
    let import = |import: &v1::ImportSummary| {
        json!({ "file": import.file_name, "digest": import.digest, "games": import.games, "by": import.by,
            "reason": import.reason, "at_unix_ms": import.at_unix_ms })
    };
    json!({ "list": list.list, "games": list.games, "events": list.events,
        "imports": list.imports.iter().map(import).collect::<Vec<_>>(),
        "publish": (!list.publish_to.is_empty())
            .then(|| json!({ "to": list.publish_to, "every_ms": list.publish_every_ms })) })
}

/// Brings files of games into a list.
pub(super) async fn import(
    client: &mut Client,
    files: &[PathBuf],
    list: &str,
    dry_run: bool,
    json: bool,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut answers = Vec::new();
    for path in files {
        let content = std::fs::read(path).map_err(|error| Usage(format!("{}: {error}", path.display())))?;
        let file_name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let digest = upload(client, &file_name, content).await?;
        // Each file is a change of its own.
        let change = client.change();
        let request =
            v1::ImportGamesRequest { list: list.to_owned(), digest, file_name: file_name.clone(), change, dry_run };
        let answer = client.lists.import_games(request).await.map_err(failed)?.into_inner();
        let of = answer.summary.as_ref().map_or("", |summary| summary.list.as_str());
        if json {
            answers.push(json!({ "file": file_name, "list": of, "games": answer.games, "passed": answer.passed,
                "players": answer.players, "dry_run": dry_run }));
            continue;
        }
        if answer.passed > 0 {
            tell!("warning: {file_name}: {} games without two players or a result do not count", answer.passed);
        }
        let done = if dry_run { "would be brought into" } else { "are in" };
        println!("{file_name}: {} games of {} players {done} {of}", answer.games, answer.players);
    }
    if json {
        print_json(&answers.into());
    }
    Ok(())
}
