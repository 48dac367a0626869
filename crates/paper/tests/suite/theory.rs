//! The approximation bounds hold on random data for every kernel, every choice of breakpoints and every repair.

use crate::problem::{KERNELS, additive, ard, points, prior_sample, rng};
use fathom_gp::{Covariance, Dataset, Kernel, Model, Posterior, PwlCovariance, PwlPosterior, Repair};
use fathom_paper::theory::{
    Constants, SegmentSchedule, c1, estimate_a_posteriori, estimate_by_norms, information_gain, lemma_4_5,
};
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;

#[derive(Debug, Clone, Copy)]
enum Breakpoints {
    Paper,
    Error(f64),
}

fn breakpoints() -> impl Strategy<Value = Breakpoints> {
    prop_oneof![Just(Breakpoints::Paper), (1.0..5.0).prop_map(|digits: f64| Breakpoints::Error(10_f64.powf(-digits)))]
}

fn repairs() -> impl Strategy<Value = Repair> {
    prop_oneof![
        Just(Repair::None),
        Just(Repair::Shift { floor: 1e-6 }),
        Just(Repair::Clip { floor: 1e-6 }),
        (-4.0..0.0).prop_map(|digits: f64| Repair::Regularise { amount: 10_f64.powf(digits) }),
    ]
}

/// Compares every bound with the real error at random points, at every corner of the unit cube and at the data.
fn check_bounds(posterior: &Posterior, pwl: PwlCovariance, repair: Repair, rng: &mut ChaCha8Rng, slack: f64) {
    let approximate = PwlPosterior::new(posterior, pwl, repair).unwrap();
    let (tight, loose) = (estimate_a_posteriori(&approximate).unwrap(), estimate_by_norms(&approximate).unwrap());
    let dim = posterior.x().dim();
    let corners = (0..1_u32 << dim).map(|bits| (0..dim).map(|j| f64::from(bits >> j & 1)).collect::<Vec<_>>());
    let random = points(40, dim, rng);
    for x in random.into_iter().chain(corners).chain(posterior.x().rows()) {
        let exact = posterior.predict(&x).unwrap();
        let (mean, variance) = approximate.predict(&x).unwrap();
        let mean_error = (exact.mean - mean).abs();
        let deviation_error = (exact.deviation() - variance.max(0.0).sqrt()).abs();
        for (name, bound) in [("a posteriori", tight), ("by norms", loose)] {
            // The bounds, the means and the variances are evaluated in floating point; `slack` is relative.
            let scale = posterior.weights().iter().map(|a| a.abs()).sum::<f64>();
            assert!(mean_error <= bound.mean * (1.0 + slack) + 1e-15 * scale, "{name}: {mean_error} > {}", bound.mean);
            let variance_bound = bound.deviation.powi(2) * (1.0 + slack) + 1e-14;
            assert!(deviation_error.powi(2) <= variance_bound, "{name}: {deviation_error} > {}", bound.deviation);
        }
    }
    if posterior.y().len() < 3 {
        return; // With so few points, ‖k(x)‖ ≤ √N V (by norms) is smaller than ‖L⁻¹k(x)‖ ≤ √V.
    }
    assert!(tight.mean <= loose.mean * (1.0 + slack), "mean: {} > {}", tight.mean, loose.mean);
    assert!(tight.deviation <= loose.deviation * (1.0 + slack), "deviation: {tight:?} {loose:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn bounds_always_hold(
        seed in any::<u64>(),
        kernel in 0..=KERNELS.len(),
        dim in 1_usize..5,
        n in 1_usize..30,
        noise in prop_oneof![Just(1e-6), Just(1e-4), Just(1e-2)],
        breakpoints in breakpoints(),
        repair in repairs(),
    ) {
        let mut rng = rng(seed);
        // An index beyond the last kernel stands for a sum of two kernels over three inputs.
        let model = if kernel < KERNELS.len() { ard(KERNELS[kernel], dim, noise, &mut rng) } else { additive(noise) };
        let data = prior_sample(&model, n, &mut rng);
        let covariance = model.covariance.clone();
        let posterior = model.condition(&data).unwrap();
        let bounds = vec![(0.0, 1.0); covariance.dim()];
        let pwl = match breakpoints {
            Breakpoints::Paper => PwlCovariance::paper(covariance, &bounds),
            Breakpoints::Error(error) => PwlCovariance::with_error(covariance, &bounds, error),
        }.unwrap();
        check_bounds(&posterior, pwl, repair, &mut rng, 1e-6);
    }
}

#[test]
fn bounds_hold_without_noise() {
    let rational = Kernel::RationalQuadratic { alpha: 0.8 };
    for kernel in [Kernel::Matern12, Kernel::Matern32, Kernel::Matern52, Kernel::Matern72, rational] {
        for seed in 0..10 {
            let mut rng = rng(seed);
            let model = ard(kernel, 2, 0.0, &mut rng);
            let data = prior_sample(&model, 12, &mut rng);
            let posterior = model.condition(&data).unwrap();
            let covariance = posterior.model().covariance.clone();
            for error in [1e-3, 1e-5] {
                let pwl = PwlCovariance::with_error(covariance.clone(), &[(0.0, 1.0); 2], error).unwrap();
                let amount = 12.0 * pwl.error();
                check_bounds(&posterior, pwl.clone(), Repair::None, &mut rng, 1e-6);
                check_bounds(&posterior, pwl, Repair::Regularise { amount }, &mut rng, 1e-6);
            }
        }
    }
}

#[test]
fn jitter_counts_as_noise_in_the_bounds() {
    // Two points nearly coincide, and there is no noise, so the factor needs jitter.
    let model = Model::new(Covariance::isotropic(Kernel::Matern52, 1, 1.0, 0.5).unwrap(), 0.0).unwrap();
    let data = Dataset::new(&[[0.2], [0.2 + 1e-9], [0.8]], &[0.3, 0.3, 0.9]).unwrap();
    let posterior = model.condition(&data).unwrap();
    assert!(posterior.factor().jitter() > 0.0);
    let pwl = PwlCovariance::with_error(posterior.model().covariance.clone(), &[(0.0, 1.0)], 1e-4).unwrap();
    let amount = 3.0 * pwl.error();
    check_bounds(&posterior, pwl, Repair::Regularise { amount }, &mut rng(1), 1e-3);
}

#[test]
fn indefinite_matrices_are_common_and_regularising_by_the_error_mends_them() {
    // A smooth kernel, many points and coarse segments are the case of the paper's loop.
    let mut met = 0;
    for seed in 0..20 {
        let mut rng = rng(seed);
        let model = ard(Kernel::Rbf, 2, 1e-6, &mut rng);
        let data = prior_sample(&model, 30, &mut rng);
        let posterior = model.condition(&data).unwrap();
        let pwl = PwlCovariance::paper(posterior.model().covariance.clone(), &[(0.0, 1.0); 2]).unwrap();
        let amount = 30.0 * pwl.error();
        let broken = PwlPosterior::new(&posterior, pwl.clone(), Repair::None).unwrap();
        met += usize::from(broken.indefiniteness().is_some_and(|found| found.smallest < -1e-6 && found.count > 0));
        let mended = PwlPosterior::new(&posterior, pwl, Repair::Regularise { amount }).unwrap();
        assert!(mended.spectrum().values()[0] >= 1e-6 * (1.0 - 1e-6), "N ε_M makes it at least K̂");
    }
    assert!(met >= 10, "{met} of 20");
}

#[test]
fn theorem_4_3_agrees_with_its_printed_formula() {
    let constants = Constants::new(1e-2, 20.0);
    assert!((constants.mu - 2e5).abs() < 1e-9 && (constants.sigma - 2e3).abs() < 1e-9);
    let bound = constants.theorem_4_3(10, 1e-4);
    assert!((bound.mean - 2e5 * 100.0 * 1e-4).abs() < 1e-6 && (bound.deviation - 2e3 * 10.0 * 1e-2).abs() < 1e-9);
    assert_eq!(bound.lcb(2.0), bound.mean + 2.0 * bound.deviation);
    let regret = constants.theorem_4_4(2, 4.0, 0.3, 1e-4);
    let by_hand = 2.0 * 2.0 * 0.3 + 0.25 + 2.0 * 2e5 * 4.0 * 1e-4 + 4.0 * 2e3 * 2.0 * 2.0 * 1e-2;
    assert!((regret - by_hand).abs() < 1e-9);
}

#[test]
fn lemma_4_5s_schedule_keeps_the_extra_regret_summable() {
    let constants = Constants { mu: 1.0, sigma: 1.0 };
    // The ratio of the regret that one doubling of the rounds adds to that of the previous doubling.
    let ratio = |exponent| {
        let schedule = SegmentSchedule { scale: 1e-2, exponent };
        let sum = |rounds| {
            let steps: Vec<(f64, f64)> = (1..=rounds).map(|t| (2.0, schedule.epsilon(t))).collect();
            constants.c2(&steps)
        };
        (sum(4000) - sum(2000)) / (sum(2000) - sum(1000))
    };
    // Terms fall like t^(-1 - exponent/2), so doublings fall like 2^(-exponent/2).
    assert!((ratio(0.5) - 2_f64.powf(-0.25)).abs() < 0.01);
    assert!(ratio(-0.5) > 1.0, "without the lemma's exponent the sum diverges");
    let schedule = SegmentSchedule { scale: 1e-2, exponent: 0.5 };
    let segments = |t| schedule.kernel(Kernel::Matern52, (0.0, 3.0), t).unwrap().segments();
    let counts = [1, 2, 4].map(segments);
    // M_t grows like t^(2 + ε/2).
    assert!(counts[0] < counts[1] && counts[1] < counts[2] && counts[2] < 60 * counts[0], "{counts:?}");
    assert!((c1(1.0) - 8.0 / 2.0_f64.ln()).abs() < 1e-12);
    assert_eq!(lemma_4_5(4.0, 9, 1.0, 4.0, 0.5), 12.5);
}

#[test]
fn the_information_gain_is_half_the_log_determinant() {
    let model: Model = ard(Kernel::Rbf, 1, 0.5, &mut rng(3));
    let posterior = model.clone().condition(&prior_sample(&model, 1, &mut rng(4))).unwrap();
    let by_hand = 0.5 * (1.0 + model.covariance.prior_variance(&[0.0]) / 0.5).ln();
    assert!((information_gain(&posterior) - by_hand).abs() < 1e-12);
}
