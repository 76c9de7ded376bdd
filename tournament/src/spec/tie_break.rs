//! The names of tie-breaks and of their usual lists, in one place.

/// Every tie-break that a spec may name: its name, and what it compares.
pub const TIE_BREAKS: [(&str, &str); 21] = [
    ("direct-encounter", "points in the games between those who are tied"),
    ("sonneborn-berger", "the sum of own result times the opponent's final points, over all games"),
    ("r-mobility", "TCEC's measure of how far drawn games were pressed (§11.1.3)"),
    ("double-wins", "pairs of which both games were won"),
    ("pair-wins", "pairs that gave more than one point"),
    ("wins", "games won"),
    ("black-wins", "games won as the second seat"),
    ("average-moves-won", "average number of moves of the games won, fewer is better"),
    ("average-moves-lost", "average number of moves of the games lost, more is better"),
    ("buchholz", "the sum of the opponents' points, over all games"),
    ("buchholz-cut-1", "the same without the weakest opponent"),
    ("buchholz-cut-2", "the same without the two weakest opponents"),
    ("buchholz-median-1", "the same without the weakest and the strongest opponent"),
    ("buchholz-median-2", "the same without the two weakest and the two strongest opponents"),
    ("koya", "points against those with at least half of the points"),
    ("fewest-crashes", "crashes and stalls of its own, fewer is better"),
    ("seeds", "who stands earlier in the list of engines stands above"),
    ("played", "games decide: the event waits until it is said how a play-off ended"),
    ("ruling", "a person decides: the event waits until then"),
    ("prediction", "games whose prediction was won (Prediction Criterion)"),
    ("shared", "the place is shared"),
];

/// Lists of tie-breaks that have a name of their own.
pub const TIE_BREAK_PRESETS: [(&str, &[&str]); 3] = [
    // §11.1
    (
        "tcec-league",
        &[
            "direct-encounter",
            "sonneborn-berger",
            "r-mobility",
            "double-wins",
            "average-moves-won",
            "average-moves-lost",
            "ruling",
        ],
    ),
    // §11.2
    ("tcec-entrance-league", &["sonneborn-berger", "r-mobility", "wins", "direct-encounter", "shared"]),
    // The rules of the list know points alone.
    ("ccerl", &["shared"]),
];

/// After these nothing is tied, or nothing more is asked.
const LAST: [&str; 4] = ["seeds", "played", "ruling", "shared"];

/// Whether it is the name of a tie-break.
#[must_use]
pub fn is_tie_break(name: &str) -> bool {
    TIE_BREAKS.iter().any(|(known, _)| *known == name)
}

/// Whether nothing may come after it.
pub(super) fn is_last(name: &str) -> bool {
    LAST.contains(&name)
}

/// Whether a tie that is left by these criteria is not shared but waits for a person's word.
#[must_use]
pub fn asks_about_ties(tie_breaks: &[String]) -> bool {
    tie_breaks.last().is_some_and(|last| last == "ruling" || last == "played")
}
