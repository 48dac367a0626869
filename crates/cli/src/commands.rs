//! One module per sub-command: parse, call, render.

pub mod ask;
pub mod best;
pub mod completions;
pub mod demo;
pub mod export;
pub mod import;
pub mod new;
pub mod plot;
pub mod run;
pub mod solve;
pub mod tell;
pub mod trials;
pub mod verify;
