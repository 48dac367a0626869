//! Algorithm 1's last step: a descent on the true acquisition function, within the region.
//!
//! Whole numbers stay as they are; the other sides descend by L-BFGS-B, or by SLSQP if there are rows.

use crate::error::Result;
use fathom_global::Incumbent;
use fathom_global::Region;
use fathom_global::Stop;
use fathom_global::local::{self, Method};
use fathom_gp::Acquisition;
use std::time::Duration;

/// The end of a descent from `start` of at most `steps` steps and this much time, if it is lower and in the region; else `start`.
pub(super) fn polish(
    acquisition: &mut Acquisition<'_>,
    region: &Region,
    start: Incumbent,
    steps: u64,
    time: Option<Duration>,
    stop: &Stop,
) -> Result<Incumbent> {
    if steps == 0 {
        return Ok(start);
    }
    let side = |j: usize| match region.integer()[j] {
        true => (start.x[j], start.x[j]),
        false => (region.lower()[j], region.upper()[j]),
    };
    let sides: Vec<(f64, f64)> = (0..region.dim()).map(side).collect();
    let mut pinned = Region::new(&sides)?;
    for row in region.rows() {
        pinned = pinned.with_row(row.clone())?;
    }
    let method = Method::for_region(region);
    let settings = local::Settings {
        start: Some(start.x.clone()),
        iterations: steps,
        tolerance: 1e-9,
        time,
        ..Default::default()
    };
    let end = local::minimise(acquisition, &pinned, method, &settings, stop)?;
    let better = end.feasible && end.value < start.value && region.contains(&end.x);
    Ok(if better { Incumbent { x: end.x, value: end.value } } else { start })
}
