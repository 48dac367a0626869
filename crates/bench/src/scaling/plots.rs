//! The plots of a study.

use super::axis::Axis;
use super::series::{Place, Series, places};
use crate::picture::Picture;
use crate::spread::Spread;
use crate::units::{human, thousands};
use kuva::plot::legend::LegendPosition;
use kuva::plot::scatter::MarkerShape;
use kuva::prelude::{AxisLine, Layout, LinePlot, Plot, ScatterPlot, TickFormat};
use kuva::render::figure::Figure as Grid;
use std::sync::Arc;

// Okabe and Ito's colours, one dark and one light; marks differ too, for print in grey.
const STYLES: [(&str, MarkerShape, f64); 5] = [
    ("#1a1a1a", MarkerShape::Circle, -1.0),
    ("#d55e00", MarkerShape::Square, 1.0),
    ("#0072b2", MarkerShape::Triangle, 0.0),
    ("#009e73", MarkerShape::Diamond, -2.0),
    ("#cc79a7", MarkerShape::TriangleDown, 2.0),
];

/// What is drawn of a place.
type Measure = fn(&Place) -> Spread;

/// Time and nodes side by side.
pub(super) fn draw(axis: Axis, series: &[Series]) -> Picture {
    let panels: [(&str, Measure); 2] =
        [("time to proof", |place| place.seconds), ("boxes bounded", |place| place.nodes)];
    let (mut plots, mut layouts) = (Vec::new(), Vec::new());
    for (title, spread) in panels {
        let all: Vec<Place> = places(series);
        let is_time = title == "time to proof";
        let limit = all.iter().map(|place| place.time_limit).fold(0.0, f64::max);
        let is_hit = series.iter().flat_map(|(_, places)| places).any(|place| place.proven < place.solved);
        let spreads = || series.iter().flat_map(|(_, places)| places.iter().map(spread));
        let low = spreads().map(|s| s.low).fold(f64::INFINITY, f64::min).max(1e-9);
        let high = spreads().map(|s| s.high).fold(low, f64::max);
        // Room above for the legend, and at least one decade for its ticks.
        let y = (10_f64.powf(low.log10() - 0.15), 10_f64.powf(high.log10() + 0.45 * (high / low).log10().max(1.0)));
        let x = reach(axis, &all);
        let mut panel = curves(axis, series, spread, x);
        if is_time && is_hit {
            let line = LinePlot::new().with_data(vec![(x.0, limit), (x.1, limit)]).with_color("#777777");
            panel.push(Plot::Line(line.with_stroke_width(1.0).with_legend("time limit")));
        }
        plots.push(panel);
        let falls = series.iter().any(|(_, places)| match &places[..] {
            [first, .., last] => spread(first).middle > spread(last).middle,
            _ => false,
        });
        let corner = if falls { LegendPosition::InsideTopRight } else { LegendPosition::InsideTopLeft };
        layouts.push(layout(axis, x, y, is_time).with_legend_position(corner).with_title(title));
    }
    let scene = Grid::new(1, 2)
        .with_keep_panel_legends()
        .with_cell_size(470.0, 360.0)
        .with_layouts(layouts)
        .with_plots(plots)
        .render();
    Picture::new(scene)
}

/// What the horizontal axis spans.
fn reach(axis: Axis, places: &[Place]) -> (f64, f64) {
    let low = places.iter().map(|place| place.at / axis.unit()).fold(f64::INFINITY, f64::min);
    let high = places.iter().map(|place| place.at / axis.unit()).fold(f64::NEG_INFINITY, f64::max);
    if axis.is_logarithmic() { (low / 1.6, high * 1.6) } else { (low - 0.5, high + 0.5) }
}

/// Medians joined by lines, with whiskers from least to greatest; the curves stand a little apart.
fn curves(axis: Axis, series: &[Series], spread: Measure, x: (f64, f64)) -> Vec<Plot> {
    let mut plots = Vec::new();
    for ((name, places), (colour, marker, aside)) in series.iter().zip(STYLES) {
        let aside = if series.len() > 1 { 0.006 * aside } else { 0.0 };
        let across = |at: f64| match axis.is_logarithmic() {
            true => at / axis.unit() * (x.1 / x.0).powf(aside),
            false => at / axis.unit() + aside * (x.1 - x.0),
        };
        let line = |points: Vec<(f64, f64)>, width| {
            Plot::Line(LinePlot::new().with_data(points).with_color(colour).with_stroke_width(width))
        };
        let middles: Vec<(f64, f64)> = places.iter().map(|p| (across(p.at), spread(p).middle.max(1e-9))).collect();
        for place in places {
            let (at, spread) = (across(place.at), spread(place));
            plots.push(line(vec![(at, spread.low.max(1e-9)), (at, spread.high.max(1e-9))], 1.2));
        }
        if axis != Axis::Kernel {
            plots.push(line(middles.clone(), 2.0));
        }
        let marks = ScatterPlot::new().with_data(middles).with_color(colour).with_marker(marker).with_size(4.5);
        plots.push(Plot::Scatter(if series.len() > 1 { marks.with_legend(*name) } else { marks }));
    }
    plots
}

fn layout(axis: Axis, x: (f64, f64), y: (f64, f64), is_time: bool) -> Layout {
    let tick_x = TickFormat::Custom(Arc::new(move |at| axis.tick(at * axis.unit())));
    let tick_y = TickFormat::Custom(Arc::new(move |at| if is_time { human(at) } else { thousands(at) }));
    let mut layout = Layout::new(x, y)
        .with_x_axis_min(x.0)
        .with_x_axis_max(x.1)
        .with_y_axis_min(y.0)
        .with_y_axis_max(y.1)
        .with_log_y()
        .with_x_label(axis.label())
        .with_x_tick_format(tick_x)
        .with_y_tick_format(tick_y)
        .with_axis_line(AxisLine::Box)
        .with_title_size(15)
        .with_label_size(14)
        .with_tick_size(12);
    layout.show_legend = true;
    if axis.is_logarithmic() { layout.with_log_x() } else { layout.with_x_tick_step(1.0) }
}
