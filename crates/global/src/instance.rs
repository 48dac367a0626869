//! Acquisition problems as files: JSON with the model, its data, and the box.

use crate::error::Result;
use crate::problem::Problem;
use crate::region::Region;
use fathom_gp::{Covariance, Criterion, Dataset, Kernel, Model, Posterior, Replicates};
use serde::Deserialize;

/// One problem: minimise μ(x) − `beta_sqrt` σ(x) over `bounds`.
#[derive(Debug, Clone, Deserialize)]
pub struct Instance {
    /// What the problem is called.
    pub name: String,
    /// Number of inputs.
    pub d: usize,
    /// Number of observations.
    pub n: usize,
    /// Which kernel.
    pub kernel: KernelName,
    /// α of the rational quadratic kernel; 1 where it is not given.
    #[serde(default)]
    pub alpha: Option<f64>,
    /// σ_f².
    pub sigma_f2: f64,
    /// One lengthscale per input.
    pub lengthscales: Vec<f64>,
    /// σ_ε².
    pub noise: f64,
    /// Observed inputs, one row each.
    pub x: Vec<Vec<f64>>,
    /// Observed outputs.
    pub y: Vec<f64>,
    /// κ = β^½; 0 is the posterior mean alone.
    pub beta_sqrt: f64,
    /// The sides of the box.
    pub bounds: Vec<(f64, f64)>,
}

/// The kernels of problem files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KernelName {
    /// Matérn 1/2.
    Matern12,
    /// Matérn 3/2.
    Matern32,
    /// Matérn 5/2.
    Matern52,
    /// Squared exponential.
    Rbf,
    /// Rational quadratic.
    Rq,
}

impl Instance {
    /// The model conditioned on the data.
    pub fn posterior(&self) -> Result<Posterior> {
        let kernel = match self.kernel {
            KernelName::Matern12 => Kernel::Matern12,
            KernelName::Matern32 => Kernel::Matern32,
            KernelName::Matern52 => Kernel::Matern52,
            KernelName::Rbf => Kernel::Rbf,
            KernelName::Rq => Kernel::RationalQuadratic { alpha: self.alpha.unwrap_or(1.0) },
        };
        let covariance = Covariance::ard(kernel, self.sigma_f2, &self.lengthscales)?;
        let data = Dataset::with_replicates(&self.x, &self.y, Replicates::Keep)?;
        Ok(Model::new(covariance, self.noise)?.condition(&data)?)
    }

    /// The problem under a posterior made by [`posterior`](Self::posterior).
    pub fn problem<'p>(&self, posterior: &'p Posterior) -> Result<Problem<'p>> {
        Problem::new(posterior, Criterion::Lcb { kappa: self.beta_sqrt }, Region::new(&self.bounds)?)
    }
}
