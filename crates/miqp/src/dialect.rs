//! What a written file may contain, and how numbers are written.

use crate::error::Result;
use crate::expansion::Encoding;
use crate::model::{Column, Kind, Model};
use std::borrow::Cow;

/// The reader that a file is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// CPLEX's format as SCIP, Gurobi, CPLEX, COPT and Xpress read it; piecewise-linear functions are written out.
    Common(Encoding),
    /// The same format with Gurobi's own piecewise-linear constraints.
    Gurobi,
}

impl Dialect {
    /// `model` without the constraints that the dialect cannot express.
    pub(crate) fn admit(self, model: &Model) -> Result<Cow<'_, Model>> {
        match self {
            Self::Common(encoding) if !model.pwls.is_empty() => {
                Ok(Cow::Owned(model.expanded(encoding)?.model().clone()))
            }
            Self::Common(_) | Self::Gurobi => Ok(Cow::Borrowed(model)),
        }
    }
}

/// The shortest decimal that reads back as `value`.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{value:?}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_string)
}

impl Column {
    /// Whether a file can list the variable as binary without bounds: sections of binaries reset bounds in some readers.
    pub(crate) fn is_plain_binary(&self) -> bool {
        self.kind == Kind::Binary && self.lower == 0.0 && self.upper == 1.0
    }

    /// Whether the variable is whole and its bounds must be written.
    pub(crate) fn is_bounded_integer(&self) -> bool {
        match self.kind {
            Kind::Continuous => false,
            Kind::Integer | Kind::Binary => !self.is_plain_binary(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_to_the_same_bits() {
        let samples = [0.1, 1.0, -3.0, 1e-300, 1.0 / 3.0, 123_456_789.123, 1e19, f64::MIN_POSITIVE, 5e-324, 0.1 + 0.2];
        for value in samples {
            assert_eq!(number(value).parse::<f64>().unwrap().to_bits(), value.to_bits(), "{}", number(value));
        }
        assert_eq!([number(3.0), number(-0.5), number(1e-9)], ["3", "-0.5", "1e-9"]);
    }
}
