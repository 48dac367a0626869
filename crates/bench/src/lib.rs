//! The evidence: every table and figure, from raw data to picture.

pub mod acquisitions;
pub mod approximation;
mod case;
pub mod constraints;
pub mod evidence;
pub mod figures;
pub mod fits;
pub mod kernels;
pub mod latency;
pub mod misses;
pub mod model;
pub mod picture;
pub mod scaling;
pub mod search;
pub mod soundness;
mod spread;
mod table;
mod units;
