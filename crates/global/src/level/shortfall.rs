//! How far the mean may lie below a level if the deviation is σ; concave in σ. docs/method.md, Lemma 6.2, calls it the price.

/// How far the mean may lie below a level if the deviation is σ; concave in σ.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shortfall {
    /// sqrt(energy (variance − σ²)).
    Multiplier { energy: f64, variance: f64 },
    /// slope · σ.
    Tilted { slope: f64 },
    /// −½ weight σ².
    Moving { weight: f64 },
    /// −κσ_f (ω + min (t²/s + s)/2) for s from `near` to `far`.
    Expansion { kappa: f64, sigma_f: f64, omega: f64, near: f64, far: f64 },
}

impl Shortfall {
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

    /// The derivative in σ.
    pub fn slope(&self, deviation: f64) -> f64 {
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

    /// max (slope σ + shortfall) over a range.
    pub fn peak(&self, slope: f64, (low, high): (f64, f64)) -> f64 {
        let at = match *self {
            Self::Multiplier { energy, variance } => {
                let size = (slope * slope + energy).sqrt();
                let high = high.min(variance.sqrt());
                (if size > 0.0 { slope * variance.sqrt() / size } else { 0.0 }).clamp(low.min(high), high)
            }
            Self::Tilted { slope: own } => {
                if slope + own > 0.0 {
                    high
                } else {
                    low
                }
            }
            Self::Moving { weight } => (slope / weight).clamp(low, high),
            Self::Expansion { kappa, sigma_f, omega, near, far } => {
                // If σ does not pay, or κ costs nothing, the maximum is at an end.
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
