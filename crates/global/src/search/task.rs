//! One node, bounded by one thread.

use super::incumbent::is_near;
use super::open::{OpenBox, Waiting};
use crate::bound::{FreshEvidence, Lower, NodeRecord};
use crate::local::{Descent, reach};
use crate::node::{Node, Verdict};
use crate::problem::{Evaluate, Evaluator, Incumbent, Problem};

/// One thread's tools.
#[derive(Debug)]
pub struct Worker<'p> {
    pub node: Node,
    acquisition: Evaluator<'p>,
    descent: Descent,
    candidate: Incumbent,
}

/// A node of the batch and its outcome.
#[derive(Debug)]
pub struct Task {
    pub entry: OpenBox,
    pub outcome: Outcome,
    pub bound: Lower,
    pub coordinate: usize,
    pub kept: Waiting,
    pub found: Incumbent,
    pub record: Option<NodeRecord>,
    pub evidence: Option<FreshEvidence>,
}

impl Task {
    pub fn new(problem: &Problem<'_>, recorded: bool) -> Self {
        Self {
            entry: OpenBox::default(),
            outcome: Outcome::Unbounded,
            bound: Lower::UNKNOWN,
            coordinate: 0,
            kept: Waiting::new(problem),
            found: Incumbent { x: vec![0.0; problem.dim()], value: f64::INFINITY },
            record: recorded.then(NodeRecord::default),
            evidence: None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    Unbounded,
    Pruned,
    Empty { row: usize },
    Branch,
}

/// Which points are worth looking for.
#[derive(Debug, Clone, Copy)]
pub struct Aim<'a> {
    /// The best point so far, if descents from near it are of no use.
    pub known: Option<&'a [f64]>,
    /// A point below this value is the best so far.
    pub best: f64,
    /// A point below this value is of use.
    pub useful: f64,
    /// A point below this value is worth a descent.
    pub promising: f64,
}

impl<'a> Aim<'a> {
    /// The aim if `incumbent` is the best point so far, and points below `wanted` are of use.
    pub fn new(problem: &Problem<'_>, incumbent: &'a Incumbent, wanted: f64) -> Self {
        let best = incumbent.value;
        // Log EI rises by units within a fraction of a lengthscale.
        let margin = match problem.improvement {
            Some(improvement) if improvement.is_logarithm() => 0.5,
            _ => 0.02 * (best.abs() + 1e-3 * problem.unit),
        };
        let nearly = if best.is_finite() { best + margin } else { f64::INFINITY };
        // Other minima may lie near the best one.
        let known = (wanted == f64::NEG_INFINITY).then_some(&incumbent.x[..]);
        Self { known, best, useful: best.max(wanted), promising: nearly.max(wanted) }
    }
}

impl<'p> Worker<'p> {
    pub fn new(problem: &Problem<'p>, recorded: bool) -> Self {
        Self {
            node: Node::new(problem, recorded),
            acquisition: problem.evaluator().clone(),
            descent: Descent::new(problem.dim()),
            candidate: Incumbent { x: vec![0.0; problem.dim()], value: f64::INFINITY },
        }
    }

    /// Bounds the task's node; the task stays [`Outcome::Unbounded`] if there was no time.
    pub fn bound(&mut self, problem: &Problem<'_>, task: &mut Task, cutoff: f64, late: &dyn Fn() -> bool) {
        let node = &mut self.node;
        node.lower.copy_from_slice(&task.kept.lower);
        node.upper.copy_from_slice(&task.kept.upper);
        node.best.multiplier.copy_from(&task.kept.multiplier);
        node.rows.multipliers.copy_from_slice(&task.kept.duals);
        let verdict = node.run(problem, task.entry.bound, cutoff, late);
        if verdict == Verdict::Abandoned {
            return;
        }
        task.bound = node.bound;
        task.found.value = f64::INFINITY;
        if node.record.is_some() {
            std::mem::swap(&mut task.record, &mut node.record);
            task.evidence = Some(node.evidence(problem));
        }
        match verdict {
            Verdict::Pruned => {
                task.outcome = Outcome::Pruned;
                return;
            }
            Verdict::Empty { row } => {
                task.outcome = Outcome::Empty { row };
                return;
            }
            Verdict::Open | Verdict::Abandoned => {}
        }
        task.outcome = Outcome::Branch;
        task.coordinate = node.branching_coordinate(problem);
        task.kept.lower.copy_from_slice(&node.lower);
        task.kept.upper.copy_from_slice(&node.upper);
        task.kept.multiplier.copy_from(&node.best.multiplier);
        task.kept.duals.copy_from_slice(&node.best.minorant.duals);
    }

    /// Looks for a point at which the bound of the last task is low.
    pub fn look(&mut self, problem: &Problem<'_>, task: &mut Task, aim: Aim<'_>, late: &dyn Fn() -> bool) {
        if task.outcome != Outcome::Branch {
            return;
        }
        self.node.low_point_in_box(problem, &mut self.candidate.x);
        if !problem.region().is_box() && !reach(problem.region(), &mut self.candidate.x) {
            return;
        }
        self.candidate.value = self.acquisition.value(&self.candidate.x);
        let is_known = aim.known.is_some_and(|known| is_near(problem, &self.candidate.x, known));
        let is_new = self.candidate.value < aim.best || !is_known;
        if is_new && self.candidate.value < aim.promising && !late() {
            self.descent.run(problem, &mut self.acquisition, &mut self.candidate, (40, aim.useful));
            if self.candidate.value < aim.best {
                self.candidate.polish(problem, &mut self.acquisition);
            }
        }
        if self.candidate.value < aim.useful {
            task.found.x.copy_from_slice(&self.candidate.x);
            task.found.value = self.candidate.value;
        }
    }
}
