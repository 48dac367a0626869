//! Every claim of a proof, checked.

use crate::interval::Interval;
use crate::model::{Model, Value};
use crate::verdict::{Rejection, Verdict, refuse};
use crate::walk::Walk;
use fathom_proof::{Conclusion, Proof};

/// The largest distance of the claimed value from its enclosure, relative to the sum of |value| and the prior deviation at the
/// point.
const TOLERANCE: f64 = 1e-9;

/// The largest width of the enclosure of the value, relative to the same sum.
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

/// Whether the claim is complete, finite and in order.
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

/// An enclosure of the best point's value, if the point lies in the region and has the claimed value.
fn check_best(model: &Model<'_>, point: &[f64], claimed: f64) -> Result<(f64, f64), Rejection> {
    let inside = model.statement.bounds.iter().zip(point).all(|((low, high), x)| low <= x && x <= high);
    if !inside {
        return refuse("the best point", "it lies outside the region");
    }
    model.rows.check_point(point)?;
    let Value { value, mean, variance, prior, .. } = model.value(point);
    let share = |of: Interval, share: f64| ((of.abs().upper() + prior) * share).upper();
    // The claimed values that are accepted, and whether this set is narrow enough.
    let (accepted, is_known) = match &model.criterion {
        None => {
            let number = Interval::point(claimed);
            let is_known = (width(value) - share(number, PRECISION)).high() <= 0.0;
            (value + share(number, TOLERANCE).give_or_take(), is_known)
        }
        // The enclosures of μ and σ are widened by the tolerance; the criterion of both must be narrow enough.
        Some(criterion) => {
            let wide = |set: Interval, of: Interval| set + share(of, TOLERANCE).give_or_take();
            let deviation = wide(variance.sqrt(), Interval::ZERO).positive_part();
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

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_proof::{
        End, Evidence, Order, Piece, Reason, Record, StatedAcquisition, StatedKernel, StatedTerm, Statement,
    };

    /// One observation of 1 at 0, under an RBF kernel with noise ¼: the mean at x is 0.8 exp(−x²/2), σ² is 1 − 0.8 exp(−x²).
    fn proof(acquisition: StatedAcquisition, claim: Conclusion) -> Proof {
        let statement = Statement {
            name: String::new(),
            terms: vec![StatedTerm { kernel: StatedKernel::Rbf, inputs: vec![0], variance: 1.0 }],
            lengthscales: vec![1.0],
            noise: 0.25,
            jitter: 0.0,
            mean: 0.0,
            acquisition,
            x: vec![vec![0.0]],
            y: vec![1.0],
            bounds: vec![(-1.0, 2.0)],
            integers: Vec::new(),
            values: Vec::new(),
            rows: Vec::new(),
            negative_variance: None,
        };
        let reason = Reason::Multiplier(Order::Two, 0);
        let evidence = Evidence { reason, shift: vec![0.0], at: vec![0.0], duals: Vec::new() };
        Proof {
            statement,
            claim,
            pieces: vec![Piece { mean: 0.0, weights: vec![0.8] }],
            least_eigenvalue: None,
            multipliers: vec![vec![0.8]],
            records: vec![Record { steps: Vec::new(), end: End::Closed(evidence) }],
        }
    }

    fn at(x: f64, value: f64, lower_bound: f64) -> Conclusion {
        Conclusion { point: Some(vec![x]), value: Some(value), lower_bound: Some(lower_bound) }
    }

    fn mean(x: f64) -> f64 {
        0.8 * (-0.5 * x * x).exp()
    }

    fn deviation(x: f64) -> f64 {
        (1.0 - 0.8 * (-x * x).exp()).sqrt()
    }

    #[track_caller]
    fn refused(acquisition: StatedAcquisition, claim: Conclusion, because: &str) {
        let rejection = verify(&proof(acquisition, claim)).expect_err("it is accepted").to_string();
        assert!(rejection.contains(because), "{rejection}");
    }

    #[test]
    fn a_claim_is_whole_finite_and_in_order() {
        let point = || Some(vec![0.5]);
        let claim = |point, value, lower_bound| check_claim(&Conclusion { point, value, lower_bound }, 1).is_ok();
        assert!(claim(None, None, None) && claim(None, None, Some(-1.0)));
        assert!(claim(point(), Some(1.0), Some(-1.0)) && claim(point(), Some(1.0), Some(1.0)));
        for strange in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(!claim(None, None, Some(strange)), "a bound of {strange}");
            assert!(!claim(point(), Some(1.0), Some(strange)), "a bound of {strange}");
            assert!(!claim(point(), Some(strange), Some(-1.0)), "a value of {strange}");
            assert!(!claim(Some(vec![strange]), Some(1.0), Some(-1.0)), "a point at {strange}");
        }
        assert!(!claim(point(), Some(1.0), Some(1.0_f64.next_up())), "a bound above the value");
        assert!(!claim(Some(vec![]), Some(1.0), Some(-1.0)) && !claim(Some(vec![0.5, 0.5]), Some(1.0), Some(-1.0)));
        assert!(!claim(point(), None, None) && !claim(point(), Some(1.0), None) && !claim(point(), None, Some(-1.0)));
        assert!(!claim(None, Some(1.0), None) && !claim(None, Some(1.0), Some(-1.0)));
    }

    #[test]
    fn a_proof_with_a_bad_claim_or_a_bad_statement_is_refused() {
        let unsound = Conclusion { point: None, value: None, lower_bound: Some(f64::NEG_INFINITY) };
        refused(StatedAcquisition::Mean, unsound, "do not go together");
        let mut empty = proof(StatedAcquisition::Mean, at(0.5, mean(0.5), -10.0));
        assert_eq!(verify(&empty).map(|verdict| verdict.boxes).ok(), Some(1));
        empty.statement.noise = -1.0;
        assert!(verify(&empty).expect_err("it is accepted").to_string().contains("the statement"));
    }

    #[test]
    fn the_best_point_must_lie_in_the_region_and_have_the_claimed_value() {
        for acquisition in [StatedAcquisition::Mean, StatedAcquisition::Lcb { kappa: 2.0 }] {
            let kappa = if acquisition == StatedAcquisition::Mean { 0.0 } else { 2.0 };
            let value = |x: f64| mean(x) - kappa * deviation(x);
            let scale = |x: f64| value(x).abs() + 1.0;
            for x in [-1.0, -0.3, 0.0, 1.0, 2.0] {
                let verdict = verify(&proof(acquisition, at(x, value(x), -10.0))).unwrap();
                let (low, high) = verdict.value.unwrap();
                assert!(low <= value(x) + 1e-14 && value(x) <= high + 1e-14 && high - low < 1e-13);
                assert_eq!((verdict.lower_bound, verdict.boxes), (Some(-10.0), 1));
                for sign in [-1.0, 1.0] {
                    let near = value(x) + sign * 0.9 * TOLERANCE * scale(x);
                    assert!(verify(&proof(acquisition, at(x, near, -10.0))).is_ok(), "{near} at {x}");
                    let far = value(x) + sign * 1.1 * TOLERANCE * scale(x);
                    refused(acquisition, at(x, far, -10.0), "not");
                }
            }
            for x in [(-1.0_f64).next_down(), 2.0_f64.next_up(), -3.0, 7.0] {
                refused(acquisition, at(x, value(x), -10.0), "outside the region");
            }
        }
    }

    #[test]
    fn the_best_point_of_an_improvement_criterion_must_have_the_claimed_value() {
        let best = 0.2;
        let pi = |x: f64| {
            let z = Interval::point((best - mean(x)) / deviation(x));
            -crate::normal::cdf(z).guess()
        };
        for x in [-0.8, 0.4, 1.5] {
            let acquisition = StatedAcquisition::Pi { best };
            let verdict = verify(&proof(acquisition, at(x, pi(x), -1.0))).unwrap();
            assert!(verdict.value.is_some_and(|(low, high)| low <= pi(x) + 1e-12 && pi(x) <= high + 1e-12));
            for off in [-1e-6, 1e-6] {
                refused(acquisition, at(x, pi(x) + off, -1.0), "not");
            }
        }
    }

    #[test]
    fn a_value_must_be_known_to_a_millionth() {
        // Wrong weights leave a residual, which widens the enclosure of the value.
        let with = |error: f64| {
            let mut proof = proof(StatedAcquisition::Mean, at(0.5, mean(0.5), -10.0));
            proof.pieces[0].weights[0] += error;
            verify(&proof).map_err(|rejection| rejection.to_string())
        };
        assert!(with(1e-8).is_ok());
        assert!(with(1e-4).is_err_and(|reason| reason.contains("not known well enough")));
    }

    #[test]
    fn a_bound_above_the_true_value_of_its_own_point_is_refused_even_if_the_claimed_value_is_accepted() {
        // The bound lies between the largest true value and the claimed value, which may be a billionth off.
        let high = verify(&proof(StatedAcquisition::Mean, at(2.0, mean(2.0), -10.0))).unwrap().value.unwrap().1;
        let claimed = mean(2.0) + 0.9 * TOLERANCE;
        refused(StatedAcquisition::Mean, at(2.0, claimed, high.next_up()), "above the value of its own point");
    }
}
