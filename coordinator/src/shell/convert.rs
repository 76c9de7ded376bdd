//! Tables of the tournament as the wire carries them.

use rookery_proto::v1;
use rookery_tournament::{
    ladder::{self, State},
    rating::List,
    standings::{Cell, Crosstable, Standing, Standings},
};

pub(super) fn standings(table: Standings) -> Vec<v1::Standing> {
    let whys = table.whys();
    table.lines.into_iter().zip(whys).map(|(line, why)| standing(line, why)).collect()
}

fn standing(line: Standing, why: String) -> v1::Standing {
    v1::Standing {
        place: line.place,
        engine: line.engine,
        games: line.games,
        wins: line.wins,
        draws: line.draws,
        losses: line.losses,
        half_points: line.half_points,
        elo: line.elo,
        elo_error: line.elo_error,
        los: line.los,
        normalized_elo: line.normalized_elo,
        pairs: line.pairs.to_vec(),
        draw_ratio: line.draw_ratio,
        crashes: line.crashes,
        time_losses: line.time_losses,
        illegal_moves: line.illegal_moves,
        tie_breaks: line.tie_breaks,
        pair_ratio: line.pair_ratio,
        why,
        rating: None,
        rating_error: None,
    }
}

pub(super) fn ladder(event: String, state: &State) -> Result<v1::ExportLadderResponse, tonic::Status> {
    let text = serde_json::to_string_pretty(state).map_err(|error| tonic::Status::internal(error.to_string()))?;
    let place = |line: ladder::Preview| v1::LadderPlace {
        place: u32::try_from(line.place).unwrap_or(u32::MAX),
        engine: line.engine,
        survives: line.survives,
        climbs: line.climbs,
    };
    let places = ladder::preview(state).into_iter().map(place).collect();
    Ok(v1::ExportLadderResponse { event, state: text + "\n", places })
}

pub(super) fn ratings(event: String, list: &List) -> v1::GetRatingsResponse {
    let ratings = list.rows.iter().map(|row| v1::Rating {
        rank: row.rank,
        engine: row.name.clone(),
        elo: row.elo,
        elo_error: row.error,
        games: row.games,
        half_points: (2.0 * row.points) as u64,
        opponents: row.opponents,
        draw_ratio: row.draws,
        superiority: row.superiority,
        mark: row.mark.word().to_owned(),
    });
    v1::GetRatingsResponse {
        event,
        ratings: ratings.collect(),
        text: list.text(),
        csv: list.csv(),
        errors: list.errors.clone(),
        advantage: list.advantage,
        warnings: list.warnings.clone(),
        games: list.games,
        model: list.model.clone(),
    }
}

pub(super) fn crosstable(table: Crosstable) -> Vec<v1::CrosstableRow> {
    let Crosstable { engines, half_points, cells } = table;
    let rows = engines.into_iter().zip(half_points).zip(cells);
    rows.map(|((engine, half_points), cells)| v1::CrosstableRow {
        engine,
        cells: cells.into_iter().map(cell).collect(),
        half_points,
    })
    .collect()
}

fn cell(cell: Cell) -> v1::CrosstableCell {
    let Cell { wins, draws, losses, sequence } = cell;
    v1::CrosstableCell { wins, draws, losses, sequence }
}
