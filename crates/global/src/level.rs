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

mod curve;
mod halving;
mod hull;
mod improvement;
mod price;

pub(crate) use curve::LevelCurve;
pub(crate) use hull::Hull;
pub(crate) use improvement::Improvement;
pub(crate) use price::Price;
