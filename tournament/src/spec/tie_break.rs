//! The names of tie-breaks, in one place.

/// Every tie-break that a spec may name: its name, and what it compares.
pub const TIE_BREAKS: [(&str, &str); 9] = [
    ("direct-encounter", "points in the games between those who are tied"),
    ("sonneborn-berger", "the sum of own result times the opponent's final points, over all games"),
    ("wins", "games won"),
    ("black-wins", "games won as the second seat"),
    ("double-wins", "encounters in which both games of a pair were won"),
    ("r-mobility", "TCEC's measure of the loser's mobility in decided games (§11.1.3)"),
    ("koya", "points against those with at least half of the points"),
    ("fewest-crashes", "crashes and stalls of its own, fewer is better"),
    ("shared", "the place is shared"),
];

/// Whether it is the name of a tie-break.
#[must_use]
pub fn is_tie_break(name: &str) -> bool {
    TIE_BREAKS.iter().any(|(known, _)| *known == name)
}
