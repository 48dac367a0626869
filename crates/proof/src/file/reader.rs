//! The parts of a proof from bytes.

use super::error::FileError;
use crate::evidence::{Evidence, Order, Reason};
use crate::tree::{Cut, End, Record, Step};

/// Takes a proof apart from the front.
pub(super) struct Reader<'b> {
    pub bytes: &'b [u8],
    /// Of the region.
    pub dim: usize,
    pub rows: usize,
}

impl<'b> Reader<'b> {
    pub fn take(&mut self, count: usize) -> Result<&'b [u8], FileError> {
        let (head, rest) = self.bytes.split_at_checked(count).ok_or(FileError::Broken("it ends too early"))?;
        self.bytes = rest;
        Ok(head)
    }

    fn byte(&mut self) -> Result<u8, FileError> {
        Ok(self.take(1)?[0])
    }

    pub fn count(&mut self) -> Result<usize, FileError> {
        let bytes = self.take(4)?.try_into().expect("four bytes were taken");
        Ok(u32::from_le_bytes(bytes) as usize)
    }

    fn number(&mut self) -> Result<f64, FileError> {
        Ok(f64::from_le_bytes(self.take(8)?.try_into().expect("eight bytes were taken")))
    }

    pub fn numbers(&mut self, count: usize) -> Result<Vec<f64>, FileError> {
        let bytes = self.take(count.checked_mul(8).ok_or(FileError::Broken("it ends too early"))?)?;
        let number = |chunk: &[u8; 8]| f64::from_le_bytes(*chunk);
        Ok(bytes.as_chunks::<8>().0.iter().map(number).collect())
    }

    /// The next record; the halves of a split box will be `next` and the one after it.
    pub fn record(&mut self, next: usize) -> Result<Record, FileError> {
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
