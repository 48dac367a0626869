//! Proofs as files.
//!
//! `FATHOM PROOF 5`, a newline, then a zlib stream of, all little-endian:
//!
//! ```text
//! head         u32 length, JSON of that length: problem, claim, pieces, least_eigenvalue
//! multipliers  u32 count, then count × N f64
//! nodes        the whole region, once for each piece:
//! node         u8 steps, then each: u8 0, evidence, D f64 lower, D f64 upper
//!                                or u8 1, u32 cuts (at least 1), then each: u32 row, u32 coordinate, f64 lower, f64 upper
//!              u8 end: 0 closed by what was proven of a box around it
//!                      1 closed by: evidence
//!                      3 empty: u32 row that no point of it satisfies
//!                      2 split: evidence (a bound of this box), u8 coordinate, f64 position, lower half, upper half
//! evidence     u8 reason: 2 or 3 multiplier with polynomials of that order, u32 index; 1 Taylor, f64 S0, f64 κ;
//!              4 or 5 the same tilted, orders 2 and 3, u32 index, f64 τ;
//!              6 or 7 a multiplier that moves with x, orders 2 and 3, f64 w;
//!              then D f64 shift, D f64 point, one f64 for each row of the region
//! checksum     u64 FNV-1a of everything before it in the stream
//! ```
//!
//! Whoever reads a file needs memory in proportion to its size: the stream may not inflate beyond [`MOST_INFLATION`], every
//! count is backed by bytes that are there, and the head has a limit of its own.

mod error;
mod reader;
mod writer;

pub use error::FileError;

use crate::evidence::Evidence;
use crate::instance::Instance;
use crate::proof::{Conclusion, Piece, Proof};
use crate::tree::{End, Record};
use error::MOST_HEAD;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use reader::Reader;
use serde::{Deserialize, Serialize};
use std::io::{Read as _, Write as _};
use writer::Writer;

/// How every proof file begins; a version and a newline follow.
const MAGIC: &[u8] = b"FATHOM PROOF ";

/// The version that is written and read.
const VERSION: &[u8] = b"5\n";

/// How many times larger than the file its content may be.
const MOST_INFLATION: usize = 24;

/// The content of a file may be so large whatever the file's size.
const FREE_CONTENT: usize = 1 << 20;

/// The head of a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    problem: Instance,
    claim: Conclusion,
    pieces: Vec<Piece>,
    least_eigenvalue: Option<f64>,
}

impl Proof {
    /// The whole file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FileError> {
        let content = self.content()?;
        let packed = pack(&content, Compression::fast())?;
        // What would inflate too much is stored as it is.
        if content.len() <= most_content(packed.len()) { Ok(packed) } else { pack(&content, Compression::none()) }
    }

    fn content(&self) -> Result<Vec<u8>, FileError> {
        let head = serde_json::to_vec(&Head {
            problem: self.statement.clone().into(),
            claim: self.claim.clone(),
            pieces: self.pieces.clone(),
            least_eigenvalue: self.least_eigenvalue,
        })?;
        if head.len() > MOST_HEAD {
            return Err(FileError::Large(head.len()));
        }
        let mut to = Writer { bytes: Vec::new(), places: self.places() };
        to.count(head.len());
        to.bytes.extend_from_slice(&head);
        to.count(to.places.iter().flatten().count());
        for (g, _) in self.multipliers.iter().zip(self.places()).filter(|(_, place)| place.is_some()) {
            to.numbers(g);
        }
        // Preorder without recursion: depth is bounded by the number of nodes only.
        let mut stack: Vec<usize> = (0..self.pieces.len()).rev().collect();
        let mut left = self.records.len();
        while let Some(index) = stack.pop() {
            // Records that lead to one another in a circle would never end.
            left = left.checked_sub(1).ok_or(FileError::Broken("a record belongs to two boxes"))?;
            let record = self.records.get(index).ok_or(FileError::Broken("a record is missing"))?;
            if let Some(halves) = to.record(record)? {
                stack.extend([halves[1], halves[0]]);
            }
        }
        let sum = checksum(&to.bytes);
        to.bytes.extend_from_slice(&sum.to_le_bytes());
        Ok(to.bytes)
    }

    /// Reads a file's bytes back.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        let content = unpack(bytes)?;
        let (content, sum) = content.split_last_chunk::<8>().ok_or(FileError::Broken("it is too short"))?;
        if checksum(content) != u64::from_le_bytes(*sum) {
            return Err(FileError::Broken("its checksum does not match"));
        }
        let mut from = Reader { bytes: content, dim: 0, rows: 0 };
        let length = from.count()?;
        if length > MOST_HEAD {
            return Err(FileError::Broken("its head is too long"));
        }
        let Head { problem, claim, pieces, least_eigenvalue } = serde_json::from_slice(from.take(length)?)?;
        let statement = problem.statement()?;
        // A problem that is written out is the one that it says, without a reader's help.
        if Instance::from(statement.clone()) != problem {
            return Err(FileError::Broken("its problem is abbreviated"));
        }
        (from.dim, from.rows) = (statement.dim(), statement.rows.len());
        let n = statement.y.len();
        let count = from.count()?;
        // The statement has at least one observation, so each multiplier takes up bytes.
        if count > from.bytes.len() / (8 * n.max(1)) {
            return Err(FileError::Broken("it ends too early"));
        }
        let multipliers = (0..count).map(|_| from.numbers(n)).collect::<Result<_, _>>()?;
        let mut records: Vec<Record> = vec![Record::default(); pieces.len()];
        let mut stack: Vec<usize> = (0..records.len()).rev().collect();
        while let Some(index) = stack.pop() {
            let record = from.record(records.len())?;
            if let End::Split { halves, .. } = record.end {
                records.extend([Record::default(), Record::default()]);
                stack.extend([halves[1], halves[0]]);
            }
            records[index] = record;
        }
        match from.bytes.is_empty() {
            true => Ok(Self { statement, claim, pieces, least_eigenvalue, multipliers, records }),
            false => Err(FileError::Broken("something follows the last node")),
        }
    }

    /// The place in the file of each multiplier that some evidence refers to.
    fn places(&self) -> Vec<Option<usize>> {
        let mut is_used = vec![false; self.multipliers.len()];
        for index in self.records.iter().flat_map(Record::evidence).filter_map(Evidence::multiplier) {
            if let Some(used) = is_used.get_mut(index) {
                *used = true;
            }
        }
        let mut next = 0..;
        is_used.into_iter().map(|used| if used { next.next() } else { None }).collect()
    }
}

fn pack(content: &[u8], level: Compression) -> Result<Vec<u8>, FileError> {
    let mut encoder = ZlibEncoder::new([MAGIC, VERSION].concat(), level);
    encoder.write_all(content)?;
    Ok(encoder.finish()?)
}

fn unpack(bytes: &[u8]) -> Result<Vec<u8>, FileError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(FileError::Broken("it does not begin with FATHOM PROOF"))?;
    let Some(stream) = rest.strip_prefix(VERSION) else {
        let version = rest.iter().take(8).take_while(|byte| byte.is_ascii_digit()).map(|byte| char::from(*byte));
        return Err(FileError::Version(version.collect()));
    };
    let most = most_content(bytes.len());
    let mut content = Vec::new();
    let mut decoder = ZlibDecoder::new(stream);
    decoder.by_ref().take(most as u64 + 1).read_to_end(&mut content)?;
    match (content.len() <= most, decoder.total_in() == stream.len() as u64) {
        (false, _) => Err(FileError::Broken("its content is more than 24 times as large as the file")),
        (true, false) => Err(FileError::Broken("something follows its compressed content")),
        (true, true) => Ok(content),
    }
}

fn most_content(file: usize) -> usize {
    file.saturating_mul(MOST_INFLATION).saturating_add(FREE_CONTENT)
}

/// FNV-1a.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Order, Reason};
    use crate::tree::{Cut, Step};

    fn proof() -> Proof {
        let problem = r#"{"kernel": "rbf", "sigma_f2": 1, "lengthscales": [0.5], "noise": 0.01, "x": [[0], [1]], "y": [0.3, -0.2],
            "kappa": 2, "bounds": [[0, 1.5]], "constraints": [{"linear": [[0, 1]], "upper": 1}]}"#;
        let evidence = |reason| Evidence { reason, shift: vec![0.5], at: vec![-1.0], duals: vec![0.25] };
        let reasons = [
            Reason::Multiplier(Order::Two, 2),
            Reason::Multiplier(Order::Three, 0),
            Reason::Tilted(Order::Two, 0, 0.1),
            Reason::Tilted(Order::Three, 2, 0.2),
            Reason::Moving(Order::Two, 0.3),
            Reason::Moving(Order::Three, 0.4),
        ];
        let narrowed = |reason| Step::Narrowed { evidence: evidence(reason), lower: vec![0.0], upper: vec![1.0] };
        let cut = Cut { row: 0, coordinate: 0, lower: 0.0, upper: 1.0 };
        let split = |halves| End::Split {
            floor: evidence(Reason::Taylor { guess: 0.5, kappa: 2.0 }),
            coordinate: 0,
            position: 0.75,
            halves,
        };
        let steps = reasons.into_iter().map(narrowed).chain([Step::Rows(vec![cut, cut])]).collect();
        let leaf = |end| Record { steps: Vec::new(), end };
        Proof {
            statement: serde_json::from_str(problem).unwrap(),
            claim: Conclusion { point: Some(vec![0.5]), value: Some(-1.0), lower_bound: Some(-1.5) },
            pieces: vec![Piece { mean: 0.0, weights: vec![1.0, 2.0] }],
            least_eigenvalue: Some(0.125),
            multipliers: vec![vec![1.0, f64::NAN.copysign(1.0)], vec![9.0, 9.0], vec![f64::INFINITY, 5e-324]],
            records: vec![
                Record { steps, end: split([1, 2]) },
                Record { steps: Vec::new(), end: split([3, 4]) },
                leaf(End::Closed(evidence(Reason::Multiplier(Order::Three, 2)))),
                leaf(End::Inherited),
                leaf(End::Empty { row: 0 }),
            ],
        }
    }

    #[test]
    fn what_is_written_is_read_back_without_the_multipliers_that_nothing_refers_to() {
        let bytes = proof().to_bytes().unwrap();
        let read = Proof::from_bytes(&bytes).unwrap();
        assert_eq!(read.multipliers.len(), 2);
        assert_eq!((read.claim.clone(), read.statement.clone()), (proof().claim, proof().statement));
        let End::Closed(evidence) = &read.records[2].end else { panic!("{:?}", read.records[2]) };
        assert_eq!(evidence.reason, Reason::Multiplier(Order::Three, 1));
        assert_eq!(read.to_bytes().unwrap(), bytes);
    }

    #[test]
    fn every_damage_to_the_bytes_is_noticed() {
        let bytes = proof().to_bytes().unwrap();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            // A bit that the compressed stream does not use may be anything.
            let is_the_same = |read: Proof| read.to_bytes().unwrap() == bytes;
            assert!(Proof::from_bytes(&damaged).ok().is_none_or(is_the_same), "byte {at}");
            assert!(Proof::from_bytes(&bytes[..at]).is_err(), "cut at {at}");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(Proof::from_bytes(&longer).unwrap_err().to_string().contains("follows"));
        let older = [b"FATHOM PROOF 4\n", &bytes[15..]].concat();
        assert!(Proof::from_bytes(&older).unwrap_err().to_string().contains("version 4"));
    }

    #[test]
    fn records_in_a_circle_are_not_written() {
        let mut circle = proof();
        let End::Split { halves, .. } = &mut circle.records[0].end else { panic!("the first box is split") };
        *halves = [0, 0];
        assert!(circle.to_bytes().unwrap_err().to_string().contains("two boxes"));
        let mut missing = proof();
        missing.records.truncate(3);
        assert!(missing.to_bytes().is_err());
    }

    #[test]
    fn content_that_would_inflate_too_much_is_stored_as_it_is() {
        let mut proof = proof();
        let [split, leaf] = [proof.records[1].clone(), proof.records[3].clone()];
        // A long chain of equal boxes compresses too well.
        proof.records.truncate(1);
        let count = 60_000;
        for i in 0..count {
            let mut record = split.clone();
            let next = 1 + 2 * (i + 1);
            let last = i + 1 == count;
            if let End::Split { halves, .. } = &mut record.end {
                *halves = [next, next + 1];
            }
            proof.records.push(if last { leaf.clone() } else { record });
            proof.records.push(leaf.clone());
        }
        let bytes = proof.to_bytes().unwrap();
        assert!(bytes.len() > 1_000_000, "{}", bytes.len());
        assert_eq!(Proof::from_bytes(&bytes).unwrap().records.len(), proof.records.len());
    }
}
