use super::*;
use crate::{
    EntrantId, Event, Fact, LoggedFact,
    event::Phase,
    fact::{OpeningName, RosterEntry},
    format::{Held, by_rating},
    spec::{Spec, parse},
};

fn spec(ratings: &[u32], pairs: u32) -> Spec {
    let engine = |(at, rating): (usize, &u32)| {
        let name = char::from(b'A' + at as u8);
        format!("[[engine]]\nname = \"{name}\"\nprogram = \"x\"\nrating = {rating}\n")
    };
    let engines: String = ratings.iter().enumerate().map(engine).collect();
    let text = format!("{engines}[event]\nformat = {{ ladder = {{ pairs = {pairs} }} }}\n");
    parse("t.toml", &text, &|_| Err(String::new())).unwrap_or_else(|e| panic!("{e}")).spec
}

fn opened(spec: &Spec) -> Fact {
    let entry = |e: &crate::spec::EngineSpec| RosterEntry { engine: e.setup.name.clone(), digest: String::new() };
    Fact::Opened {
        roster: spec.engines.iter().map(entry).collect(),
        book: String::new(),
        book_openings: 0,
        seed: 1,
        opening_offset: 0,
        spec: String::new(),
        rules_version: 1,
        level_book: String::new(),
        level_openings: 0,
    }
}

fn logged(fact: Fact) -> LoggedFact {
    LoggedFact { seq: 0, at_unix_ms: 0, by: String::new(), reason: String::new(), request_id: String::new(), fact }
}

fn fold(event: &mut Event, log: &mut Vec<LoggedFact>, fact: Fact) {
    let fact = logged(fact);
    event.fold_fact(&fact);
    log.push(fact);
}

/// Plays `games` games, ruled one after the other: results go by turns through `results`.
fn play(spec: &Spec, games: usize, results: &[rookery_game::GameResult]) -> (Event, Vec<LoggedFact>) {
    let (mut event, mut log) = (Event::new(spec.clone()), Vec::new());
    fold(&mut event, &mut log, opened(spec));
    for at in 0..=games {
        while let Some(fact) = event.facts_due().into_iter().next() {
            fold(&mut event, &mut log, fact);
        }
        let due = event.due(&Held::default(), 1, 1);
        let Some(game) = due.first().and_then(|a| a.games.first()).filter(|_| at < games) else { break };
        let id = game.id;
        fold(&mut event, &mut log, Fact::Ruled { game: id, result: results[at % results.len()] });
    }
    (event, log)
}

fn exported(event: &Event, log: &[LoggedFact]) -> State {
    export(event, log, |n| OpeningName { id: n.to_string(), hash: String::new() }, Vec::new(), String::new()).unwrap()
}

#[test]
fn what_is_exported_resumes_to_the_same_event() {
    use rookery_game::GameResult::{Draw, FirstWins, SecondWins};
    let spec = spec(&[3000, 3400, 2900, 3200, 3100], 2);
    let patterns: [&[_]; 4] =
        [&[FirstWins, Draw, Draw], &[Draw, SecondWins], &[Draw], &[SecondWins, FirstWins, Draw, FirstWins, Draw]];
    for results in patterns {
        for games in 0..40 {
            let (event, log) = play(&spec, games, results);
            let state = exported(&event, &log);
            assert_eq!(check(&state), [""; 0], "{games} games of {results:?}: {state:#?}");
            let text = serde_json::to_string_pretty(&state).unwrap();
            let state = read(&text).unwrap();
            let facts = resume(&state, &spec, &opened(&spec)).unwrap_or_else(|e| panic!("{e:?}"));
            let there: Vec<Fact> = log[1..].iter().map(|l| l.fact.clone()).collect();
            assert_eq!(facts, there, "{games} games of {results:?}");
            let table: Vec<String> = preview(&state).into_iter().map(|line| line.engine).collect();
            let lines: Vec<String> = event.standings().lines.into_iter().map(|line| line.engine).collect();
            assert_eq!(table, lines);
            assert_eq!(event.phase() == Phase::Finished, state.surviving_engines.len() == 1);
        }
    }
}

#[test]
fn ranked_by_rating_missing_ones_last() {
    let mut spec = spec(&[3000, 3400, 3000, 3200], 1);
    spec.engines[1].rating = None;
    let mut event = Event::new(spec.clone());
    event.fold_fact(&logged(opened(&spec)));
    assert_eq!(by_rating(event.field(), &spec), [4, 1, 3, 2].map(EntrantId));
}

/// A state of three engines in which C lost to B and B has begun against A.
fn sample() -> State {
    let game = |nr: u64, white: &str, black: &str, result: &str| GameState {
        game_nr: nr,
        white: white.to_owned(),
        black: black.to_owned(),
        result: result.to_owned(),
        ..GameState::default()
    };
    State {
        tournament_name: "My Ladder".to_owned(),
        game_pairs_per_match: 1,
        initial_rankings: ["A", "B", "C"].map(str::to_owned).to_vec(),
        surviving_engines: ["A", "B"].map(str::to_owned).to_vec(),
        eliminated_engines: vec!["C".to_owned()],
        current_climb_number: 2,
        current_climber_index: 1,
        matches: vec![
            MatchState {
                match_id: 1,
                climb_number: 1,
                challenger: "C".to_owned(),
                defender: "B".to_owned(),
                score_challenger: 0.5,
                score_defender: 1.5,
                winner: Some("B".to_owned()),
                is_decided: true,
                games: vec![game(1, "C", "B", "0-1"), game(2, "B", "C", "1/2-1/2")],
                ..MatchState::default()
            },
            MatchState {
                match_id: 2,
                climb_number: 2,
                challenger: "B".to_owned(),
                defender: "A".to_owned(),
                score_challenger: 1.0,
                score_defender: 0.0,
                is_decided: false,
                games: vec![game(1, "B", "A", "1-0")],
                ..MatchState::default()
            },
        ],
        next_opening_index: 2,
        ..State::default()
    }
}

#[test]
fn impossible_states_are_named() {
    assert_eq!(check(&sample()), [""; 0]);
    type Spoil = fn(&mut State);
    let table: [(Spoil, &str); 17] = [
        (|s| s.initial_rankings.clear(), "InitialRankings has 0 engines, expected two or more"),
        (|s| s.game_pairs_per_match = 0, "GamePairsPerMatch is 0, expected 1 or more"),
        (|s| s.surviving_engines.push("C".to_owned()), "`C` stands twice in SurvivingEngines and EliminatedEngines"),
        (|s| s.eliminated_engines.clear(), "`C` neither survives nor is eliminated"),
        (|s| s.surviving_engines.reverse(), "SurvivingEngines must be A, B"),
        (|s| s.current_climb_number = 1, "CurrentClimbNumber is 1, expected 2"),
        (|s| s.current_climber_index = 0, "CurrentClimberIndex is 0, expected 1"),
        (|s| s.next_opening_index = 5, "NextOpeningIndex is 5, but 2 pairs were begun"),
        (|s| s.global_opening_order = vec![0, 2], "GlobalOpeningOrder is no permutation of 0, 1, …"),
        (|s| s.matches[0].challenger = "A".to_owned(), "match 1: `A` challenges `B`, expected `C` and `B`"),
        (|s| s.matches[0].score_defender = 5.5, "match 1: the score is 0.5 - 5.5, its 2 games make 0.5 - 1.5"),
        (|s| s.matches[0].winner = Some("C".to_owned()), "match 1: Winner is `C`, expected `B`"),
        (|s| s.matches[0].games.swap(0, 1), "match 1: GameNr is 2, expected 1"),
        (|s| s.game_pairs_per_match = 8, "match 1: it says decided, and after 2 of 16 games it cannot be"),
        (
            |s| s.matches[1].games[0].result = "*".to_owned(),
            "match 2: game 1 has no result that a finished game has: `*`",
        ),
        (
            |s| s.matches[0].games[1].opening_id = "7".to_owned(),
            "match 1: game 2 has another opening than game 1, the first of its pair",
        ),
        (|s| s.matches[1].match_id = 3, "match 2: MatchId is 3, expected 2"),
    ];
    for (spoil, expected) in table {
        let mut state = sample();
        spoil(&mut state);
        assert_eq!(check(&state).first().map(String::as_str), Some(expected));
        assert!(read(&serde_json::to_string(&state).unwrap()).is_err());
    }
}

#[test]
fn a_ladder_of_another_spec_is_refused() {
    let state = sample();
    let good = spec(&[3, 2, 1], 1);
    assert!(resume(&state, &good, &opened(&good)).is_ok());
    let other = spec(&[2, 3, 1], 1);
    assert_eq!(
        resume(&state, &other, &opened(&other)),
        Err(vec!["the spec's engines are ranked B, A, C, the state's A, B, C".to_owned()])
    );
    let pairs = spec(&[3, 2, 1], 4);
    assert_eq!(
        resume(&state, &pairs, &opened(&pairs)),
        Err(vec!["the spec has 4 pairs a match, the state 1".to_owned()])
    );
}

#[test]
fn a_foreign_file_is_read() {
    let text = r#"{"TournamentName":"L","GamePairsPerMatch":1,"InitialRankings":["A","B"],"SurvivingEngines":["A","B"],
        "EliminatedEngines":[],"CurrentClimbNumber":1,"CurrentClimberIndex":1,"Matches":[{"MatchId":1,"ClimbNumber":1,
        "Challenger":"B","Defender":"A","ChallengerRating":3600,"DefenderRating":3700,"ScoreChallenger":0,"ScoreDefender":0,
        "Winner":null,"IsDecided":false,"Games":[]}],"NextOpeningIndex":0,"GlobalOpeningOrder":[1,0],
        "UpdatedUtc":"2026-02-18T12:00:00Z","Extra":1}"#;
    let state = read(text).unwrap();
    assert_eq!(state.matches[0].challenger_rating, Some(3600.0));
    assert!(read("{").unwrap_err()[0].starts_with("it cannot be read"));
}

#[test]
fn what_is_imported_is_one_fact_that_folds_to_the_same() {
    use rookery_game::GameResult::{Draw, FirstWins, SecondWins};
    let mut spec = spec(&[3000, 3400, 2900, 3200, 3100], 2);
    spec.event.openings.random = false;
    for games in [0, 1, 5, 17] {
        let (event, log) = play(&spec, games, &[SecondWins, FirstWins, Draw, FirstWins, Draw]);
        let state = exported(&event, &log);
        let (fact, warnings) = import(&state, &spec, &opened(&spec), "sha256:ab".to_owned()).unwrap();
        assert_eq!(warnings, [""; 0]);
        let text = serde_json::to_string(&fact).unwrap();
        let logged_fact = logged(serde_json::from_str(&text).unwrap());
        let mut other = Event::new(spec.clone());
        other.fold_fact(&logged(opened(&spec)));
        other.fold_fact(&logged_fact);
        assert_eq!(other.standings(), event.standings());
        assert_eq!(other.due(&Held::default(), 9, 9), event.due(&Held::default(), 9, 9), "{games}");
        assert_eq!(exported(&other, &[logged(opened(&spec)), logged_fact]), state, "and is exported the same");
    }
}

#[test]
fn openings_come_as_the_state_has_them() {
    let mut good = spec(&[3, 2, 1], 1);
    good.event.openings.random = false;
    let with = |change: &dyn Fn(&mut State, &mut Spec)| {
        let (mut state, mut spec) = (sample(), good.clone());
        change(&mut state, &mut spec);
        let mut opened = opened(&spec);
        if let Fact::Opened { book_openings, opening_offset, .. } = &mut opened {
            (*book_openings, *opening_offset) = (2, spec.event.openings.start);
        }
        import(&state, &spec, &opened, String::new())
    };
    let refused = |change: &dyn Fn(&mut State, &mut Spec)| with(change).unwrap_err().join("; ");
    assert!(refused(&|_, spec| spec.event.openings.random = true).contains("order = \"sequential\""));
    assert!(refused(&|_, spec| spec.event.openings.start = 1).contains("begins with opening 1"));
    assert!(refused(&|state, _| state.global_opening_order = vec![2, 0, 1]).contains("has 3 openings"));
    let (fact, warnings) = with(&|state, spec| {
        state.global_opening_order = vec![1, 0];
        spec.event.openings.random = true;
    })
    .unwrap();
    assert!(matches!(&fact, Fact::Imported { order, .. } if *order == [1, 0]) && warnings.is_empty());
    let (_, warnings) = with(&|state, _| state.global_opening_order = vec![1, 0]).unwrap();
    assert_eq!(warnings.len(), 1);
}
