//! The methods and their names.

use crate::{Error, Result};
use fathom_global::MOST_INPUTS;
use fathom_paper::baselines;
use std::fmt;
use std::str::FromStr;

/// The name of [`Method::Wide`] in answers.
const WIDE: &str = "local";

/// How an acquisition function is minimised.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Method {
    /// Branch and bound on the true function, with a proven bound.
    #[default]
    Certified,
    /// The paper's Algorithm 1: it proves a bound of the piecewise-linear function, but none of the true function.
    Pk,
    /// Algorithm 1 for each group of an additive model, as in the paper; nothing is proven of the whole.
    PkGroups,
    /// A local search that keeps whole numbers, categories and rows, and proves nothing: what [`Method::Certified`] becomes
    /// beyond its room ([`Method::for_inputs`]). Nobody chooses it by name.
    Wide,
    /// A local method, which proves nothing.
    Local(baselines::Method),
}

impl Method {
    /// The method for a problem of so many inputs: beyond [`MOST_INPUTS`] the certified search has no room, and nothing is proven.
    #[must_use]
    pub fn for_inputs(self, inputs: usize) -> Self {
        match self {
            Self::Certified if inputs > MOST_INPUTS => Self::Wide,
            method @ (Self::Certified | Self::Pk | Self::PkGroups | Self::Wide | Self::Local(_)) => method,
        }
    }

    /// Every method that can be chosen.
    pub fn all() -> impl Iterator<Item = Self> {
        [Self::Certified, Self::Pk, Self::PkGroups].into_iter().chain(baselines::Method::ALL.map(Self::Local))
    }

    /// The name of the method, in files, options and answers.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Certified => "certified",
            Self::Pk => "pk",
            Self::PkGroups => "pk-groups",
            Self::Wide => WIDE,
            Self::Local(method) => method.name(),
        }
    }

    /// Whether the method can prove a bound, of the true function or of the piecewise-linear one.
    pub fn proves(&self) -> bool {
        match self {
            Self::Certified | Self::Pk => true,
            Self::PkGroups | Self::Wide | Self::Local(_) => false,
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::all().find(|method| method.name() == name).ok_or_else(|| Error::UnknownMethod { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_found_by_its_name() {
        for method in Method::all() {
            assert_eq!(method.to_string().parse(), Ok(method));
        }
        assert!("newton".parse::<Method>().is_err());
    }

    #[test]
    fn only_the_certified_search_gives_way_and_only_beyond_its_room() {
        for method in Method::all() {
            assert_eq!(method.clone().for_inputs(MOST_INPUTS), method);
            let wide = method.clone().for_inputs(MOST_INPUTS + 1);
            assert_eq!(wide, if method == Method::Certified { Method::Wide } else { method });
        }
        assert!(!Method::Wide.proves());
    }
}
