//! The certified optimum agrees with everything else that is known.

use crate::instances::{all, best_known, load, solve};
use fathom_global::{Limits, Posed as _, Status};
use fathom_gp::{Acquisition, Criterion};

fn limits() -> Limits {
    Limits { gap: 1e-3, ..Limits::default() }
}

#[test]
fn every_prior_problem_and_the_smaller_late_ones_agree_with_the_best_known_value() {
    let known = best_known();
    let small = |name: &str| name.starts_with("prior") || !(name.contains("n200") || name.contains("d6"));
    let mut solved = 0;
    for instance in all("").iter().filter(|instance| small(&instance.name)) {
        let certificate = solve(instance, &limits());
        let best = known[&instance.name];
        assert_eq!(certificate.status, Status::Optimal, "{}", instance.name);
        let (value, bound) = (certificate.value, certificate.lower_bound.unwrap());
        assert!(value <= best + 1e-3, "{}: {value} against {best}", instance.name);
        // The table is printed to nine digits.
        assert!(bound <= best + 1e-8 * (1.0 + best.abs()), "{}: {bound} above {best}", instance.name);
        assert!(bound <= value && certificate.gap == Some(value - bound));
        solved += 1;
    }
    assert_eq!(solved, 112);
}

#[test]
fn one_and_two_dimensional_optima_agree_with_a_fine_grid() {
    for instance in all("prior_d1").iter().chain(&all("prior_d2")) {
        let certificate = solve(instance, &limits());
        let posterior = instance.posterior().unwrap();
        let mut lcb = Acquisition::new(&posterior, Criterion::Lcb { kappa: instance.kappa.unwrap() }).unwrap();
        let steps = if instance.dim() == 1 { 20_000 } else { 250 };
        let side = |j: usize, i: usize| {
            let (low, high) = instance.bounds[j];
            low + (high - low) * i as f64 / steps as f64
        };
        let mut grid = f64::INFINITY;
        for i in 0..=steps {
            if instance.dim() == 1 {
                grid = grid.min(lcb.value(&[side(0, i)]));
            } else {
                grid = (0..=steps).map(|j| lcb.value(&[side(0, i), side(1, j)])).fold(grid, f64::min);
            }
        }
        assert!(certificate.lower_bound.unwrap() <= grid, "{}", instance.name);
        assert!(certificate.value <= grid + 1e-3, "{}: {} against {grid}", instance.name, certificate.value);
    }
}

#[test]
fn tighter_gaps_only_narrow_the_answer() {
    let instance = load("prior_d3_matern32_r04");
    let mut last = f64::NEG_INFINITY;
    for gap in [1e-1, 1e-3, 1e-6] {
        let certificate = solve(&instance, &Limits { gap, ..Limits::default() });
        assert_eq!(certificate.status, Status::Optimal);
        assert!(certificate.gap.unwrap() <= gap + 1e-9 && certificate.lower_bound.unwrap() >= last - 1e-12);
        last = certificate.lower_bound.unwrap();
    }
}
