//! What is exported and imported is the same study: states, values, reasons, origins and order, in every locale and as a workbook.

use fathom_sheet::{Locale, Options, Table, csv, xlsx};
use fathom_study::{Definition, Experiment, Origin, Outcome, State, Study, Trial, Value, Values};
use proptest::prelude::*;

const STUDY: &str = "[parameters]\nx = { type = 'float', low = -1e6, high = 1e6 }\nrate = { type = 'float', low = 1e-12, high = 1e9, scale = 'log' }\n\
    units = { type = 'integer', low = -5000, high = 5000 }\nvalue = { type = 'categorical', choices = ['red', '=1+1', ' a', 'a', '-', '0,5', '\"', ''] }\n\
    state = { type = 'fixed', value = 3 }\n";

fn choice() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["red", "=1+1", " a", "a", "-", "0,5", "\"", ""])
}

/// Numbers of every size, and those whose digits may be thousands.
fn number(low: f64, high: f64) -> impl Strategy<Value = f64> {
    let short = (1i32..1_000_000, 0i32..4).prop_map(|(digits, power)| f64::from(digits) / 10f64.powi(power));
    prop_oneof![low..high, short.prop_filter("within", move |number| (low..=high).contains(number))]
}

fn outcome() -> impl Strategy<Value = Option<Outcome>> {
    let value = || number(-1e300, 1e300);
    prop_oneof![
        value().prop_map(|value| Some(Outcome::of(value).unwrap())),
        (value(), -1e9..1e9f64).prop_map(|(value, more)| Some(Outcome::Values(
            Values::one(value).unwrap().with("Stärke; \"x\"", more).unwrap()
        ))),
        "[ -~\\n\\r\\t\u{1b}é;,'=]{0,12}".prop_map(|reason| Some(Outcome::Failed(reason))),
        Just(None),
    ]
}

fn experiment() -> impl Strategy<Value = Experiment> {
    let origin = prop::sample::select(Origin::ALL.to_vec());
    (number(-1e6, 1e6), number(1e-12, 1e9), -5000i64..=5000, choice(), outcome(), origin).prop_map(
        |(x, rate, units, kind, outcome, origin)| {
            let point = [
                ("x", Value::Float(x)),
                ("rate", Value::Float(rate)),
                ("units", Value::Integer(units)),
                ("value", Value::Text(kind.to_owned())),
                ("state", Value::Integer(3)),
            ];
            let point = point.map(|(name, value)| (name.to_owned(), value)).into_iter().collect();
            Experiment { point, outcome, origin }
        },
    )
}

/// What must come back. The time is the new store's, and proofs stay behind.
fn kept(trials: &[Trial]) -> Vec<(u64, State, String, String, Option<String>, Origin)> {
    let told = |trial: &Trial| {
        let mut told: Vec<String> =
            trial.values.iter().map(|(name, value)| format!("{name}={:x}", value.to_bits())).collect();
        told.sort();
        told.join(" ")
    };
    let row = |trial: &Trial| {
        (
            trial.id,
            trial.state,
            format!("{:?}", trial.point),
            told(trial),
            trial.message.clone(),
            trial.suggestion.origin,
        )
    };
    trials.iter().map(row).collect()
}

fn study() -> Study {
    Study::create("memory:", Definition::parse(STUDY).unwrap().or_named("trip")).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn export_and_import_lose_nothing(experiments in prop::collection::vec(experiment(), 1..12)) {
        let mut first = study();
        first.import_all(&experiments).unwrap();
        let trials = first.trials().unwrap();
        prop_assert_eq!(trials.len(), experiments.len());
        let definition = first.definition().clone();
        let mut files: Vec<Vec<u8>> = [Locale::Plain, Locale::American, Locale::German]
            .map(|locale| csv(&definition, &trials, locale).unwrap().into_bytes())
            .into();
        files.push(xlsx(&definition, &trials).unwrap());
        for file in files {
            let table = Table::of(&file, &definition.space, &Options::default())
                .unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(&file)));
            prop_assert_eq!((table.rows.len(), table.left_out.len()), (trials.len(), 0), "{:?}", table.left_out);
            let mut second = study();
            second.import_all(&table.experiments()).unwrap();
            prop_assert_eq!(kept(&second.trials().unwrap()), kept(&trials), "{}", String::from_utf8_lossy(&file));
            // Again, and into the study that it came from.
            prop_assert_eq!(second.import_all(&table.experiments()).unwrap().added, 0);
            prop_assert_eq!(first.import_all(&table.experiments()).unwrap().added, 0);
        }
    }
}

#[test]
fn rows_in_another_order_and_with_fifteen_digits_are_the_same_trials() {
    let mut first = study();
    let point = |x: f64| {
        let red = Value::Text("red".to_owned());
        let values = [Value::Float(x), Value::Float(0.1), Value::Integer(1), red, Value::Integer(3)];
        ["x", "rate", "units", "value", "state"].map(str::to_owned).into_iter().zip(values).collect()
    };
    let xs = [std::f64::consts::PI * 1e3, std::f64::consts::E, -1.0 / 3.0];
    let experiments: Vec<Experiment> = xs.map(|x| Experiment::past(point(x), Outcome::of(x / 7.0).unwrap())).into();
    first.import_all(&experiments).unwrap();
    let trials = first.trials().unwrap();
    let text = csv(first.definition(), &trials, Locale::Plain).unwrap();
    // A spreadsheet sorts, and keeps 15 digits.
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines[1..].reverse();
    for x in xs.iter().flat_map(|x| [*x, x / 7.0]) {
        let kept: f64 = format!("{x:.14e}").parse().unwrap();
        assert_ne!(kept, x);
        lines = lines.iter().map(|line| line.replace(&x.to_string(), &kept.to_string())).collect();
    }
    let table =
        Table::of((lines.join("\n") + "\n").as_bytes(), &first.definition().space, &Options::default()).unwrap();
    assert_eq!(table.rows[0].place, "line 4", "the order is that of the trials");
    assert_eq!(first.rehearse(&table.experiments()).unwrap().added, 0);
    assert_eq!(first.import_all(&table.experiments()).unwrap().known, 3);
}

#[test]
fn what_was_pending_when_it_was_written_is_not_added_to_what_was_told_since() {
    let mut first = study();
    let trial = first.ask(1).unwrap().remove(0);
    let trials = first.trials().unwrap();
    let text = csv(first.definition(), &trials, Locale::German).unwrap();
    let table = Table::of(text.as_bytes(), &first.definition().space, &Options::default()).unwrap();
    assert_eq!(first.import_all(&table.experiments()).unwrap().added, 0);
    first.tell(trial.id, 2.5).unwrap();
    assert_eq!(first.import_all(&table.experiments()).unwrap().added, 0);
    let mut second = study();
    second.import_all(&table.experiments()).unwrap();
    second.tell(1, 2.5).unwrap();
    assert_eq!(second.trials().unwrap()[0].suggestion.origin, Origin::Design);
}
