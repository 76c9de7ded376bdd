//! `WorkerService.Attach`: the stream of one worker, from its hello to its end.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use rookery_proto::v1::{self, attach_request, worker_service_server::WorkerService};
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};
use tokio_stream::{Stream, wrappers::ReceiverStream};
use tonic::{Request, Response, Status, Streaming};

use super::{
    check,
    driver::{FromWorker, rejected},
    handle::Handle,
    limits,
    sessions::{Outgoing, Session},
};
use crate::core::SessionId;

/// Takes the streams of workers.
#[derive(Clone)]
pub(super) struct Link {
    handle: Handle,
    said: mpsc::Sender<FromWorker>,
    next: Arc<AtomicU64>,
}

impl Link {
    pub(super) fn new(handle: Handle, said: mpsc::Sender<FromWorker>) -> Self {
        Self { handle, said, next: Arc::new(AtomicU64::new(1)) }
    }

    /// Reads one stream to its end.
    async fn read(self, mut incoming: Streaming<v1::AttachRequest>, outgoing: mpsc::Sender<Outgoing>) {
        let hello = match first(&mut incoming).await {
            Ok(hello) => hello,
            Err(why) => return refuse(&outgoing, &why),
        };
        // A worker that comes while the store is being loaded waits, rather than look for another leader.
        tokio::select! {
            () = self.handle.loaded() => {}
            () = outgoing.closed() => return,
        }
        let id = SessionId(self.next.fetch_add(1, Ordering::Relaxed));
        let (alive, mut ended) = oneshot::channel();
        let session = Session { outgoing: outgoing.clone(), _alive: alive };
        if self.said.send(FromWorker::Attached { id, session, hello }).await.is_err() {
            return;
        }
        let fault = tokio::select! {
            biased;
            // The driver ended the session; it needs no word of that.
            _ = &mut ended => return,
            fault = self.pump(id, &mut incoming) => fault,
        };
        if let Some(why) = fault {
            refuse(&outgoing, &why);
        }
        // A driver that ended needs no word of that.
        let _ = self.said.send(FromWorker::Gone { id }).await;
    }

    /// Hands over what the worker says until its stream ends. Some: it said what means nothing.
    async fn pump(&self, id: SessionId, incoming: &mut Streaming<v1::AttachRequest>) -> Option<String> {
        loop {
            let message = match incoming.message().await {
                Ok(Some(request)) => request.message,
                Ok(None) => return None,
                Err(status) => return fault(&status),
            };
            match message {
                None => return Some("a message says nothing".to_owned()),
                Some(attach_request::Message::Hello(_)) => return Some("a second hello on one stream".to_owned()),
                Some(message) => {
                    let said = FromWorker::Said { id, message: Box::new(message) };
                    if self.said.send(said).await.is_err() {
                        return None;
                    }
                }
            }
        }
    }
}

/// The hello that a stream begins with; an error is one line for people.
async fn first(incoming: &mut Streaming<v1::AttachRequest>) -> Result<Box<v1::Hello>, String> {
    let Ok(message) = timeout(limits::HELLO_DEADLINE, incoming.message()).await else {
        return Err(format!("no hello within {} s", limits::HELLO_DEADLINE.as_secs()));
    };
    match message {
        Ok(Some(v1::AttachRequest { message: Some(attach_request::Message::Hello(hello)) })) => {
            check::hello(&hello)?;
            Ok(Box::new(hello))
        }
        Ok(_) => Err("the first message is not a hello".to_owned()),
        Err(status) => Err(status.message().to_owned()),
    }
}

/// Whether the worker sent what cannot be read, rather than went away.
fn fault(status: &Status) -> Option<String> {
    use tonic::Code;
    matches!(status.code(), Code::OutOfRange | Code::ResourceExhausted | Code::Internal | Code::InvalidArgument)
        .then(|| status.message().to_owned())
}

fn refuse(outgoing: &mpsc::Sender<Outgoing>, why: &str) {
    tracing::warn!(why, "a worker's stream is closed");
    // The worker may be gone, or not read: the end of the stream tells it then.
    let _ = outgoing.try_send(Ok(rejected(0, v1::RejectReason::Invalid, why)));
}

#[tonic::async_trait]
impl WorkerService for Link {
    type AttachStream = Pin<Box<dyn Stream<Item = Outgoing> + Send>>;

    async fn attach(
        &self,
        request: Request<Streaming<v1::AttachRequest>>,
    ) -> Result<Response<Self::AttachStream>, Status> {
        let (outgoing, stream) = mpsc::channel(limits::SESSION_QUEUE);
        tokio::spawn(self.clone().read(request.into_inner(), outgoing));
        Ok(Response::new(Box::pin(ReceiverStream::new(stream))))
    }
}
