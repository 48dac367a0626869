//! The weights of observations, by their signs: a positive weight meets the polynomial below φ, a negative weight the one above.

use super::block::{Block, blocks};
use super::sums::Sum;
use fathom_gp::lanes::LANES;

/// max(g, 0) and min(g, 0) of every observation. With both, no loop has to choose.
#[derive(Debug, Clone)]
pub(super) struct Weights {
    positive: Vec<f64>,
    negative: Vec<f64>,
}

impl Weights {
    /// Weights of `n` observations, a multiple of a block's.
    pub fn new(n: usize) -> Self {
        Self { positive: vec![0.0; n], negative: vec![0.0; n] }
    }

    /// Takes over the weights `g`; what follows the last observation keeps the weight 0.
    #[inline(always)]
    pub fn split(&mut self, g: &[f64]) {
        for ((positive, negative), g) in self.positive.iter_mut().zip(&mut self.negative).zip(g) {
            // A weight that is not a number stays none.
            *positive = if *g < 0.0 { 0.0 } else { *g };
            *negative = if *g < 0.0 { *g } else { 0.0 };
        }
    }

    /// Each weight times the number of its side; returns the sum.
    #[inline(always)]
    pub fn pick(&self, below: &[f64], above: &[f64], out: &mut [f64]) -> f64 {
        let count = self.positive.len() / LANES;
        let (positive, negative) = (blocks(&self.positive, count), blocks(&self.negative, count));
        let (below, above) = (blocks(below, count), blocks(above, count));
        let out = &mut out.as_chunks_mut::<LANES>().0[..count];
        let mut sum = Sum::zero();
        for b in 0..count {
            let terms = either((&positive[b], &below[b]), (&negative[b], &above[b]));
            sum.add(&terms);
            out[b] = terms;
        }
        sum.total()
    }

    /// The sum of each weight times the number of its side.
    #[inline(always)]
    pub fn sum(&self, below: &[f64], above: &[f64]) -> f64 {
        let count = self.positive.len() / LANES;
        let (positive, negative) = (blocks(&self.positive, count), blocks(&self.negative, count));
        let (below, above) = (blocks(below, count), blocks(above, count));
        let mut sum = Sum::zero();
        for b in 0..count {
            sum.add(&either((&positive[b], &below[b]), (&negative[b], &above[b])));
        }
        sum.total()
    }

    /// The sum of each weight's size times the number of its side.
    #[inline(always)]
    pub fn sizes(&self, below: &[f64], above: &[f64]) -> f64 {
        let count = self.positive.len() / LANES;
        let (positive, negative) = (blocks(&self.positive, count), blocks(&self.negative, count));
        let (below, above) = (blocks(below, count), blocks(above, count));
        let mut sum = Sum::zero();
        for b in 0..count {
            let mut terms = [0.0; LANES];
            for i in 0..LANES {
                terms[i] = positive[b][i] * below[b][i] - negative[b][i] * above[b][i];
            }
            sum.add(&terms);
        }
        sum.total()
    }
}

/// The sum of two products, of which one is zero.
#[inline(always)]
fn either((p, below): (&Block, &Block), (q, above): (&Block, &Block)) -> Block {
    let mut terms = [0.0; LANES];
    for i in 0..LANES {
        terms[i] = p[i] * below[i] + q[i] * above[i];
    }
    terms
}
