//! What is left, trial by trial: what can still be gained, and how far a better point may be better than the suggested one.

use crate::axis::{Axis, Scale, ends};
use crate::colour::{BLUE, ORANGE};
use crate::error::{Error, Result};
use crate::mark::{Form, Mark};
use crate::panel::Panel;
use crate::sheet::{Area, Sheet};
use crate::view::View;

/// What is drawn for 0, which has no logarithm.
const FOOT: f64 = 1e-12;

pub fn draw(view: &View, sheet: &mut Sheet, area: Area) -> Result<()> {
    let of = |number: &dyn Fn(&fathom_study::Trial) -> Option<f64>| -> Vec<(f64, f64)> {
        view.trials.iter().filter_map(|trial| Some((trial.id as f64, number(trial)?.max(FOOT)))).collect()
    };
    let gains = of(&|trial| Some(trial.suggestion.bound?.gain));
    let gaps = of(&|trial| trial.suggestion.gap());
    let all: Vec<f64> = gains.iter().chain(&gaps).map(|point| point.1).collect();
    if all.is_empty() {
        return Err(Error::NothingYet { reason: "no trial has a certificate" });
    }
    let (low, high) = ends(&all);
    let y = Axis { scale: Scale::Log, ..Axis::linear("what is left", low, high) };
    // Gaps that are all the same, because the searches stop there, need room around them.
    let y = if high > 10.0 * low { y.with_margin(0.05) } else { Axis { low: low / 10.0, high: high * 10.0, ..y } };
    let panel = Panel { area, x: Axis::of_trials(view.trials.len()), y };
    panel.grid(sheet);
    let mut legend = Vec::new();
    for (points, colour, name) in [
        (&gains, ORANGE, "what can still be gained, in units of the value"),
        (&gaps, BLUE, "how much better than the suggestion another point may be, in units of the model"),
    ] {
        if points.is_empty() {
            continue;
        }
        let mark = Mark { radius: 3.0, ..Mark::new(Form::Circle, colour) };
        sheet.within(area, |sheet| {
            panel.line(sheet, points, colour, 2.0);
            points.iter().for_each(|(x, y)| mark.draw(sheet, panel.place(*x, *y)));
        });
        legend.push((mark, name.to_owned()));
    }
    panel.frame(sheet);
    panel.legend(sheet, &legend);
    panel.title(
        sheet,
        &format!("{}: what is left, trial by trial", view.definition.name),
        match gains.is_empty() {
            true => "what can still be gained is not known yet; gaps are proven under the model of each step",
            false => "proven under the model of each step",
        },
    );
    Ok(())
}
