//! Integration tests of the certified search, through its public face.
#![allow(clippy::unwrap_used)]

mod acquisitions;
mod agreement;
mod audit;
mod certificate;
mod constraints;
mod instances;
mod kernels;
mod limits;
mod near_optimal;
mod piecewise_linear;
mod pool;
mod soundness;
mod tampering;
