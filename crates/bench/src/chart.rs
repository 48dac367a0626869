//! Curves in panels side by side under one legend, all drawn by our own pens; kuva draws frames, ticks and names.

use crate::pen::{Pen, dashes};
use crate::picture::Picture;
use kuva::prelude::{AxisLine, Layout, LinePlot, Plot, TickFormat};
use kuva::render::color::Color;
use kuva::render::figure::Figure as Grid;
use kuva::render::render::{Primitive, Scene, TextAnchor};
use std::sync::Arc;

/// A curve through points with whiskers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Curve {
    pub pen: Pen,
    pub points: Vec<Place>,
    /// Marks and whiskers stand at every so many points, beginning at a place of the curve's own.
    pub marked: (usize, usize),
}

/// A point of a curve, and how far its whisker reaches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Place {
    pub x: f64,
    pub y: f64,
    pub low: f64,
    pub high: f64,
}

impl Place {
    /// Without a whisker.
    pub fn bare(x: f64, y: f64) -> Self {
        Self { x, y, low: y, high: y }
    }
}

/// One frame.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Panel {
    pub title: String,
    pub x_label: String,
    pub y_label: String,
    pub x: Axis,
    pub y: Axis,
    pub curves: Vec<Curve>,
}

/// What an axis spans, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Axis {
    pub low: f64,
    pub high: f64,
    pub logarithmic: bool,
}

impl Axis {
    pub fn linear(low: f64, high: f64) -> Self {
        Self { low, high, logarithmic: false }
    }

    /// From the decade of the least to that of the greatest of `values`, as far as they are above `floor`.
    pub fn decades(values: impl Iterator<Item = f64>, floor: f64) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.map(|value| value.max(floor)) {
            (low, high) = (low.min(value), high.max(value));
        }
        if !(low <= high) {
            (low, high) = (floor, 1.0);
        }
        let (low, high) = (low.log10().floor(), high.log10().ceil());
        Self { low: 10_f64.powf(low), high: 10_f64.powf(high.max(low + 1.0)), logarithmic: true }
    }

    /// A place on it for people; nothing where there is no room for every decade.
    fn tick(self, at: f64) -> String {
        let plain = format!("{}", (at * 1e6).round() / 1e6).replace('-', "−");
        if !self.logarithmic {
            return plain;
        }
        let (power, decades) = (at.log10().round() as i32, (self.high / self.low).log10());
        let raised = |digit: char| match digit.to_digit(10) {
            Some(digit) => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit as usize],
            None => '⁻',
        };
        match (at / 10_f64.powi(power) - 1.0).abs() < 1e-6 {
            true if decades > 10.5 && power % 4 != 0 => String::new(),
            true if decades > 10.5 || !(-3..4).contains(&power) => {
                format!("10{}", power.to_string().chars().map(raised).collect::<String>())
            }
            false if !(1e-3..1e4).contains(&at) => String::new(),
            _ => plain,
        }
    }

    /// The share of the axis below `value`, which is moved into it.
    fn share(self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        match self.logarithmic {
            true => (value / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        }
    }
}

// In pixels of the SVG: a frame, the margins around it, and a line of the legend.
const WIDTH: f64 = 268.0;
const HEIGHT: f64 = 196.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
const HEAD: f64 = 44.0;
const FOOT: f64 = 48.0;
const LEGEND_LINE: f64 = 24.0;
const LEGEND_ITEM: f64 = 232.0;
const TEXT: u32 = 13;
const SMALL: u32 = 11;
const MARK: f64 = 4.2;
const INK: &str = "#1a1a1a";

/// The panels in rows of `columns`, with the legend above them.
pub(crate) fn draw(panels: &[Panel], columns: usize, legend: &[(&str, Pen)]) -> Picture {
    let rows = panels.len().div_ceil(columns);
    let (cell_width, cell_height) = (LEFT + WIDTH + RIGHT, HEAD + HEIGHT + FOOT);
    let width = columns as f64 * cell_width;
    let items = ((width - 16.0) / LEGEND_ITEM).floor().max(1.0) as usize;
    let above = LEGEND_LINE * legend.len().div_ceil(items) as f64 + 10.0;
    let frames = Grid::new(rows, columns)
        .with_padding(0.0)
        .with_spacing(0.0)
        .with_cell_size(cell_width, cell_height)
        .with_layouts(panels.iter().map(layout).collect())
        // kuva draws no frame around nothing.
        .with_plots(panels.iter().map(|panel| vec![anchor(panel)]).collect())
        .render();
    let frames_defs = frames.defs;
    let mut elements = vec![Primitive::GroupStart {
        transform: Some(format!("translate(0,{above})")),
        title: None,
        extra_attrs: None,
    }];
    elements.extend(frames.elements);
    for (i, panel) in panels.iter().enumerate() {
        let origin = ((i % columns) as f64 * cell_width + LEFT, (i / columns) as f64 * cell_height + HEAD);
        elements.extend(marks(panel, origin));
    }
    elements.push(Primitive::GroupEnd);
    for (i, (label, pen)) in legend.iter().enumerate() {
        let at = (12.0 + (i % items) as f64 * LEGEND_ITEM, 16.0 + LEGEND_LINE * (i / items) as f64);
        let ends = [at, (at.0 + 44.0, at.1)];
        elements.extend(line(&ends, *pen));
        elements.extend(mark((at.0 + 22.0, at.1), *pen));
        elements.push(words(label, (at.0 + 52.0, at.1 + 4.5), TEXT, TextAnchor::Start));
    }
    let height = rows as f64 * cell_height + above;
    let mut scene = Scene::new(width, height);
    scene.background_color = Some("white".into());
    scene.elements = elements;
    scene.defs = frames_defs;
    Picture::new(scene)
}

fn layout(panel: &Panel) -> Layout {
    let format = |axis: Axis| TickFormat::Custom(Arc::new(move |at| axis.tick(at)));
    let mut layout = Layout::new((panel.x.low, panel.x.high), (panel.y.low, panel.y.high))
        .with_x_axis_min(panel.x.low)
        .with_x_axis_max(panel.x.high)
        .with_y_axis_min(panel.y.low)
        .with_y_axis_max(panel.y.high)
        .with_x_tick_format(format(panel.x))
        .with_y_tick_format(format(panel.y))
        .with_x_label(&panel.x_label)
        .with_show_grid(false)
        .with_axis_line(AxisLine::Box)
        .with_label_size(TEXT)
        .with_tick_size(SMALL)
        .with_force_margins(LEFT, RIGHT)
        .with_force_margins_y(HEAD, FOOT);
    if panel.x.logarithmic {
        layout = layout.with_log_x();
    }
    if panel.y.logarithmic {
        layout = layout.with_log_y();
    }
    layout.show_legend = false;
    layout
}

/// An invisible line across the frame.
fn anchor(panel: &Panel) -> Plot {
    let ends = vec![(panel.x.low, panel.y.low), (panel.x.high, panel.y.high)];
    Plot::Line(LinePlot::new().with_data(ends).with_color("none").with_stroke_width(0.0))
}

/// Everything within a frame whose upper left corner is `origin`, and the names above it.
fn marks(panel: &Panel, origin: (f64, f64)) -> Vec<Primitive> {
    let at = |x: f64, y: f64| (origin.0 + WIDTH * panel.x.share(x), origin.1 + HEIGHT * (1.0 - panel.y.share(y)));
    let mut elements = vec![
        words(&panel.title, (origin.0 + 0.5 * WIDTH, origin.1 - 26.0), TEXT + 1, TextAnchor::Middle),
        words(&panel.y_label, (origin.0 - LEFT + 8.0, origin.1 - 10.0), SMALL + 1, TextAnchor::Start),
    ];
    for curve in &panel.curves {
        let points: Vec<(f64, f64)> = curve.points.iter().map(|place| at(place.x, place.y)).collect();
        if points.is_empty() {
            continue;
        }
        elements.extend(line(&points, curve.pen));
        let (every, first) = curve.marked;
        for (place, point) in curve.points.iter().zip(&points).skip(first).step_by(every.max(1)) {
            let whisker = [at(place.x, place.low), at(place.x, place.high)];
            elements.push(stroke(whisker.to_vec(), curve.pen.colour, 0.9));
            elements.extend(mark(*point, curve.pen));
        }
    }
    elements
}

fn line(points: &[(f64, f64)], pen: Pen) -> Vec<Primitive> {
    // The thinnest line would still be seen.
    if pen.width == 0.0 {
        return Vec::new();
    }
    dashes(points, (1.0, 1.0), pen.dash).into_iter().map(|piece| stroke(piece, pen.colour, pen.width)).collect()
}

fn mark(at: (f64, f64), pen: Pen) -> Vec<Primitive> {
    pen.mark.strokes(at, MARK).into_iter().map(|points| stroke(points, pen.colour, 1.5)).collect()
}

fn stroke(points: Vec<(f64, f64)>, colour: &str, stroke_width: f64) -> Primitive {
    Primitive::PolyLine { points, stroke: colour.into(), stroke_width, stroke_dasharray: None }
}

fn words(content: &str, (x, y): (f64, f64), size: u32, anchor: TextAnchor) -> Primitive {
    let color: Option<Color> = Some(INK.into());
    Primitive::Text { x, y, content: content.into(), size, anchor, rotate: None, bold: false, color }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_of_decades_holds_its_values() {
        let axis = Axis::decades([0.02, 3.0, 0.0].into_iter(), 1e-3);
        assert!((axis.low - 1e-3).abs() < 1e-12 && (axis.high - 10.0).abs() < 1e-9, "{axis:?}");
        assert!((axis.share(0.1) - 0.5).abs() < 1e-9 && axis.share(0.0) == 0.0 && axis.share(99.0) == 1.0);
        assert!(Axis::decades(std::iter::empty(), 1e-3).share(1e-2).is_finite());
        assert_eq!(Axis::linear(0.0, 4.0).share(1.0), 0.25);
        assert_eq!([0.02, 10.0, 1e-5, 2e-5].map(|at| axis.tick(at)), ["0.02", "10", "10⁻⁵", ""]);
        let long = Axis { high: 1e14, ..axis };
        assert_eq!([1.0, 10.0, 1e8].map(|at| long.tick(at)), ["10⁰", "", "10⁸"]);
        assert_eq!(Axis::linear(-2.0, 4.0).tick(-1.5), "−1.5");
    }
}
