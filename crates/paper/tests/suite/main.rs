//! Integration tests of the paper's method, through its public face.
#![allow(clippy::unwrap_used)]

mod dot_products;
#[path = "../../../global/tests/suite/instances.rs"]
#[expect(dead_code, reason = "tests of the search use the rest")]
mod instances;
mod local_methods;
mod piecewise_linear;
mod pk;
#[path = "../../../gp/tests/suite/problem.rs"]
mod problem;
mod program;
mod solvers;
mod theory;
mod time_limits;
