//! Between the user's units and the search's.

use fathom_study::{Constraint, Definition, Kind, Parameter, Point, Space, Value};
use proptest::prelude::*;

fn parameter(index: usize) -> impl Strategy<Value = Parameter> {
    let name = format!("p{index}");
    let float =
        (-1e6_f64..1e6, 1e-3_f64..1e6).prop_map(|(low, width)| Kind::Float { low, high: low + width, log: false });
    let log =
        (1e-9_f64..1e3, 1.001_f64..1e6).prop_map(|(low, ratio)| Kind::Float { low, high: low * ratio, log: true });
    let integer = (-1000_i64..1000, 1_i64..5000).prop_map(|(low, width)| Kind::Integer { low, high: low + width });
    let categorical =
        (2_usize..6).prop_map(|n| Kind::Categorical { choices: (0..n).map(|i| format!("c{i}")).collect() });
    let fixed = (-5_i64..5).prop_map(|value| Kind::Fixed { value: Value::Integer(value) });
    prop_oneof![float, log, integer, categorical, fixed].prop_map(move |kind| Parameter::new(&name, kind).unwrap())
}

fn space() -> impl Strategy<Value = Space> {
    (parameter(0), parameter(1), parameter(2))
        .prop_filter_map("one must be free", |(a, b, c)| Space::new(vec![a, b, c], &[]).ok())
}

fn close(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-3),
        (Value::Float(_) | Value::Integer(_) | Value::Text(_), _) => a == b,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn points_come_back_from_the_unit_cube((space, units) in (space(), prop::collection::vec(0.0_f64..=1.0, 18))) {
        let mut x: Vec<f64> = units[..space.dim()].iter().zip(space.widths()).map(|(u, width)| u * width).collect();
        space.region().clamp(&mut x);
        let point = space.check(&space.decode(&x)).expect("what is decoded is in range");
        let again = space.decode(&space.encode(&point));
        prop_assert!(point.values().zip(again.values()).all(|(a, b)| close(a, b)), "{point:?} {again:?}");
        prop_assert!(space.region().contains(&space.encode(&point)));
        let json = serde_json::to_string(&point).unwrap();
        let read: Point = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(space.check(&read).unwrap(), point);
    }

    #[test]
    fn no_text_upsets_the_parser(text in "[x1n2 ()+*/^=<>.e0-9-]{0,40}") {
        let parameters: Vec<Parameter> = ["x1", "n"].iter().map(|name| {
            Parameter::new(name, Kind::Float { low: 0.5, high: 2.0, log: *name == "n" }).unwrap()
        }).collect();
        if let Ok(constraints) = Constraint::parse(&text, &parameters) {
            for constraint in constraints {
                prop_assert!(!constraint.violation(&[1.0, 1.0]).is_nan());
            }
            prop_assert!(Space::new(parameters, &[&text]).is_ok());
        }
    }

    #[test]
    fn no_text_upsets_the_study_file(text in "(name|goal|\\[parameters\\]|x|=|\\{|\\}|type|'float'|low|high|,|\n| |1|'|\\[|\\]|constraints){0,40}") {
        let _ = Definition::parse(&text);
    }
}

#[test]
fn ends_come_back_as_they_were_written() {
    for (low, high, log) in [(0.1, 0.7, false), (1e-5, 0.1, true), (-3.3, 1e-17, false)] {
        let space = Space::new(vec![Parameter::new("x", Kind::Float { low, high, log }).unwrap()], &[]).unwrap();
        assert_eq!(space.decode(&[0.0])["x"], Value::Float(low));
        assert_eq!(space.decode(&[1.0])["x"], Value::Float(high));
    }
}

#[test]
fn points_of_the_wrong_kind_are_errors_that_name_the_parameter() {
    let file = "constraints = ['x + n <= 4']\n[parameters]\nx = { type = 'float', low = 0, high = 3 }\n\
                n = { type = 'integer', low = 0, high = 5 }\nk = { type = 'categorical', choices = ['a', 'b'] }\n\
                f = { type = 'fixed', value = 'z' }";
    let space = Definition::parse(file).unwrap().space;
    let check = |json: &str| space.check(&serde_json::from_str(json).unwrap());
    assert!(check(r#"{"x": 1, "n": 2.0, "k": "a"}"#).is_ok());
    for (json, part) in [
        (r#"{"x": 1, "n": 2}"#, "`k`"),
        (r#"{"x": 9, "n": 2, "k": "a"}"#, "`x`"),
        (r#"{"x": 1, "n": 2.5, "k": "a"}"#, "`n`"),
        (r#"{"x": 1, "n": 2, "k": "c"}"#, "`k`"),
        (r#"{"x": 1, "n": 2, "k": "a", "m": 1}"#, "`m`"),
        (r#"{"x": 1, "n": 2, "k": "a", "f": "y"}"#, "`f`"),
        (r#"{"x": 1, "n": 5, "k": "a"}"#, "`x + n <= 4` does not hold"),
    ] {
        let said = check(json).unwrap_err().to_string();
        assert!(said.contains(part), "{json}: {said}");
    }
}
