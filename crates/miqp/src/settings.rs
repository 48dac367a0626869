//! How a solver is run.

use crate::error::{Error, Result};
use crate::expansion::Encoding;
use std::path::PathBuf;
use std::time::Duration;

/// Limits, tolerances and files, the same for every solver.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Wall-clock limit of the solve. None by default.
    pub time_limit: Option<Duration>,
    /// Distance between the solver's two bounds at which it may stop, ≥ 0. As in the certified search, 1e-4.
    pub absolute_gap: f64,
    /// The same relative to the values, as each solver understands it, ≥ 0; reaching either gap is enough. 0 by default,
    /// so that the absolute one alone counts.
    pub relative_gap: f64,
    /// Threads, ≥ 1. SCIP's search has one whatever is asked for; only its linear programs may use more.
    pub threads: usize,
    /// By how much a solver may violate a row, 1e-9 to 1e-3, and the amount from which on our own check reports it. At
    /// the solvers' usual 1e-6 large coefficients turn the slack into answers that are better than the truth.
    pub feasibility: f64,
    /// A feasible point to begin with (a MIP start), by the model's variables.
    pub start: Option<Vec<f64>>,
    /// Most points to return, ≥ 1: the best ones among those that the solver met.
    pub pool: usize,
    /// How piecewise-linear functions are written out. None, the default: not at all for a solver that knows them
    /// (Gurobi), and as the paper does (binaries) for the others.
    pub encoding: Option<Encoding>,
    /// File that the solver's log is written to while it runs.
    pub log: Option<PathBuf>,
    /// Directory for model, settings and answer, which stay there; without it they are temporary.
    pub directory: Option<PathBuf>,
    /// How long a solver may take to stop after its time limit or after being asked to, before it is killed. 10 s: a
    /// large linear program is not interrupted at once.
    pub grace: Duration,
    /// The solver's own parameters by their own names, set last.
    pub parameters: Vec<(String, String)>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            time_limit: None,
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
        // Gurobi's range.
        need((1e-9..=1e-3).contains(&feasibility), "the feasibility tolerance", feasibility, "between 1e-9 and 1e-3")?;
        let wild = self.start.iter().flatten().find(|value| !value.is_finite());
        need(wild.is_none(), "a coordinate of the start", *wild.unwrap_or(&0.0), "finite")?;
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
            Settings { threads: 0, ..Settings::default() },
            Settings { pool: 0, ..Settings::default() },
        ];
        assert!(bad.iter().all(|settings| settings.validated().is_err()));
        assert!(Settings::default().validated().is_ok());
    }
}
