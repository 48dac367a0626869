//! Sums that are rounded only once, at the end (Shewchuk 1997).

/// The exact sum of finite numbers, rounded once to nearest, so that cancellation loses nothing.
pub fn exact_sum(terms: &[f64]) -> f64 {
    // `parts` do not overlap, rise in size, and have the exact sum of all terms so far.
    let mut parts: Vec<f64> = Vec::new();
    for term in terms {
        let mut carry = *term;
        let mut kept = Vec::with_capacity(parts.len() + 1);
        for part in parts {
            let (sum, error) = two_sum(carry, part);
            if error != 0.0 {
                kept.push(error);
            }
            carry = sum;
        }
        kept.push(carry);
        parts = kept;
    }
    // The parts are added from the largest down until a sum is rounded; the remaining parts only decide ties.
    let Some(mut total) = parts.pop() else { return 0.0 };
    while let Some(part) = parts.pop() {
        let (sum, error) = two_sum(total, part);
        total = sum;
        if error != 0.0 {
            let tie_breaker = parts.last().copied().unwrap_or(0.0);
            if (error > 0.0) == (tie_breaker > 0.0) && tie_breaker != 0.0 {
                let (nudged, doubled) = (total + 2.0 * error, 2.0 * error);
                if nudged - total == doubled {
                    total = nudged;
                }
            }
            break;
        }
    }
    total
}

/// The rounded sum of two numbers and its rounding error (Knuth).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let other = sum - a;
    (sum, (a - (sum - other)) + (b - other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn terms_that_cancel_leave_the_rest_exactly() {
        assert_eq!(exact_sum(&[1e16, 1.0, -1e16]), 1.0);
        assert_eq!(exact_sum(&[1e100, 1.0, -1e100, 2.0, -3.0]), 0.0);
        assert_eq!(exact_sum(&[]), 0.0);
        assert_eq!(exact_sum(&[0.1; 10]), 1.0);
        // Half a unit plus a little more rounds up.
        assert_eq!(exact_sum(&[1.0, f64::EPSILON / 2.0, 1e-40]), 1.0 + f64::EPSILON);
        assert_eq!(exact_sum(&[1.0, f64::EPSILON / 2.0, -1e-40]), 1.0);
    }

    proptest! {
        /// `i128` holds the exact sums of whole numbers below 2^50 times a power of two.
        #[test]
        fn sums_agree_with_whole_number_arithmetic(terms in prop::collection::vec((-1_i64 << 50..1 << 50, 0_u32..40), 0..12)) {
            let numbers: Vec<f64> = terms.iter().map(|(m, e)| *m as f64 * 2_f64.powi(*e as i32)).collect();
            let exact: i128 = terms.iter().map(|(m, e)| i128::from(*m) << e).sum();
            prop_assert_eq!(exact_sum(&numbers), exact as f64);
        }
    }
}
