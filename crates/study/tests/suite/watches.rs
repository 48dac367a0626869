//! Long calls that somebody stops, that are late, and that say how far they are.

use fathom_global::{Status, Stop};
use fathom_study::{Definition, Error, Lease, Origin, Outcome, Point, Report, Stage, Study, Trial, Value, Watch};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// A study with eight inputs and so many trials that an ask takes long.
pub fn hard(strategy: &str) -> Study {
    let names: Vec<String> = (1..=8).map(|j| format!("x{j}")).collect();
    let parameters: String =
        names.iter().map(|name| format!("{name} = {{ type = 'float', low = 0, high = 1 }}\n")).collect();
    let gap = if strategy.contains("multistart") { "" } else { "gap = 0.0" };
    let text =
        format!("[parameters]\n{parameters}[strategy]\ninitial = 60\n{gap}\nacquisition = 'lcb'\nbeta = 9\n{strategy}");
    let mut study = Study::create("memory:", Definition::parse(&text).unwrap()).unwrap();
    let experiment = |i: u32| {
        // A model makes a function with many minima of this noise.
        let place = |j: usize| (43758.5453 * (f64::from(i) * (12.9898 + 7.8233 * j as f64)).sin()).rem_euclid(1.0);
        let point: Point = names.iter().enumerate().map(|(j, name)| (name.clone(), Value::Float(place(j)))).collect();
        (point, Outcome::of((0..4).map(|j| place(8 + j)).sum::<f64>()).unwrap())
    };
    study.import(&(1..=60).map(experiment).collect::<Vec<_>>()).unwrap();
    study
}

fn asked(study: &mut Study, watch: &mut Watch<'_>) -> Trial {
    study.ask_watched(None, u64::MAX, watch).unwrap().unwrap()
}

/// Whether the proof behind a trial holds, or there was nothing to prove.
fn is_verified(study: &mut Study, trial: &Trial) -> bool {
    let bound = trial.suggestion.certificate.as_ref().and_then(|certificate| certificate.lower_bound);
    match study.verify(trial.id) {
        Ok(checked) => checked.verdict.lower_bound == bound && bound.is_some(),
        Err(Error::NoProof { .. }) => bound.is_none(),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn an_ask_that_is_stopped_gives_the_best_point_so_far_and_what_is_proven_of_it() {
    let mut study = hard("patience = '1h'");
    let stop = Stop::new(false);
    let mut boxes = 0;
    let mut told = None;
    let mut listener = |report: Report| {
        if let Some(progress) = report.progress {
            boxes = progress.nodes;
            if boxes > 50 && told.is_none() {
                stop.store(true, Ordering::Relaxed);
                told = Some(Instant::now());
            }
        }
    };
    let trial = asked(&mut study, &mut Watch::new(&stop).heard_by(&mut listener));
    let took = told.unwrap().elapsed();
    assert!(took < Duration::from_secs(1), "{took:?}");
    let certificate = trial.suggestion.certificate.as_ref().unwrap();
    assert_eq!(certificate.status, Status::Interrupted);
    assert!(certificate.lower_bound.unwrap() < certificate.value && certificate.nodes >= boxes);
    assert_eq!(certificate.settings.time_limit, Some(60.0), "what was asked for, not what was left");
    assert!(is_verified(&mut study, &trial));
}

#[test]
fn an_ask_that_is_stopped_before_its_search_still_gives_a_point() {
    let mut study = hard("");
    let stop = Stop::new(true);
    let started = Instant::now();
    let trial = asked(&mut study, &mut Watch::new(&stop));
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    assert_eq!(trial.suggestion.origin, Origin::Model);
    assert!(trial.suggestion.bound.is_none(), "a model that is not fitted says nothing of the study");
    assert!(trial.suggestion.basis.as_ref().unwrap().is_fit_cut);
    assert!(is_verified(&mut study, &trial));
    // The study goes on.
    study.tell(trial.id, 0.5).unwrap();
    assert_eq!(asked(&mut study, &mut Watch::new(&stop)).id, 62);
}

#[test]
fn every_optimiser_answers_once_it_is_stopped_or_late() {
    for optimiser in [
        "certified",
        "pk",
        "pk-groups'\ngroups = [['x1', 'x2', 'x3', 'x4'], ['x5', 'x6', 'x7', 'x8']]\nkernel = 'matern52",
        "multistart",
    ] {
        let mut study = hard(&format!("optimiser = '{optimiser}'"));
        for stop in [true, false] {
            let (stop, started) = (Stop::new(stop), Instant::now());
            let trial = asked(&mut study, &mut Watch::new(&stop).within(Duration::from_millis(300)));
            let took = started.elapsed();
            assert!(took < Duration::from_secs(3), "{optimiser}: {took:?}");
            assert_eq!(trial.point.len(), 8);
        }
    }
}

#[test]
fn the_time_limit_is_that_of_the_whole_ask() {
    let mut study = hard("time_limit = '600ms'\npatience = '1h'");
    // Pending trials take a search of their own for the bound, and points tried before take more.
    let pending = Lease { owner: "somebody".into(), duration: Duration::from_secs(600) };
    for _ in 0..3 {
        let started = Instant::now();
        let trial = study.ask_leased(&pending, u64::MAX).unwrap().unwrap();
        let took = started.elapsed();
        assert!(took < Duration::from_millis(1500), "{took:?}");
        let certificate = trial.suggestion.certificate.as_ref().unwrap();
        assert!(certificate.status == Status::TimeLimit && certificate.lower_bound.is_some(), "{certificate:?}");
    }
    let last = study.trials().unwrap().pop().unwrap();
    assert!(is_verified(&mut study, &last));
}

#[test]
fn a_call_says_what_it_is_at_and_how_long_it_may_take() {
    let text = "[parameters]\nx = { type = 'float', low = -1, high = 2 }\ny = { type = 'float', low = -1, high = 2 }
        [strategy]\ninitial = 4";
    let mut study = Study::create("memory:", Definition::parse(text).unwrap()).unwrap();
    for trial in study.ask(4).unwrap() {
        study.tell(trial.id, trial.number("x").unwrap() * trial.number("y").unwrap()).unwrap();
    }
    let stop = Stop::new(false);
    let stages = |call: &mut dyn FnMut(&mut Watch<'_>)| {
        let mut stages = Vec::new();
        let mut listener = |report: Report| stages.push((report.stage, report.progress, report.left));
        call(&mut Watch::new(&stop).heard_by(&mut listener));
        stages.dedup_by_key(|report| report.0);
        stages
    };
    let heard = stages(&mut |watch| drop(asked(&mut study, watch)));
    // The second fit is that of the forecast.
    let of_an_ask = [Stage::Fit, Stage::Search, Stage::Fit];
    assert_eq!(heard.iter().map(|report| report.0).collect::<Vec<_>>(), of_an_ask);
    assert!(heard.iter().all(|report| report.2.is_some_and(|left| left <= Duration::from_secs(60))));
    let heard = stages(&mut |watch| drop(asked(&mut study, watch)));
    assert_eq!(heard.iter().map(|report| report.0).collect::<Vec<_>>(), of_an_ask, "with a pending trial too");
    let heard = stages(&mut |watch| drop(study.verify_watched(5, watch).unwrap()));
    assert_eq!(heard.iter().map(|report| report.0).collect::<Vec<_>>(), [Stage::Proof, Stage::Fit, Stage::Check]);
}

#[test]
fn a_proof_that_is_stopped_is_none_and_the_study_stays_as_it_is() {
    let mut study = hard("node_limit = 200");
    let trial = study.ask(1).unwrap().remove(0);
    let stop = Stop::new(true);
    let watch = &mut Watch::new(&stop);
    assert!(matches!(study.verify_watched(trial.id, watch), Err(Error::Interrupted { .. })));
    assert!(matches!(study.surrogate_watched(watch), Err(Error::Interrupted { .. })));
    assert_eq!(study.remaining_watched(watch).unwrap().bound(), None);
    let late = &mut Watch::nobody();
    assert!(matches!(study.proof_watched(trial.id, &mut late.within(Duration::ZERO)), Err(Error::Late { .. })));
    assert!(is_verified(&mut study, &trial));
}

#[test]
fn a_watch_that_is_never_over_changes_no_bit() {
    let (mut plain, mut watched) = (hard("node_limit = 300"), hard("node_limit = 300"));
    let mut heard = 0;
    let mut listener = |_: Report| heard += 1;
    let stop = Stop::new(false);
    let trial = plain.ask(1).unwrap().remove(0);
    let same = asked(&mut watched, &mut Watch::new(&stop).heard_by(&mut listener));
    let mut suggestion = same.suggestion.clone();
    suggestion.seconds = trial.suggestion.seconds;
    if let (Some(ours), Some(theirs)) = (&mut suggestion.certificate, &trial.suggestion.certificate) {
        ours.seconds = theirs.seconds;
    }
    assert_eq!((same.point, suggestion), (trial.point, trial.suggestion));
    assert!(heard > 2);
}
