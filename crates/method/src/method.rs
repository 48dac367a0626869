//! The methods and their names.

use crate::{Error, Result};
use fathom_paper::baselines;
use std::fmt;
use std::str::FromStr;

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
    /// A local method, which proves nothing.
    Local(baselines::Method),
}

impl Method {
    /// Every method.
    pub fn all() -> impl Iterator<Item = Self> {
        [Self::Certified, Self::Pk, Self::PkGroups].into_iter().chain(baselines::Method::ALL.map(Self::Local))
    }

    /// The name of the method, in files, options and answers.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Certified => "certified",
            Self::Pk => "pk",
            Self::PkGroups => "pk-groups",
            Self::Local(method) => method.name(),
        }
    }

    /// Whether the method can prove a bound, of the true function or of the piecewise-linear one.
    pub fn proves(&self) -> bool {
        match self {
            Self::Certified | Self::Pk => true,
            Self::PkGroups | Self::Local(_) => false,
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
}
