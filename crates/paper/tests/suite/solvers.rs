//! The solvers of this machine. A test whose solver is missing says so and passes, unless FATHOM_REQUIRE_SOLVERS names
//! the solver. SCIP's library is hosted by `fathom-scip`, which a build of the whole workspace puts beside the tests.

use fathom_miqp::{Error, Gurobi, Scip};
use std::env;
use std::path::PathBuf;

fn or_skip<T>(name: &str, found: Result<T, Error>) -> Option<T> {
    let required = env::var("FATHOM_REQUIRE_SOLVERS").unwrap_or_default();
    match found {
        Ok(found) => Some(found),
        Err(error) if required.split(',').any(|word| word == name) => panic!("{name} is required: {error}"),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

pub fn scip() -> Option<Scip> {
    or_skip("scip", Scip::find())
}

pub fn gurobi() -> Option<Gurobi> {
    or_skip("gurobi", Gurobi::find())
}

/// The Python that holds the solvers.
pub fn python() -> PathBuf {
    env::var_os("FATHOM_PYTHON").unwrap_or("python3".into()).into()
}
