//! Tables that align.

/// On which side a column's text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    /// Names.
    Left,
    /// Numbers.
    Right,
}

/// Rows under a header. Widths count characters, as names may be in any script.
#[derive(Debug)]
pub(crate) struct Table {
    header: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    pub(crate) fn new(header: impl IntoIterator<Item = (impl Into<String>, Align)>) -> Self {
        Self { header: header.into_iter().map(|(name, align)| (name.into(), align)).collect(), rows: Vec::new() }
    }

    /// Adds a row; what is missing is blank.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(cells.into_iter().map(|cell| clean(&cell.into())).collect());
    }

    /// The lines, without blanks at their ends.
    pub(crate) fn render(&self) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
            cells.chain([self.header[column].0.chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let header: Vec<String> = self.header.iter().map(|(name, _)| name.clone()).collect();
        let mut text = String::new();
        for row in std::iter::once(&header).chain(&self.rows) {
            let mut line = String::new();
            for (column, &width) in widths.iter().enumerate() {
                let cell = row.get(column).map_or("", String::as_str);
                let blanks = " ".repeat(width - cell.chars().count());
                if column > 0 {
                    line.push_str("  ");
                }
                match self.header[column].1 {
                    Align::Left => {
                        line.push_str(cell);
                        line.push_str(&blanks);
                    }
                    Align::Right => {
                        line.push_str(&blanks);
                        line.push_str(cell);
                    }
                }
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

/// A name cannot move the cursor.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align() {
        let mut table = Table::new([("engine", Align::Left), ("points", Align::Right)]);
        table.row(["Ágnes\u{1b}[31m", "1.5"]);
        table.row(["B", "10"]);
        assert_eq!(table.render(), "engine      points\nÁgnes [31m     1.5\nB               10\n");
    }
}
