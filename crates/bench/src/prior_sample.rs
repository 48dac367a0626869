//! Models conditioned on samples of their own prior, after Section 5.1 of the paper.
//!
//! N points of a Latin hypercube in [0, 1]^D, one lengthscale √D · logU[0.1, 1], σ_f² ~ U[0.5, 2], y a sample of the prior
//! with its noise. The paper does not print its draw; this is the rule of `instances/prior_*`.

use fathom_gp::{Covariance, Dataset, Kernel, Model, Points, Posterior, Replicates, sample_normal};
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// What to draw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PriorSample {
    pub kernel: Kernel,
    pub d: usize,
    pub n: usize,
    /// `None`: drawn.
    pub lengthscale: Option<f64>,
    pub noise: f64,
    /// Draws depend on it alone: points, variance and normal numbers are the same for every kernel, lengthscale and noise.
    pub seed: u64,
}

impl PriorSample {
    /// The posterior and its lengthscale.
    pub fn draw(&self) -> anyhow::Result<(Posterior, f64)> {
        let Self { d, n, .. } = *self;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let mut x = vec![vec![0.0; d]; n];
        for j in 0..d {
            let mut strata: Vec<usize> = (0..n).collect();
            strata.shuffle(&mut rng);
            for (row, stratum) in x.iter_mut().zip(strata) {
                row[j] = (stratum as f64 + rng.random::<f64>()) / n as f64;
            }
        }
        let drawn = (d as f64).sqrt() * 10_f64.powf(rng.random::<f64>() - 1.0);
        let lengthscale = self.lengthscale.unwrap_or(drawn);
        let sigma_f2 = 0.5 + 1.5 * rng.random::<f64>();
        let covariance = Covariance::ard(self.kernel, sigma_f2, &vec![lengthscale; d])?;
        let gram = covariance.gram(&Points::from_rows(&x)?, self.noise);
        let y = sample_normal(&vec![0.0; n], &gram, 1, &mut rng)?.remove(0);
        let data = Dataset::with_replicates(&x, &y, Replicates::Keep)?;
        Ok((Model::new(covariance, self.noise)?.condition(&data)?, lengthscale))
    }

    /// κ of the step after the sample, √(0.2 D log 2(N + 1)).
    pub fn kappa(&self) -> f64 {
        (0.2 * self.d as f64 * (2.0 * (self.n as f64 + 1.0)).ln()).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_follow_the_rule_and_repeat_themselves() {
        let sample = PriorSample { kernel: Kernel::Rbf, d: 4, n: 30, lengthscale: None, noise: 1e-6, seed: 5 };
        let (posterior, lengthscale) = sample.draw().expect("a problem");
        assert_eq!((posterior.x().len(), posterior.x().dim()), (30, 4));
        assert!((0.2..=2.0).contains(&lengthscale));
        let mut strata: Vec<usize> = posterior.x().column(2).iter().map(|x| (x * 30.0) as usize).collect();
        strata.sort_unstable();
        assert_eq!(strata, (0..30).collect::<Vec<_>>(), "one point in each stratum");
        assert_eq!(sample.draw().expect("again").0.y(), posterior.y());
        let noisy = PriorSample { noise: 1e-2, ..sample }.draw().expect("a problem").0;
        assert_eq!(noisy.x().column(0), posterior.x().column(0), "only the noise differs");
        let one = PriorSample { d: 1, n: 10, ..sample };
        assert!((one.kappa() - 0.786_262_354_861_062_4).abs() < 1e-15);
    }
}
