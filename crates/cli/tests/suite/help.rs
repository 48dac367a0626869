//! The help teaches: commands by task, and examples that work.

use super::sessions::{Session, compare};
use super::{fathom, text};
use std::path::Path;

/// The commands that the overview names.
fn commands() -> Vec<String> {
    let output = fathom(&["--help"]);
    let said = text(&output.stdout);
    let named = said.lines().take_while(|line| *line != "Options:");
    let named = named.filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    named.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn the_overview_is_the_same_however_one_asks_for_it() {
    let mut session = Session::new();
    let said = session.run("fathom");
    assert_eq!(session.run("fathom -h"), said);
    let long = session.run("fathom --help");
    assert_eq!(session.run("fathom help"), long);
    let part = |text: &str, from: &str, to: &str| text.split_once(from).unwrap().1.split(to).next().unwrap().to_owned();
    for (from, to) in [("\nUsage:", "\nOptions:"), ("\nExamples:", "\nEnd")] {
        assert_eq!(part(&said, from, to), part(&long, from, to), "only what options are and exit codes mean is longer");
    }
    assert_eq!(fathom(&[]).status.code(), Some(2), "a script that forgot its command has gone wrong");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/help.txt");
    compare(&format!("$ fathom --help\n{long}"), &path);
}

#[test]
fn the_examples_of_the_overview_work() {
    let mut session = Session::new();
    session.write("train.py", "import sys\nprint(float(sys.argv[1]) ** 2)\n");
    let said = text(&fathom(&["help"]).stdout).to_owned();
    let examples: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("      fathom ")).collect();
    assert_eq!(examples.len(), 6, "{said}");
    for example in examples {
        session.works(&format!("fathom {example}"));
    }
}

/// The order in which the examples work: first those that make what others use.
const ORDER: [&str; 7] = ["new", "ask", "tell", "run", "solve", "import", "prove"];

#[test]
fn every_command_has_examples_and_they_work() {
    let mut session = Session::new();
    session.write("evaluate.py", "import sys\nprint(float(sys.argv[1]) + abs(int(sys.argv[2]) - 20))\n");
    session.write("past.csv", "rate,units,kind,value\n1e-3,7,red,0.25\n");
    session.write("bench.csv", "Rate no. 2;Units;Kind;Yield (%)\n0,01;7;red;12,5\n");
    let instances = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../instances");
    session.works(&format!("ln -s '{}' instances", instances.display()));
    let mut commands = commands();
    assert!(commands.len() > 20, "{commands:?}");
    commands.sort_by_key(|name| ORDER.iter().position(|first| first == name).unwrap_or(ORDER.len()));
    for command in commands {
        let help = fathom(&[&command, "--help"]);
        let said = text(&help.stdout);
        let examples: Vec<&str> = said.lines().filter_map(|line| line.trim().strip_prefix("Example: ")).collect();
        assert!(!examples.is_empty(), "{command}: {said}");
        for example in examples {
            assert!(
                example.starts_with(&format!("fathom {command} ")) || example == format!("fathom {command}"),
                "{example}"
            );
            session.works(example);
        }
        if command == "ask" {
            session.works("fathom ask my-study.toml -n 9");
        }
        if command == "tell" {
            session.works("fathom tell my-study.toml 3 0.42 && fathom tell my-study.toml 5 0.5");
        }
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let mut session = Session::new();
    session.works("fathom man --output man/man1");
    session.works("fathom man --output man/man1");
    let folder = session.folder().join("man/man1");
    let pages = commands();
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), pages.len() + 1);
    for command in pages {
        let page = std::fs::read_to_string(folder.join(format!("fathom-{command}.1"))).unwrap();
        assert!(page.contains(".SH OPTIONS") && page.contains("Example: fathom"), "{command}: {page}");
    }
    let page = std::fs::read_to_string(folder.join("fathom.1")).unwrap();
    assert!(page.contains("fathom\\-check\\-store(1)") && page.contains("fathom ask bench.toml"), "{page}");
    session.write("file", "");
    assert!(session.run("fathom man --output file").contains("could not make the folder file"));
}
