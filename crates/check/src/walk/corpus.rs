//! Honest proofs for every kernel, function and kind of constraint (`tests/corpus`), and the bound that each of their boxes
//! proves.
//!
//! `pins.json` contains, box by box, the highest bounds that the evidence proves; the same bounds with wrong weights, which
//! show the cost of the residual; and the function at two points with those weights. A checker that proves slightly more has
//! lost a margin; a checker that proves less has lost strength. Both are changes of the mathematics, and a change of
//! `pins.json` must record them.

use super::*;
use crate::check::verify;
use crate::function::Function;
use fathom_proof::StatedAcquisition;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The tolerance relative to the level and to 1, which is about the size of every number in the corpus.
const TOLERANCE: f64 = 1e-9;

/// The entry in place of a level if the evidence gives no minorant, as happens with wrong weights.
const NOTHING: f64 = -1e6;

/// The levels of improvement criteria are found by bisection: for this many boxes of each proof and reason, in this many steps,
/// to this precision.
const BISECTED: usize = 2;
const STEPS: usize = 45;
const BISECTION: f64 = 1e-6;

/// A file's name without its ending, and its proof.
fn proofs() -> Vec<(String, Proof)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "proof"));
    files.sort();
    let read = |path: &PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, Proof::from_bytes(&std::fs::read(path).unwrap()).unwrap())
    };
    let mut proofs: Vec<(String, Proof)> = files.iter().map(read).collect();
    // The slow proofs come last, so that a failure shows sooner.
    proofs.sort_by_key(|(_, proof)| crate::criterion::Criterion::of(proof.statement.acquisition).is_some());
    proofs
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

/// The highest claims that the evidence of a proof supports, in the order of the walk, for whole boxes and for slabs that are
/// cut away.
fn levels(proof: &Proof) -> Vec<f64> {
    let model = Model::new(proof).unwrap();
    let walk = Walk::new(proof, &model).unwrap();
    let (lower, upper): (Vec<f64>, Vec<f64>) = proof.statement.bounds.iter().copied().unzip();
    let root =
        |piece| PendingBox { record: piece, piece, lower: lower.clone(), upper: upper.clone(), is_covered: true };
    let mut queue: Vec<PendingBox> = (0..model.pieces.len()).map(root).collect();
    let (mut found, mut counts) = (Vec::new(), [0; 4]);
    while let Some(mut pending) = queue.pop() {
        let record = &proof.records[pending.record];
        if pending.is_empty() {
            continue;
        }
        for step in &record.steps {
            match step {
                Step::Narrowed { evidence, lower, upper } => {
                    let minorant = walk.minorant(&pending, evidence);
                    for j in 0..lower.len() {
                        for (from, to) in
                            model.rows.lost(&pending, j, lower[j], upper[j]).unwrap().into_iter().flatten()
                        {
                            found.extend(match &minorant {
                                Ok(minorant) => {
                                    let level = minorant.slab(j, from, to);
                                    highest(&walk, &pending, evidence, minorant, level, &mut counts)
                                }
                                Err(_) => Some(NOTHING),
                            });
                        }
                    }
                    pending.lower.copy_from_slice(lower);
                    pending.upper.copy_from_slice(upper);
                }
                Step::Rows(cuts) => cuts.iter().for_each(|cut| model.rows.cut(&mut pending, cut).unwrap()),
            }
        }
        let (evidence, halves) = match &record.end {
            End::Closed(evidence) => (evidence, None),
            End::Split { floor, coordinate, position, halves } => {
                (floor, Some(walk.split(&pending, *coordinate, *position, *halves).unwrap()))
            }
            End::Empty { .. } | End::Inherited => continue,
        };
        found.extend(match walk.minorant(&pending, evidence) {
            Ok(minorant) => highest(&walk, &pending, evidence, &minorant, minorant.value(), &mut counts),
            Err(_) => Some(NOTHING),
        });
        queue.extend(halves.into_iter().flatten());
    }
    found
}

/// The highest claim that follows; none if enough claims of this kind have been found.
fn highest(
    walk: &Walk<'_>,
    pending: &PendingBox,
    evidence: &Evidence,
    minorant: &Minorant,
    level: Interval,
    counts: &mut [usize; 4],
) -> Option<f64> {
    let kind = match evidence.reason {
        Reason::Multiplier(..) => 0,
        Reason::Tilted(..) => 1,
        Reason::Moving(..) => 2,
        Reason::Taylor { .. } => 3,
    };
    counts[kind] += 1;
    let is_looked_for = counts[kind] <= BISECTED;
    let proves = |claim: f64| walk.proves(claim, pending, evidence, minorant, level);
    match walk.proof.statement.acquisition {
        StatedAcquisition::Ei { .. } | StatedAcquisition::Pi { .. } => {
            // The claim is −e^t, because it may be very small.
            is_looked_for.then(|| -bisected(|t| proves(-t.exp()), [-600.0, 10.0]).exp())
        }
        StatedAcquisition::LogEi { .. } => is_looked_for.then(|| -bisected(|t| proves(-t), [-1e8, 1e4])),
        StatedAcquisition::Lcb { .. }
        | StatedAcquisition::Mean
        | StatedAcquisition::Deviation
        | StatedAcquisition::Glcb { .. } => {
            assert_eq!((proves(level.low()), proves(level.low().next_up())), (level.is_known(), false));
            Some(level.low())
        }
    }
}

/// The number between `low` and `high` at which `holds` begins to hold; `high` if it never does.
fn bisected(holds: impl Fn(f64) -> bool, [mut low, mut high]: [f64; 2]) -> f64 {
    for _ in 0..STEPS {
        let middle = 0.5 * (low + high);
        *if holds(middle) { &mut high } else { &mut low } = middle;
    }
    high
}

#[test]
fn every_honest_proof_is_accepted_and_none_that_claims_more_than_its_weakest_box() {
    let all = proofs();
    assert!(all.len() > 100);
    for (name, mut proof) in all {
        let verdict = verify(&proof).unwrap_or_else(|rejection| panic!("{name}: {rejection}"));
        assert_eq!((verdict.lower_bound, verdict.boxes), (proof.claim.lower_bound, proof.records.len()), "{name}");
        let Some(claimed) = proof.claim.lower_bound else { continue };
        let value = proof.claim.value;
        if let (Some((low, high)), Some(value)) = (verdict.value, value) {
            assert!(low <= high && (low - value).abs() <= 1e-6 * (1.0 + value.abs()), "{name}: {low} {high} {value}");
        }
        // The claim is far above the value of the best point.
        proof.claim.point = None;
        proof.claim.value = None;
        proof.claim.lower_bound = Some(2.0 * claimed.abs() + 10.0);
        assert!(verify(&proof).is_err(), "{name}: any bound is accepted");
    }
}

/// The numbers that are recorded for one proof.
#[derive(serde::Serialize, serde::Deserialize)]
struct Pins {
    /// The levels that the evidence proves.
    levels: Vec<f64>,
    /// The same levels with wrong weights; empty if the wrong weights are refused.
    strained: Vec<f64>,
    /// The bounds of the function and of each of its pieces at two points, with wrong weights; a piece that does not count has
    /// none.
    values: Vec<f64>,
}

impl Pins {
    fn of(proof: &Proof) -> Self {
        let strained = strained(proof);
        let (levels, again) = (levels(proof), Model::new(&strained).map(|_| levels(&strained)));
        let values = Function::new(&strained).map(|function| values(&function, proof));
        Self { levels, strained: again.unwrap_or_default(), values: values.unwrap_or_default() }
    }

    /// The lists with their names.
    fn parts(&self) -> [(&'static str, &Vec<f64>); 3] {
        [("level", &self.levels), ("strained level", &self.strained), ("value", &self.values)]
    }
}

/// The proof with weights that are wrong by a thousandth, each in its own direction.
fn strained(proof: &Proof) -> Proof {
    let mut proof = proof.clone();
    for weight in proof.pieces.iter_mut().flat_map(|piece| piece.weights.iter_mut().enumerate()) {
        let sign = if weight.0 % 3 == 1 { -1.0 } else { 1.0 };
        *weight.1 += if *weight.1 == 0.0 { 0.0 } else { sign * 1e-3 * (1.0 + weight.1.abs()) };
    }
    proof
}

fn values(function: &Function<'_>, proof: &Proof) -> Vec<f64> {
    let at = |share: f64| -> Vec<f64> {
        proof.statement.bounds.iter().map(|(low, high)| low + share * (high - low)).collect()
    };
    let ends = |x: Vec<f64>| {
        let pieces = function.pieces(&x).into_iter().flatten();
        pieces.chain([function.value(&x)]).flat_map(|(low, high)| [low, high]).collect::<Vec<f64>>()
    };
    [0.3, 0.8].map(at).into_iter().flat_map(ends).filter(|end| end.is_finite()).collect()
}

#[test]
fn every_box_proves_what_it_did() {
    let (all, path) = (proofs(), folder().join("pins.json"));
    if std::env::var_os("FATHOM_BLESS").is_some() {
        let line =
            |(name, proof): &(String, Proof)| format!("{name:?}: {}", serde_json::to_string(&Pins::of(proof)).unwrap());
        let lines: Vec<String> = all.iter().map(line).collect();
        std::fs::write(&path, format!("{{\n{}\n}}\n", lines.join(",\n"))).unwrap();
    }
    let known: BTreeMap<String, Pins> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(all.len(), known.len());
    for pending in 0..3 {
        assert!(known.values().map(|pins| pins.parts()[pending].1.len()).sum::<usize>() > 1000);
    }
    for (name, proof) in &all {
        // Levels of improvement criteria may be very small, and bisection finds them.
        let (tolerance, unit) = match proof.statement.acquisition {
            StatedAcquisition::Ei { .. } | StatedAcquisition::Pi { .. } => (BISECTION, 0.0),
            StatedAcquisition::LogEi { .. } => (BISECTION, 1.0),
            StatedAcquisition::Lcb { .. }
            | StatedAcquisition::Mean
            | StatedAcquisition::Deviation
            | StatedAcquisition::Glcb { .. } => (TOLERANCE, 1.0),
        };
        let (found, known) = (Pins::of(proof), &known[name]);
        for ((what, found), (_, known)) in found.parts().into_iter().zip(known.parts()) {
            assert_eq!(found.len(), known.len(), "{name}, {what}s");
            for (at, (found, known)) in found.iter().zip(known).enumerate() {
                let off = (found - known).abs() / (known.abs() + unit);
                assert!(off <= tolerance, "{name}, {what} {at}: {found} instead of {known}");
            }
        }
    }
}
