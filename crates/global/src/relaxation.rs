//! The lower bound of the acquisition function on a box, for any multiplier g.
//!
//! **In g.** For any g, with m_g(x) = Σ g_i k(x, x_i) (the Lagrangian dual of the LCB in k, or Cauchy–Schwarz in the
//! RKHS):
//!
//! ```text
//! LCB(x) ≥ m + m_g(x) + root(g),    root(g) = −σ_f sqrt(κ² + (g − a)ᵀK̂(g − a))
//! ```
//!
//! **On the box.** Centre c, half-widths w, tb = Σw²/2, z' = z − c, d_i = z_i − c. In s = ‖z − z_i‖² every stationary
//! kernel has φ''' ≤ 0, so the quadratic through φ at a double node s_a and a simple node s_b bounds it from above if
//! s_b = s⁻ (for g_i < 0) and from below if s_b = s⁺ (for g_i > 0) on the exact range [s⁻, s⁺]. About
//! s_c = |d_i|² + tb it is A + BΔ + ΓΔ² with Δ = τ − 2dᵀz', τ = |z'|² − tb in [−tb, tb]. Summed over i:
//!
//! ```text
//! c0 = root + Σ g_i (A_i − B_i tb)      b = −2 Σ g_i B_i d_i       q = Σ g_i B_i
//! H  = 2q I + 8 Σ g_i Γ_i d_i d_iᵀ − 4ρ V Vᵀ                       V = Σ g_i Γ_i d_i,  S = Σ g_i Γ_i
//! LCB ≥ c0 − 2 tb²/ρ − tb² max(0, −S) + bᵀz' + ½ z'ᵀH z'           ρ = 1.2 tb / Σ|V_j| w_j
//! ```
//!
//! (AM–GM on the mixed term −4τVᵀz'.) **Rounding.** No term of these sums exceeds a small multiple of |g_i| φ(s_i⁻), so
//! a multiple of ε Σ|g_i| φ(s_i⁻) covers them all; it is taken off at the end.

use crate::problem::{MOST_INPUTS, Problem};
use crate::quadratic::{Quadratic, Separable, Vector};
use fathom_gp::lanes::{axpy, dot, sum, widest};

/// Where the double node sits in the range, from the simple node; 0.75 is minimax for constant φ'''.
const NODE: f64 = 0.7;

/// The weight of the AM–GM split; 1 is optimal at one corner, a little more is better on the whole box.
const SPLIT: f64 = 1.2;

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

/// The quadratic bounds of every kernel on one box, ready for any g.
#[derive(Debug, Clone)]
pub(crate) struct Relaxation {
    dim: usize,
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
    upper: Hermite,
    lower: Hermite,
    /// Per point, for the g at hand: g B, g Γ, and g Γ d_j.
    slopes: Vec<f64>,
    curves: Vec<f64>,
    products: Vec<f64>,
    sizes: Vec<f64>,
    pub quadratic: Quadratic,
}

/// A, B, Γ of each point.
#[derive(Debug, Clone)]
struct Hermite {
    value: Vec<f64>,
    slope: Vec<f64>,
    curve: Vec<f64>,
    node: Vec<f64>,
}

impl Hermite {
    fn new(n: usize) -> Self {
        let zeros = vec![0.0; n];
        Self { value: zeros.clone(), slope: zeros.clone(), curve: zeros.clone(), node: zeros }
    }

    /// From φ and φ' at the double nodes (in `value`, `slope`), φ at the simple nodes, and the expansion points.
    #[inline(always)]
    fn expand(&mut self, simple: &[f64], simple_value: &[f64], centre: &[f64]) {
        for i in 0..simple.len() {
            let step = simple[i] - self.node[i];
            let excess = simple_value[i] - self.value[i] - self.slope[i] * step;
            // A range too narrow to divide by: the simple node's value bounds φ on it up to rounding.
            let narrow = step * step <= 1e-20 * (1.0 + centre[i] * centre[i]);
            let curve = if narrow { 0.0 } else { (excess / (step * step)).max(0.0) };
            let shift = centre[i] - self.node[i];
            let value = self.value[i] + shift * (self.slope[i] + curve * shift);
            let slope = self.slope[i] + 2.0 * curve * shift;
            self.value[i] = if narrow { simple_value[i] } else { value };
            self.slope[i] = if narrow { 0.0 } else { slope };
            self.curve[i] = curve;
        }
    }
}

impl Relaxation {
    pub fn new(problem: &Problem<'_>) -> Self {
        let (n, dim) = (problem.size(), problem.dim());
        let zeros = vec![0.0; n];
        Self {
            dim,
            half_square: 0.0,
            half: [0.0; MOST_INPUTS],
            offsets: vec![zeros.clone(); dim],
            least: zeros.clone(),
            most: zeros.clone(),
            centre: zeros.clone(),
            top: zeros.clone(),
            bottom: zeros.clone(),
            upper: Hermite::new(n),
            lower: Hermite::new(n),
            slopes: zeros.clone(),
            curves: zeros.clone(),
            products: zeros.clone(),
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
        let (dim, n) = (self.dim, problem.size());
        self.half = on.half;
        self.half_square = 0.5 * on.half[..dim].iter().map(|w| w * w).sum::<f64>();
        let Self { offsets, least, most, centre, half_square, upper, lower, .. } = self;
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
            for i in 0..n {
                let range = most[i] - least[i];
                upper.node[i] = least[i] + NODE * range;
                lower.node[i] = most[i] - NODE * range;
            }
        });
        let kernel = problem.kernel;
        kernel.values(&self.least, &mut self.top);
        kernel.values(&self.most, &mut self.bottom);
        kernel.values_and_slopes(&self.upper.node, &mut self.upper.value, &mut self.upper.slope);
        kernel.values_and_slopes(&self.lower.node, &mut self.lower.value, &mut self.lower.slope);
        let Self { least, most, top, bottom, centre, upper, lower, .. } = self;
        widest(|| {
            upper.expand(least, top, centre);
            lower.expand(most, bottom, centre);
        });
    }

    /// The bound for `g`, as a quadratic on the cube [−1, 1]^D, its minorant in `out`. `root` is root(g), rounded down.
    pub fn bound(&mut self, problem: &Problem<'_>, g: &[f64], root: f64, out: &mut Separable) -> f64 {
        let (dim, n) = (self.dim, g.len());
        let tb = self.half_square;
        let Self { offsets, top, upper, lower, slopes, curves, products, sizes, quadratic, half, .. } = self;
        widest(|| {
            for i in 0..n {
                let positive = g[i] > 0.0;
                let value = if positive { lower.value[i] } else { upper.value[i] };
                let slope = if positive { lower.slope[i] } else { upper.slope[i] };
                let curve = if positive { lower.curve[i] } else { upper.curve[i] };
                slopes[i] = g[i] * slope;
                curves[i] = g[i] * curve;
                products[i] = g[i] * (value - slope * tb);
                sizes[i] = g[i].abs() * top[i];
            }
            let (constant, magnitude, q, s) = (sum(products), sum(sizes), sum(slopes), sum(curves));
            let mut v = [0.0; MOST_INPUTS];
            for j in 0..dim {
                quadratic.linear[j] = -2.0 * half[j] * dot(slopes, &offsets[j]);
                v[j] = half[j] * dot(curves, &offsets[j]);
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
            }
            let mixed: f64 = v[..dim].iter().map(|v| v.abs()).sum();
            let mut error = tb * tb * (-s).max(0.0);
            if mixed > 1e-300 {
                let rho = SPLIT * tb / mixed;
                error += 2.0 * tb * tb / rho;
                for j in 0..dim {
                    for k in 0..dim {
                        quadratic.matrix[j][k] -= 4.0 * rho * v[j] * v[k];
                    }
                }
            }
            for j in 0..dim {
                quadratic.matrix[j][j] += 2.0 * q * half[j] * half[j];
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
        });
        self.quadratic.minorant(out);
        out.value
    }

    /// The i-th quadratic bounds at the point `x` of the cube: the values that the bound for `g` minimised over.
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
                *out = problem.variance * (value + *out * (slope + *out * curve));
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
            let gap = (self.upper.curve[i] - self.lower.curve[i]).max(0.0);
            let weight = g[i].abs() * gap * (self.most[i] - self.least[i]);
            for j in 0..self.dim {
                score[j] += weight * self.offsets[j][i].abs() * self.half[j];
            }
        }
        score
    }
}
