//! Piecewise-linear kernels of inner products, beside those of distances: the certified minimum is that of a sample, no bound is
//! above any value, and every proof holds.

use fathom_check::{Function, verify};
use fathom_global::{Limits, NegativeVariance, Problem, Proof, Region, Row, Status, Stop, bounds_of_box};
use fathom_global::{minimise, minimise_with_proof};
use fathom_gp::{
    Covariance, Criterion, Dataset, Kernel, Model, Posterior, PwlAcquisition, PwlCovariance, PwlPosterior, Repair,
    Replicates, Term,
};
use proptest::prelude::*;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

const SIDE: (f64, f64) = (-1.0, 1.5);

fn products() -> impl Strategy<Value = Kernel> {
    prop_oneof![
        (0.0..2.0).prop_map(|offset| Kernel::Linear { offset }),
        (2_u32..5, 0.0..2.0).prop_map(|(degree, offset)| Kernel::Polynomial { degree, offset }),
    ]
}

fn criteria() -> impl Strategy<Value = Criterion> {
    prop_oneof![
        (0.0..3.0).prop_map(|kappa| Criterion::Lcb { kappa }),
        Just(Criterion::Mean),
        Just(Criterion::Deviation),
        (0.0..3.0, 0.1..1.5, 0.1..3.0).prop_map(|(kappa, rho, imprecision)| Criterion::Glcb {
            kappa,
            rho,
            imprecision
        }),
        Just(Criterion::Glcb { kappa: 0.0, rho: 0.7, imprecision: 1.0 }),
    ]
}

/// A model over `dim` inputs: one kernel of all, or, if it is `mixed`, that kernel of the first input and another of the rest.
fn posterior(seed: u64, kernel: Kernel, dim: usize, n: usize, mixed: Option<Kernel>) -> Posterior {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let entry = |rng: &mut ChaCha8Rng| SIDE.0 + (SIDE.1 - SIDE.0) * rng.random::<f64>();
    let mut x: Vec<Vec<f64>> = (0..n).map(|_| (0..dim).map(|_| entry(&mut rng)).collect()).collect();
    if seed.is_multiple_of(4) {
        x[0] = vec![0.0; dim];
    }
    let y: Vec<f64> = x.iter().map(|x| x.iter().map(|x| (3.0 * x).sin()).sum::<f64>() + rng.random::<f64>()).collect();
    let scale = 0.5 + rng.random::<f64>();
    let term = |kernel, inputs| Term::new(kernel, inputs, 0.8, &[scale]).unwrap();
    let terms = match mixed {
        Some(other) if dim > 1 => vec![term(kernel, vec![0]), term(other, (1..dim).collect())],
        _ => vec![term(kernel, (0..dim).collect())],
    };
    let data = Dataset::with_replicates(&x, &y, Replicates::Keep).unwrap();
    let noise = 10_f64.powf(-4.0 + 3.0 * rng.random::<f64>());
    let covariance = Covariance::new(dim, terms).unwrap();
    Model::new(covariance, noise).unwrap().with_mean(0.2).unwrap().condition(&data).unwrap()
}

/// The approximation, shifted until no eigenvalue is below `floor`.
fn approximate(posterior: &Posterior, dim: usize, floor: f64, error: Option<f64>) -> PwlPosterior {
    let (covariance, bounds) = (posterior.model().covariance.clone(), vec![SIDE; dim]);
    let pwl = match error {
        None => PwlCovariance::paper(covariance, &bounds).unwrap(),
        Some(error) => PwlCovariance::with_error(covariance, &bounds, error).unwrap(),
    };
    PwlPosterior::new(posterior, pwl, Repair::Shift { floor }).unwrap()
}

fn read_back(proof: &Proof) -> Proof {
    Proof::from_bytes(&proof.to_bytes().unwrap()).unwrap()
}

/// A tolerance for rounding of the function itself: weights cancel, and σ̃² is a difference.
fn fuzz(approximate: &PwlPosterior, kappa: f64) -> f64 {
    let total: f64 = approximate.weights().iter().map(|a| a.abs()).sum();
    let spectrum = approximate.spectrum();
    let (norm, condition) = (spectrum.norm(), spectrum.norm() / spectrum.values()[0]);
    1e-13 * total * norm + 4.0 * kappa * (norm * condition * 1e-15).sqrt()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 160, ..ProptestConfig::default() })]

    #[test]
    fn the_minimum_is_that_of_a_sample_and_its_proof_holds(
        seed in any::<u64>(), kernel in products(), dim in 1_usize..3, n in 2_usize..12, is_mixed in any::<bool>(),
        criterion in criteria(), excluded in any::<bool>(), shape in 0_u8..4, is_fine in any::<bool>(),
    ) {
        let mixed = is_mixed.then_some(if seed % 2 == 0 { Kernel::Matern32 } else { Kernel::Polynomial { degree: 2, offset: 0.5 } });
        let posterior = posterior(seed, kernel, dim, n, mixed);
        let approximate = approximate(&posterior, dim, 1e-3, is_fine.then_some(0.02));
        let mut region = Region::new(&vec![SIDE; dim]).unwrap();
        match shape {
            1 => {
                let squares: Vec<(usize, usize, f64)> = (0..dim).map(|j| (j, j, 1.0)).collect();
                region = region.with_row(Row::new(&[], &squares, 0.2, 1.2).unwrap()).unwrap();
            }
            2 => {
                region = Region::new(&[vec![(-1.0, 1.0)], vec![SIDE; dim - 1]].concat()).unwrap().with_integers(&[0]).unwrap();
            }
            _ => {}
        }
        let negative = if excluded { NegativeVariance::Excluded } else { NegativeVariance::Clamped };
        let problem = Problem::piecewise_linear(&approximate, criterion, region.clone(), negative).unwrap();
        let limits = Limits { gap: 1e-3, nodes: 4000, seed, ..Limits::default() };
        let (certificate, proof) = minimise_with_proof(&problem, &limits, &Stop::new(false), |_| {}).unwrap();
        let mut function = PwlAcquisition::new(&approximate, criterion, negative).unwrap();
        let kappa = match criterion {
            Criterion::Lcb { kappa } | Criterion::Glcb { kappa, .. } => kappa,
            Criterion::Deviation => 1.0,
            Criterion::Mean | Criterion::Ei { .. } | Criterion::LogEi { .. } | Criterion::Pi { .. } => 0.0,
        };
        let room = fuzz(&approximate, kappa);
        if certificate.status == Status::Infeasible {
            prop_assert!(verify(&read_back(&proof.unwrap())).is_ok());
            return Ok(());
        }
        let bound = certificate.lower_bound.unwrap();
        if !certificate.x.is_empty() {
            prop_assert_eq!(certificate.value, function.value(&certificate.x));
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for _ in 0..400 {
            let side = |j: usize, rng: &mut ChaCha8Rng| {
                let (low, high) = (region.lower()[j], region.upper()[j]);
                let x = low + (high - low) * rng.random::<f64>();
                if region.integer()[j] { x.round() } else { x }
            };
            let x: Vec<f64> = (0..dim).map(|j| side(j, &mut rng)).collect();
            if region.contains(&x) {
                let value = function.value(&x);
                prop_assert!(bound <= value + room, "bound {bound} above {value} at {x:?}");
                prop_assert!(certificate.value <= value + 1e-3 + room || certificate.status != Status::Optimal);
            }
        }
        let verdict = verify(&read_back(&proof.unwrap()));
        prop_assert!(verdict.is_ok(), "{verdict:?}");
        prop_assert_eq!(verdict.unwrap().lower_bound, certificate.lower_bound);
    }

    #[test]
    fn no_bound_of_a_box_exceeds_its_piece_in_intervals(
        seed in any::<u64>(), kernel in products(), dim in 1_usize..3, n in 2_usize..10, is_mixed in any::<bool>(),
        criterion in criteria(), width in -7.0..0.0, is_fine in any::<bool>(),
    ) {
        let posterior = posterior(seed, kernel, dim, n, is_mixed.then_some(Kernel::Rbf));
        let approximate = approximate(&posterior, dim, 1e-3, is_fine.then_some(0.01));
        let region = Region::new(&vec![SIDE; dim]).unwrap();
        let problem = Problem::piecewise_linear(&approximate, criterion, region, NegativeVariance::Clamped).unwrap();
        let limits = Limits { nodes: 1, ..Limits::default() };
        let (_, proof) = minimise_with_proof(&problem, &limits, &Stop::new(false), |_| {}).unwrap();
        let Some(proof) = proof else { return Ok(()) };
        let function = Function::new(&proof).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        // Boxes around the origin, an observation or any point; most of them are small.
        let width = 10_f64.powf(width);
        let around: Vec<f64> = match seed % 3 {
            0 => vec![0.0; dim],
            1 => posterior.x().row(0),
            _ => (0..dim).map(|_| SIDE.0 + (SIDE.1 - SIDE.0) * rng.random::<f64>()).collect(),
        };
        let lower: Vec<f64> = around.iter().map(|x| (x - 0.3 * width).max(SIDE.0)).collect();
        let upper: Vec<f64> = around.iter().map(|x| (x + 0.7 * width).min(SIDE.1)).collect();
        for piece in 0..proof.pieces.len() {
            let report = bounds_of_box(&problem, piece, &lower, &upper, f64::INFINITY);
            for _ in 0..40 {
                let side = |j: usize, rng: &mut ChaCha8Rng| (lower[j] + (upper[j] - lower[j]) * rng.random::<f64>()).clamp(lower[j], upper[j]);
                let x: Vec<f64> = (0..dim).map(|j| side(j, &mut rng)).collect();
                // A piece with κ > 0 counts only at points whose variance is not negative.
                let Some((_, high)) = function.pieces(&x)[piece] else { continue };
                for bound in &report.bounds {
                    prop_assert!(bound.bound <= high, "{} {} above {high} at {x:?}", bound.kind, bound.bound);
                    let Some(at) = bound.at(&x) else { continue };
                    prop_assert!(at <= high + 1e-12 * (1.0 + high.abs()), "{} {at} above {high} at {x:?}", bound.kind);
                }
            }
        }
    }

    #[test]
    fn one_term_alone_is_bounded_too(
        seed in any::<u64>(), kernel in products(), n in 2_usize..10, kappa in 0.0..3.0, excluded in any::<bool>(), group in 0_usize..2,
    ) {
        let posterior = posterior(seed, kernel, 2, n, Some(Kernel::Matern52));
        let approximate = approximate(&posterior, 2, 1e-3, None);
        let region = Region::new(&[SIDE; 2]).unwrap();
        let negative = if excluded { NegativeVariance::Excluded } else { NegativeVariance::Clamped };
        let criterion = Criterion::Glcb { kappa, rho: 0.5, imprecision: 1.0 };
        let problem = Problem::piecewise_linear_group(&approximate, criterion, region, negative, group).unwrap();
        let limits = Limits { gap: 1e-3, nodes: 4000, ..Limits::default() };
        let certificate = minimise(&problem, &limits, &Stop::new(false), |_| {}).unwrap();
        let mut function = PwlAcquisition::new(&approximate, criterion, negative).unwrap().of_group(group);
        let (bound, room) = (certificate.lower_bound.unwrap(), fuzz(&approximate, kappa));
        for i in 0..=500 {
            let mut x = [0.3; 2];
            x[group] = SIDE.0 + (SIDE.1 - SIDE.0) * f64::from(i) / 500.0;
            let value = function.value(&x);
            prop_assert!(bound <= value + room, "bound {bound} above {value} at {x:?}");
        }
    }
}
