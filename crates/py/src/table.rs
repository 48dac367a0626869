//! Tables of experiments: what Python says of them, and what it hears.

use crate::error::InputError;
use fathom_sheet::{Decimal, Options, Separator, Table};
use fathom_study::Imported;
use pyo3::PyResult;

/// How many experiments were added and known, how the file is written, columns with what they are, rows that are left out, and remarks.
pub type Understood = (usize, usize, String, Vec<(String, String)>, Vec<String>, Vec<String>);

/// The options, by their names.
pub fn options(
    value: Option<String>,
    columns: Vec<(String, String)>,
    ignored: Vec<String>,
    separator: Option<&str>,
    decimal: Option<&str>,
    sheet: Option<String>,
) -> PyResult<Options> {
    let bad =
        |what: &str, said: &str, names: &str| InputError::new_err(format!("{what} is `{said}`: it may be {names}"));
    let separator = separator
        .map(|said| Separator::named(said).ok_or_else(|| bad("separator", said, "`,`, `;` or a tab")))
        .transpose()?;
    let of_decimal = |said: &str| {
        let found = [Decimal::Point, Decimal::Comma].into_iter().find(|decimal| decimal.name() == said);
        found.ok_or_else(|| bad("decimal", said, "`point` or `comma`"))
    };
    let decimal = decimal.map(of_decimal).transpose()?;
    Ok(Options { value, columns, ignored, separator, decimal, sheet })
}

/// What was understood.
pub fn understood(table: &Table, imported: Imported) -> Understood {
    let columns = table.columns.iter().map(|column| (column.header.clone(), column.role.to_string())).collect();
    let left_out = table.left_out.iter().map(ToString::to_string).collect();
    (imported.added, imported.known, table.manner(), columns, left_out, table.remarks.clone())
}
