//! What can be wrong with what a caller hands in, each variant naming the culprit.

/// A mistake in the input, or a matrix that no allowed repair makes positive definite.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A data set, a point set or a list of groups without a single member.
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
        /// Entries it should have.
        expected: usize,
        /// Entries it has.
        found: usize,
    },
    /// A row of inputs is longer or shorter than the first one.
    #[error("row {row} of the inputs has {found} entries, the first row has {expected}")]
    RaggedRow {
        /// Index of the row, from 0.
        row: usize,
        /// Entries of the first row.
        expected: usize,
        /// Entries of this row.
        found: usize,
    },
    /// More observations than a covariance matrix can have.
    #[error(
        "there are {found} observations, whose matrix would take {:.1} GB, and there are a few of its size: a model can have \
         at most {most}",
        8e-9 * (*found as f64).powi(2)
    )]
    TooManyObservations {
        /// Observations handed in.
        found: usize,
        /// The most there can be.
        most: usize,
    },
    /// More observations than this machine has memory for.
    #[error(
        "a model of {observations} observations takes about {gigabytes:.1} GB of memory, which there is not: use fewer"
    )]
    NoMemory {
        /// Observations handed in.
        observations: usize,
        /// What the matrices take.
        gigabytes: f64,
    },
    /// NaN or an infinity where a number is needed.
    #[error("{what} {index} is {value}: only finite numbers can be used")]
    NotFinite {
        /// Which list of numbers.
        what: &'static str,
        /// Index in that list, from 0.
        index: usize,
        /// The offending value.
        value: f64,
    },
    /// One input observed twice with different outputs, which a model without noise cannot honour.
    #[error(
        "rows {first} and {second} are the same input with outputs {first_output} and {second_output}: \
         average the replicates, or keep them and learn the noise"
    )]
    ConflictingOutputs {
        /// The earlier row, from 0.
        first: usize,
        /// The later row, from 0.
        second: usize,
        /// Output of the earlier row.
        first_output: f64,
        /// Output of the later row.
        second_output: f64,
    },
    /// A hyperparameter or setting outside its domain.
    #[error("{name} is {value}: it must be {requirement}")]
    OutOfDomain {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        requirement: &'static str,
    },
    /// A lower bound above its upper bound.
    #[error("{name} has lower bound {lower} above upper bound {upper}: swap them")]
    CrossedBounds {
        /// The bounded quantity.
        name: &'static str,
        /// Lower bound.
        lower: f64,
        /// Upper bound.
        upper: f64,
    },
    /// An observation outside the box that a piecewise-linear kernel was made for.
    #[error("row {row} has input {input} at {value}, {side} {bound} of the box: widen the box")]
    OutsideBox {
        /// Index of the row, from 0.
        row: usize,
        /// Index of the input, from 0.
        input: usize,
        /// Its value.
        value: f64,
        /// The side of the box it lies beyond.
        side: BoxSide,
        /// Where that side is.
        bound: f64,
    },
    /// A piecewise-linear covariance handed in with a posterior of another covariance.
    #[error("the piecewise-linear covariance approximates another covariance than the posterior's: make it from that")]
    DifferentCovariance,
    /// A group of an additive model names an input that does not exist.
    #[error("group {group} names input {input}, but there are {dim} inputs, numbered from 0")]
    UnknownInput {
        /// Index of the group, from 0.
        group: usize,
        /// The input it names.
        input: usize,
        /// Number of inputs.
        dim: usize,
    },
    /// An input that is in two groups of an additive model, or twice in one.
    #[error("input {input} appears in more than one group: groups must be disjoint")]
    OverlappingGroups {
        /// The repeated input.
        input: usize,
    },
    /// An input in no group of an additive model.
    #[error("input {input} is in no group: add it to one")]
    UngroupedInput {
        /// The forgotten input.
        input: usize,
    },
    /// Only confidence bounds, the mean and the deviation are defined under the piecewise-linear kernel.
    #[error(
        "under the piecewise-linear kernel there are the lower confidence bound, the mean and the deviation only; choose one"
    )]
    UnsupportedCriterion,
    /// A fit none of whose evaluations gave a finite likelihood.
    #[error("no start saw a finite likelihood: outputs of this size need scaling, or the bounds are too extreme")]
    NoFiniteLikelihood,
    /// A start of a fit that was ended before it had looked at any hyperparameters.
    #[error("the start was ended before its first evaluation: give the fit more time")]
    Cut,
    /// A matrix without an inverse, to rounding.
    #[error(
        "the {size} x {size} matrix is singular: an eigenvalue of {eigenvalue:e} cannot be told from 0 beside a norm of \
         {norm:e}; raise the noise, or repair the spectrum"
    )]
    Singular {
        /// Size of the matrix.
        size: usize,
        /// The eigenvalue nearest to 0.
        eigenvalue: f64,
        /// ‖·‖₂ of the matrix.
        norm: f64,
    },
    /// An eigenvalue decomposition that did not converge.
    #[error("the eigenvalues of a {size} x {size} matrix could not be computed: its entries span too many magnitudes")]
    NoSpectrum {
        /// Size of the matrix.
        size: usize,
    },
    /// A matrix with more rows than columns, or fewer, where a square one is needed.
    #[error("a matrix of {rows} rows and {columns} columns is not square")]
    NotSquare {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// A covariance matrix that stays indefinite under the largest jitter tried.
    #[error(
        "the {size} x {size} covariance matrix is not positive definite at pivot {pivot}, even with {jitter:e} \
         added to its diagonal: raise the noise, or remove points that nearly coincide"
    )]
    NotPositiveDefinite {
        /// Pivot at which the factorisation failed, from 0.
        pivot: usize,
        /// Size of the matrix.
        size: usize,
        /// Largest jitter tried.
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

/// `Ok` where `value` is finite and positive, the error that names it where not.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<f64> {
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(Error::OutOfDomain { name, value, requirement: "finite and positive" })
    }
}

/// `Ok` where `value` is finite and not negative, the error that names it where not.
pub(crate) fn non_negative(name: &'static str, value: f64) -> Result<f64> {
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(Error::OutOfDomain { name, value, requirement: "finite and not negative" })
    }
}

/// `Ok` where `found` entries are as many as `expected`.
pub(crate) fn same_length(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::WrongLength { what, expected, found }) }
}

/// `Ok` where every one of `values` is finite, the error that names the first that is not.
pub(crate) fn all_finite(what: &'static str, values: &[f64]) -> Result<()> {
    match values.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(index) => Err(Error::NotFinite { what, index, value: values[index] }),
    }
}

/// `Ok` where `lower <= upper` and both are finite.
pub(crate) fn ordered(name: &'static str, (lower, upper): (f64, f64)) -> Result<()> {
    all_finite(name, &[lower, upper])?;
    if lower <= upper { Ok(()) } else { Err(Error::CrossedBounds { name, lower, upper }) }
}
