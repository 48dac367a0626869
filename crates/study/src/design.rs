//! The initial design: points of a sequence that the seed decides, all of which keep every constraint.
//!
//! Point i of the sequence has one dimension per parameter; integers and choices take equal shares of theirs. Points
//! that break a constraint or have been handed out are skipped, and later ones of the sequence take their places. If too few
//! are left, a point t of the sequence is moved to the nearest feasible one: the minimum of −exp(−‖x − t‖²/2l²), the posterior
//! mean of a model with one observation. The certified search finds that minimum, or proves that no point is feasible. Beyond its room
//! a local search moves the point.

use crate::error::{Error, Result};
use crate::sequence::{Sequence, sobol};
use crate::space::Space;
use crate::watch::{Stage, Watch};
use fathom_check::verify;
use fathom_global::local::arrive;
use fathom_global::{Limits, MOST_INPUTS, Problem, Region, Status, minimise_with_proof};
use fathom_gp::{Covariance, Criterion, Dataset, Kernel, Model};
use std::time::Duration;

/// Points that are tried before points are moved.
const TRIES: usize = 4096;

/// Points that are moved before giving up.
const MOVES: usize = 16;

/// The most time to move a point.
const MOVING: Duration = Duration::from_secs(30);

/// The next point of the design, none of `taken`, all in the search's coordinates.
pub(crate) fn next(
    space: &Space,
    mut sequence: Sequence,
    taken: &[Vec<f64>],
    watch: &mut Watch<'_>,
) -> Result<Vec<f64>> {
    let mut point = |i: usize| place(space, &sequence.point(taken.len() + i));
    let is_new = |x: &Vec<f64>| !taken.iter().any(|other| is_same(space, x, other));
    // Rows are checked in the user's units too: a point must keep them as it is written.
    let is_good = |x: &Vec<f64>| space.region().contains(x) && space.check(&space.decode(x)).is_ok();
    if let Some(x) = (0..TRIES).map(&mut point).find(|x| is_good(x) && is_new(x)) {
        return Ok(x);
    }
    if let Some(points) = space.points() {
        let mut left = points.iter().map(|point| space.encode(point)).filter(is_new);
        return match (points.is_empty(), left.next()) {
            (true, _) => {
                Err(Error::Infeasible { reason: "none of the space's points keeps them, all were tried".into() })
            }
            (false, None) => Err(Error::Exhausted { points: points.len() }),
            (false, Some(x)) => Ok(x),
        };
    }
    for i in 0..MOVES {
        let x = match nearest(space, &point(i), watch) {
            Err(Error::NoNewPoint) if space.dim() > MOST_INPUTS => continue,
            x => x?,
        };
        if is_good(&x) && is_new(&x) {
            return Ok(x);
        }
    }
    Err(Error::NoNewPoint)
}

/// Sobol' points in `region`.
pub(crate) fn sample_of(space: &Space, region: &Region, seed: u64) -> Vec<Vec<f64>> {
    (0..TRIES).map(|i| place(space, &sobol(i, space.free(), seed as u32))).filter(|x| region.contains(x)).collect()
}

/// Whether two points count as the same one: equal in discrete coordinates, within 1e-6 of the range in others.
pub(crate) fn is_same(space: &Space, x: &[f64], other: &[f64]) -> bool {
    let region = space.region();
    let near = |j: usize| match region.is_discrete(j) {
        true => region.nearest(j, x[j]) == region.nearest(j, other[j]),
        false => (x[j] - other[j]).abs() < 1e-6,
    };
    (0..space.own_dim()).all(near)
}

/// The point at these shares of the parameters' ranges, with whole coordinates rounded; rows are not looked at.
fn place(space: &Space, shares: &[f64]) -> Vec<f64> {
    let mut x = Vec::with_capacity(space.dim());
    let free = space.parameters().iter().filter(|parameter| parameter.sides() > 0);
    free.zip(shares).for_each(|(parameter, share)| parameter.kind.spread(*share, &mut x));
    space.with_used(x)
}

/// The feasible point nearest to `target` in the unit cube; beyond the room of the certified search, one that is near.
fn nearest(space: &Space, target: &[f64], watch: &mut Watch<'_>) -> Result<Vec<f64>> {
    if space.dim() > MOST_INPUTS {
        let mut x = target.to_vec();
        return if arrive(space.region(), &mut x) { Ok(x) } else { Err(Error::NoNewPoint) };
    }
    let scales: Vec<f64> = space.widths().iter().map(|width| 2.0 * width).collect();
    let data = Dataset::new(&[target], &[-1.0])?;
    let posterior = Model::new(Covariance::ard(Kernel::Rbf, 1.0, &scales)?, 1e-6)?.condition(&data)?;
    let problem = Problem::new(&posterior, Criterion::Mean, space.region().clone())?;
    let limits = Limits { gap: 1e-4, time: Some(watch.at_most(MOVING)), ..Limits::default() };
    let (stage, stop) = (Stage::Search, watch.stop());
    let (certificate, proof) =
        minimise_with_proof(&problem, &limits, stop, |progress| watch.tell(stage, Some(progress)))?;
    if certificate.status == Status::Infeasible {
        let checked = proof.is_some_and(|proof| verify(&proof).is_ok());
        let by = if checked { ", checked by separate code" } else { "" };
        return Err(Error::Infeasible {
            reason: format!("proven by branch and bound, {} boxes{by}", certificate.nodes),
        });
    }
    match certificate.x.is_empty() {
        true if watch.is_stopped() => Err(Error::Interrupted { before: "a point that keeps the constraints was met" }),
        true => Err(Error::NoNewPoint),
        false => Ok(certificate.x),
    }
}
