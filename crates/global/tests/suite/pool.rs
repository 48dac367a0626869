//! The pool holds distinct local minima of the region, best first.

use crate::instances::{load, solve};
use fathom_global::{Certificate, Incumbent, Instance, Limits, Posed as _, Region, Status};
use fathom_gp::Acquisition;

fn pool(instance: &Instance, size: usize) -> Certificate {
    let certificate = solve(instance, &Limits { gap: 1e-3, pool: size, ..Limits::default() });
    assert_eq!(certificate.status, Status::Optimal);
    certificate
}

/// Whether the point lies in the region, has the acquisition function's value, and no small step along one side leads lower.
fn is_a_minimum(instance: &Instance, region: &Region, found: &Incumbent) -> bool {
    let posterior = instance.posterior().unwrap();
    let mut acquisition = Acquisition::new(&posterior, instance.criterion().unwrap()).unwrap();
    let lower_beside = (0..region.dim()).filter(|j| !region.integer()[*j]).any(|j| {
        let step = 1e-3 * (region.upper()[j] - region.lower()[j]);
        [-step, step].into_iter().any(|step| {
            let mut beside = found.x.clone();
            beside[j] += step;
            region.contains(&beside) && acquisition.value(&beside) < found.value
        })
    });
    region.contains(&found.x) && acquisition.value(&found.x) == found.value && !lower_beside
}

#[test]
fn the_best_minima_of_a_curve_are_found() {
    let instance = load("prior_d1_matern32_r00");
    let posterior = instance.posterior().unwrap();
    let mut acquisition = Acquisition::new(&posterior, instance.criterion().unwrap()).unwrap();
    let values: Vec<f64> = (0..=2000).map(|i| acquisition.value(&[f64::from(i) / 2000.0])).collect();
    let mut minima: Vec<f64> = (0..values.len())
        .filter(|i| *i == 0 || values[i - 1] > values[*i])
        .filter(|i| *i + 1 == values.len() || values[i + 1] > values[*i])
        .map(|i| values[i])
        .collect();
    minima.sort_by(f64::total_cmp);
    let found = pool(&instance, 3).pool;
    assert!(minima.len() >= 3 && found.len() == 3, "{minima:?} {found:?}");
    for (found, grid) in found.iter().zip(&minima) {
        assert!((found.value - grid).abs() < 1e-3, "{found:?} {minima:?}");
    }
}

#[test]
fn points_are_distinct_minima_best_first_and_the_first_is_the_certified_one() {
    for name in ["prior_d2_rbf_r00", "prior_d3_matern32_r01", "bo_d3_n50_matern32_r0"] {
        let instance = load(name);
        let region = instance.region().unwrap();
        let certificate = pool(&instance, 6);
        let found = &certificate.pool;
        assert!(found.len() > 1, "{name}");
        assert_eq!((&found[0].x, found[0].value), (&certificate.x, certificate.value));
        assert!(found.iter().all(|point| is_a_minimum(&instance, &region, point)), "{name}: {found:?}");
        assert!(found.is_sorted_by(|a, b| a.value <= b.value));
        for (i, a) in found.iter().enumerate() {
            for b in &found[..i] {
                assert!(a.x.iter().zip(&b.x).any(|(a, b)| (a - b).abs() >= 0.01), "{name}: {a:?} {b:?}");
            }
        }
        let plain = solve(&instance, &Limits { gap: 1e-3, ..Limits::default() });
        assert!(plain.pool.is_empty() && (plain.value - certificate.value).abs() <= 1e-3);
    }
}

#[test]
fn under_constraints_every_point_is_feasible() {
    let mut instance = load("prior_d2_matern32_r00");
    instance.constraints = serde_json::from_str(r#"[{"linear": [[0, 1], [1, 1]], "upper": 1.0}]"#).unwrap();
    let region = instance.region().unwrap();
    let found = pool(&instance, 5).pool;
    assert!(found.len() > 1 && found.iter().all(|point| region.contains(&point.x)), "{found:?}");
}
