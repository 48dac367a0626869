//! The mistakes that a caller's input can have; each variant names the culprit.

use fathom_proof::KernelName;

/// A mistake in the input, or a matrix that no allowed repair makes positive definite.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A data set, a point set or a list of groups is empty.
    #[error("{what} is empty: at least one is needed")]
    Empty {
        /// What is empty.
        what: &'static str,
    },
    /// Two parts of the input disagree about their size.
    #[error("{what} has {found} entries where {expected} are needed")]
    WrongLength {
        /// The part with the wrong size.
        what: &'static str,
        /// The number of entries that the part should have.
        expected: usize,
        /// The number of entries that the part has.
        found: usize,
    },
    /// A row of inputs is longer or shorter than the first row.
    #[error("row {row} of the inputs has {found} entries, the first row has {expected}")]
    RaggedRow {
        /// The index of the row, from 0.
        row: usize,
        /// The number of entries of the first row.
        expected: usize,
        /// The number of entries of this row.
        found: usize,
    },
    /// There are more observations than a model can have.
    #[error(
        "there are {found} observations, whose matrix would take {:.1} GB, and a model needs a few such matrices: use at most \
         {most}",
        8e-9 * (*found as f64).powi(2)
    )]
    TooManyObservations {
        /// The number of observations.
        found: usize,
        /// The most observations that a model can have.
        most: usize,
    },
    /// This machine does not have the memory for so many observations.
    #[error(
        "a model of {observations} observations takes about {gigabytes:.1} GB of memory, which this machine does not have: use fewer"
    )]
    NoMemory {
        /// The number of observations.
        observations: usize,
        /// The memory that the matrices take.
        gigabytes: f64,
    },
    /// A number is NaN or infinite.
    #[error("{what} {index} is {value}: only finite numbers can be used")]
    NotFinite {
        /// The list of numbers.
        what: &'static str,
        /// The index in that list, from 0.
        index: usize,
        /// The offending value.
        value: f64,
    },
    /// One input was observed twice with different outputs, which a model without noise cannot fit.
    #[error(
        "rows {first} and {second} are the same input with outputs {first_output} and {second_output}: \
         average the replicates, or keep them and learn the noise"
    )]
    ConflictingOutputs {
        /// The earlier row, from 0.
        first: usize,
        /// The later row, from 0.
        second: usize,
        /// The output of the earlier row.
        first_output: f64,
        /// The output of the later row.
        second_output: f64,
    },
    /// A hyperparameter or setting is outside its domain.
    #[error("{name} is {value}: it must be {requirement}")]
    OutOfDomain {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What the value must be.
        requirement: &'static str,
    },
    /// A lower bound is above its upper bound.
    #[error("{name} has lower bound {lower} above upper bound {upper}: swap them")]
    CrossedBounds {
        /// The bounded quantity.
        name: &'static str,
        /// The lower bound.
        lower: f64,
        /// The upper bound.
        upper: f64,
    },
    /// An observation lies outside the box that a piecewise-linear kernel was made for.
    #[error("row {row} has input {input} at {value}, {side} {bound} of the box: widen the box")]
    OutsideBox {
        /// The index of the row, from 0.
        row: usize,
        /// The index of the input, from 0.
        input: usize,
        /// The value of the input.
        value: f64,
        /// The side of the box that the value lies beyond.
        side: BoxSide,
        /// The position of that side.
        bound: f64,
    },
    /// A piecewise-linear covariance was given with a posterior of another covariance.
    #[error(
        "the piecewise-linear covariance does not approximate the posterior's covariance: make it from the posterior's covariance"
    )]
    DifferentCovariance,
    /// A group of an additive model names an input that does not exist.
    #[error("group {group} names input {input}, but there are {dim} inputs, numbered from 0")]
    UnknownInput {
        /// The index of the group, from 0.
        group: usize,
        /// The input that the group names.
        input: usize,
        /// The number of inputs.
        dim: usize,
    },
    /// An input is in two groups of an additive model, or twice in one group.
    #[error("input {input} appears in more than one group: groups must be disjoint")]
    OverlappingGroups {
        /// The repeated input.
        input: usize,
    },
    /// An input is in no group of an additive model.
    #[error("input {input} is in no group: add it to one")]
    UngroupedInput {
        /// The input without a group.
        input: usize,
    },
    /// Only confidence bounds, the mean and the deviation are defined under the piecewise-linear kernel.
    #[error(
        "the piecewise-linear kernel supports only the confidence bounds, the mean and the deviation: choose one of them"
    )]
    UnsupportedCriterion,
    /// A kernel that no model has, or not with these parameters.
    #[error("the kernel `{name}`: {reason}")]
    UnsupportedKernel {
        /// Which one.
        name: KernelName,
        /// Why not.
        reason: String,
    },
    /// No evaluation of a fit gave a finite likelihood.
    #[error("no start saw a finite likelihood: outputs of this size need scaling, or the bounds are too extreme")]
    NoFiniteLikelihood,
    /// A start of a fit that was ended before it had looked at any hyperparameters.
    #[error("the start was ended before its first evaluation: give the fit more time")]
    Cut,
    /// A matrix has no inverse, up to rounding.
    #[error(
        "the {size} x {size} matrix is singular: an eigenvalue of {eigenvalue:e} cannot be told from 0 beside a norm of \
         {norm:e}; raise the noise, or repair the spectrum"
    )]
    Singular {
        /// The size of the matrix.
        size: usize,
        /// The eigenvalue nearest to 0.
        eigenvalue: f64,
        /// ‖·‖₂ of the matrix.
        norm: f64,
    },
    /// An eigenvalue decomposition did not converge.
    #[error("the eigenvalues of a {size} x {size} matrix could not be computed: its entries span too many magnitudes")]
    NoSpectrum {
        /// The size of the matrix.
        size: usize,
    },
    /// A matrix that must be square is not.
    #[error("a matrix of {rows} rows and {columns} columns is not square")]
    NotSquare {
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        columns: usize,
    },
    /// A covariance matrix stays indefinite with the largest jitter.
    #[error(
        "the {size} x {size} covariance matrix is not positive definite at pivot {pivot}, even with {jitter:e} \
         added to its diagonal: raise the noise, or remove points that nearly coincide"
    )]
    NotPositiveDefinite {
        /// The pivot at which the factorisation failed, from 0.
        pivot: usize,
        /// The size of the matrix.
        size: usize,
        /// The largest jitter.
        jitter: f64,
    },
}

/// A side of a box in one input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoxSide {
    /// The lower bound.
    Lower,
    /// The upper bound.
    Upper,
}

impl std::fmt::Display for BoxSide {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Lower => "below the lower bound",
            Self::Upper => "above the upper bound",
        })
    }
}

/// The result of everything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// `value` if it is finite and positive; else an error that names it.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<f64> {
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(Error::OutOfDomain { name, value, requirement: "finite and positive" })
    }
}

/// `value` if it is finite and not negative; else an error that names it.
pub(crate) fn non_negative(name: &'static str, value: f64) -> Result<f64> {
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(Error::OutOfDomain { name, value, requirement: "finite and not negative" })
    }
}

/// `Ok` if `found` equals `expected`.
pub(crate) fn same_length(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::WrongLength { what, expected, found }) }
}

/// `Ok` if all `values` are finite; else an error that names the first that is not.
pub(crate) fn all_finite(what: &'static str, values: &[f64]) -> Result<()> {
    match values.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(index) => Err(Error::NotFinite { what, index, value: values[index] }),
    }
}

/// `Ok` if `lower <= upper` and both are finite.
pub(crate) fn ordered(name: &'static str, (lower, upper): (f64, f64)) -> Result<()> {
    all_finite(name, &[lower, upper])?;
    if lower <= upper { Ok(()) } else { Err(Error::CrossedBounds { name, lower, upper }) }
}
