//! `fathom doctor`: what this machine offers, and how to get what it lacks. Solvers are optional, so a missing one is no error.

use crate::args::Doctor;
use crate::text::{plain, plain_path};
use fathom_miqp::{Error, Gurobi, Kind, Model, Outcome, Scip, Settings, Solver, Status, Stop};
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// The time that a solver has for a tiny model.
const PATIENCE: Duration = Duration::from_secs(30);

/// The most variables of a quadratic model for which Gurobi needs no key.
const KEYLESS: usize = 200;

const HIGHS: &str = "HiGHS is not used: it has no nonconvex quadratic constraints, and the paper's program has them";

/// Everything that was found.
#[derive(Debug, Serialize)]
struct Findings {
    version: &'static str,
    /// The operating system and the processor that this program was built for.
    platform: String,
    /// Whether it was built for development, with checks that cost time.
    development: bool,
    cores: usize,
    /// Bytes; none if the system does not say.
    free_memory: Option<u64>,
    default_memory_limit: u64,
    scip: SolverFound,
    gurobi: SolverFound,
    highs: &'static str,
    postgres: bool,
}

/// A solver, as far as it was found.
#[derive(Debug, Default, Serialize)]
struct SolverFound {
    found: bool,
    place: Option<String>,
    version: Option<String>,
    /// Whether it solved a tiny model.
    works: bool,
    /// What its licence allows.
    licence: Option<&'static str>,
    /// What went wrong, and how to get the solver.
    trouble: Option<String>,
}

pub fn run(args: &Doctor) -> anyhow::Result<ExitCode> {
    let limit = fathom_global::spare_memory();
    let findings = Findings {
        version: env!("CARGO_PKG_VERSION"),
        platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        development: cfg!(debug_assertions),
        cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        free_memory: fathom_global::free_memory(),
        default_memory_limit: limit,
        scip: scip(),
        gurobi: gurobi(),
        highs: HIGHS,
        postgres: cfg!(feature = "postgres"),
    };
    if args.json {
        say!("{}", serde_json::to_string(&findings)?);
    } else {
        print(&findings)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print(findings: &Findings) -> anyhow::Result<()> {
    let free = findings.free_memory.map_or("an unknown amount of".to_string(), gigabytes);
    let build = match findings.development {
        true => "; built for development, so searches are slow: `cargo install --path crates/cli` builds a quick one",
        false => "",
    };
    say!("Fathom      {} for {}{build}", findings.version, findings.platform);
    say!("machine     {} cores, {free} memory free", findings.cores);
    say!(
        "threads     `solve` takes 1 unless --threads says more; `run` makes 1 experiment at a time unless --workers says more"
    );
    say!("memory      a search takes at most {} by default", gigabytes(findings.default_memory_limit));
    say!("search      the certified search is built in and needs no solver; so is the checker of its proofs");
    say!("SCIP        {}", findings.scip.sentence());
    say!("Gurobi      {}", findings.gurobi.sentence());
    say!("HiGHS       {}", findings.highs.trim_start_matches("HiGHS is "));
    say!("SQLite      built in: a study is kept in a file beside its study file");
    let postgres = match findings.postgres {
        true => "studies can be kept on a server",
        false => "left out of this build: `cargo install --path crates/cli --features postgres` has it",
    };
    say!("PostgreSQL  {postgres}");
    Ok(())
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}

impl SolverFound {
    fn sentence(&self) -> String {
        let place = self.place.as_deref().unwrap_or("nowhere");
        let licence = self.licence.map_or(String::new(), |licence| format!("; {licence}"));
        match (&self.version, &self.trouble) {
            (Some(version), None) => format!("{version} at {place} solves a tiny model{licence}"),
            (_, Some(trouble)) if self.found => format!("at {place}, but it does not work: {trouble}"),
            (_, trouble) => format!("optional. {}", trouble.as_deref().unwrap_or_default()),
        }
    }

    fn missing(error: &Error) -> Self {
        Self { trouble: Some(plain(&error.to_string()).to_string()), ..Self::default() }
    }

    /// A solver that was found, after it tried a tiny model.
    fn tried(solver: &dyn Solver, place: &Path) -> Self {
        let found = Self { found: true, place: Some(plain_path(place).to_string()), ..Self::default() };
        match minimise(solver, 2) {
            Ok(outcome) if outcome.status == Status::Optimal => {
                Self { version: Some(outcome.solver), works: true, ..found }
            }
            Ok(outcome) => {
                let trouble = Some(format!("a tiny model ended with {:?}", outcome.status));
                Self { version: Some(outcome.solver), trouble, ..found }
            }
            Err(error) => Self { trouble: Some(plain(&error.to_string()).to_string()), ..found },
        }
    }
}

fn scip() -> SolverFound {
    match Scip::find() {
        Ok(scip) => SolverFound::tried(&scip, scip.place()),
        Err(error) => SolverFound::missing(&error),
    }
}

fn gurobi() -> SolverFound {
    let gurobi = match Gurobi::find() {
        Ok(gurobi) => gurobi,
        Err(error) => return SolverFound::missing(&error),
    };
    let mut found = SolverFound::tried(&gurobi, gurobi.place());
    if found.works {
        found.licence = match minimise(&gurobi, KEYLESS + 1) {
            Ok(_) => Some("its licence has no limit of size"),
            Err(Error::TooLarge(_)) => {
                Some("its licence without a key solves at most 2000 variables (200 with quadratic terms) and 2000 rows")
            }
            Err(_) => None,
        };
    }
    found
}

/// Minimises −x_1 over x_1² ≤ 1/4 with this many variables.
fn minimise(solver: &dyn Solver, variables: usize) -> fathom_miqp::Result<Outcome> {
    let mut model = Model::new();
    let x = (1..=variables)
        .map(|j| model.add_variable(&format!("x_{j}"), Kind::Continuous, 0.0, 1.0))
        .collect::<fathom_miqp::Result<Vec<_>>>()?;
    model.add_row("disc", (x[0] * x[0]).at_most(0.25))?;
    model.minimise(-1.0 * x[0])?;
    let settings = Settings { time_limit: Some(PATIENCE), ..Settings::default() };
    solver.solve(&model, &settings, &Stop::new(false))
}
