//! Honest proofs of small problems; together they use every part of the format.

use crate::truth::Truth;
use anyhow::{Context as _, ensure};
use fathom_global::{Limits, NegativeVariance, Posed as _, Problem, Stop, minimise_with_proof};
use fathom_paper::{Breakpoints, Treatment, linearise};
use fathom_proof::{Proof, StatedAcquisition, StatedKernel, StatedRow, StatedTerm, Statement};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// An honest proof and what is known of its problem.
#[derive(Debug)]
pub struct Honest {
    /// The problem's number and description.
    pub name: String,
    /// The kernel.
    pub kernel: &'static str,
    /// The function.
    pub acquisition: &'static str,
    /// The proof.
    pub proof: Proof,
    /// What is known of the problem.
    pub truth: Truth,
}

const KERNELS: [&str; 10] =
    ["matern12", "matern32", "matern52", "matern72", "rbf", "rq", "linear", "polynomial", "sum", "rbf + linear"];
const ACQUISITIONS: [&str; 7] = ["lcb", "mean", "deviation", "glcb", "ei", "log_ei", "pi"];
const REGIONS: [&str; 7] = ["linear", "quadratic", "equality", "integers", "categories", "infeasible", "box"];

/// A problem, drawn from its number.
#[derive(Debug, Clone, Copy)]
struct Draft {
    number: usize,
    kernel: &'static str,
    acquisition: &'static str,
    region: &'static str,
    /// Most boxes of the search, and the requested gap.
    nodes: u64,
    gap: f64,
    /// The treatment of negative variances, for a piecewise-linear kernel.
    negative: Option<NegativeVariance>,
}

/// All problems: every kernel with every acquisition function in a box, in another region, in a search cut short, and
/// in a small box; then problems with piecewise-linear kernels, and with listed numbers.
fn drafts() -> Vec<Draft> {
    let mut drafts = Vec::new();
    for (k, kernel) in KERNELS.into_iter().enumerate() {
        for (a, acquisition) in ACQUISITIONS.into_iter().enumerate() {
            let draft =
                |region, nodes, gap| Draft { number: 0, kernel, acquisition, region, nodes, gap, negative: None };
            drafts.push(draft("box", 150, 1e-3));
            drafts.push(draft(REGIONS[(k + 2 * a) % REGIONS.len()], 150, 1e-3));
            drafts.push(draft("box", 4, 1e-6));
            drafts.push(draft("small box", 80, 1e-5));
        }
    }
    for region in ["box", "linear", "integers", "small box"] {
        for acquisition in ["lcb", "mean", "deviation"] {
            for negative in [NegativeVariance::Clamped, NegativeVariance::Excluded] {
                let (nodes, kernel) = (if region == "small box" { 5 } else { 120 }, "piecewise_linear");
                let negative = Some(negative);
                drafts.push(Draft { number: 0, kernel, acquisition, region, nodes, gap: 1e-3, negative });
            }
        }
    }
    // Piecewise-linear kernels of inner products, alone and beside others, and the generalised LCB.
    for kernel in ["pl linear", "pl polynomial", "pl sum", "piecewise_linear"] {
        for (at, acquisition) in ["lcb", "mean", "deviation", "glcb"].into_iter().enumerate() {
            for negative in [NegativeVariance::Clamped, NegativeVariance::Excluded] {
                let region = ["box", "linear", "integers", "small box"][(at + usize::from(kernel == "pl sum")) % 4];
                let negative = Some(negative);
                drafts.push(Draft { number: 0, kernel, acquisition, region, nodes: 120, gap: 1e-3, negative });
            }
        }
    }
    // Inputs that have one of the numbers of a list. They come last, so that all others keep their numbers.
    for (at, acquisition) in ACQUISITIONS.into_iter().enumerate() {
        for kernel in [KERNELS[at], "rbf"] {
            drafts.push(Draft {
                number: 0,
                kernel,
                acquisition,
                region: "values",
                nodes: 150,
                gap: 1e-3,
                negative: None,
            });
        }
    }
    drafts.iter().enumerate().map(|(number, draft)| Draft { number, ..*draft }).collect()
}

impl Honest {
    /// Honest proofs of every `stride`-th problem, in their order; each is checked.
    pub fn all(stride: usize) -> anyhow::Result<Vec<Self>> {
        let drafts: Vec<Draft> = drafts().into_iter().step_by(stride).collect();
        let solved: Vec<Option<Self>> = drafts.par_iter().map(Draft::solved).collect::<anyhow::Result<_>>()?;
        Ok(solved.into_iter().flatten().collect())
    }
}

impl Draft {
    /// The checked proof; `None` if the search found nothing to prove.
    fn solved(&self) -> anyhow::Result<Option<Honest>> {
        let name = format!("{:03}-{}-{}-{}", self.number, self.kernel, self.acquisition, self.region).replace(' ', "");
        let statement = self.statement();
        let solved = || -> anyhow::Result<Option<(Proof, Truth)>> {
            let (posterior, region) = (statement.posterior()?, statement.region()?);
            let Some(negative) = self.negative else { return self.prove(&statement.problem(&posterior)?) };
            let treatment = match negative {
                NegativeVariance::Clamped => Treatment::KeepAll,
                NegativeVariance::Excluded => Treatment::Published,
            };
            let approximate = linearise(&posterior, &region, Breakpoints::Paper, treatment)?;
            self.prove(&Problem::piecewise_linear(&approximate, statement.criterion()?, region, negative)?)
        };
        let found = solved().with_context(|| name.clone())?;
        let (kernel, acquisition) = (self.kernel, self.acquisition);
        Ok(found.map(|(proof, truth)| Honest { name, kernel, acquisition, proof, truth }))
    }

    fn prove(&self, problem: &Problem<'_>) -> anyhow::Result<Option<(Proof, Truth)>> {
        let limits = Limits { gap: self.gap, nodes: self.nodes, ..Limits::default() };
        let (_, Some(proof)) = minimise_with_proof(problem, &limits, &Stop::new(false), |_| ())? else {
            return Ok(None);
        };
        let proof = Proof::from_bytes(&proof.to_bytes()?)?;
        if let Err(rejection) = fathom_check::verify(&proof) {
            eprintln!("the honest proof {} is refused: {rejection}; its claim is {:?}", self.number, proof.claim);
            return Ok(None);
        }
        let truth = Truth::of(problem, &proof)?;
        Ok(Some((proof, truth)))
    }

    fn statement(&self) -> Statement {
        let mut rng = ChaCha8Rng::seed_from_u64(17);
        rng.set_stream(self.number as u64);
        let is_sum = matches!(self.kernel, "sum" | "rbf + linear" | "pl sum");
        let dim = match self.region {
            "categories" => 3,
            _ if is_sum || self.number % 3 == 1 => 2,
            _ => 1,
        };
        let n = rng.random_range(3..=7) + 2 * dim;
        let mut bounds = vec![(0.0, 1.0); dim];
        if self.region == "small box" {
            bounds = (0..dim).map(|_| (0.4, 0.4 + 0.2 * rng.random::<f64>())).collect();
        }
        let (mut integers, mut values, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        let ones: Vec<(usize, f64)> = (0..dim).map(|j| (j, 1.0)).collect();
        let squares: Vec<(usize, usize, f64)> = (0..dim).map(|j| (j, j, 1.0)).collect();
        let row = StatedRow::default;
        match self.region {
            "linear" => rows.push(StatedRow { linear: ones, upper: Some(0.6 * dim as f64), ..row() }),
            "quadratic" => rows.push(StatedRow { quadratic: squares, upper: Some(0.5), ..row() }),
            "equality" => {
                let side = Some(0.45 * dim as f64);
                rows.push(StatedRow { linear: ones, lower: side, upper: side, ..row() });
            }
            "integers" => {
                bounds[0] = (0.0, 3.0);
                integers = vec![0];
            }
            "values" => values = vec![(0, vec![0.0, 0.11, 0.35, 0.4, 0.82, 1.0])],
            "categories" => {
                let linear = vec![(1, 1.0), (2, 1.0)];
                rows.push(StatedRow { linear, lower: Some(1.0), upper: Some(1.0), ..row() });
                integers = vec![1, 2];
            }
            "infeasible" => {
                // Neither row alone fails on the whole box.
                rows.push(StatedRow { linear: ones, lower: Some(0.7 * dim as f64), ..row() });
                rows.push(StatedRow { quadratic: squares, upper: Some(0.4 * dim as f64), ..row() });
            }
            _ => {}
        }
        let side = |j: usize| if j == 0 && self.region == "integers" { 3.0 } else { 1.0 };
        let x: Vec<Vec<f64>> = (0..n).map(|_| (0..dim).map(|j| side(j) * rng.random::<f64>()).collect()).collect();
        let wave = |x: &Vec<f64>| x.iter().enumerate().map(|(j, x)| (5.0 * x + j as f64).sin()).sum::<f64>();
        let y: Vec<f64> = x.iter().map(|x| wave(x) + 0.1 * rng.random::<f64>()).collect();
        let best = y.iter().copied().fold(f64::INFINITY, f64::min);
        // Long lengthscales crowd the observations, and then polynomials of third order serve.
        let scale = [0.3, 0.7, 3.0][self.number % 3];
        Statement {
            name: String::new(),
            terms: self.terms(dim),
            lengthscales: (0..dim).map(|j| side(j) * scale * (0.8 + 0.4 * rng.random::<f64>())).collect(),
            noise: [1e-2, 1e-4, 1e-6][self.number / 2 % 3],
            jitter: 0.0,
            mean: 0.3,
            acquisition: match self.acquisition {
                "mean" => StatedAcquisition::Mean,
                "deviation" => StatedAcquisition::Deviation,
                "glcb" => StatedAcquisition::Glcb { kappa: 1.5, rho: 0.8, imprecision: 0.5 },
                "ei" => StatedAcquisition::Ei { best },
                "log_ei" => StatedAcquisition::LogEi { best },
                "pi" => StatedAcquisition::Pi { best: best - 0.05 },
                _ => StatedAcquisition::Lcb { kappa: 2.0 },
            },
            x,
            y,
            bounds,
            integers,
            values,
            rows,
            negative_variance: None,
        }
    }

    fn terms(&self, dim: usize) -> Vec<StatedTerm> {
        let kernels = match self.kernel {
            "matern12" => vec![StatedKernel::Matern12],
            "matern32" => vec![StatedKernel::Matern32],
            "matern52" => vec![StatedKernel::Matern52],
            "matern72" => vec![StatedKernel::Matern72],
            "rq" => vec![StatedKernel::Rq { alpha: 0.8 }],
            "linear" | "pl linear" => vec![StatedKernel::Linear { offset: 0.5 }],
            "polynomial" | "pl polynomial" => vec![StatedKernel::Polynomial { degree: 3, offset: 1.0 }],
            "sum" => vec![StatedKernel::Rbf, StatedKernel::Matern32],
            "pl sum" => vec![StatedKernel::Matern52, StatedKernel::Polynomial { degree: 2, offset: 0.3 }],
            "rbf + linear" => vec![StatedKernel::Rbf, StatedKernel::Linear { offset: 0.1 }],
            _ => vec![StatedKernel::Rbf],
        };
        let last = kernels.len() - 1;
        let inputs = |at: usize| if at == last { (at..dim).collect() } else { vec![at] };
        let term = |(at, kernel): (usize, StatedKernel)| StatedTerm { kernel, inputs: inputs(at), variance: 1.2 };
        kernels.into_iter().enumerate().map(term).collect()
    }
}

/// The parts of the format, as they are printed; each must occur in at least one proof.
#[rustfmt::skip]
const NEEDED: [&str; 37] = [
    "kernel: Matern12", "kernel: Matern32", "kernel: Matern52", "kernel: Matern72", "kernel: Rbf", "kernel: Rq", "kernel: Linear", "kernel: Polynomial",
    "kernel: PiecewiseLinear {", "kernel: PiecewiseLinearProduct {", "negative_variance: Some(Clamped)", "negative_variance: Some(Excluded)", "negative_variance: None",
    "acquisition: Lcb", "acquisition: Mean", "acquisition: Deviation", "acquisition: Glcb", "acquisition: Ei", "acquisition: LogEi",
    "acquisition: Pi", "lower_bound: None", "lower_bound: Some", "Inherited", "Closed(", "Empty {", "Split {", "Rows([", "Narrowed {",
    "Multiplier(Two", "Multiplier(Three", "Tilted(Two", "Tilted(Three", "Moving(Two", "Moving(Three", "Taylor {", "linear: [(", "quadratic: [(",
];

/// A kind of problem: its name, and whether a problem is of this kind.
type Kind = (&'static str, fn(&Statement) -> bool);

/// Fails if no proof has some part that a proof can have.
pub fn ensure_coverage(proofs: &[Honest]) -> anyhow::Result<()> {
    ensure!(proofs.len() >= 200, "there are {} honest proofs, and 200 are needed", proofs.len());
    let printed: Vec<String> = proofs.iter().map(|honest| format!("{:?}", honest.proof)).collect();
    let is_missing = |part: &&str| !printed.iter().any(|proof| proof.contains(part));
    let missing: Vec<&str> = NEEDED.into_iter().filter(is_missing).collect();
    ensure!(missing.is_empty(), "no honest proof has: {}", missing.join(", "));
    let gap =
        |proof: &Proof| proof.claim.value.zip(proof.claim.lower_bound).map_or(0.0, |(value, bound)| value - bound);
    let kinds: [Kind; 7] = [
        ("a sum of kernels", |statement| statement.terms.len() > 1),
        ("whole numbers", |statement| !statement.integers.is_empty()),
        ("listed numbers", |statement| !statement.values.is_empty()),
        ("an equality", |statement| statement.rows.iter().any(|row| row.lower.is_some() && row.lower == row.upper)),
        ("one input", |statement| statement.dim() == 1),
        ("two inputs", |statement| statement.dim() == 2),
        ("three inputs", |statement| statement.dim() == 3),
    ];
    for (kind, is_of) in kinds {
        ensure!(proofs.iter().any(|honest| is_of(&honest.proof.statement)), "no honest proof has {kind}");
    }
    ensure!(proofs.iter().any(|honest| gap(&honest.proof) > 1e-2), "no search was cut short");
    Ok(())
}
