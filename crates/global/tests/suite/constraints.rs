//! Under rows and with whole numbers the certified optimum is that of brute force, proofs hold, and empty regions are proven empty.

use fathom_check::verify;
use fathom_global::{Certificate, Limits, Problem, Proof, Region, Row, Status, Stop, minimise_with_proof};
use fathom_gp::{Acquisition, Covariance, Criterion, Dataset, Kernel, Model, Posterior};
use proptest::prelude::*;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

const BELOW: f64 = f64::NEG_INFINITY;
const ABOVE: f64 = f64::INFINITY;

fn posterior(seed: u64, kernel: Kernel, dim: usize, n: usize) -> Posterior {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let x: Vec<Vec<f64>> = (0..n).map(|_| (0..dim).map(|_| rng.random::<f64>()).collect()).collect();
    let y: Vec<f64> = x.iter().map(|x| x.iter().map(|x| (9.0 * x).sin()).sum::<f64>() + rng.random::<f64>()).collect();
    let covariance = Covariance::isotropic(kernel, dim, 1.0, 0.35).unwrap();
    Model::new(covariance, 1e-4).unwrap().condition(&Dataset::new(&x, &y).unwrap()).unwrap()
}

fn solve(posterior: &Posterior, region: &Region) -> (Certificate, Proof) {
    let problem = Problem::new(posterior, Criterion::Lcb { kappa: 2.0 }, region.clone()).unwrap();
    let limits = Limits { gap: 1e-3, nodes: 200_000, ..Limits::default() };
    let (certificate, proof) = minimise_with_proof(&problem, &limits, &Stop::new(false), |_| {}).unwrap();
    let proof = Proof::from_bytes(&proof.unwrap().to_bytes().unwrap()).unwrap();
    (certificate, proof)
}

/// The lowest value on a grid, over points that satisfy every row exactly.
fn brute_force(posterior: &Posterior, region: &Region, steps: usize) -> f64 {
    let mut acquisition = Acquisition::new(posterior, Criterion::Lcb { kappa: 2.0 }).unwrap();
    let side = |j: usize, i: usize| {
        let (low, high) = (region.lower()[j], region.upper()[j]);
        low + (high - low) * i as f64 / steps as f64
    };
    let mut best = ABOVE;
    for i in 0..=steps {
        for k in 0..=steps {
            let x = [side(0, i), side(1, k)];
            let whole = (0..2).all(|j| !region.integer()[j] || x[j] == x[j].round());
            if whole && region.rows().iter().all(|row| row.violation(&x) == 0.0) {
                best = best.min(acquisition.value(&x));
            }
        }
    }
    best
}

/// The proof holds, and the optimum is that of the grid up to the gap; or neither has a point.
fn agrees_with_brute_force(posterior: &Posterior, region: &Region, steps: usize) -> Result<(), TestCaseError> {
    let (certificate, proof) = solve(posterior, region);
    let verdict = verify(&proof);
    prop_assert!(verdict.is_ok(), "{}", verdict.unwrap_err());
    let grid = brute_force(posterior, region, steps);
    match certificate.status {
        Status::Optimal => {
            prop_assert!(region.contains(&certificate.x), "{:?}", certificate.x);
            prop_assert!(certificate.lower_bound.unwrap() <= grid, "{certificate:?} against {grid}");
            prop_assert!(certificate.value <= grid + 1e-3, "{certificate:?} against {grid}");
        }
        Status::Infeasible => prop_assert!(grid == ABOVE, "{grid} was called impossible"),
        Status::TimeLimit
        | Status::NodeLimit
        | Status::IterationLimit
        | Status::Interrupted
        | Status::Exhausted
        | Status::MemoryLimit
        | Status::SolverLimit
        | Status::Unconfirmed
        | Status::Local => {
            prop_assert!(false, "{certificate:?} against {grid}");
        }
    }
    Ok(())
}

fn rows() -> impl Strategy<Value = Row> {
    let disc = (0.0..1.0_f64, 0.0..1.0_f64, 0.1..0.6_f64).prop_map(|(a, b, r)| {
        let constant = a * a + b * b;
        Row::new(&[(0, -2.0 * a), (1, -2.0 * b)], &[(0, 0, 1.0), (1, 1, 1.0)], BELOW, r * r - constant).unwrap()
    });
    let outside = (0.0..1.0_f64, 0.0..1.0_f64, 0.1..0.6_f64)
        .prop_map(|(a, b, r)| Row::outside_ball(&[a, b], &[1.0, 1.0], r).unwrap());
    let half = (-1.0..1.0_f64, -1.0..1.0_f64, 0.1..0.9_f64, 0.1..0.9_f64)
        .prop_map(|(a, b, x, y)| Row::new(&[(0, a), (1, b)], &[], BELOW, a * x + b * y).unwrap());
    let product = (0.1..0.8_f64).prop_map(|least| Row::new(&[], &[(0, 1, 1.0)], least, ABOVE).unwrap());
    prop_oneof![disc, outside, half, product]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn the_optimum_under_rows_is_that_of_brute_force_and_its_proof_holds(
        seed in any::<u64>(), smooth in any::<bool>(), rows in prop::collection::vec(rows(), 1..4),
    ) {
        let kernel = if smooth { Kernel::Rbf } else { Kernel::Matern32 };
        let posterior = posterior(seed, kernel, 2, 12);
        let mut region = Region::new(&[(0.0, 1.0); 2]).unwrap();
        for row in rows {
            region = region.with_row(row).unwrap();
        }
        agrees_with_brute_force(&posterior, &region, 300)?;
    }

    #[test]
    fn the_optimum_over_listed_numbers_is_that_of_enumeration(
        seed in any::<u64>(), smooth in any::<bool>(), acquisition in 0_usize..3,
        lists in prop::collection::vec(prop::collection::btree_set(0_u32..=1000, 1..40), 2),
        rows in prop::collection::vec(rows(), 0..2),
    ) {
        let kernel = if smooth { Kernel::Rbf } else { Kernel::Matern52 };
        let posterior = posterior(seed, kernel, 2, 12);
        let lists: Vec<Vec<f64>> =
            lists.iter().map(|list| list.iter().map(|n| (f64::from(*n) / 1000.0).powi(2)).collect()).collect();
        let mut region = Region::new(&[(0.0, 1.0); 2]).unwrap();
        for (side, list) in lists.iter().enumerate() {
            region = region.with_values(side, list).unwrap();
        }
        for row in rows {
            region = region.with_row(row).unwrap();
        }
        let criterion = [Criterion::Lcb { kappa: 2.0 }, Criterion::Mean, Criterion::LogEi { best: 0.2 }][acquisition];
        let problem = Problem::new(&posterior, criterion, region.clone()).unwrap();
        let limits = Limits { gap: 1e-3, nodes: 200_000, ..Limits::default() };
        let (certificate, proof) = minimise_with_proof(&problem, &limits, &Stop::new(false), |_| {}).unwrap();
        let proof = Proof::from_bytes(&proof.unwrap().to_bytes().unwrap()).unwrap();
        let verdict = verify(&proof);
        prop_assert!(verdict.is_ok(), "{}", verdict.unwrap_err());
        let mut function = Acquisition::new(&posterior, criterion).unwrap();
        let pairs = lists[0].iter().flat_map(|a| lists[1].iter().map(|b| [*a, *b]));
        let least = pairs.filter(|x| region.contains(x)).map(|x| function.value(&x)).fold(ABOVE, f64::min);
        match certificate.status == Status::Infeasible {
            true => prop_assert!(least == ABOVE, "{least} was called impossible"),
            false => {
                prop_assert!(certificate.status == Status::Optimal && region.contains(&certificate.x), "{certificate:?}");
                prop_assert!(certificate.lower_bound.unwrap() <= least && least <= certificate.value, "{certificate:?} {least}");
                prop_assert!(certificate.value <= least + 1e-3, "{certificate:?} against {least}");
            }
        }
    }

    #[test]
    fn the_optimum_over_whole_numbers_is_that_of_enumeration(
        seed in any::<u64>(), smooth in any::<bool>(), both in any::<bool>(), rows in prop::collection::vec(rows(), 0..2),
    ) {
        let kernel = if smooth { Kernel::Rbf } else { Kernel::Matern52 };
        let posterior = posterior(seed, kernel, 2, 12);
        // Sides are ten units long, so that the model varies between whole numbers.
        let scaled = |row: &Row| {
            let linear: Vec<_> = row.linear().iter().map(|(j, c)| (*j, 0.1 * c)).collect();
            let quadratic: Vec<_> = row.quadratic().iter().map(|(j, k, q)| (*j, *k, 0.01 * q)).collect();
            Row::new(&linear, &quadratic, row.lower(), row.upper()).unwrap()
        };
        let x: Vec<Vec<f64>> = posterior.x().rows().map(|row| row.iter().map(|x| 10.0 * x).collect()).collect();
        let covariance = Covariance::isotropic(kernel, 2, 1.0, 3.5).unwrap();
        let data = Dataset::new(&x, posterior.y()).unwrap();
        let posterior = Model::new(covariance, 1e-4).unwrap().condition(&data).unwrap();
        let mut region = Region::new(&[(0.0, 10.0); 2]).unwrap();
        region = region.with_integers(if both { &[0, 1] } else { &[0] }).unwrap();
        for row in &rows {
            region = region.with_row(scaled(row)).unwrap();
        }
        agrees_with_brute_force(&posterior, &region, if both { 10 } else { 400 })?;
    }
}

#[test]
fn an_equality_is_met_exactly_and_the_best_point_on_it_is_found() {
    let posterior = posterior(3, Kernel::Matern32, 2, 12);
    let line = Row::new(&[(0, 1.0), (1, 1.0)], &[], 0.9, 0.9).unwrap();
    let region = Region::new(&[(0.0, 1.0); 2]).unwrap().with_row(line).unwrap();
    let (certificate, proof) = solve(&posterior, &region);
    verify(&proof).unwrap();
    assert_eq!(certificate.status, Status::Optimal);
    assert!((certificate.x[0] + certificate.x[1] - 0.9).abs() < 1e-9);
    let mut acquisition = Acquisition::new(&posterior, Criterion::Lcb { kappa: 2.0 }).unwrap();
    let along = (0..=9000).map(|i| f64::from(i) * 1e-4).map(|x| acquisition.value(&[x, 0.9 - x]));
    let best = along.fold(ABOVE, f64::min);
    assert!(certificate.value <= best + 1e-3 && certificate.lower_bound.unwrap() <= best, "{certificate:?} {best}");
}

#[test]
fn a_category_is_one_of_its_vertices() {
    let posterior = posterior(5, Kernel::Rbf, 4, 20);
    let region = Region::new(&[(0.0, 1.0); 4]).unwrap().with_one_of(&[0, 1, 2]).unwrap();
    let (certificate, proof) = solve(&posterior, &region);
    verify(&proof).unwrap();
    let mut acquisition = Acquisition::new(&posterior, Criterion::Lcb { kappa: 2.0 }).unwrap();
    let mut best = ABOVE;
    for choice in 0..3 {
        for i in 0..=2000 {
            let mut x = [0.0, 0.0, 0.0, f64::from(i) / 2000.0];
            x[choice] = 1.0;
            best = best.min(acquisition.value(&x));
        }
    }
    assert!(region.contains(&certificate.x), "{:?}", certificate.x);
    assert!(certificate.value <= best + 1e-3 && certificate.lower_bound.unwrap() <= best);
}

#[test]
fn contradictory_rows_are_proven_infeasible_and_redundant_ones_change_nothing() {
    let posterior = posterior(7, Kernel::Matern32, 2, 12);
    let plain = Region::new(&[(0.0, 1.0); 2]).unwrap();
    let sum = |low: f64, high: f64| Row::new(&[(0, 1.0), (1, 1.0)], &[], low, high).unwrap();
    let impossible = plain.clone().with_row(sum(1.2, ABOVE)).unwrap().with_row(sum(BELOW, 1.1)).unwrap();
    let (certificate, proof) = solve(&posterior, &impossible);
    assert_eq!((certificate.status, certificate.x.len()), (Status::Infeasible, 0));
    assert_eq!(verify(&proof).unwrap().lower_bound, None);
    assert!(certificate.to_json().unwrap().contains("\"value\":null"));
    // This thin ring has no point with whole coordinates.
    let ring = Row::new(&[], &[(0, 0, 1.0), (1, 1, 1.0)], 2.2, 3.8).unwrap();
    let whole = Region::new(&[(-2.0, 2.0); 2]).unwrap().with_integers(&[0, 1]).unwrap().with_row(ring).unwrap();
    assert_eq!(solve(&posterior, &whole).0.status, Status::Infeasible);
    let free = solve(&posterior, &plain).0;
    let redundant = solve(&posterior, &plain.with_row(sum(-1.0, 3.0)).unwrap()).0;
    assert!((free.value - redundant.value).abs() < 1e-3);
}

#[test]
fn balls_that_cover_the_square_leave_no_point_and_a_smaller_ball_leaves_the_corners() {
    let posterior = posterior(13, Kernel::Matern32, 2, 12);
    let plain = Region::new(&[(0.0, 1.0); 2]).unwrap();
    let without = |centres: &[[f64; 2]], radius: f64| {
        let ball = |centre: &[f64; 2]| Row::outside_ball(centre, &[1.0, 1.0], radius).unwrap();
        centres.iter().fold(plain.clone(), |region, centre| region.with_row(ball(centre)).unwrap())
    };
    let quarters = [[0.25, 0.25], [0.25, 0.75], [0.75, 0.25], [0.75, 0.75]];
    // None of the four balls covers the square alone, but all together do: 0.25 √2 = 0.3536 is just enough.
    for nothing in [without(&[[0.5, 0.5]], 0.8), without(&quarters, 0.354)] {
        let (certificate, proof) = solve(&posterior, &nothing);
        assert_eq!((certificate.status, certificate.x.len()), (Status::Infeasible, 0));
        assert_eq!(verify(&proof).unwrap().lower_bound, None);
    }
    let corners = without(&[[0.5, 0.5]], 0.69);
    let (certificate, proof) = solve(&posterior, &corners);
    verify(&proof).unwrap();
    assert_eq!(certificate.status, Status::Optimal);
    assert!(corners.contains(&certificate.x), "{:?}", certificate.x);
}

#[test]
fn an_indefinite_row_is_no_harder_to_prove() {
    let posterior = posterior(17, Kernel::Rbf, 2, 12);
    // The row keeps both branches of a hyperbola around the middle of the box.
    let row = Row::new(&[(0, -1.0), (1, 1.0)], &[(0, 0, 1.0), (1, 1, -1.0)], 0.05, ABOVE).unwrap();
    let region = Region::new(&[(0.0, 1.0); 2]).unwrap().with_row(row).unwrap();
    agrees_with_brute_force(&posterior, &region, 400).unwrap();
}

#[test]
fn a_row_without_variables_holds_everywhere_or_nowhere() {
    let posterior = posterior(19, Kernel::Matern32, 2, 12);
    let plain = Region::new(&[(0.0, 1.0); 2]).unwrap();
    let constant = |low: f64, high: f64| Row::new(&[], &[], low, high).unwrap();
    let (certificate, proof) = solve(&posterior, &plain.clone().with_row(constant(1.0, 2.0)).unwrap());
    assert_eq!(certificate.status, Status::Infeasible);
    verify(&proof).unwrap();
    let (certificate, proof) = solve(&posterior, &plain.with_row(constant(-1.0, 2.0)).unwrap());
    assert_eq!(certificate.status, Status::Optimal);
    verify(&proof).unwrap();
}

#[test]
fn a_proof_that_lies_about_rows_is_rejected() {
    let posterior = posterior(11, Kernel::Matern32, 2, 12);
    let row = Row::new(&[(0, 1.0), (1, 1.0)], &[], BELOW, 0.7).unwrap();
    let region = Region::new(&[(0.0, 1.0); 2]).unwrap().with_row(row).unwrap();
    let honest = solve(&posterior, &region).1;
    verify(&honest).unwrap();
    let mut without = honest.clone();
    without.statement.rows[0].upper = Some(2.0);
    assert!(verify(&without).is_err(), "the row that the proof leans on was moved");
    let mut outside = honest.clone();
    outside.claim.point = Some(vec![0.6, 0.6]);
    assert!(verify(&outside).unwrap_err().to_string().contains("row 0"));
    let mut empty = honest;
    (empty.claim.lower_bound, empty.claim.point, empty.claim.value) = (None, None, None);
    assert!(verify(&empty).is_err(), "a region with points was called empty");
}

/// The same rows in units in which their numbers are tiny or huge have the same points.
#[test]
fn a_row_in_other_units_has_the_same_optimum() {
    let posterior = posterior(5, Kernel::Matern52, 2, 12);
    let region = |scale: f64| {
        let disc = Row::new(&[], &[(0, 0, scale), (1, 1, scale)], BELOW, 0.3 * scale).unwrap();
        let plane = Row::new(&[(0, scale), (1, scale)], &[], 0.5 * scale, ABOVE).unwrap();
        Region::new(&[(0.0, 1.0); 2]).unwrap().with_row(disc).unwrap().with_row(plane).unwrap()
    };
    let (expected, _) = solve(&posterior, &region(1.0));
    for scale in [1e-60, 1e-12, 1e12, 1e60] {
        let (found, _) = solve(&posterior, &region(scale));
        assert_eq!(found.status, Status::Optimal, "{scale}");
        assert!(region(1.0).contains(&found.x), "{scale}: {:?}", found.x);
        assert!((found.value - expected.value).abs() <= 2e-3, "{scale}: {} and {}", found.value, expected.value);
    }
}

/// `x = 2.94` was called optimal: it violates the row a thousandfold, but by less than 1e-9.
#[test]
fn a_row_of_small_numbers_is_kept() {
    let data = Dataset::new(&[[0.5], [1.5], [2.5]], &[1.0, 0.0, -1.0]).unwrap();
    let model = Model::new(Covariance::isotropic(Kernel::Rbf, 1, 1.0, 0.5).unwrap(), 1e-4).unwrap();
    let posterior = model.condition(&data).unwrap();
    let row = Row::new(&[(0, 1e-10)], &[], BELOW, 1e-11).unwrap();
    let region = Region::new(&[(0.0, 3.0)]).unwrap().with_row(row).unwrap();
    let (certificate, _) = solve(&posterior, &region);
    assert_eq!(certificate.status, Status::Optimal);
    assert!(certificate.x[0] <= 0.1 * (1.0 + 1e-9), "{:?}", certificate.x);
}

/// 1e16 x² + x² − 1e16 x² ≥ 0.5 holds at x = 1, but in floating point the left side is 0.
#[test]
fn entries_that_cancel_are_summed_exactly() {
    let posterior = posterior(7, Kernel::Rbf, 1, 4);
    let row = Row::new(&[], &[(0, 0, 1e16), (0, 0, 1.0), (0, 0, -1e16)], 0.5, ABOVE).unwrap();
    let (certificate, _) = solve(&posterior, &Region::new(&[(0.0, 2.0)]).unwrap().with_row(row).unwrap());
    assert_eq!(certificate.status, Status::Optimal);
    assert!(certificate.x[0] >= 0.5_f64.sqrt() * (1.0 - 1e-8), "{:?}", certificate.x);
}
