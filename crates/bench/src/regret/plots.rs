//! Cumulative regret and its bound by round, a panel for each number of inputs.

use super::Row;
use crate::chart::{self, Axis, Curve, Panel, Place};
use crate::moments::Moments;
use crate::pen::{Mark, Pen};
use crate::picture::Picture;

const CERTIFIED: Pen = Pen { colour: "#1a1a1a", width: 2.2, dash: (f64::INFINITY, 0.0), mark: Mark::Circle };
const PK: Pen = Pen { colour: "#d55e00", width: 2.0, dash: (9.0, 2.0), mark: Mark::Square };
const CERTIFIED_BOUND: Pen = Pen { width: 1.6, dash: (3.0, 4.0), mark: Mark::Triangle, ..CERTIFIED };
const PK_BOUND: Pen = Pen { width: 1.6, dash: (3.0, 4.0), mark: Mark::Cross, ..PK };

pub(super) fn draw(rows: &[Row]) -> Picture {
    let mut panels = Vec::new();
    for d in 1..=2 {
        let here: Vec<&Row> = rows.iter().filter(|row| row.d == d).collect();
        let Some(rounds) = here.iter().map(|row| row.rounds).max() else { continue };
        let curve = |method: &str, pen: Pen, first: usize, number: fn(&Row) -> f64| {
            let place = |t: usize| {
                let of = |row: &&&Row| row.method == method && row.t == t;
                let moments = Moments::of(here.iter().filter(of).map(|row| number(row)))?;
                let half = 0.5 * moments.deviation;
                Some(Place { x: t as f64, y: moments.mean, low: moments.mean - half, high: moments.mean + half })
            };
            Curve { pen, points: (1..=rounds).filter_map(place).collect(), marked: (8, first) }
        };
        let curves = vec![
            curve("certified", CERTIFIED, 0, |row| row.cumulative),
            curve("pk", PK, 4, |row| row.cumulative),
            curve("certified", CERTIFIED_BOUND, 0, |row| row.bound),
            curve("pk", PK_BOUND, 4, |row| row.bound),
        ];
        let y = Axis::decades(curves.iter().flat_map(|curve| &curve.points).map(|place| place.y), 1e-1);
        let (title, x) = (format!("RBF samples, {d}D"), Axis::linear(0.0, rounds as f64));
        panels.push(Panel { title, x_label: "round T".into(), y_label: "cumulative regret".into(), x, y, curves });
    }
    let legend = [
        ("certified", CERTIFIED),
        ("PK-MIQP", PK),
        ("bound, true kernel", CERTIFIED_BOUND),
        ("bound, paper's kernel", PK_BOUND),
    ];
    let columns = panels.len().max(1);
    chart::draw(&panels, columns, &legend)
}
