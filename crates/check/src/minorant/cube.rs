//! A box in scaled coordinates (docs/method.md, Lemma 3.1).

use crate::interval::Interval;
use crate::model::Model;

/// The centre c and the half-widths w, such that the scaled box lies within c ± w.
#[derive(Debug)]
pub(crate) struct Cube {
    pub centre: Vec<f64>,
    pub half: Vec<f64>,
    pub lengthscales: Vec<f64>,
}

impl Cube {
    /// The cube around the box with these ends; none if the box is so large that the numbers overflow.
    pub fn new(model: &Model<'_>, lower: &[f64], upper: &[f64]) -> Option<Self> {
        let lengthscales = model.statement.lengthscales.clone();
        let (mut centre, mut half) = (Vec::new(), Vec::new());
        for ((low, high), l) in lower.iter().zip(upper).zip(&lengthscales) {
            let scale = |x: f64| Interval::point(x) / Interval::point(*l);
            let c = 0.5 * (low + high) / l;
            let width = (Interval::point(c) - scale(*low)).max(scale(*high) - Interval::point(c));
            let width = width.max(Interval::point(f64::MIN_POSITIVE));
            if !width.is_known() {
                return None;
            }
            centre.push(c);
            half.push(width.high());
        }
        Some(Self { centre, half, lengthscales })
    }

    /// The range of each scaled input.
    pub fn sides(&self) -> Vec<Interval> {
        let side = |(c, w): (&f64, &f64)| Interval::around(*c, *w);
        self.centre.iter().zip(&self.half).map(side).collect()
    }

    /// R² = Σw².
    pub fn square(&self) -> Interval {
        squares(&self.half)
    }

    /// The coordinate of x_j = x in the cube [−1, 1]^D.
    pub fn coordinate(&self, j: usize, x: f64) -> Interval {
        let z = Interval::point(x) / Interval::point(self.lengthscales[j]);
        (z - Interval::point(self.centre[j])) / Interval::point(self.half[j])
    }

    /// The centre and the half-widths in the statement's units.
    pub fn unscaled(&self) -> [Vec<Interval>; 2] {
        [&self.centre, &self.half]
            .map(|scaled| scaled.iter().zip(&self.lengthscales).map(|(v, l)| Interval::point(*v) * *l).collect())
    }
}

/// Σw².
pub(super) fn squares(half: &[f64]) -> Interval {
    half.iter().map(|w| Interval::point(*w).square()).sum()
}
