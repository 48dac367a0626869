//! The tables, from rows alone.

use super::row::{Row, What};
use crate::spread::Spread;
use crate::table::Table;
use crate::units::human;
use std::collections::BTreeSet;

/// One table for each store: what was timed, median and slowest, by function.
pub fn tables(rows: &[Row]) -> String {
    let stores: BTreeSet<&str> = rows.iter().map(|row| row.store.as_str()).collect();
    let functions: BTreeSet<&str> = rows.iter().map(|row| row.function.as_str()).filter(|f| !f.is_empty()).collect();
    let functions: Vec<&str> = functions.into_iter().collect();
    let mut text =
        String::from("Median (slowest) by the clock; median of the thread's CPU, of the store that of reading.\n");
    for store in stores {
        let cell = |what: What, function: &str| {
            let here = |row: &&Row| row.store == store && row.what == what && row.function == function;
            let clock = Spread::of(rows.iter().filter(here).map(|row| row.seconds).collect())?;
            let cpu = Spread::of(rows.iter().filter(here).map(|row| row.cpu).collect())?;
            Some(format!("{} ({}); CPU {}", human(clock.middle), human(clock.high), human(cpu.middle)))
        };
        let mut table = Table::new(&format!("{store}, one worker, N = 95 to 104, D = 3"), &functions, |f| (*f).into());
        for (what, label) in [
            (What::Ask, "ask"),
            (What::Fit, "of which the fit"),
            (What::Store, "of which the store"),
            (What::Tell, "tell"),
        ] {
            table.line(label, |function| cell(what, function));
        }
        text += &format!("\n{}", table.into_text());
        let crowd = [(What::CrowdedAsk, "ask"), (What::CrowdedTell, "tell")];
        let head = format!("{store}, four workers, 1000 trials, no model");
        let mut table = Table::new(&head, &crowd, |(_, label)| (*label).into());
        table.line("each", |(what, _)| cell(*what, ""));
        text += &format!("\n{}", table.into_text());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_has_its_medians_and_extremes() {
        let row = |what, function: &str, seconds| Row {
            store: "sqlite".into(),
            what,
            function: function.into(),
            trials: 1,
            seconds,
            cpu: 0.1,
        };
        let rows = [
            row(What::Ask, "ackley", 0.2),
            row(What::Ask, "ackley", 0.4),
            row(What::Ask, "ackley", 0.3),
            row(What::CrowdedTell, "", 0.002),
        ];
        let text = tables(&rows);
        assert!(text.contains("| ask | 300 ms (400 ms); CPU 100 ms |"), "{text}");
        assert!(text.contains("| each | – | 2 ms (2 ms); CPU 100 ms |"), "{text}");
    }
}
