//! Commands run by a shell in a folder of their own, and their transcript.

use super::text;
use std::path::Path;
use std::process::Command;

pub struct Session {
    folder: tempfile::TempDir,
    /// `$ command`, then what it said on both outputs, with its exit code if that is not 0.
    pub transcript: String,
}

impl Session {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), transcript: String::new() }
    }

    pub fn write(&self, name: &str, content: &str) {
        std::fs::write(self.folder.path().join(name), content).unwrap();
    }

    /// The folder in which the commands run.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Runs a command that must end with exit code 0.
    pub fn works(&mut self, command: &str) {
        let before = self.transcript.len();
        self.run(command);
        let said = &self.transcript[before..];
        assert!(!said.ends_with(")\n") || !said.contains("(exit code "), "{said}");
    }

    /// What `command` said, masked.
    pub fn run(&mut self, command: &str) -> String {
        let folder = Path::new(env!("CARGO_BIN_EXE_fathom")).parent().unwrap();
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
        let mut shell = Command::new("bash");
        shell.args(["-c", &format!("exec 2>&1\n{command}")]).env("PATH", path).current_dir(self.folder.path());
        // Nobody sits at a terminal.
        shell.stdin(std::process::Stdio::null());
        let output = shell.output().unwrap();
        let said: String = text(&output.stdout).lines().map(|line| masked(line) + "\n").collect();
        self.transcript += &format!("$ {command}\n{said}");
        if let Some(code @ 1..) = output.status.code() {
            self.transcript += &format!("(exit code {code})\n");
        }
        said
    }
}

/// Fails if `found` is not what `path` holds; with `FATHOM_BLESS` the file is written instead.
pub fn compare(found: &str, path: &Path) {
    if std::env::var_os("FATHOM_BLESS").is_some() {
        std::fs::write(path, found).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    let differs = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    assert!(
        found == expected,
        "{} has other lines, the first: {differs:?}; FATHOM_BLESS=1 accepts what is said now",
        path.display()
    );
}

/// A line without what differs from run to run.
pub fn masked(line: &str) -> String {
    match serde_json::from_str::<serde_json::Value>(line) {
        Ok(mut object @ serde_json::Value::Object(_)) => {
            mask_json(&mut object);
            object.to_string()
        }
        Ok(_) | Err(_) => mask_text(line),
    }
}

fn mask_json(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                // This is who asked for a trial, or the boxes of a certificate, whose number every better bound changes.
                if ["owner", "nodes", "boxes"].contains(&name.as_str()) && !field.is_null() {
                    *field = "#".into();
                }
                // This is a checksum of coordinates.
                if name == "point" && field.is_number() {
                    *field = "#".into();
                }
                mask_json(field);
            }
        }
        serde_json::Value::Array(entries) => entries.iter_mut().for_each(mask_json),
        serde_json::Value::Number(number) if number.is_f64() => *value = "#".into(),
        serde_json::Value::Number(_)
        | serde_json::Value::Null
        | serde_json::Value::Bool(_)
        | serde_json::Value::String(_) => {}
    }
}

/// A letter, digit or sign of a word or number.
fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || "._+-".contains(c)
}

fn is_float(word: &str) -> bool {
    word.parse::<f64>().is_ok_and(f64::is_finite) && word.contains(['.', 'e'])
}

/// Whether a cell is a date with a time.
fn is_moment(cell: &str) -> bool {
    cell.len() == 27 && cell.starts_with("20") && cell.as_bytes()[10] == b'T' && cell.ends_with('Z')
}

/// Numbers with a decimal point or a power of ten become `#`, and so do whole ones beside them and those of trials, which
/// depend on them. Blanks that align columns become two, whatever their width.
fn mask_text(line: &str) -> String {
    let line: String =
        line.split(',').map(|cell| if is_moment(cell) { "#" } else { cell }).collect::<Vec<_>>().join(",");
    let line = line.as_str();
    let has_float = line.split(|c: char| !is_part(c)).any(is_float);
    let mut masked = String::new();
    let mut rest = line;
    while let Some(start) = rest.find(is_part) {
        masked += &rest[..start];
        let end = rest[start..].find(|c| !is_part(c)).map_or(rest.len(), |length| start + length);
        // A full stop ends the sentence, not the number.
        let end = start + rest[start..end].trim_end_matches('.').len().max(1);
        let word = &rest[start..end];
        let is_whole = word.parse::<i64>().is_ok() && (has_float || masked.ends_with("trial "));
        masked += if is_float(word) || is_whole { "#" } else { word };
        rest = &rest[end..];
    }
    masked += rest;
    while masked.trim_start().contains("   ") {
        masked = masked.replacen("   ", "  ", 1);
    }
    masked
}
