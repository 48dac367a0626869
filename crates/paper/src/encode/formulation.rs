//! Rows that follow from (5d), for tighter relaxations.
//!
//! * Triangle: |r_i − r_j| ≤ d_ij ≤ r_i + r_j, with d_ij the scaled distance of two observations; linear.
//! * Differences: r_i² − r_j² = Σ_k (2 x_k (x_jk − x_ik) + x_ik² − x_jk²)/l_k², in which no x_k² is left.
//!
//! All pairs would be N²/2. The pairs are those of a shortest tree that connects the observations, so there are N − 1, and
//! every other difference is a sum of theirs.

use super::curve::PwlTerm;
use super::kernels::Kernels;
use crate::error::Result;
use fathom_gp::PwlPosterior;
use fathom_miqp::{Expression, Model, Variable};

/// Rows that a program can have beyond those of Eq. (5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Formulation {
    /// |r_i − r_j| ≤ d_ij ≤ r_i + r_j for the pairs of a shortest tree.
    pub triangle: bool,
    /// The same for all pairs.
    pub all_triangles: bool,
    /// r_i² − r_j² as a linear function of x, for the pairs of a shortest tree.
    pub differences: bool,
}

impl Formulation {
    pub(super) fn add(self, model: &mut Model, approximate: &PwlPosterior, kernels: &Kernels) -> Result<()> {
        let points: Vec<Vec<f64>> = approximate.exact().x().rows().collect();
        for ((prefix, term), r) in kernels.terms(approximate).into_iter().zip(kernels.arguments()) {
            if term.is_dot_product() {
                continue;
            }
            let tree = shortest_tree(term, &points);
            if self.all_triangles {
                for j in 0..points.len() {
                    for i in 0..j {
                        add_triangle(
                            model,
                            &format!("{prefix}{}_{}", i + 1, j + 1),
                            term,
                            (r[i], &points[i]),
                            (r[j], &points[j]),
                        )?;
                    }
                }
            }
            for (i, j) in tree {
                let label = format!("{prefix}{}_{}", i + 1, j + 1);
                let (one, other) = ((r[i], points[i].as_slice()), (r[j], points[j].as_slice()));
                if self.triangle && !self.all_triangles {
                    add_triangle(model, &label, term, one, other)?;
                }
                if self.differences {
                    add_difference(model, &label, term, kernels.x(), one, other)?;
                }
            }
        }
        Ok(())
    }
}

fn add_triangle(
    model: &mut Model,
    label: &str,
    term: PwlTerm<'_>,
    (r, point): (Variable, &[f64]),
    (other_r, other): (Variable, &[f64]),
) -> Result<()> {
    let distance = term.argument(point, other);
    model.add_row(&format!("nearer_{label}"), (r - other_r).at_most(distance))?;
    model.add_row(&format!("further_{label}"), (other_r - r).at_most(distance))?;
    model.add_row(&format!("between_{label}"), (r + other_r).at_least(distance))?;
    Ok(())
}

fn add_difference(
    model: &mut Model,
    label: &str,
    term: PwlTerm<'_>,
    x: &[Variable],
    (r, point): (Variable, &[f64]),
    (other_r, other): (Variable, &[f64]),
) -> Result<()> {
    let mut left: Expression = r * r - other_r * other_r;
    let mut right = 0.0;
    for ((j, weight, centre), (_, _, other)) in term.sides(point).zip(term.sides(other)) {
        left += -2.0 * weight * (other - centre) * x[j];
        right += weight * (centre * centre - other * other);
    }
    Ok(model.add_row(&format!("difference_{label}"), left.equal_to(right))?)
}

/// The pairs of a shortest tree that connects the observations, by the term's distance.
fn shortest_tree(term: PwlTerm<'_>, points: &[Vec<f64>]) -> Vec<(usize, usize)> {
    let distance = |i: usize, j: usize| term.argument(&points[i], &points[j]);
    // The nearest connected observation of each observation that is not connected yet.
    let mut outside: Vec<(usize, usize)> = (1..points.len()).map(|j| (j, 0)).collect();
    let mut tree = Vec::with_capacity(points.len());
    while let Some(at) = (0..outside.len()).min_by(|a, b| {
        let length = |at: usize| distance(outside[at].0, outside[at].1);
        length(*a).total_cmp(&length(*b))
    }) {
        let (added, nearest) = outside.swap_remove(at);
        tree.push((nearest.min(added), nearest.max(added)));
        for (j, nearest) in &mut outside {
            if distance(*j, added) < distance(*j, *nearest) {
                *nearest = added;
            }
        }
    }
    tree
}
