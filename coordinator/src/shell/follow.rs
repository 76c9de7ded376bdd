//! A running game, ply by ply, for one watcher.

use std::sync::Arc;

use rookery_game::GameSetup;
use rookery_proto::v1;
use rookery_tournament::GameId;
use tokio::{
    sync::{broadcast, mpsc, watch},
    time::{Instant, sleep_until},
};
use tonic::Status;

use super::{handle::Handle, limits, status::mismatch, watchers::Moved};
use crate::{
    core::{Answer, InPlay, Request},
    wire,
};

type Told = Result<v1::WatchGameResponse, Status>;

/// Starts to follow a game; its moves come from the channel, which ends with the game.
pub(super) async fn start(handle: &Handle, event: String, game: String) -> Result<mpsc::Receiver<Told>, Status> {
    // Before the question, so that no move falls between the answer and the first one told.
    let moves = handle.moves();
    let followed = ask(handle, event, game).await?;
    let (sender, told) = mpsc::channel(limits::WATCH_QUEUE);
    let changes = handle.subscribe(&followed.event_uid);
    let follower = Follower { handle: handle.clone(), moves, changes, sender, plies: 0, followed };
    tokio::spawn(follower.run());
    Ok(told)
}

struct Followed {
    event_uid: String,
    game: GameId,
    summary: v1::GameSummary,
    in_play: InPlay,
}

impl Followed {
    fn running(&self) -> bool {
        !matches!(
            self.summary.phase(),
            v1::GamePhase::Finished | v1::GamePhase::Surplus | v1::GamePhase::Voided | v1::GamePhase::SetAside
        )
    }
}

async fn ask(handle: &Handle, event: String, game: String) -> Result<Followed, Status> {
    match handle.answer(Request::Follow { event, game }).await? {
        Answer::Following(event_uid, game, summary, in_play) => {
            Ok(Followed { event_uid, game, summary: *summary, in_play: *in_play })
        }
        _ => Err(mismatch()),
    }
}

struct Follower {
    handle: Handle,
    moves: broadcast::Receiver<Arc<Moved>>,
    changes: watch::Receiver<u64>,
    sender: mpsc::Sender<Told>,
    /// Plies told.
    plies: usize,
    followed: Followed,
}

impl Follower {
    async fn run(mut self) {
        let mut phase = None;
        loop {
            // The whole state, where it says something new.
            let known = &mut self.followed.in_play.plies;
            let plies = known.split_off(self.plies.min(known.len()));
            let now = Some(self.followed.summary.phase);
            let setup = self.followed.in_play.setup.take().filter(|_| now != phase);
            if (now != phase || !plies.is_empty()) && !self.tell(self.plies, plies, setup).await {
                return;
            }
            phase = now;
            if !self.followed.running() || !self.moves_until_asked().await {
                return;
            }
            let game = self.followed.game.to_string();
            match ask(&self.handle, self.followed.event_uid.clone(), game).await {
                Ok(followed) => self.followed = followed,
                Err(status) => {
                    // The watcher may be gone.
                    let _ = self.sender.send(Err(status)).await;
                    return;
                }
            }
        }
    }

    /// Tells moves as they come, until it is time to ask again: something else changed, moves were missed, or the
    /// core must hear that someone still watches. `false`: nobody does.
    async fn moves_until_asked(&mut self) -> bool {
        let mut again = Instant::now() + limits::FOLLOW_INTERVAL;
        let mut changed = false;
        loop {
            let moved = tokio::select! {
                () = self.sender.closed() => return false,
                status = self.handle.led() => {
                    // The watcher may be gone.
                    let _ = self.sender.try_send(Err(status));
                    return false;
                }
                () = sleep_until(again) => return true,
                result = self.changes.changed(), if !changed => {
                    if result.is_err() {
                        return false;
                    }
                    // Other games of the event change it too, on a fleet hundreds a second.
                    changed = true;
                    again = again.min(Instant::now() + limits::WATCH_INTERVAL);
                    continue;
                }
                moved = self.moves.recv() => match moved {
                    Ok(moved) => moved,
                    Err(broadcast::error::RecvError::Lagged(_)) => return true,
                    Err(broadcast::error::RecvError::Closed) => return false,
                },
            };
            if moved.game != self.followed.game || moved.event_uid != self.followed.event_uid {
                continue;
            }
            let first = moved.first_ply as usize;
            if first > self.plies {
                return true;
            }
            let new: Vec<v1::Ply> = moved.plies.iter().skip(self.plies - first).cloned().collect();
            if !new.is_empty() && !self.tell(self.plies, new, None).await {
                return false;
            }
        }
    }

    async fn tell(&mut self, first: usize, plies: Vec<v1::Ply>, setup: Option<GameSetup>) -> bool {
        self.plies = first + plies.len();
        let summary = Some(self.followed.summary.clone());
        let response = v1::WatchGameResponse {
            summary,
            first_ply: u32::try_from(first).unwrap_or(u32::MAX),
            plies,
            setup: setup.as_ref().map(wire::setup),
            began_unix_ms: self.followed.in_play.began_unix_ms,
        };
        self.sender.send(Ok(response)).await.is_ok()
    }
}
