//! The checker proves that no point of the region has a value below the claimed bound, and that the best point has the claimed
//! value.
//!
//! The checker believes nothing in a file but the problem, which is the question. Multipliers, weights, shifts and points are
//! suggestions: every suggestion gives a valid bound, so ordinary arithmetic may compute it. Every fact is an interval
//! (`interval`), or a sum with a proven rounding error. An unknown number is the whole line, and no comparison with the whole
//! line holds.
//!
//! `docs/reference/proof.md` states a lemma for each kind of evidence, `docs/method.md` has the proofs. [`verify`] checks the statement and the claim; `model`
//! bounds K̂, the weights of each `piece`, and values at points; `minorant` turns a box and a piece of evidence into a
//! separable minorant; `criterion` decides improvement criteria; `rows` checks constraints; and `walk` makes sure that the
//! boxes tile the region.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::disallowed_methods))]

mod check;
mod chords;
mod criterion;
mod cubic;
mod function;
mod interval;
mod kernel;
mod minorant;
mod model;
mod normal;
mod pending_box;
mod polyline;
mod polynomial;
mod rows;
mod verdict;
mod walk;

pub use check::verify;
pub use function::Function;
pub use verdict::{Rejection, Verdict};
