//! The region's rows and lists of numbers, as rows of the model.

use crate::error::Result;
use fathom_global::Region;
use fathom_global::Row;
use fathom_miqp::{Expression, Kind, Model, Variable};

/// `constraint_k`, or `constraint_k_lower` and `constraint_k_upper` if a row has two different sides.
pub(super) fn add(model: &mut Model, region: &Region, x: &[Variable]) -> Result<()> {
    for (k, row) in (1..).zip(region.rows()) {
        let left = expression(row, x);
        if row.last_variable().is_none() {
            // A constant row holds everywhere or nowhere, and files cannot express such a row.
            let constant = row.violation(&[]) <= 0.0;
            if constant {
                continue;
            }
            return Err(fathom_global::Error::BadRow {
                reason: format!("row {k} has no variable, and 0 is outside its sides"),
            }
            .into());
        }
        let (lower, upper) = (row.lower(), row.upper());
        let name = format!("constraint_{k}");
        match (lower.is_finite(), upper.is_finite()) {
            (true, true) if row.is_equality() => model.add_row(&name, left.equal_to(lower))?,
            (true, true) => {
                model.add_row(&format!("{name}_lower"), left.clone().at_least(lower))?;
                model.add_row(&format!("{name}_upper"), left.at_most(upper))?;
            }
            (true, false) => model.add_row(&name, left.at_least(lower))?,
            (false, true) => model.add_row(&name, left.at_most(upper))?,
            (false, false) => {}
        }
    }
    for (j, own) in x.iter().enumerate() {
        if let Some(values) = region.values(j) {
            add_list(model, j, *own, values)?;
        }
    }
    Ok(())
}

/// A variable that has one of some numbers: one binary variable for each, of which exactly one is 1.
fn add_list(model: &mut Model, j: usize, own: Variable, values: &[f64]) -> Result<()> {
    let (mut one, mut same) = (Expression::default(), Expression::linear([(own, -1.0)]));
    for (k, value) in values.iter().enumerate() {
        let chosen = model.add_variable(&format!("listed_{}_{}", j + 1, k + 1), Kind::Binary, 0.0, 1.0)?;
        one += Expression::linear([(chosen, 1.0)]);
        same += Expression::linear([(chosen, *value)]);
    }
    model.add_row(&format!("one_of_list_{}", j + 1), one.equal_to(1.0))?;
    model.add_row(&format!("value_of_list_{}", j + 1), same.equal_to(0.0))?;
    Ok(())
}

fn expression(row: &Row, x: &[Variable]) -> Expression {
    let mut left = Expression::linear(row.linear().iter().map(|(j, c)| (x[*j], *c)));
    for (j, k, q) in row.quadratic() {
        left += *q * (x[*j] * x[*k]);
    }
    left
}
