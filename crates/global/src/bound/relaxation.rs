//! The lower bound of the acquisition function on a box, for any multiplier g.
//!
//! **In g.** For any g, with m_g(x) = Σ g_i k(x, x_i) (the Lagrangian dual of the LCB in k, or Cauchy–Schwarz in the
//! RKHS):
//!
//! ```text
//! LCB(x) ≥ m + m_g(x) − ρ sqrt(k(x, x)),    ρ² = κ² + (g − a)ᵀK̂(g − a)
//! ```
//!
//! k(x, x) is σ_f² for stationary kernels; `prior` bounds it for the others. A covariance of several kernels is bounded
//! kernel by kernel, below, each on its own inputs, and the quadratics are added.
//!
//! **On the box.** Centre c, half-widths w, tb = Σw²/2, z' = z − c, d_i = z_i − c. Every stationary kernel is completely
//! monotone in s = ‖z − z_i‖²: φ''' ≤ 0 ≤ φ''''. So polynomials that interpolate φ bound it on the exact range [s⁻, s⁺]
//! of s, by the sign of their error term:
//!
//! ```text
//!            φ is below it (for g_i < 0)             φ is above it (for g_i > 0)
//! order 2    simple at s⁻, double at 0.7 from there  simple at s⁺, double at 0.7 from there
//! order 3    simple at s⁻ and s⁺, double midway      double at midway ± h/√2,  h = (s⁺ − s⁻)/2
//! ```
//!
//! About s_c = |d_i|² + tb it is A + BΔ + ΓΔ² + ΘΔ³ with Δ = τ + u, τ = |z'|² − tb in [−tb, tb], u = −2dᵀz' = Uᵀx in the
//! coordinates x_j = z'_j/w_j of the cube. Summed over i, with W_j = w_j², V = Σ g Γ U, T = Σ g Θ U⊗U⊗U:
//!
//! ```text
//! constant   Σ g (A − B tb)
//! x_k        Σ g B U_k − 2 tb V_k
//! ½ x_j x_k  2 Σ g Γ U_j U_k,  and 2 W_j Σ g B where j = k
//! cubic      C_jjk = 2 W_j V_k + 3 T_jjk (j ≠ k),  C_jjj = 2 W_j V_j + T_jjj,  C_jkl = 6 T_jkl
//! quartic    τ² Σ g Γ + 3 τ Σ g Θ u² + 3 τ² Σ g Θ u + τ³ Σ g Θ
//! ```
//!
//! The cubic terms are economised, x³ = ¾x ± ¼, x²y = ½y ± ½, xyz = ± 1, the quartic ones bounded by their size. What
//! matters is that all of them are sums over i before their size is taken: weights that cancel, cancel here too. Order
//! 3 pays where observations crowd and their weights cancel by orders of magnitude; elsewhere order 2 is as good.
//!
//! A dot-product kernel is a power of u + offset with u linear in z: its expansion at the centre is the polynomial, without
//! τ, exact to order 3; what a degree above 3 adds is bounded by its size.
//!
//! **Rounding.** No term of these sums exceeds |g_i| times the size of its polynomial's terms on the range, so a
//! multiple of ε of their sum covers them all; it is taken off at the end.

mod polynomials;
mod prior;
mod term;

use super::cubic::Cubic;
use super::quadratic::Quadratic;
use super::scaled_box::ScaledBox;
use crate::problem::{KernelTerm, Tables};
use crate::region::{MOST_INPUTS, Vector};
use fathom_gp::widest;
use prior::{Prior, take_off};
use term::TermRelaxation;

/// Where the double node of order 2 sits in the range, from the simple node; 0.75 is minimax for constant φ'''.
const NODE: f64 = 0.7;

/// Where the inner double nodes of order 3 sit, from the middle, in half ranges: minimax for constant φ''''.
const INNER: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// The polynomial bounds of every kernel on one box, ready for any g.
#[derive(Debug, Clone)]
pub(crate) struct Relaxation {
    terms: Vec<TermRelaxation>,
    pub prior: Prior,
    half: Vector,
    pub quadratic: Quadratic,
    /// What is of third order beside it.
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

    /// Moves to another box.
    pub fn place(&mut self, tables: &Tables, on: &ScaledBox) {
        self.half = on.half;
        for (relaxation, term) in self.terms.iter_mut().zip(&tables.terms) {
            relaxation.place(term, on);
        }
        if !tables.is_stationary {
            self.prior.place(tables, on);
        }
    }

    /// The bound for `g` and its ρ, as a quadratic on the cube [−1, 1]^D in `quadratic`; `offset` is the piece's.
    pub fn bound(&mut self, tables: &Tables, offset: f64, g: &[f64], rho: f64) {
        self.add_up(tables, offset, g);
        self.prior.charge(rho, &mut self.quadratic);
        self.economise();
    }

    /// A lower bound of `offset` + m_g, in `quadratic` and `cubic`.
    pub fn add_up(&mut self, tables: &Tables, offset: f64, g: &[f64]) {
        let Self { terms, quadratic, cubic, .. } = self;
        quadratic.reset(offset - 8.0 * f64::EPSILON * offset.abs());
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

    /// Takes `factor` · k(x, x) off.
    pub fn take_off_prior(&mut self, tables: &Tables, on: &ScaledBox, factor: f64) {
        take_off(tables, on, factor, (&mut self.quadratic, &mut self.cubic));
    }

    /// Makes a quadratic of what is of third order.
    pub fn economise(&mut self) {
        self.quadratic.constant -= self.cubic.economise(&mut self.quadratic);
    }

    /// How each k(x, x_i) moves with each coordinate of the cube, about; and what `enclose` needs on this box.
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

    /// m_g on the box: a polynomial of third order, and how far m_g may be from it; after `rates`.
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
            let terms = relaxations.iter_mut().zip(terms);
            terms.map(|(relaxation, term)| relaxation.enclose(term, g, quadratic, cubic)).sum()
        })
    }

    /// The polynomial bounds at the point `x` of the cube: the values that the bound for `g` minimised over.
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

    /// φ(|d_i|²) of every point, where there is one kernel.
    pub fn radial(&mut self, tables: &Tables, out: &mut [f64]) {
        self.terms[0].central(&tables.terms[0], out);
    }

    /// d_ij of every point, where there is one kernel.
    pub fn offsets(&self, j: usize) -> &[f64] {
        self.terms[0].offsets(j)
    }

    /// How much each coordinate contributes to the looseness of the bound for `g` and its ρ.
    pub fn looseness(&self, tables: &Tables, g: &[f64], rho: f64) -> Vector {
        let mut score = self.prior.looseness(rho);
        for (relaxation, term) in self.terms.iter().zip(&tables.terms) {
            relaxation.add_looseness(term, g, &mut score);
        }
        score
    }
}
