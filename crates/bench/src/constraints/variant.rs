//! The constraints, all of them on the unit box of the `prior` problems.

use fathom_global::Instance;
use fathom_proof::StatedRow;

/// One kind of constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// None.
    Plain,
    /// The four rows of the paper's KS224, its box [0, 6]² shrunk to the first two inputs.
    Ks224,
    /// The first two inputs within a disc around the middle, of radius 0.35.
    Disc,
    /// In that disc and outside one of six tenths its radius.
    Ring,
    /// All inputs within a ball around the middle, of radius 0.35 √(D/2).
    Ball,
    /// In that ball and outside one of six tenths its radius.
    Shell,
    /// The first half of the inputs in tenths.
    Integers,
}

impl Variant {
    /// All of them, the one without a constraint first.
    pub const ALL: [Self; 7] =
        [Self::Plain, Self::Ks224, Self::Disc, Self::Ring, Self::Ball, Self::Shell, Self::Integers];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Plain => "box",
            Self::Ks224 => "ks224",
            Self::Disc => "disc",
            Self::Ring => "ring",
            Self::Ball => "ball",
            Self::Shell => "shell",
            Self::Integers => "integers",
        }
    }

    /// Whether problems of so many inputs have room for it, and it is not another one for them.
    pub(super) fn applies(self, d: usize) -> bool {
        match self {
            Self::Plain => true,
            Self::Ks224 | Self::Disc | Self::Ring | Self::Integers => d > 1,
            Self::Ball | Self::Shell => d > 2,
        }
    }

    /// The problem under the constraint.
    pub(super) fn of(self, plain: &Instance) -> Instance {
        let mut instance = plain.clone();
        let between = |linear: &[(usize, f64)], upper: f64| StatedRow {
            linear: linear.to_vec(),
            quadratic: Vec::new(),
            lower: Some(0.0),
            upper: Some(upper),
        };
        match self {
            Self::Plain => {}
            Self::Ks224 => {
                instance.constraints = vec![between(&[(0, 6.0), (1, 18.0)], 18.0), between(&[(0, 6.0), (1, 6.0)], 8.0)];
            }
            Self::Disc => instance.constraints = vec![around_the_middle(2, None)],
            Self::Ring => instance.constraints = vec![around_the_middle(2, Some(0.6))],
            Self::Ball => instance.constraints = vec![around_the_middle(plain.dim(), None)],
            Self::Shell => instance.constraints = vec![around_the_middle(plain.dim(), Some(0.6))],
            Self::Integers => {
                for j in 0..plain.dim() / 2 {
                    instance.lengthscales[j] *= 10.0;
                    instance.bounds[j] = (10.0 * plain.bounds[j].0, 10.0 * plain.bounds[j].1);
                    instance.x.iter_mut().for_each(|x| x[j] *= 10.0);
                }
                instance.integers = (0..plain.dim() / 2).collect();
            }
        }
        instance
    }
}

/// (inner r)² <= ‖x − ½‖² <= r² of the first d inputs, r = 0.35 √(d/2), with the constant d/4 taken to the sides.
fn around_the_middle(d: usize, inner: Option<f64>) -> StatedRow {
    let (square, constant) = (0.35 * 0.35 * d as f64 / 2.0, 0.25 * d as f64);
    StatedRow {
        linear: (0..d).map(|j| (j, -1.0)).collect(),
        quadratic: (0..d).map(|j| (j, j, 1.0)).collect(),
        lower: inner.map(|inner| inner * inner * square - constant),
        upper: Some(square - constant),
    }
}
