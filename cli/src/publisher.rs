//! Rating lists as files, written by the coordinator that leads: each as often as its `publish` says.
//!
//! It asks the coordinator as any operator does, so that what is published is what is on record. Who does not lead writes
//! nothing, and stops at once; the next leader begins with a writing of its own.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::{Component, Path, PathBuf},
    time::Duration,
};

use rookery_coordinator::shell::Role;
use rookery_proto::v1;
use tokio::{sync::watch, time::Instant};

use crate::{
    args::OperatorOptions,
    client::{Client, failed},
    exit,
    operator::publish::once,
};

/// How often it is asked which lists there are: half of the shortest time that a list may name.
const LOOK: Duration = Duration::from_secs(5);
/// After a writing that failed it is tried again so soon, where `every` is longer.
const AGAIN: Duration = Duration::from_secs(60);

/// Publishes below `folder` while `role` says that this process leads; ends when the coordinator does.
pub(crate) async fn run(mut role: watch::Receiver<Role>, address: SocketAddr, folder: PathBuf) {
    let leads = |role: &Role| matches!(role, Role::Leading { .. });
    loop {
        if role.wait_for(leads).await.is_err() {
            return;
        }
        let mut deposed = role.clone();
        tokio::select! {
            () = lead(address, &folder) => {}
            _ = deposed.wait_for(|role| !leads(role)) => {}
        }
    }
}

/// Publishes for ever.
async fn lead(address: SocketAddr, folder: &Path) {
    let mut next: BTreeMap<String, Instant> = BTreeMap::new();
    let mut said: BTreeMap<String, String> = BTreeMap::new();
    loop {
        match look(address, folder, &mut next, &mut said).await {
            Ok(()) => {}
            Err(error) => tracing::warn!(error = exit::full(error.as_ref()), "lists cannot be published"),
        }
        tokio::time::sleep(LOOK).await;
    }
}

async fn look(
    address: SocketAddr,
    folder: &Path,
    next: &mut BTreeMap<String, Instant>,
    said: &mut BTreeMap<String, String>,
) -> Result<(), Box<dyn std::error::Error>> {
    let coordinator = format!("http://{}", reached(address));
    let mut client = Client::connect(&OperatorOptions::of(coordinator)).await?;
    let lists = client.lists.list_lists(v1::ListListsRequest {}).await.map_err(failed)?.into_inner().lists;
    next.retain(|list, _| lists.iter().any(|known| known.list == *list));
    for list in lists.iter().filter(|list| list.publish_every_ms > 0) {
        let now = Instant::now();
        let every = Duration::from_millis(list.publish_every_ms);
        // Earlier than was said before, where the list changed.
        if next.get(&list.list).is_some_and(|at| *at > now && *at <= now + every) {
            continue;
        }
        let written = match below(folder, &list.publish_to) {
            None => Err(format!("`{}` is not a folder below the one of --publish", list.publish_to)),
            Some(to) => once(&mut client, &list.list, &to).await.map_err(|error| exit::full(error.as_ref())),
        };
        let (wait, word) = match written {
            Ok((engines, games)) => {
                tracing::debug!(list = list.list, engines, games, "published");
                (every, String::new())
            }
            Err(why) => (every.min(AGAIN), why),
        };
        next.insert(list.list.clone(), now + wait);
        // The same word once.
        if said.insert(list.list.clone(), word.clone()).unwrap_or_default() != word && !word.is_empty() {
            tracing::warn!(list = list.list, why = word, "the list cannot be published");
        }
    }
    Ok(())
}

/// How a process reaches what it listens on itself.
fn reached(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        let own = if address.is_ipv4() { IpAddr::from(Ipv4Addr::LOCALHOST) } else { Ipv6Addr::LOCALHOST.into() };
        address.set_ip(own);
    }
    address
}

/// What a spec names is written below the coordinator's own folder, and nowhere else.
fn below(folder: &Path, to: &str) -> Option<PathBuf> {
    let inside = Path::new(to).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    (inside && !to.is_empty()).then(|| folder.join(to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_outside() {
        for (to, inside) in [
            ("www/", Some("/p/www/")),
            ("a/b", Some("/p/a/b")),
            (".", Some("/p/.")),
            ("./a", Some("/p/./a")),
            ("", None),
            ("/etc", None),
            ("..", None),
            ("a/../../b", None),
            ("a/..", None),
        ] {
            assert_eq!(below(Path::new("/p"), to).as_deref(), inside.map(Path::new), "{to}");
        }
    }

    #[test]
    fn an_address_that_is_all_of_them_is_reached_on_loopback() {
        for (listens, to) in
            [("0.0.0.0:7700", "127.0.0.1:7700"), ("[::]:7", "[::1]:7"), ("10.0.0.3:7700", "10.0.0.3:7700")]
        {
            assert_eq!(reached(listens.parse().unwrap()).to_string(), to);
        }
    }
}
