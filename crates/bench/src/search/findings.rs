//! What a comparison found that must not be, and what is good news.

use super::row::{Row, Who};
use super::summary::ratios;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A proven bound may exceed a value that was found elsewhere by no more than that value's rounding.
const TOLERANCE: f64 = 1e-6;

/// What must not be: bounds above known values, proven values that are not the best, proofs refused or too slow. Last,
/// what is good news.
pub(super) fn findings(rows: &[Row]) -> String {
    let known: BTreeMap<&str, f64> = rows
        .iter()
        .filter(|row| row.who == Who::BestKnown)
        .filter_map(|row| Some((row.instance.as_str(), row.value?)))
        .collect();
    let mut wrong = Vec::new();
    let mut news = Vec::new();
    let note = |list: &mut Vec<String>, line: String| {
        if !list.contains(&line) {
            list.push(line);
        }
    };
    for row in rows {
        let (who, name) = (row.who.name(), &row.instance);
        match row.who {
            Who::BestKnown => continue,
            Who::Verify if row.status != "accepted" => note(&mut wrong, format!("{who}, {name}: {}", row.status)),
            Who::Fathom | Who::Proof | Who::Yardstick | Who::Verify => {}
        }
        let solved = row.who != Who::Verify;
        if solved && !row.value.is_some_and(f64::is_finite) {
            note(&mut wrong, format!("{who}, {name}: no finite value"));
        }
        if row.who == Who::Fathom && !row.lower_bound.is_some_and(f64::is_finite) {
            note(&mut wrong, format!("{who}, {name}: no finite bound"));
        }
        let Some(best) = known.get(name.as_str()) else { continue };
        if let Some(bound) = row.lower_bound.filter(|bound| *bound > best + TOLERANCE) {
            note(&mut wrong, format!("{who}, {name}: bound {bound} above the best known {best}"));
        }
        if let Some(value) = row.value.filter(|value| solved && row.status == "optimal" && *value > best + row.gap) {
            note(&mut wrong, format!("{who}, {name}: proven {value}, but {best} is known"));
        }
        if let Some(value) = row.value.filter(|value| row.who == Who::Fathom && *value < best - TOLERANCE) {
            note(&mut news, format!("{name}: {value}, {best} was the best known"));
        }
    }
    let slow = ratios(rows, Who::Verify).into_iter().filter(|(_, ratio)| *ratio > 20.0);
    let slow: Vec<String> = slow.map(|(name, ratio)| format!("{name}: {ratio:.1}×")).collect();
    let mut text = format!("{} best known values to hold against.\n", known.len());
    for (title, list) in [
        ("Bounds above a known value, proven values above it, no finite result, proofs refused (must be none)", wrong),
        ("Verified in more than 20× the solve (must be none)", slow),
        ("Better than the best known by more than 1e-6", news),
    ] {
        let _ = writeln!(text, "\n{title}: {}", if list.is_empty() { "none.".into() } else { list.len().to_string() });
        for line in list {
            text += &format!("* {line}\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_not_be_is_listed() {
        let known = |value| Row { value: Some(value), ..Row::example(Who::BestKnown, "a", 0.0) };
        let text = |best, ours: Row| findings(&[known(best), ours]);
        assert!(text(-1.0, Row::example(Who::Fathom, "a", 1.0)).contains("(must be none): none."));
        assert!(text(-1.002, Row::example(Who::Fathom, "a", 1.0)).contains("fathom, a: bound -1.0005 above"));
        assert!(
            text(-1.002, Row::example(Who::Fathom, "a", 1.0)).contains("fathom, a: proven -1, but -1.002 is known")
        );
        let open = Row { status: "time_limit".into(), lower_bound: Some(-2.0), ..Row::example(Who::Fathom, "a", 1.0) };
        assert!(text(-1.5, open).contains("(must be none): none."));
        assert!(text(-0.9, Row::example(Who::Fathom, "a", 1.0)).contains("* a: -1, -0.9 was the best known"));
        let refused = Row { status: "rejected: a lie".into(), ..Row::example(Who::Verify, "a", 1.0) };
        assert!(text(-1.0, refused).contains("fathom_verify, a: rejected: a lie"));
        let nothing = Row { value: Some(f64::NAN), lower_bound: None, ..Row::example(Who::Fathom, "a", 1.0) };
        assert!(text(-1.0, nothing).contains("* fathom, a: no finite bound"));
        let slow = [
            Row::example(Who::Fathom, "a", 1.0),
            Row { status: "accepted".into(), ..Row::example(Who::Verify, "a", 30.0) },
        ];
        assert!(findings(&slow).contains("* a: 30.0×"));
    }
}
