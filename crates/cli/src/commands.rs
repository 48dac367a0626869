//! One module per sub-command: parse, call, render.

pub mod ask;
pub mod best;
pub mod completions;
pub mod demo;
pub mod export;
pub mod export_model;
pub mod import;
mod instance;
pub mod new;
mod pk;
pub mod plot;
pub mod run;
pub mod solve;
pub mod tell;
pub mod trials;
pub mod verify;
