//! XLSX: Office Open XML, as far as cells, their number formats and merged ranges go.

use super::{Collected, Sheet};
use crate::archive::Archive;
use crate::cell::{Cell, in_percent};
use crate::date;
use crate::grid::Merged;
use crate::xml::{Element, Piece, pieces};
use std::collections::HashMap;

/// How a number is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Number,
    Percent,
    Date,
}

impl Format {
    /// One of the formats that every program knows by number.
    fn built_in(id: usize) -> Self {
        match id {
            9 | 10 => Self::Percent,
            14..=22 | 27..=36 | 45..=47 | 50..=58 => Self::Date,
            _ => Self::Number,
        }
    }

    /// A format of the file's own. Quoted text, escaped letters and what stands in brackets show nothing of the number, but for times
    /// that have gone by ([h]).
    fn of(code: &str) -> Self {
        let mut letters = code.chars();
        let mut signs = String::new();
        while let Some(letter) = letters.next() {
            match letter {
                '"' => letters.by_ref().take_while(|letter| *letter != '"').for_each(drop),
                '\\' | '_' | '*' => _ = letters.next(),
                '[' => {
                    let inside: String = letters.by_ref().take_while(|letter| *letter != ']').collect();
                    if matches!(inside.to_lowercase().as_str(), "h" | "hh" | "m" | "mm" | "s" | "ss") {
                        return Self::Date;
                    }
                }
                letter => signs.push(letter.to_ascii_lowercase()),
            }
        }
        let first = signs.split(';').next().unwrap_or_default();
        match first {
            general if general.contains("general") => Self::Number,
            percent if percent.contains('%') => Self::Percent,
            date if date.contains(['y', 'd', 'h', 's', 'm']) => Self::Date,
            _ => Self::Number,
        }
    }
}

/// What the sheets of a workbook share.
#[derive(Debug, Default)]
struct Shared {
    strings: Vec<String>,
    formats: Vec<Format>,
    since_1904: bool,
}

/// The sheets of a workbook.
pub(crate) fn sheets(archive: &Archive<'_>) -> Result<Vec<Sheet>, String> {
    let book = related(archive, "_rels/.rels", "")?
        .into_values()
        .find(|(kind, _)| kind.ends_with("/officeDocument"))
        .map_or_else(|| "xl/workbook.xml".to_owned(), |(_, target)| target);
    let (folder, file) = book.rsplit_once('/').unwrap_or(("", &book));
    let relations = related(archive, &format!("{folder}/_rels/{file}.rels"), folder)?;
    let part = |kind: &str| relations.values().find(|(of, _)| of.ends_with(kind)).map(|(_, target)| target.clone());
    let mut shared = Shared::default();
    if let Some(part) = part("/sharedStrings") {
        shared.strings = strings(&archive.text(&part)?)?;
    }
    if let Some(part) = part("/styles") {
        shared.formats = formats(&archive.text(&part)?)?;
    }
    let mut named = Vec::new();
    pieces(&archive.text(&book)?, |piece| {
        if let Piece::Start(element) = piece {
            match element.name().as_str() {
                "workbookPr" => {
                    shared.since_1904 = element.attribute("date1904").is_some_and(|said| said == "1" || said == "true");
                }
                "sheet" => named.extend(element.attribute("name").zip(element.attribute("id"))),
                _ => {}
            }
        }
        Ok(())
    })?;
    let mut sheets = Vec::new();
    for (name, id) in named {
        // Sheets that show a chart alone have no cells.
        if let Some((_, target)) = relations.get(&id).filter(|(kind, _)| kind.ends_with("/worksheet")) {
            sheets.push(cells(&archive.text(target)?, &shared)?.sheet(name));
        }
    }
    Ok(sheets)
}

/// What a part is related to: kind and path by id.
fn related(archive: &Archive<'_>, part: &str, folder: &str) -> Result<HashMap<String, (String, String)>, String> {
    let mut relations = HashMap::new();
    pieces(&archive.text(part)?, |piece| {
        if let Piece::Start(element) = piece
            && let (Some(id), Some(kind), Some(target)) =
                (element.attribute("Id"), element.attribute("Type"), element.attribute("Target"))
        {
            let path = match target.strip_prefix('/') {
                Some(whole) => whole.to_owned(),
                None if folder.is_empty() => target,
                None => format!("{folder}/{target}"),
            };
            relations.insert(id, (kind, path));
        }
        Ok(())
    })?;
    Ok(relations)
}

/// The strings that cells name by number; how they are to be spoken is no part of them.
fn strings(text: &str) -> Result<Vec<String>, String> {
    let (mut strings, mut is_text, mut is_spoken) = (Vec::<String>::new(), false, false);
    pieces(text, |piece| {
        match piece {
            Piece::Start(element) => match element.name().as_str() {
                "si" => strings.push(String::new()),
                "rPh" => is_spoken = true,
                "t" => is_text = !is_spoken,
                _ => {}
            },
            Piece::End(name) => match name.as_str() {
                "rPh" => is_spoken = false,
                "t" => is_text = false,
                _ => {}
            },
            Piece::Text(part) if is_text => strings.last_mut().into_iter().for_each(|string| string.push_str(&part)),
            Piece::Text(_) => {}
        }
        Ok(())
    })?;
    Ok(strings.iter().map(|string| unescaped(string)).collect())
}

/// The formats of cells, by the number of their style.
fn formats(text: &str) -> Result<Vec<Format>, String> {
    let (mut own, mut formats, mut is_cells) = (HashMap::new(), Vec::new(), false);
    pieces(text, |piece| {
        match piece {
            Piece::Start(element) => match element.name().as_str() {
                "numFmt" => {
                    own.extend(
                        element.count("numFmtId").zip(element.attribute("formatCode").map(|code| Format::of(&code))),
                    );
                }
                "cellXfs" => is_cells = true,
                "xf" if is_cells => {
                    let id = element.count("numFmtId").unwrap_or(0);
                    formats.push(own.get(&id).copied().unwrap_or_else(|| Format::built_in(id)));
                }
                _ => {}
            },
            Piece::End(name) => is_cells &= name != "cellXfs",
            Piece::Text(_) => {}
        }
        Ok(())
    })?;
    Ok(formats)
}

/// A cell that is being read.
#[derive(Debug, Default)]
struct Open {
    row: u64,
    column: usize,
    kind: String,
    style: usize,
    text: String,
}

fn cells(text: &str, shared: &Shared) -> Result<Collected, String> {
    let mut collected = Collected::default();
    let (mut row, mut column) = (0u64, 0);
    let (mut open, mut is_text, mut is_spoken) = (None::<Open>, false, false);
    pieces(text, |piece| {
        match piece {
            Piece::Start(element) => match element.name().as_str() {
                "row" => {
                    row = element.count("r").map_or(row.saturating_add(1), |number| number as u64);
                    column = 0;
                }
                "c" => {
                    let (at_row, at_column) = place(&element).unwrap_or((row.saturating_sub(1), column));
                    if at_column >= 16_384 {
                        return Err("the workbook is damaged: it has more columns than there are".into());
                    }
                    column = at_column + 1;
                    let (kind, style) = (element.attribute("t").unwrap_or_default(), element.count("s").unwrap_or(0));
                    open = Some(Open { row: at_row, column: at_column, kind, style, text: String::new() });
                }
                "rPh" => is_spoken = true,
                "v" | "t" => is_text = open.is_some() && !is_spoken,
                "mergeCell" => {
                    let range = element.attribute("ref").unwrap_or_default();
                    let (first, last) = range.split_once(':').unwrap_or((&range, &range));
                    if let (Some(first), Some(last)) = (reference(first), reference(last)) {
                        collected.merge(Merged { rows: (first.0, last.0), columns: (first.1, last.1) });
                    }
                }
                _ => {}
            },
            Piece::Text(part) if is_text => open.iter_mut().for_each(|open| open.text.push_str(&part)),
            Piece::Text(_) => {}
            Piece::End(name) => match name.as_str() {
                "v" | "t" => is_text = false,
                "rPh" => is_spoken = false,
                "c" => {
                    if let Some(open) = open.take() {
                        collected.put(open.row, open.column, cell(&open, shared)?)?;
                    }
                }
                _ => {}
            },
        }
        Ok(())
    })?;
    Ok(collected)
}

fn cell(open: &Open, shared: &Shared) -> Result<Cell, String> {
    let text = open.text.as_str();
    Ok(match open.kind.as_str() {
        "s" => match text.trim().parse().ok().and_then(|index: usize| shared.strings.get(index)) {
            Some(string) => Cell::text(string.clone()),
            None => return Err(format!("the workbook is damaged: it has no string {text}")),
        },
        "str" | "inlineStr" => Cell::text(unescaped(text)),
        "b" => Cell::Bool(text.trim() == "1"),
        "e" => Cell::Fault(text.to_owned()),
        "d" => Cell::Date(text.to_owned()),
        _ if text.trim().is_empty() => Cell::Empty,
        _ => {
            let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
            let number = number.ok_or_else(|| format!("the workbook is damaged: `{text}` is no number"))?;
            match shared.formats.get(open.style).unwrap_or(&Format::Number) {
                Format::Number => Cell::Number(number),
                Format::Percent => Cell::Percent(in_percent(number)),
                Format::Date => Cell::Date(date::serial(number, shared.since_1904)),
            }
        }
    })
}

fn place(element: &Element<'_>) -> Option<(u64, usize)> {
    reference(&element.attribute("r")?)
}

/// Row and column of a reference like B5, from 0.
fn reference(text: &str) -> Option<(u64, usize)> {
    let text = text.replace('$', "");
    let digits = text.find(|letter: char| letter.is_ascii_digit())?;
    let (letters, digits) = text.split_at(digits);
    let row: u64 = digits.parse().ok()?;
    if letters.is_empty() || letters.len() > 3 || !letters.bytes().all(|letter| letter.is_ascii_uppercase()) {
        return None;
    }
    let column = letters.bytes().fold(0, |column, letter| column * 26 + usize::from(letter - b'A') + 1);
    Some((row.checked_sub(1)?, column - 1))
}

/// A string without the escapes of characters that XML cannot have: `_x001B_`.
fn unescaped(text: &str) -> String {
    let mut letters = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("_x") {
        letters.push_str(&rest[..at]);
        rest = &rest[at..];
        let code = rest.get(2..6).filter(|_| rest.as_bytes().get(6) == Some(&b'_'));
        match code.and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32) {
            Some(letter) => {
                letters.push(letter);
                rest = &rest[7..];
            }
            None => {
                letters.push('_');
                rest = &rest[1..];
            }
        }
    }
    letters + rest
}

/// The opposite of that.
pub(crate) fn escaped(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for (at, letter) in text.char_indices() {
        let is_kept = !letter.is_control() && !matches!(letter, '\u{fffe}' | '\u{ffff}');
        let is_escape = text[at..].starts_with("_x") && unescaped(&text[at..]) != text[at..];
        match is_kept && !is_escape {
            true => written.push(letter),
            false => written += &format!("_x{:04X}_", u32::from(letter)),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_tell_percents_and_dates_from_numbers() {
        for (code, format) in [
            ("0.00", Format::Number),
            ("General", Format::Number),
            ("#,##0.00 \"days\"", Format::Number),
            ("[Red]0.0", Format::Number),
            ("0\\ \\d", Format::Number),
            ("0.00%", Format::Percent),
            ("yyyy\\-mm\\-dd", Format::Date),
            ("[h]:mm", Format::Date),
            ("[$-407]d. mmm", Format::Date),
            ("0.0;[Red]-0.0", Format::Number),
        ] {
            assert_eq!(Format::of(code), format, "{code}");
        }
    }

    #[test]
    fn references_and_strings_come_back() {
        assert_eq!(
            (reference("A1"), reference("$XFD$12"), reference("7"), reference("A0")),
            (Some((0, 0)), Some((11, 16_383)), None, None)
        );
        for text in [
            "",
            "plain",
            "_x001B_",
            "a_x",
            "\u{1b}[2J",
            "_x_x0041_",
            "__x0041_",
            "line\nline\r",
            "ä_xZZZZ_",
            "_x00e4_é",
        ] {
            assert_eq!(unescaped(&escaped(text)), text);
        }
        assert_eq!(escaped("\u{1b}"), "_x001B_");
    }
}
