//! The certified minimum under the piecewise-linear kernel is that of a fine grid, and no bound is above any value.

use fathom_check::verify;
use fathom_global::{BoundBy, Claim, Limits, NegativeVariance, Problem, Proof, Region, Row, Stop, minimise_with_proof};
use fathom_gp::{
    Covariance, Criterion, Dataset, Kernel, Model, Posterior, PwlAcquisition, PwlPosterior, Replicates, Term,
};
use fathom_paper::{Breakpoints, Engine, PkMiqp, PkSettings, Treatment, linearise, theory};
use fathom_proof::StatedKernel;
use proptest::prelude::*;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

fn kernels() -> impl Strategy<Value = Kernel> {
    prop_oneof![
        Just(Kernel::Matern12),
        Just(Kernel::Matern32),
        Just(Kernel::Matern52),
        Just(Kernel::Matern72),
        Just(Kernel::Rbf),
        (0.3..5.0).prop_map(|alpha| Kernel::RationalQuadratic { alpha }),
    ]
}

fn posterior(seed: u64, kernel: Kernel, dim: usize, n: usize, scale: f64, additive: bool) -> Posterior {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut x: Vec<Vec<f64>> = (0..n).map(|_| (0..dim).map(|_| rng.random::<f64>()).collect()).collect();
    if seed.is_multiple_of(3) {
        x[n - 1] = x[0].iter().map(|x| (x + 1e-3).min(1.0)).collect();
    }
    let y: Vec<f64> = x.iter().map(|x| x.iter().map(|x| (7.0 * x).sin()).sum::<f64>() + rng.random::<f64>()).collect();
    let groups: Vec<Vec<usize>> = if additive { (0..dim).map(|j| vec![j]).collect() } else { vec![(0..dim).collect()] };
    let term = |group: Vec<usize>| Term::new(kernel, group, 0.9, &[scale]).unwrap();
    let covariance = Covariance::new(dim, groups.into_iter().map(term).collect()).unwrap();
    let data = Dataset::with_replicates(&x, &y, Replicates::Keep).unwrap();
    Model::new(covariance, 1e-4).unwrap().with_mean(0.2).unwrap().condition(&data).unwrap()
}

/// Value and bound of a certified search, whose proof holds.
fn solve(approximate: &PwlPosterior, criterion: Criterion, region: &Region, negative: NegativeVariance) -> (f64, f64) {
    let problem = Problem::piecewise_linear(approximate, criterion, region.clone(), negative).unwrap();
    let limits = Limits { gap: 1e-3, nodes: 300_000, ..Limits::default() };
    let (certificate, proof) = minimise_with_proof(&problem, &limits, &Stop::new(false), |_| {}).unwrap();
    assert_eq!(certificate.claim, Claim::PiecewiseLinear { criterion: criterion.name(), bound_by: BoundBy::Proof });
    let proof = Proof::from_bytes(&proof.unwrap().to_bytes().unwrap()).unwrap();
    let verdict = verify(&proof).unwrap_or_else(|rejection| panic!("{rejection}"));
    assert_eq!(verdict.lower_bound, certificate.lower_bound);
    assert!(certificate.gap.unwrap() <= 1e-3, "{certificate:?}");
    (certificate.value, certificate.lower_bound.unwrap())
}

fn grid(
    approximate: &PwlPosterior,
    criterion: Criterion,
    region: &Region,
    negative: NegativeVariance,
    steps: usize,
) -> f64 {
    let mut function = PwlAcquisition::new(approximate, criterion, negative).unwrap();
    let dim = region.dim();
    let at = |index: usize| -> Vec<f64> {
        (0..dim).map(|j| (index / (steps + 1).pow(j as u32) % (steps + 1)) as f64 / steps as f64).collect()
    };
    let points = (0..(steps + 1).pow(dim as u32)).map(at).filter(|x| region.contains(x));
    points.map(|x| function.value(&x)).fold(f64::INFINITY, f64::min)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn the_minimum_in_one_input_is_that_of_a_fine_grid(
        seed in any::<u64>(), kernel in kernels(), n in 2_usize..14, scale in 0.1..1.0, kappa in 0.0..3.0,
    ) {
        let (posterior, region) = (posterior(seed, kernel, 1, n, scale, false), Region::new(&[(0.0, 1.0)]).unwrap());
        let criterion = Criterion::Lcb { kappa };
        for (treatment, negative) in
            [(Treatment::KeepAll, NegativeVariance::Clamped), (Treatment::Published, NegativeVariance::Excluded)]
        {
            let approximate = linearise(&posterior, &region, Breakpoints::Paper, treatment).unwrap();
            let best = grid(&approximate, criterion, &region, negative, 20_000);
            let (value, bound) = solve(&approximate, criterion, &region, negative);
            prop_assert!(bound <= best && value <= best + 1e-3, "{treatment:?}: {value}, {bound} against {best}");
        }
    }

    #[test]
    fn the_minimum_in_two_inputs_is_that_of_a_grid(
        seed in any::<u64>(), kernel in kernels(), n in 3_usize..16, scale in 0.2..1.0, kappa in 0.0..3.0,
        additive in any::<bool>(), inside in any::<bool>(),
    ) {
        let posterior = posterior(seed, kernel, 2, n, scale, additive);
        let mut region = Region::new(&[(0.0, 1.0); 2]).unwrap();
        if inside {
            let disc = Row::new(&[], &[(0, 0, 1.0), (1, 1, 1.0)], 0.1, 0.8).unwrap();
            region = region.with_row(disc).unwrap();
        }
        let approximate = linearise(&posterior, &region, Breakpoints::Error(0.02), Treatment::KeepAll).unwrap();
        for criterion in [Criterion::Lcb { kappa }, Criterion::Mean, Criterion::Deviation] {
            let best = grid(&approximate, criterion, &region, NegativeVariance::Clamped, 150);
            let (value, bound) = solve(&approximate, criterion, &region, NegativeVariance::Clamped);
            prop_assert!(bound <= best && value <= best + 1e-3, "{criterion:?}: {value}, {bound} against {best}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn no_bound_of_a_search_cut_short_exceeds_a_value_and_its_proof_holds(
        seed in any::<u64>(), kernel in kernels(), dim in 1_usize..4, n in 2_usize..16, scale in 0.05..1.5, kappa in 0.0..4.0,
        additive in any::<bool>(), nodes in 1_u64..40, width in -6.0..0.0, published in any::<bool>(),
    ) {
        let case = CutShort { seed, kernel, dim, n, scale, kappa, additive, nodes, width, published };
        case.run()?;
    }
}

/// A search that a limit of nodes cuts short.
struct CutShort {
    seed: u64,
    kernel: Kernel,
    dim: usize,
    n: usize,
    scale: f64,
    kappa: f64,
    additive: bool,
    nodes: u64,
    width: f64,
    published: bool,
}

impl CutShort {
    /// Whether no bound exceeds a value, and the proof holds.
    fn run(self) -> Result<(), TestCaseError> {
        let Self { seed, kernel, dim, n, scale, kappa, additive, nodes, width, published } = self;
        let posterior = posterior(seed, kernel, dim, n, scale, additive);
        // The box has any size and contains an observation, and so the kernel's cusp.
        let (width, around) = (10_f64.powf(width), posterior.x().row(0));
        let side = |x: f64| ((x - 0.4 * width).max(0.0), (x + 0.6 * width).min(1.0));
        let region = Region::new(&around.into_iter().map(side).collect::<Vec<_>>()).unwrap();
        let (treatment, negative) = match published {
            true => (Treatment::Published, NegativeVariance::Excluded),
            false => (Treatment::KeepAll, NegativeVariance::Clamped),
        };
        let approximate = linearise(&posterior, &region, Breakpoints::Paper, treatment).unwrap();
        let criterion = Criterion::Lcb { kappa };
        let problem = Problem::piecewise_linear(&approximate, criterion, region.clone(), negative).unwrap();
        let limits = Limits { gap: 1e-4, nodes, seed, ..Limits::default() };
        let (certificate, proof) = minimise_with_proof(&problem, &limits, &Stop::new(false), |_| {}).unwrap();
        let Some(bound) = certificate.lower_bound else { return Ok(()) };
        let mut function = PwlAcquisition::new(&approximate, criterion, negative).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        // Weights cancel down to the mean, and σ̃² is a difference of numbers of size σ_f² and off by cond · 2⁻⁵³ of σ_f².
        let total: f64 = approximate.weights().iter().map(|a| a.abs()).sum();
        let condition = approximate.spectrum().norm() / approximate.spectrum().values()[0];
        let fuzz = 1e-12 * total * condition.sqrt() + 4.0 * kappa * (2.7 * condition * 1e-15).sqrt();
        for _ in 0..200 {
            let side = |(low, high): (&f64, &f64)| (low + (high - low) * rng.random::<f64>()).clamp(*low, *high);
            let x: Vec<f64> = region.lower().iter().zip(region.upper()).map(side).collect();
            let value = function.value(&x);
            prop_assert!(bound <= value + fuzz, "bound {bound} above {value} at {x:?}");
        }
        if let Some(proof) = proof {
            let verdict = verify(&proof);
            prop_assert!(verdict.is_ok(), "{}", verdict.unwrap_err());
        }
        Ok(())
    }
}

#[test]
fn what_the_checker_cannot_confirm_for_rounding_is_not_claimed() {
    // Weights of a million under the published repair, and a box 1.4e-11 wide.
    let case = CutShort {
        seed: 5_764_868_380_408_293_233,
        kernel: Kernel::Rbf,
        dim: 1,
        n: 13,
        scale: 0.215_832_660_744_194_05,
        kappa: 0.600_681_792_873_859_5,
        additive: false,
        nodes: 26,
        width: -0.768_508_890_229_770_8,
        published: true,
    };
    case.run().unwrap();
}

#[test]
fn the_a_posteriori_bound_carries_the_minimum_over_to_the_true_function() {
    let criterion = Criterion::Lcb { kappa: 1.5 };
    for seed in 0..10 {
        let (posterior, region) =
            (posterior(seed, Kernel::Matern32, 1, 8, 0.4, false), Region::new(&[(0.0, 1.0)]).unwrap());
        let approximate = linearise(&posterior, &region, Breakpoints::Error(1e-3), Treatment::KeepAll).unwrap();
        let (_, bound) = solve(&approximate, criterion, &region, NegativeVariance::Clamped);
        let error = theory::estimate_a_posteriori(&approximate).unwrap().lcb(1.5);
        let mut function = fathom_gp::Acquisition::new(&posterior, criterion).unwrap();
        let truth = (0..=20_000).map(|i| function.value(&[f64::from(i) / 20_000.0])).fold(f64::INFINITY, f64::min);
        assert!(bound - error <= truth, "{bound} − {error} against {truth}");
    }
}

#[test]
fn a_changed_statement_of_the_kernel_is_rejected() {
    let (posterior, region) = (posterior(1, Kernel::Rbf, 1, 6, 0.4, false), Region::new(&[(0.0, 1.0)]).unwrap());
    let approximate = linearise(&posterior, &region, Breakpoints::Paper, Treatment::KeepAll).unwrap();
    let criterion = Criterion::Lcb { kappa: 2.0 };
    let problem = Problem::piecewise_linear(&approximate, criterion, region, NegativeVariance::Clamped).unwrap();
    let limits = Limits { gap: 1e-3, ..Limits::default() };
    let (_, proof) = minimise_with_proof(&problem, &limits, &Stop::new(false), |_| {}).unwrap();
    let proof = proof.unwrap();
    assert!(verify(&proof).is_ok());
    fn knots(proof: &mut Proof) -> &mut Vec<(f64, f64)> {
        let StatedKernel::PiecewiseLinear { knots } = &mut proof.statement.terms[0].kernel else {
            panic!("a piecewise-linear kernel");
        };
        knots
    }
    type Damage = (&'static str, fn(&mut Proof));
    let damages: [Damage; 7] = [
        ("a higher knot", |proof| knots(proof)[2].1 += 0.05),
        ("rising knots", |proof| knots(proof)[1].1 = 2.0),
        ("no knots", |proof| knots(proof).clear()),
        ("a claim about the spectrum", |proof| proof.least_eigenvalue = Some(1.0)),
        ("no claim about the spectrum", |proof| proof.least_eigenvalue = None),
        ("a missing piece", |proof| proof.pieces.truncate(1)),
        ("points that no longer count", |proof| proof.statement.negative_variance = None),
    ];
    for (name, damage) in damages {
        let mut proof = proof.clone();
        damage(&mut proof);
        assert!(verify(&proof).is_err(), "{name}");
    }
}

#[test]
fn an_unsupported_problem_is_refused_by_name() {
    let (posterior, region) = (posterior(1, Kernel::Rbf, 1, 6, 0.4, false), Region::new(&[(0.0, 1.0)]).unwrap());
    let approximate = linearise(&posterior, &region, Breakpoints::Paper, Treatment::KeepAll).unwrap();
    let refused = |criterion, region: Region| {
        Problem::piecewise_linear(&approximate, criterion, region, NegativeVariance::Clamped).unwrap_err().to_string()
    };
    assert!(refused(Criterion::Ei { best: 0.0 }, region).contains("piecewise-linear"));
    let wide = Region::new(&[(-1.0, 1.0)]).unwrap();
    assert!(refused(Criterion::Mean, wide).contains("beyond the box"));
}

#[test]
fn groups_alone_have_their_own_minima_and_no_proof() {
    let posterior = posterior(4, Kernel::Matern32, 2, 10, 0.4, true);
    let region = Region::new(&[(0.0, 1.0); 2]).unwrap();
    let (criterion, settings) = (Criterion::Lcb { kappa: 1.5 }, PkSettings::default());
    let method = PkMiqp::new(Engine::Embedded, &settings).unwrap();
    let stop = Stop::new(false);
    let found = method.minimise_groups(&posterior, criterion, &region, &stop, |_| {}).unwrap();
    let approximate = linearise(&posterior, &region, Breakpoints::Paper, Treatment::KeepAll).unwrap();
    let mut joined = Vec::new();
    for (group, certificate) in found.groups.iter().enumerate() {
        let mut function =
            PwlAcquisition::new(&approximate, criterion, NegativeVariance::Clamped).unwrap().of_group(group);
        let at = |i: i32| {
            let mut x = [0.3, 0.3];
            x[group] = f64::from(i) / 20_000.0;
            x
        };
        let best = (0..=20_000).map(|i| function.value(&at(i))).fold(f64::INFINITY, f64::min);
        assert!(
            certificate.lower_bound.unwrap() <= best && certificate.value <= best + 1e-3,
            "{certificate:?}, {best}"
        );
        joined.push(certificate.x[group]);
        let problem =
            Problem::piecewise_linear_group(&approximate, criterion, region.clone(), NegativeVariance::Clamped, group);
        let refused = minimise_with_proof(&problem.unwrap(), &Limits::default(), &stop, |_| {}).unwrap_err();
        assert!(refused.to_string().contains("one term of an additive model"), "{refused}");
    }
    // The groups' means add up to the whole's, less the prior mean, which belongs to no group.
    let mut whole = PwlAcquisition::new(&approximate, Criterion::Mean, NegativeVariance::Clamped).unwrap();
    let parts: f64 = (0..2).map(|group| whole.clone().of_group(group).value(&joined)).sum();
    assert!((whole.value(&joined) - 0.2 - parts).abs() < 1e-10);
    let mut exact = fathom_gp::Acquisition::new(&posterior, criterion).unwrap();
    assert!((exact.value(&joined) - found.before_polishing).abs() < 1e-12);
    assert!(found.value <= found.before_polishing && region.contains(&found.x));

    let across = region.with_row(Row::new(&[(0, 1.0), (1, 1.0)], &[], 0.0, 1.0).unwrap()).unwrap();
    let refused = method.minimise_groups(&posterior, criterion, &across, &stop, |_| {}).unwrap_err();
    assert!(refused.to_string().contains("several groups"), "{refused}");
}
