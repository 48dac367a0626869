//! File names that stay in their folder on every system.

use crate::{Error, Result};
use std::path::{Path, PathBuf};

/// The most bytes of a name; file systems allow no more.
const LONGEST: usize = 255;

/// Names that mean devices on Windows, with any extension.
const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];

/// The path of `name` in `folder`, if `name` is a plain name.
pub fn inside(folder: &Path, name: &str) -> Result<PathBuf> {
    check_name(name)?;
    Ok(folder.join(name))
}

/// Refuses a name that is not the plain name of a file: an empty or too long name, a name with separators or control
/// characters, `.` and `..`, and a name that Windows takes for a device.
pub fn check_name(name: &str) -> Result<()> {
    let why = if name.is_empty() {
        "it is empty"
    } else if name.len() > LONGEST {
        "it is longer than 255 bytes"
    } else if name.contains(['/', '\\']) {
        "it has a folder separator in it"
    } else if cfg!(windows) && name.contains(':') {
        "it has a colon in it"
    } else if name == "." || name == ".." {
        "it means a folder"
    } else if name.contains(is_treacherous) {
        "it has control characters in it"
    } else if name.ends_with([' ', '.']) {
        "it ends in a blank or a dot"
    } else if is_device(name) {
        "it means a device on Windows"
    } else {
        return Ok(());
    };
    Err(Error::BadName { name: name.to_owned(), why })
}

/// Whether a character changes how others are shown: a control character, or one that changes the direction of writing.
fn is_treacherous(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let numbered = ["COM", "LPT"].iter().any(|port| {
        let number = stem.strip_prefix(port);
        number.is_some_and(|number| {
            matches!(number, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³")
        })
    });
    numbered || DEVICES.contains(&stem.as_str())
}
