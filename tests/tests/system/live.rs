//! Files of the games in play, as tools of web sites read them.

use std::{collections::BTreeMap, fs};

use rookery_tests::{
    fleet::Fleet,
    judge::judge,
    run::{PATIENCE, Process, wait_in},
    tools,
};

const GAMES: usize = 4;

/// Every version that ever stood there reads, a game only grows, and at the end all stand there whole.
#[test]
fn games_in_play_read_at_every_moment_and_end_whole() {
    let Some(python) = tools::python() else { return };
    let mover = tools::file("engines/mover.py");
    let mover = mover.to_str().unwrap();
    let one = [mover, "seed=1", "think=60"];
    let two = [mover, "seed=2", "think=60"];
    let mut fleet = Fleet::start(None, 1, &[("one", &python, &one), ("two", &python, &two)]);
    let spec = fleet.file(
        "e.toml",
        "name = \"E\"\n[[engine]]\nname = \"One\"\nprogram = \"one\"\n[[engine]]\nname = \"Two\"\nprogram = \"two\"\n\
         [event]\nformat = { match = { pairs = 2 } }\ntime-control = \"60+1\"\nmax-moves = 30\nseed = 1\n",
    );
    fleet.operator(&["apply", spec.to_str().unwrap()]).expect(0);
    let folder = fleet.folder.path().join("www");
    fs::create_dir(&folder).unwrap();
    let watch = Process::start(&mut fleet.command(&["watch", "E", "--live", "www"]));
    fleet.worker(2);
    let (live, mut versions) = (folder.join("live.pgn"), Vec::<String>::new());
    wait_in(&folder, || {
        let text = fs::read_to_string(&live).unwrap_or_default();
        if versions.last() != Some(&text) {
            versions.push(text.clone());
        }
        text.matches("[Result \"").count() - text.matches("[Result \"*\"]").count() == GAMES
    });
    watch.wait(PATIENCE).expect(0);
    let last = fs::read_to_string(&live).unwrap();
    versions.push(last.clone());

    let mut plies: BTreeMap<String, u64> = BTreeMap::new();
    let mut most_at_once = 0;
    for (number, version) in versions.iter().enumerate() {
        let file = fleet.file(&format!("version-{number}.pgn"), version);
        let games = judge(&python, &file).games;
        most_at_once = most_at_once.max(games.iter().filter(|game| game.result == "*").count());
        for game in games {
            let known = plies.entry(game.name.clone()).or_default();
            assert!(game.plies >= *known, "{} shrank in version {number}: {version}", game.name);
            *known = game.plies;
        }
        assert!(!version.contains("????"), "the date is known: {version}");
    }
    assert_eq!(most_at_once, 2, "{} versions", versions.len());
    assert!(versions.len() > GAMES, "it grew: {} versions", versions.len());
    // What is left is what is on record.
    let exported = fleet.operator(&["export", "E"]).expect(0).out;
    let whole = |text: &str| {
        let mut games: Vec<_> = text.split("[Event ").skip(1).map(|game| game.trim().to_owned()).collect();
        games.sort_unstable();
        games
    };
    assert_eq!(whole(&last), whole(&exported));
    for game in ["1.1", "1.2", "2.1", "2.2"] {
        let alone = fs::read_to_string(folder.join(format!("live/{game}.pgn"))).unwrap();
        assert!(alone.contains(&format!("[Round \"{game}\"]")) && whole(&exported).contains(&whole(&alone)[0]));
    }
}
