//! A multiplier that moves with x, for every kernel without kinks (docs/method.md, Theorem 3 and Lemma 5.1).
//!
//! The moving multiplier keeps the curvature of −κσ, which a fixed multiplier loses. A proof names w alone. The checker
//! has a p₀ and a G of its own, and row 30 of the table of rounding leaves room for the difference.

use super::best::Best;
use super::cubic::Cubic;
use super::quadratic::Quadratic;
use super::relaxation::Relaxation;
use super::round::{Bound, Round};
use super::scaled_box::ScaledBox;
use super::separable::Separable;
use crate::level::Shortfall;
use crate::problem::{KernelTerm, Piece, Tables};
use crate::rounding;
use fathom_gp::lanes::dot;
use fathom_gp::widest;
use fathom_proof::Reason;

/// If some kernel's inputs have a larger radius on a box, in lengthscales, fixed multipliers bound the box.
const LARGEST_RADIUS: f64 = 0.25;

/// The same if there is one kernel, for which fixed multipliers are better on larger boxes than they are for sums.
const LARGEST_RADIUS_OF_ONE: f64 = 0.2;

/// If K̂⁻¹ times a vector may be off by more than this share, the search's G and the checker's G differ too much.
const WORST_SOLVE: f64 = 1e-3;

/// Memory of the bound.
#[derive(Debug)]
pub(super) struct Moving {
    /// a + b.
    g: Vec<f64>,
    /// b, and K̂b.
    base: Vec<f64>,
    base_product: Vec<f64>,
    /// ∂k/∂x, G and K̂G, by columns.
    rates: Vec<Vec<f64>>,
    moves: Vec<Vec<f64>>,
    products: Vec<Vec<f64>>,
    /// G_jᵀk, and its third order.
    enclosed: Quadratic,
    beyond: Cubic,
    minorant: Separable,
}

impl Moving {
    /// The memory of the bound; `None` if the bound does not suit the problem.
    pub fn new(tables: &Tables) -> Option<Self> {
        let (n, dim) = (tables.size(), tables.dim());
        let zeros = vec![0.0; tables.width()];
        let columns = vec![zeros.clone(); dim];
        let is_meant = tables.is_smooth() && tables.condition() * f64::EPSILON < WORST_SOLVE;
        is_meant.then(|| Self {
            g: vec![0.0; n],
            base: zeros.clone(),
            base_product: zeros,
            rates: columns.clone(),
            moves: columns.clone(),
            products: columns,
            enclosed: Quadratic::zero(dim),
            beyond: Cubic::zero(dim),
            minorant: Separable::zero(),
        })
    }

    /// Writes the bound of μ − ½wσ² to the quadratic of `relaxation`; `solved` is approximately K̂⁻¹k(c).
    fn bound(
        &mut self,
        tables: &Tables,
        piece: &Piece,
        weight: f64,
        solved: &[f64],
        (relaxation, on): (&mut Relaxation, &ScaledBox),
    ) {
        let dim = tables.dim();
        relaxation.rates(tables, &mut self.rates);
        self.solve(tables, piece, solved, weight);
        relaxation.add_up(tables, piece.offset, &self.g);
        let mut error = 0.0;
        for j in 0..dim {
            error += relaxation.enclose(tables, &self.moves[j][..tables.size()], &mut self.enclosed, &mut self.beyond);
            error += self.beyond.economise(&mut self.enclosed);
            let (enclosed, quadratic) = (&self.enclosed, &mut relaxation.quadratic);
            quadratic.linear[j] += enclosed.constant;
            quadratic.uncertainty += 2.0 * enclosed.uncertainty;
            for k in 0..dim {
                quadratic.matrix[j][k] += enclosed.linear[k];
                quadratic.matrix[k][j] += enclosed.linear[k];
            }
            relaxation.cubic.add_times(j, enclosed);
        }
        relaxation.quadratic.constant -= error;
        relaxation.take_off_prior(tables, on, 0.5 * weight);
        relaxation.economise();
        self.charge(tables, piece, weight, (relaxation, on));
    }

    /// Computes b and G, and K̂ times each of them.
    fn solve(&mut self, tables: &Tables, piece: &Piece, solved: &[f64], weight: f64) {
        for i in 0..tables.size() {
            self.base[i] = weight * solved[i];
            self.g[i] = piece.weights[i] + self.base[i];
        }
        tables.inverse.multiply_all(&self.rates, &mut self.moves);
        for moved in self.moves.iter_mut().flatten() {
            *moved *= weight;
        }
        tables.covariance.multiply(&self.base, &mut self.base_product);
        tables.covariance.multiply_all(&self.moves, &mut self.products);
    }

    /// Subtracts (b + Gx)ᵀK̂(b + Gx)/2w, and what rounding and the residual of a may add to that term.
    fn charge(&self, tables: &Tables, piece: &Piece, weight: f64, (relaxation, on): (&mut Relaxation, &ScaledBox)) {
        let (n, dim) = (tables.size() as f64, tables.dim());
        let (most, quadratic) = (relaxation.prior.most(), &mut relaxation.quadratic);
        let half = 0.5 / weight;
        let (form, base_sizes, total, bent) = widest!(<'a> (
            moving: &'a Moving = self,
            dim: usize = dim,
            half: f64 = half,
            quadratic: &'a mut Quadratic = quadratic,
        ) -> (f64, f64, f64, f64) {
            let Moving { base, base_product, moves, products, .. } = moving;
            let base_sizes = base.iter().map(|b| b.abs()).sum::<f64>();
            let (mut total, mut bent) = (base_sizes, 0.0);
            for j in 0..dim {
                quadratic.linear[j] -= 2.0 * half * dot(&moves[j], base_product);
                total += moves[j].iter().map(|m| m.abs()).sum::<f64>();
                for k in 0..=j {
                    let entry = 2.0 * half * dot(&moves[j], &products[k]);
                    quadratic.matrix[j][k] -= entry;
                    bent += entry.abs();
                    if k < j {
                        quadratic.matrix[k][j] -= entry;
                    }
                }
            }
            (half * dot(base, base_product), base_sizes, total, bent)
        });
        let fixed = 0.5 * weight * most + form;
        let entries = rounding::form_entry(n, tables.largest_entry(), tables.covariance_error);
        // Several times the error: a checker that rounds outwards at every step must find no smaller bound.
        let rounding = rounding::MOVING_TIMES * half * entries * total * total
            + rounding::MOVING * (fixed + quadratic.constant.abs() + quadratic.swing());
        // The exact weights are ã + K̂⁻¹ρ, and kᵀK̂⁻¹ρ + ½w kᵀK̂⁻¹k ≥ (b + Gx)ᵀ(k + ρ/w) − (b + Gx)ᵀK̂(b + Gx)/2w − ρᵀK̂⁻¹ρ/2w.
        let drift = 2.0 * half * piece.residual * total + half * piece.residual_energy;
        // A checker has a b and a G of its own, as good as ours. Both are optimal at the centre, so the difference enters in second
        // order only: through the curvature of G, and through b times the curvature of the kernels. The checker's matrix differs
        // from ours by that much in each direction; around x̂, at most 1, in all D directions.
        let bend = |term: &KernelTerm| term.bend * term.inputs.iter().map(|input| on.half[*input].powi(2)).sum::<f64>();
        let curved = base_sizes * tables.terms.iter().map(bend).sum::<f64>();
        let doubt = f64::EPSILON * tables.condition() * (4.0 * bent + curved);
        quadratic.uncertainty += 2.0 * rounding + doubt;
        quadratic.constant -= form + rounding + drift + 1.5 * dim as f64 * doubt;
    }
}

impl Bound for Moving {
    fn applies(&self, round: &Round<'_>, best: &Best) -> bool {
        let half = &round.on.half;
        let square = |inputs: &[usize]| inputs.iter().map(|input| half[*input] * half[*input]).sum::<f64>();
        let radius = if round.tables.terms.len() == 1 { LARGEST_RADIUS_OF_ONE } else { LARGEST_RADIUS };
        let is_small = |term: &KernelTerm| square(&term.inputs) < radius * radius;
        !best.is_sharp && !round.target.ignores_deviation() && round.tables.terms.iter().all(is_small)
    }

    fn offer(&mut self, round: &mut Round<'_>, best: &mut Best) {
        round.settle(best);
        let Round { tables, piece, target, on, relaxation, rows, centre, .. } = round;
        centre.look(tables, relaxation);
        let deviation = centre.posterior_deviation();
        let weight = target.kappa(deviation) / deviation;
        // Under a level curve the deviation may not count here.
        if !(weight > 0.0) {
            return;
        }
        let shortfall = Shortfall::Moving { weight };
        self.bound(tables, piece, weight, &centre.solved, (relaxation, on));
        relaxation.quadratic.constant += target.lift(&shortfall) - target.rest(weight);
        rows.minorant(&relaxation.quadratic, target.height, &mut self.minorant);
        if self.minorant.value > best.minorant.value {
            best.low_point = self.minorant.at;
        }
        let reason = Reason::Moving(tables.order, weight);
        best.consider(&self.minorant, reason, shortfall, target, (round.lower, round.upper));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Problem;
    use crate::testing::{kernels, lattice};
    use crate::{Limits, Region, Stop, minimise_with_proof};
    use fathom_check::verify;
    use fathom_gp::{Acquisition, Covariance, Criterion, Kernel, Model, Posterior, Term};
    use fathom_proof::{End, Reason};
    use proptest::prelude::*;

    const KAPPA: f64 = 1.7;

    /// Excludes lengthscales at which powers of inner products grow so large that floating point does not resolve the noise.
    fn fit_for(kernel: Kernel, lengthscale: f64) -> f64 {
        let is_power = matches!(kernel, Kernel::Linear { .. } | Kernel::Polynomial { .. });
        if is_power { lengthscale.max(1.0) } else { lengthscale }
    }

    /// A model with data of a smooth function: one kernel of all inputs, or one kernel of each input.
    fn posterior(kernel: Kernel, dim: usize, is_sum: bool, lengthscale: f64) -> Posterior {
        let groups: Vec<Vec<usize>> =
            if is_sum { (0..dim).map(|j| vec![j]).collect() } else { vec![(0..dim).collect()] };
        let term = |inputs: Vec<usize>| {
            let scales = vec![lengthscale; inputs.len()];
            Term::new(kernel, inputs, 0.8, &scales).unwrap()
        };
        let covariance = Covariance::new(dim, groups.into_iter().map(term).collect()).unwrap();
        Model::new(covariance, 1e-6).unwrap().condition(&lattice(11, dim)).unwrap()
    }

    /// The least and the greatest distance of the function from the bound, over points of the box around `centre`.
    fn above(problem: &Problem<'_>, centre: &[f64], width: f64, points: &[Vec<f64>]) -> (f64, f64) {
        let dim = problem.dim();
        let lower: Vec<f64> = centre.iter().map(|c| c - width).collect();
        let upper: Vec<f64> = centre.iter().map(|c| c + width).collect();
        let on = ScaledBox::new(problem.objective(), &lower, &upper);
        let mut relaxation = Relaxation::new(problem.objective());
        relaxation.place(problem.objective(), &problem.pieces[0], &on);
        let n = problem.size();
        let (mut scratch, mut covariances) = (vec![0.0; n], vec![0.0; n]);
        relaxation.at_centre(problem.objective(), &mut scratch, &mut covariances);
        let solved = problem.objective().inverse.times(&covariances);
        let mut function = problem.acquisition().clone();
        let predicted = problem.acquisition().posterior().predict(centre).unwrap();
        let weight = KAPPA / predicted.variance.max(1e-9).sqrt();
        Moving::new(problem.objective()).unwrap().bound(
            problem.objective(),
            &problem.pieces[0],
            weight,
            &solved,
            (&mut relaxation, &on),
        );
        let rest = 0.5 * KAPPA * KAPPA / weight;
        let differences = points.iter().map(|point| {
            let mut cube = [0.0; crate::region::MOST_INPUTS];
            cube[..dim].copy_from_slice(&point[..dim]);
            let x: Vec<f64> = (0..dim).map(|j| centre[j] + width * point[j]).collect();
            function.value(&x) - (relaxation.quadratic.at(&cube) - rest)
        });
        differences.fold((f64::INFINITY, 0.0_f64), |(least, most), d| (least.min(d), most.max(d)))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        #[test]
        fn no_point_of_a_box_is_below_the_bound(
            kernel in kernels(5),
            (dim, is_sum) in (1_usize..4, any::<bool>()),
            lengthscale in 0.05..3.0,
            centre in prop::collection::vec(0.0..1.0, 3),
            log_width in -4.0..-0.5,
            points in prop::collection::vec(prop::collection::vec(-1.0..=1.0_f64, 3), 40),
        ) {
            let lengthscale = fit_for(kernel, lengthscale);
            let posterior = posterior(kernel, dim, is_sum, lengthscale);
            let region = Region::new(&vec![(-1.0, 2.0); dim]).unwrap();
            let problem = Problem::new(&posterior, Criterion::Lcb { kappa: KAPPA }, region).unwrap();
            let corners = (0..8).map(|bits| (0..3).map(|j| f64::from(1 - 2 * (bits >> j & 1))).collect());
            let points: Vec<Vec<f64>> = points.into_iter().chain(corners).collect();
            let width = lengthscale * 10_f64.powf(log_width);
            let (least, _) = above(&problem, &centre[..dim], width, &points);
            prop_assert!(least >= 0.0, "{least} below the bound");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        #[test]
        fn a_weighted_sum_of_kernels_is_within_the_error_of_its_quadratic(
            kernel in kernels(5),
            (dim, is_sum) in (1_usize..4, any::<bool>()),
            lengthscale in 0.05..3.0,
            centre in prop::collection::vec(0.0..1.0, 3),
            log_width in -3.0..-0.3,
            // A few weights only, so that their errors do not hide each other.
            weights in prop::collection::vec((0_usize..11, -1.0..1.0), 1..3),
            points in prop::collection::vec(prop::collection::vec(-1.0..=1.0_f64, 3), 60),
        ) {
            let lengthscale = fit_for(kernel, lengthscale);
            let posterior = posterior(kernel, dim, is_sum, lengthscale);
            let region = Region::new(&vec![(-1.0, 2.0); dim]).unwrap();
            let problem = Problem::new(&posterior, Criterion::Lcb { kappa: KAPPA }, region).unwrap();
            let width = lengthscale * 10_f64.powf(log_width);
            let sides = |sign: f64| centre[..dim].iter().map(|c| c + sign * width).collect::<Vec<f64>>();
            let mut relaxation = Relaxation::new(problem.objective());
            relaxation.place(problem.objective(), &problem.pieces[0], &ScaledBox::new(problem.objective(), &sides(-1.0), &sides(1.0)));
            let mut g = vec![0.0; problem.size()];
            weights.iter().for_each(|(i, weight)| g[*i] += weight);
            let (mut quadratic, mut cubic) = (Quadratic::zero(dim), Cubic::zero(dim));
            relaxation.rates(problem.objective(), &mut vec![vec![0.0; problem.objective().width()]; dim]);
            let error = relaxation.enclose(problem.objective(), &g, &mut quadratic, &mut cubic) + cubic.economise(&mut quadratic);
            let covariance = &posterior.model().covariance;
            for point in points {
                let mut cube = [0.0; crate::region::MOST_INPUTS];
                cube[..dim].copy_from_slice(&point[..dim]);
                let x: Vec<f64> = (0..dim).map(|j| centre[j] + width * point[j]).collect();
                let rows = posterior.x().rows();
                let exact: f64 = rows.zip(&g).map(|(row, g)| g * covariance.between(&x, &row)).sum();
                let off = (exact - quadratic.at(&cube)).abs();
                prop_assert!(off <= error, "off by {off}, not {error}");
            }
        }
    }

    #[test]
    fn what_is_lost_is_of_third_order() {
        let points: Vec<Vec<f64>> =
            (0..27).map(|i| [i % 3, i / 3 % 3, i / 9].iter().map(|k| f64::from(*k) - 1.0).collect()).collect();
        for (kernel, is_sum) in [(Kernel::Matern52, false), (Kernel::Matern52, true), (Kernel::Rbf, true)] {
            let posterior = posterior(kernel, 3, is_sum, 0.6);
            let region = Region::new(&[(-1.0, 2.0); 3]).unwrap();
            let problem = Problem::new(&posterior, Criterion::Lcb { kappa: KAPPA }, region).unwrap();
            // If the deviation does not move with x, its square replaces it to third order.
            let mut function = Acquisition::new(&posterior, Criterion::Deviation).unwrap();
            let mut flattest = (f64::INFINITY, vec![0.0; 3]);
            for i in 0..1000 {
                let x: Vec<f64> = [i % 10, i / 10 % 10, i / 100].iter().map(|k| f64::from(*k) / 9.0).collect();
                let mut gradient = vec![0.0; 3];
                function.value_and_gradient(&x, &mut gradient);
                let slope = gradient.iter().map(|g| g * g).sum::<f64>();
                if slope < flattest.0 {
                    flattest = (slope, x);
                }
            }
            let lost = |width: f64| above(&problem, &flattest.1, width, &points).1;
            let (wide, narrow) = (lost(0.04), lost(0.01));
            assert!(wide > 30.0 * narrow, "{kernel:?}, sum {is_sum}: {wide} and {narrow}");
        }
    }

    #[test]
    fn proofs_rest_on_it_and_not_on_another_weight() {
        let posterior = posterior(Kernel::Matern32, 2, true, 0.3);
        let region = Region::new(&[(0.0, 1.0); 2]).unwrap();
        let problem = Problem::new(&posterior, Criterion::Lcb { kappa: KAPPA }, region).unwrap();
        let limits = Limits { gap: 1e-5, ..Limits::default() };
        let proof = minimise_with_proof(&problem, &limits, &Stop::new(false), |_| ()).unwrap().1.unwrap();
        verify(&proof).unwrap();
        let mut found = 0;
        for (factor, culprit) in [(30.0, "its bound is below"), (-1.0, "void"), (f64::NAN, "void"), (0.0, "void")] {
            let mut lie = proof.clone();
            for record in &mut lie.records {
                if let End::Closed(evidence) = &mut record.end
                    && let Reason::Moving(_, weight) = &mut evidence.reason
                {
                    *weight *= factor;
                    found += 1;
                }
            }
            let rejection = verify(&lie).unwrap_err().to_string();
            assert!(rejection.contains(culprit), "times {factor}: {rejection}");
        }
        assert!(found > 0);
    }
}
