//! The rows of a run.

use crate::record::record;

/// What a run's README says of its rows.
pub(super) const LEGEND: &str = "\
Honest proofs of small problems, changed as someone would who has read the checker: the claim is raised beyond the truth, and the
evidence, the tree or the problem is changed with it. Every forgery is a file with a valid checksum. `raw.csv` has a row for each
honest proof and kind of forgery, and the same seed makes the same forgeries. `tables.md` is made from it alone.

* `proof`, `kernel`, `acquisition`: the honest proof
* `kind`: what was changed beside the claim; the module `forgery` of the bench crate says how
* `made`: forgeries that could be written down; `lies`: those whose claim is known to be false
* `unreadable`, `refused`: refused by the reader, and by the checker
* `held`: accepted, and the claim is true or cannot be told from the truth
* `unknown`: accepted, and the truth of the problem is not known, as the forger changed the problem
* `fooled`: accepted although the claim is false; must be 0
* `panicked`: the checker stopped without an answer; must be 0
* `seconds`: to forge, read, check and judge all of them
";

record! {
    /// One line of `raw.csv`: an honest proof and a kind of forgery.
    pub struct Row {
        /// The honest proof.
        pub proof: String,
        /// Its kernel.
        pub kernel: String,
        /// Its acquisition function.
        pub acquisition: String,
        /// What was changed.
        pub kind: String,
        /// Forgeries.
        pub made: u64,
        /// Those that claim something false.
        pub lies: u64,
        /// Refused by the reader.
        pub unreadable: u64,
        /// Refused by the checker.
        pub refused: u64,
        /// Accepted, and not false.
        pub held: u64,
        /// Accepted, and not known.
        pub unknown: u64,
        /// Accepted and false.
        pub fooled: u64,
        /// Stopped the checker.
        pub panicked: u64,
        /// In all.
        pub seconds: f64,
    }
}
