//! A forger changes an honest proof so that the checker might accept a false claim; it knows the checker's source.
//!
//! Most forgeries raise the claim beyond the truth and then change what the proof rests on, since a false claim with
//! honest evidence is refused at once.

mod claim;
mod evidence;
mod problem;
mod tree;

use crate::truth::Truth;
use fathom_proof::{End, Proof, Record};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use std::io::{Read as _, Write as _};

/// Numbers at the ends of the range of numbers, and numbers whose squares and products leave the range.
#[rustfmt::skip]
const STRANGE: [f64; 26] = [
    0.0, -0.0, 1.0, 5e-324, 1e-310, f64::MIN_POSITIVE, 1e-300, 1e-200, 1e-160, 1e-100, 1e-50, 1e-16, 1e-8, 1e8, 1e16, 1e50, 1e100,
    1.3e154, 1.4e154, 1e200, 1e300, 1e308, f64::MAX, f64::INFINITY, f64::NAN, 0.5,
];

/// One way to change a proof.
pub type Change = fn(&mut Forger, &mut Proof);

/// The kinds of forgery: the name of each, and its change beside the claim.
pub const KINDS: [(&str, Change); 34] = [
    ("claim alone", |_, _| ()),
    ("point and value", Forger::point),
    ("no points", Forger::no_points),
    ("ends inherited", |forger, proof| forger.ends(proof, |_, _| End::Inherited)),
    ("ends empty", |forger, proof| forger.ends(proof, |forger, proof| End::Empty { row: forger.row(proof) })),
    ("ends closed", |forger, proof| forger.ends(proof, |forger, proof| End::Closed(forger.borrowed(proof)))),
    ("covered from above", Forger::covered),
    ("halves", Forger::halves),
    ("split position", Forger::positions),
    ("split coordinate", Forger::coordinates),
    ("narrowed further", Forger::narrowed),
    ("narrowed anew", Forger::narrowed_anew),
    ("cuts", Forger::cuts),
    ("cuts anew", Forger::cuts_anew),
    ("multipliers", Forger::multipliers),
    ("weights", Forger::weights),
    ("weights and multipliers", |forger, proof| {
        forger.weights(proof);
        forger.multipliers(proof);
    }),
    ("prior means of pieces", Forger::piece_means),
    ("least eigenvalue", Forger::eigenvalue),
    ("pieces", Forger::pieces),
    ("reasons", Forger::reasons),
    ("parameters", Forger::parameters),
    ("shifts", |forger, proof| forger.vectors(proof, |evidence| &mut evidence.shift)),
    ("points of tangency", |forger, proof| forger.vectors(proof, |evidence| &mut evidence.at)),
    ("multipliers of rows", |forger, proof| forger.vectors(proof, |evidence| &mut evidence.duals)),
    ("lengths", Forger::lengths),
    ("three at once", |forger, proof| {
        for _ in 0..3 {
            let change = KINDS[forger.rng.random_range(3..26)].1;
            change(forger, proof);
        }
    }),
    ("hyperparameters", Forger::hyperparameters),
    ("data", Forger::data),
    ("region", Forger::region),
    ("rows", Forger::rows),
    ("knots", Forger::knots),
    ("function", Forger::function),
    ("bytes", |_, _| ()),
];

/// Whether a walk through the tree ends soon; a box that contains itself cannot be written to a file.
fn has_end(proof: &Proof) -> bool {
    let mut pending: Vec<usize> = (0..proof.pieces.len()).collect();
    let mut left = 10_000;
    while let Some(at) = pending.pop() {
        left -= 1;
        if let Some(Record { end: End::Split { halves, .. }, .. }) = proof.records.get(at) {
            pending.extend(halves);
        }
        if left == 0 {
            return false;
        }
    }
    true
}

/// Makes forgeries of one proof.
#[derive(Debug)]
pub struct Forger {
    /// The source of all random choices.
    pub rng: ChaCha8Rng,
    /// What is known of the proof's problem.
    pub truth: Truth,
}

impl Forger {
    /// The bytes of a forgery of this kind; `None` if the writer cannot write it.
    pub fn forge(&mut self, honest: &Proof, kind: usize) -> Option<Vec<u8>> {
        let mut proof = honest.clone();
        if self.chance(0.93) {
            self.raise(&mut proof);
        }
        (KINDS[kind].1)(self, &mut proof);
        let bytes = if has_end(&proof) { proof.to_bytes().ok()? } else { return None };
        if KINDS[kind].0 == "bytes" { self.bytes(&bytes) } else { Some(bytes) }
    }

    fn chance(&mut self, share: f64) -> bool {
        self.rng.random::<f64>() < share
    }

    fn decades(&mut self, low: f64, high: f64) -> f64 {
        10_f64.powf(low + (high - low) * self.rng.random::<f64>())
    }

    /// A number that replaces `old`.
    fn number(&mut self, old: f64) -> f64 {
        let strange = STRANGE[self.rng.random_range(0..STRANGE.len())];
        match self.rng.random_range(0..12) {
            0..=3 => strange,
            4 => -strange,
            5 => old * self.decades(-12.0, 12.0),
            6 => old * (1.0 + self.decades(-15.0, 0.0)),
            7 => old + self.decades(-15.0, 3.0),
            8 => old - self.decades(-15.0, 3.0),
            9 => -old,
            10 => old.next_up(),
            _ => old * strange,
        }
    }

    /// Changes one entry, two entries or all.
    fn entries(&mut self, values: &mut [f64]) {
        if values.is_empty() {
            return;
        }
        let factor = self.number(1.0);
        let (first, second) = (self.rng.random_range(0..values.len()), self.rng.random_range(0..values.len()));
        match self.rng.random_range(0..6) {
            0 => values[first] = self.number(values[first]),
            1 => {
                let new = self.number(values[first]);
                (values[first], values[second]) = (new, -new);
            }
            2 => values.iter_mut().for_each(|value| *value *= factor),
            3 => values.iter_mut().for_each(|value| *value = factor),
            4 => values.iter_mut().for_each(|value| *value = self.number(*value)),
            _ => values.iter_mut().for_each(|value| *value *= 1.0 + 0.1 * self.rng.random::<f64>()),
        }
    }

    /// Edits the content itself and makes the checksum fit.
    fn bytes(&mut self, file: &[u8]) -> Option<Vec<u8>> {
        let (first, stream) = file.split_at_checked(15)?;
        let mut content = Vec::new();
        ZlibDecoder::new(stream).read_to_end(&mut content).ok()?;
        content.truncate(content.len().checked_sub(8)?);
        let head = 4 + u32::from_le_bytes(*content.first_chunk()?) as usize;
        for _ in 0..self.rng.random_range(1..4) {
            let from = if self.chance(0.8) { head.min(content.len() - 1) } else { 0 };
            let at = self.rng.random_range(from..content.len());
            match self.rng.random_range(0..5) {
                0 => content[at] ^= 1 << self.rng.random_range(0..8),
                1 => content[at] = self.rng.random(),
                2 => content.insert(at, self.rng.random()),
                3 => {
                    content.remove(at);
                }
                _ => {
                    let new = self.number(1.0).to_le_bytes();
                    let end = (at + 8).min(content.len());
                    content[at..end].copy_from_slice(&new[..end - at]);
                }
            }
        }
        let fnv = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        let sum = content.iter().fold(0xcbf2_9ce4_8422_2325, fnv);
        content.extend_from_slice(&sum.to_le_bytes());
        let mut encoder = ZlibEncoder::new(first.to_vec(), Compression::fast());
        encoder.write_all(&content).ok()?;
        encoder.finish().ok()
    }
}
