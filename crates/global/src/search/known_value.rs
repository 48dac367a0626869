//! Whether a value can be claimed. Floating point knows little of a value if weights cancel, or if the variance is a
//! difference of numbers much larger than itself.

use crate::problem::{Evaluator, Incumbent, Piece, Problem};
use crate::rounding;
use fathom_gp::lanes::dot;
use fathom_gp::{Criterion, PwlAcquisition};

/// The most rounding error of a claimed value, as a share of the prior deviation or of the value; a tenth of what a
/// checker allows.
const SHARE: f64 = 1e-7;

/// The same share for an improvement criterion's value.
const SHARE_OF_IMPROVEMENT: f64 = 1e-4;

/// How far a value may be from a more careful evaluation, as a share of the value and the prior deviation; a fifth of what a
/// checker allows.
const SHARE_OF_EVALUATION: f64 = 2e-10;

/// Approximately how far rounding may move the mean and the variance at a point.
struct Rounding {
    mean: f64,
    variance: f64,
}

impl Rounding {
    fn at(problem: &Problem<'_>, covariances: &[f64], eta: &[f64], prior: f64) -> Self {
        let sizes = |v: &[f64]| v.iter().map(|v| v.abs()).sum::<f64>();
        let tables = problem.objective();
        let n = problem.size() as f64;
        let farther = (prior / tables.largest_covariance).max(1.0);
        let entry = farther * rounding::product_entry(n, tables.largest_entry(), tables.covariance_error);
        let total = sizes(eta);
        let missing = |(k, product): (&f64, f64)| (k - product).abs() + entry * (total + 1.0);
        let products = tables.covariance.times(eta);
        let missing: f64 = covariances.iter().zip(products).map(missing).map(|r| r * r).sum();
        let rest = missing / tables.least_eigenvalue;
        let of_piece = |piece: &Piece| {
            total * piece.residual + (rest * piece.residual_energy).sqrt() + entry * sizes(&piece.weights)
        };
        Self {
            mean: problem.pieces.iter().map(of_piece).fold(0.0, f64::max),
            variance: rest + entry * total * (total + 2.0) + rounding::CENTRAL_PRIOR * prior,
        }
    }
}

/// Under the piecewise-linear kernel: whether the value is that of a more careful evaluation. The inverse of K̃ that the function
/// is evaluated with can be off by more than a checker allows; here one step of refinement makes the error one of second order.
fn is_evaluated_well(problem: &Problem<'_>, function: &PwlAcquisition<'_>, best: &Incumbent) -> bool {
    let (tables, approximate) = (problem.objective(), function.posterior());
    let covariances = approximate.pwl().cross(approximate.exact().x(), &best.x);
    let (Ok(covariances), Ok(prior)) = (covariances, approximate.pwl().prior_variance(&best.x)) else { return false };
    let missing = |eta: &[f64]| -> Vec<f64> {
        covariances.iter().zip(tables.covariance.times(eta)).map(|(k, product)| k - product).collect()
    };
    let mut eta = tables.inverse.times(&covariances);
    let correction = tables.inverse.times(&missing(&eta));
    eta.iter_mut().zip(&correction).for_each(|(eta, correction)| *eta += correction);
    // 2ηᵀk − ηᵀK̃η.
    let variance = prior - dot(&eta, &covariances) - dot(&eta, &missing(&eta));
    let means: Vec<f64> = problem.pieces.iter().map(|piece| mean(piece, &covariances)).collect();
    let bound = |(piece, mean): (&Piece, &f64)| mean - piece.kappa * variance.max(0.0).sqrt();
    let least = problem.pieces.iter().zip(&means).map(bound).fold(f64::INFINITY, f64::min);
    // The generalised LCB's prior means are further apart than its width, which lowers the least piece.
    let excess = match (problem.acquisition().criterion(), &problem.pieces[..]) {
        (Criterion::Glcb { .. }, [low, high, ..]) => {
            let width = 0.5 * (high.offset - low.offset);
            let further =
                (rounding::WIDTH_UP - 1.0) * width + rounding::WIDTH * (problem.unit + low.offset.abs() + width);
            1.2 * further * (means[1] - means[0]).abs() / (2.0 * width)
        }
        _ => 0.0,
    };
    let share = SHARE_OF_EVALUATION * (least.abs() + prior.max(0.0).sqrt());
    least - share <= best.value && best.value <= least + excess + share
}

/// The mean of a piece at a point with these covariances.
fn mean(piece: &Piece, covariances: &[f64]) -> f64 {
    piece.offset + dot(&piece.weights, covariances)
}

/// Whether rounding leaves the value of the best point known.
pub(crate) fn is_known(problem: &Problem<'_>, best: &Incumbent) -> bool {
    if let Evaluator::PiecewiseLinear(function) = problem.evaluator()
        && !is_evaluated_well(problem, function, best)
    {
        return false;
    }
    let posterior = problem.acquisition().posterior();
    let mut covariances = vec![0.0; problem.size()];
    let prior = if let Evaluator::PiecewiseLinear(function) = problem.evaluator() {
        let pwl = function.posterior().pwl();
        let (Ok(cross), Ok(prior)) = (pwl.cross(posterior.x(), &best.x), pwl.prior_variance(&best.x)) else {
            return false;
        };
        covariances = cross;
        prior
    } else {
        posterior.model().covariance.cross(posterior.x(), &best.x, &mut covariances);
        posterior.model().covariance.prior_variance(&best.x)
    };
    let eta = problem.objective().inverse.times(&covariances);
    let rounding = Rounding::at(problem, &covariances, &eta, prior);
    let variance = (prior - dot(&covariances, &eta)).max(0.0);
    let root = |variance: f64| variance.max(0.0).sqrt();
    let (low, high) = (root(variance - rounding.variance), root(variance + rounding.variance));
    let Some(improvement) = problem.improvement else {
        let kappa = problem.pieces.iter().map(|piece| piece.kappa).fold(0.0, f64::max);
        // The pieces of the generalised LCB leave room for the checker's knowledge of the imprecision.
        let lowest = |piece: &Piece| mean(piece, &covariances) - piece.kappa * variance.sqrt();
        let room = match problem.acquisition().criterion() {
            Criterion::Glcb { .. } => {
                (problem.pieces.iter().map(lowest).fold(f64::INFINITY, f64::min) - best.value).abs()
            }
            Criterion::Lcb { .. }
            | Criterion::Mean
            | Criterion::Deviation
            | Criterion::Ei { .. }
            | Criterion::LogEi { .. }
            | Criterion::Pi { .. } => 0.0,
        };
        return rounding.mean + kappa * (high - low) + room <= SHARE * (best.value.abs() + prior.max(0.0).sqrt());
    };
    let mean = posterior.predict(&best.x).map_or(f64::NAN, |prediction| prediction.mean);
    // A checker always allows itself a little more than rounding.
    let of_mean = rounding.mean + 2e-9 * (mean.abs() + prior.sqrt());
    let of_deviation = 2e-9 * prior.sqrt();
    let corner = |mean: f64, deviation: f64| improvement.value(mean, deviation.max(0.0));
    let corners = [-1.0, 1.0].map(|sign| {
        [low - of_deviation, high + of_deviation].map(|deviation| corner(mean + sign * of_mean, deviation))
    });
    let spread = corners.iter().flatten().map(|value| (value - best.value).abs()).fold(0.0, f64::max);
    let is_positive = low > of_deviation;
    let size = if improvement.is_logarithm() { 1.0 + best.value.abs() } else { best.value.abs() };
    is_positive && spread <= SHARE_OF_IMPROVEMENT * size
}
