//! Against outputs of the real programs.

use proptest::prelude::*;
use rookery_game::GameResult::{self, Draw, FirstWins, SecondWins};

use super::{
    bayeselo::{Options, Parameter, fit},
    *,
};

/// White, Black, White's wins, draws, losses.
type Line<'a> = (&'a str, &'a str, u32, u32, u32);

/// TCEC season 20, Qualification League: 42 games.
const QUALIFICATION: &[Line<'_>] = &[
    ("Koivisto", "Cheese", 0, 0, 1),
    ("Halogen", "MrBob", 1, 0, 0),
    ("Seer", "Stash", 1, 0, 0),
    ("MrBob", "Seer", 0, 1, 0),
    ("Cheese", "Halogen", 1, 0, 0),
    ("A0lite", "Koivisto", 0, 0, 1),
    ("Halogen", "A0lite", 1, 0, 0),
    ("Seer", "Cheese", 1, 0, 0),
    ("Stash", "MrBob", 0, 0, 1),
    ("Cheese", "Stash", 0, 1, 0),
    ("A0lite", "Seer", 0, 1, 0),
    ("Koivisto", "Halogen", 0, 0, 1),
    ("Seer", "Koivisto", 1, 0, 0),
    ("Stash", "A0lite", 0, 0, 1),
    ("MrBob", "Cheese", 1, 0, 0),
    ("A0lite", "MrBob", 0, 1, 0),
    ("Koivisto", "Stash", 1, 0, 0),
    ("Halogen", "Seer", 0, 0, 1),
    ("Stash", "Halogen", 0, 0, 1),
    ("MrBob", "Koivisto", 1, 0, 0),
    ("Cheese", "A0lite", 0, 1, 0),
    ("Cheese", "Koivisto", 0, 0, 1),
    ("MrBob", "Halogen", 0, 1, 0),
    ("Stash", "Seer", 0, 0, 1),
    ("Seer", "MrBob", 1, 0, 0),
    ("Halogen", "Cheese", 1, 0, 0),
    ("Koivisto", "A0lite", 1, 0, 0),
    ("A0lite", "Halogen", 0, 0, 1),
    ("Cheese", "Seer", 0, 0, 1),
    ("MrBob", "Stash", 1, 0, 0),
    ("Stash", "Cheese", 1, 0, 0),
    ("Seer", "A0lite", 0, 1, 0),
    ("Halogen", "Koivisto", 1, 0, 0),
    ("Koivisto", "Seer", 0, 0, 1),
    ("A0lite", "Stash", 1, 0, 0),
    ("Cheese", "MrBob", 0, 0, 1),
    ("MrBob", "A0lite", 0, 1, 0),
    ("Stash", "Koivisto", 0, 0, 1),
    ("Seer", "Halogen", 0, 1, 0),
    ("Halogen", "Stash", 1, 0, 0),
    ("Koivisto", "MrBob", 0, 0, 1),
    ("A0lite", "Cheese", 1, 0, 0),
];

/// TCEC season 24, Premier Division playoff: 48 games, none won by Black.
const PLAYOFF: &[Line<'_>] = &[
    ("KomodoDragon", "LCZero", 1, 3, 0),
    ("Berserk", "Stockfish", 0, 4, 0),
    ("LCZero", "Stockfish", 0, 4, 0),
    ("KomodoDragon", "Berserk", 4, 0, 0),
    ("Berserk", "LCZero", 0, 4, 0),
    ("Stockfish", "KomodoDragon", 3, 1, 0),
    ("LCZero", "KomodoDragon", 4, 0, 0),
    ("Stockfish", "Berserk", 4, 0, 0),
    ("Stockfish", "LCZero", 3, 1, 0),
    ("Berserk", "KomodoDragon", 1, 3, 0),
    ("LCZero", "Berserk", 4, 0, 0),
    ("KomodoDragon", "Stockfish", 0, 4, 0),
];

const BY_STRENGTH: [&str; 7] = ["Seer", "Halogen", "MrBob", "A0lite", "Koivisto", "Cheese", "Stash"];

fn games(lines: &[Line<'_>]) -> Games {
    let mut games = Collector::default();
    for &(first, second, wins, draws, losses) in lines {
        for (result, count) in [(FirstWins, wins), (Draw, draws), (SecondWins, losses)] {
            (0..count).for_each(|_| games.add(first, second, result, None));
        }
    }
    games.finish()
}

#[track_caller]
fn near(value: f64, expected: f64, within: f64) {
    assert!((value - expected).abs() <= within, "{value}, expected {expected}");
}

#[track_caller]
fn rated(list: &List, expected: &[(&str, f64)], within: f64) {
    let found: Vec<_> = list.rows.iter().map(|row| (row.name.as_str(), row.elo)).collect();
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for ((name, elo), (wanted, value)) in found.iter().zip(expected) {
        assert_eq!(name, wanted, "{found:?}");
        assert!((elo - value).abs() <= within, "{name}: {elo}, expected {value}");
    }
}

fn bayes(advantage: Parameter, draw: Parameter) -> Request {
    let options = Options { advantage, draw, ..Options::default() };
    let model = Model::BayesElo { options, scale: None, tcec_scale: false, offset: (0.0, None) };
    Request { model, errors: Errors::Model, ..Request::default() }
}

fn whole(request: &Request, lines: &[Line<'_>]) -> Vec<(f64, f64)> {
    list(&games(lines), request).rows.iter().map(|row| (row.elo.round(), row.error.unwrap().round())).collect()
}

#[test]
fn won_games_of_two_players() {
    for (won, apart) in [(1, 89.2572), (2, 150.156), (3, 195.836), (4, 232.215), (5, 262.380)] {
        let fit = fit(&games(&[("A", "B", won, 0, 0)]), &Options::default(), None);
        near(fit.ratings[0] - fit.ratings[1], apart, 0.01);
        assert!(fit.converged);
    }
}

#[test]
fn the_playoff_as_bayeselo_rates_it() {
    let games = games(PLAYOFF);
    let fit = fit(&games, &Options::default(), None);
    let names = ["Stockfish", "LCZero", "KomodoDragon", "Berserk"];
    let at = |name: &str| games.find(name).unwrap() as usize;
    for (name, rating) in names.iter().zip([93.6116, 40.2733, -26.3133, -107.5715]) {
        near(fit.ratings[at(name)], rating, 0.01);
    }
    let covariance = fit.covariance().unwrap();
    for (other, los) in [("LCZero", 0.7784), ("KomodoDragon", 0.9559), ("Berserk", 0.9972)] {
        let (a, b) = (at("Stockfish"), at(other));
        near(covariance.superiority(a, b, fit.ratings[a] - fit.ratings[b]).unwrap(), los, 0.0001);
    }
    let request = bayes(Parameter::Fixed(32.8), Parameter::Fixed(97.3));
    let list = list(&games, &request);
    near(list.scale.unwrap(), 0.925497, 1e-6);
    rated(&list, &[("Stockfish", 87.0), ("LCZero", 37.0), ("KomodoDragon", -24.0), ("Berserk", -100.0)], 0.5);
    assert_eq!(whole(&request, PLAYOFF).map_errors(), [104.0, 104.0, 105.0, 109.0]);
    let request = Request { errors: Errors::Covariance, ..request };
    assert_eq!(whole(&request, PLAYOFF).map_errors(), [78.0, 78.0, 79.0, 81.0]);
}

trait MapErrors {
    fn map_errors(&self) -> Vec<f64>;
}

impl MapErrors for Vec<(f64, f64)> {
    fn map_errors(&self) -> Vec<f64> {
        self.iter().map(|(_, error)| *error).collect()
    }
}

#[test]
fn without_a_win_of_black_the_advantage_is_not_fitted() {
    let list = list(&games(PLAYOFF), &bayes(Parameter::Fitted, Parameter::Fitted));
    assert_eq!((list.advantage, list.draw_elo), (32.8, Some(97.3)));
    assert_eq!(list.warnings.len(), 2, "{:?}", list.warnings);
}

#[test]
fn the_qualification_league_as_bayeselo_rates_it() {
    let games = games(QUALIFICATION);
    let fixed = bayes(Parameter::Fixed(32.8), Parameter::Fixed(97.3));
    let elo = |rows: Vec<(f64, f64)>| rows.into_iter().map(|(elo, _)| elo).collect::<Vec<_>>();
    assert_eq!(elo(whole(&fixed, QUALIFICATION)), [183.0, 159.0, 95.0, -3.0, -47.0, -156.0, -230.0]);
    assert_eq!(whole(&fixed, QUALIFICATION).map_errors(), [165.0, 170.0, 154.0, 152.0, 171.0, 175.0, 188.0]);
    near(fit(&games, &Options::default(), None).log_likelihood(), -43.2203, 0.0001);
    let fitted = bayes(Parameter::Fitted, Parameter::Fitted);
    let list = list(&games, &fitted);
    near(list.advantage, 33.863, 0.01);
    near(list.draw_elo.unwrap(), 190.435, 0.01);
    near(list.scale.unwrap(), 0.750893, 1e-4);
    assert_eq!(elo(whole(&fitted, QUALIFICATION)), [191.0, 166.0, 97.0, -8.0, -46.0, -164.0, -235.0]);
    assert_eq!(whole(&fitted, QUALIFICATION).map_errors(), [143.0, 146.0, 132.0, 131.0, 144.0, 152.0, 158.0]);
    let covariance = Request { errors: Errors::Covariance, ..fitted };
    assert_eq!(whole(&covariance, QUALIFICATION).map_errors(), [124.0, 127.0, 114.0, 113.0, 123.0, 131.0, 137.0]);
    let options = Options { advantage: Parameter::Fitted, draw: Parameter::Fitted, ..Options::default() };
    near(fit(&games, &options, None).log_likelihood(), -39.9376, 0.0001);
}

#[test]
fn tcecs_parameters() {
    let Model::BayesElo { options, tcec_scale, .. } = tcec::model(false) else { panic!() };
    near(bayeselo::scale_with_advantage(tcec::ADVANTAGE, tcec::DRAW), 0.6200912067820511, 1e-12);
    let model = Model::BayesElo { options, scale: None, tcec_scale, offset: (3522.0, Some("Halogen".to_owned())) };
    let request = Request { model, ..Request::default() };
    let rows = whole(&request, QUALIFICATION);
    let elo: Vec<f64> = rows.iter().map(|(elo, _)| *elo).collect();
    assert_eq!(elo, [3546.0, 3522.0, 3450.0, 3347.0, 3315.0, 3190.0, 3131.0]);
    assert_eq!(rows.map_errors(), [126.0, 129.0, 115.0, 115.0, 125.0, 135.0, 136.0]);
    assert_eq!(tcec::version_free("Seer 20210123"), "Seer");
    for (event, season) in [
        ("TCEC Season 29 - Entrance League", Some(29)),
        ("TCEC_Season_24_Calibration", Some(24)),
        ("S20 Swiss", Some(20)),
        ("Cup", None),
    ] {
        assert_eq!(tcec::season(event), season, "{event}");
    }
    for (event, counts) in [
        ("TCEC Season 29 - League 1", true),
        ("TCEC Season 28 - Swiss", true),
        ("TCEC Season 27 - Swiss", false),
        ("TCEC Season 24 - Calibration", true),
        ("TCEC Season 30 - Swiss", false),
    ] {
        assert_eq!(tcec::counts(event, 29), counts, "{event}");
    }
}

#[test]
fn three_players_in_a_row() {
    let lines = [
        ("H", "S", 9, 5, 1),
        ("S", "H", 2, 4, 9),
        ("S", "K", 9, 5, 1),
        ("K", "S", 2, 4, 9),
        ("H", "K", 12, 3, 0),
        ("K", "H", 0, 3, 12),
    ];
    let rows = whole(&bayes(Parameter::Fixed(32.8), Parameter::Fixed(97.3)), &lines);
    assert!((rows[0].0 + rows[2].0).abs() <= 1.0 && rows[1].0.abs() <= 1.0, "{rows:?}");
    near(rows[0].0, 158.0, 2.0);
}

fn ordo_of(lines: &[Line<'_>], options: ordo::Options) -> List {
    list(&games(lines), &Request { model: Model::Ordo(options), errors: Errors::None, ..Request::default() })
}

fn by_strength(ratings: [f64; 7]) -> Vec<(&'static str, f64)> {
    BY_STRENGTH.into_iter().zip(ratings).collect()
}

#[test]
fn as_ordo_rates_it() {
    let list = ordo_of(QUALIFICATION, ordo::Options::default());
    rated(&list, &by_strength([2596.608, 2514.268, 2440.638, 2269.639, 2235.388, 2088.922, 1954.537]), 0.01);
    let fitted =
        ordo::Options { advantage: Parameter::Fitted, draw_rate: Parameter::Fitted, ..ordo::Options::default() };
    let list = ordo_of(QUALIFICATION, fitted.clone());
    rated(&list, &by_strength([2600.12, 2516.77, 2442.24, 2269.26, 2234.61, 2086.46, 1950.54]), 0.01);
    near(list.advantage, 43.43, 0.01);
    near(list.draw_rate.unwrap(), 0.3419, 0.0001);
    let names = ["Stockfish", "LCZero", "KomodoDragon", "Berserk"];
    let zero = ordo::Options { anchor: ordo::Anchor::Average(0.0), ..ordo::Options::default() };
    rated(
        &ordo_of(PLAYOFF, zero),
        &names.into_iter().zip([121.565, 47.593, -35.003, -134.155]).collect::<Vec<_>>(),
        0.01,
    );
    // Ordo ends after four rounds of ratings and advantage in turn, at 181.868, 71.600, -53.570, -199.898 and 257.16; more of
    // the same rounds go on to these.
    let zero = ordo::Options { anchor: ordo::Anchor::Average(0.0), ..fitted };
    let list = ordo_of(PLAYOFF, zero);
    rated(&list, &names.into_iter().zip([186.056, 73.279, -54.912, -204.423]).collect::<Vec<_>>(), 0.01);
    near(list.advantage, 266.11, 0.01);
    near(list.draw_rate.unwrap(), 1.0, 0.0001);
}

#[test]
fn anchors() {
    let own = |anchor| ordo::Options { anchor, ..ordo::Options::default() };
    let named = |name: &str, rating| (name.to_owned(), rating);
    let list = ordo_of(QUALIFICATION, own(ordo::Anchor::Player("Seer".to_owned(), 3000.0)));
    rated(&list, &by_strength([3000.0, 2917.660, 2844.030, 2673.032, 2638.780, 2492.314, 2357.929]), 0.01);
    let loose = own(ordo::Anchor::Loose(vec![("Seer".to_owned(), 2600.0, 20.0)]));
    rated(
        &ordo_of(QUALIFICATION, loose),
        &by_strength([2600.0, 2517.660, 2444.030, 2273.031, 2238.780, 2092.314, 1957.929]),
        0.01,
    );
    let relation = vec![("Seer".to_owned(), "Halogen".to_owned(), 50.0, 10.0)];
    let list = ordo_of(QUALIFICATION, ordo::Options { relations: relation, ..ordo::Options::default() });
    rated(&list, &by_strength([2579.232, 2529.012, 2440.801, 2270.200, 2235.981, 2089.575, 1955.200]), 0.1);
    let several = own(ordo::Anchor::Players(vec![named("Seer", 2600.0), named("Stash", 2000.0)]));
    let list = ordo_of(QUALIFICATION, several);
    assert_eq!((list.rows[0].elo, list.rows[0].mark, list.rows[6].elo), (2600.0, Mark::Anchor, 2000.0));
    // Ordo itself moves its free players along a norm of its own here and is up to half an Elo off the maximum.
    rated(&list, &by_strength([2600.0, 2531.310, 2458.944, 2291.279, 2257.830, 2114.513, 2000.0]), 2.0);
}

#[test]
fn simulated_errors() {
    let options =
        ordo::Options { advantage: Parameter::Fitted, draw_rate: Parameter::Fitted, ..ordo::Options::default() };
    let errors = Errors::Simulated { count: 400, seed: 1, to_mean: false };
    let request = Request { model: Model::Ordo(options), errors, ..Request::default() };
    // Every game twenty times, so that no simulation comes near the edge where ratings have no bound; five hundred
    // simulations by Ordo.
    let often: Vec<_> = QUALIFICATION.iter().map(|&(a, b, w, d, l)| (a, b, 20 * w, 20 * d, 20 * l)).collect();
    let list = list(&games(&often), &request);
    for (row, error) in list.rows.iter().zip([43.79, 41.84, 36.85, 36.60, 36.55, 43.78, 47.97]) {
        near(row.error.unwrap() / error, 1.0, 0.15);
    }
    near(list.rows[3].superiority.unwrap(), 0.90, 0.05);
    near(list.advantage_error.unwrap(), 12.27, 1.8);
    near(list.draw_rate_error.unwrap(), 0.0231, 0.004);
    assert_eq!(list, super::list(&games(&often), &request), "the seed decides");
}

#[test]
fn who_wins_everything_is_rated_apart() {
    let list = ordo_of(&[("A", "B", 3, 0, 0), ("B", "C", 2, 1, 1), ("D", "C", 0, 0, 2)], ordo::Options::default());
    let mark = |name: &str| list.rows.iter().find(|row| row.name == name).unwrap().mark;
    assert_eq!(["A", "B", "C", "D"].map(mark), [Mark::WonAll, Mark::None, Mark::None, Mark::LostAll]);
    assert_eq!((list.rows[0].name.as_str(), list.rows[3].name.as_str()), ("A", "D"));
    near((list.rows[1].elo + list.rows[2].elo) / 2.0, 2300.0, 1e-6);
}

#[test]
fn newcomers_have_provisional_ratings_that_move_nobody() {
    let official = games(QUALIFICATION);
    let testing = games(&[("New", "Seer", 1, 4, 3), ("MrBob", "New", 2, 5, 1), ("Seer", "Stash", 0, 0, 50)]);
    let request = Request { errors: Errors::Model, ..Request::default() };
    let before = list(&official, &request);
    let after = list(&official, &Request { testing: Some(testing), ..request });
    assert_eq!(after.rows.len(), 8);
    for row in &before.rows {
        let same = after.rows.iter().find(|other| other.name == row.name).unwrap();
        assert_eq!((same.elo, same.error, same.games), (row.elo, row.error, row.games));
        near(same.opponents.unwrap(), row.opponents.unwrap(), 1e-9);
    }
    let new = after.rows.iter().find(|row| row.name == "New").unwrap();
    assert_eq!((new.mark, new.games), (Mark::Provisional, 16));
    assert!(new.elo > 50.0 && new.elo < 150.0 && new.error.unwrap() > 50.0, "{new:?}");
    assert!(after.bayeselo_text().contains(" New? "), "{}", after.bayeselo_text());
}

/// Pairs in which the opening decides say far less than as many games apart.
#[test]
fn errors_from_pairs() {
    let play = |pairs: &[(GameResult, GameResult, u32)]| {
        let (mut games, mut key) = (Collector::default(), 0);
        for &(one, two, count) in pairs {
            for _ in 0..count {
                key += 1;
                games.add("A", "B", one, Some(key));
                games.add("B", "A", two, Some(key));
            }
        }
        let games = games.finish();
        let error = |errors| list(&games, &Request { errors, ..Request::default() }).rows[0].error.unwrap();
        (error(Errors::Covariance), error(Errors::Auto))
    };
    // Every opening wins for White: the pairs are all level, and one in ten is not.
    let (plain, pairs) = play(&[(FirstWins, FirstWins, 90), (FirstWins, SecondWins, 6), (SecondWins, FirstWins, 4)]);
    assert!(pairs < plain * 0.6, "{pairs} {plain}");
    // The stronger one wins both or loses both: a pair says no more than a game.
    let (plain, pairs) = play(&[(FirstWins, SecondWins, 50), (SecondWins, FirstWins, 50)]);
    assert!(pairs > plain * 1.2, "{pairs} {plain}");
}

#[test]
fn the_form_of_bayeselos_list() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/vectors/tcec/bayeselo_snapshot_2025-12-08.txt");
    let Ok(text) = std::fs::read_to_string(path) else {
        println!("SKIP: no list at {path}");
        return;
    };
    let table: String = text.lines().take_while(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect();
    let number = |word: &str| word.trim_end_matches('%').parse::<f64>().unwrap();
    let rows = table.lines().skip(1).map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let games = words[5].parse().unwrap();
        Row {
            rank: words[0].parse().unwrap(),
            name: words[1].to_owned(),
            elo: number(words[2]),
            error: Some(number(words[3])),
            games,
            points: number(words[6]) / 100.0 * games as f64,
            opponents: Some(number(words[7])),
            draws: Some(number(words[8]) / 100.0),
            ..Row::default()
        }
    });
    let list = List { rows: rows.collect(), ..List::default() };
    assert_eq!(list.rows.len(), 80);
    assert_eq!(list.bayeselo_text(), table);
}

#[test]
fn the_form_of_ordos_list() {
    let list = ordo_of(QUALIFICATION, ordo::Options::default());
    let text = "
   # PLAYER   :    RATING  POINTS  PLAYED   (%)
   1 Seer     :  2596.608    10.0      12  83.3
";
    assert!(list.ordo_text(3).starts_with(text), "{}", list.ordo_text(3));
    assert!(list.csv().contains("1,\"Seer\",2596.61,,12,10.0,0.8333,"), "{}", list.csv());
}

#[test]
fn a_list_that_follows_the_games_is_the_list_of_all_games() {
    let mut live = Live::new(Games::default(), Request::default());
    let mut state = 7_u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    for game in 0..300 {
        let (first, second) = (random() % 12, random() % 11);
        let second = if second >= first { second + 1 } else { second };
        let result = [FirstWins, Draw, Draw, SecondWins][(random() + usize::from(first > second)) % 4];
        live.add(&format!("P{first}"), &format!("P{second}"), result);
        if game % 25 == 24 {
            let whole = list(live.games(), live.request());
            for (a, b) in live.list().rows.iter().zip(&whole.rows) {
                assert_eq!(a.name, b.name);
                near(a.elo, b.elo, 0.001);
                near(a.error.unwrap(), b.error.unwrap(), 0.001);
            }
        }
    }
}

proptest! {
    #[test]
    fn whatever_was_played_gives_finite_ratings(
        played in prop::collection::vec((0u8..6, 0u8..6, 0u8..3), 0..60), fitted: bool, prior in 0u8..2,
    ) {
        let mut games = Collector::default();
        for (first, second, result) in played {
            games.add(&first.to_string(), &second.to_string(), [FirstWins, Draw, SecondWins][result as usize], None);
        }
        let games = games.finish();
        let parameter = |value| if fitted { Parameter::Fitted } else { Parameter::Fixed(value) };
        let options = Options { advantage: parameter(30.0), draw: parameter(100.0), prior: f64::from(prior) };
        let model = Model::BayesElo { options, scale: None, tcec_scale: false, offset: (0.0, None) };
        let own = ordo::Options { advantage: parameter(30.0), draw_rate: parameter(0.4), ..ordo::Options::default() };
        for (model, errors) in [
            (model.clone(), Errors::Covariance),
            (model, Errors::Pairs),
            (Model::Ordo(own.clone()), Errors::Pairs),
            (Model::Ordo(own), Errors::Simulated { count: 3, seed: 1, to_mean: true }),
        ] {
            let list = list(&games, &Request { model, errors, ..Request::default() });
            prop_assert_eq!(list.rows.len(), games.names().len());
            for row in &list.rows {
                let numbers = [Some(row.elo), row.error, row.opponents, row.draws, row.superiority];
                prop_assert!(numbers.iter().flatten().all(|n| n.is_finite()), "{:?}", row);
            }
            prop_assert!(!list.text().contains("NaN") && !list.csv().contains("inf"));
        }
    }
}

fn bradley_terry(anchor: Option<(&str, f64)>) -> Request {
    let anchor = anchor.map(|(name, rating)| (name.to_owned(), rating));
    Request { model: Model::BradleyTerry { anchor }, ..Request::default() }
}

/// Beside a Newton search of its own in another language.
#[test]
fn bradley_and_terry_with_an_anchor() {
    const LINES: &[Line<'_>] = &[
        ("A", "B", 5, 3, 2),
        ("B", "A", 4, 3, 3),
        ("A", "C", 7, 2, 1),
        ("C", "A", 1, 3, 6),
        ("B", "C", 6, 2, 2),
        ("C", "B", 2, 4, 4),
        ("C", "random", 9, 1, 0),
        ("random", "C", 0, 2, 8),
        ("B", "random", 9, 1, 0),
        ("random", "B", 1, 0, 9),
    ];
    let found = list(&games(LINES), &bradley_terry(Some(("random", 0.0))));
    rated(&found, &[("A", 565.397_39), ("B", 504.183_08), ("C", 385.669_70), ("random", 0.0)], 1e-4);
    for (row, error) in found.rows.iter().zip([236.6877, 220.6459, 210.1167]) {
        near(row.error.unwrap(), error, 1e-3);
    }
    assert_eq!((found.rows[3].error, found.rows[3].mark, found.errors.as_str()), (None, Mark::Anchor, "covariance"));
    let text = found.text();
    assert!(text.contains("anchor random = 0.0") && text.contains("information matrix, 95 %"), "{text}");
    assert!(text.contains("no human rating") && !text.contains("White"), "{text}");
    // Another rating of the anchor moves all; without one that plays the mean is 0.
    near(list(&games(LINES), &bradley_terry(Some(("random", 1000.0)))).rows[0].elo, 1_565.397_39, 1e-4);
    for (anchor, warnings) in [(None, 0), (Some(("nobody", 1500.0)), 1)] {
        let list = list(&games(LINES), &bradley_terry(anchor));
        near(list.rows.iter().map(|row| row.elo).sum(), 0.0, 1e-6);
        near(list.rows[0].elo - list.rows[3].elo, 565.397_39, 1e-4);
        assert_eq!(list.warnings.len(), warnings, "{:?}", list.warnings);
        assert!(list.text().contains("mean 0"), "{}", list.text());
    }
    // Who won all games has no finite rating.
    let list = list(&games(&[("A", "random", 5, 0, 0)]), &bradley_terry(Some(("random", 0.0))));
    assert_eq!((list.rows[0].mark, list.rows[0].error), (Mark::WonAll, None));
}

#[test]
fn pairs_that_are_all_alike_are_no_certainty() {
    let mut games = Collector::default();
    for key in 0..4 {
        games.add("A", "B", FirstWins, Some(key));
        games.add("B", "A", Draw, Some(key));
    }
    let games = games.finish();
    let found = list(&games, &bradley_terry(Some(("B", 0.0))));
    assert_eq!(found.errors, "covariance");
    assert!(found.rows[0].error.is_some_and(|error| error > 50.0), "{:?}", found.rows);
    for request in [Request::default(), Request { errors: Errors::Pairs, ..Request::default() }] {
        let found = list(&games, &request);
        // Its prior keeps expectations off the scores.
        assert!(found.rows[0].error.is_some_and(|error| error > 10.0), "{found:?}");
    }
}

#[test]
fn what_nothing_ties_together_has_no_error() {
    let games = games(&[("A", "B", 1, 0, 0), ("B", "A", 0, 0, 1), ("C", "D", 0, 1, 0), ("D", "C", 0, 1, 0)]);
    let requests = [bradley_terry(None), Request { errors: Errors::Covariance, ..Request::default() }];
    for request in requests {
        let found = list(&games, &request);
        for row in &found.rows {
            assert!(row.error.is_none_or(|error| error < 10_000.0), "{row:?}");
            assert!(row.elo != 0.0 || row.elo.is_sign_positive(), "{row:?}");
        }
    }
}

#[test]
fn who_won_all_has_a_rating_that_says_so() {
    let mut games = Collector::default();
    for (first, second, result) in
        [("a", "b", GameResult::FirstWins), ("b", "c", GameResult::FirstWins), ("c", "b", GameResult::FirstWins)]
    {
        games.add(first, second, result, None);
    }
    let guess = "no rating fits best";
    let all = list(&games.finish(), &bradley_terry(None));
    assert_eq!((all.rows[0].name.as_str(), all.rows[0].mark), ("a", Mark::WonAll));
    assert!(all.text().contains("a >") && all.text().contains(guess), "{}", all.text());
    let mut games = Collector::default();
    games.add("a", "b", GameResult::Draw, None);
    assert!(!list(&games.finish(), &bradley_terry(None)).text().contains(guess));
}

#[test]
fn bradley_and_terry_with_errors_of_pairs() {
    let (mut games, mut key) = (Collector::default(), 0);
    for (one, two, count) in [
        (FirstWins, FirstWins, 3),
        (FirstWins, SecondWins, 4),
        (SecondWins, SecondWins, 2),
        (Draw, Draw, 5),
        (FirstWins, Draw, 3),
        (Draw, SecondWins, 1),
    ] {
        for _ in 0..count {
            key += 1;
            games.add("A", "B", one, Some(key));
            games.add("B", "A", two, Some(key));
        }
    }
    let games = games.finish();
    let of = |errors| list(&games, &Request { errors, ..bradley_terry(Some(("B", 0.0))) });
    for (errors, word, error) in [
        (Errors::Auto, "pairs", 73.7162),
        (Errors::Pairs, "pairs", 73.7162),
        (Errors::Covariance, "covariance", 120.3781),
        (Errors::Model, "covariance", 120.3781),
    ] {
        let list = of(errors);
        assert_eq!(list.errors, word);
        near(list.rows[0].elo, 120.411_998, 1e-4);
        near(list.rows[0].error.unwrap(), error, 1e-3);
    }
    assert_eq!(of(Errors::None).rows[0].error, None);
    let simulated = of(Errors::Simulated { count: 9, seed: 1, to_mean: false });
    assert_eq!((simulated.rows[0].error, simulated.warnings.len()), (None, 1), "{:?}", simulated.warnings);
}
