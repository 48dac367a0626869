//! `fathom verify` and `fathom proof`, as a person would use them.

use super::sessions::{Session, compare};
use std::path::Path;

const STUDY: &str = r#"goal = "maximise"
constraints = ["x + n <= 7"]

[parameters]
x = { type = "float", low = -1.0, high = 4.0 }
rate = { type = "float", low = 1e-5, high = 0.1, scale = "log" }
n = { type = "integer", low = 1, high = 6 }
kind = { type = "categorical", choices = ["red", "green"] }

[strategy]
initial = 4
"#;

const PIECEWISE: &str = r#"
[parameters]
x = { type = "float", low = 0.0, high = 4.0 }

[strategy]
initial = 3
optimiser = "pk"
"#;

const PROBLEM: &str = r#"{"name": "small", "kernel": "matern32", "sigma_f2": 1.0, "lengthscales": [0.4, 0.6], "noise": 1e-4,
"x": [[0.1, 0.2], [0.2, 0.9], [0.9, 0.3], [0.6, 0.85]], "y": [0.6, 0.4, 0.4, -0.4], "kappa": 1.5,
"bounds": [[0.0, 1.0], [0.0, 1.0]], "constraints": [{"linear": [[0, 1], [1, 1]], "upper": 1.6}]}"#;

/// How many boxes a proof has depends on the processor's rounding.
const COMMANDS: &str = r#"
fathom verify mine.toml
fathom ask mine.toml -n 4
fathom tell mine.toml 1 0.5
fathom tell mine.toml 2 0.25
fathom tell mine.toml 3 --failed "the glass broke"
fathom tell mine.toml 4 0.75
fathom verify mine.toml
fathom ask mine.toml -n 2
fathom tell mine.toml 5 0.125
fathom ask mine.toml
fathom verify mine.toml
fathom verify mine.toml 1
fathom verify mine.toml 6 | sed 's/^[0-9]* boxes/# boxes/'
fathom verify mine.toml 7 6 | grep '^trial'
fathom verify mine.toml 9
fathom verify mine.toml six
fathom verify mine.toml 6 --of mine.toml
fathom proof mine.toml 6 --output t6.proof
fathom proof mine.toml 2
fathom verify t6.proof --of mine.toml 6 | head -n 2
fathom verify t6.proof --of mine.toml 7 | head -n 2
fathom verify t6.proof --of mine.toml | head -n 2
fathom verify --of mine.toml 2 t6.proof | head -n 2
fathom verify t6.proof --of small.json | head -n 2
fathom verify other.toml
fathom verify moved.toml
fathom verify gone.toml
fathom ask piecewise.toml -n 3
fathom tell piecewise.toml 1 1.5; fathom tell piecewise.toml 2 0.5; fathom tell piecewise.toml 3 1.25
fathom ask piecewise.toml
fathom verify piecewise.toml 4 | grep -v 'boxes\|kernel  '
fathom verify piecewise.toml
fathom solve small.json --proof small.proof
fathom verify small.proof --of small.json | sed 's/^[0-9]* boxes/# boxes/'
fathom verify small.proof --of changed.json | head -n 2
fathom verify small.proof --of changed.json --json | grep -o '"difference":"[^"]*"'
fathom verify small.json
head -c 400 small.proof > cut.proof; fathom verify cut.proof
fathom verify --help | tail -n +3
fathom proof --help
"#;

#[test]
fn every_word_about_proofs_is_as_it_was() {
    let mut session = Session::new();
    session.write("mine.toml", STUDY);
    session.write(
        "other.toml",
        &("name = \"mine\"\nstore = \"sqlite://mine.db\"\n".to_owned() + STUDY + "kernel = \"rbf\"\n"),
    );
    let moved = STUDY.replace("high = 4.0", "high = 5.0");
    session.write("moved.toml", &("name = \"mine\"\nstore = \"sqlite://mine.db\"\n".to_owned() + &moved));
    session.write("gone.toml", STUDY);
    session.write("piecewise.toml", PIECEWISE);
    session.write("small.json", PROBLEM);
    session.write("changed.json", &PROBLEM.replace("\"kappa\": 1.5", "\"kappa\": 1.25"));
    for command in COMMANDS.lines().filter(|line| !line.is_empty()) {
        session.run(command);
    }
    compare(&session.transcript, &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/proofs.txt"));
}

/// The exit code of a command.
fn code(session: &mut Session, command: &str) -> String {
    session.run(&format!("{command} > /dev/null 2>&1; echo $?")).trim().to_owned()
}

#[test]
fn one_value_changed_in_the_database_is_refused_and_named() {
    let mut session = Session::new();
    session.write("mine.toml", STUDY);
    for id in 1..=6 {
        session.run(&format!("fathom ask mine.toml && fathom tell mine.toml {id} 0.{}", 17 * id % 10));
    }
    assert_eq!(code(&mut session, "fathom verify mine.toml"), "0");
    assert_eq!(code(&mut session, "fathom verify mine.toml 6"), "0");
    assert_eq!(code(&mut session, "fathom proof mine.toml 6"), "0");
    let by_hand = rusqlite::Connection::open(session.folder().join("mine.db")).unwrap();
    by_hand.execute("DROP TRIGGER finished_trials_stay", []).unwrap();
    by_hand.execute("UPDATE trial SET told = '{\"value\":0.375}' WHERE number = 2", []).unwrap();
    for command in
        ["fathom verify mine.toml 6", "fathom verify mine.toml", "fathom verify mine-6.proof --of mine.toml 6"]
    {
        assert_eq!(code(&mut session, command), "1", "{command}");
        let said = session.run(command);
        assert!(said.contains("trial # had the value # then, and has the value # now"), "{said}");
    }
    let said = session.run("fathom verify mine.toml 6 --json");
    assert!(said.contains("\"holds\":false") && said.contains("\"difference\":\"trial 2 had"), "{said}");
    // The proof in the file still holds, for the problem as it was.
    assert_eq!(code(&mut session, "fathom verify mine-6.proof"), "0");
}

#[test]
fn exit_codes_tell_what_holds_what_differs_and_what_cannot_be_read() {
    let mut session = Session::new();
    session.write("small.json", PROBLEM);
    session.write("changed.json", &PROBLEM.replace("0.85", "0.86"));
    session.run("fathom solve small.json --proof small.proof");
    for (command, expected) in [
        ("fathom verify small.proof", "0"),
        ("fathom verify small.proof --of small.json", "0"),
        ("fathom verify small.proof --of changed.json", "1"),
        ("fathom verify --of changed.json small.proof", "1"),
        ("fathom verify small.json", "2"),
        ("fathom verify missing.proof", "2"),
        ("fathom verify small.proof --of missing.json", "2"),
        ("fathom verify", "2"),
    ] {
        assert_eq!(code(&mut session, command), expected, "{command}");
    }
}
