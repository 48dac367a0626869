//! A solver that crashes, hangs, lies or is missing always gives an error that names it, never a result.

use super::{available, models};
use fathom_miqp::{Error, Gurobi, Host, Scip, Settings, Solver, Status, Stop};
use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn fails(solver: &dyn Solver, settings: &Settings) -> Error {
    solver.solve(&models::knapsack(), settings, &Stop::new(false)).expect_err("that was no answer")
}

/// Runs shell commands in place of each solver, in each way that it can be run.
fn in_place_of_solvers(commands: &str) -> (TempDir, Vec<Box<dyn Solver>>) {
    let directory = tempfile::tempdir().unwrap();
    let path = available::script(directory.path(), "solver", &format!("#!/bin/sh\n{commands}\n"));
    let host = Host { program: path.clone(), arguments: Vec::new() };
    let solvers: Vec<Box<dyn Solver>> = vec![
        Box::new(Scip::library("/nowhere/libscip.so", host)),
        Box::new(Scip::executable(&path)),
        Box::new(Gurobi::executable(&path)),
        Box::new(Gurobi::python(&path)),
    ];
    (directory, solvers)
}

/// Whether a process exists and is not a zombie.
fn is_alive(pid: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    state.is_ok_and(|text| !text.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z'))
}

fn eventually(mut condition: impl FnMut() -> bool) -> bool {
    let begin = Instant::now();
    while !condition() {
        if begin.elapsed() > Duration::from_secs(20) {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

#[test]
fn a_solver_that_kills_itself_is_an_error_with_its_last_words() {
    let (_directory, solvers) = in_place_of_solvers("echo last words; kill -KILL $$");
    for solver in solvers {
        let error = fails(solver.as_ref(), &Settings::default());
        assert!(matches!(error, Error::Crashed { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains(solver.name()) && text.contains("signal: 9") && text.contains("last words"), "{text}");
    }
}

#[test]
fn a_solver_that_exits_with_an_error_is_an_error() {
    let (_directory, solvers) = in_place_of_solvers("echo no licence >&2; exit 3");
    for solver in solvers {
        let text = fails(solver.as_ref(), &Settings::default()).to_string();
        assert!(
            text.contains(solver.name()) && text.contains("exit status: 3") && text.contains("no licence"),
            "{text}"
        );
    }
}

#[test]
fn success_without_an_answer_is_an_error() {
    let (_directory, solvers) = in_place_of_solvers("echo 'SCIP version 10.0.0 [x]'; exit 0");
    for solver in solvers {
        let error = fails(solver.as_ref(), &Settings::default());
        assert!(matches!(error, Error::Garbled { .. }) && error.to_string().contains(solver.name()), "{error}");
    }
}

#[test]
fn garbage_is_an_error() {
    let answers = [
        "",
        "garbage",
        r#"{"version": [10, 0, 0], "status": 1}"#,
        r#"{"version": [10, 0, 0], "status": 1, "value": 1, "bound": 1, "nodes": 1, "points": [[1, 2]]}"#,
        r#"{"version": [10, 0, 0], "status": 99, "value": 1, "bound": 1, "nodes": 1, "points": []}"#,
        r#"{"version": [10, 0, 0], "status": 1, "value": null, "bound": 1, "nodes": 1, "points": []}"#,
        r#"{"SolutionInfo": {"Status": 14}}"#,
        r#"{"SolutionInfo": {"Status": 2, "SolCount": 1}, "Vars": [{"VarName": "take_1", "X": 1}]}"#,
        r#"{"SolutionInfo": {"Status": 2, "SolCount": 1}, "Vars": [{"VarName": "take_1", "X": "one"}]}"#,
    ];
    for answer in answers {
        let commands = format!(
            "echo 'SCIP version 10.0.0 [x]'\nfor file in report.json result.json statistics.txt best.sol; do
             printf '%s' '{answer}' > $file; done"
        );
        let (_directory, solvers) = in_place_of_solvers(&commands);
        for solver in solvers {
            let error = fails(solver.as_ref(), &Settings::default());
            assert!(matches!(error, Error::Garbled { .. }), "{answer}: {error}");
        }
    }
}

#[test]
fn a_version_whose_codes_we_do_not_know_is_refused() {
    let report = r#"{"version": [11, 0, 0], "status": 1, "value": 1, "bound": 1, "nodes": 1, "points": []}"#;
    let (directory, _) = in_place_of_solvers(&format!("printf '%s' '{report}' > report.json"));
    let host = Host { program: directory.path().join("solver"), arguments: Vec::new() };
    let error = fails(&Scip::library("/nowhere/libscip.so", host), &Settings::default());
    assert!(matches!(error, Error::UnsupportedVersion { .. }), "{error}");
}

#[test]
fn an_earlier_answer_in_the_same_directory_is_not_taken_for_a_new_one() {
    let place = tempfile::tempdir().unwrap();
    let report = r#"{"version": [10, 0, 0], "status": 2, "value": 1e20, "bound": 1e20, "nodes": 1, "points": []}"#;
    fs::write(place.path().join("report.json"), report).unwrap();
    let (_directory, solvers) = in_place_of_solvers("exit 0");
    let settings = Settings { directory: Some(place.path().to_path_buf()), ..Settings::default() };
    assert!(matches!(fails(solvers[0].as_ref(), &settings), Error::Garbled { .. }));
}

#[test]
fn a_hung_solver_is_killed_at_its_time_limit_with_all_its_children() {
    let (directory, solvers) =
        in_place_of_solvers("trap '' INT TERM\nsleep 1000 & echo $! $$ > \"$0.pids\"\nwait; wait");
    let settings = Settings { time_limit: Some(Duration::from_secs(1)), ..Settings::default() };
    for solver in solvers {
        let begin = Instant::now();
        let outcome = solver.solve(&models::knapsack(), &settings, &Stop::new(false)).unwrap();
        assert_eq!((outcome.status, outcome.solver.as_str()), (Status::TimeLimit, solver.name()));
        assert!(outcome.points.is_empty() && outcome.claimed_bound.is_none() && outcome.nodes.is_none());
        assert!(begin.elapsed() < Duration::from_secs(10));
        let pids = fs::read_to_string(directory.path().join("solver.pids")).unwrap();
        assert!(eventually(|| pids.split_whitespace().all(|pid| !is_alive(pid))), "{pids}");
    }
}

#[test]
fn a_solver_that_ignores_a_request_to_stop_is_killed() {
    let (_directory, solvers) = in_place_of_solvers("trap '' INT\nwhile true; do sleep 0.1; done");
    let settings = Settings { grace: Duration::from_millis(300), ..Settings::default() };
    let stop = Stop::new(false);
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            // The pause is long enough for the script to reach its first line.
            std::thread::sleep(Duration::from_millis(1000));
            stop.store(true, Ordering::Relaxed);
        });
        solvers[0].solve(&models::knapsack(), &settings, &stop)
    });
    let error = result.unwrap_err();
    assert!(matches!(error, Error::Hung { .. }), "{error}");
}

#[test]
fn the_points_of_a_gurobi_that_had_to_be_killed_are_kept() {
    let point = |weight: f64| (1..=6).map(|j| format!("take_{j} {weight}\n")).collect::<String>();
    let commands = format!(
        "trap '' INT\nprintf '# a point\\n%s' '{}' > found_0.sol\nprintf '%s' '{}' > found_1.sol
         printf 'take_1 1' > found_2.sol\nwhile true; do sleep 0.1; done",
        point(0.0),
        point(1.0)
    );
    let (_directory, solvers) = in_place_of_solvers(&commands);
    let settings = Settings { time_limit: Some(Duration::from_secs(1)), pool: 5, ..Settings::default() };
    let outcome = solvers[2].solve(&models::knapsack(), &settings, &Stop::new(false)).unwrap();
    // The third file was cut off in the middle.
    let points: Vec<&[f64]> = outcome.points.iter().map(|point| point.values.as_slice()).collect();
    assert_eq!(outcome.status, Status::TimeLimit);
    assert_eq!(points, [&[1.0; 6], &[0.0; 6]]);
    assert!(!outcome.points[0].violations.is_empty(), "we evaluate these points, too");
}

#[test]
fn a_solver_that_is_stopped_before_it_has_an_answer_is_interrupted() {
    let (_directory, solvers) = in_place_of_solvers("sleep 1000");
    let outcome = solvers[0].solve(&models::knapsack(), &Settings::default(), &Stop::new(true)).unwrap();
    assert_eq!(outcome.status, Status::Interrupted);
    assert!(outcome.points.is_empty() && outcome.claimed_bound.is_none());
}

#[test]
fn the_real_scip_killed_while_it_solves_is_an_error() {
    let Some(scip) = available::scip() else { return };
    let directory = tempfile::tempdir().unwrap();
    let pid = directory.path().join("pid");
    let real = available::host().program;
    let text = format!("#!/bin/sh\necho $$ > {}\nexec {}\n", pid.display(), real.display());
    let host = Host { program: available::script(directory.path(), "host", &text), arguments: Vec::new() };
    // The same library runs in a host that writes down its process number.
    let scip = Scip::find_hosted(Some(host)).unwrap_or(scip);
    let log = directory.path().join("log");
    let settings = Settings { log: Some(log.clone()), ..Settings::default() };
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            let solving = || fs::read_to_string(&log).is_ok_and(|text| text.contains("presolved problem"));
            assert!(eventually(solving));
            let pid = fs::read_to_string(&pid).unwrap();
            assert!(Command::new("kill").args(["-KILL", pid.trim()]).status().unwrap().success());
        });
        scip.solve(&models::hard(60), &settings, &Stop::new(false))
    });
    let error = result.unwrap_err();
    assert!(matches!(error, Error::Crashed { .. }) && error.to_string().contains("SCIP"), "{error}");
}

#[test]
fn a_full_disk_under_the_real_scip_is_an_error() {
    if available::scip().is_none() || !Path::new("/dev/full").exists() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let real = available::host().program;
    let text = format!("#!/bin/sh\nln -s /dev/full report.json\nexec {}\n", real.display());
    let host = Host { program: available::script(directory.path(), "host", &text), arguments: Vec::new() };
    let error = fails(&Scip::find_hosted(Some(host)).unwrap(), &Settings::default());
    assert!(error.to_string().contains("No space left"), "{error}");
}

#[test]
fn a_full_disk_under_our_own_files_is_an_error() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    for file in ["model.lp", "settings.set", "job.json"] {
        let place = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/dev/full", place.path().join(file)).unwrap();
        let (_directory, solvers) = in_place_of_solvers("exit 0");
        let settings = Settings { directory: Some(place.path().to_path_buf()), ..Settings::default() };
        let error = fails(solvers[0].as_ref(), &settings);
        assert!(matches!(error, Error::Write(_) | Error::File { .. }), "{file}: {error}");
    }
}

#[test]
fn a_missing_program_is_an_error() {
    let error = fails(&Scip::executable("/nowhere/scip"), &Settings::default());
    assert!(matches!(error, Error::NotStarted { solver: "SCIP", .. }), "{error}");
}

#[test]
fn a_start_of_the_wrong_length_is_an_error() {
    let settings = Settings { start: Some(vec![1.0]), ..Settings::default() };
    let error = fails(&Scip::executable("/nowhere/scip"), &settings);
    assert!(matches!(error, Error::WrongLength { expected: 6, found: 1 }), "{error}");
}

/// Runs one of the ignored tests below in its own process.
fn alone(test: &str, environment: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", test, "--ignored", "--nocapture"]).envs(environment.iter().copied());
    command
}

#[test]
fn a_missing_solver_says_how_to_get_it() {
    let nothing = [("PATH", "/nowhere"), ("FATHOM_PYTHON", "/nowhere/python"), ("LD_LIBRARY_PATH", "")];
    let Output { stdout, status, .. } = alone("faults::looks_for_solvers", &nothing).output().unwrap();
    let text = String::from_utf8_lossy(&stdout);
    assert!(status.success(), "{text}");
    assert!(text.contains("Gurobi was not found") && text.contains("pip install gurobipy"), "{text}");
    assert!(text.contains("FATHOM_SCIP_LIBRARY is /nowhere/libscip.so, which is no file"), "{text}");
    assert!(text.contains("pip install pyscipopt"), "{text}");
}

#[test]
#[ignore = "run by a_missing_solver_says_how_to_get_it"]
fn looks_for_solvers() {
    println!("{}", Gurobi::find().unwrap_err());
    // A SCIP of the system would be found, so the variable names a library that does not exist.
    let mut command = alone("faults::looks_for_scip", &[("FATHOM_SCIP_LIBRARY", "/nowhere/libscip.so")]);
    println!("{}", String::from_utf8_lossy(&command.output().unwrap().stdout));
}

#[test]
#[ignore = "run by looks_for_solvers"]
fn looks_for_scip() {
    println!("{}", Scip::find().unwrap_err());
}

#[test]
fn the_solver_dies_with_us() {
    let directory = tempfile::tempdir().unwrap();
    let pids = directory.path().join("pids");
    let mut us = alone("faults::starts_a_solver_and_waits", &[("FATHOM_TEST_PIDS", pids.to_str().unwrap())]);
    let mut us = us.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
    assert!(eventually(|| fs::read_to_string(&pids).is_ok_and(|text| text.split_whitespace().count() == 2)));
    let numbers = fs::read_to_string(&pids).unwrap();
    assert!(numbers.split_whitespace().all(is_alive), "{numbers}");
    us.kill().unwrap();
    us.wait().unwrap();
    assert!(eventually(|| numbers.split_whitespace().all(|pid| !is_alive(pid))), "{numbers}");
}

#[test]
#[ignore = "run by the_solver_dies_with_us"]
fn starts_a_solver_and_waits() {
    let (_directory, solvers) = in_place_of_solvers("sleep 1000 &\necho $! $$ > \"$FATHOM_TEST_PIDS\"\nwait");
    let stop = Stop::new(false);
    let _ = solvers[1].solve(&models::knapsack(), &Settings::default(), &stop);
    stop.store(true, Ordering::Relaxed);
}
