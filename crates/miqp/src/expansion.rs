//! Eq. (6) and its relatives: y = pwl(x) written out with convex weights w and an encoding of the segment.
//!
//! For breakpoints (R_j, k_j), j = 0..M:
//!
//! * (6a)–(6c), always: x = Σ w_j R_j, y = Σ w_j k_j, Σ w_j = 1, w_j ≥ 0;
//! * (6d)–(6g), [`Encoding::Binaries`]: Σ λ_j = 1, w_0 ≤ λ_1, w_j ≤ λ_j + λ_{j+1}, w_M ≤ λ_M, λ_j ∈ {0, 1}, j = 1..M;
//! * [`Encoding::Sos2`]: w is a special ordered set of type 2;
//! * [`Encoding::Logarithmic`]: ⌈log₂ M⌉ binaries z_l are the segment's Gray code; w_j must vanish if every segment
//!   next to R_j has the other bit: Σ_{j: all bits 1} w_j ≤ z_l, Σ_{j: all bits 0} w_j ≤ 1 − z_l. Neighbouring segments
//!   differ in one bit, so exactly the two ends of the encoded segment may have weight, and none for an unused code.

use crate::error::Result;
use crate::expr::{Expression, Variable};
use crate::model::{Kind, Model};
use crate::pwl::Pwl;
use serde::Deserialize;

/// How a piecewise-linear function is written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// The paper's encoding: one binary for each segment.
    Binaries,
    /// A special ordered set, which the solver branches on.
    Sos2,
    /// One binary for each bit of the segment's number.
    Logarithmic,
}

/// A model without piecewise-linear functions. Its first variables are those of the original model.
#[derive(Debug, Clone, PartialEq)]
pub struct Expansion {
    model: Model,
    encoding: Encoding,
    original: usize,
    pwls: Vec<Pwl>,
}

impl Model {
    /// The same problem with its piecewise-linear functions written out.
    pub fn expanded(&self, encoding: Encoding) -> Result<Expansion> {
        let mut model = self.clone();
        let pwls = std::mem::take(&mut model.pwls);
        for pwl in &pwls {
            let w = add_weights(&mut model, pwl)?;
            match encoding {
                Encoding::Binaries => add_segments(&mut model, pwl, &w)?,
                Encoding::Sos2 => model.add_sos2(&format!("w_sos_{}", pwl.label), &w)?,
                Encoding::Logarithmic => add_bits(&mut model, pwl, &w)?,
            }
        }
        Ok(Expansion { model, encoding, original: self.columns.len(), pwls })
    }
}

impl Expansion {
    /// The model without piecewise-linear functions.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// A point of the original model, with the values of the new variables added.
    pub fn lift(&self, x: &[f64]) -> Vec<f64> {
        let mut lifted = x.to_vec();
        for pwl in &self.pwls {
            let (segment, along) = pwl.locate(x[pwl.x.0]);
            let segments = pwl.breakpoints.len() - 1;
            let mut w = vec![0.0; segments + 1];
            (w[segment - 1], w[segment]) = (1.0 - along, along);
            lifted.extend(w);
            match self.encoding {
                Encoding::Binaries => lifted.extend((1..=segments).map(|j| f64::from(u8::from(j == segment)))),
                Encoding::Sos2 => {}
                Encoding::Logarithmic => {
                    lifted.extend((0..bits(segments)).map(|l| f64::from(u8::from(bit(segment - 1, l)))));
                }
            }
        }
        lifted
    }

    /// The original variables of a point.
    pub fn restrict(&self, mut x: Vec<f64>) -> Vec<f64> {
        x.truncate(self.original);
        x
    }
}

/// (6a)–(6c).
fn add_weights(model: &mut Model, pwl: &Pwl) -> Result<Vec<Variable>> {
    let label = &pwl.label;
    let last = pwl.breakpoints.len() - 1;
    let named = |j| format!("w_{label}_{j}");
    let w = (0..=last)
        .map(|j| model.add_variable(&named(j), Kind::Continuous, 0.0, 1.0))
        .collect::<Result<Vec<Variable>>>()?;
    let weighted =
        |pick: fn(&(f64, f64)) -> f64| Expression::linear(w.iter().copied().zip(pwl.breakpoints.iter().map(pick)));
    model.add_row(&format!("pwl_x_{label}"), (weighted(|point| point.0) - pwl.x).equal_to(0.0))?;
    model.add_row(&format!("pwl_y_{label}"), (weighted(|point| point.1) - pwl.y).equal_to(0.0))?;
    model.add_row(&format!("w_sum_{label}"), sum(&w).equal_to(1.0))?;
    Ok(w)
}

/// (6d)–(6g).
fn add_segments(model: &mut Model, pwl: &Pwl, w: &[Variable]) -> Result<()> {
    let label = &pwl.label;
    let lambda =
        (1..w.len()).map(|j| model.add_binary(&format!("lambda_{label}_{j}"))).collect::<Result<Vec<Variable>>>()?;
    model.add_row(&format!("lambda_sum_{label}"), sum(&lambda).equal_to(1.0))?;
    for (j, weight) in w.iter().enumerate() {
        // λ_j is lambda[j − 1]; the first and the last breakpoint have only one neighbouring segment.
        let neighbours = &lambda[j.saturating_sub(1)..(j + 1).min(lambda.len())];
        model.add_row(&format!("w_segment_{label}_{j}"), (*weight - sum(neighbours)).at_most(0.0))?;
    }
    Ok(())
}

fn add_bits(model: &mut Model, pwl: &Pwl, w: &[Variable]) -> Result<()> {
    let label = &pwl.label;
    let segments = w.len() - 1;
    for l in 0..bits(segments) {
        let z = model.add_binary(&format!("z_{label}_{l}"))?;
        // The segments next to breakpoint j, counted from 0, are j − 1 and j.
        let all = |j: usize, wanted: bool| (j.saturating_sub(1)..(j + 1).min(segments)).all(|s| bit(s, l) == wanted);
        let with =
            |wanted| sum(&w.iter().enumerate().filter(|(j, _)| all(*j, wanted)).map(|(_, v)| *v).collect::<Vec<_>>());
        model.add_row(&format!("z_one_{label}_{l}"), (with(true) - z).at_most(0.0))?;
        model.add_row(&format!("z_zero_{label}_{l}"), (with(false) + z).at_most(1.0))?;
    }
    Ok(())
}

fn sum(variables: &[Variable]) -> Expression {
    Expression::linear(variables.iter().map(|variable| (*variable, 1.0)))
}

/// The number of bits that number the segments.
fn bits(segments: usize) -> u32 {
    segments.next_power_of_two().trailing_zeros()
}

/// Bit `l` of the Gray code of `segment`, from 0.
fn bit(segment: usize, l: u32) -> bool {
    (segment ^ (segment >> 1)) >> l & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Encoding; 3] = [Encoding::Binaries, Encoding::Sos2, Encoding::Logarithmic];

    /// A model whose k falls through `segments` + 1 breakpoints.
    fn falling(segments: usize) -> Model {
        let mut model = Model::new();
        let r = model.add_variable("r", Kind::Continuous, 0.0, segments as f64).unwrap();
        let k = model.add_variable("k", Kind::Continuous, 0.0, 1.0).unwrap();
        let points: Vec<(f64, f64)> = (0..=segments).map(|j| (j as f64, 1.0 / (1.0 + j as f64))).collect();
        model.add_pwl("1", r, k, &points).unwrap();
        model
    }

    #[test]
    fn a_feasible_point_stays_feasible_when_lifted() {
        for encoding in ALL {
            for segments in [1, 2, 3, 4, 5, 8, 9] {
                let model = falling(segments);
                let expansion = model.expanded(encoding).unwrap();
                for step in 0..=4 * segments {
                    let r = step as f64 / 4.0;
                    let x = [r, model.pwls()[0].value(r)];
                    let lifted = expansion.lift(&x);
                    let violations = expansion.model().violations(&lifted, 1e-12).unwrap();
                    assert!(violations.is_empty(), "{encoding:?} {segments} {r}: {violations:?}");
                    assert_eq!(expansion.restrict(lifted), x);
                }
            }
        }
    }

    #[test]
    fn weights_on_breakpoints_that_are_not_neighbours_are_infeasible_for_all_binaries() {
        for encoding in [Encoding::Binaries, Encoding::Logarithmic] {
            for segments in [2_usize, 3, 5] {
                let expansion = falling(segments).expanded(encoding).unwrap();
                let model = expansion.model();
                let binaries = model.columns().len() - 2 - (segments + 1);
                for code in 0..1_usize << binaries {
                    let mut x = vec![0.0; model.columns().len()];
                    // Both ends have weight ½, so r is in the middle and k is above the curve.
                    (x[0], x[1]) = (segments as f64 / 2.0, (1.0 + 1.0 / (1.0 + segments as f64)) / 2.0);
                    (x[2], x[2 + segments]) = (0.5, 0.5);
                    for l in 0..binaries {
                        x[3 + segments + l] = f64::from(u8::from(code >> l & 1 == 1));
                    }
                    assert!(!model.violations(&x, 0.1).unwrap().is_empty(), "{encoding:?} {segments} {code:b}");
                }
            }
        }
    }

    #[test]
    fn names_and_sizes_are_those_of_the_paper() {
        let expansion = falling(3).expanded(Encoding::Binaries).unwrap();
        let names: Vec<&str> = expansion.model().columns().iter().map(crate::model::Column::name).collect();
        assert_eq!(names, ["r", "k", "w_1_0", "w_1_1", "w_1_2", "w_1_3", "lambda_1_1", "lambda_1_2", "lambda_1_3"]);
        assert_eq!(expansion.model().rows().len(), 8);
        assert_eq!(falling(5).expanded(Encoding::Logarithmic).unwrap().model().columns().len(), 2 + 6 + 3);
    }
}
