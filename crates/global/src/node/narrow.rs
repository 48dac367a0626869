//! Narrowing cuts away what the best minorant proves to be above the cutoff (docs/method.md, Lemmas 7.2 and 8.3).

use super::Node;
use crate::bound::ScaledBox;
use crate::problem::Problem;
use crate::region::Region;
use crate::rounding;
use fathom_proof::Step;

/// Another round is worth its cost if narrowing leaves at most this share of the volume.
const WORTH_ANOTHER_ROUND: f64 = 0.6;

impl Node {
    /// Cuts away what the best minorant proves to be above the cutoff; true if another round is worth its cost.
    pub(super) fn narrow(&mut self, scaled: &ScaledBox, problem: &Problem<'_>, cutoff: f64) -> bool {
        let mut share = 1.0;
        for j in 0..problem.dim() {
            let (old_low, old_high) = (self.lower[j], self.upper[j]);
            let kept = self.best.minorant.keep(j, cutoff);
            self.next_lower[j] = old_low;
            self.next_upper[j] = old_high;
            let Some((low, high)) = kept.filter(|_| old_high > old_low) else { continue };
            let l = problem.objective().lengthscales[j];
            let at = |x: f64| l * (scaled.centre[j] + x * scaled.half[j]);
            // The ends move outwards by more than this map's rounding, so that no cut is deeper than proven.
            let slack = rounding::CUT_SHARE * (old_high - old_low) + rounding::CUT * old_low.abs().max(old_high.abs());
            let new_low = if low > -1.0 { old_low.max(at(low) - slack) } else { old_low };
            let new_high = if high < 1.0 { old_high.min(at(high) + slack) } else { old_high };
            let is_discrete = problem.region().is_discrete(j);
            let (new_low, new_high) = match is_discrete {
                true => discrete_ends(problem.region(), j, (new_low, new_high), old_high),
                false => (new_low, new_high),
            };
            if new_low < new_high || (new_low == new_high && is_discrete) {
                share *= (new_high - new_low) / (old_high - old_low);
                self.next_lower[j] = new_low;
                self.next_upper[j] = new_high;
            }
        }
        if share >= WORTH_ANOTHER_ROUND {
            return false;
        }
        if self.record.is_some() {
            let evidence = self.evidence(problem);
            let step = Step::Narrowed { evidence, lower: self.next_lower.clone(), upper: self.next_upper.clone() };
            self.record.iter_mut().for_each(|record| record.steps.push(step.clone()));
        }
        self.lower.copy_from_slice(&self.next_lower);
        self.upper.copy_from_slice(&self.next_upper);
        true
    }
}

/// The least and the greatest number of a side between two ends. If there is none, only the part below the ends is cut off,
/// and the next round handles the rest.
fn discrete_ends(region: &Region, j: usize, (low, high): (f64, f64), old_high: f64) -> (f64, f64) {
    let (first, last) = (region.ceil(j, low), region.floor(j, high));
    if first <= last { (first, last) } else { (first.min(old_high), old_high) }
}
