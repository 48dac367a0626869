//! Lemma 4.5 beside the truth: cumulative regret on samples of a Gaussian process with known hyperparameters.
//!
//! f is a sample of an RBF prior (σ_f² = 1; 1D with l = 0.2, 2D with l = 0.4), drawn on a grid of half that and continued
//! by the posterior mean, so that its minimum can be certified. Observations carry noise of variance 0.01. From one random
//! point on, x_t minimises the LCB with the lemma's β_t at δ = 0.1, a = 1, b = 2σ_f/l: the true one by the certified search,
//! or the piecewise-linear one with the paper's breakpoints by PK-MIQP.
//!
//! The bound is √(C_1 T β_T I_T) + C_2 with I_T the information that the loop's own points gained, of which the lemma's γ_T is
//! the largest possible: it is the smaller bound, and the one that the proof gives. C_1 is that of Srinivas et al. (2012), with
//! the noise variance where the paper prints σ_f². C_2 is Σ 1/t² for the true kernel; the paper's approximation adds its terms
//! with C_μ and C_σ as printed.

mod plots;
mod row;
mod tables;

pub use row::Row;
pub use tables::tables;

use crate::evidence;
use crate::jobs::{Job, work};
use anyhow::ensure;
use fathom_global::{Limits, Problem, Region, Status, Stop, minimise};
use fathom_gp::{
    Beta, Covariance, Criterion, Dataset, Kernel, Model, Points, Posterior, Replicates, SmoothnessAssumption,
    sample_normal,
};
use fathom_paper::theory::{self, Constants};
use fathom_paper::{Engine, PkMiqp, PkSettings};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution as _, StandardNormal};
use std::path::{Path, PathBuf};

/// Of the observations.
const NOISE: f64 = 1e-2;
/// Of the interpolated sample, which has none but needs a stable matrix.
const JITTER: f64 = 1e-6;
/// Gap of every certified minimum.
const GAP: f64 = 1e-3;

/// What to run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// Samples of each number of inputs.
    pub replications: u64,
    /// T.
    pub rounds: usize,
    /// The most inputs, 1 or 2.
    pub inputs: usize,
}

impl Plan {
    /// Everything.
    pub const FULL: Self = Self { replications: 10, rounds: 40, inputs: 2 };
    /// For a look, in seconds.
    pub const QUICK: Self = Self { replications: 1, rounds: 5, inputs: 1 };
}

/// As raw files call them.
const METHODS: [&str; 2] = ["certified", "pk"];

/// Plays what `folder/raw.csv` does not hold yet, then makes tables and the plot; the files written.
pub fn run(plan: &Plan, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut jobs = Vec::new();
    for seed in 0..plan.replications {
        for d in 1..=plan.inputs {
            jobs.extend(METHODS.map(|method| Loop { method, d, seed, rounds: plan.rounds }));
        }
    }
    evidence::settle(folder, &format!("rounds {}\nabsolute gap {GAP:e}\nnoise {NOISE:e}", plan.rounds))?;
    work(&jobs, 1, folder)?;
    report(folder)
}

/// Makes `tables.md` and the plot of the run in `folder` from its `raw.csv` alone; the files written.
pub fn report(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let rows: Vec<Row> = evidence::read(folder)?;
    let mut written = vec![evidence::write_tables(folder, &tables(&rows))?];
    written.extend(plots::draw(&rows).save(folder, "cumulative")?);
    Ok(written)
}

/// One sample, one method.
struct Loop {
    method: &'static str,
    d: usize,
    seed: u64,
    rounds: usize,
}

impl Loop {
    fn lengthscale(&self) -> f64 {
        0.2 * self.d as f64
    }

    fn covariance(&self) -> anyhow::Result<Covariance> {
        Ok(Covariance::isotropic(Kernel::Rbf, self.d, 1.0, self.lengthscale())?)
    }

    fn region(&self) -> anyhow::Result<Region> {
        Ok(Region::new(&vec![(0.0, 1.0); self.d])?)
    }

    /// f as the mean of a posterior.
    fn sample(&self, rng: &mut ChaCha8Rng) -> anyhow::Result<Posterior> {
        let side: usize = if self.d == 1 { 11 } else { 6 };
        let at = |i: usize| i as f64 / (side - 1) as f64;
        let grid: Vec<Vec<f64>> = match self.d {
            1 => (0..side).map(|i| vec![at(i)]).collect(),
            _ => (0..side * side).map(|i| vec![at(i / side), at(i % side)]).collect(),
        };
        let covariance = self.covariance()?;
        let gram = covariance.gram(&Points::from_rows(&grid)?, JITTER);
        let y = sample_normal(&vec![0.0; grid.len()], &gram, 1, rng)?.remove(0);
        Ok(Model::new(covariance, JITTER)?.condition(&Dataset::new(&grid, &y)?)?)
    }

    /// The next point, and the error ε_M of the kernel it was found with.
    fn next(&self, posterior: &Posterior, kappa: f64, t: usize) -> anyhow::Result<(Vec<f64>, f64)> {
        let (criterion, region, stop) = (Criterion::Lcb { kappa }, self.region()?, Stop::new(false));
        if self.method == "certified" {
            let problem = Problem::new(posterior, criterion, region)?;
            let limits = Limits { gap: GAP, seed: t as u64, ..Limits::default() };
            return Ok((minimise(&problem, &limits, &stop, |_| ())?.x, 0.0));
        }
        let settings = PkSettings { gap: GAP, time: None, sub_time: None, seed: t as u64, ..PkSettings::default() };
        let found = PkMiqp::new(Engine::Embedded, &settings)?.minimise(posterior, criterion, &region, &stop)?;
        let bounds = vec![(0.0, 1.0); self.d];
        let pwl = fathom_gp::PwlCovariance::paper(posterior.model().covariance.clone(), &bounds)?;
        Ok((found.x, pwl.error()))
    }
}

impl Job for Loop {
    type Row = Row;

    fn name(&self) -> String {
        format!("{}D {} {}", self.d, self.method, self.seed)
    }

    fn rows(&self) -> anyhow::Result<Vec<Row>> {
        let mut rng = ChaCha8Rng::seed_from_u64(100 * self.d as u64 + self.seed);
        let truth = self.sample(&mut rng)?;
        let problem = Problem::new(&truth, Criterion::Mean, self.region()?)?;
        let limits = Limits { gap: 1e-4, nodes: 100_000, ..Limits::default() };
        let certified = minimise(&problem, &limits, &Stop::new(false), |_| ())?;
        ensure!(certified.status == Status::Optimal, "the minimum of {} is not certified", self.name());
        let least = certified.value;
        let b = 2.0 / self.lengthscale();
        let beta = Beta::Theorem(SmoothnessAssumption { delta: 0.1, a: 1.0, b, side: 1.0 });
        let (mut x, mut y) = (Vec::<Vec<f64>>::new(), Vec::new());
        let (mut rows, mut cumulative, mut schedule) = (Vec::new(), 0.0, Vec::new());
        let mut next: Vec<f64> = (0..self.d).map(|_| rng.random()).collect();
        let mut epsilon = 0.0;
        for t in 1..=self.rounds {
            let value = truth.predict(&next)?.mean;
            cumulative += value - least;
            let wobble: f64 = StandardNormal.sample(&mut rng);
            x.push(next);
            y.push(value + NOISE.sqrt() * wobble);
            let data = Dataset::with_replicates(&x, &y, Replicates::Keep)?;
            let posterior = Model::new(self.covariance()?, NOISE)?.condition(&data)?;
            let weight = beta.at(t, self.d)?;
            schedule.push((weight, epsilon));
            let c2 = Constants::new(NOISE, 1.0).c2(&schedule);
            let gained = theory::information_gain(&posterior);
            rows.push(Row {
                d: self.d,
                method: self.method.into(),
                seed: self.seed,
                t,
                rounds: self.rounds,
                regret: value - least,
                cumulative,
                beta: weight,
                information: gained,
                epsilon,
                bound: theory::lemma_4_5(theory::c1(NOISE), t, weight, gained, c2),
            });
            (next, epsilon) = self.next(&posterior, beta.at(t + 1, self.d)?.sqrt(), t)?;
        }
        Ok(rows)
    }

    fn of(row: &Row) -> (String, bool) {
        (format!("{}D {} {}", row.d, row.method, row.seed), row.t == row.rounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regret_is_never_negative_and_stays_below_its_bound() {
        let folder = std::env::temp_dir().join(format!("fathom-regret-{}", std::process::id()));
        assert_eq!(run(&Plan::QUICK, &folder).expect("small loops").len(), 3);
        let rows: Vec<Row> = evidence::read(&folder).expect("just written");
        assert_eq!(rows.len(), METHODS.len() * Plan::QUICK.rounds);
        for row in &rows {
            assert!(row.regret >= -1e-4 && row.cumulative <= row.bound, "{row:?}");
        }
        std::fs::remove_dir_all(folder).expect("the folder is ours");
    }
}
