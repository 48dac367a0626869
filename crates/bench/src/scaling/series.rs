//! Repetitions summed up into curves.

use super::axis::{Axis, KERNELS};
use super::row::Row;
use crate::spread::Spread;

/// All repetitions at one place of an axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Place {
    pub at: f64,
    pub seconds: Spread,
    pub nodes: Spread,
    pub proven: usize,
    pub solved: usize,
    pub time_limit: f64,
}

impl Place {
    pub(super) fn of(at: f64, rows: &[&Row]) -> Option<Self> {
        Some(Self {
            at,
            seconds: Spread::of(rows.iter().map(|row| row.seconds).collect())?,
            nodes: Spread::of(rows.iter().map(|row| row.nodes as f64).collect())?,
            proven: rows.iter().filter(|row| row.status == "optimal").count(),
            solved: rows.len(),
            time_limit: rows.iter().map(|row| row.time_limit).fold(0.0, f64::max),
        })
    }

    /// What is known of the median where the runs that did not end would have taken longer.
    pub(super) fn at_least(&self) -> &'static str {
        if 2 * (self.solved - self.proven) > self.solved { "≥ " } else { "" }
    }
}

/// A curve: a name and its places from left to right.
pub(super) type Series = (&'static str, Vec<Place>);

/// The curves of one axis, by kernel unless that is the axis.
pub(super) fn series(rows: &[Row], axis: Axis) -> Vec<Series> {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.axis == axis).collect();
    let mut values: Vec<f64> = rows.iter().map(|row| row.at).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let curve = |name, among: &dyn Fn(&Row) -> bool| -> Series {
        let at = |at: &f64| rows.iter().copied().filter(|row| row.at == *at && among(row)).collect::<Vec<&Row>>();
        (name, values.iter().filter_map(|value| Place::of(*value, &at(value))).collect())
    };
    let curves: Vec<Series> = if axis == Axis::Kernel {
        vec![curve("all kernels", &|_| true)]
    } else {
        KERNELS.iter().map(|(_, kernel, title)| curve(title, &|row| row.kernel == *kernel)).collect()
    };
    curves.into_iter().filter(|(_, places)| !places.is_empty()).collect()
}

/// The places of the curves together, each once.
pub(super) fn places(curves: &[Series]) -> Vec<Place> {
    let mut all: Vec<Place> = curves.iter().flat_map(|(_, places)| places.clone()).collect();
    all.sort_by(|a, b| a.at.total_cmp(&b.at));
    all.dedup_by(|a, b| a.at == b.at);
    all
}
