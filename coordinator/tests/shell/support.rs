//! A store whose leadership a test decides, a core that a test can read, and a client.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures::future::BoxFuture;
use rookery_coordinator::{
    archive::{Archive, FolderArchive},
    core::{Answer, Apply, Denied, Effect, Input, Now, Request, SessionId, Ticket},
    shell::{Config, Coordinator, Machine, Running},
    store::{CommitError, KeyValue, Leadership, Op, Pages, Revision, Store, StoreError, Txn},
};
use rookery_proto::v1::{self, attach_request, attach_response, worker_service_client::WorkerServiceClient};
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Streaming, transport::Channel};

/// Keeps all in memory; leads when it is told to.
pub(crate) struct MemoryStore {
    keys: Mutex<(Revision, Vec<KeyValue>)>,
    pub(crate) leadership: watch::Sender<Leadership>,
}

impl MemoryStore {
    pub(crate) fn new(leadership: Leadership) -> Arc<Self> {
        Arc::new(Self { keys: Mutex::default(), leadership: watch::Sender::new(leadership) })
    }
}

impl Store for MemoryStore {
    fn id(&self) -> &str {
        "memory"
    }

    fn read(&self, from: &str, to: &str, pages: Pages) -> BoxFuture<'_, Result<(), StoreError>> {
        let within = |entry: &&KeyValue| entry.key.as_str() >= from && entry.key.as_str() < to;
        let found = self.keys.lock().unwrap().1.iter().filter(within).cloned().collect();
        Box::pin(async move {
            pages.send(found).await.unwrap();
            Ok(())
        })
    }

    fn commit(&self, txn: Txn) -> BoxFuture<'_, Result<Revision, CommitError>> {
        let mut keys = self.keys.lock().unwrap();
        keys.0 += 1;
        let modified = keys.0;
        for op in txn.ops {
            if let Op::Put(key, value) = op {
                keys.1.push(KeyValue { key, value, modified });
            }
        }
        Box::pin(async move { Ok(modified) })
    }

    fn leadership(&self) -> watch::Receiver<Leadership> {
        self.leadership.subscribe()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }

    fn space(&self) -> BoxFuture<'_, Result<Option<(u64, u64)>, StoreError>> {
        Box::pin(async { Ok(None) })
    }
}

/// A core of a few words. What reaches it is told to the test.
pub(crate) struct Fake {
    pub(crate) heard: mpsc::Sender<String>,
    session: SessionId,
    finished: Option<v1::Finished>,
}

impl Fake {
    pub(crate) fn new() -> (Self, mpsc::Receiver<String>) {
        let (heard, told) = mpsc::channel(10_000);
        (Self { heard, session: SessionId(0), finished: None }, told)
    }

    fn send(&self, message: attach_response::Message) -> Effect {
        let message = v1::AttachResponse { order: 0, leader_revision: 7, message: Some(message) };
        Effect::Send { session: self.session, message: Box::new(message) }
    }

    fn said(&mut self, message: attach_request::Message) -> Vec<Effect> {
        match message {
            // More than any queue holds.
            attach_request::Message::Refused(_) => {
                let drain = || self.send(attach_response::Message::Drain(v1::Drain::default()));
                (0..20_000).map(|_| drain()).collect()
            }
            attach_request::Message::Finished(finished) => {
                self.finished = Some(finished);
                vec![Effect::Archive { ticket: Ticket(1), records: vec![Bytes::from_static(b"{}")] }]
            }
            attach_request::Message::Probed(_) => vec![Effect::Close { session: self.session }],
            _ => Vec::new(),
        }
    }

    fn asked(request: Request) -> Result<Answer, Denied> {
        match request {
            Request::Alarms => Ok(Answer::Alarms(vec!["the kettle is on".to_owned()])),
            Request::Workers => Ok(Answer::Workers(vec![v1::WorkerSummary {
                worker: "w1".to_owned(),
                attached: true,
                free: vec![2, 1],
                engines: vec![v1::CatalogueEntry { name: "stockfish".to_owned(), digest: "sha256:aa".to_owned() }],
                ..Default::default()
            }])),
            Request::Events => Ok(Answer::Events(vec![v1::EventSummary {
                event: "cup".to_owned(),
                event_uid: "uid-1".to_owned(),
                phase: v1::EventPhase::Running.into(),
                games_done: 3,
                games_running: 2,
                games_total: 10,
                ..Default::default()
            }])),
            Request::Seasons => Ok(Answer::Seasons(Vec::new())),
            Request::Pause { event, .. } => Err(Denied::NotFound(format!("no event `{event}`; there is `cup`"))),
            Request::Stop { .. } => Err(Denied::Precondition("it is sealed".to_owned())),
            Request::Apply(apply) => {
                let Apply { spec, digests, book, uid, dry_run, .. } = *apply;
                let mut lines: Vec<String> =
                    digests.into_iter().map(|(name, digest)| format!("{name}={digest}")).collect();
                lines.push(format!("book {} {}", book.0, book.1.len()));
                Ok(Answer::Applied(Box::new(v1::ApplyResponse {
                    event: spec.name.clone(),
                    event_uid: if dry_run { String::new() } else { uid },
                    differences: lines,
                    ..Default::default()
                })))
            }
            _ => Err(Denied::Invalid("not asked here".to_owned())),
        }
    }
}

impl Machine for Fake {
    fn handle(&mut self, _: Now, input: Input) -> Vec<Effect> {
        let word = match &input {
            Input::Lead { since, .. } => format!("lead {since}"),
            Input::Deposed => "deposed".to_owned(),
            Input::Attached { hello, .. } => format!("attached {}", hello.worker),
            Input::Said { message, .. } => match message.as_ref() {
                attach_request::Message::Beat(beat) => format!("beat {}", beat.last_order),
                _ => "said".to_owned(),
            },
            Input::Gone { .. } => "gone".to_owned(),
            Input::Committed { outcome, .. } => format!("committed {}", outcome.is_ok()),
            Input::Archived { outcome, .. } => format!("archived {}", outcome.is_ok()),
            Input::BookLoaded { .. } | Input::Space { .. } | Input::Asked { .. } | Input::Tick => String::new(),
        };
        if !word.is_empty() {
            // A test that does not read has seen enough.
            let _ = self.heard.try_send(word);
        }
        match input {
            Input::Attached { session, .. } => {
                self.session = session;
                vec![self.send(attach_response::Message::Welcome(v1::Welcome::default()))]
            }
            Input::Said { message, .. } => self.said(*message),
            Input::Archived { .. } => vec![Effect::Commit { ticket: Ticket(2), txn: Txn::default() }],
            Input::Committed { .. } => {
                let finished = self.finished.take().unwrap_or_default();
                let game = finished.record.and_then(|record| record.id);
                let recorded = v1::Recorded { attempt: finished.attempt, game, go_on: false };
                vec![self.send(attach_response::Message::Recorded(recorded))]
            }
            Input::Asked { ask, request } => vec![Effect::Answer { ask, answer: Self::asked(*request) }],
            _ => Vec::new(),
        }
    }
}

/// A coordinator around a fake core, a memory store and a folder.
pub(crate) struct Bench {
    pub(crate) running: Running,
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) archive: Arc<dyn Archive>,
    pub(crate) heard: mpsc::Receiver<String>,
    _folder: tempfile::TempDir,
}

impl Bench {
    pub(crate) async fn start(leadership: Leadership) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let archive: Arc<dyn Archive> = Arc::new(FolderArchive::open(folder.path().join("archive")).await.unwrap());
        let store = MemoryStore::new(leadership);
        let (fake, heard) = Fake::new();
        let config = Config {
            listen: "127.0.0.1:0".parse().unwrap(),
            http_listen: Some("127.0.0.1:0".parse().unwrap()),
            advertise: String::new(),
            store: store.clone(),
            archive: archive.clone(),
        };
        let running = Coordinator::start(config, fake).await.unwrap();
        Self { running, store, archive, heard, _folder: folder }
    }

    pub(crate) async fn leading() -> Self {
        let mut bench = Self::start(Leadership::Leading { since: 7 }).await;
        bench.hears("lead 7").await;
        bench
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.running.grpc_addr)
    }

    pub(crate) async fn channel(&self) -> Channel {
        Channel::from_shared(self.url()).unwrap().connect().await.unwrap()
    }

    /// Waits for a word of the core, past others.
    #[track_caller]
    pub(crate) fn hears(&mut self, word: &'static str) -> impl Future<Output = ()> {
        let at = std::panic::Location::caller();
        async move {
            let waited = tokio::time::timeout(std::time::Duration::from_secs(10), async {
                while let Some(heard) = self.heard.recv().await {
                    if heard == word {
                        return;
                    }
                }
            });
            assert!(waited.await.is_ok(), "the core never heard `{word}` ({at})");
        }
    }
}

/// A worker's stream.
pub(crate) struct Worker {
    pub(crate) say: mpsc::Sender<v1::AttachRequest>,
    pub(crate) hear: Streaming<v1::AttachResponse>,
}

impl Worker {
    pub(crate) async fn open(channel: Channel) -> Self {
        let (say, said) = mpsc::channel(16);
        let mut client = WorkerServiceClient::new(channel).max_encoding_message_size(64 << 20);
        let hear = client.attach(ReceiverStream::new(said)).await.unwrap().into_inner();
        Self { say, hear }
    }

    pub(crate) async fn attach(channel: Channel, hello: v1::Hello) -> Self {
        let worker = Self::open(channel).await;
        worker.tell(attach_request::Message::Hello(hello)).await;
        worker
    }

    pub(crate) async fn tell(&self, message: attach_request::Message) {
        self.say.send(v1::AttachRequest { message: Some(message) }).await.unwrap();
    }

    pub(crate) async fn hears(&mut self) -> Option<attach_response::Message> {
        let waited = tokio::time::timeout(std::time::Duration::from_secs(15), self.hear.message());
        waited.await.expect("an answer in time").ok().flatten()?.message
    }

    pub(crate) async fn rejected(&mut self) -> v1::Rejected {
        match self.hears().await {
            Some(attach_response::Message::Rejected(rejected)) => rejected,
            other => panic!("not a refusal: {other:?}"),
        }
    }

    pub(crate) async fn welcomed(&mut self) {
        let heard = self.hears().await;
        assert!(matches!(heard, Some(attach_response::Message::Welcome(_))), "not a welcome: {heard:?}");
    }

    pub(crate) async fn ended(&mut self) {
        while self.hears().await.is_some() {}
    }
}

pub(crate) fn hello(worker: &str) -> v1::Hello {
    v1::Hello {
        worker: worker.to_owned(),
        boot: "boot-1".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        calibration: 1.0,
        ..Default::default()
    }
}
