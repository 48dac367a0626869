//! Solution files have a name and a value on each line. SCIP writes and reads them; Gurobi's MIP starts are the same without a
//! head.
//!
//! ```text
//! solution status: optimal solution found
//! objective value:                    -2.75
//! x                                     0.5   (obj:-3)
//! ```
//!
//! A variable that is not listed is zero.

use crate::dialect::number;
use crate::model::Model;
use crate::name::CONSTANT;

/// The column that SCIP's LP reader makes for the quadratic part of an objective.
const QUADRATIC_PART: &str = "quadobjvar";

/// The point in a solution file, or what is wrong with the file; none if the file says that there is no point.
pub(crate) fn read(model: &Model, text: &str) -> Result<Option<Vec<f64>>, String> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).peekable();
    if lines.next_if(|line| line.starts_with("solution status:")).is_none() {
        return Err("the solution file does not begin with a status".to_string());
    }
    match lines.next() {
        Some("no solution available") => return Ok(None),
        Some(line) if line.starts_with("objective value:") => {}
        other => return Err(format!("the solution file has `{}` in place of a value", other.unwrap_or_default())),
    }
    let mut x = vec![0.0; model.columns.len()];
    for line in lines {
        let mut words = line.split_whitespace();
        let (Some(name), Some(value)) = (words.next(), words.next()) else {
            return Err(format!("the solution file has a line `{line}`"));
        };
        if name == CONSTANT || name == QUADRATIC_PART {
            continue;
        }
        let variable = model.variable(name).ok_or_else(|| format!("the solution has an unknown variable `{name}`"))?;
        x[variable.index()] = finite(name, value)?;
    }
    Ok(Some(x))
}

/// The point in a file of Gurobi, which lists every variable; none if one is missing or is not a number.
pub(crate) fn read_complete(model: &Model, text: &str) -> Option<Vec<f64>> {
    let mut x = vec![f64::NAN; model.columns.len()];
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let (name, value) = (words.next()?, words.next()?);
        if let Some(variable) = model.variable(name) {
            x[variable.index()] = finite(name, value).ok()?;
        }
    }
    x.iter().all(|value| value.is_finite()).then_some(x)
}

fn finite(name: &str, value: &str) -> Result<f64, String> {
    let number = value.parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| format!("the solution has `{name}` = `{value}`, which is not a number"))
}

/// A start for SCIP, with the columns that only its LP reader knows.
pub(crate) fn scip_start(model: &Model, x: &[f64]) -> String {
    let mut text = format!("solution status: unknown\nobjective value: {}\n", number(model.objective.value(x)));
    text.push_str(&gurobi_start(model, x));
    if model.objective.constant != 0.0 {
        text.push_str(&format!("{CONSTANT} 1\n"));
    }
    if !model.objective.is_linear() {
        let part: f64 = model.objective.quadratic.iter().map(|(j, k, q)| q * x[j.index()] * x[k.index()]).sum();
        text.push_str(&format!("{QUADRATIC_PART} {}\n", number(part)));
    }
    text
}

/// A start for Gurobi.
pub(crate) fn gurobi_start(model: &Model, x: &[f64]) -> String {
    model.columns.iter().zip(x).map(|(column, value)| format!("{} {}\n", column.name, number(*value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Kind;

    fn model() -> Model {
        let mut model = Model::new();
        let x = model.add_variable("x", Kind::Continuous, 0.0, 1.0).unwrap();
        let y = model.add_variable("y", Kind::Continuous, 0.0, 1.0).unwrap();
        model.minimise(x * x - y + 2.0).unwrap();
        model
    }

    #[test]
    fn unlisted_variables_are_zero_and_helper_columns_are_skipped() {
        let text =
            "solution status: optimal\nobjective value: 1\ny  0.25 \t(obj:-1)\nquadobjvar 3\nobjective_constant 1\n";
        assert_eq!(read(&model(), text).unwrap(), Some(vec![0.0, 0.25]));
        let none = "solution status: infeasible\nno solution available\n";
        assert_eq!(read(&model(), none).unwrap(), None);
    }

    #[test]
    fn garbage_is_refused() {
        let head = "solution status: optimal\nobjective value: 1\n";
        for text in ["", "x 1", "solution status: optimal", "solution status: a\nx 1\n"] {
            assert!(read(&model(), text).is_err(), "{text}");
        }
        for line in ["x", "x one", "x nan", "x inf", "z 1"] {
            assert!(read(&model(), &format!("{head}{line}\n")).is_err(), "{line}");
        }
    }

    #[test]
    fn starts_read_back() {
        let x = [0.1 + 0.2, 1.0 / 3.0];
        let text = scip_start(&model(), &x);
        assert_eq!(read(&model(), &text).unwrap().unwrap(), x);
        assert!(text.ends_with("quadobjvar 0.09000000000000002\n"), "{text}");
    }
}
