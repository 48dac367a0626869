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

use crate::evidence::{Evidence, Order, Reason};
use crate::fault::Fault;
use crate::instance::Instance;
use crate::proof::{Conclusion, Piece, Proof};
use crate::tree::{Cut, End, Record, Step};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::{Deserialize, Serialize};
use std::io::{Read as _, Write as _};

/// How every proof file begins; a version and a newline follow.
const MAGIC: &[u8] = b"FATHOM PROOF ";

/// The version that is written and read.
const VERSION: &[u8] = b"5\n";

/// How many times larger than the file its content may be.
const MOST_INFLATION: usize = 24;

/// The content of a file may be so large whatever the file's size.
const FREE_CONTENT: usize = 1 << 20;

/// Most bytes of a head.
const MOST_HEAD: usize = 8 << 20;

/// A file that is not a proof, with the reason.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Not a proof, cut short, or altered.
    #[error("the proof file is broken: {0}")]
    Broken(&'static str),
    /// Written by another version of Fathom.
    #[error(
        "the proof file has version {0}, and this program reads version 5: make the proof again (`fathom solve --proof`)"
    )]
    Version(String),
    /// The head is not what it should be.
    #[error("the proof's head is broken: {0}")]
    Head(#[from] serde_json::Error),
    /// The problem is none.
    #[error("the proof's problem is broken: {0}")]
    Problem(#[from] Fault),
    /// The head would be too long to be read back.
    #[error("the problem is too large for a proof file: its head has {0} bytes, and at most {MOST_HEAD} are read")]
    Large(usize),
}

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

/// Puts a proof together from the front.
struct Writer {
    bytes: Vec<u8>,
    /// Where each multiplier is in the file.
    places: Vec<Option<usize>>,
}

impl Writer {
    fn count(&mut self, count: usize) {
        let count = u32::try_from(count).expect("a proof has fewer than 2^32 parts");
        self.bytes.extend_from_slice(&count.to_le_bytes());
    }

    fn numbers(&mut self, values: &[f64]) {
        self.bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    }

    /// Returns the halves of a split box, which follow.
    fn record(&mut self, Record { steps, end }: &Record) -> Result<Option<[usize; 2]>, FileError> {
        self.bytes.push(u8::try_from(steps.len()).map_err(|_| FileError::Broken("too many steps in a node"))?);
        for step in steps {
            self.step(step)?;
        }
        match end {
            End::Inherited => self.bytes.push(0),
            End::Closed(evidence) => {
                self.bytes.push(1);
                self.evidence(evidence)?;
            }
            End::Empty { row } => {
                self.bytes.push(3);
                self.count(*row);
            }
            End::Split { floor, coordinate, position, halves } => {
                self.bytes.push(2);
                self.evidence(floor)?;
                self.bytes.push(u8::try_from(*coordinate).map_err(|_| FileError::Broken("too many inputs"))?);
                self.numbers(&[*position]);
                return Ok(Some(*halves));
            }
        }
        Ok(None)
    }

    fn step(&mut self, step: &Step) -> Result<(), FileError> {
        match step {
            Step::Narrowed { evidence, lower, upper } => {
                self.bytes.push(0);
                self.evidence(evidence)?;
                self.numbers(lower);
                self.numbers(upper);
            }
            Step::Rows(cuts) => {
                self.bytes.push(1);
                self.count(cuts.len());
                for cut in cuts {
                    self.count(cut.row);
                    self.count(cut.coordinate);
                    self.numbers(&[cut.lower, cut.upper]);
                }
            }
        }
        Ok(())
    }

    fn evidence(&mut self, evidence: &Evidence) -> Result<(), FileError> {
        let place = |index: usize| match self.places.get(index) {
            Some(Some(place)) => Ok(*place),
            Some(None) | None => Err(FileError::Broken("a multiplier is missing")),
        };
        let second = |order: Order, code: u8| if order == Order::Three { code + 1 } else { code };
        match evidence.reason {
            Reason::Multiplier(order, index) => {
                let place = place(index)?;
                self.bytes.push(second(order, 2));
                self.count(place);
            }
            Reason::Tilted(order, index, tau) => {
                let place = place(index)?;
                self.bytes.push(second(order, 4));
                self.count(place);
                self.numbers(&[tau]);
            }
            Reason::Moving(order, weight) => {
                self.bytes.push(second(order, 6));
                self.numbers(&[weight]);
            }
            Reason::Taylor { guess, kappa } => {
                self.bytes.push(1);
                self.numbers(&[guess, kappa]);
            }
        }
        self.numbers(&evidence.shift);
        self.numbers(&evidence.at);
        self.numbers(&evidence.duals);
        Ok(())
    }
}

/// Takes a proof apart from the front.
struct Reader<'b> {
    bytes: &'b [u8],
    /// Of the region.
    dim: usize,
    rows: usize,
}

impl<'b> Reader<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8], FileError> {
        let (head, rest) = self.bytes.split_at_checked(count).ok_or(FileError::Broken("it ends too early"))?;
        self.bytes = rest;
        Ok(head)
    }

    fn byte(&mut self) -> Result<u8, FileError> {
        Ok(self.take(1)?[0])
    }

    fn count(&mut self) -> Result<usize, FileError> {
        let bytes = self.take(4)?.try_into().expect("four bytes were taken");
        Ok(u32::from_le_bytes(bytes) as usize)
    }

    fn number(&mut self) -> Result<f64, FileError> {
        Ok(f64::from_le_bytes(self.take(8)?.try_into().expect("eight bytes were taken")))
    }

    fn numbers(&mut self, count: usize) -> Result<Vec<f64>, FileError> {
        let bytes = self.take(count.checked_mul(8).ok_or(FileError::Broken("it ends too early"))?)?;
        let number = |chunk: &[u8; 8]| f64::from_le_bytes(*chunk);
        Ok(bytes.as_chunks::<8>().0.iter().map(number).collect())
    }

    /// The next record; the halves of a split box will be `next` and the one after it.
    fn record(&mut self, next: usize) -> Result<Record, FileError> {
        let steps = (0..self.byte()?).map(|_| self.step()).collect::<Result<_, _>>()?;
        let end = match self.byte()? {
            0 => End::Inherited,
            1 => End::Closed(self.evidence()?),
            3 => End::Empty { row: self.count()? },
            2 => End::Split {
                floor: self.evidence()?,
                coordinate: usize::from(self.byte()?),
                position: self.number()?,
                halves: [next, next + 1],
            },
            _ => return Err(FileError::Broken("a node ends in no known way")),
        };
        Ok(Record { steps, end })
    }

    fn step(&mut self) -> Result<Step, FileError> {
        match self.byte()? {
            0 => Ok(Step::Narrowed {
                evidence: self.evidence()?,
                lower: self.numbers(self.dim)?,
                upper: self.numbers(self.dim)?,
            }),
            1 => {
                let count = self.count()?;
                if count == 0 || count > self.bytes.len() / 24 {
                    return Err(FileError::Broken("a step has no cuts, or more than there is room for"));
                }
                Ok(Step::Rows((0..count).map(|_| self.cut()).collect::<Result<_, _>>()?))
            }
            _ => Err(FileError::Broken("a box became smaller in no known way")),
        }
    }

    fn cut(&mut self) -> Result<Cut, FileError> {
        let (row, coordinate) = (self.count()?, self.count()?);
        Ok(Cut { row, coordinate, lower: self.number()?, upper: self.number()? })
    }

    fn evidence(&mut self) -> Result<Evidence, FileError> {
        let order = |is_third: bool| if is_third { Order::Three } else { Order::Two };
        let reason = match self.byte()? {
            1 => Reason::Taylor { guess: self.number()?, kappa: self.number()? },
            code @ (2 | 3) => Reason::Multiplier(order(code == 3), self.count()?),
            code @ (4 | 5) => Reason::Tilted(order(code == 5), self.count()?, self.number()?),
            code @ (6 | 7) => Reason::Moving(order(code == 7), self.number()?),
            _ => return Err(FileError::Broken("a bound has no known reason")),
        };
        let (dim, rows) = (self.dim, self.rows);
        Ok(Evidence { reason, shift: self.numbers(dim)?, at: self.numbers(dim)?, duals: self.numbers(rows)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
