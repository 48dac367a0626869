//! Table 1 and Figures 1 and 2 of the paper, from our own kernels, partitions and proven errors.

use crate::chart::{self, Axis, Curve, Mark, Panel, Pen, Picture, Place};
use crate::prior_sample::PriorSample;
use crate::table::{Table, captioned};
use anyhow::{Context as _, Result};
use fathom_global::{Limits, NegativeVariance, Problem, Region, Stop, minimise};
use fathom_gp::{Acquisition, Criterion, Kernel, Partition, Posterior, PwlAcquisition, PwlKernel, Stretch};
use fathom_paper::{Breakpoints, Treatment, baselines, linearise};
use std::path::{Path, PathBuf};

/// Table 1, ε_k and the cuts r_1, r_2, r_3 of each kernel that has them; then the proven maximum of |k − k̃| for D = 1..5 and
/// several r_max. All for σ_f² = 1.
pub fn tables() -> Result<String> {
    let mut cuts = Table::new("kernel", &["ε_k", "r_1", "r_2", "r_3"], ToString::to_string);
    for kernel in [Kernel::Matern32, Kernel::Rbf, Kernel::Matern52, Kernel::RationalQuadratic { alpha: 1.0 }] {
        let partition = Partition::new(kernel, (0.0, 100.0))?;
        let shape = kernel.shape().map(|alpha| format!(", α = {alpha}")).unwrap_or_default();
        let cut = |name: &str| partition.sections.get(["r_1", "r_2", "r_3"].iter().position(|cut| *cut == name)?);
        cuts.line(&format!("{}{shape}", kernel.name()), |name| match *name {
            "ε_k" => Some(format!("{:.6}", partition.threshold)),
            name => cut(name).map(|section| format!("{:.4}", section.to)),
        });
    }
    let ranges = [0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0];
    let mut errors = Table::new("kernel, D", &ranges, |r| format!("r_max = {r}"));
    for kernel in [Kernel::Matern32, Kernel::Rbf] {
        for dim in 1..=5 {
            let error = |r_max: &f64| PwlKernel::paper(kernel, dim, (0.0, *r_max)).map(|pwl| pwl.error());
            errors.line(&format!("{}, {dim}", kernel.name()), |r_max| Some(format!("{:.4}", error(r_max).ok()?)));
        }
    }
    let first = "Table 1: ε_k and the ends r_1, r_2, r_3 of the sections of each kernel, for σ_f² = 1. The paper has the first two.";
    let second = "The proven maximum of |k − k̃| with the paper's breakpoints, for D = 1 to 5 and several r_max.";
    Ok(captioned(first, &cuts.into_text()) + &captioned(second, &errors.into_text()))
}

/// Table 1 as a file in `folder`.
pub(crate) fn save_table_1(folder: &Path) -> Result<()> {
    let path = folder.join("table_1.md");
    std::fs::create_dir_all(folder).with_context(|| format!("could not create {}", folder.display()))?;
    std::fs::write(&path, tables()?).with_context(|| format!("could not write {}", path.display()))
}

/// Both figures as the paper has them, Matérn 3/2 in one dimension, into `folder`; the files written.
pub fn save_paper_figures(folder: &Path) -> Result<Vec<PathBuf>> {
    let figures =
        [("figure_1_left", figure_1_left()?), ("figure_1_right", figure_1_right()?), ("figure_2", figure_2()?)];
    figures.iter().map(|(name, picture)| picture.save(folder, name)).collect()
}

const WIDE: (f64, f64) = (560.0, 220.0);
const TALL: (f64, f64) = (560.0, 300.0);
const KERNEL: Kernel = Kernel::Matern32;
const CHORDS: Pen = Pen { colour: "#d55e00", dash: "8 6", mark: Mark::Circle, ..Pen::BLACK };
const THRESHOLD: Pen = Pen { colour: "#666666", width: 1.2, dash: "7 4", mark: Mark::None };

/// How a part of the kernel's curve is called, shaded and drawn, in Okabe and Ito's colours.
fn style(part: Stretch) -> (&'static str, &'static str, Pen) {
    let pen = |colour, dash| Pen { colour, dash, ..Pen::BLACK };
    match part {
        Stretch::Nonlinear => ("nonlinear", "#ffffff", pen("#0072b2", "")),
        Stretch::NearLinear => ("near-linear", "#f9d3b8", pen("#d55e00", "2 5")),
        Stretch::Tail => ("tail", "#e6f2ee", pen("#007a58", "8 6")),
    }
}

fn line(pen: Pen, from: f64, to: f64, curve: impl Fn(f64) -> f64) -> Curve {
    let at = |i: i32| from + (to - from) * f64::from(i) / 400.0;
    Curve { pen, points: (0..=400).map(at).map(|r| Place::bare(r, curve(r))).collect(), marked: (usize::MAX, 401) }
}

/// A panel over r, shaded by the parts of the kernel, whose cuts are named if there is room for it.
fn panel(y_label: &str, partition: &Partition, y: (f64, f64), curves: Vec<Curve>) -> Panel {
    let r_max = partition.sections.last().map_or(1.0, |section| section.to);
    let labels = ("scaled distance r", y_label);
    let mut panel = Panel::new(String::new(), labels, Axis::linear(0.0, r_max), Axis::linear(y.0, y.1), curves);
    panel.shades =
        partition.sections.iter().map(|section| (section.from, section.to, style(section.stretch).1)).collect();
    panel
}

/// r_1, r_2, r_3, beside the ends of their parts.
fn name_cuts(panel: &mut Panel, partition: &Partition) {
    for (section, (name, aside)) in partition.sections.iter().zip([("r₁", -0.08), ("r₂", 0.08), ("r₃", 0.08)]) {
        panel.notes.push((name.into(), section.to + aside, 1.0));
    }
}

/// Figure 1, left: k(r) and its piecewise-linear k̃(r) with the paper's breakpoints; below them the error k − k̃ within its
/// proven bound ±ε_M.
fn figure_1_left() -> Result<Picture> {
    let (r_max, value) = (5.0, |r: f64| KERNEL.curve(r).value);
    let (partition, pwl) = (Partition::new(KERNEL, (0.0, r_max))?, PwlKernel::paper(KERNEL, 1, (0.0, r_max))?);
    let corners = pwl.breakpoints().iter().zip(pwl.values()).map(|(r, k)| Place::bare(*r, *k)).collect();
    let chords = Curve { pen: CHORDS, points: corners, marked: (1, 0) };
    let mut top = panel("k(r) / σ_f²", &partition, (-0.03, 1.06), vec![line(Pen::BLACK, 0.0, r_max, value), chords]);
    top.title = "Matérn 3/2, D = 1".into();
    name_cuts(&mut top, &partition);
    let error = pwl.error();
    let bound = |sign: f64| line(THRESHOLD, 0.0, r_max, move |_| sign * error);
    let difference = line(Pen::BLACK, 0.0, r_max, |r| value(r) - pwl.value(r));
    let curves = vec![bound(1.0), bound(-1.0), difference];
    let mut bottom = panel("(k − k̃) / σ_f²", &partition, (-1.7 * error, 1.7 * error), curves);
    bottom.notes.push((format!("proven: |k − k̃| ≤ ε_M = {error:.4} σ_f²"), 0.75 * r_max, 1.2 * error));
    let chords = format!("k̃(r), M = {} segments", pwl.segments());
    Ok(chart::draw(&[top, bottom], 1, WIDE, &[("k(r)", Pen::BLACK), (&chords, CHORDS)], None))
}

/// Figure 2: k(r) drawn by its parts, and below it k''(r) with the thresholds ±ε_k that part them.
fn figure_2() -> Result<Picture> {
    let partition = Partition::new(KERNEL, (0.0, 4.0))?;
    let by_part = |curve: fn(f64) -> f64| -> Vec<Curve> {
        let part = |section: &fathom_gp::Section| line(style(section.stretch).2, section.from, section.to, curve);
        partition.sections.iter().map(part).collect()
    };
    let mut top = panel("k(r) / σ_f²", &partition, (-0.03, 1.06), by_part(|r| KERNEL.curve(r).value));
    top.title = "Matérn 3/2".into();
    name_cuts(&mut top, &partition);
    let (epsilon, mut curves) = (partition.threshold, by_part(|r| KERNEL.curve(r).second));
    let heights = || curves.iter().flat_map(|curve| &curve.points).map(|place| place.y);
    let (low, high) = (heights().fold(-2.0 * epsilon, f64::min), heights().fold(2.0 * epsilon, f64::max));
    let pad = 0.06 * (high - low);
    curves.extend([epsilon, -epsilon].map(|y| line(THRESHOLD, 0.0, 4.0, move |_| y)));
    let mut bottom = panel("k″(r) / σ_f²", &partition, (low - pad, high + pad), curves);
    for (name, y) in [("ε_k", epsilon + pad), ("−ε_k", -epsilon - 2.0 * pad)] {
        bottom.notes.push((name.into(), 3.85, y));
    }
    let legend = [Stretch::Nonlinear, Stretch::NearLinear, Stretch::Tail].map(|part| (style(part).0, style(part).2));
    Ok(chart::draw(&[top, bottom], 1, WIDE, &legend, None))
}

const NEAR: Pen = Pen { colour: "#d55e00", dash: "7 4", ..Pen::BLACK };
const GRADIENT: Pen = Pen { colour: "#0072b2", width: 0.0, dash: "", mark: Mark::Square };
const SAMPLED: Pen = Pen { colour: "#007a58", mark: Mark::Triangle, ..GRADIENT };
const PROGRAM: Pen = Pen { colour: "#d55e00", mark: Mark::Star, ..GRADIENT };
const CERTIFIED: Pen = Pen { colour: "#1a1a1a", mark: Mark::Circle, ..GRADIENT };

/// Samples that the sampling method takes.
const SAMPLES: u32 = 8;

/// How far from the minimum a method has to end, in value and in place, to be drawn as one that misses it.
const MISSED: (f64, f64) = (0.1, 0.2);

/// What the piecewise-linear kernel makes of an acquisition function, and where its minimisers end.
struct Effect {
    exact: Vec<Place>,
    near: Vec<Place>,
    gradient: Place,
    sampled: Place,
    program: Place,
    certified: Place,
}

/// Figure 1, right: the LCB of ten samples of the prior in one dimension and that under k̃, on the first draw on which a descent
/// from the origin and the best of eight samples both miss the minimum, as in the paper's picture.
fn figure_1_right() -> Result<Picture> {
    let mut effects = (0..1000).map(|seed| {
        let sample = PriorSample { kernel: KERNEL, d: 1, n: 10, lengthscale: Some(0.15), noise: 1e-6, seed };
        Effect::of(&sample.draw()?.0, Criterion::Lcb { kappa: sample.kappa() })
    });
    let misses = |effect: &Effect| {
        let is_far = |end: &Place, from: &Place| end.y > from.y + MISSED.0 && (end.x - from.x).abs() > MISSED.1;
        [effect.gradient, effect.sampled].iter().all(|end| is_far(end, &effect.certified))
    };
    let found = effects.find(|effect| effect.as_ref().map_or(true, misses));
    Ok(found.context("no draw on which the local methods miss")??.picture())
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
        let pad = 0.07 * (high - low);
        let line = |pen, points| Curve { pen, points, marked: (usize::MAX, 601) };
        let mut curves = vec![line(Pen::BLACK, self.exact), line(NEAR, self.near)];
        // Names stand beside the ends, below their curves.
        let ends = [
            ("descent from the origin", GRADIENT, self.gradient, 0.135),
            ("the best of eight samples", SAMPLED, self.sampled, 0.0),
            ("minimum under k̃, proven", PROGRAM, self.program, -0.16),
            ("minimum, proven", CERTIFIED, self.certified, 0.12),
        ];
        curves.extend(ends.map(|(_, pen, place, _)| Curve { pen, points: vec![place], marked: (1, 0) }));
        let (x, y) = (Axis::linear(0.0, 1.0), Axis::linear(low - 2.0 * pad, high + pad));
        let mut panel = Panel::new("Matérn 3/2, ten observations".into(), ("x", "acquisition function"), x, y, curves);
        panel.notes = ends.map(|(name, _, place, aside)| (name.into(), place.x + aside, place.y - 1.4 * pad)).to_vec();
        let legend = [("LCB", Pen::BLACK), ("LCB under the piecewise-linear k̃", NEAR)];
        chart::draw(&[panel], 1, TALL, &legend, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_certified_end_is_lowest_and_the_programs_is_close_to_it() {
        let sample = PriorSample { kernel: KERNEL, d: 1, n: 10, lengthscale: Some(0.15), noise: 1e-6, seed: 3 };
        let posterior = sample.draw().expect("a problem").0;
        let effect = Effect::of(&posterior, Criterion::Lcb { kappa: sample.kappa() }).expect("an effect");
        let lowest = effect.exact.iter().map(|place| place.y).fold(f64::INFINITY, f64::min);
        assert!(effect.certified.y <= lowest + 1e-4, "{} above {lowest}", effect.certified.y);
        assert!(effect.gradient.y >= effect.certified.y - 1e-4 && effect.sampled.y >= effect.certified.y - 1e-4);
        let near = effect.near.iter().map(|place| place.y).fold(f64::INFINITY, f64::min);
        assert!((effect.program.y - near).abs() < 1e-2, "{} beside {near}", effect.program.y);
    }

    #[test]
    fn the_figures_are_written_as_svg() {
        let folder = tempfile::tempdir().expect("a folder");
        for file in save_paper_figures(folder.path()).expect("the figures can be drawn") {
            let text = std::fs::read_to_string(&file).expect("the file was written");
            assert!(text.contains("<svg") && text.len() > 3000, "{}", file.display());
        }
    }
}
