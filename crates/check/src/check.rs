//! Every claim of a proof, checked.

use crate::interval::Interval;
use crate::model::{Model, Value};
use crate::verdict::{Rejection, Verdict, refuse};
use crate::walk::Walk;
use fathom_proof::{Conclusion, Proof};

/// How far the claimed value may be from what the checker knows of it, relative to the value and to the prior deviation there.
const TOLERANCE: f64 = 1e-9;

/// How well the checker must know the value, relative to the same.
const PRECISION: f64 = 1e-6;

/// Checks every claim of `proof`.
pub fn verify(proof: &Proof) -> Result<Verdict, Rejection> {
    if let Err(fault) = proof.statement.check() {
        return refuse("the statement", fault.to_string());
    }
    check_claim(&proof.claim, proof.statement.dim())?;
    let model = Model::new(proof)?;
    let best = proof.claim.point.as_ref().zip(proof.claim.value);
    let value = best.map(|(point, claimed)| check_best(&model, point, claimed)).transpose()?;
    if let (Some((_, high)), Some(bound)) = (value, proof.claim.lower_bound)
        && !(bound <= high)
    {
        return refuse("the claim", format!("its bound {bound} is above the value of its own point, {high} at most"));
    }
    let boxes = Walk::new(proof, &model)?.run()?;
    Ok(Verdict { boxes, lower_bound: proof.claim.lower_bound, value })
}

/// Whether the claim is one.
fn check_claim(claim: &Conclusion, dim: usize) -> Result<(), Rejection> {
    match claim {
        Conclusion { point: None, value: None, lower_bound: None } => Ok(()),
        Conclusion { point: None, value: None, lower_bound: Some(bound) } if bound.is_finite() => Ok(()),
        Conclusion { point: Some(point), value: Some(value), lower_bound: Some(bound) } => {
            if point.len() != dim || !point.iter().chain([value, bound]).all(|number| number.is_finite()) {
                refuse("the claim", "its numbers are not finite, or its point has the wrong dimension")
            } else if !(bound <= value) {
                refuse("the claim", format!("its bound {bound} is above its value {value}"))
            } else {
                Ok(())
            }
        }
        Conclusion { .. } => refuse("the claim", "its point, value and bound do not go together"),
    }
}

/// An enclosure of the best point's value, if it is a point of the region and that is its value.
fn check_best(model: &Model<'_>, point: &[f64], claimed: f64) -> Result<(f64, f64), Rejection> {
    let inside = model.statement.bounds.iter().zip(point).all(|((low, high), x)| low <= x && x <= high);
    if !inside {
        return refuse("the best point", "it lies outside the region");
    }
    model.rows.check_point(point)?;
    let Value { value, mean, deviation, prior } = model.value(point);
    let share = |of: Interval, share: f64| ((of.abs().upper() + prior) * share).upper();
    // The set of values that count as the claimed one, and how wide it may be.
    let (accepted, is_known) = match &model.criterion {
        None => {
            let number = Interval::point(claimed);
            let is_known = (width(value) - share(number, PRECISION)).high() <= 0.0;
            (value + share(number, TOLERANCE).give_or_take(), is_known)
        }
        // μ and σ are known to the tolerance; what that makes of the criterion must be known well enough.
        Some(criterion) => {
            let wide = |set: Interval, of: Interval| set + share(of, TOLERANCE).give_or_take();
            let deviation = wide(deviation, Interval::ZERO).positive_part();
            let accepted = criterion.value(wide(mean, mean), deviation);
            let room = Interval::point(criterion.precision(claimed));
            (accepted, (width(accepted) - room).high() <= 0.0)
        }
    };
    if !(is_known && value.is_known()) {
        let reason = format!("its value is between {} and {}: not known well enough", value.low(), value.high());
        return refuse("the best point", reason);
    }
    if !(accepted.low() <= claimed && claimed <= accepted.high()) {
        let reason = format!("its value is between {} and {}, not {claimed}", value.low(), value.high());
        return refuse("the best point", reason);
    }
    Ok((value.low(), value.high()))
}

/// high − low.
fn width(set: Interval) -> Interval {
    set.upper() - set.lower()
}
