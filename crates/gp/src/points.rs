//! A set of input points, stored column by column so that loops over points run along contiguous memory.

use crate::error::{Error, Result, all_finite, same_length};

/// `len` points of `dim` inputs each, all finite.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    columns: Vec<Vec<f64>>,
}

impl Points {
    /// The points of at least one row; all rows have the same length of at least one.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Result<Self> {
        let first = rows.first().ok_or(Error::Empty { what: "the list of points" })?.as_ref();
        if first.is_empty() {
            return Err(Error::Empty { what: "the first point" });
        }
        let mut columns = vec![Vec::with_capacity(rows.len()); first.len()];
        for (index, row) in rows.iter().enumerate() {
            let row = row.as_ref();
            if row.len() != first.len() {
                return Err(Error::RaggedRow { row: index, expected: first.len(), found: row.len() });
            }
            if let Some(value) = row.iter().copied().find(|v| !v.is_finite()) {
                return Err(Error::NotFinite { what: "input row", index, value });
            }
            for (column, value) in columns.iter_mut().zip(row) {
                column.push(*value);
            }
        }
        Ok(Self { columns })
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.columns[0].len()
    }

    /// Never true: a set of points has at least one point.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The number of inputs of each point.
    pub fn dim(&self) -> usize {
        self.columns.len()
    }

    /// Input `j` of every point.
    pub fn column(&self, j: usize) -> &[f64] {
        &self.columns[j]
    }

    /// The inputs of point `i`.
    pub fn row(&self, i: usize) -> Vec<f64> {
        self.columns.iter().map(|column| column[i]).collect()
    }

    /// All points, one after the other.
    pub fn rows(&self) -> impl Iterator<Item = Vec<f64>> + '_ {
        (0..self.len()).map(|i| self.row(i))
    }

    /// Adds a point of the right size, whose inputs must be finite.
    pub fn push(&mut self, point: &[f64]) -> Result<()> {
        self.check(point)?;
        for (column, value) in self.columns.iter_mut().zip(point) {
            column.push(*value);
        }
        Ok(())
    }

    /// The same points with input `j` mapped by `map(j, value)`; an error if a result is not finite.
    pub(crate) fn map(&self, map: impl Fn(usize, f64) -> f64) -> Result<Self> {
        let column = |(j, column): (usize, &Vec<f64>)| {
            let mapped: Vec<f64> = column.iter().map(|v| map(j, *v)).collect();
            all_finite("input row", &mapped)?;
            Ok(mapped)
        };
        Ok(Self { columns: self.columns.iter().enumerate().map(column).collect::<Result<_>>()? })
    }

    /// `Ok` if `point` has the right size and is finite.
    pub(crate) fn check(&self, point: &[f64]) -> Result<()> {
        same_length("the point", self.dim(), point.len())?;
        all_finite("coordinate", point)
    }
}
