//! The settings of the paper's method.

use crate::error::Result;
use fathom_global::{Limits, Settings, spare_memory};
use fathom_gp::Curvature;
use fathom_miqp::Encoding;
use serde::Deserialize;
use std::path::PathBuf;
use std::time::Duration;

/// The treatment of a K̃ that is no covariance, and of points x with σ̃²(x) < 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Treatment {
    /// Every x is kept: σ̃² is replaced by max(σ̃², 0), and a spectrum of K̃ that begins below ε_M, the proven error of
    /// the kernel, is shifted to begin there.
    ///
    /// The maximum keeps every x, whatever K̃ is. The shift makes (5c) convex and bounds ‖K̃⁻¹‖ by 1/ε_M: smaller
    /// eigenvalues are nothing but approximation error, and they make σ̃² negative almost everywhere.
    KeepAll,
    /// As published: a spectrum that begins below 1e-6 is shifted to begin there, and x with σ̃²(x) < 0 are infeasible,
    /// often most of the box.
    Published,
}

/// The points at which k̃ meets k.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Breakpoints {
    /// The points follow the curvature, with 2D, D, 2D and 2D segments (Section 4.1).
    Paper,
    /// The points follow the curvature, with a threshold ε_k or a number of segments M of one's own.
    Curvature(Curvature),
    /// The fewest points with which the proven error ε_M is at most this part of the largest prior variance in the region.
    Error(f64),
}

/// Where a solver starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WarmStart {
    /// At the best point that a short run of the certified search meets; its pool is kept.
    Search,
    /// At the best of P_sub ∪ P_rand, as in the paper.
    SubProblem,
    /// Nowhere in particular.
    None,
}

/// The points of P_full that descend on the true function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolishFrom {
    /// All; the lowest end counts.
    Pool,
    /// The one with the lowest true value, as in the paper.
    Best,
}

/// What is said about the least value of the true function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrueBound {
    /// A bound that the certified search proves on the true function, in the time that is left.
    Certified,
    /// No bound, only the estimate of Theorem 4.3, which every run has.
    Theorem,
}

/// Limits, pools and choices of [`PkMiqp`](crate::PkMiqp).
#[derive(Debug, Clone, PartialEq)]
pub struct PkSettings {
    /// The segments of k̃. The paper's by default.
    pub breakpoints: Breakpoints,
    /// How the program is made well posed; no x is lost by default.
    pub treatment: Treatment,
    /// Where a solver starts; by default at a point of the certified search. The certified search as the engine finds
    /// its own points, so it skips this step.
    pub warm_start: WarmStart,
    /// Size of P_sub and P_full, ≥ 1; 10 as in the paper.
    pub pool: usize,
    /// Size of P_rand; 10 as in the paper.
    pub random: usize,
    /// Wall-clock limit of the warm start, which also gets at most a quarter of the whole. It is a heuristic, so 60 s
    /// are plenty.
    pub sub_time: Option<Duration>,
    /// Wall-clock limit of the full problem, beside that of the whole; `None` by default.
    pub full_time: Option<Duration>,
    /// Wall-clock limit of the whole, polishing and the true function's bound included; 10 min, since solvers rarely
    /// close the gap from three inputs on.
    pub time: Option<Duration>,
    /// Most nodes of the full problem, and most boxes of the search on the true function; `None` is no limit.
    pub nodes: Option<u64>,
    /// Most bytes for each step, of a solver too; `None` is half of what the machine has free when the step begins.
    pub memory: Option<u64>,
    /// Absolute gap at which a solver may stop, ≥ 0; 1e-3, since acquisition values are of order 1 and polishing moves
    /// further than that.
    pub gap: f64,
    /// The gap relative to the value, ≥ 0; 0 by default, so that the absolute gap alone counts.
    pub relative_gap: f64,
    /// Threads, ≥ 1.
    pub threads: usize,
    /// How much a solver may violate a row, 1e-9 to 1e-3; 1e-9, since the weights K̃⁻¹y amplify the violation.
    pub feasibility: f64,
    /// The encoding of Eq. (6); `None` leaves it to a solver that has its own.
    pub encoding: Option<Encoding>,
    /// Most steps of each descent on the true function; 0 for none. The first few steps bring most of the gain.
    pub polish: u64,
    /// The points that descend; all by default.
    pub polish_from: PolishFrom,
    /// What is said about the true function; a certified bound by default.
    pub true_bound: TrueBound,
    /// Seed of P_rand.
    pub seed: u64,
    /// The solver's own parameters by their own names.
    pub parameters: Vec<(String, String)>,
    /// File for the solver's log of the full problem.
    pub log: Option<PathBuf>,
    /// Whether the certified search is to write its proof down.
    pub proof: bool,
}

impl Default for PkSettings {
    fn default() -> Self {
        Self {
            breakpoints: Breakpoints::Paper,
            treatment: Treatment::KeepAll,
            warm_start: WarmStart::Search,
            pool: 10,
            random: 10,
            sub_time: Some(Duration::from_secs(60)),
            full_time: None,
            time: Some(Duration::from_secs(600)),
            nodes: None,
            memory: None,
            gap: 1e-3,
            relative_gap: 0.0,
            threads: 1,
            feasibility: 1e-9,
            encoding: None,
            polish: 100,
            polish_from: PolishFrom::Pool,
            true_bound: TrueBound::Certified,
            seed: 0,
            parameters: Vec::new(),
            log: None,
            proof: false,
        }
    }
}

impl PkSettings {
    /// Gurobi's parameters in the paper's Appendix B that no other solver has.
    pub const PAPER_GUROBI: [(&'static str, &'static str); 2] = [("ObjScale", "0.5"), ("ScaleFlag", "1")];

    /// The paper's Appendix B: a gap of 50 %, 1800 s and 5400 s, the solvers' own tolerances, the paper's repair, warm
    /// start and correction, and no bound of the true function.
    pub fn paper() -> Self {
        Self {
            treatment: Treatment::Published,
            warm_start: WarmStart::SubProblem,
            sub_time: Some(Duration::from_secs(1800)),
            full_time: Some(Duration::from_secs(5400)),
            time: Some(Duration::from_secs(1800 + 5400)),
            gap: 0.0,
            relative_gap: 0.5,
            feasibility: 1e-6,
            polish_from: PolishFrom::Best,
            true_bound: TrueBound::Theorem,
            ..Self::default()
        }
    }

    pub(super) fn validated(&self) -> Result<()> {
        let need = |good: bool, name, value, requirement| match good {
            true => Ok(()),
            false => Err(fathom_global::Error::BadLimit { name, value, requirement }.into()),
        };
        for (name, gap) in [("the gap", self.gap), ("the relative gap", self.relative_gap)] {
            need(gap >= 0.0 && gap.is_finite(), name, gap, "finite and not negative")?;
        }
        need(self.pool >= 1, "the pool size", 0.0, "at least 1")
    }

    /// What was asked for, as certificates state it.
    pub(super) fn asked(&self) -> Settings {
        Settings {
            gap: self.gap,
            relative_gap: self.relative_gap,
            time_limit: self.time.map(|time| time.as_secs_f64()),
            node_limit: self.nodes,
            threads: self.threads,
        }
    }

    /// The limits of a search, but for its time, its boxes and its pool.
    pub(super) fn limits(&self) -> Limits {
        Limits {
            gap: self.gap,
            relative_gap: self.relative_gap,
            threads: self.threads,
            seed: self.seed,
            memory: self.memory,
            ..Limits::default()
        }
    }

    /// The settings for the solver of one of the two problems.
    pub(super) fn solver(&self, time: Option<Duration>, start: Option<Vec<f64>>) -> fathom_miqp::Settings {
        fathom_miqp::Settings {
            time_limit: time,
            node_limit: self.nodes,
            memory_limit: Some(self.memory.unwrap_or_else(spare_memory)),
            absolute_gap: self.gap,
            relative_gap: self.relative_gap,
            threads: self.threads,
            feasibility: self.feasibility,
            start,
            pool: self.pool,
            encoding: self.encoding,
            parameters: self.parameters.clone(),
            ..fathom_miqp::Settings::default()
        }
    }
}
