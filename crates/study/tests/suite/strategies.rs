//! What the keys of `[strategy]` do.

use fathom_proof::{CriterionName, KernelName};
use fathom_study::{
    BetaName, Definition, Method, NoiseName, Origin, OutputScale, Point, SequenceName, Strategy, Study, Trial, Turns,
    Value,
};
use std::time::Duration;

const PLANE: &str = "x = { type = 'float', low = -1, high = 2 }\ny = { type = 'float', low = -1, high = 2 }\n";

fn definition(head: &str, parameters: &str, strategy: &str) -> Definition {
    Definition::parse(&format!("{head}\n[parameters]\n{parameters}\n[strategy]\n{strategy}")).unwrap()
}

fn bowl(trial: &Trial) -> f64 {
    let (x, y) = (trial.number("x").unwrap(), trial.number("y").unwrap());
    (x - 0.3).powi(2) + 2.0 * (y - 1.1).powi(2) + 0.5 * x * y
}

/// The trials of a study of the bowl.
fn played(definition: &Definition, count: u64) -> (Study, Vec<Trial>) {
    let mut study = Study::create("memory:", definition.clone()).unwrap();
    for _ in 0..count {
        let trial = study.ask(1).unwrap().remove(0);
        study.tell(trial.id, bowl(&trial)).unwrap();
    }
    let trials = study.trials().unwrap();
    (study, trials)
}

fn kappas(trials: &[Trial]) -> Vec<f64> {
    trials.iter().filter_map(|trial| trial.suggestion.basis.as_ref()?.function.kappa).collect()
}

#[test]
fn the_papers_preset_is_the_papers_loop_and_keys_change_it_one_by_one() {
    let paper = definition("", PLANE, "preset = 'paper'").strategy;
    assert_eq!(paper, Strategy::paper());
    assert_eq!((paper.kernel, paper.ard, paper.noise), (KernelName::Matern32, false, NoiseName::Fixed(1e-6)));
    assert_eq!((paper.scaling, paper.design), (OutputScale::Unit, SequenceName::LatinHypercube));
    assert_eq!((&paper.acquisition, &paper.beta), (&Turns::one(CriterionName::Lcb), &BetaName::Paper));
    assert_eq!((&paper.optimiser, paper.time_limit), (&Method::Pk, Duration::from_secs(1800 + 5400)));
    let sizes = [1, 2, 3, 5].map(|free| {
        let parameters: String =
            (0..free).map(|j| format!("x{j} = {{ type = 'float', low = 0, high = 1 }}\n")).collect();
        let definition = definition("", &parameters, "preset = 'paper'");
        definition.strategy.design_size(&definition.space)
    });
    assert_eq!(sizes, [10, 20, 30, 30]);
    let changed = definition("", PLANE, "ard = true\npreset = 'paper'\ntime_limit = '5s'").strategy;
    assert_eq!(changed, Strategy { ard: true, time_limit: Duration::from_secs(5), ..Strategy::paper() });
    assert_ne!(Strategy::paper(), Strategy::default());
}

#[test]
fn the_papers_loop_runs() {
    let definition = definition("", PLANE, "preset = 'paper'\ninitial = 6\ntime_limit = '20s'");
    let (mut study, trials) = played(&definition, 9);
    assert!(trials[6..].iter().all(|trial| trial.suggestion.method.as_deref() == Some("pk")));
    let basis = trials[8].suggestion.basis.as_ref().unwrap();
    assert_eq!(basis.model.terms[0].lengthscales[0], basis.model.terms[0].lengthscales[1]);
    let expected: Vec<f64> = (1..=3).map(|t| (0.4 * (2.0 * f64::from(t)).ln()).sqrt()).collect();
    assert_eq!(kappas(&trials), expected, "t counts the steps of the model");
    assert!(study.remaining().unwrap().bound().is_none(), "nine values are too few");
}

#[test]
fn a_latin_hypercube_has_one_point_in_each_stratum_and_the_seed_decides() {
    let parameters = "x = { type = 'float', low = -1, high = 2 }\nn = { type = 'integer', low = 1, high = 5 }
        kind = { type = 'categorical', choices = ['a', 'b'] }";
    let points = |strategy: &str| -> Vec<Point> {
        let definition = definition("", parameters, &format!("design = 'latin-hypercube'\n{strategy}"));
        let mut study = Study::create("memory:", definition).unwrap();
        study.ask(20).unwrap().into_iter().map(|trial| trial.point).collect()
    };
    let design = points("initial = 20");
    let mut strata: Vec<usize> =
        design.iter().map(|point| ((point["x"].as_f64().unwrap() + 1.0) / 3.0 * 20.0) as usize).collect();
    strata.sort_unstable();
    assert_eq!(strata, (0..20).collect::<Vec<_>>());
    let count = |name: &str, value: Value| design.iter().filter(|point| point[name] == value).count();
    assert!((1..=5).all(|n| count("n", Value::Integer(n)) == 4), "integers have equal shares");
    assert_eq!(count("kind", Value::Text("a".into())), 10, "and so have choices");
    assert_eq!(design, points("initial = 20\nseed = 0"));
    assert_ne!(design, points("initial = 20\nseed = 1"));
}

#[test]
fn a_latin_hypercube_keeps_constraints_and_replaces_points_that_break_them() {
    let head = "constraints = ['x + y <= 0', 'x^2 + y^2 >= 0.2']";
    let design = definition(head, PLANE, "initial = 30\ndesign = 'latin-hypercube'");
    let mut study = Study::create("memory:", design.clone()).unwrap();
    let trials = study.ask(30).unwrap();
    for (i, trial) in trials.iter().enumerate() {
        assert_eq!(trial.suggestion.origin, Origin::Design);
        design.space.check(&trial.point).unwrap();
        assert!(trials[..i].iter().all(|other| other.point != trial.point));
    }
    let sobol = definition(head, PLANE, "initial = 30");
    assert_ne!(Study::create("memory:", sobol).unwrap().ask(1).unwrap()[0].point, trials[0].point);
}

#[test]
fn the_theorems_beta_is_that_of_its_formula_at_the_steps_of_the_model() {
    let text =
        "initial = 5\nacquisition = 'lcb'\nbeta = 'theorem'\ndelta = 0.2\nsmoothness = [1.5, 3]\nkernel = 'matern52'";
    let (_, trials) = played(&definition("", PLANE, text), 8);
    let expected = |t: f64| {
        let grid = t * t * 2.0 * 3.0 * (4.0 * 2.0 * 1.5 / 0.2_f64).ln().sqrt();
        let squared = std::f64::consts::PI.powi(2);
        (2.0 * (2.0 * t * t * squared / (3.0 * 0.2)).ln() + 2.0 * 2.0 * grid.ln()).sqrt()
    };
    let found = kappas(&trials);
    assert_eq!(found.len(), 3);
    for (t, kappa) in (1..).zip(found) {
        assert!((kappa - expected(f64::from(t))).abs() < 1e-12, "{t}: {kappa}");
    }
    let (_, by_default) = played(
        &definition(
            "",
            PLANE,
            "initial = 5\nacquisition = 'lcb'\nbeta = 'theorem'\nsmoothness = [1.5, 3]\nkernel = 'rbf'",
        ),
        6,
    );
    assert!(kappas(&by_default)[0] > expected(1.0), "δ is 0.1 if nobody says otherwise");
}

#[test]
fn the_generalised_bound_looks_elsewhere() {
    let with = |more: &str| definition("", PLANE, &format!("initial = 8\nbeta = 2\ngap = 1e-4\n{more}"));
    let next = |definition: &Definition| {
        let (mut study, _) = played(definition, 8);
        study.ask(1).unwrap().remove(0)
    };
    let plain = next(&with("acquisition = 'lcb'"));
    let general = next(&with("acquisition = 'glcb'\nrho = 3\nimprecision = 4"));
    let function = general.suggestion.basis.as_ref().unwrap().function;
    assert_eq!((function.name, function.rho, function.imprecision), (CriterionName::Glcb, Some(3.0), Some(4.0)));
    assert_ne!(plain.point, general.point);
    assert!(general.suggestion.acquisition < plain.suggestion.acquisition, "the imprecision is taken off");
    // Without a weight nothing is left of the imprecision.
    let same = next(&with("acquisition = 'glcb'\nrho = 0"));
    assert!((same.suggestion.acquisition.unwrap() - plain.suggestion.acquisition.unwrap()).abs() < 1e-3);
    let default = next(&with("acquisition = 'glcb'"));
    let function = default.suggestion.basis.as_ref().unwrap().function;
    assert_eq!((function.rho, function.imprecision), (Some(1.0), Some(1.0)));
}

#[test]
fn a_polynomial_of_the_right_degree_finds_the_minimum_of_a_polynomial() {
    // The bowl has its minimum where its gradient is 0: 2(x − 0.3) + y/2 = 0, 4(y − 1.1) + x/2 = 0.
    let (y, x) = ((4.4 - 0.15) / (4.0 - 0.125), 0.3 - 0.25 * (4.4 - 0.15) / (4.0 - 0.125));
    for more in ["", "ard = false", "degree = 3\noffset = 0.5"] {
        let exact = "acquisition = 'lcb'\nbeta = 0.01\nwarp = 'none'\nnoise = 1e-6";
        let strategy = format!("kernel = 'polynomial'\ninitial = 12\n{exact}\n{more}");
        let (mut study, _) = played(&definition("", PLANE, &strategy), 15);
        let best = study.best().unwrap().unwrap();
        let apart = (best.number("x").unwrap() - x).abs().max((best.number("y").unwrap() - y).abs());
        assert!(apart < 0.05, "{more}: {:?}", best.point);
    }
    // A plane has its minimum in a corner.
    let (mut study, _) =
        played(&definition("", PLANE, "kernel = 'linear'\ninitial = 6\nwarp = 'none'\nacquisition = 'lcb'"), 9);
    let point = &study.trials().unwrap()[8].point;
    assert!(
        point.values().all(|value| [-1.0, 2.0].iter().any(|end| (value.as_f64().unwrap() - end).abs() < 0.2)),
        "{point:?}"
    );
}

#[test]
fn every_kernel_key_changes_the_model() {
    let next = |strategy: &str| {
        let (_, trials) = played(&definition("", PLANE, &format!("initial = 9\nnoise = 1e-3\n{strategy}")), 10);
        trials[9].suggestion.basis.as_ref().unwrap().model.clone()
    };
    assert_ne!(next("kernel = 'rq'"), next("kernel = 'rq'\nalpha = 0.2"));
    assert_eq!(next("kernel = 'rq'"), next("kernel = 'rq'\nalpha = 1"));
    assert_eq!(next("kernel = 'polynomial'"), next("kernel = 'polynomial'\ndegree = 2\noffset = 1"));
    assert_ne!(next("kernel = 'polynomial'").terms, next("kernel = 'polynomial'\ndegree = 3").terms);
    let without = next("kernel = 'polynomial'\noffset = 0");
    assert_eq!((without.offset, without.terms[0].variance), (Some(0.0), 1.0), "the lengthscales make up for it");
}

#[test]
fn what_an_optimiser_is_taken_for_it_does() {
    for optimiser in ["certified", "pk", "pk-groups"] {
        for kernel in ["matern12", "matern72", "rbf", "rq", "linear", "polynomial"] {
            for acquisition in ["lcb", "glcb", "mean", "deviation", "ei", "log-ei", "pi"] {
                let groups = if optimiser == "pk-groups" { "groups = [['x'], ['y']]" } else { "" };
                let text = format!(
                    "[parameters]\n{PLANE}[strategy]\ninitial = 5\nnoise = 1e-2\ntime_limit = '5s'\n{groups}\n\
                     optimiser = '{optimiser}'\nkernel = '{kernel}'\nacquisition = '{acquisition}'"
                );
                match Definition::parse(&text) {
                    Ok(definition) => {
                        let (_, trials) = played(&definition, 6);
                        assert_eq!(trials[5].suggestion.origin, Origin::Model);
                    }
                    Err(error) => {
                        assert_ne!(optimiser, "certified", "{error}");
                        assert!(error.to_string().contains("use "), "{error}");
                    }
                }
            }
        }
    }
}
