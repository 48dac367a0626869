//! Rows of cells, and where they are in their file.

use crate::cell::Cell;

/// A rectangle of cells that a spreadsheet shows as one: rows and columns from 0, ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Merged {
    pub rows: (u64, u64),
    pub columns: (usize, usize),
}

/// A row that is not empty.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    /// The row's number in the file, from 1.
    pub number: u64,
    pub cells: Vec<Cell>,
}

impl Line {
    /// The cell in a column; empty beyond the last one.
    pub fn cell(&self, column: usize) -> &Cell {
        self.cells.get(column).unwrap_or(&Cell::Empty)
    }
}

/// How people find a cell in their file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Places {
    /// Files of text have lines.
    Lines,
    /// Sheets have rows with numbers and columns with letters.
    Sheet,
}

/// A table as its file has it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Grid {
    pub places: Places,
    pub lines: Vec<Line>,
    pub merged: Vec<Merged>,
}

impl Grid {
    /// A grid without its empty rows.
    pub fn new(places: Places, lines: impl IntoIterator<Item = Line>) -> Self {
        let lines = lines.into_iter().filter(|line| !line.cells.iter().all(Cell::is_empty)).collect();
        Self { places, lines, merged: Vec::new() }
    }

    /// The name of a row.
    pub fn row(&self, number: u64) -> String {
        match self.places {
            Places::Lines => format!("line {number}"),
            Places::Sheet => format!("row {number}"),
        }
    }

    /// The name of a cell, in a column that is called `header`.
    pub fn place(&self, number: u64, column: usize, header: &str) -> String {
        match self.places {
            Places::Lines => format!("line {number}, column `{header}`"),
            Places::Sheet => format!("cell {}{number} (`{header}`)", letters(column)),
        }
    }
}

/// The letters of a column: A, B, …, Z, AA, …
pub fn letters(mut column: usize) -> String {
    let mut name = Vec::new();
    loop {
        name.insert(0, b'A' + (column % 26) as u8);
        if column < 26 {
            return name.into_iter().map(char::from).collect();
        }
        column = column / 26 - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::letters;

    #[test]
    fn columns_have_the_letters_of_spreadsheets() {
        let named = |column: usize| letters(column);
        assert_eq!([0, 25, 26, 701, 702, 16_383].map(named), ["A", "Z", "AA", "ZZ", "AAA", "XFD"]);
    }
}
