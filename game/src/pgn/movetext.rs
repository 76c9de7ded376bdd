//! Movetext in lines of at most 80 columns.

/// The standard's limit, line end not counted.
const COLUMNS: usize = 80;

/// Collects words and breaks lines between them.
#[derive(Debug, Default)]
pub(super) struct Movetext {
    out: String,
    column: usize,
}

impl Movetext {
    /// Adds a word; it is never broken.
    pub(super) fn word(&mut self, word: &str) {
        let width = word.chars().count();
        if self.column > 0 {
            if self.column + 1 + width > COLUMNS {
                self.out.push('\n');
                self.column = 0;
            } else {
                self.out.push(' ');
                self.column += 1;
            }
        }
        self.out.push_str(word);
        self.column += width;
    }

    /// Adds a brace comment: one line of text, broken at blanks alone. Braces become parentheses, since a comment cannot
    /// hold one; and no line begins with a sign that would mean something there (`[`, `%`, `;`).
    pub(super) fn comment(&mut self, text: &str) {
        let clean: String = text
            .chars()
            .map(|c| match c {
                '{' => '(',
                '}' => ')',
                '\u{2028}' | '\u{2029}' => ' ',
                c if c.is_control() => ' ',
                c => c,
            })
            .collect();
        let mut pending = String::from("{");
        let mut command = false;
        for word in clean.split_whitespace() {
            let glued = command || word.starts_with(['[', '%', ';']);
            if pending == "{" {
                pending.push_str(word);
            } else if glued {
                pending.push(' ');
                pending.push_str(word);
            } else {
                self.word(&pending);
                pending.clear();
                pending.push_str(word);
            }
            command = match command {
                true => !word.contains(']'),
                false => word.starts_with("[%") && !word.contains(']'),
            };
        }
        pending.push('}');
        self.word(&pending);
    }

    /// The text, with its last line's end.
    pub(super) fn finish(mut self) -> String {
        self.out.push('\n');
        self.out
    }
}
