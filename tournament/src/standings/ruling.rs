//! A person's ruling (§11.1.7): who stands above whom among those whom all criteria left level. It comes after them all,
//! also where places would be shared.

use crate::EntrantId;

/// A ruling on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    /// Best first.
    pub order: Vec<EntrantId>,
    /// Who ruled.
    pub by: String,
    /// Why.
    pub reason: String,
}

/// A group as the newest ruling that names two or more of it orders them. Who is not named comes behind, in one part.
/// `None`: no ruling is about these.
pub(super) fn split<'r>(rulings: &'r [Ruling], group: &[usize]) -> Option<(&'r Ruling, Vec<Vec<usize>>)> {
    rulings.iter().rev().find_map(|ruling| {
        let at = |id: &EntrantId| (id.0 as usize).checked_sub(1);
        let named: Vec<usize> = ruling.order.iter().filter_map(at).filter(|e| group.contains(e)).collect();
        if named.len() < 2 {
            return None;
        }
        let rest: Vec<usize> = group.iter().copied().filter(|e| !named.contains(e)).collect();
        let mut parts: Vec<Vec<usize>> = named.into_iter().map(|e| vec![e]).collect();
        if !rest.is_empty() {
            parts.push(rest);
        }
        Some((ruling, parts))
    })
}
