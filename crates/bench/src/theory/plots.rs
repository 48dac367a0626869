//! Errors and bounds against the number of segments, a panel for each model.

use super::{KERNELS, NOISES, Row};
use crate::chart::{self, Axis, Curve, Panel, Place};
use crate::pen::{Mark, Pen};
use crate::picture::Picture;

const REAL: Pen = Pen { colour: "#1a1a1a", width: 2.2, dash: (f64::INFINITY, 0.0), mark: Mark::Circle };
const TIGHT: Pen = Pen { colour: "#d55e00", width: 2.0, dash: (10.0, 3.0), mark: Mark::Square };
const NORMS: Pen = Pen { colour: "#0072b2", width: 1.8, dash: (5.0, 4.0), mark: Mark::Triangle };
const PRINTED: Pen = Pen { colour: "#666666", width: 1.8, dash: (2.0, 4.0), mark: Mark::Cross };

/// Real error, a posteriori, by norms, printed.
type Numbers = fn(&Row) -> [f64; 4];

/// Of the mean.
pub(super) fn mean(rows: &[Row]) -> Picture {
    draw(rows, "error of the mean", |row| [row.mean, row.mean_a_posteriori, row.mean_norms, row.mean_printed])
}

/// Of the deviation.
pub(super) fn deviation(rows: &[Row]) -> Picture {
    draw(rows, "error of the deviation", |row| {
        [row.deviation, row.deviation_a_posteriori, row.deviation_norms, row.deviation_printed]
    })
}

fn draw(rows: &[Row], y_label: &str, numbers: Numbers) -> Picture {
    let pens = [REAL, TIGHT, NORMS, PRINTED];
    let mut panels = Vec::new();
    for (kernel, _) in KERNELS {
        for noise in NOISES {
            let mut here: Vec<&Row> = rows.iter().filter(|row| row.kernel == kernel && row.noise == noise).collect();
            here.sort_by_key(|row| row.segments);
            let curve = |(i, pen): (usize, Pen)| {
                let points = here.iter().map(|row| Place::bare(row.segments as f64, numbers(row)[i])).collect();
                Curve { pen, points, marked: (1, 0) }
            };
            let curves: Vec<Curve> = pens.into_iter().enumerate().map(curve).collect();
            let y = Axis::decades(curves.iter().flat_map(|curve| &curve.points).map(|place| place.y), 1e-9);
            let x = Axis::decades(here.iter().map(|row| row.segments as f64), 1.0);
            let title = format!("{}, noise {noise:e}", if kernel == "rbf" { "RBF" } else { "Matérn 3/2" });
            panels.push(Panel { title, x_label: "segments M".into(), y_label: y_label.into(), x, y, curves });
        }
    }
    let names = ["real, at 20,000 points", "a posteriori", "by norms", "Theorem 4.3 as printed"];
    let legend: Vec<(&str, Pen)> = names.into_iter().zip(pens).collect();
    chart::draw(&panels, 2, &legend)
}
