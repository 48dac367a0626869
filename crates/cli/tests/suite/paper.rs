//! The paper's method from the command line and in studies, with the certified search and with SCIP.

use super::studies::{said, trials};
use super::{data, fathom, instance, scip, text};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn line(arguments: &[&str]) -> Value {
    let output = fathom(&[&["solve", "--method", "pk", "--json"][..], arguments].concat());
    assert!(matches!(output.status.code(), Some(0 | 1)), "{arguments:?}: {}", text(&output.stderr));
    serde_json::from_str(text(&output.stdout)).unwrap()
}

#[test]
fn an_answer_has_two_statements_each_with_its_own_status() {
    let problem = instance("prior_d2_matern32_r00");
    let found = line(&[problem.to_str().unwrap()]);
    let certified = fathom(&["solve", "--json", problem.to_str().unwrap()]);
    let certified: Value = serde_json::from_str(text(&certified.stdout)).unwrap();
    assert_eq!((&found["claim"]["function"], &found["status"]), (&"acquisition".into(), &"optimal".into()));
    let (value, bound) = (found["value"].as_f64().unwrap(), found["lower_bound"].as_f64().unwrap());
    let least = certified["value"].as_f64().unwrap();
    assert!(bound <= least && least <= value + 1e-6 && value - bound <= 1.1e-3, "{found}");
    let other = &found["piecewise_linear"];
    assert_eq!((&other["claim"]["bound_by"], &other["status"]), (&"proof".into(), &"optimal".into()));
    assert!(found["segments"].as_u64().unwrap() > 0 && found["kernel_error"].as_f64().unwrap() > 0.0);
    assert!(found["value_before_polishing"].as_f64().unwrap() >= value);
    let theory = |name: &str| found["theory"][name].as_f64().unwrap();
    assert!(theory("mean_error") <= theory("printed_mean_error") && theory("information_gain") > 0.0, "{found}");
    let fine = line(&[problem.to_str().unwrap(), "--kernel-error", "1e-6"]);
    assert!(fine["kernel_error"].as_f64().unwrap() < 1e-2 * found["kernel_error"].as_f64().unwrap());
    assert!(fine["segments"].as_u64() > found["segments"].as_u64());
    let counted = line(&[problem.to_str().unwrap(), "--segments", "40"]);
    assert_eq!(counted["segments"], 40);
}

#[test]
fn what_goes_together_with_nothing_is_refused() {
    let problem = instance("prior_d2_matern32_r00");
    for (words, says) in [
        (&["--group-by-group"][..], "one group"),
        (&["--schedule", "1"], "`schedule`: it divides `kernel_error`"),
        (&["--tolerance", "1e-6"], "`tolerance`: the certified search has no use for it"),
        (&["--near-optimal", "0.1"], "goes with the certified method"),
        (&["--engine", "scip", "--solver-path", "/nowhere/libscip.so"], "/nowhere/libscip.so"),
    ] {
        let output = fathom(&[&["solve", problem.to_str().unwrap(), "--method", "pk"][..], words].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", text(&output.stdout));
        assert!(text(&output.stderr).contains(says), "{words:?}: {}", text(&output.stderr));
    }
}

#[test]
fn a_time_limit_is_that_of_the_whole_in_every_engine() {
    let (hard, of_solvers) = (data("pk_time_limit"), instance("bo_d2_n100_rbf_r0"));
    let mut engines = vec![(&hard, vec!["--engine", "embedded"])];
    if scip().is_ok() {
        engines.push((&of_solvers, vec!["--engine", "scip"]));
        engines.push((&of_solvers, vec!["--engine", "scip", "--warm-start", "sub-problem"]));
    }
    for (problem, engine) in engines {
        let started = Instant::now();
        let found = line(&[&[problem.to_str().unwrap(), "--time-limit", "2s"][..], &engine].concat());
        let elapsed = started.elapsed();
        assert_eq!(found["piecewise_linear"]["status"], "time_limit", "{found}");
        // Five per cent are the promise; other tests compute at the same time.
        assert!(elapsed < Duration::from_millis(3000), "{engine:?}: {elapsed:?}");
    }
}

#[test]
fn a_memory_limit_ends_a_search_with_a_status_of_its_own() {
    let problem = data("pk_time_limit");
    let found = line(&[problem.to_str().unwrap(), "--paper", "--memory-limit", "3MB", "--time-limit", "60s"]);
    assert_eq!(found["piecewise_linear"]["status"], "memory_limit", "{found}");
    assert!(found["piecewise_linear"]["lower_bound"].as_f64().is_some(), "what is proven stays");
    let output = fathom(&["solve", problem.to_str().unwrap(), "--memory-limit", "much"]);
    assert_eq!(output.status.code(), Some(2));
}

/// The study file with this text.
fn written(folder: &Path, text: &str) -> String {
    let path = folder.join("study.toml");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Branin with a constraint, minimised by SCIP.
const WITH_SCIP: &str = r#"name = "scip"
constraints = ["x1 + x2 <= 14"]
[parameters]
x1 = { type = "float", low = -5, high = 10 }
x2 = { type = "float", low = 0, high = 15 }
[evaluate]
function = "branin"
[stop]
trials = 8
[strategy]
preset = "paper"
optimiser = "pk"
initial = 5
time_limit = "3s"
[strategy.pk]
engine = "scip"
true_bound = "certified"
"#;

#[test]
fn a_study_with_scip_is_killed_and_goes_on_to_its_end() {
    if let Err(error) = scip() {
        eprintln!("skipped: {error}");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), WITH_SCIP);
    let mut child = Command::new(env!("CARGO_BIN_EXE_fathom"))
        .args(["run", &path, "--lease", "300ms"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    let count = || {
        let output = fathom(&["trials", &path, "--json"]);
        if output.status.success() { text(&output.stdout).lines().count() } else { 0 }
    };
    while count() < 6 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(50));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    said(&["run", &path, "--lease", "300ms"]);
    let all = trials(&path);
    assert_eq!(all.len(), 8, "{all:?}");
    assert!(all.iter().all(|trial| trial["state"] == "complete"), "{all:?}");
    for trial in &all[5..] {
        let suggestion = &trial["suggestion"];
        assert_eq!(suggestion["method"], "pk", "{trial}");
        assert!(suggestion["solver"].as_str().unwrap().starts_with("SCIP "), "{trial}");
        assert_eq!(suggestion["piecewise_linear"]["claim"]["bound_by"], "external_solver", "{trial}");
        assert!(suggestion["certificate"]["lower_bound"].as_f64().is_some(), "{trial}");
    }
    // The bound of the true function is the certified search's, and its proof is made again.
    let verified = fathom(&["verify", &path, "8"]);
    assert_eq!(verified.status.code(), Some(0), "{}{}", text(&verified.stdout), text(&verified.stderr));
}

#[test]
fn a_study_whose_solver_is_missing_ends_before_its_first_experiment() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), &WITH_SCIP.replace("engine = ", "solver_path = \"/nowhere/scip\"\nengine = "));
    let output = fathom(&["ask", &path]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("/nowhere/scip"), "{}", text(&output.stderr));
}
