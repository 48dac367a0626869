//! Where an acquisition function is minimised: bounds, whole numbers, categories and constraints, as Python writes them.

use crate::error::{InputError, OrRaise as _};
use fathom_global::{Region, Row};
use fathom_proof::StatedRow;
use fathom_study::{Kind, Parameter, Space, Value};
use pyo3::conversion::FromPyObjectOwned;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::collections::HashMap;

/// A constraint: text over the names of the inputs, or the coefficients themselves.
pub enum Constraint {
    /// `x0 + 3*x1 <= 18`.
    Text(String),
    /// `fathom.Row`.
    Row(Coefficients),
}

impl<'py> FromPyObject<'_, 'py> for Constraint {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = given.extract::<String>() {
            return Ok(Self::Text(text));
        }
        given.extract().map(Self::Row).map_err(|error: PyErr| {
            let kind = given.get_type().name().map_or_else(|_| "this".into(), |name| name.to_string());
            match given.hasattr("linear") {
                Ok(true) => InputError::new_err(format!("a Row has numbers by the numbers of inputs: {error}")),
                _ => InputError::new_err(format!(
                    "{kind} is no constraint: use text such as \"x0 + 3*x1 <= 18\" or a fathom.Row"
                )),
            }
        })
    }
}

/// `lower <= Σ linear + Σ quadratic <= upper`.
#[derive(FromPyObject)]
pub struct Coefficients {
    linear: HashMap<usize, f64>,
    quadratic: HashMap<(usize, usize), f64>,
    lower: Option<f64>,
    upper: Option<f64>,
}

/// What limits the search besides the bounds.
#[derive(Default)]
pub struct Limited {
    pub constraints: Vec<Constraint>,
    pub integers: Vec<usize>,
    pub one_of: Vec<Vec<usize>>,
}

/// What the inputs are called, in constraints and in messages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Names(Option<Vec<String>>);

impl Names {
    /// The names that were given, each once.
    pub fn new(given: Option<Vec<String>>) -> PyResult<Self> {
        let twice = |names: &[String]| (0..names.len()).find(|j| names[..*j].contains(&names[*j]));
        match given.as_deref().and_then(|names| twice(names).map(|j| &names[j])) {
            Some(name) => Err(InputError::new_err(format!("names: `{name}` names two inputs"))),
            None => Ok(Self(given)),
        }
    }

    /// These for a model of `dim` inputs, or an error.
    pub fn of(self, dim: usize) -> PyResult<Self> {
        match &self.0 {
            Some(names) if names.len() != dim => {
                Err(InputError::new_err(format!("names has {} entries, and the model has {dim} inputs", names.len())))
            }
            _ => Ok(self),
        }
    }

    /// These, or those of the model if there are none.
    pub fn or(self, model: &Self) -> Self {
        if self.0.is_some() { self } else { model.clone() }
    }

    /// As Python has them.
    pub fn given(&self) -> Option<&[String]> {
        self.0.as_deref()
    }

    /// The name of an input.
    pub fn name(&self, input: usize) -> String {
        let own = self.0.as_ref().and_then(|names| names.get(input));
        own.cloned().unwrap_or_else(|| format!("x{input}"))
    }
}

/// A region, and the text of each of its rows.
pub struct Limits {
    pub region: Region,
    pub texts: Vec<String>,
}

/// The region of `bounds` under all that.
pub fn region(bounds: &[(f64, f64)], limited: &Limited, names: &Names) -> PyResult<Limits> {
    let build = || {
        let mut region = Region::new(bounds)?;
        for group in &limited.one_of {
            region = region.with_one_of(group)?;
        }
        region.with_integers(&limited.integers)
    };
    let mut region = build().or_raise()?;
    let mut texts: Vec<String> = region.rows().iter().map(|row| written(row, names)).collect();
    for constraint in &limited.constraints {
        let rows = match constraint {
            Constraint::Text(text) => parsed(text, bounds, names)?,
            Constraint::Row(coefficients) => vec![coefficients.row()?],
        };
        for row in rows {
            texts.push(match constraint {
                Constraint::Text(text) => text.trim().to_owned(),
                Constraint::Row(_) => written(&row, names),
            });
            region = region.with_row(row).or_raise()?;
        }
    }
    Ok(Limits { region, texts })
}

fn written(row: &Row, names: &Names) -> String {
    let side = |number: f64| Some(number).filter(|number| number.is_finite());
    let stated = StatedRow {
        linear: row.linear().to_vec(),
        quadratic: row.quadratic().to_vec(),
        lower: side(row.lower()),
        upper: side(row.upper()),
    };
    stated.text(|input| names.name(input))
}

/// The items of an iterable, as a list.
pub fn items<'py, T: FromPyObjectOwned<'py>>(name: &str, given: Option<&Bound<'py, PyAny>>) -> PyResult<Vec<T>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    if given.is_instance_of::<PyString>() {
        return Err(InputError::new_err(format!("{name} is one string: put it into a list")));
    }
    let refused = |error: PyErr| InputError::new_err(format!("{name}: {}", error.value(given.py())));
    let read = |item: PyResult<Bound<'py, PyAny>>| item?.extract().map_err(|error: T::Error| refused(error.into()));
    given.try_iter().map_err(refused)?.map(read).collect()
}

impl Coefficients {
    fn row(&self) -> PyResult<Row> {
        if self.lower.is_none() && self.upper.is_none() {
            return Err(InputError::new_err("a Row needs `lower`, `upper` or both"));
        }
        // The terms are sorted, so that the same row is always the same sum.
        let mut linear: Vec<_> = self.linear.iter().map(|(j, c)| (*j, *c)).collect();
        let mut quadratic: Vec<_> = self.quadratic.iter().map(|((j, k), q)| (*j, *k, *q)).collect();
        linear.sort_by_key(|(j, _)| *j);
        quadratic.sort_by_key(|(j, k, _)| (*j, *k));
        let (lower, upper) = (self.lower.unwrap_or(f64::NEG_INFINITY), self.upper.unwrap_or(f64::INFINITY));
        Row::new(&linear, &quadratic, lower, upper).or_raise()
    }
}

/// The rows that `text` states, by the grammar of studies. The grammar yields rows over the unit cube, which are
/// taken back. A name that the grammar cannot spell is no name there: that input is x0, x1, …
fn parsed(text: &str, bounds: &[(f64, f64)], names: &Names) -> PyResult<Vec<Row>> {
    let parameter = |(j, (low, high)): (usize, &(f64, f64))| {
        let kind = match low == high {
            true => Kind::Fixed { value: Value::Float(*low) },
            false => Kind::Float { low: *low, high: *high, log: false },
        };
        Parameter::new(&names.name(j), kind.clone()).or_else(|_| Parameter::new(&format!("x{j}"), kind))
    };
    let read = || {
        let parameters = bounds.iter().enumerate().map(parameter).collect::<fathom_study::Result<Vec<_>>>()?;
        Space::new(parameters, &[text])
    };
    let space = read().or_raise()?;
    let free: Vec<usize> = (0..bounds.len()).filter(|j| bounds[*j].0 != bounds[*j].1).collect();
    if space.dim() != free.len() {
        return Err(InputError::new_err(format!(
            "`{text}` counts inputs, which studies can and a single search cannot"
        )));
    }
    space.region().rows().iter().map(|row| widened(row, bounds, &free)).collect()
}

/// A row over u = (x − low)/(high − low) of the `free` sides as one over x.
fn widened(row: &Row, bounds: &[(f64, f64)], free: &[usize]) -> PyResult<Row> {
    let map = |u: usize| (free[u], bounds[free[u]].0, bounds[free[u]].1 - bounds[free[u]].0);
    let (mut linear, mut quadratic, mut constant) = (Vec::new(), Vec::new(), 0.0);
    for (u, c) in row.linear() {
        let (j, low, width) = map(*u);
        linear.push((j, c / width));
        constant -= c * low / width;
    }
    for (u, v, q) in row.quadratic() {
        let ((j, a, r), (k, b, s)) = (map(*u), map(*v));
        let q = q / (r * s);
        quadratic.push((j, k, q));
        linear.extend([(j, -q * b), (k, -q * a)]);
        constant += q * a * b;
    }
    Row::new(&linear, &quadratic, row.lower() - constant, row.upper() - constant).or_raise()
}
