//! Where an acquisition function is minimised: bounds, whole numbers, categories and constraints, as Python writes them.

use crate::error::{InputError, OrRaise as _};
use fathom_global::{Region, Row};
use fathom_study::{Kind, Parameter, Space, Value};
use pyo3::conversion::FromPyObjectOwned;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::collections::HashMap;

/// A constraint: text over x0, x1, …, or the coefficients themselves.
#[derive(FromPyObject)]
pub enum Constraint {
    /// `x0 + 3*x1 <= 18`.
    Text(String),
    /// `fathom.Row`.
    Row(Coefficients),
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

/// The region of `bounds` under all that.
pub fn region(bounds: &[(f64, f64)], limited: &Limited) -> PyResult<Region> {
    let build = || {
        let mut region = Region::new(bounds)?;
        for group in &limited.one_of {
            region = region.with_one_of(group)?;
        }
        region.with_integers(&limited.integers)
    };
    let mut region = build().or_raise()?;
    for constraint in &limited.constraints {
        let rows = match constraint {
            Constraint::Text(text) => parsed(text, bounds)?,
            Constraint::Row(coefficients) => vec![coefficients.row()?],
        };
        for row in rows {
            region = region.with_row(row).or_raise()?;
        }
    }
    Ok(region)
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
/// taken back.
fn parsed(text: &str, bounds: &[(f64, f64)]) -> PyResult<Vec<Row>> {
    let parameter = |(j, (low, high)): (usize, &(f64, f64))| {
        let kind = match low == high {
            true => Kind::Fixed { value: Value::Float(*low) },
            false => Kind::Float { low: *low, high: *high, log: false },
        };
        Parameter::new(&format!("x{j}"), kind)
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
