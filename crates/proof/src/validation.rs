//! What a statement may be: every number in its range, every length the one it should be.

use crate::fault::{Fault, fault};
use crate::statement::{StatedAcquisition, StatedKernel, StatedRow, StatedTerm, Statement};

/// No number of a problem is larger: squares and cubes of such numbers do not overflow.
pub const LARGEST: f64 = 1e100;

/// No positive hyperparameter is smaller.
pub const SMALLEST: f64 = 1e-100;

/// No end of a whole side is larger: every whole number up to it, and the next, is a floating-point number of its own.
pub const LARGEST_INTEGER: f64 = (1_u64 << 50) as f64;

/// Most inputs.
pub const MOST_INPUTS: usize = 64;

/// Most observations.
pub const MOST_OBSERVATIONS: usize = 5_000;

/// Most constraints.
pub const MOST_ROWS: usize = 10_000;

/// Most knots of a piecewise-linear kernel.
pub const MOST_KNOTS: usize = 100_000;

/// The highest degree of a polynomial kernel.
pub const MOST_DEGREES: u32 = 64;

/// How far a point may miss a row: this share of the row's largest term at the point, or of the side if that is larger.
pub const FEASIBILITY: f64 = 1e-9;

impl Statement {
    /// Names the first field that is out of its domain or disagrees with another.
    pub fn check(&self) -> Result<(), Fault> {
        let (n, dim) = (self.y.len(), self.bounds.len());
        count("bounds", dim, 1, MOST_INPUTS, "inputs")?;
        count("y", n, 1, MOST_OBSERVATIONS, "observations")?;
        count("constraints", self.rows.len(), 0, MOST_ROWS, "constraints")?;
        length("x", self.x.len(), n, "y")?;
        self.x.iter().try_for_each(|row| length("x", row.len(), dim, "bounds"))?;
        length("lengthscales", self.lengthscales.len(), dim, "bounds")?;
        self.x.iter().flatten().try_for_each(|value| number("x", *value))?;
        self.y.iter().try_for_each(|value| number("y", *value))?;
        self.lengthscales.iter().try_for_each(|value| positive("lengthscales", *value))?;
        at_least_zero("noise", self.noise)?;
        at_least_zero("jitter", self.jitter)?;
        positive("noise", self.noise + self.jitter)?;
        number("mean", self.mean)?;
        self.check_terms()?;
        self.check_acquisition()?;
        self.check_region()
    }

    fn check_terms(&self) -> Result<(), Fault> {
        let mut is_taken = vec![false; self.dim()];
        for StatedTerm { kernel, inputs, variance } in &self.terms {
            positive("sigma_f2", *variance)?;
            if inputs.is_empty() {
                return fault("terms", "a group has no inputs");
            }
            for input in inputs {
                match is_taken.get_mut(*input) {
                    None => return fault("terms", format!("there is no input {input}")),
                    Some(taken) if *taken => return fault("terms", format!("input {input} is in two groups")),
                    Some(taken) => *taken = true,
                }
            }
            check_kernel(kernel)?;
        }
        if let Some(input) = is_taken.iter().position(|taken| !taken) {
            return fault("terms", format!("input {input} is in no group"));
        }
        let linear = |term: &StatedTerm| matches!(term.kernel, StatedKernel::PiecewiseLinear { .. });
        match (self.terms.iter().any(linear), self.negative_variance) {
            (false, Some(_)) => fault("negative_variance", "only piecewise-linear kernels have negative variances"),
            (true, None) => {
                fault("negative_variance", "it is missing: piecewise-linear kernels have negative variances")
            }
            (true, Some(_)) if !self.terms.iter().all(linear) => {
                fault("terms", "piecewise-linear kernels do not mix with others")
            }
            (true, Some(_)) | (false, None) => Ok(()),
        }
    }

    fn check_acquisition(&self) -> Result<(), Fault> {
        let is_simple = match self.acquisition {
            StatedAcquisition::Lcb { kappa } => at_least_zero("kappa", kappa).map(|()| true)?,
            StatedAcquisition::Mean | StatedAcquisition::Deviation => true,
            StatedAcquisition::Glcb { kappa, rho, imprecision } => {
                at_least_zero("kappa", kappa)?;
                at_least_zero("rho", rho)?;
                at_least_zero("imprecision", imprecision)?;
                false
            }
            StatedAcquisition::Ei { best } | StatedAcquisition::LogEi { best } | StatedAcquisition::Pi { best } => {
                number("best", best)?;
                false
            }
        };
        if !is_simple && self.is_piecewise_linear() {
            return fault("acquisition", "piecewise-linear kernels serve `lcb`, `mean` and `deviation` only");
        }
        Ok(())
    }

    fn check_region(&self) -> Result<(), Fault> {
        for (side, (lower, upper)) in self.bounds.iter().enumerate() {
            number("bounds", *lower)?;
            number("bounds", *upper)?;
            if !(lower <= upper) {
                return fault("bounds", format!("entry {side} is [{lower}, {upper}]: its ends must be in order"));
            }
        }
        for (place, input) in self.integers.iter().enumerate() {
            let Some((lower, upper)) = self.bounds.get(*input) else {
                return fault("integers", format!("there is no input {input}"));
            };
            if self.integers[..place].contains(input) {
                return fault("integers", format!("input {input} is named twice"));
            }
            let is_whole = |end: f64| end == end.round() && end.abs() <= LARGEST_INTEGER;
            if !(is_whole(*lower) && is_whole(*upper)) {
                let reason = "whole numbers need whole ends of at most 2^50";
                return fault("integers", format!("input {input} runs from {lower} to {upper}: {reason}"));
            }
        }
        for (index, row) in self.rows.iter().enumerate() {
            if let Err(reason) = row.check(self.dim()) {
                return fault("constraints", format!("entry {index}: {reason}"));
            }
        }
        Ok(())
    }
}

impl StatedRow {
    fn check(&self, dim: usize) -> Result<(), String> {
        let entries = self.linear.iter().map(|(_, c)| c).chain(self.quadratic.iter().map(|(_, _, q)| q));
        if let Some(value) = entries.chain(&self.lower).chain(&self.upper).find(|value| !is_number(**value)) {
            return Err(format!("{value} is not a number of at most {LARGEST:e} in size"));
        }
        let inputs = self.linear.iter().map(|(j, _)| j).chain(self.quadratic.iter().flat_map(|(j, k, _)| [j, k]));
        if let Some(input) = inputs.copied().find(|input| *input >= dim) {
            return Err(format!("there is no input {input}"));
        }
        let linear_rises = self.linear.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let quadratic_rises = self.quadratic.windows(2).all(|pair| (pair[0].0, pair[0].1) < (pair[1].0, pair[1].1));
        if !(linear_rises && quadratic_rises && self.quadratic.iter().all(|(j, k, _)| j <= k)) {
            return Err("its entries must be in rising order, with each product once".into());
        }
        match (self.lower, self.upper) {
            (Some(lower), Some(upper)) if lower > upper => {
                Err(format!("no number is at least {lower} and at most {upper}"))
            }
            (Some(_) | None, Some(_) | None) => Ok(()),
        }
    }
}

fn check_kernel(kernel: &StatedKernel) -> Result<(), Fault> {
    match kernel {
        StatedKernel::Matern12 | StatedKernel::Matern32 | StatedKernel::Matern52 | StatedKernel::Rbf => Ok(()),
        StatedKernel::Rq { alpha } => match *alpha >= SMALLEST && *alpha <= LARGEST {
            true => Ok(()),
            false => fault("kernel", format!("α of `rq` is {alpha}, not a number from {SMALLEST:e} to {LARGEST:e}")),
        },
        StatedKernel::Linear { offset } => at_least_zero("offset", *offset),
        StatedKernel::Polynomial { degree, offset } => {
            at_least_zero("offset", *offset)?;
            match (1..=MOST_DEGREES).contains(degree) {
                true => Ok(()),
                false => fault("degree", format!("it is {degree}, not a number from 1 to {MOST_DEGREES}")),
            }
        }
        StatedKernel::PiecewiseLinear { knots } => {
            count("knots", knots.len(), 2, MOST_KNOTS, "knots")?;
            knots.iter().flat_map(|(r, value)| [r, value]).try_for_each(|value| number("knots", *value))?;
            if knots[0] != (0.0, 1.0) {
                return fault("knots", "the first is not [0, 1]");
            }
            let falls = |pair: &[(f64, f64)]| pair[0].0 < pair[1].0 && pair[0].1 >= pair[1].1;
            if !knots.windows(2).all(falls) {
                return fault("knots", "their distances must rise and their values must not");
            }
            match knots.iter().all(|(_, value)| *value >= -1.0) {
                true => Ok(()),
                false => fault("knots", "a value is below −1, which no covariance of unit variance is"),
            }
        }
    }
}

fn is_number(value: f64) -> bool {
    value.abs() <= LARGEST
}

fn number(field: &'static str, value: f64) -> Result<(), Fault> {
    match is_number(value) {
        true => Ok(()),
        false => fault(field, format!("{value} is not a number of at most {LARGEST:e} in size: choose other units")),
    }
}

fn positive(field: &'static str, value: f64) -> Result<(), Fault> {
    match (SMALLEST..=LARGEST).contains(&value) {
        true => Ok(()),
        false => fault(field, format!("{value} is not a number from {SMALLEST:e} to {LARGEST:e}")),
    }
}

fn at_least_zero(field: &'static str, value: f64) -> Result<(), Fault> {
    match (0.0..=LARGEST).contains(&value) {
        true => Ok(()),
        false => fault(field, format!("{value} is not a number from 0 to {LARGEST:e}")),
    }
}

fn count(field: &'static str, found: usize, least: usize, most: usize, of: &str) -> Result<(), Fault> {
    match (least..=most).contains(&found) {
        true => Ok(()),
        false => fault(field, format!("there are {found} {of}, and there must be from {least} to {most}")),
    }
}

fn length(field: &'static str, found: usize, expected: usize, of: &str) -> Result<(), Fault> {
    match found == expected {
        true => Ok(()),
        false => fault(field, format!("it has {found} entries where `{of}` has {expected}")),
    }
}
