//! Problem files: JSON with the model, its data, and the region. `docs/instances.md` lists the fields.
//!
//! A problem file may abbreviate: one kernel for all inputs or for each group, categories, entries of a row that add up,
//! fractional ends of whole sides. [`Instance::statement`] writes the abbreviations out.

use crate::exact_sum::exact_sum;
use crate::fault::{Fault, fault};
use crate::statement::{StatedAcquisition, StatedKernel, StatedNegative, StatedRow, StatedTerm, Statement};
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
    pub acquisition: Option<AcquisitionName>,
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
    /// Distances and values of the piecewise-linear kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knots: Option<Vec<(f64, f64)>>,
}

/// The acquisition functions of problem files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AcquisitionName {
    /// μ − `kappa` σ.
    Lcb,
    /// μ.
    Mean,
    /// −σ.
    Deviation,
    /// μ − `kappa` σ − `rho` times the width of the mean under a prior mean of degree of imprecision `imprecision`.
    Glcb,
    /// The negative expected improvement over `best`.
    Ei,
    /// The negative logarithm of the expected improvement.
    LogEi,
    /// The negative probability of improvement.
    Pi,
}

/// The kernels of problem files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
    /// Piecewise linear in the distance, by its `knots`; only in `terms`.
    PiecewiseLinear,
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

    /// The problem in its canonical form, checked.
    pub fn statement(&self) -> Result<Statement, Fault> {
        for (field, stated, found) in [("d", self.d, self.bounds.len()), ("n", self.n, self.y.len())] {
            if let Some(stated) = stated.filter(|stated| *stated != found) {
                let of = if field == "d" { "bounds" } else { "y" };
                return fault(field, format!("it is {stated}, but `{of}` has {found} entries"));
            }
        }
        let mut statement = Statement {
            name: self.name.clone(),
            terms: self.stated_terms()?,
            lengthscales: self.lengthscales.clone(),
            noise: self.noise,
            jitter: self.jitter,
            mean: self.mean,
            acquisition: self.stated_acquisition()?,
            x: self.x.clone(),
            y: self.y.clone(),
            bounds: self.bounds.clone(),
            integers: Vec::new(),
            rows: Vec::new(),
            negative_variance: self.negative_variance,
        };
        for group in &self.one_of {
            statement.add_one_of(group)?;
        }
        statement.add_integers(&self.integers)?;
        statement.rows.extend(self.constraints.iter().map(StatedRow::merged));
        statement.check().map_err(|fault| self.abbreviated(fault))?;
        Ok(statement)
    }

    /// The fault by the field that was written.
    fn abbreviated(&self, fault: Fault) -> Fault {
        let field = match fault.field {
            "terms" if !self.groups.is_empty() => "groups",
            "sigma_f2" if self.group_sigma_f2.is_some() => "group_sigma_f2",
            "kernel" if self.terms.is_empty() && self.alpha.is_some() => "alpha",
            field => field,
        };
        Fault { field, ..fault }
    }

    fn stated_terms(&self) -> Result<Vec<StatedTerm>, Fault> {
        let Self { kernel, alpha, offset, degree, groups, group_sigma_f2, sigma_f2, .. } = self;
        if !self.terms.is_empty() {
            let abbreviations = [
                ("kernel", kernel.is_some()),
                ("alpha", alpha.is_some()),
                ("offset", offset.is_some()),
                ("degree", degree.is_some()),
                ("groups", !groups.is_empty()),
                ("group_sigma_f2", group_sigma_f2.is_some()),
                ("sigma_f2", sigma_f2.is_some()),
            ];
            if let Some((field, _)) = abbreviations.into_iter().find(|(_, is_there)| *is_there) {
                return fault(field, "`terms` says it already: keep one of them");
            }
            return self.terms.iter().map(InstanceTerm::stated).collect();
        }
        let Some(kernel) = *kernel else { return fault("kernel", "it is missing: name one, or list `terms`") };
        let all = [(0..self.bounds.len()).collect()];
        let groups = if groups.is_empty() { &all[..] } else { &groups[..] };
        if group_sigma_f2.as_ref().is_some_and(|shares| shares.len() != self.groups.len()) {
            return fault("group_sigma_f2", "it needs one entry for each of `groups`");
        }
        let Some(sigma_f2) = *sigma_f2 else { return fault("sigma_f2", "it is missing") };
        let share = |at: usize| group_sigma_f2.as_ref().map_or(sigma_f2 / groups.len() as f64, |shares| shares[at]);
        let term = |(at, inputs): (usize, &Vec<usize>)| {
            let (alpha, offset, degree) = (*alpha, *offset, *degree);
            let inputs = inputs.clone();
            InstanceTerm { kernel, inputs, sigma_f2: share(at), alpha, offset, degree, knots: None }.stated()
        };
        groups.iter().enumerate().map(term).collect()
    }

    fn stated_acquisition(&self) -> Result<StatedAcquisition, Fault> {
        let name = self.acquisition.unwrap_or(AcquisitionName::Lcb);
        let kappa = || match self.kappa {
            Some(kappa) => Ok(kappa),
            None => fault("kappa", "it is missing: the confidence bounds need it"),
        };
        let best = || self.best.unwrap_or_else(|| self.y.iter().copied().reduce(least).unwrap_or(f64::NAN));
        Ok(match name {
            AcquisitionName::Lcb => StatedAcquisition::Lcb { kappa: kappa()? },
            AcquisitionName::Mean => StatedAcquisition::Mean,
            AcquisitionName::Deviation => StatedAcquisition::Deviation,
            AcquisitionName::Glcb => {
                let (rho, imprecision) = (self.rho.unwrap_or(1.0), self.imprecision.unwrap_or(1.0));
                StatedAcquisition::Glcb { kappa: kappa()?, rho, imprecision }
            }
            AcquisitionName::Ei => StatedAcquisition::Ei { best: best() },
            AcquisitionName::LogEi => StatedAcquisition::LogEi { best: best() },
            AcquisitionName::Pi => StatedAcquisition::Pi { best: best() },
        })
    }
}

/// The smaller one; not a number if one of them is not.
fn least(a: f64, b: f64) -> f64 {
    if a.is_nan() || a < b { a } else { b }
}

impl InstanceTerm {
    fn stated(&self) -> Result<StatedTerm, Fault> {
        let offset = self.offset.unwrap_or(1.0);
        let kernel = match (self.kernel, &self.knots) {
            (KernelName::PiecewiseLinear, Some(knots)) => StatedKernel::PiecewiseLinear { knots: knots.clone() },
            (KernelName::PiecewiseLinear, None) => {
                return fault(
                    "knots",
                    "they are missing: a piecewise-linear kernel belongs to `terms`, with its knots",
                );
            }
            (_, Some(_)) => return fault("knots", "only a piecewise-linear kernel has them"),
            (KernelName::Matern12, None) => StatedKernel::Matern12,
            (KernelName::Matern32, None) => StatedKernel::Matern32,
            (KernelName::Matern52, None) => StatedKernel::Matern52,
            (KernelName::Rbf, None) => StatedKernel::Rbf,
            (KernelName::Rq, None) => StatedKernel::Rq { alpha: self.alpha.unwrap_or(1.0) },
            (KernelName::Linear, None) => StatedKernel::Linear { offset },
            (KernelName::Polynomial, None) => StatedKernel::Polynomial { degree: self.degree.unwrap_or(2), offset },
        };
        Ok(StatedTerm { kernel, inputs: self.inputs.clone(), variance: self.sigma_f2 })
    }
}

impl Statement {
    /// Exactly one of the inputs in `group` is 1 and the others are 0.
    fn add_one_of(&mut self, group: &[usize]) -> Result<(), Fault> {
        if group.is_empty() {
            return fault("one_of", "one input of an empty group must be 1");
        }
        for (place, input) in group.iter().enumerate() {
            let Some((lower, upper)) = self.bounds.get_mut(*input) else {
                return fault("one_of", format!("there is no input {input}"));
            };
            if self.integers.contains(input) || group[..place].contains(input) {
                return fault("one_of", format!("input {input} is in two groups"));
            }
            if !(*lower <= 0.0 && *upper >= 1.0) {
                return fault("one_of", format!("input {input} is between {lower} and {upper}, not between 0 and 1"));
            }
            (*lower, *upper) = (0.0, 1.0);
        }
        let linear = group.iter().map(|input| (*input, 1.0)).collect();
        let row = StatedRow { linear, lower: Some(1.0), upper: Some(1.0), ..StatedRow::default() };
        self.rows.push(row.merged());
        self.add_integers(group)
    }

    /// The ends of whole sides move inwards to the next whole numbers.
    fn add_integers(&mut self, inputs: &[usize]) -> Result<(), Fault> {
        for input in inputs {
            let Some((lower, upper)) = self.bounds.get_mut(*input) else {
                return fault("integers", format!("there is no input {input}"));
            };
            let whole = (lower.ceil(), upper.floor());
            if *lower <= *upper && whole.0 > whole.1 {
                return fault("integers", format!("no whole number lies between {lower} and {upper} (input {input})"));
            }
            (*lower, *upper) = whole;
            if !self.integers.contains(input) {
                self.integers.push(*input);
            }
        }
        self.integers.sort_unstable();
        Ok(())
    }
}

impl StatedRow {
    /// With every monomial once, in order; entries that name the same one add up exactly.
    pub fn merged(&self) -> Self {
        let mut linear = self.linear.clone();
        linear.sort_by_key(|(j, _)| *j);
        let linear =
            linear.chunk_by(|a, b| a.0 == b.0).map(|same| (same[0].0, total(same.iter().map(|entry| entry.1))));
        let mut quadratic: Vec<(usize, usize, f64)> = self.quadratic.clone();
        for (j, k, _) in &mut quadratic {
            (*j, *k) = if *j <= *k { (*j, *k) } else { (*k, *j) };
        }
        quadratic.sort_by_key(|(j, k, _)| (*j, *k));
        let same = |a: &(usize, usize, f64), b: &(usize, usize, f64)| (a.0, a.1) == (b.0, b.1);
        let quadratic =
            quadratic.chunk_by(same).map(|same| (same[0].0, same[0].1, total(same.iter().map(|entry| entry.2))));
        Self {
            linear: linear.filter(|(_, c)| *c != 0.0).collect(),
            quadratic: quadratic.filter(|(_, _, q)| *q != 0.0).collect(),
            lower: self.lower,
            upper: self.upper,
        }
    }
}

/// The exact sum; one entry stands for itself, whatever it is.
fn total(entries: impl Iterator<Item = f64>) -> f64 {
    let entries: Vec<f64> = entries.collect();
    if entries.len() == 1 { entries[0] } else { exact_sum(&entries) }
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
            constraints: statement.rows,
            negative_variance: statement.negative_variance,
            ..Self::default()
        };
        let (name, kappa, best) = match statement.acquisition {
            StatedAcquisition::Lcb { kappa } => (AcquisitionName::Lcb, Some(kappa), None),
            StatedAcquisition::Mean => (AcquisitionName::Mean, None, None),
            StatedAcquisition::Deviation => (AcquisitionName::Deviation, None, None),
            StatedAcquisition::Glcb { kappa, rho, imprecision } => {
                (instance.rho, instance.imprecision) = (Some(rho), Some(imprecision));
                (AcquisitionName::Glcb, Some(kappa), None)
            }
            StatedAcquisition::Ei { best } => (AcquisitionName::Ei, None, Some(best)),
            StatedAcquisition::LogEi { best } => (AcquisitionName::LogEi, None, Some(best)),
            StatedAcquisition::Pi { best } => (AcquisitionName::Pi, None, Some(best)),
        };
        (instance.acquisition, instance.kappa, instance.best) = (Some(name), kappa, best);
        instance
    }
}

impl From<StatedTerm> for InstanceTerm {
    fn from(StatedTerm { kernel, inputs, variance }: StatedTerm) -> Self {
        let plain =
            |kernel| Self { kernel, inputs, sigma_f2: variance, alpha: None, offset: None, degree: None, knots: None };
        match kernel {
            StatedKernel::Matern12 => plain(KernelName::Matern12),
            StatedKernel::Matern32 => plain(KernelName::Matern32),
            StatedKernel::Matern52 => plain(KernelName::Matern52),
            StatedKernel::Rbf => plain(KernelName::Rbf),
            StatedKernel::Rq { alpha } => Self { alpha: Some(alpha), ..plain(KernelName::Rq) },
            StatedKernel::Linear { offset } => Self { offset: Some(offset), ..plain(KernelName::Linear) },
            StatedKernel::Polynomial { degree, offset } => {
                Self { degree: Some(degree), offset: Some(offset), ..plain(KernelName::Polynomial) }
            }
            StatedKernel::PiecewiseLinear { knots } => {
                Self { knots: Some(knots), ..plain(KernelName::PiecewiseLinear) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Statement, String> {
        serde_json::from_str::<Statement>(text).map_err(|error| error.to_string())
    }

    /// A small problem with one more field or another value of one.
    fn with(field: &str, value: &str) -> Result<Statement, String> {
        let text = r#"{"kernel": "rbf", "sigma_f2": 1, "lengthscales": [0.5, 2], "noise": 0.01, "x": [[0, 0], [1, 0.5]],
            "y": [0.3, -0.2], "beta_sqrt": 2, "bounds": [[0, 1.5], [0, 1]]}"#;
        let mut object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).unwrap();
        if field.is_empty() {
            return read(text);
        }
        object.insert(field.into(), serde_json::from_str(value).unwrap());
        read(&serde_json::to_string(&object).unwrap())
    }

    #[test]
    fn an_abbreviated_problem_is_the_one_that_is_written_out() {
        let short = with("", "").unwrap();
        assert_eq!(short.acquisition, StatedAcquisition::Lcb { kappa: 2.0 });
        assert_eq!(short.terms[0].inputs, [0, 1]);
        let long: Statement = serde_json::from_str(&serde_json::to_string(&short).unwrap()).unwrap();
        assert_eq!(short, long);
        let groups = with("groups", "[[1], [0]]").unwrap();
        assert_eq!((groups.terms.len(), groups.terms[0].variance), (2, 0.5));
        let whole = with("integers", "[0]").unwrap();
        assert_eq!((whole.bounds[0], &whole.integers[..]), ((0.0, 1.0), &[0][..]));
        let category = with("one_of", "[[0, 1]]").unwrap();
        assert_eq!((category.rows[0].linear.len(), category.integers.len()), (2, 2));
        let row = with("constraints", r#"[{"quadratic": [[0, 0, 1e16], [0, 0, 1], [0, 0, -1e16]], "lower": 0.5}]"#);
        assert_eq!(row.unwrap().rows[0].quadratic, [(0, 0, 1.0)]);
    }

    #[test]
    fn a_typing_error_is_not_certified_away() {
        let error = with("contraints", "[]").unwrap_err();
        assert!(error.contains("unknown field `contraints`") && error.contains("line 1"), "{error}");
        let error = with("constraints", r#"[{"liner": [[0, 1]], "upper": 1}]"#).unwrap_err();
        assert!(error.contains("unknown field `liner`"), "{error}");
    }

    #[test]
    fn what_cannot_be_a_problem_is_refused_by_name() {
        for (field, value, culprit) in [
            ("d", "3", "`d`"),
            ("n", "1", "`n`"),
            ("noise", "0", "`noise`"),
            ("noise", "1e-101", "`noise`"),
            ("lengthscales", "[1, 1e101]", "`lengthscales`"),
            ("lengthscales", "[1]", "`lengthscales`"),
            ("x", "[[0, 0], [1]]", "`x`"),
            ("y", "[1e300, 0]", "`y`"),
            ("y", "[]", "`y`"),
            ("bounds", "[[1, 0], [0, 1]]", "`bounds`"),
            ("bounds", "[]", "`bounds`"),
            ("integers", "[2]", "`integers`"),
            ("one_of", "[[0, 0]]", "`one_of`"),
            ("groups", "[[0]]", "`groups`"),
            ("groups", "[[0, 1], [1]]", "`groups`"),
            ("alpha", "0", ""),
            ("terms", r#"[{"kernel": "rq", "alpha": 0, "inputs": [0, 1], "sigma_f2": 1}]"#, "`kernel`"),
            ("kernel", r#""piecewise_linear""#, "`knots`"),
            ("constraints", r#"[{"linear": [[2, 1]], "upper": 1}]"#, "`constraints`"),
            ("constraints", r#"[{"linear": [[0, 1]], "upper": 1, "lower": 2}]"#, "`constraints`"),
            ("negative_variance", r#""clamped""#, "`negative_variance`"),
            ("beta_sqrt", "-1", "`kappa`"),
            ("acquisition", r#""glcb""#, ""),
            ("imprecision", "-1", ""),
        ] {
            match with(field, value) {
                Ok(_) => assert!(culprit.is_empty(), "{field} = {value}"),
                Err(error) => assert!(!culprit.is_empty() && error.contains(culprit), "{field} = {value}: {error}"),
            }
        }
    }
}
