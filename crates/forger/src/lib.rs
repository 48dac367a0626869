//! Test machinery: honest proofs, changed as someone would who has read the checker.
//!
//! [`Honest`] makes proofs that cover the format between them, [`Truth`] knows what is true of their problems, and of problems
//! that a forger makes up, by means that the checker does not share, and [`Forger`] changes the proofs. Every forgery is a file
//! with a valid checksum.

mod forger;
mod honest;
mod records;
mod truth;

pub use forger::{Forger, KINDS};
pub use honest::{Honest, ensure_coverage};
pub use truth::{Judgement, Truth, judge};
