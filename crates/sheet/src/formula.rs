//! Text that no spreadsheet takes for a formula.
//!
//! A spreadsheet evaluates a cell that begins with `=`, `+`, `-`, `@`, a tab or an end of line. Text that begins so, after any number of
//! apostrophes, gets one more apostrophe in front. Reading takes that apostrophe off again, so every text comes back as it was.
//! Numbers are written as they are.

/// The characters that a formula begins with, full-width ones of some keyboards included.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// A text as a cell that no spreadsheet takes for a formula.
pub(crate) fn written(text: &str) -> String {
    if is_formula(text) { format!("'{text}") } else { text.to_owned() }
}

/// The text of such a cell.
pub(crate) fn text_of(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|text| is_formula(text)).unwrap_or(cell)
}

fn is_formula(text: &str) -> bool {
    text.trim_start_matches('\'').starts_with(FORMULA)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_get_an_apostrophe_and_every_text_comes_back() {
        for (text, cell) in [
            ("=cmd|calc", "'=cmd|calc"),
            ("@SUM(1)", "'@SUM(1)"),
            ("-5", "'-5"),
            ("\tx", "'\tx"),
            ("'=1", "''=1"),
            ("''+", "'''+"),
            ("'quoted'", "'quoted'"),
            ("plain", "plain"),
            ("", ""),
            ("'", "'"),
            ("a=b", "a=b"),
        ] {
            assert_eq!((written(text).as_str(), text_of(cell)), (cell, text));
        }
    }
}
