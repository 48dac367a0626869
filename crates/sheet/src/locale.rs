//! Whose spreadsheet is to open a table.

use crate::delimited::Separator;
use crate::number::Decimal;

/// How text is written for a spreadsheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Locale {
    /// For programs: commas between cells, decimal points, UTF-8 without a mark, lines that end as on Unix.
    #[default]
    Plain,
    /// For an American Excel: the same with a mark by which Excel knows UTF-8, and lines that end as on Windows.
    American,
    /// For a German Excel: semicolons between cells and decimal commas.
    German,
}

impl Locale {
    /// The locale that somebody named.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "us" => Some(Self::American),
            "de" => Some(Self::German),
            _ => None,
        }
    }

    pub(crate) fn separator(self) -> Separator {
        match self {
            Self::Plain | Self::American => Separator::Comma,
            Self::German => Separator::Semicolon,
        }
    }

    pub(crate) fn number(self, number: f64) -> String {
        match self.decimal() {
            Decimal::Point => number.to_string(),
            Decimal::Comma => number.to_string().replace('.', ","),
        }
    }

    pub(crate) fn decimal(self) -> Decimal {
        match self {
            Self::Plain | Self::American => Decimal::Point,
            Self::German => Decimal::Comma,
        }
    }

    /// Whether Excel is to open the text by a double click.
    pub(crate) fn is_for_excel(self) -> bool {
        self != Self::Plain
    }
}
