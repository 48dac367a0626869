//! Acquisition functions that are taken in turns.

use fathom_proof::CriterionName;
use std::fmt;

/// One acquisition function, or several of which each step of the model takes the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turns(Vec<CriterionName>);

impl Turns {
    /// The same function in every step.
    pub fn one(name: CriterionName) -> Self {
        Self(vec![name])
    }

    /// These functions in turns; `None` if there is none.
    pub fn new(names: Vec<CriterionName>) -> Option<Self> {
        (!names.is_empty()).then_some(Self(names))
    }

    /// The function of step `t`, which counts the steps of the model from 1.
    pub fn at(&self, t: usize) -> CriterionName {
        self.0[t.saturating_sub(1) % self.0.len()]
    }

    /// All functions, in their order.
    pub fn names(&self) -> &[CriterionName] {
        &self.0
    }

    /// Whether one of the functions is such.
    pub(crate) fn any(&self, is_such: fn(CriterionName) -> bool) -> bool {
        self.0.iter().any(|name| is_such(*name))
    }
}

impl Default for Turns {
    /// Log EI and the confidence bound: one looks where much may be gained, the other where something surely is.
    fn default() -> Self {
        Self(vec![CriterionName::LogEi, CriterionName::Lcb])
    }
}

impl fmt::Display for Turns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.0.iter().map(CriterionName::to_string).collect();
        f.write_str(&names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_take_the_functions_in_turns() {
        let turns = Turns::new(vec![CriterionName::LogEi, CriterionName::Lcb, CriterionName::Mean]).unwrap();
        let taken: Vec<CriterionName> = (1..=4).map(|t| turns.at(t)).collect();
        let names = [CriterionName::LogEi, CriterionName::Lcb, CriterionName::Mean, CriterionName::LogEi];
        assert_eq!(taken, names);
        assert_eq!(Turns::new(Vec::new()), None);
    }
}
