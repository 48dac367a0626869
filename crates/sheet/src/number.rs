//! Numbers as people and spreadsheets write them.
//!
//! A text is read twice, with a decimal point and with a decimal comma. The other sign then stands between thousands, and so do
//! blanks and apostrophes: groups of three digits after a first one that does not begin with 0. If one reading fails, or both give the
//! same number, the text is clear; `1.234` is not.

/// The sign before the fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decimal {
    /// 12.5
    Point,
    /// 12,5
    Comma,
}

impl Decimal {
    /// Its name in options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Point => "point",
            Self::Comma => "comma",
        }
    }

    fn signs(self) -> (char, char) {
        match self {
            Self::Point => ('.', ','),
            Self::Comma => (',', '.'),
        }
    }
}

/// What a text says about the decimal sign of its file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Evidence {
    /// It is a number either way, and the same one.
    Neither,
    /// It is a number with this sign only.
    Only(Decimal),
    /// It is one number with a point, another with a comma.
    Both(f64, f64),
    /// It is no number.
    NoNumber,
}

/// The text of a number without its percent sign, and whether there was one.
pub(crate) fn without_percent(text: &str) -> (&str, bool) {
    let text = text.trim();
    match text.strip_suffix('%') {
        Some(rest) => (rest.trim_end(), true),
        None => (text, false),
    }
}

/// What a text without percent sign says about the decimal sign.
pub(crate) fn evidence(text: &str) -> Evidence {
    match (number(text, Decimal::Point), number(text, Decimal::Comma)) {
        (Some(point), Some(comma)) if point == comma => Evidence::Neither,
        (Some(point), Some(comma)) => Evidence::Both(point, comma),
        (Some(_), None) => Evidence::Only(Decimal::Point),
        (None, Some(_)) => Evidence::Only(Decimal::Comma),
        (None, None) => Evidence::NoNumber,
    }
}

/// The number that a text without percent sign is.
pub(crate) fn number(text: &str, decimal: Decimal) -> Option<f64> {
    let text = text.trim();
    let (sign, text) = match text.chars().next()? {
        '-' | '−' => ("-", &text[text.chars().next()?.len_utf8()..]),
        '+' => ("", &text[1..]),
        _ => ("", text),
    };
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent),
        None => (text, "0"),
    };
    let (point, group) = decimal.signs();
    let (whole, fraction) = mantissa.split_once(point).unwrap_or((mantissa, ""));
    let is_digits = |text: &str| text.chars().all(|letter| letter.is_ascii_digit());
    let whole = ungrouped(whole, group)?;
    let is_mantissa = is_digits(&whole) && is_digits(fraction) && !(whole.is_empty() && fraction.is_empty());
    let power = exponent.strip_prefix(['+', '-', '−']).unwrap_or(exponent);
    if !is_mantissa || power.is_empty() || !is_digits(power) {
        return None;
    }
    let exponent = exponent.replace('−', "-");
    let number: f64 = format!("{sign}{whole}.{fraction}e{exponent}").parse().ok()?;
    number.is_finite().then_some(number)
}

/// Digits without what stands between thousands.
fn ungrouped(whole: &str, group: char) -> Option<String> {
    let is_mark = |letter: char| letter == group || is_blank(letter) || matches!(letter, '\'' | '’');
    let groups: Vec<&str> = whole.split(is_mark).collect();
    let marks: Vec<char> = whole.chars().filter(|letter| is_mark(*letter)).collect();
    let [first, rest @ ..] = &groups[..] else { return None };
    let is_grouped = rest.iter().all(|group| group.len() == 3)
        && (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && marks.iter().all(|mark| *mark == marks[0]);
    (rest.is_empty() || is_grouped).then(|| groups.concat())
}

/// Blanks of every width, those that do not break included.
pub(crate) fn is_blank(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '\u{a0}' | '\u{202f}' | '\u{2007}' | '\u{2009}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_numbers_say_which_sign_they_have() {
        let (point, comma) = (Evidence::Only(Decimal::Point), Evidence::Only(Decimal::Comma));
        for (text, said, value) in [
            ("12", Evidence::Neither, 12.0),
            ("-1e-3", Evidence::Neither, -1e-3),
            ("−7", Evidence::Neither, -7.0),
            ("+2E+4", Evidence::Neither, 2e4),
            ("1 234 567", Evidence::Neither, 1_234_567.0),
            ("1\u{202f}234", Evidence::Neither, 1234.0),
            ("1\u{a0}234", Evidence::Neither, 1234.0),
            ("1'234", Evidence::Neither, 1234.0),
            ("12.5", point, 12.5),
            (".5", point, 0.5),
            ("0.125", point, 0.125),
            ("1234.567", point, 1234.567),
            ("1,234.5", point, 1234.5),
            ("1,234,567", point, 1_234_567.0),
            ("1'234.5", point, 1234.5),
            ("12,5", comma, 12.5),
            ("5,", comma, 5.0),
            ("0,125", comma, 0.125),
            ("1.234,5", comma, 1234.5),
            ("1.234.567", comma, 1_234_567.0),
            ("1 234,5", comma, 1234.5),
            ("-1,5e3", comma, -1500.0),
            ("1,2340", comma, 1.234),
        ] {
            let decimal = if said == comma { Decimal::Comma } else { Decimal::Point };
            assert_eq!((evidence(text), number(text, decimal)), (said, Some(value)), "{text}");
        }
    }

    #[test]
    fn three_digits_after_one_sign_may_be_either_and_all_else_is_no_number() {
        assert_eq!(evidence("1.234"), Evidence::Both(1.234, 1234.0));
        assert_eq!(evidence("-12,500"), Evidence::Both(-12_500.0, -12.5));
        for text in [
            "",
            " ",
            "-",
            ".",
            ",",
            "e5",
            "1e",
            "abc",
            "1..2",
            "1,2,3",
            "12,34,567",
            "1.2.3",
            "01.05.2026",
            "12 °C",
            "inf",
            "nan",
            "1e999",
            "0x10",
            "1_000",
            "1 23",
            "1 234,567 8",
            "--5",
            "1.234 567",
            "1,234.567,8",
            "½",
            "٣",
        ] {
            assert_eq!(evidence(text), Evidence::NoNumber, "{text}");
        }
    }

    #[test]
    fn a_percent_sign_is_taken_off() {
        assert_eq!(without_percent(" 12.4\u{a0}% "), ("12.4", true));
        assert_eq!(without_percent("12.4"), ("12.4", false));
    }
}
