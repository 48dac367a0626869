//! How fast and how sound the search is, on every problem of a folder.
//!
//! Seconds are those of building the problem from a posterior and searching it, by the clock and on one thread. Every problem is
//! also solved with a proof, which is written, read back and verified. If the folder has `best_known.csv`, its values go into the
//! raw data too, and results are held against them.

use crate::experiment::Experiment;
use crate::statistics::median;
use crate::table::{Named, Table};
use crate::units::{human, size};
use anyhow::{Context as _, ensure};
use fathom_check::verify;
use fathom_global::{Certificate, Instance, Limits, Posed as _, Proof, Stop, minimise, minimise_with_proof};
use fathom_gp::Posterior;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Repetitions of problems that take less than [`SMALL`] seconds; larger ones are solved once.
const REPETITIONS: usize = 5;
const SMALL: f64 = 1.0;

/// A proven bound may exceed a value that was found elsewhere by no more than that value's rounding.
const TOLERANCE: f64 = 1e-6;

/// The experiment.
#[derive(clap::Args, Debug)]
pub struct Search {
    /// A folder of problems, one JSON file each.
    #[arg(long, default_value = "instances")]
    instances: PathBuf,
    /// Absolute gap.
    #[arg(long, default_value_t = 1e-3)]
    gap: f64,
    /// Seconds for each solve.
    #[arg(long, default_value_t = 60.0)]
    time_limit: f64,
}

/// Where a row comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Who {
    /// The search.
    #[serde(rename = "fathom")]
    Search,
    /// The best value known before.
    #[serde(rename = "best_known")]
    BestKnown,
    /// The search while it writes its proof down.
    #[serde(rename = "fathom_proof")]
    Proof,
    /// The proof read back and checked.
    #[serde(rename = "fathom_verify")]
    Verify,
}

/// A solve, a check, or a known value.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Row {
    who: Who,
    instance: String,
    family: String, // `prior` or `bo`
    d: usize,
    n: usize,
    kernel: String,
    repetition: usize,
    seconds: Option<f64>,
    nodes: Option<u64>, // boxes bounded, or checked
    value: Option<f64>,
    lower_bound: Option<f64>,
    status: String, // `optimal`, or why not; of a verification `accepted`, or why not
    gap: f64,
    proof_bytes: Option<u64>,
    time_limit: f64,
}

/// A problem of the folder.
#[derive(Debug)]
pub struct Case {
    family: String,
    kernel: String,
    instance: Instance,
    posterior: Posterior,
    best_known: Option<f64>,
}

impl Case {
    fn read(file: &Path, known: &BTreeMap<String, f64>) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(file)?;
        let plain: serde_json::Value = serde_json::from_str(&text)?;
        let field = |name: &str| plain[name].as_str().map(String::from).with_context(|| format!("no field {name}"));
        let instance: Instance = serde_json::from_str(&text)?;
        let (posterior, best_known) = (instance.posterior()?, known.get(&instance.name).copied());
        let stem = file.file_stem().and_then(|stem| stem.to_str());
        ensure!(stem == Some(&instance.name), "the file must be called as the problem, {}", instance.name);
        Ok(Self { family: field("family")?, kernel: field("kernel")?, instance, posterior, best_known })
    }

    fn order(&self) -> (bool, &str, usize, usize, &str) {
        let Self { family, instance, .. } = self;
        (family != "prior", family, instance.dim(), instance.count(), &instance.name)
    }

    fn row(&self, plan: &Search, who: Who, repetition: usize, status: &str) -> Row {
        Row {
            who,
            instance: self.instance.name.clone(),
            family: self.family.clone(),
            d: self.instance.dim(),
            n: self.instance.count(),
            kernel: self.kernel.clone(),
            repetition,
            seconds: None,
            nodes: None,
            value: None,
            lower_bound: None,
            status: status.into(),
            gap: plan.gap,
            proof_bytes: None,
            time_limit: plan.time_limit,
        }
    }

    /// Solves, solves with a proof and verifies it; the rows of all three.
    fn solve(&self, plan: &Search, repetition: usize) -> anyhow::Result<Vec<Row>> {
        let time = Some(Duration::from_secs_f64(plan.time_limit));
        let limits = Limits { gap: plan.gap, relative_gap: 0.0, time, threads: 1, ..Limits::default() };
        let certified = |who, start: Instant, found: &Certificate| Row {
            seconds: Some(start.elapsed().as_secs_f64()),
            nodes: Some(found.nodes),
            value: Some(found.value),
            lower_bound: found.lower_bound,
            ..self.row(plan, who, repetition, found.status.name())
        };
        let (start, stop) = (Instant::now(), Stop::new(false));
        let found = minimise(&self.instance.problem(&self.posterior)?, &limits, &stop, |_| ())?;
        let solved = certified(Who::Search, start, &found);
        let start = Instant::now();
        let (found, proof) = minimise_with_proof(&self.instance.problem(&self.posterior)?, &limits, &stop, |_| ())?;
        let recorded = certified(Who::Proof, start, &found);
        let Some(bytes) = proof.map(|proof| proof.to_bytes()).transpose()? else { return Ok(vec![solved, recorded]) };
        let proof_bytes = Some(bytes.len() as u64);
        let start = Instant::now();
        let verdict = verify(&Proof::from_bytes(&bytes)?);
        let seconds = Some(start.elapsed().as_secs_f64());
        let status = verdict.as_ref().map_or_else(|refused| format!("rejected: {refused}"), |_| "accepted".into());
        let checked = Row { seconds, proof_bytes, ..self.row(plan, Who::Verify, repetition, &status) };
        let checked = verdict.map_or_else(
            |_| checked.clone(),
            |verdict| Row {
                nodes: Some(verdict.boxes as u64),
                value: verdict.value.map(|(_, high)| high),
                lower_bound: verdict.lower_bound,
                ..checked.clone()
            },
        );
        Ok(vec![solved, Row { proof_bytes, ..recorded }, checked])
    }
}

impl Experiment for Search {
    type Part = Case;
    type Row = Row;

    fn settings(&self) -> String {
        format!("absolute gap {:e}\ntime limit {} s", self.gap, self.time_limit)
    }

    /// The family `prior` before others and each from small to large; `quick` has the smallest alone.
    fn parts(&self, quick: bool) -> anyhow::Result<Vec<Case>> {
        let (folder, path) = (&self.instances, self.instances.join("best_known.csv"));
        let known: BTreeMap<String, f64> = match path.exists() {
            true => csv::Reader::from_path(path)?.into_deserialize().collect::<Result<_, _>>()?,
            false => BTreeMap::new(),
        };
        let entries = std::fs::read_dir(folder).with_context(|| format!("could not read {}", folder.display()))?;
        let files: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<_>>()?;
        let json = files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "json"));
        let read = |file: &PathBuf| Case::read(file, &known).with_context(|| format!("in {}", file.display()));
        let mut cases: Vec<Case> = json.map(read).collect::<anyhow::Result<_>>()?;
        ensure!(!cases.is_empty(), "{} holds no problems: JSON files are looked for", folder.display());
        cases.sort_by(|a, b| a.order().cmp(&b.order()));
        cases.retain(|case| !quick || case.instance.dim() <= 2 && case.instance.count() <= 50);
        Ok(cases)
    }

    fn name(case: &Case) -> String {
        case.instance.name.clone()
    }

    fn part_of(row: &Row) -> String {
        row.instance.clone()
    }

    fn measure(&self, case: &Case, _: &Path) -> anyhow::Result<Vec<Row>> {
        let known = |value| Row { value: Some(value), ..case.row(self, Who::BestKnown, 0, "found") };
        let mut rows: Vec<Row> = case.best_known.map(known).into_iter().collect();
        for repetition in 0..REPETITIONS {
            let solved = case.solve(self, repetition)?;
            let is_large = solved.iter().filter_map(|row| row.seconds).any(|seconds| seconds >= SMALL);
            rows.extend(solved);
            if is_large {
                break;
            }
        }
        Ok(rows)
    }

    fn tables(rows: &[Row]) -> String {
        let mut text = String::new();
        if let Some(Row { gap, time_limit, .. }) = rows.first() {
            text = format!(
                "Gap {gap:e} absolute, {time_limit} s limit, one thread. Of each problem the median repetition.\n\
                 Fathom by the clock, problem construction and rounding-safe search.\n\n"
            );
        }
        text + &format!("{}\n{}\n{}\n{}", speeds(rows), proofs(rows), one_by_one(rows), findings(rows))
    }

    fn is_refuted(rows: &[Row]) -> bool {
        !wrong(rows).is_empty()
    }
}

/// A column: its name, and which rows it holds.
type Group = Named<Row, bool>;

const GROUPS: [Group; 8] = [
    ("1D", |row| row.family == "prior" && row.d == 1),
    ("2D", |row| row.family == "prior" && row.d == 2),
    ("3D", |row| row.family == "prior" && row.d == 3),
    ("4D", |row| row.family == "prior" && row.d == 4),
    ("5D", |row| row.family == "prior" && row.d == 5),
    ("bo 2D–4D, N ≤ 100", |row| row.family == "bo" && row.d <= 4 && row.n <= 100),
    ("bo 6D, N ≤ 100", |row| row.family == "bo" && row.d == 6 && row.n <= 100),
    ("all bo", |row| row.family == "bo"),
];

/// The repetitions on one problem, summed up: medians of seconds, the last one's numbers, whether all are proven or accepted.
struct Summary<'r> {
    seconds: f64,
    last: &'r Row,
    is_proven: bool,
}

/// By problem.
fn summaries<'r>(rows: &'r [Row], who: Who, holds: fn(&Row) -> bool) -> BTreeMap<&'r str, Summary<'r>> {
    let mut by_name: BTreeMap<&str, Vec<&'r Row>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.who == who && holds(row)) {
        by_name.entry(&row.instance).or_default().push(row);
    }
    let summed = |(name, rows): (&'r str, Vec<&'r Row>)| {
        let seconds = median(rows.iter().filter_map(|row| row.seconds))?;
        let is_proven = rows.iter().all(|row| ["optimal", "accepted"].contains(&row.status.as_str()));
        Some((name, Summary { seconds, last: *rows.last()?, is_proven }))
    };
    by_name.into_iter().filter_map(summed).collect()
}

fn share(problems: &BTreeMap<&str, Summary<'_>>) -> Option<String> {
    let proven = problems.values().filter(|problem| problem.is_proven).count();
    (!problems.is_empty()).then(|| format!("{proven}/{}", problems.len()))
}

fn speeds(rows: &[Row]) -> String {
    let mut table = Table::new("", &GROUPS, |group| group.0.into());
    let of = |group: &Group| summaries(rows, Who::Search, group.1);
    table.line("fathom, median", |group| median(of(group).values().map(|problem| problem.seconds)).map(human));
    table
        .line("fathom, slowest", |group| of(group).values().map(|problem| problem.seconds).reduce(f64::max).map(human));
    let nodes = |problem: &Summary<'_>| problem.last.nodes.unwrap_or(0) as f64;
    table.line("fathom, median nodes", |group| median(of(group).values().map(nodes)).map(|nodes| nodes.to_string()));
    table.line("fathom, proven", |group| share(&of(group)));
    table.into_text()
}

fn proofs(rows: &[Row]) -> String {
    let mut table = Table::new("proofs", &GROUPS, |group| group.0.into());
    let verified = |group: &Group| summaries(rows, Who::Verify, group.1);
    // Seconds over those of the plain solve, by problem.
    let ratios = |group: &Group, who: Who| -> Vec<f64> {
        let solves = summaries(rows, Who::Search, group.1);
        let ratio = |(name, own): (&str, Summary<'_>)| Some(own.seconds / solves.get(name)?.seconds);
        summaries(rows, who, group.1).into_iter().filter_map(ratio).collect()
    };
    let bytes = |group: &Group| -> Vec<f64> {
        verified(group).values().filter_map(|problem| problem.last.proof_bytes).map(|bytes| bytes as f64).collect()
    };
    let times = |value: f64| format!("{value:.1}×");
    table.line("accepted", |group| share(&verified(group)));
    table.line("verify, median", |group| median(verified(group).values().map(|problem| problem.seconds)).map(human));
    table.line("verify / solve, median", |group| median(ratios(group, Who::Verify)).map(times));
    table.line("verify / solve, largest", |group| ratios(group, Who::Verify).into_iter().reduce(f64::max).map(times));
    table.line("solve with proof / solve, median", |group| {
        median(ratios(group, Who::Proof)).map(|ratio| format!("{ratio:.2}×"))
    });
    table.line("proof, median", |group| median(bytes(group)).map(size));
    table.line("proof, largest", |group| bytes(group).into_iter().reduce(f64::max).map(size));
    table.into_text()
}

/// The `bo` problems one by one.
fn one_by_one(rows: &[Row]) -> String {
    let bo: fn(&Row) -> bool = |row| row.family == "bo";
    let (solved, verified) = (summaries(rows, Who::Search, bo), summaries(rows, Who::Verify, bo));
    let mut table = Table::new("problem", &["fathom", "nodes", "gap", "verify", "proof"], ToString::to_string);
    for (name, problem) in &solved {
        let (last, check) = (problem.last, verified.get(name));
        let gap =
            last.value.zip(last.lower_bound).map_or("∞".into(), |(value, bound)| format!("{:.1e}", value - bound));
        table.line(name, |column| match *column {
            "fathom" => Some(human(problem.seconds)),
            "nodes" => Some(last.nodes.unwrap_or(0).to_string()),
            "gap" => Some(format!("{gap}{}", if problem.is_proven { "" } else { " open" })),
            "verify" => Some(human(check?.seconds)),
            _ => Some(size(check?.last.proof_bytes? as f64)),
        });
    }
    table.into_text()
}

fn known(rows: &[Row]) -> BTreeMap<&str, f64> {
    let known = rows.iter().filter(|row| row.who == Who::BestKnown);
    known.filter_map(|row| Some((row.instance.as_str(), row.value?))).collect()
}

/// What must not be: bounds above known values, proven values that are not the best, proofs refused; each once.
fn wrong(rows: &[Row]) -> Vec<String> {
    let known = known(rows);
    let mut wrong = Vec::new();
    for row in rows.iter().filter(|row| row.who != Who::BestKnown) {
        let (is_check, name) = (row.who == Who::Verify, &row.instance);
        if is_check && row.status != "accepted" {
            wrong.push(format!("{name}: {}", row.status));
        }
        if !is_check && [row.value, row.lower_bound].iter().any(|number| !number.is_some_and(f64::is_finite)) {
            wrong.push(format!("{name}: no finite result"));
        }
        let Some(best) = known.get(name.as_str()) else { continue };
        if let Some(bound) = row.lower_bound.filter(|bound| *bound > best + TOLERANCE) {
            wrong.push(format!("{name}: bound {bound} above the best known {best}"));
        }
        let is_optimal = !is_check && row.status == "optimal";
        if let Some(value) = row.value.filter(|value| is_optimal && *value > best + row.gap) {
            wrong.push(format!("{name}: proven {value}, but {best} is known"));
        }
    }
    wrong.sort();
    wrong.dedup();
    wrong
}

fn findings(rows: &[Row]) -> String {
    let known = known(rows);
    let better = |row: &Row| {
        let (best, value) = (known.get(row.instance.as_str())?, row.value?);
        let is_better = row.who == Who::Search && value < best - TOLERANCE;
        is_better.then(|| format!("{}: {value}, {best} was the best known", row.instance))
    };
    let mut news: Vec<String> = rows.iter().filter_map(better).collect();
    news.dedup();
    let mut text = format!("{} best known values to hold against.\n", known.len());
    for (title, list) in [
        (
            "Bounds above a known value, proven values above it, no finite result, proofs refused (must be none)",
            wrong(rows),
        ),
        ("Better than the best known by more than 1e-6", news),
    ] {
        let _ = writeln!(text, "\n{title}: {}", if list.is_empty() { "none.".into() } else { list.len().to_string() });
        list.iter().for_each(|line| text += &format!("* {line}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_not_be_is_listed() {
        let row = |who, status: &str| Row {
            who,
            instance: "a".into(),
            family: "prior".into(),
            d: 1,
            n: 10,
            kernel: "rbf".into(),
            repetition: 0,
            seconds: Some(1.0),
            nodes: Some(7),
            value: Some(-1.0),
            lower_bound: Some(-1.0005),
            status: status.into(),
            gap: 1e-3,
            proof_bytes: None,
            time_limit: 20.0,
        };
        let (ours, known) = (row(Who::Search, "optimal"), |value| Row { value, ..row(Who::BestKnown, "found") });
        let text = |best: f64, row: Row| findings(&[known(Some(best)), row]);
        assert!(text(-1.0, ours.clone()).contains("(must be none): none."));
        assert!(text(-1.002, ours.clone()).contains("a: bound -1.0005 above"));
        assert!(text(-1.002, ours.clone()).contains("a: proven -1, but -1.002 is known"));
        let open = Row { lower_bound: Some(-2.0), ..row(Who::Search, "time_limit") };
        assert!(text(-1.5, open).contains("(must be none): none."));
        assert!(text(-0.9, ours.clone()).contains("* a: -1, -0.9 was the best known"));
        assert!(text(-1.0, row(Who::Verify, "rejected: a lie")).contains("a: rejected: a lie"));
        assert!(text(-1.0, Row { lower_bound: None, ..ours }).contains("* a: no finite result"));
    }
}
