//! What other acquisition functions cost beside the lower confidence bound: each is certified on every problem of a
//! folder, in one run, and each proof is verified.
//!
//! Improvements are over the smallest output. The generalised LCB has ρ = c = 1. The gap is the same number for all; of
//! log EI it is a gap relative to EI. A problem that ran into the time limit is not tried again, and counts with the
//! seconds and boxes it had used by then.

mod row;

pub use row::Row;

use crate::case::{Case, cases};
use crate::evidence::{self, Run};
use crate::spread::median;
use crate::table::Table;
use crate::units::human;
use fathom_check::verify;
use fathom_global::{Instance, Limits, Posed as _, Proof, Stop, minimise, minimise_with_proof};
use fathom_proof::CriterionName;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The acquisition functions, the one that others are compared with first.
const ALL: [(&str, CriterionName); 5] = [
    ("lcb", CriterionName::Lcb),
    ("glcb", CriterionName::Glcb),
    ("ei", CriterionName::Ei),
    ("log_ei", CriterionName::LogEi),
    ("pi", CriterionName::Pi),
];

/// What to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// A folder of problems.
    pub instances: PathBuf,
    /// Absolute gap.
    pub gap: f64,
    /// For each solve.
    pub time_limit: Duration,
    /// Solves of each.
    pub repetitions: usize,
}

/// Measures what `folder/raw.csv` does not hold yet.
pub fn run(plan: &Plan, folder: &Path) -> anyhow::Result<()> {
    let (mut raw, done) = Run::<Row>::resume(folder)?;
    let known: BTreeSet<(String, String)> = done.into_iter().map(|row: Row| (row.instance, row.acquisition)).collect();
    for case in cases(&plan.instances)? {
        for (name, acquisition) in ALL {
            if !known.contains(&(case.instance.name.clone(), name.into())) {
                let row = measure(plan, &case, name, acquisition)?;
                eprintln!("{} {name}: {} nodes, {}", row.instance, row.nodes, human(row.seconds));
                raw.push(&row)?;
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

fn measure(plan: &Plan, case: &Case, name: &str, acquisition: CriterionName) -> anyhow::Result<Row> {
    let instance = Instance { acquisition: Some(acquisition), ..case.instance.clone() };
    let limits = Limits { gap: plan.gap, time: Some(plan.time_limit), ..Limits::default() };
    let mut times = Vec::new();
    let found = loop {
        let start = Instant::now();
        let found = minimise(&instance.problem(&case.posterior)?, &limits, &Stop::new(false), |_| ())?;
        times.push(start.elapsed().as_secs_f64());
        if times.len() >= plan.repetitions || start.elapsed() >= plan.time_limit {
            break found;
        }
    };
    let problem = instance.problem(&case.posterior)?;
    let (_, proof) = minimise_with_proof(&problem, &limits, &Stop::new(false), |_| ())?;
    let (mut verdict, mut verification) = ("nothing proven".into(), None);
    if let Some(bytes) = proof.map(|proof| proof.to_bytes()).transpose()? {
        let start = Instant::now();
        verdict = verify(&Proof::from_bytes(&bytes)?).map_or_else(|refused| refused.to_string(), |_| "accepted".into());
        verification = Some(start.elapsed().as_secs_f64());
    }
    Ok(Row {
        instance: instance.name.clone(),
        family: case.family.clone(),
        d: instance.dim(),
        n: instance.count(),
        kernel: case.kernel.clone(),
        acquisition: name.into(),
        gap: plan.gap,
        time_limit: plan.time_limit.as_secs_f64(),
        repetitions: times.len(),
        seconds: median(times).expect("at least one solve"),
        nodes: found.nodes,
        value: found.value,
        lower_bound: found.lower_bound,
        status: found.status.name().into(),
        verification,
        verdict,
    })
}

/// The tables, from the raw rows alone.
pub fn tables(rows: &[Row]) -> String {
    let mut text = String::new();
    if let Some(Row { gap, time_limit, .. }) = rows.first() {
        text +=
            &format!("Gap {gap:e}, {time_limit} s limit, one thread, median of the repetitions of each problem.\n\n");
    }
    let group = |row: &Row| match row.family.as_str() {
        "prior" => format!("{}D", row.d),
        family => format!("{family} {}D", row.d),
    };
    let mut groups: Vec<String> = Vec::new();
    for row in rows {
        if !groups.contains(&group(row)) {
            groups.push(group(row));
        }
    }
    let base: BTreeMap<&str, &Row> =
        rows.iter().filter(|row| row.acquisition == "lcb").map(|row| (row.instance.as_str(), row)).collect();
    let mut table = Table::new("", &groups, Clone::clone);
    for (name, _) in ALL {
        let of = |wanted: &String| -> Vec<&Row> {
            rows.iter().filter(|row| row.acquisition == name && group(row) == *wanted).collect()
        };
        let ratio = |wanted: &String, measure: fn(&Row) -> f64| {
            let beside = |row: &Row| Some(measure(row) / measure(base.get(row.instance.as_str())?));
            let ratios: Vec<f64> = of(wanted).into_iter().filter_map(beside).collect();
            let largest = ratios.iter().copied().reduce(f64::max)?;
            Some(format!("{:.2}× ({largest:.1}×)", median(ratios)?))
        };
        table.line(&format!("{name}, median time"), |wanted| {
            median(of(wanted).iter().map(|row| row.seconds).collect()).map(human)
        });
        table.line(&format!("{name}, median nodes"), |wanted| {
            median(of(wanted).iter().map(|row| row.nodes as f64).collect()).map(|nodes| nodes.to_string())
        });
        table.line(&format!("{name}, proven"), |wanted| {
            let proven = of(wanted).iter().filter(|row| row.status == "optimal").count();
            Some(format!("{proven}/{}", of(wanted).len()))
        });
        if name != "lcb" {
            table.line(&format!("{name} / lcb, time, median (largest)"), |wanted| ratio(wanted, |row| row.seconds));
            table.line(&format!("{name} / lcb, nodes, median (largest)"), |wanted| {
                ratio(wanted, |row| row.nodes as f64)
            });
        }
    }
    text += &table.into_text();
    let refused = rows.iter().filter(|row| row.verification.is_some() && row.verdict != "accepted");
    let refused: Vec<String> =
        refused.map(|row| format!("{} {}: {}", row.instance, row.acquisition, row.verdict)).collect();
    let verified = rows.iter().filter(|row| row.verification.is_some()).count();
    text += &format!("\nProofs verified: {verified}. Refused (must be none): ");
    text += &if refused.is_empty() { "none.".into() } else { refused.join("; ") };
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_function_stands_beside_the_confidence_bound_of_the_same_problem() {
        let rows = [
            Row::example("a", "lcb", 1e-3, 10),
            Row::example("b", "lcb", 2e-3, 10),
            Row::example("a", "ei", 2e-3, 30),
            Row::example("b", "ei", 8e-3, 50),
            Row { verdict: "box 1: its bound is below".into(), ..Row::example("a", "pi", 1e-3, 10) },
        ];
        let text = tables(&rows);
        assert!(text.contains("| ei / lcb, time, median (largest) | 4.00× (4.0×) |"), "{text}");
        assert!(text.contains("| ei / lcb, nodes, median (largest) | 5.00× (5.0×) |"), "{text}");
        assert!(text.contains("| lcb, proven | 2/2 |"), "{text}");
        assert!(text.contains("Refused (must be none): a pi: box 1"), "{text}");
    }
}
