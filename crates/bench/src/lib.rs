//! The evidence: every table and figure, from raw data to picture.

pub mod figures;
