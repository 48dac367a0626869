//! The same problems under other kernels and by other engines, in one run: the true kernel, a sum of kernels of one input
//! each, and the paper's piecewise-linear kernel by the certified search and by the solvers that are here.
//!
//! Of the sum, each input has the problem's lengthscale over √D, an equal share of the variance, and outputs drawn from
//! that prior at the problem's inputs. Of the piecewise-linear kernel, the breakpoints are the paper's; `kept` loses no
//! point, `published` is its own repair. A solver gets the written-out program of `kept`, and a
//! start from a second of the sub-problem and ten random points; its time is that of the program alone. No solver is asked about more than `--solved` problems of a kind.

mod row;
mod tables;

pub use row::Row;
pub use tables::tables;

use crate::case::{Case, cases};
use crate::evidence::{self, Run};
use crate::spread::median;
use crate::units::human;
use fathom_check::verify;
use fathom_global::{
    Certificate, Limits, NegativeVariance, Posed as _, Problem, Region, Stop, minimise, minimise_with_proof,
};
use fathom_gp::{Acquisition, Covariance, Dataset, Model, Posterior, Replicates, Term, sample_normal};
use fathom_miqp::{Gurobi, Scip, Solver};
use fathom_paper::{Breakpoints, Engine, PkMiqp, PkSettings, Treatment, linearise};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// A folder of problems; those of the family `prior` are solved.
    pub instances: PathBuf,
    /// Absolute gap.
    pub gap: f64,
    /// For each solve.
    pub time_limit: Duration,
    /// Solves of each by the certified search.
    pub repetitions: usize,
    /// Problems of a kind that solvers are asked about.
    pub solved: usize,
}

/// The most inputs of a problem that is solved under the piecewise-linear kernel.
const MOST_PIECEWISE: usize = 3;
/// And by a solver.
const MOST_SOLVED: usize = 2;

/// Measures what `folder/raw.csv` does not hold yet.
pub fn run(plan: &Plan, folder: &Path) -> anyhow::Result<()> {
    let (mut raw, done) = Run::<Row>::resume(folder)?;
    let known: BTreeSet<(String, String)> = done.into_iter().map(|row: Row| (row.instance, row.way)).collect();
    let solvers = solvers();
    let mut asked: BTreeMap<(usize, String), usize> = BTreeMap::new();
    for case in cases(&plan.instances)?.iter().filter(|case| case.family == "prior") {
        let mut keep = |way: &str, measure: &dyn Fn() -> anyhow::Result<Row>| -> anyhow::Result<()> {
            if known.contains(&(case.instance.name.clone(), way.into())) {
                return Ok(());
            }
            let row = Row { way: way.into(), ..measure()? };
            eprintln!("{} {way}: {}, {} nodes, {}", row.instance, row.status, row.nodes, human(row.seconds));
            raw.push(&row)
        };
        let (d, region, criterion) = (case.instance.dim(), case.instance.region()?, case.instance.criterion()?);
        keep("true", &|| {
            let problem = || Problem::new(&case.posterior, criterion, region.clone());
            certified(plan, case, &problem, false)
        })?;
        if d > 1 {
            let posterior = sum_of_kernels(case)?;
            keep("sum", &|| {
                let problem = || Problem::new(&posterior, criterion, region.clone());
                certified(plan, case, &problem, false)
            })?;
        }
        if d > MOST_PIECEWISE {
            continue;
        }
        for (way, treatment, negative) in [
            ("kept", Treatment::KeepAll, NegativeVariance::Clamped),
            ("published", Treatment::Published, NegativeVariance::Excluded),
        ] {
            let approximate = linearise(&case.posterior, &region, Breakpoints::Paper, treatment)?;
            keep(way, &|| {
                let problem = || Problem::piecewise_linear(&approximate, criterion, region.clone(), negative);
                certified(plan, case, &problem, true)
            })?;
        }
        let count = asked.entry((d, case.kernel.clone())).or_default();
        *count += 1;
        if d <= MOST_SOLVED && *count <= plan.solved {
            for (name, solver) in &solvers {
                keep(name, &|| by_solver(plan, case, &region, solver.as_ref()))?;
            }
        }
    }
    Ok(())
}

/// Makes `tables.md` of the run in `folder` from its `raw.csv` alone, and returns it.
pub fn report(folder: &Path) -> anyhow::Result<String> {
    let text = tables(&evidence::read(folder)?);
    evidence::write_tables(folder, &text)?;
    Ok(text)
}

/// The solvers of this machine; what is missing says how to get it.
fn solvers() -> Vec<(&'static str, Box<dyn Solver>)> {
    let mut found: Vec<(&'static str, Box<dyn Solver>)> = Vec::new();
    match Scip::find() {
        Ok(scip) => found.push(("scip", Box::new(scip))),
        Err(missing) => eprintln!("without SCIP: {missing}"),
    }
    match Gurobi::find() {
        Ok(gurobi) => found.push(("gurobi", Box::new(gurobi))),
        Err(missing) => eprintln!("without Gurobi: {missing}"),
    }
    found
}

/// A model of one kernel for each input, with outputs of its own prior.
fn sum_of_kernels(case: &Case) -> anyhow::Result<Posterior> {
    let exact = case.posterior.model();
    let (dim, term) = (case.instance.dim(), &exact.covariance.terms()[0]);
    let root = (dim as f64).sqrt();
    let own =
        |j: usize| Term::new(term.kernel(), vec![j], term.variance() / dim as f64, &[term.lengthscales()[j] / root]);
    let covariance = Covariance::new(dim, (0..dim).map(own).collect::<Result<_, _>>()?)?;
    let points = case.posterior.x();
    let gram = covariance.gram(points, exact.noise);
    // Problems of different names have different outputs.
    let seed = case.instance.name.bytes().fold(0_u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let y = sample_normal(&vec![exact.mean; points.len()], &gram, 1, &mut rng)?.remove(0);
    let rows: Vec<Vec<f64>> = points.rows().collect();
    let data = Dataset::with_replicates(&rows, &y, Replicates::Keep)?;
    Ok(Model::new(covariance, exact.noise)?.with_mean(exact.mean)?.condition(&data)?)
}

/// One problem by the certified search, timed with its set-up, its proof verified.
fn certified<'p>(
    plan: &Plan,
    case: &Case,
    problem: &dyn Fn() -> fathom_global::Result<Problem<'p>>,
    is_piecewise: bool,
) -> anyhow::Result<Row> {
    let limits = Limits { gap: plan.gap, time: Some(plan.time_limit), ..Limits::default() };
    let mut times = Vec::new();
    let found = loop {
        let start = Instant::now();
        let found = minimise(&problem()?, &limits, &Stop::new(false), |_| ())?;
        times.push(start.elapsed().as_secs_f64());
        if times.len() >= plan.repetitions || start.elapsed() >= plan.time_limit {
            break found;
        }
    };
    let (_, proof) = minimise_with_proof(&problem()?, &limits, &Stop::new(false), |_| ())?;
    let verdict = proof.map_or_else(
        || "nothing proven".to_string(),
        |proof| verify(&proof).map_or_else(|refused| refused.to_string(), |_| "accepted".into()),
    );
    let seconds = median(times).expect("at least one solve");
    Ok(Row::new(plan, case, &found, seconds, &verdict, true_value(case, &found, is_piecewise)?))
}

/// The true function where the piecewise-linear one is least.
fn true_value(case: &Case, found: &Certificate, is_piecewise: bool) -> anyhow::Result<Option<f64>> {
    let mut function = Acquisition::new(&case.posterior, case.instance.criterion()?)?;
    Ok((is_piecewise && !found.x.is_empty()).then(|| function.value(&found.x)))
}

fn by_solver(plan: &Plan, case: &Case, region: &Region, solver: &dyn Solver) -> anyhow::Result<Row> {
    let settings = PkSettings {
        gap: plan.gap,
        time: Some(plan.time_limit),
        sub_time: Some(Duration::from_secs(1)),
        polish: 0,
        pool: 1,
        ..PkSettings::default()
    };
    let method = PkMiqp::new(Engine::Solver(solver), &settings)?;
    let start = Instant::now();
    match method.minimise(&case.posterior, case.instance.criterion()?, region, &Stop::new(false)) {
        Ok(outcome) => {
            let value = true_value(case, &outcome.certificate, true)?;
            Ok(Row::new(plan, case, &outcome.certificate, outcome.full_seconds, &outcome.solver, value))
        }
        Err(error) => Ok(Row::failed(plan, case, start.elapsed().as_secs_f64(), &error.to_string())),
    }
}
