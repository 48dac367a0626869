//! `fathom audit`.

use super::instance::read;
use super::text::coordinates;
use crate::args::{self, Point};
use crate::interrupt;
use crate::meter::Meter;
use crate::text::{json, plain, plain_path};
use anyhow::Context as _;
use fathom_global::{Audit, Posed as _, Status, Violation, minimise};
use fathom_method::Settings;
use fathom_proof::StatedRow;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// One line of `--json`.
#[derive(Debug, Serialize)]
struct Line<'a> {
    name: &'a str,
    x: &'a [f64],
    value: f64,
    feasible: bool,
    violations: &'a [Violation],
    /// How far the point is above the best known one, in floating point; and at most above the minimum, by the search's bound.
    regret: Option<(f64, Option<f64>)>,
    optimum: Option<f64>,
    lower_bound: Option<f64>,
    status: Status,
}

/// What a file of points may hold, one after the other.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Entry {
    Several(Vec<Written>),
    One(Written),
}

/// A point: numbers alone, or an object with an `x` as `fathom solve --json` prints.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Written {
    Bare(Vec<f64>),
    Named { x: Vec<f64> },
}

impl From<Written> for Point {
    fn from(written: Written) -> Self {
        match written {
            Written::Bare(x) | Written::Named { x } => Self(x),
        }
    }
}

pub fn run(args: &args::Audit) -> anyhow::Result<ExitCode> {
    let instance = read(&args.instance)?;
    let mut points = args.x.clone();
    if let Some(path) = &args.points {
        points.extend(read_points(path)?);
    }
    anyhow::ensure!(!points.is_empty(), "there is no point to audit: add --x 0.1,0.2,... or --points FILE");
    let named = || plain_path(&args.instance);
    let posterior = instance.posterior().with_context(named)?;
    let problem = instance.problem(&posterior).with_context(named)?;
    let asked = Settings { gap: args.gap, time: args.time_limit, threads: args.threads, ..Settings::default() };
    let limits = asked.limits(&posterior, problem.acquisition().criterion(), Instant::now());
    // Mistakes in points are reported before the search, not after it.
    let dim = problem.region().dim();
    for (number, Point(x)) in points.iter().enumerate() {
        anyhow::ensure!(x.len() == dim, "point {number} has {} coordinates, the problem has {dim} inputs", x.len());
        anyhow::ensure!(x.iter().all(|x| x.is_finite()), "point {number} has a coordinate that is not a finite number");
    }
    let (meter, stop, started) = (Meter::new(), interrupt::stop()?, Instant::now());
    let left = || args.time_limit.map(|limit| limit.saturating_sub(started.elapsed()));
    let report = |progress| meter.search(progress, left());
    let certificate = minimise(&problem, &limits, &stop, report).with_context(named)?;
    meter.clear();
    let mut out = std::io::stdout().lock();
    if !args.json {
        let bound = certificate.lower_bound.map_or("nothing is proven yet".into(), |bound| {
            format!("no point of the region has a value below {bound:.6}")
        });
        let name = plain(&instance.name);
        if certificate.status == Status::Infeasible {
            writeln!(out, "{name}: proven infeasible, no point satisfies the constraints")?;
        } else if certificate.x.is_empty() {
            writeln!(out, "{name}: no feasible point is known; {bound}")?;
        } else {
            writeln!(out, "{name}: the best known value is {:.6}; {bound}", certificate.value)?;
        }
        writeln!(out, "  by the search's own word: no proof file covers an audit")?;
    }
    for Point(x) in &points {
        let audit = Audit::against(&problem, certificate.clone(), x).with_context(named)?.within(args.tolerance);
        if args.json {
            writeln!(out, "{}", json(&line(&instance.name, x, &audit))?)?;
        } else {
            print(&mut out, x, &audit, &instance.rows)?;
        }
    }
    let proven = matches!(certificate.status, Status::Optimal | Status::Infeasible);
    Ok(if proven { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn read_points(path: &Path) -> anyhow::Result<Vec<Point>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("could not read {}", plain_path(path)))?;
    let mut points = Vec::new();
    for entry in serde_json::Deserializer::from_str(&text).into_iter::<Entry>() {
        let explain = "points are lists of numbers or objects with an `x`";
        match entry.with_context(|| format!("{} has something else than points: {explain}", plain_path(path)))? {
            Entry::Several(several) => points.extend(several.into_iter().map(Point::from)),
            Entry::One(one) => points.push(one.into()),
        }
    }
    Ok(points)
}

fn line<'a>(name: &'a str, x: &'a [f64], audit: &'a Audit) -> Line<'a> {
    let certificate = &audit.certificate;
    Line {
        name,
        x,
        value: audit.value,
        feasible: audit.is_feasible(),
        violations: &audit.violations,
        regret: audit.is_feasible().then(|| (audit.at_least(), audit.at_most())),
        optimum: Some(certificate.value).filter(|value| value.is_finite()),
        lower_bound: certificate.lower_bound,
        status: certificate.status,
    }
}

fn print(out: &mut impl Write, x: &[f64], audit: &Audit, rows: &[StatedRow]) -> std::io::Result<()> {
    writeln!(out, "  {}", coordinates(x))?;
    writeln!(out, "    value   {:.6}", audit.value)?;
    for violation in &audit.violations {
        let word = if violation.by() <= audit.tolerance { "tolerated" } else { "infeasible" };
        let text = |row: usize| rows.get(row).map(ToString::to_string);
        writeln!(out, "    {word}: {}", violation.sentence(|side| format!("x{side}"), text))?;
    }
    if !audit.is_feasible() {
        return Ok(());
    }
    // Nobody knows how far rounding moved these two values: they prove nothing either way.
    let least = audit.at_least();
    let is_as_good = least <= audit.certificate.settings.gap;
    let verdict = if is_as_good { ": as good to within the gap" } else { "" };
    writeln!(
        out,
        "    regret  at least {least:.6} above the best known point, as evaluated in floating point{verdict}"
    )?;
    match audit.at_most() {
        Some(most) => {
            writeln!(out, "            at most {most:.6} above the minimum, by the search's bound and that value")
        }
        None => writeln!(out, "            the search's bound does not tell yet how much more"),
    }
}
