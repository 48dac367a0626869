//! `fathom solve`.

use super::instance::read;
use super::near_optimal::NearBy;
use super::pk;
use super::proof_files::{proof_paths, write_proof};
use super::settings::settings;
use super::text::coordinates;
use crate::args::{Method, Solve};
use crate::interrupt;
use crate::meter::Meter;
use crate::text::{json, plain, plain_path};
use anyhow::Context as _;
use cpu_time::ProcessTime;
use fathom_global::{
    Certificate, Claim, Incumbent, Limits, Posed as _, Problem, Proof, Repairs, Settings, Statement, Status, Stop,
    Version,
};
use fathom_method::{Answer, minimise};
use serde::Serialize;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// One line of `--json`: a certificate (docs/reference/certificate.md) and what the command adds.
#[derive(Debug, Serialize)]
struct Line<'a> {
    name: &'a str,
    x: &'a [f64],
    value: f64,
    lower_bound: Option<f64>,
    gap: Option<f64>,
    status: Status,
    nodes: u64,
    seconds: f64,
    cpu_seconds: f64,
    method: &'a str,
    version: Version,
    claim: Claim,
    relative_gap: Option<f64>,
    seed: u64,
    settings: Settings,
    repairs: Repairs,
    #[serde(skip_serializing_if = "<[Incumbent]>::is_empty")]
    pool: &'a [Incumbent],
    #[serde(skip_serializing_if = "Option::is_none")]
    near_optimal: Option<&'a NearBy>,
}

/// The outcome of one problem.
struct Solved {
    certificate: Certificate,
    proof: Option<Proof>,
    near_by: Option<NearBy>,
}

pub fn run(args: &Solve) -> anyhow::Result<ExitCode> {
    let stop = interrupt::stop()?;
    if args.method != Method::Certified {
        let asked = args.near.near_optimal.is_some();
        anyhow::ensure!(!asked, "--near-optimal goes with the certified method; leave --method out");
    }
    if args.method == Method::Pk {
        return pk::run(args, &stop);
    }
    if args.method != Method::Certified {
        let name = args.method.name();
        anyhow::ensure!(args.pool == 0, "--pool: method {name} keeps no pool; leave --method out");
        anyhow::ensure!(args.node_limit.is_none(), "--node-limit: method {name} bounds no boxes; leave it out");
        anyhow::ensure!(args.memory_limit.is_none(), "--memory-limit: method {name} keeps no boxes; leave it out");
    }
    if let Some(option) = args.pk.given() {
        anyhow::bail!("{option} goes with --method pk, the paper's way");
    }
    if args.proof.is_some() && args.method != Method::Certified {
        anyhow::bail!("--proof: method {} proves nothing; leave --method out", args.method.name());
    }
    let targets = proof_paths(args)?;
    let mut all_proven = true;
    for (path, target) in args.instances.iter().zip(&targets) {
        let instance = read(path)?;
        let (wall, cpu) = (Instant::now(), ProcessTime::now());
        let solved = solve(args, &instance, &stop).with_context(|| plain_path(path))?;
        let Solved { certificate, proof, near_by } = &solved;
        let (seconds, cpu_seconds) = (wall.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
        if let (Some(proof), Some(target)) = (proof, target) {
            write_proof(proof, target)?;
        }
        if args.json {
            print_json(&instance.name, &solved, seconds, cpu_seconds, &args.method.name())?;
        } else {
            print_summary(&instance.name, &solved, seconds)?;
        }
        all_proven &= matches!(certificate.status, Status::Optimal | Status::Infeasible | Status::Local);
        all_proven &= near_by.as_ref().is_none_or(NearBy::is_complete);
        if stop.load(Ordering::Relaxed) {
            all_proven &= path == args.instances.last().unwrap_or(path);
            break;
        }
    }
    Ok(if all_proven { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn solve(args: &Solve, instance: &Statement, stop: &Stop) -> fathom_method::Result<Solved> {
    let started = Instant::now();
    let posterior = instance.posterior()?;
    let (criterion, region) = (instance.criterion()?, instance.region()?);
    let meter = Meter::new();
    let left = || args.time_limit.map(|limit| limit.saturating_sub(started.elapsed()));
    let report = |progress| meter.search(progress, left());
    let settings = settings(args, args.method.method(), left());
    let outcome = minimise(&posterior, criterion, &region, &settings, stop, report).and_then(|answer| {
        let Answer { certificate, proof, .. } = answer;
        let near_by = match args.near.near_optimal {
            None => None,
            Some(_) => {
                let problem = Problem::new(&posterior, criterion, region)?;
                let limits = Limits { time: left(), ..settings.limits(&posterior, criterion, started) };
                NearBy::find(&args.near, &problem, &certificate, &limits, stop, report)?
            }
        };
        Ok(Solved { certificate, proof, near_by })
    });
    meter.clear();
    outcome
}

fn print_json(
    name: &str,
    Solved { certificate, near_by, .. }: &Solved,
    seconds: f64,
    cpu_seconds: f64,
    method: &str,
) -> anyhow::Result<()> {
    let Certificate { version, claim, value, lower_bound, gap, relative_gap, .. } = *certificate;
    let Certificate { ref x, status, nodes, seed, settings, repairs, ref pool, .. } = *certificate;
    #[rustfmt::skip]
    let line = Line {
        name, x, value, lower_bound, gap, status, nodes, seconds, cpu_seconds, method,
        version, claim, relative_gap, seed, settings, repairs, pool,
        near_optimal: near_by.as_ref(),
    };
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", json(&line)?)?;
    Ok(())
}

fn print_summary(name: &str, Solved { certificate, near_by, .. }: &Solved, seconds: f64) -> anyhow::Result<()> {
    let status = match certificate.status {
        Status::Optimal => "proven optimal within the gap",
        Status::TimeLimit => "not proven: time limit",
        Status::NodeLimit => "not proven: node limit",
        Status::IterationLimit => "the iterations were used up; nothing is proven",
        Status::Interrupted => "not proven: interrupted",
        Status::Local => "a local minimum; nothing is proven",
        Status::Infeasible => "proven infeasible: no point satisfies the constraints",
        Status::Exhausted => "not proven: the gap is finer than floating point resolves",
        Status::Unconfirmed => "not proven: closed by the solver's values, but not by ours",
        Status::MemoryLimit => "not proven: memory limit",
        Status::SolverLimit => "not proven: a limit of the solver",
    };
    let bound = match (certificate.lower_bound, certificate.gap) {
        (Some(bound), Some(gap)) => format!("{bound:.6}   no point of the box is lower (gap {gap:.1e})"),
        (Some(bound), None) => format!("{bound:.6}   no point that satisfies the constraints was met yet"),
        (None, _) => "none".into(),
    };
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}: {status}", plain(name))?;
    if !certificate.x.is_empty() {
        writeln!(out, "  x            {}", coordinates(&certificate.x))?;
        writeln!(out, "  value        {:.6}", certificate.value)?;
    }
    if certificate.status != Status::Infeasible {
        writeln!(out, "  lower bound  {bound}")?;
    }
    for minimum in certificate.pool.iter().skip(1) {
        writeln!(out, "  also         {:.6} at {}", minimum.value, coordinates(&minimum.x))?;
    }
    if let Some(near_by) = near_by {
        near_by.print(&mut out)?;
    }
    writeln!(out, "  {} boxes in {}", certificate.nodes, human(seconds))?;
    if certificate.repairs.jitter > 0.0 {
        writeln!(
            out,
            "  {:.1e} was added to the noise to make the matrix positive definite",
            certificate.repairs.jitter
        )?;
    }
    Ok(())
}

fn human(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.1} ms", seconds * 1e3) } else { format!("{seconds:.1} s") }
}
