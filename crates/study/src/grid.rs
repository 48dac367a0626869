//! A range in steps: 20, 25, …, 120, or 0.1, 0.2, …, 1. The numbers are decimals as people write them.
//!
//! Ends and step are kept as whole numbers of the smallest decimal place that one of them has, so that 0.1 and two steps of 0.1
//! is 0.3, and not the float beside it.

use crate::value::Value;

/// No number of a grid has more digits: all of them are exact as floats, and so is the power of ten that divides them.
const LARGEST: f64 = (1_u64 << 50) as f64;

/// A value belongs to a grid if it is at most so far off, in steps: other programs round what they write.
const OFF: f64 = 1e-6;

/// The numbers `low`, `low + step`, …, `high`.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// The lower end, in units of the last decimal place.
    low: i64,
    /// The step, in the same units.
    step: i64,
    steps: i64,
    decimals: u32,
    is_whole: bool,
}

impl Grid {
    /// A grid, of floats or of whole numbers; or what is wrong with it.
    pub fn new(low: f64, high: f64, step: f64, is_whole: bool) -> Result<Self, String> {
        if !(step > 0.0 && step.is_finite()) {
            return Err(format!("a step is a positive number, not {step}"));
        }
        if !(low < high && (high - low).is_finite()) {
            return Err(format!("[{low}, {high}] is no interval; for one value use type = \"fixed\""));
        }
        let decimals = [low, high, step].into_iter().map(decimals).fold(0, u32::max);
        if is_whole && decimals > 0 {
            return Err("`low`, `high` and `step` of an integer are whole numbers".into());
        }
        let power = 10_f64.powi(i32::try_from(decimals).unwrap_or(i32::MAX));
        let units =
            |number: f64| Some((number * power).round()).filter(|units| units.abs() <= LARGEST && decimals <= 22);
        let (Some(low_units), Some(high_units), Some(step_units)) = (units(low), units(high), units(step)) else {
            return Err(format!("{low}, {high} and {step} have more digits in common than 15: choose other units"));
        };
        let (low, high, step) = (low_units as i64, high_units as i64, step_units as i64);
        let grid = Self { low, step, steps: (high - low) / step, decimals, is_whole };
        if grid.steps == 0 {
            let (from, by) = (grid.at(0), grid.number(step));
            return Err(format!("a step of {by} from {from} leads beyond {}: choose a smaller one", grid.number(high)));
        }
        if (high - low) % step != 0 {
            let (last, next) = (grid.high(), grid.number(grid.low + (grid.steps + 1) * step));
            let (high, by, from) = (grid.number(high), grid.number(step), grid.at(0));
            return Err(format!(
                "steps of {by} from {from} do not reach `high`, {high}: the last value is {last}; write high = {last}, or {next}"
            ));
        }
        Ok(grid)
    }

    /// The lower end.
    pub fn low(&self) -> f64 {
        self.number(self.low)
    }

    /// The upper end.
    pub fn high(&self) -> f64 {
        self.at(self.steps)
    }

    /// The step.
    pub fn step(&self) -> f64 {
        self.number(self.step)
    }

    /// How many steps there are from one end to the other.
    pub fn steps(&self) -> i64 {
        self.steps
    }

    /// Whether the numbers are whole ones by their type.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// The value after so many steps.
    pub fn value(&self, steps: i64) -> Value {
        let units = self.low + self.step * steps.clamp(0, self.steps);
        if self.is_whole { Value::Integer(units) } else { Value::Float(self.number(units)) }
    }

    /// The steps to a number, which may lie between two of them.
    pub fn place(&self, number: f64) -> f64 {
        let near = ((number - self.low()) / self.step()).round().clamp(0.0, self.steps as f64);
        let off = (number - self.at(near as i64)) / self.step();
        if off.abs() <= OFF { near } else { near + off }
    }

    fn at(&self, steps: i64) -> f64 {
        self.number(self.low + self.step * steps)
    }

    /// A quotient of two exact numbers is the float nearest to the decimal, which is the one that its text stands for.
    fn number(&self, units: i64) -> f64 {
        units as f64 / 10_f64.powi(self.decimals as i32)
    }
}

/// The places after the point in the shortest text of a number.
fn decimals(number: f64) -> u32 {
    let text = number.to_string();
    text.split_once('.').map_or(0, |(_, places)| u32::try_from(places.len()).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_decimals_that_people_write() {
        for (low, high, step, values) in [
            (20.0, 120.0, 5.0, vec!["20", "25", "120"]),
            (0.1, 1.0, 0.1, vec!["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"]),
            (-0.3, 0.3, 0.1, vec!["-0.3", "-0.2", "-0.1", "0", "0.1", "0.2", "0.3"]),
            (1e-7, 5e-7, 1e-7, vec!["0.0000001", "0.0000003", "0.0000005"]),
            (0.05, 1000.05, 12.5, vec!["0.05", "12.55", "1000.05"]),
        ] {
            let grid = Grid::new(low, high, step, false).unwrap();
            let all: Vec<String> = (0..=grid.steps()).map(|k| grid.value(k).to_string()).collect();
            assert!(values.iter().all(|value| all.iter().any(|found| found == value)), "{all:?}");
            for (k, text) in all.iter().enumerate() {
                assert_eq!(grid.place(text.parse().unwrap()), k as f64, "{text}");
                assert_eq!(grid.place(low + k as f64 * step), k as f64, "as a loop adds it up");
            }
        }
        assert_eq!(Grid::new(0.0, 1.0, 0.25, false).unwrap().place(0.3), 1.2, "data may lie between the steps");
    }

    #[test]
    fn what_is_no_grid_is_refused_with_the_way_out() {
        for (low, high, step, whole, part) in [
            (20.0, 118.0, 5.0, false, "the last value is 115; write high = 115, or 120"),
            (0.0, 1.0, 0.3, false, "the last value is 0.9; write high = 0.9, or 1.2"),
            (0.0, 1.0, 2.0, false, "leads beyond 1"),
            (0.0, 1.0, 0.0, false, "a step is a positive number"),
            (0.0, 1.0, -1.0, false, "a step is a positive number"),
            (0.0, 1.0, f64::NAN, false, "a step is a positive number"),
            (1.0, 0.0, 0.1, false, "no interval"),
            (0.0, 1.0, 1e-30, false, "more digits"),
            (0.0, 1e300, 1.0, false, "more digits"),
            (0.0, 3.0, 1.5, true, "whole numbers"),
        ] {
            let reason = Grid::new(low, high, step, whole).unwrap_err();
            assert!(reason.contains(part), "{reason}");
        }
    }
}
