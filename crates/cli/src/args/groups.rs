//! The overview of all commands: by task, each with the first line of its own help.

use super::Args;
use clap::{Command, CommandFactory as _};
use std::fmt::Write as _;

/// Every command stands in one group.
const GROUPS: [(&str, &[&str]); 6] = [
    ("A study", &["new", "run", "ask", "tell", "best", "trials", "plot", "report", "model"]),
    ("Corrections", &["edit", "cancel", "withdraw", "undo", "history"]),
    ("Proofs and audits", &["prove", "verify", "proof", "audit"]),
    ("One problem, without a study", &["solve", "export-model"]),
    ("Where a study is kept", &["import", "export", "backup", "check-store"]),
    ("This machine", &["demo", "doctor", "completions", "man", "help"]),
];

/// What most people want first. The tests run these commands.
const EXAMPLES: &str = "\
Examples:
  See a whole study in a few seconds:
      fathom demo
  Tune a program that prints a number; on a terminal `fathom new mine.toml` asks for everything:
      fathom new mine.toml -p \"rate 1e-5 1e-1 log\" --command \"python3 train.py {rate}\"
      fathom run mine.toml
  Make the experiments yourself:
      fathom new bench.toml -p \"temperature 20 120\" -p \"hours 1 24\" --by-hand
      fathom ask bench.toml
      fathom tell bench.toml 1 17.5

`fathom help COMMAND` describes a command, with an example.";

const TEMPLATE: &str =
    "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}Options:\n{options}{after-help}\n";

/// The parser of the command line, with the overview as its help.
pub fn command() -> Command {
    let command = Args::command();
    let overview = overview(&command);
    command.before_help(overview).after_help(EXAMPLES).help_template(TEMPLATE)
}

fn overview(command: &Command) -> String {
    let mut text = String::new();
    let width = GROUPS.iter().flat_map(|(_, names)| *names).map(|name| name.len()).max().unwrap_or_default();
    for (title, names) in GROUPS {
        let _ = writeln!(text, "{title}:");
        for name in names {
            // Clap makes `help` itself, when it parses.
            let about = command.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
            let about = about.unwrap_or_else(|| "Describe a command".into());
            let _ = writeln!(text, "  {name:width$}  {about}");
        }
        text.push('\n');
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_stands_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let command = command();
        let mut all: Vec<&str> = command.get_subcommands().map(Command::get_name).chain(["help"]).collect();
        grouped.sort_unstable();
        all.sort_unstable();
        assert_eq!(grouped, all);
    }
}
