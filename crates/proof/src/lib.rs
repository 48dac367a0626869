//! Claims and the evidence that is offered for them. This crate does not decide whether a claim is true.
//!
//! A [`Statement`] is a problem: a model with its data, a function of it, and a region. A problem file ([`Instance`]) is one
//! way to write a statement down; the head of a proof is the other, with the same names. A [`Proof`] is a statement, a claim
//! about it ([`Conclusion`]), and a tree of boxes with a reason for each box (`tree`, `evidence`). `docs/reference/proof.md`
//! describes the files and what each reason means.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod abbreviation;
mod comparison;
mod criterion;
mod description;
mod domain;
mod evidence;
mod exact_sum;
mod fault;
mod file;
mod instance;
mod kernel;
mod name;
mod proof;
mod row;
mod statement;
mod tree;
mod validation;

pub use criterion::{Criterion, Criterion as StatedAcquisition, CriterionFields, CriterionName};
pub use domain::{LARGEST, SMALLEST};
pub use evidence::{Evidence, Order, Reason};
pub use exact_sum::exact_sum;
pub use fault::Fault;
pub use file::FileError;
pub use instance::{Instance, InstanceTerm};
pub use kernel::{KernelFamily, KernelFields, KernelName, KnotArgument, Knots, MOST_DEGREES, MOST_KNOTS, StatedKernel};
pub use name::UnknownName;
pub use proof::{Conclusion, Piece, Proof};
pub use row::StatedRow;
pub use statement::{StatedNegative, StatedTerm, Statement};
pub use tree::{Cut, End, Record, Step};
pub use validation::{FEASIBILITY, LARGEST_INTEGER, MOST_INPUTS, MOST_OBSERVATIONS, MOST_ROWS};
