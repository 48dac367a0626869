use super::*;
use fathom_proof::{StatedAcquisition, StatedKernel, StatedTerm};
use proptest::prelude::*;

/// Three inputs from −2 to 2 under these rows; the last input is a whole number.
fn statement(rows: Vec<StatedRow>) -> Statement {
    Statement {
        name: String::new(),
        terms: vec![StatedTerm { kernel: StatedKernel::Rbf, inputs: vec![0, 1, 2], variance: 1.0 }],
        lengthscales: vec![1.0; 3],
        noise: 0.1,
        jitter: 0.0,
        mean: 0.0,
        acquisition: StatedAcquisition::Mean,
        x: vec![vec![0.0; 3]],
        y: vec![0.0],
        bounds: vec![(-2.0, 2.0); 3],
        integers: vec![2],
        values: Vec::new(),
        rows,
        negative_variance: None,
    }
}

type Square = (usize, usize, f64);

fn row(linear: &[(usize, f64)], quadratic: &[Square], lower: Option<f64>, upper: Option<f64>) -> StatedRow {
    StatedRow { linear: linear.to_vec(), quadratic: quadratic.to_vec(), lower, upper }
}

fn value(row: &StatedRow, x: &[f64]) -> f64 {
    let linear: f64 = row.linear.iter().map(|(j, c)| c * x[*j]).sum();
    linear + row.quadratic.iter().map(|(j, k, q)| q * x[*j] * x[*k]).sum::<f64>()
}

/// A row such as x0 + 2 x1 + 3 x0 x1 − x2², with a lower or an upper side.
fn any_row() -> impl Strategy<Value = StatedRow> {
    let number = || -2.0..2.0_f64;
    (prop::collection::vec(number(), 3), prop::collection::vec(number(), 6), number(), 0_usize..3).prop_map(
        |(linear, quadratic, side, kind)| {
            let pairs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
            let quadratic: Vec<Square> = pairs.into_iter().zip(quadratic).map(|((j, k), q)| (j, k, q)).collect();
            let linear: Vec<(usize, f64)> = linear.into_iter().enumerate().collect();
            let (lower, upper) = [(None, Some(side)), (Some(side), None), (Some(side), Some(side))][kind];
            row(&linear, &quadratic, lower, upper)
        },
    )
}

#[test]
fn ends_are_finite_and_ends_of_whole_sides_are_whole() {
    let statement = statement(Vec::new());
    let rows = Rows::new(&statement);
    assert!((0..3).map(|j| rows.after(j, 1.0)).eq([Some(1.0), Some(1.0), Some(2.0)]) && rows.len() == 0);
    assert!(rows.may_end(0, 0.5) && rows.may_end(2, -1.0) && !rows.may_end(2, 0.5));
    for strange in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(!rows.may_end(0, strange) && !rows.may_end(2, strange));
    }
    assert!(rows.check_point(&[0.5, 0.5, 1.0]).is_ok());
    assert!(rows.check_point(&[0.5, 0.5, 0.5]).is_err_and(|rejection| rejection.reason.contains("input 2")));
}

#[test]
fn a_listed_side_ends_with_numbers_of_its_list_and_loses_no_others() {
    let listed = Statement { values: vec![(1, vec![-2.0, -0.5, 0.25, 2.0])], ..statement(Vec::new()) };
    listed.check().unwrap();
    let rows = Rows::new(&listed);
    assert!(rows.may_end(1, -0.5) && rows.may_end(1, 2.0) && !rows.may_end(1, 0.0) && !rows.may_end(1, f64::NAN));
    assert!(!rows.may_end(1, 3.0) && !rows.may_end(1, -3.0) && !rows.may_end(1, f64::INFINITY));
    assert_eq!((rows.after(1, -0.5), rows.after(1, 2.0), rows.after(1, 0.0)), (Some(0.25), None, None));
    let whole = PendingBox::of(vec![-2.0; 3], vec![2.0; 3]);
    assert_eq!(rows.lost(&whole, 1, -0.5, 0.25).unwrap(), [Some((-2.0, -2.0)), Some((2.0, 2.0))]);
    assert_eq!(rows.lost(&whole, 1, 0.25, 2.0).unwrap(), [Some((-2.0, -0.5)), None]);
    assert!(rows.lost(&whole, 1, -0.4, 2.0).is_err_and(|rejection| rejection.reason.contains("listed side 1")));
    assert!(rows.check_point(&[0.5, 0.25, 1.0]).is_ok());
    assert!(rows.check_point(&[0.5, 0.3, 1.0]).is_err_and(|rejection| rejection.reason.contains("its list")));
    for bad in [vec![-2.0, 0.25, -0.5, 2.0], vec![-2.0, -2.0, 2.0], vec![-2.0, 1.0], vec![], vec![-2.0, f64::NAN, 2.0]]
    {
        assert!(Statement { values: vec![(1, bad)], ..statement(Vec::new()) }.check().is_err());
    }
    for values in
        [vec![(2, vec![-2.0, 2.0])], vec![(3, vec![-2.0, 2.0])], vec![(0, vec![-2.0, 2.0]), (0, vec![-2.0, 2.0])]]
    {
        assert!(Statement { values, ..statement(Vec::new()) }.check().is_err(), "whole, missing, twice");
    }
}

#[test]
fn a_point_may_miss_a_side_by_a_billionth_of_the_rows_own_terms() {
    // 3 x0 + x1² is compared with 4 at x0 = 1, x1 = 1; the largest term is 3, the side is 4.
    for scale in [1.0, 1e-9, 1e7] {
        let terms = ([(0, 3.0 * scale)], [(1, 1, scale)]);
        let check = |lower: Option<f64>, upper: Option<f64>| {
            let of = |side: f64| side * scale;
            let statement = statement(vec![row(&terms.0, &terms.1, lower.map(of), upper.map(of))]);
            Rows::new(&statement).check_point(&[1.0, 1.0, 0.0]).is_ok()
        };
        let room = 4.0 * FEASIBILITY;
        assert!(check(None, Some(4.0)) && check(Some(4.0), None) && check(Some(4.0), Some(4.0)));
        assert!(check(None, Some(4.0 - 0.99 * room)) && !check(None, Some(4.0 - 1.01 * room)));
        assert!(check(Some(4.0 + 0.99 * room), None) && !check(Some(4.0 + 1.01 * room), None));
        assert!(check(None, Some(5.0)) && !check(Some(5.0), None) && check(Some(3.0), None) && !check(None, Some(3.0)));
        assert!(!check(Some(5.0), Some(6.0)) && !check(Some(2.0), Some(3.0)));
    }
    // The tolerance is relative to the largest term, even if the terms are far larger than their sum.
    let large = statement(vec![row(&[(0, 1e6), (1, -1e6)], &[], None, Some(-0.5 * 1e6 * FEASIBILITY))]);
    assert!(Rows::new(&large).check_point(&[1.0, 1.0, 0.0]).is_ok());
    let far = statement(vec![row(&[(0, 1e6), (1, -1e6)], &[], None, Some(-1.5 * 1e6 * FEASIBILITY))]);
    assert!(Rows::new(&far).check_point(&[1.0, 1.0, 0.0]).is_err_and(|rejection| rejection.reason.contains("row 0")));
    // A row that overflows is not known to hold.
    let huge = statement(vec![row(&[(0, 1e308), (1, 1e308)], &[], None, Some(1e308))]);
    assert!(Rows::new(&huge).check_point(&[2.0, 2.0, 0.0]).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_violated_row_holds_nowhere_on_the_box(
        row in any_row(),
        (centre, half) in (prop::collection::vec(-1.0..1.0_f64, 3), prop::collection::vec(0.0..0.15_f64, 3)),
        j in 0_usize..3,
        points in prop::collection::vec(prop::collection::vec(-1.0..=1.0_f64, 3), 12),
    ) {
        let statement = statement(vec![row.clone()]);
        let rows = Rows::new(&statement);
        let ends = |sign: f64| (0..3).map(|k| centre[k] + sign * half[k]).collect::<Vec<f64>>();
        let pending = PendingBox::of(ends(-1.0), ends(1.0));
        let values: Vec<f64> = points
            .iter()
            .map(|point| value(&row, &(0..3).map(|k| centre[k] + point[k] * half[k]).collect::<Vec<f64>>()))
            .collect();
        let holds = |value: &f64| {
            row.upper.is_none_or(|upper| *value <= upper - 1e-9) && row.lower.is_none_or(|lower| *value >= lower + 1e-9)
        };
        let is_violated = rows.is_violated(&pending, 0, j, pending.side(j));
        prop_assert!(!is_violated || !values.iter().any(holds), "{values:?}");
        prop_assert_eq!(rows.check_empty(&pending, 0).is_ok(), rows.is_violated(&pending, 0, 0, pending.side(0)));
    }

    #[test]
    fn rows_with_multipliers_are_quadratics_of_the_cube(
        row in any_row(),
        (centre, half) in (prop::collection::vec(-1.0..1.0_f64, 3), prop::collection::vec(0.1..0.7_f64, 3)),
        lambda in 0.1..3.0_f64,
        u in prop::collection::vec(-1.0..=1.0_f64, 3),
    ) {
        let statement = statement(vec![row.clone()]);
        let rows = Rows::new(&statement);
        let numbers = |v: &[f64]| v.iter().map(|v| Interval::point(*v)).collect::<Vec<Interval>>();
        let x: Vec<f64> = (0..3).map(|j| centre[j] + half[j] * u[j]).collect();
        for (lambda, side) in [(lambda, row.upper), (-lambda, row.lower)] {
            let (mut constant, mut linear) = (Interval::ZERO, vec![Interval::ZERO; 3]);
            let mut matrix = vec![vec![Interval::ZERO; 3]; 3];
            let place = [&numbers(&centre)[..], &numbers(&half)[..]];
            let is_applicable = rows.add(&[lambda], place, &mut constant, &mut linear, &mut matrix);
            prop_assert_eq!(is_applicable, side.is_some());
            let Some(side) = side else { continue };
            let form = |j: usize, k: usize| matrix[j][k].guess() * u[j] * u[k] * if j == k { 0.5 } else { 1.0 };
            let found = constant.guess()
                + (0..3).map(|j| linear[j].guess() * u[j] + (0..=j).map(|k| form(j, k)).sum::<f64>()).sum::<f64>();
            let meant = lambda * (value(&row, &x) - side);
            prop_assert!((found - meant).abs() < 1e-9, "{found} {meant}");
        }
        let mut none = (Interval::ZERO, vec![Interval::ZERO; 3], vec![vec![Interval::ZERO; 3]; 3]);
        let place = [&numbers(&centre)[..], &numbers(&half)[..]];
        prop_assert!(!rows.add(&[f64::NAN], place, &mut none.0, &mut none.1, &mut none.2));
        prop_assert!(rows.add(&[0.0], place, &mut none.0, &mut none.1, &mut none.2) && none.0 == Interval::ZERO);
    }

    #[test]
    fn a_parabola_is_enclosed_over_its_side(
        a in -2.0..2.0_f64,
        (b, width) in (-2.0..2.0_f64, 0.0..0.5_f64),
        (from, reach) in (-2.0..2.0_f64, 0.0..3.0_f64),
        (s, t) in (0.0..=1.0_f64, 0.0..=1.0_f64),
    ) {
        let range = parabola(Interval::point(a), Interval::between(b, b + width), Interval::between(from, from + reach));
        let (b, x) = (b + s * width, from + t * reach);
        let value = a * x * x + b * x;
        prop_assert!(range.low() <= value + 1e-12 && value <= range.high() + 1e-12);
    }
}

#[test]
fn a_parabola_is_no_wider_than_it_is() {
    let range = parabola(Interval::point(2.0), Interval::point(-4.0), Interval::between(0.0, 3.0));
    assert!((range.low() + 2.0).abs() < 1e-12 && (range.high() - 6.0).abs() < 1e-12, "{range:?}");
    let range = parabola(Interval::ZERO, Interval::point(-4.0), Interval::between(0.0, 3.0));
    assert!((range.low() + 12.0).abs() < 1e-12 && range.high().abs() < 1e-12, "{range:?}");
    let beside = parabola(Interval::point(-1.0), Interval::point(1.0), Interval::between(1.0, 2.0));
    assert!((beside.low() + 2.0).abs() < 1e-12 && beside.high().abs() < 1e-12, "{beside:?}");
}

#[test]
fn a_cut_removes_only_points_that_violate_its_row() {
    // x0 + x1 ≤ 1 with x1 between 0 and 1 leaves x0 up to 1.
    let statement =
        statement(vec![row(&[(0, 1.0), (1, 1.0)], &[], None, Some(1.0)), row(&[(2, 1.0)], &[], Some(0.5), None)]);
    let rows = Rows::new(&statement);
    let pending = || PendingBox::of(vec![-2.0, 0.0, -2.0], vec![2.0, 1.0, 2.0]);
    let cut = |row, coordinate, lower, upper| {
        let mut pending = pending();
        rows.cut(&mut pending, &Cut { row, coordinate, lower, upper }).map(|()| pending.ends(coordinate))
    };
    let past = 1.0 + 1e-12;
    assert_eq!(cut(0, 0, -2.0, past).ok(), Some((-2.0, past)));
    assert!(cut(0, 0, -2.0, 0.9).is_err() && cut(0, 0, -1.9, past).is_err() && cut(0, 0, -2.0, 2.5).is_err());
    assert!(cut(0, 0, -2.5, past).is_err() && cut(0, 3, -2.0, past).is_err() && cut(2, 0, -2.0, past).is_err());
    // The row asks for at least ½ of the whole-number side 2: −2 to 0 are cut off, 1 stays.
    assert_eq!(cut(1, 2, 1.0, 2.0).ok(), Some((1.0, 2.0)));
    assert!(cut(1, 2, 2.0, 2.0).is_err() && cut(1, 2, 0.5, 2.0).is_err() && cut(1, 2, 1.0, 1.0).is_err());
    assert_eq!(rows.lost(&pending(), 2, 0.0, 1.0).ok(), Some([Some((-2.0, -1.0)), Some((2.0, 2.0))]));
    assert_eq!(rows.lost(&pending(), 0, -2.0, 1.0).ok(), Some([None, Some((1.0, 2.0))]));
    assert_eq!(rows.lost(&pending(), 0, -1.0, 2.0).ok(), Some([Some((-2.0, -1.0)), None]));
    assert!(rows.lost(&pending(), 2, -1.5, 1.0).is_err() && rows.lost(&pending(), 2, -1.0, 1.5).is_err());
    assert!(rows.check_empty(&pending(), 0).is_err() && rows.check_empty(&pending(), 2).is_err());
    let beyond = PendingBox::of(vec![1.5, 0.0, 0.0], vec![2.0, 1.0, 1.0]);
    assert!(rows.check_empty(&beyond, 0).is_ok() && rows.check_empty(&beyond, 1).is_err());
}

#[test]
fn a_row_that_is_clearly_violated_is_found_to_be() {
    // On [1, 1.1]³ every product of two inputs is between 1 and 1.21.
    let pending = PendingBox::of(vec![1.0; 3], vec![1.1; 3]);
    for (k, l) in [(0, 1), (0, 2), (1, 2), (0, 0), (1, 1), (2, 2)] {
        for (lower, upper, is_violated) in [
            (Some(2.0), None, false),
            (Some(2.45), None, true),
            (None, Some(1.95), true),
            (None, Some(2.05), false),
            (Some(2.1), Some(2.2), false),
        ] {
            let statement = statement(vec![row(&[], &[(k, l, 2.0)], lower, upper)]);
            let rows = Rows::new(&statement);
            for j in 0..3 {
                assert_eq!(
                    rows.is_violated(&pending, 0, j, pending.side(j)),
                    is_violated,
                    "{k} {l} {lower:?} {upper:?} by {j}"
                );
            }
        }
    }
}
