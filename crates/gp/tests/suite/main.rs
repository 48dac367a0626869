//! Integration tests of the model, through its public face.
#![allow(clippy::unwrap_used)]

mod reference;
