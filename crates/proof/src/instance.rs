//! Problem files: JSON with the model, its data, and the region. `docs/reference/problem.md` lists the fields.
//!
//! A problem file may abbreviate: one kernel for all inputs or for each group, categories, entries of a row that add up,
//! fractional ends of whole sides. [`Instance::statement`] (`abbreviation`) writes them out.

use crate::criterion::{CriterionFields, CriterionName};
use crate::kernel::{KernelFields, KernelName, KnotArgument};
use crate::row::StatedRow;
use crate::statement::{StatedNegative, StatedTerm, Statement};
use serde::{Deserialize, Serialize};

/// One problem, as it is written: minimise `acquisition` over `bounds`, as far as its constraints allow.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// What the problem is called.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Which family of problems it belongs to; passed over.
    #[serde(default, skip_serializing)]
    pub family: Option<String>,
    /// What it was drawn with; passed over.
    #[serde(default, skip_serializing)]
    pub seed: Option<u64>,
    /// Number of inputs, if it is stated beside the data.
    #[serde(default, skip_serializing)]
    pub d: Option<usize>,
    /// Number of observations, if it is stated beside the data.
    #[serde(default, skip_serializing)]
    pub n: Option<usize>,
    /// The kernels whose sum is the covariance. The fields up to `sigma_f2` abbreviate them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<InstanceTerm>,
    /// The kernel of all inputs, or of each group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<KernelName>,
    /// α of the rational quadratic kernel; 1 if it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// The offset of the dot-product kernels; 1 if it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<f64>,
    /// The degree of the polynomial kernel; 2 if it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degree: Option<u32>,
    /// Groups of inputs, each with a kernel of its own, whose sum is the covariance; one group if none are given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Vec<usize>>,
    /// σ_f² of each group; equal shares of `sigma_f2` if they are not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_sigma_f2: Option<Vec<f64>>,
    /// σ_f².
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sigma_f2: Option<f64>,
    /// One lengthscale per input.
    pub lengthscales: Vec<f64>,
    /// σ_ε².
    pub noise: f64,
    /// What was added to the diagonal beside the noise.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub jitter: f64,
    /// The constant prior mean.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub mean: f64,
    /// Observed inputs, one row each.
    pub x: Vec<Vec<f64>>,
    /// Observed outputs.
    pub y: Vec<f64>,
    /// What is minimised; the LCB if it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acquisition: Option<CriterionName>,
    /// κ = β^½ of the confidence bounds; 0 is the posterior mean alone. Older files call it `beta_sqrt`.
    #[serde(default, alias = "beta_sqrt", skip_serializing_if = "Option::is_none")]
    pub kappa: Option<f64>,
    /// What improvements are over; the smallest of `y` if it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<f64>,
    /// ρ of the generalised LCB; 1 if it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rho: Option<f64>,
    /// c, its degree of imprecision; 1 if it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imprecision: Option<f64>,
    /// The sides of the box.
    pub bounds: Vec<(f64, f64)>,
    /// Inputs that are whole numbers, counted from 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub integers: Vec<usize>,
    /// Inputs that have one of the numbers of a list, with the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<(usize, Vec<f64>)>,
    /// Groups of inputs of which exactly one is 1 and the others are 0: categories, one-hot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub one_of: Vec<Vec<usize>>,
    /// Further constraints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<StatedRow>,
    /// What becomes of points with a negative variance; only with piecewise-linear kernels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub negative_variance: Option<StatedNegative>,
}

/// One kernel of a sum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceTerm {
    /// Which kernel.
    pub kernel: KernelName,
    /// Its inputs.
    pub inputs: Vec<usize>,
    /// σ_f².
    pub sigma_f2: f64,
    /// As in [`Instance`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// As in [`Instance`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<f64>,
    /// As in [`Instance`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degree: Option<u32>,
    /// What the piecewise-linear kernel is a function of; the distance if it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument: Option<KnotArgument>,
    /// Arguments and values of the piecewise-linear kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knots: Option<Vec<(f64, f64)>>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

impl Instance {
    /// Number of inputs.
    pub fn dim(&self) -> usize {
        self.bounds.len()
    }

    /// Number of observations.
    pub fn count(&self) -> usize {
        self.y.len()
    }
}

impl From<Statement> for Instance {
    fn from(statement: Statement) -> Self {
        let mut instance = Self {
            name: statement.name,
            terms: statement.terms.into_iter().map(InstanceTerm::from).collect(),
            lengthscales: statement.lengthscales,
            noise: statement.noise,
            jitter: statement.jitter,
            mean: statement.mean,
            x: statement.x,
            y: statement.y,
            bounds: statement.bounds,
            integers: statement.integers,
            values: statement.values,
            constraints: statement.rows,
            negative_variance: statement.negative_variance,
            ..Self::default()
        };
        let CriterionFields { kappa, best, rho, imprecision } = statement.acquisition.fields();
        instance.acquisition = Some(statement.acquisition.name());
        (instance.kappa, instance.best) = (kappa, best);
        (instance.rho, instance.imprecision) = (rho, imprecision);
        instance
    }
}

impl From<StatedTerm> for InstanceTerm {
    fn from(StatedTerm { kernel, inputs, variance }: StatedTerm) -> Self {
        let (kernel, KernelFields { alpha, offset, degree, knots }) = kernel.into_fields();
        let (argument, knots) = knots.unzip();
        let argument = argument.filter(|argument| *argument != KnotArgument::default());
        Self { kernel, inputs, sigma_f2: variance, alpha, offset, degree, argument, knots }
    }
}
