//! The loop as it is used.

use fathom_global::Status;
use fathom_study::{
    Definition, Error, Lease, Origin, Outcome, Point, Record, Remaining, Silence, State, Study, Trial, Value, Watch,
    propose,
};
use std::time::Duration;

fn study(text: &str) -> Study {
    Study::create("memory:", Definition::parse(text).unwrap()).unwrap()
}

const PLANE: &str = "
[parameters]
x = { type = 'float', low = -1, high = 2 }
y = { type = 'float', low = -1, high = 2 }
[strategy]
initial = 6
";

fn bowl(x: f64, y: f64) -> f64 {
    (x - 0.3).powi(2) + (y - 1.1).powi(2)
}

#[test]
fn maximising_a_function_is_minimising_its_negative() {
    let mut down = study(PLANE);
    let mut up = study(&format!("goal = 'maximise'\n{PLANE}"));
    for _ in 0..22 {
        let (a, b) = (down.ask(1).unwrap().remove(0), up.ask(1).unwrap().remove(0));
        assert_eq!(a.point, b.point);
        let value = bowl(a.number("x").unwrap(), a.number("y").unwrap());
        down.tell(a.id, value).unwrap();
        up.tell(b.id, -value).unwrap();
    }
    let (down, up) = (down.remaining().unwrap(), up.remaining().unwrap());
    let (Remaining::AtMost(down), Remaining::AtMost(up)) = (down, up) else { panic!("{down:?} {up:?}") };
    assert_eq!((down.best, down.reachable, down.gain), (-up.best, -up.reachable, up.gain));
}

#[test]
fn what_can_be_gained_is_said_once_there_are_enough_values_and_holds() {
    let mut study = study(&format!("deterministic = true\n{PLANE}"));
    let mut said = 0;
    for i in 0..30 {
        let trial = study.ask(1).unwrap().remove(0);
        assert_eq!(trial.suggestion.forecast.is_some(), i >= 4, "a forecast takes four values");
        if let Some(bound) = trial.suggestion.bound {
            assert!(i >= 20 && bound.widening.unwrap() >= 1.0);
            assert!(bound.reachable <= 0.0 && bound.gain >= bound.best, "the minimum of the bowl is 0: {bound:?}");
            said += 1;
        } else if i < 20 {
            let few = Remaining::Silent(Silence::FewValues { found: i, needed: 20 });
            assert_eq!(study.remaining().unwrap(), few);
        }
        study.tell(trial.id, bowl(trial.number("x").unwrap(), trial.number("y").unwrap())).unwrap();
    }
    assert!(said > 0, "nothing was ever said");
    assert!(study.best().unwrap().unwrap().objective().unwrap() < 1e-4);
}

#[test]
fn a_limit_that_is_known_limits_what_can_be_gained() {
    let gain = |head: &str| {
        let mut study = study(&format!("deterministic = true\n{head}{PLANE}"));
        for _ in 0..24 {
            let trial = study.ask(1).unwrap().remove(0);
            study.tell(trial.id, bowl(trial.number("x").unwrap(), trial.number("y").unwrap())).unwrap();
        }
        study.remaining().unwrap().bound().unwrap()
    };
    let (open, limited) = (gain(""), gain("best_possible = 0\n"));
    assert!(open.reachable < 0.0 && limited.reachable == 0.0, "{open:?} {limited:?}");
    assert_eq!(limited.gain, limited.best);
}

#[test]
fn pending_trials_are_respected() {
    let mut study = study(PLANE);
    for trial in study.ask(6).unwrap() {
        study.tell(trial.id, bowl(trial.number("x").unwrap(), trial.number("y").unwrap())).unwrap();
    }
    let asked = study.ask(4).unwrap();
    for (i, one) in asked.iter().enumerate() {
        assert_eq!(one.suggestion.origin, Origin::Model);
        for other in &asked[..i] {
            let apart = |name| (one.number(name).unwrap() - other.number(name).unwrap()).abs();
            assert!(apart("x").max(apart("y")) > 1e-2, "{:?} {:?}", one.point, other.point);
        }
    }
}

#[test]
fn failures_are_recorded_and_the_loop_goes_on_elsewhere() {
    let mut study = study(PLANE);
    let mut good = 0;
    for _ in 0..20 {
        let trial = study.ask(1).unwrap().remove(0);
        let (x, y) = (trial.number("x").unwrap(), trial.number("y").unwrap());
        match x > 1.0 {
            true => study.tell_failed(trial.id, "diverged").unwrap(),
            false => {
                study.tell(trial.id, bowl(x, y)).unwrap();
                good += 1;
            }
        }
    }
    assert!(good > 10, "{good}");
    assert!(study.best().unwrap().unwrap().objective().unwrap() < 0.05);
}

#[test]
fn a_study_whose_trials_all_fail_goes_on_with_its_design() {
    let mut study = study(PLANE);
    for _ in 0..12 {
        let trial = study.ask(1).unwrap().remove(0);
        assert_eq!(trial.suggestion.origin, Origin::Design);
        study.tell_failed(trial.id, "no").unwrap();
    }
    assert_eq!(study.best().unwrap(), None);
    assert_eq!(study.remaining().unwrap(), Remaining::Silent(Silence::FewValues { found: 0, needed: 20 }));
}

#[test]
fn constant_values_do_not_stop_the_loop() {
    let mut study = study(PLANE);
    for _ in 0..12 {
        let trial = study.ask(1).unwrap().remove(0);
        study.tell(trial.id, 7.0).unwrap();
    }
    assert_eq!(study.trials().unwrap().len(), 12);
}

#[test]
fn past_experiments_count_as_the_design() {
    let mut study = study(PLANE);
    for i in 0..6 {
        let (x, y) = (f64::from(i) / 3.0 - 0.5, f64::from(i % 3) / 2.0);
        let point: Point = [("x".to_owned(), Value::Float(x)), ("y".to_owned(), Value::Float(y))].into_iter().collect();
        study.add(&point, &Outcome::of(bowl(x, y)).unwrap()).unwrap();
    }
    assert_eq!(study.ask(1).unwrap()[0].suggestion.origin, Origin::Model);
    let outside: Point =
        [("x".to_owned(), Value::Float(9.0)), ("y".to_owned(), Value::Float(0.0))].into_iter().collect();
    assert!(matches!(study.add(&outside, &Outcome::of(0.0).unwrap()), Err(Error::BadValue { .. })));
}

#[test]
fn a_record_that_somebody_else_keeps_leads_to_the_point_of_the_study_that_knows_it() {
    let mut study = study(&format!("deterministic = true\n{PLANE}"));
    for _ in 0..9 {
        let trial = study.ask(1).unwrap().remove(0);
        study.tell(trial.id, bowl(trial.number("x").unwrap(), trial.number("y").unwrap())).unwrap();
    }
    study.ask(1).unwrap();
    let trials = study.trials().unwrap();
    // A model chose four of these ten.
    let mut record = Record::new(study.definition().clone(), 4).unwrap();
    for trial in &trials {
        let outcome = trial.objective().map(|value| Outcome::of(value).unwrap());
        let forecast = trial.suggestion.forecast.as_ref().map(|forecast| (forecast.mean, forecast.deviation));
        record.add(&trial.point, outcome, forecast).unwrap();
    }
    assert_eq!(record.remaining(&mut Watch::nobody()).unwrap(), study.remaining().unwrap());
    // The record does not know where earlier fits ended, so its fit ends elsewhere within the tolerance.
    let close = |a: f64, b: f64| (a - b).abs() < 1e-3;
    let (recorded, known) = (
        record.predict(&[trials[0].point.clone()]).unwrap()[0],
        study.surrogate().unwrap().predict(&trials[0].point).unwrap(),
    );
    assert!(close(recorded.0, known.0) && close(recorded.1, known.1), "{recorded:?} {known:?}");
    let timeless = |mut trial: Trial| {
        trial.suggestion.seconds = 0.0;
        trial.suggestion.certificate.as_mut().unwrap().seconds = 0.0;
        (trial.id, trial.point, trial.suggestion.certificate, trial.suggestion.bound)
    };
    let proposed = propose(study.definition(), &trials, &mut Watch::nobody()).unwrap();
    assert_eq!((proposed.state, proposed.suggestion.origin), (State::Pending, Origin::Model));
    let recorded = record.propose(&mut Watch::nobody()).unwrap();
    assert!(
        ["x", "y"].iter().all(|name| close(recorded.number(name).unwrap(), proposed.number(name).unwrap())),
        "{:?} {:?}",
        recorded.point,
        proposed.point
    );
    let [asked, proposed] = [study.ask(1).unwrap().remove(0), proposed].map(timeless);
    assert_eq!(proposed, asked);
    let outside: Point =
        [("x".to_owned(), Value::Float(9.0)), ("y".to_owned(), Value::Float(0.0))].into_iter().collect();
    assert!(matches!(record.add(&outside, None, None), Err(Error::BadValue { .. })));
}

#[test]
fn a_lapsed_lease_hands_the_same_trial_to_the_next_who_asks() {
    let mut study = study(PLANE);
    let lease = |owner: &str, seconds| Lease { owner: owner.into(), duration: Duration::from_secs(seconds) };
    let lost = study.ask_leased(&lease("dead", 0), 2).unwrap().unwrap();
    std::thread::sleep(Duration::from_millis(5));
    let found = study.ask_leased(&lease("alive", 1000), 2).unwrap().unwrap();
    assert_eq!((lost.id, lost.point), (found.id, found.point));
    assert!(study.renew(1, &lease("alive", 1000)).unwrap() && !study.renew(1, &lease("dead", 1000)).unwrap());
    assert_eq!(study.ask_leased(&lease("other", 1000), 2).unwrap().unwrap().id, 2);
    assert_eq!(study.ask_leased(&lease("other", 1000), 2).unwrap(), None);
}

#[test]
fn every_method_without_a_certificate_serves_as_optimiser() {
    for name in
        ["pk'\npk.true_bound = 'theorem", "multistart", "l-bfgs-b", "nelder-mead", "cobyla", "slsqp", "trust-constr"]
    {
        let mut study = study(&format!("{PLANE}optimiser = '{name}'"));
        for _ in 0..8 {
            let trial = study.ask(1).unwrap().remove(0);
            study.tell(trial.id, bowl(trial.number("x").unwrap(), trial.number("y").unwrap())).unwrap();
        }
        let last = study.trials().unwrap().remove(7);
        assert!(last.suggestion.certificate.is_none() && last.suggestion.bound.is_none());
    }
}

#[test]
fn an_additive_model_is_certified_and_sees_the_sum() {
    let mut study = study(
        "[parameters]\nx = { type = 'float', low = -1, high = 2 }\ny = { type = 'float', low = -1, high = 2 }\n\
         kind = { type = 'categorical', choices = ['a', 'b'] }\n[strategy]\ninitial = 8\ngroups = [['y'], ['x', 'kind']]",
    );
    for _ in 0..20 {
        let trial = study.ask(1).unwrap().remove(0);
        assert_eq!(trial.suggestion.certificate.is_some(), trial.suggestion.origin == Origin::Model);
        let worse = f64::from(u8::from(trial.point["kind"] == Value::Text("b".into())));
        study.tell(trial.id, bowl(trial.number("x").unwrap(), trial.number("y").unwrap()) + worse).unwrap();
    }
    assert!(study.best().unwrap().unwrap().objective().unwrap() < 0.02);
}

#[test]
fn every_acquisition_function_is_certified() {
    for name in ["mean", "deviation", "ei", "log-ei", "pi"] {
        let mut study = study(&format!("{PLANE}acquisition = '{name}'"));
        for _ in 0..12 {
            let trial = study.ask(1).unwrap().remove(0);
            assert_eq!(trial.suggestion.certificate.is_some(), trial.suggestion.origin == Origin::Model, "{name}");
            assert_eq!(trial.suggestion.bound, None, "{name}: a dozen values are too few");
            study.tell(trial.id, bowl(trial.number("x").unwrap(), trial.number("y").unwrap())).unwrap();
        }
    }
}

#[test]
fn a_finite_space_is_searched_without_repetition_until_it_is_exhausted() {
    let mut study = study(
        "constraints = ['n + m <= 5']\n[parameters]\nn = { type = 'integer', low = 0, high = 4 }\n\
         m = { type = 'integer', low = 0, high = 3 }\nkind = { type = 'categorical', choices = ['a', 'b'] }\n[strategy]\ninitial = 8",
    );
    let mut seen: Vec<Point> = Vec::new();
    let error = loop {
        let trial = match study.ask(1) {
            Ok(mut trials) => trials.remove(0),
            Err(error) => break error,
        };
        assert!(!seen.contains(&trial.point));
        let (n, m) = (trial.number("n").unwrap(), trial.number("m").unwrap());
        assert!(n + m <= 5.0);
        study
            .tell(trial.id, (n - 2.0).powi(2) + m + f64::from(u8::from(trial.point["kind"] == Value::Text("a".into()))))
            .unwrap();
        seen.push(trial.point);
    };
    // 20 pairs less those of 6 and 7: (4, 2), (3, 3), (4, 3).
    assert_eq!(seen.len(), 34);
    assert!(matches!(error, Error::Exhausted { points: 34 }), "{error}");
}

#[test]
fn constraints_integers_and_categories_hold_in_every_suggestion() {
    let mut study = study(
        "constraints = ['x + 3*y <= 4', 'x^2 + y^2 >= 1', 'n*x <= 6', 'rate <= 0.05', 'x + n >= 2']\n[parameters]\n\
         x = { type = 'float', low = 0, high = 3 }\ny = { type = 'float', low = 0, high = 3 }\n\
         n = { type = 'integer', low = 1, high = 6 }\nrate = { type = 'float', low = 1e-4, high = 1, scale = 'log' }\n\
         kind = { type = 'categorical', choices = ['a', 'b', 'c'] }\n[strategy]\ninitial = 10",
    );
    for _ in 0..16 {
        let trial = study.ask(1).unwrap().remove(0);
        study.definition().space.check(&trial.point).unwrap();
        let value = |name| trial.number(name).unwrap();
        let (x, y, n, rate) = (value("x"), value("y"), value("n"), value("rate"));
        assert!(x + 3.0 * y <= 4.0 + 1e-7 && x * x + y * y >= 1.0 - 1e-7 && n * x <= 6.0 + 1e-7 && rate <= 0.05 + 1e-9);
        assert_eq!(trial.suggestion.certificate.is_some(), trial.suggestion.origin == Origin::Model);
        study.tell(trial.id, x - y + n + rate.ln().abs()).unwrap();
    }
}

#[test]
fn an_equality_holds_in_the_design_and_beyond() {
    let mut study = study(
        "constraints = ['a + b + c = 1']\n[parameters]\na = { type = 'float', low = 0, high = 1 }\n\
         b = { type = 'float', low = 0, high = 1 }\nc = { type = 'float', low = 0, high = 1 }\n[strategy]\ninitial = 5",
    );
    for _ in 0..8 {
        let trial = study.ask(1).unwrap().remove(0);
        let sum: f64 = ["a", "b", "c"].iter().map(|name| trial.number(name).unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-7, "{sum}");
        study.tell(trial.id, trial.number("a").unwrap().powi(2) - trial.number("b").unwrap()).unwrap();
    }
}

#[test]
fn constraints_that_leave_no_point_are_reported() {
    let plane = "[parameters]\nx = { type = 'float', low = 0, high = 2 }\ny = { type = 'float', low = 0, high = 2 }";
    let alone = Definition::parse(&format!("constraints = ['x + y <= 1', 'x + y >= 5']\n{plane}"));
    assert!(alone.unwrap_err().to_string().contains("`x + y >= 5` holds nowhere"));
    let whole = "constraints = ['2*n + 2*m = 3']\n[parameters]\nn = { type = 'integer', low = 0, high = 9 }\n\
                 m = { type = 'integer', low = 0, high = 9 }";
    assert!(matches!(study(whole).ask(1), Err(Error::Infeasible { .. })));
    let together = study(&format!("constraints = ['x + y <= 1', 'x - y >= 0.5', 'x + 3*y >= 2.1']\n{plane}")).ask(1);
    assert!(together.unwrap_err().to_string().contains("checked by separate code"));
}

#[test]
fn a_strategy_can_change_and_a_space_cannot() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("study.db").display());
    let resume = |text: &str| Study::resume(&url, Definition::parse(text).unwrap());
    resume(PLANE).unwrap().ask(1).unwrap();
    let mut study = resume(&PLANE.replace("initial = 6", "initial = 9")).unwrap();
    assert_eq!(study.trials().unwrap()[0].state, State::Pending);
    assert!(matches!(resume(&PLANE.replace("high = 2", "high = 3")), Err(Error::DifferentSpace { what: "space", .. })));
    assert!(matches!(resume(&format!("goal = 'maximise'{PLANE}")), Err(Error::DifferentSpace { what: "goal", .. })));
}

#[test]
fn a_node_limit_cuts_a_proof_short_and_says_so() {
    let mut study = study(&format!("{PLANE}gap = 1e-9\nnode_limit = 1\n"));
    for trial in study.ask(6).unwrap() {
        study.tell(trial.id, bowl(trial.number("x").unwrap(), trial.number("y").unwrap())).unwrap();
    }
    let certificate = study.ask(1).unwrap().remove(0).suggestion.certificate.unwrap();
    assert_eq!((certificate.status, certificate.settings.node_limit), (Status::NodeLimit, Some(1)));
    assert!(certificate.gap.unwrap() > 1e-9);
}

#[test]
fn the_papers_method_goes_group_by_group_if_asked_to() {
    let mut study = study(&format!("{PLANE}groups = [['x'], ['y']]\noptimiser = 'pk-groups'\n"));
    for _ in 0..16 {
        let trial = study.ask(1).unwrap().remove(0);
        if trial.suggestion.origin == Origin::Model {
            let method = trial.suggestion.method.as_deref();
            // Away from a point tried before, multi-start goes on.
            assert!(method == Some("pk-groups") || method == Some("multistart"), "{method:?}");
        }
        study.tell(trial.id, bowl(trial.number("x").unwrap(), trial.number("y").unwrap())).unwrap();
    }
    assert!(study.best().unwrap().unwrap().objective().unwrap() < 0.05);
    let alone = Definition::parse(&format!("{PLANE}optimiser = 'pk-groups'\n")).unwrap_err().to_string();
    assert!(alone.contains("groups"), "{alone}");
}
