//! Where an increasing function changes its sign.

/// The zero of an increasing function between `low` and `high`, bisected to the last bit.
pub(crate) fn root(increasing: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    bracket(increasing, low, high).1
}

/// Neighbouring numbers between which an increasing function turns from negative to not negative. Ends on anything,
/// NaN included.
pub(crate) fn bracket(increasing: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> (f64, f64) {
    loop {
        let middle = 0.5 * (low + high);
        let is_between = middle > low && middle < high;
        if !is_between {
            return (low, high);
        }
        if increasing(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_number_ends_as_well() {
        assert_eq!(bracket(|_| f64::NAN, 0.0, 1.0), (0.0, f64::from_bits(1)));
        assert!(bracket(|t| t, f64::NAN, 1.0).0.is_nan());
    }
}
