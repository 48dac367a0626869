//! Studies of noisy values: batches, and the best trial by the model.

use fathom_study::{Address, Definition, Outcome, Point, Study, Trial, Value};

const CUBE: &str =
    "[parameters]\nx = { type = 'float', low = 0, high = 1 }\ny = { type = 'float', low = 0, high = 1 }\n";

/// Numbers with mean 0 and deviation 1, the same ones in every run.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        let mut uniform = || {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        };
        (0..12).map(|_| uniform()).sum::<f64>() - 6.0
    }
}

fn place(trial: &Trial) -> [f64; 2] {
    ["x", "y"].map(|name| trial.number(name).unwrap())
}

fn truth([x, y]: [f64; 2]) -> f64 {
    4.0 * ((x - 0.3).powi(2) + (y - 0.35).powi(2))
}

/// A study after so many batches of eight, told the truth and noise of this deviation, times `sign`.
fn played(text: &str, batches: usize, deviation: f64, sign: f64) -> Study {
    let mut study = Study::create("memory:", Definition::parse(text).unwrap()).unwrap();
    let mut noise = Noise(12345);
    for _ in 0..batches {
        for trial in study.ask(8).unwrap() {
            study.tell(trial.id, sign * (truth(place(&trial)) + deviation * noise.next())).unwrap();
        }
    }
    study
}

fn least_distance(trials: &[Trial]) -> f64 {
    let places: Vec<[f64; 2]> = trials.iter().map(place).collect();
    let pairs = places.iter().enumerate().flat_map(|(i, a)| places[..i].iter().map(move |b| (a, b)));
    pairs.map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1])).fold(f64::INFINITY, f64::min)
}

#[test]
fn the_points_of_a_batch_differ_however_large_the_noise_is_and_their_proofs_hold() {
    let mut study = played(CUBE, 4, 0.3, 1.0);
    let mut times = 0;
    for _ in 0..2 {
        let batch = study.ask(8).unwrap();
        assert!(least_distance(&batch) > 0.009, "{}", least_distance(&batch));
        for trial in &batch {
            let basis = trial.suggestion.basis.as_deref().unwrap();
            times = basis.believed.iter().map(|seen| seen.times).fold(times, u32::max);
            // What is believed of a pending trial need not be found again.
            let least = basis.believed.iter().filter_map(|seen| seen.value).fold(f64::INFINITY, f64::min);
            assert!(basis.function.best.is_none_or(|best| best <= least), "{basis:?}");
        }
        let last = batch.last().unwrap();
        let checked = study.verify(last.id).unwrap();
        let told = study.trials().unwrap().iter().filter(|trial| trial.objective().is_some()).count();
        let believed: u32 = last.suggestion.basis.as_ref().unwrap().believed.iter().map(|seen| seen.times).sum();
        assert_eq!(checked.proof.proof.statement.y.len(), told + believed as usize);
        batch.iter().for_each(|trial| study.tell(trial.id, truth(place(trial))).unwrap());
    }
    assert!((2..=30).contains(&times), "{times}");
}

#[test]
fn exact_values_are_believed_once_and_keep_no_more_distance_than_before() {
    let mut study = played(&format!("deterministic = true\n{CUBE}"), 3, 0.0, 1.0);
    for trial in study.ask(8).unwrap() {
        let basis = trial.suggestion.basis.as_deref().unwrap();
        assert!(basis.believed.iter().all(|seen| seen.times == 1) && basis.apart_by.is_none(), "{basis:?}");
    }
}

#[test]
fn a_space_without_room_for_a_distance_still_has_points() {
    let text = "[parameters]\nx = { type = 'float', low = 0, high = 1 }\ny = { type = 'float', low = 0, high = 1 }\n";
    let narrow = format!("constraints = ['(x - 0.5)^2 + (y - 0.5)^2 <= 4e-5']\n{text}");
    let mut study = Study::create("memory:", Definition::parse(&narrow).unwrap()).unwrap();
    let mut noise = Noise(7);
    for trial in study.ask(8).unwrap() {
        study.tell(trial.id, noise.next()).unwrap();
    }
    assert!(least_distance(&study.ask(6).unwrap()) > 1e-6);
}

#[test]
fn the_best_trial_by_the_model_is_no_lucky_one() {
    for (text, sign) in [(CUBE.to_owned(), 1.0), (format!("goal = 'maximise'\n{CUBE}"), -1.0)] {
        let mut study = played(&text, 6, 0.3, sign);
        // One of six values at a bad point was lucky, and a trial failed.
        let far = study.ask(2).unwrap();
        let bad: Point =
            [("x".to_owned(), Value::Float(0.7)), ("y".to_owned(), Value::Float(0.6))].into_iter().collect();
        study.tell_failed(far[0].id, "it broke").unwrap();
        for value in [0.7, 0.9, 0.8, 1.1, 1.0] {
            study.add(&bad, &Outcome::of(value * sign).unwrap()).unwrap();
        }
        let lucky = study.add(&bad, &Outcome::of(-1.5 * sign).unwrap()).unwrap();
        assert_eq!(study.best().unwrap().unwrap().id, lucky.id);
        let found = study.recommended().unwrap().unwrap();
        assert_ne!(found.trial.id, lucky.id);
        assert!(found.trial.objective().is_some() && truth(place(&found.trial)) < 0.2, "{found:?}");
        assert!(found.low < found.median && found.median < found.high, "{found:?}");
        let surrogate = study.surrogate().unwrap();
        assert_eq!(surrogate.predict(&found.trial.point).unwrap().0, found.median);
        for trial in study.trials().unwrap().iter().filter(|trial| trial.objective().is_some()) {
            assert!(sign * surrogate.predict(&trial.point).unwrap().0 >= sign * found.median);
        }
        assert_eq!((found.luckiest, found.told), (lucky.id, -1.5 * sign));
        let words = found.sentence(|number| format!("{number:.1}"));
        let told = format!("(the luckiest value is that of trial {}, {:.1})", lucky.id, -1.5 * sign);
        assert!(words.starts_with(&format!("trial {}, ", found.trial.id)) && words.ends_with(&told), "{words}");
    }
}

#[test]
fn exact_values_few_values_and_the_paper_have_no_other_best() {
    for text in [
        format!("deterministic = true\n{CUBE}"),
        format!("{CUBE}[strategy]\npreset = 'paper'\noptimiser = 'certified'"),
    ] {
        assert_eq!(played(&text, 4, 0.0, 1.0).recommended().unwrap(), None);
    }
    // The design has eight points.
    let mut study = Study::create("memory:", Definition::parse(CUBE).unwrap()).unwrap();
    assert_eq!(study.recommended().unwrap(), None);
    for trial in study.ask(7).unwrap() {
        study.tell(trial.id, truth(place(&trial))).unwrap();
    }
    assert_eq!(study.recommended().unwrap(), None);
    // A learned noise that is negligible leaves the best value the best.
    assert_eq!(played(CUBE, 4, 0.0, 1.0).recommended().unwrap(), None);
}

#[test]
fn the_same_trial_is_called_the_same() {
    let mut study = played(&format!("{CUBE}[strategy]\nnoise = 0.01"), 3, 0.0, 1.0);
    let found = study.recommended().unwrap().unwrap();
    let words = found.sentence(|number| format!("{number:.3}"));
    assert_eq!(found.trial.id == found.luckiest, words.contains("the same trial"), "{words}");
    let best = study.best().unwrap().unwrap();
    // Much better than all others, the best value is the best for the model, too.
    study.add(&best.point, &Outcome::of(-1.0).unwrap()).unwrap();
    let found = study.recommended().unwrap().unwrap();
    assert!(
        found.trial.id == found.luckiest && found.sentence(|n| n.to_string()).contains("the same trial"),
        "{found:?}"
    );
}

#[test]
fn what_earlier_versions_believed_is_posed_as_they_did() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.db");
    let address = Address::of_file(&path);
    let text = format!("name = 'old'\ndeterministic = true\n{CUBE}[strategy]\nacquisition = 'log-ei'");
    let mut study = Study::create(&address, Definition::parse(&text).unwrap()).unwrap();
    for trial in study.ask(8).unwrap() {
        study.tell(trial.id, truth(place(&trial))).unwrap();
    }
    let batch = study.ask(3).unwrap();
    let best = |trial: &Trial| trial.suggestion.basis.as_ref().unwrap().function.best.unwrap();
    let (told, believed, id) = (best(&batch[0]), best(&batch[2]), batch[2].id);
    assert!(believed < told, "{believed} {told}");
    study.verify(id).unwrap();
    let by_hand = rusqlite::Connection::open(&path).unwrap();
    let mut change = |change: &str| {
        let change = format!("UPDATE trial SET suggestion = {change} WHERE number = {id}");
        assert_eq!(by_hand.execute(&change, []).unwrap(), 1);
        study.statement(id)
    };
    let unmarked = change("json_remove(suggestion, '$.basis.is_best_believed')").unwrap_err().to_string();
    assert!(unmarked.contains("the value to improve on"), "{unmarked}");
    // Improvements counted from what was told alone.
    change(&format!("json_set(suggestion, '$.basis.function.best', {told:?})")).unwrap();
    let too_often = change("json_set(suggestion, '$.basis.believed[0].times', 31)").unwrap_err().to_string();
    assert!(too_often.contains("31 times"), "{too_often}");
}
