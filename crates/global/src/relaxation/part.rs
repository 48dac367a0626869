//! One kernel of the covariance on one box: polynomial bounds of φ, and their sum over observations.

use super::{INNER, NODE, ScaledBox};
use crate::chords::Chords;
use crate::part::{Curve, Part};
use crate::problem::MOST_INPUTS;
use crate::proof::Order;
use crate::quadratic::{Quadratic, Vector};
use fathom_gp::Kernel;
use fathom_gp::lanes::{axpy, dot, sum, widest};

/// The polynomial bounds of one kernel at every observation, ready for any g.
#[derive(Debug, Clone)]
pub(super) struct PartRelaxation {
    inputs: Vec<usize>,
    order: Order,
    form: Form,
    /// tb; 0 where Δ has no square of z'.
    half_square: f64,
    half: Vector,
    /// d_i = z_i − c for distances, z_i for inner products; by columns.
    offsets: Vec<Vec<f64>>,
    /// The range of the kernel's argument, and its point of expansion.
    least: Vec<f64>,
    most: Vec<f64>,
    centre: Vec<f64>,
    /// φ(s⁻), φ(s⁺) of distances; for inner products, what no term of the polynomial exceeds in size.
    top: Vec<f64>,
    bottom: Vec<f64>,
    upper: Polynomials,
    lower: Polynomials,
    nodes: Nodes,
    /// Per point, for the g at hand: g B, g Γ, g Θ, and products of them with offsets.
    slopes: Vec<f64>,
    curves: Vec<f64>,
    thirds: Vec<f64>,
    products: Vec<f64>,
    triples: Vec<f64>,
    sizes: Vec<f64>,
}

/// How the kernel's argument moves in the cube: Δ = round·τ + tilt·Σ w_j d_j x_j.
#[derive(Debug, Clone, Copy)]
struct Form {
    round: f64,
    tilt: f64,
}

/// A, B, Γ, Θ of each point.
#[derive(Debug, Clone)]
struct Polynomials {
    value: Vec<f64>,
    slope: Vec<f64>,
    curve: Vec<f64>,
    third: Vec<f64>,
}

/// φ and φ' at one node of each point.
#[derive(Debug, Clone)]
struct Jet {
    node: Vec<f64>,
    value: Vec<f64>,
    slope: Vec<f64>,
}

/// The double nodes: one for each side at order 2; the middle and one on each side of it at order 3.
#[derive(Debug, Clone)]
struct Nodes {
    near: Jet,
    middle: Jet,
    far: Jet,
}

impl Jet {
    fn new(n: usize) -> Self {
        Self { node: vec![0.0; n], value: vec![0.0; n], slope: vec![0.0; n] }
    }

    fn evaluate(&mut self, kernel: Kernel) {
        kernel.values_and_slopes(&self.node, &mut self.value, &mut self.slope);
    }
}

/// A range too narrow, beside s itself, to tell nodes apart in: the value at the simple node bounds φ on it, and what
/// that loses is of the size of rounding.
#[inline(always)]
fn is_narrow(step: f64, centre: f64) -> bool {
    step.abs() <= 1e-10 * centre + 1e-90
}

impl Polynomials {
    fn new(n: usize) -> Self {
        let zeros = vec![0.0; n];
        Self { value: zeros.clone(), slope: zeros.clone(), curve: zeros.clone(), third: zeros }
    }

    /// Order 2, from a double node and the simple ones.
    #[inline(always)]
    fn quadratics(&mut self, double: &Jet, simple: &[f64], simple_value: &[f64], centre: &[f64]) {
        for i in 0..simple.len() {
            let jet = (double.node[i], double.value[i], double.slope[i]);
            self.put_quadratic(i, jet, (simple[i], simple_value[i]), centre[i]);
        }
    }

    #[inline(always)]
    fn put_quadratic(&mut self, i: usize, (node, at, rate): (f64, f64, f64), simple: (f64, f64), centre: f64) {
        let step = simple.0 - node;
        let excess = simple.1 - at - rate * step;
        let narrow = is_narrow(step, centre);
        let curve = if narrow { 0.0 } else { (excess / (step * step)).max(0.0) };
        let shift = centre - node;
        let value = at + shift * (rate + curve * shift);
        let slope = rate + 2.0 * curve * shift;
        self.value[i] = if narrow { simple.1 } else { value };
        self.slope[i] = if narrow { 0.0 } else { slope };
        self.curve[i] = curve;
    }

    /// The cubic a0 + a1 t + a2 t² + a3 t³ in t, expanded about t = `shift`; constant at `flat` where the range is narrow.
    #[inline(always)]
    fn put_cubic(&mut self, i: usize, [a0, a1, a2, a3]: [f64; 4], shift: f64, narrow: bool, flat: f64) {
        let value = a0 + shift * (a1 + shift * (a2 + shift * a3));
        let slope = a1 + shift * (2.0 * a2 + 3.0 * a3 * shift);
        self.value[i] = if narrow { flat } else { value };
        self.slope[i] = if narrow { 0.0 } else { slope };
        self.curve[i] = if narrow { 0.0 } else { a2 + 3.0 * a3 * shift };
        self.third[i] = if narrow { 0.0 } else { a3 };
    }
}

impl PartRelaxation {
    pub fn new(part: &Part, order: Order) -> Self {
        let n = part.columns[0].len();
        let zeros = vec![0.0; n];
        let (form, order) = match part.curve {
            Curve::Monotone(_) => (Form { round: 1.0, tilt: -2.0 }, order),
            Curve::Chords(_) => (Form { round: 1.0, tilt: -2.0 }, Order::Two),
            Curve::Power { degree: 3.., .. } => (Form { round: 0.0, tilt: 1.0 }, Order::Three),
            Curve::Power { .. } => (Form { round: 0.0, tilt: 1.0 }, Order::Two),
        };
        Self {
            inputs: part.inputs.clone(),
            order,
            form,
            half_square: 0.0,
            half: [0.0; MOST_INPUTS],
            offsets: part.columns.clone(),
            least: zeros.clone(),
            most: zeros.clone(),
            centre: zeros.clone(),
            top: zeros.clone(),
            bottom: zeros.clone(),
            upper: Polynomials::new(n),
            lower: Polynomials::new(n),
            nodes: Nodes { near: Jet::new(n), middle: Jet::new(n), far: Jet::new(n) },
            slopes: zeros.clone(),
            curves: zeros.clone(),
            thirds: zeros.clone(),
            products: zeros.clone(),
            triples: zeros.clone(),
            sizes: zeros,
        }
    }

    /// Moves to another box.
    pub fn place(&mut self, part: &Part, on: &ScaledBox) {
        for (half, input) in self.half.iter_mut().zip(&self.inputs) {
            *half = on.half[*input];
        }
        match &part.curve {
            Curve::Monotone(kernel) => {
                self.place_distances(part, on);
                kernel.values(&self.least, &mut self.top);
                kernel.values(&self.most, &mut self.bottom);
                match self.order {
                    Order::Two => self.interpolate_twice(*kernel),
                    Order::Three => self.interpolate_thrice(*kernel),
                }
            }
            Curve::Power { degree, offset } => self.place_products(part, on, *degree, *offset),
            Curve::Chords(chords) => {
                self.place_distances(part, on);
                self.draw_chords(chords);
            }
        }
    }

    fn place_distances(&mut self, part: &Part, on: &ScaledBox) {
        let dim = self.inputs.len();
        self.half_square = 0.5 * self.half[..dim].iter().map(|w| w * w).sum::<f64>();
        let Self { inputs, half, offsets, least, most, centre, half_square, .. } = self;
        widest(|| {
            least.fill(0.0);
            most.fill(0.0);
            centre.fill(*half_square);
            for j in 0..dim {
                let (c, w) = (on.centre[inputs[j]], half[j]);
                for ((((z, d), least), most), centre) in
                    part.columns[j].iter().zip(&mut offsets[j]).zip(&mut *least).zip(&mut *most).zip(&mut *centre)
                {
                    *d = z - c;
                    let away = d.abs();
                    let near = (away - w).max(0.0);
                    *least += near * near;
                    *most += (away + w) * (away + w);
                    *centre += *d * *d;
                }
            }
        });
    }

    /// (u + c)^m about the centre's inner products: exact to order 3, what lies beyond bounded by its size.
    fn place_products(&mut self, part: &Part, on: &ScaledBox, degree: u32, offset: f64) {
        for i in 0..self.centre.len() {
            let (mut middle, mut reach, mut size) = (0.0, 0.0, offset);
            for (j, column) in part.columns.iter().enumerate() {
                let (c, w) = (on.centre[self.inputs[j]], self.half[j]);
                middle += c * column[i];
                reach += w * column[i].abs();
                size += (c.abs() + w) * column[i].abs();
            }
            let base = middle + offset;
            let [value, slope, curve, third, beyond] = expand(degree, base, reach);
            self.centre[i] = middle;
            (self.least[i], self.most[i]) = (middle - reach, middle + reach);
            self.top[i] = size.powi(degree.cast_signed());
            for (side, sign) in [(&mut self.lower, -1.0), (&mut self.upper, 1.0)] {
                side.value[i] = value + sign * beyond;
                (side.slope[i], side.curve[i], side.third[i]) = (slope, curve, third);
            }
        }
    }

    fn interpolate_twice(&mut self, kernel: Kernel) {
        let Self { least, most, nodes, .. } = self;
        widest(|| {
            for i in 0..least.len() {
                let range = most[i] - least[i];
                nodes.near.node[i] = most[i] - NODE * range;
                nodes.far.node[i] = least[i] + NODE * range;
            }
        });
        nodes.near.evaluate(kernel);
        nodes.far.evaluate(kernel);
        let Self { least, most, top, bottom, centre, upper, lower, nodes, .. } = self;
        widest(|| {
            upper.quadratics(&nodes.far, least, top, centre);
            lower.quadratics(&nodes.near, most, bottom, centre);
        });
    }

    fn interpolate_thrice(&mut self, kernel: Kernel) {
        let Self { least, most, nodes, .. } = self;
        widest(|| {
            for i in 0..least.len() {
                let (middle, half) = (0.5 * (least[i] + most[i]), 0.5 * (most[i] - least[i]));
                nodes.near.node[i] = middle - INNER * half;
                nodes.middle.node[i] = middle;
                nodes.far.node[i] = middle + INNER * half;
            }
        });
        nodes.near.evaluate(kernel);
        nodes.middle.evaluate(kernel);
        nodes.far.evaluate(kernel);
        let Self { least, most, top, bottom, centre, upper, lower, nodes, .. } = self;
        let Nodes { near, middle, far } = nodes;
        widest(|| {
            for i in 0..least.len() {
                let shift = centre[i] - middle.node[i];
                let half = 0.5 * (most[i] - least[i]);
                let narrow = is_narrow(half, centre[i]);
                // Through the ends, touching midway.
                let (even, odd) = (0.5 * (top[i] + bottom[i]), 0.5 * (bottom[i] - top[i]));
                let (value, slope, inverse) = (middle.value[i], middle.slope[i], 1.0 / half);
                let second = (even - value) * inverse * inverse;
                let third = (odd * inverse - slope) * inverse * inverse;
                upper.put_cubic(i, [value, slope, second, third], shift, narrow, top[i]);
                // Touching on both sides of the middle, t away from it.
                let t = 0.5 * (far.node[i] - near.node[i]);
                let (even, odd) = (0.5 * (far.value[i] + near.value[i]), 0.5 * (far.value[i] - near.value[i]));
                let (bend, tilt) = (0.5 * (far.slope[i] - near.slope[i]), 0.5 * (far.slope[i] + near.slope[i]));
                let inverse = 1.0 / t;
                let second = 0.5 * bend * inverse;
                let third = 0.5 * (tilt - odd * inverse) * inverse * inverse;
                let first = odd * inverse - third * t * t;
                lower.put_cubic(i, [even - second * t * t, first, second, third], shift, narrow, bottom[i]);
            }
        });
    }

    /// Quadratics where a range lies in one segment, lines elsewhere.
    fn draw_chords(&mut self, chords: &Chords) {
        let error = chords.overlap_error();
        for i in 0..self.centre.len() {
            let (least, most, centre) = (self.least[i], self.most[i], self.centre[i]);
            self.top[i] = chords.value(least);
            if let Some(segment) = chords.one_segment(least, most) {
                let jet = |s: f64| (s, chords.jet(segment, s).0, chords.jet(segment, s).1);
                let end = |s: f64| (s, chords.jet(segment, s).0);
                self.upper.put_quadratic(i, jet(least + NODE * (most - least)), end(least), centre);
                self.lower.put_quadratic(i, jet(most - NODE * (most - least)), end(most), centre);
                self.upper.value[i] += error;
                self.lower.value[i] -= error;
            } else {
                for (side, is_lower) in [(&mut self.upper, false), (&mut self.lower, true)] {
                    let line = chords.line(least, most, centre, is_lower);
                    (side.value[i], side.slope[i], side.curve[i]) = (line.value, line.slope, 0.0);
                }
            }
        }
    }

    /// Adds σ² Σ g φ_i, from below, to `quadratic`.
    #[inline(always)]
    pub fn add(&mut self, part: &Part, g: &[f64], quadratic: &mut Quadratic) {
        let (dim, n) = (self.inputs.len(), g.len());
        let tb = self.half_square;
        let Form { round, tilt } = self.form;
        let Self { inputs, order, offsets, most, least, centre, top, upper, lower, .. } = self;
        let Self { slopes, curves, thirds, products, triples, sizes, half, .. } = self;
        for i in 0..n {
            let positive = g[i] > 0.0;
            let value = if positive { lower.value[i] } else { upper.value[i] };
            let slope = if positive { lower.slope[i] } else { upper.slope[i] };
            let curve = if positive { lower.curve[i] } else { upper.curve[i] };
            let third = if positive { lower.third[i] } else { upper.third[i] };
            slopes[i] = g[i] * slope;
            curves[i] = g[i] * curve;
            thirds[i] = g[i] * third;
            products[i] = g[i] * (value - slope * tb);
            let reach = (most[i] - centre[i]).max(centre[i] - least[i]);
            let terms = reach * (slope.abs() + reach * (curve.abs() + reach * third.abs()));
            sizes[i] = g[i].abs() * (top[i] + value.abs() + terms);
        }
        let (constant, magnitude, q, s) = (sum(products), sum(sizes), sum(slopes), sum(curves));
        let variance = part.variance;
        let mut error = tb * tb * (-s).max(0.0);
        let (mut v, mut linear) = ([0.0; MOST_INPUTS], [0.0; MOST_INPUTS]);
        for k in 0..dim {
            v[k] = tilt * half[k] * dot(curves, &offsets[k]);
            linear[k] = tilt * half[k] * dot(slopes, &offsets[k]) - 2.0 * tb * v[k];
        }
        for j in 0..dim {
            for i in 0..n {
                products[i] = curves[i] * offsets[j][i];
            }
            for k in 0..=j {
                let entry = 2.0 * tilt * tilt * half[j] * half[k] * dot(products, &offsets[k]);
                quadratic.matrix[inputs[j]][inputs[k]] += variance * entry;
                if k < j {
                    quadratic.matrix[inputs[k]][inputs[j]] += variance * entry;
                }
            }
            quadratic.matrix[inputs[j]][inputs[j]] += variance * 2.0 * round * q * half[j] * half[j];
        }
        // C_jjk in pairs[j][k]; C_jkl of three different variables goes straight into the error.
        let mut pairs = [[0.0; MOST_INPUTS]; MOST_INPUTS];
        for j in 0..dim {
            for k in 0..dim {
                pairs[j][k] = 2.0 * round * half[j] * half[j] * v[k];
            }
        }
        if *order == Order::Three {
            error += tb * tb * tb * sum(thirds).abs();
            for j in 0..dim {
                for i in 0..n {
                    products[i] = thirds[i] * offsets[j][i];
                }
                error += 3.0 * tb * tb * tilt.abs() * half[j] * sum(products).abs();
                for k in 0..=j {
                    for i in 0..n {
                        triples[i] = products[i] * offsets[k][i];
                    }
                    let twice = if j == k { 1.0 } else { 2.0 };
                    error += 3.0 * tb * twice * tilt * tilt * half[j] * half[k] * sum(triples).abs();
                    for l in 0..=k {
                        let t = tilt * tilt * tilt * half[j] * half[k] * half[l] * dot(triples, &offsets[l]);
                        match (j == k, k == l) {
                            (true, true) => pairs[j][j] += t,
                            (true, false) => pairs[j][l] += 3.0 * t,
                            (false, true) => pairs[k][j] += 3.0 * t,
                            (false, false) => error += 6.0 * t.abs(),
                        }
                    }
                }
            }
        }
        for j in 0..dim {
            for k in 0..dim {
                let share = if j == k { 0.75 } else { 0.5 };
                linear[k] += share * pairs[j][k];
                error += (1.0 - share) * pairs[j][k].abs();
            }
        }
        for (linear, input) in linear.iter().zip(&*inputs) {
            quadratic.linear[*input] += variance * linear;
        }
        let unit = 64.0 * (n as f64 + 64.0) * f64::EPSILON + 4.0 * part.error;
        let rounding = unit * variance * magnitude;
        quadratic.uncertainty += rounding;
        quadratic.constant += variance * (constant - error) - rounding;
    }

    /// Adds the i-th polynomial bounds at the point `x` of the cube to `out`: the values that the bound for `g` minimised
    /// over.
    pub fn add_atom(&mut self, part: &Part, g: &[f64], x: &Vector, out: &mut [f64]) {
        let dim = self.inputs.len();
        let Form { round, tilt } = self.form;
        let mut moved = [0.0; MOST_INPUTS];
        for j in 0..dim {
            moved[j] = x[self.inputs[j]] * self.half[j];
        }
        let tau = moved[..dim].iter().map(|z| z * z).sum::<f64>() - self.half_square;
        let Self { offsets, upper, lower, products, .. } = self;
        widest(|| {
            products.fill(round * tau);
            for j in 0..dim {
                axpy(tilt * moved[j], &offsets[j], products);
            }
            for (i, out) in out.iter_mut().enumerate() {
                let positive = g[i] > 0.0;
                let value = if positive { lower.value[i] } else { upper.value[i] };
                let slope = if positive { lower.slope[i] } else { upper.slope[i] };
                let curve = if positive { lower.curve[i] } else { upper.curve[i] };
                let third = if positive { lower.third[i] } else { upper.third[i] };
                let delta = products[i];
                *out += part.variance * (value + delta * (slope + delta * (curve + delta * third)));
            }
        });
    }

    /// φ of every point at the centre of the box.
    pub fn central(&self, part: &Part, out: &mut [f64]) {
        let least = if self.form.round > 0.0 { 0.0 } else { f64::NEG_INFINITY };
        for (argument, centre) in out.iter_mut().zip(&self.centre) {
            *argument = (centre - self.half_square).max(least);
        }
        for value in out {
            *value = part.curve.value(*value);
        }
    }

    /// d_ij of every point.
    pub fn offsets(&self, j: usize) -> &[f64] {
        &self.offsets[j]
    }

    /// Adds what each coordinate contributes to the looseness of the bound for `g`.
    pub fn add_looseness(&self, part: &Part, g: &[f64], score: &mut Vector) {
        for (j, input) in self.inputs.iter().enumerate() {
            score[*input] += part.variance
                * match part.curve {
                    Curve::Monotone(_) | Curve::Chords(_) => self.spread(g, j, &part.curve),
                    Curve::Power { .. } => self.bend(g, j),
                };
        }
    }

    /// How far apart the upper and lower polynomials are, where coordinate j moves them.
    fn spread(&self, g: &[f64], j: usize, curve: &Curve) -> f64 {
        let has_lines = matches!(curve, Curve::Chords(_));
        let gap = |i: usize| {
            let range = self.most[i] - self.least[i];
            match self.order {
                _ if has_lines => (self.upper.value[i] - self.lower.value[i]).max(0.0) / range,
                Order::Two => (self.upper.curve[i] - self.lower.curve[i]).max(0.0) * range,
                Order::Three => (self.upper.value[i] - self.lower.value[i]).max(0.0) / range,
            }
        };
        (0..g.len()).map(|i| g[i].abs() * gap(i) * self.offsets[j][i].abs() * self.half[j]).sum()
    }

    /// What is not linear in coordinate j, summed over observations, whose weights may cancel.
    fn bend(&self, g: &[f64], j: usize) -> f64 {
        let (mut second, mut third) = (0.0, 0.0);
        for i in 0..g.len() {
            let u = self.offsets[j][i] * self.half[j];
            second += g[i] * self.lower.curve[i] * u * u;
            third += g[i] * self.lower.third[i] * u * u * u;
        }
        second.abs() + third.abs()
    }
}

/// The coefficients of (b + δ)^m to order 3, and the most that its other terms can sum to for |δ| ≤ `reach`.
fn expand(degree: u32, base: f64, reach: f64) -> [f64; 5] {
    let mut terms = [0.0; 5];
    let mut choose = 1.0;
    for k in 0..=degree {
        let power = base.powi((degree - k).cast_signed());
        match k {
            0..=3 => terms[k as usize] = choose * power,
            _ => terms[4] += choose * power.abs() * reach.powi(k.cast_signed()),
        }
        choose *= f64::from(degree - k) / f64::from(k + 1);
    }
    terms
}
