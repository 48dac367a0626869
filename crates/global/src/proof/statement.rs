//! What a proof is about, in words that its checker understands.

use crate::error::Error;
use crate::face::Face;
use crate::incumbent::Incumbent;
use crate::part::{Curve, Part};
use crate::problem::Problem;
use crate::row::Row;
use fathom_gp::{Criterion, Kernel, NegativeVariance, Term};
use serde::{Deserialize, Serialize};

/// The function, the region, and what is claimed of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// The kernels whose sum is the covariance; they share out the inputs.
    pub terms: Vec<StatedTerm>,
    /// One per input.
    pub lengthscales: Vec<f64>,
    /// σ_ε², with all that was added to the diagonal.
    pub noise: f64,
    /// Of K̂, no eigenvalue is smaller; needed where a kernel is piecewise linear, and so K is no covariance.
    #[serde(default)]
    pub least_eigenvalue: Option<f64>,
    /// What becomes of points with a negative variance, which piecewise-linear kernels have.
    #[serde(default)]
    pub negative_variance: Option<StatedNegative>,
    /// The constant prior mean.
    pub mean: f64,
    /// The function.
    pub acquisition: StatedAcquisition,
    /// Observed inputs.
    pub x: Vec<Vec<f64>>,
    /// Observed outputs.
    pub y: Vec<f64>,
    /// The sides of the region.
    pub bounds: Vec<(f64, f64)>,
    /// Which inputs are whole numbers.
    #[serde(default)]
    pub integers: Vec<usize>,
    /// Further constraints.
    #[serde(default)]
    pub rows: Vec<StatedRow>,
    /// The best point; none where none is known.
    pub point: Option<Vec<f64>>,
    /// Its claimed value.
    pub value: Option<f64>,
    /// No point of the region has a smaller value: the claim. Where there is no bound, that there are no points at all.
    pub lower_bound: Option<f64>,
    /// The confidence bounds that the function is the least of, or whose mean it is a function of. They help the checker and
    /// prove nothing by themselves: it derives from `acquisition` what they must be.
    pub faces: Vec<StatedFace>,
}

/// A confidence bound under its own prior mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatedFace {
    /// The constant prior mean; 0 where only the deviation is sought.
    pub mean: f64,
    /// κ; 0 for functions of mean and deviation.
    pub kappa: f64,
    /// Approximately K̂⁻¹(y − mean); zero where only the deviation is sought.
    pub weights: Vec<f64>,
}

impl From<&Face> for StatedFace {
    fn from(face: &Face) -> Self {
        Self { mean: face.offset, kappa: face.kappa, weights: face.weights.clone() }
    }
}

/// A kernel over its group of inputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatedTerm {
    /// `matern12`, `matern32`, `matern52`, `rbf`, `rq`, `linear`, `polynomial` or `piecewise_linear`.
    pub kernel: String,
    /// α of `rq`, the offset of `linear` and `polynomial`.
    #[serde(default)]
    pub shape: Option<f64>,
    /// Of `polynomial`.
    #[serde(default)]
    pub degree: Option<u32>,
    /// Distances and values of `piecewise_linear`, from distance 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub knots: Vec<(f64, f64)>,
    /// The inputs.
    pub inputs: Vec<usize>,
    /// σ².
    pub variance: f64,
}

impl StatedTerm {
    fn new((term, part): (&Term, &Part)) -> Self {
        let (inputs, variance) = (term.inputs().to_vec(), term.variance());
        if let Curve::Chords(chords) = &part.curve {
            let knots = chords.knots.clone();
            return Self { kernel: "piecewise_linear".into(), shape: None, degree: None, knots, inputs, variance };
        }
        let degree = if let Kernel::Polynomial { degree, .. } = term.kernel() { Some(degree) } else { None };
        let (kernel, shape) = (term.kernel().name().into(), term.kernel().shape());
        Self { kernel, shape, degree, knots: Vec::new(), inputs, variance }
    }
}

/// What becomes of points with a negative variance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatedNegative {
    /// It counts as 0.
    Clamped,
    /// They do not count.
    Excluded,
}

impl From<NegativeVariance> for StatedNegative {
    fn from(negative: NegativeVariance) -> Self {
        match negative {
            NegativeVariance::Clamped => Self::Clamped,
            NegativeVariance::Excluded => Self::Excluded,
        }
    }
}

/// The acquisition function, always to be minimised.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatedAcquisition {
    /// μ − κσ.
    Lcb {
        /// κ.
        kappa: f64,
    },
    /// μ.
    Mean,
    /// −σ.
    Deviation,
    /// μ − κσ − ρ·(width of the mean under an imprecise prior mean).
    Glcb {
        /// κ.
        kappa: f64,
        /// ρ.
        rho: f64,
        /// c, the degree of imprecision.
        imprecision: f64,
    },
    /// The negative expected improvement over `best`.
    Ei {
        /// Smallest output so far.
        best: f64,
    },
    /// The negative logarithm of the expected improvement.
    LogEi {
        /// Smallest output so far.
        best: f64,
    },
    /// The negative probability of improvement.
    Pi {
        /// Smallest output so far.
        best: f64,
    },
}

impl From<Criterion> for StatedAcquisition {
    fn from(criterion: Criterion) -> Self {
        match criterion {
            Criterion::Lcb { kappa } => Self::Lcb { kappa },
            Criterion::Mean => Self::Mean,
            Criterion::Deviation => Self::Deviation,
            Criterion::Glcb { kappa, rho, imprecision } => Self::Glcb { kappa, rho, imprecision },
            Criterion::Ei { best } => Self::Ei { best },
            Criterion::LogEi { best } => Self::LogEi { best },
            Criterion::Pi { best } => Self::Pi { best },
        }
    }
}

/// `lower <= Σ c x_j + Σ q x_j x_k <= upper`; a side that is not there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatedRow {
    /// Pairs (j, c).
    #[serde(default)]
    pub linear: Vec<(usize, f64)>,
    /// Triples (j, k, q).
    #[serde(default)]
    pub quadratic: Vec<(usize, usize, f64)>,
    /// The lower side.
    #[serde(default)]
    pub lower: Option<f64>,
    /// The upper side.
    #[serde(default)]
    pub upper: Option<f64>,
}

impl TryFrom<&StatedRow> for Row {
    type Error = Error;

    fn try_from(row: &StatedRow) -> Result<Self, Error> {
        let (lower, upper) = (row.lower.unwrap_or(f64::NEG_INFINITY), row.upper.unwrap_or(f64::INFINITY));
        Self::new(&row.linear, &row.quadratic, lower, upper)
    }
}

impl From<&Row> for StatedRow {
    fn from(row: &Row) -> Self {
        let finite = |side: f64| Some(side).filter(|side| side.is_finite());
        Self {
            linear: row.linear().to_vec(),
            quadratic: row.quadratic().to_vec(),
            lower: finite(row.lower()),
            upper: finite(row.upper()),
        }
    }
}

impl Statement {
    pub(crate) fn new(problem: &Problem<'_>, best: Option<&Incumbent>, lower_bound: Option<f64>) -> Self {
        let posterior = problem.acquisition().posterior();
        let region = problem.region();
        let sides = region.lower().iter().copied().zip(region.upper().iter().copied());
        Self {
            terms: posterior.model().covariance.terms().iter().zip(&problem.parts).map(StatedTerm::new).collect(),
            lengthscales: problem.lengthscales.clone(),
            noise: problem.noise,
            least_eigenvalue: problem.negative().map(|_| problem.least_eigenvalue),
            negative_variance: problem.negative().map(StatedNegative::from),
            mean: posterior.model().mean,
            acquisition: problem.acquisition().criterion().into(),
            x: posterior.x().rows().collect(),
            y: posterior.y().to_vec(),
            bounds: sides.collect(),
            integers: (0..region.dim()).filter(|j| region.integer()[*j]).collect(),
            rows: region.rows().iter().map(StatedRow::from).collect(),
            point: best.map(|best| best.x.clone()),
            value: best.map(|best| best.value),
            lower_bound,
            faces: problem.faces.iter().map(StatedFace::from).collect(),
        }
    }
}
