//! What repeated measurements come to.

use crate::chart::Place;

/// Mean and standard deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Moments {
    pub mean: f64,
    pub deviation: f64,
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
        Some(Self { mean, deviation: (squares / (count.max(2) - 1) as f64).sqrt() })
    }

    /// As the paper prints it: the mean, with half a standard deviation in brackets.
    pub fn cell(self, number: impl Fn(f64) -> String) -> String {
        format!("{} ({})", number(self.mean), number(0.5 * self.deviation)).replace('-', "−")
    }

    /// The mean as a point of a curve, with a whisker of half a standard deviation.
    pub fn place(self, x: f64) -> Place {
        let half = 0.5 * self.deviation;
        Place { x, y: self.mean, low: self.mean - half, high: self.mean + half }
    }
}

/// Median and extremes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub low: f64,
    pub middle: f64,
    pub high: f64,
}

impl Spread {
    /// `None` of nothing.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let (low, high) = (*values.first()?, *values.last()?);
        Some(Self { low, middle: values[values.len() / 2], high })
    }
}

/// The middle value, the upper one of two, or `None` of nothing.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    Spread::of(values).map(|spread| spread.middle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_deviation_stands_in_brackets_and_nothing_has_no_statistics() {
        let moments = Moments::of([1.0, 3.0]).expect("two values");
        assert_eq!((moments.mean, moments.deviation), (2.0, 2_f64.sqrt()));
        assert_eq!(Moments::of([-1.5]).expect("one value").cell(|v| format!("{v:.2}")), "−1.50 (0.00)");
        assert_eq!(Spread::of([2.0, 3.0, 1.0, 4.0]), Some(Spread { low: 1.0, middle: 3.0, high: 4.0 }));
        assert_eq!((Moments::of([]), median([])), (None, None));
    }
}
