//! One kernel on one box: polynomials that replace φ at every observation, and their weighted sum (docs/method.md,
//! Lemmas 3.4, 3.6 and 3.8; rounding by Lemma 10.3).

use super::block::{Block, block, block_mut};
use super::polynomials::{Nodes, PolynomialBlock, Polynomials, Ranges};
use super::sums::{MOST, Sum, pair, quadruples, triples};
use super::weights::Weights;
use super::{Cubic, NODE, Quadratic, ScaledBox};
use crate::problem::{Chords, Curve, KernelTerm, Polyline};
use crate::region::{MOST_INPUTS, Vector};
use crate::rounding;
use fathom_gp::lanes::{LANES, axpy};
use fathom_gp::widest;
use fathom_proof::Order;
use std::array::from_fn;

/// The polynomial bounds of one kernel at every observation, ready for any g.
#[derive(Debug, Clone)]
pub(super) struct TermRelaxation {
    inputs: Vec<usize>,
    order: Order,
    form: Form,
    /// The number of observations. All columns below fill whole blocks; what follows the last observation has no
    /// weight.
    count: usize,
    /// tb; 0 if Δ has no square of z'.
    half_square: f64,
    half: Vector,
    /// d_i = z_i − c for distances, z_i for inner products; by columns.
    offsets: Vec<Vec<f64>>,
    ranges: Ranges,
    upper: Polynomials,
    lower: Polynomials,
    /// The polynomials midway between the two, and the largest distance of φ from them: see `halve`.
    middle: Polynomials,
    margins: Vec<f64>,
    nodes: Nodes,
    /// Per point, for the g at hand: g, g B, g Γ, g Θ.
    weights: Weights,
    slopes: Vec<f64>,
    curves: Vec<f64>,
    thirds: Vec<f64>,
    /// Memory for one number of each point.
    scratch: Vec<f64>,
}

/// Sums of weighed coefficients over all points: g (A − tb B), the sizes of all terms, g B, g Γ and g Θ.
#[derive(Clone, Copy)]
struct Weighed {
    constant: f64,
    magnitude: f64,
    slope: f64,
    curve: f64,
    third: f64,
}

/// How the kernel's argument changes in the cube: Δ = round·τ + tilt·Σ w_j d_j x_j.
#[derive(Debug, Clone, Copy)]
struct Form {
    round: f64,
    tilt: f64,
}

impl TermRelaxation {
    pub fn new(term: &KernelTerm, order: Order) -> Self {
        let count = term.columns[0].len();
        let n = count.next_multiple_of(LANES);
        let zeros = vec![0.0; n];
        let filled_up = |column: &Vec<f64>| column.iter().copied().chain([0.0; LANES]).take(n).collect();
        let (form, order) = match term.curve {
            Curve::Monotone(_) => (Form { round: 1.0, tilt: -2.0 }, order),
            Curve::Chords(_) => (Form { round: 1.0, tilt: -2.0 }, Order::Two),
            Curve::Power { degree: 3.., .. } => (Form { round: 0.0, tilt: 1.0 }, Order::Three),
            Curve::Power { .. } | Curve::Polyline(_) => (Form { round: 0.0, tilt: 1.0 }, Order::Two),
        };
        Self {
            inputs: term.inputs.clone(),
            order,
            form,
            count,
            half_square: 0.0,
            half: [0.0; MOST_INPUTS],
            offsets: term.columns.iter().map(filled_up).collect(),
            ranges: Ranges::new(n),
            upper: Polynomials::new(n),
            lower: Polynomials::new(n),
            middle: Polynomials::new(n),
            margins: zeros.clone(),
            nodes: Nodes::new(n),
            weights: Weights::new(n),
            slopes: zeros.clone(),
            curves: zeros.clone(),
            thirds: zeros.clone(),
            scratch: zeros,
        }
    }

    /// Moves to another box.
    pub fn place(&mut self, term: &KernelTerm, on: &ScaledBox) {
        for (half, input) in self.half.iter_mut().zip(&self.inputs) {
            *half = on.half[*input];
        }
        match &term.curve {
            Curve::Monotone(kernel) => {
                self.place_distances(term, on);
                let Self { ranges, nodes, upper, lower, .. } = self;
                ranges.evaluate(*kernel);
                match self.order {
                    Order::Two => nodes.interpolate_twice(*kernel, ranges, upper, lower),
                    Order::Three => nodes.interpolate_thrice(*kernel, ranges, upper, lower),
                }
            }
            Curve::Power { degree, offset } => self.place_products(term, on, *degree, *offset),
            Curve::Chords(chords) => {
                self.place_distances(term, on);
                self.draw_chords(chords);
            }
            Curve::Polyline(polyline) => self.draw_lines(term, on, polyline),
        }
        widest!(<'a> (relaxation: &'a mut TermRelaxation = self) {
            let TermRelaxation { ranges, upper, lower, half_square, .. } = relaxation;
            upper.measure(ranges, *half_square);
            lower.measure(ranges, *half_square);
        });
    }

    fn place_distances(&mut self, term: &KernelTerm, on: &ScaledBox) {
        let dim = self.inputs.len();
        self.half_square = 0.5 * self.half[..dim].iter().map(|w| w * w).sum::<f64>();
        widest!(<'a> (relaxation: &'a mut TermRelaxation = self, term: &'a KernelTerm = term, on: &'a ScaledBox = on) {
            let TermRelaxation { inputs, half, offsets, ranges, half_square, .. } = relaxation;
            let Ranges { least, most, centre, .. } = ranges;
            least.fill(0.0);
            most.fill(0.0);
            centre.fill(*half_square);
            for j in 0..inputs.len() {
                let (c, w) = (on.centre[inputs[j]], half[j]);
                for ((((z, d), least), most), centre) in
                    term.columns[j].iter().zip(&mut offsets[j]).zip(&mut *least).zip(&mut *most).zip(&mut *centre)
                {
                    *d = z - c;
                    let away = d.abs();
                    let near = if away > w { away - w } else { 0.0 };
                    *least += near * near;
                    *most += (away + w) * (away + w);
                    *centre += *d * *d;
                }
            }
        });
    }

    /// Expands (u + c)^m about the centre's inner products: exactly to order 3; the terms beyond are bounded by their size.
    fn place_products(&mut self, term: &KernelTerm, on: &ScaledBox, degree: u32, offset: f64) {
        for i in 0..self.count {
            let (mut middle, mut reach, mut size) = (0.0, 0.0, offset);
            for (j, column) in term.columns.iter().enumerate() {
                let (c, w) = (on.centre[self.inputs[j]], self.half[j]);
                middle += c * column[i];
                reach += w * column[i].abs();
                size += (c.abs() + w) * column[i].abs();
            }
            let base = middle + offset;
            let [value, slope, curve, third, beyond] = expand(degree, base, reach);
            let ranges = &mut self.ranges;
            ranges.centre[i] = middle;
            (ranges.least[i], ranges.most[i]) = (middle - reach, middle + reach);
            ranges.top[i] = size.powi(degree.cast_signed());
            for (side, sign) in [(&mut self.lower, -1.0), (&mut self.upper, 1.0)] {
                side.value[i] = value + sign * beyond;
                (side.slope[i], side.curve[i], side.third[i]) = (slope, curve, third);
            }
        }
    }

    /// Bounds a polyline of an inner product by lines.
    fn draw_lines(&mut self, term: &KernelTerm, on: &ScaledBox, polyline: &Polyline) {
        let room = rounding::product_range(self.inputs.len());
        for i in 0..self.count {
            let (mut middle, mut reach, mut size) = (0.0, 0.0, 0.0);
            for (j, column) in term.columns.iter().enumerate() {
                let (c, w) = (on.centre[self.inputs[j]], self.half[j]);
                middle += c * column[i];
                reach += w * column[i].abs();
                size += (c.abs() + w) * column[i].abs();
            }
            let (least, most) = (middle - reach - room * size, middle + reach + room * size);
            let ranges = &mut self.ranges;
            (ranges.least[i], ranges.most[i], ranges.centre[i]) = (least, most, middle);
            ranges.top[i] = polyline.size(least, most, size);
            for (side, is_lower) in [(&mut self.upper, false), (&mut self.lower, true)] {
                let line = polyline.line(least, most, middle, is_lower);
                (side.value[i], side.slope[i], side.curve[i]) = (line.value, line.slope, 0.0);
            }
        }
    }

    /// Bounds φ by a quadratic if the range lies in one segment, by lines otherwise.
    fn draw_chords(&mut self, chords: &Chords) {
        let (error, n) = (chords.overlap_error(), self.count);
        for i in 0..n {
            let Ranges { least, most, centre, top, .. } = &mut self.ranges;
            let (least, most, centre) = (least[i], most[i], centre[i]);
            top[i] = chords.value(least);
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

    /// Adds σ² Σ g φ_i, from below, to `quadratic` and `cubic`.
    #[inline(always)]
    pub fn add(&mut self, term: &KernelTerm, g: &[f64], quadratic: &mut Quadratic, cubic: &mut Cubic) {
        let weighed = self.weigh(g, false);
        quadratic.constant -= self.add_up(term, weighed, false, quadratic, cubic);
    }

    /// Adds σ² Σ g φ_i to `quadratic` and `cubic`, by the polynomials of `halve`; returns the largest error.
    #[inline(always)]
    pub fn enclose(&mut self, term: &KernelTerm, g: &[f64], quadratic: &mut Quadratic, cubic: &mut Cubic) -> f64 {
        let weighed = self.weigh(g, true);
        let margin = self.weights.sizes(&self.margins, &self.margins);
        term.variance * margin + self.add_up(term, weighed, true, quadratic, cubic)
    }

    /// Sums the weighed polynomials, and returns how far the terms of order four and above, and rounding, can lower the
    /// sum, or move it if `both_ways`.
    #[inline(always)]
    fn add_up(
        &mut self,
        term: &KernelTerm,
        weighed: Weighed,
        both_ways: bool,
        quadratic: &mut Quadratic,
        cubic: &mut Cubic,
    ) -> f64 {
        let (dim, n) = (self.inputs.len(), self.count);
        let tb = self.half_square;
        let Form { round, tilt } = self.form;
        let Self { inputs, order, offsets, slopes, curves, thirds, half, .. } = self;
        let Weighed { constant, magnitude, slope: q, curve: s, third } = weighed;
        let variance = term.variance;
        let mut error = tb * tb * if both_ways { s.abs() } else { (-s).max(0.0) };
        let (mut v, mut sums) = ([0.0; MOST_INPUTS], [0.0; MOST]);
        for j in 0..dim {
            let (slope, curve) = pair(slopes, curves, &offsets[j]);
            v[j] = tilt * half[j] * curve;
            quadratic.linear[inputs[j]] += variance * (tilt * half[j] * slope - 2.0 * tb * v[j]);
            let factor = 2.0 * tilt * tilt * half[j];
            for (group, columns) in offsets[..=j].chunks(MOST).enumerate() {
                triples(curves, &offsets[j], columns, &mut sums);
                for k in MOST * group..MOST * group + columns.len() {
                    let entry = variance * (factor * half[k] * sums[k % MOST]);
                    quadratic.matrix[inputs[j]][inputs[k]] += entry;
                    if k < j {
                        quadratic.matrix[inputs[k]][inputs[j]] += entry;
                    }
                }
            }
            quadratic.matrix[inputs[j]][inputs[j]] += variance * 2.0 * round * q * half[j] * half[j];
        }
        for j in 0..dim {
            let twice = variance * (2.0 * round * half[j] * half[j]);
            for k in 0..dim {
                cubic.add_square(inputs[j], inputs[k], twice * v[k]);
            }
        }
        if *order == Order::Three {
            error += tb * tb * tb * third.abs();
            let cube = variance * tilt * tilt * tilt;
            for j in 0..dim {
                let own = pair(thirds, thirds, &offsets[j]).0;
                error += 3.0 * tb * tb * tilt.abs() * half[j] * own.abs();
                for k in 0..=j {
                    let mut plain = 0.0;
                    for (group, columns) in offsets[..=k].chunks(MOST).enumerate() {
                        plain = quadruples([thirds, &offsets[j], &offsets[k]], columns, &mut sums);
                        for l in MOST * group..MOST * group + columns.len() {
                            let orders = [6.0, 3.0, 1.0][usize::from(j == k) + usize::from(k == l)];
                            let t = cube * (half[j] * half[k] * half[l] * sums[l % MOST]);
                            cubic.add([inputs[j], inputs[k], inputs[l]], orders * t);
                        }
                    }
                    let twice = if j == k { 1.0 } else { 2.0 };
                    error += 3.0 * tb * twice * tilt * tilt * half[j] * half[k] * plain.abs();
                }
            }
        }
        let unit = rounding::polynomials(n as f64, term.error);
        let rounding = unit * variance * magnitude;
        quadratic.uncertainty += rounding;
        quadratic.constant += variance * constant;
        variance * error + rounding
    }

    /// Computes g times the coefficients of each point's polynomial, the one midway or else the one below g φ, and a
    /// bound of its terms.
    #[inline(always)]
    fn weigh(&mut self, g: &[f64], midway: bool) -> Weighed {
        let Self { order, upper, lower, middle, weights, slopes, curves, thirds, .. } = self;
        let (below, above) = if midway { (&*middle, &*middle) } else { (&*lower, &*upper) };
        weights.split(g);
        Weighed {
            constant: weights.sum(&below.level, &above.level),
            magnitude: weights.sizes(&below.size, &above.size),
            slope: weights.pick(&below.slope, &above.slope, slopes),
            curve: weights.pick(&below.curve, &above.curve, curves),
            third: match order {
                Order::Three => weights.pick(&below.third, &above.third, thirds),
                Order::Two => 0.0,
            },
        }
    }

    /// Computes the polynomials midway between those above and below φ. The distance of the two is a cubic; the
    /// coefficients of its Bernstein form bound it.
    #[inline(always)]
    pub fn halve(&mut self) {
        let Self { order, ranges, upper, lower, middle, margins, .. } = self;
        let Ranges { least, most, centre, .. } = &*ranges;
        let is_cubic = f64::from(u8::from(*order == Order::Three));
        for b in 0..margins.len() / LANES {
            let (below, above) = (lower.block(b), upper.block(b));
            middle.put(b, PolynomialBlock::mix(0.5, &below, 0.5, &above));
            let PolynomialBlock { value, slope, curve, third } = PolynomialBlock::mix(1.0, &above, -1.0, &below);
            let (least, most, centre) = (block(least, b), block(most, b), block(centre, b));
            *block_mut(margins, b) = from_fn(|i| {
                let cube = is_cubic * third[i];
                let at = |s: f64| value[i] + s * (slope[i] + s * (curve[i] + s * cube));
                let share = (most[i] - least[i]) / 3.0;
                let rise = |s: f64| share * (slope[i] + s * (2.0 * curve[i] + 3.0 * s * cube));
                let (from, to) = (least[i] - centre[i], most[i] - centre[i]);
                let (first, last) = (at(from), at(to));
                0.5 * first.max(last).max(first + rise(from)).max(last - rise(to))
            });
        }
        middle.measure(ranges, self.half_square);
    }

    /// Adds to the columns of `out` approximately how each φ_i changes with each coordinate of the cube.
    #[inline(always)]
    pub fn add_rates(&mut self, term: &KernelTerm, out: &mut [Vec<f64>]) {
        for (j, input) in self.inputs.iter().enumerate() {
            let factor = term.variance * self.form.tilt * self.half[j];
            let own = self.middle.slope.iter().zip(&self.offsets[j]);
            for (out, (slope, offset)) in out[*input].iter_mut().zip(own) {
                *out += factor * (slope * offset);
            }
        }
    }

    /// Adds the polynomial bounds at the point `x` of the cube to `out`, as they enter the bound for `g`.
    pub fn add_atom(&mut self, term: &KernelTerm, g: &[f64], x: &Vector, out: &mut [f64]) {
        let dim = self.inputs.len();
        let mut moved = [0.0; MOST_INPUTS];
        for j in 0..dim {
            moved[j] = x[self.inputs[j]] * self.half[j];
        }
        let tau = moved[..dim].iter().map(|z| z * z).sum::<f64>() - self.half_square;
        widest!(<'a> (
            relaxation: &'a mut TermRelaxation = self,
            variance: f64 = term.variance,
            g: &'a [f64] = g,
            moved: &'a Vector = &moved,
            tau: f64 = tau,
            out: &'a mut [f64] = out,
        ) {
            let TermRelaxation { inputs, offsets, upper, lower, scratch: products, form: Form { round, tilt }, .. } = relaxation;
            products.fill(*round * tau);
            for j in 0..inputs.len() {
                axpy(*tilt * moved[j], &offsets[j], products);
            }
            for b in 0..products.len() / LANES {
                let PolynomialBlock { value, slope, curve, third } =
                    PolynomialBlock::pick(&padded(g, b), &lower.block(b), &upper.block(b));
                let products = block_mut(products, b);
                *products = from_fn(|i| {
                    let delta = products[i];
                    variance * (value[i] + delta * (slope[i] + delta * (curve[i] + delta * third[i])))
                });
            }
            axpy(1.0, &products[..g.len()], out);
        });
    }

    /// φ of every point at the centre of the box.
    pub fn central(&mut self, term: &KernelTerm, out: &mut [f64]) {
        let Self { ranges: Ranges { centre, .. }, scratch, half_square, form, count, .. } = self;
        let arguments = &mut scratch[..*count];
        let least = if form.round > 0.0 { 0.0 } else { f64::NEG_INFINITY };
        for (argument, centre) in arguments.iter_mut().zip(centre) {
            *argument = (*centre - *half_square).max(least);
        }
        match &term.curve {
            Curve::Monotone(kernel) => kernel.values(arguments, out),
            curve @ (Curve::Power { .. } | Curve::Chords(_) | Curve::Polyline(_)) => {
                out.iter_mut().zip(arguments).for_each(|(value, argument)| *value = curve.value(*argument));
            }
        }
    }

    /// d_ij of every point.
    pub fn offsets(&self, j: usize) -> &[f64] {
        &self.offsets[j][..self.count]
    }

    /// Adds what each coordinate contributes to the looseness of the bound for `g`.
    pub fn add_looseness(&mut self, term: &KernelTerm, g: &[f64], score: &mut Vector) {
        if matches!(term.curve, Curve::Monotone(_) | Curve::Chords(_)) {
            self.spread(g, &term.curve);
        }
        for (j, input) in self.inputs.iter().enumerate() {
            score[*input] += term.variance
                * match term.curve {
                    Curve::Monotone(_) | Curve::Chords(_) => self.half[j] * self.spread_along(j),
                    Curve::Power { .. } => self.bend(g, j),
                    Curve::Polyline(_) => self.gap(g, j),
                };
        }
    }

    /// Writes to `scratch` how far apart the upper and lower polynomials of each observation are, relative to its range.
    fn spread(&mut self, g: &[f64], curve: &Curve) {
        let by_value = self.order == Order::Three || matches!(curve, Curve::Chords(_));
        let Self { ranges: Ranges { least, most, .. }, upper, lower, scratch, .. } = self;
        scratch[g.len()..].fill(0.0);
        for i in 0..g.len() {
            let range = most[i] - least[i];
            let gap = match by_value {
                true => (upper.value[i] - lower.value[i]).max(0.0) / range,
                false => (upper.curve[i] - lower.curve[i]).max(0.0) * range,
            };
            scratch[i] = g[i].abs() * gap;
        }
    }

    /// The spread, as far as coordinate j moves it.
    fn spread_along(&self, j: usize) -> f64 {
        widest!(<'a> (spread: &'a [f64] = &self.scratch, offsets: &'a [f64] = &self.offsets[j]) -> f64 {
            let mut sum = Sum::zero();
            for (spread, offsets) in spread.as_chunks::<LANES>().0.iter().zip(offsets.as_chunks::<LANES>().0) {
                let mut away = [0.0; LANES];
                for i in 0..LANES {
                    away[i] = offsets[i].abs();
                }
                sum.add_products(spread, &away);
            }
            sum.total()
        })
    }

    /// How far apart the lines above and below φ are, as far as coordinate j moves the inner product.
    fn gap(&self, g: &[f64], j: usize) -> f64 {
        let gap = |i: usize| {
            let range = self.ranges.most[i] - self.ranges.least[i];
            let apart = (self.upper.value[i] - self.lower.value[i]).max(0.0);
            if range > 0.0 { apart * self.offsets[j][i].abs() * self.half[j] / range } else { 0.0 }
        };
        (0..g.len()).map(|i| g[i].abs() * gap(i)).sum()
    }

    /// The part that is not linear in coordinate j, summed over observations, whose weights may cancel.
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

/// Block `b` of a column, filled up with zeros.
#[inline(always)]
fn padded(column: &[f64], b: usize) -> Block {
    let (blocks, rest) = column.as_chunks();
    blocks.get(b).copied().unwrap_or_else(|| {
        let mut last = [0.0; LANES];
        last[..rest.len()].copy_from_slice(rest);
        last
    })
}

/// The coefficients of (b + δ)^m to order 3, and a bound of the sum of the other terms for |δ| ≤ `reach`.
pub(super) fn expand(degree: u32, base: f64, reach: f64) -> [f64; 5] {
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
