//! Bad input gets an error that names the culprit and never a panic or a NaN.

use crate::problem::{KERNELS, ard, prior_sample, rng};
use fathom_gp::{
    Acquisition, Covariance, Criterion, Dataset, Error, FitSettings, Kernel, Mean, Model, Noise, Points, Term, fit,
    log_likelihood_gradient, sample_normal,
};

fn structure() -> Covariance {
    Covariance::isotropic(Kernel::Matern32, 2, 1.0, 0.5).unwrap()
}

fn data() -> Dataset {
    Dataset::new(&[[0.0, 0.1], [0.5, 0.6]], &[0.0, 1.0]).unwrap()
}

#[test]
fn data_that_is_not_finite_is_refused_by_row() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let input = Dataset::new(&[[0.0, 1.0], [0.5, bad]], &[1.0, 2.0]);
        assert!(matches!(input, Err(Error::NotFinite { what: "input row", index: 1, .. })));
        let output = Dataset::new(&[[0.0, 1.0], [0.5, 0.2]], &[1.0, bad]);
        assert!(matches!(output, Err(Error::NotFinite { what: "output", index: 1, .. })));
    }
}

#[test]
fn shapes_that_disagree_are_refused() {
    let ragged = Dataset::new(&[vec![0.0, 1.0], vec![0.5]], &[1.0, 2.0]);
    assert_eq!(ragged, Err(Error::RaggedRow { row: 1, expected: 2, found: 1 }));
    let none: [[f64; 2]; 0] = [];
    assert!(matches!(Dataset::new(&none, &[]), Err(Error::Empty { .. })));
    assert!(matches!(Dataset::new(&[[]], &[1.0]), Err(Error::Empty { .. })));
    let outputs = Dataset::new(&[[0.0]], &[1.0, 2.0]);
    assert!(matches!(outputs, Err(Error::WrongLength { expected: 1, found: 2, .. })));
    let one_input = Dataset::new(&[[0.0]], &[1.0]).unwrap();
    let fitted = fit(&structure(), &one_input, &FitSettings::default());
    assert!(matches!(fitted, Err(Error::WrongLength { expected: 2, found: 1, .. })));
    assert!(Model::new(structure(), 1e-6).unwrap().condition(&one_input).is_err());
}

#[test]
fn contradictory_observations_name_both_rows_and_the_way_out() {
    let error = Dataset::new(&[[1.0], [2.0], [1.0]], &[0.0, 5.0, 3.0]).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("rows 0 and 2") && text.contains("learn the noise"), "{text}");
}

#[test]
fn queries_must_have_the_models_inputs() {
    let posterior = Model::new(structure(), 1e-6).unwrap().condition(&data()).unwrap();
    assert!(matches!(posterior.predict(&[0.1]), Err(Error::WrongLength { expected: 2, found: 1, .. })));
    assert!(matches!(posterior.predict(&[0.1, f64::NAN]), Err(Error::NotFinite { .. })));
    let three = Points::from_rows(&[[0.0, 0.0, 0.0]]).unwrap();
    assert!(posterior.joint(&three).is_err());
}

#[test]
fn hyperparameters_out_of_their_domain_are_refused() {
    assert!(matches!(
        Covariance::isotropic(Kernel::Rbf, 2, 1.0, -0.5),
        Err(Error::OutOfDomain { name: "a lengthscale", .. })
    ));
    assert!(Model::new(structure(), -1e-6).is_err());
    assert!(Model::new(structure(), f64::NAN).is_err());
    assert!(Model::new(structure(), 1e-6).unwrap().with_mean(f64::INFINITY).is_err());
}

#[test]
fn fit_settings_are_checked() {
    let run = |settings: FitSettings| fit(&structure(), &data(), &settings).unwrap_err();
    let crossed = run(FitSettings { lengthscale: (2.0, 0.1), ..FitSettings::default() });
    assert_eq!(crossed, Error::CrossedBounds { name: "the lengthscale", lower: 2.0, upper: 0.1 });
    assert!(matches!(run(FitSettings { variance: (0.0, 1.0), ..FitSettings::default() }), Error::OutOfDomain { .. }));
    assert!(matches!(run(FitSettings { starts: 0, ..FitSettings::default() }), Error::Empty { .. }));
    run(FitSettings { max_iterations: 0, ..FitSettings::default() });
    run(FitSettings { noise: Noise::Fixed(-1.0), ..FitSettings::default() });
    run(FitSettings { noise: Noise::Learned { lower: 0.0, upper: 1.0 }, ..FitSettings::default() });
    run(FitSettings { noise: Noise::Learned { lower: 1.0, upper: 0.1 }, ..FitSettings::default() });
    run(FitSettings { noise: Noise::Learned { lower: 1e-6, upper: f64::NAN }, ..FitSettings::default() });
    run(FitSettings { mean: Mean::Fixed(f64::NAN), ..FitSettings::default() });
    let learned = Noise::Learned { lower: 1e-6, upper: 1.0 };
    let mean = run(FitSettings { mean: Mean::Fixed(f64::INFINITY), noise: learned, ..FitSettings::default() });
    assert!(matches!(mean, Error::NotFinite { what: "the prior mean", .. }));
    let rq = Covariance::isotropic(Kernel::RationalQuadratic { alpha: 1.0 }, 2, 1.0, 0.5).unwrap();
    let shape = FitSettings { shape: Some((1e-3, 1e15)), ..FitSettings::default() };
    assert!(matches!(fit(&rq, &data(), &shape), Err(Error::OutOfDomain { .. })));
}

#[test]
fn criteria_are_checked() {
    let posterior = Model::new(structure(), 1e-6).unwrap().condition(&data()).unwrap();
    for criterion in [
        Criterion::Lcb { kappa: -1.0 },
        Criterion::Lcb { kappa: f64::NAN },
        Criterion::Glcb { kappa: 1.0, rho: -1.0, imprecision: 1.0 },
        Criterion::Glcb { kappa: 1.0, rho: 1.0, imprecision: f64::INFINITY },
        Criterion::Ei { best: f64::NAN },
        Criterion::LogEi { best: f64::INFINITY },
        Criterion::Pi { best: f64::NAN },
    ] {
        assert!(Acquisition::new(&posterior, criterion).is_err(), "{criterion:?}");
    }
}

#[test]
fn a_singular_matrix_is_repaired_and_reported_and_never_panics() {
    // Two hundred points nearly coincide, and there is no noise.
    let x: Vec<[f64; 2]> = (0..200).map(|i| [f64::from(i) * 1e-12, 0.5]).collect();
    let y: Vec<f64> = (0..200).map(|i| f64::from(i % 2)).collect();
    let model = Model::new(Covariance::isotropic(Kernel::Rbf, 2, 1.0, 1.0).unwrap(), 0.0).unwrap();
    let posterior = model.condition(&Dataset::new(&x, &y).unwrap()).unwrap();
    assert!(posterior.factor().jitter() > 0.0);
    let there = posterior.predict(&[0.3, 0.3]).unwrap();
    assert!(there.mean.is_finite() && there.variance >= 0.0);
}

#[test]
fn a_nan_input_gives_a_nan_output() {
    for kernel in KERNELS {
        let model = ard(kernel, 2, 1e-3, &mut rng(31));
        let posterior = model.clone().condition(&prior_sample(&model, 6, &mut rng(32))).unwrap();
        let mut predictor = posterior.predictor();
        for x in [[f64::NAN, 0.5], [0.5, f64::NAN]] {
            let (mut mean, mut variance) = ([0.0; 2], [0.0; 2]);
            for there in [predictor.predict(&x), predictor.predict_with_gradient(&x, &mut mean, &mut variance)] {
                assert!(there.mean.is_nan() && there.variance.is_nan() && there.deviation().is_nan(), "{kernel:?}");
            }
            for criterion in [
                Criterion::Lcb { kappa: 2.0 },
                Criterion::Mean,
                Criterion::Deviation,
                Criterion::Glcb { kappa: 1.0, rho: 1.0, imprecision: 1.0 },
                Criterion::Ei { best: 0.0 },
                Criterion::LogEi { best: 0.0 },
                Criterion::Pi { best: 0.0 },
            ] {
                let mut acquisition = Acquisition::new(&posterior, criterion).unwrap();
                assert!(acquisition.value(&x).is_nan(), "{kernel:?} {criterion:?}");
                assert!(acquisition.value_and_gradient(&x, &mut mean).is_nan(), "{kernel:?} {criterion:?}");
            }
        }
    }
}

#[test]
fn a_fit_without_a_finite_likelihood_says_so() {
    let huge = Dataset::new(&[[0.0, 0.1], [0.5, 0.6]], &[-1e200, 1e200]).unwrap();
    assert_eq!(fit(&structure(), &huge, &FitSettings::default()), Err(Error::NoFiniteLikelihood));
}

#[test]
fn a_model_whose_fields_were_changed_is_checked_again() {
    let model = Model::new(structure(), 1e-6).unwrap();
    for broken in [
        Model { noise: -1.0, ..model.clone() },
        Model { noise: f64::NAN, ..model.clone() },
        Model { mean: f64::NAN, ..model.clone() },
    ] {
        assert!(broken.clone().condition(&data()).is_err());
        assert!(log_likelihood_gradient(&broken, &data()).is_err());
    }
    let one_input = Dataset::new(&[[0.0]], &[1.0]).unwrap();
    assert!(matches!(log_likelihood_gradient(&model, &one_input), Err(Error::WrongLength { .. })));
}

#[test]
fn a_covariance_of_no_inputs_is_refused_in_words() {
    let term = Term::new(Kernel::Rbf, vec![0], 1.0, &[1.0]).unwrap();
    let error = Covariance::new(0, vec![term]).unwrap_err();
    assert!(error.to_string().contains("there are 0 inputs"), "{error}");
    assert!(Covariance::additive(Kernel::Rbf, 0, None, 1.0, 1.0).is_err());
    assert!(Covariance::ard(Kernel::Rbf, 1.0, &[]).is_err());
}

#[test]
fn samples_need_a_square_covariance_of_the_means_size() {
    let gram = structure().gram(data().x(), 1e-6);
    assert!(sample_normal(&[0.0; 2], &gram, 1, &mut rng(1)).is_ok());
    assert!(matches!(sample_normal(&[0.0; 3], &gram, 1, &mut rng(1)), Err(Error::WrongLength { .. })));
    assert!(sample_normal(&[], &gram, 1, &mut rng(1)).is_err());
}

/// The message of a call's panic.
fn complaint(call: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let thrown = std::panic::catch_unwind(call).expect_err("the lengths differ");
    thrown.downcast_ref::<&str>().map_or_else(String::new, |text| (*text).to_owned())
}

#[test]
fn inner_loops_panic_with_the_length_that_they_need() {
    let posterior = Model::new(structure(), 1e-6).unwrap().condition(&data()).unwrap();
    for wrong in [vec![0.5], vec![0.5; 3]] {
        for said in [
            complaint(|| {
                posterior.predictor().predict(&wrong);
            }),
            complaint(|| {
                posterior.predictor().predict_with_gradient(&wrong, &mut [0.0; 2], &mut [0.0; 2]);
            }),
            complaint(|| {
                posterior.predictor().predict_with_gradient(&[0.5; 2], &mut wrong.clone(), &mut [0.0; 2]);
            }),
            complaint(|| {
                Acquisition::new(&posterior, Criterion::Mean).unwrap().value(&wrong);
            }),
            complaint(|| {
                Acquisition::new(&posterior, Criterion::Mean)
                    .unwrap()
                    .value_and_gradient(&[0.5; 2], &mut wrong.clone());
            }),
            complaint(|| {
                structure().between(&[0.5; 2], &wrong);
            }),
            complaint(|| posterior.factor().solve(&mut wrong.clone())),
        ] {
            assert!(said.contains("must have one entry for each"), "{said}");
        }
    }
}
