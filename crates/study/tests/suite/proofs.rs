//! The proof behind every suggestion.

use fathom_global::Status;
use fathom_study::{Definition, Error, Origin, Outcome, Point, Scope, Study, Trial, Value};

/// A study file's head with two floats.
const PLANE: &str = "x = { type = 'float', low = -1, high = 2 }\ny = { type = 'float', low = -1, high = 2 }\n";

/// One study of each kind: a name, what stands before the parameters, the parameters, and the strategy.
const KINDS: [(&str, &str, &str, &str); 29] = [
    ("plain", "", PLANE, ""),
    (
        "small units",
        "constraints = ['x + y <= 1.2e-5', 'x^2 + y^2 >= 1e-11']",
        "x = { type = 'float', low = 0, high = 1e-5 }\ny = { type = 'float', low = 0, high = 1e-5 }",
        "",
    ),
    ("constraints", "constraints = ['x + y <= 1.5', 'x^2 + y^2 >= 0.2']", PLANE, ""),
    (
        "whole numbers",
        "",
        "n = { type = 'integer', low = 1, high = 40 }\nx = { type = 'float', low = 0, high = 1 }",
        "",
    ),
    (
        "categories",
        "",
        "kind = { type = 'categorical', choices = ['a', 'b', 'c'] }\nx = { type = 'float', low = 0, high = 1 }",
        "",
    ),
    (
        "log scale",
        "constraints = ['rate <= 0.05']",
        "rate = { type = 'float', low = 1e-5, high = 0.1, scale = 'log' }\nx = { type = 'float', low = 0, high = 1 }",
        "",
    ),
    (
        "steps",
        "constraints = ['x + n <= 20.5']",
        "x = { type = 'float', low = 0.1, high = 2.3, step = 0.1 }\nn = { type = 'integer', low = 4, high = 40, step = 4 }
         z = { type = 'float', low = 0, high = 1 }",
        "",
    ),
    (
        "lists",
        "constraints = ['x + y <= 10.5']",
        "x = { type = 'float', values = [0.1, 10, 0.5, 2] }\ny = { type = 'integer', values = [1, 2, 3, 10] }
         z = { type = 'float', low = 0, high = 1 }",
        "",
    ),
    (
        "log lists",
        "constraints = ['x * n <= 300']",
        "x = { type = 'float', values = [0.1, 0.3, 1, 3, 10], scale = 'log' }
         n = { type = 'integer', low = 1, high = 1000, scale = 'log' }\nz = { type = 'float', low = 0, high = 1 }",
        "",
    ),
    (
        "lists for pk",
        "",
        "x = { type = 'float', values = [0.1, 0.5, 2] }\nz = { type = 'float', low = 0, high = 1 }",
        "optimiser = 'pk'\nkernel = 'matern52'\npk = { true_bound = 'certified' }",
    ),
    (
        "choices of every kind",
        "constraints = ['z <= 0.2 + 0.7*warm']",
        "warm = { type = 'boolean' }\nbatch = { type = 'categorical', choices = [16, 32, 64] }
         speed = { type = 'categorical', choices = ['low', 'medium', 'high'], ordered = true }
         z = { type = 'float', low = 0, high = 1 }",
        "",
    ),
    (
        "names with blanks",
        "constraints = ['`Temperature (°C)` + 2*`catalyst-load` <= 130']",
        "'Temperature (°C)' = { type = 'float', low = 20, high = 120, step = 5 }
         'catalyst-load' = { type = 'float', low = 0, high = 10 }",
        "",
    ),
    ("pending", "", PLANE, "acquisition = 'lcb'\nbeta = 4"),
    ("failures", "", PLANE, ""),
    ("improvement", "", PLANE, "acquisition = 'ei'"),
    ("log improvement", "", PLANE, "acquisition = 'log-ei'\nkernel = 'rbf'"),
    ("additive", "", PLANE, "groups = [['x'], ['y']]"),
    ("piecewise linear", "", PLANE, "optimiser = 'pk'\nkernel = 'matern52'\npk = { true_bound = 'theorem' }"),
    ("paper", "", PLANE, "preset = 'paper'\npk = { true_bound = 'certified', kernel_error = 0.1, schedule = 0.5 }"),
    ("paper by groups", "", PLANE, "optimiser = 'pk-groups'\ngroups = [['x'], ['y']]"),
    ("maximise", "goal = 'maximise'", PLANE, "kernel = 'rq'\nnoise = 'learned'\nscaling = 'unit'\nard = false"),
    ("cut short", "", PLANE, "node_limit = 3\ngap = 1e-5"),
    ("linear", "", PLANE, "kernel = 'linear'\noffset = 0.5\nnoise = 'learned'"),
    ("through the corner", "", PLANE, "kernel = 'linear'\noffset = 0\nnoise = 'learned'\nard = false"),
    (
        "polynomial",
        "constraints = ['n + 40 * x <= 70']",
        "n = { type = 'integer', low = 1, high = 40 }\nx = { type = 'float', low = 0, high = 1 }
         kind = { type = 'categorical', choices = ['a', 'b', 'c'] }",
        "kernel = 'polynomial'\ndegree = 3\nnoise = 'learned'",
    ),
    ("additive polynomial", "", PLANE, "kernel = 'polynomial'\nnoise = 'learned'\ngroups = [['x'], ['y']]"),
    ("mixture", "", PLANE, "kernel = 'rq'\nalpha = 1e-6"),
    ("generalised", "", PLANE, "acquisition = 'glcb'\nrho = 0.5\nimprecision = 2"),
    ("finite", "", "n = { type = 'integer', low = 0, high = 14 }", "acquisition = 'mean'"),
];

fn definition(kind: &str) -> Definition {
    let (name, head, parameters, strategy) = KINDS.into_iter().find(|found| found.0 == kind).unwrap();
    let text = format!("name = '{name}'\n{head}\n[parameters]\n{parameters}\n[strategy]\ninitial = 4\n{strategy}");
    Definition::parse(&text).unwrap()
}

/// Something with slopes and a few minima.
fn value(trial: &Trial) -> f64 {
    trial
        .point
        .values()
        .enumerate()
        .map(|(i, value)| match value {
            Value::Text(text) => text.len() as f64 + f64::from(u8::from(text == "b")),
            Value::Integer(n) => (*n as f64 / 40.0 - 0.3).powi(2),
            Value::Boolean(is_on) => f64::from(u8::from(*is_on)),
            Value::Float(x) => (x.max(1e-9).ln() + 1.0 + i as f64).sin() + (x - 0.4) * (x - 0.4),
        })
        .sum()
}

/// A study of some kind after `count` trials, some of them pending or failed if the kind has such trials.
fn played(url: &str, kind: &str, count: u64) -> Study {
    let mut study = Study::create(url, definition(kind)).unwrap();
    let mut waiting = Vec::new();
    while (study.trials().unwrap().len() as u64) < count {
        let trial = study.ask(1).unwrap().remove(0);
        match (kind, trial.id % 3) {
            ("pending", 0 | 1) if trial.id > 4 => waiting.push(trial),
            ("failures", 0) => study.tell_failed(trial.id, "burnt").unwrap(),
            _ => study.tell(trial.id, value(&trial)).unwrap(),
        }
        if waiting.len() > 3 {
            let first = waiting.remove(0);
            study.tell(first.id, value(&first)).unwrap();
        }
    }
    study
}

#[test]
fn every_model_suggestion_of_every_kind_of_study_is_verified() {
    for (kind, ..) in KINDS {
        let mut study = played("memory:", kind, 13);
        for trial in study.trials().unwrap() {
            let outcome = study.verify(trial.id);
            if trial.suggestion.origin == Origin::Design {
                assert!(matches!(&outcome, Err(Error::NoProof { reason, .. }) if reason.contains("initial design")));
                continue;
            }
            let checked = outcome.unwrap_or_else(|error| panic!("{kind}: {error}"));
            let (proof, claim) = (&checked.proof, &checked.proof.proof.claim);
            assert!(proof.is_fit_reproduced, "{kind}, trial {}: {:?}", trial.id, proof.reasons);
            let scope = if kind == "piecewise linear" { Scope::PiecewiseLinear } else { Scope::Minimum };
            assert!(proof.scope == scope || kind == "finite", "{kind}: {:?}", proof.scope);
            match &trial.suggestion.certificate {
                Some(certificate) => {
                    assert_eq!(claim.lower_bound, certificate.lower_bound, "{kind}");
                    assert_eq!(claim.point.as_ref(), Some(&certificate.x));
                    assert_eq!(claim.value, Some(certificate.value));
                    let is_cut = certificate.status == Status::NodeLimit;
                    assert_eq!(is_cut, proof.reasons.iter().any(|reason| reason.contains("cut")), "{kind}");
                }
                None => assert!(["piecewise linear", "finite"].contains(&kind), "{kind}"),
            }
            assert_eq!(study.statement(trial.id).unwrap().difference(&proof.proof.statement), None, "{kind}");
        }
    }
}

#[test]
fn what_pending_trials_are_told_later_does_not_count() {
    let mut study = played("memory:", "pending", 12);
    let before = study.proof(12).unwrap();
    assert!(before.reasons[0].contains("pending and taken at the posterior mean"), "{:?}", before.reasons);
    for trial in study.trials().unwrap() {
        if trial.objective().is_none() {
            study.tell(trial.id, 5.0).unwrap();
        }
    }
    assert_eq!(study.proof(12).unwrap(), before);
    study.verify(12).unwrap();
}

#[test]
fn a_suggestion_keeps_away_from_points_tried_before_and_the_proof_says_so() {
    // The deviation alone is the same at every ask of the same pending points, and a mean is at its data's minimum.
    let text = format!("[parameters]\n{PLANE}[strategy]\ninitial = 4\nacquisition = 'mean'\ngap = 1e-6");
    let mut study = Study::create("memory:", Definition::parse(&text).unwrap()).unwrap();
    for _ in 0..14 {
        let trial = study.ask(1).unwrap().remove(0);
        study.tell(trial.id, trial.number("x").unwrap() + trial.number("y").unwrap()).unwrap();
    }
    let trials = study.trials().unwrap();
    let moved = |trial: &&Trial| trial.suggestion.basis.as_ref().is_some_and(|basis| !basis.apart_from.is_empty());
    let moved: Vec<&Trial> = trials.iter().filter(moved).collect();
    assert!(!moved.is_empty());
    for trial in moved {
        let checked = study.verify(trial.id).unwrap();
        let balls = trial.suggestion.basis.as_ref().unwrap().apart_from.len();
        assert_eq!(checked.proof.proof.statement.rows.len(), balls);
        assert!(checked.proof.reasons[1].contains("balls around points tried before"), "{:?}", checked.proof.reasons);
    }
}

#[test]
fn the_best_point_left_of_a_finite_space_has_a_proof_over_the_whole() {
    let mut study = played("memory:", "finite", 15);
    let scope = |study: &mut Study, id| study.verify(id).map(|checked| checked.proof.scope).ok();
    let scopes: Vec<_> = (5..=15).map(|id| scope(&mut study, id)).collect();
    assert!(scopes.contains(&Some(Scope::BestLeft)), "{scopes:?}");
    assert!(!scopes.contains(&None), "{scopes:?}");
}

/// Each group alone, without a bound of the whole.
const ALONE: &str = "'pk-groups'\ngroups = [['x'], ['y']]\npk = { true_bound = 'theorem' }";

#[test]
fn what_no_model_chose_or_no_search_proved_has_no_proof() {
    let mut study = played("memory:", "plain", 5);
    let past: Point = [("x".to_owned(), Value::Float(0.5)), ("y".to_owned(), Value::Float(0.25))].into_iter().collect();
    study.add(&past, &Outcome::of(1.0).unwrap()).unwrap();
    let reason = |study: &mut Study, id| match study.verify(id) {
        Err(Error::NoProof { reason, .. }) => reason,
        other => panic!("{other:?}"),
    };
    assert!(reason(&mut study, 1).contains("initial design"));
    assert!(reason(&mut study, 6).contains("added from outside"));
    assert!(matches!(study.verify(7), Err(Error::NoSuchTrial { id: 7, .. })));
    assert!(matches!(study.verify(0), Err(Error::NoSuchTrial { id: 0, .. })));
    study.ask(1).unwrap();
    study.verify(7).unwrap();
    for (optimiser, part) in [("'multistart'", "proves nothing"), (ALONE, "the whole")] {
        let text = format!("[parameters]\n{PLANE}[strategy]\ninitial = 4\noptimiser = {optimiser}");
        let mut study = Study::create("memory:", Definition::parse(&text).unwrap()).unwrap();
        for _ in 0..5 {
            let trial = study.ask(1).unwrap().remove(0);
            study.tell(trial.id, value(&trial)).unwrap();
        }
        assert!(reason(&mut study, 5).contains(part));
    }
}

/// A study in a file after some trials, and that file.
fn in_a_file(folder: &std::path::Path, kind: &str, count: u64) -> (String, rusqlite::Connection) {
    let path = folder.join("study.db");
    let url = format!("sqlite://{}", path.display());
    drop(played(&url, kind, count));
    let by_hand = rusqlite::Connection::open(&path).unwrap();
    by_hand.execute("DROP TRIGGER finished_trials_stay", []).unwrap();
    (url, by_hand)
}

#[test]
fn what_was_changed_by_hand_is_named() {
    let changes = [
        ("UPDATE trial SET told = '{\"value\":0.125}' WHERE number = 3", "trial 3 had the value"),
        ("UPDATE trial SET state = 'failed', told = NULL WHERE number = 2", "and has failed now"),
        ("UPDATE trial SET state = 'pending', told = NULL WHERE number = 2", "and is pending now"),
        ("UPDATE trial SET point = '{\"x\":0.5,\"y\":0.5}' WHERE number = 1", "trial 1 has another point now"),
        ("UPDATE trial SET point = '{\"x\":0.5,\"y\":0.5}' WHERE number = 9", "`x` of its point was"),
        (
            "UPDATE trial SET suggestion = json_set(suggestion, '$.certificate.lower_bound', -1e-3, '$.certificate.value', 1.0,
             '$.certificate.gap', 1.001, '$.certificate.relative_gap', 1.001) WHERE number = 9",
            "",
        ),
        ("UPDATE trial SET suggestion = json_set(suggestion, '$.basis.model.noise', 0.5) WHERE number = 9", "to improve on"),
        ("UPDATE trial SET suggestion = json_set(suggestion, '$.basis.function.kappa', 0.5) WHERE number = 9", "κ was 0.5"),
        ("UPDATE trial SET suggestion = json_set(suggestion, '$.basis.told', json('[]')) WHERE number = 5", "nothing says"),
    ];
    for (change, said) in changes {
        let folder = tempfile::tempdir().unwrap();
        let (url, by_hand) = in_a_file(folder.path(), "plain", 9);
        Study::open(&url, "plain").unwrap().verify(9).unwrap();
        assert_eq!(by_hand.execute(change, []).unwrap(), 1);
        let error = Study::open(&url, "plain").unwrap().verify(9).unwrap_err();
        assert!(matches!(error, Error::Different { id: 9, .. } | Error::Refused { id: 9, .. }), "{change}: {error}");
        assert!(error.to_string().contains(said), "{change}: {error}");
    }
}

#[test]
fn other_hyperparameters_are_another_problem_and_a_fit_that_differs_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (url, by_hand) = in_a_file(folder.path(), "plain", 9);
    // Another machine's last bits may do this to a fit.
    let change = "UPDATE trial SET suggestion = json_set(suggestion, '$.basis.model.terms[0].variance',
                  json_extract(suggestion, '$.basis.model.terms[0].variance') * (1 + 1e-15)) WHERE number = 9";
    assert_eq!(by_hand.execute(change, []).unwrap(), 1);
    let checked = Study::open(&url, "plain").unwrap().verify(9).unwrap();
    assert!(!checked.proof.is_fit_reproduced);
    assert!(checked.proof.reasons[3].contains("about the stored ones"), "{:?}", checked.proof.reasons);
    let change =
        "UPDATE trial SET suggestion = json_set(suggestion, '$.basis.model.terms[0].variance', 7.5) WHERE number = 9";
    assert_eq!(by_hand.execute(change, []).unwrap(), 1);
    assert!(Study::open(&url, "plain").unwrap().verify(9).is_err());
}

#[test]
fn another_strategy_in_the_file_is_noticed_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let (url, _) = in_a_file(folder.path(), "plain", 8);
    let file = definition("plain").text().to_owned();
    for (key, more) in [
        ("`kernel`", "kernel = 'rbf'"),
        ("`noise`", "noise = 1e-4"),
        ("`acquisition`", "acquisition = 'ei'"),
        ("κ", "beta = 9"),
        ("scaled", "scaling = 'unit'"),
        ("`groups`", "groups = [['x'], ['y']]"),
        ("`ard`", "ard = false"),
    ] {
        let changed = Definition::parse(&format!("{file}\n{more}")).unwrap();
        let error = Study::consult(&url, changed).unwrap().verify(8).unwrap_err();
        assert!(matches!(error, Error::Different { id: 8, .. }) && error.to_string().contains(key), "{error}");
    }
    for (kind, key, from, to) in [
        ("mixture", "`alpha`", "alpha = 1e-6", "alpha = 0.5"),
        ("additive polynomial", "`degree`", "noise =", "degree = 3\nnoise ="),
        ("linear", "`offset`", "offset = 0.5", "offset = 0.25"),
        ("generalised", "`rho`", "rho = 0.5", "rho = 0.75"),
        ("generalised", "`imprecision`", "imprecision = 2", "imprecision = 1"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (url, _) = in_a_file(folder.path(), kind, 6);
        let file = definition(kind).text().to_owned();
        Study::consult(&url, definition(kind)).unwrap().verify(6).unwrap();
        let changed = Definition::parse(&file.replace(from, to)).unwrap();
        let error = Study::consult(&url, changed).unwrap().verify(6).unwrap_err();
        assert!(matches!(error, Error::Different { id: 6, .. }) && error.to_string().contains(key), "{kind}: {error}");
    }
    let changed = Definition::parse(&file.replace("high = 2", "high = 3")).unwrap();
    assert!(matches!(Study::consult(&url, changed), Err(Error::DifferentSpace { .. })));
    // Gaps, limits and the seed do not pose another problem.
    let changed = Definition::parse(&format!("{file}\ngap = 0.5\nseed = 3\ntime_limit = '1s'")).unwrap();
    Study::consult(&url, changed).unwrap().verify(8).unwrap();
    assert_eq!(Study::open(&url, "plain").unwrap().definition().text(), file);
}

#[test]
fn a_search_that_time_cut_short_has_a_proof_of_its_bound() {
    let text = "[parameters]\na = { type = 'float', low = 0, high = 1 }\nb = { type = 'float', low = 0, high = 1 }
        c = { type = 'float', low = 0, high = 1 }\nd = { type = 'float', low = 0, high = 1 }
        [strategy]\ninitial = 12\ntime_limit = '3ms'\ngap = 1e-6";
    let mut study = Study::create("memory:", Definition::parse(text).unwrap()).unwrap();
    for _ in 0..16 {
        let trial = study.ask(1).unwrap().remove(0);
        let wave = |name: &str, k: f64| (k * trial.number(name).unwrap()).sin();
        study.tell(trial.id, wave("a", 9.0) + wave("b", 7.0) * wave("c", 11.0) + wave("d", 8.0)).unwrap();
    }
    for trial in &study.trials().unwrap()[12..] {
        let certificate = trial.suggestion.certificate.as_ref().unwrap();
        match study.verify(trial.id) {
            Ok(checked) => assert_eq!(checked.verdict.lower_bound, certificate.lower_bound),
            Err(Error::NoProof { .. }) => assert_eq!(certificate.lower_bound, None),
            Err(error) => panic!("{:?}: {error}", certificate.status),
        }
    }
}

#[test]
fn trials_of_earlier_versions_load_and_say_that_they_have_no_proof() {
    let folder = tempfile::tempdir().unwrap();
    let (url, by_hand) = in_a_file(folder.path(), "plain", 8);
    by_hand.execute("UPDATE trial SET suggestion = json_remove(suggestion, '$.basis')", []).unwrap();
    let mut study = Study::open(&url, "plain").unwrap();
    assert!(matches!(study.verify(8), Err(Error::NoProof { reason, .. }) if reason.contains("earlier version")));
    study.tell(8, 0.5).unwrap_or(());
    assert_eq!(study.ask(1).unwrap()[0].id, 9);
    study.verify(9).unwrap();
}

#[test]
fn what_versions_before_the_new_defaults_suggested_is_verified_under_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.db");
    let url = format!("sqlite://{}", path.display());
    // Those versions had these defaults, and their files did not have to name them.
    let short = format!("name = 'old'\n[parameters]\n{PLANE}[strategy]\ninitial = 4\n");
    let before = "kernel = 'matern32'\nfit = 'likelihood'\nmean = 0\nnoise = 1e-6\nwarp = 'none'\nacquisition = 'lcb'\nbeta = 'paper'\n";
    let mut study = Study::create(&url, Definition::parse(&format!("{short}{before}")).unwrap()).unwrap();
    for _ in 0..7 {
        let trial = study.ask(1).unwrap().remove(0);
        study.tell(trial.id, trial.number("x").unwrap().powi(2) + trial.number("y").unwrap()).unwrap();
    }
    drop(study);
    let by_hand = rusqlite::Connection::open(&path).unwrap();
    by_hand.execute("DROP TRIGGER finished_trials_stay", []).unwrap();
    by_hand.execute("UPDATE study SET text = ?1", [&short]).unwrap();
    let mut study = Study::open(&url, "old").unwrap();
    let error = study.verify(7).unwrap_err().to_string();
    assert!(error.contains("`kernel` of the strategy was matern32 then, and is matern52 now"), "{error}");
    let marks =
        by_hand.execute("UPDATE trial SET suggestion = json_remove(suggestion, '$.basis.defaults')", []).unwrap();
    assert_eq!(marks, 7);
    for id in 5..=7 {
        study.verify(id).unwrap();
    }
    // The study goes on with the defaults of now.
    let next = study.ask(1).unwrap().remove(0);
    assert_eq!(next.suggestion.basis.as_ref().unwrap().model.kernel.as_str(), "matern52");
    study.verify(next.id).unwrap();
}
