//! What somebody says about a table, where it would be guessed otherwise.

use crate::delimited::Separator;
use crate::number::Decimal;

/// How a table is to be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The header of the values; else `value`.
    pub value: Option<String>,
    /// Parameters and the headers of their columns.
    pub columns: Vec<(String, String)>,
    /// Headers of columns that are passed over.
    pub ignored: Vec<String>,
    /// What stands between the cells of a line.
    pub separator: Option<Separator>,
    /// The decimal sign of numbers that are text.
    pub decimal: Option<Decimal>,
    /// The sheet of a workbook.
    pub sheet: Option<String>,
}
