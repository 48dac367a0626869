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

/// What is said of some rows, and its name.
type Measure<R> = (&'static str, fn(&[&R]) -> String);

impl<R> Table<'_, Measure<R>> {
    /// A line for each group of rows and one for all, a column for each measure.
    pub fn by(corner: &str, rows: &[R], group: fn(&R) -> &str, measures: &[Measure<R>]) -> String {
        let mut groups: BTreeMap<&str, Vec<&R>> = BTreeMap::new();
        for row in rows {
            groups.entry(group(row)).or_default().push(row);
        }
        let mut table = Table::new(corner, measures, |measure| measure.0.into());
        let all = ("all", rows.iter().collect());
        for (label, rows) in groups.into_iter().chain([all]) {
            table.line(label, |measure| Some(measure.1(&rows)));
        }
        table.into_text()
    }
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
    fn groups_come_before_all_of_them() {
        let text = Table::by("word", &["b", "a", "b"], |word| word, &[("count", |rows| rows.len().to_string())]);
        assert_eq!(text, "| word | count |\n|---|---|\n| a | 1 |\n| b | 2 |\n| all | 3 |\n");
    }
}
