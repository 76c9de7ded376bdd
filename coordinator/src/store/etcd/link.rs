//! The connection to one member at a time. A client that balances over all members would go on sending to one that is
//! dead or cut off; so each call goes to the member that worked last, and after a failure to the next.

use std::{future::Future, sync::Arc, time::Duration};

use etcd_client::{Client, ConnectOptions, Error, GetOptions};
use tokio::{
    sync::Mutex,
    time::{Instant, timeout},
};

use super::{
    Servers,
    fault::{Fault, said},
};
use crate::store::STORE_KEY;

/// Within which a member must take a connection and answer one read, or the next is tried.
const PROBE: Duration = Duration::from_secs(2);
/// HTTP/2 pings on a connection in use. etcd closes connections that ping more often than every 5 s, or while idle.
const PING: Duration = Duration::from_secs(10);

#[derive(Clone)]
pub(super) struct Link {
    servers: Arc<Servers>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// Counts connections, so that a failure on an old one does not take down a new one.
    generation: u64,
    client: Option<Client>,
    /// Index of the member that is tried next.
    next: usize,
}

impl Link {
    pub(super) fn new(servers: Arc<Servers>) -> Self {
        Self { servers, state: Arc::default() }
    }

    /// Members.
    pub(super) fn members(&self) -> usize {
        self.servers.endpoints.len()
    }

    /// Makes one call on one member, answered within `limit`, connecting included. After a failure the next call goes
    /// to another member.
    pub(super) async fn once<T, F, Fut>(&self, limit: Duration, call: F) -> Result<T, Fault>
    where
        F: FnOnce(Client) -> Fut,
        Fut: Future<Output = Result<T, Error>>,
    {
        let mut sent = None;
        let attempt = async {
            let (client, generation) = self.client().await?;
            sent = Some(generation);
            call(client).await.map_err(Fault::from)
        };
        let outcome = match timeout(limit, attempt).await {
            Ok(outcome) => outcome,
            Err(_) if sent.is_some() => Err(Fault::Maybe(format!("no answer within {limit:?}"))),
            Err(_) => Err(Fault::Not(format!("no member was reached within {limit:?}"))),
        };
        if let (Err(fault), Some(generation)) = (&outcome, sent)
            && fault.elsewhere()
        {
            self.leave(generation).await;
        }
        outcome
    }

    /// As [`Self::once`], on one member after the other while they fail, and no new attempt once `limit` is over; only
    /// for what may happen twice.
    pub(super) async fn anywhere<T, F, Fut>(&self, limit: Duration, call: F) -> Result<T, Fault>
    where
        F: Fn(Client) -> Fut,
        Fut: Future<Output = Result<T, Error>>,
    {
        let start = Instant::now();
        let mut outcome = self.once(limit, &call).await;
        for _ in 0..self.members() {
            match &outcome {
                Err(fault) if fault.elsewhere() && start.elapsed() < limit => outcome = self.once(limit, &call).await,
                _ => break,
            }
        }
        outcome
    }

    async fn leave(&self, generation: u64) {
        let mut state = self.state.lock().await;
        if state.generation == generation {
            state.client = None;
        }
    }

    async fn client(&self) -> Result<(Client, u64), Fault> {
        let mut state = self.state.lock().await;
        if let Some(client) = &state.client {
            return Ok((client.clone(), state.generation));
        }
        let mut reasons = Vec::new();
        for _ in 0..self.members() {
            // Counted on before the attempt: if this call is given up meanwhile, the next one tries another member.
            let endpoint = &self.servers.endpoints[state.next % self.members()];
            state.next = (state.next + 1) % self.members();
            match timeout(PROBE, self.connect(endpoint)).await {
                Ok(Ok(client)) => {
                    state.generation += 1;
                    state.client = Some(client.clone());
                    return Ok((client, state.generation));
                }
                Ok(Err(error)) => reasons.push(format!("{endpoint}: {}", said(&error))),
                Err(_) => reasons.push(format!("{endpoint}: no answer within {PROBE:?}")),
            }
        }
        Err(Fault::Nobody(format!("no member of etcd answers: {}", reasons.join("; "))))
    }

    /// Connects, authenticates, and makes sure that the member reaches a majority.
    async fn connect(&self, endpoint: &str) -> Result<Client, Error> {
        let mut options = ConnectOptions::new()
            .with_connect_timeout(PROBE)
            .with_keep_alive(PING, PROBE)
            .with_keep_alive_while_idle(false)
            .with_require_leader(true)
            .with_auto_token_refresh(true);
        if let Some((user, password)) = &self.servers.user {
            options = options.with_user(user, password.0.as_str());
        }
        let mut client = Client::connect([endpoint], Some(options)).await?;
        client.get(STORE_KEY, Some(GetOptions::new().with_count_only())).await?;
        Ok(client)
    }
}
