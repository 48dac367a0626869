//! Expected improvement, its logarithm and the probability of improvement, as functions F(μ, σ) that rise with μ
//! (docs/method.md, chapter 6).
//!
//! A bound of a box says: if the deviation is σ, the mean is at least `level − shortfall(σ)`. The box is closed if this
//! least mean lies above the curve on which F equals the cutoff (Theorem 4).

mod curve;
mod halving;
mod hull;
mod improvement;
mod shortfall;

pub(crate) use curve::LevelCurve;
pub(crate) use hull::Hull;
pub(crate) use improvement::Improvement;
pub(crate) use shortfall::Shortfall;
