//! The eigenvalues of a small symmetric matrix, by Jacobi's rotations (docs/method.md, Lemma 7.1; rounding by row 33).

use super::quadratic::Matrix;
use crate::region::MOST_INPUTS;
use fathom_gp::lanes::{Work, widest};
use std::array::from_fn;

/// What rotations leave beside the diagonal, relative to it, both as sums of squares.
const LEFT: f64 = 1e-10;

/// The most sweeps over all pairs of coordinates.
const SWEEPS: usize = 8;

/// Rotates the first `d` rows and columns of `matrix` until they are almost diagonal, and writes the result to `rotated`. Row p of
/// `vectors` is then about the eigenvector of the eigenvalue `rotated[p][p]`.
pub(super) fn diagonalise(matrix: &Matrix, d: usize, rotated: &mut Matrix, vectors: &mut Matrix) {
    // Rows of a few lanes, whose number the compiler knows, take far fewer instructions.
    match d {
        0..=4 => in_width::<4>(matrix, d, rotated, vectors),
        5..=8 => in_width::<8>(matrix, d, rotated, vectors),
        9..=12 => in_width::<12>(matrix, d, rotated, vectors),
        _ => in_width::<MOST_INPUTS>(matrix, d, rotated, vectors),
    }
}

/// Rotates in rows of `W` numbers, `W` ≥ `d`.
fn in_width<const W: usize>(matrix: &Matrix, d: usize, rotated: &mut Matrix, vectors: &mut Matrix) {
    let (mut a, mut v) = ([[0.0; W]; W], [[0.0; W]; W]);
    for j in 0..d {
        a[j][..d].copy_from_slice(&matrix[j][..d]);
        v[j][j] = 1.0;
    }
    if d > 1 {
        sweep(&mut a, &mut v, d);
    }
    for j in 0..d {
        rotated[j][..d].copy_from_slice(&a[j][..d]);
        vectors[j][..d].copy_from_slice(&v[j][..d]);
    }
}

fn sweep<const W: usize>(a: &mut [[f64; W]; W], v: &mut [[f64; W]; W], d: usize) {
    struct Sweeps<'a, const W: usize> {
        a: &'a mut [[f64; W]; W],
        v: &'a mut [[f64; W]; W],
        d: usize,
    }
    impl<const W: usize> Work for Sweeps<'_, W> {
        type Output = ();
        #[inline(always)]
        fn call(self) {
            let Self { a, v, d } = self;
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
                            rotate(a, v, d, p, q);
                        }
                    }
                }
            }
        }
    }
    widest(Sweeps { a, v, d });
}

/// Turns the coordinates p < q so that their common entry becomes zero.
#[inline(always)]
fn rotate<const W: usize>(a: &mut [[f64; W]; W], v: &mut [[f64; W]; W], d: usize, p: usize, q: usize) {
    let (x, own, other) = (a[q][p], a[p][p], a[q][q]);
    let theta = (other - own) / (2.0 * x);
    let t = 1.0_f64.copysign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    let (first, second) = turn(&a[p], &a[q], c, s);
    (a[p], a[q]) = (first, second);
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
