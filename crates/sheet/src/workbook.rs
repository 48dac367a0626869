//! Workbooks: XLSX and ODS.

pub(crate) mod ods;
pub(crate) mod xlsx;

use crate::archive::Archive;
use crate::cell::Cell;
use crate::grid::{Grid, Line, Merged, Places};

/// The most cells of a sheet, empty ones between others included.
const MOST: usize = 5_000_000;

/// A sheet of a workbook.
#[derive(Debug)]
pub(crate) struct Sheet {
    pub name: String,
    pub grid: Grid,
}

/// The beginning of the files of old Excel, and of newer ones with a password.
const COMPOUND: [u8; 8] = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

/// The name of the format and the sheets, if the bytes are a workbook; the reason if they cannot be read.
pub(crate) fn read(bytes: &[u8]) -> Result<Option<(&'static str, Vec<Sheet>)>, String> {
    if bytes.starts_with(&COMPOUND) {
        return Err(
            "it is a file of Excel before 2007, or it has a password: save it as .xlsx without a password".into()
        );
    }
    if !bytes.starts_with(b"PK\x03\x04") {
        return Ok(None);
    }
    let archive = Archive::new(bytes).ok_or("it begins like a workbook, and is damaged")?;
    if archive.has("content.xml") {
        return Ok(Some(("ODS", ods::sheets(&archive)?)));
    }
    if archive.has("[Content_Types].xml") {
        return Ok(Some(("XLSX", xlsx::sheets(&archive)?)));
    }
    Err("it is an archive, but no workbook: unpack it".into())
}

/// Collects the cells of a sheet by their places.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    lines: Vec<Line>,
    merged: Vec<Merged>,
    size: usize,
}

impl Collected {
    /// A cell at a row and a column, from 0. Rows come in order.
    pub fn put(&mut self, row: u64, column: usize, cell: Cell) -> Result<(), String> {
        // A cell with nothing but blanks is empty to the eye, and may still be somebody's reason.
        if cell == Cell::Empty {
            return Ok(());
        }
        if self.lines.last().is_none_or(|line| line.number != row + 1) {
            self.lines.push(Line { number: row + 1, cells: Vec::new() });
        }
        let Some(line) = self.lines.last_mut() else { return Ok(()) };
        let missing = (column + 1).saturating_sub(line.cells.len());
        self.size += missing;
        if self.size > MOST {
            return Err(format!("the sheet has more than {MOST} cells"));
        }
        line.cells.resize(line.cells.len() + missing, Cell::Empty);
        line.cells[column] = cell;
        Ok(())
    }

    /// Cells that are shown as one.
    pub fn merge(&mut self, merged: Merged) {
        self.merged.push(merged);
    }

    pub fn sheet(self, name: String) -> Sheet {
        let mut grid = Grid::new(Places::Sheet, self.lines);
        grid.merged = self.merged;
        Sheet { name, grid }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Parts of a workbook with letters changed, left out and doubled are read or refused, and nothing panics.
    #[test]
    fn damaged_workbooks_are_read_or_refused() {
        let mut random: u64 = 0x2545_f491_4f6c_dd1d;
        let mut next = |below: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random % below as u64) as usize
        };
        let (mut read_again, mut refused) = (0, 0);
        for file in ["german-title.xlsx", "merged.xlsx", "english.ods", "percent.ods", "formulas.xlsx", "date.ods"] {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sheets").join(file);
            let bytes = std::fs::read(path).unwrap();
            let archive = Archive::new(&bytes).unwrap();
            let names: Vec<String> =
                archive.names().filter(|name| name.ends_with("xml") || name.ends_with("rels")).collect();
            for _ in 0..150 {
                let mut parts: Vec<(&str, String)> = Vec::new();
                for name in &names {
                    let mut text: Vec<char> = archive.text(name).unwrap().chars().collect();
                    for _ in 0..next(4) {
                        let at = next(text.len());
                        match next(3) {
                            0 => text[at] = ['9', '<', '"', '>', '-', 'A', '&', '/', '0', '='][next(10)],
                            1 => _ = text.remove(at),
                            _ => text.insert(at, text[at]),
                        }
                    }
                    parts.push((name, text.into_iter().collect()));
                }
                match read(&crate::archive::packed(&parts).unwrap()) {
                    Ok(_) => read_again += 1,
                    Err(_) => refused += 1,
                }
            }
        }
        assert!(read_again > 50 && refused > 50, "{read_again} {refused}");
    }
}
