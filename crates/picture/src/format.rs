//! How a sheet becomes bytes.

mod pdf;

use crate::error::{Error, Result};
use crate::sheet::{Anchor, Area, Shape, Sheet};
use kuva::backend::png::PngBackend;
use kuva::backend::svg::SvgBackend;
use kuva::render::color::Color;
use kuva::render::render::{PathData, Primitive, Scene, TextAnchor};
use std::path::Path;

/// Pixels of a PNG for each unit of a sheet.
const PNG_SCALE: f32 = 2.0;

/// A format of picture files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Lines and text that scale, for pages.
    Svg,
    /// Pixels.
    Png,
    /// Lines and text that scale, for papers.
    Pdf,
}

impl Format {
    /// The format that the ending of a path asks for.
    pub fn of(path: &Path) -> Result<Self> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("svg") => Ok(Self::Svg),
            Some("png") => Ok(Self::Png),
            Some("pdf") => Ok(Self::Pdf),
            Some(_) | None => Err(Error::Ending { path: path.into(), endings: ".svg, .png or .pdf" }),
        }
    }

    /// The sheet in this format.
    pub(crate) fn bytes(self, sheet: &Sheet) -> Result<Vec<u8>> {
        match self {
            Self::Svg => Ok(svg(sheet, "").into_bytes()),
            Self::Png => PngBackend::new().with_scale(PNG_SCALE).render_scene(&scene(sheet, "")).map_err(Error::Png),
            Self::Pdf => pdf::bytes(sheet),
        }
    }
}

/// The sheet as SVG that scales with its page; `prefix` keeps its names apart from those of other pictures on the page.
pub(crate) fn svg(sheet: &Sheet, prefix: &str) -> String {
    let text = SvgBackend::new().render_scene(&scene(sheet, prefix));
    let frame = format!("<svg viewBox=\"0 0 {} {}\" ", sheet.width, sheet.height);
    text.replacen("<svg ", &frame, 1)
}

fn scene(sheet: &Sheet, prefix: &str) -> Scene {
    let mut scene = Scene::new(sheet.width, sheet.height);
    scene.font_family = Some("DejaVu Sans, Verdana, Arial, sans-serif".into());
    let clips = sheet.shapes.iter().enumerate().filter_map(|(i, shape)| match shape {
        Shape::Clip(area) => Some((i, area)),
        Shape::Text { .. } | Shape::Line { .. } | Shape::Polygon { .. } | Shape::Circle { .. } | Shape::Unclip => None,
    });
    let definition = |(i, Area { left, top, width, height }): (usize, &Area)| {
        let id = clip_name(prefix, i);
        format!(
            "<clipPath id=\"{id}\"><rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\"/></clipPath>"
        )
    };
    scene.defs = clips.map(definition).collect();
    scene.elements = sheet.shapes.iter().enumerate().map(|(i, shape)| primitive(shape, i, prefix)).collect();
    scene
}

fn clip_name(prefix: &str, index: usize) -> String {
    format!("{prefix}clip{index}")
}

fn primitive(shape: &Shape, index: usize, prefix: &str) -> Primitive {
    let rgb = |colour: crate::colour::Colour| Color::Rgb(colour.0, colour.1, colour.2);
    match shape {
        Shape::Text { x, y, text, size, anchor, bold, upward, colour } => Primitive::Text {
            x: *x,
            y: *y,
            // A pair of dollars would be read as mathematics.
            content: text.replace('$', "\\$"),
            size: *size,
            anchor: match anchor {
                Anchor::Start => TextAnchor::Start,
                Anchor::Middle => TextAnchor::Middle,
                Anchor::End => TextAnchor::End,
            },
            rotate: upward.then_some(-90.0),
            bold: *bold,
            color: Some(rgb(*colour)),
        },
        Shape::Line { points, colour, width, is_dashed } => Primitive::PolyLine {
            points: points.clone(),
            stroke: rgb(*colour),
            stroke_width: *width,
            stroke_dasharray: is_dashed.then(|| "6 4".to_owned()),
        },
        Shape::Polygon { points, fill, opacity, edge } => Primitive::Path(Box::new(PathData {
            d: path(points),
            fill: Some(rgb(*fill)),
            stroke: edge.map_or(Color::None, rgb),
            stroke_width: 1.0,
            opacity: (*opacity < 1.0).then_some(*opacity),
            stroke_dasharray: None,
        })),
        Shape::Circle { x, y, radius, fill, opacity, edge } => Primitive::Circle {
            cx: *x,
            cy: *y,
            r: *radius,
            fill: rgb(*fill),
            fill_opacity: (*opacity < 1.0).then_some(*opacity),
            stroke: Some(rgb(*edge)),
            stroke_width: Some(1.0),
        },
        Shape::Clip(Area { left, top, width, height }) => {
            Primitive::ClipStart { x: *left, y: *top, width: *width, height: *height, id: clip_name(prefix, index) }
        }
        Shape::Unclip => Primitive::ClipEnd,
    }
}

fn path(points: &[(f64, f64)]) -> String {
    let mut text = String::new();
    for (i, (x, y)) in points.iter().enumerate() {
        text += &format!("{}{x:.2} {y:.2} ", if i == 0 { 'M' } else { 'L' });
    }
    text + "Z"
}
