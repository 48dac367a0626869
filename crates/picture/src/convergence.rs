//! Values trial by trial, the best so far, and the band between it and what can still be reached under the cautious model.

use crate::axis::{Axis, Scale, ends};
use crate::colour::{BLACK, BLUE, GREY, ORANGE};
use crate::error::Result;
use crate::mark::{Form, Mark, entries};
use crate::number::short;
use crate::panel::Panel;
use crate::sheet::{Area, Sheet};
use crate::view::View;
use fathom_study::{Goal, State};

/// The distance from a known minimum within which the axis is linear.
const CLOSE: f64 = 1e-3;

/// More trials than this have smaller marks.
const MANY: usize = 100;

pub fn draw(view: &View, sheet: &mut Sheet, area: Area) -> Result<()> {
    let best = view.best_value()?;
    // With a known minimum, everything is drawn by its distance from it.
    let (origin, label) = match view.truth() {
        Some(truth) => (truth, "value − true minimum"),
        None => (0.0, "value"),
    };
    let told: Vec<f64> = view.values().iter().map(|value| value - origin).collect();
    let bounds: Vec<(u64, f64)> =
        view.trials.iter().filter_map(|trial| Some((trial.id, trial.suggestion.bound?.reachable - origin))).collect();
    let all: Vec<f64> = told.iter().copied().chain(bounds.iter().map(|bound| bound.1)).collect();
    let y = match view.truth() {
        Some(_) => {
            let (low, high) = ends(&all);
            let scale = Scale::Asinh { centre: 0.0, width: CLOSE };
            Axis { scale, ..Axis::linear(label, low.min(-CLOSE), high.max(CLOSE)) }.with_margin(0.05)
        }
        None => Axis::of_values(label, best, &all),
    };
    let y = Axis { label: format!("{label} ({})", view.better()), ..y };
    let panel = Panel { area, x: Axis::of_trials(view.trials.len()), y };
    let last = view.trials.len() as f64 + 0.5;
    let mut record: Vec<(f64, f64)> = Vec::new();
    for trial in &view.trials {
        let Some(value) = trial.objective() else { continue };
        let so_far = record.last().map_or(value - origin, |(_, best)| match view.goal() {
            Goal::Minimise => best.min(value - origin),
            Goal::Maximise => best.max(value - origin),
        });
        record.push((trial.id as f64, so_far));
    }
    record.extend(record.last().map(|(_, best)| (last, *best)));
    let runs = runs(&bounds, last);
    panel.grid(sheet);
    sheet.within(area, |sheet| {
        for run in &runs {
            band(&panel, sheet, run, &record);
        }
        if view.truth().is_some() {
            sheet.dashed(vec![panel.place(panel.x.low, 0.0), panel.place(panel.x.high, 0.0)], GREY, 1.5);
        }
        for run in &runs {
            sheet.line(panel.steps(run), ORANGE, 2.5);
        }
        sheet.line(panel.steps(&record), BLACK, 2.5);
        for trial in &view.trials {
            let x = trial.id as f64;
            let at = match trial.objective() {
                Some(value) => panel.place(x, value - origin),
                // What has no value stands at the foot.
                None => (panel.place(x, panel.y.low).0, area.bottom() - 12.0),
            };
            let mark = Mark::of(trial, BLUE);
            let radius = match trial.state {
                State::Pending => 6.0,
                _ if view.trials.len() > MANY => 2.5,
                State::Complete | State::Failed | State::Cancelled | State::Withdrawn => 4.0,
            };
            Mark { radius, ..mark }.draw(sheet, at);
        }
    });
    panel.frame(sheet);
    let mut legend = vec![(Mark::new(Form::Line, BLACK), "best so far".to_owned())];
    if !runs.is_empty() {
        legend.push((Mark::new(Form::Line, ORANGE), "limit proven under a cautious model".into()));
        legend.push((Mark { opacity: 0.18, ..Mark::new(Form::Band, ORANGE) }, "what may still be gained".into()));
    }
    if view.truth().is_some() {
        legend.push((Mark::new(Form::Dashes, GREY), "true minimum".into()));
    }
    legend.extend(entries(&view.trials, BLUE));
    panel.legend(sheet, &legend);
    let details = match runs.is_empty() {
        true => "what can still be gained is not known yet",
        false => "the band holds under the model; whether the model is right is not proven",
    };
    let trial = view.best()?.id;
    let title = match view.truth() {
        Some(truth) => format!("within {} of the true minimum", up(best - truth)),
        None => format!("best value {} at trial {trial} of {}", short(best, 5), view.trials.len()),
    };
    panel.title(sheet, &format!("{}: {title}", view.definition.name), details);
    Ok(())
}

/// A distance rounded up to one digit; known minima have seven.
fn up(distance: f64) -> String {
    let distance = distance.max(1e-6);
    let unit = 10_f64.powf(distance.log10().floor());
    short((distance / unit - 1e-9).ceil() * unit, 2)
}

/// Bounds of trials in a row. A bound holds from its trial to the next, and the last one to the end.
fn runs(bounds: &[(u64, f64)], last: f64) -> Vec<Vec<(f64, f64)>> {
    let run = |run: &[(u64, f64)]| {
        let mut points: Vec<(f64, f64)> = run.iter().map(|(id, bound)| (*id as f64, *bound)).collect();
        let (end, bound) = points[points.len() - 1];
        points.push(((end + 1.0).min(last), bound));
        points
    };
    bounds.chunk_by(|a, b| a.0 + 1 == b.0).map(run).collect()
}

/// The area between bounds and the best value.
fn band(panel: &Panel, sheet: &mut Sheet, run: &[(f64, f64)], record: &[(f64, f64)]) {
    let best_at = |x: f64| record.iter().rev().find(|(id, _)| *id < x).or(record.first()).map(|(_, best)| *best);
    // The bound of a trial was known before its value, so the best is that of the trials before.
    let best: Vec<(f64, f64)> = run.iter().filter_map(|(x, _)| Some((*x, best_at(*x + 1e-6)?))).collect();
    let mut corners = panel.steps(run);
    corners.extend(panel.steps(&best).into_iter().rev());
    sheet.polygon(corners, ORANGE, 0.18, None);
}
