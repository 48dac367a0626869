//! Every analytic gradient agrees with finite differences.

use crate::problem::{KERNELS, additive, ard, point, prior_sample, rng};
use fathom_gp::{Acquisition, Criterion, Dataset, Model, Posterior, log_likelihood_gradient};

/// The Richardson-extrapolated central difference in input `j`.
fn difference(mut f: impl FnMut(&[f64]) -> f64, x: &[f64], j: usize, h: f64) -> f64 {
    let mut central = |h: f64| {
        let (mut up, mut down) = (x.to_vec(), x.to_vec());
        up[j] += h;
        down[j] -= h;
        (f(&up) - f(&down)) / (2.0 * h)
    };
    (4.0 * central(h / 2.0) - central(h)) / 3.0
}

fn models() -> Vec<Model> {
    let mut rng = rng(1);
    let mut models: Vec<Model> = KERNELS.iter().map(|kernel| ard(*kernel, 3, 1e-2, &mut rng)).collect();
    models.push(additive(1e-2).with_mean(0.4).unwrap());
    models
}

fn posterior(model: &Model, seed: u64) -> Posterior {
    let data = prior_sample(model, 15, &mut rng(seed));
    model.clone().condition(&data).unwrap()
}

fn assert_close(analytic: f64, numeric: f64, what: &str) {
    assert!((analytic - numeric).abs() <= 2e-6 * (1.0 + analytic.abs()), "{what}: {analytic} against {numeric}");
}

#[test]
fn mean_and_variance_gradients_agree_with_finite_differences() {
    for model in models() {
        let posterior = posterior(&model, 2);
        let mut predictor = posterior.predictor();
        let mut rng = rng(3);
        for _ in 0..5 {
            let x = point(3, &mut rng);
            let (mut mean, mut variance) = (vec![0.0; 3], vec![0.0; 3]);
            let prediction = predictor.predict_with_gradient(&x, &mut mean, &mut variance);
            assert_eq!(prediction, posterior.predict(&x).unwrap());
            for j in 0..3 {
                let kernel = model.covariance.terms()[0].kernel().name().as_str();
                assert_close(mean[j], difference(|x| predictor.predict(x).mean, &x, j, 1e-4), kernel);
                assert_close(variance[j], difference(|x| predictor.predict(x).variance, &x, j, 1e-4), kernel);
            }
        }
    }
}

#[test]
fn acquisition_gradients_agree_with_finite_differences() {
    for model in models() {
        let posterior = posterior(&model, 4);
        let best = posterior.y().iter().copied().fold(f64::INFINITY, f64::min);
        for criterion in [
            Criterion::Lcb { kappa: 1.7 },
            Criterion::Mean,
            Criterion::Deviation,
            Criterion::Glcb { kappa: 1.2, rho: 0.8, imprecision: 5.0 },
            Criterion::Ei { best },
            Criterion::LogEi { best },
            Criterion::Pi { best },
        ] {
            let mut acquisition = Acquisition::new(&posterior, criterion).unwrap();
            let mut rng = rng(5);
            for _ in 0..5 {
                let x = point(3, &mut rng);
                let mut gradient = vec![0.0; 3];
                let value = acquisition.value_and_gradient(&x, &mut gradient);
                assert_eq!(value, acquisition.value(&x));
                let what = format!("{criterion:?}, {}", model.covariance.terms()[0].kernel().name());
                for (j, analytic) in gradient.iter().enumerate() {
                    assert_close(*analytic, difference(|x| acquisition.value(x), &x, j, 1e-4), &what);
                }
            }
        }
    }
}

#[test]
fn improvement_gradients_agree_with_finite_differences_relative_to_their_own_size() {
    let mut far = 0;
    for model in models() {
        let posterior = posterior(&model, 4);
        let smallest = posterior.y().iter().copied().fold(f64::INFINITY, f64::min);
        for below in [0.0, 1.0, 4.0] {
            let best = smallest - below;
            for criterion in [Criterion::Ei { best }, Criterion::LogEi { best }, Criterion::Pi { best }] {
                let mut acquisition = Acquisition::new(&posterior, criterion).unwrap();
                let mut rng = rng(8);
                for _ in 0..5 {
                    let x = point(3, &mut rng);
                    let mut gradient = vec![0.0; 3];
                    let value = acquisition.value_and_gradient(&x, &mut gradient);
                    let there = posterior.predict(&x).unwrap();
                    far += usize::from((best - there.mean) / there.deviation() < -5.0);
                    let size = gradient.iter().map(|g| g.abs()).fold(0.0, f64::max);
                    if value.abs() < 1e-280 || size == 0.0 {
                        continue; // The criterion underflows; only its logarithm is left.
                    }
                    // The criteria change over a distance of value/gradient; the step must be much smaller.
                    let h = 1e-4 * (value.abs() / size).min(1.0);
                    for (j, analytic) in gradient.iter().enumerate() {
                        let numeric = difference(|x| acquisition.value(x), &x, j, h);
                        let what = format!("{criterion:?}, {}", model.covariance.terms()[0].kernel().name());
                        assert!((analytic - numeric).abs() <= 1e-5 * size, "{what}: {analytic} against {numeric}");
                    }
                }
            }
        }
    }
    assert!(far > 50, "{far} points far in the tail");
}

#[test]
fn likelihood_gradients_agree_with_finite_differences_in_every_hyperparameter() {
    for model in models() {
        let data = prior_sample(&model, 12, &mut rng(6));
        let (value, gradient) = log_likelihood_gradient(&model, &data).unwrap();
        assert_close(value, model.clone().condition(&data).unwrap().log_marginal_likelihood(), "value");
        let mut logs = model.covariance.parameters();
        logs.push(model.noise.ln());
        assert_eq!(logs.len(), gradient.len());
        let likelihood = |logs: &[f64]| at(&model, logs, &data);
        for (j, analytic) in gradient.iter().enumerate() {
            let what = format!("{} {j}", model.covariance.terms()[0].kernel().name());
            assert_close(*analytic, difference(likelihood, &logs, j, 1e-3), &what);
        }
    }
}

fn at(model: &Model, logs: &[f64], data: &Dataset) -> f64 {
    let (noise, logs) = logs.split_last().unwrap();
    let moved = Model { covariance: model.covariance.with_parameters(logs), noise: noise.exp(), mean: model.mean };
    moved.condition(data).unwrap().log_marginal_likelihood()
}

#[test]
fn improvement_criteria_stay_finite_at_an_observation_without_noise() {
    let model = ard(fathom_gp::Kernel::Rbf, 2, 0.0, &mut rng(7));
    let data = Dataset::new(&[[0.1, 0.1], [0.9, 0.8]], &[0.0, 1.0]).unwrap();
    let posterior = model.condition(&data).unwrap();
    for criterion in [
        Criterion::Lcb { kappa: 2.0 },
        Criterion::Ei { best: 0.0 },
        Criterion::LogEi { best: 0.0 },
        Criterion::Pi { best: 0.0 },
    ] {
        let mut acquisition = Acquisition::new(&posterior, criterion).unwrap();
        let mut gradient = [0.0; 2];
        for x in [[0.1, 0.1], [0.9, 0.8]] {
            let value = acquisition.value_and_gradient(&x, &mut gradient);
            assert!(value.is_finite() && gradient.iter().all(|g| g.is_finite()), "{criterion:?}");
        }
    }
}
