//! The rows of a measurement.

use crate::evidence::{Record, fields};
use anyhow::Context as _;

/// What was timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// A whole ask.
    Ask,
    /// The fit alone.
    Fit,
    /// What of an ask is not the model: reading and adding.
    Store,
    /// A tell.
    Tell,
    /// An ask of one of four workers.
    CrowdedAsk,
    /// A tell of one of four workers.
    CrowdedTell,
}

impl What {
    /// All, in the order of the tables.
    pub const ALL: [Self; 6] = [Self::Ask, Self::Fit, Self::Store, Self::Tell, Self::CrowdedAsk, Self::CrowdedTell];

    /// As `raw.csv` calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Fit => "fit",
            Self::Store => "store",
            Self::Tell => "tell",
            Self::CrowdedAsk => "crowded-ask",
            Self::CrowdedTell => "crowded-tell",
        }
    }
}

/// One line of `raw.csv`.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// `sqlite` or `postgres`.
    pub store: String,
    /// What was timed.
    pub what: What,
    /// What was minimised; nothing in a crowd.
    pub function: String,
    /// Trials of the study before, or the trial's number in a crowd.
    pub trials: u64,
    /// By the clock.
    pub seconds: f64,
    /// Of the thread's CPU; of the store, that of reading alone.
    pub cpu: f64,
}

impl Record for Row {
    const HEAD: &'static str = "store,what,function,trials,seconds,cpu_seconds";

    fn to_line(&self) -> String {
        let Self { store, what, function, trials, seconds, cpu } = self;
        format!("{store},{},{function},{trials},{seconds:?},{cpu:?}", what.name())
    }

    fn parse(line: &str) -> anyhow::Result<Self> {
        let [store, what, function, trials, seconds, cpu] = fields(line)?;
        let known = What::ALL.into_iter().find(|known| known.name() == what);
        Ok(Self {
            store: store.into(),
            what: known.with_context(|| format!("{line}: `{what}` is not measured here"))?,
            function: function.into(),
            trials: trials.parse()?,
            seconds: seconds.parse()?,
            cpu: cpu.parse()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_were_written() {
        for what in What::ALL {
            let (store, function) = ("sqlite".to_owned(), "ackley".to_owned());
            let row = Row { store, what, function, trials: 95, seconds: 0.1 + 0.2, cpu: 1.0 / 3.0 };
            assert_eq!(Row::parse(&row.to_line()).expect("just written"), row);
        }
        assert!(Row::parse("sqlite,sleep,ackley,95,0.1,0.1").is_err());
    }
}
