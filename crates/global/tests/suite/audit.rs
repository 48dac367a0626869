//! Someone else's point beside the certified optimum.

use crate::instances::load;
use fathom_global::{Audit, Error, Limits, Posed as _, Stop, Violation};

#[test]
fn a_point_is_placed_between_what_was_found_and_what_is_proven() {
    let instance = load("prior_d2_matern32_r00");
    let posterior = instance.posterior().unwrap();
    let problem = instance.problem(&posterior).unwrap();
    let limits = Limits { gap: 1e-3, ..Limits::default() };
    let audit = |x: &[f64]| Audit::new(&problem, x, &limits, &Stop::new(false), |_| {});
    let middle = audit(&[0.5, 0.5]).unwrap();
    let (least, most) = (middle.at_least(), middle.at_most().unwrap());
    assert!(least > 0.0 && least <= most && most - least <= 1e-3 + 1e-12, "{least} {most}");
    let best = audit(&middle.certificate.x).unwrap();
    assert!(best.at_least() < 1e-9 && best.at_most().unwrap() <= 1e-3 + 1e-9);
    assert!(matches!(audit(&[0.5]), Err(Error::WrongStart { expected: 2, found: 1 })));
    assert!(matches!(audit(&[0.5, f64::NAN]), Err(Error::StartOutside { side: 1, .. })));
}

#[test]
fn every_reason_why_a_point_is_not_feasible_is_named_with_its_amount() {
    let mut instance = load("prior_d2_matern32_r00");
    instance.integers = vec![0];
    instance.constraints = serde_json::from_str(r#"[{"linear": [[0, 1], [1, 2]], "upper": 1.0}]"#).unwrap();
    let posterior = instance.posterior().unwrap();
    let problem = instance.problem(&posterior).unwrap();
    let audit = |x: &[f64]| Audit::new(&problem, x, &Limits::default(), &Stop::new(false), |_| {}).unwrap();
    let bad = audit(&[0.75, 1.5]);
    assert_eq!(
        bad.violations,
        [
            Violation::Side { side: 1, by: 0.5 },
            Violation::Whole { side: 0, by: 0.25 },
            Violation::Row { row: 0, by: 2.75 }
        ]
    );
    assert!(!bad.is_feasible() && audit(&[0.0, 0.5]).is_feasible());
    let sentences: Vec<String> = bad.violations.iter().map(ToString::to_string).collect();
    assert_eq!(
        sentences,
        ["x1 is 0.5 outside the box", "x0 is 0.25 from a whole number", "constraint 1 is violated by 2.75"]
    );
}

#[test]
fn a_point_that_is_outside_by_no_more_than_the_tolerance_gets_a_verdict() {
    let mut instance = load("prior_d2_matern32_r00");
    instance.constraints = serde_json::from_str(r#"[{"linear": [[0, 1], [1, 2]], "upper": 1.0}]"#).unwrap();
    let posterior = instance.posterior().unwrap();
    let problem = instance.problem(&posterior).unwrap();
    let audit = |x: &[f64]| Audit::new(&problem, x, &Limits::default(), &Stop::new(false), |_| {}).unwrap();
    let near = audit(&[0.5, 0.25 + 1e-8]);
    assert!(
        !near.is_feasible() && !near.clone().within(1.9e-8).is_feasible() && near.clone().within(3e-8).is_feasible()
    );
    let [violation] = near.violations[..] else { panic!("{:?}", near.violations) };
    assert_eq!(
        violation.sentence(|j| format!("x{j}"), |_| Some("x0 + 2*x1 <= 1".into())),
        "constraint 1 (x0 + 2*x1 <= 1) is violated by 2e-8"
    );
}
