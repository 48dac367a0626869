//! The model, or its acquisition function, over one or two parameters, with everything else as in the best trial.

use crate::axis::{Axis, cells, coordinate, ends};
use crate::colour::{BLACK, BLUE, GREY, PALE, of_order, of_value};
use crate::error::Result;
use crate::mark::{Form, Mark, entries};
use crate::panel::Panel;
use crate::sheet::{Area, Sheet};
use crate::view::View;
use fathom_study::{Goal, Parameter, Point, State, Surrogate, Trial, Value};

/// Cells along an axis of a map; fewer if the model is of many trials.
const CELLS: usize = 72;
const CELLS_OF_MANY: usize = 36;
const MANY: usize = 400;

/// Points along a curve.
const POINTS: usize = 240;

/// Colours of a map: few enough that their edges show the shape, as lines of height do.
const COLOURS: f64 = 24.0;

/// What is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// The median of the value.
    Posterior,
    /// The function whose optimum is the next point.
    Acquisition,
}

impl What {
    /// The number at a point, and whether more of it is better.
    fn at(self, view: &View, model: &Surrogate, point: &Point) -> Result<f64> {
        let goal = view.goal();
        Ok(match self {
            Self::Posterior => model.median(point)?,
            Self::Acquisition if is_a_value(model) => goal.cost(model.acquisition(point)?),
            // Improvements are minimised as their negatives.
            Self::Acquisition => -model.acquisition(point)?,
        })
    }

    fn is_more_better(self, view: &View, model: &Surrogate) -> bool {
        match self {
            Self::Acquisition if !is_a_value(model) => true,
            Self::Posterior | Self::Acquisition => view.goal() == Goal::Maximise,
        }
    }

    fn name(self, view: &View, model: &Surrogate) -> String {
        match self {
            Self::Posterior => "posterior median".into(),
            Self::Acquisition => {
                let name = model.criterion().name();
                let name = match name.is_confidence_bound() {
                    // For values that are maximised it is the upper one.
                    true => "confidence bound".to_owned(),
                    // "log_ei" is "log EI".
                    false => name.as_str().replace('_', " ").replace("ei", "EI").replace("pi", "PI"),
                };
                let better = if self.is_more_better(view, model) { "higher" } else { "lower" };
                format!("acquisition function {name} ({better} is better)")
            }
        }
    }
}

/// Whether the acquisition function has the units of the values.
fn is_a_value(model: &Surrogate) -> bool {
    let name = model.criterion().name();
    name.is_confidence_bound() || name.as_str() == "mean"
}

/// A map over two parameters.
pub fn draw_map(
    view: &View,
    sheet: &mut Sheet,
    area: Area,
    (x, y): (&Parameter, &Parameter),
    what: What,
) -> Result<()> {
    let model = view.model()?;
    let most = if model.made_of().0 > MANY { CELLS_OF_MANY } else { CELLS };
    let (columns, rows) = (cells(x, most), cells(y, most));
    let panel = Panel { area, x: Axis::of(x), y: Axis::of(y) };
    let mut surface = grid(view, (x, &columns), (y, &rows), |point| what.at(view, model, point), false)?;
    // An equation leaves no cell of a slice.
    let is_bare = surface.iter().flatten().all(Option::is_none);
    if is_bare {
        surface = grid(view, (x, &columns), (y, &rows), |point| what.at(view, model, point), true)?;
    }
    let seen: Vec<f64> = surface.iter().flatten().flatten().copied().collect();
    let is_more_better = what.is_more_better(view, model);
    let (low, high) = ends(&seen);
    let best = if is_more_better { high } else { low };
    let name = what.name(view, model);
    let scale = Axis::of_values(&name, best, &seen);
    let scale = Axis { low, high: if high > low { high } else { low + low.abs().max(1e-9) }, ..scale };
    let shade = |part: f64| of_value(if is_more_better { 1.0 - part } else { part });
    let mut is_forbidden = false;
    sheet.within(area, |sheet| {
        for (row, (_, from, to)) in surface.iter().zip(&rows) {
            let top = area.bottom() - to * area.height;
            let strip = Area { left: area.left, top, width: area.width, height: (to - from) * area.height };
            is_forbidden |= draw_row(sheet, strip, row, &columns, &scale, shade);
        }
    });
    let mut marks = Vec::new();
    let count = view.trials.len().max(2) as f64 - 1.0;
    let best = view.goal().best(&view.trials).map(|trial| trial.id);
    let place = |trial: &Trial| panel.place(coordinate(x, &trial.point[&x.name]), coordinate(y, &trial.point[&y.name]));
    // What waits is above what is finished, and the best is above all.
    let mut order: Vec<&Trial> = view.trials.iter().collect();
    order.sort_by_key(|trial| (Some(trial.id) == best, trial.state == State::Pending));
    for trial in order {
        let mark = Mark::of(trial, of_order((trial.id as f64 - 1.0) / count));
        marks.push((if Some(trial.id) == best { Mark::best() } else { mark }, place(trial)));
    }
    panel.frame(sheet);
    // Marks at the ends of a range reach over the frame.
    marks.iter().for_each(|(mark, at)| mark.draw(sheet, *at));
    panel.colours(sheet, &scale, shade);
    let mut legend = vec![(Mark::best(), "best trial".to_owned())];
    legend.extend(entries(&view.trials, of_order(0.5)));
    if is_forbidden {
        legend.push((Mark::new(Form::Hatched, PALE), "forbidden by the constraints".into()));
    }
    panel.legend(sheet, &legend);
    let held = view.held(&[x, y])?;
    let order = "dark is good; white marks are the first trials, orange ones the latest";
    let details = match held.is_empty() {
        true => order.to_owned(),
        false => format!("{held}; marks of all slices, latest orange"),
    };
    let details = match is_bare {
        true => format!("{held}; constraints are not drawn: they allow no cell of this slice"),
        false => details,
    };
    panel.title(sheet, &format!("{}: {}", view.definition.name, title_of(what, &name)), &details);
    Ok(())
}

/// A number for each cell, row by row; `None` for those that the constraints forbid, unless all are wanted.
fn grid(
    view: &View,
    (x, columns): (&Parameter, &[(Value, f64, f64)]),
    (y, rows): (&Parameter, &[(Value, f64, f64)]),
    at: impl Fn(&Point) -> Result<f64>,
    wants_all: bool,
) -> Result<Vec<Vec<Option<f64>>>> {
    let cell = |up: &Value, right: &Value| -> Result<Option<f64>> {
        let point = view.moved(&[(x, right), (y, up)])?;
        (wants_all || view.is_allowed(&point)).then(|| at(&point)).transpose()
    };
    rows.iter().map(|(up, ..)| columns.iter().map(|(right, ..)| cell(up, right)).collect()).collect()
}

fn title_of(what: What, name: &str) -> String {
    match what {
        What::Posterior => "what the model expects".to_owned(),
        What::Acquisition => name.split(" (").next().unwrap_or(name).to_owned(),
    }
}

/// A row of cells, those of one colour at once; whether some are forbidden.
fn draw_row(
    sheet: &mut Sheet,
    strip: Area,
    row: &[Option<f64>],
    columns: &[(Value, f64, f64)],
    scale: &Axis,
    shade: impl Fn(f64) -> crate::colour::Colour,
) -> bool {
    let level = |value: &Option<f64>| -> Option<i64> {
        let part = scale.part((*value)?).clamp(0.0, 1.0);
        Some((part * COLOURS).floor().min(COLOURS - 1.0) as i64)
    };
    let levels: Vec<Option<i64>> = row.iter().map(level).collect();
    let cell = |from: usize, to: usize| {
        let (left, right) = (columns[from].1, columns[to].2);
        // Cells overlap by a trifle, so that no line shows between them.
        let width = (right - left) * strip.width + 0.6;
        Area { left: strip.left + left * strip.width, width, height: strip.height + 0.6, ..strip }
    };
    let mut first = 0;
    for run in levels.chunk_by(|a, b| a == b) {
        let last = first + run.len() - 1;
        match run[0] {
            Some(level) => sheet.rectangle(cell(first, last), shade((level as f64 + 0.5) / COLOURS)),
            None => {
                sheet.rectangle(cell(first, last), PALE);
                hatch(sheet, cell(first, last));
            }
        }
        first = last + 1;
    }
    levels.contains(&None)
}

/// Strokes that go on from row to row.
fn hatch(sheet: &mut Sheet, area: Area) {
    let apart = 10.0;
    // On the line x + y = k · apart, wherever the area is.
    let (first, last) =
        (((area.left + area.top) / apart).floor() as i64, ((area.right() + area.bottom()) / apart).ceil() as i64);
    for k in first..=last {
        let sum = k as f64 * apart;
        let (from, to) = (area.left.max(sum - area.bottom()), area.right().min(sum - area.top));
        if from < to {
            sheet.line(vec![(from, sum - from), (to, sum - to)], GREY, 1.0);
        }
    }
}

/// A curve over one parameter.
pub fn draw_curve(view: &View, sheet: &mut Sheet, area: Area, x: &Parameter, what: What) -> Result<()> {
    let model = view.model()?;
    let curve = Curve::of(view, model, x, what, POINTS)?;
    let mut values = curve.middle.clone();
    let has_values = what == What::Posterior;
    if has_values {
        values.extend(view.values());
    }
    let best = if what.is_more_better(view, model) { ends(&values).1 } else { ends(&values).0 };
    let name = what.name(view, model);
    let label = if has_values { format!("value ({})", view.better()) } else { name.clone() };
    let y = match has_values {
        true => Axis::of_values(&label, best, &values),
        false => Axis::linear(&label, ends(&values).0, ends(&values).1).with_margin(0.05),
    };
    let panel = Panel { area, x: Axis::of(x), y };
    panel.grid(sheet);
    sheet.within(area, |sheet| {
        curve.draw(&panel, sheet);
    });
    let winner = view.goal().best(&view.trials).map(|trial| trial.id);
    let mut order: Vec<&Trial> = view.trials.iter().collect();
    order.sort_by_key(|trial| Some(trial.id) == winner);
    for trial in order {
        let across = coordinate(x, &trial.point[&x.name]);
        let at = match trial.objective() {
            Some(value) if has_values => panel.place(across, value),
            Some(_) | None => (panel.place(across, panel.y.low).0, area.bottom() - 12.0),
        };
        let mark = if Some(trial.id) == winner { Mark::best() } else { Mark::of(trial, BLUE) };
        mark.draw(sheet, at);
    }
    panel.frame(sheet);
    let mut legend =
        vec![(Mark::new(Form::Line, BLACK), if has_values { "posterior median".to_owned() } else { name.clone() })];
    if has_values {
        legend.push((Mark { opacity: 0.15, ..Mark::new(Form::Band, BLACK) }, "68 % of the model's belief".into()));
    }
    legend.push((Mark::best(), "best trial".into()));
    legend.extend(entries(&view.trials, BLUE));
    if curve.is_forbidden() {
        legend.push((Mark::new(Form::Hatched, PALE), "forbidden by the constraints".into()));
    }
    panel.legend(sheet, &legend);
    panel.title(sheet, &format!("{}: {}", view.definition.name, title_of(what, &name)), &view.held(&[x])?);
    Ok(())
}

/// The model along one parameter through the best trial.
pub struct Curve {
    places: Vec<f64>,
    ends: Vec<(f64, f64)>,
    pub middle: Vec<f64>,
    band: Vec<(f64, f64)>,
    is_allowed: Vec<bool>,
    is_smooth: bool,
}

impl Curve {
    pub fn of(view: &View, model: &Surrogate, x: &Parameter, what: What, count: usize) -> Result<Self> {
        let axis = Axis::of(x);
        let is_smooth = !axis.is_whole;
        let mut curve = Self {
            places: Vec::new(),
            ends: Vec::new(),
            middle: Vec::new(),
            band: Vec::new(),
            is_allowed: Vec::new(),
            is_smooth,
        };
        for (value, from, to) in cells(x, count) {
            let point = view.moved(&[(x, &value)])?;
            curve.places.push(coordinate(x, &value));
            curve.ends.push((axis.at(from), axis.at(to)));
            curve.middle.push(what.at(view, model, &point)?);
            curve.band.push(if what == What::Posterior { model.interval(&point)? } else { (f64::NAN, f64::NAN) });
            curve.is_allowed.push(view.is_allowed(&point));
        }
        // An equation forbids all other values, which says nothing about the model.
        if !curve.is_allowed.contains(&true) {
            curve.is_allowed.fill(true);
        }
        Ok(curve)
    }

    pub fn is_forbidden(&self) -> bool {
        self.is_allowed.contains(&false)
    }

    pub fn draw(&self, panel: &Panel, sheet: &mut Sheet) {
        let area = panel.area;
        for (allowed, (from, to)) in self.is_allowed.iter().zip(&self.ends) {
            if !allowed {
                let (left, right) = (panel.place(*from, panel.y.low).0, panel.place(*to, panel.y.low).0);
                let strip = Area { left, width: right - left + 0.6, ..area };
                sheet.rectangle(strip, PALE);
                hatch(sheet, strip);
            }
        }
        let has_band = self.band.iter().all(|(low, _)| low.is_finite());
        if self.is_smooth {
            if has_band {
                let upper = self.places.iter().zip(&self.band).map(|(x, (_, high))| panel.place(*x, *high));
                let lower = self.places.iter().zip(&self.band).map(|(x, (low, _))| panel.place(*x, *low)).rev();
                sheet.polygon(upper.chain(lower.collect::<Vec<_>>()).collect(), BLACK, 0.15, None);
            }
            let middle: Vec<(f64, f64)> = self.places.iter().copied().zip(self.middle.iter().copied()).collect();
            panel.line(sheet, &middle, BLACK, 2.0);
            return;
        }
        for (((x, middle), (low, high)), (from, to)) in
            self.places.iter().zip(&self.middle).zip(&self.band).zip(&self.ends)
        {
            let (left, right) = (x - 0.35 * (to - from), x + 0.35 * (to - from));
            if has_band {
                let corners = [(left, *low), (right, *low), (right, *high), (left, *high)];
                sheet.polygon(corners.map(|(x, y)| panel.place(x, y)).to_vec(), BLACK, 0.15, None);
            }
            panel.line(sheet, &[(left, *middle), (right, *middle)], BLACK, 2.5);
        }
    }
}
