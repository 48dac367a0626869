//! The ranges of the numbers in a problem.
//!
//! Bounds are sums of products, powers and quotients of a few of these numbers. Within the ranges here no bound
//! overflows or vanishes unseen; data beyond the ranges are data in the wrong unit.

use super::piece::Piece;
use super::tables::Tables;
use crate::error::{Error, Result};
use crate::region::Region;
use fathom_gp::{Criterion, Posterior};
use fathom_proof::{KernelFields, LARGEST, SMALLEST};

/// Beyond this many lengthscales from 0, floating point does not distinguish two inputs that the model does.
const FARTHEST: f64 = 1e15;

fn is_sized(what: impl Fn() -> String, value: f64) -> Result<()> {
    // NaN must be an error, so the comparison asks for the good case.
    if value.abs() <= LARGEST { Ok(()) } else { Err(Error::OutOfRange { what: what(), value }) }
}

fn is_positive(what: impl Fn() -> String, value: f64) -> Result<()> {
    if (SMALLEST..=LARGEST).contains(&value) { Ok(()) } else { Err(Error::OutOfRange { what: what(), value }) }
}

/// Refuses data, models and regions whose numbers are beyond [`LARGEST`] or [`SMALLEST`].
pub(super) fn check(posterior: &Posterior, criterion: Criterion, region: &Region) -> Result<()> {
    let (x, model) = (posterior.x(), posterior.model());
    for j in 0..x.dim() {
        for (i, value) in x.column(j).iter().enumerate() {
            is_sized(|| format!("input {j} of observation {i}"), *value)?;
        }
    }
    for (i, value) in posterior.y().iter().enumerate() {
        is_sized(|| format!("output {i}"), *value)?;
    }
    is_sized(|| "the prior mean".into(), model.mean)?;
    is_positive(|| "the noise variance".into(), model.noise + posterior.factor().jitter())?;
    for term in model.covariance.terms() {
        is_positive(|| "a kernel's variance".into(), term.variance())?;
        let (_, KernelFields { alpha, offset, .. }) = term.kernel().stated().into_fields();
        if let Some(alpha) = alpha {
            is_positive(|| "alpha of the rational quadratic kernel".into(), alpha)?;
        }
        if let Some(offset) = offset {
            is_sized(|| "the offset of an inner product kernel".into(), offset)?;
        }
        for (input, l) in term.inputs().iter().zip(term.lengthscales()) {
            is_positive(|| format!("the lengthscale of input {input}"), *l)?;
            let ends = [region.lower()[*input], region.upper()[*input]].into_iter();
            for value in ends.chain(x.column(*input).iter().copied()) {
                is_sized(|| format!("an end of side {input}"), value)?;
                if !(value.abs() <= FARTHEST * l) {
                    return Err(Error::Far { input: *input, value, lengthscale: *l });
                }
            }
        }
    }
    let named: &[(&str, f64)] = match criterion {
        Criterion::Lcb { kappa } => &[("kappa", kappa)],
        Criterion::Glcb { kappa, rho, imprecision } => {
            &[("kappa", kappa), ("rho", rho), ("the imprecision", imprecision)]
        }
        Criterion::Ei { best } | Criterion::LogEi { best } | Criterion::Pi { best } => &[("the best output", best)],
        Criterion::Mean | Criterion::Deviation => &[],
    };
    named.iter().try_for_each(|(name, value)| is_sized(|| (*name).into(), *value))
}

/// Refuses a model whose derived numbers leave the range although its data do not.
pub(super) fn check_derived(tables: &Tables, region: &Region, pieces: &[Piece]) -> Result<()> {
    is_sized(|| "the largest prior variance".into(), tables.largest_prior(region))?;
    for piece in pieces {
        for weight in &piece.weights {
            is_sized(|| "a weight of the posterior mean".into(), *weight)?;
        }
        is_sized(|| "the squared norm of the posterior mean".into(), piece.norm_square)?;
        is_sized(|| "the rounding of the posterior mean".into(), piece.residual_energy)?;
    }
    Ok(())
}
