//! A panel: two axes around an area, and a legend below.

use crate::axis::{Axis, Scale};
use crate::colour::{BLACK, Colour, GREY, PALE};
use crate::mark::Mark;
use crate::sheet::{Anchor, Area, Sheet, cut, width_of, wrapped};

/// Sizes of letters.
pub const TITLE: u32 = 20;
pub const LABEL: u32 = 15;
pub const TICK: u32 = 13;

/// Pixels between two labels of a horizontal axis.
const LABEL_ROOM: f64 = 70.0;

/// Pixels between two labels of a vertical axis.
const ROW_ROOM: f64 = 44.0;

/// The height of a row of a legend.
const ROW: f64 = 24.0;

/// Two axes around an area.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    pub area: Area,
    pub x: Axis,
    pub y: Axis,
}

impl Panel {
    /// Where a pair of numbers is drawn.
    pub fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let Area { left, width, height, .. } = self.area;
        (left + self.x.part(x) * width, self.area.bottom() - self.y.part(y).clamp(-10.0, 11.0) * height)
    }

    /// Grid lines, to be drawn first.
    pub fn grid(&self, sheet: &mut Sheet) {
        for (value, _) in self.y.ticks(self.rows()) {
            let y = self.place(self.x.low, value).1;
            sheet.line(vec![(self.area.left, y), (self.area.right(), y)], PALE, 1.0);
        }
    }

    fn rows(&self) -> usize {
        (self.area.height / ROW_ROOM).round() as usize
    }

    /// The frame, labels and the names of both axes, to be drawn last.
    pub fn frame(&self, sheet: &mut Sheet) {
        let Area { left, top, width, height } = self.area;
        let (right, bottom) = (left + width, top + height);
        sheet.line(vec![(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], BLACK, 1.0);
        let columns = (width / LABEL_ROOM).round() as usize;
        let ticks = self.x.ticks(columns.max(2));
        let room = width / ticks.len().max(1) as f64 - 6.0;
        for (value, label) in &ticks {
            let x = self.place(*value, self.y.low).0;
            sheet.line(vec![(x, bottom), (x, bottom + 5.0)], BLACK, 1.0);
            let label = if matches!(self.x.scale, Scale::Choices(_)) { cut(label, TICK, room) } else { label.clone() };
            sheet.text((x, bottom + 20.0), &label, TICK, Anchor::Middle);
        }
        let ticks = self.y.ticks(self.rows().max(2));
        let mut widest: f64 = 0.0;
        for (value, label) in &ticks {
            let y = self.place(self.x.low, *value).1;
            sheet.line(vec![(left - 5.0, y), (left, y)], BLACK, 1.0);
            let label = cut(label, TICK, 90.0);
            widest = widest.max(width_of(&label, TICK));
            sheet.text((left - 9.0, y + 4.5), &label, TICK, Anchor::End);
        }
        sheet.text(
            (left + 0.5 * width, bottom + 42.0),
            &cut(&self.x.label, LABEL, width + 60.0),
            LABEL,
            Anchor::Middle,
        );
        let label = cut(&self.y.label, LABEL, height + 40.0);
        sheet.upward((left - 20.0 - widest, top + 0.5 * height), &label, LABEL);
    }

    /// A title above the area, and one or two lines of details.
    pub fn title(&self, sheet: &mut Sheet, title: &str, details: &str) {
        let room = self.area.width + 70.0;
        let lines = wrapped(details, TICK, 1.1 * room);
        let mut y = self.area.top - 10.0 - 18.0 * lines.len() as f64;
        sheet.bold((self.area.left, y - 2.0), &cut(title, TITLE, 0.97 * room), TITLE, Anchor::Start);
        for line in &lines {
            y += 18.0;
            sheet.note((self.area.left, y), line, TICK, Anchor::Start);
        }
    }

    /// The entries of a legend below the names of the axis, in as many rows as they need.
    pub fn legend(&self, sheet: &mut Sheet, entries: &[(Mark, String)]) {
        let (left, mut y) = (self.area.left, self.area.bottom() + 68.0);
        let mut x = left;
        for (mark, text) in entries {
            let width = 40.0 + width_of(text, TICK);
            if x > left && x + width > self.area.right() + 60.0 {
                (x, y) = (left, y + ROW);
            }
            Mark { radius: mark.radius.min(8.0), ..*mark }.draw(sheet, (x + 11.0, y));
            sheet.text((x + 28.0, y + 4.5), text, TICK, Anchor::Start);
            x += width;
        }
    }

    /// A line through points, of which those outside the area are cut off.
    pub fn line(&self, sheet: &mut Sheet, points: &[(f64, f64)], colour: Colour, width: f64) {
        let points = points.iter().map(|(x, y)| self.place(*x, *y)).collect();
        sheet.line(points, colour, width);
    }

    /// A line whose value holds from each point to the next.
    pub fn steps(&self, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let mut corners = Vec::new();
        for (i, (x, y)) in points.iter().enumerate() {
            if i > 0 {
                corners.push(self.place(*x, points[i - 1].1));
            }
            corners.push(self.place(*x, *y));
        }
        corners
    }

    /// A vertical bar with a label at each end, right of the area: what colours mean.
    pub fn colours(&self, sheet: &mut Sheet, axis: &Axis, colour: impl Fn(f64) -> Colour) {
        let Area { top, height, .. } = self.area;
        let left = self.area.right() + 18.0;
        let steps = 60;
        for i in 0..steps {
            let (from, to) = (f64::from(i) / f64::from(steps), f64::from(i + 1) / f64::from(steps));
            let bar = Area { left, top: top + (1.0 - to) * height, width: 16.0, height: (to - from) * height + 0.5 };
            sheet.rectangle(bar, colour(0.5 * (from + to)));
        }
        let mut widest: f64 = 0.0;
        for (value, label) in axis.ticks(self.rows()) {
            let y = top + (1.0 - axis.part(value)) * height;
            sheet.line(vec![(left + 16.0, y), (left + 20.0, y)], GREY, 1.0);
            sheet.text((left + 24.0, y + 4.5), &label, TICK, Anchor::Start);
            widest = widest.max(width_of(&label, TICK));
        }
        sheet.upward((left + 42.0 + widest, top + 0.5 * height), &cut(&axis.label, LABEL, height + 40.0), LABEL);
    }
}
