//! The function as a method sees it: it counts every call, keeps the best point, and ends the method when the caller asks.

use super::outcome::{Ending, Outcome, Rest};
use super::settle::settle;
use crate::limits::Stop;
use crate::problem::Evaluate;
use crate::region::Region;
use std::cell::{Cell, RefCell};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// While a method runs, violations up to this part of a side or of a row's range do not make a point worse than
/// another. [`Region::contains`] judges the final point.
const SLACK: f64 = 1e-6;

/// Why a method must end early; as an error it unwinds the method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halted {
    /// The caller asked for an end.
    Asked,
    /// The time ran out.
    Late,
}

impl Halted {
    /// The ending that an outcome reports.
    pub fn ending(self) -> Ending {
        match self {
            Self::Asked => Ending::Interrupted,
            Self::Late => Ending::TimeLimit,
        }
    }
}

/// The caller's flag and clock.
#[derive(Debug, Clone, Copy)]
pub struct Watch<'a> {
    stop: &'a Stop,
    deadline: Option<Instant>,
}

impl<'a> Watch<'a> {
    /// Starts the clock.
    pub fn new(stop: &'a Stop, time: Option<Duration>) -> Self {
        // A deadline past the end of the clock is no deadline.
        Self { stop, deadline: time.and_then(|time| Instant::now().checked_add(time)) }
    }

    /// An error if it is time to end.
    pub fn check(&self) -> Result<(), Halted> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Halted::Asked);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Halted::Late),
            Some(_) | None => Ok(()),
        }
    }
}

/// An evaluated point: how far it lies outside the region, and its value.
#[derive(Debug, Clone)]
struct Seen {
    outside: f64,
    value: f64,
    x: Vec<f64>,
}

/// The acquisition function over a region.
pub struct Objective<'a> {
    acquisition: RefCell<&'a mut dyn Evaluate>,
    /// Where it is minimised.
    pub region: &'a Region,
    /// When to end.
    pub watch: Watch<'a>,
    evaluations: Cell<u64>,
    best: RefCell<Option<Seen>>,
}

impl<'a> Objective<'a> {
    /// Nothing has been evaluated yet.
    pub fn new(acquisition: &'a mut dyn Evaluate, region: &'a Region, watch: Watch<'a>) -> Self {
        let acquisition = RefCell::new(acquisition);
        Self { acquisition, region, watch, evaluations: Cell::new(0), best: RefCell::new(None) }
    }

    /// The function at `x`.
    pub fn value(&self, x: &[f64]) -> Result<f64, Halted> {
        self.watch.check()?;
        let value = self.acquisition.borrow_mut().value(x);
        self.record(x, value);
        Ok(value)
    }

    /// The function at `x`, and its gradient.
    pub fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Halted> {
        self.watch.check()?;
        let value = self.acquisition.borrow_mut().value_and_gradient(x, gradient);
        self.record(x, value);
        Ok(value)
    }

    /// The number of evaluations so far.
    pub fn evaluations(&self) -> u64 {
        self.evaluations.get()
    }

    /// Forgets the best point, for a new descent.
    pub fn begin(&self) {
        *self.best.borrow_mut() = None;
    }

    /// The result of a descent that was cut short: the best point it met, or its start.
    pub fn cut_short(&self, halted: Halted, start: &[f64], iterations: u64) -> Rest {
        let best = self.best.borrow();
        let x = best.as_ref().map_or_else(|| start.to_vec(), |seen| seen.x.clone());
        Rest { x, iterations, ending: halted.ending() }
    }

    /// The end of a descent: moved into the box, rounded, moved onto rows that it barely misses, and evaluated.
    pub fn outcome(&self, rest: Rest) -> Outcome {
        let Rest { mut x, iterations, ending } = rest;
        self.region.clamp(&mut x);
        settle(self.region, &mut x);
        let value = self.acquisition.borrow_mut().value(&x);
        let evaluations = self.evaluations.get() + 1;
        self.evaluations.set(evaluations);
        Outcome { value, feasible: self.region.contains(&x), evaluations, iterations, ending, x }
    }

    /// How far `x` misses a side, as a part of the side's width, or a row, as a part of the row's range; the larger of the two.
    fn outside(&self, x: &[f64]) -> f64 {
        let (lower, upper) = (self.region.lower(), self.region.upper());
        let width = |j: usize| if upper[j] > lower[j] { upper[j] - lower[j] } else { 1.0 };
        let side = |j: usize| (lower[j] - x[j]).max(x[j] - upper[j]) / width(j);
        (0..x.len()).map(side).fold(self.region.violation(x), f64::max)
    }

    fn record(&self, x: &[f64], value: f64) {
        self.evaluations.set(self.evaluations.get() + 1);
        let outside = (self.outside(x) - SLACK).max(0.0);
        let mut best = self.best.borrow_mut();
        let better = |seen: &Seen| outside < seen.outside || (outside == seen.outside && value < seen.value);
        // A NaN is better only than no point.
        if best.as_ref().is_none_or(|seen| better(seen) || seen.value.is_nan()) {
            *best = Some(Seen { outside, value, x: x.to_vec() });
        }
    }
}
