//! "At most k of these are used": how many of some parameters may be other than 0.
//!
//! In the search each of them has a whole coordinate b beside its own, with b = 1 if it is used: low·b ≤ x ≤ high·b, and the sum of
//! all b is at most k.

use super::parser::Parser;
use crate::error::Result;
use crate::kind::Kind;
use crate::parameter::Parameter;
use fathom_global::Row;

/// At most so many of these parameters are other than 0.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Used {
    pub most: usize,
    /// The parameters, by number.
    pub members: Vec<usize>,
}

impl Used {
    /// `at most 2 of a, b, c`, or `None` if the text begins in another way.
    pub(super) fn parse(parser: &mut Parser<'_>) -> Result<Option<Self>> {
        if !(parser.word("at") && parser.word("most")) {
            parser.at = 0;
            return Ok(None);
        }
        let start = parser.at;
        let Some(most) = parser.whole() else {
            // A parameter may be called `at`, and then this is a sum.
            parser.at = 0;
            return Ok(None);
        };
        if !parser.word("of") {
            return Err(parser.error(parser.at, "`of` is missing, as in: at most 2 of a, b, c"));
        }
        let mut members = Vec::new();
        loop {
            let (member, at) = parser.name()?;
            if members.contains(&member) {
                return Err(parser.error(at, &format!("`{}` is there twice", parser.parameters[member].name)));
            }
            if let Err(reason) = may_be_unused(&parser.parameters[member]) {
                return Err(parser.error(at, &reason));
            }
            members.push(member);
            if !parser.comma() {
                break;
            }
        }
        // As people say it.
        let _ = parser.word("are") && parser.word("used");
        if most == 0 || most >= members.len() {
            let message = format!("of {} at most 1 to {} may be used", members.len(), members.len() - 1);
            return Err(parser.error(start, &message));
        }
        Ok(Some(Self { most, members }))
    }

    /// How many more are used than may be, at the numbers `x` of all parameters.
    pub fn violation(&self, x: &[f64]) -> f64 {
        let used = self.members.iter().filter(|member| x[**member] != 0.0).count();
        used.saturating_sub(self.most) as f64
    }

    /// The row of the sum, with the coordinates of those that say who is used.
    pub fn row(&self, side: impl Fn(usize) -> usize) -> Result<Row> {
        let ones: Vec<(usize, f64)> = self.members.iter().map(|member| (side(*member), 1.0)).collect();
        Ok(Row::new(&ones, &[], f64::NEG_INFINITY, self.most as f64)?)
    }
}

/// x is 0 unless b is 1: the rows of a parameter whose coordinate is `own`, low + width·own, and whose b is `used`.
pub(crate) fn rows_of(parameter: &Parameter, (low, width): (f64, f64), own: usize, used: usize) -> Result<Vec<Row>> {
    let (_, high) = parameter.kind.range().expect("who may be unused is a number");
    let size = high - low;
    let row = |end: f64, is_upper: bool| {
        let (least, most) = match is_upper {
            true => (f64::NEG_INFINITY, -low / size),
            false => (-low / size, f64::INFINITY),
        };
        Row::new(&[(own, width / size), (used, -end / size)], &[], least, most)
    };
    let mut rows = vec![row(high, true)?];
    if low < 0.0 {
        rows.push(row(low, false)?);
    }
    Ok(rows)
}

/// `Ok` if a parameter can be 0, and is a number for which that means something.
fn may_be_unused(parameter: &Parameter) -> std::result::Result<(), String> {
    let Parameter { name, kind } = parameter;
    let can_be_zero = || parameter.canonical(&0.0.into()).is_ok();
    match kind {
        Kind::Float { .. } | Kind::Integer { .. } | Kind::Grid(_) | Kind::Listed(_) if can_be_zero() => Ok(()),
        Kind::Float { .. } | Kind::Integer { .. } | Kind::Grid(_) | Kind::Listed(_) => {
            Err(format!("`{name}` cannot be 0, so it is always used: let its range begin at 0, or leave it out here"))
        }
        Kind::Ordered { .. } if kind.is_boolean() => Ok(()),
        Kind::Categorical { .. } | Kind::Ordered { .. } => {
            Err(format!("`{name}` has choices, and only a number can be 0: make it a boolean, or leave it out here"))
        }
        Kind::Fixed { .. } => Err(format!("`{name}` is fixed: leave it out here, and count it yourself")),
    }
}
