//! What is searched, in the user's units and in the search's.

use crate::constraint::Constraint;
use crate::error::{Error, Result};
use crate::kind::Kind;
use crate::parameter::Parameter;
use crate::value::{Point, Value};
use fathom_global::{FEASIBILITY, Region, Row};
use std::fmt;

/// Parameters under constraints.
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    parameters: Vec<Parameter>,
    constraints: Vec<Constraint>,
    sides: Vec<usize>,
    region: Region,
}

impl Space {
    /// A space of parameters with different names, at least one of them free; [`Constraint::parse`] reads the constraints.
    pub fn new(parameters: Vec<Parameter>, constraints: &[&str]) -> Result<Self> {
        for (i, parameter) in parameters.iter().enumerate() {
            if parameters[..i].iter().any(|other| other.name == parameter.name) {
                return Err(Error::BadParameter {
                    name: parameter.name.clone(),
                    reason: "the name is there twice".into(),
                });
            }
        }
        if parameters.iter().all(|parameter| parameter.sides() == 0) {
            let reason = "at least one parameter must be free".into();
            return Err(Error::BadParameter { name: "*".into(), reason });
        }
        let mut sides = Vec::new();
        let mut next = 0;
        for parameter in &parameters {
            sides.push(next);
            next += parameter.sides();
        }
        let mut space = Self { parameters, constraints: Vec::new(), sides, region: Region::new(&[])? };
        space.region = space.box_of_sides()?;
        constraints.iter().try_fold(space, |space, text| space.under(text))
    }

    /// The same space under one constraint more.
    pub(crate) fn under(mut self, text: &str) -> Result<Self> {
        for constraint in Constraint::parse(text, &self.parameters)? {
            if let Some(row) = constraint.row(&self.parameters, &self.sides)? {
                if !may_hold(&row, &self.region) {
                    let reason = format!("`{}` holds nowhere in the ranges of its parameters", constraint.text());
                    return Err(Error::Infeasible { reason });
                }
                self.region = self.region.with_row(row)?;
            }
            self.constraints.push(constraint);
        }
        Ok(self)
    }

    fn box_of_sides(&self) -> Result<Region> {
        let bounds: Vec<(f64, f64)> = self.widths().into_iter().map(|width| (0.0, width)).collect();
        let mut region = Region::new(&bounds)?;
        for (parameter, side) in self.parameters.iter().zip(&self.sides) {
            region = match &parameter.kind {
                Kind::Integer { .. } | Kind::Grid(_) | Kind::Ordered { .. } => region.with_integers(&[*side])?,
                Kind::Listed(listed) => region.with_values(*side, listed.places())?,
                Kind::Categorical { choices } => {
                    region.with_one_of(&(*side..side + choices.len()).collect::<Vec<_>>())?
                }
                Kind::Float { .. } | Kind::Fixed { .. } => region,
            };
        }
        Ok(region)
    }

    /// The parameters, in the order they were written.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The constraints; a chain (`a <= b <= c`) counts as several.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// The space in the search's coordinates.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// Number of coordinates in the search.
    pub fn dim(&self) -> usize {
        self.region.dim()
    }

    /// Number of parameters that are not fixed.
    pub fn free(&self) -> usize {
        self.parameters.iter().filter(|parameter| parameter.sides() > 0).count()
    }

    /// The divisor that brings a coordinate to the unit cube: high − low for an integer, the number of steps or of choices but one
    /// where these are counted, 1 for all else.
    pub fn widths(&self) -> Vec<f64> {
        let of = |parameter: &Parameter| std::iter::repeat_n(parameter.kind.width(), parameter.sides());
        self.parameters.iter().flat_map(of).collect()
    }

    /// The smallest distance of two numbers of a list, in the unit cube; 1 if there is no list.
    pub(crate) fn finest(&self) -> f64 {
        let of = |parameter: &Parameter| match &parameter.kind {
            Kind::Listed(listed) => listed.finest(),
            Kind::Float { .. }
            | Kind::Integer { .. }
            | Kind::Grid(_)
            | Kind::Categorical { .. }
            | Kind::Ordered { .. }
            | Kind::Fixed { .. } => 1.0,
        };
        self.parameters.iter().map(of).fold(1.0, f64::min)
    }

    /// The coordinates of the parameter called `name`.
    pub fn sides_of(&self, name: &str) -> Option<std::ops::Range<usize>> {
        let index = self.parameters.iter().position(|parameter| parameter.name == name)?;
        Some(self.sides[index]..self.sides[index] + self.parameters[index].sides())
    }

    /// How many of the coordinates in `group` each of their parameters has, one parameter after the other.
    pub(crate) fn parameters_of(&self, group: &[usize]) -> Vec<usize> {
        let parameter_of = |side: usize| self.sides.partition_point(|first| *first <= side);
        group.chunk_by(|a, b| parameter_of(*a) == parameter_of(*b)).map(<[usize]>::len).collect()
    }

    /// `point` in the order and the types of the space. It is an error if a parameter is missing (fixed ones may be), unknown
    /// or out of range, or if a constraint is broken.
    pub fn check(&self, point: &Point) -> Result<Point> {
        if let Some((name, value)) = point.iter().find(|(name, _)| self.sides_of(name).is_none()) {
            let reason = "there is no such parameter".into();
            return Err(Error::BadValue { name: name.clone(), value: value.to_string(), reason });
        }
        let mut checked = Point::new();
        for parameter in &self.parameters {
            let value = match (point.get(&parameter.name), &parameter.kind) {
                (Some(value), _) => parameter.canonical(value)?,
                (None, Kind::Fixed { value }) => value.clone(),
                (None, _) => {
                    let (name, reason) = (parameter.name.clone(), "a value is needed".into());
                    return Err(Error::BadValue { name, value: "missing".into(), reason });
                }
            };
            checked.insert(parameter.name.clone(), value);
        }
        let violated = self.constraints.iter().map(|c| (c, self.violation(c, &checked))).find(|(_, off)| *off > 0.0);
        match violated {
            Some((constraint, violation)) => {
                Err(Error::Violated { constraint: constraint.text().to_owned(), violation })
            }
            None => Ok(checked),
        }
    }

    /// How far a constraint is from holding. It holds if it holds in the user's units or in the search's, as for points that
    /// the search finds: near a value of 0 in the middle of a range the search's terms are the larger ones.
    fn violation(&self, constraint: &Constraint, point: &Point) -> f64 {
        let numbers: Vec<f64> = point.values().map(|value| value.as_f64().unwrap_or(f64::NAN)).collect();
        let violation = constraint.violation(&numbers);
        let row = || self.row(constraint).ok().flatten();
        // The factor 2 allows for the rounding of decoding and encoding.
        let holds = |row: Row| row.miss(&self.encode(point)) <= 2.0 * FEASIBILITY;
        if violation > 0.0 && row().is_some_and(holds) { 0.0 } else { violation }
    }

    /// One of its constraints in the search's coordinates; `None` if every point keeps it.
    pub(crate) fn row(&self, constraint: &Constraint) -> Result<Option<Row>> {
        constraint.row(&self.parameters, &self.sides)
    }

    /// The coordinates of a checked point.
    pub fn encode(&self, point: &Point) -> Vec<f64> {
        let mut x = Vec::with_capacity(self.dim());
        for (parameter, value) in self.parameters.iter().zip(point.values()) {
            parameter.kind.encode(value, &mut x);
        }
        x
    }

    /// The point at coordinates `x` of the region.
    pub fn decode(&self, x: &[f64]) -> Point {
        let value = |(parameter, side): (&Parameter, &usize)| {
            (parameter.name.clone(), parameter.kind.decode(&x[*side..side + parameter.sides()]))
        };
        self.parameters.iter().zip(&self.sides).map(value).collect()
    }

    /// The search's coordinates x0, x1, … in terms of the parameters: an equation for each parameter that is not fixed.
    pub fn coordinates(&self) -> Vec<String> {
        let equation = |(parameter, side): (&Parameter, &usize)| {
            let Parameter { name, kind } = parameter;
            match kind {
                Kind::Float { low, high, log: false } => {
                    Some(format!("x{side} = ({name} − {low}) / {}", high - low).replace("− -", "+ "))
                }
                Kind::Float { low, high, log: true } => {
                    Some(format!("x{side} = log({name} / {low:?}) / log({high:?} / {low:?})"))
                }
                Kind::Integer { low, .. } => Some(format!("x{side} = {name} − {low}").replace("− -", "+ ")),
                Kind::Grid(grid) => {
                    let (low, step) = (grid.low(), grid.step());
                    Some(format!("x{side} = ({name} − {low}) / {step}, a whole number").replace("− -", "+ "))
                }
                Kind::Listed(listed) => {
                    let ((low, high), listed_values) = (listed.ends(), listed.shown());
                    let line = match listed.is_log() {
                        true => format!("x{side} = log({name} / {low:?}) / log({high:?} / {low:?})"),
                        false => format!("x{side} = ({name} − {low}) / {}", high - low).replace("− -", "+ "),
                    };
                    Some(format!("{line}, for the values {listed_values}"))
                }
                Kind::Ordered { choices } => {
                    let places = choices.iter().enumerate().map(|(i, choice)| format!("{i} for {choice}"));
                    Some(format!("x{side} = the place of {name} ({})", places.collect::<Vec<_>>().join(", ")))
                }
                Kind::Categorical { choices } => {
                    let choices: Vec<String> = choices.iter().map(Value::to_string).collect();
                    let sides: Vec<String> = (0..choices.len()).map(|i| format!("x{}", side + i)).collect();
                    Some(format!("({}) = 1 for the choice of {name} ({})", sides.join(", "), choices.join(", ")))
                }
                Kind::Fixed { .. } => None,
            }
        };
        self.parameters.iter().zip(&self.sides).filter_map(equation).collect()
    }

    /// How many points the space has without its constraints; `None` if a float is free or the points are too many
    /// to go through.
    pub fn size(&self) -> Option<usize> {
        let mut size: usize = 1;
        for parameter in &self.parameters {
            size = size.checked_mul(parameter.kind.count()?)?;
        }
        (size <= Self::MOST_LISTED).then_some(size)
    }

    /// The largest space that [`points`](Self::points) lists.
    pub const MOST_LISTED: usize = 20_000;

    /// All points of a finite space that keep the constraints; `None` if [`size`](Self::size) is.
    pub fn points(&self) -> Option<Vec<Point>> {
        let size = self.size()?;
        let point = |mut index: usize| -> Point {
            let mut value = |parameter: &Parameter| {
                let count = parameter.kind.count().unwrap_or(1);
                let digit = index % count;
                index /= count;
                parameter.kind.value(digit)
            };
            self.parameters.iter().map(|parameter| (parameter.name.clone(), value(parameter))).collect()
        };
        Some((0..size).map(point).filter(|point| self.check(point).is_ok()).collect())
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
        f.write_str(&plural(self.parameters.len(), "parameter"))?;
        match &self.constraints[..] {
            [] => f.write_str(", no constraints"),
            constraints => {
                let texts: Vec<String> = constraints.iter().map(|c| format!("`{}`", c.text())).collect();
                write!(f, ", {} ({})", plural(constraints.len(), "constraint"), texts.join(", "))
            }
        }
    }
}

/// Whether a row can hold within the ranges of its terms, with room for rounding.
fn may_hold(row: &Row, region: &Region) -> bool {
    let ends = |j: usize| [region.lower()[j], region.upper()[j]];
    let mut range = (0.0, 0.0);
    let sides = [row.lower(), row.upper()].into_iter().filter(|side| side.is_finite());
    let mut size: f64 = sides.map(f64::abs).fold(0.0, f64::max);
    let mut add = |values: &[f64]| {
        range.0 += values.iter().copied().fold(f64::INFINITY, f64::min);
        range.1 += values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        size = values.iter().map(|v| v.abs()).fold(size, f64::max);
    };
    for (j, c) in row.linear() {
        add(&ends(*j).map(|x| c * x));
    }
    for (j, k, q) in row.quadratic() {
        let corners: Vec<f64> = ends(*j).iter().flat_map(|x| ends(*k).map(|y| q * x * y)).collect();
        add(&corners);
    }
    let slack = 1e-7 * size;
    range.0 <= row.upper() + slack && range.1 >= row.lower() - slack
}
