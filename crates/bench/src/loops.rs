//! Figures 3 and 4 of the paper: Bayesian optimisation with each way to minimise the acquisition function.
//!
//! Everything but that is the same, and the paper's: Matérn 3/2 (Figure 4: RBF) with one lengthscale, for Hartmann and
//! Michalewicz a kernel for each input; σ_ε² = 1e-6; hyperparameters by ten starts within its bounds; inputs and outputs in
//! [0, 1]; the LCB with β_t = 0.2 D log 2t; min(10 D, 30) points at first, 10 for the support vector machine. They are
//! Sobol' points where the paper's are a Latin hypercube, and a seed has the same ones for all methods. The paper does not
//! say how many iterations follow; ours are in [`Setting`], with the most boxes that a certified minimisation may take. A step of
//! a method that is stuck is spent without an evaluation, and the next one has a larger β.

mod svm;

use crate::chart::{self, Axis, Curve, FRAME, Panel, Pen, Picture};
use crate::contender::Contender;
use crate::experiment::Experiment;
use crate::race::{self, Regrets};
use crate::statistics::Moments;
use crate::table::Table;
use crate::units::human;
use anyhow::Context as _;
use fathom_gp::Beta;
use fathom_study::{Definition, Function, Outcome, Point, Study, Trial};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use svm::Svm;

/// Absolute gap of the certified search and of PK-MIQP, in outputs scaled to [0, 1].
const GAP: f64 = 1e-3;

/// The experiment.
#[derive(clap::Args, Debug)]
pub struct Loops {
    /// Loops of each problem and method; their seeds are 0, 1, ….
    #[arg(long, default_value_t = 20)]
    pub(crate) replications: u64,
    /// The most iterations of a loop.
    #[arg(long)]
    pub(crate) iterations: Option<usize>,
    /// Loops at the same time.
    #[arg(long, default_value_t = 1)]
    pub(crate) threads: usize,
    /// The support vector machine, a command that answers a line for each line; without it that panel is left out.
    #[arg(long)]
    pub(crate) svm: Option<String>,
}

/// A step, t = 0 being the initial design.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Row {
    problem: String,
    kernel: String,
    method: String,
    seed: u64,
    t: usize,
    iterations: usize,  // of the whole loop
    value: Option<f64>, // the least of the design at t = 0; nothing if the method was stuck
    seconds: f64,       // by the clock, of the fit and the suggestion
    nodes: Option<u64>, // boxes bounded, if the suggestion is certified
    gap: Option<f64>,   // of that certificate, in outputs scaled to [0, 1]
    status: String,     // `design`, `optimal`, `node_limit`, `local`, `stuck`, or how the suggestion came about instead
}

/// One problem under one kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Setting {
    function: Option<Function>, // `None` is the support vector machine
    kernel: &'static str,
    additive: bool, // a kernel for each input, as in the paper for more than two inputs
    iterations: usize,
    node_limit: u64,
}

const MATERN: &str = "matern32";

/// The nine panels of Figure 3, then the two of Figure 4.
const SETTINGS: [Setting; 11] = [
    Setting::new(Some(Function::Multimodal), MATERN, false, 20, 5000),
    Setting::new(Some(Function::Bumpy), MATERN, false, 30, 5000),
    Setting::new(Some(Function::Ackley), MATERN, false, 40, 5000),
    Setting::new(Some(Function::Branin), MATERN, false, 40, 5000),
    Setting::new(Some(Function::Rosenbrock), MATERN, false, 40, 5000),
    Setting::new(Some(Function::Hartmann3), MATERN, true, 40, 5000),
    Setting::new(Some(Function::Michalewicz5), MATERN, true, 40, 2000),
    Setting::new(Some(Function::Ks224), MATERN, false, 20, 5000),
    Setting::new(None, MATERN, false, 20, 5000),
    Setting::new(Some(Function::Bumpy), "rbf", false, 30, 5000),
    Setting::new(Some(Function::Ackley), "rbf", false, 40, 5000),
];

impl Setting {
    const fn new(f: Option<Function>, kernel: &'static str, additive: bool, iterations: usize, nodes: u64) -> Self {
        Self { function: f, kernel, additive, iterations, node_limit: nodes }
    }

    fn name(&self) -> &'static str {
        self.function.map_or("svm", Function::name)
    }

    fn inputs(&self) -> usize {
        self.function.map_or(2, |function| function.bounds().len())
    }

    /// Who takes part. PK-MIQP goes group by group if there are groups.
    fn contenders(&self) -> impl Iterator<Item = Contender> {
        let absent = if self.additive { Contender::Pk } else { Contender::AdditivePk };
        Contender::ALL.into_iter().filter(move |contender| ![absent, Contender::PkHalf].contains(contender))
    }

    /// The study file, with β_t of iteration `t`, which counts steps, those spent without an evaluation too.
    fn definition(&self, contender: Contender, seed: u64, t: usize) -> anyhow::Result<Definition> {
        let mut text = self.function.map_or_else(
            || {
                let side = "{ type = 'float', low = 0.01, high = 1000.0, scale = 'log' }";
                format!("name = 'svm'\n[parameters]\nC = {side}\ngamma = {side}\n")
            },
            Function::study_file,
        );
        text += &race::strategy(contender, Beta::Paper.at(t, self.inputs())?, GAP, self.node_limit, seed);
        text += &format!("kernel = '{}'\n", self.kernel);
        if self.function.is_none() {
            text += "initial = 10\n";
        }
        if self.additive {
            let groups: Vec<String> = (1..=self.inputs()).map(|j| format!("['x{j}']")).collect();
            text += &format!("groups = [{}]\n", groups.join(", "));
        }
        Ok(Definition::parse(&text)?)
    }

    fn head(&self) -> String {
        format!("{}{}", self.name(), if self.kernel == "rbf" { ", RBF" } else { "" })
    }

    fn title(&self) -> String {
        let name = self.name().trim_end_matches(char::is_numeric);
        let name = if self.name() == "ks224" { "constrained KS224" } else { name };
        let mut letters = name.chars();
        let capital: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
        let (kernel, model) =
            (if self.kernel == "rbf" { ", RBF" } else { "" }, if self.additive { ", add-GP" } else { "" });
        format!("{capital}, {}D{model}{kernel}", self.inputs())
    }
}

/// A loop to play.
#[derive(Debug)]
pub struct Loop {
    setting: Setting,
    contender: Contender,
    seed: u64,
    svm: Option<Arc<Svm>>,
}

impl Experiment for Loops {
    type Part = Loop;
    type Row = Row;

    fn settings(&self) -> String {
        let most = self.iterations.map_or("all".into(), |most| most.to_string());
        format!("iterations {most}\nabsolute gap {GAP:e}")
    }

    fn parts(&self, quick: bool) -> anyhow::Result<Vec<Loop>> {
        let svm = self.svm.as_deref().map(Svm::start).transpose()?.map(Arc::new);
        let most = self.iterations.unwrap_or(usize::MAX).min(if quick { 4 } else { usize::MAX });
        let is_played =
            |setting: &Setting| (!quick || setting.inputs() <= 2) && (setting.function.is_some() || svm.is_some());
        let mut parts = Vec::new();
        for seed in 0..if quick { 2 } else { self.replications } {
            for setting in SETTINGS.into_iter().filter(is_played) {
                let setting = Setting { iterations: setting.iterations.min(most), ..setting };
                let part = |contender| Loop { setting, contender, seed, svm: svm.clone() };
                parts.extend(setting.contenders().map(part));
            }
        }
        Ok(parts)
    }

    fn name(part: &Loop) -> String {
        let Loop { setting, contender, seed, .. } = part;
        format!("{} {} {} {seed}", setting.name(), setting.kernel, contender.name())
    }

    fn part_of(row: &Row) -> String {
        format!("{} {} {} {}", row.problem, row.kernel, row.method, row.seed)
    }

    fn measure(&self, part: &Loop, _: &Path) -> anyhow::Result<Vec<Row>> {
        part.play()
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn tables(rows: &[Row]) -> String {
        let all = regrets(rows);
        let columns: Vec<usize> = (0..all.len()).collect();
        let head = |at: &usize| all[*at].0.head();
        let find = |at: usize, contender| all[at].1.iter().find(|regrets| regrets.contender == contender);
        // PK-MIQP is one line, by groups if there are groups.
        let of = |at: usize, line: Contender| {
            let is_grouped = line == Contender::Pk && all[at].0.additive;
            find(at, if is_grouped { Contender::AdditivePk } else { line })
        };
        let table = |corner: &str, cell: &dyn Fn(usize, &Regrets) -> Option<String>| {
            let mut table = Table::new(corner, &columns, head);
            for line in SETTINGS[0].contenders() {
                table.line(line.title(), |at| cell(*at, of(*at, line)?));
            }
            table.into_text() + "\n"
        };
        let steps = |at: usize, regrets: &Regrets| -> Vec<&Row> {
            let (setting, method) = (&all[at].0, regrets.contender.name());
            let here = |row: &&Row| (row.problem.as_str(), row.kernel.as_str()) == (setting.name(), setting.kernel);
            let played = |row: &&Row| row.method == method && row.t > 0 && regrets.has(row.seed);
            rows.iter().filter(here).filter(played).collect()
        };
        let mut counts = Table::new("", &columns, head);
        let certified = |at: usize| find(at, Contender::Certified);
        counts.line("replications", |at| Some(certified(*at)?.replications().to_string()));
        counts.line("iterations", |at| Some(certified(*at)?.iterations().to_string()));
        let mut text = counts.into_text() + "\n";
        text += &table("regret at the end, mean (½ sd); of the support vector machine its error", &|_, regrets| {
            Some(Moments::of(regrets.end())?.cell(short))
        });
        text += &table(
            "of replications, those in which the certified search ends lower / higher (by more than 1 %)",
            &|at, regrets| certified(at)?.wins(regrets),
        );
        text += &table("clock seconds of a step, mean (longest)", &|at, regrets| {
            let seconds = || steps(at, regrets).into_iter().filter(|row| row.value.is_some()).map(|row| row.seconds);
            Some(format!("{} ({})", human(Moments::of(seconds())?.mean), human(seconds().fold(0.0, f64::max))))
        });
        let mut notes = Table::new("steps", &columns, head);
        let share = |at: usize, line: Contender, status: &str| {
            let all = steps(at, of(at, line)?);
            Some(format!("{} of {}", all.iter().filter(|row| row.status == status).count(), all.len()))
        };
        notes.line("certified: gap closed", |at| share(*at, Contender::Certified, "optimal"));
        for line in SETTINGS[0].contenders().filter(|line| line.local().is_some()) {
            if rows.iter().any(|row| row.method == line.name() && row.status == "stuck") {
                notes.line(&format!("{}: stuck", line.title()), |at| share(*at, line, "stuck"));
            }
        }
        text + &notes.into_text()
    }

    fn pictures(rows: &[Row]) -> Vec<(&'static str, Picture)> {
        let all = regrets(rows);
        let mut pictures = Vec::new();
        for (name, kernel) in [("figure_3", MATERN), ("figure_4", "rbf")] {
            let here = all.iter().filter(|(setting, _)| setting.kernel == kernel);
            let panels: Vec<Panel> = here.map(|(setting, regrets)| panel(setting, regrets)).collect();
            let entry = |contender: Contender| -> (&'static str, Pen) {
                let title = if contender == Contender::Pk { "PK-MIQP (3D, 5D: add-GP)" } else { contender.title() };
                (title, contender.pen())
            };
            if !panels.is_empty() {
                let legend: Vec<(&str, Pen)> = SETTINGS[0].contenders().map(entry).collect();
                pictures.push((name, chart::draw(&panels, panels.len().min(3), FRAME, &legend)));
            }
        }
        pictures
    }
}

impl Loop {
    fn value(&self, trial: &Trial) -> anyhow::Result<f64> {
        let number = |name: &str| trial.number(name).with_context(|| format!("{name} is no number"));
        match (self.setting.function, &self.svm) {
            (Some(function), _) => race::value(function, trial),
            (None, Some(svm)) => svm.error(number("C")?, number("gamma")?),
            (None, None) => anyhow::bail!("the support vector machine needs --svm"),
        }
    }

    /// A step without an evaluation.
    fn stuck(&self, t: usize) -> Row {
        Row {
            problem: self.setting.name().into(),
            kernel: self.setting.kernel.into(),
            method: self.contender.name().into(),
            seed: self.seed,
            t,
            iterations: self.setting.iterations,
            value: None,
            seconds: 0.0,
            nodes: None,
            gap: None,
            status: "stuck".into(),
        }
    }

    /// The suggestion of iteration `t` after the points told so far, and its value.
    fn step(&self, t: usize, told: &mut Vec<(Point, f64)>) -> anyhow::Result<Row> {
        let mut study = Study::create("memory:", self.setting.definition(self.contender, self.seed, t)?)?;
        for (point, value) in told.iter() {
            study.add(point, &Outcome::of(*value)?)?;
        }
        let Some(trial) = race::ask(&mut study, self.contender)? else { return Ok(self.stuck(t)) };
        let value = self.value(&trial)?;
        told.push((trial.point.clone(), value));
        let suggestion = &trial.suggestion;
        let own = suggestion.method.as_deref() == Some(self.contender.name());
        let status = match (&suggestion.certificate, own) {
            (Some(certificate), _) => certificate.status.name(),
            (None, true) => "local",
            (None, false) => suggestion.method.as_deref().unwrap_or("design"),
        };
        Ok(Row {
            value: Some(value),
            seconds: suggestion.seconds,
            nodes: suggestion.certificate.as_ref().map(|certificate| certificate.nodes),
            gap: suggestion.certificate.as_ref().and_then(|certificate| certificate.gap),
            status: status.into(),
            ..self.stuck(t)
        })
    }

    fn play(&self) -> anyhow::Result<Vec<Row>> {
        let definition = self.setting.definition(self.contender, self.seed, 1)?;
        let mut told = Vec::new();
        for _ in 0..definition.strategy.design_size(&definition.space) {
            self.step(1, &mut told)?.value.context("a design needs no method")?;
        }
        let best = told.iter().map(|(_, value)| *value).fold(f64::INFINITY, f64::min);
        let mut rows = vec![Row { value: Some(best), status: "design".into(), ..self.stuck(0) }];
        for t in 1..=self.setting.iterations {
            rows.push(self.step(t, &mut told)?);
        }
        Ok(rows)
    }
}

/// The settings that have rows, in the order of the figures, and the regrets of their contenders.
fn regrets(rows: &[Row]) -> Vec<(Setting, Vec<Regrets>)> {
    let of = |setting: Setting| {
        let own = |row: &&Row| (row.problem.as_str(), row.kernel.as_str()) == (setting.name(), setting.kernel);
        let here: Vec<&Row> = rows.iter().filter(own).collect();
        // The support vector machine's error cannot be below 0, and is shown as it is.
        let minimum = setting.function.map_or(0.0, Function::minimum);
        let regrets = |contender: Contender| {
            let steps = here.iter().filter(|row| row.method == contender.name());
            Regrets::new(contender, steps.map(|row| (row.seed, row.t, row.value)), minimum)
        };
        let has = |contender: &Contender| here.iter().any(|row| row.method == contender.name());
        let mut all: Vec<Regrets> = setting.contenders().filter(has).map(regrets).collect();
        Regrets::share(&mut all);
        (setting, all)
    };
    SETTINGS.into_iter().map(of).filter(|(_, all)| !all.is_empty()).collect()
}

/// Mean simple regret by iteration; less than 1e-5 counts as found, as minima are known to seven digits.
fn panel(setting: &Setting, all: &[Regrets]) -> Panel {
    let iterations = all.iter().map(Regrets::iterations).max().unwrap_or(1);
    let every = (iterations / 5).max(1);
    let curves: Vec<Curve> = all.iter().enumerate().map(|(i, regrets)| regrets.curve((every, i % every))).collect();
    let x = Axis::linear(0.0, iterations as f64);
    if setting.function.is_some() {
        return Panel::logarithmic(setting.title(), ("iteration", "simple regret"), x, 1e-5, curves);
    }
    // An error rate that is never 0 needs no decades; some room, in steps of 0.002.
    let means = || curves.iter().flat_map(|curve| &curve.points).map(|place| place.y / 0.002);
    let low = means().fold(f64::INFINITY, f64::min);
    let high = means().fold(low, f64::max);
    let y = Axis::linear(0.002 * (low - 0.5).floor(), 0.002 * (high + 0.5).ceil());
    Panel::new("support vector machine, 2D".into(), ("iteration", "error under cross-validation"), x, y, curves)
}

/// Three digits that count.
fn short(value: f64) -> String {
    if value != 0.0 && value.abs() < 1e-3 { format!("{value:.1e}") } else { format!("{value:.3}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_eight_contenders_and_a_file() {
        for setting in SETTINGS {
            assert_eq!(setting.contenders().count(), 8);
            let definition = setting.definition(Contender::Certified, 0, 1).expect("a study file");
            assert_eq!(definition.space.dim(), setting.inputs());
            assert_eq!(setting.additive, setting.inputs() > 2);
        }
    }
}
