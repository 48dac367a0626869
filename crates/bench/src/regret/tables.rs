//! The table of a run, from its rows alone.

use super::{METHODS, Row};
use crate::moments::Moments;
use crate::table::Table;

/// The table.
pub fn tables(rows: &[Row]) -> String {
    let mut columns: Vec<(usize, usize)> = Vec::new();
    for d in 1..=2 {
        let last = rows.iter().filter(|row| row.d == d).map(|row| row.t).max().unwrap_or_default();
        columns.extend([1, 2, 4].map(|part| (d, last * part / 4)).into_iter().filter(|(_, t)| *t > 0));
    }
    let count = rows.iter().map(|row| row.seed + 1).max().unwrap_or_default();
    let mut table = Table::new(&format!("means of {count} samples"), &columns, |(d, t)| format!("{d}D, T = {t}"));
    type Number = fn(&Row) -> f64;
    let lines: [(&str, Number); 3] =
        [("R_T", |row| row.cumulative), ("bound", |row| row.bound), ("bound / R_T", |row| row.bound / row.cumulative)];
    for method in METHODS {
        for (line, number) in lines {
            table.line(&format!("{method}: {line}"), |(d, t)| {
                let of = |row: &&Row| row.method == method && (row.d, row.t) == (*d, *t);
                let mean = Moments::of(rows.iter().filter(of).map(number))?.mean;
                Some(if mean < 1e4 { format!("{mean:.1}") } else { format!("{mean:.1e}") })
            });
        }
    }
    let above = rows.iter().filter(|row| row.cumulative > row.bound).count();
    table.into_text() + &format!("\nRounds in which the regret is above its bound: {above} of {}.\n", rows.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regret_above_its_bound_is_counted() {
        let rows = [
            Row::example("certified", 0, 1, 4.0),
            Row::example("certified", 1, 1, 6.0),
            Row::example("pk", 0, 1, 101.0),
        ];
        let rows: Vec<Row> = rows.into_iter().map(|row| Row { t: 4, ..row }).collect();
        let text = tables(&rows);
        assert!(text.contains("| certified: R_T | – | – | 5.0 |"), "{text}");
        assert!(text.contains("above its bound: 1 of 3"), "{text}");
    }
}
