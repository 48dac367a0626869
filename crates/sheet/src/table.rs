//! A file as experiments of a study, and what was understood on the way.

use crate::cell::Cell;
use crate::columns::{Column, Columns};
use crate::decimal;
use crate::delimited::Separator;
use crate::error::{Error, Mistake, Result};
use crate::grid::{Grid, Line, Places, letters};
use crate::missing::is_nothing;
use crate::names::{header_row, recognised};
use crate::number::{Decimal, Evidence, evidence, without_percent};
use crate::options::Options;
use crate::row::{Reader, Reading};
use crate::source::{self, Source, decimals};
use fathom_study::{Experiment, Space};
use std::path::Path;

/// An experiment, and where it stood.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The name of the row.
    pub place: String,
    /// What it says.
    pub experiment: Experiment,
}

/// A table that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// What kind of file it was in.
    pub source: Source,
    /// The decimal sign of numbers that are text; `None` if no number shows one.
    pub decimal: Option<Decimal>,
    /// The columns, in their order.
    pub columns: Vec<Column>,
    /// The experiments. Those of a study's own table are in the order of their trials.
    pub rows: Vec<Row>,
    /// Rows that are no experiments, and why.
    pub left_out: Vec<Mistake>,
    /// What else is worth a word.
    pub remarks: Vec<String>,
}

impl Table {
    /// Reads a file of experiments for a study over `space`.
    pub fn read(path: &Path, space: &Space, options: &Options) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|source| Error::Io { path: path.to_owned(), source })?;
        Self::of(&bytes, space, options)
    }

    /// The same from the bytes of a file.
    pub fn of(bytes: &[u8], space: &Space, options: &Options) -> Result<Self> {
        let (source, grid) = source::read(bytes, options, |line| recognised(line, space, options))?;
        let Some(header) = header_row(&grid.lines, space, options) else {
            return Err(Error::NoTable { reason: "the file is empty".into() });
        };
        let merged_header = |merged: &&crate::grid::Merged| {
            let row = grid.lines[header].number - 1;
            (merged.rows.0..=merged.rows.1).contains(&row) && merged.rows.0 != merged.rows.1
        };
        if let Some(merged) = grid.merged.iter().find(merged_header) {
            return Err(merged_error(merged));
        }
        let columns = Columns::find(&grid, header, space, options)?;
        let mut table = Self {
            source,
            decimal: None,
            columns: columns.all.clone(),
            rows: Vec::new(),
            left_out: Vec::new(),
            remarks: Vec::new(),
        };
        let lines = table.begin(&grid, header, &columns)?;
        table.decimal = match options.decimal {
            Some(decimal) => Some(decimal),
            None => decimal::of(&grid, lines, &columns, table.source.separator())?,
        };
        let decimal = table.decimal.unwrap_or(Decimal::Point);
        let reader = Reader { grid: &grid, columns: &columns, decimal, space };
        table.fill(&reader, lines)?;
        Ok(table)
    }

    /// How the file is written, in words.
    pub fn manner(&self) -> String {
        match self.decimal {
            Some(decimal) => format!("{}, {}", self.source, decimals(decimal)),
            None => self.source.to_string(),
        }
    }

    /// The experiments alone.
    pub fn experiments(&self) -> Vec<Experiment> {
        self.rows.iter().map(|row| row.experiment.clone()).collect()
    }

    /// Says what stands above the headers and beside the columns, and gives the rows that may be experiments.
    fn begin<'g>(&mut self, grid: &'g Grid, header: usize, columns: &Columns<'_>) -> Result<&'g [Line]> {
        for line in &grid.lines[..header] {
            let shown = line.cells.iter().find(|cell| !cell.is_empty()).map(Cell::shown).unwrap_or_default();
            self.remarks.push(format!(
                "{} (`{}`) stands above the headers and is passed over",
                grid.row(line.number),
                shortened(&shown)
            ));
        }
        for at in columns.nameless(grid, header) {
            self.remarks.push(format!("column {} has no header and is ignored", letters(at)));
        }
        let first = grid.lines[header].number;
        let is_in_the_way = |merged: &&crate::grid::Merged| {
            merged.rows.1 >= first
                && (0..columns.all.len())
                    .any(|at| (merged.columns.0..=merged.columns.1).contains(&at) && columns.is_used(at))
        };
        if let Some(merged) = grid.merged.iter().find(is_in_the_way) {
            return Err(merged_error(merged));
        }
        let lines = &grid.lines[header + 1..];
        match lines.split_first() {
            Some((line, rest)) if is_of_units(line, columns) => {
                self.left_out.push(Mistake { place: grid.row(line.number), reason: "a row of units".into() });
                Ok(rest)
            }
            _ => Ok(lines),
        }
    }

    fn fill(&mut self, reader: &Reader<'_>, lines: &[Line]) -> Result<()> {
        let (grid, columns) = (reader.grid, reader.columns);
        let mut mistakes = Vec::new();
        let mut numbers: Vec<Option<u64>> = Vec::new();
        for line in lines {
            let place = grid.row(line.number);
            if let Some(reason) = self.too_long(grid, columns, line) {
                mistakes.push(Mistake { place, reason });
                continue;
            }
            match reader.read(line) {
                Reading::Experiment(experiment) => {
                    self.rows.push(Row { place, experiment });
                    let trial = columns.trial.and_then(|at| reader.number(line.cell(at)).ok().flatten());
                    numbers.push(
                        trial
                            .filter(|(number, _)| number.fract() == 0.0 && *number > 0.0)
                            .map(|(number, _)| number as u64),
                    );
                }
                Reading::LeftOut(reason) => self.left_out.push(Mistake { place, reason }),
                Reading::Mistakes(more) => mistakes.extend(more),
            }
        }
        self.percents(reader, lines, &mut mistakes);
        if !mistakes.is_empty() {
            return Err(Error::Mistakes(mistakes));
        }
        if let Some(mut order) = numbers.into_iter().collect::<Option<Vec<u64>>>() {
            // People sort their tables; what came first is still known.
            let mut rows: Vec<(u64, Row)> = order.drain(..).zip(self.rows.drain(..)).collect();
            rows.sort_by_key(|(number, _)| *number);
            self.rows = rows.into_iter().map(|(_, row)| row).collect();
        }
        Ok(())
    }

    /// Why a line of text has more cells than headers, if it has.
    fn too_long(&self, grid: &Grid, columns: &Columns<'_>, line: &Line) -> Option<String> {
        let named = columns.all.iter().rposition(|column| !column.header.is_empty()).map_or(0, |last| last + 1);
        let is_longer = line.cells.iter().skip(named).any(|cell| !cell.is_empty());
        if grid.places != Places::Lines || !is_longer {
            return None;
        }
        let cells = line.cells.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1);
        let hint = match self.source.separator() {
            Some(Separator::Comma) => {
                ": if these are decimal commas, save the file with semicolons or tabs between its columns"
            }
            Some(Separator::Semicolon | Separator::Tab) | None => ": every column needs a header",
        };
        Some(format!("{cells} cells under {named} headers{hint}"))
    }

    /// Percent signs do no harm if all numbers of a column have one.
    fn percents(&mut self, reader: &Reader<'_>, lines: &[Line], mistakes: &mut Vec<Mistake>) {
        let columns = reader.columns;
        for at in columns.numbers() {
            let header = &columns.all[at].header;
            let numbers = lines.iter().filter_map(|line| Some((line, reader.number(line.cell(at)).ok()??.1)));
            let (with, without): (Vec<_>, Vec<_>) = numbers.partition(|(_, is_percent)| *is_percent);
            match (with.first(), without.iter().find(|(line, _)| *line.cell(at) != Cell::Number(0.0))) {
                (Some((one, _)), Some((other, _))) => {
                    let shown = |line: &Line| line.cell(at).shown().trim().to_owned();
                    let reason = format!(
                        "`{}` has a percent sign, and `{}` in {} has none: write all of them in the same way",
                        shown(one),
                        shown(other),
                        reader.grid.row(other.number)
                    );
                    mistakes.push(Mistake { place: reader.grid.place(one.number, at, header), reason });
                }
                (Some((one, _)), None) => {
                    let number = reader.number(one.cell(at)).ok().flatten().map_or(0.0, |(number, _)| number);
                    self.remarks.push(format!("`{header}` has percent signs: {number} % is read as {number}"));
                }
                (None, _) => {}
            }
        }
    }
}

fn merged_error(merged: &crate::grid::Merged) -> Error {
    let name = |row: u64, column: usize| format!("{}{}", letters(column), row + 1);
    Error::Merged { first: name(merged.rows.0, merged.columns.0), last: name(merged.rows.1, merged.columns.1) }
}

/// Whether a row has words where numbers would be, and nothing else there.
fn is_of_units(line: &Line, columns: &Columns<'_>) -> bool {
    let numbers = columns.numbers();
    let is_word = |cell: &Cell| match cell {
        Cell::Text(text) => {
            !is_nothing(text) && evidence(without_percent(text).0) == Evidence::NoNumber || text.trim() == "%"
        }
        Cell::Empty | Cell::Number(_) | Cell::Percent(_) | Cell::Date(_) | Cell::Bool(_) | Cell::Fault(_) => false,
    };
    let filled: Vec<&Cell> = numbers.iter().map(|at| line.cell(*at)).filter(|cell| !cell.is_empty()).collect();
    filled.len() > 1 && filled.into_iter().all(is_word)
}

/// A text that fits into a remark.
fn shortened(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    match line.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
