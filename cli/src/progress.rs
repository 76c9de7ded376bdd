//! One progress line on long work.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rookery_proto::v1;

/// How often a line is printed where stderr is not a terminal.
const QUIET_EVERY: Duration = Duration::from_secs(60);

/// How long nothing may run before the line says what is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// The line: games done, running, left, Elo so far, time left.
pub(crate) struct Line {
    bar: ProgressBar,
    terminal: bool,
    since: Option<(Instant, u64)>,
    printed: Option<Instant>,
}

impl Line {
    /// An empty line on stderr.
    pub(crate) fn new() -> Self {
        let terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
        bar.set_style(ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar, terminal, since: None, printed: None }
    }

    /// Shows where an event stands.
    pub(crate) fn show(&mut self, event: &v1::EventSummary, standings: &[v1::Standing]) {
        let now = Instant::now();
        let (since, done_then) = *self.since.get_or_insert((now, event.games_done));
        let text = line(event, standings, now - since, event.games_done.saturating_sub(done_then));
        if self.terminal {
            self.bar.set_message(text);
            self.bar.tick();
        } else if self.printed.is_none_or(|at| now - at >= QUIET_EVERY) {
            self.printed = Some(now);
            tell!("{text}");
        }
    }

    /// Takes the line away.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

fn line(event: &v1::EventSummary, standings: &[v1::Standing], elapsed: Duration, done_since: u64) -> String {
    let left = event.games_total.saturating_sub(event.games_done);
    let mut parts = vec![
        format!("{} of {} games", event.games_done, event.games_total),
        format!("{} running", event.games_running),
    ];
    if let [first, second] = standings {
        // Of the engine that the spec names first, also where it is behind: a line that jumps says nothing.
        let line = if first.engine <= second.engine { first } else { second };
        if let (Some(elo), Some(error)) = (line.elo, line.elo_error) {
            parts.push(format!("{} {elo:+.1} ± {error:.1} Elo", line.engine));
        }
    } else if let Some(first) = standings.first() {
        parts.push(format!("{} leads", first.engine));
    }
    if !event.stop.is_empty() {
        parts.push(event.stop.clone());
    }
    if done_since > 0 && left > 0 {
        let each = elapsed.as_secs_f64() / done_since as f64;
        parts.push(format!("about {} left", span((each * left as f64) as u64)));
    }
    // Where games run, that more could is no news; and the first moments are no waiting.
    if !event.waits_for.is_empty() && event.games_running == 0 && elapsed >= PATIENCE {
        parts.push(format!("waits for {}", event.waits_for));
    }
    parts.join(", ")
}

/// Does something that may take long, and says what is waited for where it does.
pub(crate) fn while_waiting<T: Send>(words: &str, work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let (done, wait) = std::sync::mpsc::channel::<()>();
        scope.spawn(move || {
            if wait.recv_timeout(PATIENCE) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                tell!("{words}");
            }
        });
        let result = work();
        drop(done);
        result
    })
}

/// `1 h 02 min`, `3 min 10 s`, `42 s`.
pub(crate) fn span(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_is_left() {
        let event = v1::EventSummary {
            games_done: 30,
            games_total: 100,
            games_running: 2,
            stop: "llr 0.5".to_owned(),
            ..v1::EventSummary::default()
        };
        let text = line(&event, &[], Duration::from_secs(60), 20);
        assert_eq!(text, "30 of 100 games, 2 running, llr 0.5, about 3 min 30 s left");
    }
}
