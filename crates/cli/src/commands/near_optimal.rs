//! What `fathom solve --near-optimal` adds.

use super::text::coordinates;
use crate::args::Near;
use fathom_global::{Certificate, Incumbent, Limits, NearOptimal, Nearness, Problem, Progress, Result, Stop};
use serde::Serialize;
use std::io::Write;

/// The boxes and a choice of points.
#[derive(Debug, Serialize)]
pub struct NearBy {
    #[serde(flatten)]
    set: NearOptimal,
    diverse: Vec<Incumbent>,
}

impl NearBy {
    /// What was asked for, if anything was.
    pub fn find(
        args: &Near,
        problem: &Problem<'_>,
        certificate: &Certificate,
        limits: &Limits,
        stop: &Stop,
        report: impl FnMut(Progress),
    ) -> Result<Option<Self>> {
        let Some(epsilon) = args.near_optimal else { return Ok(None) };
        let near = Nearness { epsilon, resolution: args.resolution };
        let set = NearOptimal::around(problem, certificate.clone(), near, limits, stop, report)?;
        let diverse = set.diverse(problem, args.diverse);
        Ok(Some(Self { set, diverse }))
    }

    /// Whether every box is as small as it should be.
    pub fn is_complete(&self) -> bool {
        self.set.complete
    }

    pub fn print(&self, out: &mut impl Write) -> std::io::Result<()> {
        let NearOptimal { epsilon, complete, share, boxes, .. } = &self.set;
        let cut_short = if *complete { "" } else { ", cut short by a limit" };
        let (count, percent) = (boxes.len(), 100.0 * share);
        writeln!(
            out,
            "  near         every point within {epsilon} lies in one of {count} boxes, {percent:.3} % of the region{cut_short}"
        )?;
        writeln!(out, "               by the search's own word: no proof file covers these boxes")?;
        for point in &self.diverse {
            writeln!(out, "  diverse      {:.6} at {}", point.value, coordinates(&point.x))?;
        }
        Ok(())
    }
}
