//! Best-first branch and bound over boxes (docs/method.md, Theorem 6 and Lemma 9.1). It works in batches, so that the
//! result does not depend on the number of threads.
//!
//! A batch is a fixed number of open nodes with the lowest bounds. Each node is bounded by itself, against the
//! incumbent known when the batch began; the results are merged in the order of the batch.

mod audit;
mod batch;
mod block;
mod cover;
mod incumbent;
mod known_value;
mod near_optimal;
mod open;
mod pool;
mod record;
mod task;

pub use audit::{Audit, Violation};
pub use near_optimal::{NearOptimal, Nearness};

use crate::bound::Lower;
use crate::certificate::{BoundBy, Certificate, Claim, Repairs, Status, Version};
use crate::error::{Error, Result};
use crate::limits::{Limits, Progress, Stop, spare_memory};
use crate::problem::{Evaluator, Incumbent, Problem};
use crate::rounding;
use batch::Batch;
use fathom_proof::Proof;
use known_value::is_known;
use open::{Open, Waiting};
use pool::Pool;
use record::ProofRecord;
use std::cell::OnceCell;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use task::{Aim, Outcome, Task};

/// The bytes that a search takes without asking how much memory is free.
const FREELY: u64 = 1 << 20;

/// How much a checker's rounding may lower a bound, if the function's unit is `unit`.
fn guard(unit: f64, bound: f64) -> f64 {
    rounding::GUARD * (unit + bound.abs())
}

/// The bound with which a box certainly lies above `value + epsilon`, however `value` was rounded.
fn level_above(problem: &Problem<'_>, value: f64, epsilon: f64, limits: &Limits) -> f64 {
    value + epsilon + rounding::CHECKERS_SHARE * limits.allowance(value) + guard(problem.unit, value.abs() + epsilon)
}

/// The certified global minimum of `problem`, or the best point and bound that the limits allow. `report` is called
/// after every batch.
pub fn minimise(
    problem: &Problem<'_>,
    limits: &Limits,
    stop: &Stop,
    report: impl FnMut(Progress),
) -> Result<Certificate> {
    Ok(run(problem, limits, stop, report, false)?.0)
}

/// As [`minimise`], with a proof that `fathom_check` can check; `None` if nothing was proven. The search ends early
/// enough to write the proof within the time limit, approximately.
pub fn minimise_with_proof(
    problem: &Problem<'_>,
    limits: &Limits,
    stop: &Stop,
    report: impl FnMut(Progress),
) -> Result<(Certificate, Option<Proof>)> {
    run(problem, limits, stop, report, true)
}

fn run(
    problem: &Problem<'_>,
    limits: &Limits,
    stop: &Stop,
    mut report: impl FnMut(Progress),
    recorded: bool,
) -> Result<(Certificate, Option<Proof>)> {
    limits.validated()?;
    if recorded && !problem.is_whole {
        return Err(Error::Unsupported { what: "a proof about one term of an additive model" });
    }
    let mut search = Search::new(problem, limits, stop, recorded)?;
    let status = loop {
        if search.open.is_empty() && !search.incumbent.exists() && search.closed == Lower::OF_NO_POINT {
            break Status::Infeasible;
        }
        if search.incumbent.exists() && search.lowest().reaches(search.cutoff()) {
            break Status::Optimal;
        }
        if search.is_full {
            break Status::MemoryLimit;
        }
        if search.open.is_empty() {
            break Status::Exhausted;
        }
        if stop.load(Ordering::Relaxed) {
            break Status::Interrupted;
        }
        if search.is_late() {
            break Status::TimeLimit;
        }
        if search.nodes >= limits.nodes {
            break Status::NodeLimit;
        }
        search.advance(stop);
        report(search.progress());
    };
    Ok(search.finish(status, stop))
}

/// A running search.
struct Search<'s, 'p> {
    problem: &'s Problem<'p>,
    limits: &'s Limits,
    started: Instant,
    batch: Batch<'p>,
    open: Open,
    incumbent: Incumbent,
    pool: Pool,
    /// The lowest bound of all boxes closed so far.
    closed: Lower,
    nodes: u64,
    next_id: u64,
    record: Option<ProofRecord>,
    /// Most bytes of open boxes and record; the system is asked when a search needs more than [`FREELY`].
    memory: OnceCell<u64>,
    /// Whether a box was given up because there was no memory for what follows from it.
    is_full: bool,
}

impl<'s, 'p> Search<'s, 'p> {
    fn new(problem: &'s Problem<'p>, limits: &'s Limits, stop: &Stop, recorded: bool) -> Result<Self> {
        let started = Instant::now();
        let is_over = || limits.time.is_some_and(|limit| started.elapsed() >= limit);
        let late = || stop.load(Ordering::Relaxed) || is_over();
        let met = Incumbent::search(problem, limits.seed, limits.pool > 0, late);
        let mut pool = Pool::new(limits.pool);
        met.iter().for_each(|end| pool.offer(problem.region(), end));
        let incumbent = met.into_iter().min_by(|a, b| a.value.total_cmp(&b.value)).unwrap_or_else(Incumbent::none);
        let mut batch = Batch::new(problem, limits.threads, recorded);
        let roots = (0..problem.pieces.len()).map(|piece| Waiting::root(problem, piece, &mut batch.workers[0].node));
        let roots: Vec<Waiting> = roots.collect();
        let mut search = Self {
            problem,
            limits,
            started,
            batch,
            open: Open::new(problem),
            incumbent,
            pool,
            closed: Lower::OF_NO_POINT,
            nodes: 0,
            next_id: problem.pieces.len() as u64,
            record: recorded.then(|| ProofRecord::new(problem)),
            memory: limits.memory.map_or_else(OnceCell::new, OnceCell::from),
            is_full: false,
        };
        for (piece, root) in roots.iter().enumerate() {
            if search.has_room(1, None) {
                search.open.push(Lower::of_function(problem), piece as u64, root);
            } else {
                search.give_up(Lower::of_function(problem));
            }
        }
        Ok(search)
    }

    /// Whether there is memory for `boxes` more open boxes, and for the record of a task.
    fn has_room(&self, boxes: usize, task: Option<&Task>) -> bool {
        let recorded = self.record.as_ref().map_or(0, |record| match task {
            None => record.bytes(),
            Some(task) => record.bytes_while_adding(task),
        });
        let needed = self.open.bytes_while_adding(boxes) + recorded;
        if self.memory.get().is_none() && needed <= FREELY {
            return true;
        }
        needed <= *self.memory.get_or_init(spare_memory)
    }

    /// Leaves a box with what is proven of it, because there is no memory for more. The search ends soon.
    fn give_up(&mut self, bound: Lower) {
        self.closed = self.closed.and(bound);
        self.is_full = true;
    }

    /// The lowest bound of all boxes, open or closed.
    fn lowest(&self) -> Lower {
        self.open.lowest().and(self.closed)
    }

    /// The bound that closes a box.
    fn cutoff(&self) -> f64 {
        let value = self.incumbent.value;
        if !self.incumbent.exists() {
            return f64::INFINITY;
        }
        let allowance = self.limits.allowance(value);
        // Slightly more than `lower_bound` subtracts, so that the rounded difference is at most the allowance.
        (value - (1.0 - rounding::CHECKERS_SHARE) * allowance + 1.01 * self.guard(value.abs() + allowance)).min(value)
    }

    /// The bound that is claimed: a little below the bound that was reached.
    fn lower_bound(&self) -> f64 {
        let lowest = self.lowest().value().min(self.incumbent.value);
        if !self.incumbent.exists() {
            return lowest - self.guard(lowest);
        }
        let value = self.incumbent.value;
        let share = rounding::CHECKERS_SHARE * self.limits.allowance(value);
        lowest - share.max(rounding::CHECKERS_SHARE_OF_THE_REST * (value - lowest)) - self.guard(lowest)
    }

    fn guard(&self, bound: f64) -> f64 {
        guard(self.problem.unit, bound)
    }

    /// When the search must end: at the time limit, less the time to write the proof.
    fn deadline(&self) -> Option<Instant> {
        let writing = self.record.as_ref().map_or(Duration::ZERO, ProofRecord::writing);
        self.limits.time.map(|limit| self.started + limit.saturating_sub(writing))
    }

    fn is_late(&self) -> bool {
        self.deadline().is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn progress(&self) -> Progress {
        Progress {
            value: self.incumbent.value,
            lower_bound: self.lower_bound(),
            nodes: self.nodes,
            open: self.open.len(),
            elapsed: self.started.elapsed(),
        }
    }

    fn advance(&mut self, stop: &Stop) {
        let cutoff = self.cutoff();
        let (count, closed) = self.batch.take(self.problem, &mut self.open, cutoff);
        self.closed = self.closed.and(closed);
        let deadline = self.deadline();
        let late = || stop.load(Ordering::Relaxed) || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let (problem, aim) = (self.problem, Aim::new(self.problem, &self.incumbent, self.pool.threshold()));
        self.batch.work(count, |worker, task| {
            if !late() {
                worker.bound(problem, task, cutoff, &late);
                worker.look(problem, task, aim, &late);
            }
        });
        for index in 0..count {
            self.merge(index, cutoff);
        }
    }

    /// Takes over the outcome of a task: an incumbent, two children, or a closed box.
    fn merge(&mut self, index: usize, cutoff: f64) {
        let (entry, outcome) = (self.batch.tasks[index].entry, self.batch.tasks[index].outcome);
        let has_room = match outcome {
            Outcome::Unbounded => self.has_room(1, None),
            Outcome::Branch => self.has_room(2, Some(&self.batch.tasks[index])),
            Outcome::Pruned | Outcome::Empty { .. } => self.has_room(0, Some(&self.batch.tasks[index])),
        };
        if !has_room {
            // What was just proven of the box would need a record, too.
            self.give_up(entry.bound);
            return;
        }
        let task = &mut self.batch.tasks[index];
        if outcome == Outcome::Unbounded {
            self.open.push(entry.bound, entry.id, &task.kept);
            return;
        }
        self.nodes += 1;
        if let Some(record) = &mut self.record {
            record.add(task, self.next_id as usize, self.problem.region());
        }
        self.pool.offer(self.problem.region(), &task.found);
        if task.found.value < self.incumbent.value {
            self.incumbent.clone_from(&task.found);
        }
        // What was narrowed away or pruned is at or above the cutoff.
        self.closed = self.closed.and(Lower::of_closed(cutoff));
        if matches!(outcome, Outcome::Pruned | Outcome::Empty { .. }) {
            return;
        }
        let (j, bound) = (task.coordinate, task.bound);
        let Some((middle, next)) = task.kept.halves(j, self.problem.region()) else {
            self.closed = self.closed.and(bound);
            self.next_id += 2;
            return;
        };
        let high = task.kept.upper[j];
        task.kept.upper[j] = middle;
        self.open.push(bound, self.next_id, &task.kept);
        (task.kept.lower[j], task.kept.upper[j]) = (next, high);
        self.open.push(bound, self.next_id + 1, &task.kept);
        self.next_id += 2;
    }

    fn finish(mut self, status: Status, stop: &Stop) -> (Certificate, Option<Proof>) {
        let pool = std::mem::replace(&mut self.pool, Pool::new(0));
        let late = || stop.load(Ordering::Relaxed) || self.is_late();
        let pool = pool.settled(self.problem, &self.incumbent, late);
        // Settling may have found a slightly better point.
        if let Some(best) = pool.first() {
            self.incumbent.clone_from(best);
        }
        let lower_bound = Some(self.lower_bound()).filter(|bound| bound.is_finite());
        let is_proven = lower_bound.is_some() || status == Status::Infeasible;
        let proof = self.record.filter(|_| is_proven).map(|record| {
            // A proof claims the value of a point only if rounding leaves the value known.
            let is_known = self.incumbent.exists() && is_known(self.problem, &self.incumbent);
            record.proof(self.problem, is_known.then_some(&self.incumbent), lower_bound)
        });
        let gap = Certificate::difference(self.incumbent.value, lower_bound);
        let certificate = Certificate {
            version: Version,
            claim: claim(self.problem),
            relative_gap: Certificate::relative(gap, self.incumbent.value),
            gap,
            lower_bound,
            status,
            nodes: self.nodes,
            seconds: self.started.elapsed().as_secs_f64(),
            seed: self.limits.seed,
            settings: self.limits.into(),
            repairs: repairs(self.problem),
            value: self.incumbent.value,
            x: self.incumbent.x,
            pool,
        };
        (certificate, proof)
    }
}

/// What a certificate of the problem is about.
fn claim(problem: &Problem<'_>) -> Claim {
    let criterion = problem.acquisition().criterion().name();
    match problem.evaluator() {
        Evaluator::Exact(_) => Claim::Acquisition { criterion },
        Evaluator::PiecewiseLinear(_) => Claim::PiecewiseLinear { criterion, bound_by: BoundBy::Proof },
    }
}

/// What had to be changed to make the numbers work.
fn repairs(problem: &Problem<'_>) -> Repairs {
    let (jitter, shift) = problem.added_to_diagonal();
    Repairs { jitter, shift }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::region::Region;
    use crate::testing::lattice;
    use fathom_gp::{Covariance, Criterion, Kernel, Model};

    /// The memory that the search accounts for.
    fn bytes(search: &Search<'_, '_>) -> u64 {
        search.open.bytes_while_adding(0) + search.record.as_ref().map_or(0, ProofRecord::bytes)
    }

    #[test]
    fn a_search_never_holds_more_than_its_memory_and_keeps_what_it_has_proven() {
        let covariance = Covariance::isotropic(Kernel::Matern32, 2, 1.0, 0.2).unwrap();
        let posterior = Model::new(covariance, 1e-4).unwrap().condition(&lattice(20, 2)).unwrap();
        let region = || Region::new(&[(0.0, 1.0), (0.0, 1.0)]).unwrap();
        let problem = Problem::new(&posterior, Criterion::Lcb { kappa: 2.0 }, region()).unwrap();
        let minimum = minimise(&problem, &Limits::default(), &Stop::new(false), |_| {}).unwrap().value;
        for recorded in [false, true] {
            let mut bounds = Vec::new();
            for memory in [0, 100, 2_000, 50_000, 500_000] {
                let limits = Limits { gap: 0.0, nodes: 100_000, memory: Some(memory), ..Limits::default() };
                let mut search = Search::new(&problem, &limits, &Stop::new(false), recorded).unwrap();
                while !search.is_full {
                    assert!(bytes(&search) <= memory || search.nodes == 0, "{} of {memory}", bytes(&search));
                    search.advance(&Stop::new(false));
                }
                assert!(bytes(&search) <= memory || search.nodes == 0, "{} of {memory}", bytes(&search));
                let (certificate, proof) = run(&problem, &limits, &Stop::new(false), |_| {}, recorded).unwrap();
                assert_eq!(certificate.status, Status::MemoryLimit);
                assert_eq!(certificate.lower_bound.is_some() && recorded, proof.is_some());
                if let Some(proof) = proof {
                    assert_eq!(fathom_check::verify(&proof).unwrap().lower_bound, certificate.lower_bound);
                }
                let bound = certificate.lower_bound.unwrap_or(f64::NEG_INFINITY);
                assert!(bound <= minimum, "{bound} above {minimum}");
                bounds.push(bound);
            }
            assert!(bounds.is_sorted() && bounds[4] > bounds[2], "{bounds:?}");
        }
    }
}
