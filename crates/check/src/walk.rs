//! The walk through the tree of boxes: makes sure that the boxes tile the region and that each of them reaches the claim.

use crate::criterion::Curve;
use crate::interval::Interval;
use crate::minorant::{Cube, Minorant, Quadratic, omega};
use crate::model::Model;
use crate::verdict::{Rejection, refuse};
use fathom_proof::{End, Evidence, Proof, Reason, Record, Step};

/// A box still to be looked at.
#[derive(Debug)]
pub(crate) struct Part {
    record: usize,
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// The piece it is looked at for.
    piece: usize,
    /// Whether the claim is proven of a box around it.
    is_covered: bool,
}

impl Part {
    /// A box, as a culprit.
    pub fn name(&self) -> String {
        let side = |(low, high): (&f64, &f64)| format!("[{low}, {high}]");
        let sides: Vec<String> = self.lower.iter().zip(&self.upper).map(side).collect();
        format!("box {} {}", self.record, sides.join(" × "))
    }

    /// What coordinate j runs through.
    pub fn side(&self, j: usize) -> Interval {
        Interval::between(self.lower[j], self.upper[j])
    }

    /// Whether it is the upper half of a whole side that was split at its end.
    fn is_empty(&self) -> bool {
        self.lower.iter().zip(&self.upper).any(|(low, high)| low > high)
    }

    /// The ends of side j.
    pub fn ends(&self, j: usize) -> (f64, f64) {
        (self.lower[j], self.upper[j])
    }

    /// Whether there is a side j, and [lower, upper] is a part of it.
    pub fn contains_side(&self, j: usize, lower: f64, upper: f64) -> bool {
        j < self.lower.len() && self.lower[j] <= lower && lower <= upper && upper <= self.upper[j]
    }

    /// Makes side j a part of itself.
    pub fn set_side(&mut self, j: usize, lower: f64, upper: f64) {
        (self.lower[j], self.upper[j]) = (lower, upper);
    }
}

/// Everything that is needed to look at a box.
pub(crate) struct Walk<'p> {
    proof: &'p Proof,
    model: &'p Model<'p>,
    /// Of each multiplier, for each piece.
    energies: Vec<Vec<Interval>>,
}

impl<'p> Walk<'p> {
    pub fn new(proof: &'p Proof, model: &'p Model<'p>) -> Result<Self, Rejection> {
        let n = proof.statement.y.len();
        if let Some(index) = proof.multipliers.iter().position(|g| g.len() != n) {
            return refuse(format!("multiplier {index}"), format!("it does not have {n} entries"));
        }
        let energies = |piece| proof.multipliers.iter().map(|g| model.energy(piece, g)).collect();
        Ok(Self { proof, model, energies: model.pieces.iter().map(energies).collect() })
    }

    /// Looks at every box and returns how many there are.
    pub fn run(&self) -> Result<usize, Rejection> {
        let (lower, upper): (Vec<f64>, Vec<f64>) = self.proof.statement.bounds.iter().copied().unzip();
        let is_covered = match (&self.model.criterion, self.proof.claim.lower_bound) {
            (Some(criterion), Some(claim)) => criterion.is_never_below(claim),
            (None, _) | (_, None) => false,
        };
        let root = |piece| Part { record: piece, piece, lower: lower.clone(), upper: upper.clone(), is_covered };
        let mut pending: Vec<Part> = (0..self.model.pieces.len()).map(root).collect();
        let mut boxes = 0;
        while let Some(mut part) = pending.pop() {
            boxes += 1;
            let Some(record) = self.proof.records.get(part.record).filter(|_| boxes <= self.proof.records.len()) else {
                return refuse(part.name(), "it has no record of its own");
            };
            if let Some(halves) = self.look(&mut part, record)? {
                pending.extend(halves);
            }
        }
        Ok(boxes)
    }

    /// Looks at one box; returns its halves if it is split.
    fn look(&self, part: &mut Part, record: &Record) -> Result<Option<[Part; 2]>, Rejection> {
        if part.is_empty() {
            let is_left_alone = record.steps.is_empty() && record.end == End::Inherited;
            return if is_left_alone { Ok(None) } else { refuse(part.name(), "it has no points, but is looked at") };
        }
        for step in &record.steps {
            match step {
                Step::Narrowed { evidence, lower, upper } => self.narrow(part, evidence, lower, upper)?,
                Step::Rows(cuts) => cuts.iter().try_for_each(|cut| self.model.rows.cut(part, cut))?,
            }
        }
        match &record.end {
            End::Empty { row } => self.model.rows.check_empty(part, *row)?,
            End::Inherited if part.is_covered => {}
            End::Inherited => {
                return refuse(part.name(), format!("nothing is known of it that reaches {}", self.claimed()));
            }
            End::Closed(evidence) => {
                let minorant = self.minorant(part, evidence)?;
                if !self.reaches(part, evidence, &minorant, minorant.value()) {
                    return refuse(part.name(), format!("its bound is below {}", self.claimed()));
                }
            }
            End::Split { floor, coordinate, position, halves } => {
                let minorant = self.minorant(part, floor)?;
                part.is_covered |= self.reaches(part, floor, &minorant, minorant.value());
                return self.split(part, *coordinate, *position, *halves).map(Some);
            }
        }
        Ok(None)
    }

    /// The claim, for messages.
    fn claimed(&self) -> String {
        self.proof.claim.lower_bound.map_or("a region without points".into(), |bound| bound.to_string())
    }

    /// Accepts the smaller box if everything outside it is proven to be at or above the claim.
    fn narrow(&self, part: &mut Part, evidence: &Evidence, lower: &[f64], upper: &[f64]) -> Result<(), Rejection> {
        let dim = part.lower.len();
        if lower.len() != dim || upper.len() != dim {
            return refuse(part.name(), "it is narrowed to a box of another dimension");
        }
        let minorant = self.minorant(part, evidence)?;
        for j in 0..dim {
            let (low, high) = (lower[j], upper[j]);
            if !part.contains_side(j, low, high) {
                let reason = format!("side {j} is narrowed to [{low}, {high}], which it does not contain");
                return refuse(part.name(), reason);
            }
            for (from, to) in self.model.rows.lost(part, j, low, high)?.into_iter().flatten() {
                if !self.reaches(part, evidence, &minorant, minorant.slab(j, from, to)) {
                    return refuse(part.name(), format!("[{from}, {to}] of side {j} is cut away without proof"));
                }
            }
        }
        part.lower.copy_from_slice(lower);
        part.upper.copy_from_slice(upper);
        Ok(())
    }

    fn split(&self, part: &Part, j: usize, position: f64, halves: [usize; 2]) -> Result<[Part; 2], Rejection> {
        if j >= part.lower.len() || !(part.lower[j] <= position && position <= part.upper[j]) {
            return refuse(part.name(), format!("it is split at {position} in coordinate {j}, outside of it"));
        }
        // Whole numbers end at `position` below and begin after it above.
        let is_whole = self.model.rows.is_whole(j);
        if is_whole && !self.model.rows.may_end(j, position) {
            return refuse(part.name(), format!("whole coordinate {j} is split at {position}"));
        }
        let half = |record| {
            let Part { piece, is_covered, ref lower, ref upper, .. } = *part;
            Part { record, piece, lower: lower.clone(), upper: upper.clone(), is_covered }
        };
        let (mut below, mut above) = (half(halves[0]), half(halves[1]));
        below.upper[j] = position;
        above.lower[j] = if is_whole { position + 1.0 } else { position };
        Ok([below, above])
    }

    /// Whether the claim follows from a minorant that is nowhere below `level`. That there are no points follows from none.
    fn reaches(&self, part: &Part, evidence: &Evidence, minorant: &Minorant, level: Interval) -> bool {
        let Some(claim) = self.proof.claim.lower_bound else { return false };
        let Some(criterion) = &self.model.criterion else { return level.low() >= claim };
        let prior = minorant.largest_prior(self.model);
        let curve = match evidence.reason {
            Reason::Multiplier(_, index) => {
                Curve::Multiplier { level, energy: self.energies[part.piece][index], variance: prior }
            }
            Reason::Tilted(_, index, tau) => {
                let (piece, g) = (&self.model.pieces[part.piece], &self.proof.multipliers[index]);
                let (gain, slope) = self.model.tilt(piece, g, tau, minorant.place());
                Curve::Tilted { level: (level + gain).lower(), slope }
            }
            Reason::Moving(_, weight) => Curve::Moving { level, weight: Interval::point(weight) },
            Reason::Taylor { guess, kappa } => {
                let (square, far) = (minorant.square(), Interval::point(guess));
                let (kappa, near) = (Interval::point(kappa), far * (square * -0.5).exp());
                let sigma_f = self.model.sigma_f;
                Curve::Expansion { level, kappa, sigma_f, omega: omega(square), near, far }
            }
        };
        criterion.holds(claim, &curve, minorant.deviation_range(self.model, prior))
    }

    fn minorant(&self, part: &Part, evidence: &Evidence) -> Result<Minorant, Rejection> {
        let (dim, rows) = (part.lower.len(), self.model.rows.len());
        if evidence.shift.len() != dim || evidence.at.len() != dim || evidence.duals.len() != rows {
            return refuse(part.name(), "its evidence has the wrong number of entries");
        }
        let mut suggestions = evidence.shift.iter().chain(&evidence.at).chain(&evidence.duals);
        if !suggestions.all(|number| number.is_finite()) {
            return refuse(part.name(), "a suggestion is not finite");
        }
        let Some(cube) = Cube::new(self.model, &part.lower, &part.upper) else {
            return refuse(part.name(), "it is too large");
        };
        let Some(quadratic) = self.quadratic(part.piece, &cube, evidence.reason) else {
            return refuse(part.name(), "its reason is void");
        };
        match quadratic.linearise(self.model, cube, evidence) {
            Some(minorant) => Ok(minorant),
            None => refuse(part.name(), "no shift makes its quadratic convex, or a row's multiplier has no side"),
        }
    }

    /// A quadratic below a piece on the cube, or below what `reaches` makes of its mean and the deviation; none if there is
    /// no such reason.
    fn quadratic(&self, index: usize, cube: &Cube, reason: Reason) -> Option<Quadratic> {
        let (model, piece) = (self.model, &self.model.pieces[index]);
        let any_kappa = model.criterion.is_some();
        let multiplier = |at: usize| Some((self.proof.multipliers.get(at)?, self.energies[index][at]));
        let is_positive = |value: f64| value > 0.0 && value.is_finite();
        match reason {
            Reason::Multiplier(order, at) => {
                let (g, energy) = multiplier(at)?;
                // ρ = sqrt(κ² + energy), unless `reaches` pays for the energy.
                let rho = (Interval::point(piece.kappa).square() + energy).sqrt();
                let rho = if any_kappa { Interval::ZERO } else { rho };
                Some(Quadratic::of_multiplier(model, piece, cube, order, g, rho))
            }
            Reason::Taylor { guess, kappa } => {
                let is_fit = kappa >= 0.0 && kappa.is_finite() && (any_kappa || kappa == piece.kappa);
                let is_meant = model.is_rbf() && is_positive(guess) && is_fit;
                if is_meant { Quadratic::of_expansion(model, piece, cube, (guess, kappa)) } else { None }
            }
            Reason::Tilted(order, at, tau) => {
                let (g, _) = multiplier(at)?;
                let is_meant = is_positive(tau) && any_kappa && model.is_stationary();
                is_meant.then(|| Quadratic::of_multiplier(model, piece, cube, order, g, Interval::ZERO))
            }
            Reason::Moving(order, weight) => {
                let is_meant = !model.statement.is_piecewise_linear() && is_positive(weight);
                // κ²/2w, unless `reaches` weighs the deviation.
                let kappa = Interval::point(if any_kappa { 0.0 } else { piece.kappa });
                let charge = || kappa.square() / Interval::point(weight) * 0.5;
                is_meant.then(|| Quadratic::of_moving(model, piece, cube, (order, weight, charge())))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::{cholesky, solve};
    use crate::kernel::Kernel;
    use fathom_proof::{
        Conclusion, Order, Piece, StatedAcquisition, StatedKernel, StatedNegative, StatedTerm, Statement,
    };
    use proptest::prelude::*;

    fn kernels() -> impl Strategy<Value = StatedKernel> {
        prop_oneof![
            Just(StatedKernel::Matern12),
            Just(StatedKernel::Matern32),
            Just(StatedKernel::Matern52),
            Just(StatedKernel::Rbf),
            (0.3..4.0).prop_map(|alpha| StatedKernel::Rq { alpha }),
            (0.0..2.0).prop_map(|offset| StatedKernel::Linear { offset }),
            (2_u32..6, 0.0..2.0).prop_map(|(degree, offset)| StatedKernel::Polynomial { degree, offset }),
            Just(StatedKernel::PiecewiseLinear {
                knots: vec![(0.0, 1.0), (0.4, 0.8), (1.1, 0.3), (3.0, 0.1), (60.0, 0.0)]
            }),
        ]
    }

    /// Seven points that crowd nowhere, with outputs of size 1.
    fn data(dim: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
        let place = |i: usize, j: usize| ((i * (5 + 3 * j) + j) % 7) as f64 / 6.0;
        let x = (0..7).map(|i| (0..dim).map(|j| place(i, j)).collect()).collect();
        (x, (0..7_i32).map(|i| f64::from(i * i * 3 % 11) / 5.0 - 1.0).collect())
    }

    /// A proof without boxes of a sum of one kernel of the first input and one of the others.
    fn question(
        kernels: &[StatedKernel; 2],
        dim: usize,
        [lengthscale, noise]: [f64; 2],
        acquisition: StatedAcquisition,
    ) -> Proof {
        let linear = |kernel: &StatedKernel| matches!(kernel, StatedKernel::PiecewiseLinear { .. });
        // Piecewise-linear kernels do not mix with others.
        let second = if linear(&kernels[0]) || linear(&kernels[1]) { &kernels[0] } else { &kernels[1] };
        let term =
            |kernel: &StatedKernel, inputs: Vec<usize>| StatedTerm { kernel: kernel.clone(), inputs, variance: 0.8 };
        let mut terms = vec![term(&kernels[0], vec![0])];
        if dim > 1 {
            terms.push(term(second, (1..dim).rev().collect()));
        }
        let (x, y) = data(dim);
        let statement = Statement {
            name: String::new(),
            negative_variance: linear(&kernels[0]).then_some(StatedNegative::Excluded),
            terms,
            lengthscales: vec![lengthscale; dim],
            noise,
            jitter: 0.0,
            mean: 0.2,
            acquisition,
            x,
            y: y.clone(),
            bounds: vec![(-1.0, 2.0); dim],
            integers: Vec::new(),
            rows: Vec::new(),
        };
        statement.check().unwrap();
        let scaled = |row: &Vec<f64>| row.iter().map(|x| Interval::point(x / lengthscale)).collect::<Vec<Interval>>();
        let entry = |a: &Vec<f64>, b: &Vec<f64>| -> f64 {
            let (a, b) = (scaled(a), scaled(b));
            let term = |term: &StatedTerm| {
                let (kernel, pairs) = (Kernel::from(&term.kernel), term.inputs.iter().map(|j| (a[*j], b[*j])));
                let argument: Interval = match kernel.is_stationary() {
                    true => pairs.map(|(a, b)| (a - b).square()).sum(),
                    false => pairs.map(|(a, b)| a * b).sum(),
                };
                kernel.value(argument).guess() * term.variance
            };
            statement.terms.iter().map(term).sum()
        };
        let mut matrix: Vec<Vec<f64>> =
            statement.x.iter().map(|a| statement.x.iter().map(|b| entry(a, b)).collect()).collect();
        for i in 0..matrix.len() {
            matrix[i][i] += noise;
        }
        let target: Vec<f64> = y.iter().map(|y| y - 0.2).collect();
        let weights = solve(&cholesky(&matrix), &target);
        let claim = Conclusion { point: None, value: None, lower_bound: Some(0.0) };
        // The eigenvalues of a piecewise-linear matrix are not known; a noise of 1 is more than enough here.
        let least_eigenvalue = linear(&kernels[0]).then_some(1e-3);
        Proof {
            statement,
            claim,
            pieces: vec![Piece { mean: 0.2, weights }],
            least_eigenvalue,
            multipliers: Vec::new(),
            records: Vec::new(),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(800))]

        /// Whatever a file suggests: the checker believes none of it.
        #[test]
        fn no_quadratic_is_above_the_function_whatever_the_evidence(
            kernels in [kernels(), kernels()],
            dim in 1_usize..4,
            (lengthscale, log_noise, kappa) in (0.3..3.0, -6.0..-1.0, 0.1..3.0),
            (centre, log_width) in (prop::collection::vec(0.0..1.0, 3), -3.0..0.0),
            g in prop::collection::vec(-1.0..1.0_f64, 7),
            (weight, log_guess) in (0.05..20.0, -2.0..0.0),
            points in prop::collection::vec(prop::collection::vec(-1.0..=1.0_f64, 3), 12),
        ) {
            let is_linear = matches!(kernels[0], StatedKernel::PiecewiseLinear { .. });
            let noise = if is_linear { 1.0 } else { 10_f64.powf(log_noise) };
            let mut proof = question(&kernels, dim, [lengthscale, noise], StatedAcquisition::Lcb { kappa });
            proof.multipliers = vec![proof.pieces[0].weights.iter().zip(&g).map(|(a, g)| a + g).collect()];
            let model = match Model::new(&proof) {
                Ok(model) => model,
                Err(rejection) => {
                    prop_assert!(is_linear && rejection.reason.contains("positive definite"), "{rejection}");
                    return Ok(());
                }
            };
            let walk = Walk::new(&proof, &model).unwrap();
            let width = lengthscale * 10_f64.powf(log_width);
            let side = |sign: f64| centre[..dim].iter().map(|c| c + sign * width).collect::<Vec<f64>>();
            let (lower, upper) = (side(-1.0), side(1.0));
            let cube = Cube::new(&model, &lower, &upper).unwrap();
            let mut reasons = vec![Reason::Multiplier(Order::Two, 0), Reason::Multiplier(Order::Three, 0)];
            if !is_linear {
                reasons.extend([Reason::Moving(Order::Two, weight), Reason::Moving(Order::Three, weight)]);
            }
            if model.is_rbf() {
                let guess = 10_f64.powf(log_guess);
                reasons.push(Reason::Taylor { guess, kappa });
                // Another κ than the piece's would bound another function.
                let other = Reason::Taylor { guess, kappa: 0.5 * kappa };
                prop_assert!(walk.quadratic(0, &cube, other).is_none());
            }
            for reason in reasons {
                let quadratic = walk.quadratic(0, &cube, reason).unwrap();
                let evidence = Evidence { reason, shift: vec![0.3; dim], at: g[..dim].to_vec(), duals: Vec::new() };
                let below = walk.quadratic(0, &cube, reason).unwrap().linearise(&model, Cube::new(&model, &lower, &upper).unwrap(), &evidence).unwrap();
                let mut lowest = f64::INFINITY;
                for point in &points {
                    let at = |j: usize| centre[j] + width * point[j] * (1.0 - 1e-12);
                    let x: Vec<f64> = (0..dim).map(at).collect();
                    let (bound, value) = (quadratic.at(&cube, &x), model.value(&x).value);
                    if value.is_known() {
                        prop_assert!(bound.low() <= value.high(), "{reason:?}: {bound:?} above {value:?} at {x:?}");
                        lowest = if value.high() < lowest { value.high() } else { lowest };
                    }
                }
                prop_assert!(below.value().low() <= lowest, "{reason:?}: {:?} above {lowest}", below.value());
            }
        }

        /// What is made of multipliers, tilted ones and the others by the level curves of improvement criteria.
        #[test]
        fn no_claim_of_an_improvement_holds_that_a_point_contradicts(
            kernels in [kernels(), kernels()],
            dim in 1_usize..3,
            (lengthscale, log_noise, best) in (0.3..3.0, -5.0..-1.0, -2.0..0.5),
            kind in 0_usize..3,
            (centre, log_width) in (prop::collection::vec(0.0..1.0, 2), -3.0..0.0),
            (log_tau, weight, log_guess) in (-2.0..1.0, 0.05..20.0, -2.0..0.0),
            points in prop::collection::vec(prop::collection::vec(-1.0..=1.0_f64, 2), 8),
        ) {
            let linear = |kernel: &StatedKernel| matches!(kernel, StatedKernel::PiecewiseLinear { .. });
            if kernels.iter().any(linear) {
                return Ok(());
            }
            let acquisition =
                [StatedAcquisition::Ei { best }, StatedAcquisition::LogEi { best }, StatedAcquisition::Pi { best }][kind];
            let mut proof = question(&kernels, dim, [lengthscale, 10_f64.powf(log_noise)], acquisition);
            let tau = 10_f64.powf(log_tau);
            let model = Model::new(&proof).unwrap();
            let width = lengthscale * 10_f64.powf(log_width);
            let side = |sign: f64| centre[..dim].iter().map(|c| c + sign * width).collect::<Vec<f64>>();
            let (lower, upper) = (side(-1.0), side(1.0));
            let z: Vec<Interval> = centre[..dim].iter().map(|c| Interval::point(c / lengthscale)).collect();
            let central: Vec<f64> = model.covariances(&z).iter().map(|k| k.guess()).collect();
            let eta = model.solve(&central);
            let g = proof.pieces[0].weights.iter().zip(&eta).map(|(a, eta)| a - tau * eta).collect();
            let mut values = Vec::new();
            for point in &points {
                let x: Vec<f64> = (0..dim).map(|j| centre[j] + width * point[j] * (1.0 - 1e-12)).collect();
                let value = model.value(&x).value;
                if value.is_known() {
                    values.push(value.high());
                }
            }
            let Some(lowest) = values.into_iter().reduce(|a, b| if b < a { b } else { a }) else { return Ok(()) };
            // Just above the lowest value seen: no evidence may prove it.
            proof.claim.lower_bound = Some(lowest + 1e-9 * lowest.abs() + 1e-290);
            proof.multipliers = vec![g];
            let model = Model::new(&proof).unwrap();
            let walk = Walk::new(&proof, &model).unwrap();
            let part = Part { record: 0, lower: lower.clone(), upper: upper.clone(), piece: 0, is_covered: false };
            let mut reasons = vec![
                Reason::Multiplier(Order::Two, 0),
                Reason::Multiplier(Order::Three, 0),
                Reason::Moving(Order::Three, weight),
            ];
            if model.is_stationary() {
                reasons.push(Reason::Tilted(Order::Three, 0, tau));
            }
            if model.is_rbf() {
                reasons.push(Reason::Taylor { guess: 10_f64.powf(log_guess), kappa: weight });
            }
            for reason in reasons {
                let evidence = Evidence { reason, shift: vec![0.0; dim], at: vec![0.0; dim], duals: Vec::new() };
                let minorant = walk.minorant(&part, &evidence).unwrap();
                prop_assert!(!walk.reaches(&part, &evidence, &minorant, minorant.value()), "{reason:?} proves {lowest}");
            }
        }
    }
}
