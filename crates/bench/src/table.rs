//! A Markdown table.

use std::collections::BTreeMap;

/// A table that grows by lines, with a column for each of `columns` beside their labels.
#[derive(Debug)]
pub(crate) struct Table<'c, C> {
    columns: &'c [C],
    text: String,
}

impl<'c, C> Table<'c, C> {
    pub fn new(corner: &str, columns: &'c [C], head: impl Fn(&C) -> String) -> Self {
        let heads: Vec<String> = columns.iter().map(head).collect();
        let text = format!("| {corner} | {} |\n|---|{}\n", heads.join(" | "), "---|".repeat(heads.len()));
        Self { columns, text }
    }

    /// Adds a line; a dash stands for nothing.
    pub fn line(&mut self, label: &str, cell: impl Fn(&C) -> Option<String>) {
        let cells: Vec<String> = self.columns.iter().map(|column| cell(column).unwrap_or_else(|| "–".into())).collect();
        self.text += &format!("| {label} | {} |\n", cells.join(" | "));
    }

    pub fn into_text(self) -> String {
        self.text
    }
}

/// A table with what it shows above it; in bold up to the first colon.
pub(crate) fn captioned(caption: &str, table: &str) -> String {
    let (name, rest) =
        caption.split_once(": ").map_or((caption, String::new()), |(name, rest)| (name, format!(" {rest}")));
    let colon = if rest.is_empty() { "" } else { ":" };
    format!("**{name}{colon}**{rest}\n\n{}\n\n", table.trim_end())
}

/// What is read off a `T`, and its name.
pub(crate) type Named<T, V> = (&'static str, fn(&T) -> V);

/// What rows are told apart by, and its name.
pub(crate) type Trait<R> = (&'static str, fn(&R) -> &str);

/// What is said of some rows, and its name.
pub(crate) type Measure<R> = (&'static str, fn(&[&R]) -> String);

/// A table for each trait: a line for each group of rows and one for all, a column for each measure.
pub(crate) fn by_traits<R>(rows: &[R], traits: &[Trait<R>], measures: &[Measure<R>]) -> String {
    let mut text = String::new();
    for (name, group) in traits {
        let mut groups: BTreeMap<&str, Vec<&R>> = BTreeMap::new();
        for row in rows {
            groups.entry(group(row)).or_default().push(row);
        }
        let mut table = Table::new(name, measures, |measure| measure.0.into());
        let all = ("all", rows.iter().collect());
        for (label, rows) in groups.into_iter().chain([all]) {
            table.line(label, |measure| Some(measure.1(&rows)));
        }
        text += &format!("\n{}", table.into_text());
    }
    text
}

/// A count of all rows together, to be a measure.
pub(crate) fn sum<R>(rows: &[&R], of: fn(&R) -> u64) -> String {
    rows.iter().map(|row| of(row)).sum::<u64>().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_cell_for_every_column() {
        let mut table = Table::new("twice", &[1, 2, 3], |column| format!("of {column}"));
        table.line("odd", |column| (column % 2 == 1).then(|| (2 * column).to_string()));
        let expected = "| twice | of 1 | of 2 | of 3 |\n|---|---|---|---|\n| odd | 2 | – | 6 |\n";
        assert_eq!(table.into_text(), expected);
    }

    #[test]
    fn a_caption_stands_above_its_table() {
        assert_eq!(captioned("Table 1: the cuts.", "| a |\n"), "**Table 1:** the cuts.\n\n| a |\n\n");
        assert_eq!(captioned("The cuts.", "| a |"), "**The cuts.**\n\n| a |\n\n");
    }

    #[test]
    fn groups_come_before_all_of_them() {
        let text = by_traits(&["b", "a", "b"], &[("word", |word| word)], &[("count", |rows| rows.len().to_string())]);
        assert_eq!(text, "\n| word | count |\n|---|---|\n| a | 1 |\n| b | 2 |\n| all | 3 |\n");
    }
}
