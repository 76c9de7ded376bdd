//! Every bound of the core, with its reason, and how they relate.

/// How often workers beat, milliseconds. Short, as a lost message heals at the next beat.
pub const BEAT_MS: u64 = 2_000;
/// Silence after which a worker's games are treated as interrupted, milliseconds. A rebooted switch comes back within
/// it; the worker plays on meanwhile.
pub const GRACE_MS: u64 = 30_000;
/// Longest wait between two tries of the store or the archive, milliseconds.
pub const RETRY_MAX_MS: u64 = 8_000;
/// First wait before a try is repeated, milliseconds.
pub const RETRY_MIN_MS: u64 = 50;
/// A tick that comes this much late was held up by our own machine, and says nothing about workers; milliseconds.
pub const LATE_TICK_MS: u64 = 5_000;
/// How often time is looked at when nothing happens, milliseconds.
pub const TICK_MS: u64 = 250;

/// How long writes gather while another transaction is on its way, milliseconds.
pub const BATCH_MS: u64 = 10;
/// Writes in one transaction.
pub const BATCH_WRITES: usize = 40;
/// Comparisons, and operations, in one transaction: etcd takes 128 by default, and the leader's key is compared too.
pub const BATCH_OPS: usize = 120;
/// Bytes of values in one transaction: etcd takes 1.5 MiB.
pub const BATCH_BYTES: usize = 1024 * 1024;
/// Transactions on their way at once.
pub const IN_FLIGHT: usize = 4;
/// The same where the store is in this process: it gathers by itself, and what needs no sync is not to be gathered with
/// what does.
pub const IN_FLIGHT_NEAR: usize = 64;
/// Writes that wait; beyond it, operators are refused and nothing is handed out.
pub const QUEUE_WRITES: usize = 20_000;

/// Records in one batch for the archive.
pub const ARCHIVE_RECORDS: usize = 64;
/// Bytes in one batch for the archive; one record may be larger.
pub const ARCHIVE_BYTES: usize = 1024 * 1024;
/// Bytes of records that wait for the archive. Beyond it results stay with their workers.
pub const ARCHIVE_WAITING_BYTES: usize = 64 * 1024 * 1024;

/// Bytes of facts that wait for the archive. They are few and small; beyond it the next leader writes them.
pub const JOURNAL_WAITING_BYTES: usize = 64 * 1024 * 1024;
/// How long it may take until the archive is told that records are on record, where nothing else goes there,
/// milliseconds: an object costs a round trip and, often, money.
pub const SETTLE_MS: u64 = 1_000;
/// How long an answer may wait for the archive, milliseconds. An object store gathers for a second.
pub const ANSWER_MS: u64 = 5_000;

/// Pairs of a worker, a slot, that are played and not on record yet; beyond it nothing is handed to it, so that a store
/// that lags behind holds the boards up, and memory is bounded.
pub const UNRECORDED: usize = 16;

/// Broken attempts after which a pair waits for a person.
pub const PAIR_BROKEN: u32 = 3;
/// Host faults in a row after which a worker waits for a person.
pub const WORKER_FAULTS: u32 = 5;
/// Workers that are known at once.
pub const WORKERS: usize = 10_000;
/// Bytes of a worker's id: it is part of every result, which has 300 bytes.
pub const WORKER_ID_BYTES: usize = 48;
/// Slots of one worker, all classes together.
pub const WORKER_SLOTS: u32 = 1_024;
/// Bytes of an error that is kept with a lease.
pub const ERROR_BYTES: usize = 400;
/// Bytes of a result in the store.
pub const RESULT_BYTES: usize = 300;
/// Plies kept of a running game; the rules of every game end one before that.
pub const RUNNING_PLIES: usize = 20_000;
/// Thinking between two checkpoints, milliseconds.
pub const CHECKPOINT_MS: u64 = 5_000;
/// Bytes of checkpoints in a second, all games together, but for rules that restart from the last ply: the store is for
/// results.
pub const CHECKPOINT_BYTES_PER_SECOND: u64 = 1_000_000;
/// How long an endgame table may be waited for after an interruption, milliseconds. One on a slow disk answers in less.
pub const PROBE_MS: u64 = 10_000;
/// How long nothing of an engine that did not start on a worker is handed to it, milliseconds. Then it is tried again: two
/// engines of a pair may each have failed where the other one plays, and neither asks a person.
pub const BAD_ENGINE_MS: u64 = 300_000;
/// Decisions that are kept for each game, to be explained.
pub const DECISIONS: usize = 20;
/// Bytes of last lines of engines that are kept of interrupted games, all together; a worker tells about 100 KB of one.
pub const LAST_LINES_BYTES: usize = 16 << 20;
/// Bytes that each interrupted attempt counts there at least.
pub const LAST_LINES_LEAST: usize = 32 << 10;
/// Interrupted attempts whose last lines stand in a game's record.
pub const LAST_LINES_GAME: usize = 3;
/// Bytes of principal variations in an order to go on with a game: two games and their setups fit a message of 4 MiB.
pub const RESUME_PV_BYTES: usize = 512 * 1024;
/// Bytes of one checkpoint.
pub const CHECKPOINT_BYTES: usize = 256 * 1024;
/// Events that are known at once, finished ones included.
pub const EVENTS: usize = 10_000;
/// Games on one page.
pub const PAGE: usize = 1_000;
/// How often the core asks an event for more where what is due cannot be placed.
pub const ASKS: usize = 64;
/// Rounds of settling, handing out and sending after one input.
pub const ROUNDS: usize = 8;
/// How long a worker tells each ply after someone began to follow, milliseconds.
pub const FOLLOW_MS: u64 = 600_000;
/// Share of the store's quota, in percent, from which nothing is handed out and no checkpoint is stored.
pub const SPACE_PERCENT: u64 = 80;
/// How long nothing is handed out after the store said that it is full, milliseconds.
pub const FULL_MS: u64 = 30_000;

/// Rating lists at most.
pub const LISTS: usize = 1_000;
/// Files that are brought into one list at most.
pub const IMPORTS: usize = 10_000;
/// Games that one page of a schedule is looked for in: nothing else is done meanwhile.
pub const SCHEDULE_LOOK: usize = 20_000;
/// Bytes of an imported ladder on record: one fact, which leaves its transaction room for the event's spec.
pub const IMPORTED_BYTES: usize = 900_000;
/// Openings of a book whose order a ladder's state can say: the answer stays under the message limit.
pub const EXPORTED_OPENINGS: u64 = 300_000;

const _: () = assert!(BEAT_MS <= GRACE_MS / 4);
const _: () = assert!(RETRY_MAX_MS <= GRACE_MS / 3);
const _: () = assert!(RETRY_MIN_MS < RETRY_MAX_MS);
const _: () = assert!(LATE_TICK_MS < GRACE_MS && TICK_MS < LATE_TICK_MS);
const _: () = assert!(BATCH_MS < TICK_MS && BATCH_WRITES * 3 <= BATCH_OPS);
const _: () = assert!(WORKER_ID_BYTES < RESULT_BYTES / 4);

/// What a coordinator is set up with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// How often workers beat, milliseconds; at most a quarter of the grace.
    pub beat_ms: u64,
    /// Silence after which a worker's games are treated as interrupted, milliseconds.
    pub grace_ms: u64,
    /// How long a new leader waits for workers that come back with what they are playing, milliseconds. 0 where the
    /// workers are part of this process, so that none can.
    pub former_grace_ms: u64,
    /// How long writes gather while another transaction is on its way, milliseconds. 0 where the store gathers by
    /// itself, as the embedded one does.
    pub batch_ms: u64,
    /// Transactions on their way at once.
    pub in_flight: usize,
    /// How long it may take until the archive is told that records are on record, where nothing else goes there,
    /// milliseconds. 0 for a folder of this machine.
    pub settle_ms: u64,
    /// This program's version.
    pub version: String,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            beat_ms: BEAT_MS,
            grace_ms: GRACE_MS,
            former_grace_ms: GRACE_MS,
            batch_ms: BATCH_MS,
            in_flight: IN_FLIGHT,
            settle_ms: SETTLE_MS,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

impl Config {
    /// Coordinator and worker in one process: nothing of a former process can still be in play.
    #[must_use]
    pub fn one_process() -> Self {
        Self { former_grace_ms: 0, batch_ms: 0, in_flight: IN_FLIGHT_NEAR, settle_ms: 0, ..Self::default() }
    }

    /// The same with `beat_ms` at most a quarter of `grace_ms`.
    #[must_use]
    pub fn checked(mut self) -> Self {
        self.grace_ms = self.grace_ms.max(4);
        self.beat_ms = self.beat_ms.clamp(1, self.grace_ms / 4);
        self
    }
}
