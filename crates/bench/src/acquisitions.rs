//! What other acquisition functions cost beside the lower confidence bound: each is certified on every problem of a
//! folder, in one run, and each proof is verified.
//!
//! Improvements are over the smallest output. The generalised LCB has ρ = c = 1. The gap is the same number for all; of
//! log EI it is a gap relative to EI. A problem that ran into the time limit is not tried again, and counts with the
//! seconds and boxes it had used by then.

use crate::case::{self, Case, Problems};
use crate::experiment::Experiment;
use crate::statistics::{Spread, median};
use crate::table::Table;
use crate::units::human;
use fathom_global::{Instance, Posed as _};
use fathom_proof::AcquisitionName;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The acquisition functions, the one that others are compared with first.
const ALL: [(&str, AcquisitionName); 5] = [
    ("lcb", AcquisitionName::Lcb),
    ("glcb", AcquisitionName::Glcb),
    ("ei", AcquisitionName::Ei),
    ("log_ei", AcquisitionName::LogEi),
    ("pi", AcquisitionName::Pi),
];

/// The experiment.
#[derive(clap::Args, Debug)]
pub struct Acquisitions {
    #[command(flatten)]
    problems: Problems,
    /// Solves of each.
    #[arg(long, default_value_t = 3)]
    repetitions: usize,
}

/// What one acquisition function took on one problem.
#[derive(Debug, Serialize, Deserialize)]
pub struct Row {
    instance: String,
    family: String, // `prior` or `bo`
    d: usize,
    n: usize,
    kernel: String,
    acquisition: String,
    gap: f64,
    time_limit: f64,
    repetitions: usize,
    seconds: f64, // the median solve
    nodes: u64,
    value: f64,
    lower_bound: Option<f64>,
    status: String,
    verification: Option<f64>, // seconds of checking the proof
    verdict: String,           // `accepted`, or why not
}

impl Row {
    fn group(&self) -> String {
        if self.family == "prior" { format!("{}D", self.d) } else { format!("{} {}D", self.family, self.d) }
    }
}

impl Experiment for Acquisitions {
    type Part = Case;
    type Row = Row;

    fn settings(&self) -> String {
        self.problems.settings()
    }

    fn parts(&self, quick: bool) -> anyhow::Result<Vec<Case>> {
        self.problems.cases(quick)
    }

    fn name(case: &Case) -> String {
        case.instance.name.clone()
    }

    fn part_of(row: &Row) -> String {
        row.instance.clone()
    }

    fn measure(&self, case: &Case, _: &Path) -> anyhow::Result<Vec<Row>> {
        let row = |(name, acquisition): (&str, AcquisitionName)| {
            let instance = Instance { acquisition: Some(acquisition), ..case.instance.clone() };
            let (limits, problem) = (self.problems.limits(), || instance.problem(&case.posterior));
            let (found, times) = case::solve(&problem, &limits, self.repetitions)?;
            let proven = case::prove(&problem, &limits)?;
            Ok(Row {
                instance: instance.name.clone(),
                family: case.family.clone(),
                d: instance.dim(),
                n: instance.count(),
                kernel: case.kernel.clone(),
                acquisition: name.into(),
                gap: limits.gap,
                time_limit: self.problems.time_limit,
                repetitions: times.len(),
                seconds: median(times).expect("at least one solve"),
                nodes: found.nodes,
                value: found.value,
                lower_bound: found.lower_bound,
                status: found.status.name().into(),
                verification: proven.verified.as_ref().map(|verified| verified.seconds),
                verdict: proven.verdict(),
            })
        };
        ALL.into_iter().map(row).collect()
    }

    fn tables(rows: &[Row]) -> String {
        let mut text = String::new();
        if let Some(Row { gap, time_limit, .. }) = rows.first() {
            text = format!(
                "Gap {gap:e}, {time_limit} s limit, one thread, median of the repetitions of each problem.\n\n"
            );
        }
        let mut groups: Vec<String> = Vec::new();
        for row in rows {
            if !groups.contains(&row.group()) {
                groups.push(row.group());
            }
        }
        let base: BTreeMap<&str, &Row> =
            rows.iter().filter(|row| row.acquisition == "lcb").map(|row| (row.instance.as_str(), row)).collect();
        let mut table = Table::new("", &groups, Clone::clone);
        for (name, _) in ALL {
            let of = |wanted: &String| -> Vec<&Row> {
                rows.iter().filter(|row| row.acquisition == name && row.group() == *wanted).collect()
            };
            table.line(&format!("{name}, median time"), |wanted| {
                median(of(wanted).iter().map(|row| row.seconds)).map(human)
            });
            table.line(&format!("{name}, median nodes"), |wanted| {
                median(of(wanted).iter().map(|row| row.nodes as f64)).map(|nodes| nodes.to_string())
            });
            table.line(&format!("{name}, proven"), |wanted| {
                let proven = of(wanted).iter().filter(|row| row.status == "optimal").count();
                Some(format!("{proven}/{}", of(wanted).len()))
            });
            let measures: [(&str, fn(&Row) -> f64); 2] =
                [("time", |row| row.seconds), ("nodes", |row| row.nodes as f64)];
            for (what, measure) in measures.into_iter().filter(|_| name != "lcb") {
                table.line(&format!("{name} / lcb, {what}, median (largest)"), |wanted| {
                    let beside = |row: &Row| Some(measure(row) / measure(base.get(row.instance.as_str())?));
                    let ratios = Spread::of(of(wanted).into_iter().filter_map(beside))?;
                    Some(format!("{:.2}× ({:.1}×)", ratios.middle, ratios.high))
                });
            }
        }
        let verified = rows.iter().filter(|row| row.verification.is_some()).count();
        let name = |row: &Row| format!("{} {}: {}", row.instance, row.acquisition, row.verdict);
        let refused = case::names(rows, is_refused, name, "; ");
        let end = if refused == "none" { "." } else { "" };
        text + &format!("{}\nProofs verified: {verified}. Refused (must be none): {refused}{end}\n", table.into_text())
    }

    fn is_refuted(rows: &[Row]) -> bool {
        rows.iter().any(is_refused)
    }
}

fn is_refused(row: &Row) -> bool {
    row.verification.is_some() && row.verdict != "accepted"
}
