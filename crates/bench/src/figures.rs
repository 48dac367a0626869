//! The paper's figures of Section 4.1, redrawn from our own kernels, partitions and proven errors.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};
use fathom_gp::{Argument, Kernel, Partition, PwlKernel, Stretch};
use kuva::prelude::{
    AxisLine, Layout, LegendEntry, LegendPosition, LegendShape, LinePlot, LineStyle, MarkerShape, Plot, PngBackend,
    ReferenceLine, ScatterPlot, ShadedRegion, SvgBackend, TextAnnotation, Theme,
};
use kuva::render::figure::Figure as Grid;
use kuva::render::render::Scene;

/// A drawn figure, ready to be written.
pub struct Figure {
    scene: Scene,
}

impl Figure {
    /// Pixels of the PNG for each pixel of the SVG.
    const PNG_SCALE: f32 = 3.0;

    /// Writes `name.svg` and `name.png` into `folder`, which is made if need be, and returns their paths.
    pub fn save(&self, folder: &Path, name: &str) -> Result<Vec<PathBuf>> {
        let svg = SvgBackend::new().render_scene(&self.scene).into_bytes();
        let png = PngBackend::new().with_scale(Self::PNG_SCALE).render_scene(&self.scene);
        let png = png.map_err(|message| anyhow!(message)).with_context(|| format!("rasterising {name}"))?;
        fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
        let mut written = Vec::new();
        for (ending, bytes) in [("svg", svg), ("png", png)] {
            let path = folder.join(format!("{name}.{ending}"));
            fs::write(&path, bytes).with_context(|| format!("writing {}", path.display()))?;
            written.push(path);
        }
        Ok(written)
    }
}

/// Figure 1, left: k(r), its piecewise-linear k̃(r) with the paper's breakpoints for `dim` inputs, and below them the
/// error k − k̃ inside its proven bound.
pub fn figure_1_left(kernel: Kernel, dim: usize, r_max: f64) -> Result<Figure> {
    let partition = partition(kernel, r_max)?;
    let pwl = PwlKernel::paper(kernel, dim, (0.0, r_max))?;
    let error = pwl.error();
    let corners: Vec<(f64, f64)> = pwl.breakpoints().iter().copied().zip(pwl.values().iter().copied()).collect();

    let exact = line(samples((0.0, r_max), |r| kernel.curve(r).value), INK, LineStyle::Solid);
    let chords = line(corners.clone(), RED, dashed());
    let markers = ScatterPlot::new().with_data(corners).with_color(RED).with_size(4.5);
    let mut entries = vec![
        entry("k(r), exact", INK, LegendShape::Line, None),
        entry("k̃(r), piecewise linear", RED, LegendShape::Line, dashed().dasharray()),
        entry("breakpoints of k̃", RED, LegendShape::Marker(MarkerShape::Circle), None),
    ];
    entries.extend(parts(&partition).into_iter().map(|part| entry(name(part), tint(part), LegendShape::Rect, None)));
    let top = panel(&partition, r_max, (0.0, 1.0), "k(r) / k(0)").with_y_tick_step(0.2);
    let top = named_cuts(top, &partition, 1.0)
        .with_legend_entries(entries)
        .with_legend_position(LegendPosition::InsideTopRight);

    let difference = line(samples((0.0, r_max), |r| kernel.curve(r).value - pwl.value(r)), INK, LineStyle::Solid);
    let edge = 1.5 * error;
    let bound = format!("±ε{}, proven: {error:.4}", subscript(pwl.segments()));
    let bottom = panel(&partition, r_max, (-edge, edge), "(k − k̃) / k(0)")
        .with_reference_line(threshold(error).with_label(bound))
        .with_reference_line(threshold(-error));
    Ok(stacked(
        [vec![Plot::Line(exact), Plot::Line(chords), Plot::Scatter(markers)], vec![Plot::Line(difference)]],
        [top, bottom],
        [360.0, 190.0],
    ))
}

/// Figure 2: k(r) drawn by its parts, and below it k''(r) with the thresholds ±ε_k that part them.
pub fn figure_2(kernel: Kernel, r_max: f64) -> Result<Figure> {
    let partition = partition(kernel, r_max)?;
    let epsilon = partition.threshold;
    let entries = parts(&partition)
        .into_iter()
        .map(|part| entry(name(part), colour(part), LegendShape::Line, dash(part).dasharray()))
        .collect();
    let top = named_cuts(panel(&partition, r_max, (0.0, 1.0), "k(r) / k(0)"), &partition, 1.0)
        .with_legend_entries(entries)
        .with_legend_position(LegendPosition::InsideTopRight);
    let curvature = samples((0.0, r_max), |r| kernel.curve(r).second);
    let low = curvature.iter().map(|point| point.1).fold(-2.0 * epsilon, f64::min);
    let high = curvature.iter().map(|point| point.1).fold(2.0 * epsilon, f64::max);
    let pad = 0.08 * (high - low);
    let bottom = panel(&partition, r_max, (low - pad, high + pad), "k″(r) / k(0)")
        .with_reference_line(threshold(epsilon).with_label("εₖ"))
        .with_reference_line(threshold(-epsilon).with_label("−εₖ"));
    Ok(stacked(
        [by_part(&partition, |r| kernel.curve(r).value), by_part(&partition, |r| kernel.curve(r).second)],
        [top, bottom],
        [260.0, 290.0],
    ))
}

const INK: &str = "#1a1a1a";
const RED: &str = "#d55e00";
const GREY: &str = "#666666";
const WIDTH: f64 = 640.0;

fn name(part: Stretch) -> &'static str {
    match part {
        Stretch::Nonlinear => "nonlinear",
        Stretch::NearLinear => "near-linear",
        Stretch::Tail => "tail",
    }
}

fn colour(part: Stretch) -> &'static str {
    match part {
        Stretch::Nonlinear => "#0072b2",
        Stretch::NearLinear => RED,
        Stretch::Tail => "#009e73",
    }
}

fn tint(part: Stretch) -> &'static str {
    match part {
        Stretch::Nonlinear => "#ffffff",
        Stretch::NearLinear => "#f9d9c0",
        Stretch::Tail => "#e3f2ec",
    }
}

fn dash(part: Stretch) -> LineStyle {
    match part {
        Stretch::Nonlinear => LineStyle::Solid,
        Stretch::NearLinear => LineStyle::Custom("2 3".into()),
        Stretch::Tail => LineStyle::Custom("5 2".into()),
    }
}

fn dashed() -> LineStyle {
    LineStyle::Custom("5 2".into())
}

fn partition(kernel: Kernel, r_max: f64) -> Result<Partition> {
    let kernel = kernel.validated()?;
    ensure!(kernel.argument() == Argument::SquaredDistance, "{} is no function of a distance", kernel.name());
    Ok(Partition::new(kernel, (0.0, r_max))?)
}

fn parts(partition: &Partition) -> Vec<Stretch> {
    let all = [Stretch::Nonlinear, Stretch::NearLinear, Stretch::Tail];
    all.into_iter().filter(|part| partition.stretches.iter().any(|s| s.2 == *part)).collect()
}

fn samples((from, to): (f64, f64), curve: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    (0..=400).map(|i| from + (to - from) * f64::from(i) / 400.0).map(|r| (r, curve(r))).collect()
}

fn by_part(partition: &Partition, curve: impl Fn(f64) -> f64) -> Vec<Plot> {
    let draw = |&(from, to, part): &(f64, f64, Stretch)| {
        Plot::Line(line(samples((from, to), &curve), colour(part), dash(part)))
    };
    partition.stretches.iter().map(draw).collect()
}

fn line(points: Vec<(f64, f64)>, colour: &str, style: LineStyle) -> LinePlot {
    LinePlot::new().with_data(points).with_color(colour).with_stroke_width(2.2).with_line_style(style)
}

fn entry(label: &str, color: &str, shape: LegendShape, dasharray: Option<String>) -> LegendEntry {
    LegendEntry { label: label.into(), color: color.into(), shape, dasharray }
}

fn threshold(y: f64) -> ReferenceLine {
    ReferenceLine::horizontal(y).with_color(GREY).with_dasharray("7 4").with_stroke_width(1.2)
}

fn subscript(number: usize) -> String {
    number.to_string().chars().filter_map(|digit| char::from_u32(0x2080 + digit.to_digit(10)?)).collect()
}

fn panel(partition: &Partition, r_max: f64, y: (f64, f64), label: &str) -> Layout {
    let mut layout = Layout::new((0.0, r_max), y)
        .with_clamp_axis()
        .with_theme(Theme::minimal())
        .with_show_grid(false)
        .with_axis_line(AxisLine::Box)
        .with_y_label(label)
        .with_label_size(15)
        .with_tick_size(13)
        .with_body_size(13)
        .with_force_margins(78.0, 18.0);
    for &(from, to, part) in &partition.stretches {
        layout = layout.with_shaded_region(ShadedRegion::vertical(from, to).with_color(tint(part)).with_opacity(1.0));
        if from > 0.0 {
            layout = layout.with_reference_line(ReferenceLine::vertical(from).with_color(GREY).with_dasharray("1 3"));
        }
    }
    layout
}

fn named_cuts(mut layout: Layout, partition: &Partition, y: f64) -> Layout {
    for &(from, _, part) in &partition.stretches[1..] {
        let label = match part {
            Stretch::NearLinear => "r₁",
            Stretch::Nonlinear => "r₂",
            Stretch::Tail => "r₃",
        };
        layout = layout.with_annotation(TextAnnotation::new(label, from, y).with_font_size(14));
    }
    layout
}

fn stacked(plots: [Vec<Plot>; 2], [top, bottom]: [Layout; 2], heights: [f64; 2]) -> Figure {
    let top = top.with_force_margins_y(26.0, 8.0);
    let bottom = bottom.with_x_label("scaled distance r").with_force_margins_y(8.0, 56.0);
    let grid = Grid::new(2, 1)
        .with_plots(plots.into())
        .with_layouts(vec![top, bottom])
        .with_shared_x_all()
        .with_cell_size(WIDTH, heights[0])
        .with_row_height(1, heights[1])
        .with_spacing(4.0);
    Figure { scene: grid.render() }
}
