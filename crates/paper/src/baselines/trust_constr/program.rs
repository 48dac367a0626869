//! The elastic program: z = (y, t), its slacks and their gradients. Sides without width are constants.

use fathom_global::Row;
use fathom_global::local::{Halted, Objective};

/// How far inside the cube the first iterate is.
const INSIDE: f64 = 1e-2;
/// How much larger than needed the first elastic variables are.
const ROOM: f64 = 0.1;

/// A point, with the functions and gradients there.
pub(super) struct Point {
    pub z: Vec<f64>,
    pub value: f64,
    /// ∇f in z; 0 in t.
    pub gradient: Vec<f64>,
    pub slacks: Vec<f64>,
    /// ∇s, one row per slack.
    pub jacobian: Vec<Vec<f64>>,
}

/// A row, and the weight that makes its range over the box about 1.
struct Weighted<'a> {
    row: &'a Row,
    weight: f64,
}

pub(super) struct Program<'o, 'a> {
    objective: &'o Objective<'a>,
    /// The sides that have a width.
    free: Vec<usize>,
    rows: Vec<Weighted<'a>>,
    /// The point at which the other sides stay.
    fixed: Vec<f64>,
}

impl<'o, 'a> Program<'o, 'a> {
    pub fn new(objective: &'o Objective<'a>, start: &[f64]) -> Self {
        let region = objective.region;
        let free = (0..region.dim()).filter(|j| region.lower()[*j] < region.upper()[*j]).collect();
        let weighted = |row: &'a Row| Weighted { row, weight: row.weight(region.lower(), region.upper()) };
        Self { objective, free, rows: region.rows().iter().map(weighted).collect(), fixed: start.to_vec() }
    }

    /// The number of entries of y.
    pub fn sides(&self) -> usize {
        self.free.len()
    }

    fn width(&self, j: usize) -> f64 {
        self.objective.region.upper()[j] - self.objective.region.lower()[j]
    }

    /// The point of the region that z stands for.
    pub fn place(&self, z: &[f64]) -> Vec<f64> {
        let (lower, upper) = (self.objective.region.lower(), self.objective.region.upper());
        let mut x = self.fixed.clone();
        for (y, j) in z.iter().zip(&self.free) {
            x[*j] = (lower[*j] + self.width(*j) * y).clamp(lower[*j], upper[*j]);
        }
        x
    }

    /// A point near `start` with all slacks positive.
    pub fn interior(&self, start: &[f64]) -> Vec<f64> {
        let lower = self.objective.region.lower();
        let inside = |j: &usize| ((start[*j] - lower[*j]) / self.width(*j)).clamp(INSIDE, 1.0 - INSIDE);
        let mut z: Vec<f64> = self.free.iter().map(inside).collect();
        let x = self.place(&z);
        z.extend(self.rows.iter().map(|Weighted { row, weight }| weight * row.violation(&x) + ROOM));
        z
    }

    /// The largest t.
    pub fn elastic(&self, z: &[f64]) -> f64 {
        z[self.sides()..].iter().copied().fold(0.0, f64::max)
    }

    /// Whether all slacks are positive.
    pub fn is_interior(&self, z: &[f64]) -> bool {
        self.slacks(z).iter().all(|s| *s > 0.0)
    }

    pub fn point(&self, z: Vec<f64>) -> Result<Point, Halted> {
        let x = self.place(&z);
        let mut in_x = vec![0.0; x.len()];
        let value = self.objective.value_and_gradient(&x, &mut in_x)?;
        let mut gradient = vec![0.0; z.len()];
        for (g, j) in gradient.iter_mut().zip(&self.free) {
            *g = self.width(*j) * in_x[*j];
        }
        Ok(Point { value, gradient, slacks: self.slacks(&z), jacobian: self.jacobian(&x, z.len()), z })
    }

    /// The sides of each row as (row, sign, bound).
    fn row_sides(&self) -> impl Iterator<Item = (usize, f64, f64)> {
        let sides = |i: usize| [(i, 1.0, self.rows[i].row.lower()), (i, -1.0, self.rows[i].row.upper())];
        (0..self.rows.len()).flat_map(sides).filter(|(_, _, bound)| bound.is_finite())
    }

    fn slacks(&self, z: &[f64]) -> Vec<f64> {
        let (y, t) = z.split_at(self.sides());
        let x = self.place(z);
        let row = |(i, sign, bound): (usize, f64, f64)| {
            let Weighted { row, weight } = &self.rows[i];
            weight * sign * (row.value(&x) - bound) + t[i]
        };
        let cube = y.iter().copied().chain(y.iter().map(|y| 1.0 - y));
        cube.chain(self.row_sides().map(row)).chain(t.iter().copied()).collect()
    }

    fn jacobian(&self, x: &[f64], dim: usize) -> Vec<Vec<f64>> {
        let sides = self.sides();
        let unit = |j: usize, sign: f64| {
            let mut row = vec![0.0; dim];
            row[j] = sign;
            row
        };
        let row = |(i, sign, _): (usize, f64, f64)| {
            let Weighted { row, weight } = &self.rows[i];
            let mut in_x = vec![0.0; x.len()];
            row.add_gradient(x, sign * weight, &mut in_x);
            let mut gradient = unit(sides + i, 1.0);
            self.free.iter().enumerate().for_each(|(k, j)| gradient[k] = self.width(*j) * in_x[*j]);
            gradient
        };
        let cube = (0..sides).map(|j| unit(j, 1.0)).chain((0..sides).map(|j| unit(j, -1.0)));
        cube.chain(self.row_sides().map(row)).chain((sides..dim).map(|i| unit(i, 1.0))).collect()
    }
}
