//! Random problems and boxes, nasty ones included.

use fathom_global::{MOST_INPUTS, Region, Row};
use fathom_gp::{Covariance, Criterion, Dataset, Kernel, Model, Points, Posterior, Replicates, Term, sample_normal};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// A problem as drawn, and the random numbers that go on from there.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub kernel: Kernel,
    /// Whether each input has a kernel of its own.
    pub is_sum: bool,
    pub criterion: Criterion,
    pub d: usize,
    pub n: usize,
    pub noise: f64,
    pub lengthscale: f64,
    pub variance: f64,
    pub is_clustered: bool,
    /// Whether the kernel is approximated as the paper does.
    pub is_piecewise_linear: bool,
    /// Whether rows cut the region.
    pub has_rows: bool,
    pub rng: ChaCha8Rng,
}

impl Case {
    pub fn draw(seed: u64, problem: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(problem);
        let kernel = match rng.random_range(0..8) {
            0 => Kernel::Matern12,
            1 => Kernel::Matern32,
            2 => Kernel::Matern52,
            3 | 4 => Kernel::Rbf,
            5 => Kernel::Linear { offset: 2.0 * rng.random::<f64>() },
            6 => Kernel::Polynomial { degree: rng.random_range(2..5), offset: 2.0 * rng.random::<f64>() },
            _ => Kernel::RationalQuadratic { alpha: decades(&mut rng, -1.0, 1.0) },
        };
        let criterion = match rng.random_range(0..10) {
            0 => Criterion::Mean,
            1 => Criterion::Deviation,
            // The smallest output, once there are some.
            2 | 3 => Criterion::Ei { best: 0.0 },
            4 => Criterion::LogEi { best: 0.0 },
            5 => Criterion::Pi { best: 0.0 },
            6 => Criterion::Glcb { kappa: 3.0 * rng.random::<f64>(), rho: rng.random(), imprecision: rng.random() },
            _ => Criterion::Lcb { kappa: 4.0 * rng.random::<f64>() },
        };
        // Few inputs are where bounds are tight, and so most easily wrong.
        let d = if rng.random::<f64>() < 0.9 { rng.random_range(1..=6) } else { rng.random_range(7..=MOST_INPUTS) };
        let n = 1 + (39.0 * rng.random::<f64>().powi(2)) as usize;
        let is_power = matches!(kernel, Kernel::Linear { .. } | Kernel::Polynomial { .. });
        let is_simple = matches!(criterion, Criterion::Mean | Criterion::Deviation | Criterion::Lcb { .. });
        let can_be_linear = is_simple && !is_power && d <= 4;
        Self {
            kernel,
            is_sum: d > 1 && rng.random::<f64>() < 0.3,
            is_piecewise_linear: rng.random::<f64>() < 0.4 && can_be_linear,
            has_rows: rng.random::<f64>() < 0.3,
            criterion,
            d,
            n,
            noise: decades(&mut rng, -10.0, -1.0),
            lengthscale: decades(&mut rng, -2.3, 1.3),
            variance: decades(&mut rng, -1.3, 1.3),
            is_clustered: rng.random(),
            rng,
        }
    }

    /// A sample of the prior, conditioned on.
    pub fn posterior(&mut self) -> anyhow::Result<Posterior> {
        let Self { d, n, noise, ref mut rng, .. } = *self;
        let mut x: Vec<Vec<f64>> = (0..n).map(|_| (0..d).map(|_| rng.random()).collect()).collect();
        if self.is_clustered {
            for i in n.div_ceil(2)..n {
                let spread = if i % 3 == 0 { 0.0 } else { 1e-4 };
                x[i] = x[0].iter().map(|v| v + spread * rng.random::<f64>()).collect();
            }
        }
        let lengthscales: Vec<f64> = (0..d).map(|_| self.lengthscale * (0.5 + rng.random::<f64>())).collect();
        let share = self.variance / d as f64;
        let own = |j: usize| Term::new(self.kernel, vec![j], share, &lengthscales[j..=j]);
        let covariance = match self.is_sum {
            true => Covariance::new(d, (0..d).map(own).collect::<Result<_, _>>()?)?,
            false => Covariance::ard(self.kernel, self.variance, &lengthscales)?,
        };
        let gram = covariance.gram(&Points::from_rows(&x)?, noise);
        let mean = 2.0 * rng.random::<f64>() - 1.0;
        let y = sample_normal(&vec![mean; n], &gram, 1, rng)?.remove(0);
        if let Criterion::Ei { best } | Criterion::LogEi { best } | Criterion::Pi { best } = &mut self.criterion {
            *best = y.iter().copied().fold(f64::INFINITY, f64::min);
        }
        let data = Dataset::with_replicates(&x, &y, Replicates::Keep)?;
        Ok(Model::new(covariance, noise)?.with_mean(mean)?.condition(&data)?)
    }

    /// As tables call it.
    pub fn kernel_name(&self) -> String {
        match (self.is_piecewise_linear, self.is_sum) {
            (true, _) => "piecewise_linear".into(),
            (false, true) => format!("sum of {}", self.kernel.name()),
            (false, false) => self.kernel.name().to_string(),
        }
    }

    /// All that boxes are drawn from: a cube around the data, and perhaps a half-space and a ball.
    pub fn whole(&mut self) -> anyhow::Result<Region> {
        let mut region = Region::new(&vec![(-4.0, 5.0); self.d])?;
        if self.has_rows {
            let linear: Vec<(usize, f64)> = (0..self.d).map(|j| (j, self.rng.random::<f64>() - 0.3)).collect();
            region = region.with_row(Row::new(&linear, &[], f64::NEG_INFINITY, 0.3 * self.d as f64)?)?;
            let radius = 0.3 + 0.5 * self.rng.random::<f64>();
            region = region.with_row(Row::outside_ball(&vec![0.5; self.d], &vec![1.0; self.d], radius)?)?;
        }
        Ok(region)
    }

    /// A box of any size within `whole`, around an observation or anywhere in and about the unit cube.
    pub fn region(&mut self, posterior: &Posterior, whole: &Region) -> anyhow::Result<Region> {
        let rng = &mut self.rng;
        // In boxes that are tiny beside the lengthscales there is little to get wrong.
        let smallest = if rng.random() { -2.0 } else { -12.0 };
        let width = decades(rng, smallest, 0.5);
        let (is_cube, has_flat_side) = (rng.random::<bool>(), rng.random::<f64>() < 0.05);
        let near = rng.random::<bool>().then(|| posterior.x().row(rng.random_range(0..posterior.x().len())));
        let mut side = |j: usize| {
            let width = if is_cube { width } else { width * decades(rng, -1.5, 0.0) };
            let width = if has_flat_side && j == 0 { 0.0 } else { width };
            let at = near.as_ref().map_or_else(|| 2.0 * rng.random::<f64>() - 0.5, |x| x[j]);
            let low = at - width * rng.random::<f64>();
            (low.max(whole.lower()[j]), (low + width).min(whole.upper()[j]))
        };
        Ok(Region::new(&(0..self.d).map(&mut side).collect::<Vec<_>>())?)
    }
}

/// Uniform in the exponent.
pub(super) fn decades(rng: &mut ChaCha8Rng, low: f64, high: f64) -> f64 {
    10_f64.powf(low + (high - low) * rng.random::<f64>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_supported_is_drawn() {
        let cases: Vec<Case> = (0..500).map(|problem| Case::draw(1, problem)).collect();
        for kernel in ["matern12", "matern32", "matern52", "rbf", "rq", "linear", "polynomial"] {
            assert!(cases.iter().any(|case| case.kernel.name().as_str() == kernel), "{kernel}");
        }
        for d in 1..=MOST_INPUTS {
            assert!(cases.iter().any(|case| case.d == d), "{d}");
        }
        assert!(cases.iter().any(|case| case.criterion == Criterion::Mean));
        assert!(cases.iter().any(|case| case.criterion == Criterion::Deviation));
        assert!(cases.iter().any(|case| matches!(case.criterion, Criterion::Ei { .. })));
        assert!(cases.iter().any(|case| case.is_piecewise_linear) && cases.iter().any(|case| case.has_rows));
        assert!(cases.iter().any(|case| matches!(case.criterion, Criterion::LogEi { .. })));
        assert!(cases.iter().any(|case| matches!(case.criterion, Criterion::Pi { .. })));
        assert!(cases.iter().any(|case| matches!(case.criterion, Criterion::Glcb { .. })));
        assert!(cases.iter().any(|case| case.is_sum) && cases.iter().any(|case| !case.is_sum));
        assert!(cases.iter().any(|case| case.n == 1) && cases.iter().any(|case| case.n > 35));
    }
}
