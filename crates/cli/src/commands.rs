//! One module per sub-command: parse, call, render.

pub mod solve;
pub mod verify;
