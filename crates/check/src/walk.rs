//! The walk through the tree of boxes: makes sure that the boxes tile the region and that each of them reaches the claim.

use crate::criterion::Curve;
use crate::interval::Interval;
use crate::minorant::{Cube, Minorant, Quadratic, omega};
use crate::model::Model;
use crate::verdict::{Rejection, refuse};
use fathom_proof::{End, Evidence, Proof, Reason, Record, Step};

/// A box still to be looked at.
#[derive(Debug)]
pub(crate) struct Part {
    record: usize,
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// The piece it is looked at for.
    piece: usize,
    /// Whether the claim is proven of a box around it.
    is_covered: bool,
}

impl Part {
    /// A box on its own.
    #[cfg(test)]
    pub fn of(lower: Vec<f64>, upper: Vec<f64>) -> Self {
        Self { record: 0, lower, upper, piece: 0, is_covered: false }
    }

    /// A box, as a culprit.
    pub fn name(&self) -> String {
        let side = |(low, high): (&f64, &f64)| format!("[{low}, {high}]");
        let sides: Vec<String> = self.lower.iter().zip(&self.upper).map(side).collect();
        format!("box {} {}", self.record, sides.join(" × "))
    }

    /// What coordinate j runs through.
    pub fn side(&self, j: usize) -> Interval {
        Interval::between(self.lower[j], self.upper[j])
    }

    /// Whether it is the upper half of a whole side that was split at its end.
    fn is_empty(&self) -> bool {
        self.lower.iter().zip(&self.upper).any(|(low, high)| low > high)
    }

    /// The ends of side j.
    pub fn ends(&self, j: usize) -> (f64, f64) {
        (self.lower[j], self.upper[j])
    }

    /// Whether there is a side j, and [lower, upper] is a part of it.
    pub fn contains_side(&self, j: usize, lower: f64, upper: f64) -> bool {
        j < self.lower.len() && self.lower[j] <= lower && lower <= upper && upper <= self.upper[j]
    }

    /// Makes side j a part of itself.
    pub fn set_side(&mut self, j: usize, lower: f64, upper: f64) {
        (self.lower[j], self.upper[j]) = (lower, upper);
    }
}

/// Everything that is needed to look at a box.
pub(crate) struct Walk<'p> {
    proof: &'p Proof,
    model: &'p Model<'p>,
    /// Of each multiplier, for each piece.
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

    /// Looks at every box and returns how many there are.
    pub fn run(&self) -> Result<usize, Rejection> {
        let (lower, upper): (Vec<f64>, Vec<f64>) = self.proof.statement.bounds.iter().copied().unzip();
        let is_covered = match (&self.model.criterion, self.proof.claim.lower_bound) {
            (Some(criterion), Some(claim)) => criterion.is_never_below(claim),
            (None, _) | (_, None) => false,
        };
        let root = |piece| Part { record: piece, piece, lower: lower.clone(), upper: upper.clone(), is_covered };
        let mut pending: Vec<Part> = (0..self.model.pieces.len()).map(root).collect();
        let mut boxes = 0;
        while let Some(mut part) = pending.pop() {
            boxes += 1;
            let Some(record) = self.proof.records.get(part.record).filter(|_| boxes <= self.proof.records.len()) else {
                return refuse(part.name(), "it has no record of its own");
            };
            if let Some(halves) = self.look(&mut part, record)? {
                pending.extend(halves);
            }
        }
        Ok(boxes)
    }

    /// Looks at one box; returns its halves if it is split.
    fn look(&self, part: &mut Part, record: &Record) -> Result<Option<[Part; 2]>, Rejection> {
        if part.is_empty() {
            let is_left_alone = record.steps.is_empty() && record.end == End::Inherited;
            return if is_left_alone { Ok(None) } else { refuse(part.name(), "it has no points, but is looked at") };
        }
        for step in &record.steps {
            match step {
                Step::Narrowed { evidence, lower, upper } => self.narrow(part, evidence, lower, upper)?,
                Step::Rows(cuts) => cuts.iter().try_for_each(|cut| self.model.rows.cut(part, cut))?,
            }
        }
        match &record.end {
            End::Empty { row } => self.model.rows.check_empty(part, *row)?,
            End::Inherited if part.is_covered => {}
            End::Inherited => {
                return refuse(part.name(), format!("nothing is known of it that reaches {}", self.claimed()));
            }
            End::Closed(evidence) => {
                let minorant = self.minorant(part, evidence)?;
                if !self.reaches(part, evidence, &minorant, minorant.value()) {
                    return refuse(part.name(), format!("its bound is below {}", self.claimed()));
                }
            }
            End::Split { floor, coordinate, position, halves } => {
                let minorant = self.minorant(part, floor)?;
                part.is_covered |= self.reaches(part, floor, &minorant, minorant.value());
                return self.split(part, *coordinate, *position, *halves).map(Some);
            }
        }
        Ok(None)
    }

    /// The claim, for messages.
    fn claimed(&self) -> String {
        self.proof.claim.lower_bound.map_or("a region without points".into(), |bound| bound.to_string())
    }

    /// Accepts the smaller box if everything outside it is proven to be at or above the claim.
    fn narrow(&self, part: &mut Part, evidence: &Evidence, lower: &[f64], upper: &[f64]) -> Result<(), Rejection> {
        let dim = part.lower.len();
        if lower.len() != dim || upper.len() != dim {
            return refuse(part.name(), "it is narrowed to a box of another dimension");
        }
        let minorant = self.minorant(part, evidence)?;
        for j in 0..dim {
            let (low, high) = (lower[j], upper[j]);
            if !part.contains_side(j, low, high) {
                let reason = format!("side {j} is narrowed to [{low}, {high}], which it does not contain");
                return refuse(part.name(), reason);
            }
            for (from, to) in self.model.rows.lost(part, j, low, high)?.into_iter().flatten() {
                if !self.reaches(part, evidence, &minorant, minorant.slab(j, from, to)) {
                    return refuse(part.name(), format!("[{from}, {to}] of side {j} is cut away without proof"));
                }
            }
        }
        part.lower.copy_from_slice(lower);
        part.upper.copy_from_slice(upper);
        Ok(())
    }

    fn split(&self, part: &Part, j: usize, position: f64, halves: [usize; 2]) -> Result<[Part; 2], Rejection> {
        if j >= part.lower.len() || !(part.lower[j] <= position && position <= part.upper[j]) {
            return refuse(part.name(), format!("it is split at {position} in coordinate {j}, outside of it"));
        }
        // Whole numbers end at `position` below and begin after it above.
        let is_whole = self.model.rows.is_whole(j);
        if is_whole && !self.model.rows.may_end(j, position) {
            return refuse(part.name(), format!("whole coordinate {j} is split at {position}"));
        }
        let half = |record| {
            let Part { piece, is_covered, ref lower, ref upper, .. } = *part;
            Part { record, piece, lower: lower.clone(), upper: upper.clone(), is_covered }
        };
        let (mut below, mut above) = (half(halves[0]), half(halves[1]));
        below.upper[j] = position;
        above.lower[j] = if is_whole { position + 1.0 } else { position };
        Ok([below, above])
    }

    /// Whether the claim follows from a minorant that is nowhere below `level`. That there are no points follows from none.
    fn reaches(&self, part: &Part, evidence: &Evidence, minorant: &Minorant, level: Interval) -> bool {
        self.proof.claim.lower_bound.is_some_and(|claim| self.proves(claim, part, evidence, minorant, level))
    }

    /// Whether no value is below `claim` if the minorant is nowhere below `level`.
    fn proves(&self, claim: f64, part: &Part, evidence: &Evidence, minorant: &Minorant, level: Interval) -> bool {
        let Some(criterion) = &self.model.criterion else { return level.low() >= claim };
        let prior = minorant.largest_prior(self.model);
        let curve = match evidence.reason {
            Reason::Multiplier(_, index) => {
                Curve::Multiplier { level, energy: self.energies[part.piece][index], variance: prior }
            }
            Reason::Tilted(_, index, tau) => {
                let (piece, g) = (&self.model.pieces[part.piece], &self.proof.multipliers[index]);
                let (gain, slope) = self.model.tilt(piece, g, tau, minorant.place());
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

    fn minorant(&self, part: &Part, evidence: &Evidence) -> Result<Minorant, Rejection> {
        let (dim, rows) = (part.lower.len(), self.model.rows.len());
        if evidence.shift.len() != dim || evidence.at.len() != dim || evidence.duals.len() != rows {
            return refuse(part.name(), "its evidence has the wrong number of entries");
        }
        let mut suggestions = evidence.shift.iter().chain(&evidence.at).chain(&evidence.duals);
        if !suggestions.all(|number| number.is_finite()) {
            return refuse(part.name(), "a suggestion is not finite");
        }
        let Some(cube) = Cube::new(self.model, &part.lower, &part.upper) else {
            return refuse(part.name(), "it is too large");
        };
        let Some(quadratic) = self.quadratic(part.piece, &cube, evidence.reason) else {
            return refuse(part.name(), "its reason is void");
        };
        match quadratic.linearise(self.model, cube, evidence) {
            Some(minorant) => Ok(minorant),
            None => refuse(part.name(), "no shift makes its quadratic convex, or a row's multiplier has no side"),
        }
    }

    /// A quadratic below a piece on the cube, or below what `reaches` makes of its mean and the deviation; none if there is
    /// no such reason.
    fn quadratic(&self, index: usize, cube: &Cube, reason: Reason) -> Option<Quadratic> {
        let (model, piece) = (self.model, &self.model.pieces[index]);
        let any_kappa = model.criterion.is_some();
        let multiplier = |at: usize| Some((self.proof.multipliers.get(at)?, self.energies[index][at]));
        let is_positive = |value: f64| value > 0.0 && value.is_finite();
        match reason {
            Reason::Multiplier(order, at) => {
                let (g, energy) = multiplier(at)?;
                // ρ = sqrt(κ² + energy), unless `reaches` pays for the energy.
                let rho = (Interval::point(piece.kappa).square() + energy).sqrt();
                let rho = if any_kappa { Interval::ZERO } else { rho };
                Some(Quadratic::of_multiplier(model, piece, cube, order, g, rho))
            }
            Reason::Taylor { guess, kappa } => {
                let is_fit = kappa >= 0.0 && kappa.is_finite() && (any_kappa || kappa == piece.kappa);
                let is_meant = model.is_rbf() && is_positive(guess) && is_fit;
                if is_meant { Quadratic::of_expansion(model, piece, cube, (guess, kappa)) } else { None }
            }
            Reason::Tilted(order, at, tau) => {
                let (g, _) = multiplier(at)?;
                let is_meant = is_positive(tau) && any_kappa && model.is_stationary();
                is_meant.then(|| Quadratic::of_multiplier(model, piece, cube, order, g, Interval::ZERO))
            }
            Reason::Moving(order, weight) => {
                let is_meant = !model.statement.is_piecewise_linear() && is_positive(weight);
                // κ²/2w, unless `reaches` weighs the deviation.
                let kappa = Interval::point(if any_kappa { 0.0 } else { piece.kappa });
                let charge = || kappa.square() / Interval::point(weight) * 0.5;
                is_meant.then(|| Quadratic::of_moving(model, piece, cube, (order, weight, charge())))
            }
        }
    }
}

#[cfg(test)]
mod corpus;

#[cfg(test)]
mod tests;
