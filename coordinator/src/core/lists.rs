//! Rating lists over many events, and games older than the cluster that count in them.
//!
//! A list's state is its spec as applied and its imports. An import is a file of the archive, named by its digest, so that
//! it is there once.

use std::collections::BTreeMap;

use rookery_proto::v1;
use rookery_tournament::{
    rating::Games,
    spec::{ListSpec, explain_list, nearest},
};
use serde::{Deserialize, Serialize};

use super::{
    Answer, AskId, Change, Core, Denied, Place, Rated, keys, limits,
    state::EventState,
    stored::encode,
    writes::{Built, ListWrite, Proof, Write},
};
use crate::store::{Compare, Op, Revision};

/// `lists/{list}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct ListMeta {
    pub(super) spec: ListSpec,
    pub(super) by: String,
    pub(super) reason: String,
    pub(super) request_id: String,
    pub(super) at_unix_ms: u64,
}

/// `lists/{list}/imports/{digest}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Import {
    /// `sha256:…` of the file in the archive.
    pub(super) digest: String,
    pub(super) file_name: String,
    pub(super) games: u64,
    pub(super) by: String,
    pub(super) reason: String,
    pub(super) request_id: String,
    pub(super) at_unix_ms: u64,
}

/// One list.
pub(super) struct ListState {
    pub(super) meta: ListMeta,
    pub(super) revision: Revision,
    /// By digest.
    pub(super) imports: BTreeMap<String, Import>,
}

/// What is put on record of a list.
#[derive(Debug, Clone)]
pub(super) enum ListChange {
    /// It is as this from here on.
    Applied(Box<ListMeta>, Box<v1::ApplyResponse>),
    /// Games are brought in.
    Imported(Import),
}

impl ListChange {
    pub(super) fn request_id(&self) -> &str {
        match self {
            Self::Applied(meta, _) => &meta.request_id,
            Self::Imported(import) => &import.request_id,
        }
    }
}

impl Core {
    /// Makes a list, or another of the one of this name.
    pub(super) fn apply_list(
        &mut self,
        ask: AskId,
        spec: ListSpec,
        dry_run: bool,
        change: Change,
    ) -> Result<Option<Answer>, Denied> {
        if self.writes.join(&change.request_id, ask) {
            return Ok(None);
        }
        let name = spec.name.clone();
        if self.events.values().any(|state| state.name() == name) {
            return Err(Denied::Precondition(format!("an event is named `{name}`: give the list another name")));
        }
        let known = self.lists.get(&name);
        if known.is_none() && self.lists.len() >= limits::LISTS {
            return Err(Denied::Unavailable(format!("{} lists are known already", limits::LISTS)));
        }
        let mut response = v1::ApplyResponse {
            event: name.clone(),
            created: known.is_none(),
            games: self.games_of_list(&spec).count(),
            ..v1::ApplyResponse::default()
        };
        if self.events_of(&spec).next().is_none() {
            response.warnings.push("no event is named so yet".to_owned());
        }
        if let Some(known) = known {
            let repeated = !change.request_id.is_empty() && known.meta.request_id == change.request_id;
            if known.meta.spec == spec || repeated {
                return Ok(Some(Answer::Applied(Box::new(response))));
            }
            response.differences.push("the list is as written now".to_owned());
        }
        if dry_run {
            return Ok(Some(Answer::Applied(Box::new(response))));
        }
        let Change { by, reason, request_id } = change;
        let meta = ListMeta { spec, by, reason, request_id, at_unix_ms: self.now.unix_ms };
        let change = ListChange::Applied(Box::new(meta), Box::new(response));
        self.write(Write::List(Box::new(ListWrite { list: name, change, asks: vec![ask] })));
        Ok(None)
    }

    /// Brings a file's games into a list; a file is brought in once.
    pub(super) fn import(
        &mut self,
        ask: AskId,
        list: &str,
        (digest, file_name, games): (String, String, u64),
        change: Change,
    ) -> Result<Option<Answer>, Denied> {
        if self.writes.join(&change.request_id, ask) {
            return Ok(None);
        }
        let name = self.find_list(list)?;
        let Some(state) = self.lists.get(&name) else { return Err(self.no_list(list)) };
        if let Some(known) = state.imports.get(&digest) {
            if !change.request_id.is_empty() && known.request_id == change.request_id {
                return self.answer_list(&name).map(Some);
            }
            let Import { file_name, by, .. } = known;
            return Err(Denied::Precondition(format!(
                "the same games are in the list: `{file_name}`, brought by {by}"
            )));
        }
        if state.imports.len() >= limits::IMPORTS {
            return Err(Denied::Precondition(format!("a list has at most {} imports", limits::IMPORTS)));
        }
        let Change { by, reason, request_id } = change;
        let import = Import { digest, file_name, games, by, reason, request_id, at_unix_ms: self.now.unix_ms };
        let write = ListWrite { list: name, change: ListChange::Imported(import), asks: vec![ask] };
        self.write(Write::List(Box::new(write)));
        Ok(None)
    }

    pub(super) fn build_list(&self, write: &ListWrite) -> Built {
        let (key, value) = match &write.change {
            ListChange::Applied(meta, _) => (keys::list(&write.list), encode(meta)),
            ListChange::Imported(import) => (keys::import(&write.list, &import.digest), encode(import)),
        };
        let compare = match (&write.change, self.lists.get(&write.list)) {
            (ListChange::Applied(..), Some(known)) => Compare::Modified(key.clone(), known.revision),
            _ => Compare::Absent(key.clone()),
        };
        Built { compare: vec![compare], ops: vec![Op::Put(key.clone(), value.clone())], proof: Proof::Put(key, value) }
    }

    pub(super) fn list_done(&mut self, write: ListWrite, revision: Revision) {
        let ListWrite { list, change, asks } = write;
        let answer = match change {
            ListChange::Applied(meta, response) => {
                let imports = self.lists.remove(&list).map(|known| known.imports).unwrap_or_default();
                self.lists.insert(list.clone(), ListState { meta: *meta, revision, imports });
                Ok(Answer::Applied(response))
            }
            ListChange::Imported(import) => {
                if let Some(state) = self.lists.get_mut(&list) {
                    state.imports.insert(import.digest.clone(), import);
                }
                self.answer_list(&list)
            }
        };
        for ask in asks {
            self.out.push(super::Effect::Answer { ask, answer: answer.clone() });
        }
    }

    /// A list's name; an empty text is the only one there is.
    /// Whether no event and no list has this name.
    pub(super) fn is_neither(&self, name: &str) -> bool {
        matches!(self.find_event(name), Err(Denied::NotFound(_)))
    }

    /// There is no event and no list of this name.
    pub(super) fn no_list_or_event(&self, name: &str) -> Denied {
        let events = self.events.values().map(super::state::EventState::name);
        let known: Vec<&str> = self.lists.keys().map(String::as_str).chain(events).collect();
        let hint = nearest(name, known.iter().copied()).map_or_else(
            || format!("there are: {}", known.iter().take(5).copied().collect::<Vec<_>>().join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        let hint = if known.is_empty() { "there are none yet".to_owned() } else { hint };
        Denied::NotFound(format!("no list or event `{name}`; {hint}"))
    }

    fn no_list(&self, list: &str) -> Denied {
        let hint = match nearest(list, self.lists.keys().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None if self.lists.is_empty() => "there is none yet; apply a file with `[list]`".to_owned(),
            None => format!("there are: {}", self.list_names()),
        };
        Denied::NotFound(format!("no list `{list}`; {hint}"))
    }

    fn list_names(&self) -> String {
        self.lists.keys().map(String::as_str).take(5).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn find_list(&self, list: &str) -> Result<String, Denied> {
        if !list.is_empty() {
            let known = self.lists.contains_key(list).then(|| list.to_owned());
            return known.ok_or_else(|| self.no_list(list));
        }
        match self.lists.keys().next() {
            Some(only) if self.lists.len() == 1 => Ok(only.clone()),
            None => Err(Denied::NotFound("there is no list; apply a file with `[list]`".to_owned())),
            Some(_) => Err(Denied::Invalid(format!("which list? there are: {}", self.list_names()))),
        }
    }

    /// The events that count in a list: those that it names, but for test games (`official = false`), which count nowhere.
    fn events_of(&self, spec: &ListSpec) -> impl Iterator<Item = &EventState> {
        self.events.values().filter(|state| state.event.spec().event.official && spec.covers(state.name()))
    }

    fn games_of_list(&self, spec: &ListSpec) -> Games {
        let mut games = Games::default();
        for state in self.events_of(spec) {
            games.merge(&state.event.rating_games());
        }
        games
    }

    /// What its events' games are, and the digests of what was brought in.
    pub(super) fn rated_list(&self, list: &str) -> Result<Answer, Denied> {
        let state = self.lists.get(list).ok_or_else(|| self.no_list(list))?;
        let spec = &state.meta.spec;
        Ok(Answer::Ratings(Box::new(Rated {
            uid: format!("list/{list}"),
            event: spec.name.clone(),
            model: spec.model,
            anchor: spec.anchor.clone(),
            games: self.games_of_list(spec),
            files: state.imports.keys().cloned().collect(),
        })))
    }

    /// Where all records of a list's events are, event by event, and the digests of what was brought in.
    pub(super) fn list_locations(&self, list: &str) -> Result<Answer, Denied> {
        let name = self.find_list(list)?;
        let state = self.lists.get(&name).ok_or_else(|| self.no_list(list))?;
        let mut places: Vec<Place> = Vec::new();
        let mut covered: Vec<_> = self.events_of(&state.meta.spec).collect();
        covered.sort_by_key(|event| event.meta.applied_unix_ms);
        for event in covered {
            if let Ok(Answer::Locations(more)) = self.locations(&event.meta.uid, false) {
                places.extend(more);
            }
        }
        Ok(Answer::ListLocations(places, state.imports.keys().cloned().collect()))
    }

    pub(super) fn answer_list(&self, list: &str) -> Result<Answer, Denied> {
        let name = self.find_list(list)?;
        let state = self.lists.get(&name).ok_or_else(|| self.no_list(list))?;
        Ok(Answer::Lists(vec![self.list_summary(state)]))
    }

    pub(super) fn all_lists(&self) -> Answer {
        Answer::Lists(self.lists.values().map(|state| self.list_summary(state)).collect())
    }

    fn list_summary(&self, state: &ListState) -> v1::ListSummary {
        let spec = &state.meta.spec;
        let mut events: Vec<String> = self.events_of(spec).map(|event| event.name().to_owned()).collect();
        events.sort_unstable();
        events.dedup();
        let imports = state.imports.values().map(|import| v1::ImportSummary {
            file_name: import.file_name.clone(),
            digest: import.digest.clone(),
            games: import.games,
            by: import.by.clone(),
            reason: import.reason.clone(),
            at_unix_ms: import.at_unix_ms,
        });
        let publish = spec.publish.clone();
        v1::ListSummary {
            list: spec.name.clone(),
            spec: explain_list(spec),
            events,
            imports: imports.collect(),
            games: self.games_of_list(spec).count() + state.imports.values().map(|import| import.games).sum::<u64>(),
            publish_to: publish.as_ref().map_or_else(String::new, |publish| publish.to.clone()),
            publish_every_ms: publish
                .and_then(|publish| publish.every)
                .map_or(0, |every| u64::try_from(every.as_millis()).unwrap_or(u64::MAX)),
        }
    }
}
