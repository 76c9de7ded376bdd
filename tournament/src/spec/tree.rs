//! A spec as keys and values, as people write them: what `explain` prints and what two specs are compared by.

use rookery_game::{
    TimeControl,
    adjudicate::Adjudication,
    prediction::{OnIllegal, OnMissing, Predictions, Source, Zone},
    setup::{GameKind, Killed, Limits, Restart},
};

use super::{
    CrashesThen, Distinct, EngineSpec, EventSpec, FormatSpec, Gate, Interruption, OpeningSource, OpeningsSpec, Per,
    Play, RatingsSpec, SprtModel, StopSpec, SwissSystem, TimeScale,
    unit::{duration_text, share_text, size_text},
};
use crate::{
    format::AtOnce,
    interruption::{Compensation, DrawLimit, WHOLE},
};

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    /// TOML text.
    Leaf(String),
    /// A table.
    Table(Vec<(String, Node)>),
    /// A key without a value, and what happens then.
    Unset(&'static str),
}

/// Keys and values in their order.
pub(super) type Nodes = Vec<(String, Node)>;

impl Node {
    /// As TOML on one line.
    pub(super) fn inline(&self) -> String {
        match self {
            Self::Leaf(text) => text.clone(),
            Self::Unset(_) => String::new(),
            Self::Table(nodes) => {
                let pairs: Vec<String> = nodes
                    .iter()
                    .filter(|(_, node)| !matches!(node, Self::Unset(_)))
                    .map(|(key, node)| format!("{} = {}", key_text(key), node.inline()))
                    .collect();
                if pairs.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", pairs.join(", ")) }
            }
        }
    }
}

/// A text in quotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A key, in quotes where it needs them.
pub(super) fn key_text(key: &str) -> String {
    let bare = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if bare { key.to_owned() } else { quoted(key) }
}

/// An option's value: numbers and truth values without quotes.
pub(super) fn plain(text: &str) -> String {
    let number = text.parse::<i64>().is_ok_and(|n| n.to_string() == text);
    if number || text == "true" || text == "false" { text.to_owned() } else { quoted(text) }
}

fn leaf(text: impl ToString) -> Node {
    Node::Leaf(text.to_string())
}

fn text(text: &str) -> Node {
    Node::Leaf(quoted(text))
}

fn texts<'a>(all: impl IntoIterator<Item = &'a String>) -> Node {
    let all: Vec<String> = all.into_iter().map(|t| quoted(t)).collect();
    Node::Leaf(format!("[{}]", all.join(", ")))
}

fn duration(duration: std::time::Duration) -> Node {
    text(&duration_text(duration))
}

fn cp(score: u32) -> Node {
    text(&format!("{score} cp"))
}

fn or(value: Option<Node>, unset: &'static str) -> Node {
    value.unwrap_or(Node::Unset(unset))
}

fn table<const N: usize>(nodes: [(&str, Node); N]) -> Node {
    Node::Table(nodes.into_iter().map(|(key, node)| (key.to_owned(), node)).collect())
}

fn control(control: &TimeControl, scale: Option<TimeScale>) -> Node {
    let control = text(&control.to_string());
    match scale {
        Some(TimeScale::Nps) => table([("control", control), ("scale", text("nps"))]),
        None => control,
    }
}

fn restart(restart: Restart) -> Node {
    text(match restart {
        Restart::Never => "never",
        Restart::Pair => "pair",
        Restart::Game => "game",
    })
}

/// One engine.
pub(super) fn engine(spec: &EngineSpec) -> Nodes {
    let setup = &spec.setup;
    let mut nodes: Nodes = Vec::new();
    let mut add = |key: &str, node: Node| nodes.push((key.to_owned(), node));
    add("name", text(&setup.name));
    match setup.artifact.is_empty() {
        true => add("program", text(&setup.program)),
        false => add("artifact", text(&setup.artifact)),
    }
    add("args", texts(&setup.args));
    if !setup.env.is_empty() {
        add("env", Node::Table(setup.env.iter().map(|(key, value)| (key.clone(), text(value))).collect()));
    }
    let directory = (!setup.directory.is_empty()).then(|| text(&setup.directory));
    add("directory", or(directory, "a folder of its own"));
    add("protocol", text(&setup.protocol));
    add("threads", or(setup.threads.map(leaf), "by the option"));
    if !setup.options.is_empty() {
        add(
            "options",
            Node::Table(setup.options.iter().map(|(key, value)| (key.clone(), leaf(plain(value)))).collect()),
        );
    }
    add("restart", restart(setup.restart));
    let own = spec.time_control.as_ref().map(|c| control(c, spec.time_scale));
    add("time-control", or(own, "the event's"));
    add("margin", or(spec.margin.map(duration), "the event's"));
    add("rating", or(spec.rating.map(leaf), "none"));
    add("family", or(spec.family.as_deref().map(text), "its name"));
    add("seed-option", or(spec.seed_option.as_deref().map(text), "none"));
    let mut needs: Nodes = Vec::new();
    if !spec.cpu_features.is_empty() {
        needs.push(("cpu".to_owned(), texts(&spec.cpu_features)));
    }
    if spec.gpus > 0 {
        needs.push(("gpus".to_owned(), leaf(spec.gpus)));
    }
    if !needs.is_empty() {
        add("needs", Node::Table(needs));
    }
    nodes
}

/// The event.
pub(super) fn event(spec: &EventSpec) -> Nodes {
    let sized = |slot: &super::SlotSpec| {
        let labels = slot.labels.iter().map(|(key, value)| (key.clone(), text(value))).collect();
        table([
            ("cores", leaf(slot.cores)),
            ("memory", text(&size_text(slot.memory))),
            ("gpus", leaf(slot.gpus)),
            ("labels", Node::Table(labels)),
        ])
    };
    let checkers = (spec.game == GameKind::ChineseCheckers).then_some(spec.rules.chinese_checkers);
    let site = (!spec.site.is_empty()).then(|| text(&spec.site));
    let nodes = [
        ("title", text(&spec.title)),
        (
            "game",
            text(match spec.game {
                GameKind::Chess => "chess",
                GameKind::Chess960 => "chess960",
                GameKind::Shogi => "shogi",
                GameKind::ChineseCheckers => "chinese-checkers",
            }),
        ),
        ("rules", or(checkers.map(|rules| text(rules.profile.as_str())), "of Chinese checkers alone")),
        ("max-plies", or(checkers.map(|rules| leaf(rules.max_ply)), "of Chinese checkers alone")),
        ("resources", or(spec.resources.map(|class| text(class.as_str())), "nothing said")),
        ("format", format(&spec.format)),
        ("games-per-pair", leaf(spec.games_per_pair)),
        (
            "play",
            text(match spec.play {
                Play::Pairs => "pairs",
                Play::Cycles => "cycles",
            }),
        ),
        ("one-at-a-time", leaf(spec.one_at_a_time)),
        ("time-control", control(&spec.time_control, spec.time_scale)),
        ("margin", duration(spec.margin)),
        ("ponder", leaf(spec.ponder)),
        ("openings", openings(&spec.openings)),
        ("adjudicate", adjudicate(&spec.adjudicate)),
        ("predictions", or(spec.predictions.as_ref().map(predictions), "not scored")),
        ("ratings", or(spec.ratings.as_ref().map(ratings), "the game's own model, mean 0")),
        ("max-moves", or(spec.adjudicate.max_moves.map(leaf), "no limit")),
        ("interruption", interruption(&spec.interruption)),
        (
            "crashes",
            table([
                ("in-a-row", spec.crashes.in_a_row.map_or_else(|| text("off"), leaf)),
                ("of-games", spec.crashes.of_games.map_or_else(|| text("off"), |share| text(&share_text(share)))),
                (
                    "then",
                    text(match spec.crashes.then {
                        CrashesThen::SetAside => "set-aside",
                        CrashesThen::Continue => "continue",
                        CrashesThen::Stop => "stop",
                    }),
                ),
            ]),
        ),
        (
            "killed",
            text(match spec.killed {
                Killed::Crash => "crash",
                Killed::Interruption => "interruption",
            }),
        ),
        ("restart", restart(spec.restart)),
        ("limits", limits(&spec.limits)),
        ("slot", sized(&spec.slot)),
        ("priority", leaf(spec.priority)),
        ("stop", or(spec.stop.as_ref().map(stop), "all is played")),
        ("tie-breaks", texts(&spec.tie_breaks)),
        ("seed", or(spec.seed.map(leaf), "drawn at the start, kept and printed")),
        ("official", leaf(spec.official)),
        (
            "gate",
            text(match spec.gate {
                Gate::Auto => "auto",
                Gate::Organiser => "organiser",
            }),
        ),
        ("not-before", or(spec.not_before.map(leaf), "at once")),
        ("break", duration(spec.pause)),
        ("site", or(site, "none")),
        ("tablebases", texts(&spec.tablebases)),
        ("concurrency", or(spec.concurrency.map(leaf), "the free cores less one, by the cores of a slot")),
        ("output", or(spec.output.as_deref().map(text), "a folder with the file's name")),
        ("transcripts", leaf(spec.transcripts)),
        ("log", or(spec.log.as_deref().map(text), "in the output folder")),
    ];
    nodes.into_iter().map(|(key, node)| (key.to_owned(), node)).collect()
}

fn at_once(at_once: AtOnce) -> Node {
    text(match at_once {
        AtOnce::One => "one",
        AtOnce::Needed => "needed",
        AtOnce::All => "all",
    })
}

fn format(format: &FormatSpec) -> Node {
    let order = |shuffled: bool| text(if shuffled { "shuffled" } else { "listed" });
    let (name, inner) = match format {
        FormatSpec::Match { pairs, rules } => (
            "match",
            table([
                ("pairs", leaf(pairs)),
                ("begins", text(if rules.second_begins { "second" } else { "first" })),
                ("stop-when-decided", leaf(rules.stop)),
                ("pairs-at-once", at_once(rules.at_once)),
                (
                    "when-level",
                    rules.when_level.map_or_else(|| text("stands"), |pairs| table([("pairs", leaf(pairs))])),
                ),
            ]),
        ),
        FormatSpec::RoundRobin { cycles, pairs, shuffled, lower_first } => (
            "round-robin",
            table([
                ("cycles", leaf(cycles)),
                ("pairs", leaf(pairs)),
                ("order", order(*shuffled)),
                ("begins", text(if *lower_first { "lower" } else { "table" })),
            ]),
        ),
        FormatSpec::Gauntlet { engines, pairs, cycles } => {
            ("gauntlet", table([("engines", texts(engines)), ("cycles", leaf(cycles)), ("pairs", leaf(pairs))]))
        }
        FormatSpec::Knockout { pairs, bronze, seeded, stop, at_once: once } => {
            let numbers: Vec<String> = pairs.iter().map(ToString::to_string).collect();
            (
                "knockout",
                table([
                    ("pairs", leaf(format!("[{}]", numbers.join(", ")))),
                    ("bronze", or(bronze.map(leaf), "no match for the third place")),
                    ("seeded", or(seeded.map(leaf), "all")),
                    ("stop-when-decided", leaf(stop)),
                    ("pairs-at-once", at_once(*once)),
                ]),
            )
        }
        FormatSpec::Swiss { system, rounds, pairs, groups, shuffled } => (
            "swiss",
            table([
                (
                    "system",
                    text(match system {
                        SwissSystem::Tcec => "tcec",
                        SwissSystem::Fide => "fide",
                    }),
                ),
                ("rounds", leaf(rounds)),
                ("pairs", leaf(pairs)),
                ("groups", leaf(groups)),
                ("order", order(*shuffled)),
            ]),
        ),
        FormatSpec::ConditionalTieBreak { spots } => ("conditional-tie-break", table([("spots", leaf(spots))])),
        FormatSpec::Ladder { pairs, at_once: once } => {
            ("ladder", table([("pairs", leaf(pairs)), ("pairs-at-once", at_once(*once))]))
        }
    };
    table([(name, inner)])
}

fn source(source: &OpeningSource) -> (&'static str, Node) {
    match source {
        OpeningSource::Own => ("from", text("own")),
        OpeningSource::Start => ("from", text("start-position")),
        OpeningSource::Book(book) => ("book", text(book)),
        OpeningSource::Chess960 => ("chess960", text("random")),
        OpeningSource::DoubleChess960 => ("chess960", text("double-random")),
        OpeningSource::Schedule(rows) => ("schedule", text(rows)),
        OpeningSource::UsedIn(events) => ("used-in", texts(events)),
    }
}

fn openings(openings: &OpeningsSpec) -> Node {
    let per = match openings.per {
        Per::Pair => "pair",
        Per::Round => "round",
        Per::Encounter => "encounter",
    };
    let distinct = match openings.distinct {
        Distinct::No => "no",
        Distinct::Encounter => "encounter",
        Distinct::Event => "event",
    };
    table([
        source(&openings.source),
        ("order", text(if openings.random { "random" } else { "sequential" })),
        ("per", text(per)),
        ("distinct", text(distinct)),
        ("start", leaf(openings.start)),
        ("plies", or(openings.plies.map(leaf), "all")),
        ("broken", text(if openings.skip_broken { "skip" } else { "stop" })),
        ("when-level", or(openings.when_level.as_deref().map(level_openings), "as before")),
    ])
}

/// Openings after a level match; the rest of them has no meaning there.
fn level_openings(openings: &OpeningsSpec) -> Node {
    table([
        source(&openings.source),
        ("plies", or(openings.plies.map(leaf), "all")),
        ("broken", text(if openings.skip_broken { "skip" } else { "stop" })),
    ])
}

fn adjudicate(rules: &Adjudication) -> Node {
    let mut nodes: Nodes = Vec::new();
    let mut add = |key: &str, node: Option<Node>| nodes.extend(node.map(|node| (key.to_owned(), node)));
    add(
        "draw",
        rules
            .draw
            .map(|r| table([("from-move", leaf(r.from_move)), ("plies", leaf(r.plies)), ("within", cp(r.within))])),
    );
    add(
        "resign",
        rules
            .resign
            .map(|r| table([("moves", leaf(r.moves)), ("beyond", cp(r.beyond)), ("two-sided", leaf(r.two_sided))])),
    );
    add(
        "tcec-draw",
        rules
            .tcec_draw
            .map(|r| table([("pieces", leaf(r.pieces)), ("plies", leaf(r.plies)), ("within", cp(r.within))])),
    );
    add("tcec-win", rules.tcec_win.map(|r| table([("plies", leaf(r.plies)), ("beyond", cp(r.beyond))])));
    add(
        "tablebases",
        rules.tablebases.map(|r| {
            table([("men", leaf(r.men)), ("fifty-move-rule", leaf(r.fifty_moves)), ("draws-only", leaf(r.draws_only))])
        }),
    );
    add("flag-draw-without-material", rules.flag_draw_without_material.then(|| leaf(true)));
    if nodes.is_empty() { text("none") } else { Node::Table(nodes) }
}

fn predictions(rules: &Predictions) -> Node {
    table([
        ("from", leaf(rules.from)),
        ("to", leaf(rules.to)),
        ("zone", text(if rules.zone == Zone::Anchor { "anchor" } else { "predicted" })),
        ("mandatory", leaf(rules.mandatory)),
        ("on-missing", text(if rules.on_missing == OnMissing::Warn { "warn" } else { "forfeit-prediction" })),
        ("on-illegal", text(if rules.on_illegal == OnIllegal::Truncate { "truncate" } else { "void" })),
        (
            "source",
            text(match rules.source {
                Source::CommandThenPv => "command-then-pv",
                Source::Command => "command",
                Source::Pv => "pv",
            }),
        ),
        ("max-pairs", or(rules.max_pairs.map(leaf), "one from a variation, any number from a command")),
        ("terminal-tail", leaf(rules.terminal_tail)),
        ("auto-increment", leaf(rules.auto_increment)),
        ("draw-offers", leaf(rules.draw_offers)),
    ])
}

fn ratings(ratings: &RatingsSpec) -> Node {
    let anchored = ratings.anchor.is_some();
    table([
        ("model", or(ratings.model.map(|model| text(model.as_str())), "the game's own")),
        ("anchor", or(ratings.anchor.as_deref().map(text), "none: the mean is 0")),
        ("rating", or(anchored.then(|| leaf(ratings.rating)), "of the anchor")),
    ])
}

fn interruption(interruption: &Interruption) -> Node {
    let rule = match interruption {
        Interruption::Replay => return text("replay"),
        Interruption::Restart => return text("restart"),
        Interruption::Tcec => return text("tcec"),
        Interruption::Csa => return text("csa"),
        Interruption::Rule(rule) => rule,
    };
    let share = |share: u32| text(&share_text(f64::from(share) / f64::from(WHOLE)));
    let compensation = match rule.compensation {
        Compensation::None => text("none"),
        Compensation::Fixed(time) => table([("fixed", duration(time))]),
        Compensation::Base { share: part, capped } => table([("base", share(part)), ("capped", leaf(capped))]),
        Compensation::LastThink { share: part } => table([("last-think", share(part))]),
    };
    let draw = |draw: DrawLimit| table([("within", cp(draw.within)), ("moves", leaf(draw.moves))]);
    table([
        ("win", or(rule.win.map(cp), "never by evaluations")),
        ("draw", or(rule.draw.map(draw), "never by evaluations")),
        ("men", or(rule.men.map(leaf), "no tables")),
        ("then", text(if rule.restart { "restart" } else { "replay" })),
        ("compensation", compensation),
        ("max-restarts", leaf(rule.max_restarts)),
        ("every-ply", leaf(rule.every_ply)),
    ])
}

fn limits(limits: &Limits) -> Node {
    table([
        ("start", duration(limits.start)),
        ("ready", duration(limits.ready)),
        ("new-game", duration(limits.new_game)),
        ("quit", duration(limits.quit)),
        ("stall", duration(limits.stall)),
        ("silence", duration(limits.silence)),
        ("lag", duration(limits.lag)),
    ])
}

fn stop(stop: &StopSpec) -> Node {
    let StopSpec::Sprt { elo0, elo1, alpha, beta, model, trinomial } = stop;
    let model = match model {
        SprtModel::Normalized => "normalized",
        SprtModel::Logistic => "logistic",
        SprtModel::Bayesian => "bayesian",
    };
    let test = table([
        ("elo0", leaf(elo0)),
        ("elo1", leaf(elo1)),
        ("alpha", leaf(alpha)),
        ("beta", leaf(beta)),
        ("model", text(model)),
        ("trinomial", leaf(trinomial)),
    ]);
    table([("sprt", test)])
}
