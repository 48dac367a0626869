//! Polynomials in a squared distance s that bound a kernel on the range of s in a box (docs/method.md, Lemmas 3.3, 3.4 and 3.8).

use crate::interval::Interval;
use crate::kernel::Kernel;
use crate::polyline::Polyline;
use fathom_proof::Order;
use std::f64::consts::FRAC_1_SQRT_2;

/// A + BΔ + ΓΔ² + ΘΔ³, with Δ the distance from s_c = |d|² + tb or from the inner product at the centre.
#[derive(Debug)]
pub(crate) struct Polynomial {
    pub value: Interval,
    pub slope: Interval,
    pub curve: Interval,
    pub third: Interval,
}

impl Polynomial {
    /// A constant polynomial.
    pub fn constant(value: Interval) -> Self {
        Self { value, slope: Interval::ZERO, curve: Interval::ZERO, third: Interval::ZERO }
    }
}

/// The range of s on a box.
struct Range {
    near: f64,
    far: f64,
    /// s_c.
    centre: Interval,
}

impl Range {
    /// The range for offsets d from the centre and for these half-widths; none if s has no bound.
    fn new(d: &[Interval], half: &[f64], tb: Interval) -> Option<Self> {
        let (mut least, mut most, mut centre) = (Interval::ZERO, Interval::ZERO, tb);
        for (d, w) in d.iter().zip(half) {
            let size = d.abs();
            least = least + (size - Interval::point(*w)).positive_part().square();
            most = most + (size + Interval::point(*w)).square();
            centre = centre + d.square();
        }
        let least = least.positive_part();
        (least.is_known() && most.is_known()).then(|| Self { near: least.low(), far: most.high(), centre })
    }
}

/// A polynomial below or above φ on the range of s. `docs/reference/proof.md` gives its nodes; any double node between the ends
/// is valid.
pub(crate) fn interpolate(
    kernel: &Kernel,
    d: &[Interval],
    half: &[f64],
    tb: Interval,
    order: Order,
    is_lower: bool,
) -> Polynomial {
    match Range::new(d, half, tb) {
        Some(range) => bounded(kernel, &range, order, is_lower),
        None => Polynomial::constant(Interval::ALL),
    }
}

fn bounded(kernel: &Kernel, range: &Range, order: Order, is_lower: bool) -> Polynomial {
    let Range { near, far, centre } = *range;
    if let Kernel::Chords(chords) = kernel {
        let Some((jet, error)) = chords.smooth(near, far) else {
            let (value, slope) = chords.line(near, far, centre, is_lower);
            return Polynomial { slope, ..Polynomial::constant(value) };
        };
        let mut polynomial = through(jet, range, Order::Two, is_lower);
        polynomial.value = if is_lower { polynomial.value - error } else { polynomial.value + error };
        return polynomial;
    }
    through(|s| kernel.jet(Interval::point(s)), range, order, is_lower)
}

/// The polynomial midway between the polynomials below and above φ, and a bound of its distance from φ. The difference of the
/// two is a cubic, which the four coefficients of its Bernstein form bound on the range.
pub(crate) fn enclose(
    kernel: &Kernel,
    d: &[Interval],
    half: &[f64],
    tb: Interval,
    order: Order,
) -> (Polynomial, Interval) {
    let Some(range) = Range::new(d, half, tb) else { return (Polynomial::constant(Interval::ALL), Interval::ALL) };
    let (below, above) = (bounded(kernel, &range, order, true), bounded(kernel, &range, order, false));
    let midway = |a: Interval, b: Interval| (a + b) * 0.5;
    let middle = Polynomial {
        value: midway(below.value, above.value),
        slope: midway(below.slope, above.slope),
        curve: midway(below.curve, above.curve),
        third: midway(below.third, above.third),
    };
    let apart = Polynomial {
        value: above.value - below.value,
        slope: above.slope - below.slope,
        curve: above.curve - below.curve,
        third: above.third - below.third,
    };
    let ends = [range.near, range.far].map(|end| Interval::point(end) - range.centre);
    (middle, apart.largest_size(ends) * 0.5)
}

impl Polynomial {
    /// An upper bound of |polynomial| between the ends: the largest of the four coefficients of the Bernstein form.
    fn largest_size(&self, [from, to]: [Interval; 2]) -> Interval {
        let Self { value, slope, curve, third } = *self;
        let at = |s: Interval| value + s * (slope + s * (curve + s * third));
        let rate = |s: Interval| slope + s * (curve * 2.0 + s * third * 3.0);
        let step = (to - from) / Interval::point(3.0);
        Interval::largest([at(from), at(from) + step * rate(from), at(to) - step * rate(to), at(to)])
    }
}

/// The polynomial through the nodes between the ends of the range; `at` gives φ and φ'.
fn through(at: impl Fn(f64) -> (Interval, Interval), range: &Range, order: Order, is_lower: bool) -> Polynomial {
    let Range { near, far, centre } = *range;
    let apart = |from: f64, to: f64| Interval::point(to) - Interval::point(from);
    let (node, [a0, a1, a2, a3]) = match (order, is_lower) {
        (Order::Two, _) => {
            let (simple, node) =
                if is_lower { (far, far - 0.7 * (far - near)) } else { (near, near + 0.7 * (far - near)) };
            let (step, (value, slope)) = (apart(node, simple), at(node));
            (node, [value, slope, (at(simple).0 - value - slope * step) / step.square(), Interval::ZERO])
        }
        // Newton's form has the nodes near, middle (twice) and far.
        (Order::Three, false) => {
            let node = 0.5 * (near + far);
            let (value, slope) = at(node);
            let (left, right) = (apart(node, near), apart(node, far));
            let bend = |step: Interval, end: f64| (at(end).0 - value - slope * step) / step.square();
            let third = (bend(right, far) - bend(left, near)) / (right - left);
            (node, [value, slope, bend(left, near) - third * left, third])
        }
        // Hermite's form has both inner nodes twice.
        (Order::Three, true) => {
            let radius = FRAC_1_SQRT_2 * 0.5 * (far - near);
            let (node, end) = (0.5 * (near + far) - radius, 0.5 * (near + far) + radius);
            let (step, (value, slope), (value_there, slope_there)) = (apart(node, end), at(node), at(end));
            let chord = (value_there - value) / step;
            let second = (chord - slope) / step;
            let third = (slope + slope_there - chord * 2.0) / step.square();
            (node, [value, slope, second - third * step, third])
        }
    };
    let is_narrow = far - near <= 2e-10 * far + 1e-90;
    if is_narrow || !(a2.is_known() && a3.is_known()) {
        // φ falls, so an end of the range gives a constant bound.
        return Polynomial::constant(at(if is_lower { far } else { near }).0);
    }
    let shift = centre - Interval::point(node);
    Polynomial {
        value: a0 + shift * (a1 + shift * (a2 + shift * a3)),
        slope: a1 + shift * (a2 * 2.0 + a3 * shift * 3.0),
        curve: a2 + a3 * shift * 3.0,
        third: a3,
    }
}

/// A line below or above a piecewise-linear function of q = base + δ for |δ| ≤ `radius`.
pub(crate) fn draw(polyline: &Polyline, base: Interval, radius: Interval, is_lower: bool) -> Polynomial {
    let (value, slope) = polyline.line(base + radius.give_or_take(), base, is_lower);
    Polynomial { slope, ..Polynomial::constant(value) }
}

/// A bound of (base + δ)^degree for |δ| ≤ `radius` by a polynomial in δ: exact to order 3, with a bound of the rest in the
/// value.
pub(crate) fn expand(degree: u32, base: Interval, radius: Interval, is_lower: bool) -> Polynomial {
    let mut terms = [Interval::ZERO; 4];
    let mut beyond = Interval::ZERO;
    let mut choose = Interval::ONE;
    for k in 0..=degree {
        let term = choose * base.power(degree - k);
        match k {
            0..=3 => terms[k as usize] = term,
            _ => beyond = beyond + term.abs() * radius.power(k),
        }
        choose = choose * f64::from(degree - k) / Interval::point(f64::from(k + 1));
    }
    let [value, slope, curve, third] = terms;
    Polynomial { value: if is_lower { value - beyond } else { value + beyond }, slope, curve, third }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chords::Chords;
    use proptest::prelude::*;

    fn at(polynomial: &Polynomial, delta: Interval) -> Interval {
        let Polynomial { value, slope, curve, third } = polynomial;
        *value + delta * (*slope + delta * (*curve + delta * *third))
    }

    fn kernels() -> impl Strategy<Value = Kernel> {
        prop_oneof![
            Just(Kernel::Matern12),
            Just(Kernel::Matern32),
            Just(Kernel::Matern52),
            Just(Kernel::Matern72),
            Just(Kernel::Rbf),
            (0.2..5.0).prop_map(Kernel::Rq)
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn polynomials_are_on_their_sides_of_the_kernel(
            kernel in kernels(),
            d in [-3.0..3.0_f64, -3.0..3.0],
            log_half in [-4.0..0.5_f64, -4.0..0.5],
            places in prop::collection::vec([-1.0..=1.0_f64, -1.0..=1.0], 12),
        ) {
            let half = log_half.map(|log: f64| 10_f64.powf(log));
            let offsets = d.map(Interval::point);
            let tb: Interval = half.iter().map(|w| Interval::point(*w).square() * 0.5).sum();
            let centre = d.iter().map(|d| Interval::point(*d).square()).sum::<Interval>() + tb;
            for order in [Order::Two, Order::Three] {
                let (below, above) =
                    (interpolate(&kernel, &offsets, &half, tb, order, true), interpolate(&kernel, &offsets, &half, tb, order, false));
                let (middle, margin) = enclose(&kernel, &offsets, &half, tb, order);
                for place in &places {
                    // x − z = −d + w u.
                    let s: Interval = (0..2).map(|j| (Interval::point(half[j]) * place[j] - offsets[j]).square()).sum();
                    let (value, delta) = (kernel.value(s), s - centre);
                    prop_assert!(at(&below, delta).low() <= value.high(), "{order:?} below");
                    prop_assert!(at(&above, delta).high() >= value.low(), "{order:?} above");
                    let off = (at(&middle, delta) - value).abs();
                    prop_assert!(off.low() <= margin.high(), "{order:?} {off:?} {margin:?}");
                }
                // The polynomials approach the kernel: on a small box they are much closer together than the kernel's own
                // range.
                let widest = (kernel.value(centre) - at(&below, Interval::ZERO)).size();
                let range = half.iter().sum::<f64>() * 10.0;
                prop_assert!(widest <= range + 1e-9, "{widest}");
            }
        }

        #[test]
        fn expansions_of_powers_bound_the_rest(
            degree in 1_u32..7,
            base in -2.0..2.0_f64,
            radius in 0.0..1.5_f64,
            share in -1.0..=1.0_f64,
        ) {
            let exact = (Interval::point(base) + Interval::point(share * radius)).power(degree);
            let [below, above] = [true, false].map(|is_lower| {
                at(&expand(degree, Interval::point(base), Interval::point(radius), is_lower), Interval::point(share * radius))
            });
            prop_assert!(below.low() <= exact.high() && above.high() >= exact.low());
            if degree <= 3 { prop_assert!((below - exact).size() < 1e-12 && (above - exact).size() < 1e-12); }
        }
    }

    #[test]
    fn without_a_range_nothing_is_known() {
        let polynomial = interpolate(&Kernel::Rbf, &[Interval::ALL], &[1.0], Interval::ONE, Order::Two, true);
        assert_eq!(polynomial.value, Interval::ALL);
        assert_eq!(enclose(&Kernel::Rbf, &[Interval::ALL], &[1.0], Interval::ONE, Order::Two).1, Interval::ALL);
        // Matérn 1/2 has no slope at distance 0, so the bound is a constant.
        let flat = interpolate(&Kernel::Matern12, &[Interval::ZERO], &[0.0], Interval::ZERO, Order::Three, true);
        assert_eq!((flat.slope, flat.third), (Interval::ZERO, Interval::ZERO));
    }

    #[test]
    fn a_cubic_is_bounded_by_its_bernstein_form() {
        let number = Interval::point;
        let polynomial = |[value, slope, curve, third]: [f64; 4]| Polynomial {
            value: number(value),
            slope: number(slope),
            curve: number(curve),
            third: number(third),
        };
        let size = |of: [f64; 4], from: f64, to: f64| polynomial(of).largest_size([number(from), number(to)]).guess();
        // 1 − s² from −1 to 1 has 0, 4/3, 4/3, 0; from −1 to 2 it has 0, 2, 1, −3; s³ from 0 to 3 has 0, 0, 0, 27.
        assert!((size([1.0, 0.0, -1.0, 0.0], -1.0, 1.0) - 4.0 / 3.0).abs() < 1e-12);
        assert!((size([1.0, 0.0, -1.0, 0.0], -1.0, 2.0) - 3.0).abs() < 1e-12);
        assert!((size([0.0, 0.0, 0.0, 1.0], 0.0, 3.0) - 27.0).abs() < 1e-12);
        // s − s³ from 0 to 1 has 0, 1/3, 2/3, 0: the third is largest; if mirrored, the second is.
        assert!((size([0.0, 1.0, 0.0, -1.0], 0.0, 1.0) - 2.0 / 3.0).abs() < 1e-12);
        assert!((size([0.0, 2.0, -3.0, 1.0], 0.0, 1.0) - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn the_overlap_error_of_a_segment_lowers_the_bound() {
        // The second segment is so steep that it falls by 0.15 within 3e-14, which still count as a part of the first segment.
        let kernel = Kernel::Chords(Chords::new(&[(0.0, 1.0), (1.0, 0.9), (1.0 + 1e-13, 0.4), (2.0, 0.3)]));
        let beyond = 1.0 + 3e-14;
        let range = Range { near: 0.25, far: beyond * beyond, centre: Interval::point(0.6) };
        let fallen = kernel.value(Interval::point(range.far)).guess();
        assert!((0.7..0.8).contains(&fallen), "{fallen}");
        let delta = Interval::point(range.far) - range.centre;
        let [below, above] = [true, false].map(|is_lower| at(&bounded(&kernel, &range, Order::Two, is_lower), delta));
        assert!(below.low() <= fallen && above.high() >= 0.9, "{below:?} {above:?}");
    }

    proptest! {
        #[test]
        fn the_margin_is_at_least_half_the_distance_of_both_polynomials(
            kernel in kernels(),
            (d, half) in (0.3..3.0_f64, 0.05..0.29_f64),
            is_cubic in any::<bool>(),
        ) {
            let order = if is_cubic { Order::Three } else { Order::Two };
            let (offsets, tb) = ([Interval::point(d)], Interval::point(half * half));
            let [below, above] =
                [true, false].map(|is_lower| interpolate(&kernel, &offsets, &[half], tb, order, is_lower));
            let (_, margin) = enclose(&kernel, &offsets, &[half], tb, order);
            let range = Range::new(&offsets, &[half], tb).unwrap();
            let mut widest = 0.0;
            for i in 0..=200 {
                let s = range.near + (range.far - range.near) * f64::from(i) / 200.0;
                let delta = Interval::point(s) - range.centre;
                let half_way = ((at(&above, delta) - at(&below, delta)) * 0.5).guess();
                widest = if half_way > widest { half_way } else { widest };
            }
            prop_assert!(widest <= margin.high() * (1.0 + 1e-9) + 1e-15, "{widest} {margin:?}");
            prop_assert!(margin.high() <= 3.0 * widest + 1e-12, "{widest} {margin:?}");
        }
    }
}
