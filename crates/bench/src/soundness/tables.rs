//! The tables of a check.

use super::row::{Row, largest};
use crate::table::Table;
use std::collections::BTreeMap;

/// A column: its name and what it says of some comparisons.
type Measure = (&'static str, fn(&[&Row]) -> Option<String>);

const MEASURES: [Measure; 6] = [
    ("bounds", |rows| Some(sum(rows, |row| row.boxes))),
    ("comparisons", |rows| Some(sum(rows, |row| row.comparisons))),
    ("tight to 1e-3", |rows| Some(sum(rows, |row| row.tight))),
    ("largest excess", |rows| rows.iter().map(|row| row.excess).reduce(largest).map(|excess| format!("{excess:.1e}"))),
    ("within the enclosure", |rows| Some(sum(rows, |row| row.undecided))),
    ("above the function", |rows| Some(sum(rows, |row| row.violations))),
];

/// What comparisons are told apart by.
type Trait = (&'static str, fn(&Row) -> &str);

const TRAITS: [Trait; 4] = [
    ("kind", |row| &row.kind),
    ("kernel", |row| &row.kernel),
    ("criterion", |row| &row.criterion),
    ("region", |row| &row.region),
];

/// The tables, from the raw rows alone.
pub fn tables(rows: &[Row]) -> String {
    let violations: u64 = rows.iter().map(|row| row.violations).sum();
    let count = if violations == 0 { "none.".into() } else { violations.to_string() };
    let mut text = format!("Bounds above the function: {count}\n");
    for row in rows.iter().filter(|row| row.violations > 0) {
        let Row { block, kernel, criterion, region, kind, excess, .. } = row;
        text += &format!("* block {block}: {kind}, {kernel}, {criterion}, {region}, by up to {excess:.1e}\n");
    }
    text += "\nExcess and tightness are in units of the prior deviation.\n";
    let all: Vec<&Row> = rows.iter().collect();
    for (name, of) in TRAITS {
        let mut groups: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
        for row in rows {
            groups.entry(of(row)).or_default().push(row);
        }
        let mut table = Table::new(name, &MEASURES, |measure| measure.0.into());
        for (label, rows) in &groups {
            table.line(label, |measure| (measure.1)(rows));
        }
        table.line("all", |measure| (measure.1)(&all));
        text += &format!("\n{}", table.into_text());
    }
    text
}

fn sum(rows: &[&Row], of: impl Fn(&Row) -> u64) -> String {
    rows.iter().map(|row| of(row)).sum::<u64>().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(kind: &str, violations: u64) -> Row {
        Row {
            block: 2,
            seed: 1,
            kernel: "rbf".into(),
            criterion: "lcb".into(),
            region: "box".into(),
            kind: kind.into(),
            boxes: 10,
            comparisons: 90,
            violations,
            undecided: 3,
            excess: if violations > 0 { 0.5 } else { -1e-9 },
            tight: 4,
        }
    }

    #[test]
    fn tables_count_and_name_what_is_wrong() {
        let text = tables(&[row("moving", 0), row("tilted", 0), row("moving", 0)]);
        assert!(text.starts_with("Bounds above the function: none.\n"), "{text}");
        assert!(text.contains("| moving | 20 | 180 | 8 | -1.0e-9 | 6 | 0 |"), "{text}");
        assert!(text.contains("| all | 30 | 270 |"), "{text}");
        let text = tables(&[row("moving", 2)]);
        assert!(text.contains("function: 2\n* block 2: moving, rbf, lcb, box, by up to 5.0e-1"), "{text}");
    }
}
