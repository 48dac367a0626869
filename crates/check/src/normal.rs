//! The normal distribution in interval arithmetic: cdf(z), and log h(z) with h(z) = pdf(z) + z cdf(z) (docs/method.md, Lemma 6.7).
//! Both rise with z, so the ends of an interval give theirs.

use crate::interval::Interval;
use std::f64::consts::PI;

/// The largest z for which the continued fraction is used.
const TAIL: f64 = -5.0;

/// The number of terms of the continued fraction, which is enough for full precision at x ≥ 5.
const TERMS: u32 = 80;

/// cdf(z).
pub(crate) fn cdf(z: Interval) -> Interval {
    if z.is_known() { cdf_at(z.low()).hull(cdf_at(z.high())) } else { Interval::ALL }
}

/// log h(z).
pub(crate) fn log_h(z: Interval) -> Interval {
    if z.is_known() { log_h_at(z.low()).hull(log_h_at(z.high())) } else { Interval::ALL }
}

fn cdf_at(z: f64) -> Interval {
    let scaled = Interval::point(-z) * Interval::point(0.5).sqrt();
    if !scaled.is_known() {
        return Interval::ALL;
    }
    let low = fathom_functions::erfc(scaled.high()).next_down();
    let low = if low < 0.0 { 0.0 } else { low };
    Interval::between(low, fathom_functions::erfc(scaled.low()).next_up()) * 0.5
}

fn log_h_at(z: f64) -> Interval {
    // The float nearest to π is below π.
    let two_pi = Interval::between(PI, PI.next_up()) * 2.0;
    let (point, exponent) = (Interval::point(z), Interval::point(z).square() * -0.5);
    if z > TAIL {
        return (exponent.exp() / two_pi.sqrt() + point * cdf_at(z)).ln();
    }
    let (even, odd) = (convergent(-point, TERMS), convergent(-point, TERMS + 1));
    let c = even.hull(odd);
    // c/(x + c) is written so that c occurs once.
    exponent - two_pi.ln() * 0.5 - (Interval::ONE - point / c).ln()
}

/// The continued fraction, cut off after `terms` terms.
fn convergent(x: Interval, terms: u32) -> Interval {
    let term = |inner: Interval, level: u32| Interval::point(f64::from(level)) / (x + inner);
    (1..=terms).rev().fold(Interval::ZERO, term)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Case {
        z: f64,
        cdf: [f64; 2],
        log_h: [f64; 2],
    }

    /// Each exact value lies between the two neighbouring floats in the file, so the enclosure must contain both.
    #[test]
    fn enclosures_hold_the_values_of_sixty_digit_arithmetic_and_are_tight() {
        let cases: Vec<Case> = serde_json::from_str(include_str!("../tests/reference/normal.json")).unwrap();
        assert!(cases.len() > 100 && cases.iter().any(|case| case.z < -1e5) && cases.iter().any(|case| case.z > 30.0));
        for Case { z, cdf: exact_cdf, log_h: exact_log_h } in cases {
            for (found, exact) in [(cdf_at(z), exact_cdf), (log_h_at(z), exact_log_h)] {
                assert!(found.low() <= exact[0] && exact[1] <= found.high(), "{found:?} misses {exact:?} at {z}");
                let least = if exact == exact_cdf { 1e-300 } else { 0.1 };
                let size = if exact[0].abs() > least { exact[0].abs() } else { least };
                // The condition number of cdf is z²; between 0 and the tail the two terms of h cancel.
                let loss = if exact == exact_cdf { 1e-14 * (1.0 + z * z) } else { 1e-13 };
                let loss = if z < 0.0 && z > TAIL { 1e-11 } else { loss };
                assert!(found.high() - found.low() <= loss * size, "{found:?} at {z}");
            }
        }
    }

    #[test]
    fn the_two_forms_overlap() {
        let z = TAIL.next_up();
        let (below, above) = (log_h_at(TAIL), log_h_at(z));
        assert!(below.low() <= above.high() && above.low() <= below.high().next_up() + 1e-14);
    }
}
