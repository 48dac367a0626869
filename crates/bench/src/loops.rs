//! Figures 3 and 4 of the paper: Bayesian optimisation with each way to minimise the acquisition function.
//!
//! Everything but that is the same, and the paper's: Matérn 3/2 (Figure 4: RBF) with one lengthscale, for Hartmann and
//! Michalewicz a kernel for each input; σ_ε² = 1e-6; hyperparameters by ten starts within its bounds; inputs and outputs in
//! [0, 1]; the LCB with β_t = 0.2 D log 2t; min(10 D, 30) points at first, 10 for the support vector machine. They are
//! Sobol' points where the paper's are a Latin hypercube, and a seed has the same ones for all methods. The paper does not
//! say how many iterations follow; ours are in [`Setting`], with the most boxes that a certified minimisation may take. A step of
//! a method that is stuck is spent without an evaluation, and the next one has a larger β.
//!
//! On the constrained problem methods that do not know rows play three times, with each λ of [`PENALTIES`]; tables and figures
//! have the one with the lowest mean regret at the end, as the paper chooses it.

mod svm;

use crate::chart::{self, Axis, Curve, FRAME, HALF_DEVIATION, Panel, Pen, Picture};
use crate::contender::Contender;
use crate::experiment::Experiment;
use crate::race::{self, Regrets};
use crate::statistics::Moments;
use crate::table::{Table, captioned};
use crate::units::{counted, human};
use anyhow::Context as _;
use fathom_gp::Beta;
use fathom_method::Method;
use fathom_study::{Definition, Function, Outcome, Point, Study, Trial};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use svm::Svm;

/// Absolute gap of the certified search and of PK-MIQP, in outputs scaled to [0, 1].
const GAP: f64 = 1e-3;

/// The λ of which the paper reports the best.
const PENALTIES: [f64; 3] = [10.0, 100.0, 1000.0];

/// The experiment.
#[derive(clap::Args, Debug, Clone)]
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
    iterations: usize,    // of the whole loop
    value: Option<f64>,   // the least of the design at t = 0; nothing if the method was stuck
    seconds: f64,         // by the clock, of the fit and the suggestion
    nodes: Option<u64>,   // boxes bounded, if the suggestion is certified
    gap: Option<f64>,     // of that certificate, in outputs scaled to [0, 1]
    status: String, // `design`, `optimal`, `node_limit`, `local`, `stuck`, or how the suggestion came about instead
    penalty: Option<f64>, // λ, of methods that do not know the problem's rows
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

pub(crate) const MATERN: &str = "matern32";
pub(crate) const RBF: &str = "rbf";

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
    Setting::new(Some(Function::Bumpy), RBF, false, 30, 5000),
    Setting::new(Some(Function::Ackley), RBF, false, 40, 5000),
];

impl Setting {
    const fn new(f: Option<Function>, kernel: &'static str, additive: bool, iterations: usize, nodes: u64) -> Self {
        Self { function: f, kernel, additive, iterations, node_limit: nodes }
    }

    fn name(&self) -> &'static str {
        self.function.map_or("svm", Function::name)
    }

    /// The λ to play with: nothing but for a method without rows on a problem with rows.
    fn penalties(&self, contender: Contender) -> Vec<Option<f64>> {
        let has_rows = self.function == Some(Function::Ks224);
        let is_penalised = contender.local().is_some_and(|method| method.with_penalty(1.0).is_some());
        if has_rows && is_penalised { PENALTIES.map(Some).to_vec() } else { vec![None] }
    }

    fn inputs(&self) -> usize {
        self.function.map_or(2, |function| function.bounds().len())
    }

    /// Who takes part. PK-MIQP goes group by group if there are groups.
    fn contenders(&self) -> impl Iterator<Item = Contender> {
        let absent = if self.additive { Contender::Pk } else { Contender::AdditivePk };
        let is_known = |contender: &Contender| contender.name().parse::<Method>().is_ok();
        Contender::ALL.into_iter().filter(is_known).filter(move |contender| *contender != absent)
    }

    /// The study file, with β_t of iteration `t`, which counts steps, those spent without an evaluation too.
    fn definition(
        &self,
        contender: Contender,
        penalty: Option<f64>,
        seed: u64,
        t: usize,
    ) -> anyhow::Result<Definition> {
        let mut text = self.function.map_or_else(
            || {
                let side = "{ type = 'float', low = 0.01, high = 1000.0, scale = 'log' }";
                format!("name = 'svm'\n[parameters]\nC = {side}\ngamma = {side}\n")
            },
            Function::study_file,
        );
        text += &race::strategy(contender, Beta::Paper.at(t, self.inputs())?, GAP, self.node_limit, seed);
        text += &format!("kernel = '{}'\n", self.kernel);
        text += if self.function.is_none() { "initial = 10\n" } else { "initial = 'paper'\n" };
        if self.additive {
            let groups: Vec<String> = (1..=self.inputs()).map(|j| format!("['x{j}']")).collect();
            text += &format!("groups = [{}]\n", groups.join(", "));
        }
        let mut definition = Definition::parse(&text)?;
        // A study file has no word for λ.
        if let Some(method) = penalty.and_then(|penalty| contender.local()?.with_penalty(penalty)) {
            definition.strategy.optimiser = Method::Local(method);
        }
        Ok(definition)
    }

    fn head(&self) -> String {
        format!("{}{}", self.name(), if self.kernel == RBF { ", RBF" } else { "" })
    }

    fn title(&self) -> String {
        let name = self.name().trim_end_matches(char::is_numeric);
        let name = if self.name() == "ks224" { "constrained KS224" } else { name };
        let mut letters = name.chars();
        let capital: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
        let (kernel, model) =
            (if self.kernel == RBF { ", RBF" } else { "" }, if self.additive { ", add-GP" } else { "" });
        format!("{capital}, {}D{model}{kernel}", self.inputs())
    }
}

/// A loop to play.
#[derive(Debug)]
pub struct Loop {
    setting: Setting,
    contender: Contender,
    penalty: Option<f64>,
    seed: u64,
    svm: Option<Arc<Svm>>,
}

impl Loops {
    /// Replications, the most iterations and the most inputs of a problem.
    fn sizes(&self, quick: bool) -> (u64, usize, usize) {
        let most = self.iterations.unwrap_or(usize::MAX);
        if quick { (2, most.min(4), 2) } else { (self.replications, most, usize::MAX) }
    }

    /// Whether a problem is played, as far as it can be.
    fn is_played(&self, setting: &Setting, quick: bool) -> bool {
        setting.inputs() <= self.sizes(quick).2 && (setting.function.is_some() || self.svm.is_some())
    }

    /// How much a run has of the figure of a kernel, for people.
    pub(crate) fn extent(&self, kernel: &str, quick: bool) -> String {
        let (replications, most, _) = self.sizes(quick);
        let all = || SETTINGS.iter().filter(|setting| setting.kernel == kernel);
        let played = || all().filter(|setting| self.is_played(setting, quick));
        let iterations = || played().map(|setting| setting.iterations.min(most));
        let (least, most) = (iterations().min().unwrap_or_default(), iterations().max().unwrap_or_default());
        let steps = if least == most { least.to_string() } else { format!("{least} to {most}") };
        let needs_svm = self.svm.is_none() && all().any(|setting| setting.function.is_none());
        format!(
            "{} of {} panels, {}, {steps} iterations{}",
            played().count(),
            all().count(),
            counted(replications, "replication"),
            if needs_svm { "; the support vector machine needs `--svm`" } else { "" }
        )
    }
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
        let (replications, most, _) = self.sizes(quick);
        let mut parts = Vec::new();
        for seed in 0..replications {
            for setting in SETTINGS.into_iter().filter(|setting| self.is_played(setting, quick)) {
                let setting = Setting { iterations: setting.iterations.min(most), ..setting };
                for contender in setting.contenders() {
                    let part = |penalty| Loop { setting, contender, penalty, seed, svm: svm.clone() };
                    parts.extend(setting.penalties(contender).into_iter().map(part));
                }
            }
        }
        Ok(parts)
    }

    fn name(part: &Loop) -> String {
        let Loop { setting, contender, penalty, seed, .. } = part;
        name(setting.name(), setting.kernel, contender.name(), *seed, *penalty)
    }

    fn part_of(row: &Row) -> String {
        name(&row.problem, &row.kernel, &row.method, row.seed, row.penalty)
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
        let table = |caption: &str, corner: &str, cell: &dyn Fn(usize, &Regrets) -> Option<String>| {
            let mut table = Table::new(corner, &columns, head);
            for line in SETTINGS[0].contenders() {
                table.line(line.title(), |at| cell(*at, of(*at, line)?));
            }
            captioned(caption, &table.into_text())
        };
        let steps = |at: usize, regrets: &Regrets| -> Vec<&Row> {
            let (setting, method) = (&all[at].0, regrets.contender.name());
            let here = |row: &&Row| (row.problem.as_str(), row.kernel.as_str()) == (setting.name(), setting.kernel);
            let is_own = |row: &Row| row.method == method && row.penalty == regrets.penalty;
            let played = |row: &&Row| is_own(row) && row.t > 0 && regrets.has(row.seed);
            rows.iter().filter(here).filter(played).collect()
        };
        let mut counts = Table::new("", &columns, head);
        let certified = |at: usize| find(at, Contender::Certified);
        counts.line("replications", |at| Some(certified(*at)?.replications().to_string()));
        counts.line("iterations", |at| Some(certified(*at)?.iterations().to_string()));
        let mut text = captioned("Figures 3 and 4: what was played.", &counts.into_text());
        let caption = "Figures 3 and 4: simple regret after the last iteration, mean over the replications (½ sd); of the \
                       support vector machine its error. PK-MIQP goes group by group where the model is additive.";
        text += &table(caption, "regret at the end", &|_, regrets| Some(Moments::of(regrets.end())?.cell(short)));
        text += &penalties(&all, rows);
        let caption = "Replications in which the certified search ends lower / higher than a method by more than 1 %.";
        text += &table(caption, "certified lower / higher", &|at, regrets| certified(at)?.wins(regrets));
        text += &table("Clock seconds of a step, mean (longest).", "seconds", &|at, regrets| {
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
        text + &captioned(
            "Steps that closed their gap, and steps that were spent without an evaluation.",
            &notes.into_text(),
        )
    }

    fn pictures(rows: &[Row]) -> Vec<(&'static str, Picture)> {
        let all = regrets(rows);
        let mut pictures = Vec::new();
        for (name, kernel) in [("figure_3", MATERN), ("figure_4", RBF)] {
            let here = all.iter().filter(|(setting, _)| setting.kernel == kernel);
            let panels: Vec<Panel> = here.map(|(setting, regrets)| panel(setting, regrets)).collect();
            let is_grouped = all.iter().any(|(setting, _)| setting.kernel == kernel && setting.additive);
            let by_groups = if is_grouped { "; add-GP: PK-MIQP goes group by group" } else { "" };
            if !panels.is_empty() {
                let legend: Vec<(&str, Pen)> =
                    SETTINGS[0].contenders().map(|contender| (contender.title(), contender.pen())).collect();
                let note = format!("{HALF_DEVIATION}{by_groups}");
                pictures.push((name, chart::draw(&panels, panels.len().min(3), FRAME, &legend, Some(&note))));
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
            penalty: self.penalty,
        }
    }

    /// The suggestion of iteration `t` after the points told so far, and its value.
    fn step(&self, t: usize, told: &mut Vec<(Point, f64)>) -> anyhow::Result<Row> {
        let mut study = Study::create("memory:", self.setting.definition(self.contender, self.penalty, self.seed, t)?)?;
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
        let definition = self.setting.definition(self.contender, self.penalty, self.seed, 1)?;
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

/// The name of a part.
fn name(problem: &str, kernel: &str, method: &str, seed: u64, penalty: Option<f64>) -> String {
    let penalty = penalty.map(|penalty| format!(" λ {penalty}")).unwrap_or_default();
    format!("{problem} {kernel} {method} {seed}{penalty}")
}

/// The settings that have rows, in the order of the figures, and the regrets of their contenders with their best λ.
fn regrets(rows: &[Row]) -> Vec<(Setting, Vec<Regrets>)> {
    let of = |setting: Setting| {
        let own = |row: &&Row| (row.problem.as_str(), row.kernel.as_str()) == (setting.name(), setting.kernel);
        let here: Vec<&Row> = rows.iter().filter(own).collect();
        // The support vector machine's error cannot be below 0, and is shown as it is.
        let minimum = setting.function.map_or(0.0, Function::minimum);
        let regrets = |contender: Contender| {
            let with = |penalty: Option<f64>| {
                let steps = here.iter().filter(|row| row.method == contender.name() && row.penalty == penalty);
                let steps = steps.map(|row| (row.seed, row.t, row.value));
                Regrets::new(contender, steps, minimum).with(penalty)
            };
            let played = setting.penalties(contender).into_iter().map(with).filter(|own| own.replications() > 0);
            // Of a run cut short only λ with as many loops as any can be compared.
            played.min_by(|a, b| b.replications().cmp(&a.replications()).then(a.mean_end().total_cmp(&b.mean_end())))
        };
        let mut all: Vec<Regrets> = setting.contenders().filter_map(regrets).collect();
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

/// What each λ comes to, and which one is shown.
fn penalties(all: &[(Setting, Vec<Regrets>)], rows: &[Row]) -> String {
    let mut table = Table::new("regret at the end", &PENALTIES, |penalty| format!("λ = {penalty}"));
    let mut is_empty = true;
    for (setting, shown) in all {
        let minimum = setting.function.map_or(0.0, Function::minimum);
        for best in shown.iter().filter(|regrets| regrets.penalty.is_some()) {
            is_empty = false;
            table.line(&format!("{}, {}", setting.head(), best.contender.title()), |penalty| {
                let is_own = |row: &&Row| {
                    (row.problem.as_str(), row.kernel.as_str()) == (setting.name(), setting.kernel)
                        && row.method == best.contender.name()
                        && row.penalty == Some(*penalty)
                };
                let steps = rows.iter().filter(is_own).map(|row| (row.seed, row.t, row.value));
                let cell = Moments::of(Regrets::new(best.contender, steps, minimum).end())?.cell(short);
                Some(if best.penalty == Some(*penalty) { format!("{cell}, shown") } else { cell })
            });
        }
    }
    let caption = "The penalty λ of methods that do not know constraints: regret at the end for each λ, mean (½ sd). The \
                   lowest is shown in the other tables and in Figure 3, as in the paper.";
    if is_empty { String::new() } else { captioned(caption, &table.into_text()) }
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
            let definition = setting.definition(Contender::Certified, None, 0, 1).expect("a study file");
            assert_eq!(definition.space.dim(), setting.inputs());
            assert_eq!(setting.additive, setting.inputs() > 2);
        }
    }

    #[test]
    fn every_penalty_is_played_where_there_are_rows_and_reaches_the_study() {
        for setting in SETTINGS {
            let of = |contender| setting.penalties(contender);
            let expected = if setting.name() == "ks224" { PENALTIES.map(Some).to_vec() } else { vec![None] };
            assert_eq!((of(Contender::LbfgsB), of(Contender::NelderMead)), (expected.clone(), expected));
            assert_eq!(of(Contender::Slsqp), [None], "it knows rows");
            let definition = setting.definition(Contender::LbfgsB, Some(10.0), 0, 1).expect("a study file");
            let with = Contender::LbfgsB.local().and_then(|method| method.with_penalty(10.0)).expect("no rows");
            assert_eq!(definition.strategy.optimiser, Method::Local(with));
        }
    }

    #[test]
    fn the_penalty_with_the_lowest_regret_at_the_end_is_shown() {
        let row = |penalty: f64, seed: u64, t: usize, value: f64| Row {
            problem: "ks224".into(),
            kernel: MATERN.into(),
            method: "l-bfgs-b".into(),
            seed,
            t,
            iterations: 1,
            value: Some(value),
            seconds: 0.0,
            nodes: None,
            gap: None,
            status: "local".into(),
            penalty: Some(penalty),
        };
        let ends = [(10.0, [3.0, 3.0]), (100.0, [0.0, 4.0]), (1000.0, [1.0, 2.0])];
        let rows: Vec<Row> = ends
            .iter()
            .flat_map(|(penalty, ends)| (0..2).map(move |seed| (*penalty, seed as u64, ends[seed])))
            .flat_map(|(penalty, seed, end)| [row(penalty, seed, 0, 9.0), row(penalty, seed, 1, end)])
            .collect();
        let all = regrets(&rows);
        assert_eq!(all[0].1[0].penalty, Some(1000.0));
        let text = penalties(&all, &rows);
        assert!(text.contains("shown |\n"), "the last λ is the shown one: {text}");
        // Half a run of a λ is not compared with whole ones.
        let cut: Vec<Row> = rows.into_iter().filter(|row| row.penalty != Some(1000.0) || row.seed == 0).collect();
        assert_eq!(regrets(&cut)[0].1[0].penalty, Some(100.0));
    }
}
