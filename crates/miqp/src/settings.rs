//! How a solver is run.

use crate::error::{Error, Result};
use crate::expansion::Encoding;
use std::path::PathBuf;
use std::time::Duration;

/// The limits, tolerances and files of a solve, the same for every solver.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The wall-clock limit of the whole solve; none by default. It counts from the call, so writing the model, starting the
    /// solver and reading its answer are part of it. A solver that is late is interrupted, and killed after 3 % more.
    pub time_limit: Option<Duration>,
    /// The most branch-and-bound nodes; none by default.
    pub node_limit: Option<u64>,
    /// The most memory that the solver may take, in bytes; none by default. Gurobi knows this limit since version 10.
    pub memory_limit: Option<u64>,
    /// The distance between the solver's two bounds at which the solver may stop, ≥ 0. The default is 1e-4, as in the certified
    /// search.
    pub absolute_gap: f64,
    /// The same distance relative to the values, as each solver defines it, ≥ 0; the solver may stop at either gap. The default
    /// is 0, so that only the absolute gap counts.
    pub relative_gap: f64,
    /// The number of threads, ≥ 1. SCIP's search always has one thread; only its linear programs may use more.
    pub threads: usize,
    /// The amount by which a solver may violate a row, 1e-9 to 1e-3; our own check reports larger violations. With the solvers'
    /// usual 1e-6, large coefficients turn the slack into answers that are better than the true optimum.
    pub feasibility: f64,
    /// A feasible point to begin with (a MIP start), in the order of the model's variables.
    pub start: Option<Vec<f64>>,
    /// The most points to return, ≥ 1: the best of the points that the solver found.
    pub pool: usize,
    /// How piecewise-linear functions are written out. By default a solver that knows them (Gurobi) gets them as they are, and
    /// other solvers get the paper's encoding (binaries).
    pub encoding: Option<Encoding>,
    /// The file that the solver's log is written to while the solver runs.
    pub log: Option<PathBuf>,
    /// The directory for model, settings and answer, which stay there; without a directory, these files are temporary.
    pub directory: Option<PathBuf>,
    /// The time that a solver has to stop after a request, before it is killed. The default is 10 s, because a large linear
    /// program is not interrupted at once.
    pub grace: Duration,
    /// The solver's own parameters by name; they are set last.
    pub parameters: Vec<(String, String)>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            time_limit: None,
            node_limit: None,
            memory_limit: None,
            absolute_gap: 1e-4,
            relative_gap: 0.0,
            threads: 1,
            feasibility: 1e-9,
            start: None,
            pool: 1,
            encoding: None,
            log: None,
            directory: None,
            grace: Duration::from_secs(10),
            parameters: Vec::new(),
        }
    }
}

impl Settings {
    pub(crate) fn validated(&self) -> Result<()> {
        let need = |good: bool, name, value, requirement| {
            if good { Ok(()) } else { Err(Error::BadSetting { name, value, requirement }) }
        };
        for (name, gap) in [("the absolute gap", self.absolute_gap), ("the relative gap", self.relative_gap)] {
            need(gap >= 0.0 && gap.is_finite(), name, gap, "finite and not negative")?;
        }
        let feasibility = self.feasibility;
        // This is Gurobi's range.
        need((1e-9..=1e-3).contains(&feasibility), "the feasibility tolerance", feasibility, "between 1e-9 and 1e-3")?;
        let wild = self.start.iter().flatten().find(|value| !value.is_finite());
        need(wild.is_none(), "a coordinate of the start", *wild.unwrap_or(&0.0), "finite")?;
        need(self.memory_limit != Some(0), "the memory limit", 0.0, "at least 1 byte")?;
        need(self.threads >= 1, "the thread count", 0.0, "at least 1")?;
        need(self.pool >= 1, "the pool size", 0.0, "at least 1")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_outside_their_domain_are_refused() {
        let bad = [
            Settings { absolute_gap: -1.0, ..Settings::default() },
            Settings { relative_gap: f64::NAN, ..Settings::default() },
            Settings { feasibility: 0.0, ..Settings::default() },
            Settings { start: Some(vec![0.0, f64::NAN]), ..Settings::default() },
            Settings { memory_limit: Some(0), ..Settings::default() },
            Settings { threads: 0, ..Settings::default() },
            Settings { pool: 0, ..Settings::default() },
        ];
        assert!(bad.iter().all(|settings| settings.validated().is_err()));
        assert!(Settings::default().validated().is_ok());
    }
}
