use super::*;
use crate::interval::{cholesky, solve};
use crate::kernel::Kernel;
use fathom_proof::{
    Conclusion, KernelName, Order, Piece, StatedAcquisition, StatedKernel, StatedNegative, StatedTerm, Statement,
};
use proptest::prelude::*;

fn kernels() -> impl Strategy<Value = StatedKernel> {
    prop_oneof![
        Just(StatedKernel::Matern12),
        Just(StatedKernel::Matern32),
        Just(StatedKernel::Matern52),
        Just(StatedKernel::Matern72),
        Just(StatedKernel::Rbf),
        (0.3..4.0).prop_map(|alpha| StatedKernel::Rq { alpha }),
        (0.0..2.0).prop_map(|offset| StatedKernel::Linear { offset }),
        (2_u32..6, 0.0..2.0).prop_map(|(degree, offset)| StatedKernel::Polynomial { degree, offset }),
        Just(StatedKernel::PiecewiseLinear {
            knots: vec![(0.0, 1.0), (0.4, 0.8), (1.1, 0.3), (3.0, 0.1), (60.0, 0.0)]
        }),
        polylines(),
    ]
}

/// Piecewise-linear kernels of inner products, near a power, with kinks to both sides.
fn polylines() -> impl Strategy<Value = StatedKernel> {
    (1_i32..3, 0.0..2.0_f64, prop::collection::vec(-0.6..0.6_f64, 60)).prop_map(|(degree, offset, wobbles)| {
        let knot = |(at, wobble): (usize, &f64)| {
            let q = 0.7 * at as f64 - 8.0;
            (q, (q + offset).powi(degree) + wobble)
        };
        StatedKernel::PiecewiseLinearProduct { knots: wobbles.iter().enumerate().map(knot).collect() }
    })
}

fn is_piecewise(kernel: &StatedKernel) -> bool {
    kernel.name() == KernelName::PiecewiseLinear
}

/// A noise that makes the matrices of piecewise-linear kernels positive definite.
fn noise_of(kernel: &StatedKernel, otherwise: f64) -> f64 {
    if matches!(kernel, StatedKernel::PiecewiseLinearProduct { .. }) {
        20.0
    } else if is_piecewise(kernel) {
        1.0
    } else {
        otherwise
    }
}

/// Seven points that are well apart, with outputs of size 1.
fn data(dim: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
    let place = |i: usize, j: usize| ((i * (5 + 3 * j) + j) % 7) as f64 / 6.0;
    let x = (0..7).map(|i| (0..dim).map(|j| place(i, j)).collect()).collect();
    (x, (0..7_i32).map(|i| f64::from(i * i * 3 % 11) / 5.0 - 1.0).collect())
}

/// A proof without boxes; the covariance is the sum of a kernel of the first input and a kernel of the other inputs.
fn question(
    kernels: &[StatedKernel; 2],
    dim: usize,
    [lengthscale, noise]: [f64; 2],
    acquisition: StatedAcquisition,
) -> Proof {
    // Piecewise-linear kernels do not mix with others.
    let second = if is_piecewise(&kernels[0]) == is_piecewise(&kernels[1]) { &kernels[1] } else { &kernels[0] };
    // A mean counts at points with a negative variance, too.
    let is_mean = acquisition == StatedAcquisition::Mean;
    let negative = if is_mean { StatedNegative::Clamped } else { StatedNegative::Excluded };
    let term = |kernel: &StatedKernel, inputs: Vec<usize>| StatedTerm { kernel: kernel.clone(), inputs, variance: 0.8 };
    let mut terms = vec![term(&kernels[0], vec![0])];
    if dim > 1 {
        terms.push(term(second, (1..dim).rev().collect()));
    }
    let (x, y) = data(dim);
    let statement = Statement {
        name: String::new(),
        negative_variance: is_piecewise(&kernels[0]).then_some(negative),
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
        values: Vec::new(),
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
    // The eigenvalues of a piecewise-linear matrix are not known; a large noise makes this bound safe.
    let least_eigenvalue = is_piecewise(&kernels[0]).then_some(1e-3);
    Proof {
        statement,
        claim,
        pieces: vec![Piece { mean: 0.2, weights }],
        least_eigenvalue,
        multipliers: Vec::new(),
        records: Vec::new(),
    }
}

#[test]
fn a_reason_that_does_not_apply_is_void() {
    let (matern, rbf) = (StatedKernel::Matern32, StatedKernel::Rbf);
    let linear = StatedKernel::Linear { offset: 0.5 };
    let chords = StatedKernel::PiecewiseLinear { knots: vec![(0.0, 1.0), (0.4, 0.8), (3.0, 0.1), (60.0, 0.0)] };
    let polyline =
        StatedKernel::PiecewiseLinearProduct { knots: vec![(-2.0, 4.0), (0.0, 0.0), (1.0, 1.0), (3.0, 9.0)] };
    let (lcb, pi) = (StatedAcquisition::Lcb { kappa: 1.5 }, StatedAcquisition::Pi { best: 0.0 });
    let is_applicable = |kernel: &StatedKernel, acquisition: StatedAcquisition, reason: Reason| {
        let mut proof = question(&[kernel.clone(), kernel.clone()], 1, [1.0, noise_of(kernel, 0.1)], acquisition);
        proof.multipliers = vec![proof.pieces[0].weights.clone()];
        let model = Model::new(&proof).unwrap();
        let walk = Walk::new(&proof, &model).unwrap();
        let cube = Cube::new(&model, &[0.2], &[0.3]).unwrap();
        walk.quadratic(0, &cube, reason).is_some()
    };
    let taylor = |guess: f64, kappa: f64| Reason::Taylor { guess, kappa };
    let strange = [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY];
    // The multiplier must exist.
    assert!(is_applicable(&matern, lcb, Reason::Multiplier(Order::Two, 0)));
    assert!(!is_applicable(&matern, lcb, Reason::Multiplier(Order::Two, 1)));
    // The expansion needs a single RBF kernel, and the piece's κ; an improvement criterion allows any κ.
    assert!(is_applicable(&rbf, lcb, taylor(0.5, 1.5)) && is_applicable(&rbf, pi, taylor(0.5, 0.7)));
    assert!(is_applicable(&rbf, pi, taylor(0.5, 0.0)) && !is_applicable(&rbf, lcb, taylor(0.5, 0.0)));
    assert!(!is_applicable(&matern, lcb, taylor(0.5, 1.5)) && !is_applicable(&rbf, lcb, taylor(0.5, 1.4)));
    assert!(!is_applicable(&matern, pi, taylor(0.5, 0.7)) && !is_applicable(&rbf, pi, taylor(0.5, -0.7)));
    assert!(!is_applicable(&rbf, pi, taylor(0.5, f64::NAN)) && !is_applicable(&rbf, pi, taylor(0.5, f64::INFINITY)));
    // Tilted multipliers need an improvement criterion and stationary kernels.
    let tilted = |tau: f64| Reason::Tilted(Order::Two, 0, tau);
    assert!(is_applicable(&matern, pi, tilted(0.5)) && !is_applicable(&matern, lcb, tilted(0.5)));
    assert!(
        !is_applicable(&linear, pi, tilted(0.5)) && !is_applicable(&matern, pi, Reason::Tilted(Order::Two, 1, 0.5))
    );
    // Moving multipliers need kernels without kinks.
    let moving = |weight: f64| Reason::Moving(Order::Two, weight);
    assert!(is_applicable(&matern, lcb, moving(0.5)) && is_applicable(&linear, pi, moving(0.5)));
    assert!(!is_applicable(&chords, lcb, moving(0.5)) && !is_applicable(&polyline, lcb, moving(0.5)));
    assert!(is_applicable(&polyline, lcb, Reason::Multiplier(Order::Two, 0)));
    assert!(!is_applicable(&polyline, lcb, taylor(0.5, 1.5)) && !is_applicable(&polyline, lcb, tilted(0.5)));
    for number in strange {
        assert!(
            !is_applicable(&rbf, lcb, taylor(number, 1.5)) && !is_applicable(&matern, pi, tilted(number)),
            "{number}"
        );
        assert!(!is_applicable(&matern, lcb, moving(number)), "{number}");
    }
}

#[test]
fn a_box_is_split_and_narrowed_only_within_its_own_sides() {
    let mut proof = question(&[StatedKernel::Rbf, StatedKernel::Rbf], 2, [1.0, 0.1], StatedAcquisition::Mean);
    proof.multipliers = vec![proof.pieces[0].weights.clone()];
    proof.statement.integers = vec![1];
    proof.claim.lower_bound = Some(-1e3);
    let model = Model::new(&proof).unwrap();
    let walk = Walk::new(&proof, &model).unwrap();
    let pending = || PendingBox::of(vec![-1.0, 0.0], vec![2.0, 2.0]);
    let ends = |j: usize, position: f64| {
        let [below, above] = walk.split(&pending(), j, position, [7, 9]).ok()?;
        assert_eq!((below.record, above.record, below.piece, above.piece), (7, 9, 0, 0));
        assert_eq!((below.ends(1 - j), above.ends(1 - j)), (pending().ends(1 - j), pending().ends(1 - j)));
        Some((below.ends(j), above.ends(j)))
    };
    assert_eq!(ends(0, 0.5), Some(((-1.0, 0.5), (0.5, 2.0))));
    assert_eq!(ends(1, 1.0), Some(((0.0, 1.0), (2.0, 2.0))));
    assert_eq!(ends(1, 2.0), Some(((0.0, 2.0), (3.0, 2.0))));
    assert_eq!((ends(0, -1.0), ends(0, 2.0)), (Some(((-1.0, -1.0), (-1.0, 2.0))), Some(((-1.0, 2.0), (2.0, 2.0)))));
    for position in [-1.5, 2.5, f64::NAN] {
        assert!(walk.split(&pending(), 0, position, [7, 9]).is_err_and(|error| error.reason.contains("outside")));
    }
    assert!(walk.split(&pending(), 2, 0.0, [7, 9]).is_err() && walk.split(&pending(), 1, 0.5, [7, 9]).is_err());
    // A narrowed box lies in the box and has as many dimensions.
    let reason = Reason::Multiplier(Order::Two, 0);
    let evidence = Evidence { reason, shift: vec![0.0; 2], at: vec![0.0; 2], duals: Vec::new() };
    let narrowed = |lower: &[f64], upper: &[f64]| {
        let mut pending = pending();
        walk.narrow(&mut pending, &evidence, lower, upper).map(|()| (pending.ends(0), pending.ends(1)))
    };
    assert_eq!(narrowed(&[0.0, 1.0], &[1.0, 1.0]).ok(), Some(((0.0, 1.0), (1.0, 1.0))));
    let bad: [(&[f64], &[f64]); 7] = [
        (&[0.0], &[1.0]),
        (&[0.0, 1.0], &[1.0]),
        (&[0.0], &[1.0, 1.0]),
        (&[-1.5, 1.0], &[1.0, 1.0]),
        (&[0.0, 1.0], &[2.5, 1.0]),
        (&[1.0, 1.0], &[0.0, 1.0]),
        (&[0.0, 0.5], &[1.0, 1.0]),
    ];
    for (lower, upper) in bad {
        assert!(narrowed(lower, upper).is_err(), "{lower:?} {upper:?}");
    }
    // Evidence of the wrong size, or with NaN or infinite numbers, is refused.
    for (shift, at, duals) in [(1, 2, 0), (2, 1, 0), (2, 2, 1)] {
        let evidence = Evidence { reason, shift: vec![0.0; shift], at: vec![0.0; at], duals: vec![0.0; duals] };
        assert!(walk.minorant(&pending(), &evidence).is_err(), "{shift} {at} {duals}");
    }
    for at in [vec![f64::NAN, 0.0], vec![0.0, f64::INFINITY]] {
        assert!(walk.minorant(&pending(), &Evidence { at, ..evidence.clone() }).is_err());
    }
    assert!(pending().contains_side(0, -1.0, 2.0) && !pending().contains_side(2, 0.0, 1.0));
    assert_eq!(pending().name(), "box 0 [-1, 2] × [0, 2]");
    let empty = PendingBox::of(vec![0.0, 3.0], vec![1.0, 2.0]);
    assert!(empty.is_empty() && !pending().is_empty());
    // The record of a box without points must be empty.
    let quiet = Record::default();
    let loud = Record { steps: vec![Step::Rows(Vec::new())], end: End::Inherited };
    let closed = Record { steps: Vec::new(), end: End::Closed(evidence.clone()) };
    let look = |record: &Record| walk.check_box(&mut PendingBox::of(vec![0.0, 3.0], vec![1.0, 2.0]), record).is_ok();
    assert!(look(&quiet) && !look(&loud) && !look(&closed));
    // A box that is not covered cannot inherit.
    assert!(walk.check_box(&mut pending(), &quiet).is_err());
    assert!(walk.check_box(&mut PendingBox { is_covered: true, ..pending() }, &quiet).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    /// The checker believes no suggestion of a file.
    #[test]
    fn no_quadratic_is_above_the_function_whatever_the_evidence(
        kernels in [kernels(), kernels()],
        dim in 1_usize..4,
        (lengthscale, log_noise, kappa) in (0.3..3.0, -6.0..-1.0, 0.1..3.0),
        (centre, log_width) in (prop::collection::vec(0.0..1.0, 3), -3.0..0.0),
        g in prop::collection::vec(-1.0..1.0_f64, 7),
        (weight, log_guess) in (0.05..20.0, -2.0..0.0),
        points in prop::collection::vec(prop::collection::vec(-1.0..=1.0_f64, 3), 12),
        is_mean in any::<bool>(),
    ) {
        let is_linear = is_piecewise(&kernels[0]);
        let noise = noise_of(&kernels[0], 10_f64.powf(log_noise));
        let acquisition = if is_linear && is_mean { StatedAcquisition::Mean } else { StatedAcquisition::Lcb { kappa } };
        let mut proof = question(&kernels, dim, [lengthscale, noise], acquisition);
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
            // A κ that is not the piece's would bound another function.
            let other = Reason::Taylor { guess, kappa: 0.5 * kappa };
            prop_assert!(walk.quadratic(0, &cube, other).is_none());
        }
        for reason in reasons {
            let quadratic = walk.quadratic(0, &cube, reason).unwrap();
            let evidence = Evidence { reason, shift: vec![0.3; dim], at: g[..dim].to_vec(), duals: Vec::new() };
            let below = walk.quadratic(0, &cube, reason).unwrap().linearise(&model, Cube::new(&model, &lower, &upper).unwrap(), &evidence);
            let Some(below) = below else {
                // Only a prior variance that may be negative leaves nothing known.
                prop_assert!(is_linear && !model.is_stationary(), "{reason:?}");
                continue;
            };
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

    /// This covers the level curves of improvement criteria for all kinds of multipliers.
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
        if kernels.iter().any(is_piecewise) {
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
        // The claim is just above the lowest value seen, so no evidence may prove it.
        proof.claim.lower_bound = Some(lowest + 1e-9 * lowest.abs() + 1e-290);
        proof.multipliers = vec![g];
        let model = Model::new(&proof).unwrap();
        let walk = Walk::new(&proof, &model).unwrap();
        let pending = PendingBox { record: 0, lower: lower.clone(), upper: upper.clone(), piece: 0, is_covered: false };
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
            let minorant = walk.minorant(&pending, &evidence).unwrap();
            prop_assert!(!walk.proves_claim(&pending, &evidence, &minorant, minorant.value()), "{reason:?} proves {lowest}");
        }
    }
}
