//! Acquisition problems as files: JSON with the model, its data, and the box.

use crate::error::{Error, Result};
use crate::problem::Problem;
use crate::proof::StatedRow;
use crate::region::Region;
use crate::row::Row;
use fathom_gp::{Covariance, Criterion, Dataset, Kernel, Model, Posterior, Replicates, Term};
use serde::Deserialize;

/// One problem: minimise `acquisition` over `bounds`, as far as its constraints allow.
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
    /// The offset of the dot-product kernels; 1 where it is not given.
    #[serde(default)]
    pub offset: Option<f64>,
    /// The degree of the polynomial kernel; 2 where it is not given.
    #[serde(default)]
    pub degree: Option<u32>,
    /// Groups of inputs, each with a kernel of its own, whose sum is the covariance; one group where none are given.
    #[serde(default)]
    pub groups: Vec<Vec<usize>>,
    /// σ_f² of each group; equal shares of `sigma_f2` where they are not given.
    #[serde(default)]
    pub group_sigma_f2: Option<Vec<f64>>,
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
    /// The constant prior mean.
    #[serde(default)]
    pub mean: f64,
    /// What is minimised; the LCB with `beta_sqrt` where it is not given.
    #[serde(default)]
    pub acquisition: Option<AcquisitionName>,
    /// What improvements are over; the smallest of `y` where it is not given.
    #[serde(default)]
    pub best: Option<f64>,
    /// ρ of the generalised LCB; 1 where it is not given.
    #[serde(default)]
    pub rho: Option<f64>,
    /// c, its degree of imprecision; 1 where it is not given.
    #[serde(default)]
    pub imprecision: Option<f64>,
    /// Inputs that are whole numbers, counted from 0.
    #[serde(default)]
    pub integers: Vec<usize>,
    /// Groups of inputs of which exactly one is 1 and the others are 0: categories, one-hot.
    #[serde(default)]
    pub one_of: Vec<Vec<usize>>,
    /// Further constraints.
    #[serde(default)]
    pub constraints: Vec<StatedRow>,
}

/// The acquisition functions of problem files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AcquisitionName {
    /// μ − `beta_sqrt` σ.
    Lcb,
    /// μ.
    Mean,
    /// −σ.
    Deviation,
    /// μ − `beta_sqrt` σ − `rho` times the width of the mean under a prior mean of degree of imprecision `imprecision`.
    Glcb,
    /// The negative expected improvement over `best`.
    Ei,
    /// The negative logarithm of the expected improvement.
    LogEi,
    /// The negative probability of improvement.
    Pi,
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
    /// Σ x_j x'_j / l_j² + `offset`.
    Linear,
    /// The same to the power `degree`.
    Polynomial,
}

impl Instance {
    /// Names the first field that is out of its domain or disagrees with another.
    pub fn validate(&self) -> Result<()> {
        let size = |field, found: usize, expected: usize, of: &str| match found == expected {
            true => Ok(()),
            false => bad(field, format!("it has {found} entries where `{of}` says {expected}")),
        };
        let positive = |field, value: f64| match value.is_finite() && value > 0.0 {
            true => Ok(()),
            false => bad(field, format!("{value} is not a positive number")),
        };
        let finite = |field, values: &[f64]| match values.iter().position(|v| !v.is_finite()) {
            None => Ok(()),
            Some(index) => bad(field, format!("entry {index} is {}", values[index])),
        };
        if self.n == 0 {
            return bad("n", "at least one observation is needed".into());
        }
        if self.d == 0 {
            return bad("d", "at least one input is needed".into());
        }
        size("x", self.x.len(), self.n, "n")?;
        size("y", self.y.len(), self.n, "n")?;
        size("lengthscales", self.lengthscales.len(), self.d, "d")?;
        size("bounds", self.bounds.len(), self.d, "d")?;
        for row in &self.x {
            size("x", row.len(), self.d, "d")?;
            finite("x", row)?;
        }
        finite("y", &self.y)?;
        positive("sigma_f2", self.sigma_f2)?;
        positive("noise", self.noise)?;
        for l in &self.lengthscales {
            positive("lengthscales", *l)?;
        }
        if let Some(alpha) = self.alpha {
            positive("alpha", alpha)?;
        }
        if let Some(shares) = &self.group_sigma_f2 {
            size("group_sigma_f2", shares.len(), self.groups.len(), "groups")?;
            shares.iter().try_for_each(|share| positive("group_sigma_f2", *share))?;
        }
        if !(self.beta_sqrt.is_finite() && self.beta_sqrt >= 0.0) {
            return bad("beta_sqrt", format!("{} is not a number of at least 0", self.beta_sqrt));
        }
        finite("mean", &[self.mean])?;
        finite("best", &[self.best.unwrap_or(0.0)])?;
        for (field, value) in [("rho", self.rho), ("imprecision", self.imprecision)] {
            if let Some(value) = value.filter(|value| !(value.is_finite() && *value >= 0.0)) {
                return bad(field, format!("{value} is not a number of at least 0"));
            }
        }
        match self.bounds.iter().position(|(low, high)| !(low <= high && (high - low).is_finite())) {
            None => self.region().map(|_| ()),
            Some(side) => {
                bad("bounds", format!("entry {side} is {:?}: its ends must be finite and in order", self.bounds[side]))
            }
        }
    }

    /// The model conditioned on the data.
    pub fn posterior(&self) -> Result<Posterior> {
        self.validate()?;
        let kernel = match self.kernel {
            KernelName::Matern12 => Kernel::Matern12,
            KernelName::Matern32 => Kernel::Matern32,
            KernelName::Matern52 => Kernel::Matern52,
            KernelName::Rbf => Kernel::Rbf,
            KernelName::Rq => Kernel::RationalQuadratic { alpha: self.alpha.unwrap_or(1.0) },
            KernelName::Linear => Kernel::Linear { offset: self.offset.unwrap_or(1.0) },
            KernelName::Polynomial => {
                Kernel::Polynomial { degree: self.degree.unwrap_or(2), offset: self.offset.unwrap_or(1.0) }
            }
        };
        let covariance = match self.groups.is_empty() {
            true => Covariance::ard(kernel, self.sigma_f2, &self.lengthscales)?,
            false => self.additive(kernel).or_else(|error| bad("groups", error.to_string()))?,
        };
        let data = Dataset::with_replicates(&self.x, &self.y, Replicates::Keep)?;
        Ok(Model::new(covariance, self.noise)?.with_mean(self.mean)?.condition(&data)?)
    }

    fn additive(&self, kernel: Kernel) -> fathom_gp::Result<Covariance> {
        let equal = vec![self.sigma_f2 / self.groups.len() as f64; self.groups.len()];
        let shares = self.group_sigma_f2.as_ref().unwrap_or(&equal);
        let term = |(group, share): (&Vec<usize>, &f64)| {
            // An input that is none is named by the covariance.
            let own = |input: &usize| self.lengthscales.get(*input).copied().unwrap_or(1.0);
            let lengthscales: Vec<f64> = group.iter().map(own).collect();
            Term::new(kernel, group.clone(), *share, &lengthscales).map(Term::with_ard)
        };
        Covariance::new(self.d, self.groups.iter().zip(shares).map(term).collect::<fathom_gp::Result<_>>()?)
    }

    /// The problem under a posterior made by [`posterior`](Self::posterior).
    pub fn problem<'p>(&self, posterior: &'p Posterior) -> Result<Problem<'p>> {
        Problem::new(posterior, self.criterion(), self.region()?)
    }

    /// What is minimised.
    pub fn criterion(&self) -> Criterion {
        let best = self.best.unwrap_or_else(|| self.y.iter().copied().fold(f64::INFINITY, f64::min));
        let (rho, imprecision) = (self.rho.unwrap_or(1.0), self.imprecision.unwrap_or(1.0));
        match self.acquisition.unwrap_or(AcquisitionName::Lcb) {
            AcquisitionName::Lcb => Criterion::Lcb { kappa: self.beta_sqrt },
            AcquisitionName::Mean => Criterion::Mean,
            AcquisitionName::Deviation => Criterion::Deviation,
            AcquisitionName::Glcb => Criterion::Glcb { kappa: self.beta_sqrt, rho, imprecision },
            AcquisitionName::Ei => Criterion::Ei { best },
            AcquisitionName::LogEi => Criterion::LogEi { best },
            AcquisitionName::Pi => Criterion::Pi { best },
        }
    }

    /// Where it is minimised.
    pub fn region(&self) -> Result<Region> {
        let mut region = Region::new(&self.bounds)?;
        for group in &self.one_of {
            region = region.with_one_of(group).or_else(|error| bad("one_of", error.to_string()))?;
        }
        region = region.with_integers(&self.integers).or_else(|error| bad("integers", error.to_string()))?;
        for (index, row) in self.constraints.iter().enumerate() {
            let added = Row::try_from(row).and_then(|row| region.clone().with_row(row));
            region = added.or_else(|error| bad("constraints", format!("entry {index}: {error}")))?;
        }
        Ok(region)
    }
}

fn bad<T>(field: &'static str, reason: String) -> Result<T> {
    Err(Error::BadField { field, reason })
}
