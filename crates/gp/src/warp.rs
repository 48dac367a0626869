//! A warp of outputs that keeps bad values from dominating a model.
//!
//! With c the median of the outputs and w how far the best lies below it, u = (y − c)/w and
//!
//! ```text
//! z = u           for u ≤ 0
//! z = log(1 + u)  for u > 0
//! ```
//!
//! z grows with y and has a continuous slope. The better half of the outputs stays as it is, so that nothing bounds from below
//! what can be gained; the worse half is drawn together, whether it spans decades or not.

use crate::error::{Result, all_finite};

/// z of an output y, and back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Warp {
    centre: f64,
    width: f64,
}

/// The least width, as a part of the largest output: outputs that are closer to each other than this are the same.
const LEAST: f64 = 1e-12;

impl Warp {
    /// The warp with this centre and width.
    pub fn new(centre: f64, width: f64) -> Result<Self> {
        all_finite("the centre of a warp", &[centre])?;
        Ok(Self { centre, width: crate::error::positive("the width of a warp", width)? })
    }

    /// The warp that fits outputs that are minimised; the width is 1 if all of them are 0.
    pub fn of(outputs: &[f64]) -> Result<Self> {
        let mut sorted = outputs.to_vec();
        sorted.sort_by(f64::total_cmp);
        let [least, .., largest] = sorted[..] else {
            return Self::new(sorted.first().copied().unwrap_or(0.0), 1.0);
        };
        let half = sorted.len() / 2;
        let median = if sorted.len() % 2 == 1 {
            sorted[half]
        } else {
            sorted[half - 1] + 0.5 * (sorted[half] - sorted[half - 1])
        };
        let width = (median - least).max(LEAST * largest.abs().max(least.abs()));
        Self::new(median, if width > 0.0 { width } else { 1.0 })
    }

    /// The output that maps to 0.
    pub fn centre(self) -> f64 {
        self.centre
    }

    /// The difference below the centre that maps to −1.
    pub fn width(self) -> f64 {
        self.width
    }

    /// z of an output.
    pub fn forward(self, output: f64) -> f64 {
        let u = (output - self.centre) / self.width;
        if u <= 0.0 { u } else { u.ln_1p() }
    }

    /// The output of a z.
    pub fn back(self, z: f64) -> f64 {
        self.centre + self.width * if z <= 0.0 { z } else { z.exp_m1() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_come_back_and_keep_their_order() {
        let outputs = [3.0, -7.0, 1e6, 12.0, 4.0, 5.0];
        let warp = Warp::of(&outputs).unwrap();
        assert_eq!((warp.centre(), warp.width()), (4.5, 11.5));
        for pair in [-7.0, -6.99, 3.0, 4.4999, 4.5, 4.5001, 12.0, 1e6].windows(2) {
            assert!(warp.forward(pair[0]) < warp.forward(pair[1]));
        }
        for output in outputs {
            assert!((warp.back(warp.forward(output)) - output).abs() <= 1e-12 * output.abs().max(1.0));
        }
        assert_eq!(warp.forward(-7.0), -1.0);
        assert!(warp.forward(1e6) < 12.0, "six decades take a dozen units");
        let slope = |at: f64| (warp.forward(at + 1e-6) - warp.forward(at)) / 1e-6;
        assert!((slope(4.5 - 2e-6) - slope(4.5 + 1e-6)).abs() < 1e-4);
    }

    #[test]
    fn few_and_equal_outputs_have_a_warp_too() {
        assert!((Warp::of(&[]).unwrap().forward(2.0) - 3.0_f64.ln()).abs() < 1e-15);
        assert_eq!(Warp::of(&[5.0]).unwrap().forward(5.0), 0.0);
        assert_eq!(Warp::of(&[0.0; 4]).unwrap().width(), 1.0);
        let same = Warp::of(&[1e300; 3]).unwrap();
        assert!(same.forward(1e300) == 0.0 && same.back(0.0) == 1e300);
        assert!(Warp::of(&[1e300, -1e300, 0.0]).unwrap().forward(1e300).is_finite());
        assert!(Warp::new(0.0, 0.0).is_err() && Warp::new(f64::NAN, 1.0).is_err());
    }
}
