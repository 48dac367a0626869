//! `fathom solve --method pk`.

use super::instance::read;
use super::proof_files::{proof_paths, write_proof};
use super::settings::settings as asked;
use super::text::coordinates;
use crate::args::Solve;
use crate::meter::Meter;
use crate::text::{json, plain, plain_path};
use anyhow::Context as _;
use cpu_time::ProcessTime;
use fathom_global::{BoundBy, Certificate, Claim, Posed as _, Statement, Status, Stop};
use fathom_method::{Answer, Detour, Found, Method, PkOptions, Settings, minimise};
use fathom_paper::theory::Figures;
use fathom_paper::{Engine, GroupsOutcome, PkOutcome};
use serde::Serialize;
use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// One line of `--json`: the certificate of the true function, and how the method came to it.
#[derive(Debug, Serialize)]
struct Line<'a> {
    name: &'a str,
    #[serde(flatten)]
    of_true_function: Certificate,
    cpu_seconds: f64,
    method: &'static str,
    #[serde(flatten)]
    way: Way<'a>,
}

/// What the method did; fields that one kind of run does not have are left out.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Way<'a> {
    Whole {
        solver: &'a str,
        segments: usize,
        kernel_error: f64,
        value_before_polishing: f64,
        warm_start_points: usize,
        pool_points: usize,
        warm_start_seconds: Option<f64>,
        program_seconds: f64,
        true_function_estimate: Option<f64>,
        approximation_error: Option<f64>,
        theory: Figures,
        piecewise_linear: &'a Certificate,
    },
    Groups {
        solver: &'a str,
        segments: usize,
        kernel_error: f64,
        value_before_polishing: f64,
        groups: &'a [Certificate],
    },
}

pub fn run(args: &Solve, stop: &Stop) -> anyhow::Result<ExitCode> {
    let options = args.pk.options(args.pool)?;
    if let Some(log) = &options.solver_log {
        fathom_files::check_destination(log)?;
    }
    if args.proof.is_some() {
        anyhow::ensure!(
            options.group_by_group.is_none(),
            "--proof: nothing is proven of the whole with --group-by-group; leave one of them out"
        );
    }
    let targets = proof_paths(args)?;
    let mut all_closed = true;
    for (path, target) in args.instances.iter().zip(&targets) {
        let instance = read(path)?;
        let (wall, cpu) = (Instant::now(), ProcessTime::now());
        let answer = solve(args, &options, &instance, stop).with_context(|| plain_path(path))?;
        let (seconds, cpu_seconds) = (wall.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
        if let (Some(proof), Some(target)) = (&answer.proof, target) {
            write_proof(proof, target)?;
        }
        let detour = answer.detour.as_ref().expect("the paper's method says what it did");
        let out = &mut std::io::stdout().lock();
        if args.json {
            let of_true_function = Certificate { seconds, ..answer.certificate.clone() };
            let (name, method) = (instance.name.as_str(), args.method.method().name());
            let line = Line { name, of_true_function, cpu_seconds, method, way: way(detour) };
            writeln!(out, "{}", json(&line)?)?;
        } else {
            print_summary(out, &instance.name, &answer.certificate, detour, seconds)?;
        }
        all_closed &= programs(detour).iter().all(|program| is_closed(program.status));
        if stop.load(Ordering::Relaxed) {
            all_closed &= path == args.instances.last().unwrap_or(path);
            break;
        }
    }
    Ok(if all_closed { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn solve(args: &Solve, options: &PkOptions, instance: &Statement, stop: &Stop) -> anyhow::Result<Answer> {
    let started = Instant::now();
    let posterior = instance.posterior()?;
    let (criterion, region) = (instance.criterion()?, instance.region()?);
    let found = options.find(Engine::is_embeddable(region.dim()))?;
    anyhow::ensure!(
        args.proof.is_none() || matches!(found, Found::Embedded),
        "--proof: a solver's bound comes without one; leave --engine out or make it embedded"
    );
    let meter = Meter::new();
    meter.tell(|| format!("minimising {} by PK-MIQP", plain(&instance.name)));
    let left = || args.time_limit.map(|limit| limit.saturating_sub(started.elapsed()));
    let method = options.method(Method::Pk);
    options.check_groups(&method, &posterior)?;
    let settings = Settings { pk: options.settings(1, &found)?, engine: found.engine(), ..asked(args, method, left()) };
    let answer = minimise(&posterior, criterion, &region, &settings, stop, |progress| meter.search(progress, left()));
    meter.clear();
    Ok(answer?)
}

/// The certificates of the piecewise-linear functions that were minimised.
fn programs(detour: &Detour) -> &[Certificate] {
    match detour {
        Detour::Pk(outcome) => std::slice::from_ref(&outcome.certificate),
        Detour::Groups(outcome) => &outcome.groups,
    }
}

fn is_closed(status: Status) -> bool {
    matches!(status, Status::Optimal | Status::Infeasible)
}

fn way(detour: &Detour) -> Way<'_> {
    match detour {
        Detour::Pk(outcome) => Way::Whole {
            solver: &outcome.solver,
            segments: outcome.segments,
            kernel_error: outcome.kernel_error,
            value_before_polishing: outcome.before_polishing,
            warm_start_points: outcome.sub_points,
            pool_points: outcome.full_points,
            warm_start_seconds: outcome.sub_seconds,
            program_seconds: outcome.full_seconds,
            true_function_estimate: outcome.true_function_estimate,
            approximation_error: outcome.approximation_error,
            theory: outcome.theory,
            piecewise_linear: &outcome.certificate,
        },
        Detour::Groups(outcome) => Way::Groups {
            solver: &outcome.solver,
            segments: outcome.segments,
            kernel_error: outcome.kernel_error,
            value_before_polishing: outcome.before_polishing,
            groups: &outcome.groups,
        },
    }
}

/// Two statements: about the true function, and about the piecewise-linear one.
fn print_summary(
    out: &mut impl Write,
    name: &str,
    certificate: &Certificate,
    detour: &Detour,
    seconds: f64,
) -> anyhow::Result<()> {
    writeln!(out, "{}: {}", plain(name), of_true_function(certificate))?;
    let before = match detour {
        Detour::Pk(outcome) => outcome.before_polishing,
        Detour::Groups(outcome) => outcome.before_polishing,
    };
    if !certificate.x.is_empty() {
        writeln!(out, "  x             {}", coordinates(&certificate.x))?;
        writeln!(out, "  value         {:.6}   ({before:.6} before polishing)", certificate.value)?;
    }
    if let (Some(bound), Some(gap)) = (certificate.lower_bound, certificate.gap) {
        writeln!(out, "  lower bound   {bound:.6}   no point is lower, by the certified search (gap {gap:.1e})")?;
    }
    match detour {
        Detour::Pk(outcome) => print_program(out, outcome)?,
        Detour::Groups(outcome) => print_groups(out, outcome)?,
    }
    writeln!(out, "  {} nodes in all, {seconds:.1} s", certificate.nodes)?;
    Ok(())
}

fn of_true_function(certificate: &Certificate) -> &'static str {
    match (certificate.status, certificate.lower_bound) {
        (Status::Infeasible, _) => "proven infeasible: no point satisfies the constraints",
        (Status::Optimal, _) => "the true function's minimum, proven within the gap",
        (_, None) => "a point of the paper's method; nothing is proven of the true function",
        (_, Some(_)) => "a point of the paper's method; the true function's minimum lies between value and bound",
    }
}

fn print_program(out: &mut impl Write, outcome: &PkOutcome) -> anyhow::Result<()> {
    let certificate = &outcome.certificate;
    let shift = certificate.repairs.shift;
    let repair = if shift > 0.0 { format!(", K̃ shifted by {shift:.1e}") } else { String::new() };
    let (segments, error) = (outcome.segments, outcome.kernel_error);
    writeln!(out, "  piecewise-linear function (M = {segments} segments, ε_M = {error:.1e}{repair})")?;
    if certificate.x.is_empty() {
        return Ok(());
    }
    writeln!(out, "    value       {:.6}", certificate.value)?;
    writeln!(out, "    bound       {}", whose(certificate, &outcome.solver))?;
    let start = match outcome.sub_seconds {
        Some(seconds) => format!("{} from the warm start ({seconds:.1} s), ", outcome.sub_points),
        None => String::new(),
    };
    let (count, seconds) = (outcome.full_points, outcome.full_seconds);
    writeln!(out, "    points      {start}{count} from the program ({seconds:.1} s)")?;
    if let (Some(estimate), Some(error)) = (outcome.true_function_estimate, outcome.approximation_error) {
        let why = format!("Theorem 4.3 takes off {error:.1e}, evaluated in floating point");
        writeln!(out, "    estimate    {estimate:.6}   of the true function's least value, not proven ({why})")?;
    }
    Ok(())
}

fn print_groups(out: &mut impl Write, outcome: &GroupsOutcome) -> anyhow::Result<()> {
    let (segments, error) = (outcome.segments, outcome.kernel_error);
    let count = outcome.groups.len();
    writeln!(out, "  {count} piecewise-linear functions, one a group (M = {segments} segments, ε_M = {error:.1e})")?;
    for (group, certificate) in (1..).zip(&outcome.groups) {
        writeln!(out, "    group {group:<5} {:.6}   bound {}", certificate.value, whose(certificate, &outcome.solver))?;
    }
    Ok(())
}

/// The bound of a piecewise-linear function, and on whose word.
fn whose(certificate: &Certificate, solver: &str) -> String {
    let Some(bound) = certificate.lower_bound else { return format!("none ({solver}: {})", certificate.status.name()) };
    let proven = matches!(certificate.claim, Claim::PiecewiseLinear { bound_by: BoundBy::Proof, .. });
    let word = if proven { "proven".to_owned() } else { format!("{solver}'s word") };
    let gap = certificate.gap.map(|gap| format!(", gap {gap:.1e}")).unwrap_or_default();
    let status = certificate.status;
    let is_closed = status == Status::Optimal;
    let ended = if is_closed { "closed".into() } else { format!("not closed: {}", status.name().replace('_', " ")) };
    format!("{bound:.6}   {word}, {ended}{gap}")
}
