//! Every limit of the shell, with its reason.

use std::time::Duration;

/// How often the core is told the time where it does not ask for it earlier: an idle coordinator sleeps.
pub const TICK: Duration = Duration::from_millis(250);

/// Least time between two ticks, whatever the core asks for: a tick is no busy loop.
pub const TICK_LEAST: Duration = Duration::from_millis(1);

/// How often the store is asked how full it is. Well below the time for which the core heeds the answer.
pub const SPACE_INTERVAL: Duration = Duration::from_secs(10);

/// How long the next piece of an upload may take: each upload holds one of few places.
pub const PIECE_DEADLINE: Duration = Duration::from_secs(30);

/// Words of workers that wait for the driver. A full channel holds the streams back by HTTP/2 flow control.
pub const SAID_QUEUE: usize = 1024;

/// Questions of operators that wait for the driver.
pub const ASK_QUEUE: usize = 256;

/// Questions that the core has not answered yet. More are refused, so that a store that hangs fills no memory.
pub const ASKS_OPEN: usize = 1024;

/// Answers of store, archive and books that wait for the driver.
pub const DONE_QUEUE: usize = 1024;

/// Messages that wait for one worker. A worker that lets so many lie does not read; its stream is closed, and what it
/// missed heals at its next beat.
pub const SESSION_QUEUE: usize = 1024;

/// Streams of workers at once.
pub const SESSIONS: usize = 10_000;

/// How long a worker may take from opening its stream to its `Hello`.
pub const HELLO_DEADLINE: Duration = Duration::from_secs(10);

/// How long a question may wait for its answer: longer than a store takes to elect anew, shorter than people wait.
pub const ASK_DEADLINE: Duration = Duration::from_secs(30);

/// How long a metrics scrape waits for the core; Prometheus itself gives up after 10 s.
pub const SCRAPE_DEADLINE: Duration = Duration::from_secs(2);

/// Between two HTTP/2 pings on a connection, also while idle. Not below 10 s: other implementations answer more
/// frequent ones with `too_many_pings`.
pub const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(20);

/// How long the answer to a ping may take before the connection is given up.
pub const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(10);

/// Engines that a person puts into an order at once. More are not level with each other at the end of an event.
pub const RANKED: usize = 1000;

/// Bytes of one piece of an upload or an export.
pub const PIECE: usize = 1024 * 1024;

/// Bytes of an uploaded file: the largest books that the field uses are a tenth of it.
pub const FILE: usize = 512 * 1024 * 1024;

/// Uploads at once: each may hold [`FILE`] bytes.
pub const UPLOADS: usize = 2;

/// Bytes of a status message as its header carries it: clients refuse headers of 8 or 16 KiB.
pub const STATUS: usize = 6 * 1024;

/// Characters of a file's name as a spec or a message has it.
pub const PATH: usize = 4_096;

/// Bytes of a spec: a season of a hundred engines is a hundredth of it.
pub const SPEC: usize = 1024 * 1024;

/// Bytes of a ladder's state: one of a hundred engines has some hundred kilobytes, a book's order of a hundred thousand
/// openings 700.
pub const LADDER_STATE: usize = 5 * 512 * 1024;

/// Files that one spec names.
pub const SPEC_FILES: usize = 1_000;

/// Characters of who, of a request id, of a name or an id.
pub const NAME: usize = 200;

/// Characters of a reason.
pub const REASON: usize = 2_000;

/// Records read from the archive at once for one export.
pub const EXPORT_READS: usize = 8;

/// Pieces of an export that wait for a client.
pub const EXPORT_QUEUE: usize = 2;

/// Games of one page at most: with 1 KiB a game it stays under the message limit.
pub const PAGE: usize = 1_000;

/// Moves of watched games that wait for the slowest watcher; one that falls further behind asks anew.
pub const MOVED_QUEUE: usize = 1024;

/// Least time between two messages to a watcher of an event: a fleet records hundreds of games a second.
pub const WATCH_INTERVAL: Duration = Duration::from_millis(200);

/// How often a watcher of a game says that it still watches; less than the core follows for one word.
pub const FOLLOW_INTERVAL: Duration = Duration::from_secs(120);

/// Messages that wait for a watcher.
pub const WATCH_QUEUE: usize = 16;

/// Finished games whose recording is being timed.
pub const TIMED: usize = 4_096;

/// From the order to shut down: how long transactions in flight are awaited.
pub const DRAIN: Duration = Duration::from_millis(600);

/// After that: how long connections may take to end by themselves.
pub const LINGER: Duration = Duration::from_millis(150);

/// After that: how long the store may take to close.
pub const CLOSE: Duration = Duration::from_millis(200);

/// Pages of the store that were read and not taken in: enough that neither side waits for the other's next one.
pub const PAGES: usize = 4;

/// Between two attempts to load the store.
pub const LOAD_RETRY: Duration = Duration::from_millis(500);

/// How long a standby waits for a connection to the leader.
pub const CONNECT: Duration = Duration::from_secs(3);

/// Slot classes of one worker.
pub const SLOT_CLASSES: usize = 64;

/// Engines of one worker's catalogue, and GPUs, labels, features.
pub const CATALOGUE: usize = 10_000;

const _: () = assert!(PIECE < rookery_proto::MESSAGE_LIMIT, "a piece fits a message");
const _: () = assert!(SPEC + LADDER_STATE < rookery_proto::MESSAGE_LIMIT, "a spec and a state fit a message");
const _: () = assert!(TICK_LEAST.as_nanos() < TICK.as_nanos(), "the least is less");
const _: () =
    assert!(DRAIN.as_millis() + LINGER.as_millis() + CLOSE.as_millis() < 1_000, "a shutdown takes less than a second");
const _: () = assert!(
    SPACE_INTERVAL.as_millis() * 2 < crate::core::limits::FULL_MS as u128,
    "an answer is heeded until the next"
);
