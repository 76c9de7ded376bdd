//! Starts a coordinator, and ends it.

use std::{net::SocketAddr, sync::Arc};

use tokio::{
    net::TcpListener,
    sync::{Semaphore, mpsc, watch},
    task::JoinHandle,
    time::timeout,
};

use super::{
    books::Books,
    driver::{Driver, Inbox, Tools},
    handle::{Handle, Inner},
    http, limits,
    lists::Imports,
    machine::Machine,
    metrics::{Metrics, MetricsError},
    ratings::Ratings,
    role::{Election, Role},
    server::Services,
    watchers::Watchers,
};
use crate::{archive::Archive, store::Store};

/// Why a coordinator does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address is taken, or not this machine's.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why.
        error: std::io::Error,
    },
    /// The descriptors of the contract are damaged.
    #[error("reflection: {0}")]
    Reflection(String),
    /// Metrics cannot be set up.
    #[error(transparent)]
    Metrics(#[from] MetricsError),
}

/// What a coordinator needs.
pub struct Config {
    /// Where gRPC is served; port 0: any free one.
    pub listen: SocketAddr,
    /// Where health and metrics are served over HTTP; `None`: nowhere.
    pub http_listen: Option<SocketAddr>,
    /// The address under which workers and standbys reach this process, `http://host:7700`; empty: where it listens.
    pub advertise: String,
    /// The store; it campaigns already.
    pub store: Arc<dyn Store>,
    /// The archive; replicas of one store share it.
    pub archive: Arc<dyn Archive>,
}

/// A coordinator around its core.
pub struct Coordinator;

/// A coordinator at work. Dropped without [`Running::shutdown`] it ends too, without waiting for what is in flight.
pub struct Running {
    /// Where gRPC is served.
    pub grpc_addr: SocketAddr,
    /// Where HTTP is served.
    pub http_addr: Option<SocketAddr>,
    handle: Handle,
    store: Arc<dyn Store>,
    stop: watch::Sender<bool>,
    driver: JoinHandle<()>,
    election: JoinHandle<()>,
    servers: Vec<JoinHandle<()>>,
}

impl Coordinator {
    /// Starts all parts around `core`. It takes no calls before it listens, and answers them once it leads or knows
    /// who does.
    ///
    /// # Errors
    /// [`StartError`]; nothing runs then.
    pub async fn start(config: Config, core: impl Machine) -> Result<Running, StartError> {
        let Config { listen, http_listen, advertise, store, archive } = config;
        let (listener, grpc_addr) = bind(listen).await?;
        let http = match http_listen {
            Some(address) => Some(bind(address).await?),
            None => None,
        };
        let metrics = Arc::new(Metrics::new()?);
        let watchers = Arc::new(Watchers::new());
        let books = Arc::new(Books::new(Arc::clone(&archive)));
        // Until the election has been looked at once, callers wait.
        let (role, role_seen) = watch::channel(Role::Loading);
        let role = Arc::new(role);
        let (stop, stopped) = watch::channel(false);
        let (asks, asks_in) = mpsc::channel(limits::ASK_QUEUE);
        let (said, said_in) = mpsc::channel(limits::SAID_QUEUE);
        let (done, done_in) = mpsc::channel(limits::DONE_QUEUE);
        let (control, control_in) = mpsc::channel(1);

        let handle = Handle {
            inner: Arc::new(Inner {
                asks,
                role: role_seen,
                watchers: Arc::clone(&watchers),
                store: Arc::clone(&store),
                archive: Arc::clone(&archive),
                books: Arc::clone(&books),
                imports: Imports::default(),
                ratings: Ratings::default(),
                metrics: Arc::clone(&metrics),
                advertise: if advertise.is_empty() { format!("http://{grpc_addr}") } else { advertise },
                uploads: Semaphore::new(limits::UPLOADS),
            }),
        };
        let services = Services::new(&handle, said)?;

        let tools = Tools {
            store: Arc::clone(&store),
            archive: Arc::clone(&archive),
            books,
            watchers,
            metrics,
            role: Arc::clone(&role),
            done,
        };
        let inbox = Inbox { control: control_in, done: done_in, said: said_in, asks: asks_in, stop: stopped.clone() };
        let driver = tokio::spawn(Driver::new(core, tools).run(inbox));
        let election = Election { store: Arc::clone(&store), archive, control, role };
        let election = tokio::spawn(election.run());
        let mut servers = vec![tokio::spawn(services.serve(listener, handle.clone(), stopped.clone()))];
        let http_addr = http.as_ref().map(|(_, address)| *address);
        if let Some((listener, _)) = http {
            servers.push(tokio::spawn(serve_http(listener, handle.clone(), stopped)));
        }
        tracing::info!(%grpc_addr, ?http_addr, store = store.id(), "coordinator started");
        Ok(Running { grpc_addr, http_addr, handle, store, stop, driver, election, servers })
    }
}

async fn bind(address: SocketAddr) -> Result<(TcpListener, SocketAddr), StartError> {
    let wrong = |error| StartError::Listen { address, error };
    let listener = TcpListener::bind(address).await.map_err(wrong)?;
    let bound = listener.local_addr().map_err(wrong)?;
    Ok((listener, bound))
}

async fn serve_http(listener: TcpListener, handle: Handle, mut stop: watch::Receiver<bool>) {
    let serving = axum::serve(listener, http::router(handle)).into_future();
    tokio::select! {
        result = serving => if let Err(error) = result {
            tracing::error!(%error, "the HTTP server ended");
        },
        // Nobody waits long for a scrape.
        _ = stop.wait_for(|stop| *stop) => {}
    }
}

impl Running {
    /// The way in from this process.
    #[must_use]
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Returns when the coordinator has ended by itself: its driver failed.
    pub async fn ended(&self) {
        self.handle.inner.asks.closed().await;
    }

    /// Ends in order, in less than a second: what is in flight is awaited and acknowledged, then the streams end, then
    /// the store is closed.
    pub async fn shutdown(self) {
        self.stop.send_replace(true);
        if let Err(error) = self.driver.await {
            tracing::error!(%error, "the driver failed");
        }
        for server in self.servers {
            let abort = server.abort_handle();
            if timeout(limits::LINGER, server).await.is_err() {
                abort.abort();
            }
        }
        if timeout(limits::CLOSE, self.store.close()).await.is_err() {
            tracing::warn!("the store was not closed in time");
        }
        self.election.abort();
    }
}
