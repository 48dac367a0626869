//! Every command's words are pinned. Numbers with a decimal point are masked: the last digits of a fit
//! depend on the processor, and others on the clock. `FATHOM_BLESS=1` writes the session anew; its diff shows what
//! changed.

use super::sessions::{Session, compare};
use std::path::Path;

const STUDY: &str = r#"goal = "maximise"
constraints = ["x + n <= 7"]

[parameters]
x = { type = "float", low = 0.0, high = 4.0 }
rate = { type = "float", low = 1e-5, high = 0.1, scale = "log" }
n = { type = "integer", low = 1, high = 6 }
kind = { type = "categorical", choices = ["red", "green"] }
batch = { type = "fixed", value = 32 }

[strategy]
initial = 4
"#;

const COMMANDS: &str = r#"
fathom new plain.toml
cat plain.toml
fathom new plain.toml
fathom new own.toml --maximise -p "rate 1e-5 1e-1 log" -p "units 1 64 int" -p "kind red,green" --command "train --rate {rate}"
grep -v '^#' own.toml
fathom new bad.toml -p "rate 1e-5"
fathom new bad.toml -p "rate 2 1"
fathom new ks224.toml --function ks224
cat ks224.toml
fathom best golden.toml
fathom plot golden.toml convergence
fathom ask golden.toml -n 2
fathom ask golden.toml --json
fathom tell golden.toml 1 2.5
fathom tell golden.toml 2 --failed "the glass broke"
fathom tell golden.toml 3 -1e-3
fathom tell golden.toml 1 7
fathom tell golden.toml 9 1
fathom tell golden.toml 3 nan
fathom import golden.toml past.csv
fathom import golden.toml bad.csv
fathom import golden.toml none.csv
fathom ask golden.toml
fathom trials golden.toml
fathom trials golden.toml --json
fathom trials golden.toml --csv
fathom export golden.toml
fathom export golden.toml all.csv
fathom best golden.toml
fathom best golden.toml --json
fathom plot golden.toml posterior --output posterior.svg
fathom plot golden.toml posterior --parameters rate,kind --output posterior.pdf
fathom plot golden.toml slices --output slices.txt
fathom plot golden.toml posterior --parameters speed
fathom report golden.toml
fathom report golden.toml --output report.pdf
fathom run golden.toml
fathom run ks224.toml --trials 24
fathom run ks224.toml --workers 0
fathom demo multimodal --trials 14
fathom demo sine
fathom ask missing.toml
fathom ask golden.toml --store mysql://here
"#;

#[test]
fn every_output_of_a_study_is_as_it_was() {
    let mut session = Session::new();
    session.write("golden.toml", STUDY);
    session.write("past.csv", "x,rate,n,kind,note,value\n1.5,1e-3,2,red,warm,0.25\n0.5,2e-4,6,green,,\n");
    session.write("bad.csv", "x,rate,n,kind,value\n1.5,1e-3,6,red,0.25\n");
    session.write("none.csv", "x,rate,n,kind\n1.5,1e-3,6,red\n");
    for command in COMMANDS.lines().filter(|line| !line.is_empty()) {
        session.run(command);
    }
    compare(&session.transcript, &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/studies.txt"));
}

const PROBLEM: &str = r#"{"name": "small", "d": 2, "n": 4, "kernel": "matern32", "sigma_f2": 1.0,
"lengthscales": [0.4, 0.6], "noise": 1e-4, "x": [[0.1, 0.2], [0.2, 0.9], [0.9, 0.3], [0.6, 0.85]],
"y": [0.6, 0.4, 0.4, -0.4], "beta_sqrt": 1.5, "bounds": [[0.0, 1.0], [0.0, 1.0]],
"constraints": [{"linear": [[0, 1], [1, 1]], "upper": 1.6}]}"#;

const PROBLEM_COMMANDS: &str = r#"
fathom solve small.json
fathom solve small.json --json
fathom solve small.json --proof small.proof
fathom verify small.proof | grep -v checked
fathom solve small.json --pool 3
fathom solve small.json --near-optimal 0.1 --resolution 0.3
fathom solve small.json --method slsqp
fathom solve small.json --method pk
fathom solve small.json --method pk --json
fathom audit small.json --x 0.5,0.5
fathom audit small.json --x 0.9,0.9 --json
fathom export-model small.json --format lp --output small.lp
grep -c . small.lp
fathom solve missing.json
fathom solve bad.json
fathom solve crossed.json
fathom solve small.json --gap -1
fathom verify small.json
fathom audit small.json --x 0.5
"#;

#[test]
fn every_output_about_a_problem_is_as_it_was() {
    let mut session = Session::new();
    session.write("small.json", PROBLEM);
    session.write("bad.json", &PROBLEM.replace("\"noise\": 1e-4", "\"noise\": -1"));
    session.write("crossed.json", &PROBLEM.replace("[[0.0, 1.0], [0.0, 1.0]]", "[[0.0, 1.0], [1.0, 0.0]]"));
    for command in PROBLEM_COMMANDS.lines().filter(|line| !line.is_empty()) {
        session.run(command);
    }
    compare(&session.transcript, &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/problems.txt"));
}

#[test]
fn completions_name_every_command_and_are_read_by_the_shell() {
    let mut session = Session::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let written = session.run(&format!("fathom completions {shell}"));
        for command in ["new", "run", "ask", "tell", "best", "trials", "import", "export", "plot", "demo", "solve"] {
            assert!(written.contains(command), "{shell}: {command}");
        }
    }
    assert_eq!(session.run("fathom completions bash > completions && bash -n completions"), "");
}
