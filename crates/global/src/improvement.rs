//! Expected improvement, its logarithm and the probability of improvement: functions F(μ, σ) that rise with μ.
//!
//! A bound of a box says: wherever the deviation is σ, the mean is at least `level − price(σ)`, with a concave price.
//!
//! **The price of a multiplier.** For any g, |μ(x) − m − m_g(x)| = |(a − g)ᵀk| ≤ sqrt(energy · kᵀK̂⁻¹k), and
//! kᵀK̂⁻¹k = k(x, x) − σ². So with `level` a lower bound of m + m_g on the box, price = sqrt(energy (v − σ²)), v ≥ k(x, x):
//! a quarter of an ellipse. Its tangent of slope κ is the bound of μ − κσ that `relaxation` speaks of; here all κ are had
//! at once, and the right one need not be known.
//!
//! **The price of the expansion at the centre** (`taylor`). It bounds μ − κ u on the box, where u ≥ σ comes from
//! S ≤ ½(S²/S0 + S0). That this is a parabola and not σ itself helps: with t = σ/σ_f − ω and s = E S0 between
//! S0 exp(−R²/2) and S0, μ ≥ level + κσ_f (ω + min_s (t²/s + s)/2).
//!
//! **The price of a multiplier that moves with x** (`moving`) with its w is −½wσ².
//!
//! **The price of a tilted multiplier** falls for a deviation instead, for what grows as σ falls (PI above one half). With
//! η = K̂⁻¹k(c), Cauchy–Schwarz for the posterior covariance says kᵀη ≥ k(x, c) − σ(c)σ. So for any τ ≥ 0 and g = a − τη,
//! μ ≥ m + m_g + τ k(x, c) − τσ(c)σ, which is exact at the centre: price = τσ(c)σ, and k(x, c) is at least its value at the
//! box's corner.
//!
//! **The level curve** F(μ, σ) = f is a function μ = b(σ): a line for the probability of improvement, and for the
//! expected improvement convex, as EI is convex in (μ, σ). Everything on the box is at least f where
//! level − price(σ) ≥ b(σ) for all σ; so `level` must reach max (b + price). Chords of b lie above it, and b's slope along
//! z = (best − μ)/σ is known, which makes that maximum a matter of a few chords.

use fathom_gp::Criterion;
use fathom_gp::normal::{self, LogH};

/// How far the maximum over a level curve may be overestimated, relative to the deviations in question.
const RESOLUTION: f64 = 1e-9;

/// How far the minimum of F along a price may be underestimated, relative to it: it only orders what is left to do.
const ORDER: f64 = 1e-3;

/// How many stretches of a curve are halved at most; what is left then is bounded as it is.
const HALVINGS: u32 = 100;

/// Below this z, log h is −z²/2 to a part in 10⁴, and what a level curve is made of is rounded differently.
const FAR_OUT: f64 = -1e3;

/// The best value met while a curve is halved, and the halvings left.
struct Hunt {
    found: f64,
    left: u32,
}

impl Hunt {
    fn new(found: f64) -> Self {
        Self { found, left: HALVINGS }
    }

    /// Whether to go on; counts.
    fn goes_on(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }
}

/// An improvement criterion, to be minimised: −EI, −log EI or −PI.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Improvement {
    kind: Kind,
    pub best: f64,
    /// What the function is measured in.
    unit: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Expected,
    Logarithm,
    Probability,
}

impl Improvement {
    /// Where the criterion is one; its values are measured in `unit`.
    pub fn of(criterion: Criterion, unit: f64) -> Option<Self> {
        match criterion {
            Criterion::Ei { best } => Some(Self { kind: Kind::Expected, best, unit }),
            Criterion::LogEi { best } => Some(Self { kind: Kind::Logarithm, best, unit }),
            Criterion::Pi { best } => Some(Self { kind: Kind::Probability, best, unit }),
            Criterion::Lcb { .. } | Criterion::Mean | Criterion::Deviation | Criterion::Glcb { .. } => None,
        }
    }

    /// Whether it is −log EI.
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

    /// The curve on which F is `value`, for a range of deviations; `None` where F is always below `value`.
    pub fn curve(&self, value: f64, (low, high): (f64, f64)) -> Option<LevelCurve> {
        let log = match self.kind {
            Kind::Probability => {
                let kappa = -quantile(-value)?;
                return Some(LevelCurve { best: self.best, shape: Shape::Line { kappa } });
            }
            Kind::Expected if value < 0.0 => (-value).ln(),
            Kind::Expected => return None,
            Kind::Logarithm => -value,
        };
        let ends = [Spot::of_deviation(self.best, log, low, 1.0), Spot::of_deviation(self.best, log, high, -1.0)];
        Some(LevelCurve { best: self.best, shape: Shape::Bent { log, ends } })
    }

    /// What F is nowhere below.
    pub fn floor(&self) -> f64 {
        if self.kind == Kind::Probability { -1.0 } else { f64::NEG_INFINITY }
    }

    /// A lower bound of F where μ ≥ `level` − `price`(σ) for all σ in `range`. Along a tangent of the price F is lowest at
    /// an end, as EI is convex along lines and PI monotone.
    pub fn lowest(&self, level: f64, price: &Price, range: (f64, f64)) -> f64 {
        // `min` and `max` below would drop a NaN, and with it the knowledge that nothing is known.
        if !level.is_finite() {
            return f64::NEG_INFINITY;
        }
        let lowest = self.lowest_between(level, price, range, &mut Hunt::new(f64::INFINITY));
        lowest - 1e-11 * (self.unit + lowest.abs())
    }

    fn lowest_between(&self, level: f64, price: &Price, (low, high): (f64, f64), hunt: &mut Hunt) -> f64 {
        let middle = 0.5 * (low + high);
        let slope = -price.slope(middle);
        let floor = level - price.peak(slope, (0.0, f64::INFINITY));
        let bound = self.value(floor + slope * low, low).min(self.value(floor + slope * high, high));
        hunt.found = hunt.found.min(self.value(level - price.at(middle), middle));
        if bound >= hunt.found - ORDER * hunt.found.abs() || !hunt.goes_on() {
            return bound;
        }
        let left = self.lowest_between(level, price, (low, middle), hunt);
        left.min(self.lowest_between(level, price, (middle, high), hunt))
    }
}

/// The points (σ, b(σ)) where F has one value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LevelCurve {
    best: f64,
    shape: Shape,
}

#[derive(Debug, Clone, Copy)]
enum Shape {
    /// b = best + κσ, κ of any sign.
    Line { kappa: f64 },
    /// σ h(z) = exp(log), b = best − zσ.
    Bent { log: f64, ends: [Spot; 2] },
}

impl LevelCurve {
    /// μ − σ = best: a stand-in where no value of F is known that could be reached.
    pub fn stand_in(best: f64) -> Self {
        Self { best, shape: Shape::Line { kappa: 1.0 } }
    }
}

/// A point of a bent curve.
#[derive(Debug, Clone, Copy)]
struct Spot {
    z: f64,
    log_h: LogH,
    deviation: f64,
    height: f64,
}

impl Spot {
    fn new(best: f64, log: f64, z: f64) -> Self {
        let log_h = normal::log_h(z);
        let deviation = (log - log_h.value).exp();
        Self { z, log_h, deviation, height: best - z * deviation }
    }

    /// Newton's method, then on by its rounding to `side`: a narrower spot for 1, a wider one for −1. Far out, where log h
    /// is so large that its rounding leaves nothing of the deviation, the spot has the deviation asked for and is a
    /// little above the curve.
    fn of_deviation(best: f64, log: f64, deviation: f64, side: f64) -> Self {
        if deviation == 0.0 {
            return Self::end(best, log);
        }
        let target = log - deviation.ln();
        let mut z = if target < -2.0 { -(-2.0 * target).sqrt() } else { target.exp() };
        for _ in 0..60 {
            let LogH { value, slope, .. } = normal::log_h(z);
            let step = (target - value) / slope;
            z += step;
            if step.abs() <= 1e-14 * z.abs() {
                break;
            }
        }
        let rounding = 1e-13 * (z.abs() + 1e-2);
        if z < FAR_OUT {
            return Self { z, log_h: normal::log_h(z), deviation, height: best - (z - rounding) * deviation };
        }
        Self::new(best, log, z + side * rounding)
    }

    /// The spot about where σ is `deviation`, or a little wider: log h is concave.
    fn towards(&self, best: f64, log: f64, deviation: f64) -> Self {
        Self::new(best, log, self.z + (self.deviation / deviation).ln() / self.log_h.slope)
    }

    /// Where σ vanishes.
    fn end(best: f64, log: f64) -> Self {
        let log_h = LogH { value: f64::INFINITY, slope: 0.0, density: 0.0 };
        Self { z: f64::INFINITY, log_h, deviation: 0.0, height: best - log.exp() }
    }
}

impl LevelCurve {
    /// b'(σ), at least 0: the κ for which μ − κσ is the best stand-in for F there.
    pub fn slope(&self, deviation: f64) -> f64 {
        match self.shape {
            Shape::Line { kappa } => kappa.max(0.0),
            Shape::Bent { log, .. } => {
                let LogH { slope, density, .. } = Spot::of_deviation(self.best, log, deviation, 0.0).log_h;
                density / slope
            }
        }
    }

    /// How fast b falls with σ, where it does so everywhere.
    pub fn fall(&self) -> Option<f64> {
        match self.shape {
            Shape::Line { kappa } if kappa < 0.0 => Some(-kappa),
            Shape::Line { .. } | Shape::Bent { .. } => None,
        }
    }

    /// Whether b falls with σ or is constant.
    pub fn never_rises(&self) -> bool {
        matches!(self.shape, Shape::Line { kappa } if kappa <= 0.0)
    }

    /// b(σ).
    pub fn height(&self, deviation: f64) -> f64 {
        match self.shape {
            Shape::Line { kappa } => self.best + kappa * deviation,
            Shape::Bent { log, .. } => Spot::of_deviation(self.best, log, deviation, 0.0).height,
        }
    }

    /// An upper bound of max (b + price) over a range of σ, within the curve's own.
    pub fn need(&self, price: &Price, range: (f64, f64)) -> f64 {
        let (need, size) = match self.shape {
            Shape::Line { kappa } => {
                let peak = price.peak(kappa, range);
                (self.best + peak, kappa.abs() * range.1)
            }
            Shape::Bent { log, ends } => {
                let need = self.highest(log, price, ends, range, &mut Hunt::new(f64::NEG_INFINITY));
                // The curve's own rounding: log h and the exponential of it. Far out z² is about −2 log h, so that z is
                // known as well as log h, relative to its size; and σ/z grows with σ.
                let Spot { z, deviation, .. } = ends[1];
                let size = if z < FAR_OUT { 4.0 * z.abs() } else { (1.0 + log.abs()) * (z.abs() + 1.0) };
                (need, size * deviation)
            }
        };
        let paid = price.at(range.0).abs().max(price.at(range.1).abs());
        need + 16.0 * f64::EPSILON * (size + self.best.abs() + need.abs() + paid)
    }

    fn highest(&self, log: f64, price: &Price, [left, right]: [Spot; 2], range: (f64, f64), hunt: &mut Hunt) -> f64 {
        let (low, high) = (left.deviation.max(range.0), right.deviation.min(range.1));
        if low > high {
            return f64::NEG_INFINITY;
        }
        let run = right.deviation - left.deviation;
        let slope = if run > 0.0 { (right.height - left.height) / run } else { 0.0 };
        // From the higher end, so that what rounding does to the slope is not multiplied by σ.
        let bound = right.height + price.peak(slope, (low, high)) - slope * right.deviation;
        if bound <= hunt.found + RESOLUTION * (range.1 + hunt.found.abs()) || !hunt.goes_on() {
            return bound;
        }
        let middle = right.towards(self.best, log, 0.5 * (left.deviation + right.deviation));
        // Where rounding leaves no room between the ends, the chord is as good as the curve.
        if !(middle.deviation > left.deviation && middle.deviation < right.deviation) {
            return bound;
        }
        if middle.deviation >= range.0 && middle.deviation <= range.1 {
            hunt.found = hunt.found.max(middle.height + price.at(middle.deviation));
        }
        let above = self.highest(log, price, [middle, right], range, hunt);
        above.max(self.highest(log, price, [left, middle], range, hunt))
    }
}

/// The least concave function of σ² above a level curve on a range of σ. The multiplier that suits a box is the one for its
/// slope: the mean less it is convex in the vector k, on which all bounds rest, and the mean less b itself is not where b
/// is convex in σ², at small σ. That is at most a stretch from the range's lower end, and bridged by a line in σ².
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hull {
    /// Where the line begins and ends, its height at the beginning, and its slope in σ².
    from: f64,
    to: f64,
    height: f64,
    slope: f64,
}

impl Hull {
    /// Half the derivative in σ², times 2σ.
    pub fn slope(&self, curve: &LevelCurve, deviation: f64) -> f64 {
        if deviation < self.to { 2.0 * self.slope * deviation } else { curve.slope(deviation) }
    }

    pub fn height(&self, curve: &LevelCurve, deviation: f64) -> f64 {
        let along = deviation * deviation - self.from * self.from;
        if deviation < self.to { self.height + self.slope * along } else { curve.height(deviation) }
    }
}

/// Points at which the hull's line is tried to end.
const ENDS: u32 = 12;

impl LevelCurve {
    /// Its hull; only tightness depends on it, so the line's end is one of a few.
    pub fn hull(&self) -> Hull {
        let Shape::Bent { log, ends: [left, right] } = self.shape else {
            return Hull { from: 0.0, to: 0.0, height: self.best, slope: 0.0 };
        };
        let Spot { deviation: from, height, .. } = left;
        let mut hull = Hull { from, to: from, height, slope: 0.0 };
        let mut spot = right;
        for _ in 0..ENDS {
            let slope = (spot.height - height) / (spot.deviation * spot.deviation - from * from);
            if slope > hull.slope {
                (hull.to, hull.slope) = (spot.deviation, slope);
            }
            spot = spot.towards(self.best, log, 0.3 * from + 0.7 * spot.deviation);
            if !(spot.deviation > from) {
                break;
            }
        }
        hull
    }
}

/// What the mean may be lower than a level by, where the deviation is σ; concave in σ.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Price {
    /// sqrt(energy (variance − σ²)).
    Multiplier { energy: f64, variance: f64 },
    /// slope · σ.
    Tilted { slope: f64 },
    /// −½ weight σ².
    Moving { weight: f64 },
    /// −κσ_f (ω + min (t²/s + s)/2) for s from `near` to `far`.
    Expansion { kappa: f64, sigma_f: f64, omega: f64, near: f64, far: f64 },
}

impl Price {
    pub fn at(&self, deviation: f64) -> f64 {
        match *self {
            Self::Multiplier { energy, variance } => (energy * (variance - deviation * deviation).max(0.0)).sqrt(),
            Self::Tilted { slope } => slope * deviation,
            Self::Moving { weight } => -0.5 * weight * deviation * deviation,
            Self::Expansion { kappa, sigma_f, omega, near, far } => {
                let t = (deviation / sigma_f - omega).max(0.0);
                let s = t.clamp(near, far);
                -kappa * sigma_f * (omega + 0.5 * (t * t / s + s))
            }
        }
    }

    /// Its derivative.
    fn slope(&self, deviation: f64) -> f64 {
        match *self {
            Self::Multiplier { energy, variance } => {
                let rest = (variance - deviation * deviation).max(1e-12 * variance);
                -deviation * (energy / rest).sqrt()
            }
            Self::Tilted { slope } => slope,
            Self::Moving { weight } => -weight * deviation,
            Self::Expansion { kappa, sigma_f, omega, near, far } => {
                let t = (deviation / sigma_f - omega).max(0.0);
                -kappa * t / t.clamp(near, far)
            }
        }
    }

    /// max (slope σ + price) over a range.
    pub fn peak(&self, slope: f64, (low, high): (f64, f64)) -> f64 {
        let at = match *self {
            Self::Multiplier { energy, variance } => {
                let size = (slope * slope + energy).sqrt();
                let high = high.min(variance.sqrt());
                (if size > 0.0 { slope * variance.sqrt() / size } else { 0.0 }).clamp(low.min(high), high)
            }
            Self::Tilted { slope: price } => {
                if slope + price > 0.0 {
                    high
                } else {
                    low
                }
            }
            Self::Moving { weight } => (slope / weight).clamp(low, high),
            Self::Expansion { kappa, sigma_f, omega, near, far } => {
                // Where σ does not pay, or κ costs nothing, an end is best.
                let free = match slope < kappa {
                    true => slope / kappa * near,
                    false => slope / kappa * far,
                };
                if slope <= 0.0 { low } else { (sigma_f * (free + omega)).clamp(low, high) }
            }
        };
        slope * at + self.at(at)
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
    Some(low - 1e-13 * f64::abs(low))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn prices() -> impl Strategy<Value = Price> {
        let multiplier = (0.0..30.0, 0.01..4.0).prop_map(|(energy, variance)| Price::Multiplier { energy, variance });
        let expansion = (0.0..4.0, 0.1..2.0, 0.0..0.1, 1e-3..1.0, 0.8..1.0).prop_map(
            |(kappa, sigma_f, omega, far, share): (f64, f64, f64, f64, f64)| Price::Expansion {
                kappa,
                sigma_f,
                omega,
                near: share * far,
                far,
            },
        );
        let moving = (0.01..30.0).prop_map(|weight| Price::Moving { weight });
        prop_oneof![multiplier, expansion, moving, (0.0..3.0).prop_map(|slope| Price::Tilted { slope })]
    }

    /// The improvement, and a function's value of it that can be reached.
    fn levels() -> impl Strategy<Value = (Improvement, f64)> {
        let improvement = |kind| move |best| Improvement { kind, best, unit: 1.0 };
        prop_oneof![
            ((-2.0..2.0).prop_map(improvement(Kind::Expected)), (-30.0..1.0).prop_map(|log: f64| -log.exp())),
            ((-2.0..2.0).prop_map(improvement(Kind::Logarithm)), -1.0..2000.0),
            ((-2.0..2.0).prop_map(improvement(Kind::Probability)), -0.999..-1e-9),
        ]
    }

    #[test]
    fn of_a_level_that_is_not_a_number_nothing_is_known() {
        for kind in [Kind::Expected, Kind::Logarithm, Kind::Probability] {
            let improvement = Improvement { kind, best: 0.3, unit: 1.0 };
            for level in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let lowest = improvement.lowest(level, &Price::Moving { weight: 1.0 }, (0.0, 1.0));
                assert_eq!(lowest, f64::NEG_INFINITY, "{kind:?} {level}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn nothing_above_what_is_needed_is_below_the_level_and_less_would_not_do(
            (improvement, value) in levels(),
            price in prices(),
            ends in (0.0..1.0, 0.0..1.0_f64),
        ) {
            let widest = 2.0;
            let range = (widest * f64::min(ends.0, ends.1), widest * f64::max(ends.0, ends.1));
            let range = match price {
                Price::Multiplier { variance, .. } => (range.0.min(variance.sqrt()), range.1.min(variance.sqrt())),
                Price::Tilted { .. } | Price::Moving { .. } | Price::Expansion { .. } => range,
            };
            let curve = improvement.curve(value, range).unwrap();
            let need = curve.need(&price, range);
            let mut most = f64::NEG_INFINITY;
            for step in 0..=400 {
                let deviation = (range.0 + (range.1 - range.0) * f64::from(step) / 400.0).max(1e-9);
                let found = improvement.value(need - price.at(deviation), deviation);
                let room = 1e-9 * (1.0 + value.abs());
                prop_assert!(found >= value - room, "{found} below {value} at {deviation}");
                most = most.max(curve.height(deviation) + price.at(deviation));
            }
            prop_assert!(need <= most + 1e-3 * (1.0 + most.abs()), "{need} where {most} is enough");
        }

        #[test]
        fn the_lowest_value_along_a_price_is_bounded_and_nearly_met(
            (improvement, value) in levels(),
            price in prices(),
        ) {
            let most = if let Price::Multiplier { variance, .. } = price { variance.sqrt() } else { 2.0 };
            let curve = improvement.curve(value, (0.0, 2.0)).unwrap();
            let level = curve.height(0.5) + price.at(0.5_f64.min(most));
            let bound = improvement.lowest(level, &price, (0.0, most));
            // At σ = 0 the limit counts.
            let at = |step: i32| most * (f64::from(step) / 4000.0).max(1e-12);
            let lowest = (0..=4000).map(at).map(|s| improvement.value(level - price.at(s), s)).fold(f64::INFINITY, f64::min);
            prop_assert!(bound <= lowest + 1e-9 * (1.0 + lowest.abs()), "{bound} above {lowest}");
            prop_assert!(bound >= lowest - 2e-2 * (lowest.abs() + 1e-3), "{bound} far below {lowest}");
        }
    }
}
