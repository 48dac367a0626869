//! Checks a proof: that no point of the region has a value below the claimed bound, and that the best point has the
//! claimed value.
//!
//! Separate from the search: of its code it uses the file format only. It believes nothing in the file but the
//! statement of the problem; multipliers, shifts and points are suggestions that any bound may be tried with. All
//! decisions are made in interval arithmetic (`interval`), or on sums with a proven rounding error.
//!
//! The mathematics is that of the search (see the heads of `relaxation`, `taylor` and `quadratic`), replayed box by
//! box: `function` bounds root(g) and values, `minorant` turns a box and a piece of evidence into a separable
//! minorant, and the walk below makes sure that the boxes tile the region.

mod function;
mod minorant;

use crate::interval::{Interval, Kernel};
use crate::proof::{End, Evidence, MultiplierId, Proof, Reason, Step};
use function::Function;
use minorant::Minorant;

/// What was checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// Boxes in the proof.
    pub boxes: usize,
    /// The claimed lower bound, now checked.
    pub lower_bound: f64,
    /// An enclosure of the best point's value.
    pub value: (f64, f64),
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
    if !sides_are_good || !statement.lower_bound.is_finite() {
        return refuse("the statement", "the region or the bound is not a finite one".into());
    }
    let inside = statement.bounds.iter().zip(&statement.point).all(|((low, high), x)| low <= x && x <= high);
    if !inside {
        return refuse("the best point", "it lies outside the region".into());
    }
    let value = function.value(&statement.point);
    let tolerance = 1e-9 * (1.0 + statement.value.abs());
    if !(value.low - tolerance <= statement.value && statement.value <= value.high + tolerance) {
        let claim = format!("its value is between {} and {}, not {}", value.low, value.high, statement.value);
        return refuse("the best point", claim);
    }
    let roots = proof.multipliers.iter().map(|g| function.root(g)).collect();
    let boxes = Walk { proof, function: &function, roots }.run()?;
    Ok(Verdict { boxes, lower_bound: statement.lower_bound, value: (value.low, value.high) })
}

/// A walk through the tree of boxes.
struct Walk<'p> {
    proof: &'p Proof,
    function: &'p Function<'p>,
    roots: Vec<Interval>,
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
                self.narrow(&mut part, step)?;
            }
            let claim = self.proof.statement.lower_bound;
            match &record.end {
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
                    pending.extend(split(&part, *coordinate, *position, *halves)?);
                }
            }
        }
        Ok(boxes)
    }

    /// Accepts the smaller box if everything outside it is proven to be at or above the claim.
    fn narrow(&self, part: &mut Pending, step: &Step) -> Result<(), Rejection> {
        let claim = self.proof.statement.lower_bound;
        let minorant = self.minorant(part, &step.evidence)?;
        for j in 0..part.lower.len() {
            let (low, high) = (step.lower[j], step.upper[j]);
            if !(part.lower[j] <= low && low <= high && high <= part.upper[j]) {
                return refuse(
                    name(part),
                    format!("side {j} is narrowed to [{low}, {high}], which it does not contain"),
                );
            }
            for (from, to) in [(part.lower[j], low), (high, part.upper[j])] {
                if from < to && !(minorant.slab(j, from, to) >= claim) {
                    return refuse(name(part), format!("[{from}, {to}] of side {j} is cut away without proof"));
                }
            }
        }
        part.lower.copy_from_slice(&step.lower);
        part.upper.copy_from_slice(&step.upper);
        Ok(())
    }

    fn minorant(&self, part: &Pending, evidence: &Evidence) -> Result<Minorant, Rejection> {
        let built = match evidence.reason {
            Reason::Multiplier(order, MultiplierId::Known(index)) if index < self.roots.len() => {
                let (g, root) = (&self.proof.multipliers[index], self.roots[index]);
                Minorant::of_multiplier(self.function, &part.lower, &part.upper, order, g, root, evidence)
            }
            Reason::Taylor { guess } if self.function.kernel == Kernel::Rbf && guess > 0.0 => {
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

fn split(part: &Pending, j: usize, position: f64, halves: [usize; 2]) -> Result<[Pending; 2], Rejection> {
    if j >= part.lower.len() || !(part.lower[j] <= position && position <= part.upper[j]) {
        return refuse(name(part), format!("it is split at {position} in coordinate {j}, outside of it"));
    }
    let half = |record| Pending { record, lower: part.lower.clone(), upper: part.upper.clone(), floor: part.floor };
    let (mut below, mut above) = (half(halves[0]), half(halves[1]));
    below.upper[j] = position;
    above.lower[j] = position;
    Ok([below, above])
}

/// A box, as a culprit.
fn name(part: &Pending) -> String {
    let side = |(low, high): (&f64, &f64)| format!("[{low}, {high}]");
    let sides: Vec<String> = part.lower.iter().zip(&part.upper).map(side).collect();
    format!("box {} {}", part.record, sides.join(" × "))
}
