//! (5d) and (5e): distances r_i or inner products p_i, and covariances K_i, for every term of the covariance or for one.

use super::curve::{Curve, PwlTerm};
use crate::error::Result;
use fathom_global::Region;
use fathom_gp::PwlPosterior;
use fathom_miqp::{Expression, Kind, Model, Variable};

/// The variables K_i, and the intervals in which they lie.
#[derive(Debug, Clone)]
pub(super) struct Kernels {
    x: Vec<Variable>,
    /// The one term of the program; none if all terms count.
    group: Option<usize>,
    /// K̃_xX, summed over terms.
    totals: Vec<Variable>,
    ranges: Vec<(f64, f64)>,
}

impl Kernels {
    pub fn add(
        model: &mut Model,
        approximate: &PwlPosterior,
        group: Option<usize>,
        region: &Region,
        x: Vec<Variable>,
    ) -> Result<Self> {
        let mut kernels = Self { x, group, totals: Vec::new(), ranges: Vec::new() };
        let points: Vec<Vec<f64>> = approximate.exact().x().rows().collect();
        let terms = kernels.terms(approximate);
        let mut per_term = Vec::new();
        for (prefix, term) in &terms {
            let entry = |(i, point): (usize, &Vec<f64>)| {
                term.add(model, &format!("{prefix}{}", i + 1), &kernels.x, point, region)
            };
            per_term.push(points.iter().enumerate().map(entry).collect::<Result<Vec<Curve>>>()?);
        }
        for i in 0..points.len() {
            let parts: Vec<Curve> = per_term.iter().map(|entries| entries[i]).collect();
            let (total, range) = total(model, i, &parts)?;
            kernels.totals.push(total);
            kernels.ranges.push(range);
        }
        Ok(kernels)
    }

    /// The terms of the program, each with the beginning of its labels.
    pub fn terms<'a>(&self, approximate: &'a PwlPosterior) -> Vec<(String, PwlTerm<'a>)> {
        let pwl = approximate.pwl();
        let all = pwl.covariance().terms().iter().zip(pwl.kernels()).map(|(term, kernel)| PwlTerm { term, kernel });
        match self.group {
            Some(group) => all.skip(group).take(1).map(|term| (String::new(), term)).collect(),
            None if pwl.kernels().len() == 1 => all.map(|term| (String::new(), term)).collect(),
            None => (1..).zip(all).map(|(g, term)| (format!("{g}_"), term)).collect(),
        }
    }

    /// The one term of the program; none if all terms count.
    pub fn group(&self) -> Option<usize> {
        self.group
    }

    /// The inputs.
    pub fn x(&self) -> &[Variable] {
        &self.x
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

    /// Appends r_i or p_i, and K_i, at `x` in the order of the variables; returns K̃_xX.
    pub fn lift(&self, approximate: &PwlPosterior, x: &[f64], point: &mut Vec<f64>) -> Vec<f64> {
        let terms = self.terms(approximate);
        let mut totals = vec![0.0; self.totals.len()];
        for (_, term) in &terms {
            for (total, observation) in totals.iter_mut().zip(approximate.exact().x().rows()) {
                let argument = term.argument(x, &observation);
                let covariance = term.covariance(argument);
                point.extend([argument, covariance]);
                *total += covariance;
            }
        }
        if terms.len() > 1 {
            point.extend(&totals);
        }
        totals
    }
}

/// K_i, the sum of the terms' covariances: a variable of its own if there are several terms.
fn total(model: &mut Model, i: usize, parts: &[Curve]) -> Result<(Variable, (f64, f64))> {
    if let [only] = parts {
        return Ok((only.covariance, only.range));
    }
    let range = parts.iter().fold((0.0, 0.0), |sum, part| (sum.0 + part.range.0, sum.1 + part.range.1));
    let covariance = model.add_variable(&format!("K_{}", i + 1), Kind::Continuous, range.0, range.1)?;
    let sum = Expression::linear(parts.iter().map(|part| (part.covariance, 1.0)));
    model.add_row(&format!("sum_{}", i + 1), (sum - covariance).equal_to(0.0))?;
    Ok((covariance, range))
}
