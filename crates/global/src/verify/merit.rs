//! The improvement criteria: F(μ, σ), which rises with μ, where all that is known of a box is a convex curve in (σ, μ)
//! that its points lie above.

use crate::interval::{Interval, cdf, log_h};
use crate::proof::StatedAcquisition;

/// How often a stretch of the curve is halved before a claim counts as not proven.
const HALVINGS: u32 = 30;

/// −EI, −log EI or −PI.
#[derive(Debug, Clone, Copy)]
pub(super) struct Merit {
    kind: Kind,
    best: f64,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Expected,
    Logarithm,
    Probability,
}

/// Points of a box have μ ≥ curve(σ).
#[derive(Debug, Clone, Copy)]
pub(super) enum Curve {
    /// level − sqrt(energy (variance − σ²)).
    Multiplier { level: f64, energy: Interval, variance: Interval },
    /// level − slope · σ.
    Tilted { level: f64, slope: f64 },
    /// level + ½ weight σ².
    Moving { level: f64, weight: f64 },
    /// level + κσ_f (ω + min (t²/s + s)/2), t = σ/σ_f − ω, s from `near` to `far`.
    Expansion { level: f64, kappa: Interval, sigma_f: Interval, omega: Interval, near: Interval, far: Interval },
}

impl Merit {
    /// Where the acquisition is one.
    pub fn of(acquisition: &StatedAcquisition) -> Option<Self> {
        match *acquisition {
            StatedAcquisition::Ei { best } => Some(Self { kind: Kind::Expected, best }),
            StatedAcquisition::LogEi { best } => Some(Self { kind: Kind::Logarithm, best }),
            StatedAcquisition::Pi { best } => Some(Self { kind: Kind::Probability, best }),
            StatedAcquisition::Lcb { .. }
            | StatedAcquisition::Mean
            | StatedAcquisition::Deviation
            | StatedAcquisition::Glcb { .. } => None,
        }
    }

    /// What F is nowhere below.
    pub fn floor(&self) -> f64 {
        if matches!(self.kind, Kind::Probability) { -1.0 } else { f64::NEG_INFINITY }
    }

    /// F(μ, σ).
    pub fn value(&self, mean: Interval, deviation: Interval) -> Interval {
        let z = (Interval::point(self.best) - mean) / deviation;
        match self.kind {
            Kind::Probability => -cdf(z),
            Kind::Expected => -(deviation * log_h(z).exp()),
            Kind::Logarithm => -(deviation.ln() + log_h(z)),
        }
    }

    /// Whether F ≥ `claim` at every point above the curve with σ in `range`. Between the ends of a tangent of the curve F
    /// is lowest at one of them: EI is convex along lines, and PI monotone.
    pub fn holds(&self, claim: f64, curve: &Curve, range: (f64, f64)) -> bool {
        self.holds_between(claim, curve, range, HALVINGS)
    }

    fn holds_between(&self, claim: f64, curve: &Curve, (low, high): (f64, f64), halvings: u32) -> bool {
        let middle = 0.5 * (low + high);
        let (slope, floor) = curve.tangent(middle);
        let reaches = |deviation: f64| self.reaches(claim, floor + Interval::point(slope) * deviation, deviation);
        if reaches(low) && reaches(high) {
            return true;
        }
        halvings > 0
            && self.holds_between(claim, curve, (middle, high), halvings - 1)
            && self.holds_between(claim, curve, (low, middle), halvings - 1)
    }

    /// Whether F(μ, σ) ≥ `claim`; at σ = 0, whether its limit along a line is.
    fn reaches(&self, claim: f64, mean: Interval, deviation: f64) -> bool {
        let gain = Interval::point(self.best) - Interval::point(mean.low);
        if deviation == 0.0 {
            return match self.kind {
                // PI is monotone along the line and decided at its other end.
                Kind::Probability => gain.high <= 0.0 || claim <= -1.0,
                Kind::Expected => gain.high <= -claim && claim <= 0.0,
                Kind::Logarithm => gain.high <= 0.0 || gain.ln().high <= -claim,
            };
        }
        let deviation = Interval::point(deviation);
        let z = gain / deviation;
        match self.kind {
            Kind::Probability => cdf(z).high <= -claim,
            Kind::Expected => claim < 0.0 && (deviation.ln() + log_h(z)).high <= Interval::point(-claim).ln().low,
            Kind::Logarithm => (deviation.ln() + log_h(z)).high <= -claim,
        }
    }
}

impl Curve {
    /// A line below the curve that about touches it at σ: its slope, and its value at 0.
    fn tangent(&self, deviation: f64) -> (f64, Interval) {
        match *self {
            Self::Multiplier { level, energy, variance } => {
                let rest = (variance.low - deviation * deviation).max(1e-12 * variance.low);
                let slope = deviation * (energy.high / rest).sqrt();
                let reach = (variance * (Interval::point(slope).square() + energy)).sqrt();
                (slope, Interval::point(level) - reach)
            }
            Self::Tilted { level, slope } => (-slope, Interval::point(level)),
            // ½wσ² ≥ sσ − s²/2w for any slope s.
            Self::Moving { level, weight } => {
                let slope = weight * deviation;
                let touch = Interval::point(slope).square() / Interval::point(weight) * 0.5;
                (slope, Interval::point(level) - touch)
            }
            Self::Expansion { level, kappa, sigma_f, omega, near, far } => {
                let t = (deviation / sigma_f.low - omega.high).max(0.0);
                let ratio = t / t.clamp(near.low, far.high);
                let r = Interval::point(ratio);
                // t²/s + s ≥ 2rt + s(1 − r²) for any r, and t ≥ σ/σ_f − ω.
                let s = if ratio <= 1.0 { near } else { far };
                let constant = (Interval::ONE - r) * omega + s * (Interval::ONE - r.square()) * 0.5;
                // The slope is a number below the true one, which only lowers the line.
                let slope = (kappa * r).low.max(0.0);
                (slope, Interval::point(level) + kappa * sigma_f * constant)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MERITS: [Merit; 3] = [
        Merit { kind: Kind::Expected, best: 0.3 },
        Merit { kind: Kind::Logarithm, best: 0.3 },
        Merit { kind: Kind::Probability, best: 0.3 },
    ];

    fn number(value: f64) -> Interval {
        Interval::point(value)
    }

    /// The lowest F along a curve, from many points of it.
    fn sampled(merit: &Merit, curve: &Curve, height: impl Fn(f64) -> f64, high: f64) -> f64 {
        let at = |i: u32| high * f64::from(i) / 20_000.0;
        let value = |deviation: f64| merit.value(number(height(deviation)), number(deviation)).low;
        // The tangents must not cross the curve.
        for (touch, there) in [(0.1, 0.7), (0.9, 0.2), (0.5, 0.5), (0.99, 0.01), (0.3, 1.0)] {
            let (slope, floor) = curve.tangent(touch * high);
            assert!((floor + number(slope) * (there * high)).low <= height(there * high) + 1e-12);
        }
        (1..=20_000).map(at).map(value).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn a_claim_holds_up_to_what_is_sampled_along_the_curve_and_no_further() {
        let (variance, energy) = (1.7_f64, 0.8_f64);
        let (kappa, sigma_f, omega, near, far) = (1.3, 1.1, 0.02, 0.45, 0.5);
        for level in [0.2, 1.0, 2.5, 9.0] {
            let ellipse = Curve::Multiplier { level, energy: number(energy), variance: number(variance) };
            let [k, f, o, n, m] = [kappa, sigma_f, omega, near, far].map(number);
            let parabola = Curve::Expansion { level, kappa: k, sigma_f: f, omega: o, near: n, far: m };
            let on_ellipse = |s: f64| level - (energy * (variance - s * s)).max(0.0).sqrt();
            let moving = Curve::Moving { level, weight: kappa };
            let on_moving = |s: f64| level + 0.5 * kappa * s * s;
            let on_parabola = |deviation: f64| {
                let t = (deviation / sigma_f - omega).max(0.0);
                let s = t.clamp(near, far);
                level + kappa * sigma_f * (omega + 0.5 * (t * t / s + s))
            };
            for merit in MERITS {
                let most = variance.sqrt();
                for (curve, lowest) in [
                    (ellipse, sampled(&merit, &ellipse, on_ellipse, most)),
                    (parabola, sampled(&merit, &parabola, on_parabola, most)),
                    (moving, sampled(&merit, &moving, on_moving, most)),
                ] {
                    let room = 1e-5 * lowest.abs();
                    assert!(merit.holds(lowest - room, &curve, (0.0, most)), "{merit:?} {curve:?} {lowest}");
                    // PI's limit at σ = 0 is not sampled.
                    let beyond = merit.holds(lowest + room, &curve, (0.0, most));
                    assert!(!beyond, "{merit:?} {curve:?} {lowest}");
                }
            }
        }
    }
}
