//! What was proven of a suggestion after its point was handed out. What was known when it was handed out stays as it was.

use crate::bound::Bound;
use crate::value::Point;
use fathom_global::Certificate;
use serde::{Deserialize, Serialize};

/// A longer search of the problem behind a suggestion, from its beginning, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Later {
    /// The best point that is known, its value, and the bound that the longer search proved.
    pub certificate: Certificate,
    /// That point in the user's units, if it is better than the one that was handed out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub better: Option<Point>,
    /// What could still be gained, by the longer search's bound; `None` if it says nothing of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// Trials around which a ball was left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub apart_from: Vec<u64>,
    /// The boxes bounded when a limit ended the longer search; `None` if it ended by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_after: Option<u64>,
}

impl Later {
    /// What a store keeps once it hears of this: the higher bound and the better point. `None` if this adds nothing to the bound
    /// of the ask, `at_first`, and to what is `known` since.
    pub(crate) fn added_to(&self, at_first: Option<f64>, known: Option<&Self>) -> Option<Self> {
        let bound = |later: &Self| later.certificate.lower_bound.unwrap_or(f64::NEG_INFINITY);
        let value = |later: &Self| if later.better.is_some() { later.certificate.value } else { f64::INFINITY };
        let floor = known.map_or(f64::NEG_INFINITY, bound).max(at_first.unwrap_or(f64::NEG_INFINITY));
        let best = known.map_or(f64::INFINITY, value);
        match (bound(self) > floor, value(self) < best) {
            (false, false) => None,
            (true, _) => {
                Some(known.filter(|_| best < value(self)).map_or_else(|| self.clone(), |known| self.at(known)))
            }
            (false, true) => Some(known.map_or_else(|| self.clone(), |known| known.at(self))),
        }
    }

    /// This bound, with the point of `other`.
    fn at(&self, other: &Self) -> Self {
        let Certificate { x, value, .. } = other.certificate.clone();
        let mut joined = Self { better: other.better.clone(), ..self.clone() };
        joined.certificate.place(x, value);
        joined
    }
}
