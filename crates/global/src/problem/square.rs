//! A matrix over observations whose rows fill whole blocks of lanes.

use fathom_gp::lanes::{LANES, multiply};
use fathom_gp::widest;

/// A square matrix by rows. Each row is filled up with zeros to a multiple of [`LANES`], and so are the vectors that the matrix
/// multiplies.
#[derive(Debug, Clone)]
pub(crate) struct Square {
    size: usize,
    width: usize,
    entries: Vec<f64>,
}

impl Square {
    pub fn new(size: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let width = size.next_multiple_of(LANES);
        let mut entries = vec![0.0; size * width];
        for (i, row) in entries.chunks_exact_mut(width).enumerate() {
            row[..size].iter_mut().enumerate().for_each(|(j, out)| *out = entry(i, j));
        }
        Self { size, width, entries }
    }

    /// The length of a row, and of a vector that the matrix multiplies.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The entry in row and column `i`.
    pub fn diagonal(&self, i: usize) -> f64 {
        self.entries[i * self.width + i]
    }

    /// `out` ← this matrix times `v`.
    pub fn multiply(&self, v: &[f64], out: &mut [f64]) {
        let rows = &self.entries;
        widest!(<'a> (rows: &'a [f64] = rows, v: &'a [f64] = v, out: &'a mut [f64] = &mut out[..self.size]) {
            multiply(rows, v, out);
        });
    }

    /// Each of `out` ← this matrix times the one of `columns` in the same place. A few rows meet all columns before the next rows are read.
    pub fn multiply_all(&self, columns: &[Vec<f64>], out: &mut [Vec<f64>]) {
        widest!(<'a> (of: &'a Square = self, columns: &'a [Vec<f64>] = columns, out: &'a mut [Vec<f64>] = out) {
            let mut done = 0;
            for rows in of.entries.chunks(4 * of.width) {
                let next = done + rows.len() / of.width;
                for (column, out) in columns.iter().zip(&mut *out) {
                    multiply(rows, column, &mut out[done..next]);
                }
                done = next;
            }
        });
    }

    /// This matrix times a vector with one entry for each observation.
    pub fn times(&self, v: &[f64]) -> Vec<f64> {
        let mut filled_up = v.to_vec();
        filled_up.resize(self.width, 0.0);
        let mut out = vec![0.0; self.size];
        self.multiply(&filled_up, &mut out);
        out
    }
}
