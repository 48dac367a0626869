//! Checks a proof: that no point of the region has a value below the claimed bound, and that the best point has the
//! claimed value.
//!
//! Separate from the search: of its code it uses the file format only. It believes nothing in the file but the
//! statement of the problem; multipliers, shifts and points are suggestions that any bound may be tried with. All
//! decisions are made in interval arithmetic (`interval`), or on sums with a proven rounding error.
//!
//! The mathematics is that of the search (see the heads of `relaxation`, `taylor` and `quadratic`), replayed box by
//! box: `function` bounds energies and values, `minorant` turns a box and a piece of evidence into a separable
//! minorant, and the walk below makes sure that the boxes tile the region.

mod function;
mod minorant;
mod rows;

use crate::interval::Interval;
use crate::proof::{End, Evidence, MultiplierId, Proof, Reason, Step};
use function::Function;
use minorant::Minorant;

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
    let energies = proof.multipliers.iter().map(|g| function.energy(g)).collect();
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
    /// Of each multiplier.
    energies: Vec<Interval>,
}

/// A box still to be looked at.
struct Pending {
    record: usize,
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// What is known of a box around it.
    floor: f64,
}

impl Walk<'_> {
    fn run(&self) -> Result<usize, Rejection> {
        let (lower, upper) = self.proof.statement.bounds.iter().copied().unzip();
        let mut pending = vec![Pending { record: 0, lower, upper, floor: f64::NEG_INFINITY }];
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
            let claim = self.claim();
            match &record.end {
                End::Empty { row } => self.function.rows.check_empty(&part, *row)?,
                End::Inherited if part.floor >= claim => {}
                End::Inherited => {
                    return refuse(name(&part), format!("only {} is known of it, not {claim}", part.floor));
                }
                End::Closed(evidence) => {
                    let bound = self.minorant(&part, evidence)?.value();
                    if !(bound >= claim) {
                        return refuse(name(&part), format!("its bound is {bound}, below {claim}"));
                    }
                }
                End::Split { floor, coordinate, position, halves } => {
                    part.floor = part.floor.max(self.minorant(&part, floor)?.value());
                    pending.extend(self.split(&part, *coordinate, *position, *halves)?);
                }
            }
        }
        Ok(boxes)
    }

    /// Accepts the smaller box if everything outside it is proven to be at or above the claim.
    fn narrow(&self, part: &mut Pending, evidence: &Evidence, lower: &[f64], upper: &[f64]) -> Result<(), Rejection> {
        let claim = self.claim();
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
                if !(minorant.slab(j, from, to) >= claim) {
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
        let half = |record| Pending { record, lower: part.lower.clone(), upper: part.upper.clone(), floor: part.floor };
        let (mut below, mut above) = (half(halves[0]), half(halves[1]));
        below.upper[j] = position;
        above.lower[j] = if whole { position + 1.0 } else { position };
        Ok([below, above])
    }

    fn minorant(&self, part: &Pending, evidence: &Evidence) -> Result<Minorant, Rejection> {
        let built = match evidence.reason {
            Reason::Multiplier(order, MultiplierId::Known(index)) if index < self.energies.len() => {
                let (g, rho) = (&self.proof.multipliers[index], self.function.rho(self.energies[index]));
                Minorant::of_multiplier(self.function, &part.lower, &part.upper, order, g, rho, evidence)
            }
            Reason::Taylor { guess } if self.function.is_rbf() && guess > 0.0 => {
                Minorant::of_expansion(self.function, &part.lower, &part.upper, guess, evidence)
            }
            Reason::Multiplier(..) | Reason::Taylor { .. } => return refuse(name(part), "its reason is void".into()),
        };
        match built {
            Some(minorant) => Ok(minorant),
            None => refuse(name(part), "its shift does not make the quadratic convex".into()),
        }
    }
}

/// A box, as a culprit.
fn name(part: &Pending) -> String {
    let side = |(low, high): (&f64, &f64)| format!("[{low}, {high}]");
    let sides: Vec<String> = part.lower.iter().zip(&part.upper).map(side).collect();
    format!("box {} {}", part.record, sides.join(" × "))
}
