//! Tests of stopping, of threads and of bad input.

use crate::instances::{load, solve};
use fathom_global::{Error, Instance, Limits, Posed as _, Problem, Region, Row, Status, Stop, minimise};
use fathom_gp::{Covariance, Criterion, Dataset, Kernel, Model};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

#[test]
fn the_thread_count_does_not_change_the_certificate() {
    for name in ["prior_d4_rbf_r03", "bo_d3_n50_matern32_r0"] {
        let instance = load(name);
        let run = |threads| {
            let mut certificate = solve(&instance, &Limits { threads, pool: 4, ..Limits::default() });
            certificate.seconds = 0.0;
            certificate.settings.threads = 1;
            certificate
        };
        let one = run(1);
        assert_eq!(one, run(2), "{name}");
        assert_eq!(one, run(3), "{name}");
    }
}

#[test]
fn a_deadline_is_kept_and_what_is_known_by_then_is_returned() {
    let instance = load("bo_d6_n200_matern32_r0");
    let posterior = instance.posterior().unwrap();
    let problem = instance.problem(&posterior).unwrap();
    let limits = Limits { gap: 0.0, time: Some(Duration::from_millis(300)), ..Limits::default() };
    let started = Instant::now();
    let certificate = minimise(&problem, &limits, &Stop::new(false), |_| {}).unwrap();
    let elapsed = started.elapsed();
    assert_eq!(certificate.status, Status::TimeLimit);
    assert!(elapsed < Duration::from_millis(350), "{elapsed:?}");
    let bound = certificate.lower_bound.unwrap();
    assert!(bound.is_finite() && bound <= certificate.value);
}

#[test]
fn a_request_to_stop_is_answered_with_the_best_so_far() {
    let instance = load("bo_d6_n200_matern32_r0");
    let posterior = instance.posterior().unwrap();
    let problem = instance.problem(&posterior).unwrap();
    let stop = Stop::new(false);
    let mut reports = 0;
    let certificate = minimise(&problem, &Limits { gap: 0.0, ..Limits::default() }, &stop, |progress| {
        reports += 1;
        assert!(progress.lower_bound <= progress.value);
        if progress.nodes > 200 {
            stop.store(true, Ordering::Relaxed);
        }
    });
    let certificate = certificate.unwrap();
    assert_eq!(certificate.status, Status::Interrupted);
    assert!(reports > 1 && certificate.nodes < 1000);
}

#[test]
fn a_node_limit_is_kept() {
    let instance = load("bo_d4_n50_matern32_r0");
    let certificate = solve(&instance, &Limits { nodes: 100, ..Limits::default() });
    assert_eq!(certificate.status, Status::NodeLimit);
    assert!(certificate.nodes < 200);
}

#[test]
fn a_region_of_one_point_and_an_impossible_gap_both_come_to_an_end() {
    let mut instance = small();
    instance.bounds = vec![(0.3, 0.3), (0.6, 0.6)];
    let certificate = solve(&instance, &Limits::default());
    assert_eq!((certificate.status, certificate.x.clone()), (Status::Optimal, vec![0.3, 0.6]));
    let certificate = solve(&instance, &Limits { gap: 0.0, ..Limits::default() });
    assert_eq!(certificate.status, Status::Exhausted);
    assert!(certificate.gap.unwrap() < 1e-6);
    instance.bounds = vec![(0.3, 0.3 + 1e-12), (0.6, 0.6)];
    let certificate = solve(&instance, &Limits { gap: 0.0, nodes: 100_000, ..Limits::default() });
    assert!(certificate.gap.unwrap() < 1e-6, "{certificate:?}");
}

pub fn small() -> Instance {
    load("prior_d2_rbf_r00")
}

#[test]
fn broken_problem_files_name_the_field() {
    type Damage = fn(&mut Instance);
    let break_it: [(&str, Damage); 12] = [
        ("n", |i| i.n = Some(0)),
        ("n", |i| i.n = Some(i.y.len() + 1)),
        ("x", |i| i.x[3] = vec![0.5]),
        ("x", |i| i.x[3][1] = f64::NAN),
        ("y", |i| i.y[0] = f64::INFINITY),
        ("lengthscales", |i| i.lengthscales = vec![0.5]),
        ("lengthscales", |i| i.lengthscales[1] = -0.5),
        ("sigma_f2", |i| i.sigma_f2 = Some(0.0)),
        ("noise", |i| i.noise = -1e-6),
        ("kappa", |i| i.kappa = Some(f64::NAN)),
        ("bounds", |i| i.bounds[1] = (1.0, 0.0)),
        ("d", |i| i.bounds.truncate(1)),
    ];
    for (field, damage) in break_it {
        let mut instance = small();
        damage(&mut instance);
        let error = instance.posterior().unwrap_err();
        assert!(matches!(&error, Error::BadField { field: named, .. } if *named == field), "{field}: {error}");
    }
}

#[test]
fn senseless_input_is_refused() {
    let data = Dataset::new(&[[0.1, 0.2], [0.7, 0.4]], &[0.0, 1.0]).unwrap();
    let region = || Region::new(&[(0.0, 1.0), (0.0, 1.0)]).unwrap();
    let single = Covariance::isotropic(Kernel::Rbf, 2, 1.0, 0.5).unwrap();
    let posterior = Model::new(single, 1e-6).unwrap().condition(&data).unwrap();
    assert!(Problem::new(&posterior, Criterion::Ei { best: f64::NAN }, region()).is_err());
    let one_side = Region::new(&[(0.0, 1.0)]).unwrap();
    assert!(matches!(Problem::new(&posterior, Criterion::Mean, one_side), Err(Error::WrongDimension { .. })));
    assert!(matches!(Region::new(&[(0.0, f64::NAN)]), Err(Error::BadSide { side: 0, .. })));
    let problem = Problem::new(&posterior, Criterion::Mean, region()).unwrap();
    for bad in [Limits { gap: -1.0, ..Limits::default() }, Limits { threads: 0, ..Limits::default() }] {
        assert!(matches!(minimise(&problem, &bad, &Stop::new(false), |_| {}), Err(Error::BadLimit { .. })));
    }
}

#[test]
fn full_memory_ends_a_search_with_the_bound_that_holds() {
    let instance = load("bo_d6_n200_matern32_r0");
    let certificate = solve(&instance, &Limits { gap: 0.0, memory: Some(1 << 20), ..Limits::default() });
    assert_eq!(certificate.status, Status::MemoryLimit);
    assert!(certificate.nodes < 2000 && certificate.lower_bound.unwrap() <= certificate.value);
}

#[test]
fn too_many_threads_or_minima_are_refused_and_the_most_cost_little() {
    let instance = load("prior_d1_rbf_r00");
    let posterior = instance.posterior().unwrap();
    let problem = instance.problem(&posterior).unwrap();
    let run = |limits: &Limits| minimise(&problem, limits, &Stop::new(false), |_| {});
    for limits in [
        Limits { threads: 1025, ..Limits::default() },
        Limits { threads: usize::MAX, ..Limits::default() },
        Limits { pool: 10_001, ..Limits::default() },
        Limits { pool: usize::MAX, ..Limits::default() },
    ] {
        assert!(matches!(run(&limits), Err(Error::BadLimit { .. })), "{limits:?}");
    }
    let started = Instant::now();
    run(&Limits { threads: 1024, pool: 10_000, ..Limits::default() }).unwrap();
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
}

/// The instance in a unit of outputs that is 2^−k times as large.
fn scaled(instance: &Instance, k: i32) -> Instance {
    let unit = 2_f64.powi(k);
    let mut scaled = instance.clone();
    scaled.y.iter_mut().for_each(|y| *y *= unit);
    scaled.sigma_f2 = scaled.sigma_f2.map(|variance| variance * unit * unit);
    scaled.noise *= unit * unit;
    scaled
}

#[test]
fn a_problem_in_other_units_has_the_same_boxes() {
    let region = |instance: &Instance| {
        let row = Row::new(&[(0, 1.0), (1, 1.0)], &[(0, 1, 0.5)], f64::NEG_INFINITY, 0.8).unwrap();
        instance.region().unwrap().with_row(row).unwrap()
    };
    for name in ["prior_d2_rbf_r01", "prior_d3_matern32_r02", "bo_d2_n50_rbf_r0"] {
        for has_row in [false, true] {
            let run = |k: i32| {
                let instance = scaled(&load(name), k);
                let posterior = instance.posterior().unwrap();
                let region = if has_row { region(&instance) } else { instance.region().unwrap() };
                let problem = Problem::new(&posterior, instance.criterion().unwrap(), region).unwrap();
                let gap = 1e-4 * 2_f64.powi(k);
                let found =
                    minimise(&problem, &Limits { gap, pool: 2, ..Limits::default() }, &Stop::new(false), |_| {});
                let found = found.unwrap();
                let unit = 2_f64.powi(-k);
                (found.status, found.nodes, found.x, found.value * unit, found.lower_bound.unwrap() * unit)
            };
            let expected = run(0);
            assert_eq!(expected.0, Status::Optimal, "{name}");
            for k in [-60, -40, -7, 1, 40, 60] {
                assert_eq!(run(k), expected, "{name}, 2^{k}, a row: {has_row}");
            }
        }
    }
}

#[test]
fn an_expected_improvement_in_other_units_has_about_the_same_boxes() {
    let posterior = |k: i32| scaled(&load("prior_d2_matern32_r03"), k).posterior().unwrap();
    let run = |k: i32| {
        let posterior = posterior(k);
        let best = posterior.y().iter().copied().fold(f64::INFINITY, f64::min);
        let region = load("prior_d2_matern32_r03").region().unwrap();
        let problem = Problem::new(&posterior, Criterion::Ei { best }, region).unwrap();
        let gap = 1e-5 * 2_f64.powi(k);
        minimise(&problem, &Limits { gap, ..Limits::default() }, &Stop::new(false), |_| {}).unwrap()
    };
    let expected = run(0);
    for k in [-40, 40] {
        let found = run(k);
        assert_eq!(found.status, Status::Optimal);
        assert!(found.nodes.abs_diff(expected.nodes) <= 2, "{} and {}", found.nodes, expected.nodes);
    }
}

/// Bounds were false for outputs of 1e308, and for lengthscales of 1e154, whose squares have no reciprocal.
#[test]
fn numbers_beyond_the_stated_ranges_are_refused_by_name() {
    type Change = fn(&mut Instance);
    let cases: [(Change, &str); 9] = [
        (|i| i.y[1] = 1e308, "`y`"),
        (|i| i.x[0][1] = -1e101, "`x`"),
        (|i| i.lengthscales[1] = 1.4e154, "`lengthscales`"),
        (|i| i.lengthscales[0] = 1e-101, "`lengthscales`"),
        (|i| i.sigma_f2 = Some(1e-101), "`sigma_f2`"),
        (|i| i.noise = 1e-101, "`noise`"),
        (|i| i.kappa = Some(1e101), "`kappa`"),
        (|i| i.bounds[0] = (0.0, 1e101), "`bounds`"),
        (|i| i.bounds[1] = (0.0, 1e20), "lengthscale"),
    ];
    for (change, culprit) in cases {
        let mut instance = small();
        change(&mut instance);
        let message = match instance.posterior() {
            Ok(posterior) => instance.problem(&posterior).unwrap_err().to_string(),
            Err(error) => error.to_string(),
        };
        assert!(message.contains(culprit), "{culprit}: {message}");
    }
    assert!(matches!(Row::new(&[(0, 1e101)], &[], 0.0, 1.0), Err(Error::BadRow { .. })));
    assert!(matches!(Row::new(&[(0, 1.0)], &[], -1e101, 1.0), Err(Error::BadRow { .. })));
}
