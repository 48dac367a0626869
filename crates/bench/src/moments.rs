//! Mean and deviation over replications.

/// Mean and standard deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Moments {
    pub mean: f64,
    pub deviation: f64,
    pub count: usize,
}

impl Moments {
    /// `None` of nothing; the deviation of one value is 0.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let values: Vec<f64> = values.into_iter().collect();
        let count = values.len();
        if count == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Some(Self { mean, deviation: (squares / (count.max(2) - 1) as f64).sqrt(), count })
    }

    /// As the paper prints it: the mean, with half a standard deviation in brackets.
    pub fn cell(self, decimals: usize) -> String {
        format!("{:.decimals$} ({:.decimals$})", self.mean, 0.5 * self.deviation).replace('-', "−")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_deviation_stands_in_brackets() {
        let moments = Moments::of([1.0, 3.0]).expect("two values");
        assert_eq!((moments.mean, moments.deviation, moments.count), (2.0, 2_f64.sqrt(), 2));
        assert_eq!(Moments::of([-1.5]).expect("one value").cell(2), "−1.50 (0.00)");
        assert_eq!(Moments::of([]), None);
    }
}
