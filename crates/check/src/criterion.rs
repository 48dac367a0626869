//! The improvement criteria: whether F(μ, σ), which rises with μ, reaches a claim above a convex curve in (σ, μ) (docs/method.md,
//! Theorem 4 and Lemma 6.6).

use crate::interval::Interval;
use crate::normal::{cdf, log_h};
use fathom_proof::StatedAcquisition;

/// How often a stretch of the curve is halved before a claim counts as not proven.
const HALVINGS: u32 = 30;

/// How many stretches are looked at in all: so that no file makes a box take long.
const STRETCHES: u32 = 10_000;

/// Below this many deviations the logarithms are taken to be those of this many, which they are smaller than.
const FAR: f64 = -1e150;

/// −EI, −log EI or −PI.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Criterion {
    kind: Kind,
    best: Interval,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Expected,
    Logarithm,
    Probability,
}

/// Points of a box have μ ≥ curve(σ).
#[derive(Debug, Clone, Copy)]
pub(crate) enum Curve {
    /// level − sqrt(energy (variance − σ²)).
    Multiplier { level: Interval, energy: Interval, variance: Interval },
    /// level − slope · σ.
    Tilted { level: Interval, slope: Interval },
    /// level + ½ weight σ².
    Moving { level: Interval, weight: Interval },
    /// level + κσ_f (ω + min (t²/s + s)/2), t = σ/σ_f − ω, s from `near` to `far`.
    Expansion { level: Interval, kappa: Interval, sigma_f: Interval, omega: Interval, near: Interval, far: Interval },
}

impl Criterion {
    /// If the acquisition is one.
    pub fn of(acquisition: StatedAcquisition) -> Option<Self> {
        let (kind, best) = match acquisition {
            StatedAcquisition::Ei { best } => (Kind::Expected, best),
            StatedAcquisition::LogEi { best } => (Kind::Logarithm, best),
            StatedAcquisition::Pi { best } => (Kind::Probability, best),
            StatedAcquisition::Lcb { .. }
            | StatedAcquisition::Mean
            | StatedAcquisition::Deviation
            | StatedAcquisition::Glcb { .. } => return None,
        };
        Some(Self { kind, best: Interval::point(best) })
    }

    /// Whether F is nowhere below `claim`, whatever the model: no probability exceeds 1.
    pub fn is_never_below(&self, claim: f64) -> bool {
        self.kind == Kind::Probability && claim <= -1.0
    }

    /// F(μ, σ), which rises with μ and, if μ is fixed, rises or falls with σ: so the corners give its range.
    pub fn value(&self, mean: Interval, deviation: Interval) -> Interval {
        let at = |mean| self.at(mean, deviation.lower()).hull(self.at(mean, deviation.upper()));
        at(mean.lower()).hull(at(mean.upper()))
    }

    /// F at one point.
    fn at(&self, mean: Interval, deviation: Interval) -> Interval {
        let z = (self.best - mean) / deviation;
        match self.kind {
            Kind::Probability => -cdf(z),
            Kind::Expected => -(deviation * log_h(z).exp()),
            Kind::Logarithm => -(deviation.ln() + log_h(z)),
        }
    }

    /// How wide an enclosure of F may be for the value to count as known.
    pub fn precision(&self, value: f64) -> f64 {
        match self.kind {
            Kind::Expected | Kind::Probability => 1e-3 * value.abs() + 1e-300,
            Kind::Logarithm => 1e-3 * (1.0 + value.abs()),
        }
    }

    /// Whether F ≥ `claim` at every point above the curve with σ in `range`. Between the ends of a tangent of the curve F
    /// is lowest at one of them: EI is convex along lines, and PI monotone.
    pub fn holds(&self, claim: f64, curve: &Curve, range: Interval) -> bool {
        let mut stretches = STRETCHES;
        // At σ = 0 PI is decided by the other end, which must be another.
        range.is_known()
            && range.high() > 0.0
            && self.holds_between(claim, curve, (range.low(), range.high()), HALVINGS, &mut stretches)
    }

    fn holds_between(
        &self,
        claim: f64,
        curve: &Curve,
        (low, high): (f64, f64),
        halvings: u32,
        stretches: &mut u32,
    ) -> bool {
        let middle = 0.5 * low + 0.5 * high;
        let (slope, floor) = curve.tangent(middle);
        let reaches = |deviation: f64| self.reaches(claim, floor + Interval::point(slope) * deviation, deviation);
        if reaches(low) && reaches(high) {
            return true;
        }
        *stretches = stretches.saturating_sub(1);
        halvings > 0
            && *stretches > 0
            && self.holds_between(claim, curve, (middle, high), halvings - 1, stretches)
            && self.holds_between(claim, curve, (low, middle), halvings - 1, stretches)
    }

    /// Whether F(μ, σ) ≥ `claim`; at σ = 0, whether its limit along a line is.
    fn reaches(&self, claim: f64, mean: Interval, deviation: f64) -> bool {
        let gain = self.best - mean.lower();
        if !gain.is_known() {
            return false;
        }
        if deviation == 0.0 {
            return match self.kind {
                // PI is monotone along the line and decided at its other end.
                Kind::Probability => gain.high() <= 0.0 || claim <= -1.0,
                Kind::Expected => gain.high() <= -claim && claim <= 0.0,
                Kind::Logarithm => gain.high() <= 0.0 || gain.upper().ln().high() <= -claim,
            };
        }
        let deviation = Interval::point(deviation);
        let z = (gain / deviation).max(Interval::point(FAR));
        let log_gain = || deviation.ln() + log_h(z);
        match self.kind {
            Kind::Probability => cdf(z).high() <= -claim,
            Kind::Expected => claim < 0.0 && log_gain().high() <= Interval::point(-claim).ln().low(),
            Kind::Logarithm => log_gain().high() <= -claim,
        }
    }
}

impl Curve {
    /// A line below the curve that about touches it at σ: its slope, a suggestion, and its value at 0.
    fn tangent(&self, deviation: f64) -> (f64, Interval) {
        match *self {
            // sσ + sqrt(E (v − σ²)) ≤ sqrt(v (s² + E)) for any slope s.
            Self::Multiplier { level, energy, variance } => {
                let (rest, least) = (variance.low() - deviation * deviation, 1e-12 * variance.low());
                let rest = if rest > least { rest } else { least };
                let slope = deviation * (energy.high() / rest).sqrt();
                let reach = (variance * (Interval::point(slope).square() + energy)).sqrt();
                (slope, level - reach)
            }
            Self::Tilted { level, slope } => (-slope.high(), level),
            // ½wσ² ≥ sσ − s²/2w for any slope s.
            Self::Moving { level, weight } => {
                let slope = weight.low() * deviation;
                (slope, level - Interval::point(slope).square() / weight * 0.5)
            }
            Self::Expansion { level, kappa, sigma_f, omega, near, far } => {
                let t = deviation / sigma_f.low() - omega.high();
                let t = if t > 0.0 { t } else { 0.0 };
                let s = if t < near.low() { near.low() } else { t };
                let s = if s > far.high() { far.high() } else { s };
                let ratio = t / s;
                let r = if ratio >= 0.0 { Interval::point(ratio) } else { Interval::ALL };
                // t²/s + s ≥ 2rt + s(1 − r²) for any r ≥ 0, and t ≥ σ/σ_f − ω.
                let s = if ratio <= 1.0 { near } else { far };
                let constant = (Interval::ONE - r) * omega + s * (Interval::ONE - r.square()) * 0.5;
                // The slope is a number below the true one, which only lowers the line.
                let slope = (kappa * r).low();
                (if slope > 0.0 { slope } else { 0.0 }, level + kappa * sigma_f * constant)
            }
        }
    }
}
#[cfg(test)]
mod tests {
    use super::*;

    fn criteria() -> [Criterion; 3] {
        [Kind::Expected, Kind::Logarithm, Kind::Probability].map(|kind| Criterion { kind, best: number(0.3) })
    }

    fn number(value: f64) -> Interval {
        Interval::point(value)
    }

    /// The lowest F along a curve, from many points of it.
    fn sampled(criterion: &Criterion, curve: &Curve, height: impl Fn(f64) -> f64, high: f64) -> f64 {
        let at = |i: u32| high * f64::from(i) / 20_000.0;
        let value = |deviation: f64| criterion.value(number(height(deviation)), number(deviation)).low();
        // The tangents must not cross the curve.
        for (touch, there) in [(0.1, 0.7), (0.9, 0.2), (0.5, 0.5), (0.99, 0.01), (0.3, 1.0)] {
            let (slope, floor) = curve.tangent(touch * high);
            assert!((floor + number(slope) * (there * high)).low() <= height(there * high) + 1e-12);
        }
        (1..=20_000).map(at).map(value).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn a_claim_holds_up_to_what_is_sampled_along_the_curve_and_no_further() {
        let (variance, energy) = (1.7_f64, 0.8_f64);
        let (kappa, sigma_f, omega, near, far) = (1.3, 1.1, 0.02, 0.45, 0.5);
        for level in [0.2, 1.0, 2.5, 9.0] {
            let ellipse =
                Curve::Multiplier { level: number(level), energy: number(energy), variance: number(variance) };
            let [k, f, o, n, m] = [kappa, sigma_f, omega, near, far].map(number);
            let parabola = Curve::Expansion { level: number(level), kappa: k, sigma_f: f, omega: o, near: n, far: m };
            let on_ellipse = |s: f64| level - (energy * (variance - s * s)).max(0.0).sqrt();
            let moving = Curve::Moving { level: number(level), weight: number(kappa) };
            let on_moving = |s: f64| level + 0.5 * kappa * s * s;
            let on_parabola = |deviation: f64| {
                let t = (deviation / sigma_f - omega).max(0.0);
                let s = t.clamp(near, far);
                level + kappa * sigma_f * (omega + 0.5 * (t * t / s + s))
            };
            for criterion in criteria() {
                let most = variance.sqrt();
                for (curve, lowest) in [
                    (ellipse, sampled(&criterion, &ellipse, on_ellipse, most)),
                    (parabola, sampled(&criterion, &parabola, on_parabola, most)),
                    (moving, sampled(&criterion, &moving, on_moving, most)),
                ] {
                    let room = 1e-5 * lowest.abs();
                    assert!(
                        criterion.holds(lowest - room, &curve, Interval::between(0.0, most)),
                        "{criterion:?} {curve:?} {lowest}"
                    );
                    // PI's limit at σ = 0 is not sampled.
                    let beyond = criterion.holds(lowest + room, &curve, Interval::between(0.0, most));
                    assert!(!beyond, "{criterion:?} {curve:?} {lowest}");
                }
            }
        }
    }

    #[test]
    fn a_tilted_line_holds_up_to_its_lowest_end() {
        for criterion in criteria() {
            let curve = Curve::Tilted { level: number(1.0), slope: number(0.4) };
            let ends = [0.2, 0.9].map(|s: f64| criterion.value(number(1.0 - 0.4 * s), number(s)).low());
            let lowest = if ends[0] < ends[1] { ends[0] } else { ends[1] };
            let range = Interval::between(0.2, 0.9);
            assert!(criterion.holds(lowest - 1e-9 * lowest.abs(), &curve, range), "{criterion:?}");
            assert!(!criterion.holds(lowest + 1e-6 * lowest.abs(), &curve, range), "{criterion:?}");
        }
    }

    #[test]
    fn what_is_not_known_proves_nothing() {
        let known = Curve::Tilted { level: number(9.0), slope: number(0.0) };
        for criterion in criteria() {
            let claim = if criterion.kind == Kind::Logarithm { -100.0 } else { -0.9 };
            assert!(criterion.holds(claim, &known, Interval::between(0.0, 1.0)));
            assert!(
                !criterion.holds(claim, &known, Interval::ALL) && !criterion.holds(f64::NAN, &known, Interval::ONE)
            );
            assert!(!criterion.holds(claim, &known, Interval::ZERO), "an end of its own must decide");
            let all = Interval::ALL;
            for unknown in [
                Curve::Tilted { level: all, slope: Interval::ZERO },
                Curve::Tilted { level: number(9.0), slope: all },
                Curve::Multiplier { level: number(9.0), energy: all, variance: Interval::ONE },
                Curve::Multiplier { level: number(9.0), energy: Interval::ONE, variance: all },
                Curve::Moving { level: all, weight: Interval::ONE },
                Curve::Expansion {
                    level: number(9.0),
                    kappa: Interval::ONE,
                    sigma_f: Interval::ONE,
                    omega: all,
                    near: Interval::ONE,
                    far: Interval::ONE,
                },
                Curve::Expansion {
                    level: number(9.0),
                    kappa: Interval::ONE,
                    sigma_f: Interval::ONE,
                    omega: Interval::ZERO,
                    near: all,
                    far: Interval::ONE,
                },
            ] {
                assert!(!criterion.holds(claim, &unknown, Interval::between(0.0, 1.0)), "{criterion:?} {unknown:?}");
            }
        }
        let [expected, logarithm, probability] = criteria();
        for criterion in [&expected, &probability] {
            assert!((criterion.precision(-0.25) - 2.5e-4).abs() < 1e-12 && criterion.precision(0.0) == 1e-300);
        }
        assert!((logarithm.precision(-3.0) - 4e-3).abs() < 1e-12);
        assert!(probability.is_never_below(-1.0) && !probability.is_never_below(-0.999));
        assert!(!expected.is_never_below(-1e300) && !logarithm.is_never_below(-1e300));
        // EI is never negative, so −EI is never above 0.
        assert!(!expected.holds(0.1, &known, Interval::between(0.0, 1.0)));
        assert!(!expected.holds(0.0, &known, Interval::between(0.0, 1.0)));
    }
}
