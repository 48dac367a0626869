//! The tables of a run.

use super::row::Row;
use crate::table::Table;
use std::collections::BTreeMap;

/// A column: its name and what it adds up.
type Measure = (&'static str, fn(&Row) -> u64);

const MEASURES: [Measure; 8] = [
    ("forgeries", |row| row.made),
    ("false claims", |row| row.lies),
    ("refused by the reader", |row| row.unreadable),
    ("refused by the checker", |row| row.refused),
    ("accepted, not false", |row| row.held),
    ("accepted, truth unknown", |row| row.unknown),
    ("accepted and false", |row| row.fooled),
    ("panics", |row| row.panicked),
];

/// The tables, from the raw rows alone.
pub fn tables(rows: &[Row]) -> String {
    let fooled: u64 = rows.iter().map(|row| row.fooled + row.panicked).sum();
    let mut text = format!(
        "False claims that were accepted, and panics: {}\n",
        if fooled == 0 { "none.".into() } else { fooled.to_string() }
    );
    for (name, of) in [
        ("kind", (|row| &row.kind) as fn(&Row) -> &String),
        ("kernel", |row| &row.kernel),
        ("function", |row| &row.acquisition),
    ] {
        let mut groups: BTreeMap<&String, Vec<&Row>> = BTreeMap::new();
        for row in rows {
            groups.entry(of(row)).or_default().push(row);
        }
        let mut table = Table::new(name, &MEASURES, |measure| measure.0.into());
        for (label, rows) in &groups {
            table.line(label, |measure| Some(rows.iter().map(|row| (measure.1)(row)).sum::<u64>().to_string()));
        }
        table.line("all", |measure| Some(rows.iter().map(measure.1).sum::<u64>().to_string()));
        text += &format!("\n{}", table.into_text());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_accepted_lie_comes_first() {
        let row = Row {
            proof: "001".into(),
            kernel: "rbf".into(),
            acquisition: "ei".into(),
            kind: "weights".into(),
            made: 10,
            lies: 9,
            unreadable: 1,
            refused: 7,
            held: 1,
            unknown: 0,
            fooled: 1,
            panicked: 0,
            seconds: 0.1,
        };
        let text = tables(&[row.clone(), Row { fooled: 0, ..row }]);
        assert!(text.starts_with("False claims that were accepted, and panics: 1\n"), "{text}");
        assert!(text.contains("| weights | 20 | 18 | 2 | 14 | 2 | 0 | 1 | 0 |"), "{text}");
    }
}
