//! How a line is drawn, so that it can be told from others in grey too.

use std::mem;

/// A colour, a width, dashes and a mark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pen {
    pub colour: &'static str,
    pub width: f64,
    /// Lengths of dashes and gaps in pixels; an infinite dash is a line.
    pub dash: (f64, f64),
    pub mark: Mark,
}

/// What stands at some of a line's points.
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
    pub fn strokes(self, (x, y): (f64, f64), radius: f64) -> Vec<Vec<(f64, f64)>> {
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

/// The dashes of a line: `on` and `off` are in pixels, of which `scale` make a unit.
pub(crate) fn dashes(points: &[(f64, f64)], scale: (f64, f64), (on, off): (f64, f64)) -> Vec<Vec<(f64, f64)>> {
    let mut pieces = Vec::new(); // in turn a dash and a gap
    let mut piece = points[..1].to_vec();
    let mut left = on;
    for ends in points.windows(2) {
        let (mut from, to) = (ends[0], ends[1]);
        let mut length = (scale.0 * (to.0 - from.0)).hypot(scale.1 * (to.1 - from.1));
        while length >= left {
            let share = left / length;
            from = (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1));
            length -= left;
            piece.push(from);
            pieces.push(mem::replace(&mut piece, vec![from]));
            left = if pieces.len() % 2 == 0 { on } else { off };
        }
        left -= length;
        piece.push(to);
    }
    pieces.push(piece);
    pieces.into_iter().step_by(2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_and_gaps_take_turns_and_a_line_has_none() {
        let line = [(0.0, 0.0), (10.0, 0.0)];
        let pieces = dashes(&line, (1.0, 1.0), (3.0, 2.0));
        assert_eq!(
            pieces,
            [vec![(0.0, 0.0), (3.0, 0.0)], vec![(5.0, 0.0), (8.0, 0.0)], vec![(10.0, 0.0), (10.0, 0.0)]]
        );
        assert_eq!(dashes(&line, (1.0, 1.0), (f64::INFINITY, 0.0)), [line.to_vec()]);
    }

    #[test]
    fn marks_stay_within_their_radius() {
        for mark in
            [Mark::Circle, Mark::Square, Mark::Triangle, Mark::TriangleDown, Mark::Hexagon, Mark::Cross, Mark::Plus]
        {
            let strokes = mark.strokes((1.0, 2.0), 3.0);
            assert!(strokes.iter().flatten().all(|(x, y)| (x - 1.0).hypot(y - 2.0) < 3.5), "{mark:?}");
        }
    }
}
