//! A quadratic on the cube [−1, 1]^D that lies below gᵀk(x) on a box (docs/method.md, Theorem 1 and chapter 3).
//!
//! Each kernel is bounded on its own inputs by polynomials at every observation. All terms are summed over observations
//! before their size is taken (Lemma 3.6), so that weights that cancel also cancel here.

mod block;
mod polynomials;
mod prior;
mod sums;
mod term;
mod weights;

use super::cubic::Cubic;
use super::quadratic::Quadratic;
use super::scaled_box::ScaledBox;
use crate::problem::{KernelTerm, Piece, Tables};
use crate::region::{MOST_INPUTS, Vector};
use crate::rounding;
use fathom_gp::widest;
use prior::{Prior, take_off};
use term::TermRelaxation;

/// The place of the double node of order 2 in the range, from the simple node; 0.75 is minimax for constant φ'''.
const NODE: f64 = 0.7;

/// The place of the inner double nodes of order 3, from the middle, in half ranges; minimax for constant φ''''.
const INNER: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// The polynomial bounds of every kernel on one box, ready for any g.
#[derive(Debug, Clone)]
pub(crate) struct Relaxation {
    terms: Vec<TermRelaxation>,
    pub prior: Prior,
    half: Vector,
    pub quadratic: Quadratic,
    /// The terms of third order beside the quadratic.
    pub cubic: Cubic,
}

impl Relaxation {
    pub fn new(tables: &Tables) -> Self {
        Self {
            terms: tables.terms.iter().map(|term| TermRelaxation::new(term, tables.order)).collect(),
            prior: Prior::constant(tables.variance),
            half: [0.0; MOST_INPUTS],
            quadratic: Quadratic::zero(tables.dim()),
            cubic: Cubic::zero(tables.dim()),
        }
    }

    /// Half-widths of the box.
    pub fn half(&self) -> &Vector {
        &self.half
    }

    /// Moves to another box, for a piece of the function.
    pub fn place(&mut self, tables: &Tables, piece: &Piece, on: &ScaledBox) {
        self.half = on.half;
        for (relaxation, term) in self.terms.iter_mut().zip(&tables.terms) {
            relaxation.place(term, on);
        }
        match piece.prior {
            Some(prior) => self.prior = Prior::constant(prior),
            None if !tables.is_stationary => self.prior.place(tables, on),
            None => self.prior = Prior::constant(tables.variance),
        }
    }

    /// Writes the bound for `g` and its ρ to `quadratic`, on the cube [−1, 1]^D; `offset` is the piece's.
    pub fn bound(&mut self, tables: &Tables, offset: f64, g: &[f64], rho: f64) {
        self.add_up(tables, offset, g);
        self.prior.charge(rho, &mut self.quadratic);
        self.economise();
    }

    /// Writes a lower bound of `offset` + m_g to `quadratic` and `cubic`.
    pub fn add_up(&mut self, tables: &Tables, offset: f64, g: &[f64]) {
        let Self { terms, quadratic, cubic, .. } = self;
        quadratic.reset(offset - rounding::MEAN * offset.abs());
        cubic.reset();
        widest!(<'a> (
            relaxations: &'a mut [TermRelaxation] = terms,
            terms: &'a [KernelTerm] = &tables.terms,
            g: &'a [f64] = g,
            quadratic: &'a mut Quadratic = quadratic,
            cubic: &'a mut Cubic = cubic,
        ) {
            for (relaxation, term) in relaxations.iter_mut().zip(terms) {
                relaxation.add(term, g, quadratic, cubic);
            }
        });
    }

    /// Subtracts `factor` · k(x, x).
    pub fn take_off_prior(&mut self, tables: &Tables, on: &ScaledBox, factor: f64) {
        take_off(tables, on, factor, (&mut self.quadratic, &mut self.cubic));
    }

    /// Replaces the terms of third order by a quadratic.
    pub fn economise(&mut self) {
        self.quadratic.constant -= self.cubic.economise(&mut self.quadratic);
    }

    /// Approximately how each k(x, x_i) changes with each coordinate of the cube; also prepares `enclose` for this box.
    pub fn rates(&mut self, tables: &Tables, out: &mut [Vec<f64>]) {
        out.iter_mut().for_each(|column| column.fill(0.0));
        widest!(<'a> (
            relaxations: &'a mut [TermRelaxation] = &mut self.terms,
            terms: &'a [KernelTerm] = &tables.terms,
            out: &'a mut [Vec<f64>] = out,
        ) {
            for (relaxation, term) in relaxations.iter_mut().zip(terms) {
                relaxation.halve();
                relaxation.add_rates(term, out);
            }
        });
    }

    /// m_g on the box: a polynomial of third order, and its largest distance from m_g. `rates` must come first.
    pub fn enclose(&mut self, tables: &Tables, g: &[f64], quadratic: &mut Quadratic, cubic: &mut Cubic) -> f64 {
        quadratic.reset(0.0);
        cubic.reset();
        widest!(<'a> (
            relaxations: &'a mut [TermRelaxation] = &mut self.terms,
            terms: &'a [KernelTerm] = &tables.terms,
            g: &'a [f64] = g,
            quadratic: &'a mut Quadratic = quadratic,
            cubic: &'a mut Cubic = cubic,
        ) -> f64 {
            let mut error = 0.0;
            for (relaxation, term) in relaxations.iter_mut().zip(terms) {
                error += relaxation.enclose(term, g, quadratic, cubic);
            }
            error
        })
    }

    /// The polynomial bounds at the point `x` of the cube, as they enter the bound for `g`.
    pub fn atom(&mut self, tables: &Tables, g: &[f64], x: &Vector, out: &mut [f64]) {
        out.fill(0.0);
        for (relaxation, term) in self.terms.iter_mut().zip(&tables.terms) {
            relaxation.add_atom(term, g, x, out);
        }
    }

    /// k(c, x_i) at the centre of the box; `scratch` is as long.
    pub fn at_centre(&mut self, tables: &Tables, scratch: &mut [f64], out: &mut [f64]) {
        out.fill(0.0);
        for (relaxation, term) in self.terms.iter_mut().zip(&tables.terms) {
            relaxation.central(term, scratch);
            for (k, value) in out.iter_mut().zip(&*scratch) {
                *k += term.variance * value;
            }
        }
    }

    /// φ(|d_i|²) of every point, if there is one kernel.
    pub fn radial(&mut self, tables: &Tables, out: &mut [f64]) {
        self.terms[0].central(&tables.terms[0], out);
    }

    /// d_ij of every point, if there is one kernel.
    pub fn offsets(&self, j: usize) -> &[f64] {
        self.terms[0].offsets(j)
    }

    /// How much each coordinate contributes to the looseness of the bound for `g` and its ρ.
    pub fn looseness(&mut self, tables: &Tables, g: &[f64], rho: f64) -> Vector {
        let mut score = self.prior.looseness(rho);
        for (relaxation, term) in self.terms.iter_mut().zip(&tables.terms) {
            relaxation.add_looseness(term, g, &mut score);
        }
        score
    }
}
