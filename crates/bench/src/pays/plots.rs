//! Mean simple regret by iteration, a panel for each function and β.

use super::{BETAS, CONTENDERS, FUNCTIONS, Row};
use crate::chart::{self, Axis, Curve, Panel, Place};
use crate::moments::Moments;
use crate::picture::Picture;

/// Less than this counts as found.
const FLOOR: f64 = 1e-5;

pub(super) fn draw(rows: &[Row]) -> Picture {
    let mut panels = Vec::new();
    for beta in BETAS {
        for function in FUNCTIONS {
            let here: Vec<&Row> =
                rows.iter().filter(|row| row.function == function.name() && row.beta == beta).collect();
            let Some(iterations) = here.iter().map(|row| row.iterations).max() else { continue };
            let curve = |(i, contender): (usize, super::Contender)| {
                let place = |t: usize| {
                    let moments = Moments::of(regrets(&here, contender.name(), t, function.minimum()))?;
                    let half = 0.5 * moments.deviation;
                    Some(Place { x: t as f64, y: moments.mean, low: moments.mean - half, high: moments.mean + half })
                };
                let points = (0..=iterations).filter_map(place).collect();
                Curve { pen: contender.pen(), points, marked: (5, i) }
            };
            let curves: Vec<Curve> = CONTENDERS.into_iter().enumerate().map(curve).collect();
            let y = Axis::decades(curves.iter().flat_map(|curve| &curve.points).map(|place| place.y), FLOOR);
            panels.push(Panel {
                title: format!("{}, κ = {:.1}", function.name(), beta.sqrt()),
                x_label: "iteration".into(),
                y_label: "simple regret".into(),
                x: Axis::linear(0.0, iterations as f64),
                y,
                curves,
            });
        }
    }
    let legend: Vec<_> = CONTENDERS.iter().map(|contender| (contender.title(), contender.pen())).collect();
    let columns = panels.len().div_ceil(BETAS.len()).max(1);
    chart::draw(&panels, columns, &legend)
}

/// The regret after iteration `t` of each loop of a method, by seed.
pub(super) fn regrets(rows: &[&Row], method: &str, t: usize, minimum: f64) -> Vec<f64> {
    let mut best = std::collections::BTreeMap::new();
    for row in rows.iter().filter(|row| row.method == method && row.t <= t) {
        let entry = best.entry(row.seed).or_insert(f64::INFINITY);
        *entry = f64::min(*entry, row.value.unwrap_or(f64::INFINITY));
    }
    best.into_values().map(|value| value - minimum).collect()
}
