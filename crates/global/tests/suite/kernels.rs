//! For additive models and dot-product kernels the certified optimum is that of a grid, and proofs hold.

use fathom_check::verify;
use fathom_global::{Instance, Limits, Posed as _, Problem, Region, Status, Stop, minimise_with_proof};
use fathom_gp::{Acquisition, Covariance, Criterion, Dataset, Kernel, Model, Posterior, Term};
use fathom_proof::KernelName;
use proptest::prelude::*;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

const STEPS: usize = 60;

fn posterior(seed: u64, terms: Vec<Term>) -> Posterior {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let covariance = Covariance::new(2, terms).unwrap();
    let x: Vec<Vec<f64>> = (0..12).map(|_| (0..2).map(|_| 2.0 * rng.random::<f64>() - 1.0).collect()).collect();
    let y: Vec<f64> =
        x.iter().map(|x| (4.0 * x[0]).sin() + x[1] * x[1] * (1.0 + x[0]) + 0.3 * rng.random::<f64>()).collect();
    let model = Model::new(covariance, 1e-3).unwrap().with_mean(0.2).unwrap();
    model.condition(&Dataset::new(&x, &y).unwrap()).unwrap()
}

fn kernels() -> impl Strategy<Value = Kernel> {
    prop_oneof![
        Just(Kernel::Matern32),
        Just(Kernel::Rbf),
        (0.0..1.0).prop_map(|offset| Kernel::Linear { offset }),
        (2_u32..4, 0.1..1.0).prop_map(|(degree, offset)| Kernel::Polynomial { degree, offset }),
    ]
}

/// The optimum is that of the grid up to the gap, and the proof holds.
fn agrees_with_a_grid(posterior: &Posterior, criterion: Criterion) -> Result<(), TestCaseError> {
    let region = Region::new(&[(-1.0, 1.0); 2]).unwrap();
    let problem = Problem::new(posterior, criterion, region).unwrap();
    let limits = Limits { gap: 1e-3, nodes: 300_000, ..Limits::default() };
    let (certificate, proof) = minimise_with_proof(&problem, &limits, &Stop::new(false), |_| {}).unwrap();
    prop_assert_eq!(certificate.status, Status::Optimal);
    let verdict = verify(&proof.unwrap());
    prop_assert!(verdict.is_ok(), "{}", verdict.unwrap_err());
    let mut acquisition = Acquisition::new(posterior, criterion).unwrap();
    let at = |i: usize| 2.0 * i as f64 / STEPS as f64 - 1.0;
    let pairs = (0..=STEPS).flat_map(|i| (0..=STEPS).map(move |k| [at(i), at(k)]));
    let grid = pairs.map(|x| acquisition.value(&x)).fold(f64::INFINITY, f64::min);
    prop_assert!(
        certificate.lower_bound.unwrap() <= grid && certificate.value <= grid + 1e-3,
        "{certificate:?}, {grid}"
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn sums_of_kernels_have_the_minimum_of_a_grid(
        seed in any::<u64>(), first in kernels(), second in kernels(), scale in 0.6..1.5, kappa in 0.0..3.0,
    ) {
        let term = |kernel, input| Term::new(kernel, vec![input], 0.6, &[scale]).unwrap();
        agrees_with_a_grid(&posterior(seed, vec![term(first, 0), term(second, 1)]), Criterion::Lcb { kappa })?;
    }

    #[test]
    fn dot_product_kernels_have_the_minimum_of_a_grid(
        seed in any::<u64>(), degree in 1_u32..6, offset in 0.0..1.5, scales in [0.7..2.0, 0.7..2.0], kappa in 0.0..3.0,
    ) {
        let kernel = Kernel::Polynomial { degree, offset };
        let posterior = posterior(seed, vec![Term::new(kernel, vec![1, 0], 0.8, &scales).unwrap()]);
        agrees_with_a_grid(&posterior, Criterion::Lcb { kappa })?;
        agrees_with_a_grid(&posterior, Criterion::Deviation)?;
    }
}

/// If the deviation is small beside both kernels, a bound without its curvature needs hundreds of thousands of boxes.
#[test]
fn a_sum_with_a_dot_product_kernel_takes_few_boxes() {
    let term = |kernel, input| Term::new(kernel, vec![input], 0.6, &[0.6]).unwrap();
    let square = Kernel::Polynomial { degree: 2, offset: 0.1 };
    let posterior = posterior(12_982_815_091_141_086_692, vec![term(Kernel::Rbf, 0), term(square, 1)]);
    let region = Region::new(&[(-1.0, 1.0); 2]).unwrap();
    let problem = Problem::new(&posterior, Criterion::Lcb { kappa: 2.8 }, region).unwrap();
    let limits = Limits { gap: 1e-5, nodes: 3000, ..Limits::default() };
    let (certificate, proof) = minimise_with_proof(&problem, &limits, &Stop::new(false), |_| {}).unwrap();
    assert_eq!(certificate.status, Status::Optimal, "{certificate:?}");
    verify(&proof.unwrap()).unwrap();
}

#[test]
fn one_group_is_the_ordinary_model() {
    let mut instance = crate::limits::small();
    let solve = |instance: &Instance| {
        let posterior = instance.posterior().unwrap();
        let problem = instance.problem(&posterior).unwrap();
        minimise_with_proof(&problem, &Limits::default(), &Stop::new(false), |_| {}).unwrap().0
    };
    let plain = solve(&instance);
    instance.groups = vec![(0..instance.dim()).collect()];
    let grouped = solve(&instance);
    assert_eq!((plain.x, plain.value, plain.nodes), (grouped.x, grouped.value, grouped.nodes));
}

#[test]
fn invalid_groups_are_refused_by_name() {
    let refused = |groups: &[&[usize]], shares: Option<Vec<f64>>| {
        let mut instance = crate::limits::small();
        instance.groups = groups.iter().map(|group| group.to_vec()).collect();
        instance.group_sigma_f2 = shares;
        instance.posterior().unwrap_err().to_string()
    };
    for (groups, culprit) in
        [(&[&[0, 1][..], &[1]][..], "group"), (&[&[0]], "group"), (&[&[0], &[7]], "7"), (&[&[0], &[1], &[]], "group")]
    {
        let message = refused(groups, None);
        assert!(message.contains("groups") && message.contains(culprit), "{message}");
    }
    assert!(refused(&[&[0], &[1]], Some(vec![1.0])).contains("group_sigma_f2"));
    assert!(refused(&[&[0], &[1]], Some(vec![1.0, -1.0])).contains("group_sigma_f2"));
}

#[test]
fn a_dot_product_kernel_out_of_its_domain_is_refused() {
    let mut instance = crate::limits::small();
    instance.kernel = Some(KernelName::Polynomial);
    instance.degree = Some(0);
    assert!(instance.posterior().unwrap_err().to_string().contains("degree"));
    (instance.degree, instance.offset) = (Some(3), Some(-1.0));
    assert!(instance.posterior().unwrap_err().to_string().contains("offset"));
}
