//! One loop: a study in memory, from its design to its last iteration.

use super::Plan;
use super::row::Row;
use super::setting::Setting;
use super::svm::Svm;
use crate::contender::Contender;
use crate::jobs::Job;
use anyhow::Context as _;
use fathom_gp::Beta;
use fathom_study::{Definition, Error, Outcome, Point, Study, Trial};

/// A loop to play.
pub(super) struct Loop<'p> {
    pub plan: &'p Plan,
    pub setting: Setting,
    pub contender: Contender,
    pub seed: u64,
    pub svm: Option<&'p Svm>,
}

impl Loop<'_> {
    /// With β_t of iteration `t`, which counts steps, those spent without an evaluation too.
    fn definition(&self, t: usize) -> anyhow::Result<Definition> {
        let Self { plan, setting, contender, seed, .. } = self;
        let mut text = setting.file();
        text += &format!(
            "\n[strategy]\nkernel = '{}'\nard = false\nscaling = 'unit'\nbeta = {:?}\noptimiser = '{}'\ngap = {:?}\nnode_limit = {}\n\
             time_limit = '1day'\nseed = {seed}\n",
            setting.kernel,
            Beta::Paper.at(t, setting.inputs())?,
            contender.name(),
            plan.gap,
            setting.node_limit,
        );
        if setting.function.is_none() {
            text += "initial = 10\n";
        }
        if setting.additive {
            let groups: Vec<String> = (1..=setting.inputs()).map(|j| format!("['x{j}']")).collect();
            text += &format!("groups = [{}]\n", groups.join(", "));
        }
        Ok(Definition::parse(&text)?)
    }

    fn value(&self, trial: &Trial) -> anyhow::Result<f64> {
        let number = |name: &str| trial.number(name).with_context(|| format!("{name} is no number"));
        match (self.setting.function, self.svm) {
            (Some(function), _) => {
                let x: Vec<f64> = function.parameters().iter().map(|name| number(name)).collect::<Result<_, _>>()?;
                Ok(function.value(&x))
            }
            (None, Some(svm)) => svm.error(number("C")?, number("gamma")?),
            (None, None) => anyhow::bail!("the support vector machine needs --svm"),
        }
    }

    fn row(&self, t: usize) -> Row {
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

    /// The study after the points told so far, at iteration `t`.
    fn study(&self, t: usize, told: &[(Point, f64)]) -> anyhow::Result<Study> {
        let mut study = Study::create("memory:", self.definition(t)?)?;
        for (point, value) in told {
            study.add(point, &Outcome::of(*value)?)?;
        }
        Ok(study)
    }

    /// The suggestion of iteration `t` and its value; `None` where the method is stuck.
    fn step(&self, t: usize, told: &mut Vec<(Point, f64)>) -> anyhow::Result<Option<Row>> {
        let trial = match self.study(t, told)?.ask(1) {
            Ok(mut trials) => trials.remove(0),
            Err(Error::NoNewPoint | Error::BadStrategy { .. }) if self.contender.local().is_some() => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let value = self.value(&trial)?;
        let suggestion = &trial.suggestion;
        let own = suggestion.method.as_deref() == Some(self.contender.name());
        let status = match (&suggestion.certificate, own) {
            (Some(certificate), _) => certificate.status.name(),
            (None, true) => "local",
            (None, false) => suggestion.method.as_deref().unwrap_or("design"),
        };
        told.push((trial.point.clone(), value));
        Ok(Some(Row {
            value: Some(value),
            seconds: suggestion.seconds,
            nodes: suggestion.certificate.as_ref().map(|certificate| certificate.nodes),
            gap: suggestion.certificate.as_ref().and_then(|certificate| certificate.gap),
            status: status.into(),
            ..self.row(t)
        }))
    }
}

impl Job for Loop<'_> {
    type Row = Row;

    fn name(&self) -> String {
        format!("{} {} {} {}", self.setting.name(), self.setting.kernel, self.contender.name(), self.seed)
    }

    fn rows(&self) -> anyhow::Result<Vec<Row>> {
        let definition = self.definition(1)?;
        let mut told = Vec::new();
        for _ in 0..definition.strategy.design_size(&definition.space) {
            self.step(1, &mut told)?.context("a design needs no method")?;
        }
        let best = told.iter().map(|(_, value)| *value).fold(f64::INFINITY, f64::min);
        let mut rows = vec![Row { value: Some(best), status: "design".into(), ..self.row(0) }];
        for t in 1..=self.setting.iterations {
            rows.push(self.step(t, &mut told)?.unwrap_or_else(|| self.row(t)));
        }
        Ok(rows)
    }

    fn of(row: &Row) -> (String, bool) {
        (format!("{} {} {} {}", row.problem, row.kernel, row.method, row.seed), row.t == row.iterations)
    }
}
