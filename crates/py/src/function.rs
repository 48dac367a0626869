//! Acquisition functions as Python names them.

use crate::error::InputError;
use fathom_gp::{Criterion, Posterior};
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
    /// What is minimised, under the model after its data.
    pub fn criterion(&self, posterior: &Posterior) -> PyResult<Criterion> {
        if !(self.beta >= 0.0 && self.beta.is_finite()) {
            return Err(InputError::new_err(format!("beta is {}: it must be finite and not negative", self.beta)));
        }
        let kappa = self.beta.sqrt();
        let best = self.best.unwrap_or_else(|| posterior.y().iter().copied().fold(f64::INFINITY, f64::min));
        Ok(match self.acquisition.as_str() {
            "lcb" => Criterion::Lcb { kappa },
            "mean" => Criterion::Mean,
            "deviation" => Criterion::Deviation,
            "glcb" => Criterion::Glcb { kappa, rho: self.rho, imprecision: self.imprecision },
            "ei" => Criterion::Ei { best },
            "log_ei" | "log-ei" => Criterion::LogEi { best },
            "pi" => Criterion::Pi { best },
            name => {
                let known = "lcb, mean, deviation, glcb, ei, log_ei or pi";
                return Err(InputError::new_err(format!("there is no acquisition function `{name}`: use {known}")));
            }
        })
    }
}
