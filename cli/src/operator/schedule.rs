//! `rookery schedule EVENT`: the games to come.

use rookery_proto::v1;
use serde_json::{Value, json};

use super::{print_json, show};
use crate::{
    args::ToCome,
    client::{Client, failed},
    table::{Align, Table},
};

/// Moves of an opening without a name that are shown.
const MOVES: usize = 8;

pub(super) async fn run(client: &mut Client, to_come: ToCome, json: bool) -> Result<(), Box<dyn std::error::Error>> {
    let ToCome { event, engine, limit, beyond: _ } = to_come;
    let mut left = limit;
    let mut all = Vec::new();
    let mut token = String::new();
    let last = loop {
        let request = v1::GetScheduleRequest {
            event: event.clone(),
            engine: engine.clone().unwrap_or_default(),
            page_size: left.min(1000),
            page_token: std::mem::take(&mut token),
        };
        let mut answer = client.games.get_schedule(request).await.map_err(failed)?.into_inner();
        left = left.saturating_sub(u32::try_from(answer.games.len()).unwrap_or(u32::MAX));
        all.append(&mut answer.games);
        if answer.next_page_token.is_empty() || left == 0 {
            break answer;
        }
        token = answer.next_page_token;
    };
    if json {
        print_json(&json!({ "event": last.event, "to_be_drawn": last.to_be_drawn,
            "expected_end": moment(last.expected_end_unix_ms), "more": !last.next_page_token.is_empty(),
            "games": all.iter().map(game_json).collect::<Vec<_>>() }));
    } else {
        print!("{}", text(&all, &last));
    }
    Ok(())
}

fn text(games: &[v1::ScheduledGame], last: &v1::GetScheduleResponse) -> String {
    use Align::{Left, Right};
    let mut table = Table::new([
        ("round", Left),
        ("first", Left),
        ("second", Left),
        ("opening", Right),
        ("", Left),
        ("about", Left),
        ("phase", Left),
    ]);
    for game in games {
        let Some(summary) = &game.summary else { continue };
        let phase = show::game_phase_word(summary.phase());
        let needed = if game.if_needed { ", if needed" } else { "" };
        table.row([
            summary.round.clone(),
            summary.first.clone(),
            summary.second.clone(),
            game.opening.map_or_else(|| "-".to_owned(), |opening| (opening + 1).to_string()),
            opening_text(game),
            moment(game.expected_unix_ms).unwrap_or_else(|| "-".to_owned()),
            format!("{phase}{needed}"),
        ]);
    }
    let mut text = table.render();
    if !last.next_page_token.is_empty() {
        text += "and more\n";
    }
    if last.to_be_drawn > 0 {
        text += &format!("about {} more games are drawn from results\n", last.to_be_drawn);
    }
    if let Some(end) = moment(last.expected_end_unix_ms) {
        text += &format!("all is played about {end}, by the clocks and the fleet as it is\n");
    }
    text
}

/// What a person knows an opening by: its name, else its moves or its position; and its book, where that is another.
fn opening_text(game: &v1::ScheduledGame) -> String {
    let moves = || {
        let shown = game.opening_moves.iter().take(MOVES).map(String::as_str).collect::<Vec<_>>().join(" ");
        if game.opening_moves.len() > MOVES { shown + " …" } else { shown }
    };
    let text = match (&game.opening_name, &game.opening_moves, &game.opening_position) {
        (name, _, _) if !name.is_empty() => name.clone(),
        (_, played, _) if !played.is_empty() => moves(),
        (_, _, position) => position.clone(),
    };
    match game.opening_book.as_str() {
        "" => text,
        book if text.is_empty() => format!("({book})"),
        book => format!("{text} ({book})"),
    }
}

fn game_json(game: &v1::ScheduledGame) -> Value {
    let summary = game.summary.as_ref();
    json!({ "game": summary.map(show::game_json), "opening": game.opening, "opening_name": game.opening_name,
        "opening_book": game.opening_book,
        "position": game.opening_position, "moves": game.opening_moves, "if_needed": game.if_needed,
        "expected": moment(game.expected_unix_ms) })
}

fn moment(unix_ms: u64) -> Option<String> {
    let at = i64::try_from(unix_ms).ok().filter(|&ms| ms > 0)?;
    jiff::Timestamp::from_millisecond(at).ok().map(|at| format!("{at:.0}"))
}
