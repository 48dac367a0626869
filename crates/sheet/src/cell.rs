//! What a spreadsheet has in one cell.

/// What is in a cell, as far as the file knows.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// A text, which may be a number to its readers: files of text have nothing else.
    Text(String),
    /// A number.
    Number(f64),
    /// A number that is shown in percent, as it is shown: 12.4 for 12.4 %.
    Percent(f64),
    /// A date or a time.
    Date(String),
    /// Yes or no.
    Bool(bool),
    /// A formula that could not be evaluated.
    Fault(String),
}

impl Cell {
    /// A cell of a text.
    pub fn text(text: impl Into<String>) -> Self {
        let text = text.into();
        if text.is_empty() { Self::Empty } else { Self::Text(text) }
    }

    /// Whether nobody sees anything in the cell.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Text(text) => text.trim().is_empty(),
            Self::Number(_) | Self::Percent(_) | Self::Date(_) | Self::Bool(_) | Self::Fault(_) => false,
        }
    }

    /// What people see in it.
    pub fn shown(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Text(text) | Self::Date(text) | Self::Fault(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Percent(number) => format!("{number} %"),
            Self::Bool(is_so) => is_so.to_string(),
        }
    }
}

/// The number that a cell shows in percent, whose file has the hundredth part of it.
pub(crate) fn in_percent(part: f64) -> f64 {
    // Shifting the digits rounds once; 0.07 * 100 would be 7.000000000000001.
    format!("{part}e2").parse().unwrap_or(part * 100.0)
}
