//! What can be written: constraints and study files that mean what they say, and ones that nobody would write.

use crate::expressions::{Expression, NAMES, expression};
use fathom_study::{Constraint, Definition, Error, Function, Kind, Parameter};
use proptest::prelude::*;

fn parameters() -> Vec<Parameter> {
    let kinds = [
        Kind::Float { low: -2.0, high: 2.0, log: false },
        Kind::Float { low: 0.5, high: 8.0, log: false },
        Kind::Integer { low: 0, high: 9 },
    ];
    NAMES.iter().zip(kinds).map(|(name, kind)| Parameter::new(name, kind).unwrap()).collect()
}

type Off = fn(f64) -> f64;

/// A sign between two sides, and how far they are from keeping it.
const RELATIONS: [(&str, Off); 3] = [("<=", |off| off), (">=", |off| -off), ("=", f64::abs)];

/// Pieces of study files, and pieces of no study file.
const PIECES: [&str; 24] = [
    "name = 'a'\n",
    "goal",
    " = ",
    "'maximise'",
    "[parameters]\n",
    "x = { type = 'float', low = 0, high = 1 }\n",
    "type",
    "'integer'",
    "low = ",
    "high = ",
    "[",
    "]",
    "{",
    "}",
    "1e999",
    "-0",
    "'",
    "\"\"\"",
    "\n",
    "ü",
    "constraints = ['x <= 1']\n",
    "[strategy]\n",
    "[evaluate]\nfunction = 'bumpy'\n",
    "\0",
];

const GOOD: &str = "goal = 'minimise'\nconstraints = ['x + y <= 1', 'x*y >= 0.1']\n[parameters]\n\
    x = { type = 'float', low = 0, high = 1 }\ny = { type = 'float', low = 1e-3, high = 1, scale = 'linear' }\n\
    [strategy]\nbeta = [4, 3]\nnoise = 'learned'\n[evaluate]\ncommand = ['a', '{x}']\n[stop]\ntrials = 3\n";

/// Any text is read, or refused at a place inside it.
fn is_read_or_refused(text: &str) -> Result<(), TestCaseError> {
    match Definition::parse(text) {
        Ok(definition) => prop_assert_eq!(Definition::parse(definition.text()).unwrap(), definition),
        Err(Error::File { line, column, message }) => {
            let lines: Vec<&str> = text.split('\n').collect();
            prop_assert!(line >= 1 && line <= lines.len(), "line {} of {}", line, lines.len());
            prop_assert!(column >= 1 && column <= lines[line - 1].chars().count() + 1, "column {}", column);
            prop_assert!(!message.is_empty());
        }
        Err(other) => prop_assert!(false, "{other:?}"),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn a_constraint_means_what_it_says_and_reads_the_same_when_printed(
        sides in prop::collection::vec(expression(), 2..4),
        signs in prop::collection::vec(0_usize..3, 3),
        at in (-2.0..2.0, 0.5..8.0, 0_u8..9),
    ) {
        let x = [at.0, at.1, f64::from(at.2)];
        let mut text = sides[0].text();
        for (side, sign) in sides[1..].iter().zip(&signs) {
            text += &format!(" {} {}", RELATIONS[*sign].0, side.text());
        }
        match Constraint::parse(&text, &parameters()) {
            Ok(constraints) => {
                prop_assert_eq!(constraints.len(), sides.len() - 1);
                for (i, constraint) in constraints.iter().enumerate() {
                    let off = RELATIONS[signs[i]].1(sides[i].value(&x) - sides[i + 1].value(&x)).max(0.0);
                    prop_assert!((constraint.violation(&x) - off).abs() <= 1e-4, "{}: {}", text, off);
                    let again = Constraint::parse(constraint.text(), &parameters()).unwrap();
                    prop_assert_eq!(again.as_slice(), std::slice::from_ref(constraint));
                }
            }
            // A constraint that cancels to numbers may hold nowhere.
            Err(Error::BadConstraint { message, .. }) => prop_assert!(message.contains("no parameter occurs"), "{text}: {message}"),
            Err(other) => prop_assert!(false, "{text}: {other:?}"),
        }
    }

    #[test]
    fn no_text_upsets_the_parser_of_constraints(text in prop_oneof![".{0,40}", "[xyn2 ()+*/^=<>≤.e0-9-]{0,40}"]) {
        match Constraint::parse(&text, &parameters()) {
            Ok(constraints) => prop_assert!(constraints.iter().all(|c| !c.violation(&[1.0, 1.0, 1.0]).is_nan())),
            Err(Error::BadConstraint { at, message, .. }) => {
                prop_assert!(at <= text.chars().count() && !message.is_empty(), "{at}: {message}");
            }
            Err(other) => prop_assert!(false, "{other:?}"),
        }
    }

    #[test]
    fn no_text_upsets_the_study_file(pieces in prop::collection::vec(0..PIECES.len(), 0..12)) {
        is_read_or_refused(&pieces.iter().map(|piece| PIECES[*piece]).collect::<String>())?;
    }

    #[test]
    fn a_good_study_file_with_a_slip_is_read_or_refused_at_a_line(
        from in 0..GOOD.len(), gone in 0_usize..12, piece in 0..PIECES.len(), is_added: bool,
    ) {
        let to = (from + gone).min(GOOD.len());
        is_read_or_refused(&format!("{}{}{}", &GOOD[..from], if is_added { PIECES[piece] } else { "" }, &GOOD[to..]))?;
    }
}

#[test]
fn the_file_that_slips_are_made_in_is_good() {
    Definition::parse(GOOD).unwrap();
}

#[test]
fn a_broken_chain_names_the_link() {
    let x = Expression::Name(0).text();
    let links = Constraint::parse(&format!(" 0 <= {x}  <= 2 "), &parameters()).unwrap();
    assert_eq!(links.iter().map(Constraint::text).collect::<Vec<_>>(), ["0 <= x", "x  <= 2"]);
}

#[test]
fn the_study_files_of_the_test_functions_are_read_as_they_are_meant() {
    for function in Function::ALL {
        let definition = Definition::parse(&function.study_file()).unwrap();
        assert_eq!(definition.name, function.name());
        assert_eq!(definition.space.parameters().len(), function.bounds().len());
    }
}
