//! Who stands above a line through a table, and who below.

use super::{log::Closed, question::Question};

/// The first `count` of an event.
///
/// # Errors
/// [`Question::Tie`] where the line goes through engines that share a place.
pub(super) fn first(closed: &Closed, count: u32, line: &'static str) -> Result<Vec<String>, Question> {
    first_of(closed, count, line, |_| true)
}

/// The first `count` of those that may be.
///
/// # Errors
/// As [`first`].
pub(super) fn first_of(
    closed: &Closed,
    count: u32,
    line: &'static str,
    may: impl Fn(&String) -> bool,
) -> Result<Vec<String>, Question> {
    let mut taken: Vec<String> = Vec::new();
    for group in &closed.order {
        let group: Vec<String> = group.iter().filter(|engine| may(engine)).cloned().collect();
        let room = (count as usize).saturating_sub(taken.len());
        if room == 0 {
            break;
        }
        if group.len() > room {
            let (event, engines, above) = (closed.event.clone(), group, room as u32);
            return Err(Question::Tie { event, line, engines, above });
        }
        taken.extend(group);
    }
    Ok(taken)
}

/// Who have these places, from 1, in this order; one that the table does not have stays vacant.
///
/// # Errors
/// [`Question::Tie`] where such a place is shared.
pub(super) fn at(closed: &Closed, places: &[u32], line: &'static str) -> Result<Vec<String>, Question> {
    let mut taken = Vec::new();
    for &place in places {
        let mut before = 0;
        for group in &closed.order {
            let last = before + group.len() as u32;
            if place > before && place <= last {
                match group.as_slice() {
                    [engine] => taken.push(engine.clone()),
                    _ => {
                        let (event, engines, above) = (closed.event.clone(), group.clone(), place - before);
                        return Err(Question::Tie { event, line, engines, above });
                    }
                }
            }
            before = last;
        }
    }
    Ok(taken)
}

/// The last `count` of an event, in the order of the table.
///
/// # Errors
/// As [`first`].
pub(super) fn last(closed: &Closed, count: u32, line: &'static str) -> Result<Vec<String>, Question> {
    let all: Vec<String> = closed.engines().cloned().collect();
    let above = first(closed, (all.len() as u32).saturating_sub(count), line)?;
    Ok(all.get(above.len()..).unwrap_or_default().to_vec())
}

/// Who is settled on points, and who plays for the rest (TCEC §6.1).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlayOff {
    /// Settled, best first.
    pub direct: Vec<String>,
    /// Level about the last place; empty where all are settled.
    pub level: Vec<String>,
    /// Places that these play for.
    pub spots: u32,
}

/// Whether points settle the first `count` places of an event.
#[must_use]
pub fn play_off(closed: &Closed, count: u32) -> PlayOff {
    let all: Vec<&String> = closed.engines().collect();
    let mut points: Vec<u32> = all.iter().map(|engine| closed.points(engine)).collect();
    points.sort_unstable_by(|a, b| b.cmp(a));
    let Some(&line) = (count as usize).checked_sub(1).and_then(|at| points.get(at)) else {
        return PlayOff { direct: all.into_iter().take(count as usize).cloned().collect(), ..PlayOff::default() };
    };
    let of = |wanted: fn(&u32, &u32) -> bool| -> Vec<String> {
        all.iter().filter(|engine| wanted(&closed.points(engine), &line)).map(|&engine| engine.clone()).collect()
    };
    let (above, level) = (of(u32::gt), of(u32::eq));
    let spots = count - above.len() as u32;
    if level.len() as u32 == spots {
        return PlayOff { direct: [above, level].concat(), ..PlayOff::default() };
    }
    PlayOff { direct: above, level, spots }
}
