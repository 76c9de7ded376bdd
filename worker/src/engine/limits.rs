//! The limits of what an engine may make us hold.

use std::time::Duration;

/// Bytes of a line that are read; what follows is cut and counted. A PV of 250 moves has 1.3 KB, and the longest
/// `option` line seen in the field (a combo with all networks of a folder) 9 KB.
pub const MAX_LINE: usize = 16 * 1024;

/// How long a program that repeated our `uci`, as `cat` does, may take to say something of its own. An engine behind a
/// terminal that echoes has said its name by then.
pub(crate) const ECHO_WAIT: Duration = Duration::from_secs(5);

/// Bytes taken from stdout at once; the size of a pipe, so that one read empties a full one.
pub(crate) const READ_BUFFER: usize = 64 * 1024;

/// How long an engine may leave our bytes in its pipe before it counts as stalled.
pub const WRITE_TIMEOUT: Duration = Duration::from_secs(60);

/// Bytes of traffic kept of each engine for transcripts.
pub(crate) const TRANSCRIPT_BYTES: usize = 32 * 1024;

/// Lines of a rendered transcript.
pub(crate) const TRANSCRIPT_LINES: usize = 200;

/// Bytes of one outgoing command in a transcript; the whole last `position` is kept apart, for `reproduce`.
pub(crate) const TRANSCRIPT_COMMAND: usize = 240;

/// Bytes of stderr kept.
pub(crate) const STDERR_BYTES: usize = 8 * 1024;

/// Lines of stderr in a transcript.
pub(crate) const STDERR_LINES: usize = 40;

/// Options read from one engine; the largest engines declare about 150.
pub(crate) const MAX_OPTIONS: usize = 1024;

/// Kinds of warnings counted for one engine and game; further kinds are counted together.
pub(crate) const MAX_WARNINGS: usize = 64;

/// How long to wait for the exit status of an engine that closed its output.
pub(crate) const STATUS_WAIT: Duration = Duration::from_millis(100);

/// How long to wait for a killed process to be gone.
pub(crate) const KILL_WAIT: Duration = Duration::from_secs(2);

/// Reads of stale output before a search; what an engine writes beyond it is read as part of the search.
pub(crate) const STALE_READS: u32 = 8;

const _: () = assert!(MAX_LINE * 2 <= READ_BUFFER, "a cut line must leave room to read on");
const _: () = assert!(MAX_LINE <= TRANSCRIPT_BYTES, "a transcript holds at least one line");
