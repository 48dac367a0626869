//! Polynomials in a squared distance s that bound a kernel on the range of s in a box.

use super::{Interval, Kernel};
use crate::proof::Order;
use std::f64::consts::FRAC_1_SQRT_2;

/// A + BΔ + ΓΔ² + ΘΔ³ about s_c = |d|² + tb, or about the inner product at the centre.
pub(crate) struct Polynomial {
    pub value: Interval,
    pub slope: Interval,
    pub curve: Interval,
    pub third: Interval,
}

/// Ends that s cannot pass, and s_c.
fn range(d: &[Interval], half: &[f64], tb: Interval) -> (f64, f64, Interval) {
    let (mut least, mut most, mut centre) = (Interval::ZERO, Interval::ZERO, tb);
    for (d, w) in d.iter().zip(half) {
        let size = d.abs();
        least = least + (size - Interval::point(*w)).positive_part().square();
        most = most + (size + Interval::point(*w)).square();
        centre = centre + d.square();
    }
    (least.low.max(0.0), most.high, centre)
}

/// A polynomial below φ, or above it, on the range of s: see the head of `relaxation` for its nodes, of which the double ones
/// may be anywhere between the ends.
pub(crate) fn interpolate(
    kernel: &Kernel,
    d: &[Interval],
    half: &[f64],
    tb: Interval,
    order: Order,
    is_lower: bool,
) -> Polynomial {
    let (near, far, centre) = range(d, half, tb);
    if let Kernel::Chords(chords) = kernel {
        let Some((jet, error)) = chords.smooth(near, far) else { return chords.line(near, far, centre, is_lower) };
        let mut polynomial = through(jet, near, far, centre, Order::Two, is_lower);
        polynomial.value = if is_lower { polynomial.value - error } else { polynomial.value + error };
        return polynomial;
    }
    through(|s| kernel.jet(Interval::point(s)), near, far, centre, order, is_lower)
}

/// The polynomial midway between the ones below and above φ, and how far φ can be from it. Their distance is a cubic, and
/// none of the four values of its Bernstein form on the range is exceeded there.
pub(crate) fn enclose(kernel: &Kernel, d: &[Interval], half: &[f64], tb: Interval, order: Order) -> (Polynomial, f64) {
    let side = |is_lower: bool| interpolate(kernel, d, half, tb, order, is_lower);
    let (below, above) = (side(true), side(false));
    let midway = |a: Interval, b: Interval| (a + b) * 0.5;
    let middle = Polynomial {
        value: midway(below.value, above.value),
        slope: midway(below.slope, above.slope),
        curve: midway(below.curve, above.curve),
        third: midway(below.third, above.third),
    };
    let (value, slope) = (above.value - below.value, above.slope - below.slope);
    let (curve, third) = (above.curve - below.curve, above.third - below.third);
    let (near, far, centre) = range(d, half, tb);
    let at = |s: Interval| value + s * (slope + s * (curve + s * third));
    let rate = |s: Interval| slope + s * (curve * 2.0 + s * third * 3.0);
    let (from, to) = (Interval::point(near) - centre, Interval::point(far) - centre);
    let step = (to - from) / Interval::point(3.0);
    let bernstein = [at(from), at(from) + step * rate(from), at(to) - step * rate(to), at(to)];
    // Of what is not known, `size` is NaN, which `max` would swallow.
    let is_known = bernstein.iter().all(|b| b.size().is_finite());
    let most = bernstein.iter().map(|b| b.size()).fold(0.0, f64::max);
    (middle, if is_known { 0.5 * most } else { f64::INFINITY })
}

/// The polynomial of the nodes between `near` and `far`, φ and φ' being given by `at`.
fn through(
    at: impl Fn(f64) -> (Interval, Interval),
    near: f64,
    far: f64,
    centre: Interval,
    order: Order,
    is_lower: bool,
) -> Polynomial {
    let apart = |from: f64, to: f64| Interval::point(to) - Interval::point(from);
    let (node, [a0, a1, a2, a3]) = match (order, is_lower) {
        (Order::Two, _) => {
            let (simple, node) =
                if is_lower { (far, far - 0.7 * (far - near)) } else { (near, near + 0.7 * (far - near)) };
            let (step, (value, slope)) = (apart(node, simple), at(node));
            (node, [value, slope, (at(simple).0 - value - slope * step) / step.square(), Interval::ZERO])
        }
        // Newton's form through near, middle twice, far.
        (Order::Three, false) => {
            let node = 0.5 * (near + far);
            let (value, slope) = at(node);
            let (left, right) = (apart(node, near), apart(node, far));
            let bend = |step: Interval, end: f64| (at(end).0 - value - slope * step) / step.square();
            let third = (bend(right, far) - bend(left, near)) / (right - left);
            (node, [value, slope, bend(left, near) - third * left, third])
        }
        // Hermite's form: both inner nodes twice.
        (Order::Three, true) => {
            let reach = FRAC_1_SQRT_2 * 0.5 * (far - near);
            let (node, end) = (0.5 * (near + far) - reach, 0.5 * (near + far) + reach);
            let (step, (value, slope), (value_there, slope_there)) = (apart(node, end), at(node), at(end));
            let chord = (value_there - value) / step;
            let second = (chord - slope) / step;
            let third = (slope + slope_there - chord * 2.0) / step.square();
            (node, [value, slope, second - third * step, third])
        }
    };
    let narrow = far - near <= 2e-10 * far + 1e-90;
    if narrow || !(a2.size().is_finite() && a3.size().is_finite()) {
        let value = at(if is_lower { far } else { near }).0;
        return Polynomial { value, slope: Interval::ZERO, curve: Interval::ZERO, third: Interval::ZERO };
    }
    let shift = centre - Interval::point(node);
    Polynomial {
        value: a0 + shift * (a1 + shift * (a2 + shift * a3)),
        slope: a1 + shift * (a2 * 2.0 + a3 * shift * 3.0),
        curve: a2 + a3 * shift * 3.0,
        third: a3,
    }
}

/// (base + δ)^degree as a polynomial in δ, |δ| ≤ `reach`: exact to order 3, the rest bounded by its size.
pub(crate) fn expand(degree: u32, base: Interval, reach: Interval, is_lower: bool) -> Polynomial {
    let mut terms = [Interval::ZERO; 4];
    let mut beyond = Interval::ZERO;
    let mut choose = Interval::ONE;
    for k in 0..=degree {
        let term = choose * base.power(degree - k);
        match k {
            0..=3 => terms[k as usize] = term,
            _ => beyond = beyond + term.abs() * reach.power(k),
        }
        choose = choose * f64::from(degree - k) / Interval::point(f64::from(k + 1));
    }
    let [value, slope, curve, third] = terms;
    Polynomial { value: if is_lower { value - beyond } else { value + beyond }, slope, curve, third }
}
