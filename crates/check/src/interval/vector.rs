//! Sums over vectors of numbers, from one pass of ordinary arithmetic with a bound of its rounding (docs/method.md, Lemma 11.2).

use super::Interval;

/// An enclosure of the inner product of two vectors. The rounding of n products and n/4 sums in each of four lanes is at most
/// n/4 + 4 units of 2⁻⁵³ of the sum of absolute values; all underflow together is less than the smallest normal number.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> Interval {
    if a.len() != b.len() {
        return Interval::ALL;
    }
    let (mut sum, mut sizes) = ([0.0; 4], [0.0; 4]);
    for (a, b) in a.chunks(4).zip(b.chunks(4)) {
        for (lane, (a, b)) in a.iter().zip(b).enumerate() {
            sum[lane] += a * b;
            sizes[lane] += (a * b).abs();
        }
    }
    let error = (a.len() as f64 / 4.0 + 8.0) * f64::EPSILON * sizes.iter().sum::<f64>();
    Interval::around(sum.iter().sum(), error + f64::MIN_POSITIVE)
}

/// Σ|v_i|.
pub(crate) fn absolute_sum(v: &[f64]) -> Interval {
    let total: f64 = v.iter().map(|v| v.abs()).sum();
    let error = (v.len() as f64 + 2.0) * f64::EPSILON * total;
    Interval::around(total, error).positive_part()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_contain_the_exact_ones() {
        let a: Vec<f64> = (0..37_i32).map(|i| f64::from(i * 7 % 13) - 6.0).collect();
        let b: Vec<f64> = (0..37_i32).map(|i| f64::from(i * 5 % 11) - 5.0).collect();
        let exact: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        let found = dot(&a, &b);
        assert!(found.low() <= exact && exact <= found.high() && found.high() - found.low() < 1e-11);
        let exact: f64 = a.iter().map(|a| a.abs()).sum();
        let found = absolute_sum(&a);
        assert!(found.low() <= exact && exact <= found.high() && found.high() - found.low() < 1e-11);
        // 1e16 + 1 − 1e16 in ordinary arithmetic is 0 or 2.
        let cancelling = dot(&[1e16, 1.0, -1e16, 0.0, 1e16, -1e16], &[1.0; 6]);
        assert!(cancelling.low() <= 1.0 && 1.0 <= cancelling.high() && cancelling.high() < 1e3, "{cancelling:?}");
        // The cancelling numbers are in one lane.
        let lane = dot(&[1e16, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1e16], &[1.0; 9]);
        assert!(lane.low() <= 1.0 && 1.0 <= lane.high());
        // These products underflow.
        let tiny = dot(&[1e-200; 5], &[1e-200; 5]);
        assert!(tiny.low() < 0.0 && tiny.high() > 0.0 && tiny.high() < 1e-300);
    }

    #[test]
    fn sums_that_overflow_are_not_known() {
        for v in [[1e308; 4], [f64::INFINITY, 0.0, 0.0, 0.0], [f64::NAN, 0.0, 0.0, 0.0]] {
            assert_eq!(dot(&v, &[10.0; 4]), Interval::ALL);
            assert_eq!(dot(&[10.0; 4], &v), Interval::ALL);
        }
        // These infinities cancel.
        assert_eq!(dot(&[1e308, -1e308], &[10.0, 10.0]), Interval::ALL);
        assert_eq!(absolute_sum(&[1e308, 1e308]), Interval::ALL);
        assert_eq!(absolute_sum(&[f64::NAN]), Interval::ALL);
        assert_eq!(dot(&[1.0], &[1.0, 2.0]), Interval::ALL);
    }
}
