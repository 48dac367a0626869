//! The parts of a proof as bytes.

use super::error::FileError;
use crate::evidence::{Evidence, Order, Reason};
use crate::tree::{End, Record, Step};

/// Puts a proof together from the front.
pub(super) struct Writer {
    pub bytes: Vec<u8>,
    /// Where each multiplier is in the file.
    pub places: Vec<Option<usize>>,
}

impl Writer {
    pub fn count(&mut self, count: usize) {
        let count = u32::try_from(count).expect("a proof has fewer than 2^32 parts");
        self.bytes.extend_from_slice(&count.to_le_bytes());
    }

    pub fn numbers(&mut self, values: &[f64]) {
        self.bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    }

    /// Returns the halves of a split box, which follow.
    pub fn record(&mut self, Record { steps, end }: &Record) -> Result<Option<[usize; 2]>, FileError> {
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
