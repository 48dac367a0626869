//! Conversions between problems and the statements of proofs and problem files.

use super::Problem;
use super::term::{Curve, KernelTerm};
use crate::error::{Error, Result};
use crate::region::Region;
use crate::region::Row;
use fathom_gp::{Covariance, Criterion, Dataset, Kernel, Model, NegativeVariance, Posterior, Replicates, Term};
use fathom_proof::{Fault, Instance, StatedKernel, StatedNegative, StatedRow, StatedTerm, Statement};

impl Problem<'_> {
    /// The problem as a proof states it.
    pub fn statement(&self) -> Statement {
        let posterior = self.acquisition().posterior();
        let (model, region, tables) = (posterior.model(), self.region(), self.objective());
        let (jitter, shift) = self.added_to_diagonal();
        Statement {
            name: String::new(),
            terms: model.covariance.terms().iter().zip(&tables.terms).map(stated_term).collect(),
            lengthscales: tables.lengthscales.clone(),
            noise: model.noise,
            jitter: jitter + shift,
            mean: model.mean,
            acquisition: self.acquisition().criterion(),
            x: posterior.x().rows().collect(),
            y: posterior.y().to_vec(),
            bounds: region.lower().iter().copied().zip(region.upper().iter().copied()).collect(),
            integers: (0..region.dim()).filter(|j| region.integer()[*j]).collect(),
            values: (0..region.dim()).filter_map(|j| Some((j, region.values(j)?.to_vec()))).collect(),
            rows: region.rows().iter().map(stated_row).collect(),
            negative_variance: self.negative().map(|negative| match negative {
                NegativeVariance::Clamped => StatedNegative::Clamped,
                NegativeVariance::Excluded => StatedNegative::Excluded,
            }),
        }
    }
}

fn stated_term((term, tabulated): (&Term, &KernelTerm)) -> StatedTerm {
    let kernel = match &tabulated.curve {
        Curve::Chords(chords) => StatedKernel::PiecewiseLinear { knots: chords.knots.clone() },
        Curve::Polyline(polyline) => StatedKernel::PiecewiseLinearProduct { knots: polyline.knots.clone() },
        Curve::Monotone(_) | Curve::Power { .. } => term.kernel().stated(),
    };
    StatedTerm { kernel, inputs: term.inputs().to_vec(), variance: term.variance() }
}

fn stated_row(row: &Row) -> StatedRow {
    let finite = |side: f64| Some(side).filter(|side| side.is_finite());
    StatedRow {
        linear: row.linear().to_vec(),
        quadratic: row.quadratic().to_vec(),
        lower: finite(row.lower()),
        upper: finite(row.upper()),
    }
}

impl From<Fault> for Error {
    fn from(Fault { field, reason }: Fault) -> Self {
        Self::BadField { field, reason }
    }
}

/// A statement that a search can answer.
pub trait Posed {
    /// The model conditioned on the data.
    fn posterior(&self) -> Result<Posterior>;

    /// What is minimised.
    fn criterion(&self) -> Result<Criterion>;

    /// Where it is minimised.
    fn region(&self) -> Result<Region>;

    /// The problem under a posterior made by [`posterior`](Self::posterior).
    fn problem<'p>(&self, posterior: &'p Posterior) -> Result<Problem<'p>> {
        Problem::new(posterior, self.criterion()?, self.region()?)
    }
}

impl Posed for Statement {
    fn posterior(&self) -> Result<Posterior> {
        if self.jitter != 0.0 {
            let reason = "a search adds jitter, and only a proof states it; a problem states its noise";
            return Err(Error::BadField { field: "jitter", reason: reason.into() });
        }
        let term = |stated: &StatedTerm| {
            let lengthscales: Vec<f64> = stated.inputs.iter().map(|input| self.lengthscales[*input]).collect();
            Ok(Term::new(kernel(&stated.kernel)?, stated.inputs.clone(), stated.variance, &lengthscales)?.with_ard())
        };
        let covariance = Covariance::new(self.dim(), self.terms.iter().map(term).collect::<Result<_>>()?)?;
        let data = Dataset::with_replicates(&self.x, &self.y, Replicates::Keep)?;
        Ok(Model::new(covariance, self.noise)?.with_mean(self.mean)?.condition(&data)?)
    }

    fn criterion(&self) -> Result<Criterion> {
        Ok(self.acquisition)
    }

    fn region(&self) -> Result<Region> {
        let mut region = Region::new(&self.bounds)?.with_integers(&self.integers)?;
        for (side, values) in &self.values {
            region = region.with_values(*side, values)?;
        }
        for StatedRow { linear, quadratic, lower, upper } in &self.rows {
            let (lower, upper) = (lower.unwrap_or(f64::NEG_INFINITY), upper.unwrap_or(f64::INFINITY));
            region = region.with_row(Row::new(linear, quadratic, lower, upper)?)?;
        }
        Ok(region)
    }
}

impl Posed for Instance {
    fn posterior(&self) -> Result<Posterior> {
        self.statement()?.posterior()
    }

    fn criterion(&self) -> Result<Criterion> {
        self.statement()?.criterion()
    }

    fn region(&self) -> Result<Region> {
        self.statement()?.region()
    }
}

fn kernel(stated: &StatedKernel) -> Result<Kernel> {
    Kernel::from_stated(stated).ok_or_else(|| {
        let reason = "a piecewise-linear kernel is part of a proof; state the true kernel and use `--method pk`";
        Error::BadField { field: "terms", reason: reason.into() }
    })
}
