//! A quadratic on the cube [−1, 1]^D, and the diagonal shift that makes it convex (docs/method.md, Lemma 7.1).

use super::rotations::diagonalise;
use super::separable::{Separable, parabola_minimum};
use crate::region::{MOST_INPUTS, Vector};
use crate::rounding;
use fathom_gp::lanes::{Work, widest};
use std::array::from_fn;

/// c + bᵀx + ½ xᵀA x over the first `dim` coordinates; row j of A is `matrix[j]`.
#[derive(Debug, Clone)]
pub(crate) struct Quadratic {
    pub dim: usize,
    pub constant: f64,
    pub linear: Vector,
    pub matrix: Vec<Vector>,
    /// How far rounding may have moved the entries of A; δ leaves this room on top of positive semidefiniteness.
    pub uncertainty: f64,
}

impl Quadratic {
    pub fn zero(dim: usize) -> Self {
        let zeros = [0.0; MOST_INPUTS];
        Self { dim, constant: 0.0, linear: zeros, matrix: vec![zeros; dim], uncertainty: 0.0 }
    }

    /// Resets the quadratic to a constant.
    pub fn reset(&mut self, constant: f64) {
        (self.constant, self.uncertainty) = (constant, 0.0);
        self.linear = [0.0; MOST_INPUTS];
        for row in &mut self.matrix[..self.dim] {
            row[..self.dim].fill(0.0);
        }
    }

    /// Copies another quadratic of as many coordinates.
    pub fn copy_from(&mut self, other: &Self) {
        (self.constant, self.uncertainty) = (other.constant, other.uncertainty);
        self.linear = other.linear;
        for (own, other) in self.matrix.iter_mut().zip(&other.matrix).take(self.dim) {
            own[..self.dim].copy_from_slice(&other[..self.dim]);
        }
    }

    /// Q(x).
    pub fn at(&self, x: &Vector) -> f64 {
        let row = |j: usize| (0..self.dim).map(|k| self.matrix[j][k] * x[k]).sum::<f64>();
        (0..self.dim).fold(self.constant, |sum, j| sum + x[j] * (self.linear[j] + 0.5 * row(j)))
    }

    /// The size of everything but the constant.
    pub fn swing(&self) -> f64 {
        let row =
            |j: usize| self.linear[j].abs() + 0.5 * self.matrix[j][..self.dim].iter().map(|a| a.abs()).sum::<f64>();
        (0..self.dim).map(row).sum::<f64>() + f64::MIN_POSITIVE
    }

    /// A minorant, which is tight at its minimum if Q is convex.
    pub fn minorant(&self, out: &mut Separable) {
        // Rows of a few lanes, whose number the compiler knows, take far fewer instructions.
        match self.dim {
            0..=4 => widest(Minorant::<4> { of: self, out }),
            5..=8 => widest(Minorant::<8> { of: self, out }),
            9..=12 => widest(Minorant::<12> { of: self, out }),
            _ => widest(Minorant::<MOST_INPUTS> { of: self, out }),
        }
    }

    /// A point at which Q is low, found from `x` by coordinate descent.
    pub fn low_point(&self, x: Vector) -> Vector {
        match self.dim {
            0..=4 => widest(LowPoint::<4> { of: self, x }),
            5..=8 => widest(LowPoint::<8> { of: self, x }),
            9..=12 => widest(LowPoint::<12> { of: self, x }),
            _ => widest(LowPoint::<MOST_INPUTS> { of: self, x }),
        }
    }

    /// The matrix in rows of `W` numbers, zeros behind the last coordinate.
    #[inline(always)]
    fn narrow<const W: usize>(&self) -> [[f64; W]; W] {
        let mut a = [[0.0; W]; W];
        for (narrow, row) in a.iter_mut().zip(&self.matrix).take(self.dim) {
            *narrow = first(row);
        }
        a
    }
}

/// A minorant that is made in rows of `W` numbers.
struct Minorant<'q, const W: usize> {
    of: &'q Quadratic,
    out: &'q mut Separable,
}

impl<const W: usize> Work for Minorant<'_, W> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { of, out } = self;
        let (d, linear, matrix) = (of.dim, first(&of.linear), of.narrow::<W>());
        let shift = convexifying_shift(&matrix, d, of.uncertainty);
        let mut convex = matrix;
        for j in 0..d {
            convex[j][j] += shift[j].max(0.0);
        }
        let mut x = [0.0; W];
        descend(&convex, &linear, d, &mut x, 12);
        out.constant = of.constant;
        out.value = 0.0;
        for j in 0..d {
            let curved = inner(&matrix[j], &x) + shift[j] * x[j];
            out.slope[j] = linear[j] + curved;
            out.constant -= 0.5 * x[j] * curved;
            out.minima[j] = parabola_minimum(out.slope[j], shift[j], -1.0, 1.0);
            out.value += out.minima[j];
        }
        out.value += out.constant;
        out.shift[..W].copy_from_slice(&shift);
        out.at[..W].copy_from_slice(&x);
    }
}

/// The descent to a low point, in rows of `W` numbers.
struct LowPoint<'q, const W: usize> {
    of: &'q Quadratic,
    x: Vector,
}

impl<const W: usize> Work for LowPoint<'_, W> {
    type Output = Vector;

    #[inline(always)]
    fn call(self) -> Vector {
        let Self { of, mut x } = self;
        let mut low = first(&x);
        descend(&of.narrow::<W>(), &first(&of.linear), of.dim, &mut low, 3);
        x[..W].copy_from_slice(&low);
        x
    }
}

/// The first `W` numbers.
#[inline(always)]
fn first<const W: usize>(of: &Vector) -> [f64; W] {
    from_fn(|k| of[k])
}

/// Coordinate descent towards a minimum of bᵀx + ½ xᵀA x over the cube.
#[inline(always)]
fn descend<const W: usize>(matrix: &[[f64; W]; W], linear: &[f64; W], d: usize, x: &mut [f64; W], sweeps: usize) {
    for _ in 0..sweeps {
        let mut moved = 0.0_f64;
        for j in 0..d {
            let curvature = matrix[j][j];
            let slope = linear[j] + inner(&matrix[j], x);
            let next = if curvature > 1e-300 {
                (x[j] - slope / curvature).clamp(-1.0, 1.0)
            } else if slope - curvature * x[j] > 0.0 {
                -1.0
            } else {
                1.0
            };
            moved = moved.max((next - x[j]).abs());
            x[j] = next;
        }
        if moved < 1e-3 {
            return;
        }
    }
}

/// δ with A + δ positive semidefinite: the candidate with the smallest sum of three. All three leave room for the
/// rounding of the eigenvalues and for the `uncertainty` of A. δ is negative if A is positive definite.
#[inline(always)]
fn convexifying_shift<const W: usize>(matrix: &[[f64; W]; W], d: usize, uncertainty: f64) -> [f64; W] {
    let mut rotated = *matrix;
    let vectors = diagonalise(&mut rotated, d);
    let size = |row: &[f64; W]| row.iter().map(|a| a.abs()).sum::<f64>();
    let beside = |of: &[[f64; W]; W], j: usize| (0..d).filter(|k| *k != j).map(|k| of[j][k].abs()).sum::<f64>();
    let largest = matrix[..d].iter().map(size).fold(0.0, f64::max);
    let room = rounding::rotations(d) * largest + uncertainty + f64::MIN_POSITIVE;
    let slack = (0..d).map(|p| beside(&rotated, p)).fold(0.0, f64::max) + room;
    let smallest = (0..d).map(|p| rotated[p][p]).fold(f64::INFINITY, f64::min) - slack;
    let mut shift = [-smallest; W];
    if smallest >= 0.0 {
        return shift;
    }
    let mut least = -smallest * d as f64;
    let mut consider = |candidate: [f64; W]| {
        let sum: f64 = candidate[..d].iter().sum();
        if sum < least {
            (least, shift) = (sum, candidate);
        }
    };
    // This δ makes every row dominated by its diagonal.
    let mut gershgorin = [0.0; W];
    for j in 0..d {
        gershgorin[j] = (beside(matrix, j) - matrix[j][j]).max(0.0) + room;
    }
    consider(gershgorin);
    // Lemma 7.1: a dominating diagonal compensates each negative eigenvalue.
    let mut eigenwise = [slack; W];
    for p in 0..d {
        if rotated[p][p] < 0.0 {
            let factor = rotated[p][p] * size(&vectors[p]) * rounding::DIAGONAL_UP;
            eigenwise = from_fn(|j| eigenwise[j] - factor * vectors[p][j].abs());
        }
    }
    consider(eigenwise);
    shift
}

/// The inner product of two rows, in four lanes.
#[inline(always)]
fn inner<const W: usize>(a: &[f64; W], b: &[f64; W]) -> f64 {
    let mut sums = [0.0; 4];
    for k in 0..W {
        sums[k % 4] += a[k] * b[k];
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn quadratic(dim: usize, entries: &[f64]) -> Quadratic {
        let mut q = Quadratic::zero(dim);
        let mut next = entries.iter().copied().cycle();
        q.constant = next.next().unwrap();
        for j in 0..dim {
            q.linear[j] = next.next().unwrap();
            for k in 0..=j {
                q.matrix[j][k] = next.next().unwrap();
                q.matrix[k][j] = q.matrix[j][k];
            }
        }
        q
    }

    fn value(q: &Quadratic, x: &[f64]) -> f64 {
        let mut sum = q.constant;
        for j in 0..q.dim {
            sum += q.linear[j] * x[j];
            for k in 0..q.dim {
                sum += 0.5 * x[j] * q.matrix[j][k] * x[k];
            }
        }
        sum
    }

    proptest! {
        #[test]
        fn the_minorant_lies_below_everywhere_and_cuts_only_what_exceeds_the_cutoff(
            dim in 1_usize..7,
            entries in prop::collection::vec(-3.0..3.0, 40),
            points in prop::collection::vec(prop::collection::vec(-1.0..=1.0_f64, 7), 60),
            cutoff in -4.0..4.0,
        ) {
            let q = quadratic(dim, &entries);
            let mut minorant = Separable::zero();
            q.minorant(&mut minorant);
            let kept: Vec<Option<(f64, f64)>> = (0..dim).map(|j| minorant.keep(j, cutoff)).collect();
            for mut x in points {
                // Half the points lie on the boundary.
                if x[6] > 0.0 { x.iter_mut().for_each(|v| if v.abs() > 0.5 { *v = v.signum() }); }
                let exact = value(&q, &x);
                let mut below = minorant.constant;
                for j in 0..dim {
                    below += x[j] * (minorant.slope[j] - 0.5 * minorant.shift[j] * x[j]);
                }
                prop_assert!(below <= exact + 1e-10);
                prop_assert!(minorant.value <= below + 1e-10);
                for j in 0..dim {
                    let inside = kept[j].is_some_and(|(low, high)| low <= x[j] && x[j] <= high);
                    prop_assert!(inside || exact >= cutoff - 1e-9);
                }
            }
        }
    }

    #[test]
    fn a_convex_quadratic_is_minimised_exactly() {
        // (x − 0.3)² + 2 (y + 2)² − xy/2 over the square: the minimum has y at −1.
        let mut q = Quadratic::zero(2);
        q.constant = 0.09 + 8.0;
        q.linear[..2].copy_from_slice(&[-0.6, 8.0]);
        q.matrix[0][..2].copy_from_slice(&[2.0, -0.5]);
        q.matrix[1][..2].copy_from_slice(&[-0.5, 4.0]);
        let mut minorant = Separable::zero();
        q.minorant(&mut minorant);
        let best = (0..=200_000).map(|i| value(&q, &[f64::from(i) * 1e-5 - 1.0, -1.0])).fold(f64::INFINITY, f64::min);
        assert!((minorant.value - best).abs() < 1e-5, "{} against {best}", minorant.value);
    }
}
