//! The lower bound of the acquisition function on a box, for any multiplier g.
//!
//! **In g.** For any g, with m_g(x) = Σ g_i k(x, x_i) (the Lagrangian dual of the LCB in k, or Cauchy–Schwarz in the
//! RKHS):
//!
//! ```text
//! LCB(x) ≥ m + m_g(x) + root(g),    root(g) = −σ_f sqrt(κ² + (g − a)ᵀK̂(g − a))
//! ```
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
//! constant   root + Σ g (A − B tb)
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
//! **Rounding.** No term of these sums exceeds |g_i| times the size of its polynomial's terms on the range, so a
//! multiple of ε of their sum covers them all; it is taken off at the end.

use crate::problem::{MOST_INPUTS, Problem};
use crate::proof::Order;
use crate::quadratic::{Quadratic, Vector};
use fathom_gp::lanes::{axpy, dot, sum, widest};

/// Where the double node of order 2 sits in the range, from the simple node; 0.75 is minimax for constant φ'''.
const NODE: f64 = 0.7;

/// Where the inner double nodes of order 3 sit, from the middle, in half ranges: minimax for constant φ''''.
const INNER: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// A box in scaled coordinates: centre and half-widths, rounded so that it contains the box it stands for.
#[derive(Debug, Clone)]
pub(crate) struct ScaledBox {
    pub centre: Vector,
    pub half: Vector,
}

impl ScaledBox {
    pub fn new(problem: &Problem<'_>, lower: &[f64], upper: &[f64]) -> Self {
        let mut scaled = Self { centre: [0.0; MOST_INPUTS], half: [0.0; MOST_INPUTS] };
        for j in 0..problem.dim() {
            let (low, high, l) = (lower[j], upper[j], problem.lengthscales[j]);
            scaled.centre[j] = 0.5 * (low + high) / l;
            let reach = 0.5 * (high - low) / l;
            let rounding = 4.0 * f64::EPSILON * (low.abs().max(high.abs()) / l + reach);
            scaled.half[j] = reach + rounding + f64::MIN_POSITIVE;
        }
        scaled
    }
}

/// The polynomial bounds of every kernel on one box, ready for any g.
#[derive(Debug, Clone)]
pub(crate) struct Relaxation {
    dim: usize,
    order: Order,
    /// tb.
    half_square: f64,
    half: Vector,
    /// d_i by columns.
    offsets: Vec<Vec<f64>>,
    least: Vec<f64>,
    most: Vec<f64>,
    centre: Vec<f64>,
    /// φ(s⁻), φ(s⁺).
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
    pub quadratic: Quadratic,
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

    fn evaluate(&mut self, problem: &Problem<'_>) {
        problem.kernel.values_and_slopes(&self.node, &mut self.value, &mut self.slope);
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
            let step = simple[i] - double.node[i];
            let excess = simple_value[i] - double.value[i] - double.slope[i] * step;
            let narrow = is_narrow(step, centre[i]);
            let curve = if narrow { 0.0 } else { (excess / (step * step)).max(0.0) };
            let shift = centre[i] - double.node[i];
            let value = double.value[i] + shift * (double.slope[i] + curve * shift);
            let slope = double.slope[i] + 2.0 * curve * shift;
            self.value[i] = if narrow { simple_value[i] } else { value };
            self.slope[i] = if narrow { 0.0 } else { slope };
            self.curve[i] = curve;
        }
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

impl Relaxation {
    pub fn new(problem: &Problem<'_>) -> Self {
        let (n, dim) = (problem.size(), problem.dim());
        let zeros = vec![0.0; n];
        Self {
            dim,
            order: problem.order,
            half_square: 0.0,
            half: [0.0; MOST_INPUTS],
            offsets: vec![zeros.clone(); dim],
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
            quadratic: Quadratic::zero(dim),
        }
    }

    /// Half-widths of the box.
    pub fn half(&self) -> &Vector {
        &self.half
    }

    /// Moves to another box.
    pub fn place(&mut self, problem: &Problem<'_>, on: &ScaledBox) {
        let dim = self.dim;
        self.half = on.half;
        self.half_square = 0.5 * on.half[..dim].iter().map(|w| w * w).sum::<f64>();
        let Self { offsets, least, most, centre, half_square, .. } = self;
        widest(|| {
            least.fill(0.0);
            most.fill(0.0);
            centre.fill(*half_square);
            for j in 0..dim {
                let (c, w) = (on.centre[j], on.half[j]);
                for ((((z, d), least), most), centre) in
                    problem.columns[j].iter().zip(&mut offsets[j]).zip(&mut *least).zip(&mut *most).zip(&mut *centre)
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
        problem.kernel.values(&self.least, &mut self.top);
        problem.kernel.values(&self.most, &mut self.bottom);
        match self.order {
            Order::Two => self.interpolate_twice(problem),
            Order::Three => self.interpolate_thrice(problem),
        }
    }

    fn interpolate_twice(&mut self, problem: &Problem<'_>) {
        let Self { least, most, nodes, .. } = self;
        widest(|| {
            for i in 0..least.len() {
                let range = most[i] - least[i];
                nodes.near.node[i] = most[i] - NODE * range;
                nodes.far.node[i] = least[i] + NODE * range;
            }
        });
        nodes.near.evaluate(problem);
        nodes.far.evaluate(problem);
        let Self { least, most, top, bottom, centre, upper, lower, nodes, .. } = self;
        widest(|| {
            upper.quadratics(&nodes.far, least, top, centre);
            lower.quadratics(&nodes.near, most, bottom, centre);
        });
    }

    fn interpolate_thrice(&mut self, problem: &Problem<'_>) {
        let Self { least, most, nodes, .. } = self;
        widest(|| {
            for i in 0..least.len() {
                let (middle, half) = (0.5 * (least[i] + most[i]), 0.5 * (most[i] - least[i]));
                nodes.near.node[i] = middle - INNER * half;
                nodes.middle.node[i] = middle;
                nodes.far.node[i] = middle + INNER * half;
            }
        });
        nodes.near.evaluate(problem);
        nodes.middle.evaluate(problem);
        nodes.far.evaluate(problem);
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

    /// The bound for `g`, as a quadratic on the cube [−1, 1]^D in `quadratic`. `root` is root(g), rounded down.
    pub fn bound(&mut self, problem: &Problem<'_>, g: &[f64], root: f64) {
        widest(|| self.sum_up(problem, g, root));
    }

    #[inline(always)]
    fn sum_up(&mut self, problem: &Problem<'_>, g: &[f64], root: f64) {
        let (dim, n) = (self.dim, g.len());
        let tb = self.half_square;
        let Self { order, offsets, most, least, centre, top, upper, lower, .. } = self;
        let Self { slopes, curves, thirds, products, triples, sizes, quadratic, half, .. } = self;
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
        let mut error = tb * tb * (-s).max(0.0);
        let mut v = [0.0; MOST_INPUTS];
        for k in 0..dim {
            v[k] = -2.0 * half[k] * dot(curves, &offsets[k]);
            quadratic.linear[k] = -2.0 * half[k] * dot(slopes, &offsets[k]) - 2.0 * tb * v[k];
        }
        for j in 0..dim {
            for i in 0..n {
                products[i] = curves[i] * offsets[j][i];
            }
            for k in 0..=j {
                let entry = 8.0 * half[j] * half[k] * dot(products, &offsets[k]);
                quadratic.matrix[j][k] = entry;
                quadratic.matrix[k][j] = entry;
            }
            quadratic.matrix[j][j] += 2.0 * q * half[j] * half[j];
        }
        // C_jjk in pairs[j][k]; C_jkl of three different variables goes straight into the error.
        let mut pairs = [[0.0; MOST_INPUTS]; MOST_INPUTS];
        for j in 0..dim {
            for k in 0..dim {
                pairs[j][k] = 2.0 * half[j] * half[j] * v[k];
            }
        }
        if *order == Order::Three {
            error += tb * tb * tb * sum(thirds).abs();
            for j in 0..dim {
                for i in 0..n {
                    products[i] = thirds[i] * offsets[j][i];
                }
                error += tb * tb * 6.0 * half[j] * sum(products).abs();
                for k in 0..=j {
                    for i in 0..n {
                        triples[i] = products[i] * offsets[k][i];
                    }
                    let twice = if j == k { 1.0 } else { 2.0 };
                    error += tb * twice * 12.0 * half[j] * half[k] * sum(triples).abs();
                    for l in 0..=k {
                        let t = -8.0 * half[j] * half[k] * half[l] * dot(triples, &offsets[l]);
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
                quadratic.linear[k] += share * pairs[j][k];
                error += (1.0 - share) * pairs[j][k].abs();
            }
        }
        let unit = 64.0 * (n as f64 + 64.0) * f64::EPSILON + 4.0 * problem.kernel_error;
        let rounding = unit * problem.variance * magnitude + 8.0 * f64::EPSILON * root.abs();
        quadratic.constant = problem.offset + root + problem.variance * (constant - error);
        quadratic.uncertainty = rounding;
        quadratic.constant -= rounding + 8.0 * f64::EPSILON * problem.offset.abs();
        for j in 0..dim {
            quadratic.linear[j] *= problem.variance;
            for k in 0..dim {
                quadratic.matrix[j][k] *= problem.variance;
            }
        }
    }

    /// The i-th polynomial bounds at the point `x` of the cube: the values that the bound for `g` minimised over.
    pub fn atom(&self, problem: &Problem<'_>, g: &[f64], x: &Vector, out: &mut [f64]) {
        let dim = self.dim;
        let mut moved = [0.0; MOST_INPUTS];
        for j in 0..dim {
            moved[j] = x[j] * self.half[j];
        }
        let tau = moved[..dim].iter().map(|z| z * z).sum::<f64>() - self.half_square;
        let Self { offsets, upper, lower, .. } = self;
        widest(|| {
            out.fill(tau);
            for j in 0..dim {
                axpy(-2.0 * moved[j], &offsets[j], out);
            }
            for (i, out) in out.iter_mut().enumerate() {
                let positive = g[i] > 0.0;
                let value = if positive { lower.value[i] } else { upper.value[i] };
                let slope = if positive { lower.slope[i] } else { upper.slope[i] };
                let curve = if positive { lower.curve[i] } else { upper.curve[i] };
                let third = if positive { lower.third[i] } else { upper.third[i] };
                *out = problem.variance * (value + *out * (slope + *out * (curve + *out * third)));
            }
        });
    }

    /// k(c, x_i) at the centre of the box.
    pub fn at_centre(&self, problem: &Problem<'_>, out: &mut [f64]) {
        self.radial(problem, out);
        out.iter_mut().for_each(|k| *k *= problem.variance);
    }

    /// φ(|d_i|²) of every point.
    pub fn radial(&self, problem: &Problem<'_>, out: &mut [f64]) {
        for (squared, s) in out.iter_mut().zip(&self.centre) {
            *squared = (s - self.half_square).max(0.0);
        }
        for value in out {
            *value = problem.kernel.value(*value);
        }
    }

    /// d_ij of every point.
    pub fn offsets(&self, j: usize) -> &[f64] {
        &self.offsets[j]
    }

    /// How much each coordinate contributes to the looseness of the bound for `g`.
    pub fn looseness(&self, g: &[f64]) -> Vector {
        let mut score = [0.0; MOST_INPUTS];
        for i in 0..g.len() {
            let range = self.most[i] - self.least[i];
            let gap = match self.order {
                Order::Two => (self.upper.curve[i] - self.lower.curve[i]).max(0.0) * range,
                Order::Three => (self.upper.value[i] - self.lower.value[i]).max(0.0) / range,
            };
            let weight = g[i].abs() * gap;
            for j in 0..self.dim {
                score[j] += weight * self.offsets[j][i].abs() * self.half[j];
            }
        }
        score
    }
}
