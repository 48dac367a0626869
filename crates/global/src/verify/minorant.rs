//! A separable minorant of the function on a box, from a piece of evidence.

mod moving;
mod thirds;

use super::face::Face;
use super::function::{Function, Term, sizes};
use crate::interval::{Cubic, Interval, Kernel, Polynomial, dot, enclose, expand, interpolate, is_positive_definite};
use crate::proof::{Evidence, Order};
use thirds::Thirds;

/// constant + Σ_j (p_j u_j − ½ δ_j u_j²) ≤ the function, with u_j = (z_j − c_j)/w_j in [−1, 1] on the box.
#[derive(Debug)]
pub(super) struct Minorant {
    constant: Interval,
    slope: Vec<Interval>,
    shift: Vec<f64>,
    cube: Cube,
}

/// Nothing beside any number that matters, and far from underflow: so that a matrix of zeros can be made positive definite.
const TINY: f64 = 1e-200;

/// What each coordinate of the cube runs through.
const ALL: Interval = Interval { low: -1.0, high: 1.0 };

/// A box in scaled coordinates: numbers c and w such that it lies within c ± w.
#[derive(Debug)]
pub(super) struct Cube {
    centre: Vec<f64>,
    half: Vec<f64>,
    lengthscales: Vec<f64>,
}

/// c0 + bᵀu + ½uᵀAu on the cube; of A, what is on and below the diagonal.
pub(super) struct Quadratic {
    constant: Interval,
    linear: Vec<Interval>,
    matrix: Vec<Vec<Interval>>,
}

impl Cube {
    pub fn new(function: &Function<'_>, lower: &[f64], upper: &[f64]) -> Self {
        let lengthscales = function.statement.lengthscales.clone();
        let (mut centre, mut half) = (Vec::new(), Vec::new());
        for ((low, high), l) in lower.iter().zip(upper).zip(&lengthscales) {
            let scale = |x: f64| Interval::point(x) / Interval::point(*l);
            let c = 0.5 * (low + high) / l;
            let below = Interval::point(c) - scale(*low);
            let above = scale(*high) - Interval::point(c);
            centre.push(c);
            half.push(below.high.max(above.high).max(f64::MIN_POSITIVE));
        }
        Self { centre, half, lengthscales }
    }

    /// What each scaled coordinate runs through.
    pub fn sides(&self) -> Vec<Interval> {
        let side = |(c, w): (&f64, &f64)| Interval::around(*c, *w);
        self.centre.iter().zip(&self.half).map(side).collect()
    }

    /// Where x lies in coordinate j of the cube.
    fn place(&self, j: usize, x: f64) -> Interval {
        let z = Interval::point(x) / Interval::point(self.lengthscales[j]);
        (z - Interval::point(self.centre[j])) / Interval::point(self.half[j])
    }

    /// z_ij − c_j of every observation.
    fn offsets(&self, function: &Function<'_>) -> Vec<Vec<Interval>> {
        let shift = |row: &Vec<Interval>| row.iter().zip(&self.centre).map(|(z, c)| *z - Interval::point(*c)).collect();
        function.scaled.iter().map(shift).collect()
    }
}

impl Minorant {
    /// R², the square of the box's radius.
    pub fn square(&self) -> Interval {
        squares(&self.cube.half)
    }

    /// Centre and half-widths of the box, scaled.
    pub fn place(&self) -> [&[f64]; 2] {
        [&self.cube.centre, &self.cube.half]
    }

    /// An upper bound of k(x, x) on the box.
    pub fn largest_prior(&self, function: &Function<'_>) -> Interval {
        function.largest_prior(&self.cube.sides())
    }

    /// What σ can be on the box, where k(x, x) is at most `prior`.
    pub fn deviation_range(&self, function: &Function<'_>, prior: Interval) -> (f64, f64) {
        function.deviation_range(&self.cube.centre, &self.cube.half, prior)
    }

    /// A lower bound of the minorant over the box.
    pub fn value(&self) -> f64 {
        self.lowest(|_| ALL)
    }

    /// A lower bound over the part of the box with coordinate j between `from` and `to`.
    pub fn slab(&self, j: usize, from: f64, to: f64) -> f64 {
        let within = Interval { low: self.cube.place(j, from).low, high: self.cube.place(j, to).high };
        self.lowest(|k| if k == j { within } else { ALL })
    }

    fn lowest(&self, range: impl Fn(usize) -> Interval) -> f64 {
        let parts: Interval = (0..self.slope.len()).map(|k| Interval::point(self.part(k, range(k)))).sum();
        (self.constant + parts).low
    }

    /// A lower bound of p u − ½ δ u² for u in a range.
    fn part(&self, j: usize, range: Interval) -> f64 {
        let (p, delta) = (self.slope[j], self.shift[j]);
        let at = |u: f64| (p * u - Interval::point(u).square() * (0.5 * delta)).low;
        let ends = at(range.low).min(at(range.high));
        if delta >= 0.0 {
            return ends;
        }
        // Convex: where the vertex p/δ may lie inside, p²/(2δ) is the least.
        let vertex = p / Interval::point(delta);
        let outside = vertex.high < range.low || vertex.low > range.high;
        if outside { ends } else { ends.min((p.square() / Interval::point(2.0 * delta)).low) }
    }
}

/// A polynomial in Δ that stands for φ at one observation, with Δ = τ + Uᵀx on the cube (without τ for an inner product).
struct Stand {
    polynomial: Polynomial,
    u: Vec<Interval>,
    /// How far φ can be from it, where it is no bound of φ.
    margin: f64,
}

impl Quadratic {
    /// From the polynomial bounds of the kernels, weighted by g.
    pub fn of_multiplier(
        function: &Function<'_>,
        face: &Face<'_>,
        cube: &Cube,
        order: Order,
        g: &[f64],
        rho: Interval,
    ) -> Self {
        let (mut quadratic, thirds) = Self::of_weights(function, cube, face.mean, order, g);
        quadratic.constant = quadratic.constant - thirds.economise(&mut quadratic.linear);
        quadratic.charge(function, cube, rho);
        quadratic
    }

    /// From the expansion of the RBF kernel to second order at the centre, with S0 = `guess`.
    pub fn of_expansion(function: &Function<'_>, face: &Face<'_>, cube: &Cube, (guess, kappa): (f64, f64)) -> Self {
        let kappa = Interval::point(kappa);
        let Features { mean, residual, beyond, drift } = Features::new(function, face, cube);
        let dim = cube.half.len();
        let sigma_f = function.sigma_f;
        let weight = kappa / Interval::point(guess);
        let square = squares(&cube.half);
        let quartic = square.square() * 0.5;
        // What lies beyond order 2, and the cubic and quartic terms of S².
        let tail = sigma_f * (beyond + kappa) * omega(square);
        let mixed: Interval = (1..=dim).flat_map(|b| residual[b][dim + 1..].iter()).map(|m| m.square()).sum();
        let cubic = mixed.sqrt() * square.sqrt() * square * 2.0 * Interval::point(0.5).sqrt();
        let lost = tail + sigma_f * weight * (cubic + quartic) * 0.5 + drift;
        let central = residual[0][0] / Interval::point(guess) + Interval::point(guess);
        let constant = sigma_f * (mean[0] - kappa * central * 0.5);
        let linear: Vec<Interval> = (0..dim).map(|j| sigma_f * (mean[1 + j] - weight * residual[0][1 + j])).collect();
        let mut matrix = vec![vec![Interval::ZERO; dim]; dim];
        let mut at = dim + 1;
        for j in 0..dim {
            for k in j..dim {
                let scale = if j == k { Interval::point(2.0).sqrt() } else { Interval::ONE };
                let second = sigma_f * (mean[at] - weight * residual[0][at]);
                matrix[k][j] = scale * second - sigma_f * weight * residual[1 + j][1 + k];
                at += 1;
            }
        }
        // exp(−|h|²/2) = Ē (1 − (t − t̄)/2 + θ(t − t̄)²/8), t̄ = R²/2, 0 ≤ θ ≤ exp(t̄/2).
        let middle = square * 0.5;
        let (scale, most) = ((middle * -0.5).exp(), (middle * 0.5).exp());
        let size = |a: Interval, factor: f64| Interval::point(a.size()) * factor;
        let mut swing: Interval = (0..dim).map(|j| size(linear[j], cube.half[j])).sum();
        for j in 0..dim {
            for k in 0..=j {
                let twice = if j == k { 0.5 } else { 1.0 };
                swing = swing + size(matrix[j][k], cube.half[j]) * cube.half[k] * twice;
            }
        }
        let bent = middle * swing * 0.5 + most * middle.square() * 0.125 * (swing - constant).positive_part();
        let offset = Interval::point(face.mean);
        Self {
            constant: offset + scale * (constant * (Interval::ONE + middle * 0.5) - bent) - lost,
            linear: (0..dim).map(|j| scale * linear[j] * cube.half[j]).collect(),
            matrix: (0..dim)
                .map(|j| {
                    let entry = |k: usize| {
                        let bend = if j == k { constant } else { Interval::ZERO };
                        scale * (matrix[j][k] - bend) * cube.half[j] * cube.half[k]
                    };
                    (0..dim).map(|k| if k <= j { entry(k) } else { Interval::ZERO }).collect()
                })
                .collect(),
        }
    }

    fn constant(value: f64, dim: usize) -> Self {
        Self {
            constant: Interval::point(value),
            linear: vec![Interval::ZERO; dim],
            matrix: vec![vec![Interval::ZERO; dim]; dim],
        }
    }

    /// `offset` + Σ g_i k_i, from below, and its terms of third order.
    fn of_weights(function: &Function<'_>, cube: &Cube, offset: f64, order: Order, g: &[f64]) -> (Self, Thirds) {
        let dim = cube.half.len();
        let (mut quadratic, mut thirds) = (Self::constant(offset, dim), Thirds::zero(dim));
        for term in &function.terms {
            let stands = term.bounds(function, cube, order, g);
            let error = quadratic.add_up(term, cube, &stands, g, false, &mut thirds);
            quadratic.constant = quadratic.constant - error;
        }
        (quadratic, thirds)
    }

    /// Adds σ² Σ g_i φ_i of one term: it may be lower by what is returned, or, `both_ways`, also higher.
    fn add_up(
        &mut self,
        term: &Term,
        cube: &Cube,
        stands: &[Stand],
        g: &[f64],
        both_ways: bool,
        thirds: &mut Thirds,
    ) -> Interval {
        let dim = term.inputs.len();
        let half = term.half(cube);
        let tb = term.half_square(cube);
        // What τ adds: 2w² in the square of each coordinate.
        let round =
            |j: usize| if term.is_stationary() { Interval::point(half[j]).square() * 2.0 } else { Interval::ZERO };
        let (mut constant, mut q, mut s) = (Interval::ZERO, Interval::ZERO, Interval::ZERO);
        let (mut b, mut v) = (vec![Interval::ZERO; dim], vec![Interval::ZERO; dim]);
        let mut matrix = vec![vec![Interval::ZERO; dim]; dim];
        let mut cubic = Cubic::new(dim);
        let mut margins = Interval::ZERO;
        for (Stand { polynomial: h, u, margin }, g) in stands.iter().zip(g) {
            margins = margins + Interval::point(*margin) * g.abs();
            let (slope, curve) = (h.slope * *g, h.curve * *g);
            constant = constant + (h.value - h.slope * tb) * *g;
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
                cubic.add(h.third * *g, u, tb);
            }
        }
        let curved = if both_ways { s.abs() } else { (-s).positive_part() };
        let error = tb.square() * curved + cubic.rest() + margins;
        for j in 0..dim {
            matrix[j][j] = matrix[j][j] + q * round(j);
            b[j] = b[j] - tb * v[j] * 2.0;
        }
        let (variance, inputs) = (Interval::point(term.variance), &term.inputs);
        for j in 0..dim {
            for k in 0..dim {
                thirds.add([inputs[j], inputs[j], inputs[k]], variance * round(j) * v[k]);
            }
            for k in 0..=j {
                for l in 0..=k {
                    thirds.add([inputs[j], inputs[k], inputs[l]], variance * cubic.term(j, k, l));
                }
            }
        }
        self.constant = self.constant + variance * constant;
        for j in 0..dim {
            let input = term.inputs[j];
            self.linear[input] = self.linear[input] + variance * b[j];
            for k in 0..=j {
                let (row, column) = (input.max(term.inputs[k]), input.min(term.inputs[k]));
                self.matrix[row][column] = self.matrix[row][column] + variance * matrix[j][k];
            }
        }
        variance * error
    }

    /// Takes off ρ sqrt(k(x, x)) ≤ ρ (k(x, x) + v)/(2 sqrt(v)), with the secants of powers of |z|², for a v midway between
    /// the least and the most k(x, x).
    fn charge(&mut self, function: &Function<'_>, cube: &Cube, rho: Interval) {
        if function.is_stationary() {
            self.constant = self.constant - rho * function.sigma_f;
            return;
        }
        let dim = self.linear.len();
        let mut constant = function.sigma_f.square();
        let (mut linear, mut square) = (vec![Interval::ZERO; dim], vec![Interval::ZERO; dim]);
        let mut middle = constant;
        for term in &function.terms {
            let Kernel::Power { degree, offset } = term.kernel else { continue };
            let place = |input: usize| (Interval::point(cube.centre[input]), Interval::point(cube.half[input]));
            let (mut least, mut most, mut central) = (Interval::ZERO, Interval::ZERO, Interval::ZERO);
            for (c, w) in term.inputs.iter().map(|input| place(*input)) {
                least = least + (c.abs() - w).positive_part().square();
                most = most + (c.abs() + w).square();
                central = central + c.square();
            }
            let (low, high) = (Interval::point(offset) + least, Interval::point(offset) + most);
            let variance = Interval::point(term.variance);
            let slope = variance * (0..degree).fold(Interval::ZERO, |sum, k| sum * low + high.power(k));
            constant = constant + variance * low.power(degree) + slope * (central - least);
            middle = middle + variance * (low.power(degree) + high.power(degree)) * 0.5;
            for input in &term.inputs {
                let (c, w) = place(*input);
                linear[*input] = slope * c * w * 2.0;
                square[*input] = slope * w.square() * 2.0;
            }
        }
        let pivot = Interval::point(middle.middle());
        let factor = rho / (pivot.sqrt() * 2.0);
        self.constant = self.constant - factor * (constant + pivot);
        for j in 0..dim {
            self.linear[j] = self.linear[j] - factor * linear[j];
            self.matrix[j][j] = self.matrix[j][j] - factor * square[j];
        }
    }

    /// Its value at a point of the box.
    #[cfg(test)]
    pub fn at(&self, cube: &Cube, x: &[f64]) -> Interval {
        let u: Vec<Interval> = x.iter().enumerate().map(|(j, x)| cube.place(j, *x)).collect();
        let square = |j: usize| -> Interval {
            let row = &self.matrix[j];
            (0..j).map(|k| row[k] * u[k]).sum::<Interval>() * u[j] + row[j] * u[j].square() * 0.5
        };
        self.constant + (0..u.len()).map(|j| self.linear[j] * u[j] + square(j)).sum()
    }

    /// The separable minorant that a piece of evidence makes of it; `None` where its shift does not convexify.
    pub fn linearise(mut self, function: &Function<'_>, cube: Cube, evidence: &Evidence) -> Option<Minorant> {
        let dim = self.linear.len();
        let unscaled = |scaled: &[f64]| -> Vec<Interval> {
            scaled.iter().zip(&cube.lengthscales).map(|(v, l)| Interval::point(*v) * *l).collect()
        };
        let place = [&unscaled(&cube.centre)[..], &unscaled(&cube.half)[..]];
        let Self { constant, linear, matrix } = &mut self;
        if !function.rows.add(&evidence.duals, place, constant, linear, matrix) {
            return None;
        }
        let plain = |j: usize, k: usize| if k <= j { self.matrix[j][k] } else { self.matrix[k][j] };
        let largest = self.matrix.iter().flatten().map(|a| a.size()).fold(0.0, f64::max);
        // The shift was chosen for a matrix that differs from this one by rounding; a little more may be needed. A row's own sum
        // is enough for any.
        let spread = |j: usize| 2.0 * (0..dim).map(|k| plain(j, k).radius()).sum::<f64>();
        for extra in [0.0, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-5, 1e-3, 2.0 * dim as f64] {
            let shift: Vec<f64> = (0..dim).map(|j| evidence.shift[j] + spread(j) + extra * largest + TINY).collect();
            let entry = |j: usize, k: usize| plain(j, k) + Interval::point(if j == k { shift[j] } else { 0.0 });
            let middles: Vec<Vec<f64>> = (0..dim).map(|j| (0..dim).map(|k| entry(j, k).middle()).collect()).collect();
            // No matrix within the enclosures takes more off the middle than a diagonal of its rows' radii.
            let radii = |j: usize| (0..dim).map(|k| entry(j, k).radius()).sum();
            if !is_positive_definite(&middles, radii) {
                continue;
            }
            let mut constant = self.constant;
            let mut slope = Vec::with_capacity(dim);
            for j in 0..dim {
                let curved: Interval = (0..dim).map(|k| entry(j, k) * evidence.at[k]).sum();
                slope.push(self.linear[j] + curved);
                constant = constant - curved * (0.5 * evidence.at[j]);
            }
            return Some(Minorant { constant, slope, shift, cube });
        }
        None
    }
}

impl Term {
    /// The half-widths of its inputs.
    fn half(&self, cube: &Cube) -> Vec<f64> {
        self.inputs.iter().map(|input| cube.half[*input]).collect()
    }

    /// tb, where the kernel is one of a distance.
    fn half_square(&self, cube: &Cube) -> Interval {
        if self.is_stationary() { squares(&self.half(cube)) * 0.5 } else { Interval::ZERO }
    }

    /// For every observation the polynomial that, times g_i, lies below g_i φ.
    fn bounds(&self, function: &Function<'_>, cube: &Cube, order: Order, g: &[f64]) -> Vec<Stand> {
        let (half, tb) = (self.half(cube), self.half_square(cube));
        let bound = |(z, g): (&Vec<Interval>, &f64)| {
            let (polynomial, u) = if let Kernel::Power { degree, offset } = self.kernel {
                let (base, u) = self.products(z, cube, &half);
                let reach = u.iter().map(|u| u.abs()).sum();
                (expand(degree, base + Interval::point(offset), reach, *g > 0.0), u)
            } else {
                let (d, u) = self.offsets(z, cube, &half);
                (interpolate(&self.kernel, &d, &half, tb, order, *g > 0.0), u)
            };
            Stand { polynomial, u, margin: 0.0 }
        };
        function.scaled.iter().zip(g).map(bound).collect()
    }

    /// For every observation the polynomial midway between the bounds of φ, which has no kinks.
    fn middles(&self, function: &Function<'_>, cube: &Cube, order: Order) -> Vec<Stand> {
        let (half, tb) = (self.half(cube), self.half_square(cube));
        let middle = |z: &Vec<Interval>| {
            if let Kernel::Power { degree, offset } = self.kernel {
                let (base, u) = self.products(z, cube, &half);
                let reach = u.iter().map(|u| u.abs()).sum();
                let [below, above] =
                    [true, false].map(|lower| expand(degree, base + Interval::point(offset), reach, lower));
                let (value, margin) = ((below.value + above.value) * 0.5, (above.value - below.value) * 0.5);
                return Stand { polynomial: Polynomial { value, ..below }, u, margin: margin.size() };
            }
            let (d, u) = self.offsets(z, cube, &half);
            let (polynomial, margin) = enclose(&self.kernel, &d, &half, tb, order);
            Stand { polynomial, u, margin }
        };
        function.scaled.iter().map(middle).collect()
    }

    /// zᵀc and U = wz, of the term's inputs.
    fn products(&self, z: &[Interval], cube: &Cube, half: &[f64]) -> (Interval, Vec<Interval>) {
        let base = self.inputs.iter().map(|input| z[*input] * cube.centre[*input]).sum();
        (base, self.inputs.iter().zip(half).map(|(input, w)| z[*input] * *w).collect())
    }

    /// z − c and U = −2w(z − c), of the term's inputs.
    fn offsets(&self, z: &[Interval], cube: &Cube, half: &[f64]) -> (Vec<Interval>, Vec<Interval>) {
        let offset = |input: &usize| z[*input] - Interval::point(cube.centre[*input]);
        let d: Vec<Interval> = self.inputs.iter().map(offset).collect();
        let u = d.iter().zip(half).map(|(d, w)| *d * (-2.0 * w)).collect();
        (d, u)
    }
}

/// Σw².
fn squares(half: &[f64]) -> Interval {
    half.iter().map(|w| Interval::point(*w).square()).sum()
}

/// ω for R² = `square`: the share of the RBF kernel's norm beyond order 2.
pub(super) fn omega(square: Interval) -> Interval {
    (square * square * square / Interval::point(6.0)).sqrt()
}

/// What the expansion at the centre of a box needs: m_α, the first rows of M̄, and ‖m_{>2}‖.
struct Features {
    mean: Vec<Interval>,
    residual: Vec<Vec<Interval>>,
    beyond: Interval,
    /// What the residual of the weights may add to the mean.
    drift: Interval,
}

impl Features {
    fn new(function: &Function<'_>, face: &Face<'_>, cube: &Cube) -> Self {
        let dim = cube.half.len();
        let rows: Vec<Vec<Interval>> = cube.offsets(function).iter().map(|d| Self::of_point(function, d)).collect();
        let count = rows[0].len();
        let column = |b: usize| -> Vec<f64> { rows.iter().map(|row| row[b].middle()).collect() };
        let columns: Vec<Vec<f64>> = (0..count).map(column).collect();
        let error = rows.iter().flatten().map(|e| e.radius()).fold(0.0, f64::max);
        let weights = face.weights;
        let near = |v: &[f64], b: usize| dot(v, &columns[b]) + Interval::around(0.0, error * sizes(v));
        let mean: Vec<Interval> = (0..count).map(|b| near(weights, b)).collect();
        let solved: Vec<Vec<f64>> = (0..=dim).map(|b| function.solve(&columns[b])).collect();
        let entry = |b: usize, c: usize| {
            if c > dim {
                return -near(&solved[b], c);
            }
            let unit = if b == c { Interval::ONE } else { Interval::ZERO };
            unit - (near(&solved[c], b) + near(&solved[b], c) - function.form(&solved[b], &solved[c]))
        };
        let residual = (0..=dim).map(|b| (0..count).map(|c| entry(b, c)).collect()).collect();
        let low: Interval = mean.iter().map(|m| m.square()).sum();
        // |kᵀK̂⁻¹ρ|: of the features of order 0 and 1 it is |Wᵀρ| and what W leaves over, of the others at most their norm, at
        // most R²/√2, times that of ρ; and that of all features is 1.
        let norm = face.residual_energy.sqrt();
        let along = |b: usize| {
            let column: Vec<Interval> = rows.iter().map(|row| row[b]).collect();
            let (_, rest) = function.residual(&solved[b], &column);
            Interval::point(face.residual) * sizes(&solved[b]) + norm * rest.sqrt()
        };
        let moved: Interval = (0..dim).map(|j| along(1 + j) * cube.half[j]).sum();
        let drift = along(0) + moved + norm * squares(&cube.half) * Interval::point(0.5).sqrt();
        let drift = function.sigma_f * drift.high.min(norm.high);
        Self { mean, residual, beyond: (face.norm_square - low).positive_part().sqrt(), drift }
    }

    /// σ_f exp(−|d|²/2) d^α/√α! for |α| ≤ 2.
    fn of_point(function: &Function<'_>, d: &[Interval]) -> Vec<Interval> {
        let squared: Interval = d.iter().map(|d| d.square()).sum();
        let e = function.sigma_f * (squared * -0.5).exp();
        let mut row = vec![e];
        row.extend(d.iter().map(|d| e * *d));
        for j in 0..d.len() {
            for k in j..d.len() {
                let scale = if j == k { Interval::point(0.5).sqrt() } else { Interval::ONE };
                row.push(e * d[j] * d[k] * scale);
            }
        }
        row
    }
}
