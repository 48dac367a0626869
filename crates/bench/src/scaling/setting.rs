//! What is solved: every setting of a plan.

use super::axis::{Axis, KERNELS};
use super::row::Row;
use fathom_global::{Limits, Problem, Region, Stop, minimise};
use fathom_gp::{Covariance, Criterion, Dataset, Model, Points, Posterior, Replicates, sample_normal};
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
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

    /// The posterior of a problem drawn by the rule, and its lengthscale.
    fn draw(&self) -> anyhow::Result<(Posterior, f64)> {
        let Self { d, n, .. } = *self;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed());
        let mut x = vec![vec![0.0; d]; n];
        for j in 0..d {
            let mut strata: Vec<usize> = (0..n).collect();
            strata.shuffle(&mut rng);
            for (row, stratum) in x.iter_mut().zip(strata) {
                row[j] = (stratum as f64 + rng.random::<f64>()) / n as f64;
            }
        }
        let drawn = (d as f64).sqrt() * 10_f64.powf(rng.random::<f64>() - 1.0);
        let lengthscale = self.lengthscale.unwrap_or(drawn);
        let sigma_f2 = 0.5 + 1.5 * rng.random::<f64>();
        let covariance = Covariance::ard(KERNELS[self.kernel].0, sigma_f2, &vec![lengthscale; d])?;
        let gram = covariance.gram(&Points::from_rows(&x)?, self.noise);
        let y = sample_normal(&vec![0.0; n], &gram, 1, &mut rng)?.remove(0);
        let data = Dataset::with_replicates(&x, &y, Replicates::Keep)?;
        Ok((Model::new(covariance, self.noise)?.condition(&data)?, lengthscale))
    }

    fn kappa(&self) -> f64 {
        (0.2 * self.d as f64 * (2.0 * (self.n as f64 + 1.0)).ln()).sqrt()
    }

    pub(super) fn solve(&self, time_limit: Duration) -> anyhow::Result<Row> {
        let (posterior, lengthscale) = self.draw()?;
        let limits =
            Limits { gap: self.gap, relative_gap: 0.0, time: Some(time_limit), threads: 1, ..Limits::default() };
        let start = Instant::now();
        let region = Region::new(&vec![(0.0, 1.0); self.d])?;
        let problem = Problem::new(&posterior, Criterion::Lcb { kappa: self.kappa() }, region)?;
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
    fn draws_follow_the_rule_and_repeat_themselves() {
        let setting = Setting::new(Axis::Inputs, 4.0, 3, 1);
        let (posterior, lengthscale) = setting.draw().expect("a problem");
        assert_eq!((posterior.x().len(), posterior.x().dim()), (30, 4));
        assert!((0.2..=2.0).contains(&lengthscale));
        let mut strata: Vec<usize> = posterior.x().column(2).iter().map(|x| (x * 30.0) as usize).collect();
        strata.sort_unstable();
        assert_eq!(strata, (0..30).collect::<Vec<_>>(), "one point in each stratum");
        assert_eq!(setting.draw().expect("again").0.y(), posterior.y());
        let other = Setting::new(Axis::Noise, 1e-2, 3, 1).draw().expect("a problem").0;
        let fine = Setting::new(Axis::Noise, 1e-10, 3, 1).draw().expect("a problem").0;
        assert_eq!(other.x().column(0), fine.x().column(0), "only the noise differs");
        assert!((Setting::new(Axis::Inputs, 1.0, 1, 0).kappa() - 0.786_262_354_861_062_4).abs() < 1e-15);
    }

    #[test]
    fn every_setting_is_measured_once() {
        let all = Setting::all(&Plan::default());
        assert_eq!(all.len(), 5 * (2 * (10 + 6 + 6 + 6 + 5) + 5));
        let row = Row::example(Axis::Inputs, 3.0, "rbf", 1.0);
        let known = all.iter().filter(|setting| setting.is_in(std::slice::from_ref(&row))).count();
        assert_eq!(known, 1);
    }
}
