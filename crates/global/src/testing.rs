//! Random models and data for the unit tests of several modules.

use fathom_gp::{Dataset, Kernel};
use proptest::prelude::*;

/// Every kernel without kinks; powers of inner products below degree `degrees`.
pub(crate) fn kernels(degrees: u32) -> impl Strategy<Value = Kernel> {
    prop_oneof![
        Just(Kernel::Matern12),
        Just(Kernel::Matern32),
        Just(Kernel::Matern52),
        Just(Kernel::Matern72),
        Just(Kernel::Rbf),
        (0.2..5.0).prop_map(|alpha| Kernel::RationalQuadratic { alpha }),
        (0.0..2.0).prop_map(|offset| Kernel::Linear { offset }),
        (2..degrees, 0.0..2.0).prop_map(|(degree, offset)| Kernel::Polynomial { degree, offset }),
    ]
}

/// A smooth function of up to three inputs, at points of a lattice; no two points share a coordinate.
pub(crate) fn lattice(count: usize, dim: usize) -> Dataset {
    let coordinate = |i: usize, j: usize| ((i + 1) as f64 * [0.618, 0.755, 0.569][j]).fract();
    let x: Vec<Vec<f64>> = (0..count).map(|i| (0..dim).map(|j| coordinate(i, j)).collect()).collect();
    let y: Vec<f64> = x.iter().map(|x| x.iter().map(|x| (7.0 * x).sin()).sum()).collect();
    Dataset::new(&x, &y).unwrap()
}
