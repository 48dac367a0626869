//! Wilcoxon's signed-rank test, exact, and Holm's correction for many tests.

/// What the test says of differences.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SignedRank {
    /// The probability, if nothing favours either sign, of sums of ranks at least as lopsided.
    pub p: f64,
    /// Whether the negative differences have the larger sum of ranks.
    pub favours_negative: bool,
}

impl SignedRank {
    /// Differences of 0 are left out and equal ones share their ranks, as Wilcoxon has it. The distribution is that of all signs
    /// over these ranks, counted and not approximated. `None` if no difference is left.
    pub fn of(differences: &[f64]) -> Option<Self> {
        let mut sizes: Vec<(f64, bool)> =
            differences.iter().filter(|d| **d != 0.0).map(|d| (d.abs(), *d > 0.0)).collect();
        if sizes.is_empty() {
            return None;
        }
        sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
        let ranks = doubled_ranks(&sizes);
        let total: usize = ranks.iter().sum();
        let positive: usize = ranks.iter().zip(&sizes).filter(|(_, size)| size.1).map(|(rank, _)| rank).sum();
        let least = positive.min(total - positive);
        // The share of all signs whose positive ranks have each sum.
        let mut shares = vec![0.0; total + 1];
        shares[0] = 1.0;
        for rank in ranks {
            for sum in (0..=total).rev() {
                shares[sum] = 0.5 * (shares[sum] + if sum >= rank { shares[sum - rank] } else { 0.0 });
            }
        }
        let p = (2.0 * shares[..=least].iter().sum::<f64>()).min(1.0);
        Some(Self { p, favours_negative: 2 * positive < total })
    }
}

/// Twice the ranks of sorted sizes: whole numbers, even if equal ones share the mean of theirs.
fn doubled_ranks(sizes: &[(f64, bool)]) -> Vec<usize> {
    let equal = |size: f64| sizes.iter().enumerate().filter(move |(_, other)| other.0 == size).map(|(i, _)| i + 1);
    let ends = |size: f64| (equal(size).min().unwrap_or_default(), equal(size).max().unwrap_or_default());
    sizes.iter().map(|(size, _)| ends(*size)).map(|(first, last)| first + last).collect()
}

/// What each of several probabilities is worth if any one of them may be the least (Holm, 1979).
pub(crate) fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut least = 0.0_f64;
    for (place, index) in order.into_iter().enumerate() {
        least = least.max((p_values.len() - place) as f64 * p_values[index]).min(1.0);
        adjusted[index] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(differences: &[f64]) -> Option<f64> {
        SignedRank::of(differences).map(|test| test.p)
    }

    #[test]
    fn probabilities_are_those_of_counting_all_signs() {
        // Five positive differences: 2 of 32 signs are as lopsided.
        assert_eq!(p(&[1.0, 2.0, 3.0, 4.0, 5.0]), Some(0.0625));
        // Ranks 1, 2, 3 with 1 negative: sums 0, 1, 5 and 6 of the positive ones: 4 of 8.
        assert_eq!(p(&[-1.0, 2.0, 3.0]), Some(0.5));
        // Equal sizes share a rank: ±1.5, ±1.5, 3; the negative one of the first two leaves 1.5 against 4.5.
        assert_eq!(p(&[-1.0, 1.0, 3.0]), Some(0.75));
        assert_eq!((p(&[1.0, -1.0]), p(&[0.0])), (Some(1.0), None));
    }

    #[test]
    fn a_known_table_agrees() {
        // Critical value of 8 at n = 10 (two-sided 5 %): W = 8 has p = 0.0488, W = 9 has p = 0.0645.
        let with = |negative: &[usize]| {
            let signed = |rank: usize| if negative.contains(&rank) { -(rank as f64) } else { rank as f64 };
            p(&(1..=10).map(signed).collect::<Vec<_>>()).expect("differences")
        };
        assert!((with(&[8]) - 0.048_828_125).abs() < 1e-12 && (with(&[9]) - 0.064_453_125).abs() < 1e-12);
    }

    #[test]
    fn the_larger_sum_of_ranks_is_favoured_and_not_the_larger_count() {
        let favours_negative = |differences: &[f64]| SignedRank::of(differences).expect("differences").favours_negative;
        assert!(favours_negative(&[1.0, 2.0, -3.0, -4.0]) && favours_negative(&[1.0, 2.0, 3.0, -7.0, -8.0]));
        assert!(!favours_negative(&[-1.0, -2.0, 9.0, 8.0]));
    }

    #[test]
    fn holm_multiplies_by_what_is_left_and_keeps_the_order() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.5]);
        let expected = [0.04, 0.09, 0.09, 0.5];
        assert!(adjusted.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{adjusted:?}");
        assert!(holm(&[]).is_empty());
    }
}
