//! ODS: OpenDocument spreadsheets, as far as cells go. Repeated cells and rows are written once in the file.

use super::{Collected, Sheet};
use crate::archive::Archive;
use crate::cell::{Cell, in_percent};
use crate::grid::Merged;
use crate::xml::{Element, Piece, pieces};

/// A cell that is being read.
#[derive(Debug, Default)]
struct Open {
    kind: String,
    value: Option<String>,
    repeated: usize,
    spans: (usize, usize),
    paragraphs: Vec<String>,
}

impl Open {
    fn new(element: &Element<'_>) -> Self {
        let values = ["value", "date-value", "time-value", "boolean-value", "string-value"];
        // Nobody has more rows than that, whatever a damaged file says.
        let count = |name: &str| element.count(name).unwrap_or(1).clamp(1, 1 << 20);
        Self {
            kind: element.attribute("value-type").unwrap_or_default(),
            value: values.iter().find_map(|name| element.attribute(name)),
            repeated: count("number-columns-repeated"),
            spans: (count("number-rows-spanned"), count("number-columns-spanned")),
            paragraphs: Vec::new(),
        }
    }

    fn cell(&self) -> Result<Cell, String> {
        let shown = || self.paragraphs.join("\n");
        let value = || self.value.clone().unwrap_or_else(shown);
        let number = || {
            let value = value();
            let number = value.trim().parse::<f64>().ok().filter(|number| number.is_finite());
            number.ok_or_else(|| format!("the workbook is damaged: `{value}` is no number"))
        };
        Ok(match self.kind.as_str() {
            // A formula that could not be evaluated is the number 0 to the file, and shows why.
            "float" if is_fault(&shown()) => Cell::Fault(shown()),
            "float" | "currency" => Cell::Number(number()?),
            "percentage" => Cell::Percent(in_percent(number()?)),
            "date" | "time" => Cell::Date(value()),
            "boolean" => Cell::Bool(value().trim() == "true"),
            _ => Cell::text(value()),
        })
    }
}

fn is_fault(shown: &str) -> bool {
    shown.starts_with('#') || shown.starts_with("Err:")
}

/// The sheets of a workbook.
pub(crate) fn sheets(archive: &Archive<'_>) -> Result<Vec<Sheet>, String> {
    if archive.text("META-INF/manifest.xml").is_ok_and(|manifest| manifest.contains("encryption-data")) {
        return Err("the workbook is protected by a password: save it without one".into());
    }
    let mut sheets = Vec::new();
    let mut state = State::default();
    pieces(&archive.text("content.xml")?, |piece| {
        match piece {
            Piece::Start(element) => state.start(&element)?,
            Piece::Text(text) => state.text(&text),
            Piece::End(name) => sheets.extend(state.end(&name)?),
        }
        Ok(())
    })?;
    Ok(sheets)
}

/// Where the reading of a document is.
#[derive(Debug, Default)]
struct State {
    name: Option<String>,
    collected: Collected,
    row: u64,
    repeated: u64,
    column: usize,
    cells: Vec<(usize, Cell)>,
    open: Option<Open>,
    is_paragraph: bool,
    /// How many comments of cells, or tables within cells, are open: their text is no part of the cell.
    aside: usize,
}

impl State {
    fn start(&mut self, element: &Element<'_>) -> Result<(), String> {
        match element.name().as_str() {
            "annotation" => self.aside += 1,
            _ if self.aside > 0 => {}
            "table" => {
                self.name = Some(element.attribute("name").unwrap_or_default());
                (self.collected, self.row) = (Collected::default(), 0);
            }
            "table-row" => {
                self.repeated = element.count("number-rows-repeated").unwrap_or(1).max(1) as u64;
                self.column = 0;
                self.cells.clear();
            }
            "table-cell" => self.open = Some(Open::new(element)),
            "covered-table-cell" => {
                self.column = self.column.saturating_add(element.count("number-columns-repeated").unwrap_or(1));
            }
            "p" => {
                self.is_paragraph = self.open.is_some();
                if let Some(open) = &mut self.open {
                    open.paragraphs.push(String::new());
                }
            }
            "s" => self.text(&" ".repeat(element.count("c").unwrap_or(1).min(1000))),
            "tab" => self.text("\t"),
            "line-break" => self.text("\n"),
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let (true, 0, Some(open)) = (self.is_paragraph, self.aside, &mut self.open)
            && let Some(last) = open.paragraphs.last_mut()
        {
            last.push_str(text);
        }
    }

    fn end(&mut self, name: &str) -> Result<Option<Sheet>, String> {
        match name {
            "annotation" => self.aside = self.aside.saturating_sub(1),
            _ if self.aside > 0 => {}
            "p" => self.is_paragraph = false,
            "table-cell" => {
                let Some(open) = self.open.take() else { return Ok(None) };
                let cell = open.cell()?;
                if open.spans != (1, 1) {
                    let rows = self.row.saturating_add(open.spans.0 as u64 - 1);
                    let columns = self.column.saturating_add(open.spans.1 - 1);
                    self.collected.merge(Merged { rows: (self.row, rows), columns: (self.column, columns) });
                }
                // A row ends with a great many empty cells.
                if !cell.is_empty() {
                    let end = self.column.saturating_add(open.repeated);
                    if end > 16_384 {
                        return Err("the workbook is damaged: it has more columns than there are".into());
                    }
                    self.cells.extend((self.column..end).map(|column| (column, cell.clone())));
                }
                self.column = self.column.saturating_add(open.repeated);
            }
            "table-row" => {
                if !self.cells.is_empty() {
                    for row in self.row..self.row.saturating_add(self.repeated) {
                        for (column, cell) in &self.cells {
                            self.collected.put(row, *column, cell.clone())?;
                        }
                    }
                }
                self.row = self.row.saturating_add(self.repeated);
            }
            "table" => {
                if let Some(name) = self.name.take() {
                    return Ok(Some(std::mem::take(&mut self.collected).sheet(name)));
                }
            }
            _ => {}
        }
        Ok(None)
    }
}
