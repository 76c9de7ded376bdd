//! A list as text, in the forms that lists of the field have, and as CSV.

use std::fmt::Write as _;

use super::{List, Mark, Row};

impl List {
    /// As BayesElo writes it (`Rank Name Elo + - games score oppo. draws`); a provisional rating has a `?` after its name.
    #[must_use]
    pub fn bayeselo_text(&self) -> String {
        let name = |row: &Row| {
            if row.mark == Mark::Provisional { format!("{}?", row.name) } else { row.name.clone() }
        };
        let width = self.rows.iter().map(|row| name(row).chars().count()).fold(4, usize::max);
        let mut out = format!("Rank {:<width$}   Elo    +    -    games score oppo. draws \n", "Name");
        let whole =
            |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{:.0}", value.round() + 0.0));
        for row in &self.rows {
            let error = whole(row.error);
            let percent = |share: Option<f64>| format!("{}%", whole(share.map(|share| 100.0 * share)));
            let _ = writeln!(
                out,
                "{:>4} {:<width$} {:>5} {error:>4} {error:>4} {:>8} {:>5} {:>5} {:>5} ",
                row.rank,
                name(row),
                whole(Some(row.elo)),
                row.games,
                percent(row.score()),
                whole(row.opponents),
                percent(row.draws),
            );
        }
        out
    }

    /// As Ordo writes it, with `decimals` of ratings and errors.
    #[must_use]
    pub fn ordo_text(&self, decimals: usize) -> String {
        let errors = self.rows.iter().any(|row| row.error.is_some());
        let superiority = errors && self.rows.iter().any(|row| row.superiority.is_some());
        let name = |row: &Row| match row.mark {
            Mark::WonAll => format!("{} >", row.name),
            Mark::LostAll => format!("{} <", row.name),
            Mark::Provisional => format!("{} ?", row.name),
            Mark::None | Mark::Anchor => row.name.clone(),
        };
        let width = self.rows.iter().map(|row| name(row).chars().count()).fold(6, usize::max);
        let column = 6.max(decimals + 6);
        let mut out = format!("\n   # {:<width$} : {:>column$}", "PLAYER", "RATING");
        if errors {
            let _ = write!(out, "  {:>column$}", "ERROR");
        }
        out.push_str("  POINTS  PLAYED   (%)");
        out.push_str(if superiority { "  CFS(%)\n" } else { "\n" });
        for row in &self.rows {
            let _ = write!(out, "{:>4} {:<width$} : {:>column$.decimals$}", row.rank, name(row), row.elo);
            if errors {
                let error = row.error.map_or_else(|| "----".to_owned(), |error| format!("{error:.decimals$}"));
                let _ = write!(out, "  {error:>column$}");
            }
            let percent = row.score().map_or_else(|| "---".to_owned(), |score| format!("{:.1}", 100.0 * score));
            let _ = write!(out, "  {:>6.1}  {:>6}  {percent:>4}", row.points, row.games);
            if superiority {
                let cfs = row.superiority.map_or_else(|| "---".to_owned(), |s| format!("{:.0}", 100.0 * s));
                let _ = write!(out, "  {cfs:>6}");
            }
            out.push('\n');
        }
        if self.model == "bradley-terry" {
            out.push_str(&self.scale_line());
            return out;
        }
        let plus =
            |error: Option<f64>, times: f64| error.map_or_else(String::new, |e| format!(" +/- {:.2}", times * e));
        let _ = writeln!(out, "\nWhite advantage = {:.2}{}", self.advantage, plus(self.advantage_error, 1.0));
        if let Some(rate) = self.draw_rate {
            let error = plus(self.draw_rate_error, 100.0);
            let _ = writeln!(out, "Draw rate (equal opponents) = {:.2} %{error}", 100.0 * rate);
        }
        out
    }

    /// What the numbers of a list of Bradley and Terry's model are.
    fn scale_line(&self) -> String {
        let anchor = self.rows.iter().find(|row| row.mark == Mark::Anchor);
        let zero = anchor.map_or_else(|| "mean 0".to_owned(), |row| format!("anchor {} = {:.1}", row.name, row.elo));
        let errors = match self.errors.as_str() {
            "pairs" => "from pairs",
            "covariance" => "from the information matrix",
            _ => "none",
        };
        format!(
            "\nBradley-Terry, maximum likelihood, a draw half a win; {zero}\n\
             Errors: {errors}, {:.0} %; relative to the {}\n\
             The scale is of these engines alone; it is no human rating\n{}",
            100.0 * self.confidence,
            if anchor.is_some() { "anchor" } else { "mean" },
            if self.rows.iter().any(|row| matches!(row.mark, Mark::WonAll | Mark::LostAll)) {
                "> and <: won all, lost all, but for games against others so marked: no rating fits best, this is a guess\n"
            } else {
                ""
            },
        )
    }

    /// In the form of the model.
    #[must_use]
    pub fn text(&self) -> String {
        if self.model == "bayeselo" { self.bayeselo_text() } else { self.ordo_text(1) }
    }

    /// Comma-separated, with a header; what cannot be said is empty. Text that a spreadsheet would take for a formula gets a
    /// `'` before it.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut out = "rank,name,elo,error,games,points,score,opponents,draws,superiority,mark\n".to_owned();
        let number =
            |value: Option<f64>, decimals: usize| value.map_or_else(String::new, |v| format!("{v:.decimals$}"));
        for row in &self.rows {
            let mark = row.mark.word();
            let guard = if row.name.starts_with(['=', '+', '-', '@', '\t']) { "'" } else { "" };
            let _ = writeln!(
                out,
                "{},\"{guard}{}\",{:.2},{},{},{:.1},{},{},{},{},{mark}",
                row.rank,
                row.name.replace('"', "\"\""),
                row.elo,
                number(row.error, 2),
                row.games,
                row.points,
                number(row.score(), 4),
                number(row.opponents, 2),
                number(row.draws, 4),
                number(row.superiority, 4),
            );
        }
        out
    }
}
