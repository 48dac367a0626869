//! Models with known optima.

use fathom_miqp::{Expression, Kind, Model, Variable};

/// Six things; the best choice of at most fifteen kilograms is the fifth and the sixth, worth 17.7.
pub fn knapsack() -> Model {
    let mut model = Model::new();
    let weights = [3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
    let take: Vec<Variable> = (1..=6).map(|i| model.add_binary(&format!("take_{i}")).unwrap()).collect();
    model.add_row("weight", Expression::linear(take.iter().copied().zip(weights)).at_most(15.0)).unwrap();
    let worth = (0..6).map(|i| -(weights[i] + 0.3 * i as f64));
    model.minimise(Expression::linear(take.into_iter().zip(worth))).unwrap();
    model
}

/// 10 − xy − n on the ball of radius 3 outside the cylinder of radius 1, with minimum 5 at (2, 2, 1). Objective and rows are
/// nonconvex.
pub fn ball() -> Model {
    let mut model = Model::new();
    let x = model.add_variable("x", Kind::Continuous, 0.0, 3.0).unwrap();
    let y = model.add_variable("y", Kind::Continuous, 0.0, 3.0).unwrap();
    let n = model.add_variable("n", Kind::Integer, 0.0, 3.0).unwrap();
    model.add_row("ball", (x * x + y * y + n * n).at_most(9.0)).unwrap();
    model.add_row("hole", (x * x + y * y).at_least(1.0)).unwrap();
    model.minimise(-(x * y) - n + 10.0).unwrap();
    model
}

/// A model with every kind of bound, an unused variable, a fixed binary, a set, and rows of every sense.
pub fn everything() -> Model {
    let mut model = Model::new();
    let free = model.add_variable("free_1", Kind::Continuous, f64::NEG_INFINITY, f64::INFINITY).unwrap();
    let below = model.add_variable("below", Kind::Continuous, f64::NEG_INFINITY, -2.5).unwrap();
    let above = model.add_variable("above", Kind::Continuous, 1.5, f64::INFINITY).unwrap();
    model.add_variable("unused", Kind::Continuous, 2.0, 3.0).unwrap();
    let count = model.add_variable("count", Kind::Integer, -7.0, f64::INFINITY).unwrap();
    model.add_variable("fixed", Kind::Continuous, 0.1, 0.1).unwrap();
    model.add_variable("one", Kind::Binary, 1.0, 1.0).unwrap();
    let w: Vec<Variable> =
        (0..4).map(|j| model.add_variable(&format!("w_{j}"), Kind::Continuous, 0.0, 1.0).unwrap()).collect();
    model.add_sos2("w_order", &w).unwrap();
    model.add_row("share", Expression::linear(w.iter().map(|v| (*v, 1.0))).equal_to(1.0)).unwrap();
    model.add_row("tie", (free - below).equal_to(0.0)).unwrap();
    model.add_row("floor", (below + 0.5 * count).at_least(-6.0)).unwrap();
    model.add_row("mixed", (above * above + 2.0 * (above * w[0]) - count).at_most(9.25)).unwrap();
    let ends = 2.0 * w[0] + 2.0 * w[3] - w[1] - 1e-7 * w[2];
    model.minimise(free + count + above + ends).unwrap();
    model
}

/// The least value of [`everything`]: above = 1.5, count = −7, free_1 = below = −6 − count/2, w_1 = 1.
pub const EVERYTHING: f64 = -9.0;

/// The numbers of the hand-made instance below.
const DATA: [(f64, f64); 2] = [(0.2, 0.5), (0.9, -0.3)];
const LENGTHSCALE: f64 = 0.5;
/// The covariance of the two observations.
const K12: f64 = 0.3;
const SQRT_BETA: f64 = 2.0;
/// (R_j, k̃(R_j)): a Matérn 3/2 kernel to four digits.
const BREAKPOINTS: [(f64, f64); 6] =
    [(0.0, 1.0), (0.25, 0.9294), (0.5, 0.7848), (1.0, 0.4834), (1.5, 0.2677), (2.0, 0.1397)];

/// The inverse of the 2 × 2 covariance matrix, times `v`.
fn solve(v: [f64; 2]) -> [f64; 2] {
    let determinant = 1.0 - K12 * K12;
    [(v[0] - K12 * v[1]) / determinant, (v[1] - K12 * v[0]) / determinant]
}

/// Eq. (5) for two observations in one dimension, with the paper's names and with (5e) as piecewise-linear functions.
pub fn paper() -> Model {
    let mut model = Model::new();
    let x = model.add_variable("x_1", Kind::Continuous, 0.0, 1.0).unwrap();
    let mu = model.add_variable("mu", Kind::Continuous, -2.0, 2.0).unwrap();
    let sigma = model.add_variable("sigma", Kind::Continuous, 0.0, 1.0).unwrap();
    let r: Vec<Variable> =
        (1..=2).map(|i| model.add_variable(&format!("r_{i}"), Kind::Continuous, 0.0, 2.0).unwrap()).collect();
    let k: Vec<Variable> =
        (1..=2).map(|i| model.add_variable(&format!("K_{i}"), Kind::Continuous, 0.1397, 1.0).unwrap()).collect();
    let weights = solve([DATA[0].1, DATA[1].1]);
    model.add_row("mean", (weights[0] * k[0] + weights[1] * k[1] - mu).equal_to(0.0)).unwrap();
    let diagonal = solve([1.0, 0.0]);
    let form = diagonal[0] * (k[0] * k[0]) + 2.0 * diagonal[1] * (k[0] * k[1]) + diagonal[0] * (k[1] * k[1]);
    model.add_row("variance", (sigma * sigma + form).at_most(1.0)).unwrap();
    for i in 0..2 {
        let (at, scale) = (DATA[i].0, 1.0 / (LENGTHSCALE * LENGTHSCALE));
        let distance = scale * (x * x - 2.0 * at * x + at * at);
        model.add_row(&format!("distance_{}", i + 1), (r[i] * r[i] - distance).equal_to(0.0)).unwrap();
        model.add_pwl(&(i + 1).to_string(), r[i], k[i], &BREAKPOINTS).unwrap();
    }
    model.minimise(mu - SQRT_BETA * sigma).unwrap();
    model
}

/// The point of [`paper`] that belongs to one x.
pub fn paper_point(x: f64) -> Vec<f64> {
    let model = paper();
    let r = DATA.map(|(at, _)| (x - at).abs() / LENGTHSCALE);
    let k = r.map(|r| model.pwls()[0].value(r));
    let (alpha, beta) = (solve([DATA[0].1, DATA[1].1]), solve(k));
    let variance = 1.0 - k[0] * beta[0] - k[1] * beta[1];
    vec![x, alpha[0] * k[0] + alpha[1] * k[1], variance.max(0.0).sqrt(), r[0], r[1], k[0], k[1]]
}

/// The least value of [`paper`] on a grid.
pub fn paper_minimum() -> f64 {
    let model = paper();
    let value = |i: usize| model.objective_at(&paper_point(i as f64 / 1e5)).unwrap();
    (0..=100_000).map(value).fold(f64::INFINITY, f64::min)
}

/// A nonconvex quadratic program in `n` variables that solvers need long for.
pub fn hard(n: usize) -> Model {
    let mut model = Model::new();
    let x: Vec<Variable> =
        (0..n).map(|j| model.add_variable(&format!("x_{j}"), Kind::Continuous, -1.0, 1.0).unwrap()).collect();
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24) - 0.5
    };
    let mut form = Expression::default();
    for j in 0..n {
        for k in 0..=j {
            form += next() * (x[j] * x[k]);
        }
    }
    let sphere: Expression = x.iter().map(|v| *v * *v).sum();
    model.add_row("shell", sphere.at_least(n as f64 / 3.0)).unwrap();
    model.minimise(form).unwrap();
    model
}
