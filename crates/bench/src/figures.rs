//! The paper's Figures 1 and 2, redrawn from our own kernels, partitions and proven errors.
//!
//! kuva draws the axes and the curves. Where its PNG backend falls short we help it: dashes are cut into strokes (it
//! does not scale a dash pattern and starts it anew at every sample of a curve), and axes are named above their frame
//! (it does not smooth turned letters). Text has no subscripts, so those are texts of their own.

mod effect;

pub use effect::figure_1_right;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::pen::dashes;
use crate::picture::Picture;
use anyhow::{Result, ensure};
use fathom_gp::{Argument, Kernel, Partition, PwlKernel, Section, Stretch};
use kuva::prelude::{AxisLine, Layout, LinePlot, Plot, ShadedRegion, TickFormat};
use kuva::render::color::Color;
use kuva::render::figure::Figure as Grid;
use kuva::render::render::{Primitive, TextAnchor};

/// Both figures as the paper has them, Matérn 3/2 in one dimension, into `folder`; the files written.
pub fn save_paper_figures(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = figure_1_left(Kernel::Matern32, 1, 5.0)?.save(folder, "figure_1_left")?;
    files.extend(figure_1_right()?.save(folder, "figure_1_right")?);
    files.extend(figure_2(Kernel::Matern32, 4.0)?.save(folder, "figure_2")?);
    Ok(files)
}

/// Figure 1, left: k(r) and its piecewise-linear k̃(r) with the paper's breakpoints for `dim` inputs; below them the
/// error k − k̃ within its proven bound ±ε_M. For stationary kernels and an `r_max` beyond r_3, in the tail.
pub fn figure_1_left(kernel: Kernel, dim: usize, r_max: f64) -> Result<Picture> {
    let partition = partition(kernel, r_max)?;
    let pwl = PwlKernel::paper(kernel, dim, (0.0, r_max))?;
    let corners: Vec<(f64, f64)> = pwl.breakpoints().iter().copied().zip(pwl.values().iter().copied()).collect();
    let mut top = Panel::new(HEAD, 300.0, (-0.03, 1.06), &partition, "k(r) / σ");
    top.name_cuts();
    top.curve(&samples((0.0, r_max), |r| kernel.curve(r).value), EXACT);
    top.curve(&corners, CHORDS);
    let dots: Vec<Primitive> = corners.iter().map(|(r, k)| dot(top.at(*r, *k))).collect();
    top.marks.extend(dots);
    let mut legend = vec![("k(r)".into(), Some(EXACT), None)];
    legend.push((format!("k̃(r), M = {} segments", pwl.segments()), Some(CHORDS), None));
    legend.extend(parts(&partition).map(|part| (style(part).name.into(), None, Some(part))));
    top.legend(&format!("{}, D = {dim}", title(kernel)), legend);

    let error = pwl.error();
    let mut bottom = Panel::new(top.bottom() + HEAD, 120.0, (-1.7 * error, 1.7 * error), &partition, "(k − k̃) / σ");
    bottom.thresholds(error, "M");
    bottom.curve(&samples((0.0, r_max), |r| kernel.curve(r).value - pwl.value(r)), EXACT);
    let (right, y) = bottom.at(r_max, error);
    bottom.marks.extend(per_variance(&format!("proven: |k − k̃| ≤ {error:.4} σ"), (right - 16.0, y - 8.0), SMALL));
    Ok(stacked(top, bottom))
}

/// Figure 2: k(r) drawn by its parts, and below it k''(r) with the thresholds ±ε_k that part them. For stationary
/// kernels and an `r_max` beyond r_3, in the tail.
pub fn figure_2(kernel: Kernel, r_max: f64) -> Result<Picture> {
    let partition = partition(kernel, r_max)?;
    let epsilon = partition.threshold;
    let mut top = Panel::new(HEAD, 220.0, (-0.03, 1.06), &partition, "k(r) / σ");
    top.name_cuts();
    top.curve_by_part(|r| kernel.curve(r).value);
    let legend = parts(&partition).map(|part| (style(part).name.into(), Some(style(part).pen), Some(part)));
    top.legend(&title(kernel), legend);

    let curvature = samples((0.0, r_max), |r| kernel.curve(r).second);
    let low = curvature.iter().map(|point| point.1).fold(-2.0 * epsilon, f64::min);
    let high = curvature.iter().map(|point| point.1).fold(2.0 * epsilon, f64::max);
    let pad = 0.06 * (high - low);
    let mut bottom = Panel::new(top.bottom() + HEAD, 220.0, (low - pad, high + pad), &partition, "k″(r) / σ");
    bottom.thresholds(epsilon, "k");
    bottom.curve_by_part(|r| kernel.curve(r).second);
    Ok(stacked(top, bottom))
}

/// Two panels over one r axis.
fn stacked(top: Panel, bottom: Panel) -> Picture {
    let upper = top.layout().with_force_margins_y(HEAD, 0.0);
    let lower = bottom.layout().with_force_margins_y(HEAD, FOOT).with_x_label("scaled distance r");
    let mut scene = Grid::new(2, 1)
        .with_padding(0.0)
        .with_spacing(0.0)
        .with_cell_size(LEFT + SPAN + RIGHT, HEAD + top.height)
        .with_row_height(1, HEAD + bottom.height + FOOT)
        .with_layouts(vec![upper, lower])
        .with_shared_x_all()
        .with_plots(vec![top.curves, bottom.curves])
        .render();
    scene.elements.extend(top.marks.into_iter().chain(bottom.marks));
    Picture::new(scene)
}

// The canvas, in pixels of the SVG: the frames' width and the margins beside, above each and below the last.
const SPAN: f64 = 540.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 46.0;
const HEAD: f64 = 34.0;
const FOOT: f64 = 50.0;
const LARGE: u32 = 15;
const SMALL: u32 = 13;

/// How a line is drawn: width and lengths of dashes and gaps are in pixels.
#[derive(Clone, Copy)]
struct Pen {
    colour: &'static str,
    width: f64,
    dash: (f64, f64),
    dots: bool,
}

// Okabe and Ito's colours (green darkened) for the colour-blind; dashes differ too, for print in grey.
const EXACT: Pen = Pen { colour: "#1a1a1a", width: 2.4, dash: (f64::INFINITY, 0.0), dots: false };
const CHORDS: Pen = Pen { colour: "#d55e00", dash: (8.0, 6.0), dots: true, ..EXACT };
const CUT: Pen = Pen { colour: "#666666", width: 1.0, dash: (2.0, 3.0), dots: false };
const THRESHOLD: Pen = Pen { width: 1.2, dash: (7.0, 4.0), ..CUT };

/// How a part of the kernel's curve is drawn.
struct Style {
    name: &'static str,
    tint: &'static str,
    pen: Pen,
}

fn style(part: Stretch) -> Style {
    let pen = |colour, dash| Pen { colour, dash, ..EXACT };
    match part {
        Stretch::Nonlinear => Style { name: "nonlinear", tint: "#ffffff", pen: pen("#0072b2", EXACT.dash) },
        Stretch::NearLinear => Style { name: "near-linear", tint: "#f9d3b8", pen: pen("#d55e00", (2.0, 5.0)) },
        Stretch::Tail => Style { name: "tail", tint: "#e6f2ee", pen: pen("#007a58", (8.0, 6.0)) },
    }
}

fn title(kernel: Kernel) -> String {
    kernel.stated().to_string()
}

fn partition(kernel: Kernel, r_max: f64) -> Result<Partition> {
    let kernel = kernel.validated()?;
    ensure!(kernel.argument() == Argument::SquaredDistance, "{} is no function of a distance", kernel.name());
    let partition = Partition::new(kernel, (0.0, r_max))?;
    // Without a tail there is little to see, and no room for the legend.
    let tail = partition.sections.last().is_some_and(|section| section.stretch == Stretch::Tail);
    ensure!(tail, "r ≤ {r_max} shows no tail of {}: choose a larger r", kernel.name());
    Ok(partition)
}

fn parts(partition: &Partition) -> impl Iterator<Item = Stretch> {
    let all = [Stretch::Nonlinear, Stretch::NearLinear, Stretch::Tail];
    all.into_iter().filter(|part| partition.sections.iter().any(|section| section.stretch == *part))
}

fn samples((from, to): (f64, f64), curve: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    (0..=400).map(|i| from + (to - from) * f64::from(i) / 400.0).map(|r| (r, curve(r))).collect()
}

/// One frame of a figure: where it lies on the canvas, what it spans, and what is in it.
struct Panel {
    top: f64,
    height: f64,
    y: (f64, f64),
    sections: Vec<Section>,
    /// In units of the axes, within the frame.
    curves: Vec<Plot>,
    /// In pixels of the canvas, over the curves and outside the frame too.
    marks: Vec<Primitive>,
}

impl Panel {
    fn new(top: f64, height: f64, y: (f64, f64), partition: &Partition, per_sigma: &str) -> Self {
        let sections = partition.sections.clone();
        let (fill, stroke) = (Color::None, Some(EXACT.colour.into()));
        let frame = Primitive::Rect {
            x: LEFT,
            y: top,
            width: SPAN,
            height,
            fill,
            stroke,
            stroke_width: Some(1.0),
            opacity: None,
        };
        let mut panel = Self { top, height, y, sections, curves: Vec::new(), marks: vec![frame] };
        // Names are as long as their letters are many, near enough to begin at the canvas's edge.
        let end = 8.0 + 7.8 * per_sigma.chars().count() as f64;
        panel.marks.extend(per_variance(per_sigma, (end, top - 12.0), LARGE));
        for (r, _) in panel.cuts() {
            panel.curve(&[(r, y.0), (r, y.1)], CUT);
        }
        panel
    }

    fn bottom(&self) -> f64 {
        self.top + self.height
    }

    fn r_max(&self) -> f64 {
        self.sections.last().map_or(1.0, |section| section.to)
    }

    /// Pixels to a unit of either axis.
    fn scale(&self) -> (f64, f64) {
        (SPAN / self.r_max(), self.height / (self.y.1 - self.y.0))
    }

    fn at(&self, r: f64, y: f64) -> (f64, f64) {
        (LEFT + self.scale().0 * r, self.top + self.scale().1 * (self.y.1 - y))
    }

    fn layout(&self) -> Layout {
        let minus = TickFormat::Custom(Arc::new(|v| TickFormat::Auto.format(v).replace('-', "−")));
        let layout = Layout::new((0.0, self.r_max()), self.y)
            .with_x_axis_min(0.0)
            .with_x_axis_max(self.r_max())
            .with_y_axis_min(self.y.0)
            .with_y_axis_max(self.y.1)
            .with_tick_format(minus)
            .with_show_grid(false)
            .with_axis_line(AxisLine::Box)
            .with_label_size(LARGE)
            .with_tick_size(SMALL)
            .with_force_margins(LEFT, RIGHT);
        self.sections.iter().fold(layout, |layout, &Section { from, to, stretch: part }| {
            layout.with_shaded_region(ShadedRegion::vertical(from, to).with_color(style(part).tint).with_opacity(1.0))
        })
    }

    fn curve(&mut self, points: &[(f64, f64)], pen: Pen) {
        for piece in dashes(points, self.scale(), pen.dash) {
            let line = LinePlot::new().with_data(piece).with_color(pen.colour).with_stroke_width(pen.width);
            self.curves.push(Plot::Line(line));
        }
    }

    fn curve_by_part(&mut self, curve: impl Fn(f64) -> f64) {
        for Section { from, to, stretch: part } in self.sections.clone() {
            self.curve(&samples((from, to), &curve), style(part).pen);
        }
    }

    /// ±ε, named in the margin.
    fn thresholds(&mut self, epsilon: f64, subscript: &str) {
        for (sign, y) in [("", epsilon), ("−", -epsilon)] {
            self.curve(&[(0.0, y), (self.r_max(), y)], THRESHOLD);
            let (x, y) = self.at(self.r_max(), y);
            self.marks.push(text(&format!("{sign}ε"), (x + 27.0, y + 4.0), LARGE, TextAnchor::End));
            self.marks.push(text(subscript, (x + 27.0, y + 8.0), LARGE - 4, TextAnchor::Start));
        }
    }

    /// Where one part ends and the next begins, with the next.
    fn cuts(&self) -> Vec<(f64, Stretch)> {
        self.sections.iter().skip(1).map(|section| (section.from, section.stretch)).collect()
    }

    fn name_cuts(&mut self) {
        for (r, next) in self.cuts() {
            // r_1 and r_2 are close: each is written to its own side.
            let (name, aside, anchor) = match next {
                Stretch::NearLinear => ("r₁", 3.0, TextAnchor::End),
                Stretch::Nonlinear => ("r₂", -3.0, TextAnchor::Start),
                Stretch::Tail => ("r₃", 0.0, TextAnchor::Middle),
            };
            self.marks.push(text(name, (self.at(r, 0.0).0 + aside, self.top - 8.0), LARGE, anchor));
        }
    }

    /// At the right, where every stationary kernel has died down.
    fn legend(&mut self, title: &str, items: impl IntoIterator<Item = (String, Option<Pen>, Option<Stretch>)>) {
        let (x, width, mut y) = (LEFT + SPAN - 204.0, 36.0, self.top + 22.0);
        self.marks.push(text(title, (x, y + 4.0), SMALL, TextAnchor::Start));
        for (label, pen, part) in items {
            y += 22.0;
            if let Some(part) = part {
                let (fill, stroke, stroke_width) = (style(part).tint.into(), Some(CUT.colour.into()), Some(0.8));
                let (x, width) = (x - 2.0, width + 4.0);
                let (y, height, opacity) = (y - 7.0, 14.0, None);
                self.marks.push(Primitive::Rect { x, y, width, height, fill, stroke, stroke_width, opacity });
            }
            for points in pen.iter().flat_map(|pen| dashes(&[(x, y), (x + width, y)], (1.0, 1.0), pen.dash)) {
                let (stroke, stroke_width) = (pen.map_or(Color::None, |pen| pen.colour.into()), EXACT.width);
                self.marks.push(Primitive::PolyLine { points, stroke, stroke_width, stroke_dasharray: None });
            }
            if pen.is_some_and(|pen| pen.dots) {
                self.marks.push(dot((x + 0.5 * width, y)));
            }
            self.marks.push(text(&label, (x + width + 8.0, y + 4.5), SMALL, TextAnchor::Start));
        }
    }
}

fn text(content: &str, (x, y): (f64, f64), size: u32, anchor: TextAnchor) -> Primitive {
    Primitive::Text { x, y, content: content.into(), size, anchor, rotate: None, bold: false, color: None }
}

/// Text up to and with its last letter σ, made σ_f².
fn per_variance(content: &str, (x, y): (f64, f64), size: u32) -> [Primitive; 3] {
    let index = text("f", (x, y + 4.0), size - 4, TextAnchor::Start);
    let power = text("²", (x, y - 1.0), size, TextAnchor::Start);
    [text(content, (x, y), size, TextAnchor::End), index, power]
}

fn dot((cx, cy): (f64, f64)) -> Primitive {
    let (fill, stroke, stroke_width) = (CHORDS.colour.into(), Some("#ffffff".into()), Some(1.2));
    Primitive::Circle { cx, cy, r: 4.8, fill, fill_opacity: None, stroke, stroke_width }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn figures_are_written_as_svg_and_png() {
        let folder = std::env::temp_dir().join(format!("fathom-figures-{}", std::process::id()));
        let files = save_paper_figures(&folder).expect("the figures can be drawn");
        assert_eq!(files.len(), 6);
        for file in files {
            let bytes = fs::read(&file).expect("the file was written");
            let is_png = bytes.starts_with(b"\x89PNG");
            let is_svg = bytes.starts_with(b"<svg") || bytes.starts_with(b"<?xml");
            assert!(is_png || is_svg, "{}", file.display());
            assert!(bytes.len() > 3000, "{}", file.display());
        }
        fs::remove_dir_all(folder).expect("the folder is ours");
    }

    #[test]
    fn kernels_without_a_tail_to_show_are_refused() {
        assert!(figure_2(Kernel::Linear { offset: 1.0 }, 4.0).is_err());
        assert!(figure_2(Kernel::Matern32, 1.0).is_err());
        assert!(figure_1_left(Kernel::Rbf, 0, 5.0).is_err());
        assert!(figure_1_left(Kernel::Rbf, 1, f64::NAN).is_err());
    }
}
