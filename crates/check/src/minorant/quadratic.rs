//! A quadratic below a piece on the cube (docs/method.md, Theorem 1, Lemmas 3.6 and 3.9), and the separable minorant that evidence
//! makes of it (Theorem 5, Lemma 11.1).

use super::cube::squares;
use super::third_order::ThirdOrder;
use super::{Cube, Minorant};
use crate::cubic::Cubic;
use crate::interval::{Interval, is_positive_definite};
use crate::kernel::Kernel;
use crate::model::{Model, Piece, Term};
use crate::polynomial::{Polynomial, draw, enclose, expand, interpolate};
use fathom_proof::{Evidence, Order};

/// A number that is negligible beside all others but far from underflow. It makes a matrix of zeros positive definite.
const TINY: f64 = 1e-200;

/// The least pivot, as a share of the sizes of what it lies midway between. Any positive number is valid.
const LEAST_PIVOT: f64 = 1e-9;

/// c0 + bᵀu + ½uᵀAu on the cube; `matrix` holds A on and below the diagonal.
pub(crate) struct Quadratic {
    pub(super) constant: Interval,
    pub(super) linear: Vec<Interval>,
    pub(super) matrix: Vec<Vec<Interval>>,
}

/// A polynomial in Δ that bounds or approximates φ at one observation, with Δ = τ + Uᵀx on the cube (without τ for an inner
/// product).
pub(super) struct ObservationPolynomial {
    pub polynomial: Polynomial,
    pub u: Vec<Interval>,
    /// A bound of |φ − polynomial|; 0 if the polynomial is a bound of φ.
    margin: Interval,
}

impl Quadratic {
    /// The quadratic from the polynomial bounds of the kernels, weighted by g.
    pub fn of_multiplier(
        model: &Model<'_>,
        piece: &Piece<'_>,
        cube: &Cube,
        order: Order,
        g: &[f64],
        rho: Interval,
    ) -> Self {
        let (mut quadratic, third_order) = Self::of_weights(model, cube, piece.mean, order, g);
        quadratic.constant = quadratic.constant - third_order.economise(&mut quadratic.linear);
        quadratic.subtract_prior_deviation(model, piece, cube, rho);
        quadratic
    }

    pub(super) fn zero(dim: usize) -> Self {
        Self {
            constant: Interval::ZERO,
            linear: vec![Interval::ZERO; dim],
            matrix: vec![vec![Interval::ZERO; dim]; dim],
        }
    }

    /// A lower bound of `offset` + Σ g_i k_i, and its terms of third order.
    pub(super) fn of_weights(
        model: &Model<'_>,
        cube: &Cube,
        offset: f64,
        order: Order,
        g: &[f64],
    ) -> (Self, ThirdOrder) {
        let (mut quadratic, mut third_order) = (Self::zero(model.dim()), ThirdOrder::zero(model.dim()));
        quadratic.constant = Interval::point(offset);
        for term in &model.terms {
            let polynomials = term.bounds(model, cube, order, g);
            let error = quadratic.add_term(term, cube, &polynomials, g, false, &mut third_order);
            quadratic.constant = quadratic.constant - error;
        }
        (quadratic, third_order)
    }

    /// Adds σ² Σ g_i φ_i for one term and returns an error: the true sum may be lower by the error and, if `is_two_sided`, also
    /// higher.
    pub(super) fn add_term(
        &mut self,
        term: &Term,
        cube: &Cube,
        polynomials: &[ObservationPolynomial],
        g: &[f64],
        is_two_sided: bool,
        third_order: &mut ThirdOrder,
    ) -> Interval {
        let dim = term.inputs.len();
        let half = term.half(cube);
        let tb = term.half_square(cube);
        // τ adds 2w² to the square of each coordinate.
        let tau_square = |j: usize| match term.kernel.is_stationary() {
            true => Interval::point(half[j]).square() * 2.0,
            false => Interval::ZERO,
        };
        let (mut constant, mut q, mut s) = (Interval::ZERO, Interval::ZERO, Interval::ZERO);
        let (mut b, mut v) = (vec![Interval::ZERO; dim], vec![Interval::ZERO; dim]);
        let mut matrix = vec![vec![Interval::ZERO; dim]; dim];
        let mut cubic = Cubic::new(dim);
        let mut margins = Interval::ZERO;
        for (ObservationPolynomial { polynomial: h, u, margin }, g) in polynomials.iter().zip(g) {
            let g = Interval::point(*g);
            margins = margins + *margin * g.abs();
            let (slope, curve) = (h.slope * g, h.curve * g);
            constant = constant + (h.value - h.slope * tb) * g;
            q = q + slope;
            s = s + curve;
            for j in 0..dim {
                b[j] = b[j] + slope * u[j];
                let bent = curve * u[j];
                v[j] = v[j] + bent;
                for k in 0..=j {
                    matrix[j][k] = matrix[j][k] + bent * u[k] * 2.0;
                }
            }
            if h.third != Interval::ZERO {
                cubic.add(h.third * g, u, tb);
            }
        }
        let curved = if is_two_sided { s.abs() } else { (-s).positive_part() };
        let error = tb.square() * curved + cubic.rest() + margins;
        for j in 0..dim {
            matrix[j][j] = matrix[j][j] + q * tau_square(j);
            b[j] = b[j] - tb * v[j] * 2.0;
        }
        let (variance, inputs) = (term.variance, &term.inputs);
        for j in 0..dim {
            for k in 0..dim {
                third_order.add([inputs[j], inputs[j], inputs[k]], variance * tau_square(j) * v[k]);
            }
            for k in 0..=j {
                for l in 0..=k {
                    third_order.add([inputs[j], inputs[k], inputs[l]], variance * cubic.term(j, k, l));
                }
            }
        }
        self.constant = self.constant + variance * constant;
        for j in 0..dim {
            let input = inputs[j];
            self.linear[input] = self.linear[input] + variance * b[j];
            for k in 0..=j {
                *self.entry(input, inputs[k]) = *self.entry(input, inputs[k]) + variance * matrix[j][k];
            }
        }
        variance * error
    }

    /// The entry of A for two inputs, in any order.
    pub(super) fn entry(&mut self, j: usize, k: usize) -> &mut Interval {
        if k <= j { &mut self.matrix[j][k] } else { &mut self.matrix[k][j] }
    }

    /// Subtracts ρ sqrt(k(x, x)) ≤ ρ (k(x, x) + v)/(2 sqrt(v)), with a line above each function of |z|², the secant if it is
    /// convex, and v midway between the values of k(x, x) at the ends. If a number stands for k(x, x), its root is subtracted.
    fn subtract_prior_deviation(&mut self, model: &Model<'_>, piece: &Piece<'_>, cube: &Cube, rho: Interval) {
        if let Some(prior) = piece.prior {
            self.constant = self.constant - rho * prior.sqrt();
            return;
        }
        if model.is_stationary() {
            self.constant = self.constant - rho * model.sigma_f;
            return;
        }
        let dim = self.linear.len();
        let mut constant = model.sigma_f.square();
        let (mut linear, mut square) = (vec![Interval::ZERO; dim], vec![Interval::ZERO; dim]);
        let (mut middle, mut sizes) = (constant, constant);
        for term in &model.terms {
            if term.kernel.is_stationary() {
                continue;
            }
            let place = |input: usize| (Interval::point(cube.centre[input]), Interval::point(cube.half[input]));
            let (mut least, mut most, mut central) = (Interval::ZERO, Interval::ZERO, Interval::ZERO);
            for (c, w) in term.inputs.iter().map(|input| place(*input)) {
                least = least + (c.abs() - w).positive_part().square();
                most = most + (c.abs() + w).square();
                central = central + c.square();
            }
            let slope = match &term.kernel {
                Kernel::Power { degree, offset } => {
                    let (low, high) = (Interval::point(*offset) + least, Interval::point(*offset) + most);
                    let slope = term.variance * (0..*degree).fold(Interval::ZERO, |sum, k| sum * low + high.power(k));
                    constant = constant + term.variance * low.power(*degree) + slope * (central - least);
                    let half = term.variance * (low.power(*degree) + high.power(*degree)) * 0.5;
                    (middle, sizes) = (middle + half, sizes + half);
                    slope
                }
                Kernel::Polyline(polyline) => {
                    let (value, slope) = polyline.line(least.hull(most), central + term.half_squares(cube), false);
                    constant = constant + term.variance * (value - slope * term.half_squares(cube));
                    let [first, last] = [least, most].map(|square| term.variance * polyline.value(square) * 0.5);
                    (middle, sizes) = (middle + first + last, sizes + first.abs() + last.abs());
                    term.variance * slope
                }
                Kernel::Matern12
                | Kernel::Matern32
                | Kernel::Matern52
                | Kernel::Matern72
                | Kernel::Rbf
                | Kernel::Rq(_)
                | Kernel::Chords(_) => continue,
            };
            for input in &term.inputs {
                let (c, w) = place(*input);
                linear[*input] = slope * c * w * 2.0;
                square[*input] = slope * w.square() * 2.0;
            }
        }
        // A polyline may be negative, and a pivot must not be: 0 makes the quadratic unknown.
        let (middle, least) = (middle.guess(), LEAST_PIVOT * sizes.guess());
        let pivot = Interval::point(if middle > least { middle } else { least });
        let factor = rho / (pivot.sqrt() * 2.0);
        self.constant = self.constant - factor * (constant + pivot);
        for j in 0..dim {
            self.linear[j] = self.linear[j] - factor * linear[j];
            self.matrix[j][j] = self.matrix[j][j] - factor * square[j];
        }
    }

    /// The quadratic at a point of the box.
    #[cfg(test)]
    pub fn at(&self, cube: &Cube, x: &[f64]) -> Interval {
        let u: Vec<Interval> = x.iter().enumerate().map(|(j, x)| cube.coordinate(j, *x)).collect();
        let square = |j: usize| -> Interval {
            let row = &self.matrix[j];
            (0..j).map(|k| row[k] * u[k]).sum::<Interval>() * u[j] + row[j] * u[j].square() * 0.5
        };
        self.constant + (0..u.len()).map(|j| self.linear[j] * u[j] + square(j)).sum()
    }

    /// The separable minorant that follows with the evidence's shift, point and rows' multipliers; none if a multiplier belongs
    /// to a side that its row does not have, or if no shift makes the quadratic convex.
    pub fn linearise(mut self, model: &Model<'_>, cube: Cube, evidence: &Evidence) -> Option<Minorant> {
        let dim = self.linear.len();
        let [centre, half] = cube.unscaled();
        let Self { constant, linear, matrix } = &mut self;
        if !model.rows.add(&evidence.duals, [&centre, &half], constant, linear, matrix) {
            return None;
        }
        let plain = |j: usize, k: usize| if k <= j { self.matrix[j][k] } else { self.matrix[k][j] };
        let largest = Interval::largest(self.matrix.iter().flatten().copied());
        let radius = |set: Interval| set.ball().map_or(f64::INFINITY, |(_, radius)| radius);
        if !largest.is_known() {
            return None;
        }
        // The search chose the shift for a matrix that differs from this one by rounding, so a little more may be needed. The
        // sum of a row is always enough. The shift is a suggestion: the shifted matrix must prove to be positive definite.
        let spread = |j: usize| 2.0 * (0..dim).map(|k| radius(plain(j, k))).sum::<f64>();
        for extra in [0.0, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-5, 1e-3, 2.0 * dim as f64] {
            let more = |j: usize| spread(j) + extra * largest.high() + TINY;
            let shift: Vec<Interval> = (0..dim).map(|j| Interval::point(evidence.shift[j] + more(j))).collect();
            let entry = |j: usize, k: usize| if j == k { plain(j, j) + shift[j] } else { plain(j, k) };
            let middles: Vec<Vec<f64>> = (0..dim).map(|j| (0..dim).map(|k| entry(j, k).guess()).collect()).collect();
            // Every matrix within the enclosures is at least the matrix of middles minus the diagonal of the rows' sums of
            // radii.
            let radii = |j: usize| (0..dim).map(|k| Interval::point(radius(entry(j, k)))).sum::<Interval>().high();
            if !is_positive_definite(&middles, radii) {
                continue;
            }
            let mut constant = self.constant;
            let mut slope = Vec::with_capacity(dim);
            for j in 0..dim {
                let curved: Interval = (0..dim).map(|k| entry(j, k) * evidence.at[k]).sum();
                slope.push(self.linear[j] + curved);
                constant = constant - curved * evidence.at[j] * 0.5;
            }
            return Some(Minorant { constant, slope, shift, cube });
        }
        None
    }
}

impl Term {
    /// The half-widths of the term's inputs.
    fn half(&self, cube: &Cube) -> Vec<f64> {
        self.inputs.iter().map(|input| cube.half[*input]).collect()
    }

    /// ½Σw² over the term's inputs.
    fn half_squares(&self, cube: &Cube) -> Interval {
        squares(&self.half(cube)) * 0.5
    }

    /// tb for a kernel of a distance; 0 for any other.
    fn half_square(&self, cube: &Cube) -> Interval {
        if self.kernel.is_stationary() { self.half_squares(cube) } else { Interval::ZERO }
    }

    /// For every observation a polynomial whose product with g_i lies below g_i φ.
    fn bounds(&self, model: &Model<'_>, cube: &Cube, order: Order, g: &[f64]) -> Vec<ObservationPolynomial> {
        let (half, tb) = (self.half(cube), self.half_square(cube));
        let bound = |(z, g): (&Vec<Interval>, &f64)| {
            let is_lower = *g > 0.0;
            let (polynomial, u) = if self.kernel.is_stationary() {
                let (d, u) = self.offsets(z, cube, &half);
                (interpolate(&self.kernel, &d, &half, tb, order, is_lower), u)
            } else {
                let (base, u) = self.products(z, cube, &half);
                let radius = u.iter().map(|u| u.abs()).sum();
                let polynomial = match &self.kernel {
                    Kernel::Power { degree, offset } => {
                        expand(*degree, base + Interval::point(*offset), radius, is_lower)
                    }
                    Kernel::Polyline(polyline) => draw(polyline, base, radius, is_lower),
                    Kernel::Matern12
                    | Kernel::Matern32
                    | Kernel::Matern52
                    | Kernel::Matern72
                    | Kernel::Rbf
                    | Kernel::Rq(_)
                    | Kernel::Chords(_) => Polynomial::constant(Interval::ALL),
                };
                (polynomial, u)
            };
            ObservationPolynomial { polynomial, u, margin: Interval::ZERO }
        };
        model.scaled.iter().zip(g).map(bound).collect()
    }

    /// For every observation the polynomial midway between the bounds of φ; φ must have no kinks.
    pub(super) fn middles(&self, model: &Model<'_>, cube: &Cube, order: Order) -> Vec<ObservationPolynomial> {
        let (half, tb) = (self.half(cube), self.half_square(cube));
        let middle = |z: &Vec<Interval>| {
            if let Kernel::Power { degree, offset } = self.kernel {
                let (base, u) = self.products(z, cube, &half);
                let radius = u.iter().map(|u| u.abs()).sum();
                let [below, above] =
                    [true, false].map(|lower| expand(degree, base + Interval::point(offset), radius, lower));
                let (value, margin) = ((below.value + above.value) * 0.5, (above.value - below.value) * 0.5);
                return ObservationPolynomial {
                    polynomial: Polynomial { value, ..below },
                    u,
                    margin: margin.abs().upper(),
                };
            }
            let (d, u) = self.offsets(z, cube, &half);
            let (polynomial, margin) = enclose(&self.kernel, &d, &half, tb, order);
            ObservationPolynomial { polynomial, u, margin }
        };
        model.scaled.iter().map(middle).collect()
    }

    /// zᵀc and U = wz over the term's inputs.
    fn products(&self, z: &[Interval], cube: &Cube, half: &[f64]) -> (Interval, Vec<Interval>) {
        let base = self.inputs.iter().map(|input| z[*input] * cube.centre[*input]).sum();
        (base, self.inputs.iter().zip(half).map(|(input, w)| z[*input] * *w).collect())
    }

    /// z − c and U = −2w(z − c) over the term's inputs.
    fn offsets(&self, z: &[Interval], cube: &Cube, half: &[f64]) -> (Vec<Interval>, Vec<Interval>) {
        let offset = |input: &usize| z[*input] - Interval::point(cube.centre[*input]);
        let d: Vec<Interval> = self.inputs.iter().map(offset).collect();
        let u = d.iter().zip(half).map(|(d, w)| *d * *w * -2.0).collect();
        (d, u)
    }
}
