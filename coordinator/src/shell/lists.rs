//! `ListService`: rating lists over many events.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use rookery_proto::v1::{self, list_service_server::ListService};
use rookery_tournament::rating::{Games, from_pgn};
use tonic::{Request, Response, Status};

use super::{
    check,
    handle::Handle,
    limits,
    status::{archive_status, expect_answer},
};
use crate::core::{self, Answer};

/// Games of imports as they were read, by the file's digest: a file of a million games takes a second.
#[derive(Default)]
pub(super) struct Imports {
    read: Mutex<BTreeMap<String, Arc<Games>>>,
}

/// Files whose games are kept; the sums are small.
const KEPT: usize = 256;

impl Imports {
    /// The games of a file of the archive, and how many have no two players or no result.
    async fn read(handle: &Handle, digest: &str) -> Result<(Games, u64), Status> {
        let file = handle.inner.archive.get_file(digest.to_owned()).await.map_err(|error| archive_status(&error))?;
        let read = tokio::task::spawn_blocking(move || from_pgn(&file)).await;
        read.map_err(|_| Status::internal("the games could not be read"))
    }

    async fn games(&self, handle: &Handle, digest: &str) -> Result<Arc<Games>, Status> {
        let known = self.read.lock().ok().and_then(|read| read.get(digest).cloned());
        if let Some(known) = known {
            return Ok(known);
        }
        let games = Arc::new(Self::read(handle, digest).await?.0);
        if let Ok(mut read) = self.read.lock() {
            read.insert(digest.to_owned(), Arc::clone(&games));
            while read.len() > KEPT {
                read.pop_first();
            }
        }
        Ok(games)
    }

    /// A list's games: those of its events, and those of files.
    pub(super) async fn joined(&self, handle: &Handle, mut games: Games, files: &[String]) -> Result<Games, Status> {
        for file in files {
            games.merge(&*self.games(handle, file).await?);
        }
        Ok(games)
    }
}

pub(super) struct Lists {
    handle: Handle,
}

impl Lists {
    pub(super) const fn new(handle: Handle) -> Self {
        Self { handle }
    }

    async fn lists(&self, request: core::Request) -> Result<Vec<v1::ListSummary>, Status> {
        expect_answer!(self.handle.answer(request).await?, Answer::Lists(lists) => lists)
    }

    async fn one(&self, request: core::Request) -> Result<Option<v1::ListSummary>, Status> {
        Ok(self.lists(request).await?.into_iter().next())
    }
}

#[tonic::async_trait]
impl ListService for Lists {
    async fn list_lists(&self, _: Request<v1::ListListsRequest>) -> Result<Response<v1::ListListsResponse>, Status> {
        let lists = self.lists(core::Request::Lists(None)).await?;
        Ok(Response::new(v1::ListListsResponse { lists }))
    }

    async fn get_list(&self, request: Request<v1::GetListRequest>) -> Result<Response<v1::GetListResponse>, Status> {
        let list = request.into_inner().list;
        check::bounded("list", &list, limits::NAME)?;
        let summary = self.one(core::Request::Lists(Some(list))).await?;
        Ok(Response::new(v1::GetListResponse { summary }))
    }

    async fn import_games(
        &self,
        request: Request<v1::ImportGamesRequest>,
    ) -> Result<Response<v1::ImportGamesResponse>, Status> {
        let v1::ImportGamesRequest { list, digest, file_name, change, dry_run } = request.into_inner();
        check::bounded("list", &list, limits::NAME)?;
        check::name("digest", &digest)?;
        check::bounded("file_name", &file_name, limits::PATH)?;
        let change = check::change(change)?;
        let (games, passed) = Imports::read(&self.handle, &digest).await?;
        if games.count() == 0 {
            return Err(Status::invalid_argument("no game with two players and a result in this file"));
        }
        let players = u32::try_from(games.names().len()).unwrap_or(u32::MAX);
        let games = games.count();
        let summary = if dry_run {
            self.one(core::Request::Lists(Some(list))).await?
        } else {
            self.one(core::Request::Import { list, digest, file_name, games, change }).await?
        };
        Ok(Response::new(v1::ImportGamesResponse { summary, games, passed, players }))
    }

    async fn get_head_to_head(
        &self,
        request: Request<v1::GetHeadToHeadRequest>,
    ) -> Result<Response<v1::GetHeadToHeadResponse>, Status> {
        let list = request.into_inner().list;
        check::bounded("list", &list, limits::NAME)?;
        let answer = self.handle.answer(core::Request::Ratings(list)).await?;
        let rated = expect_answer!(answer, Answer::Ratings(rated) => *rated)?;
        let games = self.handle.inner.imports.joined(&self.handle, rated.games, &rated.files).await?;
        let list = rated.event;
        Ok(Response::new(v1::GetHeadToHeadResponse { list, rows: head_to_head(&games) }))
    }
}

fn head_to_head(games: &Games) -> Vec<v1::HeadToHead> {
    let mut cells: BTreeMap<(u32, u32), [u32; 3]> = BTreeMap::new();
    for cell in games.cells() {
        let own = cells.entry((cell.first, cell.second)).or_default();
        (own[0], own[1], own[2]) = (own[0] + cell.wins, own[1] + cell.draws, own[2] + cell.losses);
        let other = cells.entry((cell.second, cell.first)).or_default();
        (other[0], other[1], other[2]) = (other[0] + cell.losses, other[1] + cell.draws, other[2] + cell.wins);
    }
    let totals = games.totals();
    let share = |player: u32| {
        let total = totals.get(player as usize).copied().unwrap_or_default();
        total.half_points as f64 / total.games.max(1) as f64
    };
    let name = |player: u32| games.names().get(player as usize).cloned().unwrap_or_default();
    let mut rows: Vec<_> = cells.into_iter().collect();
    let best_first = |a: u32, b: u32| share(b).total_cmp(&share(a)).then(a.cmp(&b));
    rows.sort_by(|(one, _), (other, _)| best_first(one.0, other.0).then_with(|| best_first(one.1, other.1)));
    let row = |((engine, opponent), [wins, draws, losses]): ((u32, u32), [u32; 3])| v1::HeadToHead {
        engine: name(engine),
        opponent: name(opponent),
        wins,
        draws,
        losses,
    };
    rows.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use rookery_game::GameResult::{Draw, FirstWins};

    use super::*;

    #[test]
    fn each_two_stand_once_from_either_side() {
        let mut games = Games::default();
        let (a, b, c) = (games.player("A"), games.player("B"), games.player("C"));
        games.add(a, b, FirstWins);
        games.add(b, a, Draw);
        games.add(c, a, FirstWins);
        let rows: Vec<_> = head_to_head(&games)
            .into_iter()
            .map(|r| (format!("{}{}", r.engine, r.opponent), [r.wins, r.draws, r.losses]))
            .collect();
        let expected = [("CA", [1, 0, 0]), ("AC", [0, 0, 1]), ("AB", [1, 1, 0]), ("BA", [0, 1, 1])];
        assert_eq!(rows, expected.map(|(name, counts)| (name.to_owned(), counts)));
    }
}
