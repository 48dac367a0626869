//! One node, bounded by one thread.

use super::open::{Node, Waiting};
use crate::bounder::{Bounder, Verdict};
use crate::evaluator::{Evaluate, Evaluator};
use crate::incumbent::{Descent, Incumbent};
use crate::local::reach;
use crate::problem::Problem;
use crate::trail::{FreshEvidence, Trail};

/// One thread's tools.
#[derive(Debug)]
pub struct Worker<'p> {
    pub bounder: Bounder,
    acquisition: Evaluator<'p>,
    descent: Descent,
    candidate: Incumbent,
}

/// A node of the batch and what became of it.
#[derive(Debug)]
pub struct Task {
    pub node: Node,
    pub outcome: Outcome,
    pub bound: f64,
    pub coordinate: usize,
    pub kept: Waiting,
    pub found: Incumbent,
    pub trail: Option<Trail>,
    pub evidence: Option<FreshEvidence>,
}

impl Task {
    pub fn new(problem: &Problem<'_>, recorded: bool) -> Self {
        Self {
            node: Node::default(),
            outcome: Outcome::Unbounded,
            bound: 0.0,
            coordinate: 0,
            kept: Waiting::new(problem),
            found: Incumbent { x: vec![0.0; problem.dim()], value: f64::INFINITY },
            trail: recorded.then(Trail::default),
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
pub struct Aim {
    /// Below this a point is the best so far.
    pub best: f64,
    /// Below this it is of use.
    pub useful: f64,
    /// Below this it is worth a descent.
    pub promising: f64,
}

impl<'p> Worker<'p> {
    pub fn new(problem: &Problem<'p>, recorded: bool) -> Self {
        Self {
            bounder: Bounder::new(problem, recorded),
            acquisition: problem.evaluator().clone(),
            descent: Descent::new(problem.dim()),
            candidate: Incumbent { x: vec![0.0; problem.dim()], value: f64::INFINITY },
        }
    }

    /// Bounds the task's node; it stays [`Outcome::Unbounded`] where there was no time.
    pub fn bound(&mut self, problem: &Problem<'_>, task: &mut Task, cutoff: f64, late: &impl Fn() -> bool) {
        let bounder = &mut self.bounder;
        bounder.lower.copy_from_slice(&task.kept.lower);
        bounder.upper.copy_from_slice(&task.kept.upper);
        bounder.best.copy_from(&task.kept.multiplier);
        bounder.duals.multipliers.copy_from_slice(&task.kept.duals);
        let verdict = bounder.run(problem, task.node.bound, cutoff, late);
        if verdict == Verdict::Abandoned {
            return;
        }
        task.bound = bounder.bound;
        task.found.value = f64::INFINITY;
        if bounder.trail.is_some() {
            std::mem::swap(&mut task.trail, &mut bounder.trail);
            task.evidence = Some(bounder.evidence(problem));
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
        task.coordinate = bounder.branching_coordinate(problem);
        task.kept.lower.copy_from_slice(&bounder.lower);
        task.kept.upper.copy_from_slice(&bounder.upper);
        task.kept.multiplier.copy_from(&bounder.best);
        task.kept.duals.copy_from_slice(&bounder.best_minorant.duals);
    }

    /// Looks for a point where the bound of the task that was bounded last is low.
    pub fn look(&mut self, problem: &Problem<'_>, task: &mut Task, aim: Aim, late: &impl Fn() -> bool) {
        if task.outcome != Outcome::Branch {
            return;
        }
        self.bounder.low_point_in_box(problem, &mut self.candidate.x);
        if !problem.region().is_box() && !reach(problem.region(), &mut self.candidate.x) {
            return;
        }
        self.candidate.value = self.acquisition.value(&self.candidate.x);
        if self.candidate.value < aim.promising && !late() {
            self.descent.run(problem, &mut self.acquisition, &mut self.candidate, 40);
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
