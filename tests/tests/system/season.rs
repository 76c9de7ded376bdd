//! A whole season on real engines, from the first league to the superfinal.

use std::fs;

use rookery_tests::{
    judge::judge,
    run::{rookery, run},
    tools,
};

#[test]
fn a_small_season_on_real_engines() {
    let Some(python) = tools::python() else { return };
    if !tools::have(&["stockfish", "ethereal-chess", "fairy-stockfish"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let example = tools::file("../deploy/examples/season.toml");
    fs::copy(example, folder.path().join("season.toml")).unwrap();
    let command =
        ["run", "season.toml", "--listen", "127.0.0.1:0", "--output", "out", "--concurrency", "2", "--oversubscribe"];
    let played = run(&mut rookery(folder.path(), command)).expect(0);
    for title in ["Entrance League", "League 2", "League 1", "Premier Division", "Superfinal"] {
        assert!(played.out.contains(title), "{title} in\n{}", played.out);
    }
    let out = folder.path().join("out");
    let games = |event: &str| judge(&python, &out.join(format!("{event}.pgn"))).games.len();
    for (event, expected) in [("el", 12), ("l2", 12), ("l1", 12), ("divp", 12), ("sufi", 4)] {
        assert_eq!(games(event), expected, "{event}");
    }
    // Nobody is lost: ten began, one left the leagues.
    let next = fs::read_to_string(out.join("next-season.toml")).unwrap();
    let stay = |event: &str| {
        let (_, rest) = next.split_once(&format!("[events.{event}]")).unwrap();
        rest.split(']').next().unwrap().matches("    \"").count()
    };
    assert_eq!(["el", "l2", "l1", "divp"].map(stay), [2, 2, 2, 3]);
    let history = fs::read_to_string(out.join("history.md")).unwrap();
    assert!(history.contains("## Superfinal (`sufi`)"), "{history}");
    // Run again it plays nothing and says the same.
    let again = run(&mut rookery(folder.path(), command)).expect(0);
    assert!(again.out.contains("Superfinal"), "{}", again.out);
    assert_eq!(games("el"), 12);
    assert_eq!(fs::read_to_string(out.join("history.md")).unwrap(), history);
}
