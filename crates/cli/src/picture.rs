//! Pictures of a study.

use crate::args::Picture;
use crate::text::plain_path;
use anyhow::anyhow;
use fathom_study::{Definition, Kind, Parameter, Point, Step, Study, Surrogate, Value};
use kuva::plot::legend::LegendPosition;
use kuva::prelude::{
    AxisLine, BandPlot, Heatmap, Layout, LinePlot, ParallelPlot, Plot, PngBackend, ScatterPlot, SvgBackend,
};
use kuva::render::render::{Scene, render_multiple};
use std::path::Path;

// Okabe and Ito's colours.
const DARK: &str = "#1a1a1a";
const ORANGE: &str = "#d55e00";
const BLUE: &str = "#0072b2";
const GREEN: &str = "#009e73";

/// Points along an axis of a curve, and of a map.
const FINE: usize = 300;
const COARSE: usize = 60;

/// Pixels of a PNG for each unit of the drawing.
const PNG_SCALE: f32 = 2.0;

/// Says what is wrong with `path` before anything is drawn.
pub fn check(path: &Path) -> anyhow::Result<()> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    anyhow::ensure!(matches!(ending, Some("svg" | "png")), "{} must end in .svg or .png", plain_path(path));
    Ok(fathom_files::check_destination(path)?)
}

/// Draws `what` of the study into `path`.
pub fn save(study: &mut Study, what: Picture, path: &Path) -> anyhow::Result<()> {
    let scene = match what {
        Picture::Convergence => convergence(&study.history()?, study.definition())?,
        Picture::Gap => gap(&study.history()?)?,
        Picture::Posterior => surrogate(study, false)?,
        Picture::Acquisition => surrogate(study, true)?,
        Picture::Parallel => parallel(study)?,
    };
    let bytes = match path.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => SvgBackend::new().render_scene(&scene).into_bytes(),
        Some("png") => PngBackend::new().with_scale(PNG_SCALE).render_scene(&scene).map_err(|error| anyhow!(error))?,
        _ => anyhow::bail!("{} must end in .svg or .png", plain_path(path)),
    };
    Ok(fathom_files::write(path, &bytes)?)
}

fn line(points: Vec<(f64, f64)>, colour: &str, name: &str) -> LinePlot {
    LinePlot::new().with_data(points).with_color(colour).with_stroke_width(2.0).with_legend(name)
}

fn dots(points: Vec<(f64, f64)>, colour: &str, name: &str) -> Plot {
    Plot::Scatter(ScatterPlot::new().with_data(points).with_color(colour).with_size(3.5).with_legend(name))
}

fn scene(plots: Vec<Plot>, title: &str, x: &str, y: &str) -> Scene {
    let layout = Layout::auto_from_plots(&plots).with_title(title).with_x_label(x).with_y_label(y);
    let layout = layout.with_axis_line(AxisLine::Box).with_legend_position(LegendPosition::OutsideRightTop);
    render_multiple(plots, layout)
}

fn convergence(history: &[Step], definition: &Definition) -> anyhow::Result<Scene> {
    let pick = |value: fn(&Step) -> Option<f64>| -> Vec<(f64, f64)> {
        history.iter().filter_map(|step| Some((step.id as f64, value(step)?))).collect()
    };
    let best = pick(|step| step.best);
    anyhow::ensure!(!best.is_empty(), "there is nothing to draw yet: no trial has a value");
    let reachable = pick(|step| step.bound.map(|bound| bound.reachable));
    let mut plots =
        vec![dots(pick(|step| step.value), BLUE, "value"), Plot::Line(line(best, DARK, "best so far").with_step())];
    if !reachable.is_empty() {
        plots.push(Plot::Line(line(reachable, ORANGE, "proven limit under the model")));
    }
    Ok(scene(plots, &definition.name, "trial", "value"))
}

fn gap(history: &[Step]) -> anyhow::Result<Scene> {
    let pick = |value: fn(&Step) -> Option<f64>| -> Vec<(f64, f64)> {
        // A gain of 0 has no logarithm; it is drawn at the foot.
        let point = |step: &Step| Some((step.id as f64, value(step)?.max(1e-12).log10()));
        history.iter().filter_map(point).collect()
    };
    // Trials asked for while others were pending have a certificate, but no bound of the gain.
    let gain = pick(|step| step.bound.map(|bound| bound.gain));
    let gaps = pick(|step| step.gap);
    anyhow::ensure!(!(gain.is_empty() && gaps.is_empty()), "there is nothing to draw yet: no trial has a certificate");
    let mut plots = Vec::new();
    if !gain.is_empty() {
        plots.push(Plot::Line(line(gain, ORANGE, "what can be gained, in units of the value")));
    }
    if !gaps.is_empty() {
        plots.push(Plot::Line(line(gaps, BLUE, "gap of the certificate, in units of the model")));
    }
    Ok(scene(plots, "What is left, step by step", "trial", "log10"))
}

/// A number's range, and whether it is drawn in its logarithm.
fn range(parameter: &Parameter) -> Option<(f64, f64, bool)> {
    match &parameter.kind {
        Kind::Float { low, high, log } => Some((*low, *high, *log)),
        Kind::Integer { low, high } => Some((*low as f64, *high as f64, false)),
        Kind::Categorical { .. } | Kind::Fixed { .. } => None,
    }
}

/// The value a part `t` of the way through a parameter's range, and where it is drawn.
fn along(parameter: &Parameter, t: f64) -> Option<(Value, f64)> {
    let (low, high, log) = range(parameter)?;
    let value = if log { low * (high / low).powf(t) } else { low + t * (high - low) }.clamp(low, high);
    match parameter.kind {
        Kind::Integer { .. } => Some((Value::Integer(value.round() as i64), value.round())),
        Kind::Float { .. } | Kind::Categorical { .. } | Kind::Fixed { .. } => {
            Some((Value::Float(value), if log { value.log10() } else { value }))
        }
    }
}

fn drawn(parameter: &Parameter, value: f64) -> f64 {
    if range(parameter).is_some_and(|(_, _, log)| log) { value.log10() } else { value }
}

fn label(parameter: &Parameter) -> String {
    let log = range(parameter).is_some_and(|(_, _, log)| log);
    if log { format!("log10 {}", parameter.name) } else { parameter.name.clone() }
}

/// The model over the first one or two numbers, everything else as in the best trial.
fn surrogate(study: &mut Study, acquisition: bool) -> anyhow::Result<Scene> {
    let Some(best) = study.best()? else { anyhow::bail!("there is nothing to draw yet: no trial has a value") };
    let surrogate = study.surrogate()?;
    let trials = study.trials()?;
    let definition = study.definition().clone();
    let numbers: Vec<&Parameter> =
        definition.space.parameters().iter().filter(|parameter| range(parameter).is_some()).collect();
    let last = trials.iter().rev().find(|trial| trial.suggestion.certificate.is_some());
    match numbers.as_slice() {
        [] => anyhow::bail!("there is no number to draw the model over"),
        [x] => {
            let mut plots = curves(&surrogate, &best.point, x, acquisition)?;
            let told = trials.iter().filter_map(|trial| Some((drawn(x, trial.number(&x.name)?), trial.objective()?)));
            if !acquisition {
                plots.push(dots(told.collect(), BLUE, "told"));
            }
            if let Some(at) = last.and_then(|trial| trial.number(&x.name)) {
                let mut point = best.point.clone();
                point.insert(x.name.clone(), Value::Float(at));
                let y = match acquisition {
                    true => surrogate.acquisition(&point)?,
                    false => surrogate.predict(&point)?.0,
                };
                plots.push(dots(vec![(drawn(x, at), y)], ORANGE, "last suggestion of the model"));
            }
            Ok(scene(plots, &definition.name, &label(x), if acquisition { "acquisition" } else { "value" }))
        }
        [x, y, ..] => map(&surrogate, &definition, &best.point, (x, y), acquisition, &trials),
    }
}

fn curves(surrogate: &Surrogate, at: &Point, x: &Parameter, acquisition: bool) -> anyhow::Result<Vec<Plot>> {
    let (mut middle, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..=FINE {
        let Some((value, place)) = along(x, i as f64 / FINE as f64) else { continue };
        let mut point = at.clone();
        point.insert(x.name.clone(), value);
        if acquisition {
            middle.push((place, surrogate.acquisition(&point)?));
            continue;
        }
        let (mean, deviation) = surrogate.predict(&point)?;
        middle.push((place, mean));
        low.push(mean - 2.0 * deviation);
        high.push(mean + 2.0 * deviation);
    }
    let places: Vec<f64> = middle.iter().map(|point| point.0).collect();
    if acquisition {
        return Ok(vec![Plot::Line(line(middle, GREEN, "acquisition"))]);
    }
    let band = BandPlot::new(places, low, high).with_color(DARK).with_opacity(0.15).with_legend("± 2 deviations");
    Ok(vec![Plot::Band(band), Plot::Line(line(middle, DARK, "posterior mean"))])
}

fn map(
    surrogate: &Surrogate,
    definition: &Definition,
    at: &Point,
    (x, y): (&Parameter, &Parameter),
    acquisition: bool,
    trials: &[fathom_study::Trial],
) -> anyhow::Result<Scene> {
    let mut rows = Vec::new();
    for i in 0..COARSE {
        let mut row = Vec::new();
        for j in 0..COARSE {
            let part = |k: usize| (k as f64 + 0.5) / COARSE as f64;
            let (Some((right, _)), Some((up, _))) = (along(x, part(j)), along(y, part(i))) else {
                continue;
            };
            let mut point = at.clone();
            point.insert(x.name.clone(), right);
            point.insert(y.name.clone(), up);
            row.push(if acquisition { surrogate.acquisition(&point)? } else { surrogate.predict(&point)?.0 });
        }
        rows.push(row);
    }
    let ends = |parameter: &Parameter| {
        let (low, high, _) = range(parameter).unwrap_or((0.0, 1.0, false));
        (drawn(parameter, low), drawn(parameter, high))
    };
    let ((left, right), (bottom, top)) = (ends(x), ends(y));
    // The cells touch: gaps between so many would be a white grid.
    let heat = Heatmap::new().with_data(rows).with_x_range(left, right).with_y_range(bottom, top).with_cell_size(1.0);
    let place =
        |trial: &fathom_study::Trial| Some((drawn(x, trial.number(&x.name)?), drawn(y, trial.number(&y.name)?)));
    let mut plots = vec![Plot::Heatmap(heat), dots(trials.iter().filter_map(place).collect(), "#cccccc", "trials")];
    let last = trials.iter().rev().find(|trial| trial.suggestion.certificate.is_some()).and_then(place);
    plots.extend(last.map(|last| dots(vec![last], ORANGE, "last suggestion of the model")));
    let what = if acquisition { "acquisition" } else { "posterior mean" };
    Ok(scene(plots, &format!("{}: {what}", definition.name), &label(x), &label(y)))
}

fn parallel(study: &mut Study) -> anyhow::Result<Scene> {
    let trials = study.trials()?;
    let parameters: Vec<Parameter> =
        study.definition().space.parameters().iter().filter(|parameter| parameter.sides() > 0).cloned().collect();
    let place = |parameter: &Parameter, value: &Value| match (&parameter.kind, value.as_f64()) {
        (Kind::Categorical { choices }, _) => {
            choices.iter().position(|choice| *choice == value.to_string()).unwrap_or(0) as f64
        }
        (Kind::Float { .. } | Kind::Integer { .. } | Kind::Fixed { .. }, number) => {
            drawn(parameter, number.unwrap_or(f64::NAN))
        }
    };
    let rows: Vec<Vec<f64>> = trials
        .iter()
        .filter_map(|trial| {
            let mut row: Vec<f64> = parameters.iter().map(|p| place(p, &trial.point[&p.name])).collect();
            row.push(trial.objective()?);
            Some(row)
        })
        .collect();
    anyhow::ensure!(!rows.is_empty(), "there is nothing to draw yet: no trial has a value");
    let names: Vec<String> = parameters.iter().map(label).chain(["value".to_owned()]).collect();
    let plot = ParallelPlot::new().with_axis_names(names).with_rows(rows).with_color(BLUE).with_opacity(0.5);
    Ok(scene(vec![Plot::Parallel(plot)], &study.definition().name, "", ""))
}
