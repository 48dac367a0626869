//! What a model has learned from the trials, in the user's units.

use crate::definition::Definition;
use crate::suggest::Surrogate;
use fathom_gp::Warp;
use fathom_proof::{CriterionName, KernelName};
use serde::Serialize;

/// The hyperparameters of a fitted model for people to read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Learned {
    /// The kernel.
    pub kernel: KernelName,
    /// The value that the model expects far from all trials.
    pub mean: f64,
    /// The deviation of the noise at that value.
    pub noise: f64,
    /// The warp of values, if there is one.
    pub warp: Option<Warped>,
    /// The lengthscale of each parameter that is not fixed.
    pub lengthscales: Vec<Lengthscale>,
    /// The acquisition function of the next step.
    pub acquisition: CriterionName,
    /// How many trials the model is made of.
    pub made_of: usize,
    /// How many finished trials there are.
    pub trials: usize,
}

/// Values that are better than the centre count as they are, worse ones by a logarithm.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Warped {
    /// The centre.
    pub centre: f64,
    /// The difference to the centre from which on the logarithm matters.
    pub width: f64,
}

/// How far a parameter must move for the value to become another one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lengthscale {
    /// The parameter.
    pub parameter: String,
    /// The lengthscale as a part of its range; that of the choices of a categorical parameter as a part of the distance of two.
    pub part_of_range: f64,
}

impl Learned {
    pub(crate) fn new(definition: &Definition, surrogate: &Surrogate) -> Self {
        let model = surrogate.model();
        let scaled = surrogate.lengthscales();
        let of = |side: usize| scaled.iter().flatten().find(|(input, _)| *input == side).map(|(_, l)| *l);
        let names = definition.space.parameters().iter().filter(|parameter| parameter.sides() > 0);
        let lengthscales = names.filter_map(|parameter| {
            let first = definition.space.sides_of(&parameter.name)?.start;
            Some(Lengthscale { parameter: parameter.name.clone(), part_of_range: of(first)? })
        });
        let (goal, deviation) = (definition.goal, model.noise.sqrt());
        let spread = surrogate.cost_back(model.mean + deviation) - surrogate.cost_back(model.mean - deviation);
        let warped = |warp: Warp| Warped { centre: goal.cost(warp.centre()), width: warp.width() };
        let (made_of, trials) = surrogate.made_of();
        Self {
            kernel: model.covariance.terms()[0].kernel().stated().into_fields().0,
            mean: goal.cost(surrogate.cost_back(model.mean)),
            noise: 0.5 * spread,
            warp: surrogate.warp().map(warped),
            lengthscales: lengthscales.collect(),
            acquisition: surrogate.criterion().name(),
            made_of,
            trials,
        }
    }
}
