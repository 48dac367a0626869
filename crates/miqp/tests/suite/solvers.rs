//! Requirements for every solver, tested with each solver of this machine, in each way that it can be run.

use super::{available, models};
use fathom_miqp::{Encoding, Kind, Model, Outcome, Settings, Solver, Status, Stop};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

fn each(check: impl Fn(&str, &dyn Solver)) {
    let (_directory, solvers) = available::all();
    for (name, solver) in &solvers {
        check(name, solver.as_ref());
    }
}

fn solved(solver: &dyn Solver, model: &Model, settings: &Settings) -> Outcome {
    solver.solve(model, settings, &Stop::new(false)).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_knapsack_is_packed() {
    each(|name, solver| {
        let outcome = solved(solver, &models::knapsack(), &Settings::default());
        assert_eq!(outcome.status, Status::Optimal, "{name}");
        let best = &outcome.points[0];
        assert!((best.objective + 17.7).abs() < 1e-9 && best.violations.is_empty(), "{name}: {best:?}");
        assert!(best.values[4] > 0.5 && best.values[5] > 0.5, "{name}");
        assert!((outcome.claimed_value.unwrap() + 17.7).abs() < 1e-6, "{name}");
        assert!((outcome.claimed_bound.unwrap() + 17.7).abs() < 1e-3, "{name}");
        assert!(outcome.solver.starts_with(solver.name()) && outcome.solver.contains('.'), "{}", outcome.solver);
        assert!(outcome.nodes.is_some() && outcome.seconds > 0.0, "{name}");
    });
}

#[test]
fn a_nonconvex_program_with_integers_is_solved_globally() {
    each(|name, solver| {
        let outcome = solved(solver, &models::ball(), &Settings::default());
        assert_eq!(outcome.status, Status::Optimal, "{name}");
        let best = &outcome.points[0];
        assert!((best.objective - 5.0).abs() < 1e-3, "{name}: {best:?}");
        assert!((outcome.claimed_value.unwrap() - 5.0).abs() < 1e-3, "{name}: the constant is part of the value");
        assert!(outcome.claimed_bound.unwrap() <= 5.0 + 1e-6, "{name}");
        assert!(best.worst().is_none_or(|violation| violation.amount < 1e-5), "{name}: {:?}", best.violations);
    });
}

#[test]
fn the_papers_program_is_solved_in_every_encoding() {
    let least = models::paper_minimum();
    each(|name, solver| {
        for encoding in [None, Some(Encoding::Binaries), Some(Encoding::Sos2), Some(Encoding::Logarithmic)] {
            let settings = Settings { encoding, time_limit: Some(Duration::from_secs(100)), ..Settings::default() };
            let outcome = solved(solver, &models::paper(), &settings);
            assert_eq!(outcome.status, Status::Optimal, "{name} {encoding:?}");
            let best = &outcome.points[0];
            assert_eq!(best.values.len(), 7, "{name}: the weights are not ours");
            assert!((best.objective - least).abs() < 2e-3, "{name} {encoding:?}: {} and {least}", best.objective);
            assert!(best.worst().is_none_or(|v| v.amount < 1e-5), "{name} {encoding:?}: {:?}", best.violations);
        }
    });
}

#[test]
fn infeasible_is_a_status() {
    let mut model = Model::new();
    let x = model.add_variable("x", Kind::Integer, 0.0, 5.0).unwrap();
    let y = model.add_variable("y", Kind::Continuous, 0.0, 5.0).unwrap();
    model.add_row("above", (x + y).at_least(4.0)).unwrap();
    model.add_row("disc", (x * x + y * y).at_most(1.0)).unwrap();
    each(|name, solver| {
        let outcome = solved(solver, &model, &Settings::default());
        assert_eq!(outcome.status, Status::Infeasible, "{name}");
        assert!(outcome.points.is_empty() && outcome.claimed_value.is_none(), "{name}");
    });
}

#[test]
fn unbounded_is_a_status() {
    let mut model = Model::new();
    let x = model.add_variable("x", Kind::Continuous, 0.0, f64::INFINITY).unwrap();
    let n = model.add_variable("n", Kind::Integer, 0.0, 3.0).unwrap();
    model.add_row("row", (x - n).at_least(-1.0)).unwrap();
    model.minimise(n - x).unwrap();
    each(|name, solver| {
        let status = solved(solver, &model, &Settings::default()).status;
        assert!(matches!(status, Status::Unbounded | Status::InfeasibleOrUnbounded), "{name}: {status:?}");
    });
}

#[test]
fn a_time_limit_ends_a_long_solve_with_what_it_has() {
    each(|name, solver| {
        let limit = Duration::from_secs(3);
        let (settings, begin) = (Settings { time_limit: Some(limit), ..Settings::default() }, Instant::now());
        let outcome = solved(solver, &models::hard(60), &settings);
        let taken = begin.elapsed().as_secs_f64();
        assert_eq!(outcome.status, Status::TimeLimit, "{name}");
        // Starting the process and reading the answer are part of the limit; a solver that is late is killed after 3 % more.
        assert!(taken < 1.05 * limit.as_secs_f64(), "{name}: {taken}");
        assert!(!outcome.points.is_empty(), "{name}");
        if let (Some(value), Some(bound)) = (outcome.claimed_value, outcome.claimed_bound) {
            assert!(bound < value, "{name}");
        }
    });
}

#[test]
fn a_node_limit_ends_a_long_solve() {
    each(|name, solver| {
        let settings = Settings { node_limit: Some(20), ..Settings::default() };
        let outcome = solved(solver, &models::hard(30), &settings);
        assert_eq!(outcome.status, Status::NodeLimit, "{name}");
        // Gurobi may finish the nodes that it has begun.
        assert!(outcome.nodes.is_some_and(|nodes| nodes < 200), "{name}: {:?}", outcome.nodes);
    });
}

#[test]
fn a_memory_limit_ends_a_long_solve() {
    each(|name, solver| {
        let (time_limit, memory_limit) = (Some(Duration::from_secs(60)), Some(3_000_000));
        let settings = Settings { time_limit, memory_limit, ..Settings::default() };
        let outcome = solved(solver, &models::hard(60), &settings);
        assert_eq!(outcome.status, Status::MemoryLimit, "{name}");
    });
}

#[test]
fn a_model_beyond_gurobis_keyless_licence_is_named_with_its_size() {
    let Some(gurobi) = available::gurobi() else { return };
    let mut model = Model::new();
    let variables: Vec<_> =
        (0..300).map(|j| model.add_variable(&format!("x_{j}"), Kind::Continuous, 0.0, 1.0).unwrap()).collect();
    model.add_row("disc", (variables[0] * variables[1]).at_most(0.5)).unwrap();
    let settings = Settings { encoding: Some(Encoding::Binaries), ..Settings::default() };
    match gurobi.solve(&model, &settings, &Stop::new(false)) {
        // This Gurobi has a key.
        Ok(outcome) => assert_eq!(outcome.status, Status::Optimal),
        Err(error) => assert_eq!(
            error.to_string(),
            "Gurobi's licence without a key solves at most 2000 variables (200 with quadratic terms) and 2000 rows; this \
             program has 300 variables and 1 rows: get a licence, use engine scip or embedded, or leave `encoding` out"
        ),
    }
}

#[test]
fn solvers_are_found_at_a_path() {
    if let (Some(scip), Some(python)) = (available::scip(), available::python_with("pyscipopt")) {
        let found = fathom_miqp::Scip::at_hosted(&python, Some(available::host())).unwrap();
        assert_eq!(found.place().file_name(), scip.place().file_name());
        let outcome = solved(&found, &models::knapsack(), &Settings::default());
        assert_eq!(outcome.status, Status::Optimal);
        let environment = python.parent().and_then(std::path::Path::parent).unwrap();
        assert_eq!(fathom_miqp::Scip::at_hosted(environment, Some(available::host())).unwrap().place(), found.place());
    }
    if let Some(python) = available::python_with("gurobipy") {
        let found = fathom_miqp::Gurobi::at(&python).unwrap();
        assert_eq!(solved(&found, &models::knapsack(), &Settings::default()).status, Status::Optimal);
    }
    let missing = fathom_miqp::Gurobi::at("/nowhere/gurobi_cl").unwrap_err().to_string();
    assert!(missing.contains("there is no file /nowhere/gurobi_cl"), "{missing}");
}

#[test]
fn a_solver_asked_to_stop_stops_with_what_it_has() {
    each(|name, solver| {
        let (stop, begin) = (Stop::new(false), Instant::now());
        let outcome = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(2500));
                stop.store(true, Ordering::Relaxed);
            });
            solver.solve(&models::hard(60), &Settings::default(), &stop).unwrap()
        });
        assert_eq!(outcome.status, Status::Interrupted, "{name}");
        assert!(!outcome.points.is_empty(), "{name}");
        assert!(begin.elapsed() < Duration::from_secs(20), "{name}");
    });
}

/// Solves from `start` with a gap that any point meets, and checks that the solver took the start.
fn check_start(name: &str, solver: &dyn Solver, model: &Model, start: &[f64], encoding: Option<Encoding>) {
    let log = tempfile::NamedTempFile::new().unwrap();
    let settings = Settings {
        start: Some(start.to_vec()),
        encoding,
        relative_gap: 1e9,
        absolute_gap: 1e9,
        log: Some(log.path().to_path_buf()),
        ..Settings::default()
    };
    let (found, value) = (solved(solver, model, &settings).points[0].objective, model.objective_at(start).unwrap());
    assert!(found <= value + 1e-6, "{name} {encoding:?}: {found} and {value}");
    let text = std::fs::read_to_string(log.path()).unwrap();
    let taken = ["1/1 feasible solution given", "Loaded user MIP start", "User MIP start produced solution"];
    assert!(taken.iter().any(|words| text.contains(words)), "{name} {encoding:?}:\n{text}");
}

#[test]
fn a_start_is_taken() {
    each(|name, solver| {
        check_start(name, solver, &models::knapsack(), &[1.0, 1.0, 0.0, 0.0, 0.0, 1.0], None);
        check_start(name, solver, &models::ball(), &[1.25, 2.0, 1.0], None);
        check_start(name, solver, &models::hard(60), &[1.0; 60], None);
    });
}

#[test]
fn a_start_of_the_papers_program_is_lifted_into_the_encoding() {
    each(|name, solver| {
        for encoding in [None, Some(Encoding::Binaries), Some(Encoding::Sos2), Some(Encoding::Logarithmic)] {
            check_start(name, solver, &models::paper(), &models::paper_point(0.55), encoding);
        }
    });
}

#[test]
fn a_pool_holds_several_points_each_evaluated() {
    each(|name, solver| {
        let settings = Settings { pool: 4, ..Settings::default() };
        let outcome = solved(solver, &models::hard(6), &settings);
        assert!(!outcome.points.is_empty() && outcome.points.len() <= 4, "{name}");
        if name == "SCIP's library" {
            assert!(outcome.points.len() > 1, "{name}: {}", outcome.points.len());
        }
        for point in &outcome.points {
            assert_eq!(point.objective, models::hard(6).objective_at(&point.values).unwrap());
        }
        let values: Vec<f64> = outcome.points.iter().map(|point| point.objective).collect();
        assert!(values.windows(2).all(|pair| pair[0] <= pair[1]), "{name}: {values:?}");
    });
}

#[test]
fn own_parameters_logs_and_files_are_passed_through() {
    each(|name, solver| {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("solver.log");
        let parameter = if solver.name() == "SCIP" { ("limits/nodes", "1") } else { ("NodeLimit", "0") };
        let settings = Settings {
            parameters: vec![(parameter.0.to_string(), parameter.1.to_string())],
            directory: Some(directory.path().join("files")),
            log: Some(log.clone()),
            ..Settings::default()
        };
        let outcome = solved(solver, &models::hard(30), &settings);
        assert_eq!(outcome.status, Status::NodeLimit, "{name}");
        assert!(std::fs::metadata(&log).unwrap().len() > 100, "{name}");
        assert!(directory.path().join("files/model.lp").is_file(), "{name}");
    });
}
