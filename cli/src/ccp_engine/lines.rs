//! Standard input, also while a search runs.

use std::{
    collections::VecDeque,
    io::{BufRead, Read},
    sync::mpsc::{Receiver, TryRecvError, sync_channel},
    thread,
};

/// Lines that wait; the referee never sends so many at once.
const WAITING: usize = 64;
/// Bytes of a line: a position and twelve thousand moves fit.
const MAX_LINE: u64 = 1 << 20;

/// Lines as they come.
pub(super) struct Lines {
    from: Receiver<String>,
    /// Taken while a search ran, to be heeded after it.
    kept: VecDeque<String>,
    ended: bool,
}

impl Lines {
    pub(super) fn new() -> Self {
        let (to, from) = sync_channel(WAITING);
        thread::spawn(move || {
            let mut input = std::io::stdin().lock();
            loop {
                let mut bytes = Vec::new();
                match input.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes) {
                    Ok(0) | Err(_) => return,
                    Ok(_) if to.send(String::from_utf8_lossy(&bytes).into_owned()).is_err() => return,
                    Ok(_) => {}
                }
            }
        });
        Self { from, kept: VecDeque::new(), ended: false }
    }

    /// The next line; `None` at the end of the input.
    pub(super) fn wait(&mut self) -> Option<String> {
        self.kept.pop_front().or_else(|| self.from.recv().ok())
    }

    /// Whether the search that runs is to end: `stop`, `quit`, or the end of the input.
    pub(super) fn stopped(&mut self) -> bool {
        loop {
            match self.from.try_recv() {
                Ok(line) => match line.split_ascii_whitespace().next() {
                    Some("stop") => return true,
                    Some("quit") => {
                        self.kept.push_back(line);
                        return true;
                    }
                    Some("isready") if super::say("readyok").is_ok() => {}
                    Some("isready") => return true,
                    _ if self.kept.len() < WAITING => self.kept.push_back(line),
                    _ => {}
                },
                Err(TryRecvError::Empty) => return self.ended,
                Err(TryRecvError::Disconnected) => {
                    self.ended = true;
                    return true;
                }
            }
        }
    }
}
