//! Random models and data for the other tests.

use fathom_gp::{Covariance, Dataset, Kernel, Model, Points, Term, sample_normal};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// One of every kernel; two polynomials.
pub const KERNELS: [Kernel; 9] = [
    Kernel::Matern12,
    Kernel::Matern32,
    Kernel::Matern52,
    Kernel::Matern72,
    Kernel::Rbf,
    Kernel::RationalQuadratic { alpha: 0.8 },
    Kernel::Linear { offset: 0.5 },
    Kernel::Polynomial { degree: 2, offset: 0.5 },
    Kernel::Polynomial { degree: 3, offset: 1.0 },
];

pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A uniform point of the unit cube.
pub fn point(dim: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    (0..dim).map(|_| rng.random::<f64>()).collect()
}

pub fn points(n: usize, dim: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
    (0..n).map(|_| point(dim, rng)).collect()
}

/// An ARD model with hyperparameters of ordinary size.
pub fn ard(kernel: Kernel, dim: usize, noise: f64, rng: &mut ChaCha8Rng) -> Model {
    let lengthscales: Vec<f64> = (0..dim).map(|_| 0.2 + rng.random::<f64>()).collect();
    let covariance = Covariance::ard(kernel, 0.5 + rng.random::<f64>(), &lengthscales).unwrap();
    Model::new(covariance, noise).unwrap()
}

/// An additive model of two different kernels over three inputs.
pub fn additive(noise: f64) -> Model {
    let first = Term::new(Kernel::Matern52, vec![2, 0], 0.7, &[0.4, 0.9]).unwrap();
    let second = Term::new(Kernel::Polynomial { degree: 2, offset: 0.3 }, vec![1], 0.2, &[1.3]).unwrap();
    Model::new(Covariance::new(3, vec![first, second]).unwrap(), noise).unwrap()
}

/// `n` observations of a sample of the model's prior, noise included.
pub fn prior_sample(model: &Model, n: usize, rng: &mut ChaCha8Rng) -> Dataset {
    let x = points(n, model.covariance.dim(), rng);
    let gram = model.covariance.gram(&Points::from_rows(&x).unwrap(), model.noise);
    let y = sample_normal(&vec![model.mean; n], &gram, 1, rng).unwrap().remove(0);
    Dataset::new(&x, &y).unwrap()
}
