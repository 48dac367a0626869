//! Does it pay to minimise the acquisition function globally? (The question of Georgiou et al., 2025.)
//!
//! Bayesian optimisation with the certified search, with multi-start and with one start, on the same designs and models, at
//! an exploitative and an explorative β, the same at every iteration. Every step of the two that prove nothing is beside the
//! certified minimum of its own acquisition function: a twin study with the same trials is asked for its suggestion, and by
//! how much that one's value is lower, the step is suboptimal at least, as evaluated in floating point. Values are in outputs
//! scaled to [0, 1].
//!
//! Matérn 3/2 with one lengthscale, all else as in [`loops`](crate::loops). Nothing is limited by time.

use crate::chart::{self, Axis, FRAME, HALF_DEVIATION, Panel, Picture};
use crate::contender::Contender;
use crate::experiment::Experiment;
use crate::race::{self, Regrets};
use crate::statistics::Moments;
use crate::table::{Table, captioned};
use crate::units::counted;
use anyhow::Context as _;
use fathom_study::{Definition, Function, Outcome, State, Study, Suggestion, Trial};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// From one to three inputs.
const FUNCTIONS: [Function; 4] = [Function::Bumpy, Function::Branin, Function::Ackley, Function::Hartmann3];
/// β: κ = 0.3 stays close to the best point, κ = 2 looks where little is known.
const BETAS: [f64; 2] = [0.09, 4.0];
/// Who is compared.
const CONTENDERS: [Contender; 3] = [Contender::LbfgsB, Contender::MultiStart, Contender::Certified];
/// Absolute gap of the certified minima, and the most boxes of each.
const GAP: f64 = 1e-3;
const NODE_LIMIT: u64 = 5_000;
/// A step further above the certified point than this, in outputs scaled to [0, 1], counts as suboptimal.
const MISS: f64 = 1e-3;

/// The experiment.
#[derive(clap::Args, Debug)]
pub struct Pays {
    /// Loops at the same time.
    #[arg(long, default_value_t = 1)]
    pub(crate) threads: usize,
}

/// A step, t = 0 being the initial design.
#[derive(Debug, Serialize, Deserialize)]
pub struct Row {
    function: String,
    beta: f64, // of the LCB μ − β^½ σ
    method: String,
    seed: u64,
    t: usize,
    iterations: usize,     // of the whole loop
    value: Option<f64>,    // the least of the design at t = 0; nothing once the loop is stuck
    at_least: Option<f64>, // how far the step's acquisition value is above the certified point's
    at_most: Option<f64>,  // how far it is above the proven bound
    status: String,        // whether the gap of that was closed: `optimal` or `node_limit`
}

/// A loop to play.
#[derive(Debug)]
pub struct Loop {
    function: Function,
    beta: f64,
    contender: Contender,
    seed: u64,
    iterations: usize,
}

impl Pays {
    /// Replications, functions and iterations.
    fn sizes(quick: bool) -> (u64, usize, usize) {
        if quick { (1, 1, 3) } else { (20, FUNCTIONS.len(), 25) }
    }

    /// How much a run has, for people.
    pub(crate) fn extent(quick: bool) -> String {
        let (replications, functions, iterations) = Self::sizes(quick);
        let replications = counted(replications, "replication");
        format!("{functions} of {} functions, {replications}, {iterations} iterations", FUNCTIONS.len())
    }
}

impl Experiment for Pays {
    type Part = Loop;
    type Row = Row;

    fn settings(&self) -> String {
        format!("absolute gap {GAP:e}\nnode limit {NODE_LIMIT}")
    }

    fn parts(&self, quick: bool) -> anyhow::Result<Vec<Loop>> {
        let (replications, functions, iterations) = Self::sizes(quick);
        let mut parts = Vec::new();
        for seed in 0..replications {
            for function in FUNCTIONS.into_iter().take(functions) {
                for beta in BETAS {
                    parts.extend(CONTENDERS.map(|contender| Loop { function, beta, contender, seed, iterations }));
                }
            }
        }
        Ok(parts)
    }

    fn name(part: &Loop) -> String {
        let Loop { function, beta, contender, seed, .. } = part;
        format!("{} {beta:?} {} {seed}", function.name(), contender.name())
    }

    fn part_of(row: &Row) -> String {
        format!("{} {:?} {} {}", row.function, row.beta, row.method, row.seed)
    }

    fn measure(&self, part: &Loop, _: &Path) -> anyhow::Result<Vec<Row>> {
        part.play()
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn tables(rows: &[Row]) -> String {
        let columns = columns(rows);
        let head = Column::head;
        let count = rows.iter().map(|row| row.seed + 1).max().unwrap_or_default();
        let mut regret = Table::new(&format!("regret at the end, mean of {count} (½ sd)"), &columns, head);
        let mut wins = Table::new("the certified search ends lower / higher (by more than 1 %)", &columns, head);
        let corner = format!("steps provably suboptimal by more than {MISS:e} (mean, largest of those)");
        let mut missed = Table::new(&corner, &columns, head);
        let mut unsure = Table::new("steps whose certified minimum was not closed", &columns, head);
        for contender in CONTENDERS {
            let title = contender.title();
            let of = |column: &Column<'_>| column.regrets.iter().position(|own| own.contender == contender);
            regret.line(title, |column| {
                Some(Moments::of(column.regrets[of(column)?].end())?.cell(|value| format!("{value:.1e}")))
            });
            wins.line(title, |column| column.regrets.last()?.wins(&column.regrets[of(column)?]));
            let is_own = |row: &&&Row| row.method == contender.name() && row.at_least.is_some();
            missed.line(title, |column| {
                let steps: Vec<&&Row> = column.rows.iter().filter(is_own).collect();
                let by = || steps.iter().filter_map(|row| row.at_least).filter(|least| *least > MISS);
                let sizes = Moments::of(by()).map(|m| format!(" ({:.3}, {:.2})", m.mean, by().fold(0.0, f64::max)));
                Some(format!("{} of {}{}", by().count(), steps.len(), sizes.unwrap_or_default()))
            });
            unsure.line(title, |column| {
                let steps = || column.rows.iter().filter(is_own);
                Some(format!("{} of {}", steps().filter(|row| row.status != "optimal").count(), steps().count()))
            });
        }
        let captions = [
            "Does it pay? Simple regret after the last iteration (½ sd).",
            "Loops in which the certified search ends lower and higher than a method.",
            "Steps that end above a point that the certified search found, of those compared with it.",
            "Steps whose certified minimum was not closed, so that less is known of them.",
        ];
        let tables = [regret, wins, missed, unsure].map(Table::into_text);
        captions.iter().zip(&tables).map(|(caption, table)| captioned(caption, table)).collect()
    }

    fn pictures(rows: &[Row]) -> Vec<(&'static str, Picture)> {
        let panel = |column: &Column<'_>| {
            let curves = column.regrets.iter().enumerate().map(|(i, regrets)| regrets.curve((5, i))).collect();
            let iterations = column.regrets.iter().map(Regrets::iterations).max().unwrap_or_default();
            let (labels, x) = (("iteration", "simple regret"), Axis::linear(0.0, iterations as f64));
            Panel::logarithmic(column.head(), labels, x, 1e-5, curves)
        };
        let panels: Vec<Panel> = columns(rows).iter().map(panel).collect();
        let legend: Vec<_> = CONTENDERS.iter().map(|contender| (contender.title(), contender.pen())).collect();
        let side_by_side = panels.len().div_ceil(BETAS.len()).max(1);
        vec![("regret", chart::draw(&panels, side_by_side, FRAME, &legend, Some(HALF_DEVIATION)))]
    }
}

/// One function at one β: a column of the tables, and a panel of the picture.
struct Column<'r> {
    beta: f64,
    function: Function,
    rows: Vec<&'r Row>,
    regrets: Vec<Regrets>,
}

impl Column<'_> {
    fn head(&self) -> String {
        format!("{}, κ = {:.1}", self.function.name(), self.beta.sqrt())
    }
}

fn columns(rows: &[Row]) -> Vec<Column<'_>> {
    let column = |(beta, function): (f64, Function)| {
        let here = |row: &&Row| row.beta == beta && row.function == function.name();
        let rows: Vec<&Row> = rows.iter().filter(here).collect();
        let of = |contender: Contender| {
            let steps = rows.iter().filter(|row| row.method == contender.name());
            Regrets::new(contender, steps.map(|row| (row.seed, row.t, row.value)), function.minimum())
        };
        let mut regrets = CONTENDERS.map(of).into();
        Regrets::share(&mut regrets);
        Column { beta, function, rows, regrets }
    };
    let pairs = BETAS.into_iter().flat_map(|beta| FUNCTIONS.map(|function| (beta, function)));
    pairs.map(column).filter(|column| !column.rows.is_empty()).collect()
}

impl Loop {
    fn definition(&self, contender: Contender) -> anyhow::Result<Definition> {
        let strategy = race::strategy(contender, self.beta, GAP, NODE_LIMIT, self.seed);
        let model = "kernel = 'matern32'\ninitial = 'paper'\n";
        Ok(Definition::parse(&(self.function.study_file() + &strategy + model))?)
    }

    /// What the certified optimiser suggests after the finished ones of `trials`.
    fn twin(&self, trials: &[Trial]) -> anyhow::Result<Suggestion> {
        let mut twin = Study::create("memory:", self.definition(Contender::Certified)?)?;
        for trial in trials.iter().filter(|trial| trial.state == State::Complete) {
            twin.add(&trial.point, &Outcome::of(trial.objective().context("it is complete")?)?)?;
        }
        Ok(twin.ask(1)?.remove(0).suggestion)
    }

    fn stuck(&self, t: usize) -> Row {
        Row {
            function: self.function.name().into(),
            beta: self.beta,
            method: self.contender.name().into(),
            seed: self.seed,
            t,
            iterations: self.iterations,
            value: None,
            at_least: None,
            at_most: None,
            status: "stuck".into(),
        }
    }

    /// A step beside what a twin with the certified optimiser would have done.
    fn step(&self, t: usize, study: &mut Study) -> anyhow::Result<Row> {
        let Some(trial) = race::ask(study, self.contender)? else { return Ok(self.stuck(t)) };
        let is_certified = self.contender == Contender::Certified;
        let certified = if is_certified { trial.suggestion.clone() } else { self.twin(&study.trials()?)? };
        let value = race::value(self.function, &trial)?;
        study.tell(trial.id, value)?;
        let certificate = certified.certificate.context("the twin proves what it says")?;
        let above = |level: Option<f64>| trial.suggestion.acquisition.zip(level).map(|(own, level)| own - level);
        let (at_least, at_most) = (above(certified.acquisition), above(certificate.lower_bound));
        let status = certificate.status.name().into();
        Ok(Row { value: Some(value), at_least, at_most, status, ..self.stuck(t) })
    }

    fn play(&self) -> anyhow::Result<Vec<Row>> {
        let definition = self.definition(self.contender)?;
        let design = definition.strategy.design_size(&definition.space);
        let mut study = Study::create("memory:", definition)?;
        let mut best = f64::INFINITY;
        for trial in (0..design).map(|_| study.ask(1)).collect::<Result<Vec<_>, _>>()?.into_iter().flatten() {
            let value = race::value(self.function, &trial)?;
            study.tell(trial.id, value)?;
            best = best.min(value);
        }
        let mut rows = vec![Row { value: Some(best), status: "design".into(), ..self.stuck(0) }];
        for t in 1..=self.iterations {
            let is_stuck = rows[t - 1].status == "stuck";
            rows.push(if is_stuck { self.stuck(t) } else { self.step(t, &mut study)? });
        }
        Ok(rows)
    }
}
