//! A file, as far as it can be read without knowing the study: cells, and how they were found.

use crate::delimited::{self, Separator};
use crate::encoding::{self, Encoding};
use crate::error::{Error, Result};
use crate::grid::{Grid, Line};
use crate::number::Decimal;
use crate::options::Options;
use crate::workbook::{self, Sheet};
use std::fmt;

/// What kind of file a table was in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file of text.
    Text {
        /// What stands between its cells.
        separator: Separator,
        /// How its letters were written.
        encoding: Encoding,
    },
    /// A workbook.
    Workbook {
        /// XLSX or ODS.
        format: &'static str,
        /// The sheet that was read.
        sheet: String,
    },
}

impl Source {
    /// What stands between cells.
    pub fn separator(&self) -> Option<Separator> {
        match self {
            Self::Text { separator, .. } => Some(*separator),
            Self::Workbook { .. } => None,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { separator, encoding } => {
                write!(f, "CSV, separated by {}s", separator.name())?;
                if *encoding == Encoding::Utf8 { Ok(()) } else { write!(f, ", in {}", encoding.name()) }
            }
            Self::Workbook { format, sheet } => write!(f, "{format}, sheet `{sheet}`"),
        }
    }
}

/// How numbers are written, for people.
pub(crate) fn decimals(decimal: Decimal) -> &'static str {
    match decimal {
        Decimal::Point => "decimal points",
        Decimal::Comma => "decimal commas",
    }
}

/// The cells of a file, where `recognised` counts the headers that the study knows in a row.
pub(crate) fn read(bytes: &[u8], options: &Options, recognised: impl Fn(&Line) -> usize) -> Result<(Source, Grid)> {
    let no_table = |reason: String| Error::NoTable { reason };
    if let Some((format, sheets)) = workbook::read(bytes).map_err(no_table)? {
        if options.separator.is_some() {
            return Err(Error::NoUse { option: "separator", reason: "the cells of a workbook need none" });
        }
        let Sheet { name, grid } = chosen(sheets, options.sheet.as_deref(), recognised)?;
        return Ok((Source::Workbook { format, sheet: name }, grid));
    }
    if options.sheet.is_some() {
        return Err(Error::NoUse { option: "sheet", reason: "it is no workbook, and has no sheets" });
    }
    let (text, encoding) = encoding::decoded(bytes).map_err(no_table)?;
    let (named, text, first) = match delimited::named_in(&text) {
        Some((separator, rest)) => (Some(separator), rest, 2),
        None => (None, text.as_str(), 1),
    };
    let separator = options.separator.or(named).unwrap_or_else(|| delimited::likely(text, recognised));
    Ok((Source::Text { separator, encoding }, delimited::read(text, separator, first)))
}

/// The sheet of that name, else the only one, else the only one with the most headers.
fn chosen(sheets: Vec<Sheet>, name: Option<&str>, recognised: impl Fn(&Line) -> usize) -> Result<Sheet> {
    let names: Vec<String> = sheets.iter().map(|sheet| sheet.name.clone()).collect();
    if let Some(name) = name {
        let mut named = sheets.into_iter().filter(|sheet| sheet.name == name);
        let reason = format!("there is no sheet `{name}`");
        return named.next().ok_or(Error::WhichSheet { reason, names });
    }
    let worth = |sheet: &Sheet| sheet.grid.lines.iter().take(50).map(&recognised).max().unwrap_or(0);
    let mut filled: Vec<Sheet> = sheets.into_iter().filter(|sheet| !sheet.grid.lines.is_empty()).collect();
    let most = filled.iter().map(worth).max().unwrap_or(0);
    filled.retain(|sheet| worth(sheet) == most);
    match filled.len() {
        0 => Err(Error::NoTable { reason: "all sheets are empty".into() }),
        1 => Ok(filled.swap_remove(0)),
        _ => Err(Error::WhichSheet { reason: "several sheets may be the table".into(), names }),
    }
}
