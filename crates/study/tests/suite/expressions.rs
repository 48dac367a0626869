//! Arithmetic over `x`, `y` and `n` that can be written down and evaluated, at most quadratic.

use proptest::prelude::*;

pub const NAMES: [&str; 3] = ["x", "y", "n"];

#[derive(Debug, Clone)]
pub enum Expression {
    Number(f64),
    Name(usize),
    Negative(Box<Self>),
    Square(Box<Self>),
    Sum(Box<Self>, Box<Self>),
    Difference(Box<Self>, Box<Self>),
    Product(Box<Self>, Box<Self>),
    /// An expression divided by a number.
    Part(Box<Self>, f64),
}

impl Expression {
    pub fn text(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Name(index) => NAMES[*index].to_owned(),
            Self::Negative(of) => format!("-{}", of.factor()),
            Self::Square(of) => format!("{}^2", of.factor()),
            Self::Sum(left, right) => format!("{} + {}", left.text(), right.text()),
            Self::Difference(left, right) => format!("{} - {}", left.text(), right.factor()),
            Self::Product(left, right) => format!("{}*{}", left.factor(), right.factor()),
            Self::Part(of, number) => format!("{} / {number:e}", of.factor()),
        }
    }

    fn factor(&self) -> String {
        match self {
            Self::Number(_) | Self::Name(_) => self.text(),
            Self::Negative(_)
            | Self::Square(_)
            | Self::Sum(..)
            | Self::Difference(..)
            | Self::Product(..)
            | Self::Part(..) => format!("({})", self.text()),
        }
    }

    pub fn value(&self, x: &[f64]) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Name(index) => x[*index],
            Self::Negative(of) => -of.value(x),
            Self::Square(of) => of.value(x) * of.value(x),
            Self::Sum(left, right) => left.value(x) + right.value(x),
            Self::Difference(left, right) => left.value(x) - right.value(x),
            Self::Product(left, right) => left.value(x) * right.value(x),
            Self::Part(of, number) => of.value(x) / number,
        }
    }

    fn degree(&self) -> u32 {
        match self {
            Self::Number(_) => 0,
            Self::Name(_) => 1,
            Self::Negative(of) | Self::Part(of, _) => of.degree(),
            Self::Square(of) => 2 * of.degree(),
            Self::Sum(left, right) | Self::Difference(left, right) => left.degree().max(right.degree()),
            Self::Product(left, right) => left.degree() + right.degree(),
        }
    }
}

fn number() -> impl Strategy<Value = f64> {
    (1_u32..40).prop_map(|quarters| f64::from(quarters) / 4.0)
}

pub fn expression() -> impl Strategy<Value = Expression> {
    let leaf = prop_oneof![number().prop_map(Expression::Number), (0..NAMES.len()).prop_map(Expression::Name)];
    let larger = leaf.prop_recursive(3, 10, 2, |inner| {
        let one = inner.clone().prop_map(Box::new);
        let two = (one.clone(), one.clone());
        prop_oneof![
            one.clone().prop_map(Expression::Negative),
            one.clone().prop_map(Expression::Square),
            two.clone().prop_map(|(left, right)| Expression::Sum(left, right)),
            two.clone().prop_map(|(left, right)| Expression::Difference(left, right)),
            two.prop_map(|(left, right)| Expression::Product(left, right)),
            (one, number()).prop_map(|(of, number)| Expression::Part(of, number)),
        ]
    });
    larger.prop_filter("at most quadratic", |expression| expression.degree() <= 2)
}
