//! The spec that flags describe.

use rookery_tournament::spec::{self, FlagEngine, Flags};

use crate::{args::RunArgs, exit::Usage};

/// The spec as TOML.
pub(super) fn spec(args: &RunArgs) -> Result<String, Usage> {
    if args.engines.is_empty() {
        return Err(Usage("nothing to play: name a spec, or at least two engines with --engine".to_owned()));
    }
    if args.names.len() > args.engines.len() {
        return Err(Usage(format!("{} names for {} engines", args.names.len(), args.engines.len())));
    }
    let engines = args.engines.iter().enumerate().map(|(index, program)| FlagEngine {
        program: program.clone(),
        name: args.names.get(index).cloned(),
        ..FlagEngine::default()
    });
    let options = args.options.iter().map(|option| pair(option)).collect::<Result<_, _>>()?;
    let chess960 = match args.game.as_deref() {
        None => false,
        Some(word) => crate::check::game_kind(word)? == rookery_game::GameKind::Chess960,
    };
    let flags = Flags {
        engines: engines.collect(),
        options,
        threads: args.threads,
        time_control: args.tc.clone(),
        book: args.book.as_ref().map(|path| path.display().to_string()),
        chess960,
        sprt: args.sprt.as_deref().map(sprt).transpose()?,
        pairs: args.pairs,
        ..Flags::default()
    };
    Ok(spec::from_flags(&flags))
}

fn pair(text: &str) -> Result<(String, String), Usage> {
    let (name, value) =
        text.split_once('=').ok_or_else(|| Usage(format!("--option {text}: expected NAME=VALUE, e.g. `Hash=16`")))?;
    Ok((name.trim().to_owned(), value.to_owned()))
}

fn sprt(text: &str) -> Result<(f64, f64), Usage> {
    let bounds = text.split_once(',').and_then(|(a, b)| Some((a.trim().parse().ok()?, b.trim().parse().ok()?)));
    bounds.ok_or_else(|| Usage(format!("--sprt {text}: expected ELO0,ELO1, e.g. `0,2`")))
}
