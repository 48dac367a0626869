//! How the search scales: time and nodes against inputs, observations, lengthscale, gap, noise and kernel.
//!
//! Problems follow the `prior` rule, after Section 5.1 of the paper: N points of a Latin hypercube in [0, 1]^D (N =
//! min(10 D, 30) unless N is what varies), one lengthscale √D · logU[0.1, 1], σ_f² ~ U[0.5, 2], y a sample of the
//! prior with its noise (1e-6 unless it varies), κ = √(0.2 D log 2(N + 1)). Draws depend on D, N and the repetition
//! only: along the other axes the same points, variances and normal numbers meet every setting. Matérn 3/2 and RBF,
//! gap 1e-3, one thread. Seconds are those of building the problem from a posterior and searching it, by the clock.

use crate::chart::{self, Axis, Curve, Mark, Panel, Pen, Picture, Place};
use crate::experiment::Experiment;
use crate::prior_sample::PriorSample;
use crate::statistics::Spread;
use crate::table::{Named, Table};
use crate::units::human;
use fathom_global::{Limits, Problem, Region, Stop, minimise};
use fathom_gp::{Criterion, Kernel};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::{Duration, Instant};

/// All five, as raw data, tables and pictures call them.
const KERNELS: [(Kernel, &str, &str); 5] = [
    (Kernel::Matern12, "matern12", "Matérn 1/2"),
    (Kernel::Matern32, "matern32", "Matérn 3/2"),
    (Kernel::Matern52, "matern52", "Matérn 5/2"),
    (Kernel::Rbf, "rbf", "RBF"),
    (Kernel::RationalQuadratic { alpha: 1.0 }, "rq", "RQ, α = 1"),
];

/// What varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Along {
    Inputs,
    Observations,
    Lengthscale,
    Gap,
    Noise,
    /// By its place in [`KERNELS`].
    Kernel,
}

impl Along {
    /// Each with what it is called, where it is measured, and how many of those places are quick.
    #[rustfmt::skip]
    const ALL: [(Self, &str, &[f64], usize); 6] = [
        (Self::Inputs, "inputs D, N = min(10 D, 30)", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0], 4),
        (Self::Observations, "observations N, D = 2", &[10.0, 30.0, 100.0, 300.0, 500.0, 1000.0], 3),
        (Self::Lengthscale, "lengthscale, D = 3, N = 30", &[2.0, 1.0, 0.5, 0.2, 0.1, 0.05], 4),
        (Self::Gap, "absolute gap, D = 3, N = 30", &[1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6], 6),
        (Self::Noise, "noise variance, D = 3, N = 30", &[1e-10, 1e-8, 1e-6, 1e-4, 1e-2], 5),
        (Self::Kernel, "kernel, D = 3, N = 30", &[0.0, 1.0, 2.0, 3.0, 4.0], 5),
    ];

    /// A place on it, for people.
    fn tick(self, at: f64) -> String {
        match self {
            Self::Kernel => kernel_title(at),
            Self::Gap | Self::Noise => format!("{at:.0e}").replace('-', "−"),
            Self::Inputs | Self::Observations | Self::Lengthscale => format!("{}", (at * 1e6).round() / 1e6),
        }
    }

    fn axis(self, places: &[f64]) -> Axis {
        match self {
            Self::Inputs => Axis::linear(0.0, 11.0),
            Self::Kernel => Axis { names: Some(kernel_title), ..Axis::linear(-1.0, 5.0) },
            Self::Observations | Self::Lengthscale | Self::Gap | Self::Noise => {
                Axis::decades(places.iter().copied(), 1e-10)
            }
        }
    }
}

fn kernel_title(at: f64) -> String {
    let title = KERNELS.iter().enumerate().find(|(i, _)| *i as f64 == at).map(|(_, kernel)| kernel.2);
    title.unwrap_or_default().into()
}

/// The experiment.
#[derive(clap::Args, Debug)]
pub struct Scaling {
    /// Seconds for each solve.
    #[arg(long, default_value_t = 60)]
    time_limit: u64,
    /// Problems drawn for each setting.
    #[arg(long, default_value_t = 5)]
    repetitions: usize,
}

/// A solve.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Row {
    axis: Along,
    at: f64,
    kernel: String,
    d: usize,
    n: usize,
    lengthscale: f64,
    noise: f64,
    gap: f64,
    repetition: usize,
    seed: u64,
    time_limit: f64,
    seconds: f64,
    nodes: u64,
    value: Option<f64>,
    lower_bound: Option<f64>,
    status: String,
}

/// One setting of everything that can vary.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    axis: Along,
    at: f64,
    sample: PriorSample,
    kernel: &'static str,
    gap: f64,
    repetition: usize,
}

impl Setting {
    fn new(axis: Along, at: f64, kernel: usize, repetition: usize) -> Self {
        let whole = at as usize;
        let (d, n) = match axis {
            Along::Inputs => (whole, (10 * whole).min(30)),
            Along::Observations => (2, whole),
            Along::Lengthscale | Along::Gap | Along::Noise | Along::Kernel => (3, 30),
        };
        let kernel = KERNELS[if axis == Along::Kernel { whole } else { kernel }];
        let sample = PriorSample {
            kernel: kernel.0,
            d,
            n,
            lengthscale: (axis == Along::Lengthscale).then_some(at),
            noise: if axis == Along::Noise { at } else { 1e-6 },
            seed: (d * 1_000_000 + n * 100 + repetition) as u64,
        };
        Self { axis, at, sample, kernel: kernel.1, gap: if axis == Along::Gap { at } else { 1e-3 }, repetition }
    }
}

impl Experiment for Scaling {
    type Part = Setting;
    type Row = Row;

    fn settings(&self) -> String {
        format!("time limit {} s", self.time_limit)
    }

    fn parts(&self, quick: bool) -> anyhow::Result<Vec<Setting>> {
        let mut parts = Vec::new();
        for repetition in 0..self.repetitions {
            for (axis, _, places, short) in Along::ALL {
                let kernels: &[usize] = if axis == Along::Kernel { &[0] } else { &[1, 3] };
                for at in &places[..if quick { short } else { places.len() }] {
                    parts.extend(kernels.iter().map(|kernel| Setting::new(axis, *at, *kernel, repetition)));
                }
            }
        }
        Ok(parts)
    }

    fn name(part: &Setting) -> String {
        format!("{:?} {:?} {} {}", part.axis, part.at, part.kernel, part.repetition)
    }

    fn part_of(row: &Row) -> String {
        format!("{:?} {:?} {} {}", row.axis, row.at, row.kernel, row.repetition)
    }

    fn measure(&self, part: &Setting, _: &Path) -> anyhow::Result<Vec<Row>> {
        let Setting { axis, at, sample, kernel, gap, repetition } = *part;
        let PriorSample { d, n, noise, seed, .. } = sample;
        let (posterior, lengthscale) = sample.draw()?;
        let time = Some(Duration::from_secs(self.time_limit));
        let limits = Limits { gap, relative_gap: 0.0, time, threads: 1, ..Limits::default() };
        let start = Instant::now();
        let region = Region::new(&vec![(0.0, 1.0); d])?;
        let problem = Problem::new(&posterior, Criterion::Lcb { kappa: sample.kappa() }, region)?;
        let found = minimise(&problem, &limits, &Stop::new(false), |_| ())?;
        Ok(vec![Row {
            axis,
            at,
            kernel: kernel.into(),
            d,
            n,
            lengthscale,
            noise,
            gap,
            repetition,
            seed,
            time_limit: self.time_limit as f64,
            seconds: start.elapsed().as_secs_f64(),
            nodes: found.nodes,
            value: Some(found.value),
            lower_bound: found.lower_bound,
            status: found.status.name().into(),
        }])
    }

    fn tables(rows: &[Row]) -> String {
        let mut text =
            String::from("Medians over problems drawn by the `prior` rule, extremes in brackets; one thread.\n");
        for (axis, label, ..) in Along::ALL {
            let series = series(rows, axis);
            let mut places: Vec<f64> = series.iter().flat_map(|(_, points)| points).map(|point| point.at).collect();
            places.sort_by(f64::total_cmp);
            places.dedup();
            if places.is_empty() {
                continue;
            }
            let mut table = Table::new(label, &series, |(name, _)| format!("{name}: time | nodes | proven"));
            for at in places {
                let cell = |(_, points): &Series| points.iter().find(|point| point.at == at).map(Point::cell);
                table.line(&axis.tick(at), |series| Some(cell(series).unwrap_or_else(|| "– | – | –".into())));
            }
            // Each head stands for three columns.
            let (one, three) = ("---|".repeat(series.len()), "---|".repeat(3 * series.len()));
            text += &format!(
                "\n{}",
                table.into_text().replacen(&format!("\n|---|{one}\n"), &format!("\n|---|{three}\n"), 1)
            );
        }
        text
    }

    fn pictures(rows: &[Row]) -> Vec<(&'static str, Picture)> {
        let pens = [
            Pen { mark: Mark::Circle, ..Pen::BLACK },
            Pen { colour: "#d55e00", width: 2.0, dash: "9 3", mark: Mark::Square },
        ];
        let measures: [Named<Point, Spread>; 2] =
            [("seconds to proof", |point| point.seconds), ("boxes bounded", |point| point.nodes)];
        let mut panels = Vec::new();
        for (axis, label, places, _) in Along::ALL {
            for (name, measure) in measures {
                let curve = |((_, points), pen): (&Series, Pen)| {
                    let place = |point: &Point| {
                        let Spread { low, middle, high } = measure(point);
                        Place { x: point.at, y: middle, low, high }
                    };
                    let width = if axis == Along::Kernel { 0.0 } else { pen.width };
                    Curve { pen: Pen { width, ..pen }, points: points.iter().map(place).collect(), marked: (1, 0) }
                };
                let curves: Vec<Curve> = series(rows, axis).iter().zip(pens).map(curve).collect();
                let ends = curves.iter().flat_map(|curve| &curve.points).flat_map(|place| [place.low, place.high]);
                let (x, y) = (axis.axis(places), Axis::decades(ends, 1e-9));
                panels.push(Panel::new(String::new(), (label, name), x, y, curves));
            }
        }
        let legend = [("Matérn 3/2, or all kernels", pens[0]), ("RBF", pens[1])];
        let note = "medians; whiskers: from the least to the most of the repetitions";
        vec![("scaling", chart::draw(&panels, 2, (380.0, 180.0), &legend, Some(note)))]
    }
}

/// All repetitions at one place.
struct Point {
    at: f64,
    seconds: Spread,
    nodes: Spread,
    proven: usize,
    solved: usize,
}

impl Point {
    fn cell(&self) -> String {
        let Self { seconds, nodes, proven, solved, .. } = self;
        // If most did not end, the median would have been longer.
        let open = if 2 * (solved - proven) > *solved { "≥ " } else { "" };
        let [middle, low, high] = [seconds.middle, seconds.low, seconds.high].map(human);
        format!("{open}{middle} ({low}–{high}) | {} ({}–{}) | {proven}/{solved}", nodes.middle, nodes.low, nodes.high)
    }
}

/// A curve: a name and its points from left to right.
type Series = (&'static str, Vec<Point>);

/// The curves along one axis, by kernel unless that is the axis.
fn series(rows: &[Row], axis: Along) -> Vec<Series> {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.axis == axis).collect();
    let mut places: Vec<f64> = rows.iter().map(|row| row.at).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let curve = |name, kernel: Option<&str>| -> Series {
        let point = |at: f64| {
            let here = |row: &&&Row| row.at == at && kernel.is_none_or(|kernel| row.kernel == kernel);
            let here: Vec<&Row> = rows.iter().filter(here).copied().collect();
            Some(Point {
                at,
                seconds: Spread::of(here.iter().map(|row| row.seconds))?,
                nodes: Spread::of(here.iter().map(|row| row.nodes as f64))?,
                proven: here.iter().filter(|row| row.status == "optimal").count(),
                solved: here.len(),
            })
        };
        (name, places.iter().filter_map(|at| point(*at)).collect())
    };
    let curves: Vec<Series> = match axis {
        Along::Kernel => vec![curve("all kernels", None)],
        Along::Inputs | Along::Observations | Along::Lengthscale | Along::Gap | Along::Noise => {
            KERNELS.iter().map(|(_, kernel, title)| curve(title, Some(kernel))).collect()
        }
    };
    curves.into_iter().filter(|(_, points)| !points.is_empty()).collect()
}
