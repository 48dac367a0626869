//! The ways to minimise an acquisition function that are compared, as raw files, tables and plots know them.

use crate::pen::{Mark, Pen};
use fathom_paper::baselines::Method;

/// A way to minimise an acquisition function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "they are known by their names")]
pub enum Contender {
    LbfgsB,
    NelderMead,
    Cobyla,
    Slsqp,
    TrustConstr,
    MultiStart,
    /// Algorithm 1 of the paper around the certified search, our repair of K̃ and our gap.
    Pk,
    /// The same with the paper's gap of 50 %.
    PkHalf,
    /// The same for an additive model, group by group.
    AdditivePk,
    Certified,
}

impl Contender {
    /// All, the paper's baselines first.
    pub const ALL: [Self; 10] = [
        Self::LbfgsB,
        Self::NelderMead,
        Self::Cobyla,
        Self::Slsqp,
        Self::TrustConstr,
        Self::MultiStart,
        Self::Pk,
        Self::PkHalf,
        Self::AdditivePk,
        Self::Certified,
    ];

    /// As raw files and study files call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::LbfgsB => "l-bfgs-b",
            Self::NelderMead => "nelder-mead",
            Self::Cobyla => "cobyla",
            Self::Slsqp => "slsqp",
            Self::TrustConstr => "trust-constr",
            Self::MultiStart => "multistart",
            Self::Pk => "pk",
            Self::PkHalf => "pk-half",
            Self::AdditivePk => "pk-groups",
            Self::Certified => "certified",
        }
    }

    /// As people read it.
    pub fn title(self) -> &'static str {
        match self {
            Self::LbfgsB => "L-BFGS-B",
            Self::NelderMead => "Nelder–Mead",
            Self::Cobyla => "COBYLA",
            Self::Slsqp => "SLSQP",
            Self::TrustConstr => "trust-constr",
            Self::MultiStart => "multi-start L-BFGS-B",
            Self::Pk => "PK-MIQP",
            Self::PkHalf => "PK-MIQP, 50 % gap",
            Self::AdditivePk => "add-GP PK-MIQP",
            Self::Certified => "certified",
        }
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|contender| contender.name() == name)
    }

    /// Whether it is one of the paper's five baselines.
    pub fn is_baseline(self) -> bool {
        self < Self::MultiStart
    }

    /// The local method that it is, if it is one.
    pub(crate) fn local(self) -> Option<Method> {
        self.name().parse().ok()
    }

    /// How its curve is drawn: Okabe and Ito's colours; dashes and marks differ too, for print in grey.
    pub(crate) fn pen(self) -> Pen {
        let (colour, width, dash, mark) = match self {
            Self::LbfgsB => ("#0072b2", 1.6, (7.0, 3.0), Mark::Triangle),
            Self::NelderMead => ("#56b4e9", 1.6, (2.0, 3.0), Mark::Plus),
            Self::Cobyla => ("#e69f00", 1.6, (12.0, 4.0), Mark::TriangleDown),
            Self::Slsqp => ("#cc79a7", 1.6, (5.0, 5.0), Mark::Cross),
            Self::TrustConstr => ("#8c6d00", 1.6, (3.0, 6.0), Mark::Diamond),
            Self::MultiStart => ("#009e73", 2.0, (16.0, 3.0), Mark::Hexagon),
            Self::Pk | Self::PkHalf | Self::AdditivePk => ("#d55e00", 2.2, (9.0, 2.0), Mark::Square),
            Self::Certified => ("#1a1a1a", 2.4, (f64::INFINITY, 0.0), Mark::Circle),
        };
        Pen { colour, width, dash, mark }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_contenders_apart_and_baselines_are_local_methods() {
        for contender in Contender::ALL {
            assert_eq!(Contender::named(contender.name()), Some(contender));
            assert!(!contender.is_baseline() || contender.local().is_some());
        }
        assert_eq!(Contender::ALL.iter().filter(|contender| contender.is_baseline()).count(), 5);
        assert_eq!(Contender::ALL.iter().filter(|contender| contender.local().is_some()).count(), Method::ALL.len());
    }
}
