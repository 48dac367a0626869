//! Rows: linear and quadratic constraints.

use crate::domain::{LARGEST, is_number};
use crate::exact_sum::exact_sum;
use serde::{Deserialize, Serialize};

/// `lower <= Σ c x_j + Σ q x_j x_k <= upper`; a side that is not there is none.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatedRow {
    /// Pairs (j, c).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub linear: Vec<(usize, f64)>,
    /// Triples (j, k, q).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quadratic: Vec<(usize, usize, f64)>,
    /// The lower side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<f64>,
    /// The upper side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
}

impl StatedRow {
    /// With every monomial once, in order; entries that name the same one add up exactly.
    pub fn merged(&self) -> Self {
        let mut linear = self.linear.clone();
        linear.sort_by_key(|(j, _)| *j);
        let linear =
            linear.chunk_by(|a, b| a.0 == b.0).map(|same| (same[0].0, total(same.iter().map(|entry| entry.1))));
        let mut quadratic: Vec<(usize, usize, f64)> = self.quadratic.clone();
        for (j, k, _) in &mut quadratic {
            (*j, *k) = if *j <= *k { (*j, *k) } else { (*k, *j) };
        }
        quadratic.sort_by_key(|(j, k, _)| (*j, *k));
        let same = |a: &(usize, usize, f64), b: &(usize, usize, f64)| (a.0, a.1) == (b.0, b.1);
        let quadratic =
            quadratic.chunk_by(same).map(|same| (same[0].0, same[0].1, total(same.iter().map(|entry| entry.2))));
        Self {
            linear: linear.filter(|(_, c)| *c != 0.0).collect(),
            quadratic: quadratic.filter(|(_, _, q)| *q != 0.0).collect(),
            lower: self.lower,
            upper: self.upper,
        }
    }

    /// What is wrong with a row of `dim` inputs, if anything is.
    pub(crate) fn check(&self, dim: usize) -> Result<(), String> {
        let entries = self.linear.iter().map(|(_, c)| c).chain(self.quadratic.iter().map(|(_, _, q)| q));
        if let Some(value) = entries.chain(&self.lower).chain(&self.upper).find(|value| !is_number(**value)) {
            return Err(format!("{value} is not a number of at most {LARGEST:e} in size"));
        }
        let inputs = self.linear.iter().map(|(j, _)| j).chain(self.quadratic.iter().flat_map(|(j, k, _)| [j, k]));
        if let Some(input) = inputs.copied().find(|input| *input >= dim) {
            return Err(format!("there is no input {input}"));
        }
        let linear_rises = self.linear.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let quadratic_rises = self.quadratic.windows(2).all(|pair| (pair[0].0, pair[0].1) < (pair[1].0, pair[1].1));
        if !(linear_rises && quadratic_rises && self.quadratic.iter().all(|(j, k, _)| j <= k)) {
            return Err("its entries must be in rising order, with each product once".into());
        }
        match (self.lower, self.upper) {
            (Some(lower), Some(upper)) if lower > upper => {
                Err(format!("no number is at least {lower} and at most {upper}"))
            }
            (Some(_) | None, Some(_) | None) => Ok(()),
        }
    }
}

/// The exact sum; one entry stands for itself, whatever it is.
fn total(entries: impl Iterator<Item = f64>) -> f64 {
    let entries: Vec<f64> = entries.collect();
    if entries.len() == 1 { entries[0] } else { exact_sum(&entries) }
}
