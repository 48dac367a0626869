//! The rows of a check: counts of comparisons, by what was compared.

use crate::record::record;
use std::collections::BTreeMap;

/// What a run's README says of its rows.
pub(super) const LEGEND: &str = "\
Random problems, 20 random boxes each. Every bound that the search finds for a box is held against the function in interval
arithmetic, as the checker evaluates it, at points of the box; before it is clamped to a value or compared with another bound.
`raw.csv` has a row for each block of problems, kernel, acquisition function, region and kind of bound, and the same seed draws
the same problems: `fathom-bench soundness --help` and the module `soundness` of the bench crate say how. `tables.md` is made from
it alone.

* `block`, `seed`: which problems, and the seed of the run
* `kernel`: `sum of` a kernel has one of it for each input; `piecewise_linear` is the paper's approximation of one
* `criterion`, `region`: what is bounded, over a `box` or under `rows`
* `kind`: `multiplier`, `tilted`, `moving` and `expansion` are bounds of the box; `minorant` is any of their separable minorants at
  the point itself; `cut away` is a point that narrowing, rows or pruning took out, whose value must reach the cutoff
* `boxes`, `comparisons`: boxes with such a bound, and points that it was compared at
* `violations`: comparisons with a bound above the upper end of the enclosure of the value: a bound that is wrong
* `undecided`: comparisons with a bound within the enclosure, or without one
* `excess`: the largest of bound − upper end, relative to the prior deviation; negative if all is well
* `tight`: boxes on which the bound comes within a thousandth of the prior deviation of the value at a point: an error of that size
  would have shown
";

record! {
    /// Comparisons of one kind.
    pub struct Row {
        /// Which problems.
        pub block: u64,
        /// Of the run.
        pub seed: u64,
        /// As problem files call it, or `sum of` one for each input.
        pub kernel: String,
        /// The acquisition function.
        pub criterion: String,
        /// `box` or `rows`.
        pub region: String,
        /// Which bound.
        pub kind: String,
        /// Boxes with such a bound.
        pub boxes: u64,
        /// Points that it was compared at.
        pub comparisons: u64,
        /// Bounds that are wrong.
        pub violations: u64,
        /// Comparisons that the enclosure does not decide.
        pub undecided: u64,
        /// The largest bound − upper end, in prior deviations.
        pub excess: f64,
        /// Boxes on which the bound comes within a thousandth of the prior deviation of a value.
        pub tight: u64,
    }
}

/// What comparisons are told apart by: kernel, criterion, region, kind.
pub(super) type Key = (String, String, String, String);

/// Counts of one kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Count {
    boxes: u64,
    comparisons: u64,
    violations: u64,
    undecided: u64,
    excess: f64,
    tight: u64,
}

/// The larger one; not a number if one of them is not.
pub(super) fn largest(a: f64, b: f64) -> f64 {
    if a.is_nan() || b <= a { a } else { b }
}

/// In prior deviations, how near a bound that counts as tight comes to a value.
const TIGHT: f64 = 1e-3;

impl Default for Count {
    fn default() -> Self {
        Self { boxes: 0, comparisons: 0, violations: 0, undecided: 0, excess: f64::NEG_INFINITY, tight: 0 }
    }
}

/// The comparisons of one kind on one box.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OnBox {
    count: Count,
    nearest: Option<f64>,
}

impl OnBox {
    /// A bound beside the ends of an enclosure, in units of `scale`.
    pub fn compare(&mut self, bound: f64, (low, high): (f64, f64), scale: f64) {
        let Count { comparisons, violations, undecided, excess, .. } = &mut self.count;
        *comparisons += 1;
        let off = (bound - high) / scale;
        // Said the other way round, so that what is not a number is no bound either.
        *violations += u64::from(!(off <= 0.0));
        *undecided += u64::from(off <= 0.0 && !(bound <= low));
        *excess = largest(*excess, off);
        if (-off).is_finite() {
            self.nearest = Some(self.nearest.map_or(-off, |known| if -off < known { -off } else { known }));
        }
    }
}

/// Counts of every kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Tally(BTreeMap<Key, Count>);

impl Tally {
    /// Adds what was compared on a box.
    pub fn add(&mut self, key: Key, on: &OnBox) {
        let OnBox { count, nearest } = on;
        if count.comparisons > 0 {
            let own = Count { boxes: 1, tight: u64::from(nearest.is_some_and(|slack| slack <= TIGHT)), ..*count };
            self.0.entry(key).or_default().add(&own);
        }
    }

    /// All of both.
    pub fn merged(mut self, other: Self) -> Self {
        for (key, count) in other.0 {
            self.0.entry(key).or_default().add(&count);
        }
        self
    }

    /// As rows.
    pub fn rows(self, block: u64, seed: u64) -> Vec<Row> {
        let row = |((kernel, criterion, region, kind), count): (Key, Count)| {
            let Count { boxes, comparisons, violations, undecided, excess, tight } = count;
            Row {
                block,
                seed,
                kernel,
                criterion,
                region,
                kind,
                boxes,
                comparisons,
                violations,
                undecided,
                excess,
                tight,
            }
        };
        self.0.into_iter().map(row).collect()
    }
}

impl Count {
    fn add(&mut self, other: &Self) {
        self.boxes += other.boxes;
        self.comparisons += other.comparisons;
        self.violations += other.violations;
        self.undecided += other.undecided;
        self.excess = largest(self.excess, other.excess);
        self.tight += other.tight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Record as _;

    #[test]
    fn a_bound_that_is_none_is_counted() {
        let mut on = OnBox::default();
        for (bound, violations, undecided) in
            [(-1.1, 0, 0), (-0.95, 0, 1), (-0.8, 1, 1), (f64::NAN, 2, 1), (f64::NEG_INFINITY, 2, 1)]
        {
            on.compare(bound, (-1.0, -0.9), 2.0);
            assert_eq!((on.count.violations, on.count.undecided), (violations, undecided), "{bound}");
        }
        let mut tally = Tally::default();
        let key = || ("rbf".into(), "lcb".into(), "box".into(), "moving".into());
        tally.add(key(), &on);
        let mut good = OnBox::default();
        good.compare(-1.5, (-1.0, -1.0), 1.0);
        let rows = Tally::default().merged(tally).merged({
            let mut other = Tally::default();
            other.add(key(), &good);
            other
        });
        let rows = rows.rows(3, 7);
        assert_eq!((rows.len(), rows[0].boxes, rows[0].comparisons, rows[0].violations), (1, 2, 6, 2));
        assert!(rows[0].excess.is_nan());
        assert_eq!(Row::parse(&rows[0].to_line()).expect("just written").kind, "moving");
    }
}
