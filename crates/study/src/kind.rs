//! What a parameter ranges over, and its coordinates in the search.
//!
//! The search works in coordinates of its own: a float runs over [0, 1] (its logarithm does if the scale is `log`),
//! an integer over 0, 1, …, high − low, a range in steps over the number of steps, ordered choices over their places, numbers of a
//! list over their places in [0, 1] and nothing between them, and a categorical parameter over the vertices of a cube, one
//! coordinate per choice. A fixed parameter has no coordinate.

use crate::grid::Grid;
use crate::listed::Listed;
use crate::value::Value;

/// What a parameter ranges over.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// The numbers of an interval.
    Float {
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
        /// Whether the search works on the logarithm.
        log: bool,
    },
    /// The whole numbers of an interval.
    Integer {
        /// Lower end.
        low: i64,
        /// Upper end.
        high: i64,
    },
    /// A range in steps.
    Grid(Grid),
    /// The numbers of a list, at distances that their values have.
    Listed(Listed),
    /// One of several choices, without order.
    Categorical {
        /// The choices, at least two.
        choices: Vec<Value>,
    },
    /// One of several choices, each as far from the next; yes and no are such choices.
    Ordered {
        /// The choices, at least two, in their order.
        choices: Vec<Value>,
    },
    /// Always the same value.
    Fixed {
        /// That value.
        value: Value,
    },
}

impl Kind {
    /// Yes or no.
    pub fn boolean() -> Self {
        Self::Ordered { choices: vec![false.into(), true.into()] }
    }

    /// Whether the values are yes and no.
    pub fn is_boolean(&self) -> bool {
        *self == Self::boolean()
    }

    /// How many coordinates there are in the search.
    pub fn sides(&self) -> usize {
        match self {
            Self::Float { .. } | Self::Integer { .. } | Self::Grid(_) | Self::Listed(_) | Self::Ordered { .. } => 1,
            Self::Categorical { choices } => choices.len(),
            Self::Fixed { .. } => 0,
        }
    }

    /// The width of each coordinate.
    pub fn width(&self) -> f64 {
        match self {
            Self::Integer { low, high } => (high - low) as f64,
            Self::Grid(grid) => grid.steps() as f64,
            Self::Ordered { choices } => choices.len() as f64 - 1.0,
            Self::Float { .. } | Self::Listed(_) | Self::Categorical { .. } | Self::Fixed { .. } => 1.0,
        }
    }

    /// Whether the search works on the logarithm.
    pub fn is_log(&self) -> bool {
        match self {
            Self::Float { log, .. } => *log,
            Self::Listed(listed) => listed.is_log(),
            Self::Integer { .. }
            | Self::Grid(_)
            | Self::Categorical { .. }
            | Self::Ordered { .. }
            | Self::Fixed { .. } => false,
        }
    }

    /// The ends of the range of numbers, if this is one; yes and no range from 0 to 1.
    pub fn range(&self) -> Option<(f64, f64)> {
        match self {
            Self::Float { low, high, .. } => Some((*low, *high)),
            Self::Integer { low, high } => Some((*low as f64, *high as f64)),
            Self::Grid(grid) => Some((grid.low(), grid.high())),
            Self::Listed(listed) => Some(listed.ends()),
            Self::Ordered { .. } if self.is_boolean() => Some((0.0, 1.0)),
            Self::Categorical { .. } | Self::Ordered { .. } | Self::Fixed { .. } => None,
        }
    }

    /// The choices, with or without an order.
    pub fn choices(&self) -> Option<&[Value]> {
        match self {
            Self::Categorical { choices } | Self::Ordered { choices } => Some(choices),
            Self::Float { .. } | Self::Integer { .. } | Self::Grid(_) | Self::Listed(_) | Self::Fixed { .. } => None,
        }
    }

    /// How many values there are; `None` if they have no number.
    pub fn count(&self) -> Option<usize> {
        match self {
            Self::Float { .. } => None,
            Self::Integer { low, high } => usize::try_from(high - low + 1).ok(),
            Self::Grid(grid) => usize::try_from(grid.steps() + 1).ok(),
            Self::Listed(listed) => Some(listed.values().len()),
            Self::Categorical { choices } | Self::Ordered { choices } => Some(choices.len()),
            Self::Fixed { .. } => Some(1),
        }
    }

    /// Value number `place` of [`count`](Self::count), from 0, or the last one; the lower end of an interval.
    pub fn value(&self, place: usize) -> Value {
        let steps = i64::try_from(place).unwrap_or(i64::MAX);
        let of = |values: &[Value]| values[place.min(values.len() - 1)].clone();
        match self {
            Self::Float { low, .. } => Value::Float(*low),
            Self::Integer { low, high } => Value::Integer(low.saturating_add(steps).min(*high)),
            Self::Grid(grid) => grid.value(steps),
            Self::Listed(listed) => of(listed.values()),
            Self::Categorical { choices } | Self::Ordered { choices } => of(choices),
            Self::Fixed { value } => value.clone(),
        }
    }

    /// Appends the coordinates of a canonical value. A number that lies between those of the range has a place, too.
    pub(crate) fn encode(&self, value: &Value, x: &mut Vec<f64>) {
        let number = || value.as_f64().expect("canonical: a number");
        let chosen = |choices: &[Value]| choices.iter().position(|choice| choice.to_string() == value.to_string());
        match self {
            Self::Float { low, high, log } => {
                let unit = match log {
                    true => (number().ln() - low.ln()) / (high.ln() - low.ln()),
                    false => (number() - low) / (high - low),
                };
                x.push(unit.clamp(0.0, 1.0));
            }
            Self::Integer { low, .. } => x.push(number() - *low as f64),
            Self::Grid(grid) => x.push(grid.place(number())),
            Self::Listed(listed) => x.push(listed.place(number())),
            Self::Ordered { choices } => x.push(chosen(choices).expect("canonical: a choice") as f64),
            Self::Categorical { choices } => {
                let chosen = chosen(choices);
                x.extend((0..choices.len()).map(|i| f64::from(u8::from(Some(i) == chosen))));
            }
            Self::Fixed { .. } => {}
        }
    }

    /// The value at its coordinates.
    pub(crate) fn decode(&self, x: &[f64]) -> Value {
        match self {
            Self::Float { low, high, log } => {
                let value = match log {
                    true => (low.ln() + x[0] * (high.ln() - low.ln())).exp(),
                    false => low + x[0] * (high - low),
                };
                // The ends must come back as they were written.
                let value = if x[0] >= 1.0 { *high } else { value };
                Value::Float(value.clamp(*low, *high))
            }
            Self::Integer { low, high } => Value::Integer((low + x[0].round() as i64).clamp(*low, *high)),
            Self::Grid(grid) => grid.value(x[0].round() as i64),
            Self::Listed(listed) => listed.values()[listed.nearest(x[0])].clone(),
            Self::Ordered { choices } => choices[(x[0].round().max(0.0) as usize).min(choices.len() - 1)].clone(),
            Self::Categorical { choices } => {
                let largest = (0..choices.len()).fold(0, |best, i| if x[i] > x[best] { i } else { best });
                choices[largest].clone()
            }
            Self::Fixed { value } => value.clone(),
        }
    }

    /// Appends the coordinates at this share of the range, for a design: values have equal shares.
    pub(crate) fn spread(&self, unit: f64, x: &mut Vec<f64>) {
        let place = |count: usize| ((unit * count as f64).floor()).min(count as f64 - 1.0);
        match self {
            Self::Float { .. } => x.push(unit),
            Self::Listed(listed) => x.push(listed.places()[listed.share(unit)]),
            Self::Categorical { choices } => {
                let chosen = ((unit * choices.len() as f64) as usize).min(choices.len() - 1);
                x.extend((0..choices.len()).map(|i| f64::from(u8::from(i == chosen))));
            }
            Self::Integer { .. } | Self::Grid(_) | Self::Ordered { .. } => x.push(place(self.width() as usize + 1)),
            Self::Fixed { .. } => {}
        }
    }
}
