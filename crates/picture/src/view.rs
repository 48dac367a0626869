//! What pictures are drawn from: a study as it was read once, and its model, fitted when a picture first needs it.

use crate::error::{Error, Result};
use crate::number::short;
use fathom_study::{Definition, Evaluation, Goal, Parameter, Point, Study, Surrogate, Trial, Value};
use std::cell::OnceCell;

/// A study as pictures see it.
#[derive(Debug)]
pub struct View {
    pub definition: Definition,
    pub trials: Vec<Trial>,
    model: OnceCell<Surrogate>,
}

impl View {
    pub fn of(study: &mut Study) -> Result<Self> {
        Ok(Self { definition: study.definition().clone(), trials: study.trials()?, model: OnceCell::new() })
    }

    pub fn goal(&self) -> Goal {
        self.definition.goal
    }

    /// The best trial.
    pub fn best(&self) -> Result<&Trial> {
        let best = self.goal().best(&self.trials);
        best.ok_or(Error::NothingYet { reason: "no trial has a value" })
    }

    /// The best value.
    pub fn best_value(&self) -> Result<f64> {
        Ok(self.best()?.objective().unwrap_or(f64::NAN))
    }

    /// All values that were told.
    pub fn values(&self) -> Vec<f64> {
        self.trials.iter().filter_map(Trial::objective).collect()
    }

    /// The model after the finished trials.
    pub fn model(&self) -> Result<&Surrogate> {
        self.best()?;
        if self.values().len() < 2 {
            return Err(Error::NothingYet { reason: "a model needs two values" });
        }
        if let Some(model) = self.model.get() {
            return Ok(model);
        }
        let model = Surrogate::new(&self.definition, &self.trials)?;
        Ok(self.model.get_or_init(|| model))
    }

    /// The true minimum, if the study is about a built-in function.
    pub fn truth(&self) -> Option<f64> {
        match (&self.definition.evaluation, self.goal()) {
            (Some(Evaluation::Function(function)), Goal::Minimise) => Some(function.minimum()),
            (Some(Evaluation::Function(_) | Evaluation::Command { .. }) | None, _) => None,
        }
    }

    /// The parameters that are not fixed.
    pub fn free(&self) -> Vec<&Parameter> {
        self.definition.space.parameters().iter().filter(|parameter| parameter.sides() > 0).collect()
    }

    /// The free parameters with these names.
    pub fn named(&self, names: &[String]) -> Result<Vec<&Parameter>> {
        let free = self.free();
        let find = |name: &String| free.iter().copied().find(|parameter| parameter.name == *name);
        let missing = |name: &String| {
            let names = free.iter().map(|parameter| parameter.name.clone()).collect();
            Error::NoParameter { name: crate::sheet::shown(name), names }
        };
        names.iter().map(|name| find(name).ok_or_else(|| missing(name))).collect()
    }

    /// Where a slice along some parameters is cut: the values of the others in the best trial; empty if there are no others.
    pub fn held(&self, along: &[&Parameter]) -> Result<String> {
        let best = self.best()?;
        let others = self.free().into_iter().filter(|parameter| along.iter().all(|other| other.name != parameter.name));
        let held: Vec<String> =
            others.map(|parameter| format!("{} = {}", parameter.name, text_of(&best.point[&parameter.name]))).collect();
        Ok(if held.is_empty() { String::new() } else { format!("at {}, as in the best trial", held.join(", ")) })
    }

    /// The best point with other values for some parameters.
    pub fn moved(&self, to: &[(&Parameter, &Value)]) -> Result<Point> {
        let mut point = self.best()?.point.clone();
        for (parameter, value) in to {
            point.insert(parameter.name.clone(), (*value).clone());
        }
        Ok(point)
    }

    /// Whether the constraints allow a point.
    pub fn is_allowed(&self, point: &Point) -> bool {
        self.definition.space.constraints().is_empty() || self.definition.space.check(point).is_ok()
    }

    /// The word for the better direction.
    pub fn better(&self) -> &'static str {
        match self.goal() {
            Goal::Minimise => "lower is better",
            Goal::Maximise => "higher is better",
        }
    }
}

/// A value in a label.
pub fn text_of(value: &Value) -> String {
    match value {
        Value::Float(number) => short(*number, 4),
        Value::Integer(_) | Value::Boolean(_) | Value::Text(_) => value.to_string(),
    }
}
