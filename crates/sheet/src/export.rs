//! Trials as a table: every digit, and no text that a spreadsheet takes for a formula.

use crate::archive;
use crate::cell::Cell;
use crate::date::moment;
use crate::formula::written;
use crate::grid::letters;
use crate::locale::Locale;
use crate::names::{AFTER, BEFORE, column, value_column};
use crate::workbook::xlsx;
use crate::xml::escaped;
use fathom_study::{Assurance, Definition, OBJECTIVE, Trial, Value};

/// The names of all values that were told, the objective first.
fn value_names(trials: &[Trial]) -> Vec<&str> {
    let mut names = vec![OBJECTIVE];
    for (name, _) in trials.iter().flat_map(|trial| trial.values.iter()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn header(definition: &Definition, names: &[&str]) -> Vec<String> {
    let parameters = definition.space.parameters().iter().map(|parameter| column(&parameter.name));
    let values = names.iter().map(|name| value_column(name));
    let [before, after] =
        [BEFORE.as_slice(), AFTER.as_slice()].map(|names| names.iter().map(|name| (*name).to_owned()));
    before.chain(parameters).chain(values).chain(after).collect()
}

fn row(trial: &Trial, names: &[&str]) -> Vec<Cell> {
    let maybe = |number: Option<f64>| number.map_or(Cell::Empty, Cell::Number);
    let suggestion = &trial.suggestion;
    let mut cells = vec![Cell::Number(trial.id as f64), Cell::text(trial.state.name())];
    cells.extend(trial.point.values().map(|value| match value {
        Value::Float(value) => Cell::Number(*value),
        Value::Integer(value) => Cell::Number(*value as f64),
        Value::Boolean(value) => Cell::Bool(*value),
        Value::Text(value) => Cell::text(value),
    }));
    cells.extend(names.iter().map(|name| maybe(trial.values.get(name))));
    cells.push(Cell::text(suggestion.origin.name()));
    cells.push(maybe(suggestion.bound.map(|bound| bound.gain)));
    cells.push(maybe(suggestion.gap()));
    cells.push(Cell::text(match suggestion.assurance() {
        Assurance::None => "",
        Assurance::Proven { .. } => "proven",
        Assurance::CutShort { .. } => "cut short",
        Assurance::Better { .. } => "better found",
    }));
    cells.push(Cell::text(trial.message.as_deref().unwrap_or_default()));
    cells.push(Cell::text(trial.notes().join("; ")));
    cells.push(Cell::text(moment(trial.asked_at)));
    cells.push(Cell::text(trial.finished_at.map(moment).unwrap_or_default()));
    cells
}

/// Trials as CSV.
pub fn csv(definition: &Definition, trials: &[Trial], locale: Locale) -> std::io::Result<String> {
    let names = value_names(trials);
    let terminator = if locale.is_for_excel() { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
    let mut builder = csv::WriterBuilder::new();
    builder.terminator(terminator).delimiter(locale.separator().byte());
    // The mark is written first, so that no quote stands before it.
    let start = if locale.is_for_excel() { "\u{feff}" } else { "" };
    let mut writer = builder.from_writer(start.as_bytes().to_vec());
    writer.write_record(header(definition, &names).iter().map(|name| written(name)))?;
    for trial in trials {
        writer.write_record(row(trial, &names).iter().map(|cell| match cell {
            Cell::Number(number) | Cell::Percent(number) => locale.number(*number),
            Cell::Text(text) | Cell::Date(text) | Cell::Fault(text) => written(text),
            Cell::Bool(is_so) => is_so.to_string(),
            Cell::Empty => String::new(),
        }))?;
    }
    let bytes = writer.into_inner().map_err(|error| std::io::Error::other(error.to_string()))?;
    String::from_utf8(bytes).map_err(std::io::Error::other)
}

const CONTENT_TYPES: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
    <Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
    <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
    <Default Extension=\"xml\" ContentType=\"application/xml\"/>\
    <Override PartName=\"/xl/workbook.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml\"/>\
    <Override PartName=\"/xl/worksheets/sheet1.xml\" \
    ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml\"/></Types>";

const WORKBOOK: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
    <workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" \
    xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\">\
    <sheets><sheet name=\"trials\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>";

fn relation(kind: &str, target: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
         <Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"rId1\" \
         Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}\" Target=\"{target}\"/></Relationships>"
    )
}

/// Trials as a workbook that every spreadsheet opens in its own language. The same trials give the same bytes.
pub fn xlsx(definition: &Definition, trials: &[Trial]) -> std::io::Result<Vec<u8>> {
    let names = value_names(trials);
    let titles: Vec<Cell> = header(definition, &names).into_iter().map(Cell::text).collect();
    let rows = std::iter::once(titles).chain(trials.iter().map(|trial| row(trial, &names)));
    let mut sheet = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
        <worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>"
        .to_owned();
    for (number, cells) in (1..).zip(rows) {
        sheet += &format!("<row r=\"{number}\">");
        for (at, cell) in cells.iter().enumerate() {
            let place = format!("{}{number}", letters(at));
            sheet += &match cell {
                Cell::Number(number) | Cell::Percent(number) => format!("<c r=\"{place}\"><v>{number:?}</v></c>"),
                Cell::Text(text) | Cell::Date(text) | Cell::Fault(text) => {
                    let text = escaped(&xlsx::escaped(&written(text)));
                    format!("<c r=\"{place}\" t=\"inlineStr\"><is><t xml:space=\"preserve\">{text}</t></is></c>")
                }
                Cell::Bool(is_so) => format!("<c r=\"{place}\" t=\"b\"><v>{}</v></c>", u8::from(*is_so)),
                Cell::Empty => String::new(),
            };
        }
        sheet += "</row>";
    }
    sheet += "</sheetData></worksheet>";
    archive::packed(&[
        ("[Content_Types].xml", CONTENT_TYPES.to_owned()),
        ("_rels/.rels", relation("officeDocument", "xl/workbook.xml")),
        ("xl/workbook.xml", WORKBOOK.to_owned()),
        ("xl/_rels/workbook.xml.rels", relation("worksheet", "worksheets/sheet1.xml")),
        ("xl/worksheets/sheet1.xml", sheet),
    ])
}
