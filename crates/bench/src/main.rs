//! `fathom-bench`.
fn main() {}
