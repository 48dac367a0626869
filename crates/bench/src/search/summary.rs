//! Repetitions summed up.

use super::row::{Row, Who};
use crate::spread::median;
use std::collections::BTreeMap;

/// One program's repetitions on one problem, summed up.
pub(super) struct Summary {
    pub name: String,
    pub seconds: f64,
    pub nodes: u64,
    pub value: Option<f64>,
    pub lower_bound: Option<f64>,
    pub proof_bytes: Option<u64>,
    pub time_limit: f64,
    /// Or accepted; in every repetition.
    pub proven: bool,
}

/// Every problem that `who` solved, medians over its repetitions.
pub(super) fn summaries<'r>(rows: impl IntoIterator<Item = &'r Row>, who: Who) -> Vec<Summary> {
    let mut by_name: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows.into_iter().filter(|row| row.who == who) {
        by_name.entry(&row.instance).or_default().push(row);
    }
    let summed = |(name, rows): (&str, Vec<&Row>)| {
        let last = rows.last()?;
        Some(Summary {
            name: name.into(),
            seconds: median(rows.iter().filter_map(|row| row.seconds).collect())?,
            nodes: last.nodes.unwrap_or(0),
            value: last.value,
            lower_bound: last.lower_bound,
            proof_bytes: last.proof_bytes,
            time_limit: last.time_limit,
            proven: rows.iter().all(|row| ["optimal", "accepted"].contains(&row.status.as_str())),
        })
    };
    by_name.into_iter().filter_map(summed).collect()
}

/// Seconds of `who` over those of our plain solve, by problem.
pub(super) fn ratios(rows: &[Row], who: Who) -> Vec<(String, f64)> {
    let solves: BTreeMap<String, f64> = summaries(rows, Who::Fathom).into_iter().map(|p| (p.name, p.seconds)).collect();
    let ratio = |problem: Summary| Some((problem.name.clone(), problem.seconds / solves.get(&problem.name)?));
    summaries(rows, who).into_iter().filter_map(ratio).collect()
}

pub(super) fn share(problems: &[Summary]) -> Option<String> {
    let proven = problems.iter().filter(|problem| problem.proven).count();
    (!problems.is_empty()).then(|| format!("{proven}/{}", problems.len()))
}
