//! What a search writes down so that others can check it: a tree of boxes, each step with its reason.
//!
//! A record is kept of every box that was bounded: how it was narrowed, and how it ended. Split boxes point to their
//! halves, so the leaves tile the region by construction. A multiplier is any vector g of N numbers.
//!
//! # The file
//!
//! `FATHOM PROOF 2`, a newline, then a zlib stream of, all little-endian:
//!
//! ```text
//! statement    u32 length, JSON of that length (Statement)
//! multipliers  u32 count, then count × N f64
//! node         u8 steps, then each: u8 0, evidence, D f64 lower, D f64 upper
//!                                or u8 1, u32 cuts, then each: u32 row, u32 coordinate, f64 lower, f64 upper
//!              u8 end: 0 closed by what was proven of a box around it
//!                      1 closed by: evidence
//!                      3 empty: u32 row that no point of it satisfies
//!                      2 split: evidence (a bound of this box), u8 coordinate, f64 position, lower half, upper half
//! evidence     u8 reason: 2 or 3 multiplier with polynomials of that order, u32 index; 1 Taylor, f64 S0;
//!              then D f64 shift, D f64 point, one f64 for each row of the region
//! checksum     u64 FNV-1a of everything before it in the stream
//! ```

use crate::error::Error;
use crate::incumbent::Incumbent;
use crate::problem::Problem;
use crate::propagation::Cut;
use crate::row::Row;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::{Deserialize, Serialize};
use std::io::{Read as _, Write as _};

/// The first line of every proof file.
const MAGIC: &[u8] = b"FATHOM PROOF 2\n";

/// The function, the region, and what is claimed of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// `matern12`, `matern32`, `matern52`, `rbf` or `rq`.
    pub kernel: String,
    /// α of `rq`.
    pub alpha: Option<f64>,
    /// σ_f².
    pub sigma_f2: f64,
    /// One per input.
    pub lengthscales: Vec<f64>,
    /// σ_ε², jitter included.
    pub noise: f64,
    /// The constant prior mean.
    pub mean: f64,
    /// Whether the posterior mean is part of the function; −κσ alone where not.
    pub uses_mean: bool,
    /// κ.
    pub kappa: f64,
    /// Observed inputs.
    pub x: Vec<Vec<f64>>,
    /// Observed outputs.
    pub y: Vec<f64>,
    /// The sides of the region.
    pub bounds: Vec<(f64, f64)>,
    /// Which inputs are whole numbers.
    #[serde(default)]
    pub integers: Vec<usize>,
    /// Further constraints.
    #[serde(default)]
    pub rows: Vec<StatedRow>,
    /// The best point; none where none is known.
    pub point: Option<Vec<f64>>,
    /// Its claimed value.
    pub value: Option<f64>,
    /// No point of the region has a smaller value: the claim. Where there is no bound, that there are no points at all.
    pub lower_bound: Option<f64>,
    /// Approximately K̂⁻¹(y − mean); helps the checker, proves nothing by itself.
    pub weights: Vec<f64>,
}

/// `lower <= Σ c x_j + Σ q x_j x_k <= upper`; a side that is not there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatedRow {
    /// Pairs (j, c).
    #[serde(default)]
    pub linear: Vec<(usize, f64)>,
    /// Triples (j, k, q).
    #[serde(default)]
    pub quadratic: Vec<(usize, usize, f64)>,
    /// The lower side.
    #[serde(default)]
    pub lower: Option<f64>,
    /// The upper side.
    #[serde(default)]
    pub upper: Option<f64>,
}

impl TryFrom<&StatedRow> for Row {
    type Error = Error;

    fn try_from(row: &StatedRow) -> Result<Self, Error> {
        let (lower, upper) = (row.lower.unwrap_or(f64::NEG_INFINITY), row.upper.unwrap_or(f64::INFINITY));
        Self::new(&row.linear, &row.quadratic, lower, upper)
    }
}

impl From<&Row> for StatedRow {
    fn from(row: &Row) -> Self {
        let finite = |side: f64| Some(side).filter(|side| side.is_finite());
        Self {
            linear: row.linear().to_vec(),
            quadratic: row.quadratic().to_vec(),
            lower: finite(row.lower()),
            upper: finite(row.upper()),
        }
    }
}

impl Statement {
    pub(crate) fn new(problem: &Problem<'_>, best: Option<&Incumbent>, lower_bound: Option<f64>) -> Self {
        let posterior = problem.acquisition().posterior();
        let region = problem.region();
        let sides = region.lower().iter().copied().zip(region.upper().iter().copied());
        Self {
            kernel: problem.kernel.name().into(),
            alpha: problem.kernel.shape(),
            sigma_f2: problem.variance,
            lengthscales: problem.lengthscales.clone(),
            noise: posterior.model().noise + posterior.factor().jitter(),
            mean: problem.offset,
            uses_mean: problem.uses_mean,
            kappa: problem.kappa,
            x: posterior.x().rows().collect(),
            y: posterior.y().to_vec(),
            bounds: sides.collect(),
            integers: (0..region.dim()).filter(|j| region.integer()[*j]).collect(),
            rows: region.rows().iter().map(StatedRow::from).collect(),
            point: best.map(|best| best.x.clone()),
            value: best.map(|best| best.value),
            lower_bound,
            weights: problem.weights.clone(),
        }
    }
}

/// A proof that can be written to a file and read back.
#[derive(Debug, Clone, PartialEq)]
pub struct Proof {
    /// What is claimed.
    pub statement: Statement,
    pub(crate) multipliers: Vec<Vec<f64>>,
    pub(crate) records: Vec<Record>,
}

/// How a box was narrowed and how it ended.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Record {
    pub steps: Vec<Step>,
    pub end: End,
}

/// The end of a box.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum End {
    /// A bound of a box around it is enough.
    #[default]
    Inherited,
    /// Its own bound is.
    Closed(Evidence),
    /// No point of it satisfies this row.
    Empty { row: usize },
    /// Its halves are looked at; a bound of its own serves those that need no other.
    Split { floor: Evidence, coordinate: usize, position: f64, halves: [usize; 2] },
}

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

/// Where a multiplier is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MultiplierId {
    /// In the proof's table.
    Known(usize),
    /// Among those the current node has added.
    Fresh(usize),
}

/// The degree of the polynomials in s that bound the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Two,
    Three,
}

/// Why a quadratic lies below the acquisition function on a box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Reason {
    /// The relaxation in s for a multiplier, by polynomials of this order.
    Multiplier(Order, MultiplierId),
    /// The second-order expansion at the centre, with this S0.
    Taylor { guess: f64 },
}

/// A quadratic and the separable minorant taken of it, in the coordinates of the cube that the box is scaled to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Evidence {
    pub reason: Reason,
    /// δ.
    pub shift: Vec<f64>,
    /// x̂.
    pub at: Vec<f64>,
    /// λ, one for each row of the region.
    pub duals: Vec<f64>,
}

/// How a box became smaller.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// Everything outside the smaller box was proven too high.
    Narrowed { evidence: Evidence, lower: Vec<f64>, upper: Vec<f64> },
    /// What was cut off violates rows.
    Rows(Vec<Cut>),
}

/// What one node contributes to the proof.
#[derive(Debug, Default)]
pub(crate) struct Trail {
    pub steps: Vec<Step>,
    pub fresh: Vec<Vec<f64>>,
}

impl Trail {
    pub fn clear(&mut self) {
        self.steps.clear();
        self.fresh.clear();
    }

    /// Keeps a copy of a multiplier.
    pub fn add(&mut self, g: &[f64]) -> MultiplierId {
        self.fresh.push(g.to_vec());
        MultiplierId::Fresh(self.fresh.len() - 1)
    }
}

impl Step {
    /// With every fresh multiplier's place in the table, which begins at `base`.
    pub fn settled(self, base: usize) -> Self {
        match self {
            Self::Narrowed { evidence, lower, upper } => {
                Self::Narrowed { evidence: evidence.settled(base), lower, upper }
            }
            Self::Rows(_) => self,
        }
    }
}

impl Evidence {
    /// With every fresh multiplier's place in the table, which begins at `base`.
    pub fn settled(mut self, base: usize) -> Self {
        if let Reason::Multiplier(_, id) = &mut self.reason {
            *id = id.settled(base);
        }
        self
    }
}

impl MultiplierId {
    pub fn settled(self, base: usize) -> Self {
        match self {
            Self::Known(_) => self,
            Self::Fresh(index) => Self::Known(base + index),
        }
    }
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
        let mut stack = vec![0];
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
        let stream = bytes.strip_prefix(MAGIC).ok_or(FileError::Broken("it does not begin with FATHOM PROOF 2"))?;
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
        let mut records: Vec<Record> = vec![Record::default()];
        let mut stack = vec![0];
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
                if let Reason::Multiplier(_, MultiplierId::Known(index)) = evidence.reason {
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
        Reason::Multiplier(_, MultiplierId::Fresh(_)) => return Err(FileError::Broken("a multiplier has no place")),
        Reason::Taylor { guess } => {
            body.push(1);
            put_all(body, &[guess]);
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
            1 => Reason::Taylor { guess: self.number()? },
            _ => return Err(FileError::Broken("a bound has no known reason")),
        };
        Ok(Evidence { reason, shift: self.numbers(dim)?, at: self.numbers(dim)?, duals: self.numbers(rows)? })
    }
}
