//! How fast and how sound the search is: every problem of a folder, ours beside the yardstick's, in one run.
//!
//! Seconds are those of building the problem from a posterior and searching it, by the clock and on one thread; the
//! yardstick's are the CPU seconds that it reports (four decimals), its factorisation not included as ours is not.
//! Every problem is also solved with a proof, which is written, read back and verified. All goes into `raw.csv`, the
//! best known values too, and the tables are made from that file alone.

mod comparison;
mod findings;
mod row;
mod summary;
mod tables;
mod target;
mod yardstick;

pub use comparison::compare;
pub use row::{Row, Who};
pub use tables::tables;

use crate::evidence;
use std::path::Path;

/// Makes `tables.md` of the run in `folder` from its `raw.csv` alone, and returns it.
pub fn report(folder: &Path) -> anyhow::Result<String> {
    let text = tables(&evidence::read(folder)?);
    evidence::write_tables(folder, &text)?;
    Ok(text)
}
