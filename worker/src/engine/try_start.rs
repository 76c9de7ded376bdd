//! Whether an engine starts, before a game depends on it.

use std::time::{Duration, Instant};

use rookery_game::{
    GameKind,
    setup::{EngineSetup, Limits},
};

use super::{Launch, NotStarted, Player, Said, Tell, UciPlayer};

/// Starts an engine as a game would, with its options, until it is ready; then ends it. Blocks as long as `limits`
/// allow. Answers its warnings, each once, such as options that it does not have.
///
/// # Errors
/// As a game would find it: [`NotStarted`], or a system call that failed.
pub fn try_start(setup: &EngineSetup, kind: GameKind, launch: &Launch, limits: &Limits) -> Result<Vec<String>, String> {
    let mut player = UciPlayer::start(setup, kind, false, launch).map_err(|error: NotStarted| error.to_string())?;
    await_said(&mut player, limits.start, &Said::Started)?;
    await_said(&mut player, limits.ready, &Said::Ready)?;
    // A process that is gone already was ready before.
    let _told = player.tell(Tell::Quit);
    let _status = player.wait_end(limits.quit);
    Ok(player.take_warnings().into_iter().map(|(warning, _)| warning).collect())
}

fn await_said(player: &mut UciPlayer, limit: Duration, wanted: &Said) -> Result<(), String> {
    let begun = Instant::now();
    loop {
        match player.read() {
            Ok(Some(said)) if said == *wanted => return Ok(()),
            Ok(Some(_)) => {}
            Ok(None) => {
                let now = Instant::now();
                let limit = player.limit(limit);
                let until = begun + limit;
                if now >= until {
                    return Err(player.too_slow(limit).to_string());
                }
                super::wait_readable(&player.fds(), until.duration_since(now));
            }
            Err(fault) => return Err(player.not_started(&fault).to_string()),
        }
    }
}
