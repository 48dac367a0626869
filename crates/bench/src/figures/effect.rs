//! Figure 1, right: what the piecewise-linear kernel makes of an acquisition function, and where its minimisers end.

use crate::chart::{self, Axis, Curve, Panel, Place};
use crate::pen::{Mark, Pen};
use crate::picture::Picture;
use crate::prior_sample::PriorSample;
use anyhow::{Context as _, Result};
use fathom_global::{Limits, NegativeVariance, Problem, Region, Stop, minimise};
use fathom_gp::{Acquisition, Criterion, Kernel, Posterior, PwlAcquisition};
use fathom_paper::{Breakpoints, Treatment, baselines, linearise};

const TRUE: Pen = Pen { colour: "#1a1a1a", width: 2.2, dash: (f64::INFINITY, 0.0), mark: Mark::None };
const NEAR: Pen = Pen { colour: "#d55e00", dash: (7.0, 4.0), ..TRUE };
const GRADIENT: Pen = point("#0072b2", Mark::Square);
const SAMPLED: Pen = point("#007a58", Mark::Triangle);
const PROGRAM: Pen = point("#d55e00", Mark::Star);
const CERTIFIED: Pen = point("#1a1a1a", Mark::Circle);

/// Samples that the sampling method takes.
const SAMPLES: u32 = 8;

/// How far from the minimum a method has to end, in value and in place, to be drawn as one that misses it.
const MISSED: (f64, f64) = (0.1, 0.2);

/// A mark without a line.
const fn point(colour: &'static str, mark: Mark) -> Pen {
    Pen { colour, width: 0.0, dash: (f64::INFINITY, 0.0), mark }
}

/// Places of the four minimisers, each with the height it is drawn at, and the two curves.
struct Effect {
    exact: Vec<Place>,
    near: Vec<Place>,
    gradient: Place,
    sampled: Place,
    program: Place,
    certified: Place,
}

/// The LCB of ten samples of a Matérn 3/2 prior in one dimension and that under k̃: the first draw on which a descent from
/// the origin and the best of eight samples both miss the minimum, as in the paper's picture.
pub fn figure_1_right() -> Result<Picture> {
    let draw = |seed| PriorSample { kernel: Kernel::Matern32, d: 1, n: 10, lengthscale: Some(0.15), noise: 1e-6, seed };
    let mut effects = (0..1000).map(|seed| {
        let sample = draw(seed);
        Effect::of(&sample.draw()?.0, Criterion::Lcb { kappa: sample.kappa() })
    });
    let misses = |effect: &Effect| {
        let is_far = |end: &Place, from: &Place| end.y > from.y + MISSED.0 && (end.x - from.x).abs() > MISSED.1;
        [effect.gradient, effect.sampled].iter().all(|end| is_far(end, &effect.certified))
    };
    let effect = effects
        .find(|effect| effect.as_ref().map_or(true, misses))
        .context("no draw on which the local methods miss")??;
    Ok(effect.picture())
}

impl Effect {
    fn of(posterior: &Posterior, criterion: Criterion) -> Result<Self> {
        let region = Region::new(&[(0.0, 1.0)])?;
        let approximate = linearise(posterior, &region, Breakpoints::Paper, Treatment::KeepAll)?;
        let mut exact = Acquisition::new(posterior, criterion)?;
        let mut near = PwlAcquisition::new(&approximate, criterion, NegativeVariance::Clamped)?;
        let (limits, stop) = (Limits::default(), Stop::new(false));
        let settings = baselines::Settings::default();
        let gradient = baselines::minimise(&mut exact, &region, &baselines::Method::LbfgsB, &settings, &stop)?.x[0];
        let certified = minimise(&Problem::new(posterior, criterion, region.clone())?, &limits, &stop, |_| ())?.x[0];
        let program = Problem::piecewise_linear(&approximate, criterion, region, NegativeVariance::Clamped)?;
        let program = minimise(&program, &limits, &stop, |_| ())?.x[0];
        let mut on_curve = |x: f64| Place::bare(x, exact.value(&[x]));
        let sampled = (0..SAMPLES)
            .map(|i| on_curve((f64::from(i) + 0.5) / f64::from(SAMPLES)))
            .min_by(|a, b| a.y.total_cmp(&b.y))
            .context("at least one sample")?;
        let [gradient, certified] = [gradient, certified].map(&mut on_curve);
        let grid = || (0..=600).map(|i| f64::from(i) / 600.0);
        Ok(Self {
            exact: grid().map(on_curve).collect(),
            near: grid().map(|x| Place::bare(x, near.value(&[x]))).collect(),
            program: Place::bare(program, near.value(&[program])),
            gradient,
            sampled,
            certified,
        })
    }

    fn picture(self) -> Picture {
        let heights = || self.exact.iter().chain(&self.near).map(|place| place.y);
        let (low, high) = (heights().fold(f64::INFINITY, f64::min), heights().fold(f64::NEG_INFINITY, f64::max));
        let pad = 0.08 * (high - low);
        let line = |pen, points| Curve { pen, points, marked: (usize::MAX, 0) };
        let mark = |pen, place| Curve { pen, points: vec![place], marked: (1, 0) };
        let panel = Panel {
            title: "Matérn 3/2, ten observations".into(),
            x_label: "x".into(),
            y_label: "acquisition function".into(),
            x: Axis::linear(0.0, 1.0),
            y: Axis::linear(low - pad, high + pad),
            curves: vec![
                line(TRUE, self.exact),
                line(NEAR, self.near),
                mark(GRADIENT, self.gradient),
                mark(SAMPLED, self.sampled),
                mark(PROGRAM, self.program),
                mark(CERTIFIED, self.certified),
            ],
        };
        let legend = [
            ("LCB", TRUE),
            ("LCB under the piecewise-linear kernel", NEAR),
            ("one descent from the origin", GRADIENT),
            ("the best of eight samples", SAMPLED),
            ("minimum under that kernel, proven", PROGRAM),
            ("minimum of the LCB, proven", CERTIFIED),
        ];
        chart::draw(&[panel], 1, &legend)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_certified_end_is_lowest_and_the_programs_is_close_to_it() {
        let sample =
            PriorSample { kernel: Kernel::Matern32, d: 1, n: 10, lengthscale: Some(0.15), noise: 1e-6, seed: 3 };
        let posterior = sample.draw().expect("a problem").0;
        let effect = Effect::of(&posterior, Criterion::Lcb { kappa: sample.kappa() }).expect("an effect");
        let lowest = effect.exact.iter().map(|place| place.y).fold(f64::INFINITY, f64::min);
        assert!(effect.certified.y <= lowest + 1e-4, "{} above {lowest}", effect.certified.y);
        assert!(effect.gradient.y >= effect.certified.y - 1e-4 && effect.sampled.y >= effect.certified.y - 1e-4);
        let near = effect.near.iter().map(|place| place.y).fold(f64::INFINITY, f64::min);
        assert!((effect.program.y - near).abs() < 1e-2, "{} beside {near}", effect.program.y);
    }
}
