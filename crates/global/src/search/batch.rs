//! The threads and the memory of each.

use super::open::Open;
use super::task::{Outcome, Task, Worker};
use crate::bound::Lower;
use crate::problem::Problem;
use rayon::prelude::*;

/// The number of nodes in a batch; enough to keep a few cores busy.
pub const SIZE: usize = 32;

/// Workers and the tasks of one batch.
#[derive(Debug)]
pub struct Batch<'p> {
    threads: Option<rayon::ThreadPool>,
    pub workers: Vec<Worker<'p>>,
    /// As many as the largest batch so far had.
    pub tasks: Vec<Task>,
    recorded: bool,
}

impl<'p> Batch<'p> {
    /// `recorded` says whether tasks are recorded for a proof.
    pub fn new(problem: &Problem<'p>, threads: usize, recorded: bool) -> Self {
        // Threads beyond one per task would have nothing to do.
        let threads = threads.min(SIZE);
        Self {
            threads: match threads {
                1 => None,
                threads => rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok(),
            },
            workers: (0..threads).map(|_| Worker::new(problem, recorded)).collect(),
            tasks: Vec::new(),
            recorded,
        }
    }

    /// Makes tasks of the next nodes below the cutoff. Returns their number, and the lowest bound of the other nodes it
    /// took.
    pub fn take(&mut self, problem: &Problem<'_>, open: &mut Open, cutoff: f64) -> (usize, Lower) {
        let (mut count, mut closed) = (0, Lower::OF_NO_POINT);
        while count < SIZE {
            if open.is_empty() {
                break;
            }
            if count == self.tasks.len() {
                self.tasks.push(Task::new(problem, self.recorded));
            }
            let task = &mut self.tasks[count];
            let Some(entry) = open.pop(&mut task.kept) else { break };
            if entry.bound.reaches(cutoff) {
                closed = closed.and(entry.bound);
                continue;
            }
            task.entry = entry;
            task.outcome = Outcome::Unbounded;
            count += 1;
        }
        (count, closed)
    }

    /// Does the first `count` tasks, each by itself, so that it does not matter which thread does a task.
    pub fn work(&mut self, count: usize, run: impl Fn(&mut Worker<'p>, &mut Task) + Sync) {
        let tasks = &mut self.tasks[..count];
        let share = count.div_ceil(self.workers.len()).max(1);
        match &self.threads {
            None => tasks.iter_mut().for_each(|task| run(&mut self.workers[0], task)),
            Some(threads) => threads.install(|| {
                let shares = tasks.par_chunks_mut(share).zip(&mut self.workers);
                shares.for_each(|(tasks, worker)| tasks.iter_mut().for_each(|task| run(worker, task)));
            }),
        }
    }
}
