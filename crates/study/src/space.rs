//! What is searched, in the user's units and in the search's.

use crate::constraint::{Constraint, affine, rows_of};
use crate::error::{Error, Result};
use crate::kind::Kind;
use crate::parameter::Parameter;
use crate::value::{Point, Value};
use fathom_global::{FEASIBILITY, Region, Row};
use std::fmt;

/// The width of a coordinate that says whether a parameter is used: so wide that the model hardly sees it.
const UNSEEN: f64 = 1e6;

/// Parameters under constraints.
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    parameters: Vec<Parameter>,
    constraints: Vec<Constraint>,
    sides: Vec<usize>,
    /// The parameters of which constraints ask whether they are used; each has one more coordinate, behind all others.
    asked: Vec<usize>,
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
        let (constraints_so_far, asked) = (Vec::new(), Vec::new());
        let mut space = Self { parameters, constraints: constraints_so_far, sides, asked, region: Region::new(&[])? };
        space.region = space.box_of_sides()?;
        constraints.iter().try_fold(space, |space, text| space.under(text))
    }

    /// The same space under one constraint more.
    pub(crate) fn under(mut self, text: &str) -> Result<Self> {
        for constraint in Constraint::parse(text, &self.parameters)? {
            let asked = constraint.used().map_or(&[][..], |used| &used.members);
            let new: Vec<usize> = asked.iter().copied().filter(|member| !self.asked.contains(member)).collect();
            if !new.is_empty() {
                self.asked.extend(new);
                self.region = self.box_of_sides()?;
                for known in &self.constraints {
                    for row in self.rows(known)? {
                        self.region = self.region.with_row(row)?;
                    }
                }
            }
            for row in self.rows(&constraint)? {
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
        let of = |parameter: &Parameter| std::iter::repeat_n((0.0, parameter.kind.width()), parameter.sides());
        let mut bounds: Vec<(f64, f64)> = self.parameters.iter().flat_map(of).collect();
        let own = bounds.len();
        bounds.extend(self.asked.iter().map(|_| (0.0, 1.0)));
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
        region = region.with_integers(&(own..bounds.len()).collect::<Vec<_>>())?;
        for (place, member) in self.asked.iter().enumerate() {
            let parameter = &self.parameters[*member];
            for row in rows_of(parameter, affine(parameter), self.sides[*member], own + place)? {
                region = region.with_row(row)?;
            }
        }
        Ok(region)
    }

    /// Number of coordinates of the parameters themselves; those behind them say which parameters are used.
    pub(crate) fn own_dim(&self) -> usize {
        self.dim() - self.asked.len()
    }

    /// The coordinate that says whether a parameter is used, if a constraint asks that.
    fn used_side(&self, parameter: usize) -> Option<usize> {
        Some(self.own_dim() + self.asked.iter().position(|asked| *asked == parameter)?)
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
    /// where these are counted, 1 for all else. That of a coordinate that says whether a parameter is used is very large: the model
    /// is to see the parameter alone.
    pub fn widths(&self) -> Vec<f64> {
        let of = |parameter: &Parameter| std::iter::repeat_n(parameter.kind.width(), parameter.sides());
        self.parameters.iter().flat_map(of).chain(self.asked.iter().map(|_| UNSEEN)).collect()
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

    /// The same, and the coordinate that says whether the parameter is used.
    pub(crate) fn all_sides_of(&self, name: &str) -> Option<Vec<usize>> {
        let index = self.parameters.iter().position(|parameter| parameter.name == name)?;
        Some(self.sides_of(name)?.chain(self.used_side(index)).collect())
    }

    /// How many of the coordinates in `group` each of their parameters has, one parameter after the other.
    pub(crate) fn parameters_of(&self, group: &[usize]) -> Vec<usize> {
        let parameter_of = |side: usize| match side < self.own_dim() {
            true => self.sides.partition_point(|first| *first <= side),
            false => self.sides.len() + 1 + side,
        };
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
        if violation == 0.0 || constraint.used().is_some() {
            return violation;
        }
        let row = constraint.row(&self.parameters, &self.sides).ok().flatten();
        // The factor 2 allows for the rounding of decoding and encoding.
        let holds = |row: Row| row.miss(&self.encode(point)) <= 2.0 * FEASIBILITY;
        if row.is_some_and(holds) { 0.0 } else { violation }
    }

    /// One of its constraints in the search's coordinates; nothing if every point keeps it.
    pub(crate) fn rows(&self, constraint: &Constraint) -> Result<Vec<Row>> {
        match constraint.used() {
            Some(used) => Ok(vec![used.row(|member| self.used_side(member).unwrap_or(0))?]),
            None => Ok(constraint.row(&self.parameters, &self.sides)?.into_iter().collect()),
        }
    }

    /// The coordinates of a checked point.
    pub fn encode(&self, point: &Point) -> Vec<f64> {
        let mut x = Vec::with_capacity(self.dim());
        for (parameter, value) in self.parameters.iter().zip(point.values()) {
            parameter.kind.encode(value, &mut x);
        }
        let is_used = |asked: &usize| point.get_index(*asked).is_some_and(|(_, value)| value.as_f64() != Some(0.0));
        x.extend(self.asked.iter().map(|asked| f64::from(u8::from(is_used(asked)))));
        x
    }

    /// The point at coordinates `x` of the region.
    pub fn decode(&self, x: &[f64]) -> Point {
        let value = |(index, parameter): (usize, &Parameter)| {
            let side = self.sides[index];
            let own = parameter.kind.decode(&x[side..side + parameter.sides()]);
            // Who is not used is 0, and not almost 0.
            let is_unused = self.used_side(index).is_some_and(|used| x[used].round() == 0.0);
            let zero = || parameter.canonical(&0.0.into()).ok();
            (parameter.name.clone(), if is_unused { zero().unwrap_or(own) } else { own })
        };
        self.parameters.iter().enumerate().map(value).collect()
    }

    /// Brings the coordinates of the parameters to at most as many as may be used, and appends those that say who is used. Who is
    /// left out is decided by the last digits of the coordinates, so that a design has all of them by turns.
    pub(crate) fn with_used(&self, mut x: Vec<f64>) -> Vec<f64> {
        let mut left_out: Vec<usize> = Vec::new();
        // Multiples of irrational numbers differ behind the point, those of whole numbers too.
        let sum: f64 = x.iter().enumerate().map(|(j, x)| x * (754.877_666 + 56.984_029 * j as f64)).sum();
        for used in self.constraints.iter().filter_map(Constraint::used) {
            let lot = |member: &usize| ((sum + 0.618_034 * *member as f64) * (*member as f64 + 1.5)).fract();
            let mut members: Vec<usize> = used.members.iter().copied().filter(|m| !left_out.contains(m)).collect();
            members.sort_by(|a, b| lot(a).total_cmp(&lot(b)));
            left_out.extend(members.iter().skip(used.most));
        }
        for member in left_out {
            let parameter = &self.parameters[member];
            if let Ok(zero) = parameter.canonical(&0.0.into()) {
                let mut place = Vec::new();
                parameter.kind.encode(&zero, &mut place);
                x[self.sides[member]] = place[0];
            }
        }
        if self.asked.is_empty() {
            return x;
        }
        x.resize(self.dim(), 1.0);
        self.encode(&self.decode(&x))
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
        let used = |(place, asked): (usize, &usize)| {
            format!("x{} = 1 if {} is used, else 0", self.own_dim() + place, self.parameters[*asked].name)
        };
        let own = self.parameters.iter().zip(&self.sides).filter_map(equation);
        own.chain(self.asked.iter().enumerate().map(used)).collect()
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
