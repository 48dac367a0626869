//! Counts that no machine has room for, and limits of time.

use super::studies::{said, write};
use super::{data, fathom, text};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn counts_beyond_their_limits_are_refused_at_once() {
    let instance = concat!(env!("CARGO_MANIFEST_DIR"), "/../../instances/prior_d1_rbf_r00.json");
    for (option, count, range) in
        [("--threads", "5000", "from 1 to 1024"), ("--pool", "99999999999", "from 0 to 10000")]
    {
        let output =
            Command::new(env!("CARGO_BIN_EXE_fathom")).args(["solve", option, count, instance]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{option}");
        assert!(text(&output.stderr).contains(range), "{}", text(&output.stderr));
    }
}

#[test]
fn values_of_any_size_are_solved_to_a_share_of_themselves() {
    // −log EI is 1.5e16 here: a gap of 1e-4 is less than floating point can tell apart.
    let problem = data("huge_values");
    let arguments = ["solve", problem.to_str().unwrap(), "--json", "--time-limit", "60s"];
    let output = fathom(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains(r#""status":"optimal""#));
    // A caller who asks for a gap is not given another.
    let output = fathom(&[&arguments[..4], &["200ms", "--gap", "1e-4"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
}

#[test]
fn the_papers_method_keeps_one_budget_for_all_its_steps() {
    let problem = data("pk_time_limit");
    let started = Instant::now();
    let output = fathom(&["solve", problem.to_str().unwrap(), "--method", "pk", "--time-limit", "4s"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    // Both problems of the method are too hard for any time; once each had four seconds of its own.
    assert!(started.elapsed() < Duration::from_millis(6500), "{:?}", started.elapsed());
}

#[test]
fn the_embedded_search_takes_numbers_that_solvers_take_for_infinity() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("large.json");
    let problem = r#"{"name": "large", "kernel": "rbf", "sigma_f2": 1.0, "lengthscales": [0.3], "noise": 1e-6,
        "x": [[0.1], [0.5], [0.9]], "y": [3e20, -1e20, 2e20], "kappa": 1.5, "bounds": [[0.0, 1.0]]}"#;
    std::fs::write(&file, problem).unwrap();
    let proof = folder.path().join("large.proof");
    let arguments =
        ["solve", file.to_str().unwrap(), "--method", "pk", "--rel-gap", "1e-3", "--proof", proof.to_str().unwrap()];
    let output = fathom(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("proven, closed"));
    assert_eq!(fathom(&["verify", proof.to_str().unwrap()]).status.code(), Some(0));
}

/// A study with so many values, put into the store at once.
fn crowded(folder: &Path, count: i64) -> PathBuf {
    let file = write(folder, "");
    said(&["ask", file.to_str().unwrap()]);
    said(&["tell", file.to_str().unwrap(), "1", "2.5"]);
    let mut store = rusqlite::Connection::open(folder.join("plane.db")).unwrap();
    let transaction = store.transaction().unwrap();
    for number in 2..=count {
        let x = number as f64 / count as f64;
        let point = format!(r#"{{"x1": {}, "x2": {}}}"#, 10.0 * x - 5.0, 15.0 * (7.0 * x).fract());
        transaction
            .execute(
                "INSERT INTO trial (study, number, state, point, told, suggestion, asked_at, finished_at)
                 SELECT study, ?1, state, ?2, ?3, suggestion, asked_at, finished_at FROM trial WHERE number = 1",
                (number, point, format!(r#"{{"value":{:?}}}"#, (9.0 * x).sin())),
            )
            .unwrap();
    }
    transaction.commit().unwrap();
    file
}

#[test]
fn with_thousands_of_trials_the_best_is_shown_at_once_and_the_bound_has_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let file = crowded(folder.path(), 5000);
    let path = file.to_str().unwrap();
    for arguments in [&["best", path] as &[&str], &["best", path, "--json"], &["trials", path]] {
        let started = Instant::now();
        let answer = said(arguments);
        // A second is meant; others use this machine too. The command used to take more than a hundred.
        assert!(started.elapsed() < Duration::from_secs(10), "{arguments:?}: {:?}", started.elapsed());
        assert!(answer.contains("a model of 5000 trials takes long") || arguments[0] == "trials", "{answer}");
    }
    let answer = said(&["best", path, "--time-limit", "100ms"]);
    assert!(answer.starts_with("trial ") && answer.contains("not computed in time"), "{answer}");
}

#[cfg(unix)]
#[test]
fn best_prints_what_it_knows_before_the_bound_and_ctrl_c_ends_the_waiting() {
    use std::io::{BufRead as _, BufReader, Read as _};
    let folder = tempfile::tempdir().unwrap();
    let file = crowded(folder.path(), 3000);
    let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
    command.args(["best", file.to_str().unwrap(), "--time-limit", "5min"]).stdout(Stdio::piped());
    let started = Instant::now();
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    lines.read_line(&mut first).unwrap();
    assert!(first.starts_with("trial ") && started.elapsed() < Duration::from_secs(30), "{first}");
    // The handler is set once the search for the bound begins.
    std::thread::sleep(Duration::from_millis(500));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let mut rest = String::new();
    lines.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(rest.contains("not computed in time: interrupted"), "{rest}");
    assert!(started.elapsed() < Duration::from_secs(60));
}
