//! Waiting for a store that is busy, full or away, for as long as somebody wants to.

use crate::error::{Error, Result};
use crate::trial::Outcome;
use std::path::Path;
use std::time::{Duration, Instant};

/// The first pause; each further one is twice as long.
const FIRST: Duration = Duration::from_millis(100);

/// The longest pause.
const LONGEST: Duration = Duration::from_secs(5);

/// How often a waiter is asked whether to go on.
const GLANCE: Duration = Duration::from_millis(50);

/// Who waits: a waiter says that it waits, and for how long.
pub trait Waiter {
    /// A call failed for the time being, for the `times`th time in a row, and is tried again.
    fn waits(&mut self, why: &Error, times: usize);

    /// Whether to go on waiting.
    fn goes_on(&self) -> bool;

    /// The outcome of trial `id` is not told yet. It is kept in a file until it is told, or could not be written down.
    fn keeps(&mut self, id: u64, outcome: &Outcome, kept: std::result::Result<&Path, &Error>) {
        let _ = (id, outcome, kept);
    }
}

/// A waiter that does not wait.
#[derive(Debug, Clone, Copy)]
pub struct Impatient;

impl Waiter for Impatient {
    fn waits(&mut self, _: &Error, _: usize) {}

    fn goes_on(&self) -> bool {
        false
    }
}

/// A waiter that waits in silence for a while.
#[derive(Debug, Clone, Copy)]
pub struct Within {
    end: Instant,
}

impl Within {
    /// A wait that begins now.
    pub fn new(time: Duration) -> Self {
        Self { end: Instant::now() + time }
    }
}

impl Waiter for Within {
    fn waits(&mut self, _: &Error, _: usize) {}

    fn goes_on(&self) -> bool {
        Instant::now() < self.end
    }
}

/// Does `act`, again and again while it fails for the time being and the waiter goes on.
pub fn patiently<T>(waiter: &mut dyn Waiter, mut act: impl FnMut() -> Result<T>) -> Result<T> {
    let (mut pause, mut times) = (FIRST, 0);
    loop {
        match act() {
            Err(error) if error.is_temporary() && waiter.goes_on() => {
                times += 1;
                waiter.waits(&error, times);
                let since = Instant::now();
                while since.elapsed() < pause {
                    if !waiter.goes_on() {
                        return Err(error);
                    }
                    std::thread::sleep(GLANCE);
                }
                pause = (2 * pause).min(LONGEST);
            }
            outcome => return outcome,
        }
    }
}
