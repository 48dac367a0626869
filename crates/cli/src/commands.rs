//! One module per sub-command: parse, call, render.

pub mod ask;
pub mod audit;
pub mod backup;
pub mod best;
pub mod check_store;
pub mod completions;
pub mod demo;
pub mod doctor;
pub mod export;
pub mod export_model;
pub mod import;
mod instance;
pub mod model;
mod near_optimal;
pub mod new;
pub mod pk;
pub mod plot;
pub mod proof;
mod proof_files;
pub mod prove;
pub mod run;
mod settings;
pub mod solve;
pub mod tell;
mod text;
pub mod trials;
pub mod verify;
