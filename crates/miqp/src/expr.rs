//! Expressions: c + Σ a_j x_j + Σ q_jk x_j x_k, written with ordinary operators.
//!
//! ```
//! use fathom_miqp::{Kind, Model};
//!
//! let mut model = Model::new();
//! let x = model.add_variable("x", Kind::Continuous, -1.0, 1.0)?;
//! let y = model.add_variable("y", Kind::Continuous, -1.0, 1.0)?;
//! model.add_row("disc", (x * x + y * y).at_most(0.25))?;
//! model.minimise(2.0 * x - y + 3.0)?;
//! assert_eq!(model.objective_at(&[-0.3, 0.4])?, 2.0);
//! # Ok::<(), fathom_miqp::Error>(())
//! ```

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

/// A variable of one model: its index in every point of that model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variable(pub(crate) usize);

impl Variable {
    /// The variable's index in a point, from 0.
    pub fn index(self) -> usize {
        self.0
    }
}

/// A polynomial of degree at most two.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Expression {
    pub(crate) constant: f64,
    pub(crate) linear: Vec<(Variable, f64)>,
    /// The quadratic terms; in a model, each pair is ordered.
    pub(crate) quadratic: Vec<(Variable, Variable, f64)>,
}

impl Expression {
    /// A sum of multiples of variables.
    pub fn linear(terms: impl IntoIterator<Item = (Variable, f64)>) -> Self {
        Self { linear: terms.into_iter().collect(), ..Self::default() }
    }

    /// The constant.
    pub fn constant(&self) -> f64 {
        self.constant
    }

    /// Whether the expression has no quadratic term.
    pub fn is_linear(&self) -> bool {
        self.quadratic.is_empty()
    }

    /// `self` ≤ `right`.
    pub fn at_most(self, right: impl Into<Self>) -> Relation {
        Relation::new(self, Sense::AtMost, right.into())
    }

    /// `self` ≥ `right`.
    pub fn at_least(self, right: impl Into<Self>) -> Relation {
        Relation::new(self, Sense::AtLeast, right.into())
    }

    /// `self` = `right`.
    pub fn equal_to(self, right: impl Into<Self>) -> Relation {
        Relation::new(self, Sense::Equal, right.into())
    }

    /// The value at `x`, which must be long enough.
    pub(crate) fn value(&self, x: &[f64]) -> f64 {
        let linear: f64 = self.linear.iter().map(|(j, a)| a * x[j.0]).sum();
        let quadratic: f64 = self.quadratic.iter().map(|(j, k, q)| q * x[j.0] * x[k.0]).sum();
        self.constant + linear + quadratic
    }

    /// The same expression with sorted terms, and like terms added up.
    pub(crate) fn collected(mut self) -> Self {
        self.linear.sort_by_key(|term| term.0);
        self.linear.dedup_by(|next, kept| next.0 == kept.0 && add(&mut kept.1, next.1));
        self.linear.retain(|term| term.1 != 0.0);
        for term in &mut self.quadratic {
            (term.0, term.1) = (term.0.min(term.1), term.0.max(term.1));
        }
        self.quadratic.sort_by_key(|term| (term.0, term.1));
        self.quadratic.dedup_by(|next, kept| (next.0, next.1) == (kept.0, kept.1) && add(&mut kept.2, next.2));
        self.quadratic.retain(|term| term.2 != 0.0);
        self
    }

    /// Every number in the expression.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = f64> {
        let linear = self.linear.iter().map(|term| term.1);
        let quadratic = self.quadratic.iter().map(|term| term.2);
        std::iter::once(self.constant).chain(linear).chain(quadratic)
    }

    /// The last variable in the expression.
    pub(crate) fn last_variable(&self) -> Option<Variable> {
        let linear = self.linear.iter().map(|term| term.0);
        linear.chain(self.quadratic.iter().map(|term| term.0.max(term.1))).max()
    }
}

/// Adds `term` to `sum` and returns true, for use in a condition.
fn add(sum: &mut f64, term: f64) -> bool {
    *sum += term;
    true
}

/// How the two sides of a row compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// ≤
    AtMost,
    /// =
    Equal,
    /// ≥
    AtLeast,
}

impl Sense {
    /// The symbol in LP files.
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Self::AtMost => "<=",
            Self::Equal => "=",
            Self::AtLeast => ">=",
        }
    }
}

/// A comparison of two expressions: the content of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Relation {
    pub(crate) left: Expression,
    pub(crate) sense: Sense,
    pub(crate) right: f64,
}

impl Relation {
    fn new(left: Expression, sense: Sense, right: Expression) -> Self {
        let mut left = left - right;
        let constant = std::mem::take(&mut left.constant);
        // 0.0 − 0.0 is 0.0; files would show −0.0.
        Self { left, sense, right: 0.0 - constant }
    }
}

impl From<Variable> for Expression {
    fn from(variable: Variable) -> Self {
        Self::linear([(variable, 1.0)])
    }
}

impl From<f64> for Expression {
    fn from(constant: f64) -> Self {
        Self { constant, ..Self::default() }
    }
}

impl AddAssign for Expression {
    fn add_assign(&mut self, other: Self) {
        self.constant += other.constant;
        self.linear.extend(other.linear);
        self.quadratic.extend(other.quadratic);
    }
}

impl Mul<f64> for Expression {
    type Output = Self;
    fn mul(mut self, factor: f64) -> Self {
        self.constant *= factor;
        self.linear.iter_mut().for_each(|term| term.1 *= factor);
        self.quadratic.iter_mut().for_each(|term| term.2 *= factor);
        self
    }
}

impl Mul<Expression> for f64 {
    type Output = Expression;
    fn mul(self, expression: Expression) -> Expression {
        expression * self
    }
}

impl Mul<Variable> for f64 {
    type Output = Expression;
    fn mul(self, variable: Variable) -> Expression {
        Expression::linear([(variable, self)])
    }
}

impl Mul<f64> for Variable {
    type Output = Expression;
    fn mul(self, factor: f64) -> Expression {
        factor * self
    }
}

impl Mul for Variable {
    type Output = Expression;
    fn mul(self, other: Self) -> Expression {
        Expression { quadratic: vec![(self, other, 1.0)], ..Expression::default() }
    }
}

impl Neg for Expression {
    type Output = Self;
    fn neg(self) -> Self {
        self * -1.0
    }
}

impl Neg for Variable {
    type Output = Expression;
    fn neg(self) -> Expression {
        -1.0 * self
    }
}

impl<T: Into<Expression>> Add<T> for Expression {
    type Output = Self;
    fn add(mut self, other: T) -> Self {
        self += other.into();
        self
    }
}

impl<T: Into<Expression>> Sub<T> for Expression {
    type Output = Self;
    fn sub(mut self, other: T) -> Self {
        self += -other.into();
        self
    }
}

impl<T: Into<Expression>> Add<T> for Variable {
    type Output = Expression;
    fn add(self, other: T) -> Expression {
        Expression::from(self) + other
    }
}

impl<T: Into<Expression>> Sub<T> for Variable {
    type Output = Expression;
    fn sub(self, other: T) -> Expression {
        Expression::from(self) - other
    }
}

impl std::iter::Sum for Expression {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Self::default(), |sum, term| sum + term)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_terms_are_added_up_and_zeros_disappear() {
        let (x, y) = (Variable(0), Variable(1));
        let expression = (y + 2.0 * x - y + x * y + y * x + 1.0 - x * x + x * x).collected();
        assert_eq!(expression.linear, [(x, 2.0)]);
        assert_eq!(expression.quadratic, [(x, y, 2.0)]);
        assert_eq!(expression.constant, 1.0);
        assert_eq!(expression.value(&[3.0, 5.0]), 37.0);
    }

    #[test]
    fn constants_end_up_on_the_right() {
        let (x, y) = (Variable(0), Variable(1));
        let relation = (x + 1.0).at_least(y + 3.0);
        assert_eq!((relation.sense, relation.right), (Sense::AtLeast, 2.0));
        assert_eq!(relation.left.value(&[5.0, 2.0]), 3.0);
        assert!((x + 0.0).equal_to(0.0).right.is_sign_positive());
    }
}
