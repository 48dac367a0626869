//! Tables 2, 3 and 5 of the paper: single acquisition functions of models conditioned on samples of their prior.
//!
//! Problems are drawn by the rule of `instances/prior_*`, with N = min(10 D, 30) and the LCB at κ = √(0.2 D log 2(N + 1)). The
//! paper's five methods start once at the origin with its settings; multi-start and the certified search are rows that it lacks.
//! PK-MIQP is Algorithm 1, by two engines. The embedded search stands in Gurobi's place with our treatment of K̃, which loses no
//! point, once to our gap and once to the paper's 50 %, and once with the published treatment; it takes no start, so none is
//! made. SCIP solves the mixed-integer program of a few problems in one and two inputs, from the start of Algorithm 1, each
//! within [`SOLVER_LIMIT`]. The additive one is fitted to the same data with a kernel for each input and minimised group by
//! group; the fit is not timed, and the value is the problem's own function at that point.
//!
//! Seconds are those of building the problem from a posterior and minimising it, on one thread, a solver's process included.

mod tables;

use crate::contender::Contender;
use crate::experiment::Experiment;
use crate::prior_sample::PriorSample;
use crate::theory::KERNELS;
use crate::units::{counted, dimensions};
use cpu_time::ProcessTime;
use fathom_global::{Certificate, Region, Stop};
use fathom_gp::{
    Acquisition, Covariance, Criterion, Dataset, FitSettings, Kernel, Noise, Posterior, Replicates, Term, fit,
};
use fathom_method::{Method, Settings, minimise};
use fathom_miqp::Scip;
use fathom_paper::{Engine, PkSettings, PolishFrom, Treatment, TrueBound, WarmStart};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::{Duration, Instant};

/// Absolute gap of the certified search and of PK-MIQP.
const GAP: f64 = 1e-3;

/// The most time for PK-MIQP by the embedded search, by the clock. None with our treatment comes near it.
const LIMIT: Duration = Duration::from_secs(60);

/// The most processor seconds for each problem that SCIP gets, the sub-problem and the full one, in its own words.
const SOLVER_LIMIT: &str = "30";

/// SCIP's clock that counts processor seconds, which do not depend on what else the machine does.
const PROCESSOR_CLOCK: &str = "1";

/// The most time for both of them by the clock: enough for a machine with very busy neighbours.
const PATIENCE: Duration = Duration::from_secs(24 * 3600);

/// The most inputs of a problem that a solver gets; none of three inputs was ever closed.
const SOLVABLE: usize = 2;

/// Solves that take longer than this are timed once, others three times.
const LONG: Duration = Duration::from_millis(50);

/// The experiment.
#[derive(clap::Args, Debug, Clone, Default)]
pub struct OneStep {
    /// Problems of each kernel in 1D and in 2D that SCIP solves too, with two gaps; it takes up to 2 minutes of the processor a
    /// problem.
    #[arg(long, default_value_t = 0)]
    pub(crate) scip: u64,
}

impl OneStep {
    /// Replications, and the most inputs.
    fn sizes(quick: bool) -> (u64, usize) {
        if quick { (2, 2) } else { (20, 5) }
    }

    /// How much a run has, for people.
    pub(crate) fn extent(&self, quick: bool) -> String {
        let (replications, inputs) = Self::sizes(quick);
        let solved = match self.scip {
            0 => "no row by a solver (`--scip` adds it)".into(),
            count => format!("SCIP on {} of them, {}", count.min(replications), dimensions(SOLVABLE.min(inputs))),
        };
        format!("{}, {}; {solved}", counted(replications, "replication"), dimensions(inputs))
    }
}

/// What one contender found on one problem.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Row {
    method: String,
    kernel: String,
    d: usize,
    n: usize,
    replication: u64,
    seed: u64,
    lengthscale: f64,
    variance: f64,
    gap: f64, // absolute, or relative if that is larger
    nodes: u64,
    status: String, // `optimal` if the gap was closed, `local` if nothing is claimed
    value: f64,     // the true LCB at the point
    /// A lower bound of the true LCB that the contender itself proves, if it does. Runs up to 2026-11-16 have PK-MIQP's
    /// estimate here too, which no table reads.
    lower_bound: Option<f64>,
    seconds: f64,     // by the clock, the median solve
    cpu_seconds: f64, // that solve's, with those of a solver's process
    version: String,
    #[serde(default)]
    solver: Option<String>, // and its version, if it is another program
    /// How far the value of the piecewise-linear function is above the bound that was proven, or that a solver claims.
    #[serde(default)]
    left: Option<f64>,
}

/// One problem, by every contender that is no solver, or by those that are.
#[derive(Debug)]
pub struct Task {
    kernel: (&'static str, Kernel),
    d: usize,
    replication: u64,
    by_solver: bool,
}

impl Experiment for OneStep {
    type Part = Task;
    type Row = Row;

    fn settings(&self) -> String {
        format!("absolute gap {GAP:e}\nat most {} s", LIMIT.as_secs())
    }

    fn parts(&self, quick: bool) -> anyhow::Result<Vec<Task>> {
        let (replications, inputs) = Self::sizes(quick);
        let mut tasks = Vec::new();
        for (by_solver, replications, inputs) in
            [(false, replications, inputs), (true, self.scip.min(replications), SOLVABLE.min(inputs))]
        {
            for replication in 0..replications {
                for d in 1..=inputs {
                    tasks.extend(KERNELS.map(|kernel| Task { kernel, d, replication, by_solver }));
                }
            }
        }
        Ok(tasks)
    }

    fn name(part: &Task) -> String {
        name(part.d, part.kernel.0, part.replication, part.by_solver)
    }

    fn part_of(row: &Row) -> String {
        name(row.d, &row.kernel, row.replication, row.solver.is_some())
    }

    fn measure(&self, part: &Task, _: &Path) -> anyhow::Result<Vec<Row>> {
        let (posterior, lengthscale) = part.sample().draw()?;
        let solver = part.by_solver.then(Scip::find).transpose()?;
        let engine = solver.as_ref().map_or(Engine::Embedded, Engine::from);
        let own = Contender::ALL.into_iter().filter(|contender| contender.is_by_solver() == part.by_solver);
        own.map(|contender| part.row(contender, engine, &posterior, lengthscale)).collect()
    }

    fn tables(rows: &[Row]) -> String {
        tables::tables(rows)
    }
}

/// The name of a part.
fn name(d: usize, kernel: &str, replication: u64, by_solver: bool) -> String {
    format!("{d}D {kernel} {replication}{}", if by_solver { " by a solver" } else { "" })
}

/// What a solve gives.
struct Found {
    value: f64,
    lower_bound: Option<f64>,
    nodes: u64,
    status: &'static str,
    solver: Option<String>,
    left: Option<f64>,
}

impl Task {
    fn sample(&self) -> PriorSample {
        let (d, n, seed) = (self.d, (10 * self.d).min(30), 1000 * self.d as u64 + self.replication);
        PriorSample { kernel: self.kernel.1, d, n, lengthscale: None, noise: 1e-6, seed }
    }

    fn row(
        &self,
        contender: Contender,
        engine: Engine<'_>,
        posterior: &Posterior,
        lengthscale: f64,
    ) -> anyhow::Result<Row> {
        let additive = (contender == Contender::AdditivePk).then(|| additive(posterior)).transpose()?;
        let (found, seconds, cpu_seconds) = timed(|| self.solve(contender, engine, posterior, additive.as_ref()))?;
        let PriorSample { d, n, seed, .. } = self.sample();
        Ok(Row {
            method: contender.name().into(),
            kernel: self.kernel.0.into(),
            d,
            n,
            replication: self.replication,
            seed,
            lengthscale,
            variance: posterior.model().covariance.terms()[0].variance(),
            gap: if contender.is_half() { PkSettings::paper().relative_gap } else { GAP },
            nodes: found.nodes,
            status: found.status.into(),
            value: found.value,
            lower_bound: found.lower_bound,
            seconds,
            cpu_seconds,
            version: env!("CARGO_PKG_VERSION").into(),
            solver: found.solver,
            left: found.left,
        })
    }

    fn solve(
        &self,
        contender: Contender,
        engine: Engine<'_>,
        posterior: &Posterior,
        additive: Option<&Posterior>,
    ) -> anyhow::Result<Found> {
        let (region, stop) = (Region::new(&vec![(0.0, 1.0); self.d])?, Stop::new(false));
        let criterion = Criterion::Lcb { kappa: self.sample().kappa() };
        let method = match (contender, contender.local()) {
            (_, Some(method)) => Method::Local(method),
            (Contender::Certified, None) => Method::Certified,
            (Contender::AdditivePk, None) => Method::PkGroups,
            (_, None) => Method::Pk,
        };
        let relative_gap = contender.is_half().then(|| PkSettings::paper().relative_gap);
        let is_published = contender == Contender::PkPublished;
        let pk = PkSettings {
            treatment: if is_published { Treatment::Published } else { Treatment::KeepAll },
            // The paper's Algorithm 1 and nothing else: the time of a row contains only what it uses.
            warm_start: WarmStart::SubProblem,
            polish_from: PolishFrom::Best,
            true_bound: TrueBound::Theorem,
            time: Some(if contender.is_by_solver() { PATIENCE } else { LIMIT }),
            sub_time: None,
            parameters: match contender.is_by_solver() {
                true => [("timing/clocktype", PROCESSOR_CLOCK), ("limits/time", SOLVER_LIMIT)]
                    .map(|(name, value)| (name.into(), value.into()))
                    .to_vec(),
                false => Vec::new(),
            },
            ..PkSettings::default()
        };
        let settings = Settings { method, gap: Some(GAP), relative_gap, pk, engine, ..Settings::default() };
        let answer = minimise(additive.unwrap_or(posterior), criterion, &region, &settings, &stop, |_| ())?;
        let Certificate { value, lower_bound, nodes, status, .. } = answer.certificate;
        Ok(match (&settings.method, answer.pk()) {
            // What PK-MIQP proves is about the piecewise-linear function, and so is the status.
            (_, Some(outcome)) => {
                let Certificate { nodes, status, gap: left, .. } = outcome.certificate;
                let solver = contender.is_by_solver().then(|| outcome.solver.clone());
                Found { value, lower_bound: None, nodes, status: status.name(), solver, left }
            }
            (Method::Certified, None) => {
                Found { value, lower_bound, nodes, status: status.name(), solver: None, left: None }
            }
            (Method::Pk | Method::PkGroups | Method::Wide | Method::Local(_), None) => {
                // The groups were fitted to an additive model, and are judged by the problem's own.
                let value = Acquisition::new(posterior, criterion)?.value(&answer.certificate.x);
                Found { value, lower_bound: None, nodes, status: "local", solver: None, left: None }
            }
        })
    }
}

/// The answer, and clock and processor seconds of the median solve.
fn timed(solve: impl Fn() -> anyhow::Result<Found>) -> anyhow::Result<(Found, f64, f64)> {
    let mut times = Vec::new();
    loop {
        let (clock, processor, others) = (Instant::now(), ProcessTime::now(), of_ended_processes());
        let found = solve()?;
        let (clock, processor) = (clock.elapsed(), processor.elapsed());
        times.push((clock.as_secs_f64(), processor.as_secs_f64() + of_ended_processes() - others));
        if times.len() == 3 || clock > LONG {
            times.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (seconds, cpu_seconds) = times[times.len() / 2];
            return Ok((found, seconds, cpu_seconds));
        }
    }
}

/// Processor seconds of the processes that we started and that have ended, to a hundredth; 0 where the system does not say.
fn of_ended_processes() -> f64 {
    // Linux counts them in hundredths, user and system in the fields 16 and 17; the name before them may hold blanks.
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
    fields.skip(13).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// A kernel for each input, fitted to the problem's data.
fn additive(posterior: &Posterior) -> anyhow::Result<Posterior> {
    let model = posterior.model();
    let (kernel, dim) = (model.covariance.terms()[0].kernel(), posterior.x().dim());
    let terms = (0..dim).map(|j| Term::new(kernel, vec![j], 1.0 / dim as f64, &[0.5])).collect::<Result<_, _>>()?;
    let rows: Vec<Vec<f64>> = posterior.x().rows().collect();
    let data = Dataset::with_replicates(&rows, posterior.y(), Replicates::Keep)?;
    let settings = FitSettings { noise: Noise::Fixed(model.noise), ..FitSettings::default() };
    Ok(fit(&Covariance::new(dim, terms)?, &data, &settings)?.posterior)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn the_time_of_a_process_that_has_ended_is_counted() {
        let before = of_ended_processes();
        let script = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        let done = std::process::Command::new("sh").args(["-c", script]).status().expect("a shell");
        assert!(done.success() && of_ended_processes() > before, "{before}");
    }

    #[test]
    fn solvers_get_parts_of_their_own_after_all_others() {
        let names =
            |scip| -> Vec<String> { OneStep { scip }.parts(false).expect("parts").iter().map(OneStep::name).collect() };
        let (without, with) = (names(0), names(3));
        assert_eq!((without.len(), with.len()), (20 * 5 * 2, 20 * 5 * 2 + 3 * 2 * 2));
        assert_eq!(with[..without.len()], without);
        assert!(with[without.len()..].iter().all(|name| name.ends_with("by a solver")));
    }
}
