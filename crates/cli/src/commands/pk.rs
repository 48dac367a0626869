//! `fathom solve --method pk`.

use super::instance::read;
use super::proof_files::{proof_paths, write_proof};
use super::settings::settings as asked;
use super::text::coordinates;
use crate::args::{Backend, Solve};
use crate::meter::Meter;
use crate::text::{json, plain, plain_path};
use anyhow::Context as _;
use cpu_time::ProcessTime;
use fathom_global::{BoundBy, Certificate, Claim, Posed as _, Status, Stop};
use fathom_method::{Method, Settings, minimise};
use fathom_miqp::{Gurobi, Host, Scip, Solver};
use fathom_paper::{Engine, GroupsOutcome, PkOutcome, PkSettings};
use serde::Serialize;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// One line of `--json`: what is known of the true function, an estimate, and the certificate of the piecewise-linear
/// function, of which something is proven.
#[derive(Debug, Serialize)]
struct Line<'a> {
    name: &'a str,
    #[serde(flatten)]
    of_true_function: Certificate,
    cpu_seconds: f64,
    method: &'static str,
    solver: &'a str,
    true_function_estimate: Option<f64>,
    approximation_error: Option<f64>,
    piecewise_linear: &'a Certificate,
}

pub fn run(args: &Solve, stop: &Stop) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(args.node_limit.is_none(), "--node-limit goes with the certified method; use --time-limit");
    let external = match args.pk.backend {
        Backend::Embedded | Backend::Auto => None,
        Backend::Scip | Backend::Gurobi => Some(find(args.pk.backend)?),
    };
    anyhow::ensure!(
        args.proof.is_none() || external.is_none(),
        "--proof: a solver's bound comes without one; leave --backend out or make it embedded"
    );
    if args.pk.groups_alone {
        anyhow::ensure!(external.is_none(), "--groups-alone goes with --backend embedded");
        anyhow::ensure!(args.proof.is_none(), "--proof: nothing is proven of the whole with --groups-alone");
        return groups_alone(args, stop);
    }
    if let Some(log) = &args.pk.solver_log {
        fathom_files::check_destination(log)?;
    }
    let targets = proof_paths(args)?;
    let mut all_closed = true;
    for (path, target) in args.instances.iter().zip(&targets) {
        let instance = read(path)?;
        let (wall, cpu) = (Instant::now(), ProcessTime::now());
        let solve = || {
            let posterior = instance.posterior()?;
            let problem = instance.problem(&posterior)?;
            let (region, criterion) = (problem.region(), problem.acquisition().criterion());
            let found = match (&external, args.pk.backend) {
                (None, Backend::Auto) if !Engine::is_embeddable(&posterior, criterion) => Some(find(Backend::Auto)?),
                _ => None,
            };
            let solver = external.as_ref().or(found.as_ref());
            let settings = settings(args, Method::Pk, solver.map(AsRef::as_ref));
            anyhow::Ok(minimise(&posterior, criterion, region, &settings, stop, |_| {})?)
        };
        let meter = Meter::new();
        meter.tell(|| format!("minimising {} by PK-MIQP", plain(&instance.name)));
        let answer = solve().with_context(|| plain_path(path))?;
        let outcome = answer.pk().expect("the paper's method says what it did");
        meter.clear();
        let (seconds, cpu_seconds) = (wall.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
        if let (Some(proof), Some(target)) = (&answer.proof, target) {
            write_proof(proof, target)?;
        }
        if args.json {
            print_json(&instance.name, outcome, seconds, cpu_seconds)?;
        } else {
            print_summary(&instance.name, outcome, seconds)?;
        }
        all_closed &= outcome.certificate.status == Status::Optimal;
        if stop.load(Ordering::Relaxed) {
            all_closed &= path == args.instances.last().unwrap_or(path);
            break;
        }
    }
    Ok(if all_closed { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// One line of `--json` with `--groups-alone`.
#[derive(Debug, Serialize)]
struct GroupsLine<'a> {
    name: &'a str,
    x: &'a [f64],
    value: f64,
    lower_bound: Option<f64>,
    status: Status,
    seconds: f64,
    method: &'static str,
    groups: &'a [Certificate],
}

/// Each group of an additive model alone, then polishing on the whole.
fn groups_alone(args: &Solve, stop: &Stop) -> anyhow::Result<ExitCode> {
    let settings = settings(args, Method::PkGroups, None);
    for path in &args.instances {
        let instance = read(path)?;
        let wall = Instant::now();
        let solve = || {
            let posterior = instance.posterior()?;
            minimise(&posterior, instance.criterion()?, &instance.region()?, &settings, stop, |_| {})
        };
        let answer = solve().with_context(|| plain_path(path))?;
        let outcome = answer.groups().expect("the paper's method says what it did");
        let seconds = wall.elapsed().as_secs_f64();
        let mut out = std::io::stdout().lock();
        if args.json {
            let GroupsOutcome { x, value, groups, .. } = outcome;
            let (name, method) = (instance.name.as_str(), "pk");
            let status = Status::Local;
            let line = GroupsLine { name, x, value: *value, lower_bound: None, status, seconds, method, groups };
            writeln!(out, "{}", json(&line)?)?;
        } else {
            writeln!(
                out,
                "{}: {} groups minimised alone; nothing is proven of the whole",
                plain(&instance.name),
                outcome.groups.len()
            )?;
            writeln!(out, "  x             {}", coordinates(&outcome.x))?;
            writeln!(out, "  value         {:.6}   true function, after polishing", outcome.value)?;
            writeln!(out, "  before        {:.6}   of the groups' own minimisers together", outcome.before_polishing)?;
            writeln!(out, "  {seconds:.1} s")?;
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(ExitCode::from(1));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The library of SCIP is loaded by this program, started once more.
pub fn host() -> Option<Host> {
    std::env::current_exe().ok().map(|program| Host { program, arguments: Vec::new() })
}

pub fn find(backend: Backend) -> fathom_miqp::Result<Box<dyn Solver>> {
    let scip = || Scip::find_hosted(host()).map(|scip| Box::new(scip) as Box<dyn Solver>);
    let gurobi = || Gurobi::find().map(|gurobi| Box::new(gurobi) as Box<dyn Solver>);
    match backend {
        Backend::Scip => scip(),
        Backend::Gurobi => gurobi(),
        Backend::Auto | Backend::Embedded => gurobi().or_else(|_| scip()),
    }
}

fn settings<'s>(args: &Solve, method: Method, solver: Option<&'s dyn Solver>) -> Settings<'s> {
    let mut pk = if args.pk.paper { PkSettings::paper() } else { PkSettings::default() };
    if args.pk.paper && solver.is_some_and(|solver| solver.name() == "Gurobi") {
        let own = PkSettings::PAPER_GUROBI.map(|(name, value)| (name.to_string(), value.to_string()));
        pk.parameters = own.to_vec();
    }
    pk.encoding = args.pk.encoding.map(fathom_miqp::Encoding::from);
    pk.log.clone_from(&args.pk.solver_log);
    let engine = solver.map_or(Engine::Embedded, Engine::Solver);
    Settings { pk, engine, ..asked(args, method, args.time_limit) }
}

fn print_json(name: &str, outcome: &PkOutcome, seconds: f64, cpu_seconds: f64) -> anyhow::Result<()> {
    let line = Line {
        name,
        of_true_function: Certificate { seconds, ..outcome.of_true_function() },
        cpu_seconds,
        method: "pk",
        solver: &outcome.solver,
        true_function_estimate: outcome.true_function_estimate,
        approximation_error: outcome.approximation_error,
        piecewise_linear: &outcome.certificate,
    };
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", json(&line)?)?;
    Ok(())
}

fn print_summary(name: &str, outcome: &PkOutcome, seconds: f64) -> anyhow::Result<()> {
    let PkOutcome { certificate, solver, .. } = outcome;
    let closed = if certificate.status == Status::Optimal { "closed" } else { "did not close" };
    let number = |value: Option<f64>| value.map_or("none".to_string(), |value| format!("{value:.6}"));
    let mut out = std::io::stdout().lock();
    let proven = matches!(certificate.claim, Claim::PiecewiseLinear { bound_by: BoundBy::Proof, .. });
    let word = if proven { "its bound is proven" } else { "its bound is not proven by Fathom" };
    writeln!(
        out,
        "{}: {solver} {closed} the piecewise-linear problem; {word}; nothing is proven of the true function",
        plain(name)
    )?;
    writeln!(out, "  x             {}", coordinates(&outcome.x))?;
    writeln!(out, "  value         {:.6}   true function, after polishing", outcome.value)?;
    writeln!(out, "  approximated  {:.6}   lowest value of the piecewise-linear function", certificate.value)?;
    let whose = if proven { "proven".to_string() } else { format!("by {solver}'s word") };
    writeln!(out, "  its bound     {}   {whose}", number(certificate.lower_bound))?;
    if let (Some(estimate), Some(error)) = (outcome.true_function_estimate, outcome.approximation_error) {
        let why = format!("Theorem 4.3 takes off {error:.1e}, evaluated in floating point");
        writeln!(out, "  estimate      {estimate:.6}   of the true function's least value, not proven ({why})")?;
    }
    writeln!(out, "  {} nodes, {seconds:.1} s", certificate.nodes)?;
    Ok(())
}
