//! Which numbers a problem may have.

use crate::fault::{Fault, fault};

/// No number of a problem is larger: squares and cubes of such numbers do not overflow.
pub const LARGEST: f64 = 1e100;

/// No positive hyperparameter is smaller.
pub const SMALLEST: f64 = 1e-100;

pub(crate) fn is_number(value: f64) -> bool {
    value.abs() <= LARGEST
}

pub(crate) fn number(field: &'static str, value: f64) -> Result<(), Fault> {
    match is_number(value) {
        true => Ok(()),
        false => fault(field, format!("{value} is not a number of at most {LARGEST:e} in size: choose other units")),
    }
}

pub(crate) fn positive(field: &'static str, value: f64) -> Result<(), Fault> {
    match (SMALLEST..=LARGEST).contains(&value) {
        true => Ok(()),
        false => fault(field, format!("{value} is not a number from {SMALLEST:e} to {LARGEST:e}")),
    }
}

pub(crate) fn at_least_zero(field: &'static str, value: f64) -> Result<(), Fault> {
    match (0.0..=LARGEST).contains(&value) {
        true => Ok(()),
        false => fault(field, format!("{value} is not a number from 0 to {LARGEST:e}")),
    }
}

pub(crate) fn count(field: &'static str, found: usize, least: usize, most: usize, of: &str) -> Result<(), Fault> {
    match (least..=most).contains(&found) {
        true => Ok(()),
        false => fault(field, format!("there are {found} {of}, and there must be from {least} to {most}")),
    }
}

pub(crate) fn length(field: &'static str, found: usize, expected: usize, of: &str) -> Result<(), Fault> {
    match found == expected {
        true => Ok(()),
        false => fault(field, format!("it has {found} entries where `{of}` has {expected}")),
    }
}
