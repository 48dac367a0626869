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

/// A size of memory as people write it: 800MB, 4GB, 1GiB, or a number of bytes.
pub fn bytes(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 9] = [
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("TiB", 1 << 40),
        ("KB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
        ("", 1),
    ];
    let text = text.trim();
    let found = UNITS.iter().find_map(|(unit, size)| Some((text.strip_suffix(unit)?.trim().parse::<f64>().ok()?, *size)));
    match found {
        Some((count, size)) if count.is_finite() && count > 0.0 => Ok((count * size as f64) as u64),
        _ => Err("it must be a size such as 800MB or 4GB".into()),
    }
}
