//! Polynomials in the parameters with whole, possibly negative powers: constraints are made of them.

use std::collections::BTreeMap;

/// The variables of a product with their powers, in order.
pub(crate) type Monomial = Vec<(usize, i32)>;

/// Σ c Π x_j^p.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Polynomial {
    terms: BTreeMap<Monomial, f64>,
}

impl Polynomial {
    pub fn constant(value: f64) -> Self {
        Self { terms: BTreeMap::from([(Vec::new(), value)]) }.tidied()
    }

    pub fn variable(index: usize) -> Self {
        Self { terms: BTreeMap::from([(vec![(index, 1)], 1.0)]) }
    }

    pub fn terms(&self) -> impl Iterator<Item = (&Monomial, f64)> {
        self.terms.iter().map(|(monomial, c)| (monomial, *c))
    }

    pub fn plus(mut self, other: &Self, scale: f64) -> Self {
        for (monomial, c) in &other.terms {
            *self.terms.entry(monomial.clone()).or_insert(0.0) += scale * c;
        }
        self.tidied()
    }

    pub fn times(&self, other: &Self) -> Self {
        let mut product = Self::default();
        for (left, a) in &self.terms {
            for (right, b) in &other.terms {
                let mut powers: BTreeMap<usize, i32> = left.iter().copied().collect();
                for (variable, power) in right {
                    *powers.entry(*variable).or_insert(0) += power;
                }
                let monomial = powers.into_iter().filter(|(_, power)| *power != 0).collect();
                *product.terms.entry(monomial).or_insert(0.0) += a * b;
            }
        }
        product.tidied()
    }

    /// 1 / self, if self is a single product.
    pub fn reciprocal(&self) -> Option<Self> {
        let mut terms = self.terms.iter();
        let ((monomial, c), None) = (terms.next()?, terms.next()) else { return None };
        let flipped = monomial.iter().map(|(variable, power)| (*variable, -power)).collect();
        Some(Self { terms: BTreeMap::from([(flipped, 1.0 / c)]) })
    }

    /// The polynomial as a number, if no variable occurs.
    pub fn as_constant(&self) -> Option<f64> {
        match self.terms.len() {
            0 => Some(0.0),
            1 => self.terms.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    pub fn is_finite(&self) -> bool {
        self.terms.values().all(|c| c.is_finite())
    }

    /// The sum of the absolute powers of the worst product.
    pub fn degree(&self) -> u32 {
        let degree = |monomial: &Monomial| monomial.iter().map(|(_, power)| power.unsigned_abs()).sum();
        self.terms.keys().map(degree).max().unwrap_or(0)
    }

    pub fn value(&self, x: &[f64]) -> f64 {
        self.sizes(x).sum()
    }

    /// The terms one by one at `x`.
    pub fn sizes<'a>(&'a self, x: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        self.terms.iter().map(|(monomial, c)| c * monomial.iter().map(|(j, power)| x[*j].powi(*power)).product::<f64>())
    }

    fn tidied(mut self) -> Self {
        self.terms.retain(|_, c| *c != 0.0);
        self
    }
}
