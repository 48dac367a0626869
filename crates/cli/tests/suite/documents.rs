//! Commands in the documents do what the documents say.

use super::blocks::{Block, blocks, reason_not_to_run, root};
use super::sessions::{Session, compare, masked};
use super::text;
use std::process::Command;

/// A command, with the lines of a here-document if it has one, and the answer in the document.
pub struct Step {
    pub command: String,
    /// `None` if the document shows none; then the command must end with exit code 0.
    pub answer: Option<String>,
}

/// The commands of a block. In `console`, a command stands after `$`, goes on after `>`, and then has its answer. In `sh`, every line is a
/// command, unless it goes on after `\\`, and may have a comment.
pub fn commands(block: &Block) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    if block.kind == "sh" {
        for line in block.text.replace("\\\n", " ").lines() {
            let command = line.split("  #").next().unwrap_or_default().trim();
            if !command.is_empty() {
                steps.push(Step { command: command.to_owned(), answer: None });
            }
        }
    }
    for line in block.text.lines().filter(|_| block.kind == "console") {
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step { command: command.to_owned(), answer: Some(String::new()) });
        } else if let Some(Step { command, answer: Some(answer) }) = steps.last_mut() {
            match line.strip_prefix("> ").or(line.strip_prefix('>')) {
                Some(more) => *command += &format!("\n{more}"),
                None => *answer += &format!("{}\n", masked(line)),
            }
        }
    }
    steps
}

/// Runs the commands of a page in their order. Returns how many there were.
pub fn follow(page: &str, session: &mut Session) -> usize {
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let mut done = 0;
    for step in blocks(&text).iter().flat_map(commands) {
        if let Some(reason) = reason_not_to_run(page, &step.command) {
            eprintln!("not run: {} ({reason})", step.command);
            continue;
        }
        if let (true, Err(error)) = (step.command.contains("--engine scip"), super::scip()) {
            eprintln!("skipped: {}: {error}", step.command);
            continue;
        }
        match step.answer {
            Some(answer) => assert_eq!(session.run(&step.command), answer, "{page}: {}", step.command),
            None => session.works(&step.command),
        }
        done += 1;
    }
    done
}

/// Tests that follow pages, each with what the page takes for granted.
macro_rules! followed {
    ($($name:ident: $page:literal, $least:literal commands after $prepare:expr;)*) => {
        /// The pages whose commands are run here.
        pub const FOLLOWED: &[&str] = &[$($page),*];
        $(
            #[test]
            fn $name() {
                let mut session = Session::new();
                let prepare: fn(&mut Session) = $prepare;
                prepare(&mut session);
                let done = follow($page, &mut session);
                assert!(done >= $least, "only {done} commands were found");
            }
        )*
    };
}

followed! {
    the_readme_goes_as_it_is_told: "README.md", 4 commands after a_program;
    the_first_five_minutes_go_as_they_are_told: "docs/guide/first-five-minutes.md", 12 commands after |_| ();
    experiments_by_hand_go_as_they_are_told: "docs/guide/by-hand.md", 8 commands after |_| ();
    the_commands_about_studies_work: "docs/guide/studies.md", 20 commands after a_program;
    the_commands_about_single_problems_work: "docs/guide/single-problems.md", 8 commands after the_instances;
    the_commands_about_the_papers_method_work: "docs/guide/paper.md", 2 commands after the_instances;
}

/// The reader's own program, and a table of past experiments.
fn a_program(session: &mut Session) {
    session.write("evaluate.py", "import sys\nprint((float(sys.argv[1]) - 3) ** 2 + len(sys.argv[2]))\n");
    session.write("past.csv", "x1,kind,value\n1.5,red,5.25\n8.5,green,35.25\n");
}

/// The folder `instances` of the repository.
fn the_instances(session: &mut Session) {
    session.works(&format!("ln -s '{}' instances", root().join("instances").display()));
}

#[test]
fn the_demo_ends_as_the_readme_says() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
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
    compare(&page, &root().join("docs/reference/command-line.md"));
}
