//! The launcher: becomes an engine.

use std::{
    ffi::{OsStr, OsString},
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Command, ExitCode},
};

use landlock::{ABI, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr, path_beneath_rules};
use rustix::{
    process::{Pid, Resource, Rlimit, Signal},
    thread::CpuSet,
};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};

/// The launcher could not do what it was told; the engine was not started. As shells say for what cannot be executed.
const NOT_LAUNCHED: u8 = 126;
/// There is no such program.
const NO_PROGRAM: u8 = 127;

/// The oldest version: what is asked for here, it has.
const LANDLOCK: ABI = ABI::V1;

/// Whether the kernel has Landlock, and it is on.
pub(super) fn has_landlock() -> bool {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_write(LANDLOCK))
        .and_then(Ruleset::create)
        .is_ok()
}

/// Whether the kernel has seccomp filters, and this machine's numbers for system calls are known here.
pub(super) fn has_seccomp() -> bool {
    let actions = std::fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail").unwrap_or_default();
    actions.split_whitespace().any(|action| action == "errno") && no_sockets().is_ok()
}

/// What the words ask for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Words {
    parent: Option<u32>,
    cpus: Vec<usize>,
    shut: bool,
    no_network: bool,
    write: Vec<PathBuf>,
    program: OsString,
    args: Vec<OsString>,
}

fn read(words: &[OsString]) -> Result<Words, String> {
    let mut read = Words::default();
    let mut words = words.iter();
    loop {
        let Some(word) = words.next() else { return Err("no program after `--`".to_owned()) };
        let mut value = || words.next().ok_or_else(|| format!("{} needs a value", word.display()));
        match word.to_str() {
            Some("--parent") => read.parent = Some(number(value()?)?),
            Some("--cpus") => {
                let list = value()?.to_string_lossy().into_owned();
                read.cpus = list.split(',').map(|cpu| number(OsStr::new(cpu))).collect::<Result<_, _>>()?;
            }
            Some("--shut") => read.shut = true,
            Some("--no-network") => read.no_network = true,
            Some("--write") => read.write.push(value()?.into()),
            Some("--") => {
                read.program = words.next().ok_or("no program after `--`")?.clone();
                read.args = words.cloned().collect();
                return Ok(read);
            }
            _ => return Err(format!("unknown word {}", word.display())),
        }
    }
}

fn number<T: std::str::FromStr>(word: &OsStr) -> Result<T, String> {
    word.to_str().and_then(|word| word.parse().ok()).ok_or_else(|| format!("{} is not a number", word.display()))
}

/// `rookery launch`: does what the words ask for and becomes the program. Returns only when that failed; what failed is
/// on stderr, which the worker keeps with the engine's.
#[must_use]
pub fn launch(words: &[OsString]) -> ExitCode {
    let words = match read(words) {
        Ok(words) => words,
        Err(why) => return refuse(&why),
    };
    if let Err(why) = shut_in(&words) {
        return refuse(&why);
    }
    let error = Command::new(&words.program).args(&words.args).exec();
    eprintln!("rookery launch: {}: {error}", words.program.display());
    ExitCode::from(NO_PROGRAM)
}

fn refuse(why: &str) -> ExitCode {
    eprintln!("rookery launch: {why}");
    ExitCode::from(NOT_LAUNCHED)
}

fn shut_in(words: &Words) -> Result<(), String> {
    if let Some(parent) = words.parent {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
            .map_err(|errno| format!("PR_SET_PDEATHSIG: {errno}"))?;
        // The worker may have died before the line above.
        let now = rustix::process::getppid().map(Pid::as_raw_nonzero);
        if now.is_none_or(|pid| pid.get().unsigned_abs() != parent) {
            return Err("the worker is gone".to_owned());
        }
    }
    if !words.cpus.is_empty() {
        pin(&words.cpus)?;
    }
    if !words.write.is_empty() {
        only_writes(&words.write).map_err(|error| format!("Landlock: {error}"))?;
    }
    if words.shut {
        rustix::thread::set_no_new_privs(true).map_err(|errno| format!("PR_SET_NO_NEW_PRIVS: {errno}"))?;
        let none = Rlimit { current: Some(0), maximum: Some(0) };
        rustix::process::setrlimit(Resource::Core, none).map_err(|errno| format!("RLIMIT_CORE: {errno}"))?;
    }
    if words.no_network {
        let filter = no_sockets().map_err(|why| format!("seccomp: {why}"))?;
        seccompiler::apply_filter(&filter).map_err(|error| format!("seccomp: {error}"))?;
    }
    Ok(())
}

/// Every CPU or none: a process that is pinned to a part of its slot would be slower than the slot promises.
fn pin(cpus: &[usize]) -> Result<(), String> {
    let mut set = CpuSet::new();
    for &cpu in cpus {
        if cpu >= CpuSet::MAX_CPU {
            return Err(format!("CPU {cpu} is beyond what the kernel counts"));
        }
        set.set(cpu);
    }
    let asked = || cpus.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
    rustix::thread::sched_setaffinity(None, &set)
        .map_err(|errno| format!("cannot pin to CPUs {}: {errno}", asked()))?;
    let got = rustix::thread::sched_getaffinity(None).map_err(|errno| format!("sched_getaffinity: {errno}"))?;
    if cpus.iter().all(|&cpu| got.is_set(cpu)) {
        Ok(())
    } else {
        Err(format!("cannot pin to CPUs {}: some of them are offline or not allowed", asked()))
    }
}

/// Reading stays free, as networks and tables lie anywhere; writing is for the own folders and for devices.
fn only_writes(folders: &[PathBuf]) -> Result<(), landlock::RulesetError> {
    let write = AccessFs::from_write(LANDLOCK);
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(write)?
        .create()?
        .add_rules(path_beneath_rules(folders, write))?
        .add_rules(path_beneath_rules(["/dev"], AccessFs::WriteFile))?
        .restrict_self()?;
    Ok(())
}

/// Refuses sockets of every family (`socketpair`, between an engine's own processes, stays): EACCES, as a firewall says.
fn no_sockets() -> Result<BpfProgram, String> {
    let numbers = Numbers::here()?;
    // No rule beside a number: every call of it. A ring or another process would be ways around.
    let refused = [numbers.socket, numbers.io_uring_setup, numbers.ptrace];
    let rules = refused.into_iter().map(|number| (number, Vec::new())).collect();
    let arch = std::env::consts::ARCH.try_into().map_err(|_| "not for this architecture".to_owned())?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(13), arch);
    filter.and_then(BpfProgram::try_from).map_err(|error| error.to_string())
}

/// Numbers of system calls; they are part of the kernel's promise to each architecture.
struct Numbers {
    socket: i64,
    ptrace: i64,
    io_uring_setup: i64,
}

impl Numbers {
    fn here() -> Result<Self, String> {
        match std::env::consts::ARCH {
            "x86_64" => Ok(Self { socket: 41, ptrace: 101, io_uring_setup: 425 }),
            "aarch64" | "riscv64" => Ok(Self { socket: 198, ptrace: 117, io_uring_setup: 425 }),
            other => Err(format!("no numbers of system calls for {other}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn words_are_read_whole() {
        let read =
            super::read(&words("--parent 7 --cpus 1,3 --shut --no-network --write /tmp/x -- stockfish --x")).unwrap();
        let expected = Words {
            parent: Some(7),
            cpus: vec![1, 3],
            shut: true,
            no_network: true,
            write: vec!["/tmp/x".into()],
            program: "stockfish".into(),
            args: vec!["--x".into()],
        };
        assert_eq!(read, expected);
    }

    #[test]
    fn what_is_not_understood_is_not_launched() {
        for (text, why) in [
            ("--cpus", "needs a value"),
            ("--cpus x -- y", "x is not a number"),
            ("--sandbox -- y", "unknown word --sandbox"),
            ("--shut", "no program"),
            ("--", "no program"),
        ] {
            let error = super::read(&words(text)).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
