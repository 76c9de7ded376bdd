//! One stream to one coordinator.

use std::time::Duration;

use rookery_proto::{
    MESSAGE_LIMIT,
    v1::{self, attach_request::Message, worker_service_client::WorkerServiceClient},
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Streaming, transport::Endpoint};

/// Messages that may wait for the stream to take them; a stream that does not take so many is given up.
const QUEUE: usize = 256;

/// How long connecting may take.
const CONNECT_LIMIT: Duration = Duration::from_secs(3);

/// HTTP/2 pings, also while idle: a dead peer is found within their sum. Above what servers take for too many.
const PING_EVERY: Duration = Duration::from_secs(10);
const PING_LIMIT: Duration = Duration::from_secs(5);

/// Why there is no stream.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectError {
    #[error("`{address}` is not an address like http://host:7700: {source}")]
    Address { address: String, source: tonic::transport::Error },
    #[error("{source}")]
    Transport { source: tonic::transport::Error },
    #[error("{0}")]
    Status(Box<tonic::Status>),
    #[error("no answer within {CONNECT_LIMIT:?}")]
    TimedOut,
}

/// What comes from a stream.
pub(super) enum Incoming {
    Said(Box<v1::AttachResponse>),
    Gone(String),
}

/// An open stream.
pub(super) struct Connection {
    outgoing: mpsc::Sender<v1::AttachRequest>,
    incoming: Streaming<v1::AttachResponse>,
}

impl Connection {
    /// Connects and says hello.
    pub(super) async fn open(address: &str, hello: v1::Hello) -> Result<Self, ConnectError> {
        let endpoint = Endpoint::from_shared(address.to_owned())
            .map_err(|source| ConnectError::Address { address: address.to_owned(), source })?
            .connect_timeout(CONNECT_LIMIT)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(PING_EVERY)
            .keep_alive_timeout(PING_LIMIT)
            .keep_alive_while_idle(true);
        let attach = async {
            let channel = endpoint.connect().await.map_err(|source| ConnectError::Transport { source })?;
            let mut client = WorkerServiceClient::new(channel)
                .max_decoding_message_size(MESSAGE_LIMIT)
                .max_encoding_message_size(MESSAGE_LIMIT);
            let (outgoing, queue) = mpsc::channel(QUEUE);
            let hello = v1::AttachRequest { message: Some(Message::Hello(hello)) };
            // The queue is new and empty.
            let _taken = outgoing.try_send(hello);
            let response = client.attach(ReceiverStream::new(queue)).await;
            let incoming = response.map_err(|status| ConnectError::Status(Box::new(status)))?.into_inner();
            Ok(Self { outgoing, incoming })
        };
        tokio::time::timeout(CONNECT_LIMIT * 2, attach).await.unwrap_or(Err(ConnectError::TimedOut))
    }

    /// The next message. Cancel safe.
    pub(super) async fn next(&mut self) -> Incoming {
        match self.incoming.message().await {
            Ok(Some(response)) => Incoming::Said(Box::new(response)),
            Ok(None) => Incoming::Gone("it was closed".to_owned()),
            Err(status) => Incoming::Gone(format!("{}: {}", status.code(), status.message())),
        }
    }

    /// Queues a message.
    pub(super) fn send(&self, message: Message) -> Result<(), &'static str> {
        self.outgoing.try_send(v1::AttachRequest { message: Some(message) }).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => "its queue is full",
            mpsc::error::TrySendError::Closed(_) => "it is closed",
        })
    }
}
