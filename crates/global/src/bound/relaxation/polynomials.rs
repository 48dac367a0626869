//! Polynomials that bound a completely monotone φ at every observation, on the range of its argument on a box
//! (docs/method.md, Lemma 3.3).

use super::block::{Block, block, block_mut, blocks, one_by_one};
use super::{INNER, NODE};
use fathom_gp::Kernel;
use fathom_gp::lanes::LANES;
use fathom_gp::widest;
use std::array::from_fn;

/// For each point: the range of the kernel's argument, its point of expansion, and φ at the ends.
#[derive(Debug, Clone)]
pub(super) struct Ranges {
    pub least: Vec<f64>,
    pub most: Vec<f64>,
    pub centre: Vec<f64>,
    /// For distances, φ(s⁻) and φ(s⁺); for inner products, a bound of the size of every term of the polynomial.
    pub top: Vec<f64>,
    pub bottom: Vec<f64>,
}

impl Ranges {
    pub fn new(n: usize) -> Self {
        let zeros = vec![0.0; n];
        let [least, most, centre, top, bottom] = from_fn(|_| zeros.clone());
        Self { least, most, centre, top, bottom }
    }

    /// Evaluates φ at the ends.
    pub fn evaluate(&mut self, kernel: Kernel) {
        kernel.values(&self.least, &mut self.top);
        kernel.values(&self.most, &mut self.bottom);
    }
}

/// A, B, Γ, Θ of each point.
#[derive(Debug, Clone)]
pub(super) struct Polynomials {
    pub value: Vec<f64>,
    pub slope: Vec<f64>,
    pub curve: Vec<f64>,
    pub third: Vec<f64>,
    /// A − tb B, and a bound of the size of every term.
    pub level: Vec<f64>,
    pub size: Vec<f64>,
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
pub(super) struct Nodes {
    near: Jet,
    middle: Jet,
    far: Jet,
}

impl Jet {
    fn new(n: usize) -> Self {
        Self { node: vec![0.0; n], value: vec![0.0; n], slope: vec![0.0; n] }
    }

    /// Nodes, values and slopes.
    #[inline(always)]
    fn block(&self, b: usize) -> (Block, Block, Block) {
        (block(&self.node, b), block(&self.value, b), block(&self.slope, b))
    }

    fn evaluate(&mut self, kernel: Kernel) {
        kernel.values_and_slopes(&self.node, &mut self.value, &mut self.slope);
    }
}

/// Whether a range is too narrow, relative to s, for distinct nodes. The value at the simple node then bounds φ on the
/// range. A checker does the same if the range is at most 2e-10 of s; there the search must not claim more, and a step is at
/// least half of the range.
#[inline(always)]
fn is_narrow(step: f64, centre: f64) -> bool {
    step.abs() <= 2.5e-10 * centre + 1e-90
}

/// The polynomials of a block.
#[derive(Clone, Copy)]
pub(super) struct PolynomialBlock {
    pub value: Block,
    pub slope: Block,
    pub curve: Block,
    pub third: Block,
}

impl Polynomials {
    pub fn new(n: usize) -> Self {
        let zeros = vec![0.0; n];
        let [value, slope, curve, third, level, size] = from_fn(|_| zeros.clone());
        Self { value, slope, curve, third, level, size }
    }

    /// Computes what no weight changes: levels and sizes.
    #[inline(always)]
    pub fn measure(&mut self, on: &Ranges, half_square: f64) {
        let count = self.value.len() / LANES;
        let (least, most) = (blocks(&on.least, count), blocks(&on.most, count));
        let (centre, top) = (blocks(&on.centre, count), blocks(&on.top, count));
        let (value, slope) = (blocks(&self.value, count), blocks(&self.slope, count));
        let (curve, third) = (blocks(&self.curve, count), blocks(&self.third, count));
        let level = &mut self.level.as_chunks_mut::<LANES>().0[..count];
        let size = &mut self.size.as_chunks_mut::<LANES>().0[..count];
        for b in 0..count {
            one_by_one();
            let (value, slope, curve, third) = (value[b], slope[b], curve[b], third[b]);
            let (least, most, centre, top) = (least[b], most[b], centre[b], top[b]);
            let (mut levels, mut sizes) = ([0.0; LANES], [0.0; LANES]);
            for i in 0..LANES {
                let (up, down) = (most[i] - centre[i], centre[i] - least[i]);
                let reach = if up > down { up } else { down };
                levels[i] = value[i] - slope[i] * half_square;
                let beyond = slope[i].abs() + reach * (curve[i].abs() + reach * third[i].abs());
                sizes[i] = top[i].abs() + value[i].abs() + reach * beyond;
            }
            (level[b], size[b]) = (levels, sizes);
        }
    }

    #[inline(always)]
    pub fn block(&self, b: usize) -> PolynomialBlock {
        let Self { value, slope, curve, third, .. } = self;
        PolynomialBlock {
            value: block(value, b),
            slope: block(slope, b),
            curve: block(curve, b),
            third: block(third, b),
        }
    }

    #[inline(always)]
    pub fn put(&mut self, b: usize, polynomials: PolynomialBlock) {
        *block_mut(&mut self.value, b) = polynomials.value;
        *block_mut(&mut self.slope, b) = polynomials.slope;
        *block_mut(&mut self.curve, b) = polynomials.curve;
        *block_mut(&mut self.third, b) = polynomials.third;
    }

    /// Order 2, from a double node and the simple ones.
    #[inline(always)]
    fn put_quadratics(&mut self, double: &Jet, simple: &[f64], simple_value: &[f64], centre: &[f64]) {
        for b in 0..centre.len() / LANES {
            one_by_one();
            let (node, value, slope) = double.block(b);
            let (simple, simple_value, centre) = (block(simple, b), block(simple_value, b), block(centre, b));
            let mut out = PolynomialBlock::zero();
            for i in 0..LANES {
                out.put_quadratic(i, (node[i], value[i], slope[i]), (simple[i], simple_value[i]), centre[i]);
            }
            self.put(b, out);
        }
    }

    /// Writes the polynomial of order 2 of one point.
    pub fn put_quadratic(&mut self, i: usize, double: (f64, f64, f64), simple: (f64, f64), centre: f64) {
        let mut out = PolynomialBlock::zero();
        out.put_quadratic(0, double, simple, centre);
        (self.value[i], self.slope[i], self.curve[i]) = (out.value[0], out.slope[0], out.curve[0]);
    }
}

impl PolynomialBlock {
    #[inline(always)]
    fn zero() -> Self {
        let zeros = [0.0; LANES];
        Self { value: zeros, slope: zeros, curve: zeros, third: zeros }
    }

    /// For each point, the polynomial below φ if g is positive, the polynomial above φ otherwise.
    #[inline(always)]
    pub fn pick(g: &Block, below: &Self, above: &Self) -> Self {
        let pick = |below: &Block, above: &Block| from_fn(|i| if g[i] > 0.0 { below[i] } else { above[i] });
        Self {
            value: pick(&below.value, &above.value),
            slope: pick(&below.slope, &above.slope),
            curve: pick(&below.curve, &above.curve),
            third: pick(&below.third, &above.third),
        }
    }

    /// factor · a + other_factor · b, coefficient by coefficient.
    #[inline(always)]
    pub fn mix(factor: f64, a: &Self, other_factor: f64, b: &Self) -> Self {
        let mix = |a: &Block, b: &Block| from_fn(|i| factor * a[i] + other_factor * b[i]);
        Self {
            value: mix(&a.value, &b.value),
            slope: mix(&a.slope, &b.slope),
            curve: mix(&a.curve, &b.curve),
            third: mix(&a.third, &b.third),
        }
    }

    #[inline(always)]
    fn put_quadratic(&mut self, i: usize, (node, at, rate): (f64, f64, f64), simple: (f64, f64), centre: f64) {
        let step = simple.0 - node;
        let excess = simple.1 - at - rate * step;
        // Without branches the lanes of a block are one instruction. Products with 0 and 1 are exact.
        let (wide, narrow) = if is_narrow(step, centre) { (0.0, 1.0) } else { (1.0, 0.0) };
        let quotient = excess / (step * step + narrow);
        let curve = wide * if quotient > 0.0 { quotient } else { 0.0 };
        let shift = centre - node;
        self.value[i] = wide * (at + shift * (rate + curve * shift)) + narrow * simple.1;
        self.slope[i] = wide * (rate + 2.0 * curve * shift);
        self.curve[i] = curve;
    }

    /// The cubic a0 + a1 t + a2 t² + a3 t³ in t, expanded about t = `shift`; the constant `flat` if the range is narrow.
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

impl Nodes {
    pub fn new(n: usize) -> Self {
        Self { near: Jet::new(n), middle: Jet::new(n), far: Jet::new(n) }
    }

    /// Order 2.
    pub fn interpolate_twice(&mut self, kernel: Kernel, on: &Ranges, upper: &mut Polynomials, lower: &mut Polynomials) {
        widest!(<'a> (nodes: &'a mut Nodes = self, on: &'a Ranges = on) {
            for b in 0..on.least.len() / LANES {
                let (least, most) = (block(&on.least, b), block(&on.most, b));
                *block_mut(&mut nodes.near.node, b) = from_fn(|i| most[i] - NODE * (most[i] - least[i]));
                *block_mut(&mut nodes.far.node, b) = from_fn(|i| least[i] + NODE * (most[i] - least[i]));
            }
        });
        self.near.evaluate(kernel);
        self.far.evaluate(kernel);
        widest!(<'a> (
            nodes: &'a Nodes = self,
            on: &'a Ranges = on,
            upper: &'a mut Polynomials = upper,
            lower: &'a mut Polynomials = lower,
        ) {
            let Ranges { least, most, centre, top, bottom } = on;
            upper.put_quadratics(&nodes.far, least, top, centre);
            lower.put_quadratics(&nodes.near, most, bottom, centre);
        });
    }

    /// Order 3.
    pub fn interpolate_thrice(
        &mut self,
        kernel: Kernel,
        on: &Ranges,
        upper: &mut Polynomials,
        lower: &mut Polynomials,
    ) {
        widest!(<'a> (nodes: &'a mut Nodes = self, on: &'a Ranges = on) {
            for b in 0..on.least.len() / LANES {
                let (least, most) = (block(&on.least, b), block(&on.most, b));
                let centre: Block = from_fn(|i| 0.5 * (least[i] + most[i]));
                let half: Block = from_fn(|i| 0.5 * (most[i] - least[i]));
                *block_mut(&mut nodes.near.node, b) = from_fn(|i| centre[i] - INNER * half[i]);
                *block_mut(&mut nodes.middle.node, b) = centre;
                *block_mut(&mut nodes.far.node, b) = from_fn(|i| centre[i] + INNER * half[i]);
            }
        });
        self.near.evaluate(kernel);
        self.middle.evaluate(kernel);
        self.far.evaluate(kernel);
        widest!(<'a> (
            nodes: &'a Nodes = self,
            on: &'a Ranges = on,
            upper: &'a mut Polynomials = upper,
            lower: &'a mut Polynomials = lower,
        ) {
            let Nodes { near, middle, far } = nodes;
            let Ranges { least, most, centre, top, bottom } = on;
            for b in 0..least.len() / LANES {
                let (least, most, centre) = (block(least, b), block(most, b), block(centre, b));
                let (top, bottom) = (block(top, b), block(bottom, b));
                let (middle_node, middle_value, middle_slope) = middle.block(b);
                let (near_node, near_value, near_slope) = near.block(b);
                let (far_node, far_value, far_slope) = far.block(b);
                let (mut above, mut below) = (PolynomialBlock::zero(), PolynomialBlock::zero());
                for i in 0..LANES {
                    let shift = centre[i] - middle_node[i];
                    let half = 0.5 * (most[i] - least[i]);
                    let narrow = is_narrow(half, centre[i]);
                    // This cubic passes through the ends and touches φ midway.
                    let (even, odd) = (0.5 * (top[i] + bottom[i]), 0.5 * (bottom[i] - top[i]));
                    let (value, slope, inverse) = (middle_value[i], middle_slope[i], 1.0 / half);
                    let second = (even - value) * inverse * inverse;
                    let third = (odd * inverse - slope) * inverse * inverse;
                    above.put_cubic(i, [value, slope, second, third], shift, narrow, top[i]);
                    // This cubic touches φ on both sides of the middle, at a distance of t.
                    let t = 0.5 * (far_node[i] - near_node[i]);
                    let (even, odd) = (0.5 * (far_value[i] + near_value[i]), 0.5 * (far_value[i] - near_value[i]));
                    let (bend, tilt) = (0.5 * (far_slope[i] - near_slope[i]), 0.5 * (far_slope[i] + near_slope[i]));
                    let inverse = 1.0 / t;
                    let second = 0.5 * bend * inverse;
                    let third = 0.5 * (tilt - odd * inverse) * inverse * inverse;
                    let first = odd * inverse - third * t * t;
                    below.put_cubic(i, [even - second * t * t, first, second, third], shift, narrow, bottom[i]);
                }
                upper.put(b, above);
                lower.put(b, below);
            }
        });
    }
}
