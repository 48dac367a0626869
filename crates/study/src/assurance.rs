//! How sure a suggestion is, by the strongest that is known of it.

use crate::trial::{Origin, Suggestion};
use crate::value::Point;
use fathom_global::{Certificate, Status};

/// What is known of the point that was handed out. Differences are those of the acquisition function, in its own units.
#[derive(Debug, Clone, PartialEq)]
pub enum Assurance {
    /// Nothing is proven of the point: no model chose it, or the optimiser proves nothing of the true function.
    None,
    /// No point is better by more than the gap that was asked for.
    Proven {
        /// No point is better by more than this.
        at_most: f64,
    },
    /// The search for a proof was cut short.
    CutShort {
        /// No point is better by more than this; `None` if nothing was proven by then.
        at_most: Option<f64>,
        /// What ended the search: a number of boxes, which is the same on every machine, the clock, memory, or somebody.
        by: Option<Status>,
    },
    /// A longer search found a better point.
    Better {
        /// That point.
        point: Point,
        /// By how much it is better.
        by: f64,
        /// No point is better by more than this, if that was proven.
        at_most: Option<f64>,
    },
}

impl Assurance {
    /// The name in `--json` and in Python; `None` if nothing is proven.
    pub fn name(&self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Proven { .. } => Some("proven"),
            Self::CutShort { .. } => Some("cut_short"),
            Self::Better { .. } => Some("better_found"),
        }
    }

    /// Whether no point is better than the suggested one by more than the gap.
    pub fn is_proven(&self) -> bool {
        matches!(self, Self::Proven { .. })
    }

    /// Whether a longer search may say more.
    pub fn is_open(&self) -> bool {
        match self {
            // Floating point resolves no finer gap.
            Self::CutShort { by, .. } => *by != Some(Status::Exhausted),
            Self::None | Self::Proven { .. } | Self::Better { .. } => false,
        }
    }
}

impl Suggestion {
    /// How sure the suggestion is.
    pub fn assurance(&self) -> Assurance {
        let search = self.basis.as_deref().map(|basis| basis.search);
        // The best of points that are left is no minimum, and the search of a limit's end met no point.
        let is_cut = search.is_some_and(|search| search.cut_after.is_some()) && self.piecewise_linear.is_none();
        let Some(value) = self.acquisition.filter(|_| self.origin == Origin::Model) else { return Assurance::None };
        if self.certificate.is_none() && !is_cut {
            return Assurance::None;
        }
        let asked = self.certificate.as_ref().map(|certificate| certificate.settings);
        let (gap, relative) = match (search, asked) {
            (Some(search), _) => (search.gap, search.relative_gap),
            (None, Some(asked)) => (asked.gap, asked.relative_gap),
            (None, None) => (0.0, 0.0),
        };
        let allowance = gap.max(relative * value.abs());
        let at_most = self.lower_bound().map(|bound| (value - bound).max(0.0));
        let by = self.later.as_ref().map(|later| later.certificate.status).or_else(|| self.ended_by());
        let has_ended = matches!(by, Some(Status::Optimal | Status::Exhausted));
        let better =
            self.later.as_ref().and_then(|later| Some((later.better.clone()?, value - later.certificate.value)));
        match (at_most, better) {
            (Some(at_most), _) if at_most <= allowance => Assurance::Proven { at_most },
            (at_most, Some((point, by))) if has_ended || by > allowance => Assurance::Better { point, by, at_most },
            (at_most, _) => Assurance::CutShort { at_most, by },
        }
    }

    /// What ended the search of the ask.
    fn ended_by(&self) -> Option<Status> {
        let of_certificate = self.certificate.as_ref().map(|certificate| certificate.status);
        of_certificate.or_else(|| self.basis.as_ref()?.search.cut_by)
    }

    /// The highest bound that is proven of the acquisition function's minimum.
    pub fn lower_bound(&self) -> Option<f64> {
        let of = |certificate: &Certificate| certificate.lower_bound;
        let (first, later) = (self.certificate.as_ref().and_then(of), self.later.as_ref());
        let later = later.and_then(|later| of(&later.certificate));
        first.into_iter().chain(later).reduce(f64::max)
    }

    /// By how much a better point may be better at most; `None` if nothing is proven.
    pub fn gap(&self) -> Option<f64> {
        match self.assurance() {
            Assurance::None => None,
            Assurance::Proven { at_most } => Some(at_most),
            Assurance::CutShort { at_most, .. } | Assurance::Better { at_most, .. } => at_most,
        }
    }
}
