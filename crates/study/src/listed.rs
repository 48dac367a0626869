//! Numbers of a list: 0.1, 0.5, 2, 10. Each lies where its size, or its logarithm, puts it.

use crate::value::Value;

/// The most numbers of a list.
pub const MOST_LISTED: usize = 10_000;

/// Some numbers in rising order, and their places on a scale from 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    values: Vec<Value>,
    places: Vec<f64>,
    log: bool,
    is_range: bool,
}

impl Listed {
    /// The numbers of a list, in any order; or what is wrong with them.
    pub fn new(mut values: Vec<Value>, log: bool) -> Result<Self, String> {
        let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
        if let Some(bad) = values.iter().find(|value| !number(value).is_finite()) {
            return Err(format!("{bad} is no number"));
        }
        values.sort_by(|a, b| number(a).total_cmp(&number(b)));
        if let Some(pair) = values.windows(2).find(|pair| number(&pair[0]) == number(&pair[1])) {
            return Err(format!("{} appears twice", pair[0]));
        }
        match values.len() {
            0 | 1 => return Err("at least two values are needed; for one value use type = \"fixed\"".into()),
            2..=MOST_LISTED => {}
            count => return Err(format!("there are {count} values, and there may be {MOST_LISTED}")),
        }
        if log && number(&values[0]) <= 0.0 {
            return Err(format!("a log scale needs positive values, not {}", values[0]));
        }
        let scaled = |value: &Value| if log { number(value).ln() } else { number(value) };
        let (first, last) = (scaled(&values[0]), scaled(&values[values.len() - 1]));
        let mut places: Vec<f64> = values.iter().map(|value| (scaled(value) - first) / (last - first)).collect();
        places[values.len() - 1] = 1.0;
        match places.windows(2).position(|pair| !(pair[0] < pair[1])) {
            Some(at) => Err(format!("{} and {} are too near to each other", values[at], values[at + 1])),
            None => Ok(Self { values, places, log, is_range: false }),
        }
    }

    /// The whole numbers from `low` to `high` in steps, on a log scale; or what is wrong with them.
    pub fn log_range(low: i64, high: i64, step: i64) -> Result<Self, String> {
        let count = (high - low) / step + 1;
        if count > MOST_LISTED as i64 {
            return Err(format!(
                "from {low} to {high} there are {count} whole numbers, and a log scale of whole numbers has at most {MOST_LISTED}: \
                 take a float on a log scale and round it, or give a `step`, or `values` such as [1, 3, 10, 30]"
            ));
        }
        let values = (0..count).map(|k| Value::Integer(low + k * step)).collect();
        Ok(Self { is_range: true, ..Self::new(values, true)? })
    }

    /// The numbers, in rising order.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// Their places, from 0 to 1.
    pub fn places(&self) -> &[f64] {
        &self.places
    }

    /// Whether the places follow the logarithm.
    pub fn is_log(&self) -> bool {
        self.log
    }

    /// Whether these are all whole numbers of a range, of which a design is to take as many as their scale says.
    pub fn is_range(&self) -> bool {
        self.is_range
    }

    /// The first and the last number.
    pub fn ends(&self) -> (f64, f64) {
        let number = |value: Option<&Value>| value.and_then(Value::as_f64).unwrap_or(f64::NAN);
        (number(self.values.first()), number(self.values.last()))
    }

    /// The smallest distance of two places.
    pub fn finest(&self) -> f64 {
        self.places.windows(2).map(|pair| pair[1] - pair[0]).fold(1.0, f64::min)
    }

    /// Where a number lies, which need not be one of the list.
    pub fn place(&self, number: f64) -> f64 {
        if let Some(at) = self.find(number) {
            return self.places[at];
        }
        let scaled = |number: f64| if self.log { number.ln() } else { number };
        let (first, last) = self.ends();
        (scaled(number) - scaled(first)) / (scaled(last) - scaled(first))
    }

    /// Which of the numbers this one is.
    pub fn find(&self, number: f64) -> Option<usize> {
        let same = |value: &Value| value.as_f64().is_some_and(|own| (own - number).abs() <= 1e-12 * own.abs());
        self.values.iter().position(same)
    }

    /// Which of the numbers lies nearest to a place.
    pub fn nearest(&self, place: f64) -> usize {
        let above = self.places.partition_point(|own| *own < place).min(self.places.len() - 1);
        if above > 0 && place - self.places[above - 1] <= self.places[above] - place { above - 1 } else { above }
    }

    /// The number for this share of a design. The numbers of a list have equal shares; those of a range have shares as wide as the
    /// distances to their neighbours.
    pub fn share(&self, unit: f64) -> usize {
        let count = self.values.len();
        if !self.is_range {
            return ((unit * count as f64) as usize).min(count - 1);
        }
        let (first, last) = (self.places[1] - self.places[0], 1.0 - self.places[count - 2]);
        self.nearest(unit * (1.0 + 0.5 * (first + last)) - 0.5 * first)
    }

    /// The numbers for a message: all of a few, the ends of many.
    pub fn shown(&self) -> String {
        let text = |values: &[Value]| values.iter().map(Value::to_string).collect::<Vec<_>>().join(", ");
        match &self.values[..] {
            few if few.len() <= 12 => text(few),
            many => format!("{}, …, {}", text(&many[..3]), many[many.len() - 1]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(values: &[f64]) -> Vec<Value> {
        values.iter().map(|value| Value::Float(*value)).collect()
    }

    #[test]
    fn a_number_lies_where_its_scale_puts_it() {
        let linear = Listed::new(numbers(&[10.0, 0.0, 5.0, 1.0]), false).unwrap();
        assert_eq!(linear.places(), [0.0, 0.1, 0.5, 1.0]);
        let log = Listed::new(numbers(&[0.1, 1.0, 100.0]), true).unwrap();
        assert!((log.places()[1] - 1.0 / 3.0).abs() < 1e-15, "{:?}", log.places());
        for listed in [linear, log] {
            for (k, value) in listed.values().iter().enumerate() {
                let number = value.as_f64().unwrap();
                assert_eq!((listed.find(number), listed.nearest(listed.place(number))), (Some(k), k));
            }
            assert_eq!((listed.nearest(-3.0), listed.nearest(3.0)), (0, listed.values().len() - 1));
        }
    }

    #[test]
    fn shares_of_a_range_follow_its_scale_and_those_of_a_list_are_equal() {
        let counted = |listed: &Listed| {
            let mut counts = vec![0; listed.values().len()];
            (0..9000).for_each(|i| counts[listed.share((f64::from(i) + 0.5) / 9000.0)] += 1);
            counts
        };
        assert_eq!(counted(&Listed::new(numbers(&[0.1, 1.0, 100.0]), true).unwrap()), [3000; 3]);
        let range = counted(&Listed::log_range(1, 100, 1).unwrap());
        let small: usize = range[..9].iter().sum();
        assert!((3500..5500).contains(&small), "{small} of 9000 are below 10");
        assert!(range.windows(2).skip(1).all(|pair| pair[1] <= pair[0] + 1), "{range:?}");
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for (values, log, part) in [
            (vec![1.0], false, "at least two"),
            (vec![1.0, 1.0], false, "twice"),
            (vec![0.0, 1.0], true, "positive"),
            (vec![1.0, f64::NAN], false, "no number"),
            (vec![0.0, 1e-320, 1e10], false, "too near"),
        ] {
            let reason = Listed::new(numbers(&values), log).unwrap_err();
            assert!(reason.contains(part), "{reason}");
        }
        assert!(Listed::log_range(1, 100_000, 1).unwrap_err().contains("at most 10000"));
        assert!(Listed::log_range(1, 100_000, 10).is_ok());
    }
}
