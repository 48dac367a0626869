//! Files of text with a sign between cells.

use crate::cell::Cell;
use crate::grid::{Grid, Line, Places};

/// The sign between cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separator {
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// The tab.
    Tab,
}

impl Separator {
    /// All of them, the commonest first.
    pub const ALL: [Self; 3] = [Self::Comma, Self::Semicolon, Self::Tab];

    /// Its name in options and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Comma => "comma",
            Self::Semicolon => "semicolon",
            Self::Tab => "tab",
        }
    }

    /// The separator that somebody named or typed.
    pub fn named(text: &str) -> Option<Self> {
        match text {
            "," => Some(Self::Comma),
            ";" => Some(Self::Semicolon),
            "\t" | "\\t" => Some(Self::Tab),
            name => Self::ALL.into_iter().find(|separator| separator.name() == name),
        }
    }

    pub(crate) fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
        }
    }
}

/// The separator that a file names in its first line, as Excel does (`sep=;`), and the text after that line.
pub(crate) fn named_in(text: &str) -> Option<(Separator, &str)> {
    let (first, rest) = text.split_once('\n')?;
    let sign = first.trim_end_matches('\r').trim_matches('"').strip_prefix("sep=")?;
    Some((Separator::named(sign)?, rest))
}

/// The cells of a text whose first line has the number `first`.
pub(crate) fn read(text: &str, separator: Separator, first: u64) -> Grid {
    let mut builder = csv::ReaderBuilder::new();
    builder.has_headers(false).flexible(true).delimiter(separator.byte());
    let mut lines = Vec::new();
    let (mut number, mut counted) = (first, 0);
    // Text that is UTF-8 and may have rows of any length has no mistakes for the reader to find.
    for record in builder.from_reader(text.as_bytes()).into_records().flatten() {
        // The reader stands before ends of lines that it has yet to skip.
        let start = record.position().map_or(0, |position| position.byte() as usize);
        let blank = text.as_bytes()[start..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        number += ends(&text.as_bytes()[counted..start + blank]);
        counted = start + blank;
        lines.push(Line { number, cells: record.iter().map(Cell::text).collect() });
    }
    Grid::new(Places::Lines, lines)
}

/// How many lines end: after \n, and after \r where no \n follows.
fn ends(bytes: &[u8]) -> u64 {
    let is_end = |at: &usize| bytes[*at] == b'\n' || bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    (0..bytes.len()).filter(is_end).count() as u64
}

/// The separator with which a text is most of a table: whose best row has the most headers by `recognised`, and then with which the most rows
/// have the same number of cells.
pub(crate) fn likely(text: &str, recognised: impl Fn(&Line) -> usize) -> Separator {
    let worth = |separator: Separator| {
        let grid = read(text, separator, 1);
        let some = &grid.lines[..grid.lines.len().min(50)];
        let names = some.iter().map(&recognised).max().unwrap_or(0);
        let widths = some.iter().map(|line| line.cells.len()).filter(|width| *width > 1);
        let same = |width: usize| some.iter().filter(|line| line.cells.len() == width).count();
        (names, widths.map(same).max().unwrap_or(0))
    };
    // The last of equals is taken, so the commonest comes last.
    Separator::ALL.into_iter().rev().max_by_key(|separator| worth(*separator)).unwrap_or(Separator::Comma)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn separators_are_found_by_their_headers_and_then_by_their_rows() {
        let known =
            |line: &Line| line.cells.iter().filter(|cell| ["x", "value"].contains(&cell.shown().trim())).count();
        for (text, separator) in [
            ("x,value\n1,2\n", Separator::Comma),
            ("x;value\n1,5;2,5\n", Separator::Semicolon),
            ("x\tvalue\n1,5\t2;5\n", Separator::Tab),
            ("Reaction, a title\nx;value\n1;2\n", Separator::Semicolon),
            ("a;b\n1,5;2,5\n3,5;4\n5;6\n", Separator::Semicolon),
            ("", Separator::Comma),
        ] {
            assert_eq!(likely(text, known), separator, "{text}");
        }
    }

    #[test]
    fn lines_keep_their_numbers_and_excel_may_name_the_separator() {
        let grid = read("a,b\r\n\r\n,\r\n\"1\n2\",3\r\n4\r\n", Separator::Comma, 1);
        assert_eq!(grid.lines.iter().map(|line| line.number).collect::<Vec<_>>(), [1, 4, 6]);
        assert_eq!(grid.lines[1].cells, [Cell::text("1\n2"), Cell::text("3")]);
        assert_eq!(named_in("sep=;\r\na;b\n").unwrap(), (Separator::Semicolon, "a;b\n"));
        assert_eq!(named_in("a;b\n"), None);
    }
}
