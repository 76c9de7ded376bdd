//! What exit codes mean.

use std::error::Error;

/// How a command ended.
pub(crate) type Outcome = Result<u8, Box<dyn Error>>;

/// All is done.
pub(crate) const DONE: u8 = 0;
/// It failed; the message says why.
pub(crate) const FAILED: u8 = 1;
/// The command line, a spec or a book is wrong; nothing has started. (clap's own code too.)
pub(crate) const USAGE: u8 = 2;
/// The event waits for a person.
pub(crate) const ASKING: u8 = 3;
/// The coordinator is not reached.
pub(crate) const UNREACHED: u8 = 4;
/// Interrupted by Ctrl-C or a signal; the same command goes on.
pub(crate) const INTERRUPTED: u8 = 130;

/// The table for `--help`.
pub(crate) const HELP: &str = "\
Exit codes: 0 done; 1 failed; 2 the command line, a spec or a book is wrong and nothing has started;
3 the event waits for a person; 4 the coordinator is not reached; 130 interrupted, the same command goes on.";

/// Bad input: nothing has started.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Usage(pub(crate) String);

/// The coordinator is not reached.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unreached(pub(crate) String);

/// The code for an error.
pub(crate) fn code_of(error: &(dyn Error + 'static)) -> u8 {
    if error.is::<Usage>() {
        USAGE
    } else if error.is::<Unreached>() {
        UNREACHED
    } else {
        FAILED
    }
}

/// An error with its causes, each once.
pub(crate) fn full(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text.strip_prefix("error: ").map_or(text.clone(), str::to_owned)
}
