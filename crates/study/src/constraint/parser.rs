//! Reads a constraint as people write it.
//!
//! ```text
//! chain   = sum (relation sum)+            relation: <= >= = ==
//!         | at most (whole number) of name (, name)+ [are used]
//! sum     = product ([+-] product)*
//! product = power ([*/] power)*
//! power   = [+-]* atom [^ whole number]    also **
//! atom    = number | name | ( sum )
//! name    = letters, digits and underscores, or anything in backquotes: `Temperature (°C)`
//! ```

use super::Relation;
use crate::error::{Error, Result};
use crate::kind::Kind;
use crate::parameter::Parameter;
use crate::polynomial::Polynomial;

/// Parentheses within parentheses; beyond it nobody can read them, and the stack is safe.
const DEEPEST: usize = 64;

/// What may stand around a name.
const QUOTES: [char; 3] = ['`', '"', '\''];

/// The largest degree on the way; products of log-scaled parameters may need more than 2.
const HIGHEST: u32 = 8;

/// A text, and how far it is read.
pub(super) struct Parser<'t> {
    text: &'t str,
    pub(super) letters: Vec<char>,
    /// The character that comes next.
    pub(super) at: usize,
    depth: usize,
    pub(super) parameters: &'t [Parameter],
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, parameters: &'t [Parameter]) -> Self {
        Self { text, letters: text.chars().collect(), at: 0, depth: 0, parameters }
    }

    pub(super) fn error(&self, at: usize, message: &str) -> Error {
        let blank = |c: char| if c.is_control() { ' ' } else { c };
        Error::BadConstraint { text: self.text.chars().map(blank).collect(), at, message: message.to_owned() }
    }

    pub(super) fn is_log(&self, j: usize) -> bool {
        self.parameters[j].kind.is_log()
    }

    /// The character at which a name first occurs as a whole word.
    pub(super) fn position_of(&self, name: &str) -> usize {
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

    pub(super) fn relation(&mut self) -> Result<Option<(Relation, usize)>> {
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

    pub(super) fn sum(&mut self) -> Result<Polynomial> {
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
        if letter.is_alphabetic() || letter == '_' || QUOTES.contains(&letter) {
            return self.variable(at);
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

    /// Whether the next word is this one, which is then read.
    pub(super) fn word(&mut self, wanted: &str) -> bool {
        self.peek();
        let rest = &self.letters[self.at..];
        let length = rest.iter().take_while(|c| c.is_alphanumeric() || **c == '_').count();
        let found = rest[..length].iter().collect::<String>().eq_ignore_ascii_case(wanted);
        self.at += if found { length } else { 0 };
        found
    }

    /// The whole number that comes next, if there is one.
    pub(super) fn whole(&mut self) -> Option<usize> {
        self.peek();
        self.digits().parse().ok()
    }

    /// Whether a comma comes next, which is then read.
    pub(super) fn comma(&mut self) -> bool {
        self.take(",")
    }

    /// The parameter whose name begins at the next character, and that character.
    pub(super) fn name(&mut self) -> Result<(usize, usize)> {
        let quote = self.peek().filter(|letter| QUOTES.contains(letter));
        let start = self.at;
        let name: String = if let Some(quote) = quote {
            let inner = self.letters[start + 1..].iter().take_while(|letter| **letter != quote).collect::<String>();
            self.at += inner.chars().count() + 2;
            if self.at > self.letters.len() {
                return Err(self.error(start, &format!("the second {quote} is missing behind this name")));
            }
            inner
        } else {
            while self.letters.get(self.at).is_some_and(|c| c.is_alphanumeric() || *c == '_') {
                self.at += 1;
            }
            self.letters[start..self.at].iter().collect()
        };
        if let Some(index) = self.parameters.iter().position(|parameter| parameter.name == name) {
            return Ok((index, start));
        }
        let quoted = |parameter: &Parameter| match parameter.is_plain() {
            true => parameter.name.clone(),
            false => format!("`{}`", parameter.name),
        };
        let names: Vec<String> = self.parameters.iter().map(quoted).collect();
        let backquotes = match (quote, self.parameters.iter().all(Parameter::is_plain)) {
            (None, false) => "; a name with blanks or signs stands in backquotes",
            (Some(_), _) | (None, true) => "",
        };
        let message = format!("there is no parameter `{name}`; there are {}{backquotes}", names.join(", "));
        Err(self.error(start, &message))
    }

    fn variable(&mut self, start: usize) -> Result<Polynomial> {
        let (index, _) = self.name()?;
        let Parameter { name, kind } = &self.parameters[index];
        match kind {
            Kind::Float { .. } | Kind::Integer { .. } | Kind::Grid(_) | Kind::Listed(_) => {
                Ok(Polynomial::variable(index))
            }
            // No is 0, and yes is 1.
            Kind::Ordered { .. } if kind.is_boolean() => Ok(Polynomial::variable(index)),
            Kind::Categorical { choices } if choices.iter().all(|choice| choice.as_f64().is_some()) => {
                let message = format!(
                    "`{name}` has choices without an order: for numbers that count as such write type = \"float\" or \"integer\" \
                     and values = […]"
                );
                Err(self.error(start, &message))
            }
            Kind::Categorical { .. } | Kind::Ordered { .. } => {
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
