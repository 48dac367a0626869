//! Boxes around everything at or below a level (docs/method.md, chapter 9, "Covers").
//!
//! A box that is proven to lie above the level is dropped, a box smaller than the resolution is kept, and any other box
//! is split. So the boxes hold every point at or below the level, whenever the splitting stops.

use super::batch::{self, Batch};
use super::block::HEADER;
use super::open::{Open, Waiting};
use super::task::Outcome;
use crate::bound::Lower;
use crate::limits::{Limits, Progress, Stop, spare_memory};
use crate::problem::Problem;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// What is left of a region.
#[derive(Debug)]
pub struct Cover {
    /// The sides of each box; the boxes of one piece of the function share boundaries only.
    pub boxes: Vec<Vec<(f64, f64)>>,
    /// Whether every box is as small as requested.
    pub complete: bool,
    /// Boxes bounded.
    pub nodes: u64,
}

/// Covers the points at or below `level` by boxes whose sides are at most `resolution` of the region's, if the limits
/// allow.
pub fn cover(
    problem: &Problem<'_>,
    (level, resolution): (f64, f64),
    limits: &Limits,
    stop: &Stop,
    mut report: impl FnMut(Progress),
) -> Cover {
    let started = Instant::now();
    let region = problem.region();
    let late = || stop.load(Ordering::Relaxed) || limits.time.is_some_and(|limit| started.elapsed() >= limit);
    let mut batch = Batch::new(problem, limits.threads, false);
    let mut open = Open::new(problem);
    for piece in 0..problem.pieces.len() {
        open.push(
            Lower::of_function(problem),
            piece as u64,
            &Waiting::root(problem, piece, &mut batch.workers[0].node),
        );
    }
    let (mut boxes, mut nodes, mut next_id) = (Vec::new(), 0, problem.pieces.len() as u64);
    // How many times too wide a side is.
    let excess = |kept: &Waiting, j: usize| {
        let allowed = resolution * (region.upper()[j] - region.lower()[j]);
        let width = kept.upper[j] - kept.lower[j];
        if width > allowed { width / allowed } else { 0.0 }
    };
    let memory = limits.memory.unwrap_or_else(spare_memory);
    // Each open box may become two, and each may end as one of the boxes.
    let has_room = |open: &Open, boxes: &Vec<Vec<(f64, f64)>>| {
        let most = boxes.len() + open.len() + batch::SIZE;
        // A block that doubles has less than three times the memory that its entries need.
        let each = 3 * size_of::<Vec<(f64, f64)>>() + HEADER + size_of::<(f64, f64)>() * region.dim();
        open.bytes_while_adding(batch::SIZE) + (most * each) as u64 <= memory
    };
    while !open.is_empty() && !late() && nodes < limits.nodes && has_room(&open, &boxes) {
        let (count, _) = batch.take(problem, &mut open, level);
        batch.work(count, |worker, task| {
            if !late() {
                worker.bound(problem, task, level, &late);
            }
        });
        for task in &mut batch.tasks[..count] {
            if task.outcome == Outcome::Unbounded {
                open.push(task.entry.bound, task.entry.id, &task.kept);
                continue;
            }
            nodes += 1;
            if task.outcome != Outcome::Branch {
                continue;
            }
            let widest = (0..region.dim()).max_by(|j, k| excess(&task.kept, *j).total_cmp(&excess(&task.kept, *k)));
            let preferred = Some(task.coordinate).filter(|j| excess(&task.kept, *j) > 0.0);
            let halves = preferred
                .or(widest.filter(|j| excess(&task.kept, *j) > 0.0))
                .and_then(|j| Some((j, task.kept.halves(j, region)?)));
            let Some((j, (middle, next))) = halves else {
                boxes.push(sides(&task.kept));
                continue;
            };
            let high = std::mem::replace(&mut task.kept.upper[j], middle);
            open.push(task.bound, next_id, &task.kept);
            (task.kept.lower[j], task.kept.upper[j]) = (next, high);
            open.push(task.bound, next_id + 1, &task.kept);
            next_id += 2;
        }
        let (value, lower_bound) = (level, open.lowest().value().min(level));
        report(Progress { value, lower_bound, nodes, open: open.len(), elapsed: started.elapsed() });
    }
    let complete = open.is_empty();
    let mut kept = Waiting::new(problem);
    while let Some(node) = open.pop(&mut kept) {
        if !node.bound.reaches(level) {
            boxes.push(sides(&kept));
        }
    }
    Cover { boxes, complete, nodes }
}

fn sides(kept: &Waiting) -> Vec<(f64, f64)> {
    kept.lower.iter().copied().zip(kept.upper.iter().copied()).collect()
}
