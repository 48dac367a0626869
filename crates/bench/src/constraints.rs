//! What constraints cost: every `prior` problem under each kind of constraint beside the same problem without one.
//!
//! All variants of a problem are solved one after the other, so that a busy machine slows them alike. Seconds are CPU
//! seconds of building the problem from a posterior and searching it on one thread, the least of a few repetitions. Each
//! is also solved with a proof, which is verified.

use crate::case::{self, Case, Problems};
use crate::experiment::Experiment;
use crate::statistics::{Spread, median};
use crate::table::Table;
use crate::units::human;
use anyhow::Context as _;
use cpu_time::ProcessTime;
use fathom_global::{Instance, Posed as _, Stop, minimise};
use fathom_proof::StatedRow;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Solves of which the fastest counts.
const REPETITIONS: usize = 3;

/// One kind of constraint, all of them on the unit box of the `prior` problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Variant {
    /// None.
    Box,
    /// The four rows of the paper's KS224, its box [0, 6]² shrunk to the first two inputs.
    Ks224,
    /// The first two inputs within a disc around the middle, of radius 0.35.
    Disc,
    /// In that disc and outside one of six tenths its radius.
    Ring,
    /// All inputs within a ball around the middle, of radius 0.35 √(D/2).
    Ball,
    /// In that ball and outside one of six tenths its radius.
    Shell,
    /// The first half of the inputs in tenths.
    Integers,
}

impl Variant {
    /// All, the one without a constraint first.
    const ALL: [(Self, &str); 7] = [
        (Self::Box, "box"),
        (Self::Ks224, "ks224"),
        (Self::Disc, "disc"),
        (Self::Ring, "ring"),
        (Self::Ball, "ball"),
        (Self::Shell, "shell"),
        (Self::Integers, "integers"),
    ];

    fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// Whether problems of so many inputs have room for it, and it is not another one for them.
    fn applies(self, d: usize) -> bool {
        match self {
            Self::Box => true,
            Self::Ks224 | Self::Disc | Self::Ring | Self::Integers => d > 1,
            Self::Ball | Self::Shell => d > 2,
        }
    }

    /// The problem under the constraint.
    fn of(self, plain: &Instance) -> Instance {
        let (mut instance, dim) = (plain.clone(), plain.dim());
        let between = |linear: &[(usize, f64)], upper| {
            let (linear, quadratic) = (linear.to_vec(), Vec::new());
            StatedRow { linear, quadratic, lower: Some(0.0), upper: Some(upper) }
        };
        match self {
            Self::Box => {}
            Self::Ks224 => {
                instance.constraints = vec![between(&[(0, 6.0), (1, 18.0)], 18.0), between(&[(0, 6.0), (1, 6.0)], 8.0)];
            }
            Self::Disc => instance.constraints = vec![around_the_middle(2, None)],
            Self::Ring => instance.constraints = vec![around_the_middle(2, Some(0.6))],
            Self::Ball => instance.constraints = vec![around_the_middle(dim, None)],
            Self::Shell => instance.constraints = vec![around_the_middle(dim, Some(0.6))],
            Self::Integers => {
                for j in 0..dim / 2 {
                    instance.lengthscales[j] *= 10.0;
                    instance.bounds[j] = (10.0 * plain.bounds[j].0, 10.0 * plain.bounds[j].1);
                    instance.x.iter_mut().for_each(|x| x[j] *= 10.0);
                }
                instance.integers = (0..dim / 2).collect();
            }
        }
        instance
    }
}

/// (inner r)² <= ‖x − ½‖² <= r² of the first d inputs, r = 0.35 √(d/2), with the constant d/4 taken to the sides.
fn around_the_middle(d: usize, inner: Option<f64>) -> StatedRow {
    let (square, constant) = (0.35 * 0.35 * d as f64 / 2.0, 0.25 * d as f64);
    StatedRow {
        linear: (0..d).map(|j| (j, -1.0)).collect(),
        quadratic: (0..d).map(|j| (j, j, 1.0)).collect(),
        lower: inner.map(|inner| inner * inner * square - constant),
        upper: Some(square - constant),
    }
}

/// The experiment.
#[derive(clap::Args, Debug)]
pub struct Constraints {
    #[command(flatten)]
    problems: Problems,
}

/// A problem under a constraint.
#[derive(Debug, Serialize, Deserialize)]
pub struct Row {
    variant: Variant,
    instance: String,
    d: usize,
    kernel: String,
    seconds: f64, // of the CPU
    nodes: u64,
    value: Option<f64>,
    lower_bound: Option<f64>,
    status: String,
    accepted: bool, // the proof, by the checker
    gap: f64,
}

impl Experiment for Constraints {
    type Part = Case;
    type Row = Row;

    fn settings(&self) -> String {
        self.problems.settings()
    }

    fn parts(&self, quick: bool) -> anyhow::Result<Vec<Case>> {
        Ok(self.problems.cases(quick)?.into_iter().filter(|case| case.family == "prior").collect())
    }

    fn name(case: &Case) -> String {
        case.instance.name.clone()
    }

    fn part_of(row: &Row) -> String {
        row.instance.clone()
    }

    fn measure(&self, case: &Case, _: &Path) -> anyhow::Result<Vec<Row>> {
        let all = Variant::ALL.into_iter().filter(|(variant, _)| variant.applies(case.instance.dim()));
        all.map(|(variant, name)| self.row(case, variant).with_context(|| name)).collect()
    }

    fn tables(rows: &[Row]) -> String {
        let mut text = String::new();
        if let Some(Row { gap, .. }) = rows.first() {
            text = format!("Gap {gap:e} absolute, one thread, CPU time. Median (largest) of the factors to the same\n");
            text += "problem without the constraint.\n\n";
        }
        let constrained = rows.iter().filter(|row| row.variant != Variant::Box);
        let mut groups: Vec<(usize, &str)> = constrained.map(|row| (row.d, row.kernel.as_str())).collect();
        groups.sort_unstable();
        groups.dedup();
        let plain: BTreeMap<&str, &Row> =
            rows.iter().filter(|row| row.variant == Variant::Box).map(|row| (row.instance.as_str(), row)).collect();
        let head = |(_, name): &(Variant, &str)| (*name).into();
        let measures: [(&str, fn(&Row) -> f64); 2] = [("time", |row| row.seconds), ("boxes", |row| row.nodes as f64)];
        for (what, measure) in measures {
            let mut table = Table::new(what, &Variant::ALL[1..], head);
            let cell = |variant: Variant, group: Option<&(usize, &str)>| {
                let of =
                    |row: &&Row| row.variant == variant && group.is_none_or(|g| *g == (row.d, row.kernel.as_str()));
                let factor = |row: &Row| Some(measure(row) / measure(plain.get(row.instance.as_str())?));
                let spread = Spread::of(rows.iter().filter(of).filter_map(factor))?;
                Some(format!("{:.1}× ({:.1}×)", spread.middle, spread.high))
            };
            for group in &groups {
                table.line(&format!("{}D {}", group.0, group.1), |(variant, _)| cell(*variant, Some(group)));
            }
            table.line("all", |(variant, _)| cell(*variant, None));
            text += &(table.into_text() + "\n");
        }
        text += "Median times themselves:\n\n";
        let mut table = Table::new("", &Variant::ALL, head);
        for (d, kernel) in &groups {
            table.line(&format!("{d}D {kernel}"), |(variant, _)| {
                let here = |row: &&Row| row.d == *d && row.kernel == *kernel && row.variant == *variant;
                median(rows.iter().filter(here).map(|row| row.seconds)).map(human)
            });
        }
        text += &(table.into_text() + "\n");
        let name = |row: &Row| format!("{} {}", row.instance, row.variant.name());
        text += &format!(
            "* proofs refused (must be none): {}.\n* not proven within the limit: {}.\n",
            case::names(rows, |row| !row.accepted, name, ", "),
            case::names(rows, |row| row.status != "optimal", name, ", ")
        );
        if let Some(slowest) = rows.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds)) {
            let Row { instance, variant, seconds, nodes, .. } = slowest;
            let time = human(*seconds);
            text += &format!("* slowest: {instance} with {}, {time} and {nodes} boxes.\n", variant.name());
        }
        text
    }

    fn is_refuted(rows: &[Row]) -> bool {
        rows.iter().any(|row| !row.accepted)
    }
}

impl Constraints {
    fn row(&self, case: &Case, variant: Variant) -> anyhow::Result<Row> {
        let (instance, limits) = (variant.of(&case.instance), self.problems.limits());
        let posterior = instance.posterior()?;
        let problem = || instance.problem(&posterior);
        let mut seconds = f64::INFINITY;
        for _ in 0..REPETITIONS {
            let start = ProcessTime::now();
            minimise(&problem()?, &limits, &Stop::new(false), |_| ())?;
            seconds = seconds.min(start.elapsed().as_secs_f64());
        }
        let proven = case::prove(&problem, &limits)?;
        let (verdict, found) = (proven.verdict(), proven.found);
        Ok(Row {
            variant,
            instance: instance.name.clone(),
            d: instance.dim(),
            kernel: case.kernel.clone(),
            seconds,
            nodes: found.nodes,
            value: Some(found.value).filter(|value| value.is_finite()),
            lower_bound: found.lower_bound,
            status: found.status.name().into(),
            accepted: verdict == "accepted",
            gap: limits.gap,
        })
    }
}
