//! Free-format MPS files with QUADOBJ, QCMATRIX and SOS sections; comments begin with an asterisk.
//!
//! * QUADOBJ is the upper triangle of Q in ½ xᵀQx: q x² is written as 2q, q xy once as q;
//! * QCMATRIX is all of Q in xᵀQx: q x² is written as q, q xy twice as q/2;
//! * the right side of the objective row is minus its constant;
//! * every integer has both bounds, because readers disagree about missing bounds.

use crate::dialect::{Dialect, number};
use crate::error::{Error, Result};
use crate::expr::{Expression, Sense};
use crate::model::{Column, Kind, Model};
use std::io::Write;

/// The objective's row.
const OBJECTIVE: &str = "obj";

impl Model {
    /// Writes the model as an MPS file.
    pub fn write_mps(&self, mut out: impl Write, dialect: Dialect) -> Result<()> {
        let model = dialect.admit(self)?;
        let mut lines: Vec<String> = model.comments.iter().map(|comment| format!("* {comment}")).collect();
        lines.push("NAME fathom".to_string());
        rows(&model, &mut lines);
        columns(&model, &mut lines);
        right_sides(&model, &mut lines);
        bounds(&model, &mut lines);
        sets(&model, &mut lines);
        quadratic(&model, &mut lines);
        functions(&model, &mut lines);
        lines.push("ENDATA\n".to_string());
        out.write_all(lines.join("\n").as_bytes()).and_then(|()| out.flush()).map_err(Error::Write)
    }
}

fn rows(model: &Model, lines: &mut Vec<String>) {
    lines.push("ROWS".to_string());
    lines.push(format!(" N {OBJECTIVE}"));
    for row in &model.rows {
        let letter = match row.sense {
            Sense::AtMost => 'L',
            Sense::Equal => 'E',
            Sense::AtLeast => 'G',
        };
        lines.push(format!(" {letter} {}", row.name));
    }
}

fn columns(model: &Model, lines: &mut Vec<String>) {
    lines.push("COLUMNS".to_string());
    let entries = entries_by_column(model);
    let mut whole = false;
    for (column, entries) in model.columns.iter().zip(entries) {
        if whole != (column.kind != Kind::Continuous) {
            whole = !whole;
            lines.push(format!("    MARKER 'MARKER' '{}'", if whole { "INTORG" } else { "INTEND" }));
        }
        // A column without entries would not exist.
        if entries.is_empty() {
            lines.push(format!("    {} {OBJECTIVE} 0", column.name));
        }
        lines.extend(entries.iter().map(|(row, value)| format!("    {} {row} {}", column.name, number(*value))));
    }
    if whole {
        lines.push("    MARKER 'MARKER' 'INTEND'".to_string());
    }
}

/// The linear coefficients of each column, with the names of the rows.
fn entries_by_column(model: &Model) -> Vec<Vec<(&str, f64)>> {
    let mut entries = vec![Vec::new(); model.columns.len()];
    let mut note = |row, expression: &Expression| {
        expression.linear.iter().for_each(|(j, a)| entries[j.0].push((row, *a)));
    };
    note(OBJECTIVE, &model.objective);
    model.rows.iter().for_each(|row| note(row.name.as_str(), &row.left));
    entries
}

fn right_sides(model: &Model, lines: &mut Vec<String>) {
    lines.push("RHS".to_string());
    if model.objective.constant != 0.0 {
        lines.push(format!("    RHS {OBJECTIVE} {}", number(-model.objective.constant)));
    }
    let nonzero = model.rows.iter().filter(|row| row.right != 0.0);
    lines.extend(nonzero.map(|row| format!("    RHS {} {}", row.name, number(row.right))));
}

fn bounds(model: &Model, lines: &mut Vec<String>) {
    lines.push("BOUNDS".to_string());
    for column in &model.columns {
        bound(column, lines);
    }
}

fn bound(column: &Column, lines: &mut Vec<String>) {
    let Column { name, lower, upper, .. } = column;
    if column.is_plain_binary() {
        lines.push(format!(" BV BND {name}"));
        return;
    }
    match (lower.is_finite(), upper.is_finite()) {
        (false, false) => lines.push(format!(" FR BND {name}")),
        (true, true) if lower == upper => lines.push(format!(" FX BND {name} {}", number(*lower))),
        (finite_lower, finite_upper) => {
            // The lower bound comes first: in some readers a negative upper bound changes a missing lower bound.
            lines.push(if finite_lower {
                format!(" LO BND {name} {}", number(*lower))
            } else {
                format!(" MI BND {name}")
            });
            lines.push(if finite_upper {
                format!(" UP BND {name} {}", number(*upper))
            } else {
                format!(" PL BND {name}")
            });
        }
    }
}

fn sets(model: &Model, lines: &mut Vec<String>) {
    if model.sets.is_empty() {
        return;
    }
    lines.push("SOS".to_string());
    for set in &model.sets {
        lines.push(format!(" S2 {}", set.name));
        let members = set.members.iter().enumerate();
        lines.extend(members.map(|(place, member)| format!("    {} {}", model.name(*member), place + 1)));
    }
}

fn quadratic(model: &Model, lines: &mut Vec<String>) {
    if !model.objective.is_linear() {
        lines.push("QUADOBJ".to_string());
        for (j, k, q) in &model.objective.quadratic {
            let value = if j == k { 2.0 * q } else { *q };
            lines.push(format!("    {} {} {}", model.name(*j), model.name(*k), number(value)));
        }
    }
    for row in model.rows.iter().filter(|row| !row.left.is_linear()) {
        lines.push(format!("QCMATRIX {}", row.name));
        for (j, k, q) in &row.left.quadratic {
            let (first, second) = (model.name(*j), model.name(*k));
            if j == k {
                lines.push(format!("    {first} {first} {}", number(*q)));
            } else {
                lines.push(format!("    {first} {second} {}", number(q / 2.0)));
                lines.push(format!("    {second} {first} {}", number(q / 2.0)));
            }
        }
    }
}

/// Gurobi's section.
fn functions(model: &Model, lines: &mut Vec<String>) {
    if model.pwls.is_empty() {
        return;
    }
    lines.push("GENCONS".to_string());
    for pwl in &model.pwls {
        lines.push(format!(" PWL pwl_{}", pwl.label));
        lines.push(format!("    {} {}", model.name(pwl.x), model.name(pwl.y)));
        lines.extend(pwl.breakpoints.iter().map(|(r, k)| format!("    {} {}", number(*r), number(*k))));
    }
}
