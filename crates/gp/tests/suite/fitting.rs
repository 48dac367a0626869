//! Tests of fits: bounds, priors, noise, determinism.

use crate::problem::{ard, prior_sample, rng};
use fathom_gp::{
    Covariance, Dataset, Error, FitSettings, Gamma, Kernel, LogNormal, Mean, Model, Noise, Priors, Replicates, Term,
    fit, fit_until, log_likelihood_gradient,
};
use std::sync::atomic::{AtomicUsize, Ordering};

fn data(n: usize) -> Dataset {
    let model = Model::new(Covariance::ard(Kernel::Matern32, 1.3, &[0.3, 0.8]).unwrap(), 1e-4).unwrap();
    prior_sample(&model, n, &mut rng(21))
}

fn with_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[test]
fn the_thread_count_does_not_change_a_single_bit() {
    let data = data(40);
    let structure = Covariance::ard(Kernel::Matern32, 1.0, &[0.5, 0.5]).unwrap();
    let run = |threads| with_threads(threads, || fit(&structure, &data, &FitSettings::default()).unwrap());
    let (one, two, five) = (run(1), run(2), run(5));
    assert_eq!(one, two);
    assert_eq!(one, five);
}

#[test]
fn another_seed_draws_other_starts() {
    let data = data(15);
    let structure = Covariance::ard(Kernel::Matern32, 1.0, &[0.5, 0.5]).unwrap();
    let run = |seed| fit(&structure, &data, &FitSettings { seed, ..FitSettings::default() }).unwrap();
    let evaluations = |seed| run(seed).starts.iter().map(|start| start.evaluations).collect::<Vec<_>>();
    assert_ne!(evaluations(1), evaluations(2));
    assert_eq!(run(1).starts.len(), 10);
}

#[test]
fn a_fit_counts_its_evaluations_and_those_with_jitter() {
    let structure = Covariance::isotropic(Kernel::Rbf, 2, 1.0, 0.5).unwrap();
    let fitted = fit(&structure, &data(15), &FitSettings::default()).unwrap();
    assert!(fitted.polish.evaluations > 0 && fitted.polish.objective == Ok(fitted.objective));
    assert!(fitted.starts.iter().all(|start| start.jittered == 0), "noise keeps the matrix definite");
    // Without noise and with long lengthscales the matrix is singular up to rounding.
    let settings = FitSettings { noise: Noise::Fixed(0.0), lengthscale: (10.0, 20.0), ..FitSettings::default() };
    let fitted = fit(&structure, &data(40), &settings).unwrap();
    assert!(fitted.starts.iter().all(|start| start.jittered > 0 && start.jittered <= start.evaluations));
}

#[test]
fn hyperparameters_stay_within_their_bounds() {
    let data = data(20);
    let settings = FitSettings {
        variance: (0.9, 1.1),
        lengthscale: (0.01, 0.05),
        noise: Noise::Learned { lower: 1e-3, upper: 1e-2 },
        ..FitSettings::default()
    };
    let structure = Covariance::ard(Kernel::Matern52, 5.0, &[2.0, 2.0]).unwrap();
    let fitted = fit(&structure, &data, &settings).unwrap();
    let model = fitted.posterior.model();
    let within = |value: f64, (low, high): (f64, f64)| value >= low * (1.0 - 1e-12) && value <= high * (1.0 + 1e-12);
    let term = &model.covariance.terms()[0];
    assert!(within(term.variance(), settings.variance) && within(model.noise, (1e-3, 1e-2)));
    assert!(term.lengthscales().iter().all(|l| within(*l, settings.lengthscale)));
}

#[test]
fn noise_is_learned_from_replicates() {
    let truth = Model::new(Covariance::isotropic(Kernel::Rbf, 1, 1.0, 0.4).unwrap(), 0.04).unwrap();
    let x: Vec<[f64; 1]> = (0..120).map(|i| [f64::from(i / 4) / 29.0]).collect();
    let clean = prior_sample(&truth, 2, &mut rng(22)).y()[0];
    let mut rng = rng(23);
    let noise = |rng: &mut rand_chacha::ChaCha8Rng| -> f64 {
        use rand_distr::Distribution as _;
        rand_distr::StandardNormal.sample(rng)
    };
    let y: Vec<f64> = x.iter().map(|x| clean + (5.0 * x[0]).sin() + 0.2 * noise(&mut rng)).collect();
    let data = Dataset::with_replicates(&x, &y, Replicates::Keep).unwrap();
    let settings = FitSettings { noise: Noise::Learned { lower: 1e-6, upper: 1.0 }, ..FitSettings::default() };
    let structure = Covariance::isotropic(Kernel::Rbf, 1, 1.0, 0.4).unwrap();
    let fitted = fit(&structure, &data, &settings).unwrap();
    let learned = fitted.posterior.model().noise;
    assert!((0.025..0.06).contains(&learned), "{learned}");
}

#[test]
fn a_strong_prior_pulls_the_lengthscale_to_its_mode() {
    let data = data(12);
    let structure = Covariance::isotropic(Kernel::Matern32, 2, 1.0, 0.5).unwrap();
    let prior = LogNormal::new(1.0_f64.ln(), 0.01).unwrap();
    let priors = Priors { lengthscale: Some(prior.into()), ..Priors::default() };
    let fitted = fit(&structure, &data, &FitSettings { priors, ..FitSettings::default() }).unwrap();
    let lengthscale = fitted.posterior.model().covariance.terms()[0].lengthscales()[0];
    assert!((lengthscale - 1.0).abs() < 0.02, "{lengthscale}");
    let expected = fitted.log_likelihood + prior.log_density(lengthscale.ln()).0;
    assert!((fitted.objective - expected).abs() < 1e-9);
}

#[test]
fn dimension_scaled_priors_keep_lengthscales_sensible_if_the_data_say_nothing() {
    let data = Dataset::new(&[vec![0.2; 8], vec![0.7; 8]], &[0.0, 1.0]).unwrap();
    let structure = Covariance::ard(Kernel::Matern52, 1.0, &[0.5; 8]).unwrap();
    let priors = Priors { lengthscale: Some(LogNormal::dimension_scaled(8).into()), ..Priors::default() };
    let fitted = fit(&structure, &data, &FitSettings { priors, ..FitSettings::default() }).unwrap();
    assert!(fitted.posterior.model().covariance.terms()[0].lengthscales().iter().all(|l| (0.3..3.0).contains(l)));
}

#[test]
fn additive_models_and_shape_parameters_are_learned() {
    let x: Vec<Vec<f64>> = crate::problem::points(40, 2, &mut rng(24));
    let y: Vec<f64> = x.iter().map(|x| (9.0 * x[0]).sin() + 0.5 * x[1] * x[1]).collect();
    let data = Dataset::new(&x, &y).unwrap();
    let additive = Covariance::additive(Kernel::Matern52, 2, None, 1.0, 0.5).unwrap();
    let joint = Covariance::isotropic(Kernel::Matern52, 2, 1.0, 0.5).unwrap();
    let likelihood = |structure| fit(structure, &data, &FitSettings::default()).unwrap().log_likelihood;
    assert!(likelihood(&additive) > likelihood(&joint) + 5.0, "an additive function wants an additive model");

    let rq = Covariance::isotropic(Kernel::RationalQuadratic { alpha: 1.0 }, 2, 1.0, 0.5).unwrap();
    let free = FitSettings::default();
    let kept = FitSettings { shape: None, ..FitSettings::default() };
    let (free, kept) = (fit(&rq, &data, &free).unwrap(), fit(&rq, &data, &kept).unwrap());
    assert!(free.log_likelihood >= kept.log_likelihood - 1e-6);
    let shape = |fitted: &fathom_gp::Fit| fitted.posterior.model().covariance.terms()[0].kernel().shape().unwrap();
    assert!((shape(&kept) - 1.0).abs() < 1e-12 && (shape(&free) - 1.0).abs() > 1e-3);
}

#[test]
fn one_point_and_constant_outputs_can_be_fitted() {
    let structure = Covariance::isotropic(Kernel::Matern32, 1, 1.0, 0.5).unwrap();
    for data in [Dataset::new(&[[0.4]], &[0.0]), Dataset::new(&[[0.0], [0.5], [1.0]], &[0.3, 0.3, 0.3])] {
        let fitted = fit(&structure, &data.unwrap(), &FitSettings::default()).unwrap();
        assert!(fitted.log_likelihood.is_finite());
        assert!(fitted.posterior.predict(&[0.9]).unwrap().mean.is_finite());
    }
}

#[test]
fn a_fit_that_was_sampled_from_a_model_recovers_it() {
    let truth = ard(Kernel::Matern32, 2, 1e-6, &mut rng(25));
    let data = prior_sample(&truth, 150, &mut rng(26));
    let structure = Covariance::ard(Kernel::Matern32, 1.0, &[0.5, 0.5]).unwrap();
    let fitted = fit(&structure, &data, &FitSettings::default()).unwrap();
    let (found, sought) = (&fitted.posterior.model().covariance.terms()[0], &truth.covariance.terms()[0]);
    for (found, sought) in found.lengthscales().iter().zip(sought.lengthscales()) {
        assert!((found / sought).ln().abs() < 0.7, "{found} for {sought}");
    }
}

#[test]
fn a_fit_that_is_ended_has_the_best_it_has_seen_and_one_that_is_not_is_the_same_to_the_last_bit() {
    let data = data(40);
    let structure = Covariance::ard(Kernel::Matern32, 1.0, &[0.5, 0.5]).unwrap();
    let settings = FitSettings::default();
    let whole = fit(&structure, &data, &settings).unwrap();
    assert!(!whole.is_cut);
    assert_eq!(fit_until(&structure, &data, &settings, &|| false).unwrap(), whole);
    // Ended before it began: the caller's own hyperparameters are looked at in any case.
    let none = fit_until(&structure, &data, &settings, &|| true).unwrap();
    assert!(none.is_cut && none.starts[0].evaluations == 1);
    assert!(none.starts[1..].iter().all(|start| start.evaluations == 0 && start.objective == Err(Error::Cut)));
    assert_eq!(none.posterior, Model::new(structure.clone(), 1e-6).unwrap().condition(&data).unwrap());
    // Ended on the way: no better than the whole, no worse than the first one.
    let asked = AtomicUsize::new(0);
    let some = fit_until(&structure, &data, &settings, &|| asked.fetch_add(1, Ordering::Relaxed) >= 60).unwrap();
    assert!(some.is_cut);
    let bounds = none.objective..=whole.objective;
    assert!(bounds.contains(&some.objective), "{} in {bounds:?}", some.objective);
}

#[test]
fn hyperparameters_of_dot_products_are_those_that_the_likelihood_can_tell_apart() {
    let slope = |x: &[f64; 2]| 0.7 + 1.3 * x[0] - 0.4 * x[1];
    let x: Vec<[f64; 2]> = (0..24).map(|i| [f64::from(i % 5) / 4.0, f64::from(i * 7 % 24) / 23.0]).collect();
    let noise = |i: usize| 0.05 * ((37 * i) as f64).sin();
    let line: Vec<f64> = x.iter().enumerate().map(|(i, x)| slope(x) + noise(i)).collect();
    let curve: Vec<f64> = x.iter().zip(&line).map(|(x, y)| y + x[0] * x[1] - x[1] * x[1]).collect();
    let groups = vec![vec![0], vec![1]];
    let additive = |kernel| Covariance::additive(kernel, 2, Some(&groups), 1.0, 1.0).unwrap();
    let ard = |kernel| Covariance::ard(kernel, 1.0, &[1.0, 1.0]).unwrap();
    let linear = |offset| Kernel::Linear { offset };
    let square = |offset| Kernel::Polynomial { degree: 2, offset };
    for (structure, y) in [
        (ard(linear(1.0)), &line),
        (ard(linear(0.0)), &line),
        (additive(linear(1.0)), &line),
        (ard(square(0.5)), &curve),
        (ard(square(0.0)), &curve),
        (additive(square(1.0)), &curve),
    ] {
        let data = Dataset::with_replicates(&x, y, Replicates::Average).unwrap();
        let fitted = |seed| {
            let noise = Noise::Learned { lower: 1e-6, upper: 1.0 };
            let fitted = fit(&structure, &data, &FitSettings { seed, noise, ..FitSettings::default() }).unwrap();
            (fitted.objective, fitted.posterior.model().covariance.parameters())
        };
        let (best, parameters) = fitted(1);
        for seed in 2..5 {
            let (objective, other) = fitted(seed);
            assert!((best - objective).abs() < 1e-3, "{structure:?}: {best} and {objective}");
            let apart = parameters.iter().zip(&other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 0.05, "{structure:?}: {parameters:?} and {other:?}");
        }
        let kept = structure.terms()[0].kernel();
        assert_eq!(
            fit(&structure, &data, &FitSettings::default()).unwrap().posterior.model().covariance.terms()[0].kernel(),
            kept
        );
    }
}

/// Priors, learned mean and noise, as studies fit by default.
fn with_priors(dim: usize) -> FitSettings {
    let priors = Priors {
        lengthscale: Some(Gamma::dimension_scaled(dim).into()),
        noise: Some(Gamma::new(1.1, 30.0).unwrap().into()),
        ..Priors::default()
    };
    let noise = Noise::Learned { lower: 1e-6, upper: 1.0 };
    FitSettings { priors, noise, mean: Mean::Learned, variance: (1.0, 1.0), starts: 3, ..FitSettings::default() }
}

#[test]
fn a_learned_mean_is_the_most_likely_one() {
    let data = data(30);
    let shifted =
        Dataset::new(&data.x().rows().collect::<Vec<_>>(), &data.y().iter().map(|y| y + 40.0).collect::<Vec<_>>())
            .unwrap();
    let structure = Covariance::ard(Kernel::Matern52, 1.0, &[0.5, 0.5]).unwrap();
    let model = fit(&structure, &shifted, &with_priors(2)).unwrap().posterior.model().clone();
    let likelihood = |mean: f64| {
        let moved = model.clone().with_mean(mean).unwrap();
        log_likelihood_gradient(&moved, &shifted).unwrap().0
    };
    let best = likelihood(model.mean);
    assert!(best > likelihood(model.mean + 1e-3) && best > likelihood(model.mean - 1e-3), "{}", model.mean);
    assert!((model.mean - 40.0).abs() < 3.0, "{}", model.mean);
    let unshifted = fit(&structure, &data, &with_priors(2)).unwrap();
    assert!((unshifted.posterior.model().mean + 40.0 - model.mean).abs() < 1e-3, "the mean moves with the outputs");
}

#[test]
fn a_fit_that_starts_where_an_earlier_one_ended_needs_few_evaluations() {
    let data = data(40);
    let structure = Covariance::ard(Kernel::Matern52, 1.0, &[0.5, 0.5]).unwrap();
    let cold = fit(&structure, &data, &with_priors(2)).unwrap();
    let earlier = Some(cold.posterior.model().clone());
    let warm = fit(&structure, &data, &FitSettings { earlier, ..with_priors(2) }).unwrap();
    assert!(warm.starts[1].evaluations < 6, "{:?}", warm.starts);
    assert!((warm.objective - cold.objective).abs() < 1e-6);
    // A model of another shape is no start.
    let stranger = Model::new(Covariance::isotropic(Kernel::Matern52, 3, 1.0, 0.5).unwrap(), 1e-6).unwrap();
    let fitted = fit(&structure, &data, &FitSettings { earlier: Some(stranger), ..with_priors(2) }).unwrap();
    assert_eq!(fitted.objective, cold.objective);
}

#[test]
fn inputs_in_one_group_share_a_lengthscale() {
    let x: Vec<[f64; 4]> = (0..30)
        .map(|i| {
            let kind = i % 3;
            let side = |k: i32| f64::from(u8::from(kind == k));
            [f64::from(i) / 29.0, side(0), side(1), side(2)]
        })
        .collect();
    let y: Vec<f64> = x.iter().map(|x| (4.0 * x[0]).sin() + 2.0 * x[2]).collect();
    let data = Dataset::new(&x, &y).unwrap();
    let term = Term::new(Kernel::Matern52, vec![0, 1, 2, 3], 1.0, &[0.3]).unwrap().with_shared(&[1, 3]);
    let structure = Covariance::new(4, vec![term]).unwrap();
    assert_eq!(structure.parameters().len(), 3, "a variance and two lengthscales");
    let fitted = fit(&structure, &data, &with_priors(2)).unwrap();
    let lengthscales = fitted.posterior.model().covariance.terms()[0].lengthscales().to_vec();
    assert!(lengthscales[1] == lengthscales[2] && lengthscales[2] == lengthscales[3]);
    assert!(lengthscales[0] != lengthscales[1]);
    // The gradient of a shared lengthscale is the sum over its inputs: it vanishes at the maximum of the likelihood alone.
    let free = FitSettings { noise: Noise::Fixed(1e-4), ..FitSettings::default() };
    let model = fit(&structure, &data, &free).unwrap().posterior.model().clone();
    let (value, gradient) = log_likelihood_gradient(&model, &data).unwrap();
    let logs = model.covariance.parameters();
    for j in 0..logs.len() {
        let mut moved = logs.clone();
        moved[j] += 1e-5;
        let model = Model { covariance: model.covariance.with_parameters(&moved), ..model.clone() };
        let slope = (log_likelihood_gradient(&model, &data).unwrap().0 - value) / 1e-5;
        assert!((slope - gradient[j]).abs() < 1e-2 * (1.0 + slope.abs()), "{j}: {slope} {}", gradient[j]);
    }
}
