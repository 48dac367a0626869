//! The boxes of the near-optimal set contain every point of a fine grid that belongs to the set.

use crate::instances::load;
use fathom_global::{Error, Limits, NearOptimal, Nearness, Posed as _, Problem, Region, Row, Status, Stop};
use fathom_gp::{Acquisition, Covariance, Criterion, Dataset, Kernel, Model, Posterior};
use proptest::prelude::*;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

const CRITERION: Criterion = Criterion::Lcb { kappa: 2.0 };

fn posterior(seed: u64, kernel: Kernel, dim: usize) -> Posterior {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let x: Vec<Vec<f64>> = (0..6 * dim).map(|_| (0..dim).map(|_| rng.random::<f64>()).collect()).collect();
    let y: Vec<f64> = x.iter().map(|x| x.iter().map(|x| (9.0 * x).sin()).sum::<f64>() + rng.random::<f64>()).collect();
    let covariance = Covariance::isotropic(kernel, dim, 1.0, 0.25).unwrap();
    Model::new(covariance, 1e-4).unwrap().condition(&Dataset::new(&x, &y).unwrap()).unwrap()
}

fn search(posterior: &Posterior, region: &Region, near: Nearness, limits: &Limits) -> NearOptimal {
    let problem = Problem::new(posterior, CRITERION, region.clone()).unwrap();
    NearOptimal::search(&problem, near, limits, &Stop::new(false), |_| {}).unwrap()
}

fn is_covered(set: &NearOptimal, x: &[f64]) -> bool {
    let inside = |sides: &Vec<(f64, f64)>| sides.iter().zip(x).all(|((low, high), x)| low <= x && x <= high);
    set.boxes.iter().any(inside)
}

/// The points of a grid over the unit cube.
fn grid(dim: usize, steps: usize) -> impl Iterator<Item = Vec<f64>> {
    let points = steps + 1;
    let coordinate = move |at: usize, j: usize| (at / points.pow(j as u32)) % points;
    (0..points.pow(dim as u32)).map(move |at| (0..dim).map(|j| coordinate(at, j) as f64 / steps as f64).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_grid_point_within_epsilon_lies_in_a_box_and_the_boxes_are_not_everything(
        seed in any::<u64>(), smooth in any::<bool>(), plane in any::<bool>(), epsilon in 0.0..0.3_f64,
        disc in any::<bool>(),
    ) {
        let (dim, steps) = if plane { (2, 150) } else { (1, 3000) };
        let kernel = if smooth { Kernel::Rbf } else { Kernel::Matern32 };
        let posterior = posterior(seed, kernel, dim);
        let mut region = Region::new(&vec![(0.0, 1.0); dim]).unwrap();
        if disc {
            region = region.with_row(Row::outside_ball(&vec![0.4; dim], &vec![1.0; dim], 0.3).unwrap()).unwrap();
        }
        let set = search(&posterior, &region, Nearness { epsilon, resolution: 0.02 }, &Limits::default());
        prop_assert!(set.complete && set.certificate.status == Status::Optimal);
        let mut acquisition = Acquisition::new(&posterior, CRITERION).unwrap();
        let low = set.certificate.value + epsilon;
        let mut members = 0;
        for x in grid(dim, steps).filter(|x| region.contains(x)) {
            if acquisition.value(&x) <= low {
                members += 1;
                prop_assert!(is_covered(&set, &x), "{x:?}");
            }
        }
        // The boxes fill little more than the grid's points do: each box may reach beyond them by the resolution.
        let seen = f64::from(members) / (steps as f64 + 1.0).powi(dim as i32);
        let reach = if plane { 0.25 } else { 0.15 };
        prop_assert!(set.share <= seen + reach, "{} of the region, {seen} of the grid", set.share);
        for sides in &set.boxes {
            prop_assert!(sides.iter().all(|(low, high)| high - low <= 0.02 + 1e-12), "{sides:?}");
        }
    }
}

#[test]
fn a_diverse_choice_is_feasible_good_and_apart() {
    let instance = load("prior_d2_matern32_r00");
    let posterior = instance.posterior().unwrap();
    let problem = instance.problem(&posterior).unwrap();
    let set = NearOptimal::search(&problem, Nearness::new(0.3), &Limits::default(), &Stop::new(false), |_| {}).unwrap();
    let chosen = set.diverse(&problem, 4);
    assert_eq!(chosen.len(), 4);
    assert_eq!((&chosen[0].x, chosen[0].value), (&set.certificate.x, set.certificate.value));
    let mut acquisition = problem.acquisition().clone();
    for (i, point) in chosen.iter().enumerate() {
        assert!(problem.region().contains(&point.x) && acquisition.value(&point.x) == point.value);
        assert!(point.value <= set.certificate.value + 0.3 && is_covered(&set, &point.x));
        for other in &chosen[..i] {
            assert!(point.x.iter().zip(&other.x).any(|(a, b)| (a - b).abs() > 0.05), "{chosen:?}");
        }
    }
    assert_eq!(set.diverse(&problem, 1).len(), 1);
    assert!(set.diverse(&problem, 0).is_empty());
}

#[test]
fn a_search_cut_short_still_covers_and_the_thread_count_changes_nothing() {
    let posterior = posterior(3, Kernel::Matern32, 2);
    let region = Region::new(&[(0.0, 1.0); 2]).unwrap();
    let near = Nearness { epsilon: 0.2, resolution: 1e-3 };
    let run = |threads, nodes| search(&posterior, &region, near, &Limits { nodes, threads, ..Limits::default() });
    let (one, two) = (run(1, 500), run(2, 500));
    assert!(!one.complete && one.boxes == two.boxes && one.nodes == two.nodes);
    let mut acquisition = Acquisition::new(&posterior, CRITERION).unwrap();
    let low = one.certificate.value + 0.2;
    assert!(grid(2, 200).filter(|x| acquisition.value(x) <= low).all(|x| is_covered(&one, &x)));
}

#[test]
fn a_region_without_points_has_no_boxes_and_bad_settings_are_refused() {
    let posterior = posterior(5, Kernel::Rbf, 1);
    let row = Row::new(&[(0, 1.0)], &[], 2.0, 3.0).unwrap();
    let empty = Region::new(&[(0.0, 1.0)]).unwrap().with_row(row).unwrap();
    let set = search(&posterior, &empty, Nearness::new(0.1), &Limits::default());
    assert!(set.complete && set.boxes.is_empty() && set.share == 0.0);
    let problem = Problem::new(&posterior, CRITERION, Region::new(&[(0.0, 1.0)]).unwrap()).unwrap();
    for near in [Nearness::new(-1.0), Nearness::new(f64::NAN), Nearness { epsilon: 0.1, resolution: 0.0 }] {
        let found = NearOptimal::search(&problem, near, &Limits::default(), &Stop::new(false), |_| {});
        assert!(matches!(found, Err(Error::BadLimit { .. })), "{near:?}");
    }
}
