//! What the paper prints in its Tables 2, 3 and 5: means over 20 replications, 1D to 5D.

use crate::contender::Contender;

/// One line of a table: mean and half a standard deviation for 1D to 5D.
type Line = [(f64, f64); 5];

/// The LCB found with Matérn 3/2 (Table 2) or RBF (Table 5).
pub(super) fn value(kernel: &str, contender: Contender) -> Option<Line> {
    Some(match (kernel, contender) {
        ("matern32", Contender::LbfgsB) => [(-0.68, 0.54), (-0.94, 0.51), (-1.79, 0.74), (-1.21, 0.77), (-1.22, 0.50)],
        ("matern32", Contender::NelderMead) => {
            [(-0.65, 0.51), (-0.96, 0.51), (-1.32, 0.42), (-1.98, 1.07), (-1.07, 0.41)]
        }
        ("matern32", Contender::Cobyla) => [(-1.09, 0.44), (-1.26, 0.52), (-1.48, 0.75), (-1.58, 0.75), (-0.68, 0.49)],
        ("matern32", Contender::Slsqp) => [(-0.59, 0.53), (-0.99, 0.70), (-1.58, 0.75), (-1.49, 0.86), (-1.43, 0.51)],
        ("matern32", Contender::TrustConstr) => {
            [(-0.54, 0.53), (-1.19, 0.55), (-1.95, 0.53), (-1.71, 0.88), (-1.61, 0.49)]
        }
        ("matern32", Contender::Pk) => [(-1.76, 0.27), (-2.26, 0.49), (-2.17, 0.36), (-2.25, 0.74), (-1.62, 0.50)],
        ("rbf", Contender::LbfgsB) => [(-0.67, 0.68), (-0.90, 0.42), (-2.03, 1.85), (-2.77, 1.45), (-2.26, 1.31)],
        ("rbf", Contender::NelderMead) => [(-0.98, 0.63), (-0.87, 0.67), (-1.53, 0.74), (-2.70, 1.43), (-2.12, 1.38)],
        ("rbf", Contender::Cobyla) => [(-1.25, 0.82), (-1.44, 0.60), (-2.18, 1.83), (-1.47, 0.99), (-2.49, 1.37)],
        ("rbf", Contender::Slsqp) => [(-1.04, 1.00), (-0.72, 0.41), (-2.34, 1.83), (-2.53, 1.49), (-2.28, 1.29)],
        ("rbf", Contender::TrustConstr) => [(-0.57, 0.68), (-1.27, 0.38), (-1.90, 0.70), (-3.06, 1.56), (-2.89, 1.32)],
        ("rbf", Contender::Pk) => [(-1.82, 0.71), (-1.99, 0.49), (-2.94, 0.65), (-4.20, 1.87), (-3.10, 1.28)],
        _ => return None,
    })
}

/// Seconds with Matérn 3/2 (Table 3).
pub(super) fn seconds(kernel: &str, contender: Contender) -> Option<Line> {
    Some(match (kernel, contender) {
        ("matern32", Contender::LbfgsB) => [(0.12, 0.06), (0.14, 0.08), (0.46, 0.25), (0.41, 0.16), (0.80, 0.37)],
        ("matern32", Contender::NelderMead) => [(0.27, 0.11), (1.63, 2.35), (1.96, 1.28), (2.34, 0.96), (3.75, 1.51)],
        ("matern32", Contender::Cobyla) => [(0.21, 0.06), (0.48, 0.29), (1.57, 1.32), (2.21, 1.52), (1.68, 0.75)],
        ("matern32", Contender::Slsqp) => [(0.08, 0.04), (0.10, 0.05), (0.40, 0.17), (0.24, 0.13), (0.61, 0.23)],
        ("matern32", Contender::TrustConstr) => [(0.26, 0.11), (0.78, 0.21), (0.88, 0.29), (2.67, 1.76), (1.78, 0.84)],
        ("matern32", Contender::AdditivePk) => {
            [(2.08, 0.35), (7.14, 0.93), (15.41, 2.04), (19.06, 4.52), (22.45, 3.34)]
        }
        ("matern32", Contender::Pk) => {
            [(2.08, 0.35), (11.37, 3.95), (866.48, 601.49), (1557.82, 576.70), (3199.24, 361.09)]
        }
        _ => return None,
    })
}
