//! Sums over observations, several at once: what they share is read and multiplied once. All columns fill whole blocks.

use super::block::{Block, blocks};
use fathom_gp::lanes::{LANES, fold};

/// The most sums that are made at once.
pub(super) const MOST: usize = 4;

/// A sum that is kept in lanes until its end.
#[derive(Clone, Copy)]
pub(super) struct Sum(Block);

impl Sum {
    #[inline(always)]
    pub fn zero() -> Self {
        Self([0.0; LANES])
    }

    #[inline(always)]
    pub fn add(&mut self, terms: &Block) {
        for lane in 0..LANES {
            self.0[lane] += terms[lane];
        }
    }

    #[inline(always)]
    pub fn add_products(&mut self, a: &Block, b: &Block) {
        for lane in 0..LANES {
            self.0[lane] += a[lane] * b[lane];
        }
    }

    #[inline(always)]
    pub fn total(self) -> f64 {
        fold(self.0)
    }
}

#[inline(always)]
fn times(a: &Block, b: &Block) -> Block {
    let mut out = [0.0; LANES];
    for lane in 0..LANES {
        out[lane] = a[lane] * b[lane];
    }
    out
}

/// Σ a_i c_i and Σ b_i c_i.
#[inline(always)]
pub(super) fn pair(a: &[f64], b: &[f64], c: &[f64]) -> (f64, f64) {
    let count = c.len() / LANES;
    let (a, b, c) = (blocks(a, count), blocks(b, count), blocks(c, count));
    let (mut first, mut second) = (Sum::zero(), Sum::zero());
    for block in 0..count {
        first.add_products(&a[block], &c[block]);
        second.add_products(&b[block], &c[block]);
    }
    (first.total(), second.total())
}

/// Σ a_i b_i c_i for each column c, of which there are at most [`MOST`].
#[inline(always)]
pub(super) fn triples(a: &[f64], b: &[f64], columns: &[Vec<f64>], out: &mut [f64; MOST]) {
    match columns {
        [] => {}
        [c] => triples_of::<1>(a, b, [c], out),
        [c, d] => triples_of::<2>(a, b, [c, d], out),
        [c, d, e] => triples_of::<3>(a, b, [c, d, e], out),
        [c, d, e, f, ..] => triples_of::<MOST>(a, b, [c, d, e, f], out),
    }
}

#[inline(always)]
fn triples_of<const K: usize>(a: &[f64], b: &[f64], columns: [&Vec<f64>; K], out: &mut [f64; MOST]) {
    let count = a.len() / LANES;
    let (a, b) = (blocks(a, count), blocks(b, count));
    let columns: [&[Block]; K] = columns.map(|column| blocks(column, count));
    let mut sums = [Sum::zero(); K];
    for block in 0..count {
        let shared = times(&a[block], &b[block]);
        for k in 0..K {
            sums[k].add_products(&shared, &columns[k][block]);
        }
    }
    for k in 0..K {
        out[k] = sums[k].total();
    }
}

/// Σ a_i b_i c_i d_i for each column d, of which there are at most [`MOST`]; returns Σ a_i b_i c_i.
#[inline(always)]
pub(super) fn quadruples(factors: [&[f64]; 3], columns: &[Vec<f64>], out: &mut [f64; MOST]) -> f64 {
    match columns {
        [] => 0.0,
        [d] => quadruples_of::<1>(factors, [d], out),
        [d, e] => quadruples_of::<2>(factors, [d, e], out),
        [d, e, f] => quadruples_of::<3>(factors, [d, e, f], out),
        [d, e, f, g, ..] => quadruples_of::<MOST>(factors, [d, e, f, g], out),
    }
}

#[inline(always)]
fn quadruples_of<const K: usize>([a, b, c]: [&[f64]; 3], columns: [&Vec<f64>; K], out: &mut [f64; MOST]) -> f64 {
    let count = a.len() / LANES;
    let (a, b, c) = (blocks(a, count), blocks(b, count), blocks(c, count));
    let columns: [&[Block]; K] = columns.map(|column| blocks(column, count));
    let (mut sums, mut plain) = ([Sum::zero(); K], Sum::zero());
    for block in 0..count {
        let shared = times(&times(&a[block], &b[block]), &c[block]);
        plain.add(&shared);
        for k in 0..K {
            sums[k].add_products(&shared, &columns[k][block]);
        }
    }
    for k in 0..K {
        out[k] = sums[k].total();
    }
    plain.total()
}
