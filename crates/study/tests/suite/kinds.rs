//! The parameters of real life, as people see them.

use fathom_study::run::evaluate;
use fathom_study::{Definition, Outcome, Point, Study, Value};

const FILE: &str = "name = 'flask'
constraints = ['`Temperature (°C)` + 2*hours <= 130']
[parameters]
'Temperature (°C)' = { type = 'float', low = 20, high = 120, step = 2.5 }
hours = { type = 'float', values = [0.1, 0.3, 1, 3, 10, 30] }
turns = { type = 'integer', low = 1, high = 400, scale = 'log' }
stirred = { type = 'boolean' }
flask = { type = 'categorical', choices = [50, 100, 250] }
speed = { type = 'categorical', choices = ['low', 'medium', 'high'], ordered = true }
[evaluate]
command = ['sh', '-c', 'echo ${FATHOM_Temperature___C_}{turns}', '{Temperature (°C)}']
[strategy]
initial = 5
";

fn study() -> Study {
    Study::create("memory:", Definition::parse(FILE).unwrap()).unwrap()
}

#[test]
fn values_have_their_types_and_digits_in_every_suggestion_and_every_proof_holds() {
    let mut study = study();
    for _ in 0..12 {
        let trial = study.ask(1).unwrap().remove(0);
        let text = serde_json::to_string(&trial.point).unwrap();
        let Value::Float(heat) = trial.point["Temperature (°C)"] else { panic!("{text}") };
        assert!((heat / 2.5).fract() == 0.0 && heat.to_string().len() <= 5, "{text}");
        assert!([0.1, 0.3, 1.0, 3.0, 10.0, 30.0].map(Value::Float).contains(&trial.point["hours"]), "{text}");
        assert!(matches!(trial.point["turns"], Value::Integer(1..=400)), "{text}");
        assert!(matches!(trial.point["stirred"], Value::Boolean(_)), "{text}");
        assert!([50, 100, 250].map(Value::Integer).contains(&trial.point["flask"]), "{text}");
        assert!(matches!(&trial.point["speed"], Value::Text(_)), "{text}");
        assert!(heat + 2.0 * trial.number("hours").unwrap() <= 130.0 + 1e-6);
        let read: Point = serde_json::from_str(&text).unwrap();
        assert_eq!(read, trial.point, "JSON keeps the types");
        let turns = trial.number("turns").unwrap();
        study
            .tell(trial.id, (heat - 80.0).abs() / 20.0 + (turns / 30.0).ln().abs() + trial.number("stirred").unwrap())
            .unwrap();
        if trial.id > 5 {
            study.verify(trial.id).unwrap();
        }
    }
    // A design follows the scale: not one of its turns in a hundred would be below 5 if all had equal shares.
    let small = study.trials().unwrap()[..5].iter().filter(|trial| trial.number("turns").unwrap() < 20.0).count();
    assert!(small >= 2, "{small}");
}

#[test]
fn what_was_told_before_is_read_as_people_write_it_and_refused_with_the_reason() {
    let mut study = study();
    let point = |changes: &[(&str, Value)]| -> Point {
        let mut point: Point = serde_json::from_str(
            r#"{"Temperature (°C)": 45, "hours": 0.3, "turns": 7, "stirred": "yes", "flask": "100", "speed": "medium"}"#,
        )
        .unwrap();
        changes.iter().for_each(|(name, value)| {
            point.insert((*name).to_owned(), value.clone());
        });
        point
    };
    let trial = study.add(&point(&[]), &Outcome::of(1.0).unwrap()).unwrap();
    assert_eq!(trial.point["stirred"], Value::Boolean(true));
    assert_eq!((&trial.point["flask"], &trial.point["Temperature (°C)"]), (&Value::Integer(100), &Value::Float(45.0)));
    for (name, value, reason) in [
        ("Temperature (°C)", Value::Float(46.0), "it goes from 20 to 120 in steps of 2.5"),
        ("Temperature (°C)", Value::Float(122.5), "it goes from 20 to 120 in steps of 2.5"),
        ("hours", Value::Float(2.0), "it must be one of 0.1, 0.3, 1, 3, 10, 30"),
        ("turns", Value::Float(2.5), "it must be a whole number from 1 to 400"),
        ("turns", Value::Integer(401), "it must be a whole number from 1 to 400"),
        ("stirred", Value::Text("maybe".into()), "it must be true or false"),
        ("flask", Value::Integer(75), "it must be one of 50, 100, 250"),
        ("speed", Value::Text("fast".into()), "it must be one of low, medium, high"),
    ] {
        let error = study.add_pending(&point(&[(name, value)])).unwrap_err().to_string();
        assert!(error.contains(reason) && error.contains(name), "{error}");
    }
}

#[test]
fn a_program_finds_a_name_with_signs_in_a_variable_and_in_braces() {
    let mut study = study();
    let trial = study.ask(1).unwrap().remove(0);
    let definition = Definition::parse(FILE).unwrap();
    let value = evaluate(definition.evaluation.as_ref().unwrap(), &trial, || true).unwrap();
    let expected = format!("{}{}", trial.point["Temperature (°C)"], trial.point["turns"]);
    assert_eq!(value, expected.parse::<f64>().unwrap());
}
