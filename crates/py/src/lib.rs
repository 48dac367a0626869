//! The compiled half of the Python package `fathom`: studies, models and searches, with the interpreter's lock released
//! while they work. `python/fathom/_fathom.pyi` describes its surface; the other half is Python beside that file.

mod array;
mod audit;
mod background;
mod certificate;
mod error;
mod function;
mod gaussian_process;
mod handle;
mod problem;
mod reading;
mod record;
mod region;
mod search;
mod settings;
mod solver;
mod table;
mod trial;
mod value;
mod verification;
mod verify;

/// The module `fathom._fathom`.
#[pyo3::pymodule]
mod _fathom {
    #[pymodule_export]
    use super::audit::{Audit, audit};
    #[pymodule_export]
    use super::certificate::Certificate;
    #[pymodule_export]
    use super::gaussian_process::GaussianProcess;
    #[pymodule_export]
    use super::handle::Handle;
    #[pymodule_export]
    use super::reading::read_problem;
    #[pymodule_export]
    use super::record::Record;
    #[pymodule_export]
    use super::search::minimize_acquisition;
    #[pymodule_export]
    use super::trial::Trial;
    #[pymodule_export]
    use super::verification::Verification;
    #[pymodule_export]
    use super::verify::verify;
    use pyo3::prelude::*;

    /// SCIP's process: Python started once more, with a job in its environment.
    #[pyfunction]
    fn _scip_worker() -> bool {
        fathom_miqp::scip_worker() == Some(std::process::ExitCode::SUCCESS)
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::background::settle();
        super::solver::register(module.py());
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
