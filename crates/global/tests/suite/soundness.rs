//! No bound exceeds the truth, for any model, data and box.

use fathom_check::{Function, verify};
use fathom_global::{Error, Limits, Problem, Region, Status, Stop, bounds_of_box, minimise, minimise_with_proof};
use fathom_gp::{
    Acquisition, Covariance, Criterion, Dataset, Kernel, Model, Points, Posterior, Replicates, Term, normal,
    sample_normal,
};
use proptest::prelude::*;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use std::time::Duration;

/// A random problem, often a nasty one: clusters, exact duplicates, extreme lengthscales, tiny boxes.
#[derive(Debug, Clone)]
struct Case {
    seed: u64,
    kernel: Kernel,
    /// The kernel of every second input, if it is another term of the covariance.
    other: Option<Kernel>,
    dim: usize,
    n: usize,
    noise: f64,
    lengthscale: f64,
    variance: f64,
    /// `best` of the improvements, in units of σ_f above the smallest output.
    criterion: Criterion,
    clustered: bool,
    width: f64,
}

fn cases() -> impl Strategy<Value = Case> {
    let kernel = || {
        prop_oneof![
            Just(Kernel::Matern12),
            Just(Kernel::Matern32),
            Just(Kernel::Matern52),
            Just(Kernel::Matern72),
            Just(Kernel::Rbf),
            (0.1..10.0).prop_map(|alpha| Kernel::RationalQuadratic { alpha }),
            (0.0..2.0).prop_map(|offset| Kernel::Linear { offset }),
            (1_u32..6, 0.0..2.0).prop_map(|(degree, offset)| Kernel::Polynomial { degree, offset }),
        ]
    };
    let kernels = (kernel(), prop::option::of(kernel()));
    let criterion = prop_oneof![
        (0.0..4.0).prop_map(|kappa| Criterion::Lcb { kappa }),
        Just(Criterion::Mean),
        Just(Criterion::Deviation),
        (0.0..4.0, 0.0..3.0, 0.0..20.0).prop_map(|(kappa, rho, imprecision)| Criterion::Glcb {
            kappa,
            rho,
            imprecision
        }),
        (-6.0..1.0).prop_map(|best| Criterion::Ei { best }),
        (-40.0..1.0).prop_map(|best| Criterion::LogEi { best }),
        (-4.0..1.0).prop_map(|best| Criterion::Pi { best }),
    ];
    let decades = |low: f64, high: f64| (low..high).prop_map(|digits: f64| 10_f64.powf(digits));
    let sizes = (1_usize..5, 1_usize..25);
    let scales = (decades(-10.0, -1.0), decades(-2.3, 1.3), decades(-1.3, 1.3), decades(-12.0, 0.0));
    (any::<u64>(), kernels, sizes, scales, criterion, any::<bool>()).prop_map(
        |(seed, (kernel, other), (dim, n), (noise, lengthscale, variance, width), criterion, clustered)| Case {
            seed,
            kernel,
            other,
            dim,
            n,
            noise,
            lengthscale,
            variance,
            criterion,
            clustered,
            width,
        },
    )
}

impl Case {
    fn rng(&self) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(self.seed)
    }

    fn posterior(&self, rng: &mut ChaCha8Rng) -> Posterior {
        let mut x: Vec<Vec<f64>> = (0..self.n).map(|_| (0..self.dim).map(|_| rng.random()).collect()).collect();
        if self.clustered {
            for i in self.n / 2..self.n {
                let spread = if i % 3 == 0 { 0.0 } else { 1e-4 };
                x[i] = x[0].iter().map(|v| v + spread * rng.random::<f64>()).collect();
            }
        }
        let lengthscales: Vec<f64> = (0..self.dim).map(|_| self.lengthscale * (0.5 + rng.random::<f64>())).collect();
        let covariance = self.covariance(&lengthscales);
        let gram = covariance.gram(&Points::from_rows(&x).unwrap(), self.noise);
        let y = sample_normal(&vec![0.3; self.n], &gram, 1, rng).unwrap().remove(0);
        let data = Dataset::with_replicates(&x, &y, Replicates::Keep).unwrap();
        Model::new(covariance, self.noise).unwrap().with_mean(0.3).unwrap().condition(&data).unwrap()
    }

    fn covariance(&self, lengthscales: &[f64]) -> Covariance {
        let Some(other) = self.other.filter(|_| self.dim > 1) else {
            return Covariance::ard(self.kernel, self.variance, lengthscales).unwrap();
        };
        let term = |kernel, first: usize| {
            let inputs: Vec<usize> = (first..self.dim).step_by(2).collect();
            let own: Vec<f64> = inputs.iter().map(|j| lengthscales[*j]).collect();
            Term::new(kernel, inputs, self.variance * (1.0 - 0.4 * first as f64), &own).unwrap()
        };
        Covariance::new(self.dim, vec![term(self.kernel, 0), term(other, 1)]).unwrap()
    }

    fn criterion(&self, posterior: &Posterior) -> Criterion {
        let least = posterior.y().iter().copied().fold(f64::INFINITY, f64::min);
        let shifted = |best: f64| least + best * self.variance.sqrt();
        match self.criterion {
            Criterion::Ei { best } => Criterion::Ei { best: shifted(best) },
            Criterion::LogEi { best } => Criterion::LogEi { best: shifted(best) },
            Criterion::Pi { best } => Criterion::Pi { best: shifted(best) },
            Criterion::Lcb { .. } | Criterion::Mean | Criterion::Deviation | Criterion::Glcb { .. } => self.criterion,
        }
    }

    /// `None` if K̂ is too ill-conditioned for the imprecision of the generalised LCB to be known.
    fn problem<'p>(&self, posterior: &'p Posterior, region: Region) -> Option<Problem<'p>> {
        match Problem::new(posterior, self.criterion(posterior), region) {
            Err(Error::Model(_)) if matches!(self.criterion, Criterion::Glcb { .. }) => {
                let size =
                    posterior.x().rows().map(|x| posterior.model().covariance.prior_variance(&x)).fold(0.0, f64::max);
                assert!(self.noise < 1e-9 * size, "noise {} beside {size} is not that little", self.noise);
                None
            }
            other => Some(other.unwrap()),
        }
    }

    /// A box of the case's width somewhere in the unit cube, sometimes around an observation.
    fn region(&self, posterior: &Posterior, rng: &mut ChaCha8Rng) -> Region {
        let near = rng.random::<bool>().then(|| posterior.x().row(0));
        let side = |j: usize| {
            let low = near.as_ref().map_or_else(|| 0.5 * (1.0 - self.width), |x| x[j] - 0.3 * self.width);
            (low, low + self.width)
        };
        Region::new(&(0..self.dim).map(side).collect::<Vec<_>>()).unwrap()
    }
}

/// The number of cases: FATHOM_CASES, for a long run, or the usual number.
fn cases_or(usual: u32) -> u32 {
    std::env::var("FATHOM_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}

/// How far rounding can move a value, if weights of size a cancel down to the value.
fn fuzz(posterior: &Posterior) -> f64 {
    let total: f64 = posterior.weights().iter().map(|a| a.abs()).sum();
    // No input is further from 0, except by tiny overshoots of boxes around an observation.
    let variance = posterior.model().covariance.prior_variance(&vec![1.7; posterior.x().dim()]);
    let condition = (variance * posterior.y().len() as f64) / (posterior.model().noise + posterior.factor().jitter());
    // σ² is a difference of numbers of size σ_f² and off by cond · 2⁻⁵³ of σ_f²; σ is off by the root of that.
    1e-12 * variance * total * condition.sqrt() + 4.0 * (variance * condition * 1e-15).sqrt()
}

/// The largest value of an improvement criterion if mean and deviation are off by `fuzz`.
fn most(criterion: Criterion, mean: f64, deviation: f64, fuzz: f64) -> Option<f64> {
    let narrow = (deviation - fuzz).max(1e-75);
    let z = |best: f64, deviation: f64| (best - mean - fuzz) / deviation;
    match criterion {
        Criterion::Ei { best } => Some(-narrow * normal::log_h(z(best, narrow)).value.exp() + 1e-12),
        Criterion::LogEi { best } => Some((-narrow.ln() - normal::log_h(z(best, narrow)).value) * (1.0 + 1e-9) + 1e-9),
        Criterion::Pi { best } => Some(-normal::cdf(z(best, narrow).min(z(best, deviation + fuzz))) + 1e-12),
        Criterion::Lcb { .. } | Criterion::Mean | Criterion::Deviation | Criterion::Glcb { .. } => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases_or(1500), ..ProptestConfig::default() })]

    #[test]
    fn no_bound_exceeds_the_sampled_minimum_even_when_cut_short(case in cases(), nodes in 1_u64..60) {
        let mut rng = case.rng();
        let posterior = case.posterior(&mut rng);
        let region = case.region(&posterior, &mut rng);
        let Some(problem) = case.problem(&posterior, region.clone()) else { return Ok(()) };
        // The gap is 0, so that every node is bounded as far as possible.
        let limits = Limits { gap: 0.0, nodes, seed: case.seed, ..Limits::default() };
        let certificate = minimise(&problem, &limits, &Stop::new(false), |_| {}).unwrap();
        let Some(bound) = certificate.lower_bound else { return Ok(()) };
        prop_assert!(bound.is_finite() && certificate.value.is_finite() && region.contains(&certificate.x));
        let mut acquisition = Acquisition::new(&posterior, case.criterion(&posterior)).unwrap();
        let mut predictor = posterior.predictor();
        let (lower, upper) = (region.lower().to_vec(), region.upper().to_vec());
        let allowed = fuzz(&posterior);
        for _ in 0..200 {
            let corner = rng.random::<f64>() < 0.3;
            let side = |j: usize, u: f64| {
                let u = if corner { u.round() } else { u };
                (lower[j] + u * (upper[j] - lower[j])).clamp(lower[j], upper[j])
            };
            let x: Vec<f64> = (0..case.dim).map(|j| side(j, rng.random())).collect();
            let value = acquisition.value(&x);
            let prediction = predictor.predict(&x);
            let most = most(case.criterion(&posterior), prediction.mean, prediction.deviation(), allowed);
            prop_assert!(bound <= most.unwrap_or(value + allowed), "bound {bound} above {value} at {x:?}, fuzz {allowed}");
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases_or(250), ..ProptestConfig::default() })]

    #[test]
    fn a_planted_optimum_is_never_lost(case in cases()) {
        // One observation is deep and the others are flat, so the mean's minimum is near the deep one.
        let mut rng = case.rng();
        let n = case.n.max(3);
        let x: Vec<Vec<f64>> = (0..n).map(|_| (0..case.dim).map(|_| rng.random()).collect()).collect();
        let mut y = vec![0.0; n];
        y[1] = -5.0;
        let covariance = Covariance::isotropic(case.kernel, case.dim, 1.0, case.lengthscale.clamp(0.1, 1.0)).unwrap();
        // A polynomial of few inputs cannot follow the data. Its minimum is elsewhere, and must not be lost either.
        let data = Dataset::new(&x, &y).unwrap();
        let posterior = Model::new(covariance, 1e-6).unwrap().condition(&data).unwrap();
        let region = Region::new(&vec![(0.0, 1.0); case.dim]).unwrap();
        let problem = Problem::new(&posterior, Criterion::Mean, region).unwrap();
        let limits = Limits { time: Some(Duration::from_millis(200)), ..Limits::default() };
        let certificate = minimise(&problem, &limits, &Stop::new(false), |_| {}).unwrap();
        let planted = Acquisition::new(&posterior, Criterion::Mean).unwrap().value(&x[1]);
        prop_assert!(certificate.lower_bound.unwrap() <= planted + fuzz(&posterior));
        if certificate.status == Status::Optimal {
            prop_assert!(certificate.value <= planted + 1e-4 + fuzz(&posterior));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases_or(1000), ..ProptestConfig::default() })]

    #[test]
    fn every_proof_passes_the_checker_after_a_round_trip_through_its_file(case in cases(), nodes in 1_u64..80) {
        let mut rng = case.rng();
        let posterior = case.posterior(&mut rng);
        let region = case.region(&posterior, &mut rng);
        let Some(problem) = case.problem(&posterior, region) else { return Ok(()) };
        let limits = Limits { gap: 1e-3, nodes, seed: case.seed, ..Limits::default() };
        let (_, proof) = minimise_with_proof(&problem, &limits, &Stop::new(false), |_| {}).unwrap();
        let Some(proof) = proof else { return Ok(()) };
        let again = fathom_proof::Proof::from_bytes(&proof.to_bytes().unwrap()).unwrap();
        let verdict = verify(&again);
        prop_assert!(verdict.is_ok(), "{}", verdict.unwrap_err());
    }
}
proptest! {
    #![proptest_config(ProptestConfig { cases: cases_or(400), ..ProptestConfig::default() })]

    /// Intervals check each bound by itself, before it is clamped to a value or compared with another.
    #[test]
    fn no_bound_of_a_box_is_above_the_function_at_a_point_of_the_box(case in cases(), share in 0.0..=1.0_f64) {
        let mut rng = case.rng();
        let posterior = case.posterior(&mut rng);
        let region = case.region(&posterior, &mut rng);
        let Some(problem) = case.problem(&posterior, region.clone()) else { return Ok(()) };
        let limits = Limits { nodes: 1, ..Limits::default() };
        let (_, proof) = minimise_with_proof(&problem, &limits, &Stop::new(false), |_| {}).unwrap();
        let Some(proof) = proof else { return Ok(()) };
        let function = Function::new(&proof).unwrap();
        let (lower, upper) = (region.lower(), region.upper());
        let points: Vec<Vec<f64>> = (0..12)
            .map(|_| (0..case.dim).map(|j| (lower[j] + rng.random::<f64>() * (upper[j] - lower[j])).clamp(lower[j], upper[j])).collect())
            .collect();
        let values: Vec<(f64, f64)> = points.iter().map(|x| function.value(x)).collect();
        let mut known: Vec<f64> = values.iter().map(|value| value.1).filter(|value| value.is_finite()).collect();
        known.sort_by(f64::total_cmp);
        let Some(most) = known.last() else { return Ok(()) };
        // Some points reach this cutoff and others do not.
        let cutoff = known[0] + share * (most - known[0]);
        for piece in 0..proof.pieces.len() {
            let report = bounds_of_box(&problem, piece, lower, upper, cutoff);
            for (x, value) in points.iter().zip(&values) {
                let of_piece = if problem.is_improvement() { Some(*value) } else { function.pieces(x)[piece] };
                let Some((_, high)) = of_piece else { continue };
                for bound in report.bounds.iter().filter(|bound| bound.contains(x)) {
                    prop_assert!(bound.bound <= high, "{}: {} above {high} at {x:?}", bound.kind, bound.bound);
                    if let Some(minorant) = bound.at(x) {
                        prop_assert!(minorant <= high + 1e-12 * (1.0 + high.abs()), "{}: {minorant} above {high} at {x:?}", bound.kind);
                    }
                }
                let inside = x.iter().zip(report.lower.iter().zip(&report.upper)).all(|(x, (low, high))| low <= x && x <= high);
                prop_assert!((inside && !report.is_pruned) || high >= cutoff, "{high} is below {cutoff} and cut away at {x:?}");
            }
        }
    }
}
