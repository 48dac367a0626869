//! Counts that have a least and a most.

use fathom_global::{MOST_MINIMA, MOST_THREADS};

pub fn threads(text: &str) -> Result<usize, String> {
    between(text, 1, MOST_THREADS)
}

pub fn minima(text: &str) -> Result<usize, String> {
    between(text, 0, MOST_MINIMA)
}

fn between(text: &str, least: usize, most: usize) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (least..=most).contains(count));
    count.ok_or_else(|| format!("it must be a whole number from {least} to {most}"))
}
