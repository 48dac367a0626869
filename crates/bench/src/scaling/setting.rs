//! What is solved: every setting of a plan.

use super::axis::{Axis, KERNELS};
use super::row::Row;
use crate::prior_sample::PriorSample;
use fathom_global::{Limits, Problem, Region, Stop, minimise};
use fathom_gp::Criterion;
use std::time::{Duration, Instant};

/// What to run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// For each solve, wall-clock.
    pub time_limit: Duration,
    /// Problems drawn for each setting, ≥ 1.
    pub repetitions: usize,
    /// Leave out what takes long: D > 4, N > 100, lengthscales < 0.2.
    pub quick: bool,
}

impl Default for Plan {
    /// Enough for a median, and for a proof of all but the hardest problems.
    fn default() -> Self {
        Self { time_limit: Duration::from_secs(60), repetitions: 5, quick: false }
    }
}

/// One setting of everything that can vary.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Setting {
    pub axis: Axis,
    pub at: f64,
    /// By its place in [`KERNELS`].
    pub kernel: usize,
    pub d: usize,
    pub n: usize,
    /// `None`: drawn.
    pub lengthscale: Option<f64>,
    pub noise: f64,
    pub gap: f64,
    pub repetition: usize,
}

impl Setting {
    fn new(axis: Axis, at: f64, kernel: usize, repetition: usize) -> Self {
        let base = Self { axis, at, kernel, d: 3, n: 30, lengthscale: None, noise: 1e-6, gap: 1e-3, repetition };
        match axis {
            Axis::Inputs => Self { d: at as usize, n: (10 * at as usize).min(30), ..base },
            Axis::Observations => Self { d: 2, n: at as usize, ..base },
            Axis::Lengthscale => Self { lengthscale: Some(at), ..base },
            Axis::Gap => Self { gap: at, ..base },
            Axis::Noise => Self { noise: at, ..base },
            Axis::Kernel => Self { kernel: at as usize, ..base },
        }
    }

    /// Everything to be measured; the repetitions outermost, so that a run cut short has some of all.
    pub(super) fn all(plan: &Plan) -> Vec<Self> {
        let mut all = Vec::new();
        for repetition in 0..plan.repetitions {
            for axis in Axis::ALL {
                for at in axis.values(plan.quick) {
                    let kernels: &[usize] = if axis == Axis::Kernel { &[0] } else { &[1, 3] };
                    all.extend(kernels.iter().map(|kernel| Self::new(axis, at, *kernel, repetition)));
                }
            }
        }
        all
    }

    fn seed(&self) -> u64 {
        (self.d * 1_000_000 + self.n * 100 + self.repetition) as u64
    }

    pub(super) fn is_in(&self, rows: &[Row]) -> bool {
        let kernel = KERNELS[self.kernel].1;
        let same = |row: &Row| (row.axis, row.at, row.repetition) == (self.axis, self.at, self.repetition);
        rows.iter().any(|row| same(row) && row.kernel == kernel)
    }

    fn sample(&self) -> PriorSample {
        let Self { d, n, lengthscale, noise, .. } = *self;
        PriorSample { kernel: KERNELS[self.kernel].0, d, n, lengthscale, noise, seed: self.seed() }
    }

    pub(super) fn solve(&self, time_limit: Duration) -> anyhow::Result<Row> {
        let (posterior, lengthscale) = self.sample().draw()?;
        let limits =
            Limits { gap: self.gap, relative_gap: 0.0, time: Some(time_limit), threads: 1, ..Limits::default() };
        let start = Instant::now();
        let region = Region::new(&vec![(0.0, 1.0); self.d])?;
        let problem = Problem::new(&posterior, Criterion::Lcb { kappa: self.sample().kappa() }, region)?;
        let found = minimise(&problem, &limits, &Stop::new(false), |_| ())?;
        let seconds = start.elapsed().as_secs_f64();
        let Self { axis, at, d, n, noise, gap, repetition, .. } = *self;
        Ok(Row {
            axis,
            at,
            kernel: KERNELS[self.kernel].1.into(),
            d,
            n,
            lengthscale,
            noise,
            gap,
            repetition,
            seed: self.seed(),
            time_limit: time_limit.as_secs_f64(),
            seconds,
            nodes: found.nodes,
            value: Some(found.value),
            lower_bound: found.lower_bound,
            status: found.status.name().into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_measured_once() {
        let all = Setting::all(&Plan::default());
        assert_eq!(all.len(), 5 * (2 * (10 + 6 + 6 + 6 + 5) + 5));
        let row = Row::example(Axis::Inputs, 3.0, "rbf", 1.0);
        let known = all.iter().filter(|setting| setting.is_in(std::slice::from_ref(&row))).count();
        assert_eq!(known, 1);
    }
}
