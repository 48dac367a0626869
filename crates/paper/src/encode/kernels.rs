//! (5d) and (5e): distances r_i and covariances K_i, for every term of the covariance.

use crate::error::Result;
use fathom_global::Region;
use fathom_gp::{Argument, PwlKernel, PwlPosterior, Term};
use fathom_miqp::{Expression, Kind, Model, Variable};

/// The variables r_i and K_i, and the intervals in which K_i lies.
#[derive(Debug, Clone)]
pub(super) struct Kernels {
    /// K̃_xX, summed over terms.
    totals: Vec<Variable>,
    ranges: Vec<(f64, f64)>,
}

impl Kernels {
    pub fn add(model: &mut Model, approximate: &PwlPosterior, region: &Region, x: &[Variable]) -> Result<Self> {
        let (pwl, count) = (approximate.pwl(), approximate.exact().y().len());
        let terms: Vec<(&Term, &PwlKernel)> = pwl.covariance().terms().iter().zip(pwl.kernels()).collect();
        if terms.iter().any(|(term, _)| term.kernel().argument() == Argument::InnerProduct) {
            return Err(fathom_global::Error::Unsupported { what: "a dot-product kernel" }.into());
        }
        let mut per_term = Vec::new();
        for (g, (term, kernel)) in (1..).zip(&terms) {
            let mut entries = Vec::with_capacity(count);
            for i in 0..count {
                let label = if terms.len() == 1 { format!("{}", i + 1) } else { format!("{g}_{}", i + 1) };
                let point: Vec<f64> = term.inputs().iter().map(|j| approximate.exact().x().column(*j)[i]).collect();
                entries.push(Entry::add(model, &label, term, kernel, &point, region, x)?);
            }
            per_term.push(entries);
        }
        if let [entries] = per_term.as_slice() {
            let totals = entries.iter().map(|entry| entry.covariance).collect();
            return Ok(Self { totals, ranges: entries.iter().map(|entry| entry.range).collect() });
        }
        let (mut totals, mut ranges) = (Vec::new(), Vec::new());
        for i in 0..count {
            let column = || per_term.iter().map(|entries| &entries[i]);
            let range = column().fold((0.0, 0.0), |sum, entry| (sum.0 + entry.range.0, sum.1 + entry.range.1));
            let total = model.add_variable(&format!("K_{}", i + 1), Kind::Continuous, range.0, range.1)?;
            let sum = Expression::linear(column().map(|entry| (entry.covariance, 1.0)));
            model.add_row(&format!("sum_{}", i + 1), (sum - total).equal_to(0.0))?;
            totals.push(total);
            ranges.push(range);
        }
        Ok(Self { totals, ranges })
    }

    /// K_1, …, K_N.
    pub fn totals(&self) -> &[Variable] {
        &self.totals
    }

    /// The interval of each K_i.
    pub fn ranges(&self) -> &[(f64, f64)] {
        &self.ranges
    }

    /// The interval of Σ a_i K_i.
    pub fn range_of(&self, weights: &[f64]) -> (f64, f64) {
        let ends =
            |(a, (low, high)): (&f64, &(f64, f64))| if *a > 0.0 { (a * low, a * high) } else { (a * high, a * low) };
        weights.iter().zip(&self.ranges).map(ends).fold((0.0, 0.0), |sum, (low, high)| (sum.0 + low, sum.1 + high))
    }

    /// Appends r_i and K_i at `x` in the order of the variables; returns K̃_xX.
    pub fn lift(&self, approximate: &PwlPosterior, x: &[f64], point: &mut Vec<f64>) -> Vec<f64> {
        let (pwl, data) = (approximate.pwl(), approximate.exact().x());
        let terms = pwl.covariance().terms();
        let mut totals = vec![0.0; self.totals.len()];
        for (term, kernel) in terms.iter().zip(pwl.kernels()) {
            for (i, total) in totals.iter_mut().enumerate() {
                let square = |(j, l): (&usize, &f64)| ((x[*j] - data.column(*j)[i]) / l).powi(2);
                let r = term.inputs().iter().zip(term.lengthscales()).map(square).sum::<f64>().sqrt();
                let covariance = term.variance() * kernel.value(r);
                point.extend([r, covariance]);
                *total += covariance;
            }
        }
        if terms.len() > 1 {
            point.extend(&totals);
        }
        totals
    }
}

/// One observation under one term.
#[derive(Debug)]
struct Entry {
    covariance: Variable,
    range: (f64, f64),
}

impl Entry {
    /// Adds r and K for the observation at `point`, with (5d) and (5e).
    fn add(
        model: &mut Model,
        label: &str,
        term: &Term,
        kernel: &PwlKernel,
        point: &[f64],
        region: &Region,
        x: &[Variable],
    ) -> Result<Self> {
        let breakpoints = kernel.breakpoints();
        let (near, far) = distances(term, point, region);
        let last = breakpoints[breakpoints.len() - 1];
        let (near, far) = (near.min(last), far.min(last));
        // Segments that begin beyond the furthest point are out of reach.
        let reached = breakpoints.partition_point(|r| *r < far).clamp(1, breakpoints.len() - 1);
        let scaled = kernel.values().iter().map(|k| term.variance() * k);
        let curve: Vec<(f64, f64)> = breakpoints.iter().copied().zip(scaled).take(reached + 1).collect();

        let inner = curve.iter().filter(|(r, _)| *r > near && *r < far).map(|(_, k)| *k);
        let ends = [near, far].map(|r| term.variance() * kernel.value(r));
        let range = inner.chain(ends).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), k| (a.min(k), b.max(k)));

        let r = model.add_variable(&format!("r_{label}"), Kind::Continuous, near, far)?;
        let covariance = model.add_variable(&format!("K_{label}"), Kind::Continuous, range.0, range.1)?;
        let mut left = Expression::default();
        let mut constant = 0.0;
        for ((j, l), centre) in term.inputs().iter().zip(term.lengthscales()).zip(point) {
            let weight = 1.0 / (l * l);
            left += weight * (x[*j] * x[*j]) - 2.0 * weight * centre * x[*j];
            constant += weight * centre * centre;
        }
        model.add_row(&format!("distance_{label}"), (left - r * r).equal_to(-constant))?;
        model.add_pwl(label, r, covariance, &curve)?;
        Ok(Self { covariance, range })
    }
}

/// The scaled distances from `point` to the nearest and the furthest point of the region's box.
fn distances(term: &Term, point: &[f64], region: &Region) -> (f64, f64) {
    let (mut near, mut far) = (0.0, 0.0);
    for ((j, l), centre) in term.inputs().iter().zip(term.lengthscales()).zip(point) {
        let (below, above) = (region.lower()[*j] - centre, region.upper()[*j] - centre);
        let outside = below.max(-above).max(0.0);
        near += (outside / l).powi(2);
        far += (below.abs().max(above.abs()) / l).powi(2);
    }
    (near.sqrt(), far.sqrt())
}
