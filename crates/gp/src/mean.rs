//! The constant prior mean of a model that is fitted.

/// The constant prior mean m: known, or learned with the other hyperparameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mean {
    /// Known.
    Fixed(f64),
    /// The most likely one, m = 1ᵀK̂⁻¹y / 1ᵀK̂⁻¹1, at the hyperparameters that are fitted.
    Learned,
}
