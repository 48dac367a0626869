//! The settings of a method.

use crate::{Gap, Method};
use fathom_global::Limits;
use fathom_gp::{Criterion, Posterior};
use fathom_paper::{Engine, PkSettings};
use std::time::{Duration, Instant};

/// The least time that is left, since solvers do not accept a limit of zero.
const LEAST: Duration = Duration::from_millis(1);

/// The method and its limits. A method ignores the settings that it does not know.
#[derive(Clone)]
pub struct Settings<'s> {
    /// The method; certified by default.
    pub method: Method,
    /// Absolute gap at which the value counts as optimal; see [`Gap`] for the default.
    pub gap: Option<f64>,
    /// The gap relative to |value|; the larger of the two allowances counts.
    pub relative_gap: Option<f64>,
    /// Wall-clock limit of the whole, set-up included.
    pub time: Option<Duration>,
    /// Most boxes of the certified search to bound, or most nodes of the paper's program.
    pub nodes: Option<u64>,
    /// Most bytes for a search; `None` is half of what the machine has free.
    pub memory: Option<u64>,
    /// Threads, ≥ 1; only the time depends on them.
    pub threads: usize,
    /// Seed of the samples.
    pub seed: u64,
    /// How many of the best distinct local minima the certified search reports; the paper's method has its own pool.
    pub pool: usize,
    /// Whether to record a proof.
    pub proof: bool,
    /// The paper's own settings; the gap and time above replace these if they are given, the threads, seed and proof always.
    pub pk: PkSettings,
    /// The engine that solves the paper's program.
    pub engine: Engine<'s>,
}

impl Default for Settings<'_> {
    fn default() -> Self {
        Self {
            method: Method::Certified,
            gap: None,
            relative_gap: None,
            time: None,
            nodes: None,
            memory: None,
            threads: 1,
            seed: 0,
            pool: 0,
            proof: false,
            pk: PkSettings::default(),
            engine: Engine::Embedded,
        }
    }
}

impl Settings<'_> {
    /// The limits of the certified search; the time since `started` is already spent.
    pub fn limits(&self, posterior: &Posterior, criterion: Criterion, started: Instant) -> Limits {
        let gap = Gap::asked(self.gap, self.relative_gap, || Gap::default_for(posterior, criterion));
        Limits {
            gap: gap.absolute,
            relative_gap: gap.relative,
            time: self.time.map(|time| time.saturating_sub(started.elapsed())),
            nodes: self.nodes.unwrap_or(u64::MAX),
            threads: self.threads,
            seed: self.seed,
            pool: self.pool,
            memory: self.memory,
        }
    }

    /// The settings of the paper's method.
    pub fn pk_settings(&self) -> PkSettings {
        let own = Gap { absolute: self.pk.gap, relative: self.pk.relative_gap };
        let gap = Gap::asked(self.gap, self.relative_gap, || own);
        PkSettings {
            gap: gap.absolute,
            relative_gap: gap.relative,
            time: self.time.map(|time| time.max(LEAST)).or(self.pk.time),
            nodes: self.nodes,
            memory: self.memory,
            threads: self.threads,
            seed: self.seed,
            proof: self.proof,
            ..self.pk.clone()
        }
    }
}
