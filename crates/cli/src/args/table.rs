//! Tables of experiments: from files and to files.

use super::study::StudyFile;
use clap::{Args as ClapArgs, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, ClapArgs)]
pub struct Import {
    #[command(flatten)]
    pub study: StudyFile,
    /// The table: CSV (with commas, semicolons or tabs), XLSX or ODS. Rows that are there already are not added again, and a row without a
    /// value is left out unless a column `state` says that it failed or is pending.
    pub table: PathBuf,
    /// The column of the values [default: value].
    #[arg(long, value_name = "COLUMN")]
    pub value: Option<String>,
    /// The column of a parameter, if its header is not the parameter's name; may be given several times.
    #[arg(long, value_name = "PARAMETER=COLUMN", value_parser = pair)]
    pub column: Vec<(String, String)>,
    /// A column to pass over; may be given several times.
    #[arg(long, value_name = "COLUMN")]
    pub ignore: Vec<String>,
    /// What stands between columns, if it is not found out.
    #[arg(long, value_name = "SIGN", value_parser = separator)]
    pub separator: Option<fathom_sheet::Separator>,
    /// The decimal sign, if it is not found out.
    #[arg(long, value_enum, value_name = "SIGN")]
    pub decimal: Option<Decimal>,
    /// The sheet of a workbook, if there are several.
    #[arg(long, value_name = "NAME")]
    pub sheet: Option<String>,
    /// Show how each column and row is understood, and write nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// The sign before the fraction.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Decimal {
    /// 12.5
    Point,
    /// 12,5
    Comma,
}

impl From<Decimal> for fathom_sheet::Decimal {
    fn from(decimal: Decimal) -> Self {
        match decimal {
            Decimal::Point => Self::Point,
            Decimal::Comma => Self::Comma,
        }
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, header) = text.split_once('=').ok_or("write PARAMETER=COLUMN, as in temperature=\"Temp. 1\"")?;
    Ok((name.trim().to_owned(), header.to_owned()))
}

fn separator(text: &str) -> Result<fathom_sheet::Separator, String> {
    fathom_sheet::Separator::named(text).ok_or_else(|| "write comma, semicolon or tab".into())
}

#[derive(Debug, ClapArgs)]
pub struct Export {
    #[command(flatten)]
    pub study: StudyFile,
    /// The file to write: a workbook if it ends in .xlsx, else CSV; stdout where it is not given, or for `-`.
    pub table: Option<PathBuf>,
    /// Write CSV that this Excel opens by a double click: us (commas) or de (semicolons, decimal commas) [default: for programs].
    #[arg(long, value_enum, value_name = "LOCALE")]
    pub locale: Option<Locale>,
}

/// Whose Excel.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Locale {
    /// American: commas between columns, decimal points.
    Us,
    /// German: semicolons between columns, decimal commas.
    De,
}

impl From<Locale> for fathom_sheet::Locale {
    fn from(locale: Locale) -> Self {
        match locale {
            Locale::Us => Self::American,
            Locale::De => Self::German,
        }
    }
}
