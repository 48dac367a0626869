//! When to stop halving a curve.

/// The most stretches of a curve that are halved; the rest is bounded without halving.
const HALVINGS: u32 = 100;

/// The best value met while a curve is halved, and the halvings left.
pub(super) struct Halving {
    pub found: f64,
    left: u32,
}

impl Halving {
    pub fn new(found: f64) -> Self {
        Self { found, left: HALVINGS }
    }

    /// Whether to go on; counts the calls.
    pub fn goes_on(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }
}
