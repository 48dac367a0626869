//! Properties of a posterior that hold for every model.

use crate::problem::{KERNELS, additive, ard, point, points, prior_sample, rng};
use fathom_gp::{Acquisition, Covariance, Criterion, Dataset, Kernel, Model, OutputScaling, Points, Scaling};

#[test]
fn adding_observations_one_by_one_equals_conditioning_on_all() {
    for model in [ard(Kernel::Matern32, 3, 1e-4, &mut rng(1)), additive(1e-3)] {
        let data = prior_sample(&model, 40, &mut rng(2));
        let rows: Vec<Vec<f64>> = data.x().rows().collect();
        let mut grown = model.clone().condition(&Dataset::new(&rows[..5], &data.y()[..5]).unwrap()).unwrap();
        for (x, y) in rows.iter().zip(data.y()).skip(5) {
            grown.observe(x, *y).unwrap();
        }
        let whole = model.condition(&data).unwrap();
        assert!((grown.log_marginal_likelihood() - whole.log_marginal_likelihood()).abs() < 1e-8);
        for x in points(10, 3, &mut rng(3)) {
            let (a, b) = (grown.predict(&x).unwrap(), whole.predict(&x).unwrap());
            assert!((a.mean - b.mean).abs() < 1e-9 && (a.variance - b.variance).abs() < 1e-9);
        }
    }
}

#[test]
fn leaving_one_out_equals_conditioning_on_all_others() {
    for model in [ard(Kernel::Matern52, 3, 1e-3, &mut rng(1)).with_mean(0.7).unwrap(), additive(1e-3)] {
        let data = prior_sample(&model, 20, &mut rng(2));
        let rows: Vec<Vec<f64>> = data.x().rows().collect();
        let whole = model.clone().condition(&data).unwrap();
        for (i, left_out) in whole.leave_one_out().into_iter().enumerate() {
            let (mut x, mut y) = (rows.clone(), data.y().to_vec());
            x.remove(i);
            y.remove(i);
            let without = model.clone().condition(&Dataset::new(&x, &y).unwrap()).unwrap().predict(&rows[i]).unwrap();
            assert!((left_out.mean - without.mean).abs() < 1e-7, "{i}");
            assert!((left_out.variance - (without.variance + model.noise)).abs() < 1e-7, "{i}");
        }
    }
}

#[test]
fn a_mean_alone_is_the_mean_of_the_prediction() {
    let model = ard(Kernel::Rbf, 2, 1e-4, &mut rng(1)).with_mean(-0.3).unwrap();
    let posterior = model.clone().condition(&prior_sample(&model, 15, &mut rng(2))).unwrap();
    for x in points(10, 2, &mut rng(3)) {
        assert!((posterior.mean(&x).unwrap() - posterior.predict(&x).unwrap().mean).abs() < 1e-12);
    }
    assert!(posterior.mean(&[0.5]).is_err());
}

#[test]
fn observing_a_point_twice_without_noise_falls_back_to_jitter() {
    let model = ard(Kernel::Rbf, 1, 0.0, &mut rng(4));
    let mut posterior = model.condition(&Dataset::new(&[[0.2], [0.7]], &[1.0, 2.0]).unwrap()).unwrap();
    assert_eq!(posterior.factor().jitter(), 0.0);
    posterior.observe(&[0.2], 1.0).unwrap();
    assert!(posterior.factor().jitter() > 0.0);
    assert!((posterior.predict(&[0.2]).unwrap().mean - 1.0).abs() < 1e-3);
    let before = posterior.clone();
    assert!(posterior.observe(&[f64::NAN], 1.0).is_err());
    assert!(posterior.observe(&[0.5], f64::INFINITY).is_err());
    assert!(posterior.observe(&[0.5, 0.5], 1.0).is_err());
    assert_eq!(posterior, before);
}

#[test]
fn the_joint_covariance_has_the_variances_on_its_diagonal_and_no_negative_eigenvalue() {
    for kernel in KERNELS {
        let model = ard(kernel, 2, 1e-3, &mut rng(5));
        let posterior = model.clone().condition(&prior_sample(&model, 12, &mut rng(6))).unwrap();
        let queries = Points::from_rows(&points(8, 2, &mut rng(7))).unwrap();
        let (means, joint) = posterior.joint(&queries).unwrap();
        for (i, x) in queries.rows().enumerate() {
            let single = posterior.predict(&x).unwrap();
            assert!((means[i] - single.mean).abs() < 1e-12 && (joint[(i, i)] - single.variance).abs() < 1e-12);
        }
        let smallest = fathom_gp::Spectrum::new(&joint).unwrap().values()[0];
        assert!(smallest > -1e-10, "{kernel:?}: {smallest}");
    }
}

#[test]
fn samples_have_the_posterior_mean_and_covariance() {
    let model = ard(Kernel::Matern52, 1, 1e-2, &mut rng(8));
    let posterior = model.clone().condition(&prior_sample(&model, 4, &mut rng(9))).unwrap();
    let queries = Points::from_rows(&[[0.05], [0.5], [0.95]]).unwrap();
    let (means, joint) = posterior.joint(&queries).unwrap();
    let count = 40_000;
    let samples = posterior.sample(&queries, count, &mut rng(10)).unwrap();
    for i in 0..3 {
        let mean = samples.iter().map(|s| s[i]).sum::<f64>() / count as f64;
        // The tolerance is five standard errors.
        assert!((mean - means[i]).abs() <= 5.0 * (joint[(i, i)] / count as f64).sqrt());
        for j in 0..=i {
            let products = samples.iter().map(|s| (s[i] - means[i]) * (s[j] - means[j]));
            let covariance = products.sum::<f64>() / count as f64;
            let spread = (joint[(i, i)] * joint[(j, j)]).sqrt();
            assert!((covariance - joint[(i, j)]).abs() <= 5.0 * (2.0 / count as f64).sqrt() * spread);
        }
    }
}

#[test]
fn samples_at_observed_points_without_noise_are_the_observations() {
    for kernel in [Kernel::Matern12, Kernel::Matern52, Kernel::Rbf] {
        let model = ard(kernel, 2, 0.0, &mut rng(15));
        let data = prior_sample(&model, 12, &mut rng(16));
        let posterior = model.condition(&data).unwrap();
        for sample in posterior.sample(data.x(), 5, &mut rng(17)).unwrap() {
            // The deviation of the jitter is at most 1e-3 of the prior deviation.
            assert!(sample.iter().zip(data.y()).all(|(s, y)| (s - y).abs() < 1e-2), "{kernel:?}");
        }
    }
}

#[test]
fn one_point_is_enough_and_is_interpolated() {
    for kernel in KERNELS {
        let posterior =
            ard(kernel, 2, 1e-8, &mut rng(11)).condition(&Dataset::new(&[[0.3, 0.4]], &[2.5]).unwrap()).unwrap();
        let there = posterior.predict(&[0.3, 0.4]).unwrap();
        assert!((there.mean - 2.5).abs() < 1e-5 && there.variance < 1e-5, "{kernel:?}");
    }
}

#[test]
fn an_additive_covariance_is_the_sum_over_its_groups() {
    let model = additive(1e-3);
    let (x, other) = (point(3, &mut rng(12)), point(3, &mut rng(13)));
    let by_terms: f64 = model
        .covariance
        .terms()
        .iter()
        .map(|term| {
            let inputs: Vec<usize> = (0..term.inputs().len()).collect();
            let alone = fathom_gp::Term::new(term.kernel(), inputs, term.variance(), term.lengthscales()).unwrap();
            let pick = |x: &[f64]| term.inputs().iter().map(|j| x[*j]).collect::<Vec<_>>();
            Covariance::new(term.inputs().len(), vec![alone]).unwrap().between(&pick(&x), &pick(&other))
        })
        .sum();
    assert!((model.covariance.between(&x, &other) - by_terms).abs() < 1e-15);
}

#[test]
fn predictions_in_the_users_units_do_not_depend_on_the_scaling() {
    // The same function, observed in other units, gives the same predictions after mapping.
    let (x, y) = (vec![[10.0, -3.0], [14.0, -1.0], [12.0, -2.5], [19.0, -2.0]], [100.0, 300.0, 180.0, 250.0]);
    let data = Dataset::new(&x, &y).unwrap();
    let bounds = [(10.0, 20.0), (-3.0, -1.0)];
    let scaling = Scaling::new(&data, &bounds, OutputScaling::UnitInterval).unwrap();
    let unit = Model::new(Covariance::ard(Kernel::Matern32, 1.0, &[0.4, 0.6]).unwrap(), 1e-6).unwrap();
    let user = Model::new(Covariance::ard(Kernel::Matern32, 200.0 * 200.0, &[4.0, 1.2]).unwrap(), 1e-6 * 4e4)
        .unwrap()
        .with_mean(100.0)
        .unwrap();
    let (unit, user) = (unit.condition(&scaling.dataset(&data).unwrap()).unwrap(), user.condition(&data).unwrap());
    let at = [16.5, -1.7];
    let in_unit_cube = scaling.point(&at).unwrap();
    let (in_unit, in_user) = (unit.predict(&in_unit_cube).unwrap(), user.predict(&at).unwrap());
    assert!((scaling.mean_back(in_unit.mean) - in_user.mean).abs() < 1e-8);
    assert!((scaling.deviation_back(in_unit.deviation()) - in_user.deviation()).abs() < 1e-7);
    assert!((scaling.variance_back(in_unit.variance) - in_user.variance).abs() < 1e-5);
    let gradient = |posterior: &fathom_gp::Posterior, x: &[f64]| {
        let mut gradient = vec![0.0; 2];
        Acquisition::new(posterior, Criterion::Mean).unwrap().value_and_gradient(x, &mut gradient);
        gradient
    };
    let back = scaling.gradient_back(&gradient(&unit, &in_unit_cube)).unwrap();
    assert!(back.iter().zip(gradient(&user, &at)).all(|(a, b)| (a - b).abs() < 1e-7));
    assert_eq!(scaling.lengthscales_back(&unit.model().covariance.terms()[0]).unwrap(), [4.0, 1.2]);

    // An improvement on 0.1 in the model's units is an improvement on 100 + 200 · 0.1 in the user's units. A degree of
    // imprecision has the unit of one over an output; it is so large here that both sides are in the central case.
    let (kappa, rho) = (1.5, 0.7);
    for (criterion, same) in [
        (Criterion::Lcb { kappa }, Criterion::Lcb { kappa }),
        (Criterion::Mean, Criterion::Mean),
        (Criterion::Deviation, Criterion::Deviation),
        (Criterion::Glcb { kappa, rho, imprecision: 30.0 }, Criterion::Glcb { kappa, rho, imprecision: 30.0 / 200.0 }),
        (Criterion::Ei { best: 0.1 }, Criterion::Ei { best: 120.0 }),
        (Criterion::LogEi { best: 0.1 }, Criterion::LogEi { best: 120.0 }),
        (Criterion::Pi { best: 0.1 }, Criterion::Pi { best: 120.0 }),
    ] {
        let there = Acquisition::new(&unit, criterion).unwrap().value(&in_unit_cube);
        let here = Acquisition::new(&user, same).unwrap().value(&at);
        let back = scaling.acquisition_back(criterion, there);
        assert!((back - here).abs() < 1e-7 * here.abs(), "{criterion:?}: {back} against {here}");
    }
}

#[test]
fn generalised_lcb_widens_the_bound_away_from_data_and_vanishes_without_imprecision() {
    let model = ard(Kernel::Matern52, 1, 1e-4, &mut rng(14));
    let posterior = model.condition(&Dataset::new(&[[0.0], [0.1], [0.2]], &[0.2, 0.4, 0.3]).unwrap()).unwrap();
    let value = |criterion, x: f64| Acquisition::new(&posterior, criterion).unwrap().value(&[x]);
    let lcb = Criterion::Lcb { kappa: 1.5 };
    let precise = Criterion::Glcb { kappa: 1.5, rho: 1.0, imprecision: 0.0 };
    let imprecise = Criterion::Glcb { kappa: 1.5, rho: 1.0, imprecision: 1.0 };
    assert_eq!(value(lcb, 0.7), value(precise, 0.7));
    let width = |x| value(lcb, x) - value(imprecise, x);
    assert!(width(0.9) > 10.0 * width(0.1) && width(0.1) >= 0.0);
}
