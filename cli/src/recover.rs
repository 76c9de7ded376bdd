//! `rookery recover`: a store built anew from the archive.

use std::{
    fmt::Write as _,
    time::{SystemTime, UNIX_EPOCH},
};

use rookery_coordinator::{
    archive,
    recover::{self, Report},
    store,
};

use crate::{
    args::RecoverArgs,
    exit::{self, Outcome},
};

pub(crate) async fn run(args: RecoverArgs, json: bool) -> Outcome {
    let archive = archive::open(&args.archive).await?;
    // Before a store is made where there is nothing to put into it.
    let source = recover::read(archive.as_ref(), args.from.as_deref()).await?;
    let options = store::Options { advertised: "rookery recover".to_owned(), ..store::Options::default() };
    let store = store::open(&args.store, options).await?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now_unix_ms = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
    let recovered = recover::recover(source, archive.as_ref(), store.as_ref(), now_unix_ms).await;
    store.close().await;
    let report = recovered?;
    if json {
        println!("{}", serde_json::to_string(&report)?);
    } else {
        print!("{}", text(&report));
    }
    Ok(exit::DONE)
}

fn text(report: &Report) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "store {} built from what store {} left", report.store, report.from.join(", then "));
    for event in &report.events {
        let _ = writeln!(text, "event {}: {} games on record, {} facts", event.name, event.games, event.facts);
    }
    for season in &report.seasons {
        let _ = writeln!(text, "season {}: {} facts", season.name, season.facts);
    }
    if report.workers > 0 {
        let _ = writeln!(text, "workers with a word about them: {}", report.workers);
    }
    for line in &report.decided {
        let _ = writeln!(text, "decided: {line}");
    }
    for line in &report.missing {
        let _ = writeln!(text, "missing: {line}");
    }
    text += "games that were in play are played from their opening; workers drop what they have of the old store\n";
    text
}
