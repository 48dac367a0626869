//! The ways to minimise an acquisition function that are compared, as raw data, tables and pictures know them.

use crate::chart::{Mark, Pen};
use fathom_paper::baselines::Method;

/// A way to minimise an acquisition function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Contender {
    LbfgsB,
    NelderMead,
    Cobyla,
    Slsqp,
    TrustConstr,
    MultiStart,
    /// Algorithm 1 of the paper around the certified search, with our treatment of K̃ and our gap.
    Pk,
    /// The same with the paper's gap of 50 %.
    PkHalf,
    /// As `Pk` with the published treatment of K̃, which loses points.
    PkPublished,
    /// Algorithm 1 around SCIP on the mixed-integer program, with our treatment of K̃ and our gap.
    PkScip,
    /// The same with the paper's gap of 50 %.
    PkScipHalf,
    /// `Pk` for an additive model, group by group.
    AdditivePk,
    Certified,
}

impl Contender {
    /// All, the paper's baselines first.
    pub const ALL: [Self; 13] = [
        Self::LbfgsB,
        Self::NelderMead,
        Self::Cobyla,
        Self::Slsqp,
        Self::TrustConstr,
        Self::MultiStart,
        Self::Pk,
        Self::PkHalf,
        Self::PkPublished,
        Self::PkScip,
        Self::PkScipHalf,
        Self::AdditivePk,
        Self::Certified,
    ];

    /// As raw data and study files call it, as people read it, and how its curve is drawn: in Okabe and Ito's colours, with
    /// dashes and marks that differ too, for print in grey.
    fn about(self) -> (&'static str, &'static str, Pen) {
        let pen = |colour, width, dash, mark| Pen { colour, width, dash, mark };
        let pk = pen("#d55e00", 2.2, "9 2", Mark::Square);
        match self {
            Self::LbfgsB => ("l-bfgs-b", "L-BFGS-B", pen("#0072b2", 1.6, "7 3", Mark::Triangle)),
            Self::NelderMead => ("nelder-mead", "Nelder–Mead", pen("#56b4e9", 1.6, "2 3", Mark::Plus)),
            Self::Cobyla => ("cobyla", "COBYLA", pen("#e69f00", 1.6, "12 4", Mark::TriangleDown)),
            Self::Slsqp => ("slsqp", "SLSQP", pen("#cc79a7", 1.6, "5 5", Mark::Cross)),
            Self::TrustConstr => ("trust-constr", "trust-constr", pen("#8c6d00", 1.6, "3 6", Mark::Diamond)),
            Self::MultiStart => ("multistart", "multi-start L-BFGS-B", pen("#009e73", 2.0, "16 3", Mark::Hexagon)),
            Self::Pk => ("pk", "PK-MIQP, embedded search", pk),
            Self::PkHalf => ("pk-half", "PK-MIQP, embedded search, 50 % gap", pk),
            Self::PkPublished => ("pk-published", "PK-MIQP, embedded search, published treatment", pk),
            Self::PkScip => ("pk-scip", "PK-MIQP, SCIP", pk),
            Self::PkScipHalf => ("pk-scip-half", "PK-MIQP, SCIP, 50 % gap", pk),
            Self::AdditivePk => ("pk-groups", "add-GP PK-MIQP, embedded search", pk),
            Self::Certified => ("certified", "certified", pen("#1a1a1a", 2.4, "", Mark::Circle)),
        }
    }

    pub fn name(self) -> &'static str {
        self.about().0
    }

    pub fn title(self) -> &'static str {
        self.about().1
    }

    pub fn pen(self) -> Pen {
        self.about().2
    }

    /// Whether it is one of the paper's five baselines.
    pub fn is_baseline(self) -> bool {
        self < Self::MultiStart
    }

    /// Whether it is PK-MIQP around a solver of mixed-integer programs.
    pub fn is_by_solver(self) -> bool {
        matches!(self, Self::PkScip | Self::PkScipHalf)
    }

    /// Whether it stops at the paper's gap of 50 %.
    pub fn is_half(self) -> bool {
        matches!(self, Self::PkHalf | Self::PkScipHalf)
    }

    /// The local method that it is, if it is one.
    pub fn local(self) -> Option<Method> {
        self.name().parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_contenders_apart_and_baselines_are_local_methods() {
        for contender in Contender::ALL {
            assert_eq!(Contender::ALL.iter().filter(|other| other.name() == contender.name()).count(), 1);
            assert!(!contender.is_baseline() || contender.local().is_some());
        }
        assert_eq!(Contender::ALL.iter().filter(|contender| contender.is_baseline()).count(), 5);
        assert_eq!(Contender::ALL.iter().filter(|contender| contender.local().is_some()).count(), Method::ALL.len());
    }
}
