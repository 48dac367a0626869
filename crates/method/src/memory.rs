//! Sizes of memory as people write them.

/// Units by their names; the longest names come first.
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

/// The bytes of `800MB`, `4GB`, `1GiB` or a plain number; `None` if it is no such size.
pub fn bytes(text: &str) -> Option<u64> {
    let read = |(unit, size): &(&str, u64)| Some((text.trim().strip_suffix(unit)?.trim().parse::<f64>().ok()?, *size));
    let (count, size) = UNITS.iter().find_map(read)?;
    (count.is_finite() && count > 0.0).then_some((count * size as f64) as u64)
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn sizes_have_units_and_are_positive() {
        for (text, size) in [("800MB", 800_000_000), ("1 GiB", 1 << 30), ("1.5GB", 1_500_000_000), ("4096", 4096)] {
            assert_eq!(bytes(text), Some(size), "{text}");
        }
        for text in ["", "GB", "-1GB", "0", "1XB", "nan", "inf GB"] {
            assert_eq!(bytes(text), None, "{text}");
        }
    }
}
