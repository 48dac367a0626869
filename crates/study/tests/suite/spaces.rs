//! Between the user's units and the search's.

use crate::expressions::{Expression, NAMES, expression};
use fathom_study::{Definition, Grid, Kind, Listed, Parameter, Point, Space, Study, Value};
use proptest::prelude::*;

fn parameter(index: usize) -> impl Strategy<Value = Parameter> {
    let name = format!("p{index}");
    let float =
        (-1e6_f64..1e6, 1e-3_f64..1e6).prop_map(|(low, width)| Kind::Float { low, high: low + width, log: false });
    let log =
        (1e-9_f64..1e3, 1.001_f64..1e6).prop_map(|(low, ratio)| Kind::Float { low, high: low * ratio, log: true });
    let integer = (-1000_i64..1000, 1_i64..5000).prop_map(|(low, width)| Kind::Integer { low, high: low + width });
    let categorical =
        (2_usize..6).prop_map(|n| Kind::Categorical { choices: (0..n).map(|i| format!("c{i}").into()).collect() });
    let fixed = (-5_i64..5).prop_map(|value| Kind::Fixed { value: Value::Integer(value) });
    let grid = (-1000_i64..1000, 1_i64..300, 1_i64..200, 0_i32..6).prop_map(|(low, step, steps, places)| {
        let number = |units: i64| units as f64 / 10_f64.powi(places);
        Kind::Grid(Grid::new(number(low), number(low + step * steps), number(step), false).unwrap())
    });
    let listed = (prop::collection::btree_set(1_i32..100_000, 2..30), any::<bool>()).prop_map(|(numbers, log)| {
        Kind::Listed(
            Listed::new(numbers.into_iter().map(|n| Value::Float(f64::from(n) / 100.0)).collect(), log).unwrap(),
        )
    });
    let range = (1_i64..50, 2_i64..500).prop_map(|(low, width)| Listed::log_range(low, low + width, 1).unwrap());
    let range = range.prop_map(Kind::Listed);
    let ordered = Just(Kind::Ordered { choices: vec!["low".into(), 2.into(), "high".into()] });
    prop_oneof![float, log, integer, categorical, fixed, grid, listed, range, ordered, Just(Kind::boolean())]
        .prop_map(move |kind| Parameter::new(&name, kind).unwrap())
}

fn space() -> impl Strategy<Value = Space> {
    (parameter(0), parameter(1), parameter(2))
        .prop_filter_map("one must be free", |(a, b, c)| Space::new(vec![a, b, c], &[]).ok())
}

fn close(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-3),
        (Value::Float(_) | Value::Integer(_) | Value::Boolean(_) | Value::Text(_), _) => a == b,
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
}

/// A constraint that holds at `x`, with room to spare or none.
fn around(side: &Expression, x: &[f64], room: f64) -> String {
    format!("{} <= {:?} + {room}", side.text(), side.value(x))
}

proptest! {
    // Each case runs a study.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(25) })]

    #[test]
    fn every_suggestion_keeps_every_constraint(
        sides in prop::collection::vec(expression(), 1..4),
        at in (-2.0..2.0, 0.5..8.0, 0_u8..9),
        room in 0.5_f64..3.0,
    ) {
        let x = [at.0, at.1, f64::from(at.2)];
        let texts: Vec<String> = sides.iter().map(|side| around(side, &x, room)).collect();
        let file = format!(
            "constraints = {texts:?}\n[parameters]\n{} = {{ type = 'float', low = -2, high = 2 }}\n\
             {} = {{ type = 'float', low = 0.5, high = 8 }}\n{} = {{ type = 'integer', low = 0, high = 9 }}\n\
             [strategy]\ninitial = 4\ngap = 0.05\ntime_limit = '2s'\n",
            NAMES[0], NAMES[1], NAMES[2],
        );
        let mut study = Study::create("memory:", Definition::parse(&file).unwrap()).unwrap();
        for _ in 0..6 {
            let trial = study.ask(1).unwrap().remove(0);
            let found = NAMES.map(|name| trial.number(name).unwrap());
            prop_assert!(matches!(trial.point["n"], Value::Integer(0..=9)));
            for (side, text) in sides.iter().zip(&texts) {
                let off = side.value(&found) - side.value(&x) - room;
                prop_assert!(off <= 1e-5, "{text} is off by {off} at {found:?}");
            }
            study.tell(trial.id, found[0] - found[1] * found[2]).unwrap();
        }
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
