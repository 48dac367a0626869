//! Figures 3 and 4: mean simple regret by iteration, with whiskers of half a standard deviation.

use super::regrets::Regrets;
use super::row::Row;
use super::setting::Setting;
use crate::chart::{self, Axis, Curve, Panel, Place};
use crate::contender::Contender;
use crate::pen::Pen;
use crate::picture::Picture;

/// Less than this counts as found; minima are known to seven digits.
const FLOOR: f64 = 1e-5;

/// The panels of one kernel; `None` where there are no loops with it.
pub(super) fn draw(rows: &[Row], kernel: &str) -> Option<Picture> {
    let regrets = Regrets::all(rows);
    let mut panels = Vec::new();
    for setting in Setting::ALL.into_iter().filter(|setting| setting.kernel == kernel) {
        let here: Vec<&Regrets<'_>> = regrets
            .iter()
            .filter(|regrets| regrets.setting.name() == setting.name() && regrets.setting.kernel == kernel)
            .collect();
        if !here.is_empty() {
            panels.push(panel(&setting, &here));
        }
    }
    let entry = |contender: Contender| -> (&'static str, Pen) {
        let title = if contender == Contender::Pk { "PK-MIQP (3D, 5D: add-GP)" } else { contender.title() };
        (title, contender.pen())
    };
    let shown = Contender::ALL.into_iter().filter(|contender| Setting::ALL[0].has(*contender));
    let legend: Vec<(&str, Pen)> = shown.map(entry).collect();
    let columns = panels.len().min(3);
    (!panels.is_empty()).then(|| chart::draw(&panels, columns, &legend))
}

fn panel(setting: &Setting, regrets: &[&Regrets<'_>]) -> Panel {
    let iterations = regrets.iter().map(|regrets| regrets.iterations()).max().unwrap_or(1);
    let every = (iterations / 5).max(1);
    let curve = |(i, regrets): (usize, &&Regrets<'_>)| {
        let place = |t: usize| {
            let moments = regrets.moments(t)?;
            let half = 0.5 * moments.deviation;
            Some(Place { x: t as f64, y: moments.mean, low: moments.mean - half, high: moments.mean + half })
        };
        let points = (0..=regrets.iterations()).filter_map(place).collect();
        Curve { pen: regrets.contender.pen(), points, marked: (every, i % every) }
    };
    let curves: Vec<Curve> = regrets.iter().enumerate().map(curve).collect();
    let means: Vec<f64> = curves.iter().flat_map(|curve| &curve.points).map(|place| place.y).collect();
    let (title, y_label, y) = match setting.function {
        Some(_) => (title(setting), "simple regret", Axis::decades(means.into_iter(), FLOOR)),
        // An error rate that is never 0 needs no decades.
        None => ("support vector machine, 2D".into(), "error under cross-validation", around(&means)),
    };
    let x = Axis::linear(0.0, iterations as f64);
    Panel { title, x_label: "iteration".into(), y_label: y_label.into(), x, y, curves }
}

/// What holds `values` with some room, in steps of 0.002.
fn around(values: &[f64]) -> Axis {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(low, f64::max);
    Axis::linear(0.002 * (low / 0.002 - 0.5).floor(), 0.002 * (high / 0.002 + 0.5).ceil())
}

fn title(setting: &Setting) -> String {
    let name = setting.name().trim_end_matches(char::is_numeric);
    let name = if setting.name() == "ks224" { "constrained KS224" } else { name };
    let mut letters = name.chars();
    let capital: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    let (kernel, model) =
        (if setting.kernel == "rbf" { ", RBF" } else { "" }, if setting.additive { ", add-GP" } else { "" });
    format!("{capital}, {}D{model}{kernel}", setting.inputs())
}
