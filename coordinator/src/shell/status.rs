//! What a client is told when it does not get what it asked for.

use tonic::Status;

use super::{handle::Handle, limits, role::Role};
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
            Denied::NotFound(why) => Status::not_found(fit(&why)),
            Denied::Invalid(why) => Status::invalid_argument(fit(&why)),
            Denied::Precondition(why) => Status::failed_precondition(fit(&why)),
            Denied::Unavailable(why) => Status::unavailable(fit(&why)),
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

/// A message travels in a header, most bytes of it written as three: beyond [`limits::STATUS`] clients see none of it.
/// Whole lines are kept, and the last one says how many were not.
fn fit(text: &str) -> String {
    let (mut kept, mut bytes, mut lines) = (String::new(), 0, text.split_inclusive('\n'));
    while let Some(line) = lines.next() {
        bytes += written(line);
        if bytes <= limits::STATUS {
            kept.push_str(line);
            continue;
        }
        if kept.is_empty() {
            // Three bytes a byte, at most four bytes a character.
            kept = line.chars().take(limits::STATUS / 12).chain(['…', '\n']).collect();
        }
        let left = lines.count() + usize::from(!kept.ends_with("…\n"));
        if left > 0 {
            kept.push_str(&format!("and {left} more lines\n"));
        }
        break;
    }
    kept
}

/// Bytes of a text in a header.
fn written(text: &str) -> usize {
    text.bytes().map(|byte| if byte.is_ascii_alphanumeric() { 1 } else { 3 }).sum()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_fit_a_header() {
        #[track_caller]
        fn check(text: &str, end: &str) {
            let fitted = fit(text);
            assert!(written(&fitted) < limits::STATUS + 100, "{} bytes", written(&fitted));
            assert!(fitted.ends_with(end), "{fitted}");
        }
        check("short", "short");
        check("a\nb\n", "a\nb\n");
        check(&"x".repeat(100_000), "x…\n");
        check(&"é".repeat(100_000), "é…\n");
        check(&format!("{}\n", "y".repeat(99)).repeat(1_000), "y\nand 940 more lines\n");
        check(&format!("{}\nlast", "z".repeat(9_000)), "z…\nand 1 more lines\n");
    }
}
