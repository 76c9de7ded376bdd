//! What an error of etcd means: whether the call happened, did not, or may have.

use etcd_client::Error;
use tonic::{Code, ConnectError, Status};

use crate::store::{CommitError, StoreError};

/// Why a call has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// It did not happen: no member could be reached.
    Nobody(String),
    /// It did not happen: the member that was reached refused it, or went away before it was sent.
    Not(String),
    /// It may have happened.
    Maybe(String),
    /// Refused: no space.
    Full,
    /// Refused: too large.
    TooLarge(String),
    /// Refused: that revision was compacted.
    Compacted,
    /// The answer is larger than this side takes.
    Answer(String),
    /// The lease is not there.
    NoLease,
}

impl Fault {
    /// Whether another member may know better.
    pub(super) fn elsewhere(&self) -> bool {
        matches!(self, Self::Not(_) | Self::Maybe(_))
    }

    pub(super) fn text(self) -> String {
        match self {
            Self::Nobody(text) | Self::Not(text) | Self::Maybe(text) | Self::TooLarge(text) | Self::Answer(text) => {
                text
            }
            Self::Full => "no space".into(),
            Self::Compacted => "the revision was compacted".into(),
            Self::NoLease => "the lease is not there".into(),
        }
    }

    pub(super) fn of_read(self) -> StoreError {
        StoreError::Unavailable(self.text())
    }

    pub(super) fn of_commit(self) -> CommitError {
        match self {
            Self::Nobody(text) | Self::Not(text) => CommitError::Unavailable(text),
            Self::Full => CommitError::Full,
            Self::TooLarge(text) => CommitError::TooLarge(text),
            other => CommitError::Unknown(other.text()),
        }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        match error {
            Error::GRpcStatus(status) => of_status(&status),
            Error::LeaseKeepAliveError(text) if text == "lease not found" => Self::NoLease,
            Error::InvalidArgs(_) | Error::InvalidUri(_) | Error::InvalidMetadataValue(_) | Error::EndpointError(_) => {
                Self::Not(error.to_string())
            }
            other => Self::Maybe(other.to_string()),
        }
    }
}

/// An error as a person reads it: what was said, and what it rests on.
pub(super) fn said(error: &Error) -> String {
    let Error::GRpcStatus(status) = error else { return error.to_string() };
    let mut text = status.message().to_owned();
    let mut cause = std::error::Error::source(status);
    let mut last = None;
    while let Some(error) = cause {
        last = Some(error.to_string());
        cause = error.source();
    }
    if let Some(last) = last.filter(|last| !text.contains(last.as_str())) {
        text = if text.is_empty() { last } else { format!("{text}: {last}") };
    }
    if text.is_empty() { status.code().description().to_owned() } else { text }
}

/// Messages of refusals before anything was proposed to the cluster (etcd `api/v3rpc/rpctypes/error.go`). A timeout, a
/// changed leader or a stopped server is not among them: the proposal may have been on its way.
const REFUSED: &[&str] = &[
    "etcdserver: no leader",
    "etcdserver: too many requests",
    "etcdserver: user name is empty",
    "etcdserver: invalid auth token",
    "etcdserver: permission denied",
    "etcdserver: revision of auth store is old",
    "etcdserver: authentication failed, invalid user ID or password",
    "etcdserver: authentication is not enabled",
    "etcdserver: not capable",
    "etcdserver: corrupt cluster",
    "etcdserver: rpc not supported for learner",
];

fn of_status(status: &Status) -> Fault {
    let message = status.message();
    let text = || format!("{message} ({:?})", status.code());
    if was_not_sent(status) || REFUSED.iter().any(|refusal| message.starts_with(refusal)) {
        return Fault::Not(text());
    }
    match (status.code(), message) {
        (_, m) if m.contains("database space exceeded") => Fault::Full,
        (_, m) if m.contains("required revision has been compacted") => Fault::Compacted,
        (_, m) if m.contains("requested lease not found") => Fault::NoLease,
        (_, m) if m.contains("request is too large") || m.contains("too many operations") => Fault::TooLarge(text()),
        (_, m) if m.contains("duplicate key given") => Fault::TooLarge(text()),
        // The server's own limit on a message, in either direction.
        (Code::ResourceExhausted, m) if m.contains("received message larger than max") => Fault::TooLarge(text()),
        (Code::OutOfRange, m) if m.contains("message length too large") => Fault::Answer(text()),
        (Code::PermissionDenied | Code::Unauthenticated, _) => Fault::Not(text()),
        _ => Fault::Maybe(text()),
    }
}

/// Whether the connection was never made.
fn was_not_sent(status: &Status) -> bool {
    let mut source = std::error::Error::source(status);
    while let Some(error) = source {
        if error.is::<ConnectError>() {
            return true;
        }
        source = error.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happened_what_did_not_and_what_may_have() {
        for (code, message, expected) in [
            (Code::Unavailable, "etcdserver: no leader", CommitError::Unavailable(String::new())),
            (Code::Unavailable, "etcdserver: request timed out", CommitError::Unknown(String::new())),
            (Code::Unavailable, "etcdserver: leader changed", CommitError::Unknown(String::new())),
            (Code::Unavailable, "etcdserver: server stopped", CommitError::Unknown(String::new())),
            (
                Code::Unavailable,
                "etcdserver: request timed out, possibly due to connection lost",
                CommitError::Unknown(String::new()),
            ),
            (Code::Unavailable, "transport error", CommitError::Unknown(String::new())),
            (Code::Cancelled, "operation was canceled", CommitError::Unknown(String::new())),
            (Code::DeadlineExceeded, "context deadline exceeded", CommitError::Unknown(String::new())),
            (Code::ResourceExhausted, "etcdserver: mvcc: database space exceeded", CommitError::Full),
            (Code::ResourceExhausted, "etcdserver: too many requests", CommitError::Unavailable(String::new())),
            (Code::InvalidArgument, "etcdserver: request is too large", CommitError::TooLarge(String::new())),
            (
                Code::InvalidArgument,
                "etcdserver: too many operations in txn request",
                CommitError::TooLarge(String::new()),
            ),
            (
                Code::InvalidArgument,
                "etcdserver: duplicate key given in txn request",
                CommitError::TooLarge(String::new()),
            ),
            (Code::Unauthenticated, "etcdserver: invalid auth token", CommitError::Unavailable(String::new())),
            (Code::PermissionDenied, "etcdserver: permission denied", CommitError::Unavailable(String::new())),
        ] {
            let outcome = Fault::from(Error::GRpcStatus(Status::new(code, message))).of_commit();
            assert_eq!(std::mem::discriminant(&outcome), std::mem::discriminant(&expected), "{message}: {outcome:?}");
        }
    }
}
