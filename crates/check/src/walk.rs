//! The walk through the tree of boxes: makes sure that the boxes tile the region and that each of them reaches the claim
//! (docs/method.md, Theorem 6).

use crate::criterion::Curve;
use crate::interval::Interval;
use crate::minorant::{Cube, Minorant, Quadratic, omega};
use crate::model::Model;
use crate::pending_box::PendingBox;
use crate::verdict::{Rejection, refuse};
use fathom_proof::{End, Evidence, Proof, Reason, Record, Step};

/// Everything that the check of a box needs.
pub(crate) struct Walk<'p> {
    proof: &'p Proof,
    model: &'p Model<'p>,
    /// The energy of each multiplier, for each piece.
    energies: Vec<Vec<Interval>>,
}

impl<'p> Walk<'p> {
    pub fn new(proof: &'p Proof, model: &'p Model<'p>) -> Result<Self, Rejection> {
        let n = proof.statement.y.len();
        if let Some(index) = proof.multipliers.iter().position(|g| g.len() != n) {
            return refuse(format!("multiplier {index}"), format!("it does not have {n} entries"));
        }
        let energies = |piece| proof.multipliers.iter().map(|g| model.energy(piece, g)).collect();
        Ok(Self { proof, model, energies: model.pieces.iter().map(energies).collect() })
    }

    /// Checks every box and returns the number of boxes.
    pub fn run(&self) -> Result<usize, Rejection> {
        let (lower, upper): (Vec<f64>, Vec<f64>) = self.proof.statement.bounds.iter().copied().unzip();
        let is_covered = match (&self.model.criterion, self.proof.claim.lower_bound) {
            (Some(criterion), Some(claim)) => criterion.is_never_below(claim),
            (None, _) | (_, None) => false,
        };
        let root = |piece| PendingBox { record: piece, piece, lower: lower.clone(), upper: upper.clone(), is_covered };
        let mut queue: Vec<PendingBox> = (0..self.model.pieces.len()).map(root).collect();
        let mut boxes = 0;
        while let Some(mut pending) = queue.pop() {
            boxes += 1;
            let Some(record) = self.proof.records.get(pending.record).filter(|_| boxes <= self.proof.records.len())
            else {
                return refuse(pending.name(), "it has no record of its own");
            };
            if let Some(halves) = self.check_box(&mut pending, record)? {
                queue.extend(halves);
            }
        }
        Ok(boxes)
    }

    /// Checks one box and returns its halves if it is split.
    fn check_box(&self, pending: &mut PendingBox, record: &Record) -> Result<Option<[PendingBox; 2]>, Rejection> {
        if pending.is_empty() {
            let is_left_alone = record.steps.is_empty() && record.end == End::Inherited;
            return if is_left_alone {
                Ok(None)
            } else {
                refuse(pending.name(), "it has no points, but its record is not empty")
            };
        }
        for step in &record.steps {
            match step {
                Step::Narrowed { evidence, lower, upper } => self.narrow(pending, evidence, lower, upper)?,
                Step::Rows(cuts) => cuts.iter().try_for_each(|cut| self.model.rows.cut(pending, cut))?,
            }
        }
        match &record.end {
            End::Empty { row } => self.model.rows.check_empty(pending, *row)?,
            End::Inherited if pending.is_covered => {}
            End::Inherited => {
                return refuse(pending.name(), format!("no box around it is proven to reach {}", self.claimed()));
            }
            End::Closed(evidence) => {
                let minorant = self.minorant(pending, evidence)?;
                if !self.proves_claim(pending, evidence, &minorant, minorant.value()) {
                    return refuse(pending.name(), format!("its bound is below {}", self.claimed()));
                }
            }
            End::Split { floor, coordinate, position, halves } => {
                let minorant = self.minorant(pending, floor)?;
                pending.is_covered |= self.proves_claim(pending, floor, &minorant, minorant.value());
                return self.split(pending, *coordinate, *position, *halves).map(Some);
            }
        }
        Ok(None)
    }

    /// The claim, for messages.
    fn claimed(&self) -> String {
        self.proof.claim.lower_bound.map_or("a region without points".into(), |bound| bound.to_string())
    }

    /// Accepts the smaller box if everything outside it is proven to be at or above the claim.
    fn narrow(
        &self,
        pending: &mut PendingBox,
        evidence: &Evidence,
        lower: &[f64],
        upper: &[f64],
    ) -> Result<(), Rejection> {
        let dim = pending.lower.len();
        if lower.len() != dim || upper.len() != dim {
            return refuse(pending.name(), "it is narrowed to a box of another dimension");
        }
        let minorant = self.minorant(pending, evidence)?;
        for j in 0..dim {
            let (low, high) = (lower[j], upper[j]);
            if !pending.contains_side(j, low, high) {
                let reason = format!("side {j} is narrowed to [{low}, {high}], which it does not contain");
                return refuse(pending.name(), reason);
            }
            for (from, to) in self.model.rows.lost(pending, j, low, high)?.into_iter().flatten() {
                if !self.proves_claim(pending, evidence, &minorant, minorant.slab(j, from, to)) {
                    return refuse(pending.name(), format!("[{from}, {to}] of side {j} is cut away without proof"));
                }
            }
        }
        pending.lower.copy_from_slice(lower);
        pending.upper.copy_from_slice(upper);
        Ok(())
    }

    fn split(
        &self,
        pending: &PendingBox,
        j: usize,
        position: f64,
        halves: [usize; 2],
    ) -> Result<[PendingBox; 2], Rejection> {
        if j >= pending.lower.len() || !(pending.lower[j] <= position && position <= pending.upper[j]) {
            return refuse(pending.name(), format!("it is split at {position} of input {j}, which lies outside of it"));
        }
        // On a side of whole or listed numbers, the lower half ends at `position` and the upper half begins with the next number.
        let Some(next) = self.model.rows.after(j, position) else {
            return refuse(pending.name(), format!("discrete side {j} is split at {position}"));
        };
        let half = |record| {
            let PendingBox { piece, is_covered, ref lower, ref upper, .. } = *pending;
            PendingBox { record, piece, lower: lower.clone(), upper: upper.clone(), is_covered }
        };
        let (mut below, mut above) = (half(halves[0]), half(halves[1]));
        below.upper[j] = position;
        above.lower[j] = next;
        Ok([below, above])
    }

    /// Whether the claim follows from a minorant that is nowhere below `level`. No minorant proves that the region has no
    /// points.
    fn proves_claim(&self, pending: &PendingBox, evidence: &Evidence, minorant: &Minorant, level: Interval) -> bool {
        self.proof.claim.lower_bound.is_some_and(|claim| self.proves(claim, pending, evidence, minorant, level))
    }

    /// Whether no value is below `claim` if the minorant is nowhere below `level`.
    fn proves(
        &self,
        claim: f64,
        pending: &PendingBox,
        evidence: &Evidence,
        minorant: &Minorant,
        level: Interval,
    ) -> bool {
        let Some(criterion) = &self.model.criterion else { return level.low() >= claim };
        let prior = minorant.largest_prior(self.model);
        let curve = match evidence.reason {
            Reason::Multiplier(_, index) => {
                Curve::Multiplier { level, energy: self.energies[pending.piece][index], variance: prior }
            }
            Reason::Tilted(_, index, tau) => {
                let (piece, g) = (&self.model.pieces[pending.piece], &self.proof.multipliers[index]);
                let (gain, slope) = self.model.tilt(piece, g, tau, minorant.centre_and_half());
                Curve::Tilted { level: (level + gain).lower(), slope }
            }
            Reason::Moving(_, weight) => Curve::Moving { level, weight: Interval::point(weight) },
            Reason::Taylor { guess, kappa } => {
                let (square, far) = (minorant.square(), Interval::point(guess));
                let (kappa, near) = (Interval::point(kappa), far * (square * -0.5).exp());
                let sigma_f = self.model.sigma_f;
                Curve::Expansion { level, kappa, sigma_f, omega: omega(square), near, far }
            }
        };
        criterion.holds(claim, &curve, minorant.deviation_range(self.model, prior))
    }

    fn minorant(&self, pending: &PendingBox, evidence: &Evidence) -> Result<Minorant, Rejection> {
        let (dim, rows) = (pending.lower.len(), self.model.rows.len());
        if evidence.shift.len() != dim || evidence.at.len() != dim || evidence.duals.len() != rows {
            return refuse(pending.name(), "its evidence has the wrong number of entries");
        }
        let mut suggestions = evidence.shift.iter().chain(&evidence.at).chain(&evidence.duals);
        if !suggestions.all(|number| number.is_finite()) {
            return refuse(pending.name(), "a suggestion is not finite");
        }
        let Some(cube) = Cube::new(self.model, &pending.lower, &pending.upper) else {
            return refuse(pending.name(), "it is too large");
        };
        let Some(quadratic) = self.quadratic(pending.piece, &cube, evidence.reason) else {
            return refuse(pending.name(), "its reason is void");
        };
        match quadratic.linearise(self.model, cube, evidence) {
            Some(minorant) => Ok(minorant),
            None => refuse(pending.name(), "no shift makes its quadratic convex, or a row's multiplier has no side"),
        }
    }

    /// A quadratic below the piece on the cube; for an improvement criterion, the quadratic that `proves` expects. None if the
    /// reason does not apply.
    fn quadratic(&self, index: usize, cube: &Cube, reason: Reason) -> Option<Quadratic> {
        let (model, piece) = (self.model, &self.model.pieces[index]);
        let any_kappa = model.criterion.is_some();
        let multiplier = |at: usize| Some((self.proof.multipliers.get(at)?, self.energies[index][at]));
        let is_positive = |value: f64| value > 0.0 && value.is_finite();
        match reason {
            Reason::Multiplier(order, at) => {
                let (g, energy) = multiplier(at)?;
                // ρ = sqrt(κ² + energy), unless the energy enters in `proves`.
                let rho = (Interval::point(piece.kappa).square() + energy).sqrt();
                let rho = if any_kappa { Interval::ZERO } else { rho };
                Some(Quadratic::of_multiplier(model, piece, cube, order, g, rho))
            }
            Reason::Taylor { guess, kappa } => {
                let is_fit = kappa >= 0.0 && kappa.is_finite() && (any_kappa || kappa == piece.kappa);
                let is_applicable = model.is_rbf() && is_positive(guess) && is_fit;
                if is_applicable { Quadratic::of_expansion(model, piece, cube, (guess, kappa)) } else { None }
            }
            Reason::Tilted(order, at, tau) => {
                let (g, _) = multiplier(at)?;
                let is_applicable = is_positive(tau) && any_kappa && model.is_stationary();
                is_applicable.then(|| Quadratic::of_multiplier(model, piece, cube, order, g, Interval::ZERO))
            }
            Reason::Moving(order, weight) => {
                let is_applicable = !model.statement.is_piecewise_linear() && is_positive(weight);
                // κ²/2w, unless the deviation enters in `proves`.
                let kappa = Interval::point(if any_kappa { 0.0 } else { piece.kappa });
                let cost = || kappa.square() / Interval::point(weight) * 0.5;
                is_applicable.then(|| Quadratic::of_moving(model, piece, cube, (order, weight, cost())))
            }
        }
    }
}

#[cfg(test)]
mod corpus;

#[cfg(test)]
mod tests;
