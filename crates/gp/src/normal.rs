//! The standard normal distribution, accurate far into its lower tail.
//!
//! `h(z) = pdf(z) + z cdf(z)` is the expected improvement of a standard normal. For z ≪ 0 h is the difference of two
//! almost equal numbers. With x = −z and the continued fraction of the Mills ratio M(x) = cdf(−x)/pdf(x),
//!
//! ```text
//! M(x) = 1/(x + c(x)),   c(x) = 1/(x + 2/(x + 3/(x + …))),
//! h(−x) = pdf(x) (1 − x M(x)) = pdf(x) c(x)/(x + c(x))        (no cancellation)
//! ```
//!
//! This reaches the aim of the log-EI of Ament et al. (2023) with elementary functions only.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// The largest z for which the continued fraction is used: here the fraction has converged up to rounding, and cancellation
/// would cost two digits.
const TAIL: f64 = -5.0;

/// The density at `z`.
pub fn pdf(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * PI).sqrt()
}

/// The probability of a value below `z`.
pub fn cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z * FRAC_1_SQRT_2)
}

/// h(z) = pdf(z) + z cdf(z); 0 if h underflows.
pub fn h(z: f64) -> f64 {
    if z > TAIL { pdf(z) + z * cdf(z) } else { log_h(z).value.exp() }
}

/// log h(z) and the ratios that give its derivatives; finite for every finite z with |z| < 1e154.
#[derive(Debug, Clone, Copy)]
pub struct LogH {
    /// log h(z).
    pub value: f64,
    /// cdf(z)/h(z), the derivative.
    pub slope: f64,
    /// pdf(z)/h(z) = 1 − z cdf(z)/h(z), without the cancellation that the right side has for z ≫ 0.
    pub density: f64,
}

/// log h(z), accurate far into the tail.
pub fn log_h(z: f64) -> LogH {
    if z > TAIL {
        let h = h(z);
        return LogH { value: h.ln(), slope: cdf(z) / h, density: pdf(z) / h };
    }
    let x = -z;
    let c = continued_fraction(x);
    let density = (x + c) / c;
    LogH { value: -0.5 * z * z - 0.5 * (2.0 * PI).ln() - density.ln(), slope: 1.0 / c, density }
}

/// c(x), evaluated from the inside out, with enough levels for full precision at x ≥ 5.
fn continued_fraction(x: f64) -> f64 {
    const LEVELS: i32 = 80;
    (1..=LEVELS).rev().fold(0.0, |inner, level| f64::from(level) / (x + inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Case {
        z: f64,
        cdf: f64,
        log_h: f64,
        dlog_h: f64,
    }

    #[test]
    fn values_agree_with_sixty_digit_arithmetic_far_into_the_tails() {
        let cases: Vec<Case> = serde_json::from_str(include_str!("../tests/reference/normal.json")).unwrap();
        assert!(cases.len() > 40 && cases.iter().any(|case| case.z <= -1e8));
        // The tolerance is absolute near 1 and near the zero of log h, and relative elsewhere.
        let close = |a: f64, b: f64, tolerance: f64| (a - b).abs() <= tolerance * b.abs().max(1e-3);
        for Case { z, cdf: exact_cdf, log_h: exact, dlog_h } in cases {
            assert!((cdf(z) - exact_cdf).abs() <= 1e-12 * exact_cdf, "cdf({z})");
            let LogH { value, slope, density } = log_h(z);
            assert!(close(value, exact, 1e-13), "log_h({z}) = {value}, exact {exact}");
            assert!(close(slope, dlog_h, 1e-13), "slope at {z} = {slope}, exact {dlog_h}");
            let direct = (-0.5 * z * z - 0.5 * (2.0 * PI).ln() - exact).exp();
            let tolerance = 1e-13 * (1.0 + exact.abs());
            // Far out the direct formula cancels; its error is that of the exponents.
            assert!((density - direct).abs() <= tolerance * (1.0 + z * z) * direct, "density at {z}");
            assert!((h(z) - exact.exp()).abs() <= tolerance * exact.exp(), "h({z})");
        }
    }

    #[test]
    fn the_two_branches_meet() {
        let (below, above) = (log_h(TAIL), log_h(TAIL.next_up()));
        assert!((below.value - above.value).abs() < 1e-13 * below.value.abs());
        assert!((below.slope - above.slope).abs() < 1e-12 * below.slope);
        assert!((below.density - above.density).abs() < 1e-12 * below.density);
    }
}
