//! Marks: what stands for a trial, and for an entry of a legend.

use crate::colour::{BLACK, Colour, GREY, PALE, SKY, WHITE};
use crate::sheet::{Area, Sheet};
use fathom_study::{Origin, State, Trial};

/// The form of a mark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Form {
    Circle,
    Square,
    Triangle,
    Diamond,
    Star,
    Cross,
    Line,
    Dashes,
    Band,
    Hatched,
}

/// A mark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mark {
    pub form: Form,
    pub fill: Colour,
    pub edge: Colour,
    pub radius: f64,
    pub opacity: f64,
}

impl Mark {
    pub fn new(form: Form, fill: Colour) -> Self {
        Self { form, fill, edge: BLACK, radius: 4.5, opacity: 1.0 }
    }

    /// The best trial.
    pub fn best() -> Self {
        Self { radius: 11.0, ..Self::new(Form::Star, WHITE) }
    }

    /// What waits for its value.
    pub fn pending() -> Self {
        Self { radius: 8.0, ..Self::new(Form::Diamond, SKY) }
    }

    /// What has no value.
    pub fn failed() -> Self {
        Self { radius: 4.5, ..Self::new(Form::Cross, BLACK) }
    }

    /// What does not count.
    pub fn set_aside() -> Self {
        Self { radius: 3.5, opacity: 0.6, ..Self::new(Form::Cross, GREY) }
    }

    /// A trial by where it came from and what became of it.
    pub fn of(trial: &Trial, fill: Colour) -> Self {
        match trial.state {
            State::Failed => Self::failed(),
            State::Pending => Self::pending(),
            State::Cancelled | State::Withdrawn => Self::set_aside(),
            State::Complete => Self::new(form_of(trial.suggestion.origin), fill),
        }
    }

    pub fn draw(&self, sheet: &mut Sheet, (x, y): (f64, f64)) {
        let Self { form, fill, edge, radius: r, opacity } = *self;
        let around =
            |corners: &[(f64, f64)]| corners.iter().map(|(dx, dy)| (x + r * dx, y + r * dy)).collect::<Vec<_>>();
        match form {
            Form::Circle => sheet.circle((x, y), r, fill, opacity, edge),
            Form::Square => {
                let corners = [(-0.88, -0.88), (0.88, -0.88), (0.88, 0.88), (-0.88, 0.88)];
                sheet.polygon(around(&corners), fill, opacity, Some(edge));
            }
            Form::Triangle => {
                sheet.polygon(around(&[(0.0, -1.15), (1.05, 0.75), (-1.05, 0.75)]), fill, opacity, Some(edge));
            }
            Form::Diamond => {
                sheet.polygon(around(&[(0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)]), fill, opacity, Some(edge));
            }
            Form::Star => {
                let corner = |i: usize| {
                    let (angle, length) =
                        (std::f64::consts::PI * i as f64 / 5.0, if i.is_multiple_of(2) { 1.0 } else { 0.42 });
                    (length * angle.sin(), -length * angle.cos())
                };
                sheet.polygon(around(&(0..10).map(corner).collect::<Vec<_>>()), fill, opacity, Some(edge));
            }
            Form::Cross => {
                // A pale rim keeps the cross visible on dark ground.
                for (colour, width) in [(WHITE, 4.5), (fill, 2.0)] {
                    sheet.line(around(&[(-1.0, -1.0), (1.0, 1.0)]), colour, width);
                    sheet.line(around(&[(-1.0, 1.0), (1.0, -1.0)]), colour, width);
                }
            }
            Form::Line => sheet.line(vec![(x - 11.0, y), (x + 11.0, y)], fill, 2.5),
            Form::Dashes => sheet.dashed(vec![(x - 11.0, y), (x + 11.0, y)], fill, 2.5),
            Form::Band => {
                let corners = vec![(x - 11.0, y - 6.0), (x + 11.0, y - 6.0), (x + 11.0, y + 6.0), (x - 11.0, y + 6.0)];
                sheet.polygon(corners, fill, opacity, None);
            }
            Form::Hatched => {
                let area = Area { left: x - 11.0, top: y - 6.0, width: 22.0, height: 12.0 };
                sheet.rectangle(area, PALE);
                sheet.within(area, |sheet| {
                    for i in -1..3 {
                        let from = x - 11.0 + 8.0 * f64::from(i);
                        sheet.line(vec![(from, y + 6.0), (from + 12.0, y - 6.0)], GREY, 1.0);
                    }
                });
            }
        }
    }
}

/// The form of a complete trial.
pub fn form_of(origin: Origin) -> Form {
    match origin {
        Origin::Design => Form::Square,
        Origin::Model => Form::Circle,
        Origin::Import => Form::Triangle,
    }
}

/// The entries of a legend for the kinds of trials that there are.
pub fn entries(trials: &[Trial], fill: Colour) -> Vec<(Mark, String)> {
    let mut entries = Vec::new();
    for (origin, name) in
        [(Origin::Design, "initial design"), (Origin::Model, "chosen by the model"), (Origin::Import, "imported")]
    {
        if trials.iter().any(|trial| trial.suggestion.origin == origin && trial.state == State::Complete) {
            entries.push((Mark::new(form_of(origin), fill), name.to_owned()));
        }
    }
    for (state, mark, name) in [
        (State::Failed, Mark::failed(), "failed"),
        (State::Pending, Mark::pending(), "pending: suggested, no value yet"),
        (State::Cancelled, Mark::set_aside(), "cancelled"),
        (State::Withdrawn, Mark::set_aside(), "withdrawn: does not count"),
    ] {
        if trials.iter().any(|trial| trial.state == state) {
            entries.push((mark, name.to_owned()));
        }
    }
    entries
}
