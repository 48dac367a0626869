//! The tables of a run.

use super::{Row, Variant};
use crate::spread::{Spread, median};
use crate::table::Table;
use crate::units::human;

/// The tables, from the raw rows alone.
pub fn tables(rows: &[Row]) -> String {
    let mut text = String::new();
    if let Some(Row { gap, .. }) = rows.first() {
        text += &format!("Gap {gap:e} absolute, one thread, CPU time. Median (largest) of the factors to the same\n");
        text += "problem without the constraint.\n\n";
    }
    let constrained = || rows.iter().filter(|row| row.variant != Variant::Plain);
    let mut groups: Vec<(usize, &str)> = constrained().map(|row| (row.d, row.kernel.as_str())).collect();
    groups.sort_unstable();
    groups.dedup();
    for (what, measure) in [("time", seconds as fn(&Row) -> f64), ("boxes", |row| row.nodes as f64)] {
        let mut table = Table::new(what, &Variant::ALL[1..], |variant| variant.name().into());
        for (d, kernel) in &groups {
            let of = |variant: &Variant| -> Vec<f64> {
                let here = |row: &&Row| row.d == *d && row.kernel == *kernel;
                rows.iter().filter(here).filter_map(|row| factor(rows, row, *variant, measure)).collect()
            };
            table.line(&format!("{d}D {kernel}"), |variant| {
                Spread::of(of(variant)).map(|spread| format!("{:.1}× ({:.1}×)", spread.middle, spread.high))
            });
        }
        let all = |variant: &Variant| rows.iter().filter_map(|row| factor(rows, row, *variant, measure)).collect();
        table.line("all", |variant| {
            Spread::of(all(variant)).map(|spread| format!("{:.1}× ({:.1}×)", spread.middle, spread.high))
        });
        text += &(table.into_text() + "\n");
    }
    text += "Median times themselves:\n\n";
    let mut table = Table::new("", &Variant::ALL, |variant| variant.name().into());
    for (d, kernel) in &groups {
        table.line(&format!("{d}D {kernel}"), |variant| {
            let here = |row: &&Row| row.d == *d && row.kernel == *kernel && row.variant == *variant;
            median(rows.iter().filter(here).map(seconds).collect()).map(human)
        });
    }
    text + &table.into_text() + "\n" + &findings(rows)
}

fn seconds(row: &Row) -> f64 {
    row.seconds
}

/// How much more `variant` takes than the plain problem in `row`.
fn factor(rows: &[Row], row: &Row, variant: Variant, measure: fn(&Row) -> f64) -> Option<f64> {
    if row.variant != Variant::Plain {
        return None;
    }
    let other = rows.iter().find(|other| other.instance == row.instance && other.variant == variant)?;
    Some(measure(other) / measure(row))
}

/// What must not happen, and the slowest.
fn findings(rows: &[Row]) -> String {
    let list = |bad: &dyn Fn(&Row) -> bool| {
        let names: Vec<String> =
            rows.iter().filter(|row| bad(row)).map(|row| format!("{} {}", row.instance, row.variant.name())).collect();
        if names.is_empty() { "none".into() } else { names.join(", ") }
    };
    let mut text = format!("* proofs refused (must be none): {}.\n", list(&|row| !row.accepted));
    text += &format!("* not proven within the limit: {}.\n", list(&|row| row.status != "optimal"));
    if let Some(slowest) = rows.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds)) {
        let (name, variant) = (&slowest.instance, slowest.variant.name());
        text += &format!("* slowest: {name} with {variant}, {} and {} boxes.\n", human(slowest.seconds), slowest.nodes);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_to_the_same_problem_without_the_constraint() {
        let rows = [
            Row::example(Variant::Plain, "a", 1e-3, 10),
            Row::example(Variant::Disc, "a", 2e-3, 40),
            Row::example(Variant::Plain, "b", 1e-3, 10),
            Row { accepted: false, ..Row::example(Variant::Disc, "b", 8e-3, 20) },
        ];
        let text = tables(&rows);
        assert!(text.contains("| 2D rbf | – | 8.0× (8.0×) | – | – | – | – |"), "{text}");
        assert!(text.contains("| 2D rbf | – | 4.0× (4.0×) | – | – | – | – |"), "{text}");
        assert!(text.contains("proofs refused (must be none): b disc."), "{text}");
        assert!(text.contains("slowest: b with disc, 8 ms and 20 boxes."), "{text}");
    }
}
