//! Each value beside what the model expects of it from all others.

use crate::axis::{Axis, ends};
use crate::colour::{BLUE, GREY};
use crate::error::{Error, Result};
use crate::mark::{Form, Mark};
use crate::panel::Panel;
use crate::sheet::{Area, Sheet};
use crate::view::View;
use fathom_study::{LeftOut, State};

/// The fewest values of which something can be left out.
const FEWEST: usize = 3;

pub fn draw(view: &View, sheet: &mut Sheet, area: Area) -> Result<()> {
    let failed: Vec<_> =
        view.trials.iter().filter(|trial| trial.state == State::Failed).map(|trial| &trial.point).collect();
    let mut left_out = view.model()?.leave_one_out();
    // A failed trial has no value, only a stand-in.
    left_out.retain(|one| !failed.contains(&&one.point));
    if left_out.len() < FEWEST {
        return Err(Error::NothingYet { reason: "three values are needed to leave one out" });
    }
    let both: Vec<f64> = left_out.iter().flat_map(|one| [one.value, one.median]).collect();
    let (low, high) = ends(&both);
    let best = if view.goal() == fathom_study::Goal::Minimise { low } else { high };
    let axis = Axis::of_values("", best, &both);
    let y = Axis { label: "expected from all other trials".into(), ..axis.clone() };
    let panel = Panel { area, x: Axis { label: "measured value".into(), ..axis }, y };
    panel.grid(sheet);
    sheet.within(area, |sheet| {
        panel.line(sheet, &[(panel.x.low, panel.y.low), (panel.x.high, panel.y.high)], GREY, 1.5);
        for LeftOut { value, low, high, .. } in &left_out {
            panel.line(sheet, &[(*value, *low), (*value, *high)], BLUE, 1.0);
        }
        for LeftOut { value, median, .. } in &left_out {
            Mark { radius: 3.5, ..Mark::new(Form::Circle, BLUE) }.draw(sheet, panel.place(*value, *median));
        }
    });
    panel.frame(sheet);
    let legend = [
        (Mark { radius: 3.5, ..Mark::new(Form::Circle, BLUE) }, "median".to_owned()),
        (Mark::new(Form::Line, BLUE), "68 % interval, noise included".to_owned()),
        (Mark::new(Form::Line, GREY), "as measured".to_owned()),
    ];
    panel.legend(sheet, &legend);
    let inside = left_out.iter().filter(|one| (one.low..=one.high).contains(&one.value)).count();
    let details =
        format!("{inside} of {} values lie within their interval; an honest model has about 68 %", left_out.len());
    panel.title(sheet, &format!("{}: the model without each value", view.definition.name), &details);
    Ok(())
}
