//! A small panel for each parameter: the model along it, through the best trial.

use crate::axis::{Axis, coordinate, ends};
use crate::colour::{BLACK, BLUE, PALE};
use crate::error::Result;
use crate::importance::importances;
use crate::map::{Curve, What};
use crate::mark::{Form, Mark, entries};
use crate::panel::Panel;
use crate::sheet::{Area, Sheet};
use crate::view::View;
use fathom_study::{Goal, Parameter};

/// The size of a panel with its labels.
const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 270.0;

/// Panels in a row.
const COLUMNS: usize = 4;

/// Parameters that are drawn unless somebody names others.
const MOST: usize = 12;

/// Points along each curve.
const POINTS: usize = 120;

/// The slices along some parameters; along those that matter most if none are named.
pub fn sheet(view: &View, named: &[&Parameter]) -> Result<Sheet> {
    let model = view.model()?;
    let mut along = if named.is_empty() { view.free() } else { named.to_vec() };
    if along.len() > MOST && named.is_empty() {
        let mut sorted = importances(view)?;
        sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
        along = sorted.into_iter().take(MOST).map(|(parameter, _)| parameter).collect();
    }
    let curves: Vec<Curve> =
        along.iter().map(|x| Curve::of(view, model, x, What::Posterior, POINTS)).collect::<Result<_>>()?;
    // One scale for all, so that steep slices look steep.
    let mut values: Vec<f64> =
        curves.iter().flat_map(|curve| curve.middle.clone()).chain([view.best_value()?]).collect();
    let (low, high) = ends(&values);
    // Trials far from all curves would make the curves flat.
    let room = 0.5 * (high - low);
    values.extend(view.values().into_iter().filter(|value| (low - room..=high + room).contains(value)));
    let best = if view.goal() == Goal::Minimise { ends(&values).0 } else { ends(&values).1 };
    let y = Axis::of_values(&format!("value ({})", view.better()), best, &values).with_margin(0.08);
    // As few rows as there can be, each as full as the others.
    let rows = along.len().div_ceil(COLUMNS);
    let columns = along.len().div_ceil(rows);
    // A single column leaves no room for the legend.
    let width = (80.0 + WIDTH * columns as f64).max(760.0);
    let mut sheet = Sheet::new(width, 130.0 + HEIGHT * rows as f64 + 40.0);
    let size = (width - 80.0) / columns as f64;
    for (i, (x, curve)) in along.iter().zip(&curves).enumerate() {
        let (row, column) = (i / columns, i % columns);
        let (left, top) = (90.0 + size * column as f64, 86.0 + HEIGHT * row as f64);
        let area = Area { left, top, width: size - 70.0, height: HEIGHT - 80.0 };
        let label = if column == 0 { y.label.clone() } else { String::new() };
        let panel = Panel { area, x: Axis::of(x), y: Axis { label, ..y.clone() } };
        panel.grid(&mut sheet);
        sheet.within(area, |sheet| curve.draw(&panel, sheet));
        // Marks at the ends of a range reach over the frame; those far from all curves are left out.
        for trial in &view.trials {
            if let Some(value) = trial.objective().filter(|value| (panel.y.low..=panel.y.high).contains(value)) {
                let mark = Mark { radius: 2.5, opacity: 0.45, ..Mark::of(trial, BLUE) };
                mark.draw(&mut sheet, panel.place(coordinate(x, &trial.point[&x.name]), value));
            }
        }
        // What has no value is at the foot.
        for trial in view.trials.iter().filter(|trial| trial.objective().is_none()) {
            let mark = Mark::of(trial, BLUE);
            let across = panel.place(coordinate(x, &trial.point[&x.name]), panel.y.low).0;
            Mark { radius: 0.6 * mark.radius, ..mark }.draw(&mut sheet, (across, area.bottom() - 7.0));
        }
        if let (Ok(trial), Ok(value)) = (view.best(), view.best_value()) {
            Mark { radius: 9.0, ..Mark::best() }
                .draw(&mut sheet, panel.place(coordinate(x, &trial.point[&x.name]), value));
        }
        panel.frame(&mut sheet);
    }
    // The title has two lines below it.
    let first = Area { left: 90.0, top: 76.0, width: width - 160.0, height: HEIGHT * rows as f64 - 32.0 };
    let outer = Panel { area: first, x: y.clone(), y };
    let mut legend = vec![
        (Mark::new(Form::Line, BLACK), "posterior median".to_owned()),
        (Mark { opacity: 0.15, ..Mark::new(Form::Band, BLACK) }, "68 % of the model's belief".to_owned()),
        (Mark::best(), "best trial".to_owned()),
    ];
    legend.extend(entries(&view.trials, BLUE));
    if curves.iter().any(Curve::is_forbidden) {
        legend.push((Mark::new(Form::Hatched, PALE), "forbidden by the constraints".to_owned()));
    }
    outer.legend(&mut sheet, &legend);
    let details =
        "each panel moves one parameter and holds the others as in the best trial; trials lie in other slices";
    outer.title(&mut sheet, &format!("{}: slices through the best trial", view.definition.name), details);
    Ok(sheet)
}
