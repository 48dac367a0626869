//! Each function agrees with arithmetic of 120 digits (`reference/functions.py`), and has the right limits.
#![allow(clippy::unwrap_used)]

use fathom_functions::{erfc, exp, ln, ln_1p};

fn number(bits: &str) -> f64 {
    f64::from_bits(u64::from_str_radix(bits, 16).unwrap())
}

fn cases() -> Vec<(&'static str, f64, f64, f64)> {
    let lines = include_str!("reference/functions.csv").lines();
    lines
        .map(|line| {
            let [name, x, low, high] = line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
            (name, number(x), number(low), number(high))
        })
        .collect()
}

fn value(name: &str, x: f64) -> f64 {
    match name {
        "exp" => exp(x),
        "ln" => ln(x),
        "ln_1p" => ln_1p(x),
        "erfc" => erfc(x),
        _ => panic!("{name}"),
    }
}

#[test]
fn the_exact_value_lies_within_one_float_of_what_is_returned() {
    for (name, x, low, high) in cases() {
        let found = value(name, x);
        assert!(found.next_down() <= low && high <= found.next_up(), "{name}({x}) = {found}, not {low} to {high}");
    }
}

/// Wrong constants or too few terms would cause wrong roundings more often.
#[test]
fn nearly_all_results_are_correctly_rounded() {
    let cases = cases();
    let neighbours = cases.iter().filter(|(name, x, low, high)| {
        let found = value(name, *x);
        found == *low || found == *high
    });
    assert_eq!(neighbours.count(), cases.len());
}

#[test]
fn the_limits_are_those_that_intervals_need() {
    assert_eq!((exp(0.0), exp(f64::NEG_INFINITY), exp(f64::INFINITY)), (1.0, 0.0, f64::INFINITY));
    assert_eq!((ln(1.0), ln(0.0), ln(f64::INFINITY)), (0.0, f64::NEG_INFINITY, f64::INFINITY));
    assert_eq!((ln_1p(0.0), ln_1p(f64::INFINITY)), (0.0, f64::INFINITY));
    assert_eq!((erfc(f64::INFINITY), erfc(f64::NEG_INFINITY)), (0.0, 2.0));
    assert!(
        [exp(f64::NAN), ln(f64::NAN), ln(-1.0), ln_1p(f64::NAN), ln_1p(-0.1), erfc(f64::NAN)]
            .iter()
            .all(|x| x.is_nan())
    );
}

/// The functions stay monotone at the arguments at which one method replaces another.
#[test]
fn no_function_jumps_between_two_methods() {
    for (name, at) in
        [("erfc", 3.0), ("erfc", -3.0), ("ln_1p", 0.5), ("ln_1p", 2_f64.powi(-54)), ("ln_1p", 2_f64.powi(60))]
    {
        let rises = if name == "erfc" { -1.0 } else { 1.0 };
        let (below, above) = (value(name, at * (1.0 - 1e-13)), value(name, at * (1.0 + 1e-13)));
        assert!((above - below) * rises * at.signum() >= 0.0, "{name} at {at}");
    }
}
