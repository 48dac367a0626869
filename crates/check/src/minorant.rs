//! A separable minorant of a piece on a box, from a piece of evidence (docs/method.md, Theorem 5).

mod cube;
mod expansion;
mod moving;
mod quadratic;
mod third_order;

pub(crate) use cube::Cube;
pub(crate) use expansion::omega;
pub(crate) use quadratic::Quadratic;

use crate::interval::Interval;
use crate::model::Model;

/// constant + Σ_j (p_j u_j − ½ δ_j u_j²) ≤ the function, with u_j = (z_j − c_j)/w_j in [−1, 1] on the box.
#[derive(Debug)]
pub(crate) struct Minorant {
    constant: Interval,
    slope: Vec<Interval>,
    /// δ.
    shift: Vec<Interval>,
    cube: Cube,
}

impl Minorant {
    /// R², the squared radius of the scaled box.
    pub fn square(&self) -> Interval {
        self.cube.square()
    }

    /// The centre and the half-widths of the scaled box.
    pub fn centre_and_half(&self) -> [&[f64]; 2] {
        [&self.cube.centre, &self.cube.half]
    }

    /// An upper bound of k(x, x) on the box.
    pub fn largest_prior(&self, model: &Model<'_>) -> Interval {
        model.largest_prior(&self.cube.sides())
    }

    /// The range of σ on the box, if k(x, x) is at most `prior`.
    pub fn deviation_range(&self, model: &Model<'_>, prior: Interval) -> Interval {
        model.deviation_range(&self.cube.centre, &self.cube.half, prior)
    }

    /// A lower bound of the minorant over the box.
    pub fn value(&self) -> Interval {
        self.lowest(|_| Interval::UNIT)
    }

    /// A lower bound of the minorant over the part of the box with input j between `from` and `to`.
    pub fn slab(&self, j: usize, from: f64, to: f64) -> Interval {
        let within = self.cube.coordinate(j, from).hull(self.cube.coordinate(j, to));
        self.lowest(|k| if k == j { within } else { Interval::UNIT })
    }

    fn lowest(&self, range: impl Fn(usize) -> Interval) -> Interval {
        let sum: Interval = (0..self.slope.len()).map(|k| self.lowest_along(k, range(k))).sum();
        (self.constant + sum).lower()
    }

    /// A lower bound of p u − ½ δ u² for u in a range.
    fn lowest_along(&self, j: usize, range: Interval) -> Interval {
        let (p, delta) = (self.slope[j], self.shift[j]);
        let at = |u: Interval| p * u - u.square() * delta * 0.5;
        let ends = at(range.lower()).hull(at(range.upper()));
        if delta.low() >= 0.0 {
            return ends.lower();
        }
        // The parabola is convex for δ < 0: if its vertex p/δ may lie in the range, p²/2δ is the least value.
        let vertex = p / delta;
        let is_outside = vertex.high() < range.low() || vertex.low() > range.high();
        if is_outside { ends.lower() } else { ends.hull(p.square() / (delta * 2.0)).lower() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_minorant_is_nowhere_below_its_bound(
            slope in [-2.0..2.0_f64, -2.0..2.0],
            shift in [-3.0..3.0_f64, -3.0..3.0],
            (from, to) in (-1.0..=1.0_f64, -1.0..=1.0_f64),
            (s, t) in (0.0..=1.0_f64, -1.0..=1.0_f64),
        ) {
            let cube = Cube { centre: vec![0.0, 0.0], half: vec![1.0, 1.0], lengthscales: vec![1.0, 1.0] };
            let minorant = Minorant {
                constant: Interval::ONE,
                slope: slope.map(Interval::point).to_vec(),
                shift: shift.map(Interval::point).to_vec(),
                cube,
            };
            let (from, to) = if from < to { (from, to) } else { (to, from) };
            let at = |u: [f64; 2]| 1.0 + (0..2).map(|j| slope[j] * u[j] - 0.5 * shift[j] * u[j] * u[j]).sum::<f64>();
            let (inside, lowest) = ([from + s * (to - from), t], minorant.slab(0, from, to).low());
            prop_assert!(lowest <= at(inside) + 1e-12);
            prop_assert!(minorant.value().low() <= lowest + 1e-12);
            // The bound is attained up to the step of the grid.
            let steps = |from: f64, to: f64| (0..=200).map(move |i| from + (to - from) * f64::from(i) / 200.0);
            let best = |j: usize, from: f64, to: f64| {
                steps(from, to).map(|u| slope[j] * u - 0.5 * shift[j] * u * u).fold(f64::INFINITY, |a, b| if b < a { b } else { a })
            };
            prop_assert!(lowest >= 1.0 + best(0, from, to) + best(1, -1.0, 1.0) - 1e-3);
        }
    }
}
