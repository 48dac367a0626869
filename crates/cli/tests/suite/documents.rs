//! Commands in the documents do what the documents say.

use super::sessions::{Session, compare, masked};
use super::text;
use std::path::Path;
use std::process::Command;

/// A command, with the lines of a here-document if it has one, and the answer in the document.
pub struct Step {
    pub command: String,
    pub answer: String,
}

/// The steps in the blocks marked `console`: a command after `$`, which goes on after `>`, then its answer.
pub fn steps(document: &str) -> Vec<Step> {
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

/// Runs what a page of the guide says, in its order.
fn follow(page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide").join(page);
    let steps = steps(&std::fs::read_to_string(path).unwrap());
    assert!(steps.len() > 5, "only {} commands were found", steps.len());
    let mut session = Session::new();
    for step in steps {
        assert_eq!(session.run(&step.command), step.answer, "{}", step.command);
    }
}

#[test]
fn the_first_five_minutes_go_as_they_are_told() {
    follow("first-five-minutes.md");
}

#[test]
fn experiments_by_hand_go_as_they_are_told() {
    follow("by-hand.md");
}

#[test]
fn the_demo_ends_as_the_readme_says() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap();
    let (_, after) = readme.split_once("The first command ends with\n\n```text\n").unwrap();
    let (promised, _) = after.split_once("```").unwrap();
    let promised: String = promised.lines().map(|line| masked(line) + "\n").collect();
    let said = Session::new().run("fathom demo");
    assert!(said.ends_with(&promised), "the README promises\n{promised}\nand the demo says\n{said}");
}

/// What the help says, to the last blank.
fn help(of: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_fathom")).arg("help").args(of).output().unwrap();
    text(&output.stdout).to_owned()
}

#[test]
fn the_reference_has_the_help_of_every_command() {
    let overview = help(&[]);
    let name = |line: &str| -> Option<String> {
        let rest = line.strip_prefix("  ").filter(|rest| !rest.starts_with([' ', '-']))?;
        Some(rest.split_once("  ")?.0.to_owned())
    };
    let commands: Vec<String> = overview.lines().filter_map(name).filter(|name| name != "help").collect();
    assert!(commands.len() > 15, "only {commands:?} were found in\n{overview}");
    let mut page = format!(
        "# The command line\n\nThis is what `fathom help` and `fathom help COMMAND` say.\n\n```text\n{overview}```\n"
    );
    for command in commands {
        page += &format!("\n## fathom {command}\n\n```text\n{}```\n", help(&[&command]));
    }
    compare(&page, &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/command-line.md"));
}
