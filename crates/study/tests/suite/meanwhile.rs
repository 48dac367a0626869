//! Points that are handed out at once, and proofs that come later; points beyond the room of proofs.

use super::watches::hard;
use fathom_global::{Status, Stop};
use fathom_study::{Assurance, Definition, Error, Origin, Study, Trial, Watch};
use std::time::{Duration, Instant};

/// A study of four floats with ten values told.
fn four(strategy: &str) -> Study {
    let parameters: String =
        ["a", "b", "c", "d"].map(|name| format!("{name} = {{ type = 'float', low = 0, high = 1 }}\n")).concat();
    let text = format!("[parameters]\n{parameters}[strategy]\ninitial = 10\n{strategy}");
    let mut study = Study::create("memory:", Definition::parse(&text).unwrap()).unwrap();
    for trial in study.ask(10).unwrap() {
        study.tell(trial.id, value(&trial)).unwrap();
    }
    study
}

fn value(trial: &Trial) -> f64 {
    let x = |name: &str| trial.number(name).unwrap();
    (7.0 * x("a")).sin() + (5.0 * x("b") * x("c")).cos() + (x("d") - 0.3).powi(2)
}

/// A suggestion without the times that it took.
fn timeless(trial: &Trial) -> fathom_study::Suggestion {
    let mut suggestion = trial.suggestion.clone();
    suggestion.seconds = 0.0;
    if let Some(certificate) = &mut suggestion.certificate {
        certificate.seconds = 0.0;
    }
    suggestion
}

#[test]
fn an_ask_ends_after_a_number_of_boxes_that_its_patience_has_room_for_and_is_the_same_again() {
    let ask = || four("gap = 0.0\nacquisition = 'lcb'\nbeta = 9\npatience = '200ms'").ask(1).unwrap().remove(0);
    let is_by_boxes = |trial: &Trial| {
        let search = trial.suggestion.basis.as_ref().unwrap().search;
        let certificate = trial.suggestion.certificate.as_ref().unwrap();
        assert_eq!(search.cut_by, Some(certificate.status));
        assert_eq!(search.cut_after, Some(certificate.nodes));
        assert_eq!(certificate.settings.time_limit, Some(0.2));
        assert!(certificate.settings.node_limit.is_some());
        // On a machine that is too slow or too busy the clock cuts in, and the record says so.
        assert!(matches!(certificate.status, Status::NodeLimit | Status::TimeLimit), "{certificate:?}");
        certificate.status == Status::NodeLimit
    };
    let asked: Vec<Trial> = std::iter::repeat_with(ask).filter(is_by_boxes).take(2).collect();
    assert_eq!(timeless(&asked[0]), timeless(&asked[1]));
    assert_eq!(asked[0].point, asked[1].point);
    let Assurance::CutShort { at_most: Some(at_most), by: Some(Status::NodeLimit) } = asked[0].suggestion.assurance()
    else {
        panic!("{:?}", asked[0].suggestion.assurance())
    };
    assert_eq!(asked[0].suggestion.certificate.as_ref().unwrap().gap, Some(at_most));
}

#[test]
fn a_patience_of_the_time_limit_waits_for_the_proof_and_so_does_an_ask_that_says_so() {
    for patience in ["1min", "2h"] {
        let trial = four(&format!("patience = '{patience}'")).ask(1).unwrap().remove(0);
        assert_eq!(trial.suggestion.certificate.as_ref().unwrap().settings.node_limit, None);
        assert!(trial.suggestion.assurance().is_proven());
    }
    let mut study = four("patience = '1us'");
    let stop = Stop::new(false);
    let hasty = study.ask(1).unwrap().remove(0);
    assert!(!hasty.suggestion.assurance().is_proven());
    let trial = study.ask_proven(None, u64::MAX, &mut Watch::new(&stop)).unwrap().unwrap();
    assert!(trial.suggestion.assurance().is_proven() && trial.suggestion.later.is_none());
}

#[test]
fn a_proof_that_comes_later_stands_beside_the_certificate_of_the_ask_and_is_verified() {
    let mut study = four("node_limit = 1");
    let asked = study.ask(1).unwrap().remove(0);
    assert!(asked.suggestion.assurance().is_open() && asked.suggestion.later.is_none());
    assert_eq!(study.open_proofs().unwrap().len(), 1);
    // A finished trial is proven as well as a pending one.
    study.tell(asked.id, value(&asked)).unwrap();
    let proven = study.prove(asked.id).unwrap();
    let later = proven.suggestion.later.as_deref().unwrap();
    assert_eq!(proven.suggestion.certificate, asked.suggestion.certificate);
    assert_eq!(proven.point, asked.point);
    assert!(later.certificate.lower_bound > asked.suggestion.certificate.as_ref().unwrap().lower_bound);
    assert!(later.cut_after.is_none() && later.certificate.status == Status::Optimal);
    assert!(matches!(proven.suggestion.assurance(), Assurance::Proven { .. } | Assurance::Better { .. }));
    let verified = study.verify(asked.id).unwrap();
    assert_eq!(verified.verdict.lower_bound, proven.suggestion.lower_bound());
    assert!(verified.proof.reasons.iter().any(|reason| reason.contains("the longer search")), "{verified:?}");
    // There is nothing left to do.
    assert!(study.open_proofs().unwrap().is_empty());
    assert_eq!(study.prove(asked.id).unwrap(), study.trial(asked.id).unwrap());
    let step = study.history().unwrap().pop().unwrap();
    assert_eq!((step.gap, step.bound), (proven.suggestion.gap(), asked.suggestion.bound));
}

#[test]
fn what_is_proven_when_somebody_stops_is_kept_and_less_replaces_nothing() {
    let mut study = hard("node_limit = 32");
    let asked = study.ask(1).unwrap().remove(0);
    assert!(asked.suggestion.assurance().is_open(), "{:?}", asked.suggestion.certificate);
    let stopped = study.prove_watched(asked.id, &mut Watch::new(&Stop::new(true))).unwrap();
    assert_eq!(stopped, study.trial(asked.id).unwrap());
    assert_eq!(stopped.suggestion, asked.suggestion, "nothing was proven, so nothing is stored");
    let mut watch = Watch::nobody();
    let cut = study.prove_watched(asked.id, &mut watch.within(Duration::from_secs(2))).unwrap();
    let first = asked.suggestion.certificate.as_ref().unwrap();
    let later = cut.suggestion.later.as_deref().unwrap();
    assert!(later.certificate.lower_bound > first.lower_bound && later.cut_after > Some(first.nodes));
    assert_eq!(later.certificate.status, Status::TimeLimit);
    let again = study.prove_watched(asked.id, &mut Watch::new(&Stop::new(true))).unwrap();
    assert_eq!(again.suggestion, cut.suggestion);
    let verified = study.verify(asked.id).unwrap();
    assert_eq!(verified.verdict.lower_bound, cut.suggestion.lower_bound());
}

#[test]
fn a_better_point_that_is_found_later_is_named_and_the_trial_keeps_its_own() {
    let mut study = four("acquisition = 'lcb'\nbeta = 9");
    // An ask that is stopped at once hands out the first point that it meets.
    let asked = study.ask_watched(None, u64::MAX, &mut Watch::new(&Stop::new(true))).unwrap().unwrap();
    let proven = study.prove(asked.id).unwrap();
    assert_eq!((&proven.point, &proven.suggestion.certificate), (&asked.point, &asked.suggestion.certificate));
    let Assurance::Better { point, by, at_most } = proven.suggestion.assurance() else {
        panic!("{:?}", proven.suggestion.assurance())
    };
    assert!(by > 0.01 && at_most.unwrap() >= by && point != asked.point, "{by} {at_most:?}");
    let later = proven.suggestion.later.as_deref().unwrap();
    assert_eq!(later.certificate.value, proven.suggestion.acquisition.unwrap() - by);
    assert!(!proven.suggestion.assurance().is_proven() && !proven.suggestion.assurance().is_open());
    let verified = study.verify(asked.id).unwrap();
    assert!(verified.proof.reasons.iter().any(|reason| reason.contains("a point that is better by")), "{verified:?}");
}

#[test]
fn a_point_that_was_tried_before_is_no_better_point() {
    // The least mean is at a point that was told, so the minimum outside a ball around the point is what counts.
    let text = "[parameters]\nx = { type = 'float', low = 0, high = 1 }\n[strategy]\ninitial = 6\nacquisition = 'mean'\nnode_limit = 1\nkernel = 'matern12'";
    let mut study = Study::create("memory:", Definition::parse(text).unwrap()).unwrap();
    for trial in study.ask(6).unwrap() {
        study.tell(trial.id, (trial.number("x").unwrap() - 0.4).abs()).unwrap();
    }
    let asked = study.ask_watched(None, u64::MAX, &mut Watch::new(&Stop::new(true))).unwrap().unwrap();
    let proven = study.prove(asked.id).unwrap();
    let later = proven.suggestion.later.as_deref().unwrap();
    assert!(!later.apart_from.is_empty(), "{later:?}");
    if let Assurance::Better { point, .. } = proven.suggestion.assurance() {
        assert!(study.trials().unwrap()[..6].iter().all(|trial| trial.point != point));
    }
    assert_eq!(study.verify(asked.id).unwrap().verdict.lower_bound, proven.suggestion.lower_bound());
}

#[test]
fn what_has_no_proof_says_why() {
    let mut study = four("optimiser = 'multistart'");
    let asked = study.ask(1).unwrap().remove(0);
    for (id, part) in [(1, "initial design"), (asked.id, "a local method")] {
        let error = study.prove(id).unwrap_err();
        assert!(matches!(error, Error::NoProof { .. }) && error.to_string().contains(part), "{error}");
    }
    assert!(matches!(study.prove(99), Err(Error::NoSuchTrial { id: 99, .. })));
    assert!(study.open_proofs().unwrap().is_empty());
}

/// Runs a study of 25 coordinates, and checks what is said of its suggestions.
fn wide(head: &str, parameters: &str, cost: impl Fn(&Trial) -> f64, check: impl Fn(&Trial)) {
    let text = |more: &str| format!("{head}[parameters]\n{parameters}[strategy]\ninitial = 12\n{more}");
    let mut study = Study::create("memory:", Definition::parse(&text("")).unwrap()).unwrap();
    for i in 1..=16 {
        let surrogate = (i > 12).then(|| study.surrogate().unwrap());
        let started = Instant::now();
        let trial = study.ask(1).unwrap().remove(0);
        assert!(started.elapsed() < Duration::from_secs(30));
        check(&trial);
        if let Some(surrogate) = surrogate {
            // The point is a good one: far better than all that were tried.
            let found = surrogate.acquisition(&trial.point).unwrap();
            let tried = study.trials().unwrap();
            let tried = tried[..i - 1].iter().map(|trial| surrogate.acquisition(&trial.point).unwrap());
            assert!(found < tried.fold(f64::INFINITY, f64::min), "{found}");
        }
        study.tell(trial.id, cost(&trial)).unwrap();
        let suggestion = &trial.suggestion;
        assert_eq!(suggestion.origin, if i <= 12 { Origin::Design } else { Origin::Model });
        assert!(suggestion.certificate.is_none() && suggestion.bound.is_none());
        assert_eq!(suggestion.assurance(), Assurance::None);
        assert_eq!(suggestion.method.as_deref(), (i > 12).then_some("local"));
    }
    for error in [study.verify(16).unwrap_err(), study.prove(16).unwrap_err()] {
        assert!(matches!(error, Error::NoProof { .. }), "{error}");
        assert!(error.to_string().contains("nothing is proven beyond 20 coordinates"), "{error}");
    }
    assert_eq!(study.remaining().unwrap().bound(), None);
    for more in ["gap = 0.1", "node_limit = 9", "patience = '1s'", "threads = 2", "[stop]\ngain = 0.1"] {
        let error = Definition::parse(&text(more)).unwrap_err().to_string();
        assert!(error.contains("nothing is proven beyond 20 coordinates"), "{more}: {error}");
    }
}

#[test]
fn twenty_five_floats_get_suggestions_of_which_nothing_is_claimed() {
    let parameters: String = (0..25).map(|j| format!("x{j} = {{ type = 'float', low = -1, high = 2 }}\n")).collect();
    let cost = |trial: &Trial| (0..25).map(|j| (trial.number(&format!("x{j}")).unwrap() - 0.4).powi(2)).sum::<f64>();
    wide("", &parameters, cost, |_| {});
}

#[test]
fn categories_whole_numbers_and_constraints_are_kept_beyond_twenty_coordinates() {
    let mut parameters = String::new();
    for j in 0..6 {
        parameters += &format!("n{j} = {{ type = 'integer', low = 0, high = 9 }}\n");
    }
    for j in 0..5 {
        parameters += &format!("k{j} = {{ type = 'categorical', choices = ['a', 'b', 'c'] }}\n");
    }
    parameters += &(0..4).map(|j| format!("x{j} = {{ type = 'float', low = 0, high = 1 }}\n")).collect::<String>();
    let sum = |trial: &Trial| (0..6).map(|j| trial.number(&format!("n{j}")).unwrap()).sum::<f64>();
    let cost = |trial: &Trial| {
        let kinds = (0..5).filter(|j| trial.point[&format!("k{j}")].to_string() == "b").count() as f64;
        let floats: f64 = (0..4).map(|j| (trial.number(&format!("x{j}")).unwrap() - 0.7).powi(2)).sum();
        floats - kinds + (sum(trial) - 6.0).abs()
    };
    // The space checks every point that it hands out; here the rows are checked once more.
    let check = |trial: &Trial| {
        assert!(sum(trial) <= 12.0, "{trial:?}");
        assert!((trial.number("x0").unwrap() + trial.number("x1").unwrap() - 1.0).abs() < 1e-7, "{trial:?}");
    };
    let head = "constraints = ['n0 + n1 + n2 + n3 + n4 + n5 <= 12', 'x0 + x1 = 1']\n";
    wide(head, &parameters, cost, check);
}
