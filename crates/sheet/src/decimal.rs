//! Which decimal sign a table has, by the evidence of all its numbers.
//!
//! One number that has one reading decides, and two that contradict each other are refused. If every number has two readings, what stands
//! between cells may tell: who separates cells by commas writes points in numbers, and who separates by semicolons does so because of
//! the commas in them. All else is refused.

use crate::cell::Cell;
use crate::columns::Columns;
use crate::delimited::Separator;
use crate::error::{Error, Result};
use crate::grid::{Grid, Line};
use crate::missing::is_nothing;
use crate::number::{Decimal, Evidence, evidence, without_percent};

/// The decimal sign of the numbers in `lines`; `None` if no number needs one.
pub(crate) fn of(
    grid: &Grid,
    lines: &[Line],
    columns: &Columns<'_>,
    separator: Option<Separator>,
) -> Result<Option<Decimal>> {
    let (mut point, mut comma, mut by_separator, mut open) = (None, None, None, None);
    for line in lines {
        for at in columns.numbers() {
            let Cell::Text(text) = line.cell(at) else { continue };
            let text = without_percent(text).0;
            if is_nothing(text) {
                continue;
            }
            let place = || grid.place(line.number, at, &columns.all[at].header);
            match evidence(text) {
                Evidence::Only(Decimal::Point) => _ = point.get_or_insert_with(|| format!("{}: `{text}`", place())),
                Evidence::Only(Decimal::Comma) => _ = comma.get_or_insert_with(|| format!("{}: `{text}`", place())),
                Evidence::Both(as_point, as_comma) => match separator {
                    Some(Separator::Comma) if text.contains('.') => by_separator = Some(Decimal::Point),
                    Some(Separator::Semicolon) if text.contains(',') => by_separator = Some(Decimal::Comma),
                    _ => {
                        let (text, point, comma) = (text.to_owned(), as_point, as_comma);
                        open.get_or_insert_with(|| Error::Ambiguous { place: place(), text, point, comma });
                    }
                },
                Evidence::Neither | Evidence::NoNumber => {}
            }
        }
    }
    match (point, comma, open) {
        (Some(point), Some(comma), _) => Err(Error::TwoDecimals { point, comma }),
        (Some(_), None, _) => Ok(Some(Decimal::Point)),
        (None, Some(_), _) => Ok(Some(Decimal::Comma)),
        (None, None, Some(open)) => Err(open),
        (None, None, None) => Ok(by_separator),
    }
}
