//! Numbers as people type them: counts that have a least and a most, sizes, values.

use crate::decimal;
use fathom_global::{MOST_MINIMA, MOST_THREADS};

pub fn threads(text: &str) -> Result<usize, String> {
    between(text, 1, MOST_THREADS)
}

pub fn minima(text: &str) -> Result<usize, String> {
    between(text, 0, MOST_MINIMA)
}

pub fn trials(text: &str) -> Result<u64, String> {
    text.parse().ok().filter(|count| *count > 0).ok_or_else(|| "it must be a whole number, at least 1".into())
}

fn between(text: &str, least: usize, most: usize) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (least..=most).contains(count));
    count.ok_or_else(|| format!("it must be a whole number from {least} to {most}"))
}

/// A size of memory as people write it.
pub fn bytes(text: &str) -> Result<u64, String> {
    fathom_method::bytes(text).ok_or_else(|| "it must be a size such as 800MB or 4GB".into())
}

/// A measured value; a comma may stand for the point.
pub fn value(text: &str) -> Result<f64, String> {
    let written = decimal::number(text.trim()).map_err(|error| error.to_string())?;
    let number = written.and_then(|number| number.parse::<f64>().ok());
    number.ok_or_else(|| "it must be a number such as 12.4, without a unit".into())
}
