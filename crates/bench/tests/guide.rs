//! The example of docs/guide/rust.md says what the page says.

#[path = "../examples/first_model.rs"]
#[allow(dead_code, reason = "its main is for the command line")]
mod first_model;

use std::path::Path;

/// A line without the time that it took.
fn masked(line: &str) -> &str {
    line.split(" boxes, ").next().filter(|_| line.ends_with(" ms)")).unwrap_or(line)
}

#[test]
fn the_first_model_says_what_the_page_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut said = Vec::new();
    first_model::tell(&mut said, folder.path()).expect("a model");
    let said = String::from_utf8(said).expect("a text");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/rust.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let command = "$ cargo run --release --example first_model | sed -n '7,15p'\n";
    let (_, shown) = page.split_once(command).expect("the command");
    let (shown, _) = shown.split_once("```").expect("the end of its answer");
    let shown: Vec<&str> = shown.lines().map(masked).collect();
    let said: Vec<&str> = said.lines().skip(6).take(9).map(masked).collect();
    assert_eq!(said, shown);
}
