//! One problem: every bound of every box beside the function at points of the box.

use super::case::Case;
use super::{OnBox, Tally};
use fathom_check::Function;
use fathom_global::local::{Method, Settings, minimise};
use fathom_global::{BoxReport, Limits, NegativeVariance, Problem, Region, Stop, bounds_of_box, minimise_with_proof};
use fathom_gp::{Acquisition, Posterior};
use fathom_paper::{Treatment, linearise};
use rand::RngExt as _;
use std::collections::BTreeMap;

/// Boxes of each problem.
pub(super) const BOXES: u64 = 20;

/// Random points and corners of a box.
const SAMPLES: usize = 10;

/// How many problems could not be set up counts as a kind of its own.
pub(super) fn check(seed: u64, problem: u64) -> Tally {
    let mut case = Case::draw(seed, problem);
    let mut tally = Tally::default();
    // Matrices that are too close to singular, and imprecisions that are not known, are refused; nothing is bounded then.
    if let Err(error) = boxes(&mut case, &mut tally) {
        eprintln!("problem {problem}: {error:#}");
    }
    tally
}

fn boxes(case: &mut Case, tally: &mut Tally) -> anyhow::Result<()> {
    let posterior = case.posterior()?;
    let region = case.whole()?;
    let approximate = match case.is_piecewise_linear {
        true => Some(linearise(&posterior, &region, fathom_paper::Breakpoints::Paper, Treatment::KeepAll)?),
        false => None,
    };
    let problem = match &approximate {
        Some(pwl) => Problem::piecewise_linear(pwl, case.criterion, region.clone(), NegativeVariance::Clamped)?,
        None => Problem::new(&posterior, case.criterion, region.clone())?,
    };
    let limits = Limits { nodes: 1, ..Limits::default() };
    let (_, proof) = minimise_with_proof(&problem, &limits, &Stop::new(false), |_| {})?;
    let Some(proof) = proof else { return Ok(()) };
    let function = Function::new(&proof)?;
    for _ in 0..BOXES {
        let own = case.region(&posterior, &region)?;
        let points = points(case, &posterior, &own, &region);
        let mut on: BTreeMap<&'static str, OnBox> = BTreeMap::new();
        compare(case, &problem, &function, (&own, &points), &mut on);
        for (kind, on) in &on {
            let region = if region.rows().is_empty() { "box" } else { "rows" };
            let criterion = case.criterion.name().as_str();
            tally.add((case.kernel_name(), criterion.into(), region.into(), (*kind).into()), &on.0);
        }
    }
    Ok(())
}

fn compare(
    case: &mut Case,
    problem: &Problem<'_>,
    function: &Function<'_>,
    (own, points): (&Region, &[Vec<f64>]),
    on: &mut BTreeMap<&'static str, OnBox>,
) {
    let values: Vec<(f64, f64)> = points.iter().map(|x| function.value(x)).collect();
    let known = values.iter().map(|value| value.1).filter(|value| value.is_finite());
    let (least, most) = known.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));
    if !(least <= most) {
        return;
    }
    // Towards something that some points reach and others do not.
    let cutoff = least + case.rng.random::<f64>() * (most - least);
    let scale = case.variance.sqrt();
    let pieces: Vec<Vec<Option<(f64, f64)>>> = points.iter().map(|x| function.pieces(x)).collect();
    for piece in 0..pieces.first().map_or(0, Vec::len) {
        let report = bounds_of_box(problem, piece, own.lower(), own.upper(), cutoff);
        for ((x, value), pieces) in points.iter().zip(&values).zip(&pieces) {
            let value = if problem.is_improvement() { Some(*value) } else { pieces[piece] };
            let Some(value) = value.filter(|value| value.1.is_finite()) else { continue };
            for bound in report.bounds.iter().filter(|bound| bound.contains(x)) {
                on.entry(bound.kind).or_default().compare(bound.bound, value, scale);
                // Evaluating the minorant in floating point rounds, too.
                if let Some(minorant) = bound.at(x) {
                    let rounding = 1e-12 * (minorant.abs() + value.1.abs());
                    on.entry("minorant").or_default().compare(minorant - rounding, value, scale);
                }
            }
            if is_cut_away(&report, x) {
                on.entry("cut away").or_default().compare(cutoff, value, scale);
            }
        }
    }
}

fn is_cut_away(report: &BoxReport, x: &[f64]) -> bool {
    let sides = report.lower.iter().zip(&report.upper);
    report.is_pruned || report.is_empty || !x.iter().zip(sides).all(|(x, (low, high))| low <= x && x <= high)
}

/// Random points, corners and observations of a box that satisfy the rows, and where a descent ends.
fn points(case: &mut Case, posterior: &Posterior, own: &Region, region: &Region) -> Vec<Vec<f64>> {
    let (lower, upper) = (own.lower(), own.upper());
    let rng = &mut case.rng;
    let mut points: Vec<Vec<f64>> = posterior.x().rows().filter(|x| own.contains(x)).take(3).collect();
    for _ in 0..SAMPLES {
        let is_corner = rng.random::<f64>() < 0.3;
        let mut side = |j: usize| {
            let share: f64 = if is_corner { f64::from(u8::from(rng.random::<bool>())) } else { rng.random() };
            (lower[j] + share * (upper[j] - lower[j])).clamp(lower[j], upper[j])
        };
        points.push((0..lower.len()).map(&mut side).collect());
    }
    let start = Some(points[points.len() - 1].clone());
    let settings = Settings { start, iterations: 30, ..Settings::default() };
    if let Ok(mut acquisition) = Acquisition::new(posterior, case.criterion)
        && let Ok(end) = minimise(&mut acquisition, own, Method::LbfgsB, &settings, &Stop::new(false))
    {
        points.push(end.x);
    }
    // Rows must hold as they stand: bounds say nothing of what only nearly satisfies them.
    points.retain(|x| region.rows().iter().all(|row| row.miss(x) <= 0.0));
    points
}
