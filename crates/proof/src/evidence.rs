//! The reason why a quadratic lies below the function on a box, and the numbers that turn the quadratic into a separable
//! minorant.
//!
//! All numbers are suggestions: a checker with wrong numbers can only fail to prove a claim.

/// The degree of the polynomials in s that bound the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Quadratic.
    Two,
    /// Cubic.
    Three,
}

/// The reason why a quadratic lies below the function on a box. `M` names a multiplier: in a proof, its index in the table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reason<M = usize> {
    /// The relaxation in s for a multiplier, by polynomials of this order.
    Multiplier(Order, M),
    /// The relaxation for a multiplier g = a − τK̂⁻¹k(c) with this τ; c is the centre.
    Tilted(Order, M, f64),
    /// The relaxation for a multiplier that moves with x, by polynomials of this order, with this w.
    Moving(Order, f64),
    /// The second-order expansion at the centre.
    Taylor {
        /// S0, about the deviation at the centre.
        guess: f64,
        /// κ.
        kappa: f64,
    },
}

/// A quadratic and its separable minorant, in the coordinates of the cube that the box is scaled to.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence<M = usize> {
    /// The reason why the quadratic is valid.
    pub reason: Reason<M>,
    /// δ: the numbers that are added to the diagonal to make the quadratic convex.
    pub shift: Vec<f64>,
    /// x̂: the point at which the convex quadratic is linearised.
    pub at: Vec<f64>,
    /// λ: a multiplier for each row of the region.
    pub duals: Vec<f64>,
}

impl<M> Evidence<M> {
    /// The same evidence with other names for multipliers.
    pub fn renamed<N>(self, rename: impl FnOnce(M) -> N) -> Evidence<N> {
        let Self { reason, shift, at, duals } = self;
        let reason = match reason {
            Reason::Multiplier(order, id) => Reason::Multiplier(order, rename(id)),
            Reason::Tilted(order, id, tau) => Reason::Tilted(order, rename(id), tau),
            Reason::Moving(order, weight) => Reason::Moving(order, weight),
            Reason::Taylor { guess, kappa } => Reason::Taylor { guess, kappa },
        };
        Evidence { reason, shift, at, duals }
    }
}

impl Evidence {
    /// The multiplier that the reason names, if any.
    pub(crate) fn multiplier(&self) -> Option<usize> {
        match self.reason {
            Reason::Multiplier(_, index) | Reason::Tilted(_, index, _) => Some(index),
            Reason::Moving(..) | Reason::Taylor { .. } => None,
        }
    }
}
