//! `rate`: a rating list from PGN files.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};
use rookery_game::pgn::{self, Score};
use rookery_tournament::{
    rating::{
        Collector, Errors, Games, List, Model, Request, bayeselo,
        bayeselo::Parameter,
        list,
        ordo::{self, Anchor},
        pair_key, tcec,
    },
    spec::nearest,
};

use crate::exit::{self, Outcome, Usage};

/// Games are read in pieces of this size: large enough that reading costs nothing, small enough for the cache.
const PIECE: usize = 1 << 20;
/// No game is longer; a file with a longer one is no PGN.
const LONGEST_GAME: usize = 64 << 20;

/// Which model rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModelArg {
    /// Ratings, advantage of White and a draw parameter, as BayesElo has them.
    Bayeselo,
    /// Everyone's expected points are the points made, as Ordo has it.
    Ordo,
    /// BayesElo's with TCEC's parameters: names without versions, the current and the previous season.
    Tcec,
    /// Bradley and Terry's: maximum likelihood on the logistic scale, a draw half a win, one engine's rating given.
    BradleyTerry,
}

/// What the errors are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ErrorsArg {
    /// From pairs where at least half of the games come in pairs, else the model's own.
    Auto,
    /// BayesElo's: as if all other ratings were known.
    Model,
    /// BayesElo's, Bradley and Terry's: with all ratings uncertain.
    Covariance,
    /// From the games' own spread, both games of a pair taken as one.
    Pairs,
    /// None.
    None,
}

/// How the list looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// In the form of the model's own program.
    Text,
    /// Comma-separated.
    Csv,
    /// One JSON object.
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct RateArgs {
    /// PGN files; `-` is stdin.
    #[arg(required = true, value_name = "PGN")]
    files: Vec<PathBuf>,
    /// Which model rates.
    #[arg(long, value_enum, default_value_t = ModelArg::Bayeselo)]
    model: ModelArg,
    /// What the errors are.
    #[arg(long, value_enum, default_value_t = ErrorsArg::Auto)]
    errors: ErrorsArg,
    /// Of the intervals, percent.
    #[arg(long, default_value_t = 95.0, value_name = "PERCENT")]
    confidence: f64,
    /// How the list looks.
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    format: ListFormat,
    /// Digits after the point in Ordo's form.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=6))]
    decimals: u8,
    /// Elo that White is worth: a number, or `fit`. Default: 32.8; Ordo 0; TCEC 98.9011.
    #[arg(long, value_name = "ELO", allow_hyphen_values = true)]
    advantage: Option<String>,
    /// BayesElo: the draw parameter, Elo, default 97.3, TCEC 252.498. Ordo: draws of equal opponents, percent, default 50. Or `fit`.
    #[arg(long, value_name = "VALUE")]
    draw: Option<String>,
    /// BayesElo: virtual draws of each player.
    #[arg(long, value_name = "DRAWS", value_parser = draws)]
    prior: Option<f64>,
    /// BayesElo: ratings are multiplied by this. Default: by the draw parameter.
    #[arg(long, value_name = "FACTOR", value_parser = factor)]
    scale: Option<f64>,
    /// Elo of the list's mean, or with --anchor of that player. Default: 0; Ordo 2300.
    #[arg(long, value_name = "ELO", allow_hyphen_values = true, value_parser = elo)]
    average: Option<f64>,
    /// A player whose rating is given: `NAME` with --average, or `NAME=ELO`. Several are held, the others fitted between them (Ordo).
    #[arg(long = "anchor", value_name = "NAME[=ELO]")]
    anchors: Vec<String>,
    /// Ordo: what is known of a player, `NAME=ELO,ERROR`. May come again.
    #[arg(long = "loose-anchor", value_name = "NAME=ELO,ERROR")]
    loose: Vec<String>,
    /// Ordo: what is known of two players' difference, `NAME,NAME=ELO,ERROR`. May come again.
    #[arg(long = "relation", value_name = "A,B=ELO,ERROR", allow_hyphen_values = true)]
    relations: Vec<String>,
    /// Ordo: errors from so many simulations.
    #[arg(long, value_name = "N")]
    simulations: Option<u32>,
    /// The seed of simulations.
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Ordo: errors relative to the mean of the list, not to the anchor.
    #[arg(long)]
    pool_relative: bool,
    /// Names end at their first blank: versions of an engine are one player. On with TCEC's model.
    #[arg(long)]
    ignore_versions: bool,
    /// TCEC: the current season. Default: the highest that an `Event` tag names.
    #[arg(long, value_name = "N")]
    season: Option<u32>,
    /// Test games: who has no others gets a provisional rating from them. May come again.
    #[arg(long, value_name = "PGN")]
    testing: Vec<PathBuf>,
    /// Leave out games that ended by time or by a crash. TCEC counts them.
    #[arg(long)]
    without_faults: bool,
}

/// Makes the list.
pub(crate) fn run(args: &RateArgs, json: bool) -> Outcome {
    let request = request(args)?;
    let games = read(&args.files, args)?;
    if games.count() == 0 {
        return Err(Usage("no game with two players and a result in these files".to_owned()).into());
    }
    known_anchors(&request, &games)?;
    let testing = if args.testing.is_empty() { None } else { Some(read(&args.testing, args)?) };
    let list = list(&games, &Request { testing, ..request });
    for warning in &list.warnings {
        tell!("warning: {warning}");
    }
    print!("{}", written(&list, args, json)?);
    Ok(exit::DONE)
}

/// An anchor that nobody plays under would leave the list where it is.
fn known_anchors(request: &Request, games: &Games) -> Result<(), Usage> {
    let names: Vec<&String> = match &request.model {
        Model::BayesElo { offset, .. } => offset.1.iter().collect(),
        Model::BradleyTerry { anchor } => anchor.iter().map(|(name, _)| name).collect(),
        Model::Ordo(options) => match &options.anchor {
            Anchor::Average(_) => Vec::new(),
            Anchor::Player(name, _) => vec![name],
            Anchor::Players(several) => several.iter().map(|(name, _)| name).collect(),
            Anchor::Loose(several) => several.iter().map(|(name, ..)| name).collect(),
        },
    };
    let Some(name) = names.into_iter().find(|name| games.find(name).is_none()) else { return Ok(()) };
    let known = games.names().iter().map(String::as_str);
    let hint = match nearest(name, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are: {}", known.take(5).collect::<Vec<_>>().join(", ")),
    };
    Err(Usage(format!("--anchor: no games of `{name}`; {hint}")))
}

fn written(list: &List, args: &RateArgs, json: bool) -> Result<String, serde_json::Error> {
    Ok(match args.format {
        _ if json => format!("{}\n", serde_json::to_string_pretty(list)?),
        ListFormat::Json => format!("{}\n", serde_json::to_string_pretty(list)?),
        ListFormat::Csv => list.csv(),
        ListFormat::Text if list.model != "bayeselo" => list.ordo_text(usize::from(args.decimals)),
        ListFormat::Text => list.text(),
    })
}

fn request(args: &RateArgs) -> Result<Request, Usage> {
    if !(args.confidence > 0.0 && args.confidence < 100.0) {
        return Err(Usage(format!("--confidence {}: expected a percentage between 0 and 100", args.confidence)));
    }
    let ordo = args.model == ModelArg::Ordo;
    let bradley_terry = args.model == ModelArg::BradleyTerry;
    let only = |given: bool, flag: &str, model: &str| {
        if given { Err(Usage(format!("{flag} belongs to --model {model}"))) } else { Ok(()) }
    };
    if bradley_terry {
        only(args.advantage.is_some(), "--advantage", "bayeselo, ordo or tcec")?;
        only(args.draw.is_some(), "--draw", "bayeselo, ordo or tcec")?;
        if let (Some(average), []) = (args.average, args.anchors.as_slice()) {
            return Err(Usage(format!("--average {average}: expected --anchor NAME; without one the mean is 0")));
        }
    }
    if ordo || bradley_terry {
        only(args.prior.is_some(), "--prior", "bayeselo")?;
        only(args.scale.is_some(), "--scale", "bayeselo")?;
        only(!args.testing.is_empty(), "--testing", "bayeselo")?;
    }
    if !ordo {
        only(args.simulations.is_some(), "--simulations", "ordo")?;
        only(!args.loose.is_empty(), "--loose-anchor", "ordo")?;
        only(!args.relations.is_empty(), "--relation", "ordo")?;
        only(args.anchors.len() > 1, "more than one --anchor", "ordo")?;
    }
    let errors = match (args.simulations, args.errors) {
        (Some(count), _) => Errors::Simulated { count, seed: args.seed, to_mean: args.pool_relative },
        (None, ErrorsArg::Auto) => Errors::Auto,
        (None, ErrorsArg::Model) => Errors::Model,
        (None, ErrorsArg::Covariance) => Errors::Covariance,
        (None, ErrorsArg::Pairs) => Errors::Pairs,
        (None, ErrorsArg::None) => Errors::None,
    };
    let model = match args.model {
        ModelArg::Ordo => ordo_model(args)?,
        ModelArg::BradleyTerry => {
            let anchor = args.anchors.first().map(|text| anchored(text, args.average)).transpose()?;
            Model::BradleyTerry { anchor }
        }
        ModelArg::Bayeselo | ModelArg::Tcec => bayes_elo_model(args)?,
    };
    Ok(Request { model, errors, confidence: args.confidence / 100.0, testing: None })
}

/// Ratings and differences of ratings, either way: beyond it is a slip of the hand.
const MOST_ELO: f64 = 100_000.0;

fn number(text: &str, what: &str, fits: impl Fn(f64) -> bool) -> Result<f64, String> {
    text.trim()
        .parse()
        .ok()
        .filter(|value: &f64| value.is_finite() && fits(*value))
        .ok_or_else(|| format!("expected {what}"))
}

fn elo(text: &str) -> Result<f64, String> {
    number(text, "a number of Elo between -100000 and 100000", |value| value.abs() <= MOST_ELO)
}

fn draws(text: &str) -> Result<f64, String> {
    number(text, "a number of draws between 0 and 100000", |value| (0.0..=MOST_ELO).contains(&value))
}

fn factor(text: &str) -> Result<f64, String> {
    number(text, "a factor between 0.001 and 1000", |value| (0.001..=1000.0).contains(&value))
}

fn parameter(flag: &str, given: Option<&str>, default: Parameter, unit: f64) -> Result<Parameter, Usage> {
    match given {
        None => Ok(default),
        Some("fit") => Ok(Parameter::Fitted),
        Some(text) => {
            let value = elo(text).map_err(|why| Usage(format!("{flag} {text}: {why}, or `fit`")))?;
            Ok(Parameter::Fixed(value * unit))
        }
    }
}

fn bayes_elo_model(args: &RateArgs) -> Result<Model, Usage> {
    let tcec = args.model == ModelArg::Tcec;
    let base = if tcec {
        tcec::model(false)
    } else {
        Model::BayesElo { options: bayeselo::Options::default(), scale: None, tcec_scale: false, offset: (0.0, None) }
    };
    let Model::BayesElo { options, tcec_scale, offset, .. } = base else { return Ok(base) };
    let offset = match args.anchors.first() {
        Some(anchor) => {
            let (name, elo) = anchored(anchor, args.average)?;
            (elo, Some(name))
        }
        None => args.average.map_or(offset, |average| (average, None)),
    };
    let options = bayeselo::Options {
        advantage: parameter("--advantage", args.advantage.as_deref(), options.advantage, 1.0)?,
        draw: parameter("--draw", args.draw.as_deref(), options.draw, 1.0)?,
        prior: args.prior.unwrap_or(options.prior),
    };
    Ok(Model::BayesElo { options, scale: args.scale, tcec_scale, offset })
}

fn ordo_model(args: &RateArgs) -> Result<Model, Usage> {
    let default = ordo::Options::default();
    let loose = |text: &String| {
        let wrong = || Usage(format!("--loose-anchor {text}: expected NAME=ELO,ERROR, e.g. `Stockfish 15=3500,20`"));
        let (name, values) = text.rsplit_once('=').ok_or_else(wrong)?;
        let (elo, error) = two(values).ok_or_else(wrong)?;
        Ok((name.to_owned(), elo, error))
    };
    let relation = |text: &String| {
        let wrong = || Usage(format!("--relation {text}: expected A,B=ELO,ERROR, e.g. `New 2,New 1=20,10`"));
        let (names, values) = text.rsplit_once('=').ok_or_else(wrong)?;
        let (first, second) = names.split_once(',').ok_or_else(wrong)?;
        let (elo, error) = two(values).ok_or_else(wrong)?;
        Ok((first.to_owned(), second.to_owned(), elo, error))
    };
    let anchors = args.anchors.iter().map(|text| anchored(text, args.average)).collect::<Result<Vec<_>, _>>()?;
    if !anchors.is_empty() && !args.loose.is_empty() {
        return Err(Usage("--anchor and --loose-anchor exclude each other".to_owned()));
    }
    let anchor = match anchors.as_slice() {
        [] if !args.loose.is_empty() => Anchor::Loose(args.loose.iter().map(loose).collect::<Result<_, Usage>>()?),
        [] => Anchor::Average(args.average.unwrap_or(ordo::AVERAGE)),
        [(name, elo)] => Anchor::Player(name.clone(), *elo),
        several => Anchor::Players(several.to_vec()),
    };
    Ok(Model::Ordo(ordo::Options {
        anchor,
        advantage: parameter("--advantage", args.advantage.as_deref(), default.advantage, 1.0)?,
        draw_rate: parameter("--draw", args.draw.as_deref(), default.draw_rate, 0.01)?,
        relations: args.relations.iter().map(relation).collect::<Result<_, Usage>>()?,
        scale: default.scale,
    }))
}

pub(crate) fn anchored(text: &str, average: Option<f64>) -> Result<(String, f64), Usage> {
    if let Some((name, elo)) = text.rsplit_once('=')
        && elo.trim().parse::<f64>().is_ok()
    {
        let elo = self::elo(elo).map_err(|why| Usage(format!("--anchor {text}: {why}")))?;
        return Ok((name.to_owned(), elo));
    }
    let elo = average.ok_or_else(|| Usage(format!("--anchor {text}: its rating is missing; write `{text}=ELO`")))?;
    Ok((text.to_owned(), elo))
}

fn two(text: &str) -> Option<(f64, f64)> {
    let (a, b) = text.split_once(',')?;
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|value| value.is_finite());
    Some((number(a)?, number(b)?)).filter(|(_, error)| *error > 0.0)
}

/// Reads games of all files; with TCEC's model those of its two seasons.
fn read(files: &[PathBuf], args: &RateArgs) -> Result<Games, Usage> {
    let tcec = args.model == ModelArg::Tcec;
    let season = match (tcec, args.season) {
        (false, _) => None,
        (true, Some(season)) => Some(season),
        (true, None) => {
            let mut highest = None;
            for file in files {
                each_score(file, |score| highest = highest.max(tcec::season(&score.event)))?;
            }
            highest
        }
    };
    let short = tcec || args.ignore_versions;
    let pairs = matches!(args.errors, ErrorsArg::Auto | ErrorsArg::Pairs) && args.simulations.is_none();
    let mut games = Collector::default();
    for file in files {
        each_score(file, |score| {
            let Some(result) = score.result else { return };
            if season.is_some_and(|season| !tcec::counts(&score.event, season))
                || (args.without_faults && is_fault(&score.termination))
            {
                return;
            }
            let name =
                |name: &str| -> String { if short { tcec::version_free(name).to_owned() } else { name.to_owned() } };
            let pair = if pairs { pair_key(score) } else { None };
            if short {
                games.add(&name(&score.first), &name(&score.second), result, pair);
            } else {
                games.add(&score.first, &score.second, result, pair);
            }
        })?;
    }
    match games.passed() {
        0 => {}
        1 => tell!("warning: a game of a player against itself is not counted"),
        n => tell!("warning: {n} games of players against themselves are not counted"),
    }
    Ok(games.finish())
}

/// Whether a game ended by time or by a crash, in the words that managers write.
fn is_fault(termination: &str) -> bool {
    matches!(
        termination,
        "time forfeit" | "abandoned" | "stalled connection" | "illegal move" | "disconnect" | "crash" | "timeout"
    )
}

/// Tells the scores of a file's games, in pieces.
fn each_score(path: &Path, mut each: impl FnMut(&Score<'_>)) -> Result<(), Usage> {
    let wrong = |why: &str| Usage(format!("{}: {why}", path.display()));
    let mut source: Box<dyn Read> = if path == Path::new("-") {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(File::open(path).map_err(|error| wrong(&error.to_string()))?)
    };
    let mut buffer = vec![0; PIECE];
    let mut filled = 0;
    loop {
        if filled == buffer.len() {
            if buffer.len() >= LONGEST_GAME {
                return Err(wrong("a game is longer than 64 MiB; is it a PGN file?"));
            }
            buffer.resize(2 * buffer.len(), 0);
        }
        let read = source.read(&mut buffer[filled..]).map_err(|error| wrong(&error.to_string()))?;
        filled += read;
        if read > 0 && filled < buffer.len() && read < PIECE / 2 {
            // A pipe gives little at a time: it is gathered.
            continue;
        }
        let used = pgn::scores(&buffer[..filled], read > 0, &mut each);
        buffer.copy_within(used..filled, 0);
        filled -= used;
        if read == 0 {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_read() {
        assert_eq!(anchored("A=b=3000", None).unwrap(), ("A=b".to_owned(), 3000.0));
        assert_eq!(anchored("A", Some(2500.0)).unwrap(), ("A".to_owned(), 2500.0));
        assert!(anchored("A", None).unwrap_err().0.contains("A=ELO"));
        assert_eq!(two("3500, 20"), Some((3500.0, 20.0)));
        assert_eq!(two("3500,0"), None);
    }

    #[test]
    fn games_of_a_pair_share_a_key() {
        let score = |round: &'static str, name: &'static str, first: &'static str, second: &'static str| Score {
            round: round.into(),
            name: name.into(),
            first: first.into(),
            second: second.into(),
            ..Score::default()
        };
        let same = [
            (score("1", "", "A", "B"), score("1", "", "B", "A")),
            (score("1.1", "m-1/1/1", "A", "B"), score("1.2", "m-1/2/1", "B", "A")),
        ];
        for (one, two) in same {
            assert_eq!(pair_key(&one), pair_key(&two));
        }
        assert_ne!(pair_key(&score("1", "", "A", "B")), pair_key(&score("1", "", "A", "C")));
        assert_eq!(pair_key(&score("?", "", "A", "B")), None);
    }
}
