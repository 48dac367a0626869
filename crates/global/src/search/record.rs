//! What a search writes down for its proof.

use super::task::{Outcome, Task};
use crate::bound::MultiplierId;
use crate::problem::{self, Incumbent, Problem};

use fathom_proof::{Conclusion, End, Piece, Proof, Record, Step};
use std::time::Duration;

/// The bytes of a record that are sorted, compressed, written and freed in a second; measured and rounded down.
const BYTES_A_SECOND: f64 = 1.7e8;

/// The record for the proof: `records[id]` is that of node `id`, and the first are those of the pieces' whole regions.
#[derive(Debug)]
pub struct ProofRecord {
    multipliers: Vec<Vec<f64>>,
    records: Vec<Record>,
    /// Approximately the bytes that the records occupy.
    bytes: u64,
}

impl ProofRecord {
    pub fn new(problem: &Problem<'_>) -> Self {
        let multipliers: Vec<Vec<f64>> = problem.pieces.iter().map(|piece| piece.weights.clone()).collect();
        Self { records: vec![Record::default(); multipliers.len()], multipliers, bytes: 0 }
    }

    /// Approximately how long it takes to write the records to a file and to free them.
    pub fn writing(&self) -> Duration {
        Duration::from_secs_f64(self.bytes as f64 / BYTES_A_SECOND)
    }

    /// Approximately the memory that the records occupy.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Records the outcome of a task; its children, if any, will be `next_id` and `next_id` + 1.
    pub fn add(&mut self, task: &mut Task, next_id: usize, whole: bool) {
        let base = self.multipliers.len();
        let record = task.record.as_mut().expect("a recorded search records every task");
        let (dim, rows) = (task.kept.lower.len(), task.kept.duals.len());
        // Each vector has a header; few numbers of a proof are kept twice.
        let evidence = size_of::<Step>() + size_of::<f64>() * (4 * dim + rows);
        let numbers: usize = record.fresh.iter().map(|g| size_of_val(&g[..]) + size_of::<Vec<f64>>()).sum();
        self.bytes += (numbers + evidence * (record.steps.len() + 1) + size_of::<Record>()) as u64;
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
            self.records.extend([Record::default(), Record::default()]);
            let coordinate = task.coordinate;
            let position = task.kept.middle(coordinate, whole);
            End::Split { floor: evidence, coordinate, position, halves: [next_id, next_id + 1] }
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
