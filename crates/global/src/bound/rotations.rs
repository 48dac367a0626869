//! The eigenvalues of a small symmetric matrix, by Jacobi's rotations (docs/method.md, Lemma 7.1; rounding by row 33).

use std::array::from_fn;

/// What rotations leave beside the diagonal, relative to it, both as sums of squares.
const LEFT: f64 = 1e-6;

/// The most sweeps over all pairs of coordinates.
const SWEEPS: usize = 8;

/// Rotates the first `d` rows and columns of `a` until they are almost diagonal. Returns the rotation: row p is about the eigenvector
/// of the eigenvalue `a[p][p]`.
#[inline(always)]
pub(super) fn diagonalise<const W: usize>(a: &mut [[f64; W]; W], d: usize) -> [[f64; W]; W] {
    let mut v = [[0.0; W]; W];
    for j in 0..d {
        v[j][j] = 1.0;
    }
    for _ in 0..SWEEPS {
        let (mut off, mut diagonal) = (0.0, 0.0);
        for p in 0..d {
            diagonal += a[p][p] * a[p][p];
            for q in 0..p {
                off += a[p][q] * a[p][q];
            }
        }
        let enough = LEFT * diagonal;
        if off <= enough {
            break;
        }
        // Entries that are small enough already are passed over.
        let least = enough / (d * d) as f64;
        for q in 1..d {
            for p in 0..q {
                if a[q][p] * a[q][p] > least {
                    rotate(a, &mut v, d, p, q);
                }
            }
        }
    }
    v
}

/// Turns the coordinates p < q so that their common entry becomes zero.
#[inline(always)]
fn rotate<const W: usize>(a: &mut [[f64; W]; W], v: &mut [[f64; W]; W], d: usize, p: usize, q: usize) {
    let (x, own, other) = (a[q][p], a[p][p], a[q][q]);
    let theta = (other - own) / (2.0 * x);
    let t = 1.0_f64.copysign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    (a[p], a[q]) = turn(&a[p], &a[q], c, s);
    for k in 0..d {
        (a[k][p], a[k][q]) = (a[p][k], a[q][k]);
    }
    (a[p][p], a[q][q], a[p][q], a[q][p]) = (own - t * x, other + t * x, 0.0, 0.0);
    (v[p], v[q]) = turn(&v[p], &v[q], c, s);
}

/// Two rows, turned.
#[inline(always)]
fn turn<const W: usize>(x: &[f64; W], y: &[f64; W], c: f64, s: f64) -> ([f64; W], [f64; W]) {
    (from_fn(|k| c * x[k] - s * y[k]), from_fn(|k| s * x[k] + c * y[k]))
}
