//! Every acquisition function agrees with a grid, free and constrained, and false proofs about it are rejected.

use crate::instances::{all, load};
use fathom_check::verify;
use fathom_global::{
    Instance, Limits, Posed as _, Problem, Proof, Region, Row, Status, Stop, minimise, minimise_with_proof,
};
use fathom_gp::{Acquisition, Covariance, Criterion, Dataset, Kernel, Model, Posterior};
use fathom_proof::{CriterionName, StatedAcquisition};

fn limits() -> Limits {
    Limits { gap: 1e-3, nodes: 50_000, ..Limits::default() }
}

/// `steps` + 1 points from one end to the other.
fn side((low, high): (f64, f64), steps: usize) -> Vec<f64> {
    (0..=steps).map(|i| low + (high - low) * i as f64 / steps as f64).collect()
}

#[test]
fn one_and_two_dimensional_optima_agree_with_a_fine_grid() {
    let mut open = 0;
    for instance in all("prior_d1").iter().chain(all("prior_d2").iter().filter(|i| i.name.ends_with("0"))) {
        let posterior = instance.posterior().unwrap();
        for acquisition in CriterionName::ALL.iter().copied() {
            let instance = Instance { acquisition: Some(acquisition), ..instance.clone() };
            let problem = instance.problem(&posterior).unwrap();
            let (certificate, proof) = minimise_with_proof(&problem, &limits(), &Stop::new(false), |_| {}).unwrap();
            let mut function = problem.acquisition().clone();
            let axis = side(instance.bounds[0], if instance.dim() == 1 { 4000 } else { 120 });
            let mut grid = f64::INFINITY;
            for x in &axis {
                if instance.dim() == 1 {
                    grid = grid.min(function.value(&[*x]));
                } else {
                    grid = axis.iter().map(|y| function.value(&[*x, *y])).fold(grid, f64::min);
                }
            }
            let (name, bound) = (&instance.name, certificate.lower_bound.unwrap());
            assert!(bound <= grid + 1e-9 * (1.0 + grid.abs()), "{name} {acquisition:?}: {bound} above {grid}");
            open += usize::from(certificate.status != Status::Optimal);
            if certificate.status == Status::Optimal {
                assert!(
                    certificate.value <= grid + 1e-3,
                    "{name} {acquisition:?}: {} against {grid}",
                    certificate.value
                );
            }
            let verdict = verify(&Proof::from_bytes(&proof.unwrap().to_bytes().unwrap()).unwrap());
            assert!(verdict.is_ok(), "{name} {acquisition:?}: {}", verdict.unwrap_err());
        }
    }
    assert_eq!(open, 0, "searches that did not finish");
}

/// Observations of a bowl over [0, 4] × [−1, 1].
fn bowl(kernel: Kernel) -> Posterior {
    let x = [[0.2, 0.5], [1.1, -0.7], [2.4, 0.1], [3.7, -0.2], [1.9, 0.9], [3.1, 0.8], [0.6, -0.9]];
    let y: Vec<f64> = x.iter().map(|[a, b]| (a - 2.6_f64).powi(2) * 0.4 + (b + 0.3_f64).powi(2) - 0.5).collect();
    let covariance = Covariance::ard(kernel, 1.3, &[1.4, 0.8]).unwrap();
    Model::new(covariance, 1e-5).unwrap().with_mean(0.4).unwrap().condition(&Dataset::new(&x, &y).unwrap()).unwrap()
}

const CRITERIA: [Criterion; 5] = [
    Criterion::Glcb { kappa: 1.5, rho: 0.8, imprecision: 2.0 },
    Criterion::Glcb { kappa: 0.0, rho: 2.0, imprecision: 0.1 },
    Criterion::Ei { best: -0.45 },
    Criterion::LogEi { best: -8.0 },
    Criterion::Pi { best: -1.2 },
];

#[test]
fn optima_under_constraints_and_with_whole_numbers_agree_with_a_grid() {
    for kernel in [Kernel::Matern32, Kernel::Rbf] {
        let posterior = bowl(kernel);
        // The region is cut by a line and a disc; the first coordinate is whole or not.
        let line = Row::new(&[(0, 1.0), (1, 2.0)], &[], 1.0, 3.5).unwrap();
        let disc = Row::new(&[(0, -5.0)], &[(0, 0, 1.0), (1, 1, 1.0)], -6.2, f64::INFINITY).unwrap();
        for whole in [false, true] {
            let mut region = Region::new(&[(0.0, 4.0), (-1.0, 1.0)]).unwrap();
            if whole {
                region = region.with_integers(&[0]).unwrap();
            }
            let region = region.with_row(line.clone()).unwrap().with_row(disc.clone()).unwrap();
            for criterion in CRITERIA {
                let problem = Problem::new(&posterior, criterion, region.clone()).unwrap();
                let (certificate, proof) = minimise_with_proof(&problem, &limits(), &Stop::new(false), |_| {}).unwrap();
                let mut function = Acquisition::new(&posterior, criterion).unwrap();
                let mut grid = f64::INFINITY;
                for x in side((0.0, 4.0), if whole { 4 } else { 200 }) {
                    for y in side((-1.0, 1.0), 200) {
                        if region.contains(&[x, y]) {
                            grid = grid.min(function.value(&[x, y]));
                        }
                    }
                }
                assert_eq!(certificate.status, Status::Optimal, "{criterion:?}");
                assert!(certificate.lower_bound.unwrap() <= grid + 1e-9 * grid.abs(), "{criterion:?}");
                assert!(certificate.value <= grid + 1e-3, "{criterion:?}: {} against {grid}", certificate.value);
                let verdict = verify(&proof.unwrap());
                assert!(verdict.is_ok(), "{criterion:?}: {}", verdict.unwrap_err());
            }
        }
    }
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_threads() {
    let posterior = bowl(Kernel::Rbf);
    for criterion in CRITERIA {
        let region = Region::new(&[(0.0, 4.0), (-1.0, 1.0)]).unwrap();
        let problem = Problem::new(&posterior, criterion, region).unwrap();
        let solve = |threads| {
            let limits = Limits { threads, gap: 1e-5, nodes: 3000, ..Limits::default() };
            let found = minimise(&problem, &limits, &Stop::new(false), |_| {}).unwrap();
            (found.x, found.value, found.lower_bound, found.nodes)
        };
        assert_eq!(solve(1), solve(3), "{criterion:?}");
    }
}

/// Changes a proof of the bowl that holds into one that must be rejected.
fn rejects(criterion: Criterion, culprit: &str, change: impl Fn(&mut Proof)) {
    let posterior = bowl(Kernel::Rbf);
    let region = Region::new(&[(0.0, 4.0), (-1.0, 1.0)]).unwrap();
    let problem = Problem::new(&posterior, criterion, region).unwrap();
    let (_, proof) = minimise_with_proof(&problem, &limits(), &Stop::new(false), |_| {}).unwrap();
    let mut lie = proof.unwrap();
    assert!(verify(&lie).is_ok());
    change(&mut lie);
    let lie = Proof::from_bytes(&lie.to_bytes().unwrap()).unwrap();
    let rejection = verify(&lie).unwrap_err();
    assert!(rejection.to_string().contains(culprit), "{criterion:?}: {rejection}");
}

#[test]
fn a_changed_best_value_is_rejected() {
    let raised = |proof: &mut Proof| {
        if let StatedAcquisition::Ei { best } | StatedAcquisition::LogEi { best } | StatedAcquisition::Pi { best } =
            &mut proof.statement.acquisition
        {
            *best += 0.01;
        }
    };
    for criterion in [Criterion::Ei { best: -0.45 }, Criterion::LogEi { best: -8.0 }, Criterion::Pi { best: -1.2 }] {
        // First the claimed value gives the change away, then only the boxes do.
        rejects(criterion, "the best point", raised);
        rejects(criterion, "box", |proof| {
            raised(proof);
            (proof.claim.point, proof.claim.value) = (None, None);
        });
        rejects(criterion, "box", |proof| {
            *proof.claim.lower_bound.as_mut().unwrap() += 2e-3;
            (proof.claim.point, proof.claim.value) = (None, None);
        });
        rejects(criterion, "the pieces", |proof| proof.pieces[0].mean += 1e-9);
    }
}

#[test]
fn pieces_that_are_not_those_of_the_function_are_rejected() {
    let glcb = Criterion::Glcb { kappa: 1.5, rho: 0.8, imprecision: 2.0 };
    // Prior means closer together would raise the function; a missing piece would leave half of it out.
    rejects(glcb, "the pieces", |proof| proof.pieces[0].mean += 1e-6);
    rejects(glcb, "the pieces", |proof| proof.pieces[1].mean -= 1e-6);
    rejects(glcb, "the pieces", |proof| proof.pieces[1] = proof.pieces[0].clone());
    for (rho, imprecision) in [(0.81, 2.0), (0.8, 2.1)] {
        rejects(glcb, "the pieces", |proof| {
            proof.statement.acquisition = StatedAcquisition::Glcb { kappa: 1.5, rho, imprecision };
        });
    }
}

#[test]
fn a_function_is_not_proven_by_the_proof_of_another() {
    rejects(Criterion::Ei { best: -0.45 }, "", |proof| {
        proof.statement.acquisition = StatedAcquisition::LogEi { best: -0.45 };
    });
    rejects(Criterion::Mean, "", |proof| proof.statement.acquisition = StatedAcquisition::Ei { best: -0.45 });
}

#[test]
fn improvement_far_below_everything_is_certified_in_its_logarithm() {
    // EI itself underflows at a thousand deviations.
    let instance =
        Instance { acquisition: Some(CriterionName::LogEi), best: Some(-1000.0), ..load("prior_d2_matern32_r00") };
    let posterior = instance.posterior().unwrap();
    let problem = instance.problem(&posterior).unwrap();
    let limits = Limits { gap: 0.0, relative_gap: 1e-6, ..Limits::default() };
    let (certificate, proof) = minimise_with_proof(&problem, &limits, &Stop::new(false), |_| {}).unwrap();
    assert_eq!(certificate.status, Status::Optimal);
    assert!(certificate.value > 1e5 && verify(&proof.unwrap()).is_ok());
}

#[test]
fn a_probability_is_never_above_one_and_that_needs_no_search() {
    let posterior = bowl(Kernel::Matern52);
    let region = Region::new(&[(0.0, 4.0), (-1.0, 1.0)]).unwrap();
    let problem = Problem::new(&posterior, Criterion::Pi { best: 9.0 }, region).unwrap();
    let (certificate, proof) = minimise_with_proof(&problem, &limits(), &Stop::new(false), |_| {}).unwrap();
    assert_eq!((certificate.status, certificate.nodes), (Status::Optimal, 0));
    assert!(verify(&proof.unwrap()).is_ok());
}

#[test]
fn proofs_hold_if_observations_crowd_and_deviations_are_tiny() {
    for name in ["bo_d4_n50_matern32_r0", "bo_d4_n50_rbf_r0", "bo_d2_n50_matern32_r0"] {
        let instance = Instance { acquisition: Some(CriterionName::Pi), ..load(name) };
        let posterior = instance.posterior().unwrap();
        let problem = instance.problem(&posterior).unwrap();
        let limits = Limits { gap: 1e-3, nodes: 8000, ..Limits::default() };
        let (_, proof) = minimise_with_proof(&problem, &limits, &Stop::new(false), |_| {}).unwrap();
        let verdict = verify(&proof.unwrap());
        assert!(verdict.is_ok(), "{name}: {}", verdict.unwrap_err());
    }
}

/// −log EI is 1e16: improvements of 1e8 deviations. The search used to panic, and under kernels of an inner product no
/// box ever had a sharper deviation than the prior one, so the list of open boxes grew without end.
#[test]
fn improvements_far_in_the_tail_are_bounded_under_inner_product_kernels() {
    let instances: Vec<Instance> = serde_json::from_str(include_str!("../reference/far_tails.json")).unwrap();
    for (instance, (status, nodes)) in instances.iter().zip([(Status::Optimal, 30_000), (Status::NodeLimit, 2000)]) {
        let posterior = instance.posterior().unwrap();
        let problem = instance.problem(&posterior).unwrap();
        let limits = Limits { relative_gap: 1e-4, nodes, ..Limits::default() };
        let (found, proof) = minimise_with_proof(&problem, &limits, &Stop::new(false), |_| {}).unwrap();
        assert_eq!(found.status, status, "{found:?}");
        verify(&proof.unwrap()).unwrap();
        let mut acquisition = problem.acquisition().clone();
        for i in 0..=100_u8 {
            for k in 0..=100_u8 {
                let x = [f64::from(i) / 100.0, f64::from(k) / 100.0];
                if problem.region().contains(&x) {
                    assert!(acquisition.value(&x) >= found.lower_bound.unwrap(), "{x:?}");
                }
            }
        }
    }
}
