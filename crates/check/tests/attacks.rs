//! Forgeries and hostile files that once passed or could have passed, in the present format. Each forgery is refused, and an
//! honest file of the same build is accepted, so that no forgery is refused for an unrelated reason.
#![allow(missing_docs, clippy::unwrap_used)]

use fathom_check::{Rejection, verify};
use fathom_proof::{
    Conclusion, Cut, End, Evidence, Order, Piece, Proof, Reason, Record, StatedAcquisition, StatedKernel,
    StatedNegative, StatedRow, StatedTerm, Statement, Step,
};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

/// The statement that the forgeries have in common: one input, one kernel, little noise.
fn statement(kernel: StatedKernel, x: &[f64], y: &[f64], bounds: (f64, f64)) -> Statement {
    Statement {
        name: String::new(),
        terms: vec![StatedTerm { kernel, inputs: vec![0], variance: 1.0 }],
        lengthscales: vec![1.0],
        noise: 0.01,
        jitter: 0.0,
        mean: 0.0,
        acquisition: StatedAcquisition::Mean,
        x: x.iter().map(|x| vec![*x]).collect(),
        y: y.to_vec(),
        bounds: vec![bounds],
        integers: Vec::new(),
        values: Vec::new(),
        rows: Vec::new(),
        negative_variance: None,
    }
}

fn evidence(reason: Reason) -> Evidence {
    Evidence { reason, shift: vec![0.0], at: vec![0.0], duals: Vec::new() }
}

fn closed(reason: Reason) -> Record {
    Record { steps: Vec::new(), end: End::Closed(evidence(reason)) }
}

/// The records of a side that is halved `depth` times; each part is closed for the same reason.
fn halved((low, high): (f64, f64), depth: u32, reason: Reason) -> Vec<Record> {
    let mut records = vec![Record::default()];
    let mut waiting = vec![(0, low, high, depth)];
    while let Some((at, low, high, depth)) = waiting.pop() {
        if depth == 0 {
            records[at] = closed(reason);
            continue;
        }
        let (middle, next) = (0.5 * (low + high), records.len());
        records.extend([Record::default(), Record::default()]);
        records[at].end =
            End::Split { floor: evidence(reason), coordinate: 0, position: middle, halves: [next, next + 1] };
        waiting.extend([(next + 1, middle, high, depth - 1), (next, low, middle, depth - 1)]);
    }
    records
}

/// A claim without a point.
fn bound(lower_bound: f64) -> Conclusion {
    Conclusion { point: None, value: None, lower_bound: Some(lower_bound) }
}

const EMPTY: Conclusion = Conclusion { point: None, value: None, lower_bound: None };

fn proof(statement: Statement, claim: Conclusion, weights: &[f64], multiplier: &[f64], records: Vec<Record>) -> Proof {
    let pieces = vec![Piece { mean: statement.mean, weights: weights.to_vec() }];
    Proof { statement, claim, pieces, least_eigenvalue: None, multipliers: vec![multiplier.to_vec()], records }
}

/// The checker's answer for a proof that was written to a file and read back.
fn checked(proof: &Proof) -> Result<(), Rejection> {
    let bytes = proof.to_bytes().unwrap();
    verify(&Proof::from_bytes(&bytes).expect("the writer writes what the reader reads")).map(|_| ())
}

#[track_caller]
fn accepted(proof: &Proof) {
    if let Err(rejection) = checked(proof) {
        panic!("the honest twin is refused: {rejection}");
    }
}

/// Asserts that the proof is refused, both in memory and after it was read from a file.
#[track_caller]
fn refused(proof: &Proof, because: &str) {
    let rejection = verify(proof).expect_err("the forgery is accepted").to_string();
    assert!(rejection.contains(because), "{rejection}");
    if let Ok(read) = Proof::from_bytes(&proof.to_bytes().unwrap()) {
        assert!(verify(&read).is_err(), "the forgery is accepted once it is read from a file");
    }
}

/// The solution of a linear system by elimination, for weights and values of the honest twins.
fn solve(matrix: &[Vec<f64>], y: &[f64]) -> Vec<f64> {
    let n = y.len();
    let mut rows: Vec<Vec<f64>> =
        matrix.iter().zip(y).map(|(row, y)| row.iter().copied().chain([*y]).collect()).collect();
    for pivot in 0..n {
        for i in (0..n).filter(|i| *i != pivot) {
            let factor = rows[i][pivot] / rows[pivot][pivot];
            for j in pivot..=n {
                rows[i][j] -= factor * rows[pivot][j];
            }
        }
    }
    (0..n).map(|i| rows[i][n] / rows[i][i]).collect()
}

/// k(a, b) for one RBF kernel.
fn rbf(statement: &Statement, a: f64, b: f64) -> f64 {
    let d = (a - b) / statement.lengthscales[0];
    statement.terms[0].variance * (-0.5 * d * d).exp()
}

fn matrix(statement: &Statement) -> Vec<Vec<f64>> {
    let entry = |i: usize, j: usize| {
        let noise = if i == j { statement.noise } else { 0.0 };
        rbf(statement, statement.x[i][0], statement.x[j][0]) + noise
    };
    (0..statement.y.len()).map(|i| (0..statement.y.len()).map(|j| entry(i, j)).collect()).collect()
}

/// μ − κσ at a point, for one RBF kernel and prior mean 0.
fn lcb(statement: &Statement, kappa: f64, x: f64) -> f64 {
    let k: Vec<f64> = statement.x.iter().map(|row| rbf(statement, row[0], x)).collect();
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let matrix = matrix(statement);
    let variance = rbf(statement, x, x) - dot(&k, &solve(&matrix, &k));
    dot(&k, &solve(&matrix, &statement.y)) - kappa * variance.sqrt()
}

fn expected_improvement() -> (Statement, [f64; 2]) {
    let mut statement = statement(StatedKernel::Matern52, &[0.2, 0.8], &[0.5, -0.3], (0.0, 1.0));
    statement.lengthscales = vec![0.3];
    statement.acquisition = StatedAcquisition::Ei { best: -0.3 };
    (statement, [0.5461211143459687, -0.3720052211795803])
}

#[test]
fn a_tilt_by_next_to_nothing_proves_nothing() {
    let (statement, weights) = expected_improvement();
    let with = |tau: f64, g: [f64; 2], claim: Conclusion| {
        let records = halved((0.0, 1.0), 8, Reason::Tilted(Order::Two, 0, tau));
        proof(statement.clone(), claim, &weights, &g, records)
    };
    let at = |x: f64, value: f64, lower_bound: f64| Conclusion {
        point: Some(vec![x]),
        value: Some(value),
        lower_bound: Some(lower_bound),
    };
    let far = [weights[0] + 1000.0, weights[1] - 0.01];
    // The true minimum is −0.2474, at 1.
    for claim in [
        bound(-1e-9),
        at(1.0, -0.24740010020073813, -0.24),
        at(0.05, -0.026017711425788265, -0.026017712425788264),
        at(1.0, -0.24740010020073813, -0.24740010020073813),
    ] {
        for tau in [1e-310, 5e-324, f64::MIN_POSITIVE, 1e-300, 1e-12, 1.0, 1e300, f64::MAX] {
            for g in [far, weights] {
                assert!(checked(&with(tau, g, claim.clone())).is_err(), "{tau} {claim:?}");
            }
        }
    }
    for void in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(&with(void, weights, bound(-1e9)), "void");
    }
    refused(&with(1e-310, far, bound(-1e-9)), "below");
    refused(&with(1e-310, far, bound(-1e3)), "below");
    accepted(&with(1.0, weights, bound(-1e3)));
    accepted(&with(1.0, weights, at(1.0, -0.24740010020073813, -1e3)));
}

#[test]
fn weights_that_overflow_prove_nothing() {
    for (variance, noise, y, huge, kappa_weight) in
        [(4.0, 0.01, [0.5, -0.3], [8e307, -6e307], 0.5), (1e10, 1e4, [5e4, -3e4], [1.7e300, -1e300], 1e-5)]
    {
        let mut statement = statement(StatedKernel::Rbf, &[0.0, 0.0], &y, (3.0, 3.5));
        (statement.noise, statement.acquisition) = (noise, StatedAcquisition::Lcb { kappa: 1.0 });
        statement.terms[0].variance = variance;
        let weights = solve(&matrix(&statement), &y);
        for reason in [
            Reason::Moving(Order::Two, 1.0),
            Reason::Moving(Order::Three, kappa_weight),
            Reason::Multiplier(Order::Two, 0),
            Reason::Taylor { guess: 1.0, kappa: 1.0 },
        ] {
            let with = |weights: &[f64], g: &[f64], claim: f64| {
                proof(statement.clone(), bound(claim), weights, g, halved((3.0, 3.5), 6, reason))
            };
            for (forged, g) in [(huge, huge), (huge, [0.0, 0.0]), ([1e308, 1e308], [-1e308, -1e308])] {
                for claim in [1e6, -1e300] {
                    refused(&with(&forged, &g, claim), "box");
                }
            }
            refused(&with(&weights, &weights, 1e6), "below");
            accepted(&with(&weights, &weights, -1e6 * variance));
        }
        let known = proof(
            statement.clone(),
            bound(-1.1 * variance.sqrt()),
            &weights,
            &weights,
            halved((3.0, 3.5), 6, Reason::Moving(Order::Two, kappa_weight)),
        );
        accepted(&known);
    }
}

#[test]
fn no_whole_number_is_lost_between_fractional_ends() {
    let mut statement = statement(StatedKernel::Rbf, &[1.0], &[-2.0], (0.0, 2.0));
    (statement.lengthscales, statement.noise, statement.mean) = (vec![0.1], 0.001, 1.0);
    (statement.acquisition, statement.integers) = (StatedAcquisition::Lcb { kappa: 0.1 }, vec![0]);
    let weights = [-2.997002997002997];
    let reason = Reason::Multiplier(Order::Two, 0);
    let narrowed =
        |lower: f64, upper: f64| Step::Narrowed { evidence: evidence(reason), lower: vec![lower], upper: vec![upper] };
    let with = |steps: Vec<Step>, end: End, claim: Conclusion| {
        proof(statement.clone(), claim, &weights, &weights, vec![Record { steps, end }, closed(reason), closed(reason)])
    };
    let end = || End::Closed(evidence(reason));
    // The least value is −2.0, at 1, which lies between 0.3 and 1.29.
    for claim in [-0.8, -1e4] {
        refused(&with(vec![narrowed(0.3, 2.0), narrowed(1.29, 2.0)], end(), bound(claim)), "whole side");
        refused(&with(vec![narrowed(0.0, 1.7)], end(), bound(claim)), "whole side");
    }
    accepted(&with(vec![narrowed(0.0, 2.0), narrowed(1.0, 2.0), narrowed(1.0, 1.0)], end(), bound(-1e4)));
    let split = |position: f64| End::Split { floor: evidence(reason), coordinate: 0, position, halves: [1, 2] };
    refused(&with(Vec::new(), split(2.0), bound(-1e4)), "no points");
    for position in [0.3, 0.999999, 5e-324] {
        refused(&with(Vec::new(), split(position), bound(-1e4)), "split");
    }
    accepted(&with(Vec::new(), split(0.0), bound(-1e4)));
    accepted(&with(Vec::new(), split(1.0), bound(-1e4)));
    // A row that holds from 0.5 on makes the same forgery.
    let row = StatedRow { linear: vec![(0, 1.0)], lower: Some(0.5), ..StatedRow::default() };
    let cut = |lower: f64| vec![Step::Rows(vec![Cut { row: 0, coordinate: 0, lower, upper: 2.0 }])];
    for (lower, is_honest) in [(0.3, false), (0.4999, false), (1.0, true), (0.0, true), (2.0, false)] {
        let mut forged = with(cut(lower), end(), bound(-1e4));
        forged.statement.rows = vec![row.clone()];
        let End::Closed(evidence) = &mut forged.records[0].end else { panic!("a closed box") };
        evidence.duals = vec![0.0];
        assert_eq!(checked(&forged).is_ok(), is_honest, "{lower}");
    }
    // The point lies between whole numbers.
    let claim = |x: f64| Conclusion { point: Some(vec![x]), value: Some(-2.0), lower_bound: Some(-1e4) };
    refused(&with(Vec::new(), end(), claim(1.0 - 1e-12)), "whole number");
    // The statement's own whole-number sides must have whole ends; a file with fractional ends asks about the whole numbers
    // between.
    let mut fractional = with(vec![narrowed(1.1, 1.1)], end(), bound(-1.5));
    fractional.statement.bounds = vec![(0.9, 1.1)];
    refused(&fractional, "whole");
    fractional.records[0].steps = vec![narrowed(1.0, 1.0)];
    refused(&fractional, "whole");
    let mut whole = with(vec![narrowed(1.0, 1.0)], end(), bound(-1e4));
    whole.statement.bounds = vec![(1.0, 1.0)];
    accepted(&whole);
}

#[test]
fn entries_of_a_row_that_cancel_leave_the_rest() {
    let with = |quadratic: &[(usize, usize, f64)], lower: f64| {
        let mut statement = statement(StatedKernel::Rbf, &[1.0], &[-2.0], (0.0, 2.0));
        statement.rows = vec![StatedRow { quadratic: quadratic.to_vec(), lower: Some(lower), ..StatedRow::default() }];
        proof(statement, EMPTY, &[-1.98], &[0.0], vec![Record { steps: Vec::new(), end: End::Empty { row: 0 } }])
    };
    // x = 1 satisfies the row.
    let cancelling = [(0, 0, 1e16), (0, 0, 1.0), (0, 0, -1e16)];
    refused(&with(&cancelling, 0.5), "rising order");
    refused(&with(&[(0, 0, 1.0)], 0.5), "can hold");
    // x² is at most 4: a row that asks for 4 holds at one point, and a row that asks for more holds nowhere.
    refused(&with(&[(0, 0, 1.0)], 4.0), "can hold");
    accepted(&with(&[(0, 0, 1.0)], 4.000001));
    // A proof's problem must name each product once, even if the sum is right.
    for lower in [0.5, 4.000001] {
        let bytes = with(&cancelling, lower).to_bytes().unwrap();
        assert!(Proof::from_bytes(&bytes).unwrap_err().to_string().contains("abbreviated"));
    }
}

#[test]
fn knots_stay_between_minus_one_and_one() {
    let with = |knots: &[(f64, f64)], bounds: (f64, f64), y: f64, claim: f64| {
        let mut statement = statement(StatedKernel::PiecewiseLinear { knots: knots.to_vec() }, &[0.0], &[y], bounds);
        statement.negative_variance = Some(StatedNegative::Clamped);
        let mut proof = proof(
            statement,
            bound(claim),
            &[y * 0.9900990099009901],
            &[0.0],
            vec![closed(Reason::Multiplier(Order::Two, 0))],
        );
        proof.least_eigenvalue = Some(1.00899);
        proof
    };
    let falling = [(0.0, 1.0), (1.0, 0.0)];
    refused(&with(&falling, (0.0, 1000.0), 1.0, -2.0), "below −1");
    refused(&with(&falling, (0.0, 2.0000001), 1.0, -2.0), "below −1");
    refused(&with(&falling, (-1000.0, 0.0), 1.0, -2.0), "below −1");
    accepted(&with(&falling, (0.0, 1.9), 1.0, -2.0));
    for knots in [
        vec![(0.0, 100.0), (1.0, 100.0)],
        vec![(0.0, 1.0000000000000002), (1.0, 0.0)],
        vec![(5e-324, 1.0), (1.0, 0.0)],
        vec![(0.0, 1.0), (0.5, 1.1), (1.0, 0.0)],
        vec![(0.0, 1.0), (0.5, -1.1)],
        vec![(0.0, 1.0), (0.5, f64::NAN)],
        vec![(0.0, 1.0), (0.5, 0.2), (0.5, 0.1)],
        vec![(0.0, 1.0)],
        Vec::new(),
    ] {
        refused(&with(&knots, (0.0, 1.0), -1.0, -2.0), "knots");
    }
    accepted(&with(&[(0.0, 1.0), (1.0, 1.0)], (0.0, 1.0), -1.0, -2.0));
    // K̂ has no such least eigenvalue.
    let honest = with(&falling, (0.0, 1.9), 1.0, -2.0);
    for least in [None, Some(1.02), Some(0.0), Some(-1.0), Some(1e308), Some(5e-324)] {
        let mut forged = Proof { least_eigenvalue: least, ..honest.clone() };
        forged.claim = bound(-0.5);
        assert!(checked(&forged).is_err(), "{least:?}");
    }
}

#[test]
fn knots_of_an_inner_product_bound_nothing_beyond_themselves() {
    // φ(q) = q² at whole numbers, one observation of 3 at 1: K̂ = 1.01, the mean is 3/1.01 φ(x), and k(x, x) = φ(x²).
    let square: Vec<(f64, f64)> = (-4..=9).map(|q| (f64::from(q), f64::from(q * q))).collect();
    let with = |knots: &[(f64, f64)], bounds: (f64, f64), kappa: f64, claim: f64| {
        let kernel = StatedKernel::PiecewiseLinearProduct { knots: knots.to_vec() };
        let mut statement = statement(kernel, &[1.0], &[3.0], bounds);
        (statement.noise, statement.negative_variance) = (0.01, Some(StatedNegative::Excluded));
        statement.acquisition = StatedAcquisition::Lcb { kappa };
        let weights = [3.0 / 1.01];
        let mut proof =
            proof(statement, bound(claim), &weights, &weights, vec![closed(Reason::Multiplier(Order::Two, 0))]);
        proof.least_eigenvalue = Some(1.009);
        proof
    };
    // The mean alone: its least value is 0, at the kink, and the line through −1 and 0 is −1 at the far end of the box.
    accepted(&with(&square, (-2.0, 1.0), 0.0, -3.0 / 1.01 - 1e-6));
    refused(&with(&square, (-2.0, 1.0), 0.0, -3.0 / 1.01 + 1e-6), "");
    accepted(&with(&square, (0.0, 1.0), 0.0, -1e-6));
    refused(&with(&square, (0.0, 1.0), 0.0, 1e-6), "");
    // The prior deviation at x = 2 is 4, so the confidence bound there is far below the mean less √k(1, 1).
    let at_two = 12.0 / 1.01 - 1.0 * (16.0_f64 - 16.0 / 1.01).sqrt();
    refused(&with(&square, (1.9, 2.0), 1.0, at_two + 1e-3), "");
    // Beyond its knots the function goes on as its last segment does, and so does a mean that falls.
    let falling = [(0.0, 1.0), (1.0, 1.0), (2.0, 0.0)];
    accepted(&with(&falling, (0.0, 5.0), 0.0, -9.0));
    refused(&with(&falling, (0.0, 5.0), 0.0, -8.9), "");
    for knots in [
        vec![(0.0, 1.0)],
        vec![(1.0, 1.0), (1.0, 2.0)],
        vec![(1.0, 1.0), (0.0, 2.0)],
        vec![(0.0, 1.0), (1.0, f64::NAN)],
        vec![(f64::NEG_INFINITY, 1.0), (1.0, 1.0)],
        Vec::new(),
    ] {
        refused(&with(&knots, (0.0, 1.0), 0.0, -100.0), "knots");
    }
    // A matrix that is not positive definite, and an eigenvalue that K̂ does not have.
    refused(&with(&[(0.0, -1.0), (2.0, -1.0)], (0.0, 1.0), 0.0, -100.0), "positive definite");
    for least in [None, Some(1.02), Some(0.0), Some(-1.0), Some(1e308)] {
        let forged = Proof { least_eigenvalue: least, ..with(&square, (0.0, 1.0), 0.0, -1e-6) };
        assert!(checked(&forged).is_err(), "{least:?}");
    }
    // Clamped, a confidence bound has a second piece, which counts where the first one does not.
    let mut clamped = with(&square, (-2.0, 1.0), 1.0, -100.0);
    accepted(&clamped);
    clamped.statement.negative_variance = Some(StatedNegative::Clamped);
    refused(&clamped, "pieces");
}

#[test]
fn a_value_is_known_relative_to_its_own_scale() {
    let mut small = statement(StatedKernel::Rbf, &[0.2, 0.8], &[5e-12, -3e-12], (0.0, 1.0));
    (small.lengthscales, small.noise, small.terms[0].variance) = (vec![0.3], 1e-26, 1e-22);
    let inputs: Vec<f64> = (0..20_u8).map(|i| if [0, 1, 2, 6, 8, 13].contains(&i) { -1.0 } else { 0.0 }).collect();
    let outputs: Vec<f64> = (0..20_u32).map(|i| f64::from(i * i * 7 % 41) * 50.0 - 1000.0).collect();
    let mut ill = statement(StatedKernel::Rbf, &inputs, &outputs, (-1.0, 0.0));
    (ill.noise, ill.terms[0].variance, ill.integers) = (1e-10, 2.2345493042312774, vec![0]);
    let well = Statement { noise: 1.0, ..ill.clone() };
    for (mut statement, x, is_known) in [(small, 1.0, true), (ill, 0.0, false), (well, 0.0, true)] {
        statement.acquisition = StatedAcquisition::Lcb { kappa: 1.0 };
        let weights = solve(&matrix(&statement), &statement.y);
        let value = lcb(&statement, 1.0, x);
        let scale = value.abs() + statement.terms[0].variance.sqrt();
        let with = |value: f64| {
            let claim = Conclusion { point: Some(vec![x]), value: Some(value), lower_bound: Some(-1e10 * scale) };
            let reason = Reason::Multiplier(Order::Two, 0);
            proof(statement.clone(), claim, &weights, &vec![0.0; weights.len()], vec![closed(reason)])
        };
        for factor in [100.0, 0.01, 1.1, 1.0 + 1e-5, -1.0] {
            refused(&with(value * factor), "the best point");
        }
        for off in [1e-4, -1e-4, 1e3, -1e9] {
            refused(&with(value + off * scale), "the best point");
        }
        match is_known {
            true => accepted(&with(value)),
            false => assert!(lcb(&statement, 1.0, x).is_finite()),
        }
    }
}

/// A whole file with this content and its checksum.
fn file(mut content: Vec<u8>) -> Vec<u8> {
    let fnv = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let sum = content.iter().fold(0xcbf2_9ce4_8422_2325, fnv);
    content.extend_from_slice(&sum.to_le_bytes());
    packed(&content, Compression::new(6))
}

fn packed(content: &[u8], level: Compression) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(b"FATHOM PROOF 5\n".to_vec(), level);
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// The content of a file: a head and the rest.
fn content(head: &str, rest: &[u8]) -> Vec<u8> {
    let length = u32::try_from(head.len()).unwrap();
    [&length.to_le_bytes()[..], head.as_bytes(), rest].concat()
}

/// The head of a small honest file, with the text of one field of its problem replaced.
fn head(field: &str, text: &str) -> String {
    let mut fields = vec![
        ("terms", r#"[{"kernel":"rbf","inputs":[0],"sigma_f2":1}]"#),
        ("lengthscales", "[0.5]"),
        ("noise", "0.001"),
        ("acquisition", r#""mean""#),
        ("x", "[[0]]"),
        ("y", "[1]"),
        ("bounds", "[[0,2]]"),
        ("constraints", "[]"),
    ];
    for (name, old) in &mut fields {
        if *name == field {
            *old = text;
        }
    }
    let problem: Vec<String> = fields.iter().map(|(name, text)| format!("\"{name}\":{text}")).collect();
    format!(
        r#"{{"problem":{{{}}},"claim":{{"point":null,"value":null,"lower_bound":-1e6}},"pieces":[{{"mean":0,"weights":[0.9]}}],"least_eigenvalue":null}}"#,
        problem.join(",")
    )
}

/// A node that is closed by moving evidence with w = 1, for one input and no rows.
fn closed_node() -> Vec<u8> {
    [&[0, 1, 6][..], &1_f64.to_le_bytes(), &[0; 16]].concat()
}

/// Incompressible bytes.
fn noise(count: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..count / 8).flat_map(|_| next().to_le_bytes()).collect()
}

#[test]
fn counts_without_bytes_are_not_believed() {
    let honest = content(&head("", ""), &[&[0; 4][..], &closed_node()].concat());
    verify(&Proof::from_bytes(&file(honest)).unwrap()).unwrap();
    // There are no observations, and 2³² − 1 multipliers of no bytes.
    let y = head("y", "[]").replace("[[0]]", "[]").replace("[0.9]", "[]");
    let error = Proof::from_bytes(&file(content(&y, &[[255; 4].as_slice(), &closed_node()].concat()))).unwrap_err();
    assert!(error.to_string().contains('y'), "{error}");
    // With an observation, the multipliers' bytes are missing.
    let many = content(&head("", ""), &[[255; 4].as_slice(), &closed_node()].concat());
    assert!(Proof::from_bytes(&file(many)).unwrap_err().to_string().contains("too early"));
    // The cuts have no bytes.
    let cuts = content(&head("", ""), &[&[0; 4][..], &[1, 1, 255, 255, 255, 255, 0]].concat());
    assert!(Proof::from_bytes(&file(cuts)).unwrap_err().to_string().contains("cuts"));
    // The head is longer than the file.
    assert!(Proof::from_bytes(&file(vec![255, 255, 255, 127, 123, 125])).is_err());
    // There is a byte after the last node, or a byte is missing.
    let node = closed_node();
    for rest in [[&[0; 4][..], &node, &[0]].concat(), [&[0; 4][..], &node[..node.len() - 1]].concat()] {
        assert!(Proof::from_bytes(&file(content(&head("", ""), &rest))).is_err());
    }
}

#[test]
fn a_file_that_inflates_too_much_is_refused() {
    // The file is a thousandth of its content; 6 MB would become 6 GB.
    let bomb = packed(&vec![0; 256 << 20], Compression::best());
    assert!(bomb.len() < 1 << 20);
    assert!(Proof::from_bytes(&bomb).unwrap_err().to_string().contains("times as large"));
    // An honest writer stores content uncompressed if it would compress too much.
    let (statement, weights) = expected_improvement();
    // Every box is split at its lower end; its parts inherit what is proven for the whole.
    let split = |at: usize| End::Split {
        floor: evidence(Reason::Tilted(Order::Two, 0, 1.0)),
        coordinate: 0,
        position: 0.0,
        halves: [2 * at + 1, 2 * at + 2],
    };
    let node = |at: usize| Record {
        end: if at.is_multiple_of(2) && at < 80_000 { split(at / 2) } else { End::Inherited },
        ..Record::default()
    };
    let records: Vec<Record> = (0..=80_000_usize).map(node).collect();
    let large = proof(statement, bound(-1e3), &weights, &weights, records);
    let bytes = large.to_bytes().unwrap();
    assert!(bytes.len() > 1 << 20);
    let read = Proof::from_bytes(&bytes).unwrap();
    assert_eq!(read.records.len(), large.records.len());
    verify(&read).unwrap();
}

#[test]
fn a_small_file_has_few_inputs_and_rows() {
    let rest = [&[0; 4][..], &closed_node()].concat();
    let inputs = |count: usize| {
        let all = |text: &str| format!("[{}]", vec![text; count].join(","));
        let numbers: Vec<String> = (0..count).map(|j| j.to_string()).collect();
        head("bounds", &all("[0,2]"))
            .replace("[0.5]", &all("0.5"))
            .replace("[[0]]", &format!("[{}]", all("0")))
            .replace(r#""inputs":[0]"#, &format!(r#""inputs":[{}]"#, numbers.join(",")))
    };
    let wide = file(content(&inputs(1500), &rest));
    assert!(wide.len() < 8 << 10);
    assert!(Proof::from_bytes(&wide).unwrap_err().to_string().contains("bounds"));
    let two = [&[0; 4][..], &[0, 1, 6], &1_f64.to_le_bytes(), &[0; 32]].concat();
    verify(&Proof::from_bytes(&file(content(&inputs(2), &two))).unwrap()).unwrap();
    for (field, entry) in [("x", "[]"), ("constraints", "{}"), ("bounds", "[0,0]"), ("y", "0"), ("lengthscales", "1")] {
        let text = format!("[{}]", vec![entry; 300_000].join(","));
        let bomb = file(content(&head(field, &text), &rest));
        let error = Proof::from_bytes(&bomb).expect_err(field).to_string();
        assert!(error.contains("large") || error.contains("entr") || error.contains("there are"), "{field}: {error}");
    }
    let rows = head("constraints", &format!("[{}]", vec!["{}"; 10_000].join(",")));
    let with_duals = [&rest[..], &vec![0; 80_000]].concat();
    verify(&Proof::from_bytes(&file(content(&rows, &with_duals))).unwrap()).unwrap();
    // The text is nested too deeply.
    let deep = head("x", &"[".repeat(1 << 20));
    assert!(Proof::from_bytes(&file(content(&deep, &rest))).is_err());
}

#[test]
fn an_error_about_another_version_names_both_versions() {
    let bytes = file(content(&head("", ""), &[&[0; 4][..], &closed_node()].concat()));
    assert!(Proof::from_bytes(&bytes).is_ok());
    for version in ["1", "4", "6", "50"] {
        let old = [format!("FATHOM PROOF {version}\n").as_bytes(), &bytes[15..]].concat();
        let error = Proof::from_bytes(&old).unwrap_err().to_string();
        assert!(error.contains(&format!("version {version}")) && error.contains("version 5"), "{error}");
    }
    for broken in ["FATHOM PROOF 5", "FATHOM PROOF \n", "fathom proof 5\n", ""] {
        assert!(Proof::from_bytes(broken.as_bytes()).is_err());
    }
}

/// Named files of about a megabyte that take as much memory as is known to be possible.
fn greedy() -> Vec<(&'static str, Vec<u8>)> {
    // Incompressible bytes, as multipliers with N = 1, make room for compressible bytes.
    let table = |count: usize| {
        let count = count / 8 * 8;
        [&u32::try_from(count / 8).unwrap().to_le_bytes()[..], &noise(count)].concat()
    };
    let megabyte = |build: &dyn Fn(usize) -> Vec<u8>| {
        let bytes = file(build(900 << 10));
        assert!(bytes.len() < 1 << 20, "{}", bytes.len());
        bytes
    };
    let rows = |entry: &str, most: usize| {
        let one = entry.len() + 1;
        format!("[{}]", vec![entry; (most - 1000) / one].join(","))
    };
    // Every box is split at its lower end, and all parts inherit what is proven for the whole.
    let split = [&[0, 2, 6][..], &1_f64.to_le_bytes(), &[0; 16], &[0], &[0; 8], &[0, 0]].concat();
    let tree = |count: usize| [split.repeat(count / split.len()), vec![0, 0]].concat();
    let cut = [&[1][..], &1_u32.to_le_bytes(), &[0; 8], &0_f64.to_le_bytes(), &2_f64.to_le_bytes()].concat();
    let node_of_cuts = [&[255][..], &cut.repeat(255), &split[1..]].concat();
    let row = r#"[{"linear":[[0,1]],"lower":-1}]"#;
    let duals_of = |node: &[u8]| {
        // There is one row, so each piece of evidence has one row multiplier, behind its point.
        let at = node.len() - 11;
        [&node[..at], &[0; 8], &node[at..]].concat()
    };
    vec![
        ("splits", megabyte(&|room| content(&head("", ""), &[table(room), tree(20 << 20)].concat()))),
        ("multipliers", {
            let numbers = vec![0; 20 << 20];
            let count = u32::try_from(numbers.len() / 8 + (900 << 10) / 8).unwrap();
            let rest = [&count.to_le_bytes()[..], &noise(900 << 10), &numbers, &closed_node()].concat();
            file(content(&head("", ""), &rest))
        }),
        ("cuts", {
            let node = duals_of(&node_of_cuts);
            let nodes = [node.repeat((20 << 20) / node.len()), vec![0, 0]].concat();
            megabyte(&|room| content(&head("constraints", row), &[table(room), nodes.clone()].concat()))
        }),
        ("rows", megabyte(&|room| content(&head("constraints", &rows("{}", 8 << 20)), &table(room)))),
        ("observations", megabyte(&|room| content(&head("x", &rows("[0]", 8 << 20)), &table(room)))),
        ("groups", {
            let many = head("constraints", "[]")
                .replace("\"noise\"", &format!("\"one_of\":{},\"noise\"", rows("[]", 8 << 20)));
            megabyte(&|room| content(&many, &table(room)))
        }),
    ]
}

/// The checker answers within a gigabyte of memory, whatever the megabyte contains.
#[test]
#[cfg(target_os = "linux")]
fn a_megabyte_never_takes_a_gigabyte() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("greedy");
    std::fs::create_dir_all(&folder).unwrap();
    let mut is_any_accepted = false;
    for (name, bytes) in greedy() {
        let path = folder.join(format!("{name}.proof"));
        std::fs::write(&path, &bytes).unwrap();
        let checker = env!("CARGO_BIN_EXE_fathom-check");
        let limited = format!("ulimit -v 1048576 && exec '{checker}' '{}'", path.display());
        let output = Command::new("sh").args(["-c", &limited]).output().unwrap();
        let code = output.status.code();
        assert!(
            code.is_some_and(|code| code <= 2),
            "{name}: {} {}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
        is_any_accepted |= code == Some(0);
    }
    assert!(is_any_accepted, "files that are refused at once show nothing");
}
