//! What can be wrong with a problem.

use fathom_proof::{LARGEST, SMALLEST};

/// A problem that cannot be searched.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A mistake in the model or its data.
    #[error(transparent)]
    Model(#[from] fathom_gp::Error),
    /// A field of a problem file that does not fit the others or its domain.
    #[error("field `{field}`: {reason}")]
    BadField {
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// Text that is no certificate, or a certificate that cannot be written.
    #[error("not a certificate: {}{reason}", in_field(.field.as_deref()))]
    BadCertificate {
        /// The path of the field, if one field is at fault.
        field: Option<String>,
        /// What is wrong with it.
        reason: String,
    },
    /// A box whose sides do not fit the model.
    #[error("the region has {found} sides, the model has {expected} inputs")]
    WrongDimension {
        /// Inputs of the model.
        expected: usize,
        /// Sides of the region.
        found: usize,
    },
    /// A number too large or too small for bounds that hold.
    #[error(
        "{what} is {value}: numbers may be at most {:e} in size, and variances, lengthscales and shapes at least {:e}; \
         choose other units",
        LARGEST,
        SMALLEST
    )]
    OutOfRange {
        /// What it is.
        what: String,
        /// Its value.
        value: f64,
    },
    /// An input so many lengthscales away that floating point does not resolve one.
    #[error(
        "input {input} reaches {value}, and its lengthscale is {lengthscale}: move the data nearer to 0, or lengthen the scale"
    )]
    Far {
        /// Index of the input, from 0.
        input: usize,
        /// The input's value.
        value: f64,
        /// Its lengthscale.
        lengthscale: f64,
    },
    /// A side whose lower end is above its upper end, or that is not finite.
    #[error("side {side} of the region is [{lower}, {upper}]: its ends must be finite and in order")]
    BadSide {
        /// Index of the side, from 0.
        side: usize,
        /// Lower end.
        lower: f64,
        /// Upper end.
        upper: f64,
    },
    /// A row that no number satisfies, or that is not finite.
    #[error("a constraint cannot hold: {reason}")]
    BadRow {
        /// What is wrong with it.
        reason: String,
    },
    /// A constraint or an integer on a side that does not exist.
    #[error("there is no side {side}: the region has {sides} (counted from 0)")]
    NoSuchSide {
        /// The side named.
        side: usize,
        /// How many there are.
        sides: usize,
    },
    /// An integer side without a whole number in it.
    #[error("side {side} must be a whole number, and there is none in [{lower}, {upper}]")]
    NoInteger {
        /// Index of the side, from 0.
        side: usize,
        /// Lower end.
        lower: f64,
        /// Upper end.
        upper: f64,
    },
    /// An integer side so wide that not every whole number in it has a representation.
    #[error("side {side} must be a whole number, and [{lower}, {upper}] reaches beyond 2^50: narrow it")]
    HugeInteger {
        /// Index of the side, from 0.
        side: usize,
        /// Lower end.
        lower: f64,
        /// Upper end.
        upper: f64,
    },
    /// A list of numbers that a side cannot have.
    #[error("side {side} cannot be limited to a list of numbers: {reason}")]
    BadValues {
        /// Index of the side, from 0.
        side: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// A side of a one-hot group that cannot be both 0 and 1.
    #[error("side {side} belongs to a categorical group: [{lower}, {upper}] must contain 0 and 1")]
    NotBinary {
        /// Index of the side, from 0.
        side: usize,
        /// Lower end.
        lower: f64,
        /// Upper end.
        upper: f64,
    },
    /// A side in two one-hot groups.
    #[error("side {side} belongs to two categorical groups, or twice to one")]
    OverlappingGroups {
        /// The side.
        side: usize,
    },
    /// More inputs than the search has room for.
    #[error("the model has {found} inputs; the search handles at most {most}")]
    TooManyInputs {
        /// Inputs of the model.
        found: usize,
        /// What the search has room for.
        most: usize,
    },
    /// A model or criterion that has no certified bound yet.
    #[error("{what} cannot be certified yet")]
    Unsupported {
        /// What is not supported.
        what: &'static str,
    },
    /// A start of the wrong length.
    #[error("the point has {found} coordinates, the region has {expected} sides")]
    WrongStart {
        /// Sides of the region.
        expected: usize,
        /// Coordinates of the start.
        found: usize,
    },
    /// A start outside the box, or not a number.
    #[error("coordinate {side} of the point is {value}: it must lie in [{lower}, {upper}]")]
    StartOutside {
        /// Index of the side, from 0.
        side: usize,
        /// The coordinate.
        value: f64,
        /// Lower end.
        lower: f64,
        /// Upper end.
        upper: f64,
    },
    /// A start at which a row does not hold.
    #[error("the point violates constraint {row} (counted from 0) by {violation}: move it, or leave it out")]
    InfeasibleStart {
        /// Index of the row.
        row: usize,
        /// By how much.
        violation: f64,
    },
    /// A limit outside its domain.
    #[error("{name} is {value}: it must be {requirement}")]
    BadLimit {
        /// The limit.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        requirement: &'static str,
    },
}

fn in_field(field: Option<&str>) -> String {
    field.map(|field| format!("field `{field}`: ")).unwrap_or_default()
}

/// The result of everything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;
