//! The last lines of an engine, kept as raw bytes and made readable only when somebody asks.

use std::{collections::VecDeque, time::Instant};

use super::limits::{STDERR_BYTES, STDERR_LINES, TRANSCRIPT_BYTES, TRANSCRIPT_COMMAND, TRANSCRIPT_LINES};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    In,
    Out,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    at: Instant,
    direction: Direction,
    len: usize,
}

/// A ring of traffic: chunks as they were read, commands as they were written.
#[derive(Debug, Default)]
pub(crate) struct Ring {
    bytes: VecDeque<u8>,
    entries: VecDeque<Entry>,
}

impl Ring {
    /// Keeps a chunk that was read; of a large one its end.
    pub(crate) fn read(&mut self, at: Instant, chunk: &[u8]) {
        let from = chunk.len().saturating_sub(TRANSCRIPT_BYTES / 2);
        self.push(at, Direction::In, &chunk[from..], b"");
    }

    /// Keeps a command without its newline; of a long one its head.
    pub(crate) fn wrote(&mut self, at: Instant, command: &[u8]) {
        if command.len() > TRANSCRIPT_COMMAND {
            self.push(at, Direction::Out, &command[..TRANSCRIPT_COMMAND], b" ...\n");
        } else {
            self.push(at, Direction::Out, command, b"\n");
        }
    }

    fn push(&mut self, at: Instant, direction: Direction, head: &[u8], tail: &[u8]) {
        let len = head.len() + tail.len();
        while self.bytes.len() + len > TRANSCRIPT_BYTES {
            let Some(old) = self.entries.pop_front() else { break };
            self.bytes.drain(..old.len);
        }
        self.bytes.extend(head);
        self.bytes.extend(tail);
        self.entries.push_back(Entry { at, direction, len });
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
    }

    /// `+12.345678 > go wtime 1000`: seconds since `start`, `>` to the engine, `<` from it. A line has the time of the
    /// bytes that completed it.
    pub(crate) fn render(&self, start: Instant) -> Vec<String> {
        let mut out = Vec::new();
        let mut partial = Vec::new();
        let mut bytes = self.bytes.iter().copied();
        for entry in &self.entries {
            let stamp = entry.at.checked_duration_since(start).map_or_else(
                || format!("-{:.6}", start.duration_since(entry.at).as_secs_f64()),
                |since| format!("+{:.6}", since.as_secs_f64()),
            );
            let arrow = if entry.direction == Direction::In { '<' } else { '>' };
            let mut line = if entry.direction == Direction::In { std::mem::take(&mut partial) } else { Vec::new() };
            for byte in bytes.by_ref().take(entry.len) {
                if byte == b'\n' {
                    out.push(format!("{stamp} {arrow} {}", clean(&line)));
                    line.clear();
                } else {
                    line.push(byte);
                }
            }
            if entry.direction == Direction::In {
                partial = line;
            }
        }
        if !partial.is_empty() {
            out.push(format!("(no newline) < {}", clean(&partial)));
        }
        out.drain(..out.len().saturating_sub(TRANSCRIPT_LINES));
        out
    }
}

/// The end of stderr.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    bytes: VecDeque<u8>,
}

impl Tail {
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        let chunk = &chunk[chunk.len().saturating_sub(STDERR_BYTES)..];
        let over = (self.bytes.len() + chunk.len()).saturating_sub(STDERR_BYTES);
        self.bytes.drain(..over.min(self.bytes.len()));
        self.bytes.extend(chunk);
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        let bytes: Vec<u8> = self.bytes.iter().copied().collect();
        let mut lines: Vec<String> =
            bytes.split(|b| *b == b'\n').map(clean).filter(|line| !line.trim().is_empty()).collect();
        lines.drain(..lines.len().saturating_sub(STDERR_LINES));
        lines
    }
}

/// Bytes as one line of text: not UTF-8 is replaced, control characters are gone.
pub(crate) fn clean(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes)
        .chars()
        .map(|c| if c == '\t' { ' ' } else { c })
        .filter(|c| !c.is_control())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_line_has_the_time_of_its_end() {
        let start = Instant::now();
        let mut ring = Ring::default();
        ring.read(start, b"best");
        ring.wrote(start + Duration::from_micros(3), b"stop");
        ring.read(start + Duration::from_micros(7), b"move e2e4\r\ninf");
        assert_eq!(ring.render(start), ["+0.000003 > stop", "+0.000007 < bestmove e2e4", "(no newline) < inf"]);
    }

    #[test]
    fn memory_is_bounded() {
        let mut ring = Ring::default();
        let mut tail = Tail::default();
        for _ in 0..1000 {
            ring.read(Instant::now(), &[b'x'; 70_000]);
            ring.wrote(Instant::now(), &[b'y'; 70_000]);
            tail.push(&[b'z'; 70_000]);
        }
        assert!(ring.bytes.len() <= TRANSCRIPT_BYTES && tail.bytes.len() <= STDERR_BYTES);
        assert_eq!(ring.bytes.len(), ring.entries.iter().map(|e| e.len).sum::<usize>());
    }
}
