//! Whether bounds are bounds: random problems, random boxes, and each bound of each box by itself, before it is compared with a
//! value or with another bound, against the function as the checker knows it.
//!
//! Every kernel, alone or one for each input, and the piecewise-linear one; every acquisition function; rows; 1 to 20 inputs,
//! noise from 1e-10 to 1e-1, lengthscales from much shorter than the data's spacing to much longer than their spread, clusters
//! and exact duplicates; boxes from a width of 1e-12 to three times the data's, some flat in an input, around observations and
//! far from them. A box is bounded once, towards a cutoff that some of its points reach; every bound that is found on the way is
//! held against interval enclosures of the function at random points, at corners, and where descents end; so are the minorants at
//! each point, and what was cut away. A bound above the upper end of an enclosure is wrong, whatever rounding does.
//!
//! A problem depends on the seed and its number alone.

mod case;
mod check;

use crate::experiment::Experiment;
use crate::table::{self, Measure, Trait, sum};
use check::{BOXES, check};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The experiment.
#[derive(clap::Args, Debug)]
pub struct Soundness {
    /// Boxes to check, 20 for each problem drawn; whole blocks of problems.
    #[arg(long, default_value_t = 1_000_000)]
    boxes: u64,
    /// Of all that is drawn.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Problems checked at the same time.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Problems whose rows are added up and written together.
    #[arg(long, default_value_t = 2500)]
    block: u64,
}

/// Comparisons of one kind in one block of problems.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    block: u64,
    seed: u64,
    kernel: String, // `sum of` a kernel has one of it for each input; `piecewise_linear` is the paper's approximation
    criterion: String, // the acquisition function
    region: String, // `box` or `rows`
    /// `multiplier`, `tilted`, `moving` and `expansion` are bounds of the box; `minorant` is any of their separable minorants at
    /// the point itself; `cut away` is a point that narrowing, rows or pruning took out, whose value must reach the cutoff.
    kind: String,
    boxes: u64,       // with such a bound
    comparisons: u64, // points that it was compared at
    violations: u64,  // bounds above the upper end of the enclosure of the value: bounds that are wrong
    undecided: u64,   // bounds within the enclosure
    excess: f64,      // the largest bound − upper end, in prior deviations; negative if all is well
    tight: u64,       // boxes on which the bound comes within a thousandth of the prior deviation of a value
}

/// In prior deviations, how near a bound that counts as tight comes to a value.
const TIGHT: f64 = 1e-3;

/// What comparisons are told apart by: kernel, criterion, region, kind.
type Key = (String, String, String, String);

/// Counts of every kind.
#[derive(Debug, Default)]
struct Tally(BTreeMap<Key, Row>);

impl Tally {
    /// Adds what was compared on a box, or on many.
    fn add(&mut self, key: Key, own: &Row) {
        let sum = self.0.entry(key).or_insert_with(|| Row { excess: f64::NEG_INFINITY, ..Row::default() });
        sum.boxes += own.boxes;
        sum.comparisons += own.comparisons;
        sum.violations += own.violations;
        sum.undecided += own.undecided;
        sum.excess = largest(sum.excess, own.excess);
        sum.tight += own.tight;
    }

    fn merged(mut self, other: Self) -> Self {
        other.0.into_iter().for_each(|(key, row)| self.add(key, &row));
        self
    }
}

/// The comparisons of one kind on one box.
#[derive(Debug, Clone)]
struct OnBox(Row);

impl Default for OnBox {
    fn default() -> Self {
        Self(Row { boxes: 1, excess: f64::NEG_INFINITY, ..Row::default() })
    }
}

impl OnBox {
    /// A bound beside the ends of an enclosure, in units of `scale`.
    fn compare(&mut self, bound: f64, (low, high): (f64, f64), scale: f64) {
        let off = (bound - high) / scale;
        self.0.comparisons += 1;
        // Said the other way round, so that what is not a number is no bound either.
        self.0.violations += u64::from(!(off <= 0.0));
        self.0.undecided += u64::from(off <= 0.0 && !(bound <= low));
        self.0.excess = largest(self.0.excess, off);
        if off.is_finite() && -off <= TIGHT {
            self.0.tight = 1;
        }
    }
}

/// The larger one; not a number if one of them is not.
fn largest(a: f64, b: f64) -> f64 {
    if a.is_nan() || b <= a { a } else { b }
}

/// What comparisons are told apart by.
const TRAITS: [Trait<Row>; 4] = [
    ("kind", |row| &row.kind),
    ("kernel", |row| &row.kernel),
    ("criterion", |row| &row.criterion),
    ("region", |row| &row.region),
];

const MEASURES: [Measure<Row>; 6] = [
    ("bounds", |rows| sum(rows, |row| row.boxes)),
    ("comparisons", |rows| sum(rows, |row| row.comparisons)),
    ("tight to 1e-3", |rows| sum(rows, |row| row.tight)),
    ("largest excess", |rows| format!("{:.1e}", rows.iter().map(|row| row.excess).fold(f64::NEG_INFINITY, largest))),
    ("within the enclosure", |rows| sum(rows, |row| row.undecided)),
    ("above the function", |rows| sum(rows, |row| row.violations)),
];

impl Experiment for Soundness {
    type Part = u64;
    type Row = Row;

    fn settings(&self) -> String {
        format!("seed {}\nblocks of {} problems", self.seed, self.block)
    }

    fn parts(&self, quick: bool) -> anyhow::Result<Vec<u64>> {
        Ok((0..if quick { 1 } else { self.boxes.div_ceil(BOXES * self.block) }).collect())
    }

    fn name(block: &u64) -> String {
        format!("block {block}")
    }

    fn part_of(row: &Row) -> String {
        format!("block {}", row.block)
    }

    fn measure(&self, &block: &u64, _: &Path) -> anyhow::Result<Vec<Row>> {
        let problems = block * self.block..(block + 1) * self.block;
        let checked = problems.into_par_iter().map(|problem| check(self.seed, problem));
        let tally = checked.reduce(Tally::default, Tally::merged);
        let row = |((kernel, criterion, region, kind), row): (Key, Row)| Row {
            block,
            seed: self.seed,
            kernel,
            criterion,
            region,
            kind,
            ..row
        };
        Ok(tally.0.into_iter().map(row).collect())
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn tables(rows: &[Row]) -> String {
        let violations: u64 = rows.iter().map(|row| row.violations).sum();
        let count = if violations == 0 { "none.".into() } else { violations.to_string() };
        let mut text = format!("Bounds above the function: {count}\n");
        for row in rows.iter().filter(|row| row.violations > 0) {
            let Row { block, kernel, criterion, region, kind, excess, .. } = row;
            text += &format!("* block {block}: {kind}, {kernel}, {criterion}, {region}, by up to {excess:.1e}\n");
        }
        text += "\nExcess and tightness are in units of the prior deviation.\n";
        text + &table::by_traits(rows, &TRAITS, &MEASURES)
    }

    fn is_refuted(rows: &[Row]) -> bool {
        rows.iter().any(|row| row.violations > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_that_is_none_is_counted() {
        let mut on = OnBox::default();
        for (bound, violations, undecided) in
            [(-1.1, 0, 0), (-0.95, 0, 1), (-0.8, 1, 1), (f64::NAN, 2, 1), (f64::NEG_INFINITY, 2, 1)]
        {
            on.compare(bound, (-1.0, -0.9), 2.0);
            assert_eq!((on.0.violations, on.0.undecided), (violations, undecided), "{bound}");
        }
        let key = || ("rbf".into(), "lcb".into(), "box".into(), "moving".into());
        let (mut bad, mut good, mut own) = (Tally::default(), Tally::default(), OnBox::default());
        bad.add(key(), &on.0);
        own.compare(-1.5, (-1.0, -1.0), 1.0);
        good.add(key(), &own.0);
        let rows: Vec<Row> = good.merged(bad).0.into_values().collect();
        assert_eq!((rows.len(), rows[0].boxes, rows[0].comparisons, rows[0].violations), (1, 2, 6, 2));
        assert!(rows[0].excess.is_nan() && Soundness::is_refuted(&rows));
        assert!(Soundness::tables(&rows).starts_with("Bounds above the function: 2\n* block 0: "));
    }

    #[test]
    fn rows_depend_on_the_seed_alone_and_no_bound_is_too_high() {
        let of = |threads| {
            let plan = Soundness { boxes: 60 * BOXES, seed: 3, threads, block: 60 };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| plan.measure(&0, Path::new(""))).expect("small problems")
        };
        let rows = of(1);
        assert_eq!(rows, of(2));
        assert!(!Soundness::is_refuted(&rows), "{}", Soundness::tables(&rows));
        for kind in ["multiplier", "moving", "expansion", "tilted", "minorant", "cut away"] {
            assert!(rows.iter().any(|row| row.kind == kind), "{kind}");
        }
    }
}
