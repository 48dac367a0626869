//! Observations: inputs with their outputs, checked once so that later code never meets a NaN or a ragged row.
//!
//! An exact duplicate, the same input with the same output, tells a model with fixed and tiny noise nothing new, so only one
//! copy is kept. The same input with *different* outputs contradicts such a model; it is an error unless the caller says what
//! replicates mean ([`Replicates`]).

use crate::error::{Error, Result, all_finite, same_length};
use crate::points::Points;
use std::collections::BTreeMap;

/// What to do with inputs that were observed more than once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Replicates {
    /// Keep one copy of identical observations; refuse an input with different outputs.
    #[default]
    Reject,
    /// Replace the replicates of an input by their mean, as one observation.
    Average,
    /// Keep every row. This is for models that learn their noise, because they learn the noise from replicates.
    Keep,
}

/// `n >= 1` observations of a function of `d >= 1` inputs, all finite.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    x: Points,
    y: Vec<f64>,
    merged: usize,
}

/// The most observations of a data set. Their covariance matrix takes 3.2 GB, and a model needs a few matrices of that size.
pub const MOST_OBSERVATIONS: usize = 20_000;

impl Dataset {
    /// A data set under the default rule for replicates, [`Replicates::Reject`].
    ///
    /// ```
    /// use fathom_gp::{Dataset, Error};
    /// let data = Dataset::new(&[[0.0], [0.5], [1.0]], &[1.0, 0.2, 0.7])?;
    /// assert_eq!((data.len(), data.dim()), (3, 1));
    /// let conflict = Dataset::new(&[[0.5], [0.5]], &[1.0, 2.0]);
    /// assert!(matches!(conflict, Err(Error::ConflictingOutputs { first: 0, second: 1, .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new<R: AsRef<[f64]>>(x: &[R], y: &[f64]) -> Result<Self> {
        Self::with_replicates(x, y, Replicates::default())
    }

    /// A data set with the given rule for inputs that were observed more than once.
    pub fn with_replicates<R: AsRef<[f64]>>(x: &[R], y: &[f64], replicates: Replicates) -> Result<Self> {
        if y.len() > MOST_OBSERVATIONS {
            return Err(Error::TooManyObservations { found: y.len(), most: MOST_OBSERVATIONS });
        }
        let points = Points::from_rows(x)?;
        same_length("the list of outputs", points.len(), y.len())?;
        all_finite("output", y)?;
        let groups = match replicates {
            Replicates::Keep => return Ok(Self { x: points, y: y.to_vec(), merged: 0 }),
            Replicates::Reject | Replicates::Average => equal_inputs(&points),
        };
        if replicates == Replicates::Reject
            && let Some((first, second)) = contradiction(&groups, y)
        {
            return Err(Error::ConflictingOutputs { first, second, first_output: y[first], second_output: y[second] });
        }
        let kept: Vec<&[f64]> = groups.iter().map(|rows| x[rows[0]].as_ref()).collect();
        let mean = |rows: &Vec<usize>| {
            let outputs = rows.iter().map(|i| y[*i]);
            if contradiction(std::slice::from_ref(rows), y).is_none() {
                y[rows[0]]
            } else {
                outputs.sum::<f64>() / rows.len() as f64
            }
        };
        let y = groups.iter().map(mean).collect();
        Ok(Self { x: Points::from_rows(&kept)?, y, merged: points.len() - groups.len() })
    }

    /// The inputs.
    pub fn x(&self) -> &Points {
        &self.x
    }

    /// The outputs.
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// The number of observations.
    pub fn len(&self) -> usize {
        self.y.len()
    }

    /// Never true: a data set has at least one observation.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The number of inputs.
    pub fn dim(&self) -> usize {
        self.x.dim()
    }

    /// The number of rows that were merged into an earlier row.
    pub fn merged(&self) -> usize {
        self.merged
    }

    /// The row of the smallest output, and that output; the earliest row of several equal ones.
    pub fn best(&self) -> (usize, f64) {
        let better = |best: (usize, f64), (i, y): (usize, f64)| if y < best.1 { (i, y) } else { best };
        self.y.iter().copied().enumerate().fold((0, self.y[0]), better)
    }

    /// The inputs and outputs mapped entry by entry; an error if a result is not finite.
    pub(crate) fn map(&self, input: impl Fn(usize, f64) -> f64, output: impl Fn(f64) -> f64) -> Result<Self> {
        let y: Vec<f64> = self.y.iter().map(|y| output(*y)).collect();
        all_finite("output", &y)?;
        Ok(Self { x: self.x.map(input)?, y, merged: self.merged })
    }
}

/// The rows of each distinct input, in order of first appearance. Zero and minus zero are one input.
fn equal_inputs(points: &Points) -> Vec<Vec<usize>> {
    let mut seen = BTreeMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (i, row) in points.rows().enumerate() {
        let key: Vec<u64> = row.iter().map(|v| (v + 0.0).to_bits()).collect();
        let group = *seen.entry(key).or_insert(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(i);
    }
    groups
}

/// The first two rows of one input whose outputs differ.
fn contradiction(groups: &[Vec<usize>], y: &[f64]) -> Option<(usize, usize)> {
    groups.iter().find_map(|rows| rows.iter().find(|i| y[**i] != y[rows[0]]).map(|i| (rows[0], *i)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identical_observations_are_kept_once() {
        let data = Dataset::new(&[[1.0, 2.0], [3.0, -0.0], [1.0, 2.0], [3.0, 0.0]], &[5.0, 6.0, 5.0, 6.0]).unwrap();
        assert_eq!((data.len(), data.merged()), (2, 2));
        assert_eq!(data.y(), [5.0, 6.0]);
    }

    #[test]
    fn too_many_observations_are_refused() {
        let x: Vec<[f64; 1]> = (0..=MOST_OBSERVATIONS).map(|i| [i as f64]).collect();
        let found = Dataset::new(&x, &vec![0.0; x.len()]);
        assert!(matches!(found, Err(Error::TooManyObservations { found: 20_001, most: 20_000 })));
        assert!(Dataset::new(&x[1..], &vec![0.0; x.len() - 1]).is_ok());
    }

    #[test]
    fn replicates_are_averaged_or_kept_on_request() {
        let (x, y) = ([[0.0], [1.0], [0.0]], [1.0, 7.0, 2.0]);
        let averaged = Dataset::with_replicates(&x, &y, Replicates::Average).unwrap();
        assert_eq!(averaged.y(), [1.5, 7.0]);
        let kept = Dataset::with_replicates(&x, &y, Replicates::Keep).unwrap();
        assert_eq!((kept.len(), kept.merged()), (3, 0));
    }

    #[test]
    fn the_best_observation_is_the_earliest_smallest() {
        let data = Dataset::new(&[[0.0], [1.0], [2.0]], &[3.0, -1.0, -1.0]).unwrap();
        assert_eq!(data.best(), (1, -1.0));
    }
}
