//! "At most k of these are used", and mixtures.

use fathom_check::verify;
use fathom_global::{Limits, Problem, Proof, Region, Row, Status, Stop, minimise_with_proof};
use fathom_gp::{Covariance, Criterion, Dataset, Kernel, Model, Posterior};
use fathom_study::{Definition, Error, Kind, Parameter, Point, Space, Study, Value};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

const GAP: f64 = 1e-3;

fn shares(n: usize) -> Vec<Parameter> {
    let float = |i: usize| Parameter::new(&format!("p{i}"), Kind::Float { low: 0.0, high: 1.0, log: false }).unwrap();
    (0..n).map(float).collect()
}

/// A model over the coordinates of `space`, with data anywhere in them.
fn posterior(rng: &mut ChaCha8Rng, space: &Space, n: usize, kernel: Kernel) -> Posterior {
    let dim = space.dim();
    let x: Vec<Vec<f64>> = (0..14)
        .map(|_| (0..dim).map(|j| if j < n { rng.random::<f64>() } else { f64::from(rng.random::<bool>()) }).collect())
        .collect();
    let y: Vec<f64> = x.iter().map(|x| x[..n].iter().map(|x| (7.0 * x).sin()).sum::<f64>()).collect();
    let scales: Vec<f64> = space.widths().iter().map(|width| width * (0.2 + 0.5 * rng.random::<f64>())).collect();
    let covariance = Covariance::ard(kernel, 1.0, &scales).unwrap();
    Model::new(covariance, 1e-4).unwrap().condition(&Dataset::new(&x, &y).unwrap()).unwrap()
}

/// The certified minimum over a region, with a proof that the checker has accepted; `None` if the region has no points.
fn minimum(
    posterior: &Posterior,
    criterion: Criterion,
    region: &Region,
    keep: Option<&str>,
) -> Option<(f64, Vec<f64>)> {
    let problem = Problem::new(posterior, criterion, region.clone()).unwrap();
    let limits = Limits { gap: GAP, nodes: 400_000, ..Limits::default() };
    let (certificate, proof) = minimise_with_proof(&problem, &limits, &Stop::new(false), |_| {}).unwrap();
    let bytes = proof.unwrap().to_bytes().unwrap();
    // For the second checker, which is another program.
    if let (Some(name), Ok(folder)) = (keep, std::env::var("FATHOM_KEEP_PROOFS")) {
        std::fs::write(format!("{folder}/{name}.proof"), &bytes).unwrap();
    }
    verify(&Proof::from_bytes(&bytes).unwrap()).unwrap();
    if certificate.status == Status::Infeasible {
        return None;
    }
    assert_eq!(certificate.status, Status::Optimal, "{certificate:?}");
    Some((certificate.value, certificate.x))
}

#[test]
fn minima_are_those_of_enumeration_over_who_is_used() {
    let mut is_mixture = false;
    for case in 0..50_u64 {
        let mut rng = ChaCha8Rng::seed_from_u64(case);
        let n = rng.random_range(3..=5_usize);
        let most = rng.random_range(1..n);
        is_mixture = !is_mixture;
        let names: Vec<String> = (0..n).map(|i| format!("p{i}")).collect();
        let used = format!("at most {most} of {}", names.join(", "));
        let sum = format!("{} = 1", names.join(" + "));
        let texts = if is_mixture { vec![sum.as_str(), used.as_str()] } else { vec![used.as_str()] };
        let space = Space::new(shares(n), &texts).unwrap();
        let kernel = if case % 3 == 0 { Kernel::Rbf } else { Kernel::Matern52 };
        let posterior = posterior(&mut rng, &space, n, kernel);
        let criterion = if case % 4 == 0 { Criterion::Mean } else { Criterion::Lcb { kappa: 1.5 } };
        let found = minimum(&posterior, criterion, space.region(), Some(&format!("used-{case}")));
        let (value, x) = found.expect("there is a point");
        // Every way to use at most as many, each as a problem of its own.
        let mut least = f64::INFINITY;
        for chosen in 0..1_u32 << n {
            if chosen.count_ones() as usize > most || chosen == 0 && is_mixture {
                continue;
            }
            let bit = |j: usize| f64::from(chosen >> j & 1);
            let bounds: Vec<(f64, f64)> =
                (0..2 * n).map(|j| if j < n { (0.0, bit(j)) } else { (bit(j - n), bit(j - n)) }).collect();
            let mut region = Region::new(&bounds).unwrap();
            if is_mixture {
                let ones: Vec<(usize, f64)> = (0..n).map(|j| (j, 1.0)).collect();
                region = region.with_row(Row::new(&ones, &[], 1.0, 1.0).unwrap()).unwrap();
            }
            let (value, _) = minimum(&posterior, criterion, &region, None).expect("there is a point");
            least = least.min(value);
        }
        assert!((value - least).abs() <= 2.0 * GAP, "case {case}: {value} against {least}");
        // The point as people see it keeps the constraints exactly as they are written.
        let point = space.check(&space.decode(&x)).unwrap();
        let count = point.values().filter(|value| value.as_f64() != Some(0.0)).count();
        assert!(count <= most, "case {case}: {point:?}");
    }
}

fn study(text: &str) -> Study {
    Study::create("memory:", Definition::parse(text).unwrap()).unwrap()
}

#[test]
fn every_suggestion_of_a_mixture_keeps_its_sum_and_the_number_of_its_parts_and_has_a_proof() {
    let text = "name = 'blend'\nconstraints = ['a + b + c + `d-oil` = 1', 'at most 2 of a, b, c, `d-oil` are used']
        [parameters]\na = { type = 'float', low = 0, high = 1 }\nb = { type = 'float', low = 0, high = 0.6 }
        c = { type = 'float', low = 0, high = 1 }\n'd-oil' = { type = 'float', low = 0, high = 1 }
        heat = { type = 'float', low = 20, high = 80, step = 5 }\n[strategy]\ninitial = 6";
    let mut study = study(text);
    let mut supports = std::collections::BTreeSet::new();
    for _ in 0..22 {
        let trial = study.ask(1).unwrap().remove(0);
        let part = |name: &str| trial.number(name).unwrap();
        let parts = ["a", "b", "c", "d-oil"].map(part);
        assert!((parts.iter().sum::<f64>() - 1.0).abs() < 1e-8, "{:?}", trial.point);
        assert!(parts.iter().filter(|part| **part != 0.0).count() <= 2, "{:?}", trial.point);
        supports.insert(parts.map(|part| part != 0.0));
        assert_eq!(part("heat") % 5.0, 0.0);
        let value = (parts[0] - 0.7).powi(2) + (parts[2] - 0.3).powi(2) + (part("heat") / 60.0 - 0.8).powi(2);
        study.tell(trial.id, value).unwrap();
        if trial.id > 6 {
            study.verify(trial.id).unwrap();
        }
    }
    assert!(supports.len() >= 3, "a design uses different parts: {supports:?}");
    let best = study.best().unwrap().unwrap();
    assert!(best.objective().unwrap() < 0.05, "{:?}", best.point);
}

#[test]
fn whole_numbers_steps_lists_and_booleans_can_be_unused_too() {
    let text =
        "constraints = ['at most 2 of n, x, v, on, y']\n[parameters]\nn = { type = 'integer', low = 0, high = 5 }
        x = { type = 'float', low = -1, high = 1, step = 0.5 }\nv = { type = 'float', values = [0, 0.1, 7] }
        on = { type = 'boolean' }\ny = { type = 'float', low = -2, high = 3 }\n[strategy]\ninitial = 5";
    let mut study = study(text);
    for _ in 0..12 {
        let trial = study.ask(1).unwrap().remove(0);
        let used = trial.point.values().filter(|value| value.as_f64() != Some(0.0)).count();
        assert!(used <= 2, "{:?}", trial.point);
        study.tell(trial.id, trial.point.values().map(|value| (value.as_f64().unwrap() - 0.6).powi(2)).sum()).unwrap();
        if trial.id > 5 {
            study.verify(trial.id).unwrap();
        }
    }
    let past: Point = ["n", "x", "v", "on", "y"].into_iter().map(|name| (name.to_owned(), Value::Integer(1))).collect();
    let past = Point::from_iter(past.into_iter().map(|(name, value)| match name.as_str() {
        "v" => (name, Value::Float(7.0)),
        _ => (name, value),
    }));
    let refused = study.add_pending(&past);
    assert!(matches!(refused, Err(Error::Violated { violation, .. }) if violation == 3.0), "{refused:?}");
}

#[test]
fn what_cannot_be_counted_is_refused_at_its_place() {
    let parameters = || {
        let mut parameters = shares(3);
        parameters.push(Parameter::new("hot", Kind::Float { low: 20.0, high: 80.0, log: false }).unwrap());
        parameters.push(Parameter::new("kind", Kind::Categorical { choices: vec!["a".into(), "b".into()] }).unwrap());
        parameters.push(Parameter::new("at", Kind::Float { low: 0.0, high: 1.0, log: false }).unwrap());
        parameters
    };
    for (text, at, part) in [
        ("at most 2 of p0, p1, hot", 21, "cannot be 0"),
        ("at most 1 of p0, kind", 17, "has choices"),
        ("at most 1 of p0, p9", 17, "no parameter `p9`"),
        ("at most 1 of p0, p0", 17, "twice"),
        ("at most 2 of p0, p1", 7, "at most 1 to 1"),
        ("at most 0 of p0, p1", 7, "at most 1 to 1"),
        ("at most 1 in p0, p1", 10, "`of` is missing"),
        ("at most 1 of p0, p1 <= 3", 20, "only names"),
    ] {
        match Space::new(parameters(), &[text]) {
            Err(Error::BadConstraint { at: found, message, .. }) => {
                assert!(message.contains(part) && found.abs_diff(at) <= 1, "{text}: at {found}, {message}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    assert!(
        Space::new(parameters(), &["at + p1 <= 1", "at most 1 of at, p1"]).is_ok(),
        "a parameter may be called `at`"
    );
}
