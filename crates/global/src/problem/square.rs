//! A symmetric matrix over observations whose rows fill whole blocks of lanes.

use fathom_gp::lanes::{LANES, STRIP, combine};
use fathom_gp::widest;

/// A symmetric matrix, of which strips of [`STRIP`] rows stand column by column; the last strip has [`LANES`] rows if that is enough. Zeros
/// fill up the last rows, and so they do the vectors that the matrix multiplies.
#[derive(Debug, Clone)]
pub(crate) struct Square {
    size: usize,
    width: usize,
    /// Strip by strip.
    strips: Vec<[f64; STRIP]>,
    last: Vec<[f64; LANES]>,
}

impl Square {
    pub fn new(size: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let width = size.next_multiple_of(LANES);
        let entry = |row: usize, column: usize| if row < size { entry(row, column) } else { 0.0 };
        let first = width / STRIP;
        let mut strips = Vec::with_capacity(first * size);
        for strip in 0..first {
            strips.extend((0..size).map(|column| std::array::from_fn(|lane| entry(strip * STRIP + lane, column))));
        }
        let rest = if width > first * STRIP { size } else { 0 };
        let last = (0..rest).map(|column| std::array::from_fn(|lane| entry(first * STRIP + lane, column))).collect();
        Self { size, width, strips, last }
    }

    /// The length of a row, and of a vector that the matrix multiplies.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The entry in row and column `i`.
    pub fn diagonal(&self, i: usize) -> f64 {
        match self.strips.get(i / STRIP * self.size + i) {
            Some(column) => column[i % STRIP],
            None => self.last[i][i % STRIP],
        }
    }

    /// `out` ← this matrix times `v`; both are as long as a row.
    pub fn multiply(&self, v: &[f64], out: &mut [f64]) {
        widest!(<'a> (of: &'a Square = self, v: &'a [f64] = v, out: &'a mut [f64] = out) {
            of.write_product(v, out);
        });
    }

    /// Each of `out` ← this matrix times the one of `columns` in the same place.
    pub fn multiply_all(&self, columns: &[Vec<f64>], out: &mut [Vec<f64>]) {
        widest!(<'a> (of: &'a Square = self, columns: &'a [Vec<f64>] = columns, out: &'a mut [Vec<f64>] = out) {
            for (column, out) in columns.iter().zip(out) {
                of.write_product(column, out);
            }
        });
    }

    #[inline(always)]
    fn write_product(&self, v: &[f64], out: &mut [f64]) {
        let (v, size) = (&v[..self.size], self.size.max(1));
        let (strips, last) = out[..self.width].as_chunks_mut::<STRIP>();
        for (out, strip) in strips.iter_mut().zip(self.strips.chunks_exact(size)) {
            *out = combine(strip, v);
        }
        if let Ok(last) = <&mut [f64; LANES]>::try_from(last) {
            *last = combine(&self.last, v);
        }
    }

    /// This matrix times a vector with one entry for each observation.
    pub fn times(&self, v: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.width];
        self.multiply(v, &mut out);
        out.truncate(self.size);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_that_of_the_rows_whatever_the_size() {
        for size in [1, 7, 8, 9, 15, 16, 17, 24, 25, 30, 41] {
            let entry = |i: usize, j: usize| ((i + j) * (i + j) % 11) as f64 - 4.0 + f64::from(u8::from(i == j));
            let matrix = Square::new(size, entry);
            let v: Vec<f64> = (0..size).map(|i| (i % 5) as f64 - 1.0).collect();
            let expected: Vec<f64> = (0..size).map(|i| (0..size).map(|j| entry(i, j) * v[j]).sum()).collect();
            assert_eq!(matrix.times(&v), expected, "{size} observations");
            assert!((0..size).all(|i| matrix.diagonal(i) == entry(i, i)), "{size} observations");
        }
    }
}
