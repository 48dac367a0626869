//! Forgeries of the tree of boxes: how boxes end, are split, narrowed and cut.

use super::Forger;
use fathom_proof::{Cut, End, Proof, Record, Step};
use rand::RngExt as _;

impl Forger {
    pub(super) fn row(&mut self, proof: &Proof) -> usize {
        match self.rng.random_range(0..6) {
            0 => u32::MAX as usize,
            _ => self.rng.random_range(0..=proof.statement.rows.len()),
        }
    }

    /// A random record, often a root.
    pub(super) fn record(&mut self, proof: &Proof) -> usize {
        let (count, roots) = (proof.records.len(), proof.pieces.len().clamp(1, proof.records.len()));
        if self.chance(0.4) { self.rng.random_range(0..roots) } else { self.rng.random_range(0..count) }
    }

    /// Gives one record, or all leaves, another end.
    pub(super) fn ends(&mut self, proof: &mut Proof, end: fn(&mut Self, &Proof) -> End) {
        let all = self.chance(0.3);
        let chosen = self.record(proof);
        for at in 0..proof.records.len() {
            let is_leaf = !matches!(proof.records[at].end, End::Split { .. });
            if at == chosen || all && is_leaf {
                proof.records[at].end = end(self, proof);
                if self.chance(0.3) {
                    proof.records[at].steps.clear();
                }
            }
        }
    }

    /// Splits every root with a forged bound, which everything below inherits.
    pub(super) fn covered(&mut self, proof: &mut Proof) {
        let roots = proof.pieces.len();
        for root in 0..roots.min(proof.records.len()) {
            let floor = self.borrowed(proof);
            let next = proof.records.len();
            proof.records.extend([Record::default(), Record::default()]);
            let (low, high) = proof.statement.bounds[0];
            let position = if self.chance(0.5) { low } else { (0.5 * (low + high)).floor() };
            let steps = if self.chance(0.5) { proof.records[root].steps.clone() } else { Vec::new() };
            proof.records[root] =
                Record { steps, end: End::Split { floor, coordinate: 0, position, halves: [next, next + 1] } };
        }
    }

    pub(super) fn halves(&mut self, proof: &mut Proof) {
        let splits: Vec<usize> =
            (0..proof.records.len()).filter(|at| matches!(proof.records[*at].end, End::Split { .. })).collect();
        if splits.is_empty() {
            return;
        }
        let way = self.rng.random_range(0..3);
        let at = splits[self.rng.random_range(0..splits.len())];
        if let End::Split { halves, .. } = &mut proof.records[at].end {
            match way {
                0 => halves.swap(0, 1),
                1 => halves[0] = halves[1],
                _ => halves[1] = halves[0],
            }
        }
    }

    pub(super) fn positions(&mut self, proof: &mut Proof) {
        let all = self.chance(0.3);
        let chosen = self.record(proof);
        let (low, high) = proof.statement.bounds[0];
        for at in 0..proof.records.len() {
            let new = match self.rng.random_range(0..5) {
                0 => low,
                1 => high,
                2 => low + (high - low) * self.rng.random::<f64>(),
                _ => f64::NAN,
            };
            let (is_new, odd) = (!new.is_nan(), self.number(low));
            if let End::Split { position, .. } = &mut proof.records[at].end
                && (all || at >= chosen)
            {
                *position = if is_new { new } else { odd };
                if !all {
                    return;
                }
            }
        }
    }

    pub(super) fn coordinates(&mut self, proof: &mut Proof) {
        let (new, all) = (self.rng.random_range(0..=proof.statement.dim()), self.chance(0.3));
        let new = if self.chance(0.1) { 255 } else { new };
        let chosen = self.record(proof);
        for (at, record) in proof.records.iter_mut().enumerate() {
            if let End::Split { coordinate, .. } = &mut record.end
                && (all || at >= chosen)
            {
                *coordinate = new;
                if !all {
                    return;
                }
            }
        }
    }

    pub(super) fn side(&mut self, low: f64, high: f64) -> (f64, f64) {
        let at = low + (high - low) * self.rng.random::<f64>();
        let width = (high - low) * self.decades(-12.0, 0.0);
        match self.rng.random_range(0..6) {
            0 => (at, at),
            1 => (at.round(), high),
            2 => (low, at),
            3 => (self.number(low), self.number(high)),
            4 => (high, low),
            _ => (at, (at + width).min(high)),
        }
    }

    pub(super) fn narrowed(&mut self, proof: &mut Proof) {
        let bounds = proof.statement.bounds.clone();
        let all = self.chance(0.4);
        for at in 0..proof.records.len() {
            for step in 0..proof.records[at].steps.len() {
                let (j, is_meant) = (self.rng.random_range(0..bounds.len()), all || self.chance(0.2));
                let (low, high) = self.side(bounds[j].0, bounds[j].1);
                if let (Step::Narrowed { lower, upper, .. }, true) = (&mut proof.records[at].steps[step], is_meant) {
                    (lower[j], upper[j]) = (low, high);
                }
            }
        }
    }

    pub(super) fn narrowed_anew(&mut self, proof: &mut Proof) {
        let roots = proof.pieces.len().min(proof.records.len());
        for at in 0..roots {
            let (mut lower, mut upper): (Vec<f64>, Vec<f64>) = proof.statement.bounds.iter().copied().unzip();
            for j in 0..lower.len() {
                (lower[j], upper[j]) = self.side(lower[j], upper[j]);
            }
            let step = Step::Narrowed { evidence: self.borrowed(proof), lower, upper };
            proof.records[at].steps.insert(0, step);
            if self.chance(0.5) {
                proof.records[at].end = End::Closed(self.borrowed(proof));
            }
        }
    }

    pub(super) fn cuts(&mut self, proof: &mut Proof) {
        for at in 0..proof.records.len() {
            for step in 0..proof.records[at].steps.len() {
                let Step::Rows(mut cuts) = proof.records[at].steps[step].clone() else { continue };
                for cut in &mut cuts {
                    match self.rng.random_range(0..6) {
                        0 => cut.lower = self.number(cut.lower),
                        1 => cut.upper = self.number(cut.upper),
                        2 => cut.lower = cut.upper,
                        3 => cut.coordinate = self.rng.random_range(0..=proof.statement.dim()),
                        4 => cut.row = self.row(proof),
                        _ => (cut.lower, cut.upper) = self.side(cut.lower, cut.upper),
                    }
                }
                proof.records[at].steps[step] = Step::Rows(cuts);
            }
        }
    }

    pub(super) fn cuts_anew(&mut self, proof: &mut Proof) {
        let roots = proof.pieces.len().min(proof.records.len());
        for at in 0..roots {
            let mut cuts = Vec::new();
            for _ in 0..self.rng.random_range(1..4) {
                let coordinate = self.rng.random_range(0..proof.statement.dim());
                let (low, high) = proof.statement.bounds[coordinate];
                let (lower, upper) = self.side(low, high);
                cuts.push(Cut { row: self.row(proof), coordinate, lower, upper });
            }
            proof.records[at].steps.insert(0, Step::Rows(cuts));
        }
    }
}
