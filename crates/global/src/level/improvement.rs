//! The improvement criteria as functions F(μ, σ): −EI, −log EI, −PI (docs/method.md, Lemma 6.1).

use super::curve::LevelCurve;
use super::halving::Halving;
use super::shortfall::Shortfall;
use crate::rounding;
use fathom_gp::Criterion;
use fathom_gp::normal;

/// How far the minimum of F along a shortfall may be underestimated, relative to the minimum, which only orders the open boxes.
const ORDER: f64 = 1e-3;

/// An improvement criterion, to be minimised: −EI, −log EI or −PI.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Improvement {
    kind: Kind,
    pub best: f64,
    /// The unit of the function.
    unit: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Expected,
    Logarithm,
    Probability,
}

impl Improvement {
    /// The criterion, measured in `unit`; `None` if it is not an improvement criterion.
    pub fn of(criterion: Criterion, unit: f64) -> Option<Self> {
        match criterion {
            Criterion::Ei { best } => Some(Self { kind: Kind::Expected, best, unit }),
            Criterion::LogEi { best } => Some(Self { kind: Kind::Logarithm, best, unit }),
            Criterion::Pi { best } => Some(Self { kind: Kind::Probability, best, unit }),
            Criterion::Lcb { .. } | Criterion::Mean | Criterion::Deviation | Criterion::Glcb { .. } => None,
        }
    }

    /// Whether the criterion is −log EI.
    pub fn is_logarithm(&self) -> bool {
        matches!(self.kind, Kind::Logarithm)
    }

    /// F(μ, σ); at σ = 0 its limit from above.
    pub fn value(&self, mean: f64, deviation: f64) -> f64 {
        let gain = self.best - mean;
        let z = gain / deviation;
        match self.kind {
            Kind::Expected if deviation > 0.0 => -deviation * normal::h(z),
            Kind::Logarithm if deviation > 0.0 => -deviation.ln() - normal::log_h(z).value,
            Kind::Probability if deviation > 0.0 => -normal::cdf(z),
            Kind::Expected => -gain.max(0.0),
            Kind::Logarithm => -gain.max(0.0).ln(),
            Kind::Probability => {
                if gain > 0.0 {
                    -1.0
                } else {
                    0.0
                }
            }
        }
    }

    /// The curve on which F is `value`, for a range of deviations; `None` if F is always below `value`.
    pub fn curve(&self, value: f64, (low, high): (f64, f64)) -> Option<LevelCurve> {
        let log = match self.kind {
            Kind::Probability => {
                let kappa = -quantile(-value)?;
                return Some(LevelCurve::line(self.best, kappa));
            }
            Kind::Expected if value < 0.0 => (-value).ln(),
            Kind::Expected => return None,
            Kind::Logarithm => -value,
        };
        Some(LevelCurve::bent(self.best, log, (low, high)))
    }

    /// A lower bound of F everywhere.
    pub fn floor(&self) -> f64 {
        if self.kind == Kind::Probability { -1.0 } else { f64::NEG_INFINITY }
    }

    /// A lower bound of F if μ ≥ `level` − `shortfall`(σ) for all σ in `range`. Along a tangent of the shortfall, F is
    /// lowest at an end, as EI is convex along lines and PI is monotone.
    pub fn lowest(&self, level: f64, shortfall: &Shortfall, range: (f64, f64)) -> f64 {
        // `min` and `max` below would drop a NaN, which says that nothing is known.
        if !level.is_finite() {
            return f64::NEG_INFINITY;
        }
        let lowest = self.lowest_between(level, shortfall, range, &mut Halving::new(f64::INFINITY));
        lowest - rounding::IMPROVEMENT * (self.unit + lowest.abs())
    }

    fn lowest_between(&self, level: f64, shortfall: &Shortfall, (low, high): (f64, f64), halving: &mut Halving) -> f64 {
        let middle = 0.5 * (low + high);
        let slope = -shortfall.slope(middle);
        let floor = level - shortfall.peak(slope, (0.0, f64::INFINITY));
        let bound = self.value(floor + slope * low, low).min(self.value(floor + slope * high, high));
        halving.found = halving.found.min(self.value(level - shortfall.at(middle), middle));
        if bound >= halving.found - ORDER * halving.found.abs() || !halving.goes_on() {
            return bound;
        }
        let left = self.lowest_between(level, shortfall, (low, middle), halving);
        left.min(self.lowest_between(level, shortfall, (middle, high), halving))
    }
}

/// z with cdf(z) = p, rounded down.
fn quantile(p: f64) -> Option<f64> {
    if !(p > 0.0) {
        return None;
    }
    let (mut low, mut high) = (-40.0, 10.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if normal::cdf(middle) < p { low = middle } else { high = middle }
    }
    Some(low - rounding::CURVE_POINT * f64::abs(low))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shortfalls() -> impl Strategy<Value = Shortfall> {
        let multiplier =
            (0.0..30.0, 0.01..4.0).prop_map(|(energy, variance)| Shortfall::Multiplier { energy, variance });
        let expansion = (0.0..4.0, 0.1..2.0, 0.0..0.1, 1e-3..1.0, 0.8..1.0).prop_map(
            |(kappa, sigma_f, omega, far, share): (f64, f64, f64, f64, f64)| Shortfall::Expansion {
                kappa,
                sigma_f,
                omega,
                near: share * far,
                far,
            },
        );
        let moving = (0.01..30.0).prop_map(|weight| Shortfall::Moving { weight });
        prop_oneof![multiplier, expansion, moving, (0.0..3.0).prop_map(|slope| Shortfall::Tilted { slope })]
    }

    /// An improvement criterion, and a value that it can reach.
    fn levels() -> impl Strategy<Value = (Improvement, f64)> {
        let improvement = |kind| move |best| Improvement { kind, best, unit: 1.0 };
        prop_oneof![
            ((-2.0..2.0).prop_map(improvement(Kind::Expected)), (-30.0..1.0).prop_map(|log: f64| -log.exp())),
            ((-2.0..2.0).prop_map(improvement(Kind::Logarithm)), -1.0..2000.0),
            ((-2.0..2.0).prop_map(improvement(Kind::Probability)), -0.999..-1e-9),
        ]
    }

    #[test]
    fn a_level_that_is_not_a_number_proves_nothing() {
        for kind in [Kind::Expected, Kind::Logarithm, Kind::Probability] {
            let improvement = Improvement { kind, best: 0.3, unit: 1.0 };
            for level in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let lowest = improvement.lowest(level, &Shortfall::Moving { weight: 1.0 }, (0.0, 1.0));
                assert_eq!(lowest, f64::NEG_INFINITY, "{kind:?} {level}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn a_mean_at_the_need_reaches_the_level_and_a_lower_one_does_not(
            (improvement, value) in levels(),
            shortfall in shortfalls(),
            ends in (0.0..1.0, 0.0..1.0_f64),
        ) {
            let widest = 2.0;
            let range = (widest * f64::min(ends.0, ends.1), widest * f64::max(ends.0, ends.1));
            let range = match shortfall {
                Shortfall::Multiplier { variance, .. } => (range.0.min(variance.sqrt()), range.1.min(variance.sqrt())),
                Shortfall::Tilted { .. } | Shortfall::Moving { .. } | Shortfall::Expansion { .. } => range,
            };
            let curve = improvement.curve(value, range).unwrap();
            let need = curve.need(&shortfall, range);
            let mut most = f64::NEG_INFINITY;
            for step in 0..=400 {
                let deviation = (range.0 + (range.1 - range.0) * f64::from(step) / 400.0).max(1e-9);
                let found = improvement.value(need - shortfall.at(deviation), deviation);
                let room = 1e-9 * (1.0 + value.abs());
                prop_assert!(found >= value - room, "{found} below {value} at {deviation}");
                most = most.max(curve.height(deviation) + shortfall.at(deviation));
            }
            prop_assert!(need <= most + 1e-3 * (1.0 + most.abs()), "{need}, but {most} is enough");
        }

        #[test]
        fn the_lowest_value_along_a_shortfall_is_bounded_and_nearly_met(
            (improvement, value) in levels(),
            shortfall in shortfalls(),
        ) {
            let most = if let Shortfall::Multiplier { variance, .. } = shortfall { variance.sqrt() } else { 2.0 };
            let curve = improvement.curve(value, (0.0, 2.0)).unwrap();
            let level = curve.height(0.5) + shortfall.at(0.5_f64.min(most));
            let bound = improvement.lowest(level, &shortfall, (0.0, most));
            // At σ = 0 the limit counts.
            let at = |step: i32| most * (f64::from(step) / 4000.0).max(1e-12);
            let lowest = (0..=4000).map(at).map(|s| improvement.value(level - shortfall.at(s), s)).fold(f64::INFINITY, f64::min);
            prop_assert!(bound <= lowest + 1e-9 * (1.0 + lowest.abs()), "{bound} above {lowest}");
            prop_assert!(bound >= lowest - 2e-2 * (lowest.abs() + 1e-3), "{bound} far below {lowest}");
        }
    }
}
