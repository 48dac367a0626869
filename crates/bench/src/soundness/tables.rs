//! The tables of a check.

use super::row::Row;
use crate::spread::median;
use crate::table::Table;
use std::collections::BTreeMap;

/// A column: its name and what it says of some problems.
type Measure = (&'static str, fn(&[&Row]) -> Option<String>);

const MEASURES: [Measure; 6] = [
    ("problems", |rows| Some(rows.len().to_string())),
    ("boxes", |rows| Some(sum(rows, |row| row.boxes))),
    ("with a bound", |rows| Some(sum(rows, |row| row.bounded))),
    ("median slack", |rows| {
        median(rows.iter().filter_map(|row| row.slack).collect()).map(|slack| format!("{slack:.1e}"))
    }),
    ("above a value", |rows| Some(sum(rows, |row| row.above))),
    ("beyond rounding", |rows| Some(sum(rows, |row| row.violations))),
];

/// What problems are told apart by.
type Trait = (&'static str, fn(&Row) -> String);

const TRAITS: [Trait; 4] = [
    ("kernel", |row| row.kernel.clone()),
    ("criterion", |row| row.criterion.clone()),
    ("inputs", |row| format!("{:2}", row.d)),
    ("noise from", |row| format!("1e{:03}", row.noise.log10().floor())),
];

/// The tables, from the raw rows alone.
pub fn tables(rows: &[Row]) -> String {
    let mut text = verdict(rows);
    let all: Vec<&Row> = rows.iter().collect();
    for (name, of) in TRAITS {
        let mut groups: BTreeMap<String, Vec<&Row>> = BTreeMap::new();
        for row in rows {
            groups.entry(of(row)).or_default().push(row);
        }
        let mut table = Table::new(name, &MEASURES, |measure| measure.0.into());
        for (label, rows) in &groups {
            table.line(label.trim(), |measure| (measure.1)(rows));
        }
        table.line("all", |measure| (measure.1)(&all));
        text += &format!("\n{}", table.into_text());
    }
    text
}

/// What must not be, first.
fn verdict(rows: &[Row]) -> String {
    let mut text = String::new();
    for (title, is_meant, say) in FINDINGS {
        let found: Vec<&Row> = rows.iter().filter(|row| is_meant(row)).collect();
        let count = if found.is_empty() { "none.".into() } else { found.len().to_string() };
        text += &format!("{title}: {count}\n");
        for row in found {
            text += &format!("* problem {}: {}\n", row.problem, say(row));
        }
    }
    text
}

/// A list: its title, which problems are on it, and what is said of each.
type Finding = (&'static str, fn(&Row) -> bool, fn(&Row) -> String);

const FINDINGS: [Finding; 3] = [
    ("Problems with bounds too high by more than rounding explains (must be none)", |row| row.violations > 0, excess),
    ("Problems with bounds above a value that was found, within rounding", |row| row.above > row.violations, excess),
    ("Problems that could not be set up", |row| row.status != "checked", |row| row.status.clone()),
];

fn excess(row: &Row) -> String {
    let number = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.1e}"));
    format!("{} of {} boxes, by up to {}, rounding {}", row.above, row.boxes, number(row.excess), number(row.allowed))
}

fn sum(rows: &[&Row], of: impl Fn(&Row) -> u64) -> String {
    rows.iter().map(|row| of(row)).sum::<u64>().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_count_boxes_and_name_what_is_wrong() {
        let good = [Row::example("rbf", 2, 0), Row::example("rq", 10, 0), Row::example("rbf", 10, 0)];
        let text = tables(&good);
        assert!(
            text.starts_with("Problems with bounds too high by more than rounding explains (must be none): none.\n"),
            "{text}"
        );
        assert!(text.contains("| rbf | 2 | 40 | 38 | 1.0e-3 | 0 | 0 |"), "{text}");
        assert!(text.contains("| all | 3 | 60 | 57 | 1.0e-3 | 0 | 0 |"), "{text}");
        assert!(text.contains("| 1e-11 | 3 |"), "{text}");
        let failed = Row { status: "singular".into(), ..Row::example("rbf", 1, 0) };
        let text = tables(&[Row::example("rbf", 1, 2), failed]);
        assert!(
            text.contains("(must be none): 1\n* problem 7: 2 of 20 boxes, by up to 5.0e-1, rounding 1.0e-12"),
            "{text}"
        );
        assert!(text.contains("set up: 1\n* problem 7: singular"), "{text}");
    }
}
