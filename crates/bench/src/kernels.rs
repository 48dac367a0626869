//! The same problems under other kernels and by other engines, in one run: the true kernel, a sum of kernels of one input
//! each, and the paper's piecewise-linear kernel by the certified search and by the solvers that are here.
//!
//! Of the sum, each input has the problem's lengthscale over √D, an equal share of the variance, and outputs drawn from
//! that prior at the problem's inputs. Of the piecewise-linear kernel, the breakpoints are the paper's; `kept` loses no
//! point, `published` is its own repair. A solver gets the written-out program of `kept`, and a start from a second of the
//! sub-problem and ten random points; its time is that of the program alone. SCIP's library is hosted by `fathom-scip`, beside
//! this program.

use crate::case::{self, Case, Problems};
use crate::experiment::Experiment;
use crate::statistics::{Moments, Spread, median};
use crate::table::Table;
use crate::units::human;
use fathom_global::{
    Breakpoints, Certificate, Engine, NegativeVariance, PkMiqp, PkSettings, Posed as _, Problem, Stop, Treatment,
    linearise,
};
use fathom_gp::{Acquisition, Covariance, Dataset, Model, Posterior, Replicates, Term, sample_normal};
use fathom_miqp::{Gurobi, Scip, Solver};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// Every way, the one that others are compared with first.
const WAYS: [&str; 6] = ["true", "sum", "kept", "published", "scip", "gurobi"];
const SOLVERS: [&str; 2] = ["scip", "gurobi"];
/// The most inputs of a problem that is solved under the piecewise-linear kernel, and by a solver.
const MOST_PIECEWISE: usize = 3;
const MOST_SOLVED: usize = 2;

/// The experiment.
#[derive(clap::Args, Debug)]
pub struct Kernels {
    #[command(flatten)]
    problems: Problems,
    /// Solves of each by the certified search.
    #[arg(long, default_value_t = 3)]
    repetitions: usize,
    /// Problems of a kind that solvers are asked about.
    #[arg(long, default_value_t = 10)]
    solved: usize,
}

/// What one way took on one problem.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Row {
    instance: String,
    d: usize,
    n: usize,
    kernel: String,
    way: String,
    gap: f64,
    time_limit: f64,
    seconds: f64, // the median solve
    nodes: u64,
    value: Option<f64>,       // of the function that was minimised
    lower_bound: Option<f64>, // of that function, by proof or by the solver's word
    status: String,
    true_value: Option<f64>, // the true function at that point, if another was minimised
    verdict: String,         // `accepted`, or why not; a solver's name and version, or its error
}

impl Experiment for Kernels {
    type Part = (Case, Vec<&'static str>);
    type Row = Row;

    fn settings(&self) -> String {
        self.problems.settings()
    }

    /// Problems of the family `prior`, and the ways to solve each.
    fn parts(&self, quick: bool) -> anyhow::Result<Vec<Self::Part>> {
        let mut asked: BTreeMap<(usize, String), usize> = BTreeMap::new();
        let cases = self.problems.cases(quick)?.into_iter().filter(|case| case.family == "prior");
        let with_ways = |case: Case| {
            let d = case.instance.dim();
            let count = asked.entry((d, case.kernel.clone())).or_default();
            *count += 1;
            let is_solved = d <= MOST_SOLVED && *count <= self.solved;
            let has = |way: &&str| match *way {
                "sum" => d > 1,
                "kept" | "published" => d <= MOST_PIECEWISE,
                way => way == "true" || is_solved,
            };
            (case, WAYS.into_iter().filter(has).collect())
        };
        Ok(cases.map(with_ways).collect())
    }

    fn name((case, _): &Self::Part) -> String {
        case.instance.name.clone()
    }

    fn part_of(row: &Row) -> String {
        row.instance.clone()
    }

    fn measure(&self, (case, ways): &Self::Part, _: &Path) -> anyhow::Result<Vec<Row>> {
        let mut rows = Vec::new();
        for way in ways {
            let row = match *way {
                "scip" => self.by_solver(case, Scip::find().map(|scip| Box::new(scip) as _)),
                "gurobi" => self.by_solver(case, Gurobi::find().map(|gurobi| Box::new(gurobi) as _)),
                way => self.certified(case, way).map(Some),
            }?;
            rows.extend(row.map(|row| Row { way: (*way).into(), ..row }));
        }
        Ok(rows)
    }

    fn tables(rows: &[Row]) -> String {
        let mut text = String::new();
        if let Some(Row { gap, time_limit, .. }) = rows.first() {
            text = format!(
                "Gap {gap:e}, {time_limit} s limit, one thread. `true`: the problem itself; `sum`: a kernel for each input; \
                 `kept`, `published`: the paper's piecewise-linear kernel by the certified search, with either repair; \
                 `scip`, `gurobi`: the program of `kept`, by that solver's word.\n\n"
            );
        }
        let mut groups: Vec<(usize, &str)> = rows.iter().map(|row| (row.d, row.kernel.as_str())).collect();
        groups.sort_unstable();
        groups.dedup();
        let find: BTreeMap<(&str, &str), &Row> =
            rows.iter().map(|row| ((row.instance.as_str(), row.way.as_str()), row)).collect();
        let beside = |row: &Row, way: &'static str| find.get(&(row.instance.as_str(), way)).copied();
        let mut table = Table::new("", &groups, |(d, kernel)| format!("{d}D {kernel}"));
        for way in WAYS.into_iter().filter(|way| rows.iter().any(|row| row.way == *way)) {
            let of = |group: &(usize, &str)| -> Vec<&Row> {
                rows.iter().filter(|row| row.way == way && (row.d, row.kernel.as_str()) == *group).collect()
            };
            let mut line = |what: &str, cell: &dyn Fn(&[&Row]) -> Option<String>| {
                table.line(&format!("{way}{what}"), |group| cell(&of(group)));
            };
            line(": closed", &|all| {
                let closed = all.iter().filter(|row| row.status == "optimal").count();
                (!all.is_empty()).then(|| format!("{closed}/{}", all.len()))
            });
            line(": median time", &|all| median(all.iter().map(|row| row.seconds)).map(human));
            line(": median nodes", &|all| median(all.iter().map(|row| row.nodes as f64)).map(|n| format!("{n:.0}")));
            if way != "true" {
                line(" / true: time, median (largest)", &|all| {
                    let ratio = |row: &&Row| Some(row.seconds / beside(row, "true")?.seconds);
                    let ratios = Spread::of(all.iter().filter_map(ratio))?;
                    Some(format!("{:.1}× ({:.1}×)", ratios.middle, ratios.high))
                });
            }
            if ["kept", "published"].contains(&way) {
                line(": true value there, above the true minimum, mean (largest)", &|all| {
                    let above = |row: &&Row| Some(row.true_value? - beside(row, "true")?.value?);
                    let largest = all.iter().filter_map(above).reduce(f64::max)?;
                    Some(format!("{:.3} ({largest:.3})", Moments::of(all.iter().filter_map(above))?.mean))
                });
            }
            if SOLVERS.contains(&way) {
                line(": time over that of the certified search, median", &|all| {
                    let ratio = |row: &&Row| Some(row.seconds / beside(row, "kept")?.seconds);
                    median(all.iter().filter_map(ratio)).map(|ratio| format!("{ratio:.0}×"))
                });
            }
        }
        text += &table.into_text();
        let name = |row: &Row| format!("{} {}: {}", row.instance, row.way, row.verdict);
        let refused = case::names(rows, is_refused, name, "; ");
        text += &format!("\nProofs refused (must be none): {refused}{}", if refused == "none" { "." } else { "" });
        // If both closed, their values differ by no more than the gap, and no proven bound is above a solver's value.
        let solved = rows.iter().filter(|row| SOLVERS.contains(&row.way.as_str()));
        let pairs = || solved.clone().filter_map(|row| beside(row, "kept").map(|kept| (row, kept)));
        let closed = || pairs().filter(|(row, kept)| row.status == "optimal" && kept.status == "optimal");
        let apart = |(row, kept): &(&Row, &Row)| match (row.value, kept.value) {
            (Some(a), Some(b)) => (a - b).abs() > row.gap + 1e-6,
            _ => true,
        };
        let contradicted = pairs().filter(|(row, kept)| row.value.zip(kept.lower_bound).is_some_and(|(a, b)| b > a));
        text += &format!(
            "\nClosed by a solver and by the certified search: {}, of which further apart than the gap (must be none): {}; \
             proven bounds above a solver's value (must be none): {}.\n",
            closed().count(),
            closed().filter(apart).count(),
            contradicted.count()
        );
        let failed = case::names(rows, |row| row.status == "failed", name, "; ");
        if failed == "none" { text } else { text + &format!("\nWithout an answer: {failed}.\n") }
    }

    fn is_refuted(rows: &[Row]) -> bool {
        rows.iter().any(is_refused)
    }
}

fn is_refused(row: &Row) -> bool {
    !SOLVERS.contains(&row.way.as_str()) && row.verdict != "accepted"
}

impl Kernels {
    /// Of a way that ended without an answer.
    fn failed(&self, case: &Case, seconds: f64, verdict: String) -> Row {
        Row {
            instance: case.instance.name.clone(),
            d: case.instance.dim(),
            n: case.instance.count(),
            kernel: case.kernel.clone(),
            way: String::new(),
            gap: self.problems.gap,
            time_limit: self.problems.time_limit,
            seconds,
            nodes: 0,
            value: None,
            lower_bound: None,
            status: "failed".into(),
            true_value: None,
            verdict,
        }
    }

    fn row(
        &self,
        case: &Case,
        found: &Certificate,
        seconds: f64,
        verdict: String,
        is_piecewise: bool,
    ) -> anyhow::Result<Row> {
        let mut function = Acquisition::new(&case.posterior, case.instance.criterion()?)?;
        Ok(Row {
            nodes: found.nodes,
            value: Some(found.value).filter(|value| value.is_finite()),
            lower_bound: found.lower_bound,
            status: found.status.name().into(),
            true_value: (is_piecewise && !found.x.is_empty()).then(|| function.value(&found.x)),
            ..self.failed(case, seconds, verdict)
        })
    }

    /// One problem by the certified search, timed with its set-up, its proof verified.
    fn certified(&self, case: &Case, way: &str) -> anyhow::Result<Row> {
        let (region, criterion) = (case.instance.region()?, case.instance.criterion()?);
        let (treatment, negative) = match way {
            "published" => (Treatment::Published, NegativeVariance::Excluded),
            _ => (Treatment::KeepAll, NegativeVariance::Clamped),
        };
        let is_piecewise = ["kept", "published"].contains(&way);
        let linear = is_piecewise.then(|| linearise(&case.posterior, &region, Breakpoints::Paper, treatment));
        let (linear, sum) = (linear.transpose()?, (way == "sum").then(|| sum_of_kernels(case)).transpose()?);
        let problem = || match &linear {
            Some(linear) => Problem::piecewise_linear(linear, criterion, region.clone(), negative),
            None => Problem::new(sum.as_ref().unwrap_or(&case.posterior), criterion, region.clone()),
        };
        let (found, times) = case::solve(&problem, &self.problems.limits(), self.repetitions)?;
        let verdict = case::prove(&problem, &self.problems.limits())?.verdict();
        self.row(case, &found, median(times).expect("at least one solve"), verdict, is_piecewise)
    }

    /// `None` if there is no such solver, whose lack says how to get it.
    fn by_solver(&self, case: &Case, solver: fathom_miqp::Result<Box<dyn Solver>>) -> anyhow::Result<Option<Row>> {
        let solver = match solver {
            Ok(solver) => solver,
            Err(missing) => {
                eprintln!("without a solver: {missing}");
                return Ok(None);
            }
        };
        let settings = PkSettings {
            gap: self.problems.gap,
            time: self.problems.limits().time,
            sub_time: Some(Duration::from_secs(1)),
            polish: 0,
            pool: 1,
            ..PkSettings::default()
        };
        let method = PkMiqp::new(Engine::Solver(solver.as_ref()), &settings)?;
        let (start, region) = (Instant::now(), case.instance.region()?);
        Ok(Some(match method.minimise(&case.posterior, case.instance.criterion()?, &region, &Stop::new(false)) {
            Ok(outcome) => self.row(case, &outcome.certificate, outcome.full_seconds, outcome.solver, true)?,
            Err(error) => self.failed(case, start.elapsed().as_secs_f64(), error.to_string()),
        }))
    }
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
