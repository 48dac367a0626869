//! A quadratic on the cube [−1, 1]^D, and the diagonal shift that makes it convex (docs/method.md, Lemma 7.1).

use super::rotations::diagonalise;
use super::separable::{Separable, parabola_minimum};
use crate::region::{MOST_INPUTS, Vector};
use crate::rounding;

/// A matrix over inputs, by rows.
pub(super) type Matrix = [Vector; MOST_INPUTS];

/// Memory for the making of a minorant.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    /// A + δ.
    convex: Matrix,
    /// A, rotated until it is almost diagonal, and the rotation: row p is the eigenvector of eigenvalue p.
    rotated: Matrix,
    vectors: Matrix,
}

impl Workspace {
    pub fn new() -> Self {
        let zeros = [[0.0; MOST_INPUTS]; MOST_INPUTS];
        Self { convex: zeros, rotated: zeros, vectors: zeros }
    }
}

/// The first `d` rows and columns.
fn copy(from: &Matrix, to: &mut Matrix, d: usize) {
    for (from, to) in from.iter().zip(to).take(d) {
        to[..d].copy_from_slice(&from[..d]);
    }
}

/// c + bᵀx + ½ xᵀA x over the first `dim` coordinates; row j of A is `matrix[j]`.
#[derive(Debug, Clone)]
pub(crate) struct Quadratic {
    pub dim: usize,
    pub constant: f64,
    pub linear: Vector,
    pub matrix: Matrix,
    /// How far rounding may have moved the entries of A; δ leaves this room on top of positive semidefiniteness.
    pub uncertainty: f64,
}

impl Quadratic {
    pub fn zero(dim: usize) -> Self {
        let zeros = [0.0; MOST_INPUTS];
        Self { dim, constant: 0.0, linear: zeros, matrix: [zeros; MOST_INPUTS], uncertainty: 0.0 }
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
        copy(&other.matrix, &mut self.matrix, self.dim);
    }

    /// Q(x).
    pub fn at(&self, x: &Vector) -> f64 {
        (0..self.dim)
            .fold(self.constant, |sum, j| sum + x[j] * (self.linear[j] + 0.5 * inner(&self.matrix[j], x, self.dim)))
    }

    /// The size of everything but the constant.
    pub fn swing(&self) -> f64 {
        let row =
            |j: usize| self.linear[j].abs() + 0.5 * self.matrix[j][..self.dim].iter().map(|a| a.abs()).sum::<f64>();
        (0..self.dim).map(row).sum::<f64>() + f64::MIN_POSITIVE
    }

    /// A minorant, which is tight at its minimum if Q is convex.
    pub fn minorant(&self, workspace: &mut Workspace, out: &mut Separable) {
        let d = self.dim;
        out.shift = self.convexifying_shift(workspace);
        let convex = &mut workspace.convex;
        copy(&self.matrix, convex, d);
        for j in 0..d {
            convex[j][j] += out.shift[j].max(0.0);
        }
        let mut x = [0.0; MOST_INPUTS];
        self.descend(convex, &mut x, 12);
        out.at = x;
        self.linearise(out);
    }

    /// Computes the minorant for the shift and the point in `out`.
    fn linearise(&self, out: &mut Separable) {
        let d = self.dim;
        out.constant = self.constant;
        out.value = 0.0;
        for j in 0..d {
            let curved = inner(&self.matrix[j], &out.at, d) + out.shift[j] * out.at[j];
            out.slope[j] = self.linear[j] + curved;
            out.constant -= 0.5 * out.at[j] * curved;
            out.minima[j] = parabola_minimum(out.slope[j], out.shift[j], -1.0, 1.0);
            out.value += out.minima[j];
        }
        out.value += out.constant;
    }

    /// Coordinate descent towards a minimum over the cube, with `matrix` in place of A.
    fn descend(&self, matrix: &Matrix, x: &mut Vector, sweeps: usize) {
        let d = self.dim;
        for _ in 0..sweeps {
            let mut moved = 0.0_f64;
            for j in 0..d {
                let curvature = matrix[j][j];
                let slope = self.linear[j] + inner(&matrix[j], x, d);
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

    /// A point at which Q is low, found from `x` by coordinate descent.
    pub fn low_point(&self, mut x: Vector) -> Vector {
        self.descend(&self.matrix, &mut x, 3);
        x
    }

    /// δ with A + δ positive semidefinite: the candidate with the smallest sum of three. All three leave room for the
    /// rounding of the eigenvalues. δ is negative if A is positive definite.
    fn convexifying_shift(&self, workspace: &mut Workspace) -> Vector {
        let d = self.dim;
        let Workspace { rotated, vectors, .. } = workspace;
        diagonalise(&self.matrix, d, rotated, vectors);
        let largest = (0..d).map(|j| self.matrix[j][..d].iter().map(|a| a.abs()).sum::<f64>()).fold(0.0, f64::max);
        let remainder = |p: usize| (0..d).filter(|q| *q != p).map(|q| rotated[p][q].abs()).sum::<f64>();
        let room = rounding::rotations(d) * largest + self.uncertainty + f64::MIN_POSITIVE;
        let slack = (0..d).map(remainder).fold(0.0, f64::max) + room;
        let smallest = (0..d).map(|p| rotated[p][p]).fold(f64::INFINITY, f64::min) - slack;
        let mut shift = [-smallest; MOST_INPUTS];
        if smallest >= 0.0 {
            return shift;
        }
        let mut least = -smallest * d as f64;
        let mut consider = |candidate: Vector| {
            let sum: f64 = candidate[..d].iter().sum();
            if sum < least {
                (least, shift) = (sum, candidate);
            }
        };
        // This δ makes every row dominated by its diagonal.
        let mut gershgorin = [0.0; MOST_INPUTS];
        for j in 0..d {
            let off: f64 = (0..d).filter(|k| *k != j).map(|k| self.matrix[j][k].abs()).sum();
            gershgorin[j] = (off - self.matrix[j][j]).max(0.0) + room;
        }
        consider(gershgorin);
        // Lemma 7.1: a dominating diagonal compensates each negative eigenvalue.
        let mut eigenwise = [slack; MOST_INPUTS];
        for p in 0..d {
            if rotated[p][p] < 0.0 {
                let sum: f64 = vectors[p][..d].iter().map(|x| x.abs()).sum();
                for j in 0..d {
                    eigenwise[j] -= rotated[p][p] * vectors[p][j].abs() * sum * rounding::DIAGONAL_UP;
                }
            }
        }
        consider(eigenwise);
        shift
    }
}

#[inline(always)]
fn inner(row: &Vector, x: &Vector, d: usize) -> f64 {
    let mut sum = 0.0;
    for k in 0..d {
        sum += row[k] * x[k];
    }
    sum
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
            q.minorant(&mut Workspace::new(), &mut minorant);
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
        q.minorant(&mut Workspace::new(), &mut minorant);
        let best = (0..=200_000).map(|i| value(&q, &[f64::from(i) * 1e-5 - 1.0, -1.0])).fold(f64::INFINITY, f64::min);
        assert!((minorant.value - best).abs() < 1e-5, "{} against {best}", minorant.value);
    }
}
