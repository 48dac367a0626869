//! Test machinery: honest proofs, and forgeries by someone who has read the checker.
//!
//! [`Honest`] makes proofs that together cover the format. [`Forger`] changes these proofs. [`Truth`] knows what is
//! true of their problems, and of problems that a forger makes up, by means that the checker does not share. Every
//! forgery is a file with a valid checksum.

mod forger;
mod honest;
mod records;
mod truth;

pub use forger::{Forger, KINDS};
pub use honest::{Honest, ensure_coverage};
pub use truth::{Judgement, Truth, judge};
