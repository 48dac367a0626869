//! The best distinct local minima met on the way (the paper's P_full).
//!
//! Two points are the same if every coordinate differs by less than [`APART`] of its side's width and all whole numbers
//! agree. The best of several points that are the same is kept.

use crate::problem::{Incumbent, Problem};
use crate::region::Region;

/// The least distance of two minima in some coordinate, as a part of the side's width.
const APART: f64 = 0.01;

/// Points kept for each requested minimum: the ends of different descents can settle in the same minimum.
const SPARE: usize = 2;

/// Points in the order of their values, all of them distinct.
#[derive(Debug)]
pub(crate) struct Pool {
    size: usize,
    points: Vec<Incumbent>,
}

impl Pool {
    /// A pool for the best `size` minima.
    pub fn new(size: usize) -> Self {
        Self { size, points: Vec::new() }
    }

    /// Only points below this are of any use.
    pub fn threshold(&self) -> f64 {
        match self.points.last() {
            _ if self.size == 0 => f64::NEG_INFINITY,
            Some(worst) if self.points.len() == SPARE * self.size => worst.value,
            _ => f64::INFINITY,
        }
    }

    /// Takes in a point of the region if it is good enough and new.
    pub fn offer(&mut self, region: &Region, found: &Incumbent) {
        if found.value >= self.threshold() {
            return;
        }
        let same = |kept: &Incumbent| are_same(region, &kept.x, &found.x);
        if self.points.iter().any(|kept| kept.value <= found.value && same(kept)) {
            return;
        }
        self.points.retain(|kept| !same(kept));
        let place = self.points.partition_point(|kept| kept.value <= found.value);
        self.points.insert(place, found.clone());
        self.points.truncate(SPARE * self.size);
    }

    /// Follows every point to its minimum until it is `late`, and returns the best of them, best first, with `best` among them.
    pub fn settled(mut self, problem: &Problem<'_>, best: &Incumbent, late: impl Fn() -> bool) -> Vec<Incumbent> {
        let region = problem.region();
        let mut acquisition = problem.evaluator().clone();
        let mut met = std::mem::take(&mut self.points);
        if best.exists() {
            self.offer(region, best);
        }
        for point in &mut met {
            if !late() && point != best {
                point.refine(problem, &mut acquisition);
            }
            self.offer(region, point);
        }
        self.points.truncate(self.size);
        self.points
    }
}

fn are_same(region: &Region, a: &[f64], b: &[f64]) -> bool {
    (0..region.dim()).all(|j| {
        let near = APART * (region.upper()[j] - region.lower()[j]);
        a[j] == b[j] || (!region.is_discrete(j) && (a[j] - b[j]).abs() < near)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: &[f64], value: f64) -> Incumbent {
        Incumbent { x: x.to_vec(), value }
    }

    #[test]
    fn the_best_of_equal_points_is_kept_in_the_order_of_values() {
        let region = Region::new(&[(0.0, 10.0), (0.0, 1000.0)]).unwrap().with_integers(&[1]).unwrap();
        let mut pool = Pool::new(2);
        // This point lies between two points that are apart, and is better than both.
        for (x, value) in [([1.0, 0.0], 3.0), ([1.15, 0.0], 2.0), ([1.08, 0.0], 1.0), ([1.08, 1.0], 1.5)] {
            pool.offer(&region, &point(&x, value));
        }
        assert_eq!(pool.points, [point(&[1.08, 0.0], 1.0), point(&[1.08, 1.0], 1.5)]);
        for i in 0..9 {
            pool.offer(&region, &point(&[f64::from(i), 5.0], f64::from(9 - i)));
        }
        let values: Vec<f64> = pool.points.iter().map(|kept| kept.value).collect();
        assert_eq!((values, pool.threshold()), (vec![1.0, 1.0, 1.5, 2.0], 2.0));
    }

    #[test]
    fn an_empty_pool_wants_nothing() {
        let region = Region::new(&[(0.0, 1.0)]).unwrap();
        let mut pool = Pool::new(0);
        pool.offer(&region, &point(&[0.5], -1.0));
        assert!(pool.points.is_empty() && pool.threshold() == f64::NEG_INFINITY);
    }
}
