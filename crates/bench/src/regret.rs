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

use crate::chart::{self, Axis, Curve, FRAME, HALF_DEVIATION, Mark, Panel, Pen, Picture};
use crate::experiment::Experiment;
use crate::statistics::Moments;
use crate::table::{Named, Table, captioned};
use crate::units::{counted, dimensions};
use anyhow::ensure;
use fathom_global::{Limits, Problem, Region, Status, Stop, minimise};
use fathom_gp::{
    Beta, Covariance, Criterion, Dataset, Kernel, Model, Points, Posterior, PwlCovariance, Replicates,
    SmoothnessAssumption, sample_normal,
};
use fathom_paper::theory::{self, Constants};
use fathom_paper::{Engine, PkMiqp, PkSettings, PolishFrom, TrueBound};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution as _, StandardNormal};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Of the observations.
const NOISE: f64 = 1e-2;
/// Of the interpolated sample, which has none but needs a stable matrix.
const JITTER: f64 = 1e-6;
/// Gap of every certified minimum.
const GAP: f64 = 1e-3;
/// As raw data call them.
const METHODS: [&str; 2] = ["certified", "pk"];

/// The experiment.
#[derive(clap::Args, Debug, Default)]
pub struct Regret {}

/// A round of a loop.
#[derive(Debug, Serialize, Deserialize)]
pub struct Row {
    d: usize,
    method: String,
    seed: u64,
    t: usize,      // the round, from 1
    rounds: usize, // of the whole loop
    regret: f64,   // f(x_t) less the certified minimum of f
    cumulative: f64,
    beta: f64,
    information: f64, // I_t, gained by the points so far
    epsilon: f64,     // ε_M of the kernel that x_t was found with; 0 for the true one
    bound: f64,
}

/// One sample, one method.
#[derive(Debug)]
pub struct Loop {
    method: &'static str,
    d: usize,
    seed: u64,
    rounds: usize,
}

impl Regret {
    /// Samples, the most inputs, and rounds.
    fn sizes(quick: bool) -> (u64, usize, usize) {
        if quick { (1, 1, 5) } else { (10, 2, 40) }
    }

    /// How much a run has, for people.
    pub(crate) fn extent(quick: bool) -> String {
        let (samples, inputs, rounds) = Self::sizes(quick);
        format!("{}, {} for each, {rounds} rounds", dimensions(inputs), counted(samples, "sample"))
    }
}

impl Experiment for Regret {
    type Part = Loop;
    type Row = Row;

    fn settings(&self) -> String {
        format!("absolute gap {GAP:e}\nnoise {NOISE:e}")
    }

    fn parts(&self, quick: bool) -> anyhow::Result<Vec<Loop>> {
        let (replications, inputs, rounds) = Self::sizes(quick);
        let samples = (0..replications).flat_map(|seed| (1..=inputs).map(move |d| (seed, d)));
        Ok(samples.flat_map(|(seed, d)| METHODS.map(|method| Loop { method, d, seed, rounds })).collect())
    }

    fn name(part: &Loop) -> String {
        format!("{}D {} {}", part.d, part.method, part.seed)
    }

    fn part_of(row: &Row) -> String {
        format!("{}D {} {}", row.d, row.method, row.seed)
    }

    fn measure(&self, part: &Loop, _: &Path) -> anyhow::Result<Vec<Row>> {
        part.play()
    }

    fn tables(rows: &[Row]) -> String {
        let mut columns: Vec<(usize, usize)> = Vec::new();
        for d in 1..=2 {
            let last = rows.iter().filter(|row| row.d == d).map(|row| row.t).max().unwrap_or_default();
            columns.extend([1, 2, 4].map(|part| (d, last * part / 4)).into_iter().filter(|(_, t)| *t > 0));
        }
        let count = rows.iter().map(|row| row.seed + 1).max().unwrap_or_default();
        let mut table = Table::new(&format!("means of {count} samples"), &columns, |(d, t)| format!("{d}D, T = {t}"));
        let lines: [Named<Row, f64>; 3] = [
            ("R_T", |row| row.cumulative),
            ("bound", |row| row.bound),
            ("bound / R_T", |row| row.bound / row.cumulative),
        ];
        for method in METHODS {
            for (line, number) in lines {
                table.line(&format!("{method}: {line}"), |(d, t)| {
                    let of = |row: &&Row| row.method == method && (row.d, row.t) == (*d, *t);
                    let mean = Moments::of(rows.iter().filter(of).map(number))?.mean;
                    Some(if mean < 1e4 { format!("{mean:.1}") } else { format!("{mean:.1e}") })
                });
            }
        }
        let above = rows.iter().filter(|row| row.cumulative > row.bound).count();
        let caption =
            "Theorem 4.4 and Lemma 4.5: cumulative regret R_T on samples of a Gaussian process, and its bound.";
        let told = format!("Rounds in which the regret is above its bound: {above} of {}.\n", rows.len());
        captioned(caption, &table.into_text()) + &told
    }

    fn pictures(rows: &[Row]) -> Vec<(&'static str, Picture)> {
        let certified = Pen { mark: Mark::Circle, ..Pen::BLACK };
        let pk = Pen { colour: "#d55e00", width: 2.0, dash: "9 2", mark: Mark::Square };
        let bound = |pen, mark| Pen { width: 1.6, dash: "3 4", mark, ..pen };
        let legend = [
            ("certified", certified),
            ("PK-MIQP, embedded search", pk),
            ("bound, true kernel", bound(certified, Mark::Triangle)),
            ("bound, paper's kernel", bound(pk, Mark::Cross)),
        ];
        let mut panels = Vec::new();
        for d in 1..=2 {
            let here: Vec<&Row> = rows.iter().filter(|row| row.d == d).collect();
            let Some(rounds) = here.iter().map(|row| row.rounds).max() else { continue };
            let curve = |(i, (_, pen)): (usize, (&str, Pen))| {
                let number = |row: &&Row| if i < 2 { row.cumulative } else { row.bound };
                let place = |t: usize| {
                    let of = |row: &&&Row| row.method == METHODS[i % 2] && row.t == t;
                    Some(Moments::of(here.iter().filter(of).copied().map(|row| number(&row)))?.place(t as f64))
                };
                Curve { pen, points: (1..=rounds).filter_map(place).collect(), marked: (8, 4 * (i % 2)) }
            };
            let curves = legend.into_iter().enumerate().map(curve).collect();
            let (title, x) = (format!("RBF samples, {d}D"), Axis::linear(0.0, rounds as f64));
            panels.push(Panel::logarithmic(title, ("round T", "cumulative regret"), x, 1e-1, curves));
        }
        vec![("cumulative", chart::draw(&panels, panels.len().max(1), FRAME, &legend, Some(HALF_DEVIATION)))]
    }

    fn is_refuted(rows: &[Row]) -> bool {
        !rows.iter().all(|row| row.regret >= -1e-4 && row.cumulative <= row.bound)
    }
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
        let settings = PkSettings {
            gap: GAP,
            time: None,
            seed: t as u64,
            polish_from: PolishFrom::Best,
            true_bound: TrueBound::Theorem,
            ..PkSettings::default()
        };
        let found = PkMiqp::new(Engine::Embedded, &settings)?.minimise(posterior, criterion, &region, &stop, |_| {})?;
        let pwl = PwlCovariance::paper(posterior.model().covariance.clone(), &vec![(0.0, 1.0); self.d])?;
        Ok((found.x, pwl.error()))
    }

    fn play(&self) -> anyhow::Result<Vec<Row>> {
        let Self { method, d, seed, rounds } = *self;
        let mut rng = ChaCha8Rng::seed_from_u64(100 * d as u64 + seed);
        let truth = self.sample(&mut rng)?;
        let problem = Problem::new(&truth, Criterion::Mean, self.region()?)?;
        let limits = Limits { gap: 1e-4, nodes: 100_000, ..Limits::default() };
        let certified = minimise(&problem, &limits, &Stop::new(false), |_| ())?;
        ensure!(certified.status == Status::Optimal, "the minimum of the sample is not certified");
        let smoothness = SmoothnessAssumption { delta: 0.1, a: 1.0, b: 2.0 / self.lengthscale(), side: 1.0 };
        let beta_at = |t: usize| Beta::Theorem(smoothness).at(t, d);
        let (mut x, mut y) = (Vec::<Vec<f64>>::new(), Vec::new());
        let (mut rows, mut cumulative, mut schedule) = (Vec::new(), 0.0, Vec::new());
        let mut next: Vec<f64> = (0..d).map(|_| rng.random()).collect();
        let mut epsilon = 0.0;
        for t in 1..=rounds {
            let value = truth.predict(&next)?.mean;
            let regret = value - certified.value;
            cumulative += regret;
            let wobble: f64 = StandardNormal.sample(&mut rng);
            x.push(next);
            y.push(value + NOISE.sqrt() * wobble);
            let data = Dataset::with_replicates(&x, &y, Replicates::Keep)?;
            let posterior = Model::new(self.covariance()?, NOISE)?.condition(&data)?;
            let beta = beta_at(t)?;
            schedule.push((beta, epsilon));
            let c2 = Constants::new(NOISE, 1.0).c2(&schedule);
            let information = theory::information_gain(&posterior);
            let bound = theory::lemma_4_5(theory::c1(NOISE), t, beta, information, c2);
            let method = method.into();
            rows.push(Row { d, method, seed, t, rounds, regret, cumulative, beta, information, epsilon, bound });
            (next, epsilon) = self.next(&posterior, beta_at(t + 1)?.sqrt(), t)?;
        }
        Ok(rows)
    }
}
