//! Endgame tables: Syzygy, read by shakmaty-syzygy.

use std::{
    io,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use rookery_game::{
    GameResult, Seat,
    adjudicate::{Tablebase, TablebaseRule},
};
use shakmaty::{Chess, Color, Position};
use shakmaty_syzygy::{AmbiguousWdl, SyzygyError, Wdl};

/// Something that is wrong with a folder of tables. The others are used.
#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    /// A folder that cannot be read.
    #[error("tablebases: cannot read folder {}: {source}", folder.display())]
    Folder {
        /// Which.
        folder: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file that is no whole table.
    #[error("tablebases: {} is not used: {source}", file.display())]
    File {
        /// Which.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// No table in any folder.
    #[error("tablebases: no table found in {folders}")]
    Empty {
        /// All folders.
        folders: String,
    },
}

/// Syzygy tables from one or more folders; WDL and DTZ files may lie apart.
///
/// With the fifty-move rule, a won or lost position whose counter is not zero is judged by its DTZ table alone: WDL files
/// assume a counter of zero. A win that the rule spoils is a draw. Where a table is missing, or rounding leaves the
/// answer open, there is none.
#[derive(Debug, Default)]
pub struct Tables {
    tables: shakmaty_syzygy::Tablebase<Chess>,
    files: usize,
    failure: OnceLock<String>,
}

impl Tables {
    /// Opens the folders; what is wrong with any of them is told, the rest is used.
    #[must_use]
    pub fn open(folders: &[PathBuf]) -> (Self, Vec<TablesError>) {
        let mut tables = Self::default();
        let mut errors = Vec::new();
        for folder in folders {
            if let Err(source) = tables.add_folder(folder, &mut errors) {
                errors.push(TablesError::Folder { folder: folder.clone(), source });
            }
        }
        if tables.files == 0 && !folders.is_empty() {
            let folders = folders.iter().map(|f| f.display().to_string()).collect::<Vec<_>>().join(", ");
            errors.push(TablesError::Empty { folders });
        }
        (tables, errors)
    }

    /// The folders of a list as people write it: separated by `:`, blanks allowed inside.
    #[must_use]
    pub fn folders(list: &str) -> Vec<PathBuf> {
        std::env::split_paths(list).filter(|path| !path.as_os_str().is_empty()).collect()
    }

    fn add_folder(&mut self, folder: &Path, errors: &mut Vec<TablesError>) -> io::Result<()> {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
        files.sort();
        for file in files {
            if !file.extension().is_some_and(|ext| ext == "rtbw" || ext == "rtbz") {
                continue;
            }
            match self.tables.add_file(&file) {
                Ok(()) => self.files += 1,
                Err(source) => errors.push(TablesError::File { file, source }),
            }
        }
        Ok(())
    }

    /// The largest number of men that any table holds, kings included; 0 without tables.
    #[must_use]
    pub fn men(&self) -> u32 {
        u32::try_from(self.tables.max_pieces()).unwrap_or(0)
    }

    /// The first probe that failed although the tables should have held the position, in words; said once.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }

    fn ask<T>(&self, answer: Result<T, SyzygyError>) -> Option<T> {
        match answer {
            Ok(value) => Some(value),
            Err(SyzygyError::TooManyPieces | SyzygyError::Castling) => None,
            Err(error) => {
                self.failure.get_or_init(|| {
                    let text = format!("tablebases: {error}; games play on where it is needed");
                    tracing::warn!("{text}");
                    text
                });
                None
            }
        }
    }
}

impl Tablebase for Tables {
    fn probe(&self, position: &Chess, rule: &TablebaseRule) -> Option<GameResult> {
        let men = u32::try_from(position.board().occupied().count()).unwrap_or(u32::MAX);
        if men > rule.men || men > self.men() || !position.castles().castling_rights().is_empty() {
            return None;
        }
        let mover = match position.turn() {
            Color::White => Seat::First,
            Color::Black => Seat::Second,
        };
        let (win, loss) = (GameResult::win(mover), GameResult::win(mover.other()));
        match self.ask(self.tables.probe_wdl_after_zeroing(position))? {
            Wdl::Draw => Some(GameResult::Draw),
            Wdl::CursedWin | Wdl::BlessedLoss if rule.fifty_moves => Some(GameResult::Draw),
            Wdl::Win | Wdl::Loss if rule.fifty_moves && position.halfmoves() > 0 => {
                match self.ask(self.tables.probe_wdl(position))? {
                    AmbiguousWdl::Win => Some(win),
                    AmbiguousWdl::Loss => Some(loss),
                    AmbiguousWdl::Draw | AmbiguousWdl::CursedWin | AmbiguousWdl::BlessedLoss => Some(GameResult::Draw),
                    AmbiguousWdl::MaybeWin | AmbiguousWdl::MaybeLoss => None,
                }
            }
            Wdl::Win | Wdl::CursedWin => Some(win),
            Wdl::Loss | Wdl::BlessedLoss => Some(loss),
        }
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, fen::Fen};

    use super::*;

    /// A folder `shared/tablebases` beside the project or above it.
    fn all() -> Option<PathBuf> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let found = root.ancestors().skip(2).map(|dir| dir.join("shared/tablebases")).find(|dir| dir.is_dir());
        if found.is_none() {
            println!("SKIP no folder of tables");
            assert!(std::env::var_os("CI").is_none(), "skipped in CI");
        }
        found
    }

    /// A folder with copies of some of the tables; `None` where they are not at hand.
    fn folder(names: &[&str]) -> Option<tempfile::TempDir> {
        let all = all()?;
        let dir = tempfile::Builder::new().prefix("with a blank ").tempdir().expect("a folder");
        for name in names {
            std::fs::copy(all.join(name), dir.path().join(name)).expect("a copy");
        }
        Some(dir)
    }

    fn probe(tables: &Tables, fen: &str, fifty_moves: bool) -> Option<GameResult> {
        let position: Chess = fen.parse::<Fen>().expect("fen").into_position(CastlingMode::Standard).expect("position");
        tables.probe(&position, &TablebaseRule { men: 6, fifty_moves, draws_only: false })
    }

    #[test]
    fn wins_draws_and_the_fifty_move_rule() {
        let Some(all) = all() else { return };
        let (tables, errors) = Tables::open(&[all]);
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(tables.men(), 4);
        let (first, second, draw) = (Some(GameResult::FirstWins), Some(GameResult::SecondWins), Some(GameResult::Draw));
        for (fen, with_rule, without) in [
            ("8/8/8/3k4/8/8/8/KQ6 w - - 0 60", first, first),
            ("8/8/8/3k4/8/8/8/KQ6 w - - 96 100", draw, first),
            ("8/8/8/3k4/8/8/8/KQ6 w - - 20 100", first, first),
            ("8/8/8/8/8/8/3k4/K2R4 b - - 0 1", draw, draw),
            ("8/8/8/8/3k4/8/8/K2R4 b - - 0 1", first, first),
            ("kq6/8/8/8/3K4/8/8/8 b - - 3 9", second, second),
            ("8/8/8/3k4/8/8/8/KN6 w - - 50 60", draw, draw),
            ("8/8/8/8/3k4/8/8/4K2R w K - 0 1", None, None),
            ("8/5k2/8/8/8/8/PPP5/KR6 w - - 0 1", None, None),
        ] {
            assert_eq!(probe(&tables, fen, true), with_rule, "{fen}");
            assert_eq!(probe(&tables, fen, false), without, "{fen} without the rule");
        }
        assert_eq!(tables.failure(), None);
    }

    #[test]
    fn a_missing_smaller_table_is_no_answer_and_said_once() {
        let Some(dir) = folder(&["KRvKB.rtbw", "KRvKB.rtbz"]) else { return };
        let (tables, errors) = Tables::open(&[dir.path().to_owned()]);
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(probe(&tables, "8/8/4k3/8/3Rb3/4K3/8/8 w - - 0 1", true), None);
        assert!(tables.failure().is_some_and(|text| text.contains("KBvK") || text.contains("KRvK")), "{tables:?}");
    }

    #[test]
    fn without_dtz_only_a_counter_of_zero_is_sure() {
        let Some(dir) = folder(&["KQvK.rtbw"]) else { return };
        let (tables, _) = Tables::open(&[dir.path().to_owned()]);
        assert_eq!(probe(&tables, "8/8/8/3k4/8/8/8/KQ6 w - - 0 60", true), Some(GameResult::FirstWins));
        assert_eq!(probe(&tables, "8/8/8/3k4/8/8/8/KQ6 w - - 2 60", true), None);
        assert_eq!(probe(&tables, "8/8/8/3k4/8/8/8/KQ6 w - - 2 60", false), Some(GameResult::FirstWins));
    }

    #[test]
    fn two_folders_and_one_that_is_missing() {
        let (Some(wdl), Some(dtz)) = (folder(&["KQvK.rtbw"]), folder(&["KQvK.rtbz"])) else { return };
        std::fs::write(dtz.path().join("KRvK.rtbw"), b"not a table").expect("a file");
        let list = format!("{}:/nonexistent/tables:{}", wdl.path().display(), dtz.path().display());
        let (tables, errors) = Tables::open(&Tables::folders(&list));
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(errors.len(), 2, "{errors:?}");
        assert!(errors[0].contains("/nonexistent/tables") && errors[1].contains("KRvK.rtbw"), "{errors:?}");
        assert_eq!(probe(&tables, "8/8/8/3k4/8/8/8/KQ6 w - - 96 100", true), Some(GameResult::Draw));
        assert!(matches!(Tables::open(&[]).1.as_slice(), []));
    }
}
