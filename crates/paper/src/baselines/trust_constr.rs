//! An interior point method in a trust region, for smooth functions over a box with rows (in the spirit of Byrd, Hribar
//! and Nocedal, 1999, whose method SciPy calls trust-constr).
//!
//! In the unit cube y = (x − l)/(u − l), with one elastic variable t_i ≥ 0 per row and the slacks
//!
//! > s(y, t): y_j, 1 − y_j, w_i(c_i(x) − lower_i) + t_i, w_i(upper_i − c_i(x)) + t_i, t_i,
//!
//! each barrier problem is φ(z) = f + ν Σ t − μ Σ log s, z = (y, t). There is always a z with s > 0, whatever the start
//! and also under equalities, every iterate has s > 0, and φ alone judges a step. The elastic variables vanish once
//! their price ν exceeds the rows' multipliers; ν is raised until they vanish.
//!
//! A step minimises the primal-dual model ∇φᵀd + ½ dᵀ(H + Σ (λ/s) ∇s ∇sᵀ)d in the ellipsoid dᵀ(I + Σ ∇s ∇sᵀ/s²)d <= Δ²,
//! in which a step of length below 1 leaves no linear slack negative. H is the damped BFGS approximation of the
//! Lagrangian's Hessian (Powell, 1978), so that the model is convex and one multiplier ρ ≥ 0 finds the minimum; λ
//! follows Newton's method. μ falls by a factor of 5 at least as soon as the optimality conditions hold to 10μ, until
//! at a hundredth of the tolerance they have to hold to the tolerance itself.

mod cholesky;
mod program;

use super::Settings;
use cholesky::Cholesky;
use fathom_global::local::{Ending, Halted, Objective, Rest};
use program::{Point, Program};

/// The first μ; SciPy's.
const FIRST_BARRIER: f64 = 0.1;
/// The part of the way to the nearest face that a step may go.
const FRACTION: f64 = 0.995;
/// The least part of the predicted decrease that counts as success.
const SUFFICIENT: f64 = 1e-4;
/// Differences of φ below this part of its size may be rounding, which an ill-conditioned covariance matrix magnifies.
/// The slope of φ, which is still known well, then judges a step.
const ROUNDING: f64 = 1e-10;
/// A radius below this contains no step that floating point resolves.
const LEAST_RADIUS: f64 = 1e-13;
/// λ s stays within this factor of μ, so that the model stays close to φ.
const DUAL_RANGE: f64 = 1e8;
/// A price ν beyond this means that the rows cannot hold.
const MOST_PRICE: f64 = 1e10;

pub(super) fn run(objective: &Objective<'_>, start: &[f64], settings: &Settings) -> Rest {
    objective.begin();
    let program = Program::new(objective, start);
    let mut iterations = 0;
    match Descent::new(&program, start, settings.tolerance).and_then(|mut descent| {
        while iterations < settings.iterations {
            if let Some(ending) = descent.step()? {
                return Ok((descent, ending));
            }
            iterations += 1;
        }
        Ok((descent, Ending::IterationLimit))
    }) {
        Ok((descent, ending)) => Rest { x: program.place(&descent.at.z), iterations, ending },
        Err(halted) => objective.cut_short(halted, start, iterations),
    }
}

/// The state of the method.
struct Descent<'o, 'a> {
    program: &'o Program<'o, 'a>,
    tolerance: f64,
    at: Point,
    /// λ, one per slack.
    dual: Vec<f64>,
    /// H, of the y alone; the t are linear.
    hessian: Vec<f64>,
    /// Whether H is still the first guess.
    untouched: bool,
    mu: f64,
    nu: f64,
    radius: f64,
}

impl<'o, 'a> Descent<'o, 'a> {
    fn new(program: &'o Program<'o, 'a>, start: &[f64], tolerance: f64) -> Result<Self, Halted> {
        let at = program.point(program.interior(start))?;
        let (dim, mu) = (program.sides(), FIRST_BARRIER);
        let steepest = at.gradient.iter().fold(1.0_f64, |most, g| most.max(g.abs()));
        let dual = at.slacks.iter().map(|s| mu / s).collect();
        let mut hessian = vec![0.0; dim * dim];
        (0..dim).for_each(|j| hessian[j * dim + j] = 1.0);
        Ok(Self { program, tolerance, at, dual, hessian, untouched: true, mu, nu: 10.0 * steepest, radius: 1.0 })
    }

    /// Takes one trial step; says how the descent ended, if it ended.
    fn step(&mut self) -> Result<Option<Ending>, Halted> {
        if let Some(ending) = self.tighten() {
            return Ok(Some(ending));
        }
        let Some((direction, decrease, length)) = self.model_step() else {
            return Ok(Some(Ending::Stalled));
        };
        let z: Vec<f64> = self.at.z.iter().zip(&direction).map(|(z, d)| z + d).collect();
        let next = match self.program.is_interior(&z) {
            true => Some(self.program.point(z)?),
            false => None,
        };
        let here = self.barrier(&self.at);
        let actual = next.as_ref().map_or(f64::NEG_INFINITY, |next| here - self.barrier(next));
        let blurred = actual.abs().max(decrease) <= ROUNDING * (1.0 + here.abs());
        let ratio = match &next {
            Some(next) if blurred => f64::from(u8::from(self.slope(next) < self.slope(&self.at))),
            Some(_) | None => actual / decrease,
        };
        if let Some(next) = next.filter(|_| ratio >= SUFFICIENT) {
            self.accept(next, &direction);
        }
        if !(ratio >= 0.25) {
            self.radius = 0.3 * length.min(self.radius);
        } else if ratio > 0.75 && length > 0.8 * self.radius {
            self.radius = (2.5 * self.radius).min(1e4);
        }
        Ok(None)
    }

    /// Lowers μ while its barrier problem is solved, raises ν if rows stay violated, and says when the method is done.
    fn tighten(&mut self) -> Option<Ending> {
        let last = 0.01 * self.tolerance;
        loop {
            let solved = self.optimality() <= if self.mu > last { 10.0 * self.mu } else { self.tolerance };
            let stuck = self.radius < LEAST_RADIUS;
            if !(solved || stuck) {
                return None;
            }
            if self.mu > last {
                self.mu = (0.2 * self.mu).min(self.mu.powf(1.5)).max(last);
                self.radius = self.radius.max(1.0);
                continue;
            }
            if self.program.elastic(&self.at.z) <= self.tolerance {
                return Some(if solved { Ending::Converged } else { Ending::Stalled });
            }
            if self.nu > MOST_PRICE {
                return Some(Ending::Stalled);
            }
            (self.nu, self.mu, self.radius) = (10.0 * self.nu, FIRST_BARRIER, 1.0);
            self.dual = self.at.slacks.iter().map(|s| self.mu / s).collect();
        }
    }

    /// The largest violation of ∇f + ν∇Σt = Σ λ∇s and λs = μ.
    fn optimality(&self) -> f64 {
        let stationarity = self.lagrangian_gradient(&self.at).into_iter().map(f64::abs);
        let complementarity = self.at.slacks.iter().zip(&self.dual).map(|(s, dual)| (s * dual - self.mu).abs());
        stationarity.chain(complementarity).fold(0.0, f64::max)
    }

    /// ∇(f + ν Σ t − Σ λ s) with the present λ.
    fn lagrangian_gradient(&self, point: &Point) -> Vec<f64> {
        let mut gradient = self.priced_gradient(point);
        for (row, dual) in point.jacobian.iter().zip(&self.dual) {
            gradient.iter_mut().zip(row).for_each(|(g, a)| *g -= dual * a);
        }
        gradient
    }

    fn priced_gradient(&self, point: &Point) -> Vec<f64> {
        let mut gradient = point.gradient.clone();
        gradient[self.program.sides()..].fill(self.nu);
        gradient
    }

    /// φ.
    fn barrier(&self, point: &Point) -> f64 {
        let elastic: f64 = point.z[self.program.sides()..].iter().sum();
        point.value + self.nu * elastic - self.mu * point.slacks.iter().map(|s| s.ln()).sum::<f64>()
    }

    /// The largest entry of ∇φ.
    fn slope(&self, point: &Point) -> f64 {
        let mut gradient = self.priced_gradient(point);
        for (row, s) in point.jacobian.iter().zip(&point.slacks) {
            gradient.iter_mut().zip(row).for_each(|(g, a)| *g -= self.mu / s * a);
        }
        gradient.into_iter().map(f64::abs).fold(0.0, f64::max)
    }

    /// The step, the decrease that the model predicts, and the step's length in the trust region's norm.
    fn model_step(&self) -> Option<(Vec<f64>, f64, f64)> {
        let (dim, sides) = (self.at.z.len(), self.program.sides());
        let (mut model, mut metric) = (vec![0.0; dim * dim], vec![0.0; dim * dim]);
        let mut gradient = self.priced_gradient(&self.at);
        for j in 0..sides {
            model[j * dim..j * dim + sides].copy_from_slice(&self.hessian[j * sides..(j + 1) * sides]);
            metric[j * dim + j] = 1.0;
        }
        for ((row, s), dual) in self.at.jacobian.iter().zip(&self.at.slacks).zip(&self.dual) {
            for j in (0..dim).filter(|j| row[*j] != 0.0) {
                gradient[j] -= self.mu / s * row[j];
                for k in 0..dim {
                    model[j * dim + k] += dual / s * row[j] * row[k];
                    metric[j * dim + k] += row[j] * row[k] / (s * s);
                }
            }
        }
        let mut direction = self.within_radius(&model, &metric, &gradient)?;
        let reach = self.reach(&direction);
        direction.iter_mut().for_each(|d| *d *= reach);
        let slope: f64 = gradient.iter().zip(&direction).map(|(g, d)| g * d).sum();
        let decrease = -slope - 0.5 * form(&model, &direction);
        Some((direction.clone(), decrease, form(&metric, &direction).sqrt()))
    }

    /// The minimiser of the model in the trust region, found by the multiplier ρ of the radius.
    fn within_radius(&self, model: &[f64], metric: &[f64], gradient: &[f64]) -> Option<Vec<f64>> {
        let trial = |rho: f64| -> Option<(Vec<f64>, f64)> {
            let shifted: Vec<f64> = model.iter().zip(metric).map(|(b, m)| b + rho * m).collect();
            let mut direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
            Cholesky::new(shifted, gradient.len())?.solve(&mut direction);
            let length = form(metric, &direction).sqrt();
            length.is_finite().then_some((direction, length))
        };
        if let Some((direction, _)) = trial(0.0).filter(|(_, length)| *length <= self.radius) {
            return Some(direction);
        }
        // The length falls as ρ grows: bracket by factors of 10, then halve the bracket on a logarithmic scale.
        let mut high = 1e-10 * self.mu.min(1.0);
        let mut found = loop {
            if high > 1e30 {
                return None;
            }
            match trial(high).filter(|(_, length)| *length <= self.radius) {
                Some(found) => break found,
                None => high *= 10.0,
            }
        };
        let mut low = 0.1 * high;
        for _ in 0..20 {
            if found.1 >= 0.9 * self.radius {
                break;
            }
            let middle = (low * high).sqrt();
            match trial(middle).filter(|(_, length)| *length <= self.radius) {
                Some(better) => (found, high) = (better, middle),
                None => low = middle,
            }
        }
        Some(found.0)
    }

    /// How far along `direction` all slacks stay positive to first order, at most 1.
    fn reach(&self, direction: &[f64]) -> f64 {
        let slopes = self.at.jacobian.iter().map(|row| dot(row, direction));
        let limits =
            slopes.zip(&self.at.slacks).filter(|(slope, _)| *slope < 0.0).map(|(slope, s)| FRACTION * s / -slope);
        limits.fold(1.0, f64::min)
    }

    fn accept(&mut self, next: Point, direction: &[f64]) {
        // A Newton step on λs = μ, with s linear along the step, as far as λ stays positive.
        let wanted: Vec<f64> = (0..self.dual.len())
            .map(|i| {
                let (s, dual) = (self.at.slacks[i], self.dual[i]);
                (self.mu - dual * dot(&self.at.jacobian[i], direction)) / s - dual
            })
            .collect();
        let pairs = || wanted.iter().zip(&self.dual);
        let limits = pairs().filter(|(change, _)| **change < 0.0).map(|(change, dual)| FRACTION * dual / -change);
        let reach = limits.fold(1.0, f64::min);
        for i in 0..self.dual.len() {
            let central = self.mu / next.slacks[i];
            self.dual[i] = (self.dual[i] + reach * wanted[i]).clamp(central / DUAL_RANGE, central * DUAL_RANGE);
        }
        let (before, after) = (self.lagrangian_gradient(&self.at), self.lagrangian_gradient(&next));
        let sides = self.program.sides();
        let change: Vec<f64> = (0..sides).map(|j| after[j] - before[j]).collect();
        let moved: Vec<f64> = (0..sides).map(|j| next.z[j] - self.at.z[j]).collect();
        self.update_hessian(&moved, &change);
        self.at = next;
    }

    /// BFGS with Powell's damping: the change is mixed with Hs until its curvature is a fifth of sᵀHs.
    fn update_hessian(&mut self, moved: &[f64], change: &[f64]) {
        let (dim, squared) = (moved.len(), dot(moved, moved));
        let curvature = dot(moved, change);
        if !(squared > f64::MIN_POSITIVE) {
            return;
        }
        if std::mem::take(&mut self.untouched) && curvature > 0.0 {
            // The first guess gets the usual scale: the latest curvature.
            let scale = (dot(change, change) / curvature).clamp(1e-3, 1e6);
            (0..dim).for_each(|j| self.hessian[j * dim + j] = scale);
        }
        let image: Vec<f64> = (0..dim).map(|j| dot(&self.hessian[j * dim..(j + 1) * dim], moved)).collect();
        let along = dot(moved, &image);
        let share = if curvature >= 0.2 * along { 1.0 } else { 0.8 * along / (along - curvature) };
        let mixed: Vec<f64> = (0..dim).map(|j| share * change[j] + (1.0 - share) * image[j]).collect();
        let damped = dot(moved, &mixed);
        if !(along > 0.0 && damped > 0.0) {
            return;
        }
        for j in 0..dim {
            for k in 0..dim {
                self.hessian[j * dim + k] += mixed[j] * mixed[k] / damped - image[j] * image[k] / along;
            }
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// dᵀAd, A by rows.
fn form(matrix: &[f64], d: &[f64]) -> f64 {
    matrix.chunks(d.len()).zip(d).map(|(row, scale)| scale * dot(row, d)).sum()
}
