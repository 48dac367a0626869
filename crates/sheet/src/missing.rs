//! What people and spreadsheets write where there is nothing.

/// The words, in small letters and without blanks.
const WORDS: [&str; 32] = [
    "-", "--", "---", "–", "—", "−", "?", ".", "...", "…", "n.d.", "n.d", "nd", "n/d", "n.a.", "n.a", "n/a", "na",
    "nan", "n.b.", "n.v.", "k.a.", "k.a", "null", "none", "nil", "missing", "fehlt", "leer", "#n/a", "#nv", "#null!",
];

/// What formulas show that could not be evaluated.
const FAULTS: [&str; 12] = [
    "#div/0!",
    "#value!",
    "#wert!",
    "#ref!",
    "#bezug!",
    "#name?",
    "#num!",
    "#zahl!",
    "#spill!",
    "#calc!",
    "#getting_data",
    "err:",
];

/// Whether a text stands for nothing.
pub(crate) fn is_nothing(text: &str) -> bool {
    let word: String =
        text.chars().filter(|letter| !crate::number::is_blank(*letter)).collect::<String>().to_lowercase();
    word.is_empty() || WORDS.contains(&word.as_str()) || FAULTS.iter().any(|fault| word.starts_with(fault))
}

#[cfg(test)]
mod tests {
    use super::is_nothing;

    #[test]
    fn nothing_has_many_names() {
        for text in ["", " ", "n.d.", "N/A", "NA", "-", " – ", "#N/A", "#NV", "k. A.", "Err:502", "#DIV/0!", "\u{a0}"]
        {
            assert!(is_nothing(text), "{text}");
        }
        for text in ["0", "-1", "none of these", "naphtha", "x", "A"] {
            assert!(!is_nothing(text), "{text}");
        }
    }
}
