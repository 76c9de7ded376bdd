//! A position schedule of Chinese checkers as a book.

use std::collections::BTreeMap;

use super::{
    EntryFault, Opening,
    book::{Entry, line},
};
use crate::{
    chinese_checkers::{
        Rules,
        schedule::{Row, RowFault},
    },
    setup::Start,
};

/// Where each sound row begins, and what is wrong with the others, with their lines. Equal ids are wrong.
pub(super) fn entries(bytes: &[u8], rules: Rules) -> (Box<[Entry]>, Vec<(EntryFault, u32)>) {
    let (mut entries, mut faults) = (Vec::new(), Vec::new());
    let mut ids: BTreeMap<String, u32> = BTreeMap::new();
    let mut at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut number = 0_u32;
    while at < bytes.len() {
        number = number.saturating_add(1);
        let entry = Entry { at: u32::try_from(at).unwrap_or(u32::MAX), line: number };
        let text = line(bytes, entry);
        at += text.len() + 1;
        if text.trim_ascii().is_empty() {
            continue;
        }
        let row = Row::read(text.trim_ascii(), rules).and_then(|(row, _)| match ids.insert(row.id.clone(), number) {
            None => Ok(()),
            Some(line) => Err(RowFault::Twice { id: row.id, line }),
        });
        match row {
            Ok(()) => entries.push(entry),
            Err(fault) => faults.push((EntryFault::Row(fault), number)),
        }
    }
    (entries.into_boxed_slice(), faults)
}

/// The opening of a row that was found sound.
pub(super) fn opening(text: &[u8], line: u32) -> Option<Opening> {
    let row: Row = serde_json::from_slice(text.trim_ascii()).ok()?;
    Some(Opening { start: Start { position: row.start(), moves: Vec::new() }, name: row.id, line })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{
        board,
        chinese_checkers::{Position, schedule::Row},
        opening::{Book, BookOptions},
        setup::GameKind,
    };

    fn row(id: &str, change: impl FnOnce(&mut Row)) -> String {
        let position = Position::START.after(3, 14);
        let mut row = Row { id: id.to_owned(), ..Row::of(&position, 1, vec![(3, 14)]) };
        change(&mut row);
        serde_json::to_string(&row).unwrap()
    }

    fn parse(text: &str) -> Result<Book, String> {
        Book::parse("rows.jsonl", text.into(), GameKind::ChineseCheckers, &BookOptions::default())
            .map(|(book, _)| book)
            .map_err(|errors| errors.to_string())
    }

    #[test]
    fn rows_are_openings() {
        let text = format!("{}\n\n{}\n", row("a", |_| ()), row("b", |row| row.history = None));
        let book = parse(&text).unwrap();
        assert_eq!(book.len(), 2);
        let second = book.get(1).unwrap();
        assert_eq!((second.name.as_str(), second.line), ("b", 3));
        let board = board::start(GameKind::ChineseCheckers, &second.start).unwrap();
        assert_eq!((board.legal_count(), board.ply()), (14, 0));
        assert_eq!(book.get(2), None);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        type Change = fn(&mut Row);
        let cases: [(Change, &str); 14] = [
            (|row| row.kind = "x".into(), "`type` is `x`"),
            (|row| row.schema = String::new(), "`schema`"),
            (|row| row.id = String::new(), "`id`"),
            (|row| row.cells.push('.'), "121 characters"),
            (|row| row.cells = row.cells.replacen('0', ".", 1), "player 0 has 9 pieces"),
            (|row| row.cells = row.cells.replacen('.', "1", 1), "player 1 has 11 pieces"),
            (|row| row.player = 2, "player 0"),
            (|row| row.player = 0, "`hash`"),
            (|row| row.ply = u64::MAX, "a ply"),
            (|row| row.ply = 240, "240"),
            (|row| row.hash = "0xeb4585067e1567b1".into(), "`hash`"),
            (|row| row.legal_count = Some(13), "`legal_count` is `13`, expected `14`"),
            (|row| row.history = Some(vec![(3, 16)]), "another position"),
            (|row| row.history = Some(vec![(3, 99)]), "move 1"),
        ];
        for (change, why) in cases {
            let text = format!("{}\n{}", row("a", |_| ()), row("b", change));
            let error = parse(&text).unwrap_err();
            assert!(error.starts_with("rows.jsonl:2: ") && error.contains(why), "{why}: {error}");
        }
        let over = |row: &mut Row| {
            row.history = None;
            row.ply = 240;
        };
        assert!(parse(&row("a", over)).unwrap_err().contains("already over: max-ply"));
        assert!(parse(&format!("{0}\n{0}", row("a", |_| ()))).unwrap_err().contains(":2: id `a` stands at line 1"));
        assert!(parse("").unwrap_err().contains("no opening"));
        assert!(parse("{}\nnull\n[1]\n{").unwrap_err().lines().count() == 4);
    }

    #[test]
    fn public_schedules_are_read() {
        // The key of the public list and the counts of its second row.
        let cells = "0000..0000.................0...........0.........................................1............1\
                     ................11111..111";
        let position = Position::read(cells, crate::Seat::First).unwrap();
        assert_eq!(position.key(), 0xc71a_1503_527d_69cf);
        let found = crate::chinese_checkers::schedule::features(&position);
        assert_eq!((found.legal_count, found.p0_goal_distance, found.p1_goal_distance), (Some(35), 103, 103));
        assert_eq!((found.p0_home_count, found.p1_home_count), (8, 8));
        let Some(file) = crate::testing::shared("vectors/chinese-checkers/sample_schedule.jsonl") else { return };
        let book = parse(&std::fs::read_to_string(file).unwrap()).unwrap();
        assert_eq!(book.len(), 128);
    }

    proptest! {
        #[test]
        fn mutated_rows_are_answered(at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<prop::sample::Index>(), twice in any::<bool>()) {
            let mut text = row("a", |_| ()).into_bytes();
            let at = at.index(text.len());
            text[at] = byte;
            text.truncate(cut.index(text.len()).max(1) + usize::from(twice) * text.len());
            let _ = Book::parse("b", text, GameKind::ChineseCheckers, &BookOptions::default());
        }
    }
}
