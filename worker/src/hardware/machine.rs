//! Reads `/sys` and `/proc`.

use std::{
    collections::BTreeSet,
    fmt, fs, io,
    path::{Path, PathBuf},
};

/// One logical CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cpu {
    /// Its number, as the kernel counts.
    pub id: u32,
    /// The lowest number among the CPUs that share its core.
    pub core: u32,
    /// Its package.
    pub package: u32,
    /// Its NUMA node.
    pub node: u32,
    /// The lowest number among the CPUs that share its last-level cache.
    pub cache: u32,
}

/// One GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gpu {
    /// Its index, as engines are told it.
    pub id: String,
    /// Its model, where known.
    pub model: String,
}

/// What a machine has, as far as this process may use it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Machine {
    /// CPUs that this process may use, by number.
    pub cpus: Vec<Cpu>,
    /// Bytes of memory, within the limit of this process's cgroup where one can be read.
    pub memory_bytes: u64,
    /// GPUs.
    pub gpus: Vec<Gpu>,
    /// CPU features as the kernel names them, and levels: `x86-64-v3`.
    pub cpu_features: Vec<String>,
}

/// Why a machine cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum HardwareError {
    /// The kernel does not say which CPUs may be used.
    #[error("sched_getaffinity: {0}")]
    Affinity(io::Error),
    /// None may be used.
    #[error("no CPU that this process may use is online")]
    NoCpu,
}

/// The features of each level of x86-64, as the kernel names them.
const LEVELS: [(&str, &[&str]); 3] = [
    ("x86-64-v2", &["cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"]),
    ("x86-64-v3", &["avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"]),
    ("x86-64-v4", &["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"]),
];

impl Machine {
    /// This machine.
    ///
    /// # Errors
    /// When the kernel does not say which CPUs may be used.
    pub fn this() -> Result<Self, HardwareError> {
        let set = rustix::thread::sched_getaffinity(None).map_err(|errno| HardwareError::Affinity(errno.into()))?;
        let count = rustix::thread::CpuSet::MAX_CPU;
        let allowed: Vec<u32> =
            (0..count).filter(|&cpu| set.is_set(cpu)).filter_map(|cpu| u32::try_from(cpu).ok()).collect();
        Self::read(Path::new("/sys"), Path::new("/proc"), &allowed)
    }

    /// A machine whose `/sys` and `/proc` are at these places. What cannot be read is taken as a plain machine: each CPU
    /// a core of its own, one package, one node.
    ///
    /// # Errors
    /// When no allowed CPU is online.
    pub fn read(sys: &Path, proc: &Path, allowed: &[u32]) -> Result<Self, HardwareError> {
        let online = read_list(&sys.join("devices/system/cpu/online"));
        let usable = |cpu: &&u32| online.as_ref().is_none_or(|online| online.contains(cpu));
        let mut cpus: Vec<Cpu> = allowed.iter().filter(usable).map(|&id| read_cpu(sys, id)).collect();
        cpus.sort_unstable();
        cpus.dedup();
        if cpus.is_empty() {
            return Err(HardwareError::NoCpu);
        }
        Ok(Self { cpus, memory_bytes: memory(sys, proc), gpus: gpus(proc), cpu_features: features(proc) })
    }

    /// Whole cores: the CPUs of each, in the order of node, cache and number.
    #[must_use]
    pub fn cores(&self) -> Vec<Vec<Cpu>> {
        let mut cpus = self.cpus.clone();
        cpus.sort_by_key(|cpu| (cpu.package, cpu.node, cpu.cache, cpu.core, cpu.id));
        cpus.chunk_by(|a, b| (a.package, a.core) == (b.package, b.core)).map(<[Cpu]>::to_vec).collect()
    }
}

fn read_cpu(sys: &Path, id: u32) -> Cpu {
    let folder = sys.join(format!("devices/system/cpu/cpu{id}"));
    let topology = folder.join("topology");
    let least = |list: Option<BTreeSet<u32>>| list.and_then(|list| list.first().copied());
    let core = least(read_list(&topology.join("core_cpus_list")))
        .or_else(|| least(read_list(&topology.join("thread_siblings_list"))))
        .unwrap_or(id);
    // The last cache that is not the core's own alone; without one, the package.
    let package = read_number(&topology.join("physical_package_id")).unwrap_or(0);
    let cache = (2..=4)
        .rev()
        .find_map(|index| least(read_list(&folder.join(format!("cache/index{index}/shared_cpu_list")))))
        .unwrap_or(package);
    Cpu { id, core, package, node: node(sys, &folder).unwrap_or(0), cache }
}

fn node(sys: &Path, folder: &Path) -> Option<u32> {
    let named = fs::read_dir(folder).ok()?.flatten().find_map(|entry| {
        entry.file_name().to_str().and_then(|name| name.strip_prefix("node")).and_then(|n| n.parse().ok())
    });
    named.or_else(|| {
        let id: u32 = folder.file_name()?.to_str()?.strip_prefix("cpu")?.parse().ok()?;
        let nodes = fs::read_dir(sys.join("devices/system/node")).ok()?;
        nodes.flatten().find_map(|entry| {
            let number = entry.file_name().to_str()?.strip_prefix("node")?.parse().ok()?;
            read_list(&entry.path().join("cpulist"))?.contains(&id).then_some(number)
        })
    })
}

fn read_number(path: &Path) -> Option<u32> {
    // A machine without packages says -1.
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// `0-3,8,10-11`.
fn read_list(path: &Path) -> Option<BTreeSet<u32>> {
    parse_list(fs::read_to_string(path).ok()?.trim())
}

fn parse_list(text: &str) -> Option<BTreeSet<u32>> {
    /// More than any kernel has.
    const MOST: u32 = 1 << 16;
    let mut set = BTreeSet::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        if last >= MOST {
            return None;
        }
        set.extend(first..=last);
    }
    Some(set)
}

fn memory(sys: &Path, proc: &Path) -> u64 {
    let total = fs::read_to_string(proc.join("meminfo")).ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
    });
    let total = total.unwrap_or(0) * 1024;
    // Version 2, then version 1; "max" and numbers above the machine's memory are no limit.
    let limits = ["fs/cgroup/memory.max", "fs/cgroup/memory/memory.limit_in_bytes"];
    let limit = limits.iter().find_map(|path| fs::read_to_string(sys.join(path)).ok()?.trim().parse().ok());
    limit.map_or(total, |limit: u64| if total == 0 { limit } else { total.min(limit) })
}

/// GPUs that the NVIDIA driver names, as far as the environment lets this process see them.
fn gpus(proc: &Path) -> Vec<Gpu> {
    let visible = ["CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"].iter().find_map(|name| std::env::var(name).ok());
    if let Some(list) = &visible {
        match list.trim() {
            "" | "void" | "none" | "-1" => return Vec::new(),
            "all" => {}
            list => {
                let ids = list.split(',').map(|id| id.trim().to_owned());
                return ids.map(|id| Gpu { id, model: String::new() }).collect();
            }
        }
    }
    let Ok(entries) = fs::read_dir(proc.join("driver/nvidia/gpus")) else { return Vec::new() };
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    let model = |folder: &Path| {
        let text = fs::read_to_string(folder.join("information")).unwrap_or_default();
        text.lines().find_map(|line| line.strip_prefix("Model:")).map_or_else(String::new, |m| m.trim().to_owned())
    };
    folders.iter().enumerate().map(|(index, path)| Gpu { id: index.to_string(), model: model(path) }).collect()
}

fn features(proc: &Path) -> Vec<String> {
    let text = fs::read_to_string(proc.join("cpuinfo")).unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("flags") || line.starts_with("Features"));
    let words = line.and_then(|line| line.split_once(':')).map_or("", |(_, words)| words);
    let known: BTreeSet<&str> = words.split_whitespace().collect();
    let mut features: Vec<String> = known.iter().map(|&word| word.to_owned()).collect();
    for (level, needed) in LEVELS {
        if !needed.iter().all(|feature| known.contains(feature)) {
            break;
        }
        features.push(level.to_owned());
    }
    features
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |key: fn(&Cpu) -> u32| self.cpus.iter().map(key).collect::<BTreeSet<_>>().len();
        writeln!(
            f,
            "{} CPUs on {} cores, {} last-level caches, {} NUMA nodes; {:.1} GiB of memory; {} GPUs",
            self.cpus.len(),
            self.cores().len(),
            count(|cpu| cpu.cache),
            count(|cpu| cpu.node),
            self.memory_bytes as f64 / f64::from(1 << 30),
            self.gpus.len()
        )?;
        let levels: Vec<&str> =
            self.cpu_features.iter().map(String::as_str).filter(|word| word.starts_with("x86-64-")).collect();
        if levels.is_empty() { Ok(()) } else { writeln!(f, "instruction levels: {}", levels.join(", ")) }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A tree of `/sys` with these CPUs: id, siblings, cache, package, node.
    pub(crate) fn tree(cpus: &[(u32, &str, &str, u32, u32)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for &(id, siblings, cache, package, node) in cpus {
            let folder = root.path().join(format!("devices/system/cpu/cpu{id}"));
            fs::create_dir_all(folder.join("topology")).unwrap();
            fs::create_dir_all(folder.join("cache/index3")).unwrap();
            fs::create_dir_all(folder.join(format!("node{node}"))).unwrap();
            fs::write(folder.join("topology/thread_siblings_list"), format!("{siblings}\n")).unwrap();
            fs::write(folder.join("topology/physical_package_id"), format!("{package}\n")).unwrap();
            fs::write(folder.join("cache/index3/shared_cpu_list"), format!("{cache}\n")).unwrap();
        }
        root
    }

    fn ids(cores: &[Vec<Cpu>]) -> Vec<Vec<u32>> {
        cores.iter().map(|core| core.iter().map(|cpu| cpu.id).collect()).collect()
    }

    #[test]
    fn siblings_make_a_core() {
        let root =
            tree(&[(0, "0,4", "0-7", 0, 0), (1, "1,5", "0-7", 0, 0), (4, "0,4", "0-7", 0, 0), (5, "1,5", "0-7", 0, 0)]);
        let machine = Machine::read(root.path(), root.path(), &[0, 1, 4, 5]).unwrap();
        assert_eq!(ids(&machine.cores()), [[0, 4], [1, 5]]);
    }

    #[test]
    fn without_topology_each_cpu_is_a_core() {
        let root = tempfile::tempdir().unwrap();
        let machine = Machine::read(root.path(), root.path(), &[16, 17, 80]).unwrap();
        assert_eq!(ids(&machine.cores()), [[16], [17], [80]]);
    }

    #[test]
    fn offline_cpus_are_not_used() {
        let root = tree(&[(0, "0", "0-2", 0, 0), (1, "1", "0-2", 0, 0), (2, "2", "0-2", 0, 0)]);
        fs::write(root.path().join("devices/system/cpu/online"), "0-1\n").unwrap();
        let machine = Machine::read(root.path(), root.path(), &[0, 1, 2]).unwrap();
        assert_eq!(ids(&machine.cores()), [[0], [1]]);
        assert!(matches!(Machine::read(root.path(), root.path(), &[2]), Err(HardwareError::NoCpu)));
    }

    #[test]
    fn lists_have_holes_and_no_end() {
        assert_eq!(parse_list("16-18,80").map(Vec::from_iter), Some(vec![16, 17, 18, 80]));
        assert_eq!(parse_list(""), Some(BTreeSet::new()));
        for bad in ["x", "1-", "0-99999999", "-1"] {
            assert_eq!(parse_list(bad), None, "{bad}");
        }
    }

    #[test]
    fn levels_follow_from_features() {
        let root = tempfile::tempdir().unwrap();
        let v2 = LEVELS[0].1.join(" ");
        fs::write(root.path().join("cpuinfo"), format!("processor : 0\nflags\t\t: fpu {v2} avx2\n")).unwrap();
        let features = features(root.path());
        assert!(features.contains(&"x86-64-v2".to_owned()) && !features.contains(&"x86-64-v3".to_owned()));
    }

    #[test]
    fn memory_is_bounded_by_the_cgroup() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("meminfo"), "MemTotal:       1024 kB\nMemFree: 1 kB\n").unwrap();
        assert_eq!(memory(root.path(), root.path()), 1 << 20);
        fs::create_dir_all(root.path().join("fs/cgroup")).unwrap();
        fs::write(root.path().join("fs/cgroup/memory.max"), "524288\n").unwrap();
        assert_eq!(memory(root.path(), root.path()), 1 << 19);
        fs::write(root.path().join("fs/cgroup/memory.max"), "max\n").unwrap();
        assert_eq!(memory(root.path(), root.path()), 1 << 20);
    }
}
