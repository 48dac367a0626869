//! Decimal commas: 0,5 is 0.5. A comma before three digits may also stand between thousands; then nobody guesses.

/// The text with a point for every comma between two digits; an error if the comma may separate thousands.
pub fn pointed(text: &str) -> anyhow::Result<String> {
    let letters: Vec<char> = text.chars().collect();
    let is_digit = |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(char::is_ascii_digit);
    let mut pointed = letters.clone();
    for at in (0..letters.len()).filter(|at| letters[*at] == ',') {
        if !is_digit(at.checked_sub(1)) || !is_digit(Some(at + 1)) {
            continue;
        }
        let before = letters[..at].iter().rev().take_while(|letter| letter.is_ascii_digit()).count();
        let after = letters[at + 1..].iter().take_while(|letter| letter.is_ascii_digit()).count();
        // Thousands do not begin with 0: 0,125 is one eighth.
        if after == 3 && before <= 3 && letters[at - before] != '0' {
            let [whole, rest] = [&letters[at - before..at], &letters[at + 1..=at + after]].map(String::from_iter);
            anyhow::bail!("`{whole},{rest}` may be {whole}.{rest} or {whole}{rest}: write one of these");
        }
        pointed[at] = '.';
    }
    Ok(pointed.into_iter().collect())
}

/// A number as a study file writes it, if the word is one.
pub fn number(word: &str) -> anyhow::Result<Option<String>> {
    if word.matches(',').count() > 1 {
        return Ok(None);
    }
    // A word is a number whichever way its comma is meant; only then is the comma worth a question.
    if word.replace(',', ".").parse::<f64>().is_err() {
        return Ok(None);
    }
    let pointed = pointed(word)?;
    let value = pointed.parse::<f64>().ok();
    // TOML wants digits on both sides of a point.
    let is_digit = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_digit());
    let is_whole = |(at, _)| is_digit(pointed[..at].chars().next_back()) && is_digit(pointed[at + 1..].chars().next());
    let is_toml = pointed.match_indices('.').all(is_whole);
    Ok(value.map(|value| if is_toml { pointed.clone() } else { format!("{value:?}") }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_comma_between_digits_is_a_point_unless_thousands_are_possible() {
        for (typed, meant) in
            [("0,5", "0.5"), ("-12,25", "-12.25"), ("0,125", "0.125"), ("1e-5", "1e-5"), (".5", "0.5"), ("5.", "5.0")]
        {
            assert_eq!(number(typed).unwrap().as_deref(), Some(meant), "{typed}");
        }
        for word in ["red", "1,2,3", "1.000,5", "", ","] {
            assert_eq!(number(word).unwrap(), None, "{word}");
        }
        assert_eq!(number("1,000").unwrap_err().to_string(), "`1,000` may be 1.000 or 1000: write one of these");
        assert_eq!(pointed("0,5*x + 1,25*y <= 7").unwrap(), "0.5*x + 1.25*y <= 7");
        assert!(pointed("x + y <= 12,500").unwrap_err().to_string().contains("12.500 or 12500"));
    }
}
