//! Text of others on our terminal: names, choices, messages, what programs print, file names.
//!
//! Control characters move cursors, change titles and erase lines, and some letters turn the direction of writing. They are
//! shown as Rust writes them: `\n`, `\u{1b}`. Code that puts foreign text into a line uses [`plain`]. [`printable`] is the last
//! gate: all that `say!` prints and every error pass it. It leaves the ends of our own lines alone.

use std::fmt::Write as _;
use std::path::Path;

/// Foreign text within a line of ours: no control characters, no line ends.
pub fn plain(foreign: &str) -> String {
    escaped(foreign, is_treacherous)
}

/// The same for the path of a file.
pub fn plain_path(path: &Path) -> String {
    plain(&path.to_string_lossy())
}

/// A text of several lines of ours.
pub fn printable(text: &str) -> String {
    escaped(text, |character| is_treacherous(character) && character != '\n')
}

/// JSON on one line that no terminal obeys, and that every reader reads as before.
pub fn json(value: &impl serde::Serialize) -> serde_json::Result<String> {
    let mut text = String::new();
    for character in serde_json::to_string(value)?.chars() {
        match is_treacherous(character) {
            // These characters occur within strings only, and are all in the basic plane.
            true => write!(text, "\\u{:04x}", u32::from(character)).unwrap_or_default(),
            false => text.push(character),
        }
    }
    Ok(text)
}

fn escaped(text: &str, is_bad: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match is_bad(character) {
            true => shown.extend(character.escape_default()),
            false => shown.push(character),
        }
    }
    shown
}

/// Controls (C0, DEL, C1), marks and overrides of direction, and other ends of lines.
fn is_treacherous(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
        )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn what_terminals_obey_is_spelled_out_and_the_rest_stays() {
        assert_eq!(plain("a\u{1b}]0;x\u{7}\n\t\u{9b}2J\u{7f}"), r"a\u{1b}]0;x\u{7}\n\t\u{9b}2J\u{7f}");
        assert_eq!(plain("Größe 東 \u{202e}x\u{2066}"), r"Größe 東 \u{202e}x\u{2066}");
        assert_eq!(plain(r"C:\new"), r"C:\new");
        assert_eq!(printable("one\ntwo\r\u{1b}"), "one\ntwo\\r\\u{1b}");
    }

    #[test]
    fn json_stays_the_same_to_its_readers() {
        let hostile = serde_json::json!({ "name": "\u{1b}\u{9b}\u{202e}\u{feff}\n\"é\u{7f}" });
        let written = json(&hostile).unwrap();
        assert!(!written.contains(is_treacherous), "{written}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&written).unwrap(), hostile);
    }
}
