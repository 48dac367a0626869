//! The bound of one node: from the parent's multiplier to a few Frank–Wolfe steps of its own.

use crate::duals::Duals;
use crate::goal::Goal;
use crate::improvement::{LevelCurve, Price};
use crate::moving::Moving;
use crate::problem::{MOST_INPUTS, Problem};
use crate::propagation::propagate;
use crate::quadratic::{Separable, Vector};
use crate::relaxation::{Relaxation, ScaledBox};
use crate::taylor::{Expansion, Taylor};
use crate::trail::{FreshEvidence, MultiplierId, Trail};
use fathom_gp::lanes::{axpy, dot, sum, widest};
use fathom_gp::widest;
use fathom_proof::{Evidence, Reason, Step};

/// Frank–Wolfe steps at most; more tighten the bound less than a branching does.
const STEPS: usize = 4;

/// How often a node may be narrowed and bounded again before it is branched.
const ROUNDS: usize = 6;

/// Narrowing pays another round where it leaves at most this share of the volume.
const WORTH_ANOTHER_ROUND: f64 = 0.6;

/// Below this squared radius the second-order bound, where it applies, is always the better one.
const SMOOTH_ONLY: f64 = 0.01;

/// A multiplier g and what it costs to swap it in for the weights.
#[derive(Debug, Clone)]
pub(crate) struct Multiplier {
    pub g: Vec<f64>,
    /// An upper bound of (g − a)ᵀK̂(g − a) for the exact weights a.
    pub energy: f64,
    /// Its place in the proof; only kept up where one is recorded.
    pub id: MultiplierId,
    /// The face whose weights it replaces.
    pub face: usize,
}

impl Multiplier {
    pub fn zero(n: usize) -> Self {
        Self { g: vec![0.0; n], energy: f64::INFINITY, id: MultiplierId::Known(0), face: 0 }
    }

    pub fn copy_from(&mut self, other: &Self) {
        self.g.copy_from_slice(&other.g);
        self.energy = other.energy;
        self.id = other.id;
        self.face = other.face;
    }
}

/// A bound of a box, before it is compared with any other.
#[derive(Debug, Clone)]
pub(crate) struct Offer {
    pub reason: Reason<MultiplierId>,
    /// The bound of the function, or of the face, on the box.
    pub bound: f64,
    /// What it is the least value of, in the coordinates of the box.
    pub minorant: Separable,
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
}

/// What became of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Verdict {
    /// Nothing in the box is below the cutoff.
    Pruned,
    /// The narrowed box must be branched.
    Open,
    /// No point of the box satisfies this row.
    Empty { row: usize },
    /// There was no time to finish; the box is as it was.
    Abandoned,
}

/// Bounds nodes one after the other, with memory of its own.
#[derive(Debug)]
pub(crate) struct Bounder {
    relaxation: Relaxation,
    /// Rows in the bound; on return, what the children start from is the best minorant's.
    pub duals: Duals,
    taylor: Option<Taylor>,
    moving: Option<Moving>,
    minorant: Separable,
    pub best_minorant: Separable,
    best_reason: Reason<MultiplierId>,
    best_price: Price,
    /// Every bound that was found for the current node, if somebody wants to see them.
    pub offers: Option<Vec<Offer>>,
    /// What a proof needs to know of the current node, where one is recorded.
    pub trail: Option<Trail>,
    /// The best multiplier met on the current box; on return, what the children start from.
    pub best: Multiplier,
    trial: Multiplier,
    covariances: Vec<f64>,
    solved: Vec<f64>,
    atom: Vec<f64>,
    atom_solved: Vec<f64>,
    /// k(x, x) of the mixture that `covariances` is.
    prior: f64,
    /// At the centre, where a function of mean and deviation is bounded: an upper bound of σ, and of rᵀK̂⁻¹r for what K̂⁻¹
    /// times the covariances, as solved, leaves over.
    central_deviation: f64,
    central_rest: f64,
    difference: Vec<f64>,
    /// The best certified bound of the box.
    pub bound: f64,
    /// A point of the cube where the last relaxation is low.
    pub low_point: Vector,
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
    next_lower: Vec<f64>,
    next_upper: Vec<f64>,
}

impl Bounder {
    /// Records a trail of each node where `recorded`.
    pub fn new(problem: &Problem<'_>, recorded: bool) -> Self {
        let (n, dim) = (problem.size(), problem.dim());
        let zeros = vec![0.0; n];
        Self {
            best_reason: Reason::Multiplier(problem.order, MultiplierId::Known(0)),
            best_price: Price::Multiplier { energy: 0.0, variance: problem.variance },
            offers: None,
            trail: recorded.then(Trail::default),
            relaxation: Relaxation::new(problem),
            duals: Duals::new(problem.region(), problem.deviation_unit),
            taylor: Taylor::new(problem),
            moving: Moving::new(problem),
            minorant: Separable::zero(),
            best_minorant: Separable::zero(),
            best: Multiplier::zero(n),
            trial: Multiplier::zero(n),
            covariances: zeros.clone(),
            solved: zeros.clone(),
            atom: zeros.clone(),
            atom_solved: zeros.clone(),
            prior: 0.0,
            central_deviation: 0.0,
            central_rest: 0.0,
            difference: zeros,
            bound: f64::NEG_INFINITY,
            low_point: [0.0; MOST_INPUTS],
            lower: vec![0.0; dim],
            upper: vec![0.0; dim],
            next_lower: vec![0.0; dim],
            next_upper: vec![0.0; dim],
        }
    }

    /// Bounds the box in `lower`, `upper` (narrowing it in place), starting from the multiplier in `best` and the
    /// `floor` that was proven of a larger box. On return `bound` holds for the narrowed box. `late` is asked between
    /// steps.
    pub fn run(&mut self, problem: &Problem<'_>, floor: f64, cutoff: f64, late: &impl Fn() -> bool) -> Verdict {
        if let Some(trail) = &mut self.trail {
            trail.clear();
        }
        for round in 1..=ROUNDS {
            if let Some(row) = self.propagate(problem) {
                return Verdict::Empty { row };
            }
            let scaled = ScaledBox::new(problem, &self.lower, &self.upper);
            self.place(problem, &scaled);
            let (goal, closes) = self.goal(problem, &scaled, cutoff);
            let face = &problem.faces[self.best.face];
            let price = self.price(self.best.energy);
            self.relaxation.bound(problem, face.offset, &self.best.g, goal.rho(self.best.energy));
            self.relaxation.quadratic.constant += goal.lift(&price);
            self.duals.minorant(&self.relaxation.quadratic, goal.height, &mut self.minorant);
            let inherited = self.minorant.value;
            self.best_minorant.value = f64::NEG_INFINITY;
            self.offer(Reason::Multiplier(problem.order, self.best.id), price, &goal);
            self.find_low_point(problem);
            let mut is_smooth = false;
            if self.best_minorant.value < goal.height
                && let Some(taylor) = self.taylor.as_mut().filter(|taylor| taylor.applies(&scaled))
            {
                let Self { relaxation, duals, minorant, .. } = self;
                let Expansion { guess, kappa, price } =
                    taylor.bound(problem, face, &goal, (relaxation, &scaled), duals, minorant);
                let smooth = self.minorant.value;
                is_smooth = smooth > inherited && taylor.is_sharp(goal.height - smooth);
                if smooth > inherited {
                    self.low_point = self.minorant.at;
                }
                self.offer(Reason::Taylor { guess, kappa }, price, &goal);
                let square: f64 = scaled.half[..problem.dim()].iter().map(|w| w * w).sum();
                is_smooth &= square < SMOOTH_ONLY;
            }
            // Without a deviation the posterior mean's own weights are the best multiplier there is.
            if self.best_minorant.value < goal.height && !is_smooth && !goal.ignores_deviation() {
                // Of a function of mean and deviation the goal was made with a look at it.
                if problem.improvement.is_none() {
                    self.look_at_centre(problem);
                }
                if !self.move_along(problem, &goal, &scaled) {
                    self.improve(problem, &goal, inherited, late);
                }
            }
            if self.best_minorant.value < goal.height
                && let Some(fall) = goal.fall()
            {
                self.tilt(problem, &goal, &scaled, fall);
            }
            if late() {
                return Verdict::Abandoned;
            }
            // Numbers too large for floating point prove nothing; what is known of a larger box holds of this one.
            if self.best_minorant.value == f64::NEG_INFINITY {
                self.best_minorant.forget(&self.duals.multipliers);
                self.best_reason = Reason::Multiplier(problem.order, self.best.id);
                self.bound = floor;
                break;
            }
            if closes && self.best_minorant.value >= goal.height {
                return Verdict::Pruned;
            }
            self.bound = floor.max(goal.bound(self.best_minorant.value, &self.best_price));
            // The last word is a bound of the box that is branched, so the last round does not narrow.
            if round == ROUNDS || !closes || !self.narrow(&scaled, problem, goal.height) {
                break;
            }
        }
        Verdict::Open
    }

    /// What rows say of the box; one that no point of it satisfies, if there is one.
    fn propagate(&mut self, problem: &Problem<'_>) -> Option<usize> {
        if problem.region().rows().is_empty() {
            return None;
        }
        let (trail, mut cuts) = (&mut self.trail, Vec::new());
        let note = |cut| {
            if trail.is_some() {
                cuts.push(cut);
            }
        };
        let missed = propagate(problem.region(), &mut self.lower, &mut self.upper, note);
        if let Some(trail) = trail.as_mut().filter(|_| !cuts.is_empty()) {
            trail.steps.push(Step::Rows(cuts));
        }
        missed
    }

    fn place(&mut self, problem: &Problem<'_>, scaled: &ScaledBox) {
        self.relaxation.place(problem, scaled);
        if !problem.region().rows().is_empty() {
            let (mut centre, mut half) = (scaled.centre, scaled.half);
            for j in 0..problem.dim() {
                centre[j] *= problem.lengthscales[j];
                half[j] *= problem.lengthscales[j];
            }
            self.duals.place(problem.region(), &centre, &half);
        }
    }

    /// Where the relaxation is low, or where its minimum under the rows is.
    fn find_low_point(&mut self, problem: &Problem<'_>) {
        let at = self.minorant.at;
        let free = problem.region().rows().is_empty();
        self.low_point = if free { self.relaxation.quadratic.low_point(at) } else { at };
    }

    /// Takes over the last minorant where it is better than the best so far.
    fn offer(&mut self, reason: Reason<MultiplierId>, price: Price, goal: &Goal) {
        if let Some(offers) = &mut self.offers {
            let (lower, upper, minorant) = (self.lower.clone(), self.upper.clone(), self.minorant.clone());
            offers.push(Offer { reason, bound: goal.bound(minorant.value, &price), minorant, lower, upper });
        }
        if self.minorant.value > self.best_minorant.value {
            self.best_minorant.clone_from(&self.minorant);
            self.best_reason = reason;
            self.best_price = price;
        }
    }

    /// What a multiplier of that energy costs on this box.
    fn price(&self, energy: f64) -> Price {
        Price::Multiplier { energy, variance: self.relaxation.prior.most() }
    }

    /// What the bounds of this box are for, and whether reaching it closes the box. Where nothing could be reached, they
    /// are still to order what is left to do.
    fn goal(&mut self, problem: &Problem<'_>, on: &ScaledBox, cutoff: f64) -> (Goal, bool) {
        let Some(improvement) = problem.improvement else {
            return (Goal::at_face(&problem.faces[self.best.face], cutoff), true);
        };
        let range = self.deviation_range(problem, on);
        let curve = improvement.curve(cutoff, range);
        (Goal::at_level(improvement, curve.unwrap_or(LevelCurve::stand_in(improvement.best)), range), curve.is_some())
    }

    /// k(c, x_i) at the centre, and about K̂⁻¹ of it.
    fn look_at_centre(&mut self, problem: &Problem<'_>) {
        self.relaxation.at_centre(problem, &mut self.atom, &mut self.covariances);
        self.prior = self.relaxation.prior.at(&[0.0; MOST_INPUTS]);
        problem.solve(&self.covariances, &mut self.solved);
    }

    /// What σ can be on the box. At the centre, 2ηᵀk − ηᵀK̂η ≤ kᵀK̂⁻¹k ≤ that + ‖k − K̂η‖²/σ_ε² for any η; and σ is a
    /// distance in the kernel's space, so it changes by no more than ‖k(x, ·) − k(c, ·)‖.
    fn deviation_range(&mut self, problem: &Problem<'_>, on: &ScaledBox) -> (f64, f64) {
        let widest_deviation = self.relaxation.prior.most().sqrt();
        self.look_at_centre(problem);
        let distance = problem.largest_distance(on);
        let n = problem.size();
        let (explained, missing, total) = widest!(<'a> (
            bounder: &'a mut Bounder = self,
            problem: &'a Problem<'a> = problem,
        ) -> (f64, f64, f64) {
            let Bounder { covariances, solved, difference, atom, .. } = bounder;
            for i in 0..covariances.len() {
                let product = dot(problem.covariance_row(i), solved);
                difference[i] = covariances[i] - product;
                atom[i] = solved[i].abs();
            }
            (dot(solved, covariances) + dot(solved, difference), dot(difference, difference), sum(atom))
        });
        let Self { difference, .. } = self;
        let (prior, prior_error) = problem.prior_at(&on.centre);
        // Far from the observations the covariances with the centre are larger than those among them.
        let farther = if problem.is_stationary { 1.0 } else { (prior / problem.largest_covariance).max(1.0) };
        let entry = farther * ((n as f64 + 16.0) * f64::EPSILON * problem.largest_entry() + problem.covariance_error);
        let rounding = entry * total * (total + 2.0) + 8.0 * f64::EPSILON * prior + prior_error;
        let missing = 2.0 * (missing + n as f64 * (entry * (total + 1.0)).powi(2)) / problem.least_eigenvalue;
        // By the largest entry, as a checker may do it.
        let largest = difference.iter().map(|r| r.abs()).fold(0.0, f64::max) + 2.0 * entry * (total + 1.0);
        let least = (prior - explained - missing - rounding).max(0.0).sqrt() - distance;
        self.central_deviation = (prior - explained + rounding).max(0.0).sqrt() * (1.0 + 1e-15);
        self.central_rest = 2.0 * n as f64 * largest * largest / problem.noise;
        let most = self.central_deviation + distance;
        (least.max(0.0) * (1.0 - 1e-15), (most * (1.0 + 1e-15)).min(widest_deviation))
    }

    /// What proves the bound of the last round.
    pub fn evidence(&self, problem: &Problem<'_>) -> FreshEvidence {
        let dim = problem.dim();
        Evidence {
            reason: self.best_reason,
            shift: self.best_minorant.shift[..dim].to_vec(),
            at: self.best_minorant.at[..dim].to_vec(),
            duals: self.best_minorant.duals.clone(),
        }
    }

    /// The bound of a tilted multiplier, where the mean may fall with the deviation as fast as `fall`.
    fn tilt(&mut self, problem: &Problem<'_>, goal: &Goal, on: &ScaledBox, fall: f64) {
        if !problem.is_stationary {
            return;
        }
        let distance = problem.largest_distance(on);
        let face = &problem.faces[self.best.face];
        let tilt = fall / self.central_deviation;
        self.look_at_centre(problem);
        for ((g, a), eta) in self.trial.g.iter_mut().zip(&face.weights).zip(&self.solved) {
            *g = a - tilt * eta;
        }
        let sizes: f64 = self.trial.g.iter().chain(&face.weights).map(|g| g.abs()).sum();
        let reach = self.relaxation.prior.most();
        // What solving, the weights' own residual and the rounding of g leave over.
        let rounding = 16.0 * f64::EPSILON * sizes;
        let spread = (problem.size() as f64 / problem.noise).sqrt() * problem.largest_entry() * rounding;
        let rest = tilt * self.central_rest.sqrt() + face.residual_energy.sqrt() + spread;
        // k(x, c) = k(x, x) − ½‖k(x, ·) − k(c, ·)‖².
        let gain = tilt * (problem.variance - 0.5 * distance * distance) * (1.0 - 1e-14)
            - reach.sqrt() * rest
            - reach * rounding;
        let price = Price::Tilted { slope: fall * (1.0 + 1e-14) };
        self.relaxation.bound(problem, face.offset, &self.trial.g, 0.0);
        self.relaxation.quadratic.constant += gain + goal.lift(&price);
        self.duals.minorant(&self.relaxation.quadratic, goal.height, &mut self.minorant);
        if self.minorant.value > self.best_minorant.value {
            self.find_low_point(problem);
            let id = self.trail.as_mut().map_or(MultiplierId::Fresh(0), |trail| trail.add(&self.trial.g));
            self.offer(Reason::Tilted(problem.order, id, tilt), price, goal);
        }
    }

    /// The bound of a multiplier that moves with x, where it is worth a try; whether it is the best so far. After a look at the
    /// centre.
    fn move_along(&mut self, problem: &Problem<'_>, goal: &Goal, on: &ScaledBox) -> bool {
        if !self.moving.as_ref().is_some_and(|moving| moving.applies(problem, on)) {
            return false;
        }
        let face = &problem.faces[self.best.face];
        let explained = inner(&self.covariances, &self.solved);
        let deviation = (self.prior - explained).max(1e-12 * self.prior).sqrt();
        let weight = goal.kappa(deviation) / deviation;
        // With a level curve the deviation may not count here.
        if !(weight > 0.0) {
            return false;
        }
        let price = Price::Moving { weight };
        let Self { moving: Some(moving), relaxation, solved, .. } = self else { return false };
        moving.bound(problem, face, weight, solved, (relaxation, on));
        relaxation.quadratic.constant += goal.lift(&price) - goal.rest(weight);
        self.duals.minorant(&self.relaxation.quadratic, goal.height, &mut self.minorant);
        let is_best = self.minorant.value > self.best_minorant.value;
        if is_best {
            self.low_point = self.minorant.at;
        }
        self.offer(Reason::Moving(problem.order, weight), price, goal);
        is_best
    }

    /// Frank–Wolfe in the space of covariance vectors, from the centre's, which was looked at.
    fn improve(&mut self, problem: &Problem<'_>, goal: &Goal, inherited: f64, late: &impl Fn() -> bool) {
        let mut best = inherited;
        let face = &problem.faces[self.best.face];
        self.trial.face = self.best.face;
        for step in 0..STEPS {
            let explained = inner(&self.covariances, &self.solved);
            let deviation = (self.prior - explained).max(1e-12 * self.prior).sqrt();
            let kappa = goal.kappa(deviation);
            let mean = face.offset + inner(&face.weights, &self.covariances);
            for ((g, a), eta) in self.trial.g.iter_mut().zip(&face.weights).zip(&self.solved) {
                *g = a + kappa / deviation * eta;
            }
            // The closed form of the energy holds where covariances = K̂ · solved; a guide until certified.
            let guess = (kappa / deviation).powi(2) * (self.prior - deviation * deviation).max(0.0);
            let lift = goal.lift(&self.price(guess));
            self.relaxation.bound(problem, face.offset, &self.trial.g, goal.rho(guess));
            self.relaxation.quadratic.constant += lift;
            self.duals.minorant(&self.relaxation.quadratic, goal.height, &mut self.minorant);
            let bound = self.minorant.value;
            self.find_low_point(problem);
            if bound > best {
                best = bound;
                self.trial.energy = self.certified_energy(problem);
                if let Some(trail) = &mut self.trail {
                    self.trial.id = trail.add(&self.trial.g);
                }
                let price = self.certify(problem, goal, guess, lift);
                self.best.copy_from(&self.trial);
                self.offer(Reason::Multiplier(problem.order, self.trial.id), price, goal);
                if self.best_minorant.value >= goal.height {
                    return;
                }
            }
            // No g can lift the bound above the relaxation's own value at this mixture.
            if goal.is_missed(mean, deviation) || step + 1 == STEPS || late() || !self.mix(problem, kappa) {
                return;
            }
        }
    }

    /// Makes the last minorant, found for an energy of `guess` and its `lift`, one for the certified energy of the trial
    /// multiplier, whose price is returned.
    fn certify(&mut self, problem: &Problem<'_>, goal: &Goal, guess: f64, lift: f64) -> Price {
        let price = self.price(self.trial.energy);
        let (before, rho, lifted) = (goal.rho(guess), goal.rho(self.trial.energy), goal.lift(&price));
        if problem.is_stationary || rho == 0.0 {
            let charge = (rho - before) * problem.variance.sqrt();
            let rounding = 8.0 * f64::EPSILON * ((before + rho) * problem.variance.sqrt() + lift.abs() + lifted.abs());
            let correction = lifted - lift - charge - rounding;
            self.minorant.constant += correction;
            self.minorant.value += correction;
        } else {
            self.relaxation.bound(problem, problem.faces[self.trial.face].offset, &self.trial.g, rho);
            self.duals.minorant(&self.relaxation.quadratic, goal.height, &mut self.minorant);
        }
        price
    }

    /// One Frank–Wolfe step towards the atom of the last bound; false where it leads nowhere.
    fn mix(&mut self, problem: &Problem<'_>, kappa: f64) -> bool {
        let face = &problem.faces[self.best.face];
        self.relaxation.atom(problem, &self.trial.g, &self.low_point, &mut self.atom);
        problem.solve(&self.atom, &mut self.atom_solved);
        for (atom, k) in self.atom.iter_mut().zip(&self.covariances) {
            *atom -= k;
        }
        for (atom, eta) in self.atom_solved.iter_mut().zip(&self.solved) {
            *atom -= eta;
        }
        let prior = self.relaxation.prior.at(&self.low_point);
        let (left, growth) = (self.prior, prior - self.prior);
        let linear = inner(&face.weights, &self.atom);
        let explained = inner(&self.covariances, &self.solved);
        let cross = inner(&self.covariances, &self.atom_solved);
        let square = inner(&self.atom, &self.atom_solved).max(0.0);
        let slope = |t: f64| {
            let v = (left + t * growth - explained - t * (2.0 * cross + t * square)).max(1e-12 * left).sqrt();
            linear + kappa * (cross + t * square - 0.5 * growth) / v
        };
        if slope(0.0) >= 0.0 {
            return false;
        }
        let (mut low, mut high) = (0.0, 1.0);
        if slope(1.0) <= 0.0 {
            low = 1.0;
        } else {
            for _ in 0..14 {
                let middle = 0.5 * (low + high);
                if slope(middle) > 0.0 { high = middle } else { low = middle }
            }
        }
        if low < 1e-4 {
            return false;
        }
        widest(|| {
            axpy(low, &self.atom, &mut self.covariances);
            axpy(low, &self.atom_solved, &mut self.solved);
        });
        self.prior += low * growth;
        true
    }

    /// A face's own weights, into `best`: where its search starts.
    pub fn start(&mut self, problem: &Problem<'_>, face: usize) {
        self.trial.g.copy_from_slice(&problem.faces[face].weights);
        self.trial.face = face;
        self.trial.energy = self.certified_energy(problem);
        self.trial.id = MultiplierId::Known(face);
        self.best.copy_from(&self.trial);
    }

    /// The trial multiplier's (g − a)ᵀK̂(g − a), which no rounding can lower below the truth.
    fn certified_energy(&mut self, problem: &Problem<'_>) -> f64 {
        let n = problem.size();
        let face = &problem.faces[self.trial.face];
        for ((t, g), a) in self.difference.iter_mut().zip(&self.trial.g).zip(&face.weights) {
            *t = g - a;
        }
        let (energy, total) = widest!(<'a> (
            problem: &'a Problem<'a> = problem,
            difference: &'a [f64] = &self.difference,
            sizes: &'a mut [f64] = &mut self.atom,
        ) -> (f64, f64) {
            let mut energy = 0.0;
            for i in 0..difference.len() {
                energy += difference[i] * dot(problem.covariance_row(i), difference);
                sizes[i] = difference[i].abs();
            }
            (energy, sum(sizes))
        });
        // For the exact a, from the computed one with residual ρ: 2|tᵀρ| + ρᵀK̂⁻¹ρ more at most, t = g − ã.
        let rounding = ((2.0 * n as f64 + 16.0) * f64::EPSILON * problem.largest_entry() + problem.covariance_error)
            * total
            * total
            + 2.0 * face.residual * total
            + face.residual_energy;
        (energy.max(0.0) + rounding) * face.reach
    }

    /// Cuts away what the best minorant proves to be above the cutoff; true where that is worth another round.
    fn narrow(&mut self, scaled: &ScaledBox, problem: &Problem<'_>, cutoff: f64) -> bool {
        let mut share = 1.0;
        for j in 0..problem.dim() {
            let (old_low, old_high) = (self.lower[j], self.upper[j]);
            let kept = self.best_minorant.keep(j, cutoff);
            self.next_lower[j] = old_low;
            self.next_upper[j] = old_high;
            let Some((low, high)) = kept.filter(|_| old_high > old_low) else { continue };
            let l = problem.lengthscales[j];
            let at = |x: f64| l * (scaled.centre[j] + x * scaled.half[j]);
            // Outwards by more than the rounding of this map, so that no cut is deeper than proven.
            let slack = 1e-9 * (old_high - old_low) + 8.0 * f64::EPSILON * old_low.abs().max(old_high.abs());
            let new_low = if low > -1.0 { old_low.max(at(low) - slack) } else { old_low };
            let new_high = if high < 1.0 { old_high.min(at(high) + slack) } else { old_high };
            let (new_low, new_high) = match problem.region().integer()[j] {
                true => whole_ends(new_low, new_high, old_high),
                false => (new_low, new_high),
            };
            if new_low < new_high || (new_low == new_high && problem.region().integer()[j]) {
                share *= (new_high - new_low) / (old_high - old_low);
                self.next_lower[j] = new_low;
                self.next_upper[j] = new_high;
            }
        }
        if share >= WORTH_ANOTHER_ROUND {
            return false;
        }
        if self.trail.is_some() {
            let evidence = self.evidence(problem);
            let step = Step::Narrowed { evidence, lower: self.next_lower.clone(), upper: self.next_upper.clone() };
            self.trail.iter_mut().for_each(|trail| trail.steps.push(step.clone()));
        }
        self.lower.copy_from_slice(&self.next_lower);
        self.upper.copy_from_slice(&self.next_upper);
        true
    }

    /// The coordinate to branch on: wide, and with a large part in the looseness of the bound.
    pub fn branching_coordinate(&self, problem: &Problem<'_>) -> usize {
        let dim = problem.dim();
        let kappa = problem.faces[self.best.face].kappa;
        let rho = (kappa * kappa + self.best.energy).sqrt();
        let looseness = self.relaxation.looseness(problem, &self.best.g, rho);
        let half = self.relaxation.half();
        let (width, loose): (f64, f64) = (half[..dim].iter().sum(), looseness[..dim].iter().sum());
        let score = |j: usize| {
            let share = if loose > 0.0 { looseness[j] / loose } else { 0.0 };
            if self.upper[j] > self.lower[j] { 0.3 * half[j] / width + 0.7 * share } else { -1.0 }
        };
        (0..dim).fold(0, |best, j| if score(j) > score(best) { j } else { best })
    }

    /// The low point in the user's coordinates, inside the box.
    pub fn low_point_in_box(&self, problem: &Problem<'_>, x: &mut [f64]) {
        for (j, x) in x.iter_mut().enumerate() {
            let (low, high) = (self.lower[j], self.upper[j]);
            let middle = 0.5 * (low + high);
            let reach = self.relaxation.half()[j] * problem.lengthscales[j];
            *x = (middle + self.low_point[j] * reach).clamp(low, high);
        }
    }
}

/// The whole numbers between two ends; where there are none, only what lies below them is cut off, and the rest is for
/// the next look at it.
fn whole_ends(low: f64, high: f64, old_high: f64) -> (f64, f64) {
    let (first, last) = (low.ceil(), high.floor());
    if first <= last { (first, last) } else { (first.min(old_high), old_high) }
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    widest(|| dot(a, b))
}
