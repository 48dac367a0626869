//! Acquisition functions as Python names them.

use crate::error::{InputError, OrRaise as _};
use fathom_gp::{Criterion, Posterior};
use fathom_proof::{CriterionFields, CriterionName};
use pyo3::prelude::*;

/// An acquisition function as Python names it.
pub struct Function {
    pub acquisition: String,
    pub beta: f64,
    pub best: Option<f64>,
    pub rho: f64,
    pub imprecision: f64,
}

impl Function {
    /// The criterion that is minimised, under the model after its data.
    pub fn criterion(&self, posterior: &Posterior) -> PyResult<Criterion> {
        if !(self.beta >= 0.0 && self.beta.is_finite()) {
            return Err(InputError::new_err(format!("beta is {}: it must be finite and not negative", self.beta)));
        }
        let kappa = self.beta.sqrt();
        let best = self.best.unwrap_or_else(|| posterior.y().iter().copied().fold(f64::INFINITY, f64::min));
        let fields = CriterionFields {
            kappa: Some(kappa),
            best: Some(best),
            rho: Some(self.rho),
            imprecision: Some(self.imprecision),
        };
        let name: CriterionName = self.acquisition.parse().or_raise()?;
        Criterion::named(name, fields).map_err(fathom_global::Error::from).or_raise()
    }
}
