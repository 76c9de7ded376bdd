//! Perfect matchings in general graphs, kept while one edge after the other is fixed (Edmonds 1965, after the form with
//! contracted bases).

/// Who may meet whom, and one way in which all can.
pub(super) struct Matching<F> {
    n: usize,
    may: F,
    /// Vertices that are not fixed yet.
    free: Vec<bool>,
    mate: Vec<Option<usize>>,
}

impl<F: Fn(usize, usize) -> bool> Matching<F> {
    /// A perfect matching of vertices `0..n`, if there is one. `may` is symmetric.
    pub(super) fn perfect(n: usize, may: F) -> Option<Self> {
        let mut matching = Self { n, may, free: vec![true; n], mate: vec![None; n] };
        for one in 0..n {
            if matching.mate[one].is_none()
                && let Some(other) = (one + 1..n).find(|&o| matching.mate[o].is_none() && (matching.may)(one, o))
            {
                matching.mate[one] = Some(other);
                matching.mate[other] = Some(one);
            }
        }
        (0..n).all(|v| matching.mate[v].is_some() || matching.augment(v)).then_some(matching)
    }

    /// Fixes that two meet, if all others can still be matched; else nothing changes.
    pub(super) fn fix(&mut self, one: usize, other: usize) -> bool {
        if one == other || !self.free[one] || !self.free[other] || !(self.may)(one, other) {
            return false;
        }
        let before = self.mate.clone();
        let (Some(a), Some(b)) = (self.mate[one], self.mate[other]) else { return false };
        (self.free[one], self.free[other]) = (false, false);
        (self.mate[one], self.mate[other]) = (Some(other), Some(one));
        if a != other {
            (self.mate[a], self.mate[b]) = (None, None);
            if !self.augment(a) {
                self.mate = before;
                (self.free[one], self.free[other]) = (true, true);
                return false;
            }
        }
        true
    }

    /// Whether a vertex has no fixed partner yet.
    pub(super) fn is_free(&self, vertex: usize) -> bool {
        self.free[vertex]
    }

    fn augment(&mut self, root: usize) -> bool {
        let n = self.n;
        let mut parent: Vec<Option<usize>> = vec![None; n];
        let mut base: Vec<usize> = (0..n).collect();
        let mut outer = vec![false; n];
        let mut queue = std::collections::VecDeque::from([root]);
        outer[root] = true;
        while let Some(v) = queue.pop_front() {
            for to in 0..n {
                if !self.free[to] || base[v] == base[to] || self.mate[v] == Some(to) || !(self.may)(v, to) {
                    continue;
                }
                let in_tree = to == root || self.mate[to].is_some_and(|m| parent[m].is_some());
                if in_tree {
                    let top = self.common(&parent, &base, v, to);
                    let mut in_blossom = vec![false; n];
                    self.mark(&mut parent, &base, &mut in_blossom, v, top, to);
                    self.mark(&mut parent, &base, &mut in_blossom, to, top, v);
                    for u in 0..n {
                        if in_blossom[base[u]] {
                            base[u] = top;
                            if !outer[u] {
                                outer[u] = true;
                                queue.push_back(u);
                            }
                        }
                    }
                } else if parent[to].is_none() {
                    parent[to] = Some(v);
                    match self.mate[to] {
                        Some(next) => {
                            outer[next] = true;
                            queue.push_back(next);
                        }
                        None => {
                            self.flip(&parent, to);
                            return true;
                        }
                    }
                }
            }
        }
        false
    }

    fn flip(&mut self, parent: &[Option<usize>], end: usize) {
        let mut at = Some(end);
        while let Some(v) = at {
            let Some(before) = parent[v] else { break };
            let next = self.mate[before];
            self.mate[v] = Some(before);
            self.mate[before] = Some(v);
            at = next;
        }
    }

    fn common(&self, parent: &[Option<usize>], base: &[usize], a: usize, b: usize) -> usize {
        let mut seen = vec![false; self.n];
        let mut at = base[a];
        loop {
            seen[at] = true;
            match self.mate[at].and_then(|m| parent[m]) {
                Some(up) => at = base[up],
                None => break,
            }
        }
        let mut at = base[b];
        while !seen[at] {
            match self.mate[at].and_then(|m| parent[m]) {
                Some(up) => at = base[up],
                None => break,
            }
        }
        at
    }

    fn mark(
        &self,
        parent: &mut [Option<usize>],
        base: &[usize],
        in_blossom: &mut [bool],
        from: usize,
        top: usize,
        child: usize,
    ) {
        let (mut v, mut child) = (from, child);
        while base[v] != top {
            let Some(m) = self.mate[v] else { break };
            in_blossom[base[v]] = true;
            in_blossom[base[m]] = true;
            parent[v] = Some(child);
            child = m;
            match parent[m] {
                Some(up) => v = up,
                None => break,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Whether all of them can be matched, by trying.
    fn can(left: &[usize], may: &dyn Fn(usize, usize) -> bool) -> bool {
        let Some((&one, rest)) = left.split_first() else { return true };
        rest.iter().any(|&other| {
            let others: Vec<usize> = rest.iter().copied().filter(|&o| o != other).collect();
            may(one, other) && can(&others, may)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn finds_what_trying_finds(half in 1usize..5, edges in prop::collection::vec(0u8..10, 45), share in 1u8..10) {
            let n = 2 * half;
            let may = |a: usize, b: usize| {
                let (low, high) = (a.min(b), a.max(b));
                low != high && edges[high * (high - 1) / 2 + low] < share
            };
            let all: Vec<usize> = (0..n).collect();
            let matching = Matching::perfect(n, may);
            prop_assert_eq!(matching.is_some(), can(&all, &may));
            let Some(mut matching) = matching else { return Ok(()) };
            let mut left = all;
            while let Some((&one, rest)) = left.split_first() {
                let rest = rest.to_vec();
                let mut fixed = None;
                for &other in &rest {
                    let others: Vec<usize> = rest.iter().copied().filter(|&o| o != other).collect();
                    let expected = may(one, other) && can(&others, &may);
                    let got = fixed.is_none() && matching.fix(one, other);
                    if fixed.is_none() {
                        prop_assert_eq!(got, expected, "{} {}", one, other);
                    }
                    if got {
                        fixed = Some(others);
                    }
                }
                left = fixed.expect("a perfect matching goes on");
            }
        }
    }
}
