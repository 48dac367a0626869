//! Lower bounds of the acquisition function on one box (docs/method.md).
//!
//! The cube [−1, 1]^D stands for the box. Every bound is a quadratic below the function on the cube, to which the rows
//! are added with their multipliers. A separable minorant of the sum gives the bound and the parts that can be cut off.
//! Each kind of bound is one file that implements [`Bound`]; a node asks all kinds in the order of [`every_kind`].

mod best;
mod centre;
mod constraint;
mod cubic;
mod evidence;
mod expansion;
mod frank_wolfe;
mod inherited;
mod lower;
mod moving;
mod multiplier;
mod quadratic;
mod relaxation;
mod rotations;
mod round;
mod row_multipliers;
mod scaled_box;
mod separable;
mod target;
mod tilted;

pub(crate) use best::{Best, Offer};
pub(crate) use centre::Centre;
pub(crate) use evidence::{FreshEvidence, MultiplierId, NodeRecord};
pub(crate) use lower::Lower;
pub(crate) use multiplier::{Energy, Multiplier};
pub(crate) use relaxation::Relaxation;
pub(crate) use round::{Bound, Round};
pub(crate) use row_multipliers::RowMultipliers;
pub(crate) use scaled_box::ScaledBox;
pub(crate) use target::Target;

use crate::problem::Problem;
use expansion::Expansion;
use frank_wolfe::FrankWolfe;
use inherited::Inherited;
use moving::Moving;
use tilted::Tilted;

/// Every kind of bound that can serve the problem, in the order in which a node asks them: the cheap ones first.
pub(crate) fn every_kind(problem: &Problem<'_>) -> Vec<Box<dyn Bound>> {
    let tables = problem.objective();
    let mut bounds: Vec<Box<dyn Bound>> = vec![Box::new(Inherited::new())];
    bounds.extend(Expansion::new(tables).map(|bound| Box::new(bound) as Box<dyn Bound>));
    bounds.extend(Moving::new(tables).map(|bound| Box::new(bound) as Box<dyn Bound>));
    bounds.push(Box::new(FrankWolfe::new(tables)));
    bounds.push(Box::new(Tilted::new(tables)));
    bounds
}
