//! A parameter as it is typed: `name low high`, with `log` or `int` after it, or `name one, two, three`.

use crate::decimal::number;
use fathom_study::{Definition, Error};

/// How a parameter is typed.
pub const WAYS: &str = "write `name low high`, with `log` or `int` after it, or `name one, two, three`";

/// A parameter as a line of the file.
pub struct Line {
    pub name: String,
    pub text: String,
}

impl Line {
    /// The parameter that was typed.
    pub fn read(typed: &str) -> anyhow::Result<Self> {
        let (name, rest) = typed.trim().split_once(char::is_whitespace).unwrap_or((typed.trim(), ""));
        let rest = rest.trim();
        let words: Vec<&str> = rest.split_whitespace().collect();
        let table = match range(&words)? {
            Some(table) => table,
            None if rest.contains([',', ';']) => choices(name, rest)?,
            None => match unbroken(typed) {
                Some(line) => anyhow::bail!("a name has no blanks: write `{line}`"),
                None => anyhow::bail!(WAYS),
            },
        };
        anyhow::ensure!(
            is_name(name),
            "`{name}` is no name: a name is a letter, then letters, digits or underscores, as constraints compute with names; write `{}`",
            plain_name(name)
        );
        // In TOML only plain letters need no quotes.
        let key = if name.is_ascii() { name.to_owned() } else { format!("\"{name}\"") };
        let text = format!("{key} = {{ {table} }}\n");
        match Definition::parse(&format!("[parameters]\n{text}")) {
            // The number of a line in the file would mean nothing to somebody who typed one line.
            Err(Error::File { message, .. }) => anyhow::bail!(message),
            parsed => parsed?,
        };
        Ok(Self { name: name.to_owned(), text })
    }
}

/// The range that `low high`, with `log` or `int` after it, states.
fn range(words: &[&str]) -> anyhow::Result<Option<String>> {
    let ([low, high] | [low, high, "log" | "int"]) = words else { return Ok(None) };
    let (Some(low), Some(high)) = (number(low)?, number(high)?) else { return Ok(None) };
    Ok(Some(match words.get(2).copied() {
        Some("log") => format!("type = \"float\", low = {low}, high = {high}, scale = \"log\""),
        Some(_) => format!("type = \"integer\", low = {low}, high = {high}"),
        None => format!("type = \"float\", low = {low}, high = {high}"),
    }))
}

/// The choices of a list: apart by semicolons if it has one, else by commas.
fn choices(name: &str, list: &str) -> anyhow::Result<String> {
    let separator = if list.contains(';') { ';' } else { ',' };
    let choices: Vec<&str> = list.split(separator).map(str::trim).collect();
    anyhow::ensure!(choices.iter().all(|choice| !choice.is_empty()), "a choice of `{name}` is empty");
    let are_numbers = choices.iter().all(|choice| choice.parse::<f64>().is_ok());
    // Commas of both kinds, as in `0,5, 1,5`, or a single comma: each may be a decimal comma.
    let tight = list.split(',').skip(1).filter(|part| part.starts_with(|letter: char| letter.is_ascii_digit())).count();
    let is_doubtful = choices.len() == 2 || tight > 0 && tight + 1 < choices.len();
    anyhow::ensure!(
        separator == ';' || !are_numbers || !is_doubtful,
        "`{list}` may be a range, numbers with decimal commas, or choices: write `{name} low high` for a range, and semicolons between \
         choices, as in `{name} 1; 2`"
    );
    Ok(format!("type = \"categorical\", choices = {}", serde_json::to_string(&choices)?))
}

/// The line with one word for a name of several, if a range follows the words.
fn unbroken(typed: &str) -> Option<String> {
    let words: Vec<&str> = typed.split_whitespace().collect();
    let at = (2..words.len()).find(|at| range(&words[*at..]).is_ok_and(|range| range.is_some()))?;
    Some(format!("{} {}", plain_name(&words[..at].join("_")), words[at..].join(" ")))
}

fn is_name(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
        && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// The nearest name that constraints can use.
fn plain_name(name: &str) -> String {
    let parts = name.split(|letter: char| !letter.is_alphanumeric()).filter(|part| !part.is_empty());
    let plain = parts.collect::<Vec<_>>().join("_");
    if is_name(&plain) { plain } else { format!("x{plain}") }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn read(typed: &str) -> String {
        match Line::read(typed) {
            Ok(line) => line.text.trim_end().to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_parameter_is_read_as_people_write_it() {
        for (typed, meant) in [
            ("rate 1e-5 1e-1 log", r#"rate = { type = "float", low = 1e-5, high = 1e-1, scale = "log" }"#),
            (" units  1 64 int ", r#"units = { type = "integer", low = 1, high = 64 }"#),
            ("dose 0,5 2,5", r#"dose = { type = "float", low = 0.5, high = 2.5 }"#),
            ("Menge 0,1 10 log", r#"Menge = { type = "float", low = 0.1, high = 10, scale = "log" }"#),
            ("Größe .5 2", r#""Größe" = { type = "float", low = 0.5, high = 2 }"#),
            ("kind red,green", r#"kind = { type = "categorical", choices = ["red","green"] }"#),
            (
                "solvent DMF, THF, ethyl acetate",
                r#"solvent = { type = "categorical", choices = ["DMF","THF","ethyl acetate"] }"#,
            ),
            ("batch 16,32,64", r#"batch = { type = "categorical", choices = ["16","32","64"] }"#),
            ("batch 16, 32, 64", r#"batch = { type = "categorical", choices = ["16","32","64"] }"#),
            ("dose 0,5; 1,5", r#"dose = { type = "categorical", choices = ["0,5","1,5"] }"#),
        ] {
            assert_eq!(read(typed), meant, "{typed}");
        }
    }

    #[test]
    fn what_can_be_read_in_two_ways_or_in_none_is_refused_with_the_way_out() {
        for (typed, part) in [
            ("dose 0,5", "semicolons between choices, as in `dose 1; 2`"),
            ("dose 0, 5", "`dose low high` for a range"),
            ("dose 0,5, 1,5, 2,5", "semicolons"),
            ("rate 1,000 2,000", "`1,000` may be 1.000 or 1000"),
            ("Katalysator-Menge 0,1 10 log", "write `Katalysator_Menge`"),
            ("2nd 0 1", "write `x2nd`"),
            ("reaction time (h) 1 24", "a name has no blanks: write `reaction_time_h 1 24`"),
            ("kind red,", "a choice of `kind` is empty"),
            ("kind red,red", "appears twice"),
            ("rate 2 1", "[2, 1] is no interval"),
            ("rate 1e-5", WAYS),
            ("rate", WAYS),
            ("units 0,5 2 int", "whole numbers"),
        ] {
            assert!(read(typed).contains(part), "{typed}: {}", read(typed));
        }
    }
}
