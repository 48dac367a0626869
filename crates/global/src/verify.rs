//! Checks a proof: that no point of the region has a value below the claimed bound, and that the best point has the
//! claimed value.
//!
//! Separate from the search: of its code it uses the file format only. It believes nothing in the file but the
//! statement of the problem; multipliers, shifts and points are suggestions that any bound may be tried with. All
//! decisions are made in interval arithmetic (`interval`), or on sums with a proven rounding error.
//!
//! The mathematics is that of the search (see the heads of `relaxation`, `taylor`, `moving` and `quadratic`), replayed box by
//! box: `function` bounds energies and values, `minorant` turns a box and a piece of evidence into a separable
//! minorant, and the walk below makes sure that the boxes tile the region.

mod face;
mod function;
mod merit;
mod minorant;
mod rows;

use crate::interval::Interval;
use crate::proof::{End, Evidence, MultiplierId, Proof, Reason, Step};
use function::Function;
use merit::Curve;
use minorant::{Cube, Minorant, Quadratic, omega};

/// What was checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// Boxes in the proof.
    pub boxes: usize,
    /// The claimed lower bound, now checked; none where it is checked that the region has no points.
    pub lower_bound: Option<f64>,
    /// An enclosure of the best point's value, if there is one.
    pub value: Option<(f64, f64)>,
}

/// Why a proof is not accepted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{culprit}: {reason}")]
pub struct Rejection {
    /// The part that does not hold.
    pub culprit: String,
    /// What is wrong with it.
    pub reason: String,
}

fn refuse<T>(culprit: impl Into<String>, reason: String) -> Result<T, Rejection> {
    Err(Rejection { culprit: culprit.into(), reason })
}

/// Checks every claim of `proof`.
pub fn verify(proof: &Proof) -> Result<Verdict, Rejection> {
    let statement = &proof.statement;
    let function = Function::new(statement)?;
    let sides_are_good = statement.bounds.iter().all(|(low, high)| low <= high && (high - low).is_finite());
    if !sides_are_good || statement.lower_bound.is_some_and(|bound| !bound.is_finite()) {
        return refuse("the statement", "the region or the bound is not a finite one".into());
    }
    let best = statement.point.as_ref().zip(statement.value);
    let value = best.map(|(point, claimed)| check_best(&function, point, claimed)).transpose()?;
    let energy = |face| proof.multipliers.iter().map(|g| function.energy(face, g)).collect();
    let energies = function.faces.iter().map(energy).collect();
    let boxes = Walk { proof, function: &function, energies }.run()?;
    Ok(Verdict { boxes, lower_bound: statement.lower_bound, value })
}

/// An enclosure of the best point's value, where it is a point of the region and that is its value.
fn check_best(function: &Function<'_>, point: &[f64], claimed: f64) -> Result<(f64, f64), Rejection> {
    let inside = function.statement.bounds.iter().zip(point).all(|((low, high), x)| low <= x && x <= high);
    if !inside {
        return refuse("the best point", "it lies outside the region".into());
    }
    function.rows.check_point(point)?;
    let value = function.value(point);
    let tolerance = 1e-9 * (1.0 + claimed.abs());
    if !(value.low - tolerance <= claimed && claimed <= value.high + tolerance) {
        let claim = format!("its value is between {} and {}, not {claimed}", value.low, value.high);
        return refuse("the best point", claim);
    }
    Ok((value.low, value.high))
}

/// A walk through the tree of boxes.
struct Walk<'p> {
    proof: &'p Proof,
    function: &'p Function<'p>,
    /// Of each multiplier, for each face.
    energies: Vec<Vec<Interval>>,
}

/// A box still to be looked at.
struct Pending {
    record: usize,
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// The face it is looked at for.
    face: usize,
    /// Whether the claim is proven of a box around it.
    is_covered: bool,
}

impl Walk<'_> {
    fn run(&self) -> Result<usize, Rejection> {
        let (lower, upper): (Vec<f64>, Vec<f64>) = self.proof.statement.bounds.iter().copied().unzip();
        let is_covered = self.function.merit.is_some_and(|merit| merit.floor() >= self.claim());
        let root = |face| Pending { record: face, face, lower: lower.clone(), upper: upper.clone(), is_covered };
        let mut pending: Vec<Pending> = (0..self.function.faces.len()).map(root).collect();
        let mut boxes = 0;
        while let Some(mut part) = pending.pop() {
            boxes += 1;
            let record = &self.proof.records[part.record];
            for step in &record.steps {
                match step {
                    Step::Narrowed { evidence, lower, upper } => self.narrow(&mut part, evidence, lower, upper)?,
                    Step::Rows(cuts) => {
                        for cut in cuts {
                            self.function.rows.cut(&mut part, cut)?;
                        }
                    }
                }
            }
            match &record.end {
                End::Empty { row } => self.function.rows.check_empty(&part, *row)?,
                End::Inherited if part.is_covered => {}
                End::Inherited => {
                    return refuse(name(&part), format!("nothing is known of it that reaches {}", self.claim()));
                }
                End::Closed(evidence) => {
                    let minorant = self.minorant(&part, evidence)?;
                    if !self.reaches(&part, evidence, &minorant, minorant.value()) {
                        return refuse(name(&part), format!("its bound is below {}", self.claim()));
                    }
                }
                End::Split { floor, coordinate, position, halves } => {
                    let minorant = self.minorant(&part, floor)?;
                    part.is_covered |= self.reaches(&part, floor, &minorant, minorant.value());
                    pending.extend(self.split(&part, *coordinate, *position, *halves)?);
                }
            }
        }
        Ok(boxes)
    }

    /// Accepts the smaller box if everything outside it is proven to be at or above the claim.
    fn narrow(&self, part: &mut Pending, evidence: &Evidence, lower: &[f64], upper: &[f64]) -> Result<(), Rejection> {
        let minorant = self.minorant(part, evidence)?;
        for j in 0..part.lower.len() {
            let (low, high) = (lower[j], upper[j]);
            if !(part.lower[j] <= low && low <= high && high <= part.upper[j]) {
                return refuse(
                    name(part),
                    format!("side {j} is narrowed to [{low}, {high}], which it does not contain"),
                );
            }
            for (from, to) in self.function.rows.lost(part, j, low, high).into_iter().flatten() {
                if !self.reaches(part, evidence, &minorant, minorant.slab(j, from, to)) {
                    return refuse(name(part), format!("[{from}, {to}] of side {j} is cut away without proof"));
                }
            }
        }
        part.lower.copy_from_slice(lower);
        part.upper.copy_from_slice(upper);
        Ok(())
    }

    /// What every box must reach; nothing does where the claim is that there are no points.
    fn claim(&self) -> f64 {
        self.proof.statement.lower_bound.unwrap_or(f64::INFINITY)
    }

    fn split(&self, part: &Pending, j: usize, position: f64, halves: [usize; 2]) -> Result<[Pending; 2], Rejection> {
        if j >= part.lower.len() || !(part.lower[j] <= position && position <= part.upper[j]) {
            return refuse(name(part), format!("it is split at {position} in coordinate {j}, outside of it"));
        }
        // Whole numbers end at `position` below and begin after it above.
        let whole = self.function.rows.integer[j];
        if whole && position != position.floor() {
            return refuse(name(part), format!("whole coordinate {j} is split at {position}"));
        }
        let half = |record| {
            let Pending { face, is_covered, ref lower, ref upper, .. } = *part;
            Pending { record, face, lower: lower.clone(), upper: upper.clone(), is_covered }
        };
        let (mut below, mut above) = (half(halves[0]), half(halves[1]));
        below.upper[j] = position;
        above.lower[j] = if whole { position + 1.0 } else { position };
        Ok([below, above])
    }

    /// Whether the claim follows from a minorant that is nowhere below `level`.
    fn reaches(&self, part: &Pending, evidence: &Evidence, minorant: &Minorant, level: f64) -> bool {
        let Some(merit) = &self.function.merit else { return level >= self.claim() };
        let sigma_f = self.function.sigma_f;
        let prior = minorant.largest_prior(self.function);
        let curve = match evidence.reason {
            Reason::Multiplier(_, MultiplierId::Known(index)) => {
                Curve::Multiplier { level, energy: self.energies[part.face][index], variance: prior }
            }
            Reason::Tilted(_, MultiplierId::Known(index), tau) => {
                let (face, g) = (&self.function.faces[part.face], &self.proof.multipliers[index]);
                let (gain, slope) = self.function.tilt(face, g, tau, minorant.place());
                Curve::Tilted { level: (Interval::point(level) + gain).low, slope }
            }
            Reason::Multiplier(_, MultiplierId::Fresh(_)) | Reason::Tilted(_, MultiplierId::Fresh(_), _) => {
                return false;
            }
            Reason::Moving(_, weight) => Curve::Moving { level, weight },
            Reason::Taylor { guess, kappa } => {
                let (square, far) = (minorant.square(), Interval::point(guess));
                let (kappa, near) = (Interval::point(kappa), far * (square * -0.5).exp());
                Curve::Expansion { level, kappa, sigma_f, omega: omega(square), near, far }
            }
        };
        merit.holds(self.claim(), &curve, minorant.deviation_range(self.function, prior))
    }

    fn minorant(&self, part: &Pending, evidence: &Evidence) -> Result<Minorant, Rejection> {
        let cube = Cube::new(self.function, &part.lower, &part.upper);
        let Some(quadratic) = self.quadratic(part.face, &cube, evidence.reason) else {
            return refuse(name(part), "its reason is void".into());
        };
        match quadratic.linearise(self.function, cube, evidence) {
            Some(minorant) => Ok(minorant),
            None => refuse(name(part), "its shift does not make the quadratic convex".into()),
        }
    }

    /// A quadratic below a face on the cube, or below what `reaches` makes of its mean and the deviation; none where there is
    /// no such reason.
    fn quadratic(&self, index: usize, cube: &Cube, reason: Reason) -> Option<Quadratic> {
        let face = &self.function.faces[index];
        let any_kappa = self.function.merit.is_some();
        let multiplier = |id: MultiplierId| match id {
            MultiplierId::Known(at) => Some((self.proof.multipliers.get(at)?, self.energies[index][at])),
            MultiplierId::Fresh(_) => None,
        };
        match reason {
            Reason::Multiplier(order, id) => {
                let (g, energy) = multiplier(id)?;
                // ρ = sqrt(κ² + energy), unless `reaches` pays for the energy.
                let rho = (Interval::point(face.kappa).square() + energy).sqrt();
                let rho = if any_kappa { Interval::ZERO } else { rho };
                Some(Quadratic::of_multiplier(self.function, face, cube, order, g, rho))
            }
            Reason::Taylor { guess, kappa } => {
                let is_fit = kappa >= 0.0 && kappa.is_finite() && (any_kappa || kappa == face.kappa);
                let is_meant = self.function.is_rbf() && guess > 0.0 && is_fit;
                is_meant.then(|| Quadratic::of_expansion(self.function, face, cube, (guess, kappa)))
            }
            Reason::Tilted(order, id, tau) => {
                let (g, _) = multiplier(id)?;
                let is_meant = tau > 0.0 && tau.is_finite() && any_kappa && self.function.is_stationary();
                is_meant.then(|| Quadratic::of_multiplier(self.function, face, cube, order, g, Interval::ZERO))
            }
            Reason::Moving(order, weight) => {
                let is_meant = !self.function.is_piecewise_linear() && weight > 0.0 && weight.is_finite();
                // κ²/2w, unless `reaches` weighs the deviation.
                let kappa = Interval::point(if any_kappa { 0.0 } else { face.kappa });
                let charge = || kappa.square() / Interval::point(weight) * 0.5;
                is_meant.then(|| Quadratic::of_moving(self.function, face, cube, (order, weight, charge())))
            }
        }
    }
}

/// A box, as a culprit.
fn name(part: &Pending) -> String {
    let side = |(low, high): (&f64, &f64)| format!("[{low}, {high}]");
    let sides: Vec<String> = part.lower.iter().zip(&part.upper).map(side).collect();
    format!("box {} {}", part.record, sides.join(" × "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::Order;
    use crate::testing::{kernels, lattice};
    use crate::{Limits, Problem, Region, Stop, minimise_with_proof};
    use fathom_gp::{Covariance, Criterion, Kernel, Model, Term};
    use proptest::prelude::*;

    /// A proof that says little, of the LCB of a sum of one kernel of the first input and one of the others; and σ at a point.
    fn proof(kernels: [Kernel; 2], centre: &[f64], [lengthscale, noise, kappa]: [f64; 3]) -> (Proof, f64) {
        let dim = centre.len();
        let term = |kernel, inputs: Vec<usize>| {
            let lengthscales = vec![lengthscale; inputs.len()];
            Term::new(kernel, inputs, 0.8, &lengthscales).unwrap()
        };
        let terms = match dim {
            1 => vec![term(kernels[0], vec![0])],
            _ => vec![term(kernels[0], vec![0]), term(kernels[1], (1..dim).rev().collect())],
        };
        let model = Model::new(Covariance::new(dim, terms).unwrap(), noise).unwrap();
        let posterior = model.condition(&lattice(7, dim)).unwrap();
        let region = Region::new(&vec![(-1.0, 2.0); dim]).unwrap();
        let problem = Problem::new(&posterior, Criterion::Lcb { kappa }, region).unwrap();
        let limits = Limits { nodes: 1, ..Limits::default() };
        let (_, proof) = minimise_with_proof(&problem, &limits, &Stop::new(false), |_| {}).unwrap();
        (proof.unwrap(), posterior.predict(centre).unwrap().deviation())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Whatever a file suggests: the checker believes none of it.
        #[test]
        fn no_quadratic_is_above_the_function_whatever_the_evidence(
            kernels in [kernels(6), kernels(6)],
            dim in 1_usize..4,
            (lengthscale, log_noise, kappa) in (0.3..3.0, -6.0..-1.0, 0.1..3.0),
            (centre, log_width) in (prop::collection::vec(0.0..1.0, 3), -3.0..0.0),
            g in prop::collection::vec(-1.0..1.0, 7),
            (weight_share, log_guess) in (0.5..2.0, -2.0..0.0),
            points in prop::collection::vec(prop::collection::vec(-1.0..=1.0_f64, 3), 20),
        ) {
            let (mut proof, deviation) = proof(kernels, &centre[..dim], [lengthscale, 10_f64.powf(log_noise), kappa]);
            proof.multipliers = vec![proof.statement.faces[0].weights.iter().zip(&g).map(|(a, g)| a + g).collect()];
            let function = Function::new(&proof.statement).unwrap();
            let energies = vec![vec![function.energy(&function.faces[0], &proof.multipliers[0])]];
            let walk = Walk { proof: &proof, function: &function, energies };
            let width = lengthscale * 10_f64.powf(log_width);
            let side = |sign: f64| centre[..dim].iter().map(|c| c + sign * width).collect::<Vec<f64>>();
            let (lower, upper) = (side(-1.0), side(1.0));
            let cube = Cube::new(&function, &lower, &upper);
            // About the best for the centre.
            let (weight, known) = (weight_share * kappa / deviation.max(1e-6), MultiplierId::Known(0));
            let mut reasons = vec![
                Reason::Multiplier(Order::Two, known),
                Reason::Multiplier(Order::Three, known),
                Reason::Moving(Order::Two, weight),
                Reason::Moving(Order::Three, weight),
            ];
            if function.is_rbf() {
                reasons.push(Reason::Taylor { guess: 10_f64.powf(log_guess), kappa });
            }
            for reason in reasons {
                let quadratic = walk.quadratic(0, &cube, reason).unwrap();
                for point in &points {
                    let at = |j: usize| (centre[j] + width * point[j]).clamp(lower[j], upper[j]);
                    let x: Vec<f64> = (0..dim).map(at).collect();
                    let (bound, value) = (quadratic.at(&cube, &x), function.value(&x));
                    prop_assert!(bound.low <= value.high, "{reason:?}: {bound:?} above {value:?} at {x:?}");
                }
            }
        }
    }
}
