//! One loop, each step beside what a twin with the certified optimiser would have done.

use super::{Plan, Row};
use crate::contender::Contender;
use crate::jobs::Job;
use anyhow::Context as _;
use fathom_study::{Definition, Error, Function, Outcome, State, Study, Suggestion, Trial};

/// A loop to play.
pub(super) struct Loop<'p> {
    pub plan: &'p Plan,
    pub function: Function,
    pub beta: f64,
    pub contender: Contender,
    pub seed: u64,
}

impl Loop<'_> {
    fn definition(&self, contender: Contender) -> anyhow::Result<Definition> {
        let Self { plan, function, beta, seed, .. } = self;
        let text = format!(
            "{}\n[strategy]\nard = false\nscaling = 'unit'\nbeta = {beta:?}\noptimiser = '{}'\ngap = {:?}\nnode_limit = {}\n\
             time_limit = '1day'\nseed = {seed}\n",
            function.study_file(),
            contender.name(),
            plan.gap,
            plan.node_limit,
        );
        Ok(Definition::parse(&text)?)
    }

    fn row(&self, t: usize) -> Row {
        Row {
            function: self.function.name().into(),
            beta: self.beta,
            method: self.contender.name().into(),
            seed: self.seed,
            t,
            iterations: self.plan.iterations,
            value: None,
            at_least: None,
            at_most: None,
            status: "stuck".into(),
        }
    }

    fn value(&self, trial: &Trial) -> anyhow::Result<f64> {
        let names = self.function.parameters();
        let x: Option<Vec<f64>> = names.iter().map(|name| trial.number(name)).collect();
        Ok(self.function.value(&x.context("every parameter is a number")?))
    }

    /// What the certified optimiser suggests after the finished ones of `trials`.
    fn twin(&self, trials: &[Trial]) -> anyhow::Result<Suggestion> {
        let mut twin = Study::create("memory:", self.definition(Contender::Certified)?)?;
        for trial in trials.iter().filter(|trial| trial.state == State::Complete) {
            let value = trial.objective().context("it is complete")?;
            twin.add(&trial.point, &Outcome::of(value)?)?;
        }
        Ok(twin.ask(1)?.remove(0).suggestion)
    }

    /// A step; `None` where the method is stuck.
    fn step(&self, t: usize, study: &mut Study) -> anyhow::Result<Option<Row>> {
        let trial = match study.ask(1) {
            Ok(mut trials) => trials.remove(0),
            Err(Error::NoNewPoint | Error::BadStrategy { .. }) if self.contender.local().is_some() => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let is_certified = self.contender == Contender::Certified;
        let certified = if is_certified { trial.suggestion.clone() } else { self.twin(&study.trials()?)? };
        let value = self.value(&trial)?;
        study.tell(trial.id, value)?;
        let (own, best) = (trial.suggestion.acquisition, certified.acquisition);
        let certificate = certified.certificate.context("the twin proves what it says")?;
        let above = |level: Option<f64>| own.zip(level).map(|(own, level)| own - level);
        let (at_least, at_most) = (above(best), above(certificate.lower_bound));
        Ok(Some(Row { value: Some(value), at_least, at_most, status: certificate.status.name().into(), ..self.row(t) }))
    }
}

impl Job for Loop<'_> {
    type Row = Row;

    fn name(&self) -> String {
        format!("{} {:?} {} {}", self.function.name(), self.beta, self.contender.name(), self.seed)
    }

    fn rows(&self) -> anyhow::Result<Vec<Row>> {
        let definition = self.definition(self.contender)?;
        let design = definition.strategy.design_size(&definition.space);
        let mut study = Study::create("memory:", definition)?;
        let mut best = f64::INFINITY;
        for trial in (0..design).map(|_| study.ask(1)).collect::<Result<Vec<_>, _>>()?.into_iter().flatten() {
            let value = self.value(&trial)?;
            study.tell(trial.id, value)?;
            best = best.min(value);
        }
        let mut rows = vec![Row { value: Some(best), status: "design".into(), ..self.row(0) }];
        for t in 1..=self.plan.iterations {
            let is_stuck = rows[t - 1].status == "stuck";
            let row = if is_stuck { None } else { self.step(t, &mut study)? };
            rows.push(row.unwrap_or_else(|| self.row(t)));
        }
        Ok(rows)
    }

    fn of(row: &Row) -> (String, bool) {
        (format!("{} {:?} {} {}", row.function, row.beta, row.method, row.seed), row.t == row.iterations)
    }
}
