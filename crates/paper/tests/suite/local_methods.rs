//! Tests of the local methods: against SciPy's, under rows, and on bad input.

use crate::instances::{best_known, load};
use fathom_global::{Certificate, Error, Instance, Posed as _, Region, Row, Stop};
use fathom_gp::{Acquisition, Criterion};
use fathom_paper::baselines::{Ending, Method, MultiStart, Outcome, Settings, minimise};
use fathom_paper::{Error as PaperError, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// The reference that `tests/reference/local_methods.py` wrote.
#[derive(Deserialize)]
struct Reference {
    cases: Vec<Case>,
    constrained: Constrained,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    methods: BTreeMap<String, Found>,
}

#[derive(Deserialize)]
struct Constrained {
    instance: Instance,
    rows: Rows,
    methods: BTreeMap<String, Found>,
}

#[derive(Deserialize)]
struct Rows {
    linear: Vec<Vec<f64>>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

#[derive(Deserialize)]
struct Found {
    value: f64,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!("../reference/local_methods.json")).unwrap()
}

fn run_in(region: &Region, instance: &Instance, method: &Method, settings: &Settings) -> Result<Outcome> {
    let posterior = instance.posterior().unwrap();
    let mut acquisition = Acquisition::new(&posterior, Criterion::Lcb { kappa: instance.kappa.unwrap() }).unwrap();
    minimise(&mut acquisition, region, method, settings, &Stop::new(false))
}

fn run(instance: &Instance, method: &Method) -> Outcome {
    run_in(&Region::new(&instance.bounds).unwrap(), instance, method, &Settings::default()).unwrap()
}

fn value_and_gradient(instance: &Instance, x: &[f64]) -> (f64, Vec<f64>) {
    let posterior = instance.posterior().unwrap();
    let mut acquisition = Acquisition::new(&posterior, Criterion::Lcb { kappa: instance.kappa.unwrap() }).unwrap();
    let mut gradient = vec![0.0; x.len()];
    (acquisition.value_and_gradient(x, &mut gradient), gradient)
}

/// KS224 of the paper's Appendix B: a posterior over its box, and its four inequalities as two rows. The optimum is
/// near (4, 4), and x_1 + x_2 <= 8 binds there.
fn ks224() -> (Instance, Region) {
    let Constrained { instance, rows, .. } = reference().constrained;
    let mut region = Region::new(&instance.bounds).unwrap();
    for ((linear, lower), upper) in rows.linear.iter().zip(&rows.lower).zip(&rows.upper) {
        let linear: Vec<(usize, f64)> = linear.iter().copied().enumerate().collect();
        region = region.with_row(Row::new(&linear, &[], *lower, *upper).unwrap()).unwrap();
    }
    (instance, region)
}

/// The constrained minimum by brute force along the row that binds.
fn ks224_minimum(instance: &Instance) -> f64 {
    let on_row = |step: i32| f64::from(step).mul_add(1e-3, 2.0);
    let values = (0..=4000).map(|step| value_and_gradient(instance, &[on_row(step), 8.0 - on_row(step)]).0);
    values.fold(f64::INFINITY, f64::min)
}

/// The cases in which a method of ours ends in another valley than SciPy's of the same name, and why that is no mistake.
///
/// The four methods that follow published code step by step have no entry. Our trust-constr is another algorithm: it
/// starts a hundredth inside the box and stays inside. SciPy's starts on the face, with slacks that do not fit, and may
/// leave the box. So from a start in a corner the two can part.
const OTHER_VALLEY: [(&str, &str); 1] = [("prior_d3_matern32_r00", "trust-constr")];

#[test]
fn methods_end_where_scipys_do() {
    for case in reference().cases {
        let instance = load(&case.name);
        for method in Method::ALL {
            let Some(theirs) = case.methods.get(method.name()) else { continue };
            let ours = run(&instance, &method);
            assert!(ours.feasible, "{} {method}", case.name);
            let tolerance = 1e-6 * (1.0 + theirs.value.abs());
            let agrees = match method {
                // SciPy's stops short of faces, at a radius or barrier of 1e-6: up to 0.013 too high here, never too low.
                Method::TrustConstr => (-2e-2..=tolerance).contains(&(ours.value - theirs.value)),
                Method::MultiStart(_)
                | Method::LbfgsB
                | Method::NelderMead
                | Method::Cobyla
                | Method::Slsqp
                | Method::Penalised(..) => (ours.value - theirs.value).abs() <= tolerance,
            };
            let excused = OTHER_VALLEY.contains(&(case.name.as_str(), method.name()));
            assert_eq!(agrees, !excused, "{} {method}: {} against {}", case.name, ours.value, theirs.value);
        }
    }
}

#[test]
fn trust_constr_ends_at_stationary_points() {
    for case in reference().cases {
        let instance = load(&case.name);
        let outcome = run(&instance, &Method::TrustConstr);
        assert_eq!(outcome.ending, Ending::Converged, "{}", case.name);
        let (_, gradient) = value_and_gradient(&instance, &outcome.x);
        for (j, (x, slope)) in outcome.x.iter().zip(gradient).enumerate() {
            // The slope counts as far as there is room for a descent.
            let room = if slope > 0.0 { x - instance.bounds[j].0 } else { instance.bounds[j].1 - x };
            assert!(slope.abs() <= 2e-6 || slope.abs() * room <= 2e-6, "{}: slope {slope} with room {room}", case.name);
        }
    }
}

#[test]
fn multistart_finds_the_best_known_value_or_nearly() {
    let (best, mut missed) = (best_known(), 0);
    for case in reference().cases {
        let instance = load(&case.name);
        let found = run(&instance, &Method::MultiStart(MultiStart::default()));
        assert_eq!(found, run(&instance, &Method::MultiStart(MultiStart::default())), "the same seed, the same answer");
        assert!(found.evaluations > 512 && found.value >= best[&case.name] - 1e-6, "{}", case.name);
        missed += usize::from(found.value > best[&case.name] + 1e-6);
    }
    assert!(missed <= 2, "{missed} of 24 missed");
}

#[test]
fn methods_that_know_rows_solve_ks224() {
    let ((instance, region), best) = (ks224(), ks224_minimum(&ks224().0));
    let theirs = reference().constrained.methods;
    for method in [Method::Slsqp, Method::Cobyla, Method::TrustConstr, Method::MultiStart(MultiStart::default())] {
        let found = run_in(&region, &instance, &method, &Settings::default()).unwrap();
        assert!(found.feasible && (found.value - best).abs() < 1e-5, "{method}: {found:?} against {best}");
        if method == Method::Slsqp {
            assert!((found.value - theirs[method.name()].value).abs() < 1e-6, "{found:?}");
        }
    }
    // SciPy's COBYLA models linear rows exactly, ours interpolates them like all others, so the paths differ. SciPy's ends early.
    assert!(theirs["cobyla"].value > best + 0.01);
    // SciPy's trust-constr stops a little above the optimum, when its barrier is at 1e-6.
    assert!((best..best + 1e-4).contains(&theirs["trust-constr"].value));
}

#[test]
fn methods_with_a_penalty_stay_feasible_on_ks224() {
    let ((instance, region), best) = (ks224(), ks224_minimum(&ks224().0));
    for penalty in [10.0, 100.0, 1000.0] {
        let settings = Settings { penalty, ..Settings::default() };
        for method in [Method::LbfgsB, Method::NelderMead] {
            let found = run_in(&region, &instance, &method, &settings).unwrap();
            // Either method may stop at the kink, short of the optimum along the row.
            assert!(found.feasible && (best - 1e-6..best + 0.2).contains(&found.value), "{method}: {found:?}, {best}");
        }
    }
    // A penalty below the multiplier lets the method leave the region, and the outcome says so.
    let cheap = Settings { penalty: 1e-3, ..Settings::default() };
    assert!(!run_in(&region, &instance, &Method::LbfgsB, &cheap).unwrap().feasible);
}

#[test]
fn methods_agree_under_quadratic_and_equality_rows() {
    let instance = load("prior_d2_rbf_r00");
    let free = run(&instance, &Method::LbfgsB);
    let disc = Row::new(&[], &[(0, 0, 1.0), (1, 1, 1.0)], f64::NEG_INFINITY, 0.25).unwrap();
    let away = Row::outside_ball(&free.x, &[1.0, 1.0], 0.15).unwrap();
    let line = Row::new(&[(0, 1.0), (1, 2.0)], &[], 1.0, 1.0).unwrap();
    for row in [disc, away, line] {
        let region = Region::new(&instance.bounds).unwrap().with_row(row.clone()).unwrap();
        let best =
            run_in(&region, &instance, &Method::MultiStart(MultiStart::default()), &Settings::default()).unwrap();
        assert!(best.feasible && best.value > free.value, "{row:?}: {best:?}");
        for method in [Method::Cobyla, Method::Slsqp, Method::TrustConstr] {
            let found = run_in(&region, &instance, &method, &Settings::default()).unwrap();
            // The origin lies in the ball to be avoided, in a corner from which the row's linearisation leads out of the
            // box; SLSQP then gives up, and the outcome says so.
            let gave_up = method == Method::Slsqp && found.ending == Ending::Stalled;
            assert!(found.feasible != gave_up, "{row:?} {method}: {found:?}");
            assert!(gave_up || found.value >= best.value - 1e-6, "{row:?} {method}: {found:?} {best:?}");
        }
        // No method descends from the best point.
        let settings = Settings { start: Some(best.x.clone()), ..Settings::default() };
        for method in [Method::Slsqp, Method::TrustConstr] {
            let found = run_in(&region, &instance, &method, &settings).unwrap();
            assert!((found.value - best.value).abs() < 1e-5, "{row:?} {method}: {found:?} {best:?}");
        }
    }
}

#[test]
fn methods_round_integers_and_own_up_to_broken_rows() {
    let instance = load("prior_d2_matern32_r00");
    let whole = Region::new(&[(0.0, 1.0); 2]).unwrap().with_integers(&[0]).unwrap();
    let between = Row::new(&[(0, 1.0)], &[], 0.4, 0.6).unwrap();
    let impossible = whole.clone().with_row(between).unwrap();
    for method in Method::ALL {
        let found = run_in(&whole, &instance, &method, &Settings::default()).unwrap();
        assert!(found.feasible && found.x[0] == found.x[0].round(), "{method}: {found:?}");
        let found = run_in(&impossible, &instance, &method, &Settings::default()).unwrap();
        assert!(!found.feasible && found.x[0] == found.x[0].round(), "{method}: {found:?}");
    }
}

#[test]
fn rows_that_cannot_hold_end_every_method_and_are_reported() {
    let instance = load("prior_d2_rbf_r00");
    let row = Row::new(&[(0, 1.0), (1, 1.0)], &[], 3.0, f64::INFINITY).unwrap();
    let region = Region::new(&instance.bounds).unwrap().with_row(row).unwrap();
    for method in Method::ALL {
        let found = run_in(&region, &instance, &method, &Settings::default()).unwrap();
        assert!(!found.feasible && found.value.is_finite(), "{method}: {found:?}");
    }
}

#[test]
fn methods_refuse_bad_starts_and_settings() {
    let instance = load("prior_d2_rbf_r00");
    let row = Row::new(&[(0, 1.0), (1, 1.0)], &[], 1.0, f64::INFINITY).unwrap();
    let region = Region::new(&[(0.0, 1.0); 2]).unwrap().with_row(row).unwrap();
    for method in Method::ALL {
        let refuse = |settings: Settings| run_in(&region, &instance, &method, &settings).unwrap_err();
        let start = |x: &[f64]| Settings { start: Some(x.to_vec()), ..Settings::default() };
        assert_eq!(refuse(start(&[0.5])), Error::WrongStart { expected: 2, found: 1 }.into());
        assert_eq!(refuse(start(&[0.2, 0.3])), Error::InfeasibleStart { row: 0, violation: 0.5 }.into());
        assert!(matches!(refuse(start(&[0.5, f64::NAN])), PaperError::Problem(Error::StartOutside { side: 1, .. })));
        assert!(matches!(refuse(start(&[1.5, 0.5])), PaperError::Problem(Error::StartOutside { side: 0, .. })));
        for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(
                refuse(Settings { tolerance, ..Settings::default() }),
                PaperError::Problem(Error::BadLimit { .. })
            ));
        }
        assert!(matches!(
            refuse(Settings { penalty: f64::NAN, ..Settings::default() }),
            PaperError::Problem(Error::BadLimit { .. })
        ));
        let flat = Region::new(&[(0.0, 1.0)]).unwrap();
        let mismatch = run_in(&flat, &instance, &method, &Settings::default());
        assert_eq!(mismatch, Err(Error::WrongDimension { expected: 2, found: 1 }.into()));
    }
    for multistart in [MultiStart { samples: 0, restarts: 1 }, MultiStart { samples: 1, restarts: 0 }] {
        let refused = run_in(&region, &instance, &Method::MultiStart(multistart), &Settings::default());
        assert!(matches!(refused, Err(PaperError::Problem(Error::BadLimit { .. }))));
    }
}

#[test]
fn methods_without_iterations_stay_where_they_are() {
    let instance = load("prior_d2_rbf_r00");
    let region = Region::new(&[(0.0, 1.0); 2]).unwrap();
    for method in Method::ALL {
        let settings = Settings { iterations: 0, start: Some(vec![0.25, 0.5]), ..Settings::default() };
        let found = run_in(&region, &instance, &method, &settings).unwrap();
        assert_eq!(found.ending, Ending::IterationLimit, "{method}");
        let posterior = instance.posterior().unwrap();
        let acquisition = Acquisition::new(&posterior, instance.criterion().unwrap()).unwrap();
        let certificate = found.certificate(&acquisition, &settings, 0.0);
        let text = certificate.to_json().unwrap();
        assert!(text.contains("\"status\":\"iteration_limit\"") && certificate.lower_bound.is_none(), "{text}");
        assert_eq!(Certificate::from_json(&text).unwrap(), certificate);
        if !matches!(method, Method::MultiStart(_)) {
            assert_eq!((found.x, found.iterations, found.evaluations), (vec![0.25, 0.5], 0, 1), "{method}");
        }
        let one = run_in(&region, &instance, &method, &Settings { iterations: 1, ..settings }).unwrap();
        assert!(one.value <= value_and_gradient(&instance, &[0.25, 0.5]).0 + 1e-12 || method == Method::TrustConstr);
    }
}

#[test]
fn methods_leave_sides_without_width_alone() {
    let instance = load("prior_d3_rbf_r05");
    for method in Method::ALL {
        let point = Region::new(&[(0.25, 0.25), (0.5, 0.5), (0.75, 0.75)]).unwrap();
        let found = run_in(&point, &instance, &method, &Settings::default()).unwrap();
        assert_eq!((found.x.as_slice(), found.ending), ([0.25, 0.5, 0.75].as_slice(), Ending::Converged), "{method}");
        let segment = Region::new(&[(0.25, 0.25), (0.0, 1.0), (0.75, 0.75)]).unwrap();
        let found = run_in(&segment, &instance, &method, &Settings::default()).unwrap();
        assert_eq!((found.x[0], found.x[2], found.feasible), (0.25, 0.75, true), "{method}");
        let start = value_and_gradient(&instance, &[0.25, 0.0, 0.75]).0;
        // An interior method stays slightly off a face.
        assert!(found.value <= start + 1e-7, "{method}: {} is no better than {start}", found.value);
    }
}

#[test]
fn methods_stop_when_asked_and_when_late() {
    let instance = load("prior_d3_rbf_r05");
    let posterior = instance.posterior().unwrap();
    let mut acquisition = Acquisition::new(&posterior, Criterion::Lcb { kappa: instance.kappa.unwrap() }).unwrap();
    let region = Region::new(&instance.bounds).unwrap();
    for method in Method::ALL {
        let asked = minimise(&mut acquisition, &region, &method, &Settings::default(), &Stop::new(true)).unwrap();
        assert_eq!(asked.ending, Ending::Interrupted, "{method}");
        assert!(asked.feasible && asked.evaluations <= 2 && asked.value.is_finite(), "{method}: {asked:?}");
        let late = Settings { time: Some(Duration::ZERO), ..Settings::default() };
        let late = minimise(&mut acquisition, &region, &method, &late, &Stop::new(false)).unwrap();
        assert_eq!(late.ending, Ending::TimeLimit, "{method}");
    }
}
