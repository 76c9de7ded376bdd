//! Starts the parts: a coordinator of a cluster, a worker of a fleet, the worker of `rookery run`.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{Arc, mpsc::SyncSender},
};

use rookery_coordinator::{
    archive, core,
    shell::{self, Coordinator},
    store,
};
use rookery_game::{GameRecord, adjudicate::Tablebase};
use rookery_tournament::spec::Spec;
use rookery_worker::{
    catalogue::Catalogue,
    hardware::{self, Machine},
    link::{self, Config, Leave},
    tablebase::Tables,
};
use serde_json::json;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::watch,
};

pub(crate) use rookery_worker::{
    cage::Cage,
    hardware::{Plan, Wish},
};

use crate::{
    args::{CoordinatorArgs, LaunchArgs, RunArgs, WorkerOptions},
    exit::{self, Outcome, Usage},
    progress,
    run::Folder,
};

/// Descriptors that one slot needs: two engines with their pipes, pidfds and pollers; and the process besides.
const DESCRIPTORS_PER_SLOT: u64 = 24;
const DESCRIPTORS_BESIDES: u64 = 64;

/// The signals that end a process in order.
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

impl Signals {
    pub(crate) fn new() -> std::io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// The next one, by name.
    pub(crate) async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "interrupted",
            _ = self.terminate.recv() => "terminated",
            _ = self.hang_up.recv() => "hung up",
        }
    }
}

/// `rookery coordinator`.
pub(crate) async fn coordinator(args: CoordinatorArgs) -> Outcome {
    let listen = address("--listen", &args.listen)?;
    let http_listen = if args.http == "none" { None } else { Some(address("--http", &args.http)?) };
    let advertise = match args.advertise {
        Some(url) => url,
        None if listen.ip().is_unspecified() => {
            let host = rustix::system::uname();
            format!("http://{}:{}", host.nodename().to_string_lossy(), listen.port())
        }
        None => format!("http://{listen}"),
    };
    let options = store::Options { lease: args.lease, advertised: advertise.clone(), ..store::Options::default() };
    // A place that is written wrongly is no store that fails.
    args.store.parse::<store::Place>().map_err(|error| Usage(exit::full(&error)))?;
    let store = store::open(&args.store, options).await?;
    let archive = archive::open(&args.archive).await?;
    if args.lease > args.grace {
        return Err(
            Usage("--lease is longer than --grace: workers would be given up before a new leader".to_owned()).into()
        );
    }
    let grace_ms = u64::try_from(args.grace.as_millis()).unwrap_or(u64::MAX);
    let config = core::Config { grace_ms, former_grace_ms: grace_ms, ..core::Config::default() };
    let core = core::Core::new(config.checked());
    let running = Coordinator::start(shell::Config { listen, http_listen, advertise, store, archive }, core).await?;
    tell!("rookery coordinator on {}", running.grpc_addr);
    let (role, address) = (running.handle().role(), running.grpc_addr);
    let publishing = async {
        match args.publish {
            Some(folder) => crate::publisher::run(role, address, folder).await,
            None => std::future::pending().await,
        }
    };
    let mut signals = Signals::new()?;
    tokio::select! {
        signal = signals.next() => tracing::info!(signal, "shutting down"),
        () = running.ended() => return Err("the coordinator ended by itself".into()),
        () = publishing => return Err("the coordinator ended by itself".into()),
    }
    running.shutdown().await;
    Ok(exit::DONE)
}

fn address(flag: &str, text: &str) -> Result<SocketAddr, Usage> {
    text.parse().map_err(|_| Usage(format!("{flag} {text}: expected an address and a port, e.g. `0.0.0.0:7700`")))
}

/// `rookery worker`.
pub(crate) async fn worker(coordinators: String, options: WorkerOptions) -> Outcome {
    let catalogue = match &options.engines {
        Some(path) => Catalogue::read(path).map_err(|error| Usage(exit::full(&error)))?,
        None => return Err(Usage("no catalogue: name one with --engines engines.toml".to_owned()).into()),
    };
    let wish = wish_of_worker(&options);
    let plan = plan(&wish)?;
    check_descriptors(plan.slots.len())?;
    let cage = cage(options.no_sandbox, options.require_sandbox)?;
    let state = options.state.clone().unwrap_or_else(default_state);
    let machine = Machine::this()?;
    let (tables, tablebase_men) = tables(&split_paths(&options.tablebases));
    let config = Config {
        id: options.id.clone().unwrap_or_else(|| rustix::system::uname().nodename().to_string_lossy().into_owned()),
        coordinators: coordinators.split(',').map(|url| url.trim().to_owned()).filter(|url| !url.is_empty()).collect(),
        slots: plan.slots,
        catalogue: Arc::new(catalogue),
        tables,
        tablebase_men,
        labels: labels(&options.labels)?,
        cpu_features: machine.cpu_features.clone(),
        memory_bytes: machine.memory_bytes,
        cage: cage.enforced(),
        scratch: state.join("engines"),
        outbox: state.join("outbox"),
        durable_outbox: true,
        launcher: cage.launcher(),
        handed_back: None,
    };
    tell!("rookery worker {}: {} slots", config.id, config.slots.len());
    let (leave, leaving) = watch::channel(Leave::No);
    let mut running = tokio::spawn(link::run(config, leaving));
    let mut signals = Signals::new()?;
    let mut asked = false;
    loop {
        tokio::select! {
            ended = &mut running => {
                ended??;
                return Ok(exit::DONE);
            }
            signal = signals.next() => {
                let word = if asked { Leave::Abort } else { Leave::After(options.grace) };
                tell!("{signal}: {}", if asked { "aborting" } else { "draining" });
                asked = true;
                leave.send_replace(word);
            }
        }
    }
}

/// `rookery worker plan`.
pub(crate) fn worker_plan(options: &WorkerOptions, json: bool) -> Outcome {
    let wish = wish_of_worker(options);
    let machine = Machine::this()?;
    let plan = hardware::plan(&machine, &wish).map_err(|error| Usage(exit::full(&error)))?;
    let cage = Cage::probe();
    if json {
        let slots = plan
            .slots
            .iter()
            .map(|slot| json!({ "cpus": slot.cpus, "gpus": slot.gpus, "memory_bytes": slot.shape.memory_bytes }));
        println!(
            "{:#}",
            json!({ "slots": slots.collect::<Vec<_>>(), "kept": plan.kept, "warnings": plan.warnings,
            "cage": cage.enforced(), "not_enforced": cage.missing() })
        );
    } else {
        print!("{machine}");
        print!("{plan}");
        println!("with --require-sandbox, engines are held by: {}", cage.enforced().join(", "));
        for missing in cage.missing() {
            println!("not here: {missing}");
        }
    }
    Ok(exit::DONE)
}

/// `rookery launch`: becomes an engine.
pub(crate) fn launch(args: &LaunchArgs) -> ExitCode {
    rookery_worker::cage::launch(&args.words)
}

/// Cuts this machine into slots.
pub(crate) fn plan(wish: &Wish) -> Result<Plan, Box<dyn std::error::Error>> {
    let plan = hardware::plan(&Machine::this()?, wish).map_err(|error| Usage(exit::full(&error)))?;
    for warning in &plan.warnings {
        tell!("warning: {warning}");
    }
    Ok(plan)
}

/// What a worker wishes of the machine.
const fn wish_of_worker(options: &WorkerOptions) -> Wish {
    Wish { slots: options.slots, cores: options.cores, gpus: options.gpus, oversubscribe: options.oversubscribe }
}

/// What `rookery run` wishes of the machine.
pub(crate) fn wish_of_run(args: &RunArgs, spec: &Spec) -> Wish {
    Wish {
        slots: args.concurrency.or(spec.event.concurrency).or(spec.event.one_at_a_time.then_some(1)),
        cores: spec.event.slot.cores.max(1),
        gpus: spec.event.slot.gpus,
        oversubscribe: args.oversubscribe,
    }
}

/// Whether this machine's slots have what each game needs; else a run would wait for ever.
pub(crate) fn fits(spec: &Spec, plan: &Plan) -> Result<(), Usage> {
    let have = plan.slots.first().map_or(0, |slot| slot.shape.memory_bytes);
    let need = spec.event.slot.memory;
    if need > have {
        let (need, have, slots) = (need >> 20, have >> 20, plan.slots.len());
        return Err(Usage(format!(
            "each game needs {need} MiB of memory (`slot.memory`, or what `Hash` adds up to), and {slots} games at once \
             leave {have} MiB for each; fewer at once, or less memory"
        )));
    }
    if let Some(rule) = &spec.event.adjudicate.tablebases {
        let (_, men) = tables(&spec.event.tablebases);
        if men < rule.men {
            return Err(Usage(format!(
                "adjudication by tables of {} men needs their folders: `tablebases = [\"DIR\"]` in [event]; \
                 those found have {men} men",
                rule.men
            )));
        }
    }
    Ok(())
}

/// The usual cage, the whole one where it is required, or none.
pub(crate) fn cage(none: bool, required: bool) -> Result<Cage, Box<dyn std::error::Error>> {
    if none {
        return Ok(Cage::none());
    }
    if required {
        let cage = Cage::probe();
        let missing = cage.missing();
        if !missing.is_empty() {
            return Err(format!("--require-sandbox: this kernel does not enforce: {}", missing.join(", ")).into());
        }
        return Ok(cage);
    }
    let cage = Cage::usual();
    if !cage.shuts_network() {
        tell!("warning: engines are not kept from the network: no seccomp filters in this kernel");
    }
    Ok(cage)
}

/// Whether there are descriptors enough for all slots, before a game is lost for want of a pipe.
pub(crate) fn check_descriptors(slots: usize) -> Result<(), Usage> {
    let needed = DESCRIPTORS_BESIDES + DESCRIPTORS_PER_SLOT * slots as u64;
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    match limit.current {
        Some(current) if current < needed => Err(Usage(format!(
            "{slots} games at once need {needed} open files, and the limit is {current} (ulimit -n)"
        ))),
        _ => Ok(()),
    }
}

/// Starts each engine once, on a slot of the plan, before a game depends on it.
pub(crate) fn engines_start(
    spec: &Spec,
    plan: &Plan,
    catalogue: &Arc<Catalogue>,
    cage: &Cage,
    scratch: &Path,
) -> Result<(), Box<dyn std::error::Error>> {
    let Some(slot) = plan.slots.first() else { return Ok(()) };
    let mut failed = Vec::new();
    for engine in &spec.engines {
        let (kind, limits) = (spec.event.game, &spec.event.limits);
        let started = progress::while_waiting(&waiting_for(&engine.setup.name, limits.start), || {
            link::try_start(&engine.setup, kind, limits, slot, Arc::clone(catalogue), cage.launcher(), scratch)
        });
        match started {
            Ok(warnings) => {
                for warning in warnings {
                    tell!("warning: engine `{}`: {warning}", engine.setup.name);
                }
            }
            Err(why) => failed.push(why),
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\nerror: ").into()) }
}

/// What is said while an engine starts and is not ready at once.
pub(crate) fn waiting_for(engine: &str, limit: std::time::Duration) -> String {
    format!("starting {engine}: it may take {} until it says that it is ready", progress::span(limit.as_secs()))
}

/// The worker of `rookery run`.
pub(crate) fn local_worker(
    address: &str,
    spec: &Spec,
    plan: Plan,
    catalogue: Arc<Catalogue>,
    cage: &Cage,
    folder: &Folder,
    handed_back: SyncSender<GameRecord>,
) -> Result<Config, Box<dyn std::error::Error>> {
    let machine = Machine::this()?;
    let (tables, tablebase_men) = tables(&spec.event.tablebases);
    Ok(Config {
        id: "local".to_owned(),
        coordinators: vec![address.to_owned()],
        slots: plan.slots,
        catalogue,
        tables,
        tablebase_men,
        labels: spec.event.slot.labels.clone(),
        cpu_features: machine.cpu_features.clone(),
        memory_bytes: machine.memory_bytes,
        cage: cage.enforced(),
        scratch: folder.scratch(),
        outbox: folder.outbox(),
        durable_outbox: false,
        launcher: cage.launcher(),
        handed_back: Some(handed_back),
    })
}

fn tables(folders: &[String]) -> (Option<Arc<dyn Tablebase>>, u32) {
    if folders.is_empty() {
        return (None, 0);
    }
    let paths: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
    let (tables, problems) = Tables::open(&paths);
    for problem in problems {
        tell!("warning: {problem}");
    }
    let men = tables.men();
    if men == 0 { (None, 0) } else { (Some(Arc::new(tables)), men) }
}

fn split_paths(words: &[String]) -> Vec<String> {
    words.iter().flat_map(|word| word.split(':')).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn labels(words: &[String]) -> Result<BTreeMap<String, String>, Usage> {
    words
        .iter()
        .map(|word| {
            let (key, value) = word
                .split_once('=')
                .ok_or_else(|| Usage(format!("--label {word}: expected KEY=VALUE, e.g. `pool=zen4`")))?;
            Ok((key.to_owned(), value.to_owned()))
        })
        .collect()
}

fn default_state() -> PathBuf {
    if rustix::process::geteuid().is_root() {
        return PathBuf::from("/var/lib/rookery");
    }
    let base = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).or_else(|| {
        let home = std::env::var_os("HOME")?;
        Some(Path::new(&home).join(".local/state"))
    });
    base.unwrap_or_else(|| PathBuf::from(".")).join("rookery")
}
