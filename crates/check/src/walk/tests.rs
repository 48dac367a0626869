use super::*;
use crate::interval::{cholesky, solve};
use crate::kernel::Kernel;
use fathom_proof::{Conclusion, Order, Piece, StatedAcquisition, StatedKernel, StatedNegative, StatedTerm, Statement};
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
    let term = |kernel: &StatedKernel, inputs: Vec<usize>| StatedTerm { kernel: kernel.clone(), inputs, variance: 0.8 };
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

#[test]
fn reasons_that_do_not_apply_are_void() {
    let (matern, rbf) = (StatedKernel::Matern32, StatedKernel::Rbf);
    let linear = StatedKernel::Linear { offset: 0.5 };
    let chords = StatedKernel::PiecewiseLinear { knots: vec![(0.0, 1.0), (0.4, 0.8), (3.0, 0.1), (60.0, 0.0)] };
    let (lcb, pi) = (StatedAcquisition::Lcb { kappa: 1.5 }, StatedAcquisition::Pi { best: 0.0 });
    let is_meant = |kernel: &StatedKernel, acquisition: StatedAcquisition, reason: Reason| {
        let noise = if matches!(kernel, StatedKernel::PiecewiseLinear { .. }) { 1.0 } else { 0.1 };
        let mut proof = question(&[kernel.clone(), kernel.clone()], 1, [1.0, noise], acquisition);
        proof.multipliers = vec![proof.pieces[0].weights.clone()];
        let model = Model::new(&proof).unwrap();
        let walk = Walk::new(&proof, &model).unwrap();
        let cube = Cube::new(&model, &[0.2], &[0.3]).unwrap();
        walk.quadratic(0, &cube, reason).is_some()
    };
    let taylor = |guess: f64, kappa: f64| Reason::Taylor { guess, kappa };
    let strange = [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY];
    // A multiplier that is there.
    assert!(is_meant(&matern, lcb, Reason::Multiplier(Order::Two, 0)));
    assert!(!is_meant(&matern, lcb, Reason::Multiplier(Order::Two, 1)));
    // The expansion is that of one RBF kernel, with the piece's κ or, of mean and deviation, any.
    assert!(is_meant(&rbf, lcb, taylor(0.5, 1.5)) && is_meant(&rbf, pi, taylor(0.5, 0.7)));
    assert!(is_meant(&rbf, pi, taylor(0.5, 0.0)) && !is_meant(&rbf, lcb, taylor(0.5, 0.0)));
    assert!(!is_meant(&matern, lcb, taylor(0.5, 1.5)) && !is_meant(&rbf, lcb, taylor(0.5, 1.4)));
    assert!(!is_meant(&matern, pi, taylor(0.5, 0.7)) && !is_meant(&rbf, pi, taylor(0.5, -0.7)));
    assert!(!is_meant(&rbf, pi, taylor(0.5, f64::NAN)) && !is_meant(&rbf, pi, taylor(0.5, f64::INFINITY)));
    // Tilted multipliers serve functions of mean and deviation, under stationary kernels.
    let tilted = |tau: f64| Reason::Tilted(Order::Two, 0, tau);
    assert!(is_meant(&matern, pi, tilted(0.5)) && !is_meant(&matern, lcb, tilted(0.5)));
    assert!(!is_meant(&linear, pi, tilted(0.5)) && !is_meant(&matern, pi, Reason::Tilted(Order::Two, 1, 0.5)));
    // Moving ones, kernels without kinks.
    let moving = |weight: f64| Reason::Moving(Order::Two, weight);
    assert!(is_meant(&matern, lcb, moving(0.5)) && is_meant(&linear, pi, moving(0.5)));
    assert!(!is_meant(&chords, lcb, moving(0.5)));
    for number in strange {
        assert!(!is_meant(&rbf, lcb, taylor(number, 1.5)) && !is_meant(&matern, pi, tilted(number)), "{number}");
        assert!(!is_meant(&matern, lcb, moving(number)), "{number}");
    }
}

#[test]
fn boxes_are_split_and_narrowed_within_themselves() {
    let mut proof = question(&[StatedKernel::Rbf, StatedKernel::Rbf], 2, [1.0, 0.1], StatedAcquisition::Mean);
    proof.multipliers = vec![proof.pieces[0].weights.clone()];
    proof.statement.integers = vec![1];
    proof.claim.lower_bound = Some(-1e3);
    let model = Model::new(&proof).unwrap();
    let walk = Walk::new(&proof, &model).unwrap();
    let part = || Part::of(vec![-1.0, 0.0], vec![2.0, 2.0]);
    let ends = |j: usize, position: f64| {
        let [below, above] = walk.split(&part(), j, position, [7, 9]).ok()?;
        assert_eq!((below.record, above.record, below.piece, above.piece), (7, 9, 0, 0));
        assert_eq!((below.ends(1 - j), above.ends(1 - j)), (part().ends(1 - j), part().ends(1 - j)));
        Some((below.ends(j), above.ends(j)))
    };
    assert_eq!(ends(0, 0.5), Some(((-1.0, 0.5), (0.5, 2.0))));
    assert_eq!(ends(1, 1.0), Some(((0.0, 1.0), (2.0, 2.0))));
    assert_eq!(ends(1, 2.0), Some(((0.0, 2.0), (3.0, 2.0))));
    assert_eq!((ends(0, -1.0), ends(0, 2.0)), (Some(((-1.0, -1.0), (-1.0, 2.0))), Some(((-1.0, 2.0), (2.0, 2.0)))));
    for position in [-1.5, 2.5, f64::NAN] {
        assert!(walk.split(&part(), 0, position, [7, 9]).is_err_and(|error| error.reason.contains("outside")));
    }
    assert!(walk.split(&part(), 2, 0.0, [7, 9]).is_err() && walk.split(&part(), 1, 0.5, [7, 9]).is_err());
    // A narrowed box is a part of the box, in as many dimensions.
    let reason = Reason::Multiplier(Order::Two, 0);
    let evidence = Evidence { reason, shift: vec![0.0; 2], at: vec![0.0; 2], duals: Vec::new() };
    let narrowed = |lower: &[f64], upper: &[f64]| {
        let mut part = part();
        walk.narrow(&mut part, &evidence, lower, upper).map(|()| (part.ends(0), part.ends(1)))
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
    // Evidence of another size, or with numbers that are none.
    for (shift, at, duals) in [(1, 2, 0), (2, 1, 0), (2, 2, 1)] {
        let evidence = Evidence { reason, shift: vec![0.0; shift], at: vec![0.0; at], duals: vec![0.0; duals] };
        assert!(walk.minorant(&part(), &evidence).is_err(), "{shift} {at} {duals}");
    }
    for at in [vec![f64::NAN, 0.0], vec![0.0, f64::INFINITY]] {
        assert!(walk.minorant(&part(), &Evidence { at, ..evidence.clone() }).is_err());
    }
    assert!(part().contains_side(0, -1.0, 2.0) && !part().contains_side(2, 0.0, 1.0));
    assert_eq!(part().name(), "box 0 [-1, 2] × [0, 2]");
    let empty = Part::of(vec![0.0, 3.0], vec![1.0, 2.0]);
    assert!(empty.is_empty() && !part().is_empty());
    // Of a box without points nothing may be said.
    let quiet = Record::default();
    let loud = Record { steps: vec![Step::Rows(Vec::new())], end: End::Inherited };
    let closed = Record { steps: Vec::new(), end: End::Closed(evidence.clone()) };
    let look = |record: &Record| walk.look(&mut Part::of(vec![0.0, 3.0], vec![1.0, 2.0]), record).is_ok();
    assert!(look(&quiet) && !look(&loud) && !look(&closed));
    // One that was not proven cannot inherit.
    assert!(walk.look(&mut part(), &quiet).is_err());
    assert!(walk.look(&mut Part { is_covered: true, ..part() }, &quiet).is_ok());
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
