//! A line for each trial across all parameters, coloured by value.

use crate::axis::{Axis, Scale, coordinate, ends};
use crate::colour::{BLACK, WHITE, of_value};
use crate::error::Result;
use crate::panel::{LABEL, TICK, TITLE};
use crate::sheet::{Anchor, Area, Sheet, cut, width_of};
use crate::view::View;
use fathom_study::{Goal, Parameter, Trial};

/// Pixels from axis to axis.
const APART: f64 = 150.0;

pub fn sheet(view: &View, named: &[&Parameter]) -> Result<Sheet> {
    let (best, values) = (view.best_value()?, view.values());
    let along = if named.is_empty() { view.free() } else { named.to_vec() };
    let axes: Vec<Axis> = along.iter().map(|parameter| Axis::of(parameter)).collect();
    let scale = {
        let axis = Axis::of_values("value", best, &values);
        let (low, high) = ends(&values);
        if high > low { Axis { low, high, ..axis } } else { axis }
    };
    let count = axes.len();
    let width = (170.0 + APART * count as f64).max(760.0);
    let area = Area { left: 90.0, top: 110.0, width: width - 210.0, height: 380.0 };
    let mut sheet = Sheet::new(width, 540.0);
    let across = |i: usize| area.left + area.width * i as f64 / count as f64;
    let up = |part: f64| area.bottom() - part * area.height;
    // The best value is at the top, whatever the goal is.
    let height = |value: f64| match view.goal() {
        Goal::Minimise => 1.0 - scale.part(value),
        Goal::Maximise => scale.part(value),
    };
    let mut trials: Vec<&Trial> = view.trials.iter().filter(|trial| trial.objective().is_some()).collect();
    let part_of = |trial: &Trial| height(trial.objective().unwrap_or(f64::NAN));
    // The best are drawn last and on top.
    trials.sort_by(|a, b| part_of(a).total_cmp(&part_of(b)));
    for (rank, trial) in trials.iter().enumerate() {
        let mut points: Vec<(f64, f64)> = (0..count)
            .map(|i| (across(i), up(axes[i].part(coordinate(along[i], &trial.point[&along[i].name])))))
            .collect();
        points.push((across(count), up(part_of(trial))));
        let is_best = rank + 1 == trials.len();
        sheet.line(points, of_value(1.0 - part_of(trial)), if is_best { 3.5 } else { 1.4 });
    }
    for i in 0..=count {
        let (x, axis) = (across(i), axes.get(i).unwrap_or(&scale));
        sheet.line(vec![(x, area.top), (x, area.bottom())], BLACK, 1.2);
        let most = if matches!(axis.scale, Scale::Choices(_)) { 99 } else { 7 };
        for (value, label) in axis.ticks(most) {
            let y = up(if i == count { height(value) } else { axis.part(value) });
            let label = cut(&label, TICK, APART - 30.0);
            sheet.line(vec![(x - 4.0, y), (x + 4.0, y)], BLACK, 1.0);
            // A pale ground keeps the label apart from the lines.
            let ground = Area { left: x + 6.0, top: y - 8.0, width: width_of(&label, TICK) + 5.0, height: 16.0 };
            let corners = vec![
                (ground.left, ground.top),
                (ground.right(), ground.top),
                (ground.right(), ground.bottom()),
                (ground.left, ground.bottom()),
            ];
            sheet.polygon(corners, WHITE, 0.8, None);
            sheet.text((x + 8.0, y + 4.5), &label, TICK, Anchor::Start);
        }
        let name = if i == count { "value".to_owned() } else { cut(&axis.label, LABEL, APART - 10.0) };
        sheet.bold((x, area.bottom() + 28.0), &name, LABEL, Anchor::Middle);
    }
    let title = format!("{}: all trials across their parameters", view.definition.name);
    sheet.bold((40.0, 44.0), &cut(&title, TITLE, width - 60.0), TITLE, Anchor::Start);
    let details = "a line for each trial; dark is good, the best trial is thick, and the best value is at the top";
    sheet.note((40.0, 68.0), details, TICK, Anchor::Start);
    Ok(sheet)
}
