//! Integration tests of the model, through its public interface.
#![allow(clippy::unwrap_used)]

mod bad_input;
mod fitting;
mod gradients;
mod posterior;
mod problem;
mod reference;
