//! A solver's time limit holds for the whole solve, with the start of its process and the reading of its answer.

use super::problem::{points, rng};
use super::solvers;
use fathom_global::{NegativeVariance, Region, Stop};
use fathom_gp::{Covariance, Criterion, Dataset, Kernel, Model};
use fathom_miqp::{Settings, Solver, Status};
use fathom_paper::{Breakpoints, Program, Treatment, linearise};
use std::time::{Duration, Instant};

/// Seconds of each limit, with commas between them; FATHOM_SECONDS asks for others.
fn limits() -> Vec<f64> {
    let asked = std::env::var("FATHOM_SECONDS").unwrap_or_else(|_| "2".to_string());
    asked.split(',').map(|seconds| seconds.parse().unwrap()).collect()
}

#[test]
fn no_solver_takes_more_than_five_percent_over_its_limit_on_thirty_observations() {
    let rng = &mut rng(11);
    let x = points(30, 2, rng);
    let y: Vec<f64> = x.iter().map(|x| (9.0 * x[0]).sin() * (7.0 * x[1]).cos()).collect();
    let covariance = Covariance::isotropic(Kernel::Matern32, 2, 1.0, 0.3).unwrap();
    let posterior = Model::new(covariance, 1e-4).unwrap().condition(&Dataset::new(&x, &y).unwrap()).unwrap();
    let region = Region::new(&[(0.0, 1.0); 2]).unwrap();
    let approximate = linearise(&posterior, &region, Breakpoints::Paper, Treatment::KeepAll).unwrap();
    let criterion = Criterion::Lcb { kappa: 2.0 };
    let program = Program::full(&approximate, criterion, &region, NegativeVariance::Clamped).unwrap();
    let start = program.lift(&[0.5, 0.5]);
    let scip = solvers::scip().map(|scip| Box::new(scip) as Box<dyn Solver>);
    let gurobi = solvers::gurobi().map(|gurobi| Box::new(gurobi) as Box<dyn Solver>);
    for solver in scip.into_iter().chain(gurobi) {
        for seconds in limits() {
            let limit = Duration::from_secs_f64(seconds);
            let settings = Settings { time_limit: Some(limit), start: Some(start.clone()), ..Settings::default() };
            let begin = Instant::now();
            let outcome = solver.solve(program.model(), &settings, &Stop::new(false)).unwrap();
            let taken = begin.elapsed().as_secs_f64();
            eprintln!(
                "{}: {seconds} s, took {taken:.3} s ({:+.1} %), {:?}, {} points, value {:?}, bound {:?}, nodes {:?}",
                outcome.solver,
                100.0 * (taken / seconds - 1.0),
                outcome.status,
                outcome.points.len(),
                outcome.points.first().map(|point| point.objective),
                outcome.claimed_bound,
                outcome.nodes
            );
            assert!(taken <= 1.05 * seconds, "{}: {taken} s", solver.name());
            assert!(matches!(outcome.status, Status::TimeLimit | Status::Optimal), "{:?}", outcome.status);
        }
    }
}
