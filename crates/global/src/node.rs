//! One node of the search: propagation, every kind of bound, narrowing, and where to branch (docs/method.md, chapters 2 to 8).

mod box_bounds;
mod branch;
mod narrow;

pub use box_bounds::{BoxBound, BoxReport, bounds_of_box};

use crate::bound::{
    Best, Bound, Centre, Energy, FreshEvidence, Lower, MultiplierId, NodeRecord, Relaxation, Round, RowMultipliers,
    ScaledBox, Target, every_kind,
};
use crate::level::LevelCurve;
use crate::problem::Problem;
use crate::region::propagate;
use fathom_proof::{Evidence, Step};

/// How often a node may be narrowed and bounded again before it is branched.
const ROUNDS: usize = 6;

/// What became of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Verdict {
    /// Nothing in the box is below the cutoff.
    Pruned,
    /// The narrowed box must be branched.
    Open,
    /// No point of the box satisfies this row.
    Empty { row: usize },
    /// There was no time to finish; the box is unchanged.
    Abandoned,
}

/// Bounds one node after the other, in memory of its own.
#[derive(Debug)]
pub(crate) struct Node {
    /// Every kind of bound, in the order in which the node asks them.
    bounds: Vec<Box<dyn Bound>>,
    pub best: Best,
    relaxation: Relaxation,
    /// The rows in the bound; they start with the parent's last multipliers.
    pub rows: RowMultipliers,
    centre: Centre,
    energy: Energy,
    /// The record of the current node, if a proof is recorded.
    pub record: Option<NodeRecord>,
    /// The best proven bound of the box.
    pub bound: Lower,
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
    next_lower: Vec<f64>,
    next_upper: Vec<f64>,
}

impl Node {
    /// Keeps a record of each node if the search is `recorded`.
    pub fn new(problem: &Problem<'_>, recorded: bool) -> Self {
        let (tables, dim) = (problem.objective(), problem.dim());
        Self {
            bounds: every_kind(problem),
            best: Best::new(problem),
            relaxation: Relaxation::new(tables),
            rows: RowMultipliers::new(problem.region(), tables.deviation_unit),
            centre: Centre::new(tables),
            energy: Energy::new(tables),
            record: recorded.then(NodeRecord::default),
            bound: Lower::UNKNOWN,
            lower: vec![0.0; dim],
            upper: vec![0.0; dim],
            next_lower: vec![0.0; dim],
            next_upper: vec![0.0; dim],
        }
    }

    /// Starts the search of a piece with the piece's own weights as the multiplier.
    pub fn start(&mut self, problem: &Problem<'_>, piece: usize) {
        let own = &problem.pieces[piece];
        let multiplier = &mut self.best.multiplier;
        multiplier.g.copy_from_slice(&own.weights);
        multiplier.piece = piece;
        multiplier.energy = self.energy.of(problem.objective(), own, &own.weights);
        multiplier.id = MultiplierId::Known(piece);
    }

    /// Bounds the box in `lower`, `upper` and narrows it in place. Starts from the multiplier in `best` and the `floor`
    /// that was proven for a larger box. On return `bound` holds for the narrowed box. `late` is asked between steps.
    pub fn run(&mut self, problem: &Problem<'_>, floor: Lower, cutoff: f64, late: &dyn Fn() -> bool) -> Verdict {
        if let Some(record) = &mut self.record {
            record.clear();
        }
        for round in 1..=ROUNDS {
            if let Some(row) = self.propagate(problem) {
                return Verdict::Empty { row };
            }
            let on = ScaledBox::new(problem.objective(), &self.lower, &self.upper);
            self.place(problem, &on);
            let (target, closes) = self.target(problem, &on, cutoff);
            self.ask_bounds(problem, target, on.clone(), late);
            if late() {
                return Verdict::Abandoned;
            }
            // Numbers too large for floating point prove nothing; the bound of a larger box holds for this box too.
            if self.best.is_unknown() {
                self.best.begin(problem);
                self.best.minorant.forget(&self.rows.multipliers);
                self.bound = floor;
                break;
            }
            if closes && self.best.reaches(&target) {
                return Verdict::Pruned;
            }
            self.bound = floor.or(self.best.bound(&target));
            // The final bound must be one of the box that is branched, so the last round does not narrow.
            if round == ROUNDS || !closes || !self.narrow(&on, problem, target.height) {
                break;
            }
        }
        Verdict::Open
    }

    /// Asks every kind of bound in turn, until one reaches the target.
    fn ask_bounds(&mut self, problem: &Problem<'_>, target: Target, on: ScaledBox, late: &dyn Fn() -> bool) {
        let Self { bounds, best, relaxation, rows, centre, record, lower, upper, .. } = self;
        let mut round = Round {
            problem,
            tables: problem.objective(),
            piece: &problem.pieces[best.multiplier.piece],
            target,
            on,
            lower,
            upper,
            relaxation,
            rows,
            centre,
            record: record.as_mut(),
            late,
        };
        best.begin(problem);
        for bound in bounds {
            if best.reaches(&target) {
                break;
            }
            if bound.applies(&round, best) {
                bound.offer(&mut round, best);
            }
        }
        round.settle(best);
    }

    /// Narrows the box by the rows; returns a row that no point of the box satisfies, if there is one.
    fn propagate(&mut self, problem: &Problem<'_>) -> Option<usize> {
        if problem.region().rows().is_empty() {
            return None;
        }
        let (record, mut cuts) = (&mut self.record, Vec::new());
        let note = |cut| {
            if record.is_some() {
                cuts.push(cut);
            }
        };
        let missed = propagate(problem.region(), &mut self.lower, &mut self.upper, note);
        if let Some(record) = record.as_mut().filter(|_| !cuts.is_empty()) {
            record.steps.push(Step::Rows(cuts));
        }
        missed
    }

    /// Moves everything that depends on the box alone to this box.
    fn place(&mut self, problem: &Problem<'_>, on: &ScaledBox) {
        let tables = problem.objective();
        self.relaxation.place(tables, &problem.pieces[self.best.multiplier.piece], on);
        self.centre.forget();
        if !problem.region().rows().is_empty() {
            let (mut centre, mut half) = (on.centre, on.half);
            for j in 0..problem.dim() {
                centre[j] *= tables.lengthscales[j];
                half[j] *= tables.lengthscales[j];
            }
            self.rows.place(problem.region(), &centre, &half);
        }
    }

    /// The target of the bounds of this box, and whether a bound that reaches it closes the box. If no bound can, the
    /// bounds still order the open boxes.
    fn target(&mut self, problem: &Problem<'_>, on: &ScaledBox, cutoff: f64) -> (Target, bool) {
        let Some(improvement) = problem.improvement else {
            return (Target::at_piece(&problem.pieces[self.best.multiplier.piece], cutoff), true);
        };
        let range = self.centre.deviation_range(problem.objective(), &mut self.relaxation, on);
        let curve = improvement.curve(cutoff, range);
        (Target::at_level(improvement, curve.unwrap_or(LevelCurve::stand_in(improvement.best)), range), curve.is_some())
    }

    /// The evidence for the bound of the last round.
    pub fn evidence(&self, problem: &Problem<'_>) -> FreshEvidence {
        let dim = problem.dim();
        let minorant = &self.best.minorant;
        Evidence {
            reason: self.best.reason,
            shift: minorant.shift[..dim].to_vec(),
            at: minorant.at[..dim].to_vec(),
            duals: minorant.duals.clone(),
        }
    }
}
