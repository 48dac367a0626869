//! Commands in the documents do what the documents say.

use super::sessions::{Session, masked};
use std::path::Path;

/// A command, with the lines of a here-document if it has one, and the answer in the document.
struct Step {
    command: String,
    answer: String,
}

/// The steps in the blocks marked `console`: a command after `$`, which goes on after `>`, then its answer.
fn steps(document: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut is_console = false;
    for line in document.lines() {
        if line.starts_with("```") {
            is_console = line == "```console";
        } else if let (true, Some(command)) = (is_console, line.strip_prefix("$ ")) {
            steps.push(Step { command: command.to_owned(), answer: String::new() });
        } else if let (true, Some(step)) = (is_console, steps.last_mut()) {
            match line.strip_prefix("> ").or(line.strip_prefix('>')) {
                Some(more) => step.command += &format!("\n{more}"),
                None => step.answer += &format!("{}\n", masked(line)),
            }
        }
    }
    steps
}

#[test]
fn the_first_five_minutes_go_as_they_are_told() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/first-five-minutes.md");
    let steps = steps(&std::fs::read_to_string(path).unwrap());
    assert!(steps.len() > 5, "only {} commands were found", steps.len());
    let mut session = Session::new();
    for step in steps {
        assert_eq!(session.run(&step.command), step.answer, "{}", step.command);
    }
}
