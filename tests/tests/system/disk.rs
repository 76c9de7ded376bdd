//! A disk that is full, and has room again.

use std::{fs, io::Write as _, path::Path, process::Command};

use rookery_tests::{
    run::{Process, binary, run, wait_in},
    tools,
};

/// `rookery run` in `folder` with a disk of its own for its results: 24 MiB, of which the store wants 8 free.
fn on_a_small_disk(folder: &Path) -> Command {
    let script = format!(
        "mount -t tmpfs -o size=24m tmpfs out && exec {:?} run m.toml --listen 127.0.0.1:0 --concurrency 1 \
         --output out/m",
        binary()
    );
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]).current_dir(folder);
    command.env("PATH", tools::path());
    command
}

#[test]
fn a_full_disk_is_said_and_what_was_played_waits_for_room() {
    let Some(python) = tools::python() else { return };
    let mut probe = Command::new("unshare");
    probe.args(["--user", "--map-root-user", "--mount", "sh", "-c", "mount -t tmpfs tmpfs /mnt"]);
    if run(&mut probe).code != 0 {
        tools::skip("no mounts without privileges in this kernel");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mover = tools::file("engines/mover.py");
    let engine = |name: &str, seed: u32| {
        let args = format!("[{mover:?}, \"seed={seed}\", \"think=20\"]");
        format!("[[engine]]\nname = {name:?}\nprogram = {python:?}\nargs = {args}\n")
    };
    let spec = format!(
        "name = \"m\"\n{}{}[event]\nformat = {{ match = {{ pairs = 6 }} }}\ntime-control = \"nodes=100\"\n\
         max-moves = 20\nseed = 5\n",
        engine("A", 1),
        engine("B", 2)
    );
    fs::write(folder.path().join("m.toml"), spec).unwrap();
    fs::create_dir(folder.path().join("out")).unwrap();
    let mut process = Process::start(&mut on_a_small_disk(folder.path()));
    process.line("results in");
    // Its own mounts, seen from here.
    let disk = Path::new("/proc")
        .join(process.pid().to_string())
        .join("root")
        .join(folder.path().join("out").strip_prefix("/").unwrap());
    let games = disk.join("m");
    wait_in(&games, || fs::read_to_string(games.join("games.pgn")).is_ok_and(|pgn| pgn.contains("[Event")));
    let mut filling = fs::File::create(disk.join("fill")).unwrap();
    let block = vec![0; 64 << 10];
    while filling.write_all(&block).is_ok() {}
    drop(filling);
    let said = process.line("full");
    assert!(said.contains("out/m"), "where: {said}");
    fs::remove_file(disk.join("fill")).unwrap();
    let ran = process.wait(std::time::Duration::from_secs(120)).expect(0);
    assert!(ran.out.contains("12 of 12 games"), "{}\n{}", ran.out, ran.err);
}
