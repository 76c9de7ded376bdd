//! Machines of a cluster as network namespaces on one bridge, whose links fail one by one and one way.

use std::{
    ffi::OsStr,
    process::{Command, Stdio},
};

use crate::tools;

/// Set in the process that is inside.
const INSIDE: &str = "ROOKERY_TEST_INSIDE";
/// All machines are in this network; the bridge is its first.
const NETWORK: &str = "10.77.0";
/// No card has this address: what is sent there is lost on the bridge.
const NOBODY: &str = "02:00:00:00:00:fe";

/// Runs a test in network, mounts and processes of its own, so that all of it is gone with it however it ends: the test
/// starts itself again inside. True inside; false outside, when that is over, or where the kernel has no such things,
/// and the test is skipped.
///
/// # Panics
/// Where the test failed inside.
pub fn inside(test: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    // Links and mounts need root; so does a folder for the names of namespaces.
    let script = "ip link set lo up && mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns && ip netns add probe && \
                  ip link add probe type bridge && ip link add p0 type veth peer name p1 netns probe && ip link del p0 && \
                  ip link del probe && ip netns del probe";
    let unshare = |args: &[&OsStr]| {
        // With the test, also where it is killed: unshare itself heeds no SIGTERM.
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "unshare"]);
        command.args(["--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]).args(args);
        command.env("PATH", tools::path());
        command
    };
    let probe = unshare(&["sh".as_ref(), "-c".as_ref(), script.as_ref()]).output();
    match probe {
        Ok(probe) if probe.status.success() => {}
        Ok(probe) => {
            let said = String::from_utf8_lossy(&probe.stderr);
            tools::skip(&format!("no network namespaces for this user in this kernel: {}", said.trim()));
            return false;
        }
        Err(error) => {
            tools::skip(&format!("no unshare here: {error}"));
            return false;
        }
    }
    let script = "ip link set lo up && mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns && exec \"$@\"";
    let program = std::env::current_exe().unwrap_or_else(|error| panic!("{error}"));
    let shell: [&OsStr; 4] = ["sh".as_ref(), "-c".as_ref(), script.as_ref(), "sh".as_ref()];
    let mut command = unshare(&shell);
    let status = command.arg(program).args([test, "--exact", "--nocapture"]).env(INSIDE, "1").status();
    let status = status.unwrap_or_else(|error| panic!("{error}"));
    assert!(status.success(), "{test} failed inside: {status}");
    false
}

/// Machines on a bridge, each a network namespace of its own. This process is on the bridge.
pub struct Net {
    hosts: Vec<String>,
}

impl Net {
    /// Makes a machine of each name; only [`inside`].
    ///
    /// # Panics
    /// Where the kernel does not do it.
    #[must_use]
    pub fn new(hosts: &[&str]) -> Self {
        let net = Self { hosts: hosts.iter().map(ToString::to_string).collect() };
        ip("link add hub type bridge");
        ip(&format!("addr add {NETWORK}.1/24 dev hub"));
        ip("link set hub up");
        for host in hosts {
            ip(&format!("netns add {host}"));
            ip(&format!("link add to-{host} type veth peer name eth0 netns {host}"));
            ip(&format!("link set to-{host} master hub up"));
            ip(&format!("-n {host} addr add {}/24 dev eth0", net.address(host)));
            ip(&format!("-n {host} link set eth0 up"));
            ip(&format!("-n {host} link set lo up"));
        }
        net
    }

    /// A machine's address.
    ///
    /// # Panics
    /// Where there is no such machine.
    #[must_use]
    pub fn address(&self, host: &str) -> String {
        let place = self.hosts.iter().position(|name| name == host);
        format!("{NETWORK}.{}", 10 + place.unwrap_or_else(|| panic!("no machine {host}")))
    }

    /// The same command on a machine.
    #[must_use]
    pub fn on(&self, host: &str, command: &Command) -> Command {
        let mut there = Command::new("nsenter");
        there.stdin(Stdio::null());
        there.arg(format!("--net=/run/netns/{host}")).arg("--").arg(command.get_program()).args(command.get_args());
        if let Some(folder) = command.get_current_dir() {
            there.current_dir(folder);
        }
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => there.env(name, value),
                None => there.env_remove(name),
            };
        }
        there
    }

    /// Pulls a machine's plug.
    ///
    /// # Panics
    /// Where the kernel does not do it.
    pub fn cut(&self, host: &str) {
        ip(&format!("link set to-{host} down"));
    }

    /// Puts it back.
    ///
    /// # Panics
    /// Where the kernel does not do it.
    pub fn join(&self, host: &str) {
        ip(&format!("link set to-{host} up"));
    }

    /// What one machine sends to another is lost; the other way is open.
    ///
    /// # Panics
    /// Where the kernel does not do it.
    pub fn lose(&self, from: &str, to: &str) {
        ip(&format!("-n {from} neigh replace {} lladdr {NOBODY} dev eth0 nud permanent", self.address(to)));
    }

    /// It arrives again.
    ///
    /// # Panics
    /// Where the kernel does not do it.
    pub fn carry(&self, from: &str, to: &str) {
        ip(&format!("-n {from} neigh del {} dev eth0", self.address(to)));
    }
}

fn ip(args: &str) {
    let ran = Command::new("ip").args(args.split(' ')).output();
    match ran {
        Ok(ran) if ran.status.success() => {}
        Ok(ran) => panic!("ip {args}: {}", String::from_utf8_lossy(&ran.stderr)),
        Err(error) => panic!("ip {args}: {error}"),
    }
}
