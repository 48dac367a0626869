//! The evidence: every table and figure, from raw data to picture.

mod arena;
mod chart;
mod command;
mod contender;
mod experiment;
mod figures;
mod forgery;
mod index;
mod latency;
mod loops;
mod model;
mod one_step;
mod pays;
mod prior_sample;
mod race;
mod raw;
mod regret;
mod scaling;
mod search;
mod signed_rank;
mod soundness;
mod statistics;
mod table;
mod theory;
mod units;

pub use command::Args;
pub use figures::save_paper_figures;
