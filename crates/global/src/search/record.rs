//! What a search writes down for its proof.

use super::block::{HEADER, bytes_while_adding, make_room};
use super::task::{Outcome, Task};
use crate::bound::{FreshEvidence, MultiplierId};
use crate::problem::{self, Incumbent, Problem};
use crate::region::Region;

use fathom_proof::{Conclusion, End, Piece, Proof, Record, Step};
use std::time::Duration;

/// The bytes of a record that are sorted, compressed, written and freed in a second; measured and rounded down.
const BYTES_A_SECOND: f64 = 1.7e8;

/// The record for the proof: `records[id]` is that of node `id`, and the first are those of the pieces' whole regions.
#[derive(Debug)]
pub struct ProofRecord {
    multipliers: Vec<Vec<f64>>,
    records: Vec<Record>,
    /// What records and multipliers own beside their places in the two blocks, in bytes.
    owned: u64,
}

impl ProofRecord {
    pub fn new(problem: &Problem<'_>) -> Self {
        let multipliers: Vec<Vec<f64>> = problem.pieces.iter().map(|piece| piece.weights.clone()).collect();
        let owned = multipliers.iter().map(|g| owned_by(g)).sum::<usize>() as u64;
        Self { records: vec![Record::default(); multipliers.len()], multipliers, owned }
    }

    /// Approximately how long it takes to write the records to a file and to free them.
    pub fn writing(&self) -> Duration {
        Duration::from_secs_f64(self.bytes() as f64 / BYTES_A_SECOND)
    }

    /// The memory of the record, used or spare.
    pub fn bytes(&self) -> u64 {
        self.owned + bytes_while_adding(&self.records, 0) + bytes_while_adding(&self.multipliers, 0)
    }

    /// The memory at its peak while the outcome of a task is added.
    pub fn bytes_while_adding(&self, task: &Task) -> u64 {
        let fresh = task.record.as_ref().map_or(0, |record| record.fresh.len());
        let records = bytes_while_adding(&self.records, if task.outcome == Outcome::Branch { 2 } else { 0 });
        self.owned + owned(task) + records + bytes_while_adding(&self.multipliers, fresh)
    }

    /// Records the outcome of a task; its children, if any, will be `next_id` and `next_id` + 1.
    pub fn add(&mut self, task: &mut Task, next_id: usize, region: &Region) {
        let base = self.multipliers.len();
        self.owned += owned(task);
        let record = task.record.as_mut().expect("a recorded search records every task");
        make_room(&mut self.multipliers, record.fresh.len());
        self.multipliers.append(&mut record.fresh);
        let place = |id: MultiplierId| id.place(base);
        task.kept.multiplier.id = MultiplierId::Known(place(task.kept.multiplier.id));
        let steps = record.steps.drain(..).map(|step| step.renamed(place)).collect();
        let evidence = task.evidence.take().expect("a recorded search records every task").renamed(place);
        let end = if let Outcome::Empty { row } = task.outcome {
            End::Empty { row }
        } else if task.outcome == Outcome::Pruned {
            End::Closed(evidence)
        } else {
            make_room(&mut self.records, 2);
            self.records.extend([Record::default(), Record::default()]);
            let coordinate = task.coordinate;
            match task.kept.halves(coordinate, region) {
                Some((position, _)) => {
                    End::Split { floor: evidence, coordinate, position, halves: [next_id, next_id + 1] }
                }
                // A box that cannot be split ends with what is proven of it, or of a larger box.
                None if task.bound > task.entry.bound => End::Closed(evidence),
                None => End::Inherited,
            }
        };
        self.records[task.entry.id as usize] = Record { steps, end };
    }

    /// The proof of the final claim.
    pub fn proof(self, problem: &Problem<'_>, best: Option<&Incumbent>, lower_bound: Option<f64>) -> Proof {
        let piece = |piece: &problem::Piece| Piece { mean: piece.offset, weights: piece.weights.clone() };
        Proof {
            statement: problem.statement(),
            claim: Conclusion {
                point: best.map(|best| best.x.clone()),
                value: best.map(|best| best.value),
                lower_bound,
            },
            pieces: problem.pieces.iter().map(piece).collect(),
            least_eigenvalue: problem.negative().map(|_| problem.objective().least_eigenvalue),
            multipliers: self.multipliers,
            records: self.records,
        }
    }
}

/// What the record of a task owns: its steps, the vectors of each, its evidence, and its multipliers.
fn owned(task: &Task) -> u64 {
    let Some(record) = &task.record else { return 0 };
    let step = |step: &Step<MultiplierId>| match step {
        Step::Narrowed { evidence, lower, upper } => owned_by_evidence(evidence) + owned_by(lower) + owned_by(upper),
        Step::Rows(cuts) => HEADER + size_of_val(&cuts[..]),
    };
    let steps = HEADER + record.steps.iter().map(|owner| size_of::<Step>() + step(owner)).sum::<usize>();
    let end = task.evidence.as_ref().map_or(0, owned_by_evidence);
    (steps + end + record.fresh.iter().map(|g| owned_by(g)).sum::<usize>()) as u64
}

fn owned_by_evidence(evidence: &FreshEvidence) -> usize {
    owned_by(&evidence.shift) + owned_by(&evidence.at) + owned_by(&evidence.duals)
}

fn owned_by(numbers: &[f64]) -> usize {
    HEADER + size_of_val(numbers)
}
