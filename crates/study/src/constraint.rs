//! Constraints as people write them: `x1 + 3*x2 <= 18`, `1 <= x1^2 + x2^2`, `0 <= a - b <= 2`, `a + b = 1`.
//!
//! ```text
//! chain   = sum (relation sum)+            relation: <= >= = ==
//! sum     = product ([+-] product)*
//! product = power ([*/] power)*
//! power   = [+-]* atom [^ whole number]    also **
//! atom    = number | name | ( sum )
//! ```
//!
//! In the search's coordinates a constraint must be a linear or quadratic row. Floats and integers are affine in
//! theirs, so a polynomial of degree 2 stays one. A log-scaled parameter is exponential in its coordinate: it may occur
//! where one product of log-scaled parameters stands against a number, `c Π x_j^p <= b`, whose logarithm is linear.

use crate::error::{Error, Result};
use crate::parameter::{Kind, Parameter};
use crate::polynomial::Polynomial;
use fathom_global::{FEASIBILITY, Row};

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

/// `polynomial (relation) 0` in the user's units.
#[derive(Debug, Clone, PartialEq)]
pub struct Constraint {
    text: String,
    polynomial: Polynomial,
    relation: Relation,
}

impl Constraint {
    /// The constraints that `text` states; several where relations are chained.
    pub fn parse(text: &str, parameters: &[Parameter]) -> Result<Vec<Self>> {
        let mut parser = Parser { text, letters: text.chars().collect(), at: 0, depth: 0, parameters };
        let (mut left, mut start) = (parser.sum()?, 0);
        let mut constraints = Vec::new();
        while let Some((relation, at)) = parser.relation()? {
            let middle = parser.at;
            let right = parser.sum()?;
            let polynomial = left.plus(&right, -1.0);
            // Of a chain each link keeps its own two sides, so that a message names the one that is broken.
            let link: String = parser.letters[start..parser.at].iter().collect();
            let constraint = Self { text: link.trim().to_owned(), polynomial, relation };
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

    /// The row in the search's coordinates; `None` where every point satisfies it. `sides` gives each parameter's first
    /// coordinate.
    pub(crate) fn row(&self, parameters: &[Parameter], sides: &[usize]) -> Result<Option<Row>> {
        if self.verdict().is_some() {
            return Ok(None);
        }
        let mut linear = Vec::new();
        let mut quadratic = Vec::new();
        let is_log = |j: usize| matches!(parameters[j].kind, Kind::Float { log: true, .. });
        let first = self.polynomial.terms().flat_map(|(monomial, _)| monomial).map(|(j, _)| *j).next();
        let (relation, constant) = if first.is_some_and(is_log) {
            let (relation, bound) = self.bound();
            if bound <= 0.0 {
                return Ok(None);
            }
            let mut constant = -bound.ln();
            for (j, power) in self.polynomial.terms().flat_map(|(monomial, _)| monomial) {
                let (low, width) = logarithm(&parameters[*j]);
                constant += f64::from(*power) * low;
                linear.push((sides[*j], f64::from(*power) * width));
            }
            (relation, constant)
        } else {
            let affine = |j: usize| affine(&parameters[j]);
            let mut constant = 0.0;
            for (monomial, c) in self.polynomial.terms() {
                match factors(monomial).as_slice() {
                    [] => constant += c,
                    [j] => {
                        let (low, width) = affine(*j);
                        constant += c * low;
                        linear.push((sides[*j], c * width));
                    }
                    [j, k] => {
                        let ((a, v), (b, w)) = (affine(*j), affine(*k));
                        constant += c * a * b;
                        linear.push((sides[*j], c * v * b));
                        linear.push((sides[*k], c * a * w));
                        quadratic.push((sides[*j], sides[*k], c * v * w));
                    }
                    _ => unreachable!("checked when it was parsed"),
                }
            }
            (self.relation, constant)
        };
        let (lower, upper) = match relation {
            Relation::AtMost => (f64::NEG_INFINITY, -constant),
            Relation::AtLeast => (-constant, f64::INFINITY),
            Relation::Equal => (-constant, -constant),
        };
        Ok(Some(Row::new(&linear, &quadratic, lower, upper)?))
    }
}

/// x = low + width · coordinate.
fn affine(parameter: &Parameter) -> (f64, f64) {
    match &parameter.kind {
        Kind::Float { low, high, .. } => (*low, high - low),
        Kind::Integer { low, .. } => (*low as f64, 1.0),
        Kind::Categorical { .. } | Kind::Fixed { .. } => unreachable!("no variable of a constraint"),
    }
}

/// ln x = low + width · coordinate.
fn logarithm(parameter: &Parameter) -> (f64, f64) {
    match &parameter.kind {
        Kind::Float { low, high, .. } => (low.ln(), high.ln() - low.ln()),
        Kind::Integer { .. } | Kind::Categorical { .. } | Kind::Fixed { .. } => unreachable!("not log-scaled"),
    }
}

/// The variables of a product, each as often as its power says.
fn factors(monomial: &[(usize, i32)]) -> Vec<usize> {
    monomial.iter().flat_map(|(j, power)| vec![*j; power.unsigned_abs() as usize]).collect()
}

/// Parentheses within parentheses; beyond it nobody can read them, and the stack is safe.
const DEEPEST: usize = 64;

/// The largest degree on the way; products of log-scaled parameters may need more than 2.
const HIGHEST: u32 = 8;

struct Parser<'t> {
    text: &'t str,
    letters: Vec<char>,
    at: usize,
    depth: usize,
    parameters: &'t [Parameter],
}

impl Parser<'_> {
    fn error(&self, at: usize, message: &str) -> Error {
        let blank = |c: char| if c.is_control() { ' ' } else { c };
        Error::BadConstraint { text: self.text.chars().map(blank).collect(), at, message: message.to_owned() }
    }

    fn is_log(&self, j: usize) -> bool {
        matches!(self.parameters[j].kind, Kind::Float { log: true, .. })
    }

    /// The character at which a name first occurs as a whole word.
    fn position_of(&self, name: &str) -> usize {
        let letters: Vec<char> = name.chars().collect();
        let part = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric() || *c == '_');
        let ends = self.letters.len().saturating_sub(letters.len());
        let here = |i: &usize| {
            self.letters[*i..].starts_with(&letters)
                && !part(self.letters.get(i + letters.len()))
                && !(*i > 0 && part(self.letters.get(i - 1)))
        };
        (0..=ends).find(here).unwrap_or(0)
    }

    fn peek(&mut self) -> Option<char> {
        while self.letters.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
        self.letters.get(self.at).copied()
    }

    fn take(&mut self, wanted: &str) -> bool {
        self.peek();
        let wanted: Vec<char> = wanted.chars().collect();
        let found = self.letters[self.at..].starts_with(&wanted);
        self.at += if found { wanted.len() } else { 0 };
        found
    }

    fn relation(&mut self) -> Result<Option<(Relation, usize)>> {
        self.peek();
        let at = self.at;
        let known = [
            ("<=", Relation::AtMost),
            (">=", Relation::AtLeast),
            ("≤", Relation::AtMost),
            ("≥", Relation::AtLeast),
            ("==", Relation::Equal),
            ("=", Relation::Equal),
        ];
        for (symbol, relation) in known {
            if self.take(symbol) {
                return Ok(Some((relation, at)));
            }
        }
        match self.peek() {
            Some('<' | '>') => Err(self.error(at, "a strict relation has no optimum: write <= or >=")),
            _ => Ok(None),
        }
    }

    fn sum(&mut self) -> Result<Polynomial> {
        let mut sum = self.product()?;
        loop {
            self.peek();
            let at = self.at;
            let scale = if self.take("+") {
                1.0
            } else if self.take("-") {
                -1.0
            } else {
                return Ok(sum);
            };
            let term = self.product()?;
            sum = self.sound(sum.plus(&term, scale), at)?;
        }
    }

    fn product(&mut self) -> Result<Polynomial> {
        let mut product = self.power()?;
        loop {
            self.peek();
            let at = self.at;
            if self.take("*") {
                let factor = self.power()?;
                product = self.sound(product.times(&factor), at)?;
            } else if self.take("/") {
                let divisor = self.power()?;
                let flipped = divisor.reciprocal().filter(Polynomial::is_finite);
                let Some(flipped) = flipped else {
                    return Err(self.error(at, "the divisor must be a number or one product, and not zero"));
                };
                product = self.sound(product.times(&flipped), at)?;
            } else {
                return Ok(product);
            }
        }
    }

    /// With any signs in front; −x² is −(x²).
    fn power(&mut self) -> Result<Polynomial> {
        let mut sign = 1.0;
        loop {
            if self.take("-") {
                sign = -sign;
            } else if !self.take("+") {
                break;
            }
        }
        Ok(Polynomial::default().plus(&self.unsigned_power()?, sign))
    }

    fn unsigned_power(&mut self) -> Result<Polynomial> {
        let base = self.atom()?;
        self.peek();
        let at = self.at;
        if !self.take("^") && !self.take("**") {
            return Ok(base);
        }
        self.peek();
        let start = self.at;
        let exponent = self.digits().parse::<u32>().ok().filter(|power| *power <= HIGHEST);
        let Some(exponent) = exponent.filter(|_| self.letters.get(self.at) != Some(&'.')) else {
            return Err(self.error(start, "a power is a whole number from 0 to 8"));
        };
        let mut result = Polynomial::constant(1.0);
        for _ in 0..exponent {
            result = self.sound(result.times(&base), at)?;
        }
        Ok(result)
    }

    fn atom(&mut self) -> Result<Polynomial> {
        let Some(letter) = self.peek() else {
            return Err(self.error(self.at, "a number, a parameter or a parenthesis is missing here"));
        };
        let at = self.at;
        if letter == '(' {
            self.at += 1;
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err(self.error(at, "too many parentheses within each other"));
            }
            let inner = self.sum()?;
            self.depth -= 1;
            if !self.take(")") {
                return Err(self.error(self.at, &format!("`)` is missing for the `(` at character {}", at + 1)));
            }
            return Ok(inner);
        }
        if letter.is_ascii_digit() || letter == '.' {
            return self.number(at);
        }
        if letter.is_alphabetic() || letter == '_' {
            return self.name(at);
        }
        Err(self.error(at, &format!("`{letter}` is not expected here")))
    }

    fn digits(&mut self) -> String {
        let start = self.at;
        while self.letters.get(self.at).is_some_and(char::is_ascii_digit) {
            self.at += 1;
        }
        self.letters[start..self.at].iter().collect()
    }

    fn number(&mut self, start: usize) -> Result<Polynomial> {
        self.digits();
        if self.letters.get(self.at) == Some(&'.') {
            self.at += 1;
            self.digits();
        }
        if matches!(self.letters.get(self.at), Some('e' | 'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.letters.get(self.at), Some('+' | '-')));
            self.digits();
        }
        let text: String = self.letters[start..self.at].iter().collect();
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Polynomial::constant(value)),
            Ok(_) | Err(_) => Err(self.error(start, &format!("`{text}` is no number"))),
        }
    }

    fn name(&mut self, start: usize) -> Result<Polynomial> {
        while self.letters.get(self.at).is_some_and(|c| c.is_alphanumeric() || *c == '_') {
            self.at += 1;
        }
        let name: String = self.letters[start..self.at].iter().collect();
        let Some(index) = self.parameters.iter().position(|parameter| parameter.name == name) else {
            let names: Vec<&str> = self.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
            return Err(self.error(start, &format!("there is no parameter `{name}`; there are {}", names.join(", "))));
        };
        match &self.parameters[index].kind {
            Kind::Float { .. } | Kind::Integer { .. } => Ok(Polynomial::variable(index)),
            Kind::Categorical { .. } => {
                Err(self.error(start, &format!("`{name}` is categorical: constraints are about numbers")))
            }
            Kind::Fixed { value } => match value.as_f64() {
                Some(value) => Ok(Polynomial::constant(value)),
                None => Err(self.error(start, &format!("`{name}` is fixed at a text: constraints are about numbers"))),
            },
        }
    }

    /// `polynomial`, unless it got too large for anything that can be certified; `at` is the operator that made it.
    fn sound(&self, polynomial: Polynomial, at: usize) -> Result<Polynomial> {
        if !polynomial.is_finite() {
            return Err(self.error(at, "the numbers get too large here"));
        }
        let all_log = polynomial.terms().flat_map(|(monomial, _)| monomial).all(|(j, _)| self.is_log(*j));
        let most = if all_log { HIGHEST } else { 2 };
        match polynomial.degree() {
            degree if degree > most => {
                Err(self.error(at, &format!("this is of degree {degree}; a constraint may be at most quadratic")))
            }
            _ => Ok(polynomial),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
