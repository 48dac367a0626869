//! A parameter as it is typed: `name low high`, with `log`, `int` or `step 5` after it, `name 1, 3, 10`, `name one, two, three`
//! or `name yes/no`.

use crate::decimal::number;
use fathom_study::{Definition, Error};

/// How a parameter is typed.
pub const WAYS: &str =
    "write `name low high`, with `log`, `int` or `step 5` after it, `name one, two, three` or `name yes/no`";

/// A parameter as a line of the file.
pub struct Line {
    pub name: String,
    pub text: String,
}

impl Line {
    /// The parameter that was typed.
    pub fn read(typed: &str) -> anyhow::Result<Self> {
        let (name, table) = parts(typed.trim())?;
        // In TOML only plain letters need no quotes.
        let is_bare = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-');
        let key = if is_bare { name.clone() } else { serde_json::to_string(&name)? };
        let text = format!("{key} = {{ {table} }}\n");
        match Definition::parse(&format!("[parameters]\n{text}")) {
            // The number of a line in the file would mean nothing to somebody who typed one line.
            Err(Error::File { message, .. }) => anyhow::bail!(message),
            parsed => parsed?,
        };
        Ok(Self { name, text })
    }
}

/// The name, and the keys of the study file.
fn parts(typed: &str) -> anyhow::Result<(String, String)> {
    if let Some(quote) = typed.chars().next().filter(|letter| "\"'`".contains(*letter)) {
        let (name, rest) =
            typed[1..].split_once(quote).ok_or_else(|| anyhow::anyhow!("the second {quote} is missing"))?;
        let words: Vec<&str> = rest.split_whitespace().collect();
        let table = match range(&words)?.or(yes_or_no(&words)) {
            Some(table) => table,
            None if rest.contains([',', ';']) => choices(name, rest.trim())?,
            None => anyhow::bail!(WAYS),
        };
        return Ok((name.to_owned(), table));
    }
    let words: Vec<&str> = typed.split_whitespace().collect();
    for at in 1..words.len() {
        if let Some(table) = range(&words[at..])?.or(yes_or_no(&words[at..])) {
            return Ok((words[..at].join(" "), table));
        }
    }
    match typed.split_once(char::is_whitespace) {
        Some((name, list)) if list.contains([',', ';']) => Ok((name.to_owned(), choices(name, list.trim())?)),
        Some(_) | None => anyhow::bail!(WAYS),
    }
}

/// The range that `low high`, with `log`, `int` or `step 5` after it, states.
fn range(words: &[&str]) -> anyhow::Result<Option<String>> {
    let [low, high, rest @ ..] = words else { return Ok(None) };
    let (mut log, mut int, mut step) = (false, false, None);
    let mut left = rest;
    loop {
        left = match left {
            [] => break,
            ["log", others @ ..] => {
                log = true;
                others
            }
            ["int", others @ ..] => {
                int = true;
                others
            }
            ["step", by, others @ ..] => {
                let Some(by) = number(by)? else { return Ok(None) };
                step = Some(by);
                others
            }
            [..] => return Ok(None),
        };
    }
    let (Some(low), Some(high)) = (number(low)?, number(high)?) else { return Ok(None) };
    let name = if int { "integer" } else { "float" };
    let step = step.map_or(String::new(), |step| format!(", step = {step}"));
    let scale = if log { ", scale = \"log\"" } else { "" };
    Ok(Some(format!("type = \"{name}\", low = {low}, high = {high}{step}{scale}")))
}

/// A boolean, if the words say so.
fn yes_or_no(words: &[&str]) -> Option<String> {
    let said = words.join(" ").to_lowercase();
    let ways = ["yes/no", "yes no", "yes, no", "yes,no", "true/false", "bool", "boolean"];
    ways.contains(&said.as_str()).then(|| "type = \"boolean\"".to_owned())
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
    // Numbers in a list are the numbers that are allowed.
    let numbers: Option<Vec<String>> = choices.iter().map(|choice| number(choice)).collect::<anyhow::Result<_>>()?;
    if let Some(numbers) = numbers {
        let are_whole = numbers.iter().all(|text| text.parse::<i64>().is_ok());
        let name = if are_whole { "integer" } else { "float" };
        return Ok(format!("type = \"{name}\", values = [{}]", numbers.join(", ")));
    }
    Ok(format!("type = \"categorical\", choices = {}", serde_json::to_string(&choices)?))
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
            ("batch 16,32,64", r#"batch = { type = "integer", values = [16, 32, 64] }"#),
            ("batch 16, 32, 64", r#"batch = { type = "integer", values = [16, 32, 64] }"#),
            ("dose 0,5; 1,5", r#"dose = { type = "float", values = [0.5, 1.5] }"#),
            ("temperature 20 120 step 5", r#"temperature = { type = "float", low = 20, high = 120, step = 5 }"#),
            ("dose 0 1 step 0,25", r#"dose = { type = "float", low = 0, high = 1, step = 0.25 }"#),
            ("units 8 64 int step 8", r#"units = { type = "integer", low = 8, high = 64, step = 8 }"#),
            ("units 1 64 int log", r#"units = { type = "integer", low = 1, high = 64, scale = "log" }"#),
            ("stirred yes/no", r#"stirred = { type = "boolean" }"#),
            (
                "Katalysator-Menge 0,1 10 log",
                r#"Katalysator-Menge = { type = "float", low = 0.1, high = 10, scale = "log" }"#,
            ),
            ("reaction time (h) 1 24", r#""reaction time (h)" = { type = "float", low = 1, high = 24 }"#),
            ("`Lösung 2` A, B", r#""Lösung 2" = { type = "categorical", choices = ["A","B"] }"#),
            ("2nd 0 1", r#"2nd = { type = "float", low = 0, high = 1 }"#),
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
            ("temperature 20 118 step 5", "the last value is 115; write high = 115, or 120"),
            ("`time 1 24", "the second ` is missing"),
            ("a{b 1 24", "braces"),
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
