//! Sums without a rounding error but the last (Shewchuk 1997).

/// The exact sum of finite numbers, rounded once to the nearest: entries that cancel leave what is left of them.
pub fn exact_sum(terms: &[f64]) -> f64 {
    // Numbers of falling precision, no two of which overlap, whose exact sum is that of all terms so far.
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
    // From the largest down, until a sum is rounded; what is left decides ties only.
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

/// The rounded sum of two numbers, and what rounding took (Knuth).
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
    fn what_cancels_leaves_the_rest() {
        assert_eq!(exact_sum(&[1e16, 1.0, -1e16]), 1.0);
        assert_eq!(exact_sum(&[1e100, 1.0, -1e100, 2.0, -3.0]), 0.0);
        assert_eq!(exact_sum(&[]), 0.0);
        assert_eq!(exact_sum(&[0.1; 10]), 1.0);
        // Half a unit and a little more round up.
        assert_eq!(exact_sum(&[1.0, f64::EPSILON / 2.0, 1e-40]), 1.0 + f64::EPSILON);
        assert_eq!(exact_sum(&[1.0, f64::EPSILON / 2.0, -1e-40]), 1.0);
    }

    proptest! {
        /// Whole numbers below 2^50 times a power of two have sums that `i128` knows.
        #[test]
        fn sums_are_those_of_whole_numbers(terms in prop::collection::vec((-1_i64 << 50..1 << 50, 0_u32..40), 0..12)) {
            let numbers: Vec<f64> = terms.iter().map(|(m, e)| *m as f64 * 2_f64.powi(*e as i32)).collect();
            let exact: i128 = terms.iter().map(|(m, e)| i128::from(*m) << e).sum();
            prop_assert_eq!(exact_sum(&numbers), exact as f64);
        }
    }
}
