//! A study that runs: workers that ask, evaluate and tell until the study ends.
//!
//! * [`Crew`] is the workers of one process. While a program runs, its worker proves the suggestion that is evaluated.
//! * [`evaluate`] is one evaluation: a built-in function, or an external program.
//! * [`Reservations`] keeps the leases of trials that somebody else evaluates in this process.
//!
//! Nothing here prints. A [`Listener`] is told what happens.

mod crew;
mod evaluator;
mod listener;
mod prover;
mod reservation;
mod worker;

pub use crew::{Crew, Ending};
pub use evaluator::{Failure, evaluate};
pub use listener::{Listener, News};
pub use reservation::Reservations;
