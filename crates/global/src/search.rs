//! Best-first branch and bound over boxes, in batches so that the result does not depend on the number of threads.
//!
//! A batch is the `BATCH` open nodes with the lowest bounds. Its nodes are bounded independently of each other against
//! the incumbent known when the batch began, and what they found is merged in the order of the batch. Which thread
//! bounds which node changes nothing but time.

use crate::bounder::{Bounder, Multiplier, Verdict};
use crate::certificate::{Certificate, Claim, Repairs, Status, Version};
use crate::error::{Error, Result};
use crate::incumbent::{Descent, Incumbent};
use crate::local::reach;
use crate::problem::Problem;
use crate::proof::{End, Evidence, MultiplierId, Proof, Record, Statement, Step, Trail};
use fathom_gp::Acquisition;
use rayon::prelude::*;
use std::cmp::Ordering as Order;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Nodes bounded between two looks at the incumbent; enough to keep a few cores busy.
const BATCH: usize = 32;

/// The share of the gap that is not used up, so that a checker with its own rounding finds the claim easily true.
const CHECKERS_SHARE: f64 = 0.02;

/// What a checker's rounding may take off a bound.
fn rounding(bound: f64) -> f64 {
    1e-10 * (1.0 + bound.abs())
}

/// When to stop.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Absolute gap at which the value counts as optimal, ≥ 0. Tight gaps cost little: from 1e-1 to 1e-6 the nodes
    /// grow by half.
    pub gap: f64,
    /// The same relative to |value|; the larger of the two allowances counts. 0 by default.
    pub relative_gap: f64,
    /// Wall-clock limit.
    pub time: Option<Duration>,
    /// Most boxes to bound.
    pub nodes: u64,
    /// Threads, ≥ 1.
    pub threads: usize,
    /// Seed of the first samples.
    pub seed: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { gap: 1e-4, relative_gap: 0.0, time: None, nodes: u64::MAX, threads: 1, seed: 0 }
    }
}

impl Limits {
    fn validated(&self) -> Result<()> {
        for (name, value) in [("the gap", self.gap), ("the relative gap", self.relative_gap)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::BadLimit { name, value, requirement: "finite and not negative" });
            }
        }
        if self.threads == 0 {
            return Err(Error::BadLimit { name: "the thread count", value: 0.0, requirement: "at least 1" });
        }
        Ok(())
    }

    /// How far below `value` the lower bound may be.
    fn allowance(&self, value: f64) -> f64 {
        self.gap.max(self.relative_gap * value.abs())
    }
}

/// Where a search stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Best value so far.
    pub value: f64,
    /// Proven lower bound so far.
    pub lower_bound: f64,
    /// Boxes bounded.
    pub nodes: u64,
    /// Boxes still open.
    pub open: usize,
    /// Since the start.
    pub elapsed: Duration,
}

/// Asks a running search to stop; share it with whoever may want to.
pub type Stop = AtomicBool;

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

/// As [`minimise`], with a proof that [`verify`](crate::verify) can check; `None` where nothing was proven.
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
    let mut search = Search::new(problem, limits, recorded)?;
    let status = loop {
        if search.open.is_empty() && !search.incumbent.exists() && search.closed == f64::INFINITY {
            break Status::Infeasible;
        }
        if search.incumbent.exists() && search.lowest() >= search.cutoff() {
            break Status::Optimal;
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
        search.batch(stop);
        report(search.progress());
    };
    Ok(search.finish(status))
}

/// An open node: its bound, its age, and where its box and multiplier are kept.
#[derive(Debug, Clone, Copy)]
struct Node {
    bound: f64,
    id: u64,
    slot: usize,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Order::Equal
    }
}

impl Eq for Node {}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Order> {
        Some(self.cmp(other))
    }
}

impl Ord for Node {
    /// The lowest bound is the greatest, for a max-heap; the older of equals.
    fn cmp(&self, other: &Self) -> Order {
        other.bound.total_cmp(&self.bound).then(other.id.cmp(&self.id))
    }
}

/// The boxes and multipliers of open nodes, in a few large blocks: a slot is taken and given back without touching the
/// allocator, but for the doublings of a block that is full.
#[derive(Debug)]
struct Slots {
    dim: usize,
    size: usize,
    /// Lower then upper ends.
    boxes: Vec<f64>,
    multipliers: Vec<f64>,
    roots: Vec<(f64, MultiplierId)>,
    /// λ of the rows.
    duals: Vec<f64>,
    rows: usize,
    free: Vec<usize>,
}

impl Slots {
    fn new(problem: &Problem<'_>) -> Self {
        let (dim, size) = (problem.dim(), problem.size());
        Self {
            dim,
            size,
            rows: problem.region().rows().len(),
            boxes: Vec::new(),
            multipliers: Vec::new(),
            roots: Vec::new(),
            duals: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Keeps a copy; the slot it is in.
    fn put(&mut self, kept: &Waiting) -> usize {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.boxes.resize(self.boxes.len() + 2 * self.dim, 0.0);
            self.multipliers.resize(self.multipliers.len() + self.size, 0.0);
            self.duals.resize(self.duals.len() + self.rows, 0.0);
            self.roots.push((0.0, kept.multiplier.id));
            self.roots.len() - 1
        });
        let (lower, upper) = self.boxes[2 * self.dim * slot..2 * self.dim * (slot + 1)].split_at_mut(self.dim);
        lower.copy_from_slice(&kept.lower);
        upper.copy_from_slice(&kept.upper);
        self.multipliers[self.size * slot..self.size * (slot + 1)].copy_from_slice(&kept.multiplier.g);
        self.roots[slot] = (kept.multiplier.root, kept.multiplier.id);
        self.duals[self.rows * slot..self.rows * (slot + 1)].copy_from_slice(&kept.duals);
        slot
    }

    /// Copies a slot out and gives it back.
    fn take(&mut self, slot: usize, out: &mut Waiting) {
        let (lower, upper) = self.boxes[2 * self.dim * slot..2 * self.dim * (slot + 1)].split_at(self.dim);
        out.lower.copy_from_slice(lower);
        out.upper.copy_from_slice(upper);
        out.multiplier.g.copy_from_slice(&self.multipliers[self.size * slot..self.size * (slot + 1)]);
        (out.multiplier.root, out.multiplier.id) = self.roots[slot];
        out.duals.copy_from_slice(&self.duals[self.rows * slot..self.rows * (slot + 1)]);
        self.free.push(slot);
    }
}

/// What a node keeps while it waits.
#[derive(Debug, Clone)]
struct Waiting {
    lower: Vec<f64>,
    upper: Vec<f64>,
    multiplier: Multiplier,
    duals: Vec<f64>,
}

impl Waiting {
    fn new(problem: &Problem<'_>) -> Self {
        let zeros = vec![0.0; problem.dim()];
        Self {
            lower: zeros.clone(),
            upper: zeros,
            multiplier: Multiplier::zero(problem.size()),
            duals: vec![0.0; problem.region().rows().len()],
        }
    }
}

impl Waiting {
    /// Where the box is split in coordinate `j`; the last of the lower half where it is `whole`.
    fn middle(&self, j: usize, whole: bool) -> f64 {
        let middle = 0.5 * (self.lower[j] + self.upper[j]);
        if whole { middle.floor() } else { middle }
    }
}

/// One thread's tools.
#[derive(Debug)]
struct Worker<'p> {
    bounder: Bounder,
    acquisition: Acquisition<'p>,
    descent: Descent,
    candidate: Incumbent,
}

/// A node of the batch and what became of it.
#[derive(Debug)]
struct Task {
    node: Node,
    outcome: Outcome,
    bound: f64,
    coordinate: usize,
    kept: Waiting,
    found: Incumbent,
    trail: Option<Trail>,
    evidence: Option<Evidence>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Outcome {
    Unbounded,
    Pruned,
    Empty { row: usize },
    Branch,
}

struct Search<'s, 'p> {
    problem: &'s Problem<'p>,
    limits: &'s Limits,
    started: Instant,
    pool: Option<rayon::ThreadPool>,
    workers: Vec<Worker<'p>>,
    tasks: Vec<Task>,
    open: BinaryHeap<Node>,
    slots: Slots,
    incumbent: Incumbent,
    /// The lowest bound of everything closed so far.
    closed: f64,
    nodes: u64,
    next_id: u64,
    notes: Option<Notes>,
}

/// What has been written down for the proof: the record of node `id` is `records[id]`.
#[derive(Debug, Default)]
struct Notes {
    multipliers: Vec<Vec<f64>>,
    records: Vec<Record>,
}

impl<'s, 'p> Search<'s, 'p> {
    fn new(problem: &'s Problem<'p>, limits: &'s Limits, recorded: bool) -> Result<Self> {
        let started = Instant::now();
        let late = || limits.time.is_some_and(|limit| started.elapsed() >= limit);
        let incumbent = Incumbent::search(problem, limits.seed, late);
        let pool = match limits.threads {
            1 => None,
            threads => rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok(),
        };
        let worker = |_| Worker {
            bounder: Bounder::new(problem, recorded),
            acquisition: problem.acquisition().clone(),
            descent: Descent::new(problem.dim()),
            candidate: Incumbent { x: vec![0.0; problem.dim()], value: f64::INFINITY },
        };
        let mut workers: Vec<Worker<'p>> = (0..limits.threads).map(worker).collect();
        let task = |_| Task {
            node: Node { bound: 0.0, id: 0, slot: 0 },
            outcome: Outcome::Unbounded,
            bound: 0.0,
            coordinate: 0,
            kept: Waiting::new(problem),
            found: Incumbent { x: vec![0.0; problem.dim()], value: f64::INFINITY },
            trail: recorded.then(Trail::default),
            evidence: None,
        };
        let bounder = &mut workers[0].bounder;
        bounder.start(problem);
        let root = Waiting {
            lower: problem.region().lower().to_vec(),
            upper: problem.region().upper().to_vec(),
            multiplier: bounder.best.clone(),
            duals: vec![0.0; problem.region().rows().len()],
        };
        let mut slots = Slots::new(problem);
        let slot = slots.put(&root);
        Ok(Self {
            problem,
            limits,
            started,
            pool,
            workers,
            tasks: (0..BATCH).map(task).collect(),
            open: BinaryHeap::from([Node { bound: f64::NEG_INFINITY, id: 0, slot }]),
            slots,
            incumbent,
            closed: f64::INFINITY,
            nodes: 0,
            next_id: 1,
            notes: recorded
                .then(|| Notes { multipliers: vec![problem.weights.clone()], records: vec![Record::default()] }),
        })
    }

    /// The lowest bound still open, or of what is closed where nothing is open.
    fn lowest(&self) -> f64 {
        self.open.peek().map_or(self.closed, |node| node.bound.min(self.closed))
    }

    /// What a box must reach to be closed.
    fn cutoff(&self) -> f64 {
        let value = self.incumbent.value;
        if !self.incumbent.exists() {
            return f64::INFINITY;
        }
        let allowance = self.limits.allowance(value);
        (value - (1.0 - CHECKERS_SHARE) * allowance + rounding(value.abs() + allowance)).min(value)
    }

    /// What is claimed: a little less than what was reached.
    fn lower_bound(&self) -> f64 {
        let lowest = self.lowest().min(self.incumbent.value);
        if !self.incumbent.exists() {
            return lowest - rounding(lowest);
        }
        lowest - CHECKERS_SHARE * self.limits.allowance(self.incumbent.value) - rounding(lowest)
    }

    fn is_late(&self) -> bool {
        self.limits.time.is_some_and(|limit| self.started.elapsed() >= limit)
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

    fn batch(&mut self, stop: &Stop) {
        let cutoff = self.cutoff();
        let mut count = 0;
        while count < BATCH {
            let Some(node) = self.open.pop() else { break };
            let task = &mut self.tasks[count];
            self.slots.take(node.slot, &mut task.kept);
            if node.bound >= cutoff {
                self.closed = self.closed.min(node.bound);
                continue;
            }
            task.node = node;
            task.outcome = Outcome::Unbounded;
            count += 1;
        }
        let deadline = self.limits.time.map(|limit| self.started + limit);
        let late = || stop.load(Ordering::Relaxed) || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let (problem, best) = (self.problem, self.incumbent.value);
        let tasks = &mut self.tasks[..count];
        match &self.pool {
            None => {
                for task in tasks {
                    if !late() {
                        self.workers[0].run(problem, task, cutoff, best, &late);
                    }
                }
            }
            Some(pool) => {
                let share = count.div_ceil(self.workers.len()).max(1);
                pool.install(|| {
                    tasks.par_chunks_mut(share).zip(&mut self.workers).for_each(|(tasks, worker)| {
                        for task in tasks {
                            if !late() {
                                worker.run(problem, task, cutoff, best, &late);
                            }
                        }
                    });
                });
            }
        }
        for index in 0..count {
            self.merge(index, cutoff);
        }
    }

    /// Takes over what became of a task: an incumbent, two children, or a closed box.
    fn merge(&mut self, index: usize, cutoff: f64) {
        let task = &mut self.tasks[index];
        let node = task.node;
        if task.outcome == Outcome::Unbounded {
            self.open.push(Node { slot: self.slots.put(&task.kept), ..node });
            return;
        }
        self.nodes += 1;
        if let Some(notes) = &mut self.notes {
            notes.add(task, self.next_id as usize, self.problem.region().integer()[task.coordinate]);
        }
        if task.found.value < self.incumbent.value {
            self.incumbent.clone_from(&task.found);
        }
        // What was narrowed away or pruned is at or above the cutoff.
        self.closed = self.closed.min(cutoff);
        if matches!(task.outcome, Outcome::Pruned | Outcome::Empty { .. }) {
            return;
        }
        let (j, bound) = (task.coordinate, task.bound);
        let whole = self.problem.region().integer()[j];
        let (low, middle, high) = (task.kept.lower[j], task.kept.middle(j, whole), task.kept.upper[j]);
        let next = if whole { middle + 1.0 } else { middle };
        if !(low < high && low <= middle && next <= high && (whole || (low < middle && middle < high))) {
            self.closed = self.closed.min(bound);
            self.next_id += 2;
            return;
        }
        task.kept.upper[j] = middle;
        self.open.push(Node { bound, id: self.next_id, slot: self.slots.put(&task.kept) });
        (task.kept.lower[j], task.kept.upper[j]) = (next, high);
        self.open.push(Node { bound, id: self.next_id + 1, slot: self.slots.put(&task.kept) });
        self.next_id += 2;
    }

    fn finish(self, status: Status) -> (Certificate, Option<Proof>) {
        let lower_bound = Some(self.lower_bound()).filter(|bound| bound.is_finite());
        let best = self.incumbent.exists().then_some(&self.incumbent);
        let is_proven = lower_bound.is_some() || status == Status::Infeasible;
        let proof = self.notes.filter(|_| is_proven).map(|notes| Proof {
            statement: Statement::new(self.problem, best, lower_bound),
            multipliers: notes.multipliers,
            records: notes.records,
        });
        let acquisition = self.problem.acquisition();
        let gap = Certificate::difference(self.incumbent.value, lower_bound);
        let certificate = Certificate {
            version: Version,
            claim: Claim::Acquisition { criterion: acquisition.criterion().into() },
            relative_gap: Certificate::relative(gap, self.incumbent.value),
            gap,
            lower_bound,
            status,
            nodes: self.nodes,
            seconds: self.started.elapsed().as_secs_f64(),
            seed: self.limits.seed,
            settings: self.limits.into(),
            repairs: Repairs { jitter: acquisition.posterior().factor().jitter() },
            value: self.incumbent.value,
            x: self.incumbent.x,
        };
        (certificate, proof)
    }
}

impl Notes {
    /// Writes down what became of a task; its children, if any, will be `next_id` and the one after it.
    fn add(&mut self, task: &mut Task, next_id: usize, whole: bool) {
        let base = self.multipliers.len();
        let trail = task.trail.as_mut().expect("recorded where notes are taken");
        self.multipliers.append(&mut trail.fresh);
        task.kept.multiplier.id = task.kept.multiplier.id.settled(base);
        let steps = trail.steps.drain(..).map(|step: Step| step.settled(base)).collect();
        let evidence = task.evidence.take().expect("recorded where notes are taken").settled(base);
        let end = if let Outcome::Empty { row } = task.outcome {
            End::Empty { row }
        } else if task.outcome == Outcome::Pruned {
            End::Closed(evidence)
        } else {
            self.records.extend([Record::default(), Record::default()]);
            let coordinate = task.coordinate;
            let position = task.kept.middle(coordinate, whole);
            End::Split { floor: evidence, coordinate, position, halves: [next_id, next_id + 1] }
        };
        self.records[task.node.id as usize] = Record { steps, end };
    }
}

impl Worker<'_> {
    fn run(&mut self, problem: &Problem<'_>, task: &mut Task, cutoff: f64, best: f64, late: &impl Fn() -> bool) {
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
        bounder.low_point_in_box(problem, &mut self.candidate.x);
        if !problem.region().is_box() && !reach(problem.region(), &mut self.candidate.x) {
            return;
        }
        self.candidate.value = self.acquisition.value(&self.candidate.x);
        let promising = self.candidate.value < best + 0.02 * (best.abs() + 1e-3) || !best.is_finite();
        if promising && !late() {
            self.descent.run(problem, &mut self.acquisition, &mut self.candidate, 40);
            if self.candidate.value < best {
                self.candidate.polish(problem.region(), &mut self.acquisition);
            }
        }
        if self.candidate.value < best {
            task.found.x.copy_from_slice(&self.candidate.x);
            task.found.value = self.candidate.value;
        }
    }
}
