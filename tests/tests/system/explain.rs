//! What engines said last, for a person who asks why a game ended or came back.

use std::io::{BufRead, BufReader};

use rookery_tests::{fleet::Fleet, run::wait_in, tools};

/// Waits until the event's own stream shows what is looked for.
pub(crate) fn until(fleet: &Fleet, event: &str, shows: impl Fn(&serde_json::Value) -> bool) {
    let mut command = fleet.command(&["watch", event, "--json"]);
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let seen = lines.map_while(Result::ok).any(|line| shows(&serde_json::from_str(&line).unwrap()));
    let _ = child.kill(); // ended by itself with the event
    child.wait().unwrap();
    assert!(seen, "the stream ended before");
}

#[test]
fn last_lines_are_shown_or_it_is_said_why_there_are_none() {
    let Some(python) = tools::python() else { return };
    let mover = tools::file("engines/mover.py");
    let mover = mover.to_str().unwrap();
    let good = [mover, "seed=1", "think=5"];
    let crash = [mover, "seed=2", "fault=crash", "at=10"];
    let marks = tempfile::tempdir().unwrap();
    let mark = marks.path().join("slow");
    let mark_arg = format!("mark={}", mark.display());
    let slow = [mover, "seed=3", "think=600000", &mark_arg];
    let mut fleet =
        Fleet::start(None, 1, &[("good", &python, &good), ("crash", &python, &crash), ("slow", &python, &slow)]);
    let spec = |name: &str, second: &str| {
        format!(
            "name = \"{name}\"\n[[engine]]\nname = \"Good\"\nprogram = \"good\"\n[[engine]]\nname = \"Other\"\n\
             program = \"{second}\"\n[event]\nformat = {{ match = {{ pairs = 1 }} }}\ntime-control = \"nodes=10\"\n\
             max-moves = 15\nseed = 1\ncrashes = {{ then = \"continue\" }}\n"
        )
    };
    fleet.worker(1);
    for (name, second) in [("crashes", "crash"), ("ends", "good")] {
        let file = fleet.file(&format!("{name}.toml"), &spec(name, second));
        fleet.operator(&["apply", file.to_str().unwrap()]).expect(0);
        fleet.over(name);
    }

    let told = fleet.operator(&["explain", "crashes", "1.1", "--transcript"]).expect(0).out;
    for part in ["last lines, in seconds since 20", "second, Other:", "stderr: assertion failed: mover.c:42", " > go "]
    {
        assert!(told.contains(part), "no {part}: {told}");
    }
    assert!(!told.contains("not kept"), "{told}");
    let told = fleet.operator(&["explain", "ends", "1.1", "--transcript"]).expect(0).out;
    assert!(told.contains("not kept, as no engine was at fault"), "{told}");
    let told = fleet.operator(&["explain", "ends", "1.1"]).expect(0).out;
    assert!(!told.contains("last lines"), "nobody asked: {told}");

    // A game that is played now, and one that was handed back: the lines of the attempt that broke off.
    let file = fleet.file("slow.toml", &spec("slow", "slow"));
    fleet.operator(&["apply", file.to_str().unwrap()]).expect(0);
    wait_in(marks.path(), || mark.exists());
    let told = fleet.operator(&["explain", "slow", "1.1", "--transcript"]).expect(0).out;
    assert!(told.contains("are with worker w1 until it ends"), "{told}");
    fleet.operator(&["pause", "slow", "--now"]).expect(0);
    until(&fleet, "slow", |event| event["games_running"].as_u64() == Some(0));
    let told = fleet.json(&["explain", "slow", "1.1", "--transcript"]);
    let attempt = &told["interrupted"][0];
    assert!(attempt["worker"] == "w1" && attempt["why"].as_str().unwrap().starts_with("cancelled at ply 9"), "{told}");
    assert!(attempt["transcripts"][0]["lines"].as_array().unwrap().len() > 2, "{told}");
    let told = fleet.operator(&["explain", "slow", "1.1", "--transcript"]).expect(0).out;
    assert!(
        told.contains("first attempt (id ")
            && told.contains("with worker w1 ended at 20")
            && told.contains("cancelled at ply 9"),
        "{told}"
    );
}
