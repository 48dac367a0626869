//! What can be typed.

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use fathom_global::{MOST_MINIMA, MOST_THREADS};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Bayesian optimisation with a proof behind every certified suggestion.
///
/// Exit codes: 0 done, 1 the gap was not closed within the limits (solve, audit) or not accepted (verify), 2 an error.
#[derive(Debug, Parser)]
#[command(name = "fathom", version)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find the certified global minimum of an acquisition function.
    ///
    /// Example: fathom solve instances/prior_d2_rbf_r00.json --proof my.proof
    Solve(Solve),
    /// How far from the minimum are points that something else found? By the search's own word: no proof file covers it.
    ///
    /// Example: fathom audit instances/prior_d2_rbf_r00.json --x 0.1,0.2
    Audit(Audit),
    /// Check proofs with separate code in interval arithmetic: proof files, or those behind a study's suggestions.
    ///
    /// Says what was proven of which problem. The proof behind a suggestion is made again from the study's trials, and must be
    /// about them, the study's space and its strategy. Exit code 0 if everything holds, 1 if a proof is refused or about
    /// another problem (or there is none), 2 if something cannot be read.
    ///
    /// Example: fathom verify my-study.toml 30
    ///
    /// Example: fathom verify my.proof --of instances/prior_d2_rbf_r00.json
    Verify(Verify),
    /// Write the proof behind a study's suggestion to a file.
    ///
    /// Example: fathom proof my-study.toml 30 --output t30.proof
    Proof(Proof),
    /// Write the paper's mixed-integer program of a problem, for any solver that reads LP or MPS files.
    ///
    /// Example: fathom export-model instances/prior_d1_rbf_r00.json --format lp --output model.lp
    ExportModel(ExportModel),
    /// Write a commented study file; on a terminal it asks for the parameters.
    ///
    /// Example: fathom new my-study.toml -p "rate 1e-5 1e-1 log" -p "units 1 64 int" -p "kind red,green"
    New(New),
    /// Run a study: suggest, evaluate, repeat. Goes on where it was left.
    ///
    /// Example: fathom run my-study.toml --workers 4 --trials 60
    Run(Run),
    /// Hand out trials to evaluate elsewhere.
    ///
    /// Example: fathom ask my-study.toml --json
    Ask(Ask),
    /// Tell a trial its value, or that it failed.
    ///
    /// Example: fathom tell my-study.toml 7 0.231
    Tell(Tell),
    /// Show the best trial, and what can still be gained.
    ///
    /// Example: fathom best my-study.toml
    Best(Best),
    /// List all trials.
    ///
    /// Example: fathom trials my-study.toml --csv
    Trials(Trials),
    /// Add experiments of the past from a CSV file with a column per parameter and `value`.
    ///
    /// Example: fathom import my-study.toml past.csv
    Import(Import),
    /// Write all trials as CSV.
    ///
    /// Example: fathom export my-study.toml trials.csv
    Export(Export),
    /// Draw a study as SVG or PNG.
    ///
    /// Example: fathom plot my-study.toml convergence --output convergence.png
    Plot(Plot),
    /// Copy a study to a new SQLite file, from wherever it is kept and whoever writes meanwhile.
    ///
    /// Example: fathom backup my-study.toml copy.db
    Backup(Backup),
    /// Examine where a study is kept, without changing anything.
    ///
    /// Exit code 0 if nothing is wrong, 1 with findings, 2 if it cannot be opened.
    ///
    /// Example: fathom check-store my-study.toml
    CheckStore(CheckStore),
    /// Optimise a test function, report, and draw a picture.
    ///
    /// Example: fathom demo branin
    Demo(Demo),
    /// Print completions for a shell.
    ///
    /// Example: fathom completions bash > /etc/bash_completion.d/fathom
    Completions(Completions),
}

/// Which study.
#[derive(Debug, ClapArgs)]
pub struct StudyFile {
    /// The study file (docs/studies.md).
    #[arg(value_name = "STUDY.toml")]
    pub file: PathBuf,
    /// Where it is kept: sqlite:///path/to/file.db or postgres://user@host/database. Else what the file says, else a
    /// file beside it that ends in .db.
    #[arg(long, value_name = "URL")]
    pub store: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub struct New {
    /// The file to write.
    #[arg(default_value = "study.toml", value_name = "STUDY.toml")]
    pub file: PathBuf,
    /// A parameter as `name low high`, with `log` or `int` after it, or as `name one,two,three`; may be given several
    /// times.
    #[arg(long, short, value_name = "PARAMETER")]
    pub parameter: Vec<String>,
    /// The command that evaluates a point, words apart by spaces; `{name}` stands for a parameter.
    #[arg(long, value_name = "COMMAND")]
    pub command: Option<String>,
    /// Large values are good.
    #[arg(long)]
    pub maximise: bool,
    /// Write a file for this test function.
    #[arg(long, conflicts_with_all = ["parameter", "command", "maximise"], value_name = "NAME")]
    pub function: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub struct Run {
    #[command(flatten)]
    pub study: StudyFile,
    /// Evaluations at once.
    #[arg(long, default_value_t = 1, value_name = "COUNT")]
    pub workers: usize,
    /// Stop at this many trials; else what the file says, else 50.
    #[arg(long, value_name = "COUNT")]
    pub trials: Option<u64>,
    /// How long a trial waits for a worker that died before another one takes it.
    #[arg(long, default_value = "20s", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub lease: Duration,
}

#[derive(Debug, ClapArgs)]
pub struct Ask {
    #[command(flatten)]
    pub study: StudyFile,
    /// How many.
    #[arg(long, short = 'n', default_value_t = 1, value_name = "COUNT")]
    pub count: usize,
    /// Hand a trial out again where it is not told within this time; else it waits for ever.
    #[arg(long, value_parser = humantime::parse_duration, value_name = "TIME")]
    pub lease: Option<Duration>,
    /// One JSON object a line.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, ClapArgs)]
pub struct Tell {
    #[command(flatten)]
    pub study: StudyFile,
    /// The trial's number.
    pub id: u64,
    /// Its value.
    // Hyphens, as -1e-3 is no negative number to the parser of arguments.
    #[arg(required_unless_present = "failed", allow_hyphen_values = true)]
    pub value: Option<f64>,
    /// That it failed, and why.
    #[arg(long, conflicts_with = "value", value_name = "REASON")]
    pub failed: Option<String>,
    /// How long to try while the store is busy or away. After that the value is kept in a file beside the study, and the next
    /// command tells it.
    #[arg(long, default_value = "30s", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub wait: Duration,
}

#[derive(Debug, ClapArgs)]
pub struct Best {
    #[command(flatten)]
    pub study: StudyFile,
    /// Wait this long for the bound [default: 30s; with more than 2000 complete trials it is left out].
    #[arg(long, value_parser = humantime::parse_duration, value_name = "TIME")]
    pub time_limit: Option<Duration>,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, ClapArgs)]
pub struct Trials {
    #[command(flatten)]
    pub study: StudyFile,
    /// One JSON object a line, certificates included.
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// As CSV.
    #[arg(long)]
    pub csv: bool,
}

#[derive(Debug, ClapArgs)]
pub struct Import {
    #[command(flatten)]
    pub study: StudyFile,
    /// The CSV file. A row without a value is a failed trial; rows that are there already are not added again.
    pub table: PathBuf,
    /// The column of the values.
    #[arg(long, default_value = "value", value_name = "COLUMN")]
    pub value: String,
}

#[derive(Debug, ClapArgs)]
pub struct Backup {
    #[command(flatten)]
    pub study: StudyFile,
    /// The file to write; it must not exist.
    #[arg(value_name = "FILE")]
    pub copy: PathBuf,
    /// Copy every study of the store, not this one alone.
    #[arg(long)]
    pub all: bool,
}

#[derive(Debug, ClapArgs)]
pub struct CheckStore {
    #[command(flatten)]
    pub study: StudyFile,
}

#[derive(Debug, ClapArgs)]
pub struct Export {
    #[command(flatten)]
    pub study: StudyFile,
    /// The CSV file to write; stdout where it is not given, or for `-`.
    pub table: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub struct Plot {
    #[command(flatten)]
    pub study: StudyFile,
    /// What to draw.
    #[arg(value_enum, default_value = "convergence")]
    pub what: Picture,
    /// The file to write; its ending decides between SVG and PNG.
    #[arg(long, short, default_value = "plot.svg", value_name = "FILE")]
    pub output: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Picture {
    /// Values, the best so far, and what may still be reached.
    Convergence,
    /// What can still be gained and the gap of the certificate, step by step.
    Gap,
    /// What the model expects over one or two parameters.
    Posterior,
    /// The acquisition function over one or two parameters, with its minimum.
    Acquisition,
    /// A line per trial across all parameters.
    Parallel,
}

#[derive(Debug, ClapArgs)]
pub struct Demo {
    /// The test function.
    #[arg(default_value = "branin", value_name = "FUNCTION")]
    pub function: String,
    /// Evaluations.
    #[arg(long, default_value_t = 40, value_name = "COUNT")]
    pub trials: u64,
    /// The picture to draw, SVG or PNG.
    #[arg(long, short, default_value = "demo.png", value_name = "FILE")]
    pub output: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Debug, ClapArgs)]
pub struct Solve {
    /// Problem files (JSON; docs/instances.md), solved one after the other.
    #[arg(required = true, value_name = "INSTANCE.json")]
    pub instances: Vec<PathBuf>,
    /// The certified search, the paper's method (PK-MIQP), or a local method.
    #[arg(long, value_enum, default_value_t = Method::Certified)]
    pub method: Method,
    /// Absolute gap between value and bound at which to stop [default: 1e-4; 1e-3 for pk].
    #[arg(long, allow_negative_numbers = true, value_name = "GAP")]
    pub gap: Option<f64>,
    /// The same relative to the value's size; the larger allowance counts [default: 1e-6 if no --gap is given either, else 0].
    #[arg(long, allow_negative_numbers = true, value_name = "GAP")]
    pub rel_gap: Option<f64>,
    /// Stop after this long and report what is proven so far, e.g. 60s, 500ms, 5min.
    #[arg(long, value_parser = humantime::parse_duration, value_name = "TIME")]
    pub time_limit: Option<Duration>,
    /// Stop after bounding this many boxes.
    #[arg(long, value_name = "COUNT")]
    pub node_limit: Option<u64>,
    /// Threads to use, at most 1024; the answer does not depend on it.
    #[arg(long, default_value_t = 1, value_parser = threads, value_name = "COUNT")]
    pub threads: usize,
    /// Seed of the first samples.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// One JSON object a line on stdout.
    #[arg(long)]
    pub json: bool,
    /// Also report this many of the best distinct local minima that the search met, best first; at most 10000.
    #[arg(long, default_value_t = 0, value_parser = minima, value_name = "COUNT")]
    pub pool: usize,
    /// Write the proof to this file; with several problems, to this folder, each called as its problem file.
    #[arg(long, value_name = "FILE")]
    pub proof: Option<PathBuf>,
    #[command(flatten)]
    pub near: Near,
    #[command(flatten)]
    pub pk: Pk,
}

#[derive(Debug, ClapArgs)]
pub struct Audit {
    /// A problem file (JSON; docs/instances.md).
    #[arg(value_name = "INSTANCE.json")]
    pub instance: PathBuf,
    /// A point, its coordinates separated by commas; may be given several times.
    #[arg(long, allow_hyphen_values = true, value_name = "X1,X2,...")]
    pub x: Vec<Point>,
    /// A JSON file of points: lists of numbers, or objects with an `x` such as `fathom solve --json` prints.
    #[arg(long, value_name = "FILE")]
    pub points: Option<PathBuf>,
    /// Absolute gap between value and bound of the minimum, which is how exact the answer is.
    #[arg(long, default_value_t = 1e-4, allow_negative_numbers = true, value_name = "GAP")]
    pub gap: f64,
    /// Stop the search after this long and go by its bound at that time, e.g. 60s, 500ms, 5min.
    #[arg(long, value_parser = humantime::parse_duration, value_name = "TIME")]
    pub time_limit: Option<Duration>,
    /// Threads to use, at most 1024; the answer does not depend on it.
    #[arg(long, default_value_t = 1, value_parser = threads, value_name = "COUNT")]
    pub threads: usize,
    /// One JSON object for each point, a line each.
    #[arg(long)]
    pub json: bool,
}

/// A point as it is typed.
#[derive(Debug, Clone)]
pub struct Point(pub Vec<f64>);

impl FromStr for Point {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| part.trim().parse().map_err(|_| format!("`{}` is not a number", part.trim()));
        text.split(',').map(number).collect::<Result<_, _>>().map(Self)
    }
}

/// Everything that is nearly as good.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Near-optimal points")]
pub struct Near {
    /// Also list boxes that hold every point within EPS of the minimum, by the search's own word: --proof does not cover it.
    #[arg(long, allow_negative_numbers = true, value_name = "EPS")]
    pub near_optimal: Option<f64>,
    /// How wide such a box may be, as a part of the region's sides.
    #[arg(long, requires = "near_optimal", default_value_t = 0.05, allow_negative_numbers = true, value_name = "PART")]
    pub resolution: f64,
    /// Choose this many points within EPS of the minimum, far from each other.
    #[arg(long, requires = "near_optimal", default_value_t = 0, value_name = "COUNT")]
    pub diverse: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// Branch and bound on the true function; its bound is proven, and --proof writes the proof down.
    Certified,
    /// The paper's Algorithm 1: proves a bound of the piecewise-linear function, nothing of the true one.
    Pk,
    /// L-BFGS-B from the best of many samples, as BoTorch does it; proves nothing, as all below.
    Multistart,
    /// One descent of L-BFGS-B from the origin.
    LBfgsB,
    /// One run of Nelder–Mead from the origin.
    NelderMead,
    /// One run of COBYLA from the origin.
    Cobyla,
    /// One run of SLSQP from the origin.
    Slsqp,
    /// One run of an interior point method in a trust region from the origin.
    TrustConstr,
}

impl Method {
    /// As it is written on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// The method of that name.
    pub fn method(self) -> fathom_method::Method {
        self.name().parse().expect("every option is the name of a method")
    }
}

/// What only `--method pk` knows.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "With --method pk")]
pub struct Pk {
    /// Who solves; auto is the certified search, and for what it does not know Gurobi where there is one, else SCIP.
    #[arg(long, value_enum, default_value_t = Backend::Auto)]
    pub backend: Backend,
    /// Settings of the paper's Appendix B (gap 50 %, 90 minutes, its repair) instead of stricter ones.
    #[arg(long)]
    pub paper: bool,
    /// Of an additive model, minimise each group of inputs alone, as the paper does; nothing is proven of the whole then.
    #[arg(long)]
    pub groups_alone: bool,
    /// How the piecewise-linear kernel is written out; by default Gurobi gets its own constraints, SCIP binaries.
    #[arg(long, value_enum)]
    pub encoding: Option<Encoding>,
    /// File for the solver's log.
    #[arg(long, value_name = "FILE")]
    pub solver_log: Option<PathBuf>,
}

impl Pk {
    /// An option that was given, as it is written on the command line.
    pub fn given(&self) -> Option<&'static str> {
        let options = [
            ("--backend", self.backend != Backend::Auto),
            ("--paper", self.paper),
            ("--groups-alone", self.groups_alone),
            ("--encoding", self.encoding.is_some()),
            ("--solver-log", self.solver_log.is_some()),
        ];
        options.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Backend {
    Auto,
    /// The certified search: no other software; its bound is proven.
    Embedded,
    /// SCIP, from a library or a program.
    Scip,
    /// Gurobi, with a licence.
    Gurobi,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Encoding {
    /// The paper's Eq. (6): one binary a segment.
    Binaries,
    /// Special ordered sets.
    Sos2,
    /// One binary a bit of the segment's number.
    Logarithmic,
}

#[derive(Debug, ClapArgs)]
pub struct ExportModel {
    /// A problem file (JSON; docs/instances.md).
    #[arg(value_name = "INSTANCE.json")]
    pub instance: PathBuf,
    /// The file's format.
    #[arg(long, value_enum, default_value_t = Format::Lp)]
    pub format: Format,
    /// The sub-problem: the mean alone, without the quadratic constraint (5c).
    #[arg(long)]
    pub sub: bool,
    /// How the piecewise-linear kernel is written out.
    #[arg(long, value_enum, default_value_t = Encoding::Binaries)]
    pub encoding: Encoding,
    /// The published repair of an indefinite matrix, which can cut off most of the box, instead of one that keeps all.
    #[arg(long)]
    pub published: bool,
    /// Write to this file instead of stdout.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// CPLEX's LP.
    Lp,
    /// MPS with QCMATRIX.
    Mps,
}

#[derive(Debug, ClapArgs)]
pub struct Verify {
    /// Proof files; or a study file, and the numbers of trials (all of them if there are none). A proof is told by how it
    /// begins.
    #[arg(required_unless_present = "of", value_name = "FILE [TRIAL]")]
    pub files: Vec<PathBuf>,
    /// The proof must be about this problem: a problem file, or a study file and a trial (any of its trials if there is no
    /// number). The first difference is named.
    #[arg(long, num_args = 1..=2, value_names = ["PROBLEM.json|STUDY.toml", "TRIAL"])]
    pub of: Vec<String>,
    /// One JSON object for each proof, a line each.
    #[arg(long)]
    pub json: bool,
    /// Where the study is kept, if its file does not say so and it is not beside it.
    #[arg(long, value_name = "URL")]
    pub store: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub struct Proof {
    #[command(flatten)]
    pub study: StudyFile,
    /// The trial's number.
    #[arg(value_name = "TRIAL")]
    pub id: u64,
    /// The file to write [default: NAME-TRIAL.proof].
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

fn threads(text: &str) -> Result<usize, String> {
    between(text, 1, MOST_THREADS)
}

fn minima(text: &str) -> Result<usize, String> {
    between(text, 0, MOST_MINIMA)
}

fn between(text: &str, least: usize, most: usize) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (least..=most).contains(count));
    count.ok_or_else(|| format!("it must be a whole number from {least} to {most}"))
}
