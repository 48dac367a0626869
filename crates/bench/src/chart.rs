//! Curves in panels side by side under one legend, drawn as SVG by our own pens; kuva draws frames, ticks and names.

use anyhow::Context as _;
use kuva::prelude::{AxisLine, Layout, LinePlot, Plot, ShadedRegion, SvgBackend, TickFormat};
use kuva::render::color::Color;
use kuva::render::figure::Figure as Grid;
use kuva::render::render::{Primitive, Scene, TextAnchor};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A drawn picture, ready to be written.
#[derive(Debug)]
pub(crate) struct Picture(Scene);

impl Picture {
    /// Writes `name.svg` into `folder`, which is made if need be; its path.
    pub fn save(&self, folder: &Path, name: &str) -> anyhow::Result<PathBuf> {
        std::fs::create_dir_all(folder).with_context(|| format!("could not create {}", folder.display()))?;
        let path = folder.join(format!("{name}.svg"));
        std::fs::write(&path, SvgBackend::new().render_scene(&self.0))
            .with_context(|| format!("could not write {}", path.display()))?;
        Ok(path)
    }
}

/// How a curve is drawn, so that it can be told from others in grey too.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pen {
    pub colour: &'static str,
    /// 0 draws marks alone.
    pub width: f64,
    /// Lengths of dashes and gaps in pixels; nothing is a line.
    pub dash: &'static str,
    pub mark: Mark,
}

impl Pen {
    pub const BLACK: Self = Self { colour: "#1a1a1a", width: 2.2, dash: "", mark: Mark::None };
}

/// What stands at some of a curve's points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Circle,
    Square,
    Triangle,
    TriangleDown,
    Diamond,
    Hexagon,
    Cross,
    Plus,
    Star,
    None,
}

impl Mark {
    /// Its strokes around a point, in pixels.
    fn strokes(self, (x, y): (f64, f64), radius: f64) -> Vec<Vec<(f64, f64)>> {
        let polygon = |corners: usize, turn: f64| -> Vec<Vec<(f64, f64)>> {
            let angle = |i: usize| (i as f64 / corners as f64 + turn) * std::f64::consts::TAU;
            vec![(0..=corners).map(|i| (x + radius * angle(i).sin(), y - radius * angle(i).cos())).collect()]
        };
        let bars = |(a, b): (f64, f64)| vec![(x - radius * a, y - radius * b), (x + radius * a, y + radius * b)];
        match self {
            Self::Circle => polygon(20, 0.0),
            Self::Square => polygon(4, 0.125),
            Self::Triangle => polygon(3, 0.0),
            Self::TriangleDown => polygon(3, 0.5),
            Self::Diamond => polygon(4, 0.0),
            Self::Hexagon => polygon(6, 0.0),
            Self::Cross => vec![bars((0.8, 0.8)), bars((0.8, -0.8))],
            Self::Plus => vec![bars((1.0, 0.0)), bars((0.0, 1.0))],
            Self::Star => [(0.0, 1.3), (1.13, 0.65), (1.13, -0.65)].map(bars).to_vec(),
            Self::None => Vec::new(),
        }
    }
}

/// A curve through points with whiskers.
#[derive(Debug, Clone)]
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
#[derive(Debug, Clone)]
pub(crate) struct Panel {
    pub title: String,
    pub x_label: String,
    pub y_label: String,
    pub x: Axis,
    pub y: Axis,
    pub curves: Vec<Curve>,
    /// Stretches of the horizontal axis, and their colours.
    pub shades: Vec<(f64, f64, &'static str)>,
    /// Words within the frame, around a point.
    pub notes: Vec<(String, f64, f64)>,
}

impl Panel {
    /// Of curves alone; the vertical axis has the decades of their points above `floor`.
    pub fn logarithmic(title: String, labels: (&str, &str), x: Axis, floor: f64, curves: Vec<Curve>) -> Self {
        let y = Axis::decades(curves.iter().flat_map(|curve| &curve.points).map(|place| place.y), floor);
        Self::new(title, labels, x, y, curves)
    }

    /// Of curves alone, between axes.
    pub fn new(title: String, labels: (&str, &str), x: Axis, y: Axis, curves: Vec<Curve>) -> Self {
        let (x_label, y_label) = (labels.0.into(), labels.1.into());
        Self { title, x_label, y_label, x, y, curves, shades: Vec::new(), notes: Vec::new() }
    }
}

/// What an axis spans, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axis {
    pub low: f64,
    pub high: f64,
    pub logarithmic: bool,
    /// Places on it for people, if they are no numbers.
    pub names: Option<fn(f64) -> String>,
}

impl Axis {
    pub fn linear(low: f64, high: f64) -> Self {
        Self { low, high, logarithmic: false, names: None }
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
        Self { low: 10_f64.powf(low), high: 10_f64.powf(high.max(low + 1.0)), logarithmic: true, names: None }
    }

    /// A place on it for people; nothing if there is no room for every decade.
    fn tick(self, at: f64) -> String {
        if let Some(names) = self.names {
            return names(at);
        }
        let plain = format!("{}", (at * 1e6).round() / 1e6).replace('-', "−");
        if !self.logarithmic {
            return plain;
        }
        let (power, decades) = (at.log10().round() as i32, (self.high / self.low).log10());
        let raised = |digit: char| match digit.to_digit(10) {
            Some(digit) => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit as usize],
            None => '⁻',
        };
        let ten_to = |power: i32| format!("10{}", power.to_string().chars().map(raised).collect::<String>());
        match (at / 10_f64.powi(power) - 1.0).abs() < 1e-6 {
            true if decades > 10.5 && power % 4 != 0 => String::new(),
            true if decades > 10.5 || !(-3..4).contains(&power) => ten_to(power),
            false if !(1e-3..1e4).contains(&at) => {
                let below = at.log10().floor() as i32;
                format!("{}·{}", (at / 10_f64.powi(below)).round(), ten_to(below))
            }
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

// In pixels: the margins around a frame, and a line of the legend.
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
const HEAD: f64 = 44.0;
const FOOT: f64 = 48.0;
const LEGEND_LINE: f64 = 24.0;
const LEGEND_ITEM: f64 = 280.0;
const TEXT: u32 = 13;
const SMALL: u32 = 11;
const MARK: f64 = 4.2;
const ARROW: f64 = 5.0;

/// Width and height of a frame that shares a picture with others.
pub(crate) const FRAME: (f64, f64) = (268.0, 196.0);

/// What whiskers of half a standard deviation mean, for readers of the picture alone.
pub(crate) const HALF_DEVIATION: &str =
    "whiskers: ½ standard deviation above and below the mean (arrow: beyond the frame)";

/// The panels in rows of `columns`, frames of one size, with the legend above them and below it a note, if there is one.
pub(crate) fn draw(
    panels: &[Panel],
    columns: usize,
    frame: (f64, f64),
    legend: &[(&str, Pen)],
    note: Option<&str>,
) -> Picture {
    let rows = panels.len().div_ceil(columns);
    let (cell_width, cell_height) = (LEFT + frame.0 + RIGHT, HEAD + frame.1 + FOOT);
    let width = columns as f64 * cell_width;
    let items = ((width - 16.0) / LEGEND_ITEM).floor().max(1.0) as usize;
    let lines = legend.len().div_ceil(items) + usize::from(note.is_some());
    let above = LEGEND_LINE * lines as f64 + 10.0;
    let frames = Grid::new(rows, columns)
        .with_padding(0.0)
        .with_spacing(0.0)
        .with_cell_size(cell_width, cell_height)
        .with_layouts(panels.iter().map(layout).collect())
        // kuva draws no frame around nothing.
        .with_plots(panels.iter().map(|panel| vec![anchor(panel)]).collect())
        .render();
    let mut scene = Scene::new(width, rows as f64 * cell_height + above);
    scene.background_color = Some("white".into());
    scene.defs = frames.defs;
    let moved = Some(format!("translate(0,{above})"));
    scene.elements.push(Primitive::GroupStart { transform: moved, title: None, extra_attrs: None });
    scene.elements.extend(frames.elements);
    for (i, panel) in panels.iter().enumerate() {
        let origin = ((i % columns) as f64 * cell_width + LEFT, (i / columns) as f64 * cell_height + HEAD);
        scene.elements.extend(marks(panel, origin, frame));
    }
    scene.elements.push(Primitive::GroupEnd);
    for (i, (label, pen)) in legend.iter().enumerate() {
        let at = (12.0 + (i % items) as f64 * LEGEND_ITEM, 16.0 + LEGEND_LINE * (i / items) as f64);
        scene.elements.extend(line(vec![at, (at.0 + 44.0, at.1)], *pen));
        scene.elements.extend(mark((at.0 + 22.0, at.1), *pen));
        scene.elements.push(words(label, (at.0 + 52.0, at.1 + 4.5), TEXT, TextAnchor::Start));
    }
    if let Some(note) = note {
        scene.elements.push(words(note, (12.0, LEGEND_LINE * lines as f64 - 4.0), TEXT, TextAnchor::Start));
    }
    Picture(scene)
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
    for (from, to, colour) in &panel.shades {
        layout = layout.with_shaded_region(ShadedRegion::vertical(*from, *to).with_color(*colour).with_opacity(1.0));
    }
    layout = if panel.x.logarithmic { layout.with_log_x() } else { layout };
    layout = if panel.y.logarithmic { layout.with_log_y() } else { layout };
    layout.show_legend = false;
    layout
}

/// An invisible line across the frame.
fn anchor(panel: &Panel) -> Plot {
    let ends = vec![(panel.x.low, panel.y.low), (panel.x.high, panel.y.high)];
    Plot::Line(LinePlot::new().with_data(ends).with_color("none").with_stroke_width(0.0))
}

/// Everything within a frame whose upper left corner is `origin`, and the names above it.
fn marks(panel: &Panel, origin: (f64, f64), frame: (f64, f64)) -> Vec<Primitive> {
    let at = |x: f64, y: f64| (origin.0 + frame.0 * panel.x.share(x), origin.1 + frame.1 * (1.0 - panel.y.share(y)));
    let mut elements = vec![
        words(&panel.title, (origin.0 + 0.5 * frame.0, origin.1 - 26.0), TEXT + 1, TextAnchor::Middle),
        words(&panel.y_label, (origin.0 - LEFT + 8.0, origin.1 - 10.0), SMALL + 1, TextAnchor::Start),
    ];
    if !panel.shades.is_empty() {
        // Shades hide the frame.
        let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0)];
        let frame = corners.map(|(x, y)| (origin.0 + x * frame.0, origin.1 + y * frame.1));
        elements.push(stroke(frame.to_vec(), Pen::BLACK.colour, 1.0, ""));
    }
    for curve in panel.curves.iter().filter(|curve| !curve.points.is_empty()) {
        let points: Vec<(f64, f64)> = curve.points.iter().map(|place| at(place.x, place.y)).collect();
        elements.extend(line(points.clone(), curve.pen));
        let (every, first) = curve.marked;
        for (place, point) in curve.points.iter().zip(&points).skip(first).step_by(every.max(1)) {
            let strokes = whisker(*place, panel.y, |y| at(place.x, y));
            elements.extend(strokes.into_iter().map(|points| stroke(points, curve.pen.colour, 0.9, "")));
            elements.extend(mark(*point, curve.pen));
        }
    }
    elements.extend(panel.notes.iter().map(|(note, x, y)| words(note, at(*x, *y), SMALL + 1, TextAnchor::Middle)));
    elements
}

/// The strokes of a whisker within the axis; an arrow at each end that lies beyond it.
fn whisker(place: Place, axis: Axis, at: impl Fn(f64) -> (f64, f64)) -> Vec<Vec<(f64, f64)>> {
    if place.low >= place.high || place.high < axis.low || place.low > axis.high {
        return Vec::new();
    }
    let mut strokes = vec![vec![at(place.low), at(place.high)]];
    // Upright pictures have small heights at the top.
    for (end, is_cut, inwards) in
        [(place.low, place.low < axis.low, -ARROW), (place.high, place.high > axis.high, ARROW)]
    {
        if is_cut {
            let (x, y) = at(end);
            strokes.push(vec![(x - 0.6 * ARROW, y + inwards), (x, y), (x + 0.6 * ARROW, y + inwards)]);
        }
    }
    strokes
}

fn line(points: Vec<(f64, f64)>, pen: Pen) -> Option<Primitive> {
    // The thinnest line would still be seen.
    (pen.width > 0.0).then(|| stroke(points, pen.colour, pen.width, pen.dash))
}

fn mark(at: (f64, f64), pen: Pen) -> Vec<Primitive> {
    pen.mark.strokes(at, MARK).into_iter().map(|points| stroke(points, pen.colour, 1.5, "")).collect()
}

fn stroke(points: Vec<(f64, f64)>, colour: &str, stroke_width: f64, dash: &str) -> Primitive {
    let stroke_dasharray = (!dash.is_empty()).then(|| dash.into());
    Primitive::PolyLine { points, stroke: colour.into(), stroke_width, stroke_dasharray }
}

fn words(content: &str, (x, y): (f64, f64), size: u32, anchor: TextAnchor) -> Primitive {
    let color: Option<Color> = Some(Pen::BLACK.colour.into());
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
        assert_eq!([0.02, 10.0, 1e-5, 2e-5, 5e-4].map(|at| axis.tick(at)), ["0.02", "10", "10⁻⁵", "2·10⁻⁵", "5·10⁻⁴"]);
        let long = Axis { high: 1e14, ..axis };
        assert_eq!([1.0, 10.0, 1e8].map(|at| long.tick(at)), ["10⁰", "", "10⁸"]);
        assert_eq!(Axis::linear(-2.0, 4.0).tick(-1.5), "−1.5");
    }

    #[test]
    fn a_whisker_ends_at_the_frame_and_an_arrow_says_that_it_was_cut() {
        let axis = Axis::decades([0.01, 1.0].into_iter(), 1e-3);
        let at = |y: f64| (50.0, 100.0 * (1.0 - axis.share(y)));
        let strokes = |low, high| whisker(Place { x: 0.0, y: 0.1, low, high }, axis, at);
        assert_eq!(strokes(0.01, 1.0), [[(50.0, 100.0), (50.0, 0.0)]], "whole");
        let cut = strokes(-0.3, 0.1);
        assert_eq!(cut.len(), 2, "a mean less half a deviation may be negative, where a logarithm is not");
        assert!(cut.iter().flatten().all(|(_, y)| (0.0..=100.0).contains(y)), "{cut:?}");
        assert_eq!(cut[1][1], (50.0, 100.0), "the arrow's tip is on the frame");
        assert_eq!((strokes(0.1, 0.1).len(), strokes(1e-5, 1e-4).len(), strokes(0.001, 9.0).len()), (0, 0, 3));
    }
}
