//! A sheet of shapes, in pixels from the upper left corner. What is drawn on a sheet can be written in every format.

use crate::colour::{BLACK, Colour};

/// A rectangle of a sheet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

impl Area {
    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

/// Which part of a text is at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// One thing on a sheet.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A text whose base line begins, ends or has its middle at a place; `upward` turns the text by a right angle.
    Text { x: f64, y: f64, text: String, size: u32, anchor: Anchor, bold: bool, upward: bool, colour: Colour },
    /// Straight lines from point to point.
    Line { points: Vec<(f64, f64)>, colour: Colour, width: f64, is_dashed: bool },
    /// A filled polygon, with an edge if the edge has a colour.
    Polygon { points: Vec<(f64, f64)>, fill: Colour, opacity: f64, edge: Option<Colour> },
    /// A filled circle with an edge.
    Circle { x: f64, y: f64, radius: f64, fill: Colour, opacity: f64, edge: Colour },
    /// From here on only what lies in the area is seen.
    Clip(Area),
    /// The end of a clip.
    Unclip,
}

/// Shapes, the later ones on top.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    pub width: f64,
    pub height: f64,
    pub shapes: Vec<Shape>,
}

impl Sheet {
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height, shapes: Vec::new() }
    }

    pub fn text(&mut self, (x, y): (f64, f64), text: &str, size: u32, anchor: Anchor) {
        self.write(x, y, text, size, anchor, false, BLACK);
    }

    pub fn bold(&mut self, (x, y): (f64, f64), text: &str, size: u32, anchor: Anchor) {
        self.write(x, y, text, size, anchor, true, BLACK);
    }

    pub fn note(&mut self, (x, y): (f64, f64), text: &str, size: u32, anchor: Anchor) {
        self.write(x, y, text, size, anchor, false, crate::colour::GREY);
    }

    #[allow(clippy::too_many_arguments)]
    fn write(&mut self, x: f64, y: f64, text: &str, size: u32, anchor: Anchor, bold: bool, colour: Colour) {
        let text = shown(text);
        self.shapes.push(Shape::Text { x, y, text, size, anchor, bold, upward: false, colour });
    }

    /// A text that is read upwards, with its middle at a place.
    pub fn upward(&mut self, (x, y): (f64, f64), text: &str, size: u32) {
        let (text, anchor) = (shown(text), Anchor::Middle);
        self.shapes.push(Shape::Text { x, y, text, size, anchor, bold: false, upward: true, colour: BLACK });
    }

    pub fn line(&mut self, points: Vec<(f64, f64)>, colour: Colour, width: f64) {
        self.shapes.push(Shape::Line { points, colour, width, is_dashed: false });
    }

    pub fn dashed(&mut self, points: Vec<(f64, f64)>, colour: Colour, width: f64) {
        self.shapes.push(Shape::Line { points, colour, width, is_dashed: true });
    }

    pub fn polygon(&mut self, points: Vec<(f64, f64)>, fill: Colour, opacity: f64, edge: Option<Colour>) {
        self.shapes.push(Shape::Polygon { points, fill, opacity, edge });
    }

    pub fn rectangle(&mut self, Area { left, top, width, height }: Area, fill: Colour) {
        let (right, bottom) = (left + width, top + height);
        self.polygon(vec![(left, top), (right, top), (right, bottom), (left, bottom)], fill, 1.0, None);
    }

    pub fn circle(&mut self, (x, y): (f64, f64), radius: f64, fill: Colour, opacity: f64, edge: Colour) {
        self.shapes.push(Shape::Circle { x, y, radius, fill, opacity, edge });
    }

    /// Draws within an area; what reaches beyond is cut off.
    pub fn within(&mut self, area: Area, draw: impl FnOnce(&mut Self)) {
        self.shapes.push(Shape::Clip(area));
        draw(self);
        self.shapes.push(Shape::Unclip);
    }
}

/// Foreign text without the characters that no picture can hold, and those that turn the direction of writing.
pub fn shown(text: &str) -> String {
    let is_bad = |letter: char| {
        let turns =
            matches!(letter, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        letter.is_control() || turns || matches!(letter, '\u{feff}' | '\u{fffe}' | '\u{ffff}')
    };
    text.chars().map(|letter| if is_bad(letter) { '\u{fffd}' } else { letter }).collect()
}

/// About how wide a text is: the letters of DejaVu Sans have this width on average, and those of other fonts are narrower.
pub fn width_of(text: &str, size: u32) -> f64 {
    0.6 * f64::from(size) * text.chars().count() as f64
}

/// A text in at most two lines of a width; what is left after that is cut off.
pub fn wrapped(text: &str, size: u32, width: f64) -> Vec<String> {
    if text.is_empty() || width_of(text, size) <= width {
        return [text].into_iter().filter(|text| !text.is_empty()).map(str::to_owned).collect();
    }
    let most = (width / width_of("x", size)) as usize;
    let fits = |(at, _): &(usize, &str)| text[..*at].chars().count() <= most;
    let Some((at, _)) = text.match_indices(' ').take_while(fits).last() else { return vec![cut(text, size, width)] };
    vec![text[..at].to_owned(), cut(&text[at + 1..], size, width)]
}

/// A text cut to a width, with an ellipsis if something is missing.
pub fn cut(text: &str, size: u32, width: f64) -> String {
    let most = (width / width_of("x", size)).floor().max(1.0) as usize;
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}
