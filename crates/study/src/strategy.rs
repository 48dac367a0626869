//! How the next point is chosen. Every field is a key of the study file's `[strategy]`.

use crate::error::{Error, Result};
use crate::space::Space;
use fathom_global::{MOST_INPUTS, local};
use fathom_gp::{Beta, Covariance, Kernel, Noise, OutputScaling, Replicates, Term};
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// The model, the acquisition function and how it is minimised.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Strategy {
    /// The kernel. Matérn 3/2 by default, as in the paper.
    pub kernel: KernelName,
    /// One lengthscale per coordinate (automatic relevance determination) instead of one for all. On by default.
    pub ard: bool,
    /// The noise variance relative to the scaled outputs, or learned. 1e-6 by default, as in the paper.
    pub noise: NoiseName,
    /// How outputs are scaled. Standardised by default.
    pub scaling: OutputScale,
    /// Points of the initial design; min(10 D, 30) where not given, as in the paper, D the number of free parameters.
    #[serde(deserialize_with = "design_size")]
    pub initial: Option<usize>,
    /// The acquisition function. The lower confidence bound by default; only it gives a bound of what can be gained.
    pub acquisition: AcquisitionName,
    /// β of the confidence bound μ − β^½ σ. 0.2 D log 2t by default, as in the paper.
    pub beta: BetaName,
    /// How the acquisition function is minimised. Certified by default.
    pub optimiser: Optimiser,
    /// Absolute gap of the certified minimum, in scaled outputs. Where not given, 0.01, a hundredth of a standard
    /// deviation (of EI and PI themselves, which get as small as they like), or a quarter of the gain at which the study stops, if that is less: late in a study the acquisition
    /// function is flat, and a tenth of the gap is ten times the work.
    #[serde(deserialize_with = "some_gap")]
    pub gap: Option<f64>,
    /// The most time for one ask, the fit and every minimisation together; what is proven by then is used. 60 s by default. An
    /// ask that is cut short depends on the machine's speed, all others on seed and history alone.
    #[serde(deserialize_with = "duration")]
    pub time_limit: Duration,
    /// The most boxes that one certified minimisation may bound; what is proven by then is used, and it does not depend on
    /// the machine's speed. No limit by default.
    pub node_limit: Option<u64>,
    /// Threads of the certified search; the answer does not depend on it. 1 by default.
    #[serde(deserialize_with = "thread_count")]
    pub threads: usize,
    /// Groups of parameters whose effects add up; none by default.
    pub groups: Option<Vec<Vec<String>>>,
    /// The seed of the initial design, the fits and the searches. 0 by default.
    pub seed: u64,
}

impl Default for Strategy {
    fn default() -> Self {
        Self {
            kernel: KernelName::Matern32,
            ard: true,
            noise: NoiseName::Fixed(1e-6),
            scaling: OutputScale::Standardise,
            initial: None,
            acquisition: AcquisitionName::Lcb,
            beta: BetaName::Paper,
            optimiser: Optimiser::Certified,
            gap: None,
            time_limit: Duration::from_secs(60),
            node_limit: None,
            threads: 1,
            groups: None,
            seed: 0,
        }
    }
}

impl Strategy {
    /// Points of the initial design in `space`.
    pub fn design_size(&self, space: &Space) -> usize {
        self.initial.unwrap_or_else(|| (10 * space.free()).min(30))
    }

    /// `Ok` where the parts fit each other and the space.
    pub(crate) fn check(&self, space: &Space) -> Result<()> {
        let bad = |key, reason: &str| Err(Error::BadStrategy { key, reason: reason.into() });
        let improves = [AcquisitionName::Ei, AcquisitionName::LogEi, AcquisitionName::Pi].contains(&self.acquisition);
        if self.optimiser.is_programmed() && improves {
            let reason = "the paper's program has none for it: use \"lcb\", or optimiser = \"certified\"";
            return bad("acquisition", reason);
        }
        if self.optimiser == Optimiser::PkGroups && self.groups.is_none() {
            return bad("optimiser", "pk-groups minimises group by group: give `groups`, or use \"pk\"");
        }
        if self.optimiser.is_certified() && space.dim() > MOST_INPUTS {
            let reason = "the certified search has room for 20 coordinates (one for each choice of a categorical \
                          parameter): use optimiser = \"multistart\"";
            return bad("optimiser", reason);
        }
        self.covariance(space).map(|_| ())
    }

    /// The covariance before it is fitted, over the unit cube.
    pub(crate) fn covariance(&self, space: &Space) -> Result<Covariance> {
        let dim = space.dim();
        let groups: Vec<Vec<usize>> = match &self.groups {
            None => vec![(0..dim).collect()],
            Some(groups) => groups.iter().map(|group| sides(group, space)).collect::<Result<_>>()?,
        };
        let share = 1.0 / groups.len().max(1) as f64;
        let term = |group: Vec<usize>| {
            let scales = vec![0.5; if self.ard { group.len() } else { 1 }];
            let term = Term::new(self.kernel.kernel(), group, share, &scales)?;
            Ok(if self.ard { term.with_ard() } else { term })
        };
        let terms: Vec<Term> = groups.into_iter().map(term).collect::<Result<_>>()?;
        match Covariance::new(dim, terms) {
            Ok(covariance) => Ok(covariance),
            Err(_) if self.groups.is_some() => {
                let reason = "every parameter that is not fixed must be in exactly one group".into();
                Err(Error::BadStrategy { key: "groups", reason })
            }
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn replicates(&self) -> Replicates {
        match self.noise {
            NoiseName::Fixed(_) => Replicates::Average,
            NoiseName::Learned => Replicates::Keep,
        }
    }
}

fn sides(group: &[String], space: &Space) -> Result<Vec<usize>> {
    let mut sides = Vec::new();
    for name in group {
        let found = space
            .sides_of(name)
            .ok_or_else(|| Error::BadStrategy { key: "groups", reason: format!("there is no parameter `{name}`") })?;
        sides.extend(found);
    }
    Ok(sides)
}

/// Kernels, as the file calls them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "they say what they are")]
pub enum KernelName {
    Matern12,
    Matern32,
    Matern52,
    Rbf,
    Rq,
}

impl KernelName {
    pub(crate) fn kernel(self) -> Kernel {
        match self {
            Self::Matern12 => Kernel::Matern12,
            Self::Matern32 => Kernel::Matern32,
            Self::Matern52 => Kernel::Matern52,
            Self::Rbf => Kernel::Rbf,
            Self::Rq => Kernel::RationalQuadratic { alpha: 1.0 },
        }
    }
}

impl fmt::Display for KernelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Matern12 => "matern12",
            Self::Matern32 => "matern32",
            Self::Matern52 => "matern52",
            Self::Rbf => "rbf",
            Self::Rq => "rq",
        })
    }
}

/// A number, or `"learned"`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NoiseName {
    /// Known.
    Fixed(f64),
    /// Learned with the other hyperparameters.
    Learned,
}

impl NoiseName {
    pub(crate) fn noise(self) -> Noise {
        match self {
            Self::Fixed(noise) => Noise::Fixed(noise),
            Self::Learned => Noise::Learned { lower: 1e-6, upper: 1.0 },
        }
    }
}

/// Scalings of outputs, as the file calls them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutputScale {
    /// Mean 0, deviation 1.
    Standardise,
    /// Smallest 0, largest 1, as in the paper.
    Unit,
    /// As they are.
    None,
}

impl OutputScale {
    pub(crate) fn scaling(self) -> OutputScaling {
        match self {
            Self::Standardise => OutputScaling::Standardise,
            Self::Unit => OutputScaling::UnitInterval,
            Self::None => OutputScaling::None,
        }
    }
}

/// Acquisition functions, as the file calls them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AcquisitionName {
    /// Lower confidence bound.
    Lcb,
    /// Posterior mean.
    Mean,
    /// Posterior deviation.
    Deviation,
    /// Expected improvement.
    Ei,
    /// Its logarithm.
    LogEi,
    /// Probability of improvement.
    Pi,
}

impl fmt::Display for AcquisitionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lcb => "lcb",
            Self::Mean => "mean",
            Self::Deviation => "deviation",
            Self::Ei => "ei",
            Self::LogEi => "log-ei",
            Self::Pi => "pi",
        })
    }
}

/// `"paper"`, a number, or a list of numbers by iteration.
#[derive(Debug, Clone, PartialEq)]
pub enum BetaName {
    /// 0.2 D log 2t.
    Paper,
    /// The same at every iteration.
    Constant(f64),
    /// One per iteration; the last one is held.
    Schedule(Vec<f64>),
}

impl BetaName {
    pub(crate) fn beta(&self) -> Beta {
        match self {
            Self::Paper => Beta::Paper,
            Self::Constant(beta) => Beta::Constant(*beta),
            Self::Schedule(betas) => Beta::Schedule(betas.clone()),
        }
    }
}

/// How acquisition functions are minimised.
#[derive(Debug, Clone, PartialEq)]
pub enum Optimiser {
    /// Branch and bound on the true acquisition function, with a certificate.
    Certified,
    /// The paper's method: the minimum under the piecewise-linear kernel, by the certified search or by a solver that the
    /// study is given.
    Pk,
    /// The same for additive models as the paper has it: each group of parameters alone, by the certified search. Nothing
    /// is proven of the whole.
    PkGroups,
    /// A local method, without a proof.
    Local(local::Method),
}

impl Optimiser {
    /// As the file calls it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Certified => "certified",
            Self::Pk => "pk",
            Self::PkGroups => "pk-groups",
            Self::Local(method) => method.name(),
        }
    }

    pub(crate) fn is_certified(&self) -> bool {
        *self == Self::Certified
    }

    fn is_programmed(&self) -> bool {
        matches!(self, Self::Pk | Self::PkGroups)
    }
}

impl<'de> Deserialize<'de> for Optimiser {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        match String::deserialize(deserializer)?.as_str() {
            "certified" => Ok(Self::Certified),
            "pk" => Ok(Self::Pk),
            "pk-groups" => Ok(Self::PkGroups),
            name => name.parse().map(Self::Local).map_err(|_| {
                let locals: Vec<&str> = local::Method::ALL.iter().map(local::Method::name).collect();
                D::Error::custom(format!(
                    "there is no optimiser `{name}`: use certified, pk, pk-groups, {}",
                    locals.join(", ")
                ))
            }),
        }
    }
}

/// A word or numbers, each checked to be finite and not negative.
enum WordOrNumbers {
    Word(String),
    Number(f64),
    Numbers(Vec<f64>),
}

impl WordOrNumbers {
    fn read<'de, D: Deserializer<'de>>(deserializer: D, expected: &'static str) -> std::result::Result<Self, D::Error> {
        struct Reader(&'static str);
        impl<'de> Visitor<'de> for Reader {
            type Value = WordOrNumbers;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.0)
            }
            fn visit_str<E: serde::de::Error>(self, word: &str) -> std::result::Result<Self::Value, E> {
                Ok(WordOrNumbers::Word(word.to_owned()))
            }
            fn visit_f64<E: serde::de::Error>(self, value: f64) -> std::result::Result<Self::Value, E> {
                check_number(value).map(WordOrNumbers::Number)
            }
            fn visit_i64<E: serde::de::Error>(self, value: i64) -> std::result::Result<Self::Value, E> {
                self.visit_f64(value as f64)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Self::Value, A::Error> {
                let mut numbers = Vec::new();
                while let Some(value) = list.next_element::<f64>()? {
                    numbers.push(check_number(value)?);
                }
                Ok(WordOrNumbers::Numbers(numbers))
            }
        }
        deserializer.deserialize_any(Reader(expected))
    }
}

fn check_number<E: serde::de::Error>(value: f64) -> std::result::Result<f64, E> {
    match value.is_finite() && value >= 0.0 {
        true => Ok(value),
        false => Err(E::custom(format!("{value} must be finite and not negative"))),
    }
}

impl<'de> Deserialize<'de> for NoiseName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        match WordOrNumbers::read(deserializer, "a positive number or \"learned\"")? {
            WordOrNumbers::Number(noise) if noise > 0.0 => Ok(Self::Fixed(noise)),
            WordOrNumbers::Word(word) if word == "learned" => Ok(Self::Learned),
            WordOrNumbers::Number(_) | WordOrNumbers::Word(_) | WordOrNumbers::Numbers(_) => {
                Err(D::Error::custom("noise must be a positive number (1e-6 for exact values) or \"learned\""))
            }
        }
    }
}

impl<'de> Deserialize<'de> for BetaName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        match WordOrNumbers::read(deserializer, "a number, a list of numbers or \"paper\"")? {
            WordOrNumbers::Number(beta) => Ok(Self::Constant(beta)),
            WordOrNumbers::Numbers(betas) if !betas.is_empty() => Ok(Self::Schedule(betas)),
            WordOrNumbers::Word(word) if word == "paper" => Ok(Self::Paper),
            WordOrNumbers::Word(_) | WordOrNumbers::Numbers(_) => {
                Err(D::Error::custom("beta must be a number, a list of numbers or \"paper\""))
            }
        }
    }
}

fn design_size<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<usize>, D::Error> {
    match usize::deserialize(deserializer)? {
        size @ 2..=20_000 => Ok(Some(size)),
        size => {
            Err(D::Error::custom(format!("{size} must be from 2 to 20000: a model needs two points to start from")))
        }
    }
}

fn some_gap<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<f64>, D::Error> {
    check_number(f64::deserialize(deserializer)?).map(Some)
}

fn thread_count<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<usize, D::Error> {
    match usize::deserialize(deserializer)? {
        0 => Err(D::Error::custom("at least 1 thread is needed")),
        count => Ok(count),
    }
}

/// As people write times: `90s`, `5min`, `2h`.
pub(crate) fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    humantime::parse_duration(&text)
        .map_err(|_| D::Error::custom(format!("`{text}` is no time: write 90s, 5min or 2h")))
}

/// The same where it may be left out.
pub(crate) fn some_duration<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<Duration>, D::Error> {
    duration(deserializer).map(Some)
}
