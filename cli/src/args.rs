//! The command line.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::exit;

/// Engine tournaments on a cluster, or whole on one laptop.
#[derive(Debug, Parser)]
#[command(name = "rookery", version, about, after_help = exit::HELP, propagate_version = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Print JSON where a script reads.
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Say more on stderr; twice for even more. `ROOKERY_LOG=rookery_worker=debug` picks parts.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,

    /// How log lines look.
    #[arg(long, global = true, value_enum, default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,

    #[command(flatten)]
    pub(crate) operator: OperatorOptions,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Where the coordinator is, and who asks.
#[derive(Debug, Clone, Args)]
pub(crate) struct OperatorOptions {
    /// The coordinator to ask or to attach to; or several, separated by commas.
    #[arg(
        long,
        global = true,
        env = "ROOKERY_COORDINATOR",
        default_value = "http://127.0.0.1:7700",
        value_name = "URL"
    )]
    pub(crate) coordinator: String,

    /// Who changes something; on record with every change.
    #[arg(long, global = true, env = "ROOKERY_BY", value_name = "NAME")]
    pub(crate) by: Option<String>,

    /// Why; on record with every change.
    #[arg(long, global = true, default_value = "", value_name = "TEXT")]
    pub(crate) reason: String,
}

impl OperatorOptions {
    /// Of who asks this coordinator and changes nothing.
    pub(crate) const fn of(coordinator: String) -> Self {
        Self { coordinator, by: None, reason: String::new() }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Play an event on this machine: coordinator, store and worker in one process.
    Run(Box<RunArgs>),
    /// Run a coordinator of a cluster.
    Coordinator(Box<CoordinatorArgs>),
    /// Build a store anew from the archive, where the old one is lost; the new one must be empty.
    Recover(RecoverArgs),
    /// Run a worker: it hosts engines and plays what a coordinator hands out.
    #[command(args_conflicts_with_subcommands = true)]
    Worker(Box<WorkerArgs>),
    /// Check a spec, or print it with every default filled in.
    Spec {
        #[command(subcommand)]
        command: SpecCommand,
    },
    /// Check an opening book.
    Book {
        #[command(subcommand)]
        command: BookCommand,
    },
    /// Check an engine.
    Engine {
        #[command(subcommand)]
        command: EngineCommand,
    },
    /// The games to come of an event; or make or check a position schedule of Chinese checkers.
    #[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
    Schedule {
        #[command(subcommand)]
        command: Option<ScheduleCommand>,
        #[command(flatten)]
        to_come: ToCome,
    },
    /// Play Chinese checkers by CCP on standard input and output: a small engine to begin with.
    #[command(after_help = crate::ccp_engine::HELP)]
    CcpEngine,
    /// Make a rating list from PGN files: BayesElo's model, Ordo's, or TCEC's list.
    Rate(Box<crate::rate::RateArgs>),
    /// Print a completion script for a shell.
    Completions {
        /// Which shell.
        shell: clap_complete::Shell,
    },
    #[command(flatten)]
    Operator(OperatorCommand),
    /// Starts an engine pinned and shut in; for the worker's own use.
    #[command(hide = true, disable_help_flag = true)]
    Launch(LaunchArgs),
}

/// What `rookery launch` passes on to the worker's launcher.
#[derive(Debug, Args)]
pub(crate) struct LaunchArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<std::ffi::OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The spec. Without one, flags describe the match, and the spec they make is printed.
    #[arg(value_name = "SPEC")]
    pub(crate) spec: Option<PathBuf>,

    /// An engine: a path, or a name on PATH; at least two without a spec.
    #[arg(long = "engine", value_name = "PROGRAM", conflicts_with = "spec")]
    pub(crate) engines: Vec<String>,

    /// Names for the engines, in the same order.
    #[arg(long = "name", value_name = "NAME", conflicts_with = "spec")]
    pub(crate) names: Vec<String>,

    /// The time control: `8+0.08`, `40/15m+3s`, `nodes=20000`, `movetime=1s`.
    #[arg(long, value_name = "CONTROL", conflicts_with = "spec")]
    pub(crate) tc: Option<String>,

    /// An opening book: EPD, PGN or Polyglot, also zipped.
    #[arg(long, value_name = "FILE", conflicts_with = "spec")]
    pub(crate) book: Option<PathBuf>,

    /// Stop by SPRT: `ELO0,ELO1`.
    #[arg(long, value_name = "ELO0,ELO1", conflicts_with = "spec", allow_hyphen_values = true)]
    pub(crate) sprt: Option<String>,

    /// Openings of each meeting; each gives two games. Default: 50, with --sprt 50,000.
    #[arg(long, value_name = "N", conflicts_with = "spec")]
    pub(crate) pairs: Option<u32>,

    /// An option for all engines: `Hash=16`.
    #[arg(long = "option", value_name = "NAME=VALUE", conflicts_with = "spec")]
    pub(crate) options: Vec<String>,

    /// Threads of each engine.
    #[arg(long, value_name = "N", conflicts_with = "spec")]
    pub(crate) threads: Option<u32>,

    /// Which game: `chess` or `chess960`.
    #[arg(long, value_name = "GAME", conflicts_with = "spec")]
    pub(crate) game: Option<String>,

    /// Games at once. Default: the free physical cores less one, at least one, by the cores of a slot.
    #[arg(long, value_name = "N")]
    pub(crate) concurrency: Option<u32>,

    /// Allow more games at once than there are cores. It makes clocks unfair.
    #[arg(long)]
    pub(crate) oversubscribe: bool,

    /// Change one key of the spec: `event.time-control=5+0.05`. May come again.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,

    /// The seed of everything random. Default: drawn, stored and printed.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// Where results go. Default: a folder with the event's name.
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,

    /// Put an older output of another spec or other engines aside (as `DIR.1`, `DIR.2`, …) and begin anew.
    #[arg(long, conflicts_with = "go_on")]
    pub(crate) start_over: bool,

    /// Go on although an engine's program has changed since the older results.
    #[arg(long)]
    pub(crate) go_on: bool,

    /// Go on with a ladder that was begun elsewhere: its `ladder_state.json`. What is impossible in it is named.
    #[arg(long, value_name = "STATE", requires = "spec")]
    pub(crate) ladder_state: Option<PathBuf>,

    /// Keep the games in play as `live.pgn` and `live/ROUND.pgn` in the output, for tools of web sites.
    #[arg(long)]
    pub(crate) live: bool,

    /// Only say what would be played: how many games, about how long.
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Where the API listens meanwhile. Default: 127.0.0.1:7700, or a free port where that is taken.
    #[arg(long, value_name = "ADDR")]
    pub(crate) listen: Option<String>,

    /// Shut engines in altogether: they also write to their own folder alone. Refuses to play where the kernel cannot.
    #[arg(long)]
    pub(crate) require_sandbox: bool,

    /// Start engines as they are: with network and privileges. They are still pinned.
    #[arg(long, conflicts_with = "require_sandbox")]
    pub(crate) no_sandbox: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CoordinatorArgs {
    /// Where state is: `etcd://host:2379,host:2379` or `embedded:FILE`.
    #[arg(long, env = "ROOKERY_STORE", value_name = "URL")]
    pub(crate) store: String,

    /// Where finished games are: a folder that all coordinators share, or `s3://…` (built with the `s3` feature).
    #[arg(long, env = "ROOKERY_ARCHIVE", value_name = "URL")]
    pub(crate) archive: String,

    /// Where the API listens.
    #[arg(long, env = "ROOKERY_LISTEN", default_value = "0.0.0.0:7700", value_name = "ADDR")]
    pub(crate) listen: String,

    /// Where health and metrics are served over HTTP; `none` for nowhere.
    #[arg(long, env = "ROOKERY_HTTP", default_value = "0.0.0.0:7701", value_name = "ADDR")]
    pub(crate) http: String,

    /// The address under which workers and other coordinators reach this one. Default: from `--listen`.
    #[arg(long, env = "ROOKERY_ADVERTISE", value_name = "URL")]
    pub(crate) advertise: Option<String>,

    /// The leader's lease: without a word for so long, another coordinator leads. At most the grace.
    #[arg(long, default_value = "5s", value_parser = duration, value_name = "TIME")]
    pub(crate) lease: Duration,

    /// How long a worker may be silent before its games count as interrupted.
    #[arg(long, default_value = "15s", value_parser = duration, value_name = "TIME")]
    pub(crate) grace: Duration,

    /// Where rating lists are published: the folder that their `publish = { to = … }` is below. The coordinator that leads
    /// writes each list as often as its `every` says; all coordinators share the folder. Default: it publishes none.
    #[arg(long, env = "ROOKERY_PUBLISH", value_name = "DIR")]
    pub(crate) publish: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct RecoverArgs {
    /// The archive of the lost store: a folder, or `s3://…` (built with the `s3` feature).
    #[arg(long, env = "ROOKERY_ARCHIVE", value_name = "URL")]
    pub(crate) archive: String,

    /// The new store, empty: `etcd://host:2379,host:2379` or `embedded:FILE`. No coordinator may lead over it.
    #[arg(long, env = "ROOKERY_STORE", value_name = "URL")]
    pub(crate) store: String,

    /// Which store to build anew, where several wrote to the archive.
    #[arg(long, value_name = "STORE-ID")]
    pub(crate) from: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct WorkerArgs {
    #[command(subcommand)]
    pub(crate) command: Option<WorkerCommand>,
    #[command(flatten)]
    pub(crate) options: WorkerOptions,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WorkerCommand {
    /// Show how this machine would be cut into slots.
    Plan,
}

#[derive(Debug, Args)]
pub(crate) struct WorkerOptions {
    /// The catalogue: `[[engine]]` tables with `name`, `program`, `args`, `env`, `directory`.
    #[arg(long, env = "ROOKERY_ENGINES", value_name = "FILE", global = true)]
    pub(crate) engines: Option<PathBuf>,

    /// This worker's id, unique in the fleet. Default: the host's name.
    #[arg(long, env = "ROOKERY_WORKER", value_name = "ID", global = true)]
    pub(crate) id: Option<String>,

    /// How many slots. Default: as many as the allowed cores give, less one core for the worker itself where
    /// there is more than one.
    #[arg(long, value_name = "N", global = true)]
    pub(crate) slots: Option<u32>,

    /// Cores of each slot.
    #[arg(long, default_value_t = 1, value_name = "N", global = true)]
    pub(crate) cores: u32,

    /// GPUs of each slot, told to engines by `CUDA_VISIBLE_DEVICES` and its like. Slots are then at most as many as the
    /// GPUs give.
    #[arg(long, default_value_t = 0, value_name = "N", global = true)]
    pub(crate) gpus: u32,

    /// Allow more slots than there are cores. It makes clocks unfair.
    #[arg(long, global = true)]
    pub(crate) oversubscribe: bool,

    /// A label that events may ask for. May come again.
    #[arg(long = "label", value_name = "KEY=VALUE", global = true)]
    pub(crate) labels: Vec<String>,

    /// Folders of Syzygy tables, separated by `:`. May come again.
    #[arg(long, env = "ROOKERY_TABLEBASES", value_name = "DIR", global = true)]
    pub(crate) tablebases: Vec<String>,

    /// Where unacknowledged games and engines' folders are. Default: `/var/lib/rookery`, or `~/.local/state/rookery`.
    #[arg(long, env = "ROOKERY_STATE", value_name = "DIR", global = true)]
    pub(crate) state: Option<PathBuf>,

    /// How long running games may go on after SIGTERM before they are handed back.
    #[arg(long, default_value = "30s", value_parser = duration, value_name = "TIME", global = true)]
    pub(crate) grace: Duration,

    /// Shut engines in altogether: they also write to their own folder alone. Refuses to play where the kernel cannot.
    #[arg(long, global = true)]
    pub(crate) require_sandbox: bool,

    /// Start engines as they are: with network and privileges. They are still pinned.
    #[arg(long, conflicts_with = "require_sandbox", global = true)]
    pub(crate) no_sandbox: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SpecCommand {
    /// Find all mistakes of a spec.
    Check {
        /// The spec.
        file: PathBuf,
    },
    /// Print a spec with every default filled in.
    Explain {
        /// The spec.
        file: PathBuf,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum BookCommand {
    /// Find all mistakes of a book, and say what it has.
    Check {
        /// The book: EPD, PGN or Polyglot, also zipped.
        file: PathBuf,
        /// Which game it is for: `chess`, `chess960`, or `chinese-checkers` (a schedule).
        #[arg(long, default_value = "chess", value_name = "GAME")]
        game: String,
    },
}

/// Which games to come are listed.
#[derive(Debug, Clone, Args)]
pub(crate) struct ToCome {
    /// The event; may be left out where there is one.
    #[arg(default_value = "")]
    pub(crate) event: String,
    /// What follows it is a mistake, which is named.
    #[arg(hide = true)]
    pub(crate) beyond: Vec<String>,
    /// Only games of this engine.
    #[arg(long, value_name = "NAME")]
    pub(crate) engine: Option<String>,
    /// At most so many.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pub(crate) limit: u32,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ScheduleCommand {
    /// Make a schedule: a fifth of clean starts, the rest positions that mixed engines reached, evenly mixed.
    Make(ScheduleMakeArgs),
    /// Find all mistakes of a schedule, and say what it has and its digest.
    Check {
        /// The schedule, JSONL.
        file: PathBuf,
        /// The rules under which its games must go on: `strict` or `strict-v1`.
        #[arg(long, default_value = "strict", value_name = "PROFILE")]
        rules: String,
        /// The absolute ply at which games are drawn.
        #[arg(long, default_value_t = rookery_game::chinese_checkers::MAX_PLY, value_name = "PLIES")]
        max_plies: u32,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ScheduleMakeArgs {
    /// How many rows; each is played twice, with the engines exchanged.
    #[arg(long, default_value_t = 128)]
    pub(crate) rows: usize,
    /// Decides all positions; the same seed makes the same schedule.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Its name; ids begin with it.
    #[arg(long, default_value = "schedule", value_name = "NAME")]
    pub(crate) suite: String,
    /// Where to; default: stdout.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write over a file that is there.
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct LogOptions {
    /// A log's rules: `strict` or `strict-v1`; default: those that each game names.
    #[arg(long, value_name = "PROFILE", conflicts_with = "game")]
    pub(crate) rules: Option<String>,
    /// The absolute ply at which a log's games are drawn; default: that which each game names.
    #[arg(long, value_name = "PLIES", conflicts_with = "game")]
    pub(crate) max_plies: Option<u32>,
    /// Take a path of a log that is not legal by its ends, where these are a move, as other referees do.
    #[arg(long, conflicts_with = "game")]
    pub(crate) lenient: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EngineCommand {
    /// Start an engine and go through its protocol step by step.
    Check {
        /// What it speaks.
        #[arg(long, default_value = "uci", value_parser = ["uci", "ccp"], value_name = "PROTOCOL")]
        protocol: String,
        /// The program, then its arguments.
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD")]
        command: Vec<String>,
    },
}

/// What becomes of the games of an engine that leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GamesOfWhoLeaves {
    /// They count.
    Keep,
    /// They count nowhere.
    Void,
}

/// What operators ask a coordinator.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum OperatorCommand {
    /// Apply a spec: begin an event, or change what is free in a running one.
    Apply {
        /// The spec.
        spec: PathBuf,
        /// Only say what would happen.
        #[arg(long)]
        dry_run: bool,
        /// Begin paused.
        #[arg(long)]
        paused: bool,
        /// A ruling: it may also change tie-breaks and the rule for interruptions. Needs --reason.
        #[arg(long)]
        ruling: bool,
        /// Change one key of the spec: `event.time-control=5+0.05`. May come again.
        #[arg(long = "set", value_name = "KEY=VALUE")]
        set: Vec<String>,
    },
    /// List events.
    List {
        /// Only those that wait for a person.
        #[arg(long)]
        waiting: bool,
    },
    /// Watch an event until it ends, or a game until it ends.
    Watch {
        /// The event.
        event: String,
        /// A game: `ROUND.GAME` or `PAIR/GAME`.
        game: Option<String>,
        /// Keep the games in play as `live.pgn` and `live/ROUND.pgn` in this folder, for tools of web sites.
        #[arg(long, value_name = "DIR", conflicts_with = "game")]
        live: Option<PathBuf>,
    },
    /// The score table.
    Standings {
        /// The event; may be left out where there is one.
        #[arg(default_value = "")]
        event: String,
        /// Also say, for each line, why it stands below the one above it.
        #[arg(long)]
        why: bool,
    },
    /// The rating list of an event, or one that joins many events, up to date after each game.
    Ratings {
        /// The event or the list; may be left out where there is one event.
        #[arg(default_value = "")]
        event: String,
        /// Which model rates. Default: the event's own, else BayesElo's, of Chinese checkers Bradley and Terry's.
        #[arg(long, value_enum)]
        model: Option<crate::rate::ModelArg>,
        /// An engine whose rating is given, `NAME=ELO`; the others' are relative to it.
        #[arg(long, value_name = "NAME=ELO")]
        anchor: Option<String>,
        /// Comma-separated.
        #[arg(long)]
        csv: bool,
        /// Again after each game, until the event ends.
        #[arg(long)]
        watch: bool,
    },
    /// Rating lists over many events: what they join, and what was brought in.
    Lists,
    /// Bring games older than the cluster into a rating list. The same file is refused the second time.
    Import {
        /// PGN.
        #[arg(required = true, value_name = "PGN")]
        files: Vec<PathBuf>,
        /// The list; may be left out where there is one.
        #[arg(long, default_value = "", value_name = "NAME")]
        list: String,
        /// Only say what would be brought in.
        #[arg(long)]
        dry_run: bool,
    },
    /// Write a rating list into a folder: ratings as text, CSV and JSON, results of each against each, games as PGN, whole
    /// and of each engine.
    Publish {
        /// The list.
        list: String,
        /// Where to. Default: as the list's `publish` says.
        #[arg(value_name = "DIR")]
        folder: Option<PathBuf>,
        /// Again and again, until it is ended. Default: as the list's `publish` says, once where it says nothing.
        #[arg(long, value_parser = duration, value_name = "TIME")]
        every: Option<Duration>,
        /// Once, whatever the list says.
        #[arg(long, conflicts_with = "every")]
        once: bool,
    },
    /// Points of each against each.
    Crosstable {
        /// The event; may be left out where there is one.
        #[arg(default_value = "")]
        event: String,
    },
    /// List games.
    Games {
        /// The event.
        event: String,
        /// Only games of this engine.
        #[arg(long, value_name = "NAME")]
        engine: Option<String>,
        /// Only games that are `waiting`, `playing`, `finished`, `surplus`, `voided` or `set-aside`.
        #[arg(long, value_name = "PHASE")]
        phase: Option<String>,
        /// At most so many.
        #[arg(long, default_value_t = 1000, value_name = "N")]
        limit: u32,
    },
    /// The games to come, as `rookery schedule` lists them.
    #[command(hide = true)]
    ToCome(ToCome),
    /// Write games as PGN or JSONL.
    Export {
        /// The event.
        event: String,
        /// Where to; default: stdout.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// `pgn`, `jsonl`, or `ccp-log` (Chinese checkers: a line for each move).
        #[arg(long, default_value = "pgn", value_name = "FORMAT")]
        format: String,
        /// PGN without comments.
        #[arg(long)]
        minimal: bool,
        /// Also surplus and voided games, marked so.
        #[arg(long)]
        all: bool,
    },
    /// Why a game waits, runs or ended, and who decided.
    Explain {
        /// The event.
        event: String,
        /// The game: `ROUND.GAME` as the PGN names it, or `PAIR/GAME`.
        game: String,
        /// Also the last lines of both engines, with times: at most 200 lines and 32 KiB of each. They are kept of games
        /// that ended by a fault, of attempts that came back, and of every game where the event says `transcripts`.
        #[arg(long)]
        transcript: bool,
    },
    /// Write a ladder's state, or go on with one that was begun elsewhere.
    Ladder {
        #[command(subcommand)]
        command: LadderCommand,
    },
    /// The log of an event: what was drawn, ruled, paused, and by whom.
    Log {
        /// The event.
        event: String,
    },
    /// Hand out nothing more of an event.
    Pause {
        /// The event.
        event: String,
        /// Hand running games back at once.
        #[arg(long)]
        now: bool,
    },
    /// End a pause.
    Resume {
        /// The event.
        event: String,
    },
    /// Close an event with what is on record.
    Stop {
        /// The event.
        event: String,
    },
    /// Engines join a running event: they meet all that are there.
    Join {
        /// The event.
        event: String,
        /// A file of `[[engine]]` tables, as in a spec.
        engines: PathBuf,
    },
    /// An engine leaves a running event. Needs --reason.
    Withdraw {
        /// The event.
        event: String,
        /// The engine.
        engine: String,
        /// What becomes of its games on record.
        #[arg(long, value_enum)]
        games: GamesOfWhoLeaves,
    },
    /// Say with which of several builds of its program an engine plays. Needs --reason.
    Freeze {
        /// The event.
        event: String,
        /// The engine.
        engine: String,
        /// The digest of its program, or the first digits of it.
        digest: String,
    },
    /// Void a game, and play it again. With a log alone: play its games through, and say which would have ended
    /// differently under the rules asked for.
    Replay {
        /// The event; without a game, a log of Chinese checkers (`ccp_game_start`, `ccp_move`, `ccp_game_end`), or records
        /// of `rookery export --format jsonl`.
        #[arg(value_name = "EVENT|LOG")]
        event: String,
        /// The game: `ROUND.GAME` as the PGN names it, or `PAIR/GAME`.
        game: Option<String>,
        #[command(flatten)]
        log: LogOptions,
    },
    /// Void a game; nothing is played in its place.
    Void {
        /// The event.
        event: String,
        /// The game: `ROUND.GAME` as the PGN names it, or `PAIR/GAME`.
        game: String,
    },
    /// Give a game a result.
    Rule {
        /// The event.
        event: String,
        /// The game: `ROUND.GAME` as the PGN names it, or `PAIR/GAME`.
        game: String,
        /// `1-0`, `0-1` or `1/2-1/2`.
        result: String,
    },
    /// Order engines that are level on all tie-breaks, best first. Needs --by and --reason.
    Rank {
        /// The event.
        event: String,
        /// All that share a place, best first.
        #[arg(required = true, num_args = 2.., value_name = "ENGINE")]
        engines: Vec<String>,
    },
    /// A season: its events, what waits for a person, and how many go up and down.
    Season {
        /// The season; may be left out where there is one.
        #[arg(default_value = "")]
        season: String,
        /// Print what happened and who decided it, as Markdown.
        #[arg(long, conflicts_with = "next")]
        history: bool,
        /// Print the beginning of the next season's file.
        #[arg(long)]
        next: bool,
    },
    /// Let a season go on behind an event that is over.
    Advance {
        /// The season; may be left out where there is one.
        #[arg(default_value = "")]
        season: String,
        /// The event, by its name in the season. Default: the one whose gate is shut.
        #[arg(long, default_value = "", value_name = "EVENT")]
        event: String,
    },
    /// Say how many go up and down out of an event that has not begun. Needs --by and --reason.
    Numbers {
        /// The season.
        season: String,
        /// The event, by its name in the season.
        event: String,
        /// How many go up. Default: as the rules say.
        #[arg(long, value_name = "N")]
        promote: Option<u32>,
        /// How many go down. Default: as the rules say.
        #[arg(long, value_name = "N")]
        relegate: Option<u32>,
    },
    /// Note how an engine answered its invitation; who declines leaves its place vacant.
    Invite {
        /// The season.
        season: String,
        /// The engine.
        engine: String,
        /// `invited`, `accepted` or `declined`.
        #[arg(default_value = "invited")]
        answer: String,
    },
    /// Allow an engine another program from an event on. Needs --by and --reason.
    Update {
        /// The season.
        season: String,
        /// The engine.
        engine: String,
        /// The first event in which it plays so, by its name in the season.
        event: String,
    },
    /// List workers.
    Workers,
    /// Give a worker nothing more.
    Drain {
        /// The worker.
        worker: String,
        /// How long running games may go on before they are handed back.
        #[arg(long, default_value = "1h", value_parser = duration, value_name = "TIME")]
        grace: Duration,
    },
    /// End a drain.
    Undrain {
        /// The worker.
        worker: String,
    },
    /// What the coordinator says of itself.
    Status,
}

/// What is done with a ladder's state.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum LadderCommand {
    /// Write the state of a ladder as other programs keep it. A file of another ladder is kept beside it as `.bak`.
    Export {
        /// The event; may be left out where there is one.
        #[arg(default_value = "")]
        event: String,
        /// Where to; default: stdout.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Show the standings of a state, and go on with it as a new event. What is impossible in it is named.
    Import {
        /// The state: `ladder_state.json`.
        state: PathBuf,
        /// The spec of the ladder: the same engines in the same order by rating, as many pairs a match.
        spec: PathBuf,
        /// Only show the standings, and say what would happen.
        #[arg(long)]
        dry_run: bool,
        /// Begin a fresh ladder, and keep the state as `.bak`.
        #[arg(long)]
        start_new: bool,
        /// Begin paused.
        #[arg(long)]
        paused: bool,
        /// Change one key of the spec: `event.time-control=5+0.05`. May come again.
        #[arg(long = "set", value_name = "KEY=VALUE")]
        set: Vec<String>,
    },
}

/// `90s`, `1m30s`, `500ms`; a bare number is refused, as nobody can tell its unit.
fn duration(text: &str) -> Result<Duration, String> {
    let span: jiff::SignedDuration =
        text.parse().map_err(|_| format!("`{text}` is not a time; expected e.g. `30s`, `500ms`, `1h30m`"))?;
    Duration::try_from(span).map_err(|_| format!("`{text}` is negative"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        <Cli as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn times_have_units() {
        assert_eq!(duration("1m30s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert!(duration("30").is_err());
        assert!(duration("-3s").is_err());
    }
}
