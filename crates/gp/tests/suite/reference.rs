//! Reference values from scikit-learn and mpmath; `tests/reference/` holds them with the script that made them.

use fathom_gp::{Covariance, Dataset, FitSettings, Kernel, KernelFields, Model, Noise, Replicates, Term, fit};
use serde::Deserialize;
use std::path::Path;

fn load<T: for<'de> Deserialize<'de>>(name: &str) -> Vec<T> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn kernel(name: &str, alpha: Option<f64>, offset: Option<f64>, degree: Option<u32>) -> Kernel {
    Kernel::named(name.parse().unwrap(), KernelFields { alpha, offset, degree, knots: None }).unwrap()
}

#[derive(Deserialize)]
struct PosteriorCase {
    name: String,
    kernel: String,
    alpha: Option<f64>,
    offset: Option<f64>,
    degree: Option<u32>,
    sigma_f2: f64,
    lengthscales: Vec<f64>,
    noise: f64,
    x: Vec<Vec<f64>>,
    y: Vec<f64>,
    queries: Vec<Vec<f64>>,
    mean: Vec<f64>,
    variance: Vec<f64>,
    lml: f64,
}

#[test]
fn posterior_and_likelihood_equal_scikit_learn_to_1e_8() {
    let cases: Vec<PosteriorCase> = load("posterior.json");
    assert_eq!(cases.len(), 54);
    let close = |ours: f64, theirs: f64| (ours - theirs).abs() <= 1e-8 * theirs.abs();
    for case in cases {
        let dim = case.x[0].len();
        let kernel = kernel(&case.kernel, case.alpha, case.offset, case.degree);
        let term = Term::new(kernel, (0..dim).collect(), case.sigma_f2, &case.lengthscales).unwrap();
        let model = Model::new(Covariance::new(dim, vec![term]).unwrap(), case.noise).unwrap();
        let posterior = model.condition(&Dataset::new(&case.x, &case.y).unwrap()).unwrap();
        assert!(close(posterior.log_marginal_likelihood(), case.lml), "{} likelihood", case.name);
        for (i, query) in case.queries.iter().enumerate() {
            let ours = posterior.predict(query).unwrap();
            assert!(close(ours.mean, case.mean[i]), "{} mean {i}", case.name);
            assert!(close(ours.variance, case.variance[i]), "{} variance {i}", case.name);
        }
    }
}

#[derive(Deserialize)]
struct FitCase {
    name: String,
    kernel: String,
    ard: bool,
    alpha: Option<f64>,
    noise: FitNoise,
    x: Vec<Vec<f64>>,
    y: Vec<f64>,
    reference: FitReference,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum FitNoise {
    Fixed(f64),
    Learned(f64, f64),
}

#[derive(Deserialize)]
struct FitReference {
    lml: f64,
}

#[test]
fn fits_reach_scikit_learns_likelihood_with_the_same_bounds_and_starts() {
    let cases: Vec<FitCase> = load("fits.json");
    assert_eq!(cases.len(), 20);
    for case in cases {
        let dim = case.x[0].len();
        let kernel = kernel(&case.kernel, case.alpha, None, None);
        let structure = if case.ard {
            Covariance::ard(kernel, 1.0, &vec![0.5; dim]).unwrap()
        } else {
            Covariance::isotropic(kernel, dim, 1.0, 0.5).unwrap()
        };
        let (noise, replicates) = match case.noise {
            FitNoise::Fixed(noise) => (Noise::Fixed(noise), Replicates::Reject),
            FitNoise::Learned(lower, upper) => (Noise::Learned { lower, upper }, Replicates::Keep),
        };
        let data = Dataset::with_replicates(&case.x, &case.y, replicates).unwrap();
        let settings = FitSettings { noise, shape: None, ..FitSettings::default() };
        let fitted = fit(&structure, &data, &settings).unwrap();
        let starts: Vec<_> = fitted.starts.iter().map(|s| (s.evaluations, s.objective.clone())).collect();
        println!("{} {} {} {starts:.2?}", case.name, fitted.log_likelihood, case.reference.lml);
        assert!(fitted.log_likelihood >= case.reference.lml - 1e-3, "{}", case.name);
    }
}
