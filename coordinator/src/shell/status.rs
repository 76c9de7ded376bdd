//! What a client is told when it does not get what it asked for.

use tonic::Status;

use super::{handle::Handle, role::Role};
use crate::{
    archive::ArchiveError,
    core::{Answer, Denied, Request},
};

impl Handle {
    /// Asks the core for a client.
    pub(super) async fn answer(&self, request: Request) -> Result<Answer, Status> {
        self.ask(request).await.map_err(|denied| self.status(denied))
    }

    /// A denial as gRPC says it.
    pub(super) fn status(&self, denied: Denied) -> Status {
        match denied {
            Denied::NotFound(why) => Status::not_found(why),
            Denied::Invalid(why) => Status::invalid_argument(why),
            Denied::Precondition(why) => Status::failed_precondition(why),
            Denied::Unavailable(why) => Status::unavailable(why),
            Denied::NotLeader => Status::unavailable(match &*self.inner.role.borrow() {
                Role::Standby { leader: Some(leader) } => format!("this coordinator is a standby; {leader} leads"),
                Role::Standby { leader: None } => "no coordinator leads at the moment; try again".to_owned(),
                Role::Barred(why) => format!("this coordinator may not lead: {why}"),
                Role::Ended => "the coordinator is shutting down".to_owned(),
                Role::Loading | Role::Leading { .. } => "this coordinator has just begun to lead; try again".to_owned(),
            }),
        }
    }
}

/// The archive's failure as gRPC says it.
pub(super) fn archive_status(error: &ArchiveError) -> Status {
    match error {
        ArchiveError::Unavailable(_) => Status::unavailable(error.to_string()),
        ArchiveError::Missing(_) | ArchiveError::Damaged(_) => Status::data_loss(error.to_string()),
    }
}

/// The core answered a question that was not asked.
pub(super) fn mismatch() -> Status {
    Status::internal("the core answered another question")
}

/// The part of an answer that was asked for.
macro_rules! expect_answer {
    ($answer:expr, $pattern:pat => $value:expr) => {
        match $answer {
            $pattern => Ok($value),
            _ => Err($crate::shell::status::mismatch()),
        }
    };
}
pub(super) use expect_answer;
