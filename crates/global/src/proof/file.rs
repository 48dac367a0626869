//! Proofs as files.
//!
//! `FATHOM PROOF 4`, a newline, then a zlib stream of, all little-endian:
//!
//! ```text
//! statement    u32 length, JSON of that length (Statement)
//! multipliers  u32 count, then count × N f64
//! nodes        the whole region, once for each face of the statement:
//! node         u8 steps, then each: u8 0, evidence, D f64 lower, D f64 upper
//!                                or u8 1, u32 cuts, then each: u32 row, u32 coordinate, f64 lower, f64 upper
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

use super::{End, Evidence, MultiplierId, Order, Proof, Reason, Record, Statement, Step};
use crate::propagation::Cut;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use std::io::{Read as _, Write as _};

/// The first line of every proof file.
const MAGIC: &[u8] = b"FATHOM PROOF 4\n";

/// That of older ones, which know fewer reasons and are otherwise the same.
const OLDER: &[u8] = b"FATHOM PROOF 3\n";

/// A file that is not a proof, with the reason.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Not a proof, cut short, or altered.
    #[error("the proof file is broken: {0}")]
    Broken(&'static str),
    /// The statement is not what it should be.
    #[error("the proof's statement is broken: {0}")]
    Statement(#[from] serde_json::Error),
}

impl Proof {
    /// The whole file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FileError> {
        let mut body = Vec::new();
        let statement = serde_json::to_vec(&self.statement)?;
        put_count(&mut body, statement.len());
        body.extend_from_slice(&statement);
        let used = self.used_multipliers();
        put_count(&mut body, used.iter().flatten().count());
        for (g, _) in self.multipliers.iter().zip(&used).filter(|(_, place)| place.is_some()) {
            put_all(&mut body, g);
        }
        // Preorder without recursion: depth is bounded by the number of nodes only.
        let mut stack: Vec<usize> = (0..self.statement.faces.len()).rev().collect();
        while let Some(index) = stack.pop() {
            let Record { steps, end } = &self.records[index];
            body.push(u8::try_from(steps.len()).map_err(|_| FileError::Broken("too many steps in a node"))?);
            for step in steps {
                match step {
                    Step::Narrowed { evidence, lower, upper } => {
                        body.push(0);
                        put_evidence(&mut body, evidence, &used)?;
                        put_all(&mut body, lower);
                        put_all(&mut body, upper);
                    }
                    Step::Rows(cuts) => {
                        body.push(1);
                        put_count(&mut body, cuts.len());
                        for cut in cuts {
                            put_count(&mut body, cut.row);
                            put_count(&mut body, cut.coordinate);
                            put_all(&mut body, &[cut.lower, cut.upper]);
                        }
                    }
                }
            }
            match end {
                End::Inherited => body.push(0),
                End::Closed(evidence) => {
                    body.push(1);
                    put_evidence(&mut body, evidence, &used)?;
                }
                End::Empty { row } => {
                    body.push(3);
                    put_count(&mut body, *row);
                }
                End::Split { floor, coordinate, position, halves } => {
                    body.push(2);
                    put_evidence(&mut body, floor, &used)?;
                    body.push(u8::try_from(*coordinate).map_err(|_| FileError::Broken("too many inputs"))?);
                    put_all(&mut body, &[*position]);
                    stack.extend([halves[1], halves[0]]);
                }
            }
        }
        let sum = checksum(&body);
        body.extend_from_slice(&sum.to_le_bytes());
        let mut encoder = ZlibEncoder::new(MAGIC.to_vec(), Compression::fast());
        encoder.write_all(&body)?;
        Ok(encoder.finish()?)
    }

    /// Reads a file's bytes back.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        let stream = bytes.strip_prefix(MAGIC).or_else(|| bytes.strip_prefix(OLDER));
        let stream = stream.ok_or(FileError::Broken("it does not begin with FATHOM PROOF 4"))?;
        let mut body = Vec::new();
        ZlibDecoder::new(stream).read_to_end(&mut body)?;
        let (content, sum) = body.split_last_chunk::<8>().ok_or(FileError::Broken("it is too short"))?;
        if checksum(content) != u64::from_le_bytes(*sum) {
            return Err(FileError::Broken("its checksum does not match"));
        }
        let mut from = Reader { bytes: content };
        let length = from.count()?;
        let statement: Statement = serde_json::from_slice(from.take(length)?)?;
        let (n, dim, rows) = (statement.y.len(), statement.bounds.len(), statement.rows.len());
        let count = from.count()?;
        let mut multipliers = Vec::new();
        for _ in 0..count {
            multipliers.push(from.numbers(n)?);
        }
        let mut records: Vec<Record> = vec![Record::default(); statement.faces.len()];
        let mut stack: Vec<usize> = (0..records.len()).rev().collect();
        while let Some(index) = stack.pop() {
            let mut steps = Vec::new();
            for _ in 0..from.byte()? {
                steps.push(from.step(dim, rows)?);
            }
            let end = match from.byte()? {
                0 => End::Inherited,
                1 => End::Closed(from.evidence(dim, rows)?),
                3 => End::Empty { row: from.count()? },
                2 => {
                    let floor = from.evidence(dim, rows)?;
                    let coordinate = usize::from(from.byte()?);
                    let position = from.number()?;
                    let halves = [records.len(), records.len() + 1];
                    records.extend([Record::default(), Record::default()]);
                    stack.extend([halves[1], halves[0]]);
                    End::Split { floor, coordinate, position, halves }
                }
                _ => return Err(FileError::Broken("a node ends in no known way")),
            };
            records[index] = Record { steps, end };
        }
        if from.bytes.is_empty() {
            Ok(Self { statement, multipliers, records })
        } else {
            Err(FileError::Broken("something follows the last node"))
        }
    }

    /// The place in the file of each multiplier that some evidence refers to.
    fn used_multipliers(&self) -> Vec<Option<usize>> {
        let mut used = vec![None; self.multipliers.len()];
        for record in &self.records {
            let end = match &record.end {
                End::Inherited | End::Empty { .. } => None,
                End::Closed(evidence) | End::Split { floor: evidence, .. } => Some(evidence),
            };
            let narrowed = record.steps.iter().filter_map(|step| match step {
                Step::Narrowed { evidence, .. } => Some(evidence),
                Step::Rows(_) => None,
            });
            for evidence in narrowed.chain(end) {
                if let Reason::Multiplier(_, MultiplierId::Known(index))
                | Reason::Tilted(_, MultiplierId::Known(index), _) = evidence.reason
                {
                    used[index] = Some(0);
                }
            }
        }
        for (place, slot) in used.iter_mut().flatten().enumerate() {
            *slot = place;
        }
        used
    }
}

fn put_count(body: &mut Vec<u8>, count: usize) {
    let count = u32::try_from(count).expect("a proof has fewer than 2^32 parts");
    body.extend_from_slice(&count.to_le_bytes());
}

fn put_all(body: &mut Vec<u8>, values: &[f64]) {
    for value in values {
        body.extend_from_slice(&value.to_le_bytes());
    }
}

fn put_evidence(body: &mut Vec<u8>, evidence: &Evidence, used: &[Option<usize>]) -> Result<(), FileError> {
    match evidence.reason {
        Reason::Multiplier(order, MultiplierId::Known(index)) => {
            body.push(if order == Order::Three { 3 } else { 2 });
            put_count(body, used[index].ok_or(FileError::Broken("a multiplier is missing"))?);
        }
        Reason::Tilted(order, MultiplierId::Known(index), tilt) => {
            body.push(if order == Order::Three { 5 } else { 4 });
            put_count(body, used[index].ok_or(FileError::Broken("a multiplier is missing"))?);
            put_all(body, &[tilt]);
        }
        Reason::Multiplier(_, MultiplierId::Fresh(_)) | Reason::Tilted(_, MultiplierId::Fresh(_), _) => {
            return Err(FileError::Broken("a multiplier has no place"));
        }
        Reason::Moving(order, weight) => {
            body.push(if order == Order::Three { 7 } else { 6 });
            put_all(body, &[weight]);
        }
        Reason::Taylor { guess, kappa } => {
            body.push(1);
            put_all(body, &[guess, kappa]);
        }
    }
    put_all(body, &evidence.shift);
    put_all(body, &evidence.at);
    put_all(body, &evidence.duals);
    Ok(())
}

/// FNV-1a.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Takes a proof apart from the front.
struct Reader<'b> {
    bytes: &'b [u8],
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
        let bytes = self.take(count.checked_mul(8).ok_or(FileError::Broken("it is too long"))?)?;
        let number = |chunk: &[u8; 8]| f64::from_le_bytes(*chunk);
        Ok(bytes.as_chunks::<8>().0.iter().map(number).collect())
    }

    fn step(&mut self, dim: usize, rows: usize) -> Result<Step, FileError> {
        match self.byte()? {
            0 => {
                let evidence = self.evidence(dim, rows)?;
                Ok(Step::Narrowed { evidence, lower: self.numbers(dim)?, upper: self.numbers(dim)? })
            }
            1 => {
                let mut cuts = Vec::new();
                for _ in 0..self.count()? {
                    let (row, coordinate) = (self.count()?, self.count()?);
                    cuts.push(Cut { row, coordinate, lower: self.number()?, upper: self.number()? });
                }
                Ok(Step::Rows(cuts))
            }
            _ => Err(FileError::Broken("a box became smaller in no known way")),
        }
    }

    fn evidence(&mut self, dim: usize, rows: usize) -> Result<Evidence, FileError> {
        let reason = match self.byte()? {
            2 => Reason::Multiplier(Order::Two, MultiplierId::Known(self.count()?)),
            3 => Reason::Multiplier(Order::Three, MultiplierId::Known(self.count()?)),
            code @ (4 | 5) => {
                let order = if code == 4 { Order::Two } else { Order::Three };
                Reason::Tilted(order, MultiplierId::Known(self.count()?), self.number()?)
            }
            6 => Reason::Moving(Order::Two, self.number()?),
            7 => Reason::Moving(Order::Three, self.number()?),
            1 => Reason::Taylor { guess: self.number()?, kappa: self.number()? },
            _ => return Err(FileError::Broken("a bound has no known reason")),
        };
        Ok(Evidence { reason, shift: self.numbers(dim)?, at: self.numbers(dim)?, duals: self.numbers(rows)? })
    }
}
