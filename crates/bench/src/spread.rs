//! The middle and the extremes of repeated measurements.

/// Median and extremes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub low: f64,
    pub middle: f64,
    pub high: f64,
}

impl Spread {
    /// `None` of nothing.
    pub fn of(values: Vec<f64>) -> Option<Self> {
        let low = values.iter().copied().reduce(f64::min)?;
        let high = values.iter().copied().reduce(f64::max)?;
        Some(Self { low, middle: median(values)?, high })
    }
}

/// The middle value, or `None` of nothing.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_count_is_the_upper_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(3.0));
        assert_eq!(median(Vec::new()), None);
    }

    #[test]
    fn a_spread_has_its_extremes_and_nothing_has_none() {
        assert_eq!(Spread::of(vec![2.0, 3.0, 1.0]), Some(Spread { low: 1.0, middle: 2.0, high: 3.0 }));
        assert_eq!(Spread::of(Vec::new()), None);
    }
}
