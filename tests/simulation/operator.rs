//! An operator: deeds of a script, repeated until they are answered, and an answer to every question.

use rookery_coordinator::core::{Answer, Apply, ApplySeason, Change, Denied, Request};
use rookery_game::GameResult;
use rookery_proto::v1;
use rookery_tournament::{PairId, event::Phase, season::SeasonFact};

use crate::{
    dice::Dice,
    expect,
    node::NodeIn,
    script::{BOOK, LEVEL_BOOK, Library},
    shape::Shape,
    world::{Event, MS, SECOND, World},
};

/// How long an answer is waited for.
const PATIENCE: u64 = 8 * SECOND;
const STEP: u64 = SECOND;
/// Each so many seeds a person ends the event before its time.
const HALTS: u64 = 9;
/// Each so many seeds somebody leaves a format that draws as it goes.
const LEAVES: u64 = 7;
/// Why an operator does anything.
pub(crate) const REASON: &str = "by the script";
/// The event's.
pub(crate) const UID: &str = "u";

/// What an operator does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Deed {
    Apply,
    Pause(bool),
    Resume,
    /// Lets an event begin that was applied paused.
    Begin,
    Void((PairId, u8)),
    Replay((PairId, u8)),
    Rule((PairId, u8), GameResult),
    Drain(String),
    Undrain(String),
    Join(String),
    /// Who, and whether its games count.
    Withdraw(String, bool),
    /// The same, of a format that draws its rounds as it goes: what is drawn then depends on when that was.
    Leave(String, bool),
    /// Who could not join, and so does not leave.
    Refused(String),
    /// Says in which order those are who are level.
    Rank(Vec<String>),
    /// Closes an event that cannot go on.
    Stop,
    /// Ends an event, whatever is left to play.
    Halt,
    /// Looks at the event, and answers what it asks.
    Ask,
    /// Looks at the season, and answers what it asks.
    Season,
    /// Lets it go on behind a gate.
    Advance,
    /// Looks at the fleet, and lets whoever is drained play on.
    Fleet,
}

/// The script's answer to what only a person can say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ruling {
    /// Best first.
    Rank(Vec<String>),
    Stop,
}

impl Ruling {
    /// The same answer to the same question, whoever asks and when.
    pub(crate) fn on(question: &str) -> Option<Self> {
        if let Some((names, _)) = question.split_once(" are level on all tie-breaks") {
            return Some(Self::Rank(Self::order(names)));
        }
        question.contains("cannot be paired").then_some(Self::Stop)
    }

    fn order(names: &str) -> Vec<String> {
        let mut names: Vec<String> = names.split(", ").map(str::to_owned).collect();
        names.sort();
        names.reverse();
        names
    }
}

impl Deed {
    /// It says how a game ends.
    fn settles(&self) -> bool {
        matches!(self, Self::Void(_) | Self::Rule(..))
    }
}

struct Task {
    at: u64,
    /// Which event it is about; empty: the only one, or the one that is open.
    event: String,
    deed: Deed,
    done: bool,
    asked_until: u64,
}

pub(crate) struct Operator {
    tasks: Vec<Task>,
    /// The newest event of a season.
    pub(crate) event: String,
    looked: u64,
    healed: bool,
}

fn game_name((pair, game): (PairId, u8)) -> String {
    format!("{pair}/{game}")
}

impl Operator {
    pub(crate) fn of(dice: &mut Dice, shape: &Shape, library: &Library, seed: u64, workers: usize, until: u64) -> Self {
        let mut tasks = Vec::new();
        let mut task =
            |at: u64, deed: Deed| tasks.push(Task { at, event: String::new(), deed, done: false, asked_until: 0 });
        task(0, Deed::Apply);
        let mut games = match shape.season {
            Some(_) => Vec::new(),
            None => expect::games(&expect::opened(shape, library, seed)),
        };
        let later = |dice: &mut Dice| dice.between(5 * SECOND, until.max(6 * SECOND));
        for _ in 0..dice.roll(4).min(games.len() as u64) {
            let game = games.remove(dice.roll(games.len() as u64) as usize);
            let game = (game.id.pair, game.id.game);
            // What decides when an event stops is settled before it begins.
            let at = if shape.stops { 0 } else { later(dice) };
            match dice.roll(4) {
                0 => task(at, Deed::Void(game)),
                1 => {
                    let results = [GameResult::FirstWins, GameResult::SecondWins, GameResult::Draw];
                    task(at, Deed::Rule(game, *dice.pick(&results)));
                }
                _ => task(later(dice), Deed::Replay(game)),
            }
        }
        if shape.held {
            task(0, Deed::Begin);
        }
        for _ in 0..dice.roll(3) {
            let at = later(dice);
            task(at, Deed::Pause(dice.one_in(2)));
            task(at + dice.between(SECOND, 25 * SECOND), Deed::Resume);
        }
        for _ in 0..dice.roll(3) {
            let worker = format!("w{}", dice.roll(workers as u64));
            let at = later(dice);
            task(at, Deed::Drain(worker.clone()));
            task(at + dice.between(SECOND, 25 * SECOND), Deed::Undrain(worker));
        }
        entrants(dice, shape, until, &mut task);
        // Apart from the other dice, so that what they give is the same without it.
        let mut apart = Dice::new(!seed);
        if shape.season.is_none() && seed.is_multiple_of(HALTS) {
            task(apart.between(5 * SECOND, until.max(6 * SECOND)), Deed::Halt);
        }
        if shape.draws() && seed.is_multiple_of(LEAVES) {
            let leaves = apart.pick(&shape.spec.engines).setup.name.clone();
            task(apart.between(2 * SECOND, until.max(3 * SECOND)), Deed::Leave(leaves, apart.one_in(2)));
        }
        Self { tasks, event: String::new(), looked: 0, healed: false }
    }

    /// What is done to games.
    pub(crate) fn deeds(&self) -> Vec<Deed> {
        self.tasks.iter().map(|task| task.deed.clone()).collect()
    }

    pub(crate) fn heal(&mut self) {
        self.healed = true;
        self.add(0, Deed::Fleet);
    }

    pub(crate) fn is_done(&self) -> bool {
        self.tasks.iter().all(|task| task.done || matches!(task.deed, Deed::Ask | Deed::Season | Deed::Fleet))
    }

    /// Whether a person ended the event.
    pub(crate) fn halted(&self) -> bool {
        self.tasks.iter().any(|task| task.deed == Deed::Halt && task.done)
    }

    /// Who left a format that draws as it goes.
    pub(crate) fn who_left(&self) -> Option<&str> {
        self.tasks.iter().find_map(|task| match &task.deed {
            Deed::Leave(engine, _) if task.done => Some(engine.as_str()),
            _ => None,
        })
    }

    /// Whether an event that is held has begun, or can begin.
    fn may(&self, deed: &Deed) -> bool {
        let open = |of: fn(&Deed) -> bool| self.tasks.iter().any(|task| !task.done && task.at == 0 && of(&task.deed));
        match deed {
            Deed::Apply => true,
            _ if !self.tasks[0].done => false,
            Deed::Begin => !open(Deed::settles),
            Deed::Void(_) | Deed::Rule(..) => true,
            _ => !open(|deed| *deed == Deed::Begin),
        }
    }

    pub(crate) fn open(&self) -> String {
        let open = self.tasks.iter().filter(|task| !task.done && task.deed != Deed::Ask);
        open.map(|task| format!("{:?}", task.deed)).collect::<Vec<_>>().join(", ")
    }

    fn add(&mut self, at: u64, deed: Deed) {
        self.add_of(self.event.clone(), at, deed);
    }

    fn add_of(&mut self, event: String, at: u64, deed: Deed) {
        self.tasks.push(Task { at, event, deed, done: false, asked_until: 0 });
    }
}

/// Who joins and who leaves while it runs; who joined may leave again.
fn entrants(dice: &mut Dice, shape: &Shape, until: u64, task: &mut impl FnMut(u64, Deed)) {
    if shape.newcomers.is_empty() {
        return;
    }
    let later = |dice: &mut Dice| dice.between(2 * SECOND, until.max(3 * SECOND));
    let mut there: Vec<String> = shape.spec.engines.iter().map(|engine| engine.setup.name.clone()).collect();
    for newcomer in &shape.newcomers {
        if dice.one_in(2) {
            continue;
        }
        task(later(dice), Deed::Join(newcomer.setup.name.clone()));
        there.push(newcomer.setup.name.clone());
    }
    // Two stay at least.
    for _ in 0..dice.roll(3).min(there.len() as u64 - 2) {
        let leaves = there.remove(dice.roll(there.len() as u64) as usize);
        task(later(dice), Deed::Withdraw(leaves, dice.one_in(2)));
    }
}

impl World {
    fn request(&self, task: usize) -> Request {
        let event = self.operator.tasks[task].event.clone();
        let change =
            Change { by: "operator".to_owned(), reason: REASON.to_owned(), request_id: format!("request-{task}") };
        match self.operator.tasks[task].deed.clone() {
            Deed::Apply if self.shape.season.is_some() => self.apply_season(change),
            Deed::Apply => Request::Apply(Box::new(Apply {
                ladder: None,
                chosen: None,
                spec: Box::new(self.shape.spec.clone()),
                spec_digest: "sha256:spec".to_owned(),
                book: (BOOK.to_owned(), self.library.book.clone()),
                level_book: match self.shape.has_level_book() {
                    true => (LEVEL_BOOK.to_owned(), self.library.book.clone()),
                    false => Default::default(),
                },
                uid: UID.to_owned(),
                seed: self.seed,
                digests: Vec::new(),
                dry_run: false,
                paused: self.shape.held,
                ruling: false,
                change,
            })),
            Deed::Pause(now) => Request::Pause { event, now, change },
            Deed::Resume | Deed::Begin => Request::Resume { event, change },
            Deed::Void(game) => Request::Void { event, game: game_name(game), change },
            Deed::Replay(game) => Request::Replay { event, game: game_name(game), change },
            Deed::Rule(game, result) => Request::Rule { event, game: game_name(game), result, change },
            Deed::Drain(worker) => Request::Drain { worker, grace_ms: 4_000, change },
            Deed::Undrain(worker) => Request::Undrain { worker, change },
            Deed::Join(engine) => {
                let mut engines = self.shape.newcomers.clone();
                engines.retain(|newcomer| newcomer.setup.name == engine);
                Request::Join { event, engines, digests: Vec::new(), change }
            }
            Deed::Withdraw(engine, keep_games) | Deed::Leave(engine, keep_games) => {
                Request::Withdraw { event, engine, keep_games, change }
            }
            Deed::Rank(engines) => Request::Rank { event, engines, change },
            Deed::Stop | Deed::Halt => Request::Stop { event, change },
            Deed::Ask | Deed::Refused(_) => Request::Event(event),
            Deed::Season => Request::Season(String::new()),
            Deed::Advance => {
                let fact = SeasonFact::Advanced { event: String::new() };
                Request::SeasonFact { season: String::new(), fact, change }
            }
            Deed::Fleet => Request::Workers,
        }
    }

    fn apply_season(&self, change: Change) -> Request {
        let season = self.shape.season.clone().unwrap_or_else(|| unreachable!("it is a season"));
        let book = (BOOK.to_owned(), self.library.openings() as u64);
        let digest = |name: &String| (name.clone(), format!("sha256:{}", name.to_lowercase()));
        Request::ApplySeason(Box::new(ApplySeason {
            books: season.events.iter().map(|event| (event.name.clone(), book.clone())).collect(),
            level_books: std::collections::BTreeMap::new(),
            digests: season.engines.iter().map(|engine| digest(&engine.setup.name)).collect(),
            season: Box::new(season),
            spec_digest: "sha256:spec".to_owned(),
            uid: UID.to_owned(),
            seed: self.seed,
            dry_run: false,
            change,
        }))
    }

    /// Does what is due, and asks again where no answer came.
    pub(crate) fn operate(&mut self) {
        self.push(self.now + STEP, Event::Operate);
        if self.now >= self.operator.looked + 10 * SECOND && self.operator.tasks[0].done {
            self.operator.looked = self.now;
            self.operator.add(self.now, Deed::Ask);
            if self.shape.season.is_some() {
                self.operator.add(self.now, Deed::Season);
            }
        }
        let leaders: Vec<usize> = (0..self.nodes.len()).filter(|node| self.nodes[*node].leads()).collect();
        if leaders.is_empty() {
            return;
        }
        for task in 0..self.operator.tasks.len() {
            let known = &mut self.operator.tasks[task];
            let due = !known.done && known.at <= self.now && known.asked_until <= self.now;
            if !due || !self.operator.may(&self.operator.tasks[task].deed) {
                continue;
            }
            self.operator.tasks[task].asked_until = self.now + PATIENCE;
            let request = self.request(task);
            let node = *self.dice.pick(&leaders);
            // Some are lost on their way.
            if !self.operator.healed && self.dice.one_in(10) {
                continue;
            }
            let what = self.operator.tasks[task].deed.clone();
            if !matches!(what, Deed::Ask | Deed::Season) {
                self.note(|| format!("operator asks n{node}: {task} {what:?}"));
            }
            let after = self.dice.between(MS, 30 * MS);
            self.node_soon(node, after, NodeIn::Asked(task, Box::new(request)));
        }
    }

    pub(crate) fn answered(&mut self, task: usize, answer: Result<Answer, Denied>) {
        // Some answers are lost, and it asks again with the same id.
        if !self.operator.healed && self.dice.one_in(10) {
            return;
        }
        let deed = self.operator.tasks[task].deed.clone();
        if !matches!(deed, Deed::Ask | Deed::Season) {
            let word = || match &answer {
                Ok(_) => format!("operator's {task} {deed:?} is done"),
                Err(denied) => format!("operator's {task} {deed:?}: {denied}"),
            };
            self.history.note(self.now, word);
        }
        match answer {
            Ok(answer) => {
                self.operator.tasks[task].done = true;
                self.act(&deed, answer);
            }
            Err(Denied::NotLeader | Denied::Unavailable(_)) => {
                self.operator.tasks[task].asked_until = self.now + SECOND;
            }
            // Nothing can be said of an event that a person has ended, whose word may not have been answered yet.
            Err(Denied::Precondition(why))
                if (why.contains("is closed") || why.contains("was not played yet")) && self.is_halting() =>
            {
                self.operator.tasks[task].done = true;
            }
            // It had come to its end before.
            Err(Denied::Precondition(why)) if why.contains("is closed") && matches!(deed, Deed::Leave(..)) => {
                self.operator.tasks[task].deed = Deed::Refused(why);
                self.operator.tasks[task].done = true;
            }
            Err(Denied::NotFound(_)) if matches!(deed, Deed::Withdraw(..)) && self.is_halting() => {
                self.operator.tasks[task].done = true;
            }
            Err(denied) => match (&deed, denied) {
                // It was not played yet; later it may be.
                (Deed::Void(_) | Deed::Rule(..) | Deed::Replay(_), Denied::Precondition(why))
                    if why.contains("of its pair, is in play") =>
                {
                    self.operator.tasks[task].asked_until = self.now + 3 * SECOND;
                }
                (Deed::Replay(_), Denied::Precondition(why)) if !why.contains("closed") => {
                    self.operator.tasks[task].asked_until = self.now + 3 * SECOND;
                    // Beyond a stop it never is.
                    let over = self.watch.event.phase() == Phase::Finished;
                    self.operator.tasks[task].done = over;
                }
                // It was not drawn yet when that was answered.
                (Deed::Void(_) | Deed::Replay(_) | Deed::Rule(..), Denied::NotFound(_)) => {
                    self.operator.tasks[task].asked_until = self.now + 3 * SECOND;
                }
                // All whom it would meet have left.
                (Deed::Join(engine), Denied::Invalid(why)) if why.contains("would meet nobody") => {
                    self.operator.tasks[task].deed = Deed::Refused(engine.clone());
                    self.operator.tasks[task].done = true;
                }
                // It has not joined yet.
                (Deed::Withdraw(engine, _), Denied::NotFound(_)) => {
                    let refused = Deed::Refused(engine.clone());
                    if self.operator.tasks.iter().any(|task| task.deed == refused) {
                        self.operator.tasks[task].deed = refused;
                        self.operator.tasks[task].done = true;
                    }
                    self.operator.tasks[task].asked_until = self.now + 3 * SECOND;
                }
                // A game is played again meanwhile, or it is ranked already: it is looked at again.
                (Deed::Rank(_) | Deed::Advance, Denied::Precondition(_)) => self.operator.tasks[task].done = true,
                // A finished event takes neither; a worker may be unknown.
                (Deed::Pause(_) | Deed::Resume | Deed::Ask | Deed::Season, _) => self.operator.tasks[task].done = true,
                (Deed::Drain(_) | Deed::Undrain(_), Denied::NotFound(_)) => self.operator.tasks[task].done = true,
                (deed, denied) => self.fail(format!("answers: {deed:?} is denied: {denied}")),
            },
        }
    }

    fn is_halting(&self) -> bool {
        self.operator.tasks.iter().any(|task| task.deed == Deed::Halt && task.at <= self.now)
    }

    fn act(&mut self, deed: &Deed, answer: Answer) {
        match answer {
            Answer::Workers(workers) if *deed == Deed::Fleet => {
                for worker in workers.iter().filter(|worker| !worker.set_aside.is_empty()) {
                    self.operator.add(self.now, Deed::Undrain(worker.worker.clone()));
                }
                self.operator.add(self.now + 20 * SECOND, Deed::Fleet);
            }
            Answer::Event(summary, _) if *deed == Deed::Ask => self.answer_questions(&summary),
            // It had come to its end before; then nothing was ended by that word.
            Answer::Event(summary, _) if *deed == Deed::Halt && summary.phase() == v1::EventPhase::Finished => {
                let halt = self.operator.tasks.iter_mut().find(|task| task.deed == Deed::Halt);
                halt.into_iter().for_each(|task| task.deed = Deed::Refused("over already".to_owned()));
            }
            Answer::Season(summary, ..) if *deed == Deed::Season => self.answer_season(&summary),
            _ => {}
        }
    }

    /// A season asks about gates, and about those who are level where a line goes through them.
    fn answer_season(&mut self, summary: &v1::SeasonSummary) {
        for question in &summary.questions {
            if question.contains("/gate: ") {
                self.operator.add(self.now, Deed::Advance);
            }
            let share = question.split_once(" share a place of `").zip(question.split_once("`, and the line"));
            let Some(((names, _), (before, _))) = share else { continue };
            let (Some((_, names)), Some((_, event))) = (names.split_once(": "), before.rsplit_once('`')) else {
                continue;
            };
            self.operator.add_of(format!("{UID}-{event}"), self.now, Deed::Rank(Ruling::order(names)));
        }
    }

    /// A question is about an engine, or about a pair: then its games get what they would have come to, or are tried
    /// again.
    fn answer_questions(&mut self, summary: &v1::EventSummary) {
        if summary.phase() == v1::EventPhase::Paused && self.operator.healed {
            self.operator.add(self.now, Deed::Resume);
        }
        if summary.questions.is_empty() {
            return;
        }
        self.note(|| format!("operator is asked: {}", summary.questions.join(" | ")));
        let outcome = self.explains(summary);
        self.check(outcome);
        for question in &summary.questions {
            match Ruling::on(question) {
                Some(Ruling::Rank(engines)) => self.operator.add(self.now, Deed::Rank(engines)),
                Some(Ruling::Stop) => self.operator.add(self.now, Deed::Stop),
                None => {}
            }
            let Some(pair) = question.strip_prefix("pair ").and_then(|rest| rest.get(..26)) else { continue };
            let Ok(pair) = pair.parse::<PairId>() else {
                return self.fail(format!("answers: no pair in the question: {question}"));
            };
            if self.dice.one_in(2) {
                for game in self.games_of(pair) {
                    let plan = expect::plan_of(&self.shape, self.library, self.event_seed(), &game);
                    let scripted = self.operator.tasks.iter().any(|task| {
                        let of = (game.id.pair, game.id.game);
                        matches!(&task.deed, Deed::Void(g) | Deed::Rule(g, _) | Deed::Replay(g) if *g == of)
                    });
                    if !scripted && !self.is_on_record(&game.id) {
                        self.operator.add(self.now, Deed::Rule((game.id.pair, game.id.game), plan.result));
                    }
                }
            }
        }
        self.operator.add(self.now + 2 * SECOND, Deed::Resume);
    }

    fn games_of(&self, pair: PairId) -> Vec<rookery_tournament::format::DueGame> {
        expect::games(&self.watch.event).into_iter().filter(|game| game.id.pair == pair).collect()
    }

    fn is_on_record(&self, game: &rookery_tournament::GameId) -> bool {
        let prefix = format!("/rookery/v1/events/{}/results/{}/{}/", self.watch.uid, game.pair, game.game);
        self.store.range(&prefix).next().is_some()
    }
}
