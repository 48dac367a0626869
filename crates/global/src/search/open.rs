//! The boxes that are still open, lowest bound first.

use super::block::Growth;
use crate::bound::{Lower, Multiplier, MultiplierId};
use crate::node::Node;
use crate::problem::Problem;
use crate::region::Region;
use std::cmp::Ordering as Order;
use std::collections::BinaryHeap;

/// Open nodes and their memory.
#[derive(Debug)]
pub struct Open {
    nodes: BinaryHeap<OpenBox>,
    slots: Slots,
    /// The number of nodes for which there is memory.
    capacity: usize,
}

impl Open {
    pub fn new(problem: &Problem<'_>) -> Self {
        Self { nodes: BinaryHeap::new(), slots: Slots::new(problem), capacity: 0 }
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The memory of the slots and of the heap, used or spare, at its peak while `count` nodes are added.
    pub fn bytes_while_adding(&self, count: usize) -> u64 {
        let each = self.slots.bytes_per_slot() + size_of::<OpenBox>();
        Growth::of(self.capacity, self.nodes.len() + count).peak() * each as u64
    }

    /// The lowest bound; ∞ if no node is open.
    pub fn lowest(&self) -> Lower {
        self.nodes.peek().map_or(Lower::OF_NO_POINT, |node| node.bound)
    }

    /// Adds a node to the queue; of equal bounds the smaller `id` comes first.
    pub fn push(&mut self, bound: Lower, id: u64, kept: &Waiting) {
        let Growth { to, .. } = Growth::of(self.capacity, self.nodes.len() + 1);
        if to > self.capacity {
            self.capacity = to;
            self.nodes.reserve_exact(to - self.nodes.len());
            self.slots.reserve(to);
        }
        let slot = self.slots.put(kept);
        self.nodes.push(OpenBox { bound, id, slot });
    }

    /// Takes the node with the lowest bound, and copies its memory to `kept`.
    pub fn pop(&mut self, kept: &mut Waiting) -> Option<OpenBox> {
        let node = self.nodes.pop()?;
        self.slots.take(node.slot, kept);
        Some(node)
    }
}

/// An open node: its bound, its age, and the place of its box and multiplier.
#[derive(Debug, Clone, Copy)]
pub struct OpenBox {
    pub bound: Lower,
    pub id: u64,
    slot: usize,
}

impl Default for OpenBox {
    fn default() -> Self {
        Self { bound: Lower::UNKNOWN, id: 0, slot: 0 }
    }
}

impl PartialEq for OpenBox {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Order::Equal
    }
}

impl Eq for OpenBox {}

impl PartialOrd for OpenBox {
    fn partial_cmp(&self, other: &Self) -> Option<Order> {
        Some(self.cmp(other))
    }
}

impl Ord for OpenBox {
    /// For a max-heap, the lowest bound is the greatest; of equal bounds, the older.
    fn cmp(&self, other: &Self) -> Order {
        other.bound.value().total_cmp(&self.bound.value()).then(other.id.cmp(&self.id))
    }
}

/// What a node keeps while it waits.
#[derive(Debug, Clone)]
pub struct Waiting {
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
    pub multiplier: Multiplier,
    pub duals: Vec<f64>,
}

impl Waiting {
    pub fn new(problem: &Problem<'_>) -> Self {
        let zeros = vec![0.0; problem.dim()];
        Self {
            lower: zeros.clone(),
            upper: zeros,
            multiplier: Multiplier::zero(problem.size()),
            duals: vec![0.0; problem.region().rows().len()],
        }
    }

    /// The whole region, with what the node starts from.
    pub fn root(problem: &Problem<'_>, piece: usize, node: &mut Node) -> Self {
        node.start(problem, piece);
        Self {
            lower: problem.region().lower().to_vec(),
            upper: problem.region().upper().to_vec(),
            multiplier: node.best.multiplier.clone(),
            duals: vec![0.0; problem.region().rows().len()],
        }
    }

    /// The place of the split in coordinate `j`; if the coordinate is discrete, the last number of the lower half.
    pub fn middle(&self, j: usize, region: &Region) -> f64 {
        region.floor(j, 0.5 * (self.lower[j] + self.upper[j]))
    }

    /// Where in coordinate `j` the lower half ends and the upper half begins; `None` if the box cannot be split there.
    pub fn halves(&self, j: usize, region: &Region) -> Option<(f64, f64)> {
        let (low, middle, high) = (self.lower[j], self.middle(j, region), self.upper[j]);
        let is_discrete = region.is_discrete(j);
        let next = if is_discrete { region.next(j, middle) } else { middle };
        let splits = if is_discrete { low <= middle && next <= high } else { low < middle && middle < high };
        splits.then_some((middle, next))
    }
}

/// The boxes and multipliers of open nodes, in a few large blocks. Only full blocks allocate, when they double.
#[derive(Debug)]
struct Slots {
    dim: usize,
    size: usize,
    /// The lower ends, then the upper ends.
    boxes: Vec<f64>,
    multipliers: Vec<f64>,
    energies: Vec<(f64, MultiplierId, usize)>,
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
            energies: Vec::new(),
            duals: Vec::new(),
            free: Vec::new(),
        }
    }

    fn bytes_per_slot(&self) -> usize {
        let numbers = size_of::<f64>() * (2 * self.dim + self.size + self.rows);
        numbers + size_of::<(f64, MultiplierId, usize)>() + size_of::<usize>()
    }

    /// Makes room for that many slots.
    fn reserve(&mut self, slots: usize) {
        let Self { dim, size, rows, boxes, multipliers, energies, duals, free } = self;
        boxes.reserve_exact(2 * *dim * slots - boxes.len());
        multipliers.reserve_exact(*size * slots - multipliers.len());
        energies.reserve_exact(slots - energies.len());
        duals.reserve_exact(*rows * slots - duals.len());
        free.reserve_exact(slots - free.len());
    }

    /// Keeps a copy and returns its slot.
    fn put(&mut self, kept: &Waiting) -> usize {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.boxes.resize(self.boxes.len() + 2 * self.dim, 0.0);
            self.multipliers.resize(self.multipliers.len() + self.size, 0.0);
            self.duals.resize(self.duals.len() + self.rows, 0.0);
            self.energies.push((0.0, kept.multiplier.id, 0));
            self.energies.len() - 1
        });
        let (lower, upper) = self.boxes[2 * self.dim * slot..2 * self.dim * (slot + 1)].split_at_mut(self.dim);
        lower.copy_from_slice(&kept.lower);
        upper.copy_from_slice(&kept.upper);
        self.multipliers[self.size * slot..self.size * (slot + 1)].copy_from_slice(&kept.multiplier.g);
        self.energies[slot] = (kept.multiplier.energy, kept.multiplier.id, kept.multiplier.piece);
        self.duals[self.rows * slot..self.rows * (slot + 1)].copy_from_slice(&kept.duals);
        slot
    }

    /// Copies a slot out and frees it.
    fn take(&mut self, slot: usize, out: &mut Waiting) {
        let (lower, upper) = self.boxes[2 * self.dim * slot..2 * self.dim * (slot + 1)].split_at(self.dim);
        out.lower.copy_from_slice(lower);
        out.upper.copy_from_slice(upper);
        out.multiplier.g.copy_from_slice(&self.multipliers[self.size * slot..self.size * (slot + 1)]);
        (out.multiplier.energy, out.multiplier.id, out.multiplier.piece) = self.energies[slot];
        out.duals.copy_from_slice(&self.duals[self.rows * slot..self.rows * (slot + 1)]);
        self.free.push(slot);
    }
}
