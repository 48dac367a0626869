//! The enclosures cover the error of the matrix in full, and no more: a test moves the matrix by its whole error in the worst
//! direction, and the enclosures must still contain the truth about the unmoved matrix.

use super::*;
use fathom_proof::{Conclusion, Piece as Suggested, StatedAcquisition, StatedKernel};

/// The distance by which the matrix is moved.
const ERROR: f64 = 1e-3;

const X: [[f64; 2]; 4] = [[0.1, 0.2], [0.9, 0.3], [0.4, 0.8], [0.6, 0.5]];
const Y: [f64; 4] = [0.7, -0.4, 0.2, 1.1];
const V: [f64; 4] = [0.5, -1.5, 2.0, -0.25];

fn proof(acquisition: StatedAcquisition) -> Proof {
    let statement = Statement {
        name: String::new(),
        terms: vec![StatedTerm { kernel: StatedKernel::Matern52, inputs: vec![0, 1], variance: 1.3 }],
        lengthscales: vec![0.5, 0.8],
        noise: 0.3,
        jitter: 0.0,
        mean: 0.1,
        acquisition,
        x: X.iter().map(|x| x.to_vec()).collect(),
        y: Y.to_vec(),
        bounds: vec![(0.0, 1.0); 2],
        integers: Vec::new(),
        values: Vec::new(),
        rows: Vec::new(),
        negative_variance: None,
    };
    let claim = Conclusion { point: None, value: None, lower_bound: Some(-10.0) };
    let mut proof = Proof {
        statement,
        claim,
        pieces: vec![Suggested { mean: 0.1, weights: vec![0.0; 4] }],
        least_eigenvalue: None,
        multipliers: Vec::new(),
        records: Vec::new(),
    };
    let target: Vec<f64> = Y.iter().map(|y| y - 0.1).collect();
    proof.pieces[0].weights = Model::new(&proof).unwrap().solve_closely(&target);
    proof
}

/// vᵀK̂w for the unmoved matrix, in ordinary arithmetic.
fn exact_form(model: &Model<'_>, v: &[f64], w: &[f64]) -> f64 {
    model.matrix.iter().zip(v).map(|(row, v)| v * row.iter().zip(w).map(|(k, w)| k * w).sum::<f64>()).sum()
}

fn product(model: &Model<'_>, v: &[f64]) -> Vec<f64> {
    model.matrix.iter().map(|row| row.iter().zip(v).map(|(k, v)| k * v).sum()).collect()
}

fn total(v: &[f64]) -> f64 {
    v.iter().map(|v| v.abs()).sum()
}

/// A model whose matrix is moved by `ERROR` times the product of signs, with `ERROR` as its error.
fn moved<'p>(proof: &'p Proof, left: &[f64], right: &[f64]) -> Model<'p> {
    let mut model = Model::new(proof).unwrap();
    for (row, v) in model.matrix.iter_mut().zip(left) {
        for (entry, w) in row.iter_mut().zip(right) {
            *entry += ERROR * v.signum() * w.signum();
        }
    }
    model.matrix_error = Interval::point(ERROR);
    model
}

fn contains(set: Interval, value: f64) -> bool {
    set.low() <= value + 1e-13 && value <= set.high() + 1e-13
}

#[test]
fn forms_cover_the_error_of_the_matrix() {
    let proof = proof(StatedAcquisition::Mean);
    let exact = Model::new(&proof).unwrap();
    let w = [1.0, -0.5, 0.75, -2.0];
    for sign in [1.0, -1.0] {
        let left: Vec<f64> = V.iter().map(|v| sign * v).collect();
        let found = moved(&proof, &left, &w).form(&V, &w);
        let truth = exact_form(&exact, &V, &w);
        assert!(contains(found, truth), "{found:?} {truth}");
        let room = ERROR * total(&V) * total(&w);
        // The enclosure ends exactly at the truth, on the side that the matrix was moved away from.
        let (near, far) = if sign > 0.0 {
            (truth - found.low(), found.high() - truth)
        } else {
            (found.high() - truth, truth - found.low())
        };
        assert!(near.abs() < 1e-12 && (far - 2.0 * room).abs() < 1e-12, "{near} {far} {room}");
    }
    let several = exact.forms(&[&V, &w], &w);
    assert!(contains(several[0], exact_form(&exact, &V, &w)) && contains(several[1], exact_form(&exact, &w, &w)));
    assert!(several.iter().all(|set| set.high() - set.low() < 1e-12));
}

#[test]
fn residuals_cover_the_error_of_the_matrix() {
    let proof = proof(StatedAcquisition::Mean);
    let exact = Model::new(&proof).unwrap();
    let target = [1.0, 2.0, -1.0, 0.5];
    let missing: Vec<f64> = product(&exact, &V).iter().zip(target).map(|(k, t)| t - k).collect();
    let largest = missing.iter().fold(0.0, |a: f64, b| if b.abs() > a { b.abs() } else { a });
    let target: Vec<Interval> = target.into_iter().map(Interval::point).collect();
    // K̂v is moved towards the target.
    let (residual, energy) = moved(&proof, &missing, &V).residual(&V, &target);
    assert!((residual.high() - largest).abs() < 1e-12, "{residual:?} {largest}");
    let most = largest * largest * 4.0 / 0.3;
    assert!((energy.high() - most).abs() < 1e-10, "{energy:?} {most}");
    // K̂v is moved away from the target.
    let away: Vec<f64> = missing.iter().map(|v| -v).collect();
    let (residual, _) = moved(&proof, &away, &V).residual(&V, &target);
    assert!((residual.high() - largest - 2.0 * ERROR * total(&V)).abs() < 1e-12);
}

#[test]
fn energies_refer_to_exact_weights_and_cover_the_error_of_suggested_weights() {
    let proof = proof(StatedAcquisition::Mean);
    let exact = Model::new(&proof).unwrap();
    let weights = proof.pieces[0].weights.clone();
    let apart: Vec<f64> = V.iter().zip(&weights).map(|(g, a)| g - a).collect();
    let truth = exact_form(&exact, &apart, &apart);
    let found = exact.energy(&exact.pieces[0], &V);
    assert!(contains(found, truth) && found.high() - truth < 1e-11, "{found:?} {truth}");
    // This matrix makes the energy smaller.
    let less: Vec<f64> = apart.iter().map(|v| -v).collect();
    let moved = moved(&proof, &apart, &less);
    assert!(moved.energy(&exact.pieces[0], &V).high() >= truth - 1e-12);
    // With wrong weights, the enclosure still contains the energy relative to the exact weights, by the bound of the residual.
    let mut off = proof.clone();
    off.pieces[0].weights =
        weights.iter().enumerate().map(|(i, a)| a + 1e-2 * if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let strained = Model::new(&off).unwrap();
    let piece = &strained.pieces[0];
    let suggested: Vec<f64> = V.iter().zip(piece.weights).map(|(g, a)| g - a).collect();
    let rho = piece.residual.high();
    let expected =
        exact_form(&exact, &suggested, &suggested) + 2.0 * rho * total(&suggested) + piece.residual_energy.high();
    let found = strained.energy(piece, &V);
    assert!(
        found.high() >= truth && (found.high() - expected).abs() < 1e-12 * expected,
        "{found:?} {truth} {expected}"
    );
    // The share is larger than 1 if kᵀK̂⁻¹k may exceed k(x, x).
    assert!(strained.largest_explained_share(Interval::point(1.3)).high() >= 1.3 * 4.0 / 0.3);
}

#[test]
fn values_agree_with_ordinary_arithmetic_and_cover_every_error() {
    let proof = proof(StatedAcquisition::Lcb { kappa: 1.5 });
    let exact = Model::new(&proof).unwrap();
    let x = [0.35, 0.55];
    let z = scaled(exact.statement, &x);
    let k: Vec<f64> = exact.covariances(&z).iter().map(|k| k.guess()).collect();
    let eta = exact.solve_closely(&k);
    let explained: f64 = k.iter().zip(&eta).map(|(k, eta)| k * eta).sum();
    let mean = 0.1 + k.iter().zip(&proof.pieces[0].weights).map(|(k, a)| k * a).sum::<f64>();
    let deviation = (1.3 - explained).sqrt();
    let Value { value, mean: found, variance, prior, .. } = exact.value(&x);
    let width = variance.sqrt();
    assert!(contains(found, mean) && contains(width, deviation) && contains(value, mean - 1.5 * deviation));
    assert!(
        contains(prior, 1.3_f64.sqrt())
            && [found, width, value, prior].iter().all(|set| set.high() - set.low() < 1e-11)
    );
    // With an error of the matrix, kᵀK̂⁻¹k lies between 2ηᵀk − ηᵀK̂η minus the error, and that plus the residual's energy.
    for sign in [1.0, -1.0] {
        let left: Vec<f64> = eta.iter().map(|eta| sign * eta).collect();
        let moved = moved(&proof, &left, &eta);
        let set: Vec<Interval> = k.iter().map(|k| Interval::point(*k)).collect();
        let explanation = moved.explanation(&set).unwrap();
        let size = total(&explanation.eta);
        assert!(contains(explanation.value, explained), "{:?} {explained}", explanation.value);
        let form = exact_form(&moved, &explanation.eta, &explanation.eta);
        let along: f64 = explanation.eta.iter().zip(&k).map(|(eta, k)| eta * k).sum();
        let lower = 2.0 * along - form - ERROR * size * size;
        assert!((explanation.value.low() - lower).abs() < 1e-12, "{:?} {lower}", explanation.value);
        let missing: Vec<f64> =
            product(&moved, &explanation.eta).iter().zip(&k).map(|(a, k)| (k - a).abs() + ERROR * size).collect();
        let energy = missing.iter().map(|r| r * r).sum::<f64>() / 0.3;
        assert!((explanation.residual_energy.high() - energy).abs() < 1e-12);
        let upper = 2.0 * along - form + ERROR * size * size + energy;
        assert!((explanation.value.high() - upper).abs() < 1e-12);
    }
    // The covariances have an error.
    let wide: Vec<Interval> = k.iter().map(|k| Interval::around(*k, ERROR)).collect();
    let explanation = exact.explanation(&wide).unwrap();
    let room = 2.0 * ERROR * total(&explanation.eta);
    assert!(explanation.value.low() <= explained - room + 1e-10 && explanation.value.low() >= explained - room - 1e-10);
    let around = exact.mean(&exact.pieces[0], &wide, &explanation);
    let spread = ERROR * total(&proof.pieces[0].weights);
    assert!((around.high() - mean - spread).abs() < 1e-9 && (mean - spread - around.low()).abs() < 1e-9, "{around:?}");
}

#[test]
fn the_deviation_on_a_box_differs_from_that_at_the_centre_by_the_distance_at_most() {
    let proof = proof(StatedAcquisition::Lcb { kappa: 1.5 });
    let model = Model::new(&proof).unwrap();
    let (centre, half) = ([0.7, 0.6], [0.2, 0.1]);
    let prior = Interval::point(1.3);
    let range = model.deviation_range(&centre, &half, prior);
    let at = |z: [f64; 2]| {
        let z: Vec<Interval> = z.into_iter().map(Interval::point).collect();
        (model.prior(&z) - model.explained(&model.covariances(&z))).sqrt()
    };
    for (s, t) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0), (0.0, 0.0), (0.3, -0.8)] {
        let there = at([centre[0] + s * half[0], centre[1] + t * half[1]]);
        assert!(range.low() <= there.high() && there.low() <= range.high(), "{range:?} {there:?}");
    }
    // ‖k(x, ·) − k(c, ·)‖² = 2(k(0) − k(corner)).
    let corner = model.corner_covariance(&half).guess();
    let distance = (2.0 * (1.3 - corner)).sqrt();
    let middle = at(centre).guess();
    assert!((range.low() - (middle - distance)).abs() < 1e-11 && (range.high() - (middle + distance)).abs() < 1e-11);
    // σ is at most the prior deviation, and at least 0.
    let wide = model.deviation_range(&centre, &[9.0, 9.0], prior);
    assert!(wide.low() == 0.0 && (wide.high() - 1.3_f64.sqrt()).abs() < 1e-14);
}

#[test]
fn slack_and_drift_match_their_formulas() {
    let number = Interval::point;
    let slack = energy_slack(number(3.0), number(2.0 / f64::EPSILON), number(0.25));
    assert!((slack.guess() - (9.0 * 2.0 * 2.0 + 0.25 * 3.0 * 2.0)).abs() < 1e-12, "{slack:?}");
    // A residual as large as the inverse of a unit shows the four units of the sum; outward rounding adds a few.
    let slack = energy_slack(number(1.0), Interval::ZERO, number(0.5 / f64::EPSILON));
    assert!((3.5..10.5).contains(&(slack.high() - 1.0 / f64::EPSILON)), "{:?}", slack.high() - 1.0 / f64::EPSILON);
    let drift = tilt_drift(number(2.0), number(0.5), [number(9.0), number(16.0)], number(0.125));
    assert!((drift.guess() - (2.0 * (0.5 * 3.0 + 4.0) + 4.0 * 0.125)).abs() < 1e-12, "{drift:?}");
}

#[test]
fn a_tilted_multiplier_bounds_the_mean_by_the_covariance_with_the_centre() {
    let proof = proof(StatedAcquisition::Pi { best: 0.0 });
    let model = Model::new(&proof).unwrap();
    let (centre, half, tau) = ([0.7, 0.6], [0.2, 0.1], 0.75);
    let z: Vec<Interval> = centre.into_iter().map(Interval::point).collect();
    let k: Vec<f64> = model.covariances(&z).iter().map(|k| k.guess()).collect();
    // η is near K̂⁻¹k(c), with an error.
    let eta: Vec<f64> = model.solve_closely(&k).iter().zip(V).map(|(eta, v)| eta + 1e-2 * v).collect();
    let g: Vec<f64> = proof.pieces[0].weights.iter().zip(&eta).map(|(a, eta)| a - tau * eta).collect();
    let (gain, slope) = model.tilt(&model.pieces[0], &g, tau, [&centre, &half]);
    let set: Vec<Interval> = k.iter().map(|k| Interval::point(*k)).collect();
    let rest = model.residual(&eta, &set).1.high();
    let corner = model.corner_covariance(&half).guess();
    let expected = tau * corner - 1.3_f64.sqrt() * tau * rest.sqrt();
    assert!((gain.guess() - expected).abs() < 1e-6, "{gain:?} {expected}");
    let explained: f64 = k.iter().zip(model.solve_closely(&k)).map(|(k, eta)| k * eta).sum();
    assert!((slope.guess() - tau * (1.3 - explained).sqrt()).abs() < 1e-12, "{slope:?}");
    // The corner is the least covariance with the centre on the box.
    for (s, t) in [(1.0, 1.0), (0.5, -1.0), (0.0, 0.0)] {
        let there = [centre[0] + s * half[0], centre[1] + t * half[1]].map(Interval::point);
        assert!(model.terms[0].covariance(&there, &z).high() >= corner);
    }
}

#[test]
fn the_least_value_covers_prior_means_that_are_too_far_apart() {
    let (kappa, rho, imprecision) = (1.0, 0.4, 2.0);
    let mut proof = proof(StatedAcquisition::Mean);
    let plain = proof.statement.clone();
    proof.statement.acquisition = StatedAcquisition::Glcb { kappa, rho, imprecision };
    let piece = |mean: f64| {
        let zero = Suggested { mean: plain.mean, weights: vec![0.0; 4] };
        let helper = Proof { statement: plain.clone(), pieces: vec![zero], ..proof.clone() };
        let target: Vec<f64> = Y.iter().map(|y| y - mean).collect();
        Suggested { mean, weights: Model::new(&helper).unwrap().solve_closely(&target) }
    };
    let with = |reach: f64| Proof { pieces: vec![piece(0.1 - reach), piece(0.1 + reach)], ..proof.clone() };
    // Bisection finds how far apart the prior means must be.
    let (mut low, mut high) = (0.0, 10.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        *if Model::new(&with(middle)).is_ok() { &mut high } else { &mut low } = middle;
    }
    let x = [0.35, 0.55];
    let truth = Model::new(&with(high)).unwrap().value(&x).value;
    assert!(truth.high() - truth.low() < 1e-9, "{truth:?}");
    let wide = Model::new(&with(high + 0.25)).unwrap().value(&x).value;
    assert!(wide.low() <= truth.low() + 1e-9 && truth.high() <= wide.high() + 1e-9, "{wide:?} {truth:?}");
    // The pieces differ by |1 − kᵀK̂⁻¹1| times the difference of their prior means.
    let model_of_both = with(high + 0.25);
    let both = Model::new(&model_of_both).unwrap().value(&x).pieces;
    let share = ((both[1].guess() - both[0].guess()) / (2.0 * (high + 0.25))).abs();
    let found = wide.high() - wide.low();
    assert!(share > 1e-3 && (found - 0.25 * share).abs() < 1e-9, "{wide:?} {share}");
    assert!(Model::new(&with(0.99 * high)).is_err_and(|rejection| rejection.reason.contains("far apart")));
    // 1ᵀK̂⁻¹1 and 1ᵀa in ordinary arithmetic.
    let helper = Proof {
        statement: plain.clone(),
        pieces: vec![Suggested { mean: 0.1, weights: vec![0.0; 4] }],
        ..proof.clone()
    };
    let model = Model::new(&helper).unwrap();
    let (ones, target) = ([1.0; 4], Y.map(|y| y - 0.1));
    let sum: f64 = model.solve_closely(&ones).iter().sum();
    let weighted: f64 = model.solve_closely(&target).iter().sum();
    let outer = 1.0 + weighted.abs() / (imprecision + sum);
    let expected = rho * imprecision / sum * if outer > 2.0 { outer } else { 2.0 };
    assert!((high - expected).abs() < 1e-9, "{high} {expected}");
}

#[test]
fn covariances_and_the_rounding_of_their_sums_are_bounded() {
    let proof = proof(StatedAcquisition::Mean);
    let model = Model::new(&proof).unwrap();
    // The largest entry of K̂ is 1.3 + 0.3.
    assert!((model.largest_covariance(Interval::point(4.0)).guess() - (4.0_f64 * 1.6).sqrt()).abs() < 1e-12);
    let rounding = model.rounding(Interval::point(4.0), &[2.0 / f64::EPSILON, -3.0 / f64::EPSILON]);
    assert!((rounding.guess() - 5.0 * 6.4_f64.sqrt()).abs() < 1e-12, "{rounding:?}");
}

#[test]
fn an_eigenvalue_is_believed_only_if_the_matrix_has_no_smaller_one() {
    let mut proof = proof(StatedAcquisition::Mean);
    let knots = vec![(0.0, 1.0), (0.5, 0.7), (1.5, 0.2), (9.0, 0.0)];
    proof.statement.terms[0].kernel = StatedKernel::PiecewiseLinear { knots };
    proof.statement.negative_variance = Some(StatedNegative::Clamped);
    proof.statement.check().unwrap();
    let with = |least: Option<f64>| Proof { least_eigenvalue: least, ..proof.clone() };
    let is_believed = |least: Option<f64>| match Model::new(&with(least)) {
        Ok(_) => true,
        Err(rejection) => {
            assert!(rejection.reason.contains("positive definite"), "{rejection}");
            false
        }
    };
    assert!(is_believed(Some(1e-3)));
    for least in [None, Some(0.0), Some(-1e-3), Some(f64::NAN), Some(f64::INFINITY), Some(10.0)] {
        assert!(!is_believed(least), "{least:?}");
    }
    let (mut low, mut high) = (1e-3, 10.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        *if is_believed(Some(middle)) { &mut low } else { &mut high } = middle;
    }
    // vᵀK̂v of a vector of length 1 is never below the eigenvalue, and for some v it is close to the eigenvalue.
    let known = with(Some(low));
    let mut model = Model::new(&known).unwrap();
    let mut v = vec![1.0, -0.5, 0.25, -1.0];
    for _ in 0..200 {
        v = model.solve_closely(&v);
        let length = v.iter().map(|v| v * v).sum::<f64>().sqrt();
        v.iter_mut().for_each(|v| *v /= length);
    }
    assert!((exact_form(&model, &v, &v) - low).abs() < 1e-9, "{low}");
    // The error counts once for each entry of a row.
    model.matrix_error = Interval::point(0.01);
    assert!(model.check_spectrum(Some(low - 0.039)).is_err() && model.check_spectrum(Some(low - 0.041)).is_ok());
}

#[test]
fn pieces_must_be_those_of_the_acquisition_function() {
    let is_accepted = |acquisition: StatedAcquisition, pieces: &[(f64, usize)]| {
        let mut proof = proof(StatedAcquisition::Mean);
        proof.statement.acquisition = acquisition;
        proof.pieces = pieces.iter().map(|(mean, size)| Suggested { mean: *mean, weights: vec![0.0; *size] }).collect();
        Model::new(&proof).is_ok()
    };
    let lcb = StatedAcquisition::Lcb { kappa: 1.0 };
    assert!(is_accepted(lcb, &[(0.1, 4)]) && is_accepted(StatedAcquisition::Deviation, &[(0.0, 4)]));
    assert!(!is_accepted(lcb, &[]) && !is_accepted(lcb, &[(0.1, 4), (0.1, 4)]));
    assert!(!is_accepted(lcb, &[(0.1, 3)]) && !is_accepted(lcb, &[(0.1, 5)]) && !is_accepted(lcb, &[(0.2, 4)]));
    assert!(!is_accepted(StatedAcquisition::Deviation, &[(0.1, 4)]));
    let glcb = StatedAcquisition::Glcb { kappa: 1.0, rho: 0.5, imprecision: 1.0 };
    assert!(!is_accepted(glcb, &[(-99.0, 4)]) && !is_accepted(glcb, &[(-99.0, 4), (99.0, 4), (99.0, 4)]));
    // The deviation alone has no mean, and so no weights.
    let mut heavy = proof(StatedAcquisition::Mean);
    heavy.statement.acquisition = StatedAcquisition::Deviation;
    heavy.pieces[0].mean = 0.0;
    assert!(Model::new(&heavy).is_err());
}

/// Two observations that explain more than k(x, x) at the point between them, so that the variance is negative there.
fn indefinite(negative: StatedNegative, knots: &[(f64, f64)], bounds: (f64, f64)) -> Proof {
    let mut proof = proof(StatedAcquisition::Mean);
    let statement = &mut proof.statement;
    let kernel = StatedKernel::PiecewiseLinear { knots: knots.to_vec() };
    statement.terms = vec![StatedTerm { kernel, inputs: vec![0], variance: 1.0 }];
    statement.acquisition = StatedAcquisition::Lcb { kappa: 2.0 };
    (statement.lengthscales, statement.bounds) = (vec![1.0], vec![bounds]);
    (statement.x, statement.y) = (vec![vec![0.0], vec![1.0]], vec![0.3, 0.5]);
    (statement.noise, statement.mean, statement.negative_variance) = (0.1, 0.0, Some(negative));
    let weights = vec![0.3 / 1.1, 0.5 / 1.1];
    let pieces = if negative == StatedNegative::Clamped { 2 } else { 1 };
    proof.pieces = vec![Suggested { mean: 0.0, weights }; pieces];
    proof.least_eigenvalue = Some(1.0);
    proof
}

#[test]
fn a_point_with_a_negative_variance_counts_as_the_statement_says() {
    let knots = [(0.0, 1.0), (0.5, 0.99), (0.6, 0.0), (9.0, 0.0)];
    let clamped = indefinite(StatedNegative::Clamped, &knots, (0.0, 1.0));
    let excluded = indefinite(StatedNegative::Excluded, &knots, (0.0, 1.0));
    let mean = 0.99 * 0.8 / 1.1;
    let value = Model::new(&clamped).unwrap().value(&[0.5]).value;
    assert!(contains(value, mean) && value.high() - value.low() < 1e-9, "{value:?}");
    assert_eq!(Model::new(&excluded).unwrap().value(&[0.5]).value, Interval::ALL);
    // At an observation the variance is positive, and both values are the same.
    let both = [&clamped, &excluded].map(|proof| Model::new(proof).unwrap().value(&[0.0]).value);
    assert!(both[0].is_known() && both[0] == both[1], "{both:?}");
    // A piece with a deviation counts only if the variance is not negative; no piece counts at an excluded point.
    let pieces = |proof: &Proof, x: f64| -> Vec<bool> {
        crate::Function::new(proof).unwrap().pieces(&[x]).iter().map(Option::is_some).collect()
    };
    assert_eq!((pieces(&clamped, 0.5), pieces(&clamped, 0.0)), (vec![false, true], vec![true, true]));
    assert_eq!((pieces(&excluded, 0.5), pieces(&excluded, 0.0)), (vec![false], vec![true]));
}

#[test]
fn a_kernel_must_stay_above_minus_one_at_all_distances_that_occur() {
    // The kernel is below −1 from a distance of 5.2 on; the observation at −1 and the region's upper end are furthest apart.
    let knots = [(0.0, 1.0), (5.0, -0.9), (6.0, -1.4)];
    let is_accepted = |upper: f64| {
        let mut proof = indefinite(StatedNegative::Clamped, &knots, (-1.0, upper));
        proof.statement.x = vec![vec![-1.0], vec![-0.5]];
        proof.statement.noise = 9.0;
        proof.pieces.iter_mut().for_each(|piece| piece.weights = vec![0.0; 2]);
        match Model::new(&proof) {
            Ok(_) => true,
            Err(rejection) => !rejection.reason.contains("below −1"),
        }
    };
    assert!(is_accepted(4.1) && !is_accepted(4.3) && !is_accepted(5.0));
}
