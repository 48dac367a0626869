//! The rows of a comparison.

use crate::evidence::{Record, count, fields, number, optional};
use anyhow::Context as _;

/// Where a row comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Our search.
    Fathom,
    /// The scratch program.
    Yardstick,
    /// The best value known before.
    BestKnown,
    /// Our search while it writes its proof down.
    Proof,
    /// The proof read back and checked.
    Verify,
}

impl Who {
    const ALL: [Self; 5] = [Self::Fathom, Self::Yardstick, Self::BestKnown, Self::Proof, Self::Verify];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Fathom => "fathom",
            Self::Yardstick => "yardstick",
            Self::BestKnown => "best_known",
            Self::Proof => "fathom_proof",
            Self::Verify => "fathom_verify",
        }
    }
}

/// One line of `raw.csv`.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Where it comes from.
    pub who: Who,
    /// The problem.
    pub instance: String,
    /// Its family, `prior` or `bo`.
    pub family: String,
    /// Inputs.
    pub d: usize,
    /// Observations.
    pub n: usize,
    /// As the problem's file calls it.
    pub kernel: String,
    /// From 0.
    pub repetition: usize,
    /// How long it took.
    pub seconds: Option<f64>,
    /// Boxes bounded, or checked.
    pub nodes: Option<u64>,
    /// Best value.
    pub value: Option<f64>,
    /// Proven lower bound.
    pub lower_bound: Option<f64>,
    /// `optimal`, or why not; of a verification `accepted`, or why not.
    pub status: String,
    /// The absolute gap asked for.
    pub gap: f64,
    /// Size of the proof's file.
    pub proof_bytes: Option<u64>,
    /// Seconds allowed.
    pub time_limit: f64,
}

impl Record for Row {
    const HEAD: &'static str =
        "who,instance,family,d,n,kernel,repetition,seconds,nodes,value,lower_bound,status,gap,proof_bytes,time_limit";

    fn to_line(&self) -> String {
        let Self { instance, family, d, n, kernel, repetition, status, gap, time_limit, .. } = self;
        let status = status.replace([',', '\n'], ";");
        let (seconds, value, lower) = (number(self.seconds), number(self.value), number(self.lower_bound));
        let (nodes, bytes) = (count(self.nodes), count(self.proof_bytes));
        let who = self.who.name();
        format!(
            "{who},{instance},{family},{d},{n},{kernel},{repetition},{seconds},{nodes},{value},{lower},{status},\
             {gap:?},{bytes},{time_limit:?}"
        )
    }

    fn parse(line: &str) -> anyhow::Result<Self> {
        let [who, instance, family, d, n, kernel, repetition, seconds, nodes, value, lower, status, gap, bytes, limit] =
            fields(line)?;
        let who = Who::ALL.into_iter().find(|w| w.name() == who).with_context(|| format!("{who}: who is that?"))?;
        Ok(Self {
            who,
            instance: instance.into(),
            family: family.into(),
            d: d.parse()?,
            n: n.parse()?,
            kernel: kernel.into(),
            repetition: repetition.parse()?,
            seconds: optional(seconds)?,
            nodes: optional(nodes)?,
            value: optional(value)?,
            lower_bound: optional(lower)?,
            status: status.into(),
            gap: gap.parse()?,
            proof_bytes: optional(bytes)?,
            time_limit: limit.parse()?,
        })
    }
}

#[cfg(test)]
impl Row {
    /// A solve to write tests with.
    pub fn example(who: Who, instance: &str, seconds: f64) -> Self {
        Self {
            who,
            instance: instance.into(),
            family: "prior".into(),
            d: 1,
            n: 10,
            kernel: "rbf".into(),
            repetition: 0,
            seconds: Some(seconds),
            nodes: Some(7),
            value: Some(-1.0),
            lower_bound: Some(-1.0005),
            status: "optimal".into(),
            gap: 1e-3,
            proof_bytes: None,
            time_limit: 20.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_back_to_the_last_bit() {
        let full = Row { proof_bytes: Some(123), value: Some(-1.0 / 3.0), ..Row::example(Who::Proof, "a", 0.1 + 0.2) };
        let bare = Row { seconds: None, nodes: None, lower_bound: None, ..Row::example(Who::BestKnown, "b", 0.0) };
        for row in [full, bare] {
            assert_eq!(Row::parse(&row.to_line()).expect("just written"), row);
        }
        assert!(Row::parse("fathom,a,prior").is_err());
        assert!(Row::parse(&Row::example(Who::Fathom, "a", 1.0).to_line().replace("fathom", "someone")).is_err());
        let talk = Row { status: "rejected: box 1, side [0, 1]".into(), ..Row::example(Who::Verify, "a", 1.0) };
        assert_eq!(Row::parse(&talk.to_line()).expect("commas are replaced").status, "rejected: box 1; side [0; 1]");
    }
}
