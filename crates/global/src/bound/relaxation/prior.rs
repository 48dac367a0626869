//! Upper bounds of the prior variance k(x, x) on a box: by a secant and a pivot (docs/method.md, Lemma 3.9), or
//! expanded to third order (Lemma 3.10).

use super::term::expand;
use super::{Cubic, Quadratic, ScaledBox};
use crate::problem::{Curve, KernelTerm, Line, Polyline, Tables};
use crate::region::{MOST_INPUTS, Vector};
use crate::rounding;

/// The least pivot, as a share of the sizes of what it lies midway between.
const LEAST_PIVOT: f64 = 1e-9;

/// constant + Σ_j (b_j x_j + ½ c_j x_j²) ≥ k(x, x) on the cube.
#[derive(Debug, Clone)]
pub(crate) struct Prior {
    is_constant: bool,
    constant: f64,
    linear: Vector,
    square: Vector,
    /// No k(x, x) of the box is larger.
    most: f64,
    /// v.
    pivot: f64,
    /// The size of what enters lines above polylines.
    size: f64,
    /// The rounding error of the bound, in units of ε of the largest: a secant has as many terms as the degree, and
    /// each term has as many roundings.
    units: f64,
}

impl Prior {
    pub fn constant(variance: f64) -> Self {
        let zeros = [0.0; MOST_INPUTS];
        Self {
            is_constant: true,
            constant: variance,
            linear: zeros,
            square: zeros,
            most: variance,
            pivot: variance,
            size: 0.0,
            units: rounding::PRIOR_UNITS,
        }
    }

    /// Moves to another box.
    pub fn place(&mut self, tables: &Tables, on: &ScaledBox) {
        *self = Self::constant(tables.variance);
        self.is_constant = false;
        let mut sizes = tables.variance;
        for term in &tables.terms {
            if term.is_stationary() {
                continue;
            }
            let (mut least, mut most, mut middle) = (0.0, 0.0, 0.0);
            for input in &term.inputs {
                let (c, w) = (on.centre[*input], on.half[*input]);
                least += (c.abs() - w).max(0.0).powi(2);
                most += (c.abs() + w).powi(2);
                middle += c * c;
            }
            let slope = match &term.curve {
                Curve::Power { degree, offset } => {
                    sizes += term.variance * 0.5 * (term.curve.value(least) + term.curve.value(most));
                    self.draw_secant(term, (*degree, *offset), (least, most), middle)
                }
                Curve::Polyline(polyline) => {
                    sizes += term.variance * 0.5 * (polyline.value(least).abs() + polyline.value(most).abs());
                    let halves: f64 = term.inputs.iter().map(|input| 0.5 * on.half[*input].powi(2)).sum();
                    self.draw_line(term, polyline, (least, most), (middle, halves))
                }
                Curve::Monotone(_) | Curve::Chords(_) => continue,
            };
            for input in &term.inputs {
                let (c, w) = (on.centre[*input], on.half[*input]);
                self.linear[*input] = 2.0 * slope * c * w;
                self.square[*input] = 2.0 * slope * w * w;
            }
        }
        // A polyline may be negative, and a pivot must not be.
        self.pivot = self.pivot.max(LEAST_PIVOT * sizes);
    }

    /// Adds the secant of a power of |z|², which is `middle` at the centre; returns its slope.
    fn draw_secant(&mut self, term: &KernelTerm, power: (u32, f64), (least, most): (f64, f64), middle: f64) -> f64 {
        let (degree, offset) = power;
        let (low, high) = (offset + least, offset + most);
        let slope = term.variance * secant(degree, low, high);
        self.constant += term.variance * low.powi(degree.cast_signed()) + slope * (middle - least);
        let (least, most) = (low.powi(degree.cast_signed()), high.powi(degree.cast_signed()));
        self.most += term.variance * most;
        self.pivot += term.variance * 0.5 * (least + most);
        self.units += rounding::power_units(degree);
        slope
    }

    /// Adds a line above a polyline of |z|², which is `middle` at the centre, nearly the best at `middle` + `halves`; returns
    /// its slope.
    fn draw_line(
        &mut self,
        term: &KernelTerm,
        polyline: &Polyline,
        (least, most): (f64, f64),
        (middle, halves): (f64, f64),
    ) -> f64 {
        let variance = term.variance;
        self.pivot += variance * 0.5 * (polyline.value(least) + polyline.value(most));
        let pad = rounding::product_range(term.inputs.len()) * most;
        let (least, most) = ((least - pad).max(0.0), most + pad);
        let Line { value, slope } = polyline.line(least, most, middle + halves, false);
        self.constant += variance * (value - slope * halves);
        self.most += variance * polyline.largest(least, most);
        self.size += variance * polyline.size(least, most, most);
        self.units += rounding::power_units(1);
        variance * slope
    }

    /// Subtracts ρ sqrt(k(x, x)) from the quadratic.
    pub fn charge(&self, rho: f64, quadratic: &mut Quadratic) {
        if self.is_constant {
            quadratic.constant -= rho * self.constant.sqrt() * rounding::UP;
            return;
        }
        let factor = rho / (2.0 * self.pivot.sqrt());
        let rounding = self.units * f64::EPSILON * factor * (self.most + self.pivot + self.size);
        quadratic.constant -= factor * (self.constant + self.pivot) + rounding;
        quadratic.uncertainty += rounding;
        for j in 0..quadratic.dim {
            quadratic.linear[j] -= factor * self.linear[j];
            quadratic.matrix[j][j] -= factor * self.square[j];
        }
    }

    /// The number that stands for k(x, x) on the whole box, if there is one.
    pub fn as_constant(&self) -> Option<f64> {
        self.is_constant.then_some(self.constant)
    }

    /// How much curvature ρ sqrt(k(x, x)) has in each coordinate.
    pub fn looseness(&self, rho: f64) -> Vector {
        let factor = rho / (2.0 * self.pivot.sqrt());
        self.square.map(|square| factor * square)
    }

    /// No k(x, x) of the box is larger.
    pub fn most(&self) -> f64 {
        let units = if self.is_constant { rounding::LARGEST_PRIOR_UNITS } else { self.units };
        self.most * (1.0 + units * f64::EPSILON)
    }

    /// The bound at a point of the cube.
    pub fn at(&self, x: &Vector) -> f64 {
        if self.is_constant {
            return self.constant;
        }
        let term = |j: usize| x[j] * (self.linear[j] + 0.5 * self.square[j] * x[j]);
        self.constant + (0..MOST_INPUTS).map(term).sum::<f64>()
    }
}

/// Subtracts `factor` · k(x, x) from a polynomial of third order. On the cube t = |z|² = |c|² + δ with δ = h + q, h = 2cᵀwx and q =
/// Σ w_j²x_j²; (b + δ)^m is expanded in δ, and terms of fourth order and above in x are bounded by their size.
pub(super) fn take_off(tables: &Tables, on: &ScaledBox, factor: f64, (quadratic, cubic): (&mut Quadratic, &mut Cubic)) {
    let mut rounding = rounding::SUBTRACTED_PRIOR_UNITS * tables.variance;
    quadratic.constant -= factor * tables.variance;
    for term in &tables.terms {
        let Curve::Power { degree, offset } = term.curve else { continue };
        let (inputs, factor) = (&term.inputs, factor * term.variance);
        let u = |input: usize| 2.0 * on.centre[input] * on.half[input];
        let w = |input: usize| on.half[input] * on.half[input];
        let sum = |term: &dyn Fn(usize) -> f64| inputs.iter().map(|input| term(*input)).sum::<f64>();
        let (h, q) = (sum(&|input| u(input).abs()), sum(&w));
        let base = offset + sum(&|input| on.centre[input].powi(2));
        let [value, slope, curve, third, beyond] = expand(degree, base, h + q);
        // The terms are q² and, from δ³, 3h²q + 3hq² + q³.
        let fourth = curve * q * q + third * q * (3.0 * h * h + 3.0 * h * q + q * q) + beyond;
        quadratic.constant -= factor * (value + fourth);
        rounding +=
            term.variance * rounding::subtracted_power_units(degree) * (base + h + q).powi(degree.cast_signed());
        for (at, j) in inputs.iter().enumerate() {
            quadratic.linear[*j] -= factor * slope * u(*j);
            quadratic.matrix[*j][*j] -= factor * 2.0 * slope * w(*j);
            for k in inputs {
                quadratic.matrix[*j][*k] -= factor * 2.0 * curve * u(*j) * u(*k);
                cubic.add([*j, *j, *k], -factor * 2.0 * curve * w(*j) * u(*k));
            }
            for (from, k) in inputs[..=at].iter().enumerate() {
                for l in &inputs[..=from] {
                    let orders = [6.0, 3.0, 1.0][usize::from(j == k) + usize::from(k == l)];
                    cubic.add([*j, *k, *l], -factor * orders * third * u(*j) * u(*k) * u(*l));
                }
            }
        }
    }
    let rounding = f64::EPSILON * factor * rounding;
    quadratic.constant -= rounding;
    quadratic.uncertainty += rounding;
}

/// (b^m − a^m)/(b − a), computed as a sum.
fn secant(degree: u32, a: f64, b: f64) -> f64 {
    (0..degree).fold(0.0, |sum, k| sum * a + b.powi(k.cast_signed()))
}
