//! How the next point is chosen. Every field is a key of the study file's `[strategy]`.

use crate::error::{Error, Result};
use crate::space::Space;
use fathom_global::MOST_INPUTS;
use fathom_gp::{Beta, Covariance, Kernel, Noise, OutputScaling, Replicates, Term};
use fathom_method::Method;
use fathom_proof::{CriterionName, KernelFamily, KernelFields, KernelName};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};
use std::fmt;
use std::time::Duration;

/// The model, the acquisition function and how it is minimised.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Strategy {
    /// The kernel, one of those that depend on distances. Matérn 3/2 by default, as in the paper.
    #[serde(deserialize_with = "kernel_of_distances")]
    pub kernel: KernelName,
    /// One lengthscale per coordinate (automatic relevance determination) instead of one for all. On by default.
    pub ard: bool,
    /// The noise variance relative to the scaled outputs, or learned. 1e-6 by default, as in the paper.
    pub noise: NoiseName,
    /// How outputs are scaled. Standardised by default.
    pub scaling: OutputScale,
    /// Points of the initial design; by default min(10 D, 30), as in the paper; D is the number of free parameters.
    #[serde(deserialize_with = "design_size")]
    pub initial: Option<usize>,
    /// The acquisition function. The lower confidence bound by default; only it gives a bound of what can be gained.
    #[serde(deserialize_with = "criterion_of_studies")]
    pub acquisition: CriterionName,
    /// β of the confidence bound μ − β^½ σ. 0.2 D log 2t by default, as in the paper.
    pub beta: BetaName,
    /// How the acquisition function is minimised. Certified by default.
    #[serde(deserialize_with = "method")]
    pub optimiser: Method,
    /// Absolute gap of the certified minimum, in scaled outputs. The default is 0.01, a hundredth of a standard deviation (of
    /// EI and PI themselves, which get as small as they like), or a quarter of the gain at which the study stops, if that is
    /// less: late in a study the acquisition function is flat, and a tenth of the gap is ten times the work.
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
            acquisition: CriterionName::Lcb,
            beta: BetaName::Paper,
            optimiser: Method::Certified,
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
    /// The kernels that a study may have.
    pub fn kernels() -> impl Iterator<Item = KernelName> {
        KernelName::ALL.iter().copied().filter(|name| is_of_distances(*name))
    }

    /// Points of the initial design in `space`.
    pub fn design_size(&self, space: &Space) -> usize {
        self.initial.unwrap_or_else(|| (10 * space.free()).min(30))
    }

    /// `Ok` if the parts fit each other and the space.
    pub(crate) fn check(&self, space: &Space) -> Result<()> {
        let bad = |key, reason: &str| Err(Error::BadStrategy { key, reason: reason.into() });
        if matches!(self.optimiser, Method::Pk | Method::PkGroups) && self.acquisition.is_improvement() {
            let reason = "the paper's program has none for it: use \"lcb\", or optimiser = \"certified\"";
            return bad("acquisition", reason);
        }
        if self.optimiser == Method::PkGroups && self.groups.is_none() {
            return bad("optimiser", "pk-groups minimises group by group: give `groups`, or use \"pk\"");
        }
        if self.optimiser == Method::Certified && space.dim() > MOST_INPUTS {
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
        let kernel = Kernel::named(self.kernel, KernelFields::default())?;
        let share = 1.0 / groups.len().max(1) as f64;
        let term = |group: Vec<usize>| {
            let scales = vec![0.5; if self.ard { group.len() } else { 1 }];
            let term = Term::new(kernel, group, share, &scales)?;
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
    /// No scaling.
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

/// `"paper"`, a number, or a list of numbers by iteration.
#[derive(Debug, Clone, PartialEq)]
pub enum BetaName {
    /// 0.2 D log 2t.
    Paper,
    /// The same at every iteration.
    Constant(f64),
    /// One number per iteration; the last one is held.
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

fn method<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Method, D::Error> {
    let name = String::deserialize(deserializer)?;
    name.parse().map_err(|_| {
        let known: Vec<&str> = Method::all().map(|method| method.name()).collect();
        D::Error::custom(format!("there is no optimiser `{name}`: use {}", known.join(", ")))
    })
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

/// A study learns lengthscales over a unit cube; a dot product has no meaning of its own there.
fn is_of_distances(name: KernelName) -> bool {
    name.family() == KernelFamily::Monotone
}

fn kernel_of_distances<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<KernelName, D::Error> {
    KernelName::parse_among(&String::deserialize(deserializer)?, is_of_distances).map_err(D::Error::custom)
}

/// Criteria as stores have always spelt them: with a hyphen.
pub(crate) mod hyphenated {
    use fathom_proof::CriterionName;
    use serde::{Deserializer, Serializer};

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
    pub fn serialize<S: Serializer>(name: &CriterionName, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&name.as_str().replace('_', "-"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<CriterionName, D::Error> {
        super::criterion_of_studies(deserializer)
    }
}

/// A study file has no keys for an imprecise prior.
fn criterion_of_studies<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<CriterionName, D::Error> {
    let is_meant = |name: CriterionName| !name.is_imprecise();
    CriterionName::parse_among(&String::deserialize(deserializer)?, is_meant).map_err(D::Error::custom)
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

/// A time as people write it: `90s`, `5min`, `2h`.
pub(crate) fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    humantime::parse_duration(&text)
        .map_err(|_| D::Error::custom(format!("`{text}` is no time: write 90s, 5min or 2h")))
}

/// The same for a time that may be left out.
pub(crate) fn some_duration<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<Duration>, D::Error> {
    duration(deserializer).map(Some)
}
