//! Algorithm 1 with real solvers agrees with grids of the piecewise-linear function.

use super::program::{instance, instances};
use super::solvers;
use fathom_global::{BoundBy, Certificate, Claim, NegativeVariance, Posed as _, Region, Row, Status, Stop};
use fathom_gp::{Acquisition, Covariance, Criterion, Dataset, Kernel, Model, Posterior, Term};
use fathom_miqp::{Dialect, Encoding, Outcome, Point, Settings, Solver};
use fathom_paper::{
    Breakpoints, Engine, PkMiqp, PkOutcome, PkSettings, PolishFrom, Program, Treatment, TrueBound, WarmStart, linearise,
};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use std::process::Command;
use std::time::Duration;

fn run<'s>(
    engine: impl Into<Engine<'s>>,
    settings: &'s PkSettings,
    posterior: &Posterior,
    kappa: f64,
    region: &Region,
) -> PkOutcome {
    let criterion = Criterion::Lcb { kappa };
    PkMiqp::new(engine, settings).unwrap().minimise(posterior, criterion, region, &Stop::new(false), |_| {}).unwrap()
}

/// The least piecewise-linear value over feasible points of a grid, and the least true value.
fn grid(posterior: &Posterior, kappa: f64, region: &Region, settings: &PkSettings, steps: usize) -> (f64, f64) {
    let approximate = linearise(posterior, region, settings.breakpoints, settings.treatment).unwrap();
    let criterion = Criterion::Lcb { kappa };
    let program = Program::full(&approximate, criterion, region, NegativeVariance::Clamped).unwrap();
    let mut exact = Acquisition::new(posterior, criterion).unwrap();
    let dim = region.dim();
    let at = |j: usize, step: usize| {
        let (low, high) = (region.lower()[j], region.upper()[j]);
        if region.integer()[j] {
            (low + step as f64).min(high)
        } else {
            low + (high - low) * step as f64 / steps as f64
        }
    };
    let count = (steps + 1).pow(dim as u32);
    let point =
        |k: usize| -> Vec<f64> { (0..dim).map(|j| at(j, k / (steps + 1).pow(j as u32) % (steps + 1))).collect() };
    let feasible = (0..count).map(point).filter(|x| region.rows().iter().all(|row| row.violation(x) < 1e-9));
    feasible.fold((f64::INFINITY, f64::INFINITY), |(a, b), x| (a.min(program.value(&x)), b.min(exact.value(&x))))
}

/// SCIP, the grid and the certificate agree on one instance of one input.
fn agrees(name: &str) {
    let Some(scip) = solvers::scip() else { return };
    let path = instances().into_iter().find(|path| path.file_stem().is_some_and(|stem| stem == name)).unwrap();
    let instance = instance(&path);
    let (posterior, region) = (instance.posterior().unwrap(), Region::new(&instance.bounds).unwrap());
    let settings = PkSettings { time: Some(Duration::from_secs(120)), ..PkSettings::default() };
    let outcome = run(&scip, &settings, &posterior, instance.kappa.unwrap(), &region);
    let (pwl, exact) = grid(&posterior, instance.kappa.unwrap(), &region, &settings, 20_000);
    let certificate = &outcome.certificate;
    eprintln!(
        "{name}: {:.1} s + {:.1} s, {} nodes, value {:.6}, bound {:?}, grid {pwl:.6}, claimed {:?}; true {:.6}, grid {exact:.6}, \
         error {:?}",
        outcome.sub_seconds.unwrap(),
        outcome.full_seconds,
        certificate.nodes,
        certificate.value,
        certificate.lower_bound,
        outcome.claimed_value,
        outcome.value,
        outcome.approximation_error
    );
    assert_eq!(certificate.status, Status::Optimal, "{name}");
    let claim =
        Claim::PiecewiseLinear { criterion: Criterion::Lcb { kappa: 1.0 }.into(), bound_by: BoundBy::ExternalSolver };
    assert_eq!(certificate.claim, claim);
    // The grid is a little above the minimum, and never below the bound.
    assert!(certificate.value <= pwl + 1e-3, "{name}: {} {pwl}", certificate.value);
    assert!(certificate.lower_bound.unwrap() <= pwl + 1e-6, "{name}: {:?} {pwl}", certificate.lower_bound);
    assert!(outcome.value <= outcome.before_polishing);
    assert!(outcome.true_function_estimate.unwrap() <= exact, "{name}: Theorem 4.3 connects the two");
    assert_eq!(Certificate::from_json(&certificate.to_json().unwrap()).unwrap(), *certificate);

    let embedded = run(Engine::Embedded, &settings, &posterior, instance.kappa.unwrap(), &region);
    agree_on_the_optimum(name, &embedded, certificate);
    assert!(embedded.true_function_estimate.unwrap() <= exact, "{name}: Theorem 4.3 connects the two");
}

/// The certified search and a solver find the same minimum, each within its gap.
fn agree_on_the_optimum(name: &str, embedded: &PkOutcome, solver: &Certificate) {
    let proven = &embedded.certificate;
    assert!(matches!(proven.claim, Claim::PiecewiseLinear { bound_by: BoundBy::Proof, .. }));
    assert_eq!(proven.status, Status::Optimal, "{name}");
    assert!((proven.value - solver.value).abs() <= 1e-3 + 1e-6, "{name}: {} and {}", proven.value, solver.value);
    // No proven bound may lie above the value of the solver's point.
    assert!(proven.lower_bound.unwrap() <= solver.value, "{name}: {proven:?}");
}

macro_rules! agree {
    ($($test:ident $kernel:literal $replicates:expr;)*) => {$(
        #[test]
        fn $test() {
            for replicate in $replicates {
                agrees(&format!("prior_d1_{}_r{replicate:02}", $kernel));
            }
        }
    )*};
}

agree! {
    scip_and_the_grid_agree_on_the_first_problems_of_one_input_matern "matern32" 0..3;
    scip_and_the_grid_agree_on_more_problems_of_one_input_matern "matern32" 3..6;
    scip_and_the_grid_agree_on_the_first_problems_of_one_input_rbf "rbf" 0..3;
    scip_and_the_grid_agree_on_more_problems_of_one_input_rbf "rbf" 3..6;
}

/// Four observations in the unit square and a coarse kernel, for which SCIP closes the gap within seconds.
fn thin() -> (Posterior, PkSettings) {
    let data = Dataset::new(&[[0.1, 0.2], [0.2, 0.9], [0.9, 0.3], [0.6, 0.85]], &[0.6, 0.4, 0.4, -0.4]).unwrap();
    let covariance = Covariance::isotropic(Kernel::Matern32, 2, 1.0, 0.6).unwrap();
    let posterior = Model::new(covariance, 1e-3).unwrap().condition(&data).unwrap();
    let settings = PkSettings {
        breakpoints: Breakpoints::Error(0.05),
        time: Some(Duration::from_secs(120)),
        ..PkSettings::default()
    };
    (posterior, settings)
}

/// SCIP's optimum under constraints is the grid's, and the suggestion satisfies them.
fn brute_force(name: &str, region: &Region, steps: usize) {
    let Some(scip) = solvers::scip() else { return };
    let (posterior, settings) = thin();
    let outcome = run(&scip, &settings, &posterior, 0.3, region);
    let (pwl, _) = grid(&posterior, 0.3, region, &settings, steps);
    let (free, _) = grid(&posterior, 0.3, &square(), &settings, steps);
    assert!(free < pwl - 5e-3, "{name}: the constraint must matter");
    let certificate = &outcome.certificate;
    let seconds = outcome.full_seconds;
    eprintln!(
        "{name}: {seconds:.1} s, {} nodes, {} {:?} grid {pwl}",
        certificate.nodes, certificate.value, certificate.lower_bound
    );
    assert_eq!(certificate.status, Status::Optimal, "{name}");
    assert!(region.contains(&outcome.x) && region.contains(&certificate.x), "{name}: {:?}", outcome.x);
    assert!(certificate.value <= pwl + 1e-3, "{name}: {} {pwl}", certificate.value);
    assert!(certificate.lower_bound.unwrap() <= pwl + 1e-6, "{name}: {:?} {pwl}", certificate.lower_bound);
    let embedded = run(Engine::Embedded, &settings, &posterior, 0.3, region);
    assert!(region.contains(&embedded.x) && region.contains(&embedded.certificate.x), "{name}: {:?}", embedded.x);
    agree_on_the_optimum(name, &embedded, certificate);
}

fn square() -> Region {
    Region::new(&[(0.0, 1.0); 2]).unwrap()
}

#[test]
fn the_optimum_under_linear_constraints_is_that_of_brute_force() {
    // KS224's constraints in the unit square.
    let first = Row::new(&[(0, 6.0), (1, 18.0)], &[], 0.0, 18.0).unwrap();
    let second = Row::new(&[(0, 6.0), (1, 6.0)], &[], 0.0, 8.0).unwrap();
    brute_force("KS224", &square().with_row(first).unwrap().with_row(second).unwrap(), 600);
}

#[test]
fn the_optimum_in_a_disc_and_outside_of_one_is_that_of_brute_force() {
    let disc = Row::new(&[(0, -1.0), (1, -1.0)], &[(0, 0, 1.0), (1, 1, 1.0)], f64::NEG_INFINITY, -0.41).unwrap();
    brute_force("inside", &square().with_row(disc).unwrap(), 600);
    let outside = Row::outside_ball(&[1.0, 0.85], &[1.0, 1.0], 0.35).unwrap();
    brute_force("outside", &square().with_row(outside).unwrap(), 600);
}

#[test]
fn the_optimum_on_a_line_and_among_whole_numbers_is_that_of_brute_force() {
    let line = Row::new(&[(0, 1.0), (1, 1.0)], &[], 1.0, 1.0).unwrap();
    brute_force("equality", &square().with_row(line).unwrap(), 1000);
    let below = Row::new(&[(0, 1.0), (1, 1.0)], &[], f64::NEG_INFINITY, 1.6).unwrap();
    brute_force("integer", &square().with_integers(&[0]).unwrap().with_row(below).unwrap(), 1000);
}

/// Reads every file and prints how many it accepted.
const SCIP_READER: &str = "
import sys, pyscipopt
for path in sys.argv[1:]:
    model = pyscipopt.Model()
    model.hideOutput()
    model.readProblem(path)
    assert model.getNVars() > 0 and model.getNConss() > 0, path
print(len(sys.argv) - 1)
";

#[test]
fn scip_reads_the_programs_of_all_instances_of_up_to_thirty_points() {
    let Some(_) = solvers::scip() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for path in instances() {
        let instance = instance(&path);
        if instance.count() > 30 {
            continue;
        }
        let (posterior, region) = (instance.posterior().unwrap(), Region::new(&instance.bounds).unwrap());
        let approximate = linearise(&posterior, &region, Breakpoints::Paper, Treatment::KeepAll).unwrap();
        let criterion = Criterion::Lcb { kappa: instance.kappa.unwrap() };
        let program = Program::full(&approximate, criterion, &region, NegativeVariance::Clamped).unwrap();
        let file = folder.path().join(format!("{}.lp", instance.name));
        let to = std::io::BufWriter::new(std::fs::File::create(&file).unwrap());
        program.model().write_lp(to, Dialect::Common(Encoding::Binaries)).unwrap();
        files.push(file);
    }
    assert!(files.len() >= 100, "{}", files.len());
    let output = Command::new(solvers::python()).args(["-c", SCIP_READER]).args(&files).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), files.len().to_string());
}

#[test]
fn gurobi_solves_a_program_within_its_keyless_licence() {
    let Some(gurobi) = solvers::gurobi() else { return };
    let path = instances().into_iter().find(|path| path.ends_with("prior_d1_rbf_r02.json")).unwrap();
    let instance = instance(&path);
    let (posterior, region) = (instance.posterior().unwrap(), Region::new(&instance.bounds).unwrap());
    let settings = PkSettings { time: Some(Duration::from_secs(60)), ..PkSettings::default() };
    let outcome = run(&gurobi, &settings, &posterior, instance.kappa.unwrap(), &region);
    let (pwl, _) = grid(&posterior, instance.kappa.unwrap(), &region, &settings, 20_000);
    eprintln!("{}: {:.1} s, {} nodes", outcome.solver, outcome.full_seconds, outcome.certificate.nodes);
    assert_eq!(outcome.certificate.status, Status::Optimal);
    assert!(outcome.certificate.value <= pwl + 1e-3 && outcome.certificate.lower_bound.unwrap() <= pwl + 1e-6);
}

/// A solver that gives a fixed answer.
struct Scripted {
    status: fathom_miqp::Status,
    bound: Option<f64>,
    points: Vec<Vec<f64>>,
}

impl Solver for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn solve(&self, model: &fathom_miqp::Model, _: &Settings, _: &Stop) -> fathom_miqp::Result<Outcome> {
        // This point has only x; nothing else that a solver says about a point is used.
        let whole =
            |x: &Vec<f64>| x.iter().copied().chain(std::iter::repeat(0.0)).take(model.columns().len()).collect();
        let point = |x| Point { values: whole(x), objective: -1e9, violations: Vec::new() };
        Ok(Outcome {
            solver: "scripted 1".into(),
            status: self.status,
            claimed_value: Some(-1e9),
            claimed_bound: self.bound,
            points: self.points.iter().map(point).collect(),
            nodes: None,
            seconds: 0.0,
        })
    }
}

#[test]
fn the_bound_of_the_true_function_is_that_of_the_certified_search() {
    let (posterior, settings) = thin();
    let found = run(Engine::Embedded, &settings, &posterior, 1.0, &square());
    let (of_true, searched) = (found.of_true_function(), found.searched.as_ref().unwrap());
    assert_eq!((of_true.status, of_true.lower_bound), (Status::Optimal, searched.lower_bound));
    assert!(of_true.gap.unwrap() <= settings.gap && (&of_true.x, of_true.value) == (&found.x, found.value));
    assert_eq!(Certificate::from_json(&of_true.to_json().unwrap()).unwrap(), of_true);
    // A point beside the minimum keeps its bound, and is not called optimal.
    let beside = PkOutcome { value: found.value + 1.0, ..found.clone() }.of_true_function();
    assert_eq!((beside.status, beside.lower_bound), (Status::Local, searched.lower_bound));
    let searched = Certificate { status: Status::MemoryLimit, ..searched.clone() };
    let cut = PkOutcome { value: found.value + 1.0, searched: Some(searched), ..found };
    assert_eq!(cut.of_true_function().status, Status::MemoryLimit);
}

#[test]
fn without_the_certified_search_nothing_is_said_of_the_true_function() {
    let (posterior, settings) = thin();
    let settings = PkSettings { true_bound: TrueBound::Theorem, ..settings };
    let found = run(Engine::Embedded, &settings, &posterior, 1.0, &square());
    assert_eq!(found.certificate.status, Status::Optimal, "of the piecewise-linear function");
    let of_true = found.of_true_function();
    assert_eq!((of_true.status, of_true.lower_bound, of_true.gap), (Status::Local, None, None));
    assert_eq!(of_true.claim, Claim::Acquisition { criterion: Criterion::Lcb { kappa: 1.0 }.into() });
    assert_eq!((&of_true.x, of_true.value), (&found.x, found.value));
    assert_eq!(Certificate::from_json(&of_true.to_json().unwrap()).unwrap(), of_true);
    assert!(found.true_function_estimate.is_some());
}

#[test]
fn every_point_of_a_solver_is_evaluated_again() {
    let (posterior, settings) = thin();
    let settings = PkSettings { true_bound: TrueBound::Theorem, ..settings };
    let scripted = |status, bound, points: &[[f64; 2]]| {
        let solver = Scripted { status, bound, points: points.iter().map(|x| x.to_vec()).collect() };
        let criterion = Criterion::Lcb { kappa: 1.0 };
        let pk = PkMiqp::new(&solver, &settings).unwrap();
        pk.minimise(&posterior, criterion, &square(), &Stop::new(false), |_| {})
    };
    let honest = scripted(fathom_miqp::Status::TimeLimit, Some(-5.0), &[[0.5, 0.5], [0.2, 0.9]]).unwrap();
    assert!(honest.certificate.value > -5.0 && honest.claimed_value == Some(-1e9));
    assert_eq!((honest.certificate.status, honest.certificate.lower_bound), (Status::TimeLimit, Some(-5.0)));
    assert!(honest.value <= honest.before_polishing);
    assert_eq!(honest.of_true_function().status, Status::TimeLimit);

    let none = scripted(fathom_miqp::Status::TimeLimit, None, &[]).unwrap();
    assert_eq!((none.full_points, none.certificate.lower_bound), (0, None), "the start is what is left");

    let outside = scripted(fathom_miqp::Status::TimeLimit, None, &[[7.0, f64::NAN]]);
    assert!(outside.unwrap().x.iter().all(|x| (0.0..=1.0).contains(x)), "a point that is none is not used");

    for (status, bound, says) in [
        (fathom_miqp::Status::Optimal, Some(3.0), "no value is below 3"),
        (fathom_miqp::Status::Infeasible, None, "no point is feasible"),
        (fathom_miqp::Status::Unbounded, None, "no lower bound"),
    ] {
        let error = scripted(status, bound, &[[0.5, 0.5]]).unwrap_err().to_string();
        assert!(error.contains("scripted 1 claims") && error.contains(says), "{error}");
    }
}

/// A random model of two inputs, a category of three choices and a whole number, with a row across some of them.
fn with_categories(seed: u64) -> (Posterior, Region) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let bounds = [(0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 3.0)];
    let mut region = Region::new(&bounds).unwrap().with_integers(&[2, 3, 4, 5]).unwrap();
    region = region.with_row(Row::new(&[(2, 1.0), (3, 1.0), (4, 1.0)], &[], 1.0, 1.0).unwrap()).unwrap();
    match seed % 3 {
        0 => {}
        1 => {
            let row = Row::new(&[(0, 1.0), (1, 1.0), (2, 0.3)], &[], f64::NEG_INFINITY, rng.random_range(0.6..1.4));
            region = region.with_row(row.unwrap()).unwrap();
        }
        _ => {
            let row =
                Row::new(&[(5, -0.1)], &[(0, 0, 1.0), (1, 1, 1.0)], f64::NEG_INFINITY, rng.random_range(0.3..0.9));
            region = region.with_row(row.unwrap()).unwrap();
        }
    }
    let mut sample = || -> [f64; 6] {
        let mut x = [rng.random(), rng.random(), 0.0, 0.0, 0.0, f64::from(rng.random_range(0..4_u8))];
        x[2 + rng.random_range(0..3_usize)] = 1.0;
        x
    };
    let x: Vec<[f64; 6]> = (0..14).map(|_| sample()).collect();
    let y: Vec<f64> = (0..14).map(|_| rng.random_range(-1.0..1.0)).collect();
    let covariance = Covariance::ard(Kernel::Matern52, 1.0, &[0.5, 0.7, 1.0, 1.0, 1.0, 2.0]).unwrap();
    (Model::new(covariance, 1e-4).unwrap().condition(&Dataset::new(&x, &y).unwrap()).unwrap(), region)
}

#[test]
fn polished_points_with_categories_are_the_certified_minimum_if_the_pool_has_its_basin() {
    let count: u64 = std::env::var("FATHOM_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(50);
    let settings = PkSettings { gap: 1e-6, ..PkSettings::default() };
    let mut met = 0;
    for seed in 0..count {
        let (posterior, region) = with_categories(seed);
        let found = run(Engine::Embedded, &settings, &posterior, 1.2, &region);
        let least = found.searched.as_ref().unwrap();
        assert_eq!(least.status, Status::Optimal, "{seed}");
        assert!(region.contains(&found.x), "{seed}: {:?}", found.x);
        let whole = |x: &[f64]| -> Vec<f64> { x[2..].to_vec() };
        let is_near = |x: &[f64]| (0..2).all(|j| (x[j] - least.x[j]).abs() < 0.1);
        if found.pool.iter().any(|point| whole(&point.x) == whole(&least.x) && is_near(&point.x)) {
            met += 1;
            assert!(found.value <= least.value + 1e-6, "{seed}: {} at {:?}, {least:?}", found.value, found.x);
        }
    }
    assert!(10 * met >= 8 * count, "the pool had the basin {met} times of {count}");
}

#[test]
fn a_descent_from_the_best_point_alone_is_the_papers() {
    let (posterior, region) = with_categories(3);
    let settings =
        PkSettings { polish_from: PolishFrom::Best, true_bound: TrueBound::Theorem, ..PkSettings::default() };
    let best = run(Engine::Embedded, &settings, &posterior, 1.2, &region);
    let all = run(Engine::Embedded, &PkSettings::default(), &posterior, 1.2, &region);
    assert_eq!(best.before_polishing, best.pool[0].value);
    assert!(all.value <= best.value && best.value <= best.before_polishing);
    let still = PkSettings { polish: 0, ..settings };
    let still = run(Engine::Embedded, &still, &posterior, 1.2, &region);
    assert_eq!((&still.x, still.value), (&still.pool[0].x, still.before_polishing));
}

#[test]
fn a_solver_starts_where_it_is_told_to() {
    let (posterior, settings) = thin();
    let start = |warm_start| {
        let seen = Recorder::default();
        let settings = PkSettings { warm_start, ..settings.clone() };
        let found = run(&seen, &settings, &posterior, 1.0, &square());
        (seen.starts.into_inner().unwrap(), found)
    };
    let (starts, found) = start(WarmStart::Search);
    let embedded = run(Engine::Embedded, &settings, &posterior, 1.0, &square());
    assert_eq!(starts.len(), 1, "the program alone");
    assert_eq!(starts[0].as_ref().unwrap()[..2], embedded.certificate.x[..], "the search's point");
    assert!(found.certificate.value <= embedded.certificate.value && found.full_points == 0);
    let (starts, found) = start(WarmStart::SubProblem);
    assert_eq!((starts.len(), starts[0].is_none(), starts[1].is_some()), (2, true, true), "P_sub first");
    assert_eq!(found.pool.len(), 10, "P_rand");
}

#[test]
fn every_solver_has_a_memory_limit_and_groups_share_it() {
    let (posterior, settings) = thin();
    let limits = |memory, groups: bool| {
        let seen = Recorder::default();
        let settings = PkSettings { memory, true_bound: TrueBound::Theorem, ..settings.clone() };
        if groups {
            let term = |input| Term::new(Kernel::Matern32, vec![input], 0.5, &[0.6]).unwrap();
            let covariance = Covariance::new(2, vec![term(0), term(1)]).unwrap();
            let data = Dataset::new(&[[0.1, 0.2], [0.2, 0.9], [0.9, 0.3]], &[0.6, 0.4, -0.4]).unwrap();
            let additive = Model::new(covariance, 1e-3).unwrap().condition(&data).unwrap();
            let pk = PkMiqp::new(&seen, &settings).unwrap();
            let criterion = Criterion::Lcb { kappa: 1.0 };
            pk.minimise_groups(&additive, criterion, &square(), &Stop::new(false), |_| {}).unwrap();
        } else {
            run(&seen, &settings, &posterior, 1.0, &square());
        }
        seen.memory.into_inner().unwrap()
    };
    assert_eq!(limits(Some(1_000_000_000), false), [Some(1_000_000_000)]);
    assert_eq!(limits(Some(1_000_000_000), true), [Some(500_000_000); 2]);
    let free = fathom_global::free_memory().unwrap_or(u64::MAX);
    assert!(
        limits(None, false)[0].is_some_and(|limit| limit < free),
        "a solver without a limit takes the machine's memory"
    );
}

#[test]
fn a_region_without_points_is_not_blamed_on_the_published_treatment() {
    let (posterior, settings) = thin();
    let above = Row::new(&[(0, 1.0)], &[], 2.0, f64::INFINITY).unwrap();
    let region = square().with_row(above).unwrap();
    let minimise = |treatment| {
        let settings = PkSettings { treatment, ..settings.clone() };
        let pk = PkMiqp::new(Engine::Embedded, &settings).unwrap();
        pk.minimise(&posterior, Criterion::Lcb { kappa: 1.0 }, &region, &Stop::new(false), |_| {})
    };
    assert_eq!(minimise(Treatment::KeepAll).unwrap().of_true_function().status, Status::Infeasible);
    let said = minimise(Treatment::Published).unwrap_err().to_string();
    assert!(
        said.contains("or no point satisfies the constraints") && said.contains("`keep-all` tells which"),
        "{said}"
    );
}

/// A solver that finds nothing, and keeps the starts and the memory limits that it is given.
#[derive(Default)]
struct Recorder {
    starts: std::sync::Mutex<Vec<Option<Vec<f64>>>>,
    memory: std::sync::Mutex<Vec<Option<u64>>>,
}

impl Solver for Recorder {
    fn name(&self) -> &'static str {
        "recorder"
    }

    fn solve(&self, _: &fathom_miqp::Model, settings: &Settings, _: &Stop) -> fathom_miqp::Result<Outcome> {
        self.starts.lock().unwrap().push(settings.start.clone());
        self.memory.lock().unwrap().push(settings.memory_limit);
        Ok(Outcome {
            solver: "recorder 1".into(),
            status: fathom_miqp::Status::TimeLimit,
            claimed_value: None,
            claimed_bound: None,
            points: Vec::new(),
            nodes: None,
            seconds: 0.0,
        })
    }
}

#[test]
fn settings_outside_their_domain_are_refused() {
    let solver = Scripted { status: fathom_miqp::Status::Optimal, bound: None, points: Vec::new() };
    for settings in [
        PkSettings { gap: -1.0, ..PkSettings::default() },
        PkSettings { relative_gap: f64::NAN, ..PkSettings::default() },
        PkSettings { pool: 0, ..PkSettings::default() },
    ] {
        assert!(PkMiqp::new(&solver, &settings).is_err());
    }
}
