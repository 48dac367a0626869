//! What a statement may be: every number in its range, every length the one it should be.

use crate::criterion::CriterionName;
use crate::domain::{at_least_zero, count, length, number, positive};
use crate::fault::{Fault, fault};
use crate::kernel::KernelName;
use crate::statement::{StatedTerm, Statement};

/// No end of a whole side is larger: every whole number up to it, and the next, is a floating-point number of its own.
pub const LARGEST_INTEGER: f64 = (1_u64 << 50) as f64;

/// Most inputs.
pub const MOST_INPUTS: usize = 64;

/// Most observations.
pub const MOST_OBSERVATIONS: usize = 5_000;

/// Most numbers that one input may be limited to.
pub const MOST_VALUES: usize = 20_000;

/// Most constraints.
pub const MOST_ROWS: usize = 10_000;

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
            kernel.check()?;
        }
        if let Some(input) = is_taken.iter().position(|taken| !taken) {
            return fault("terms", format!("input {input} is in no group"));
        }
        let linear = |term: &StatedTerm| term.kernel.name() == KernelName::PiecewiseLinear;
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
        self.acquisition.check()?;
        let is_simple = match self.acquisition.name() {
            CriterionName::Lcb | CriterionName::Mean | CriterionName::Deviation | CriterionName::Glcb => true,
            CriterionName::Ei | CriterionName::LogEi | CriterionName::Pi => false,
        };
        if !is_simple && self.is_piecewise_linear() {
            return fault("acquisition", "piecewise-linear kernels serve `lcb`, `glcb`, `mean` and `deviation` only");
        }
        Ok(())
    }

    /// Each list rises from one end of its side to the other; no input has two lists, or a list and whole numbers.
    fn check_values(&self) -> Result<(), Fault> {
        for (place, (input, numbers)) in self.values.iter().enumerate() {
            let Some((lower, upper)) = self.bounds.get(*input) else {
                return fault("values", format!("there is no input {input}"));
            };
            if self.values[..place].iter().any(|(other, _)| other == input) {
                return fault("values", format!("input {input} is named twice"));
            }
            if self.integers.contains(input) {
                return fault("values", format!("input {input} is a whole number already"));
            }
            count("values", numbers.len(), 1, MOST_VALUES, "numbers")?;
            numbers.iter().try_for_each(|value| number("values", *value))?;
            if !numbers.windows(2).all(|pair| pair[0] < pair[1]) {
                return fault("values", format!("those of input {input} do not rise"));
            }
            if numbers.first() != Some(lower) || numbers.last() != Some(upper) {
                return fault("values", format!("those of input {input} do not run from {lower} to {upper}"));
            }
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
        self.check_values()?;
        for (index, row) in self.rows.iter().enumerate() {
            if let Err(reason) = row.check(self.dim()) {
                return fault("constraints", format!("entry {index}: {reason}"));
            }
        }
        Ok(())
    }
}
