//! The keys of `[strategy]` as they are read. A key that is missing has the default, or what the preset says.

use super::{BetaName, DesignSize, EXACT, FitName, MeanName, NoiseName, OutputScale, Strategy, Turns, WarpName};
use crate::sequence::SequenceName;
use fathom_method::{Method, PkOptions, Preset, bytes};
use fathom_proof::{CriterionName, KernelName};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};
use std::fmt;
use std::time::Duration;

/// What the file says.
#[derive(Clone, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Keys {
    preset: Option<Preset>,
    #[serde(deserialize_with = "kernel_of_models")]
    kernel: Option<KernelName>,
    alpha: Option<f64>,
    degree: Option<u32>,
    offset: Option<f64>,
    ard: Option<bool>,
    fit: Option<FitName>,
    mean: Option<MeanName>,
    noise: Option<NoiseName>,
    warp: Option<WarpName>,
    #[serde(deserialize_with = "model_size")]
    model_size: Option<usize>,
    scaling: Option<OutputScale>,
    initial: Option<DesignSize>,
    design: Option<SequenceName>,
    acquisition: Option<Turns>,
    beta: Option<BetaName>,
    #[serde(deserialize_with = "some_number")]
    delta: Option<f64>,
    #[serde(deserialize_with = "two_numbers")]
    smoothness: Option<(f64, f64)>,
    #[serde(deserialize_with = "some_number")]
    rho: Option<f64>,
    #[serde(deserialize_with = "some_number")]
    imprecision: Option<f64>,
    #[serde(deserialize_with = "method")]
    optimiser: Option<Method>,
    #[serde(deserialize_with = "some_number")]
    gap: Option<f64>,
    #[serde(deserialize_with = "some_duration")]
    patience: Option<Duration>,
    #[serde(deserialize_with = "some_duration")]
    time_limit: Option<Duration>,
    node_limit: Option<u64>,
    #[serde(deserialize_with = "thread_count")]
    threads: Option<usize>,
    #[serde(deserialize_with = "some_number")]
    relative_gap: Option<f64>,
    #[serde(deserialize_with = "some_bytes")]
    memory_limit: Option<u64>,
    groups: Option<Vec<Vec<String>>>,
    pk: PkOptions,
    seed: Option<u64>,
}

/// The defaults of keys that are not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Defaults {
    /// Those of versions before 0.2.
    Before,
    /// Those of now, for values that are exact or not.
    Now {
        /// Whether the study says that its values are exact.
        is_exact: bool,
        /// The number of trials, if it is planned.
        trials: Option<u64>,
    },
}

impl Keys {
    /// The strategy that the keys describe.
    pub fn strategy(self, defaults: Defaults) -> Strategy {
        let keys = self;
        let method = keys.optimiser.clone();
        let defaults = match (keys.preset, defaults) {
            (Some(Preset::Paper), _) => Strategy::paper(),
            (None, Defaults::Before) => Strategy::before(),
            // The paper's program has confidence bounds alone.
            (None, Defaults::Now { is_exact, trials }) => {
                let defaults = match method {
                    Some(Method::Pk | Method::PkGroups) => {
                        Strategy { acquisition: Turns::one(CriterionName::Lcb), ..Strategy::default() }
                    }
                    Some(Method::Certified | Method::Wide | Method::Local(_)) | None => Strategy::default(),
                };
                let noise = if is_exact { NoiseName::Fixed(EXACT) } else { defaults.noise };
                Strategy { noise, initial: DesignSize::planned(trials), ..defaults }
            }
        };
        Strategy {
            kernel: keys.kernel.unwrap_or(defaults.kernel),
            alpha: keys.alpha.or(defaults.alpha),
            degree: keys.degree.or(defaults.degree),
            offset: keys.offset.or(defaults.offset),
            ard: keys.ard.unwrap_or(defaults.ard),
            fit: keys.fit.unwrap_or(defaults.fit),
            mean: keys.mean.unwrap_or(defaults.mean),
            noise: keys.noise.unwrap_or(defaults.noise),
            warp: keys.warp.unwrap_or(defaults.warp),
            model_size: keys.model_size.unwrap_or(defaults.model_size),
            scaling: keys.scaling.unwrap_or(defaults.scaling),
            initial: keys.initial.unwrap_or(defaults.initial),
            design: keys.design.unwrap_or(defaults.design),
            acquisition: keys.acquisition.unwrap_or(defaults.acquisition),
            beta: keys.beta.unwrap_or(defaults.beta),
            delta: keys.delta.or(defaults.delta),
            smoothness: keys.smoothness.or(defaults.smoothness),
            rho: keys.rho.or(defaults.rho),
            imprecision: keys.imprecision.or(defaults.imprecision),
            optimiser: keys.pk.method(keys.optimiser.unwrap_or(defaults.optimiser)),
            gap: keys.gap.or(defaults.gap),
            patience: keys.patience.or(defaults.patience),
            time_limit: keys.time_limit.unwrap_or(defaults.time_limit),
            node_limit: keys.node_limit.or(defaults.node_limit),
            threads: keys.threads.unwrap_or(defaults.threads),
            relative_gap: keys.relative_gap.or(defaults.relative_gap.filter(|_| keys.gap.is_none())),
            memory_limit: keys.memory_limit.or(defaults.memory_limit),
            groups: keys.groups.or(defaults.groups),
            pk: PkOptions { preset: keys.pk.preset.or(defaults.pk.preset), ..keys.pk },
            seed: keys.seed.unwrap_or(defaults.seed),
        }
    }
}

fn method<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Method>, D::Error> {
    let name = String::deserialize(deserializer)?;
    name.parse().map(Some).map_err(|_| {
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
    fn read<'de, D: Deserializer<'de>>(deserializer: D, expected: &'static str) -> Result<Self, D::Error> {
        struct Reader(&'static str);
        impl<'de> Visitor<'de> for Reader {
            type Value = WordOrNumbers;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.0)
            }
            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<Self::Value, E> {
                Ok(WordOrNumbers::Word(word.to_owned()))
            }
            fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Self::Value, E> {
                check_number(value).map(WordOrNumbers::Number)
            }
            fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Self::Value, E> {
                self.visit_f64(value as f64)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
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

fn check_number<E: serde::de::Error>(value: f64) -> Result<f64, E> {
    match value.is_finite() && value >= 0.0 {
        true => Ok(value),
        false => Err(E::custom(format!("{value} must be finite and not negative"))),
    }
}

impl<'de> Deserialize<'de> for NoiseName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match WordOrNumbers::read(deserializer, "a positive number or \"learned\"")? {
            WordOrNumbers::Number(noise) if noise > 0.0 => Ok(Self::Fixed(noise)),
            WordOrNumbers::Word(word) if word == "learned" => Ok(Self::Learned),
            WordOrNumbers::Number(_) | WordOrNumbers::Word(_) | WordOrNumbers::Numbers(_) => {
                Err(D::Error::custom("noise must be a positive number (1e-6 for exact values) or \"learned\""))
            }
        }
    }
}

impl<'de> Deserialize<'de> for MeanName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Given {
            Number(f64),
            Word(String),
        }
        match Given::deserialize(deserializer) {
            Ok(Given::Number(mean)) if mean.is_finite() => Ok(Self::Fixed(mean)),
            Ok(Given::Word(word)) if word == "learned" => Ok(Self::Learned),
            Ok(_) | Err(_) => Err(D::Error::custom("mean must be a number, of scaled outputs, or \"learned\"")),
        }
    }
}

impl<'de> Deserialize<'de> for DesignSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match WordOrNumbers::read(deserializer, "a number of points or \"paper\"")? {
            WordOrNumbers::Number(size) if (2.0..=20_000.0).contains(&size) && size.fract() == 0.0 => {
                Ok(Self::Points(size as usize))
            }
            WordOrNumbers::Word(word) if word == "paper" => Ok(Self::Paper),
            WordOrNumbers::Number(size) => Err(D::Error::custom(format!(
                "{size} must be a whole number from 2 to 20000: a model needs two points to start from"
            ))),
            WordOrNumbers::Word(_) | WordOrNumbers::Numbers(_) => {
                Err(D::Error::custom("initial must be a number of points or \"paper\", which is min(10 D, 30)"))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Turns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Given {
            One(String),
            Several(Vec<String>),
        }
        let names = match Given::deserialize(deserializer) {
            Ok(Given::One(name)) => vec![name],
            Ok(Given::Several(names)) => names,
            Err(_) => return Err(D::Error::custom("acquisition must be a name, or a list of names taken in turns")),
        };
        let names: Result<Vec<CriterionName>, _> = names.iter().map(|name| name.parse()).collect();
        Self::new(names.map_err(D::Error::custom)?)
            .ok_or_else(|| D::Error::custom("the list of acquisition functions is empty"))
    }
}

impl<'de> Deserialize<'de> for BetaName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match WordOrNumbers::read(deserializer, "a number, a list of numbers, \"paper\" or \"theorem\"")? {
            WordOrNumbers::Number(beta) => Ok(Self::Constant(beta)),
            WordOrNumbers::Numbers(betas) if !betas.is_empty() => Ok(Self::Schedule(betas)),
            WordOrNumbers::Word(word) if word == "paper" => Ok(Self::Paper),
            WordOrNumbers::Word(word) if word == "theorem" => Ok(Self::Theorem),
            WordOrNumbers::Word(_) | WordOrNumbers::Numbers(_) => {
                Err(D::Error::custom("beta must be a number, a list of numbers, \"paper\" or \"theorem\""))
            }
        }
    }
}

fn kernel_of_models<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<KernelName>, D::Error> {
    let name = String::deserialize(deserializer)?;
    KernelName::parse_among(&name, KernelName::is_of_models).map(Some).map_err(D::Error::custom)
}

/// Criteria as stores have always spelt them: with a hyphen.
pub(crate) mod hyphenated {
    use fathom_proof::CriterionName;
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
    pub fn serialize<S: Serializer>(name: &CriterionName, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&name.as_str().replace('_', "-"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<CriterionName, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

fn model_size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    match usize::deserialize(deserializer)? {
        size @ 2..=20_000 => Ok(Some(size)),
        size => Err(D::Error::custom(format!("{size} must be from 2 to 20000, the most trials of a model"))),
    }
}

fn some_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    check_number(f64::deserialize(deserializer)?).map(Some)
}

fn two_numbers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<(f64, f64)>, D::Error> {
    let (a, b) = <(f64, f64)>::deserialize(deserializer)?;
    Ok(Some((check_number(a)?, check_number(b)?)))
}

fn thread_count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    match usize::deserialize(deserializer)? {
        0 => Err(D::Error::custom("at least 1 thread is needed")),
        count => Ok(Some(count)),
    }
}

/// A time as people write it: `90s`, `5min`, `2h`.
pub(crate) fn some_duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let read = humantime::parse_duration(&text).map(Some);
    read.map_err(|_| D::Error::custom(format!("`{text}` is no time: write 90s, 5min or 2h")))
}

/// A size as people write it, `4GB`, or a number of bytes.
fn some_bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Bytes(u64),
        Text(String),
    }
    let (shown, found) = match Given::deserialize(deserializer)? {
        Given::Bytes(count) => (count.to_string(), Some(count).filter(|count| *count > 0)),
        Given::Text(text) => (text.clone(), bytes(&text)),
    };
    found.map(Some).ok_or_else(|| D::Error::custom(format!("`{shown}` is no size: write 800MB or 4GB")))
}
