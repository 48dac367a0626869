//! Constraints as people write them: `x1 + 3*x2 <= 18`, `1 <= x1^2 + x2^2`, `0 <= a - b <= 2`, `a + b = 1`,
//! `at most 2 of a, b, c`.
//!
//! `parser` has the grammar, `row` says what a constraint is in the search's coordinates.

mod parser;
mod row;
mod used;

use crate::error::Result;
use crate::parameter::Parameter;
use crate::polynomial::Polynomial;
use fathom_global::FEASIBILITY;
use parser::Parser;
pub(crate) use row::affine;
pub(crate) use used::{Used, rows_of};

/// How the two sides compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// Left at most right.
    AtMost,
    /// Left at least right.
    AtLeast,
    /// Both the same.
    Equal,
}

/// `polynomial (relation) 0` in the user's units; or how many of some parameters may be other than 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Constraint {
    text: String,
    polynomial: Polynomial,
    relation: Relation,
    used: Option<Used>,
}

impl Constraint {
    /// The constraints that `text` states; several where relations are chained.
    pub fn parse(text: &str, parameters: &[Parameter]) -> Result<Vec<Self>> {
        let mut parser = Parser::new(text, parameters);
        if let Some(used) = Used::parse(&mut parser)? {
            if parser.at < text.trim_end().chars().count() {
                return Err(parser.error(parser.at, "only names with commas between them are expected here"));
            }
            let (text, polynomial) = (text.trim().to_owned(), Polynomial::default());
            return Ok(vec![Self { text, polynomial, relation: Relation::AtMost, used: Some(used) }]);
        }
        let (mut left, mut start) = (parser.sum()?, 0);
        let mut constraints = Vec::new();
        while let Some((relation, at)) = parser.relation()? {
            let middle = parser.at;
            let right = parser.sum()?;
            let polynomial = left.plus(&right, -1.0);
            // Of a chain each link keeps its own two sides, so that a message names the one that is broken.
            let link: String = parser.letters[start..parser.at].iter().collect();
            let constraint = Self { text: link.trim().to_owned(), polynomial, relation, used: None };
            constraint.check(&parser, at)?;
            constraints.push(constraint);
            (left, start) = (right, middle);
        }
        match (parser.letters.get(parser.at), constraints.is_empty()) {
            (Some(letter), _) => Err(parser.error(parser.at, &format!("`{letter}` is not expected here"))),
            (None, true) => Err(parser.error(parser.at, "a relation is missing: <=, >= or =")),
            (None, false) => Ok(constraints),
        }
    }

    /// As it was written; of a chain, the two sides of this link. Parsed again it is the same constraint.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How far it is from holding at the numbers `x` of all parameters; 0 where it holds up to ten times [`FEASIBILITY`]
    /// of its largest term, constants among them.
    pub fn violation(&self, x: &[f64]) -> f64 {
        if let Some(used) = &self.used {
            return used.violation(x);
        }
        let value = self.polynomial.value(x);
        let off = match self.relation {
            Relation::AtMost => value,
            Relation::AtLeast => -value,
            Relation::Equal => value.abs(),
        };
        let size = self.polynomial.sizes(x).map(f64::abs).fold(0.0, f64::max);
        // NaN counts as violated.
        if off <= 10.0 * FEASIBILITY * size { 0.0 } else { off }
    }

    /// How many of which parameters may be used, if that is what it says.
    pub(crate) fn used(&self) -> Option<&Used> {
        self.used.as_ref()
    }

    /// Whether every point satisfies or violates it, where it has no variables; else `None`.
    fn verdict(&self) -> Option<bool> {
        let value = self.polynomial.as_constant()?;
        Some(match self.relation {
            Relation::AtMost => value <= 0.0,
            Relation::AtLeast => value >= 0.0,
            Relation::Equal => value == 0.0,
        })
    }

    /// Whether it can become a row; `at` is where the relation stands.
    fn check(&self, parser: &Parser<'_>, at: usize) -> Result<()> {
        if self.verdict() == Some(false) {
            return Err(parser.error(at, "no parameter occurs here, and it does not hold"));
        }
        if let Some(logarithmic) =
            self.polynomial.terms().flat_map(|(m, _)| m).map(|(j, _)| *j).find(|j| parser.is_log(*j))
        {
            let products: Vec<_> = self.polynomial.terms().filter(|(monomial, _)| !monomial.is_empty()).collect();
            let alone = products.len() == 1 && products[0].0.iter().all(|(j, _)| parser.is_log(*j));
            if !alone {
                let name = &parser.parameters[logarithmic].name;
                return Err(parser.error(
                    parser.position_of(name),
                    &format!(
                        "`{name}` has a log scale, so it can only stand in one product of log-scaled parameters \
                         against a number, as in {name} <= 0.1"
                    ),
                ));
            }
            let (sign, bound) = self.bound();
            let never = match sign {
                Relation::AtMost | Relation::Equal => bound <= 0.0,
                Relation::AtLeast => false,
            };
            if never {
                return Err(parser.error(at, "log-scaled parameters are positive: this never holds"));
            }
            return Ok(());
        }
        let bad_power = |monomial: &Vec<(usize, i32)>| monomial.iter().any(|(_, power)| *power < 0);
        if self.polynomial.terms().any(|(monomial, _)| bad_power(monomial)) {
            return Err(
                parser.error(at, "dividing by a parameter that has no log scale is not quadratic: multiply it out")
            );
        }
        if self.polynomial.degree() > 2 {
            return Err(parser.error(at, "a constraint may be at most quadratic"));
        }
        Ok(())
    }

    /// For one product p of log-scaled parameters, c p + k (relation) 0: how p compares to −k/c.
    fn bound(&self) -> (Relation, f64) {
        let mut product = 1.0;
        let mut constant = 0.0;
        for (monomial, c) in self.polynomial.terms() {
            if monomial.is_empty() { constant = c } else { product = c }
        }
        let relation = match (self.relation, product > 0.0) {
            (Relation::AtMost, true) | (Relation::AtLeast, false) => Relation::AtMost,
            (Relation::AtLeast, true) | (Relation::AtMost, false) => Relation::AtLeast,
            (Relation::Equal, _) => Relation::Equal,
        };
        (relation, -constant / product)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::kind::Kind;

    fn parameters() -> Vec<Parameter> {
        let float = |name, log| Parameter::new(name, Kind::Float { low: 0.5, high: 8.0, log }).unwrap();
        vec![
            float("x1", false),
            float("x2", false),
            Parameter::new("n", Kind::Integer { low: 1, high: 9 }).unwrap(),
            float("rate", true),
            float("decay", true),
            Parameter::new("kind", Kind::Categorical { choices: vec!["a".into(), "b".into()] }).unwrap(),
            Parameter::new("batch", Kind::Fixed { value: crate::Value::Integer(4) }).unwrap(),
        ]
    }

    fn place(text: &str) -> (usize, String) {
        match Constraint::parse(text, &parameters()) {
            Err(Error::BadConstraint { at, message, .. }) => (at, message),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn what_people_write_means_what_they_mean() {
        let at = [2.0, 3.0, 5.0, 4.0, 0.5, f64::NAN, 4.0];
        for (text, violation) in [
            ("x1 + 3*x2 <= 18", 0.0),
            ("x1^2 + x2**2 >= 14", 1.0),
            ("2 (x1) <= 1", f64::NAN),
            ("-(x1 - x2)*2 <= 1.5e0", 0.5),
            ("n = 5", 0.0),
            ("x1 + -x2 >= 0", 1.0),
            ("-x1^2 <= -5", 1.0),
            ("2*-x1 - -x2 >= 0", 1.0),
            ("n*x1/4 == 2", 0.5),
            ("rate*decay <= 1", 1.0),
            ("rate/decay^2 >= 17", 1.0),
            ("batch*x1 <= 8", 0.0),
            ("1e-10*x1 <= 1e-11", 1e-10 * 2.0 - 1e-11),
            ("1e-10*x1 <= 2.000000001e-10", 0.0),
        ] {
            match Constraint::parse(text, &parameters()) {
                Ok(parsed) => assert_eq!(parsed[0].violation(&at), violation, "{text}"),
                Err(_) => assert!(violation.is_nan(), "{text}"),
            }
        }
        assert_eq!(Constraint::parse("0 <= x1 - x2 <= 2", &parameters()).unwrap().len(), 2);
    }

    #[test]
    fn errors_point_at_the_character() {
        for (text, at, part) in [
            ("x1 + x3 <= 2", 5, "no parameter `x3`"),
            ("x1 + <= 2", 5, "not expected"),
            ("x1 + (x2 <= 2", 9, "`)` is missing"),
            ("x1*x2*n <= 2", 5, "degree 3"),
            ("x1^3 <= 2", 2, "degree 3"),
            ("x1 < 2", 3, "strict"),
            ("x1 + 2", 6, "relation is missing"),
            ("x1 <= 2 3", 8, "not expected"),
            ("kind <= 2", 0, "categorical"),
            ("x1 + rate <= 2", 5, "log scale"),
            ("rate <= -1", 5, "never holds"),
            ("x1/x2 <= 1", 6, "multiply it out"),
            ("x1 <= 1/0", 7, "divisor"),
            ("x1^1.5 <= 1", 3, "whole number"),
            ("", 0, "missing here"),
            ("1 <= 0", 2, "does not hold"),
        ] {
            let (found, message) = place(text);
            assert!(found == at && message.contains(part), "{text}: at {found}, {message}");
        }
    }

    #[test]
    fn rows_agree_with_the_constraints_they_come_from() {
        let parameters = parameters();
        let sides = [0, 1, 2, 3, 4, 5, 7];
        for text in
            ["x1 + 3*x2 <= 12", "x1^2 - n*x2 >= 1", "rate <= 2", "1 <= rate*decay^2", "1/rate >= 0.25", "(x1-n)^2 <= 4"]
        {
            for constraint in Constraint::parse(text, &parameters).unwrap() {
                let row = constraint.row(&parameters, &sides).unwrap().unwrap();
                for i in 0..200_u32 {
                    let u = |k: u32| f64::from((i * 37 + k * 101) % 97) / 96.0;
                    let x = [u(1), u(2), f64::from(i % 9), u(3), u(4), 0.0, 0.0];
                    let log = |u: f64| 0.5 * 16_f64.powf(u);
                    let user = [0.5 + 7.5 * x[0], 0.5 + 7.5 * x[1], 1.0 + x[2], log(x[3]), log(x[4]), 0.0, 4.0];
                    let (here, there) = (row.violation(&x), constraint.violation(&user));
                    assert!(
                        (here > 1e-8) == (there > 0.0) || here.max(there) < 1e-7,
                        "{text} at {x:?}: {here} {there}"
                    );
                }
            }
        }
    }
}
