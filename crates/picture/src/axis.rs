//! An axis: numbers or choices, where they are drawn, and which of them have labels.

use crate::number::short;
use fathom_study::{Kind, Parameter, Value};

/// How numbers lie along an axis.
#[derive(Debug, Clone, PartialEq)]
pub enum Scale {
    Linear,
    Log,
    /// Linear within `width` of `centre`, and in the logarithm of the distance beyond, on both sides.
    Asinh {
        centre: f64,
        width: f64,
    },
    /// Choices by their place in a list.
    Choices(Vec<String>),
}

/// A range of numbers under a scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    pub label: String,
    pub scale: Scale,
    pub low: f64,
    pub high: f64,
    /// Whether only whole numbers have a meaning.
    pub is_whole: bool,
}

/// Values whose largest is so many times their smallest are drawn in their logarithm.
const DECADES: f64 = 100.0;

/// Values whose worst is so many times as far from the best as their median are drawn by distance from the best.
const STRETCHED: f64 = 12.0;

impl Axis {
    pub fn linear(label: &str, low: f64, high: f64) -> Self {
        Self { label: label.into(), scale: Scale::Linear, low, high, is_whole: false }
    }

    /// The axis of a free parameter.
    pub fn of(parameter: &Parameter) -> Self {
        let label = parameter.name.clone();
        match &parameter.kind {
            Kind::Float { .. } | Kind::Grid(_) | Kind::Listed(_) => {
                let (low, high) = parameter.kind.range().unwrap_or((0.0, 1.0));
                let scale = if parameter.kind.is_log() { Scale::Log } else { Scale::Linear };
                Self { label, scale, low, high, is_whole: false }
            }
            Kind::Integer { low, high } => {
                let (low, high) = (*low as f64 - 0.5, *high as f64 + 0.5);
                Self { label, scale: Scale::Linear, low, high, is_whole: true }
            }
            Kind::Categorical { choices } | Kind::Ordered { choices } => {
                Self::of_choices(&label, &choices.iter().map(Value::to_string).collect::<Vec<_>>())
            }
            Kind::Fixed { value } => Self::of_choices(&label, &[value.to_string()]),
        }
    }

    pub fn of_choices(label: &str, choices: &[String]) -> Self {
        let (scale, high) = (Scale::Choices(choices.to_vec()), choices.len() as f64 - 0.5);
        Self { label: label.into(), scale, low: -0.5, high, is_whole: true }
    }

    /// The axis of trials by number.
    pub fn of_trials(count: usize) -> Self {
        Self { is_whole: true, ..Self::linear("trial", 0.5, count.max(1) as f64 + 0.5) }
    }

    /// The axis of values: in their logarithm if they are positive, span decades and small ones are good; by their distance from the
    /// best if few of them are far away from all others; as they are otherwise.
    pub fn of_values(label: &str, best: f64, values: &[f64]) -> Self {
        let mut distances: Vec<f64> = values.iter().map(|value| (value - best).abs()).collect();
        distances.sort_by(f64::total_cmp);
        let (low, high) = ends(values);
        let (median, worst) = (distances[distances.len() / 2], distances[distances.len() - 1]);
        let smallest = distances.iter().copied().find(|distance| *distance > 0.0).unwrap_or(1.0);
        let scale = if low > 0.0 && high / low >= DECADES && best - low <= high - best {
            Scale::Log
        } else if worst > STRETCHED * median {
            Scale::Asinh { centre: best, width: if median > 0.0 { median } else { smallest } }
        } else {
            Scale::Linear
        };
        Self { label: label.into(), scale, low, high, is_whole: false }.with_margin(0.05)
    }

    /// The same with a margin on both sides, as a part of its length.
    pub fn with_margin(mut self, part: f64) -> Self {
        let (from, to) = (self.forward(self.low), self.forward(self.high));
        // Numbers that are the same but for rounding need room around them.
        let is_wide = to - from > 1e-9 * from.abs().max(to.abs());
        let margin = if is_wide { part * (to - from) } else { 0.5 * from.abs().max(1e-3) };
        (self.low, self.high) = (self.back(from - margin), self.back(to + margin));
        self
    }

    fn forward(&self, value: f64) -> f64 {
        match &self.scale {
            Scale::Linear | Scale::Choices(_) => value,
            Scale::Log => value.max(f64::MIN_POSITIVE).ln(),
            Scale::Asinh { centre, width } => ((value - centre) / width).asinh(),
        }
    }

    fn back(&self, place: f64) -> f64 {
        match &self.scale {
            Scale::Linear | Scale::Choices(_) => place,
            Scale::Log => place.exp(),
            Scale::Asinh { centre, width } => centre + width * place.sinh(),
        }
    }

    /// Where a value lies: 0 at the lower end, 1 at the upper one.
    pub fn part(&self, value: f64) -> f64 {
        let (from, to) = (self.forward(self.low), self.forward(self.high));
        (self.forward(value) - from) / (to - from)
    }

    /// The value a part `t` of the way along the axis.
    pub fn at(&self, t: f64) -> f64 {
        let (from, to) = (self.forward(self.low), self.forward(self.high));
        self.back(from + t * (to - from)).clamp(self.low, self.high)
    }

    /// Where values have labels, about `most` of them, and the labels.
    pub fn ticks(&self, most: usize) -> Vec<(f64, String)> {
        match &self.scale {
            Scale::Choices(choices) => {
                choices.iter().enumerate().map(|(i, choice)| (i as f64, choice.clone())).collect()
            }
            Scale::Linear => self.even_ticks(most),
            Scale::Log | Scale::Asinh { .. } => {
                let ticks = self.round_ticks(most);
                // Fewer than three say little of a short range.
                if ticks.len() < 3 { self.even_ticks(most) } else { ticks }
            }
        }
    }

    fn even_ticks(&self, most: usize) -> Vec<(f64, String)> {
        let rough = (self.high - self.low) / most.max(2) as f64;
        let power = 10_f64.powf(rough.log10().floor());
        let mut step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= 0.75 * rough).unwrap_or(10.0) * power;
        if self.is_whole {
            step = step.max(1.0).round();
        }
        let (first, last) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
        // The labels of neighbours must differ.
        let digits = (self.low.abs().max(self.high.abs()) / step).log10().max(0.0).ceil() as usize + 1;
        let tick = |k: i64| {
            let value = k as f64 * step;
            (value, short(value, digits.max(3)))
        };
        (first..=last.min(first + 50)).map(tick).collect()
    }

    /// Round numbers: powers of ten first, then what is between them, as long as they are apart.
    fn round_ticks(&self, most: usize) -> Vec<(f64, String)> {
        let largest = self.low.abs().max(self.high.abs());
        let finest = match &self.scale {
            Scale::Asinh { width, .. } => 0.1 * width,
            Scale::Log => self.low,
            Scale::Linear | Scale::Choices(_) => return Vec::new(),
        };
        let powers = (finest.log10().floor() as i32)..=(largest.log10().ceil() as i32);
        let apart = 0.8 / most.max(2) as f64;
        let mut chosen: Vec<(f64, f64)> = Vec::new();
        let mut add = |value: f64| {
            let place = self.part(value);
            let is_free = chosen.iter().all(|(_, other)| (place - other).abs() >= apart);
            if (-1e-9..=1.0 + 1e-9).contains(&place) && is_free {
                chosen.push((value, place));
            }
        };
        if matches!(self.scale, Scale::Asinh { .. }) {
            add(0.0);
        }
        for factor in [1.0, 5.0, 2.0] {
            for power in powers.clone().rev() {
                for sign in [1.0, -1.0] {
                    // Parsed, so that 1e-3 is the number nearest to it.
                    add(sign * format!("{factor}e{power}").parse::<f64>().unwrap_or(0.0));
                }
            }
        }
        chosen.sort_by(|a, b| a.1.total_cmp(&b.1));
        chosen.into_iter().map(|(value, _)| (value, short(value, 3))).collect()
    }
}

/// The smallest and the largest of some numbers.
pub fn ends(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(*value), high.max(*value)))
}

/// Where a parameter's value lies on its axis.
pub fn coordinate(parameter: &Parameter, value: &Value) -> f64 {
    match (&parameter.kind, value.as_f64()) {
        (Kind::Categorical { choices } | Kind::Ordered { choices }, _) => {
            choices.iter().position(|choice| choice.to_string() == value.to_string()).unwrap_or(0) as f64
        }
        (Kind::Fixed { .. }, _) => 0.0,
        (Kind::Float { .. } | Kind::Integer { .. } | Kind::Grid(_) | Kind::Listed(_), number) => number.unwrap_or(0.0),
    }
}

/// A parameter's range in cells, at most `most` of them unless it has more choices: a value of each cell, and its ends as parts of
/// the axis.
pub fn cells(parameter: &Parameter, most: usize) -> Vec<(Value, f64, f64)> {
    let axis = Axis::of(parameter);
    if let Kind::Grid(_) | Kind::Listed(_) = &parameter.kind {
        return cells_of_values(parameter, &axis, most);
    }
    let count = match parameter.kind.choices() {
        Some(choices) => choices.len(),
        None => parameter.kind.count().map_or(most, |count| count.min(most)),
    };
    let cell = |i: usize| {
        let (from, to) = (i as f64 / count as f64, (i + 1) as f64 / count as f64);
        let middle = axis.at(0.5 * (from + to));
        let value = match &parameter.kind {
            Kind::Float { .. } => Value::Float(middle),
            Kind::Integer { low, high } => Value::Integer((middle.round() as i64).clamp(*low, *high)),
            Kind::Categorical { .. } | Kind::Ordered { .. } | Kind::Fixed { .. } | Kind::Grid(_) | Kind::Listed(_) => {
                parameter.kind.value(i)
            }
        };
        (value, from, to)
    };
    (0..count).map(cell).collect()
}

/// Cells around some of the values of steps or of a list: each reaches half way to its neighbours.
fn cells_of_values(parameter: &Parameter, axis: &Axis, most: usize) -> Vec<(Value, f64, f64)> {
    let count = parameter.kind.count().unwrap_or(1);
    let shown = count.min(most.max(2));
    let values: Vec<Value> = (0..shown).map(|i| parameter.kind.value(i * (count - 1) / (shown - 1))).collect();
    let parts: Vec<f64> = values.iter().map(|value| axis.part(value.as_f64().unwrap_or(0.0))).collect();
    let between = |i: usize| 0.5 * (parts[i - 1] + parts[i]);
    let from = |i: usize| if i == 0 { 0.0 } else { between(i) };
    let to = |i: usize| if i + 1 == shown { 1.0 } else { between(i + 1) };
    values.into_iter().enumerate().map(|(i, value)| (value, from(i), to(i))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis, most: usize) -> Vec<String> {
        axis.ticks(most).into_iter().map(|tick| tick.1).collect()
    }

    #[test]
    fn labels_are_round_numbers_of_the_scale() {
        assert_eq!(labels(&Axis::linear("x", 0.0, 1.0), 5), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(labels(&Axis::of_trials(40), 8), ["5", "10", "15", "20", "25", "30", "35", "40"]);
        assert_eq!(labels(&Axis::of_trials(3), 8), ["1", "2", "3"]);
        let rate = Parameter { name: "rate".into(), kind: Kind::Float { low: 1e-5, high: 1e-1, log: true } };
        assert_eq!(labels(&Axis::of(&rate), 5), ["1e-5", "1e-4", "0.001", "0.01", "0.1"]);
        let kind =
            Parameter { name: "kind".into(), kind: Kind::Categorical { choices: vec!["red".into(), "green".into()] } };
        assert_eq!(labels(&Axis::of(&kind), 5), ["red", "green"]);
    }

    #[test]
    fn neighbouring_labels_differ_far_from_zero() {
        let labels = labels(&Axis::linear("x", 10_000.0, 10_000.5), 6);
        assert!(labels.windows(2).all(|pair| pair[0] != pair[1]), "{labels:?}");
    }

    #[test]
    fn values_that_span_decades_are_drawn_in_their_logarithm() {
        assert_eq!(Axis::of_values("y", 0.5, &[0.5, 3.0, 80.0]).scale, Scale::Log);
        // The logarithm would draw what is good together.
        assert_eq!(Axis::of_values("y", 80.0, &[0.5, 30.0, 80.0]).scale, Scale::Linear);
        assert_eq!(Axis::of_values("y", -0.5, &[-0.5, 3.0, 8.0]).scale, Scale::Linear);
        let stretched = Axis::of_values("y", -1.0, &[-1.0, -0.9, -0.8, 1e6]);
        assert!(matches!(stretched.scale, Scale::Asinh { .. }));
        // Values near the best and the far one have labels.
        assert!(stretched.part(-0.8) - stretched.part(-1.0) > 0.03, "{stretched:?}");
    }

    #[test]
    fn parts_and_values_are_inverses() {
        for axis in [
            Axis::linear("x", -2.0, 5.0),
            Axis { scale: Scale::Log, ..Axis::linear("x", 1e-3, 10.0) },
            Axis { scale: Scale::Asinh { centre: 0.4, width: 1e-3 }, ..Axis::linear("x", -20.0, 300.0) },
        ] {
            for t in [0.0, 0.3, 1.0] {
                assert!((axis.part(axis.at(t)) - t).abs() < 1e-9, "{axis:?} {t}");
            }
        }
    }

    #[test]
    fn equal_values_have_an_axis() {
        let axis = Axis::of_values("y", 2.0, &[2.0, 2.0]);
        assert!(axis.low < 2.0 && axis.high > 2.0 && axis.ticks(5).len() < 60, "{axis:?}");
    }
}
