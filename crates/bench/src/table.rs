//! A Markdown table.

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

    /// Adds a line; a dash where there is nothing to show.
    pub fn line(&mut self, label: &str, cell: impl Fn(&C) -> Option<String>) {
        let cells: Vec<String> = self.columns.iter().map(|column| cell(column).unwrap_or_else(|| "–".into())).collect();
        self.text += &format!("| {label} | {} |\n", cells.join(" | "));
    }

    pub fn into_text(self) -> String {
        self.text
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
}
