//! What a slip of the hand is answered with: which word was meant, and the exit code that scripts go by.

use std::fs;

use rookery_tests::run::{rookery, run};

const PGN: &str = "[Event \"e\"]\n[Site \"?\"]\n[Date \"2001.01.01\"]\n[Round \"1\"]\n[White \"Stockfish\"]\n\
                   [Black \"Ethereal\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n";

#[test]
fn slips_are_named_and_have_their_exit_codes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("g.pgn"), PGN).unwrap();
    run(&mut rookery(path, ["schedule", "make", "--rows", "4", "-o", "own.jsonl"])).expect(0);
    let log = |lines: &[String]| fs::write(path.join("a.log"), lines.join("\n")).unwrap();
    let moves = (0..40).map(|ply| format!("{{\"type\": \"ccp_move\", \"game_id\": \"g\", \"ply\": {ply}, \"player\": 0, \"from\": 1, \"to\": 2, \"path\": [1, 2]}}"));
    log(&std::iter::once("{\"type\": \"ccp_game_start\", oops".to_owned()).chain(moves).collect::<Vec<_>>());
    // Command line, exit code, what is said.
    let rows: [(&[&str], i32, &str); 15] = [
        (&["coordinator", "--store", "foo://x", "--archive", "a"], 2, "unknown kind of store"),
        (&["worker", "--engines", "nosuch.toml"], 2, "nosuch.toml: No such file"),
        (&["worker", "plan", "--slots", "9999"], 2, "--oversubscribe"),
        (&["schedule", "chek", "own.jsonl"], 2, "did you mean `rookery schedule check own.jsonl`?"),
        (&["schedule", "my", "event"], 2, "expected one event"),
        (&["schedule", "make", "--rows", "4", "-o", "own.jsonl"], 2, "--force"),
        (&["schedule", "make", "--rows", "4", "-o", "own.jsonl", "--force"], 0, ""),
        (&["schedule", "check", "own.jsonl"], 0, ""),
        (&["book", "check", "own.jsonl"], 2, "`rookery schedule check FILE`"),
        (&["rate", "g.pgn", "--anchor", "Stokfish=3500"], 2, "did you mean `Stockfish`?"),
        (&["rate", "g.pgn", "--model", "ordo", "--anchor", "Zzzzz=1"], 2, "there are: Stockfish, Ethereal"),
        (&["rate", "g.pgn", "--model", "ordo", "--loose-anchor", "Etheral=1,2"], 2, "did you mean `Ethereal`?"),
        (&["rate", "g.pgn", "--model", "bradley-terry", "--anchor", "Etheral=1"], 2, "did you mean `Ethereal`?"),
        (&["rate", "g.pgn", "--anchor", "Stockfish=3500"], 0, ""),
        (&["replay", "--rules", "strict", "a.log"], 2, "a.log"),
    ];
    for (args, code, says) in rows {
        let ran = run(&mut rookery(path, args)).expect(code);
        assert!(ran.err.contains(says), "{args:?}: {}", ran.err);
        assert!(ran.err.lines().count() <= 5, "{args:?}: {}", ran.err);
    }
    let help = run(&mut rookery(path, ["ccp-engine", "--help"])).expect(0).out;
    assert!(["Depth", "Nodes", "Noise", "Seed", "Strings"].iter().all(|option| help.contains(option)), "{help}");
}

#[test]
fn an_etcd_that_does_not_answer_is_named_with_what_was_said() {
    let folder = tempfile::tempdir().unwrap();
    let store =
        ["coordinator", "--store", "etcd://127.0.0.1:1,127.0.0.1:2", "--archive", "a", "--listen", "127.0.0.1:0"];
    let said = run(rookery(folder.path(), store).args(["--http", "none"])).expect(1).err;
    for part in ["no member of etcd answers: ", "127.0.0.1:1: tcp connect error: Connection refused", "; 127.0.0.1:2: "]
    {
        assert!(said.contains(part), "no {part}: {said}");
    }
    assert!(!said.contains("Nobody(") && !said.contains("ConnectError("), "{said}");
}
