//! The points that a new one keeps apart from: those that were tried and, if values are noisy, a little around those under way.
//!
//! A pending trial takes little of the deviation away if the noise is large, and nothing of a low mean. Without a distance to keep,
//! a batch would measure nearly the same point again and again.

use crate::design::is_same;
use crate::error::Result;
use crate::space::Space;
use crate::trial::{State, Trial};
use fathom_global::Row;

/// The radius of balls in the unit cube around points tried: more than the resolution at which a model tells points apart,
/// and less than half a step of the finest integer.
const RADIUS: f64 = 1e-3;

/// The same around pending points if values are noisy.
pub(super) const WIDE: f64 = 0.01;

/// The smallest radius for the numbers of a list.
const SMALLEST: f64 = 1e-4;

/// The part of a radius at which a point counts as within: one on the sphere is apart, whatever the rounding.
const WITHIN: f64 = 0.99;

/// Trials, and how far a new point is to be from each.
pub(crate) struct Apart<'a> {
    space: &'a Space,
    /// The trials' points in the search's coordinates, by number.
    taken: Vec<Vec<f64>>,
    /// The radius around each, if that is more than the usual one.
    wide: Vec<Option<f64>>,
}

impl<'a> Apart<'a> {
    /// Apart from trials whose points are `taken`; from pending ones by `wide`, if that is given.
    pub fn new(space: &'a Space, trials: &[Trial], taken: Vec<Vec<f64>>, wide: Option<f64>) -> Self {
        let wide = trials.iter().map(|trial| wide.filter(|_| trial.state == State::Pending)).collect();
        Self { space, taken, wide }
    }

    /// The points.
    pub fn taken(&self) -> &[Vec<f64>] {
        &self.taken
    }

    /// The number of a trial that `x` is too near to.
    pub fn near(&self, x: &[f64]) -> Option<u64> {
        let is_near = |place: usize| {
            let centre = &self.taken[place];
            is_same(self.space, x, centre)
                || self.wide[place].is_some_and(|wide| self.distance(x, centre) < WITHIN * self.capped(wide))
        };
        (0..self.taken.len()).find(|place| is_near(*place)).map(|place| place as u64 + 1)
    }

    /// The ball that is left out around trial `id`; `None` if there is no such trial.
    pub fn ball(&self, id: u64) -> Result<Option<Row>> {
        let Some(place) = usize::try_from(id).ok().and_then(|id| id.checked_sub(1)) else { return Ok(None) };
        let Some(centre) = self.taken.get(place) else { return Ok(None) };
        let radius = self.capped(self.wide[place].unwrap_or(RADIUS));
        Ok(Some(Row::outside_ball(centre, &self.space.widths(), radius)?))
    }

    /// A radius, or less than a step of the finest integer. Of a list whose numbers lie very close, neighbours are left out, too: a
    /// smaller ball would be lost in the tolerance of its row.
    fn capped(&self, radius: f64) -> f64 {
        let listed = (0.5 * self.space.finest()).max(SMALLEST);
        let widths = self.space.widths();
        widths[..self.space.own_dim()].iter().map(|width| 0.5 / width).fold(radius.min(listed), f64::min)
    }

    /// The distance of two points in the unit cube.
    fn distance(&self, x: &[f64], other: &[f64]) -> f64 {
        let part = |j: usize, width: f64| ((x[j] - other[j]) / width).powi(2);
        self.space.widths().into_iter().enumerate().map(|(j, width)| part(j, width)).sum::<f64>().sqrt()
    }
}
