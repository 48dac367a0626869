//! One problem: the certified bound of each box beside the lowest value found in it.

use super::case::Case;
use super::row::Row;
use crate::spread::median;
use fathom_global::{CriterionName, Limits, Problem, Region, Stop, minimise};
use fathom_gp::{Acquisition, Criterion, Posterior};
use rand::RngExt as _;
use std::time::Instant;

/// Boxes of each problem.
pub(super) const BOXES: u64 = 20;

/// Values looked at in a box, before the descents from the lowest few.
const SAMPLES: usize = 100;
const DESCENTS: usize = 3;

/// The problem's row; a problem that cannot be set up says why.
pub(super) fn check(seed: u64, problem: u64) -> Row {
    let start = Instant::now();
    let mut case = Case::draw(seed, problem);
    let blank = Row {
        problem,
        seed,
        kernel: if case.is_sum { format!("sum of {}", case.kernel.name()) } else { case.kernel.name().into() },
        alpha: case.kernel.shape(),
        criterion: CriterionName::from(case.criterion).name().into(),
        kappa: if let Criterion::Lcb { kappa } = case.criterion { Some(kappa) } else { None },
        d: case.d,
        n: case.n,
        noise: case.noise,
        lengthscale: case.lengthscale,
        variance: case.variance,
        is_clustered: case.is_clustered,
        boxes: 0,
        bounded: 0,
        above: 0,
        violations: 0,
        excess: None,
        allowed: None,
        slack: None,
        seconds: 0.0,
        status: "checked".into(),
    };
    let row = match boxes(&mut case, blank.clone()) {
        Ok(row) => row,
        Err(error) => Row { status: format!("{error:#}"), ..blank },
    };
    Row { seconds: start.elapsed().as_secs_f64(), ..row }
}

fn boxes(case: &mut Case, mut row: Row) -> anyhow::Result<Row> {
    let posterior = case.posterior()?;
    let allowed = rounding(&posterior, case.criterion);
    row.allowed = Some(allowed);
    let mut slacks = Vec::new();
    for _ in 0..BOXES {
        let region = case.region(&posterior)?;
        let nodes = if case.rng.random() { 1 } else { case.rng.random_range(2..60) };
        let problem = Problem::new(&posterior, case.criterion, region.clone())?;
        let limits = Limits { gap: 0.0, nodes, seed: case.rng.random(), ..Limits::default() };
        let found = minimise(&problem, &limits, &Stop::new(false), |_| ())?;
        // The search's own best value is left out: its bound is below that whatever happens.
        let lowest = lowest(case, &posterior, &region)?;
        row.boxes += 1;
        let Some(bound) = found.lower_bound else { continue };
        judge(&mut row, bound, lowest, allowed);
        slacks.push(lowest - bound);
    }
    row.slack = median(slacks);
    Ok(row)
}

/// Counts a bound, by whether it is one.
fn judge(row: &mut Row, bound: f64, lowest: f64, allowed: f64) {
    let excess = bound - lowest;
    row.bounded += 1;
    // Said the other way round, so that a NaN is no bound either.
    row.above += u64::from(!(excess <= 0.0));
    row.violations += u64::from(!(excess <= allowed));
    row.excess = Some(row.excess.map_or(excess, |worst| if excess <= worst { worst } else { excess }));
}

/// How far rounding can move a value as we evaluate it: weights of size a cancel down to the value, and σ² is a
/// difference of numbers of size σ_f², off by cond · 2⁻⁵³ of it, σ by the root of that.
fn rounding(posterior: &Posterior, criterion: Criterion) -> f64 {
    let total: f64 = posterior.weights().iter().map(|a| a.abs()).sum();
    let variance = posterior.model().covariance.prior_variance(&vec![0.0; posterior.x().dim()]);
    let condition = (variance * posterior.y().len() as f64) / (posterior.model().noise + posterior.factor().jitter());
    let of_mean = 1e-12 * variance * total * condition.sqrt();
    let of_deviation = (variance * condition * 1e-15).sqrt();
    match criterion {
        Criterion::Mean => of_mean,
        Criterion::Lcb { kappa } => of_mean + kappa * of_deviation,
        Criterion::Deviation => of_deviation,
        // Its slopes in the mean and in the deviation are at most 1.
        Criterion::Ei { .. } => of_mean + of_deviation,
        Criterion::Glcb { .. } | Criterion::LogEi { .. } | Criterion::Pi { .. } => f64::NAN,
    }
}

/// The lowest of samples, corners, observations in the box and descents from the best of them.
fn lowest(case: &mut Case, posterior: &Posterior, region: &Region) -> anyhow::Result<f64> {
    let mut acquisition = Acquisition::new(posterior, case.criterion)?;
    let (lower, upper) = (region.lower(), region.upper());
    let rng = &mut case.rng;
    let mut points: Vec<Vec<f64>> = posterior.x().rows().filter(|x| region.contains(x)).collect();
    for _ in 0..SAMPLES {
        let is_corner = rng.random::<f64>() < 0.3;
        let mut side = |j: usize| {
            let share: f64 = if is_corner { f64::from(u8::from(rng.random::<bool>())) } else { rng.random() };
            (lower[j] + share * (upper[j] - lower[j])).clamp(lower[j], upper[j])
        };
        points.push((0..lower.len()).map(&mut side).collect());
    }
    let mut samples: Vec<(f64, Vec<f64>)> = points.into_iter().map(|x| (acquisition.value(&x), x)).collect();
    samples.sort_by(|a, b| a.0.total_cmp(&b.0));
    samples.truncate(DESCENTS);
    let descents = samples.into_iter().map(|(_, x)| descend(&mut acquisition, region, x));
    Ok(descents.fold(f64::INFINITY, f64::min))
}

/// Steepest descent in shares of the sides, never leaving the box; the value where it ends.
fn descend(acquisition: &mut Acquisition<'_>, region: &Region, mut x: Vec<f64>) -> f64 {
    let (lower, upper) = (region.lower(), region.upper());
    let mut gradient = vec![0.0; x.len()];
    let mut value = acquisition.value_and_gradient(&x, &mut gradient);
    let mut step = 0.25;
    for _ in 0..60 {
        let slopes: Vec<f64> = gradient.iter().zip(lower).zip(upper).map(|((g, low), high)| g * (high - low)).collect();
        let steepest = slopes.iter().fold(0.0, |most: f64, slope| most.max(slope.abs()));
        if !(steepest > 0.0 && step > 1e-7) {
            break;
        }
        let moved = |j: usize| (x[j] - step * slopes[j] / steepest * (upper[j] - lower[j])).clamp(lower[j], upper[j]);
        let next: Vec<f64> = (0..x.len()).map(moved).collect();
        if acquisition.value(&next) < value {
            x = next;
            value = acquisition.value_and_gradient(&x, &mut gradient).min(value);
            step = (2.0 * step).min(1.0);
        } else {
            step *= 0.25;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_gp::{Covariance, Dataset, Kernel, Model};

    #[test]
    fn a_bound_that_is_none_is_counted() {
        let mut row = Row { bounded: 0, excess: None, ..Row::example("rbf", 1, 0) };
        for (bound, above, violations) in [(-1.1, 0, 0), (-0.95, 1, 0), (-0.8, 2, 1), (f64::NAN, 3, 2)] {
            judge(&mut row, bound, -1.0, 0.1);
            assert_eq!((row.above, row.violations), (above, violations), "{bound}");
        }
        assert!(row.bounded == 4 && row.excess.is_some_and(f64::is_nan));
    }

    #[test]
    fn a_descent_finds_the_bottom_of_a_bowl() {
        let data = Dataset::new(&[[0.0], [0.4], [1.0]], &[1.0, -1.0, 1.0]).expect("three points");
        let covariance = Covariance::isotropic(Kernel::Rbf, 1, 1.0, 0.5).expect("a kernel");
        let posterior = Model::new(covariance, 1e-6).and_then(|model| model.condition(&data)).expect("a posterior");
        let mut acquisition = Acquisition::new(&posterior, Criterion::Mean).expect("a mean");
        let region = Region::new(&[(0.0, 1.0)]).expect("a box");
        let grid = (0..=10_000).map(|i| acquisition.value(&[f64::from(i) * 1e-4])).fold(f64::INFINITY, f64::min);
        let found = descend(&mut acquisition, &region, vec![0.9]);
        assert!((found - grid).abs() < 1e-6, "{found} {grid}");
    }
}
