//! Words of a line: split on any run of blanks, tabs and carriage returns.

/// Whether a byte separates words.
pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

/// The words of a line, and where they stand in it.
#[derive(Debug, Clone)]
pub(crate) struct Words<'a> {
    line: &'a [u8],
    at: usize,
}

impl<'a> Words<'a> {
    pub(crate) const fn new(line: &'a [u8]) -> Self {
        Self { line, at: 0 }
    }

    /// What was not taken yet, without blanks at its ends.
    pub(crate) fn rest(&self) -> &'a [u8] {
        trim(&self.line[self.at..])
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let line = self.line;
        let mut from = self.at;
        while from < line.len() && is_blank(line[from]) {
            from += 1;
        }
        let mut to = from;
        while to < line.len() && !is_blank(line[to]) {
            to += 1;
        }
        self.at = to;
        (to > from).then(|| &line[from..to])
    }
}

/// Without blanks at its ends.
pub(crate) fn trim(mut bytes: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = bytes {
        if !is_blank(*first) {
            break;
        }
        bytes = rest;
    }
    while let [rest @ .., last] = bytes {
        if !is_blank(*last) {
            break;
        }
        bytes = rest;
    }
    bytes
}

/// A number; `None` where it is none or too large.
pub(crate) fn number<T: std::str::FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}
