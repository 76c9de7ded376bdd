//! Bytes to lines, in bounded memory.

use super::limits::{MAX_LINE, READ_BUFFER};

/// A buffer that bytes are read into and complete lines are taken from. A line longer than [`MAX_LINE`] is cut: its
/// head is given when its end arrives, the rest is dropped.
#[derive(Debug)]
pub(crate) struct Lines {
    buffer: Box<[u8]>,
    /// Where the line in work begins.
    start: usize,
    /// Up to where no newline was found.
    scanned: usize,
    /// Where read bytes end.
    end: usize,
    /// Whether bytes of the line in work were dropped.
    cutting: bool,
    cut: u32,
}

impl Lines {
    pub(crate) fn new() -> Self {
        let buffer = vec![0; READ_BUFFER].into_boxed_slice();
        Self { buffer, start: 0, scanned: 0, end: 0, cutting: false, cut: 0 }
    }

    /// Room to read into; never empty. To be called when [`Self::next`] gave `None`.
    pub(crate) fn room(&mut self) -> &mut [u8] {
        if self.start == self.end {
            (self.start, self.scanned, self.end) = (0, 0, 0);
        } else if self.start > 0 && self.buffer.len() - self.end < READ_BUFFER / 2 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.scanned -= self.start;
            self.start = 0;
        }
        &mut self.buffer[self.end..]
    }

    /// Says that `n` bytes were read into [`Self::room`], and gives them.
    pub(crate) fn filled(&mut self, n: usize) -> &[u8] {
        let from = self.end;
        self.end = (from + n).min(self.buffer.len());
        &self.buffer[from..self.end]
    }

    /// The next complete line, without its newline.
    pub(crate) fn next(&mut self) -> Option<&[u8]> {
        let Some(at) = memchr::memchr(b'\n', &self.buffer[self.scanned..self.end]) else {
            if self.end - self.start > MAX_LINE {
                self.end = self.start + MAX_LINE;
                self.cutting = true;
            }
            self.scanned = self.end;
            return None;
        };
        let (from, newline) = (self.start, self.scanned + at);
        let to = newline.min(from + MAX_LINE);
        if self.cutting || to < newline {
            self.cut = self.cut.saturating_add(1);
            self.cutting = false;
        }
        self.start = newline + 1;
        self.scanned = self.start;
        Some(&self.buffer[from..to])
    }

    /// Lines that were cut since last asked.
    pub(crate) const fn take_cut(&mut self) -> u32 {
        std::mem::replace(&mut self.cut, 0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn feed(chunks: &[&[u8]]) -> (Vec<Vec<u8>>, u32) {
        let mut lines = Lines::new();
        let mut out = Vec::new();
        for chunk in chunks {
            let mut rest = *chunk;
            while !rest.is_empty() {
                let room = lines.room();
                let n = room.len().min(rest.len());
                room[..n].copy_from_slice(&rest[..n]);
                lines.filled(n);
                rest = &rest[n..];
                while let Some(line) = lines.next() {
                    out.push(line.to_vec());
                }
            }
        }
        (out, lines.take_cut())
    }

    #[test]
    fn a_partial_line_waits_for_its_end() {
        assert_eq!(feed(&[b"best", b"move e2", b"e4"]), (vec![], 0));
        assert_eq!(feed(&[b"best", b"move e2", b"e4\nx"]), (vec![b"bestmove e2e4".to_vec()], 0));
    }

    #[test]
    fn a_long_line_is_cut_and_counted_and_the_next_is_whole() {
        let long = vec![b'a'; 5 * READ_BUFFER + 7];
        let (lines, cut) = feed(&[&long, b"\nok\n"]);
        assert_eq!(lines, vec![vec![b'a'; MAX_LINE], b"ok".to_vec()]);
        assert_eq!(cut, 1);
        let exact = vec![b'a'; MAX_LINE];
        assert_eq!(feed(&[&exact, b"\n"]), (vec![exact.clone()], 0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_chunks_give_the_lines_of_the_whole(
            text in proptest::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..600),
            cuts in proptest::collection::vec(1usize..200, 1..40),
        ) {
            let mut chunks: Vec<&[u8]> = Vec::new();
            let mut rest = text.as_slice();
            for n in cuts.iter().cycle() {
                if rest.is_empty() { break; }
                let (head, tail) = rest.split_at((*n).min(rest.len()));
                chunks.push(head);
                rest = tail;
            }
            let mut whole: Vec<Vec<u8>> = text.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
            whole.pop();
            prop_assert_eq!(feed(&chunks).0, whole);
        }
    }
}
