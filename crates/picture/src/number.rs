//! Numbers in pictures: short.

/// A number in at most `digits` digits, without zeros at the end, and with a power of ten if it is very small or large.
pub fn short(number: f64, digits: usize) -> String {
    let size = number.abs();
    if size == 0.0 {
        return "0".into();
    }
    if !(1e-3..1e6).contains(&size) {
        let text = format!("{number:.*e}", digits.saturating_sub(1));
        let (front, power) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{power}", trimmed(front));
    }
    let places = (digits as i32 - 1 - size.log10().floor() as i32).max(0) as usize;
    trimmed(&format!("{number:.places$}")).to_owned()
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_are_short_and_keep_their_size() {
        for (number, text) in [
            (0.0, "0"),
            (0.397887, "0.3979"),
            (-12.0, "-12"),
            (1200.0, "1200"),
            (123456.0, "123456"),
            (1e-5, "1e-5"),
            (1e-3, "0.001"),
            (-2.5e7, "-2.5e7"),
            (0.1 + 0.2, "0.3"),
        ] {
            assert_eq!(short(number, 4), text);
        }
    }
}
