//! A local search of regions with whole numbers, categories and rows, in any number of inputs; it proves nothing.
//!
//! From each of several starts the search goes downhill in two ways by turns: over the continuous sides, with whole numbers fixed
//! (L-BFGS-B, or SLSQP if rows are left), and over whole numbers by moves to neighbours: a whole number up or down, a category to
//! another choice. A move that breaks a row is mended by the continuous sides and by moves of other whole numbers. A descent
//! ends at a point that neither way improves. Every point that the search returns is a point of the region.

use super::objective::{Halted, Objective, Watch};
use super::outcome::{Ending, Outcome, Rest};
use super::settle::reach;
use super::{Method, Settings};
use crate::error::Result;
use crate::limits::Stop;
use crate::problem::Evaluate;
use crate::region::{Region, Row};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Samples per input from which starts are chosen.
const SAMPLES: usize = 30;

/// Descents from the best samples.
const DESCENTS: usize = 10;

/// Turns of a descent; it ends sooner if it comes to rest.
const TURNS: usize = 20;

/// Iterations over the continuous sides in one turn.
const ITERATIONS: u64 = 100;

/// Moves by which a point is brought to its rows.
const MENDS: usize = 200;

/// A good point of `region`, from samples and from `starts`; without a feasible point if the search met none.
pub fn wide(
    acquisition: &mut dyn Evaluate,
    region: &Region,
    starts: &[Vec<f64>],
    settings: &Settings,
    stop: &Stop,
) -> Result<Outcome> {
    settings.checked(acquisition.dim(), region)?;
    let watch = Watch::new(stop, settings.time);
    Ok(Wide { acquisition, region, watch, settings, moves: moves(region), evaluations: 0 }.run(starts))
}

/// Moves `x` into the region, however far that is, by whole numbers too; false if `x` did not arrive.
pub fn arrive(region: &Region, x: &mut [f64]) -> bool {
    mended(region, &moves(region), x)
}

/// A change of whole numbers.
#[derive(Debug, Clone, PartialEq)]
enum Move {
    /// A whole number goes up or down by so much, a listed one by so many places.
    Step(usize, f64),
    /// A category: this side of the group becomes 1, and the others 0.
    Choice(Vec<usize>, usize),
}

impl Move {
    /// Makes the move; false if it leads out of the box or nowhere.
    fn make(&self, region: &Region, x: &mut [f64]) -> bool {
        match self {
            Self::Step(side, step) => {
                let there = region.moved(*side, x[*side], *step);
                x[*side] = there.unwrap_or(x[*side]);
                there.is_some()
            }
            Self::Choice(group, chosen) => {
                let is_new = x[*chosen] != 1.0;
                group.iter().for_each(|side| x[*side] = 0.0);
                x[*chosen] = 1.0;
                is_new
            }
        }
    }
}

/// Every move of whole numbers.
fn moves(region: &Region) -> Vec<Move> {
    let groups: Vec<Vec<usize>> = region.one_hot_groups().collect();
    let mut moves: Vec<Move> = Vec::new();
    for group in &groups {
        moves.extend(group.iter().map(|chosen| Move::Choice(group.clone(), *chosen)));
    }
    let is_grouped = |side: &usize| groups.iter().any(|group| group.contains(side));
    for side in (0..region.dim()).filter(|side| region.is_discrete(*side) && !is_grouped(side)) {
        let width = region.count(side, region.lower()[side], region.upper()[side]) - 1.0;
        let mut step = 1.0;
        while step <= width {
            moves.extend([Move::Step(side, step), Move::Step(side, -step)]);
            step *= 4.0;
        }
    }
    moves
}

/// How far `x` misses its rows in all, each as a part of its range.
fn missed(region: &Region, x: &[f64]) -> f64 {
    region.rows().iter().map(|row| row.weight(region.lower(), region.upper()) * row.violation(x)).sum()
}

/// Brings `x` into the region: the continuous sides first, then the move of whole numbers that brings it nearest, and so on.
fn mended(region: &Region, moves: &[Move], x: &mut [f64]) -> bool {
    region.clamp(x);
    for group in region.one_hot_groups() {
        let chosen = group.iter().copied().max_by(|a, b| x[*a].total_cmp(&x[*b]).then(b.cmp(a)));
        group.iter().for_each(|side| x[*side] = f64::from(u8::from(Some(*side) == chosen)));
    }
    for _ in 0..MENDS {
        if reach(region, x) {
            return true;
        }
        let from = missed(region, x);
        let after = |one: &Move| {
            let mut there = x.to_vec();
            one.make(region, &mut there).then(|| (missed(region, &there), there))
        };
        let nearest = moves.iter().filter_map(after).min_by(|a, b| a.0.total_cmp(&b.0));
        match nearest {
            Some((missed, there)) if missed < from => x.copy_from_slice(&there),
            Some(_) | None => return false,
        }
    }
    reach(region, x)
}

/// A point of the region, and its value.
#[derive(Debug, Clone)]
struct Place {
    x: Vec<f64>,
    value: f64,
}

struct Wide<'a> {
    acquisition: &'a mut dyn Evaluate,
    region: &'a Region,
    watch: Watch<'a>,
    settings: &'a Settings,
    moves: Vec<Move>,
    evaluations: u64,
}

impl Wide<'_> {
    fn run(mut self, starts: &[Vec<f64>]) -> Outcome {
        let region = self.region;
        let mut places: Vec<Place> = Vec::new();
        let mut halted = self.sample(starts, &mut places).err();
        places.sort_by(|a, b| a.value.total_cmp(&b.value));
        places.truncate(DESCENTS);
        for place in &mut places {
            if halted.is_some() {
                break;
            }
            halted = self.descend(place).err();
        }
        places.sort_by(|a, b| a.value.total_cmp(&b.value));
        let x = places.first().map_or_else(|| region.lower().to_vec(), |place| place.x.clone());
        let rest = Rest { x, iterations: 0, ending: halted.map_or(Ending::Converged, Halted::ending) };
        let outcome = Objective::new(self.acquisition, region, self.watch).outcome(rest);
        Outcome { evaluations: outcome.evaluations + self.evaluations, ..outcome }
    }

    fn value(&mut self, x: &[f64]) -> std::result::Result<f64, Halted> {
        self.watch.check()?;
        self.evaluations += 1;
        Ok(self.acquisition.value(x))
    }

    /// Evaluates the starts and the samples that reach the region; the first of them even if time is over.
    fn sample(&mut self, starts: &[Vec<f64>], places: &mut Vec<Place>) -> std::result::Result<(), Halted> {
        let region = self.region;
        let mut rng = ChaCha8Rng::seed_from_u64(self.settings.seed);
        let mut draw = |j: usize| region.lower()[j] + (region.upper()[j] - region.lower()[j]) * rng.random::<f64>();
        let samples = (0..SAMPLES * region.dim()).map(|_| (0..region.dim()).map(&mut draw).collect());
        for mut x in starts.iter().cloned().chain(samples) {
            if !mended(region, &self.moves, &mut x) {
                self.watch.check()?;
                continue;
            }
            if places.is_empty() {
                let value = self.acquisition.value(&x);
                places.push(Place { x, value });
            } else {
                let value = self.value(&x)?;
                places.push(Place { x, value });
            }
        }
        Ok(())
    }

    /// Goes downhill from `place` until neither way finds a better point.
    fn descend(&mut self, place: &mut Place) -> std::result::Result<(), Halted> {
        for _ in 0..TURNS {
            self.slide(place)?;
            let slid = place.value;
            self.step(place)?;
            if place.value >= slid {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Goes downhill over the continuous sides.
    fn slide(&mut self, place: &mut Place) -> std::result::Result<(), Halted> {
        self.watch.check()?;
        let fixed = around(self.region, &place.x);
        if fixed.lower() == fixed.upper() {
            return Ok(());
        }
        let settings = Settings { iterations: ITERATIONS, ..self.settings.clone() };
        let objective = Objective::new(self.acquisition, &fixed, self.watch);
        let Rest { mut x, .. } = Method::for_region(&fixed).descend(&objective, &place.x, &settings);
        self.evaluations += objective.evaluations();
        if reach(self.region, &mut x) {
            let value = self.acquisition.value(&x);
            if value < place.value {
                *place = Place { x, value };
            }
        }
        self.watch.check()
    }

    /// Takes every move of whole numbers that lowers the value.
    fn step(&mut self, place: &mut Place) -> std::result::Result<(), Halted> {
        for i in 0..self.moves.len() {
            let mut x = place.x.clone();
            if self.moves[i].make(self.region, &mut x)
                && (self.region.contains(&x) || mended(self.region, &self.moves, &mut x))
            {
                let value = self.value(&x)?;
                if value < place.value {
                    *place = Place { x, value };
                }
            }
        }
        Ok(())
    }
}

/// The region with the whole numbers of `x`, without the rows that are about whole numbers alone: they hold.
fn around(region: &Region, x: &[f64]) -> Region {
    let is_about_others = |row: &Row| {
        let pairs = row.quadratic().iter().flat_map(|(j, k, _)| [*j, *k]);
        row.linear().iter().map(|(j, _)| *j).chain(pairs).any(|j| !region.is_discrete(j))
    };
    let mut fixed = region.around(x);
    fixed.rows.retain(is_about_others);
    fixed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bowl around a point, with a gradient.
    struct Bowl(Vec<f64>);

    impl Evaluate for Bowl {
        fn dim(&self) -> usize {
            self.0.len()
        }

        fn value(&mut self, x: &[f64]) -> f64 {
            x.iter().zip(&self.0).map(|(x, c)| (x - c).powi(2)).sum()
        }

        fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
            gradient.iter_mut().zip(x.iter().zip(&self.0)).for_each(|(g, (x, c))| *g = 2.0 * (x - c));
            self.value(x)
        }
    }

    /// Four floats, six whole numbers from 0 to 9, five categories of three.
    fn mixed() -> Region {
        let sides: Vec<(f64, f64)> =
            (0..25).map(|j| if (4..10).contains(&j) { (0.0, 9.0) } else { (0.0, 1.0) }).collect();
        let mut region = Region::new(&sides).unwrap().with_integers(&[4, 5, 6, 7, 8, 9]).unwrap();
        for group in 0..5 {
            region = region.with_one_of(&[10 + 3 * group, 11 + 3 * group, 12 + 3 * group]).unwrap();
        }
        region
    }

    #[test]
    fn the_best_choices_whole_numbers_and_floats_are_found() {
        let mut centre = vec![0.3; 25];
        (4..10).for_each(|j| centre[j] = j as f64 - 3.8);
        (0..5).for_each(|group| centre[10 + 3 * group + group % 3] = 0.9);
        let found = wide(&mut Bowl(centre), &mixed(), &[], &Settings::default(), &Stop::new(false)).unwrap();
        assert!(found.feasible && found.ending == Ending::Converged);
        assert!(found.x[..4].iter().all(|x| (x - 0.3).abs() < 1e-5), "{:?}", found.x);
        assert_eq!(found.x[4..10], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        for group in 0..5 {
            assert_eq!(found.x[10 + 3 * group + group % 3], 1.0, "{:?}", found.x);
        }
    }

    #[test]
    fn a_sum_of_whole_numbers_that_no_sample_has_is_reached_and_kept() {
        // The whole numbers add up to 50 of 54, and a float makes up for the rest.
        let ones: Vec<(usize, f64)> = (4..10).map(|j| (j, 1.0)).collect();
        let equal = Row::new(&ones, &[], 50.0, 50.0).unwrap();
        let joint = Row::new(&[(0, 10.0), (4, 1.0)], &[], f64::NEG_INFINITY, 9.0).unwrap();
        let region = mixed().with_row(equal).unwrap().with_row(joint).unwrap();
        let found = wide(&mut Bowl(vec![0.5; 25]), &region, &[], &Settings::default(), &Stop::new(false)).unwrap();
        assert!(found.feasible && region.contains(&found.x), "{:?}", found.x);
        assert_eq!(found.x[4..10].iter().sum::<f64>(), 50.0);
    }

    #[test]
    fn a_search_that_is_stopped_at_once_still_gives_a_point() {
        let found = wide(&mut Bowl(vec![0.5; 25]), &mixed(), &[], &Settings::default(), &Stop::new(true)).unwrap();
        assert!(found.feasible && found.ending == Ending::Interrupted);
    }
}
