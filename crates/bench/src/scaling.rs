//! How the search scales: time and nodes against inputs, observations, lengthscale, gap, noise and kernel.
//!
//! Problems follow the `prior` rule, after Section 5.1 of the paper: N points of a Latin hypercube in [0, 1]^D (N =
//! min(10 D, 30) unless N is what varies), one lengthscale √D · logU[0.1, 1], σ_f² ~ U[0.5, 2], y a sample of the
//! prior with its noise (1e-6 unless it varies), κ = √(0.2 D log 2(N + 1)). Draws depend on D, N and the repetition
//! only: along the other axes the same points, variances and normal numbers meet every setting. Matérn 3/2 and RBF,
//! gap 1e-3, one thread. Seconds are those of building the problem from a posterior and searching it, by the clock.
//!
//! `raw.csv` grows by a row a solve and a run can be taken up again; tables and plots are made from it alone.

use crate::evidence::median;
use crate::search::{count, human, number, optional, status_name};
use anyhow::{Context as _, anyhow, bail, ensure};
use fathom_global::{Limits, Problem, Region, Stop, minimise};
use fathom_gp::{Covariance, Criterion, Dataset, Kernel, Model, Points, Posterior, Replicates, sample_normal};
use kuva::plot::legend::LegendPosition;
use kuva::plot::scatter::MarkerShape;
use kuva::prelude::{AxisLine, Layout, LinePlot, Plot, PngBackend, ScatterPlot, SvgBackend, TickFormat};
use kuva::render::figure::Figure as Grid;
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

const HEAD: &str =
    "axis,at,kernel,d,n,lengthscale,noise,gap,repetition,seed,time_limit,seconds,nodes,value,lower_bound,status";

/// All five, as raw files and plots call them.
const KERNELS: [(Kernel, &str, &str); 5] = [
    (Kernel::Matern12, "matern12", "Matérn 1/2"),
    (Kernel::Matern32, "matern32", "Matérn 3/2"),
    (Kernel::Matern52, "matern52", "Matérn 5/2"),
    (Kernel::Rbf, "rbf", "RBF"),
    (Kernel::RationalQuadratic { alpha: 1.0 }, "rq", "RQ, α = 1"),
];

/// What varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// D.
    Inputs,
    /// N.
    Observations,
    /// l, the same for all inputs.
    Lengthscale,
    /// The absolute gap.
    Gap,
    /// σ_ε².
    Noise,
    /// The kernel, by its place in the list of all.
    Kernel,
}

impl Axis {
    const ALL: [Self; 6] = [Self::Inputs, Self::Observations, Self::Lengthscale, Self::Gap, Self::Noise, Self::Kernel];

    fn name(self) -> &'static str {
        match self {
            Self::Inputs => "inputs",
            Self::Observations => "observations",
            Self::Lengthscale => "lengthscale",
            Self::Gap => "gap",
            Self::Noise => "noise",
            Self::Kernel => "kernel",
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Inputs => "inputs D, N = min(10 D, 30)",
            Self::Observations => "observations N, D = 2",
            Self::Lengthscale => "lengthscale, D = 3, N = 30",
            Self::Gap => "absolute gap, D = 3, N = 30",
            Self::Noise => "noise variance, D = 3, N = 30",
            Self::Kernel => "kernel, D = 3, N = 30",
        }
    }

    /// Where it is measured; `quick` leaves out what takes long.
    fn values(self, quick: bool) -> Vec<f64> {
        let (all, short): (&[f64], usize) = match self {
            Self::Inputs => (&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0], 4),
            Self::Observations => (&[10.0, 30.0, 100.0, 300.0, 500.0, 1000.0], 3),
            Self::Lengthscale => (&[2.0, 1.0, 0.5, 0.2, 0.1, 0.05], 4),
            Self::Gap => (&[1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6], 6),
            Self::Noise => (&[1e-10, 1e-8, 1e-6, 1e-4, 1e-2], 5),
            Self::Kernel => (&[0.0, 1.0, 2.0, 3.0, 4.0], 5),
        };
        all[..if quick { short } else { all.len() }].to_vec()
    }

    fn is_logarithmic(self) -> bool {
        match self {
            Self::Inputs | Self::Kernel => false,
            Self::Observations | Self::Lengthscale | Self::Gap | Self::Noise => true,
        }
    }

    /// What plots count in: kuva's logarithmic axes end at 1e-10, where the noise begins.
    fn unit(self) -> f64 {
        if self == Self::Noise { 1e-6 } else { 1.0 }
    }

    /// A place on it, for people.
    fn tick(self, at: f64) -> String {
        match self {
            Self::Kernel if (at - at.round()).abs() < 1e-9 && at >= 0.0 => {
                KERNELS.get(at.round() as usize).map_or(String::new(), |kernel| kernel.2.into())
            }
            Self::Kernel => String::new(),
            Self::Gap | Self::Noise => format!("{at:.0e}").replace('-', "−"),
            Self::Inputs | Self::Observations | Self::Lengthscale => format!("{}", (at * 1e6).round() / 1e6),
        }
    }
}

/// What to run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// For each solve, wall-clock.
    pub time_limit: Duration,
    /// Problems drawn for each setting, ≥ 1.
    pub repetitions: usize,
    /// Leave out what takes long: D > 4, N > 100, lengthscales < 0.2.
    pub quick: bool,
}

impl Default for Plan {
    /// Enough for a median, and for a proof of all but the hardest problems.
    fn default() -> Self {
        Self { time_limit: Duration::from_secs(60), repetitions: 5, quick: false }
    }
}

/// One setting of everything that can vary.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Setting {
    axis: Axis,
    at: f64,
    /// By its place in [`KERNELS`].
    kernel: usize,
    d: usize,
    n: usize,
    /// `None`: drawn.
    lengthscale: Option<f64>,
    noise: f64,
    gap: f64,
    repetition: usize,
}

impl Setting {
    fn new(axis: Axis, at: f64, kernel: usize, repetition: usize) -> Self {
        let base = Self { axis, at, kernel, d: 3, n: 30, lengthscale: None, noise: 1e-6, gap: 1e-3, repetition };
        match axis {
            Axis::Inputs => Self { d: at as usize, n: (10 * at as usize).min(30), ..base },
            Axis::Observations => Self { d: 2, n: at as usize, ..base },
            Axis::Lengthscale => Self { lengthscale: Some(at), ..base },
            Axis::Gap => Self { gap: at, ..base },
            Axis::Noise => Self { noise: at, ..base },
            Axis::Kernel => Self { kernel: at as usize, ..base },
        }
    }

    /// Everything to be measured; the repetitions outermost, so that a run cut short has some of all.
    fn all(plan: &Plan) -> Vec<Self> {
        let mut all = Vec::new();
        for repetition in 0..plan.repetitions {
            for axis in Axis::ALL {
                for at in axis.values(plan.quick) {
                    let kernels: &[usize] = if axis == Axis::Kernel { &[0] } else { &[1, 3] };
                    all.extend(kernels.iter().map(|kernel| Self::new(axis, at, *kernel, repetition)));
                }
            }
        }
        all
    }

    fn seed(&self) -> u64 {
        (self.d * 1_000_000 + self.n * 100 + self.repetition) as u64
    }

    fn is_in(&self, rows: &[Row]) -> bool {
        let kernel = KERNELS[self.kernel].1;
        let same = |row: &Row| (row.axis, row.at, row.repetition) == (self.axis, self.at, self.repetition);
        rows.iter().any(|row| same(row) && row.kernel == kernel)
    }

    /// The posterior of a problem drawn by the rule, and its lengthscale.
    fn draw(&self) -> anyhow::Result<(Posterior, f64)> {
        let Self { d, n, .. } = *self;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed());
        let mut x = vec![vec![0.0; d]; n];
        for j in 0..d {
            let mut strata: Vec<usize> = (0..n).collect();
            strata.shuffle(&mut rng);
            for (row, stratum) in x.iter_mut().zip(strata) {
                row[j] = (stratum as f64 + rng.random::<f64>()) / n as f64;
            }
        }
        let drawn = (d as f64).sqrt() * 10_f64.powf(rng.random::<f64>() - 1.0);
        let lengthscale = self.lengthscale.unwrap_or(drawn);
        let sigma_f2 = 0.5 + 1.5 * rng.random::<f64>();
        let covariance = Covariance::ard(KERNELS[self.kernel].0, sigma_f2, &vec![lengthscale; d])?;
        let gram = covariance.gram(&Points::from_rows(&x)?, self.noise);
        let y = sample_normal(&vec![0.0; n], &gram, 1, &mut rng)?.remove(0);
        let data = Dataset::with_replicates(&x, &y, Replicates::Keep)?;
        Ok((Model::new(covariance, self.noise)?.condition(&data)?, lengthscale))
    }

    fn kappa(&self) -> f64 {
        (0.2 * self.d as f64 * (2.0 * (self.n as f64 + 1.0)).ln()).sqrt()
    }

    fn solve(&self, time_limit: Duration) -> anyhow::Result<Row> {
        let (posterior, lengthscale) = self.draw()?;
        let limits =
            Limits { gap: self.gap, relative_gap: 0.0, time: Some(time_limit), threads: 1, ..Limits::default() };
        let start = Instant::now();
        let region = Region::new(&vec![(0.0, 1.0); self.d])?;
        let problem = Problem::new(&posterior, Criterion::Lcb { kappa: self.kappa() }, region)?;
        let found = minimise(&problem, &limits, &Stop::new(false), |_| ())?;
        let seconds = start.elapsed().as_secs_f64();
        let Self { axis, at, d, n, noise, gap, repetition, .. } = *self;
        Ok(Row {
            axis,
            at,
            kernel: KERNELS[self.kernel].1.into(),
            d,
            n,
            lengthscale,
            noise,
            gap,
            repetition,
            seed: self.seed(),
            time_limit: time_limit.as_secs_f64(),
            seconds,
            nodes: found.nodes,
            value: Some(found.value),
            lower_bound: found.lower_bound,
            status: status_name(found.status).into(),
        })
    }
}

/// One line of `raw.csv`: a solve.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What varies.
    pub axis: Axis,
    /// Its value.
    pub at: f64,
    /// `matern12`, `matern32`, `matern52`, `rbf` or `rq`.
    pub kernel: String,
    /// Inputs.
    pub d: usize,
    /// Observations.
    pub n: usize,
    /// The same for all inputs.
    pub lengthscale: f64,
    /// σ_ε².
    pub noise: f64,
    /// The absolute gap asked for.
    pub gap: f64,
    /// From 0; each draws its own problem.
    pub repetition: usize,
    /// Of the draw.
    pub seed: u64,
    /// Seconds allowed.
    pub time_limit: f64,
    /// Seconds taken.
    pub seconds: f64,
    /// Boxes bounded.
    pub nodes: u64,
    /// Best value.
    pub value: Option<f64>,
    /// Proven lower bound.
    pub lower_bound: Option<f64>,
    /// `optimal`, or why not.
    pub status: String,
}

impl Row {
    fn to_line(&self) -> String {
        let Self { kernel, d, n, lengthscale, repetition, seed, time_limit, seconds, status, .. } = self;
        let (axis, at, noise, gap) = (self.axis.name(), self.at, self.noise, self.gap);
        let (nodes, value, lower) = (count(Some(self.nodes)), number(self.value), number(self.lower_bound));
        format!(
            "{axis},{at:?},{kernel},{d},{n},{lengthscale:?},{noise:?},{gap:?},{repetition},{seed},{time_limit:?},\
             {seconds:?},{nodes},{value},{lower},{status}"
        )
    }

    fn parse(line: &str) -> anyhow::Result<Self> {
        let fields: Vec<&str> = line.split(',').collect();
        let [
            axis,
            at,
            kernel,
            d,
            n,
            lengthscale,
            noise,
            gap,
            repetition,
            seed,
            limit,
            seconds,
            nodes,
            value,
            lower,
            status,
        ] = fields[..]
        else {
            bail!("{line}: {} fields are needed", HEAD.split(',').count());
        };
        let axis = Axis::ALL.into_iter().find(|known| known.name() == axis);
        Ok(Self {
            axis: axis.with_context(|| format!("{line}: no such axis"))?,
            at: at.parse()?,
            kernel: kernel.into(),
            d: d.parse()?,
            n: n.parse()?,
            lengthscale: lengthscale.parse()?,
            noise: noise.parse()?,
            gap: gap.parse()?,
            repetition: repetition.parse()?,
            seed: seed.parse()?,
            time_limit: limit.parse()?,
            seconds: seconds.parse()?,
            nodes: nodes.parse()?,
            value: optional(value)?,
            lower_bound: optional(lower)?,
            status: status.into(),
        })
    }
}

/// The rows of the study in `folder`. A last line cut short by whatever ended the run is left out.
pub fn read(folder: &Path) -> anyhow::Result<Vec<Row>> {
    let path = folder.join("raw.csv");
    let text = std::fs::read_to_string(&path).with_context(|| format!("could not read {}", path.display()))?;
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut lines = whole.lines();
    ensure!(lines.next() == Some(HEAD), "{} does not begin with `{HEAD}`", path.display());
    lines.map(|line| Row::parse(line).with_context(|| format!("in {}", path.display()))).collect()
}

/// Solves what `folder/raw.csv` does not hold yet, adding each row as it comes, then makes tables and plots.
pub fn run(plan: &Plan, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    ensure!(plan.repetitions > 0, "at least one repetition is needed");
    std::fs::create_dir_all(folder).with_context(|| format!("could not create {}", folder.display()))?;
    let path = folder.join("raw.csv");
    let done = if path.exists() { read(folder)? } else { Vec::new() };
    // Written anew, so that a line cut short is gone.
    let lines: Vec<String> = done.iter().map(|row| row.to_line() + "\n").collect();
    std::fs::write(&path, format!("{HEAD}\n{}", lines.concat()))
        .with_context(|| format!("could not write {}", path.display()))?;
    let mut raw = File::options().append(true).open(&path)?;
    let left: Vec<Setting> = Setting::all(plan).into_iter().filter(|setting| !setting.is_in(&done)).collect();
    eprintln!("{} solves are there, {} to do", done.len(), left.len());
    if let Some(first) = left.first() {
        first.solve(plan.time_limit)?; // warms up
    }
    for setting in left {
        let row = setting.solve(plan.time_limit).with_context(|| format!("solving {setting:?}"))?;
        eprintln!("{} = {}, {}: {}", row.axis.name(), row.axis.tick(row.at), row.kernel, human(row.seconds));
        writeln!(raw, "{}", row.to_line())?;
        raw.flush()?;
    }
    report(folder)
}

/// Makes `tables.md` and the plots of the study in `folder` from its `raw.csv` alone; the files written.
pub fn report(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let rows = read(folder)?;
    let path = folder.join("tables.md");
    std::fs::write(&path, tables(&rows)).with_context(|| format!("could not write {}", path.display()))?;
    let mut written = vec![path];
    for axis in Axis::ALL {
        let series = series(&rows, axis);
        if !series.is_empty() {
            written.extend(draw(axis, &series, folder)?);
        }
    }
    Ok(written)
}

/// Median and extremes.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Spread {
    low: f64,
    middle: f64,
    high: f64,
}

impl Spread {
    fn of(values: Vec<f64>) -> Option<Self> {
        let low = values.iter().copied().reduce(f64::min)?;
        let high = values.iter().copied().reduce(f64::max)?;
        Some(Self { low, middle: median(values)?, high })
    }
}

/// All repetitions at one place of an axis.
#[derive(Debug, Clone, PartialEq)]
struct Place {
    at: f64,
    seconds: Spread,
    nodes: Spread,
    proven: usize,
    solved: usize,
    time_limit: f64,
}

impl Place {
    fn of(at: f64, rows: &[&Row]) -> Option<Self> {
        Some(Self {
            at,
            seconds: Spread::of(rows.iter().map(|row| row.seconds).collect())?,
            nodes: Spread::of(rows.iter().map(|row| row.nodes as f64).collect())?,
            proven: rows.iter().filter(|row| row.status == "optimal").count(),
            solved: rows.len(),
            time_limit: rows.iter().map(|row| row.time_limit).fold(0.0, f64::max),
        })
    }

    /// What is known of the median where the runs that did not end would have taken longer.
    fn at_least(&self) -> &'static str {
        if 2 * (self.solved - self.proven) > self.solved { "≥ " } else { "" }
    }
}

/// What is drawn of a place.
type Measure = fn(&Place) -> Spread;

/// A curve: a name and its places from left to right.
type Series = (&'static str, Vec<Place>);

/// The curves of one axis, by kernel unless that is the axis.
fn series(rows: &[Row], axis: Axis) -> Vec<Series> {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.axis == axis).collect();
    let mut values: Vec<f64> = rows.iter().map(|row| row.at).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let curve = |name, among: &dyn Fn(&Row) -> bool| -> Series {
        let at = |at: &f64| rows.iter().copied().filter(|row| row.at == *at && among(row)).collect::<Vec<&Row>>();
        (name, values.iter().filter_map(|value| Place::of(*value, &at(value))).collect())
    };
    let curves: Vec<Series> = if axis == Axis::Kernel {
        vec![curve("all kernels", &|_| true)]
    } else {
        KERNELS.iter().map(|(_, kernel, title)| curve(title, &|row| row.kernel == *kernel)).collect()
    };
    curves.into_iter().filter(|(_, places)| !places.is_empty()).collect()
}

/// The tables, from the raw rows alone.
pub fn tables(rows: &[Row]) -> String {
    let mut text = String::from("Medians over problems drawn by the `prior` rule, extremes in brackets; one thread.\n");
    text += &targets(rows);
    for axis in Axis::ALL {
        let curves = series(rows, axis);
        if curves.is_empty() {
            continue;
        }
        let heads: Vec<String> = curves.iter().map(|(name, _)| format!("{name}: time | nodes | proven")).collect();
        text += &format!("\n| {} | {} |\n|---|{}\n", axis.label(), heads.join(" | "), "---|".repeat(3 * curves.len()));
        for Place { at, .. } in places(&curves) {
            let cells: Vec<String> = curves.iter().map(|(_, curve)| cell(curve, at)).collect();
            text += &format!("| {} | {} |\n", axis.tick(at), cells.join(" | "));
        }
    }
    text
}

/// The places of the curves together, each once.
fn places(curves: &[Series]) -> Vec<Place> {
    let mut all: Vec<Place> = curves.iter().flat_map(|(_, places)| places.clone()).collect();
    all.sort_by(|a, b| a.at.total_cmp(&b.at));
    all.dedup_by(|a, b| a.at == b.at);
    all
}

fn cell(curve: &[Place], at: f64) -> String {
    let Some(place) = curve.iter().find(|place| place.at == at) else { return "– | – | –".into() };
    let Place { seconds, nodes, proven, solved, .. } = place;
    let open = place.at_least();
    format!(
        "{open}{} ({}–{}) | {} ({}–{}) | {proven}/{solved}",
        human(seconds.middle),
        human(seconds.low),
        human(seconds.high),
        nodes.middle,
        nodes.low,
        nodes.high
    )
}

/// What is asked of problems drawn by the rule, over both kernels.
fn targets(rows: &[Row]) -> String {
    let mut text = String::from("\n| asked | median | proven | |\n|---|---|---|---|\n");
    let asked = [
        ("8D, N = 30", Axis::Inputs, 8.0, 1.0),
        ("10D, N = 30", Axis::Inputs, 10.0, 20.0),
        ("2D, N = 500", Axis::Observations, 500.0, 2.0),
        ("2D, N = 1000", Axis::Observations, 1000.0, 10.0),
    ];
    for (name, axis, at, limit) in asked {
        let chosen: Vec<&Row> = rows.iter().filter(|row| row.axis == axis && row.at == at).collect();
        let cells = match Place::of(at, &chosen) {
            Some(place) => {
                let met = place.seconds.middle < limit && place.at_least().is_empty();
                let (open, middle) = (place.at_least(), human(place.seconds.middle));
                let is_short = !place.at_least().is_empty() && place.seconds.middle < limit;
                let verdict = match (met, is_short) {
                    (true, _) => "met",
                    (false, true) => "undecided: the time limit was shorter",
                    (false, false) => "**missed**",
                };
                format!("{open}{middle} | {}/{} | {verdict}", place.proven, place.solved)
            }
            None => "– | – | –".into(),
        };
        text += &format!("| {name} under {} | {cells} |\n", human(limit));
    }
    text
}

// Okabe and Ito's colours, one dark and one light; marks differ too, for print in grey.
const STYLES: [(&str, MarkerShape, f64); 5] = [
    ("#1a1a1a", MarkerShape::Circle, -1.0),
    ("#d55e00", MarkerShape::Square, 1.0),
    ("#0072b2", MarkerShape::Triangle, 0.0),
    ("#009e73", MarkerShape::Diamond, -2.0),
    ("#cc79a7", MarkerShape::TriangleDown, 2.0),
];

/// Time and nodes side by side, as `axis.svg` and `axis.png`.
fn draw(axis: Axis, series: &[Series], folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
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
    let png = PngBackend::new().with_scale(3.0).render_scene(&scene);
    let png = png.map_err(|message| anyhow!(message)).with_context(|| format!("rasterising {}", axis.name()))?;
    let mut written = Vec::new();
    for (ending, bytes) in [("svg", SvgBackend::new().render_scene(&scene).into_bytes()), ("png", png)] {
        let path = folder.join(format!("{}.{ending}", axis.name()));
        std::fs::write(&path, bytes).with_context(|| format!("could not write {}", path.display()))?;
        written.push(path);
    }
    Ok(written)
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

/// A round number, short.
fn thousands(value: f64) -> String {
    match value {
        v if v < 1e4 => format!("{v}"),
        v if v < 1e6 => format!("{} k", v / 1e3),
        v => format!("{} M", v / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(axis: Axis, at: f64, kernel: &str, seconds: f64) -> Row {
        Row {
            axis,
            at,
            kernel: kernel.into(),
            d: 3,
            n: 30,
            lengthscale: 1.0 / 3.0,
            noise: 1e-10,
            gap: 1e-3,
            repetition: 2,
            seed: 7,
            time_limit: 60.0,
            seconds,
            nodes: 12,
            value: Some(-0.1 - 0.2),
            lower_bound: None,
            status: "optimal".into(),
        }
    }

    fn folder(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("fathom-scaling-{name}-{}", std::process::id()))
    }

    #[test]
    fn rows_are_read_back_to_the_last_bit() {
        for axis in Axis::ALL {
            let row = row(axis, 0.3, "rq", 0.1 + 0.2);
            assert_eq!(Row::parse(&row.to_line()).expect("just written"), row);
        }
        assert!(Row::parse("inputs,1").is_err());
        assert!(Row::parse(&row(Axis::Gap, 0.1, "rbf", 1.0).to_line().replace("gap", "gasp")).is_err());
    }

    #[test]
    fn draws_follow_the_rule_and_repeat_themselves() {
        let setting = Setting::new(Axis::Inputs, 4.0, 3, 1);
        let (posterior, lengthscale) = setting.draw().expect("a problem");
        assert_eq!((posterior.x().len(), posterior.x().dim()), (30, 4));
        assert!((0.2..=2.0).contains(&lengthscale));
        let mut strata: Vec<usize> = posterior.x().column(2).iter().map(|x| (x * 30.0) as usize).collect();
        strata.sort_unstable();
        assert_eq!(strata, (0..30).collect::<Vec<_>>(), "one point in each stratum");
        assert_eq!(setting.draw().expect("again").0.y(), posterior.y());
        let other = Setting::new(Axis::Noise, 1e-2, 3, 1).draw().expect("a problem").0;
        let fine = Setting::new(Axis::Noise, 1e-10, 3, 1).draw().expect("a problem").0;
        assert_eq!(other.x().column(0), fine.x().column(0), "only the noise differs");
        assert!((Setting::new(Axis::Inputs, 1.0, 1, 0).kappa() - 0.786_262_354_861_062_4).abs() < 1e-15);
    }

    #[test]
    fn every_setting_is_measured_once() {
        let all = Setting::all(&Plan::default());
        assert_eq!(all.len(), 5 * (2 * (10 + 6 + 6 + 6 + 5) + 5));
        let row = row(Axis::Inputs, 3.0, "rbf", 1.0);
        let known = all.iter().filter(|setting| setting.is_in(std::slice::from_ref(&row))).count();
        assert_eq!(known, 1);
    }

    #[test]
    fn tables_show_medians_extremes_and_targets() {
        let at = |seconds, status: &str| Row { status: status.into(), ..row(Axis::Inputs, 8.0, "rbf", seconds) };
        let text = tables(&[at(0.2, "optimal"), at(0.5, "optimal"), at(60.0, "time_limit")]);
        assert!(text.contains("| 8 | 500 ms (200 ms–60 s) | 12 (12–12) | 2/3 |"), "{text}");
        assert!(text.contains("| 8D, N = 30 under 1 s | 500 ms | 2/3 | met |"), "{text}");
        let text = tables(&[at(0.2, "optimal"), at(60.0, "time_limit"), at(60.0, "time_limit")]);
        assert!(text.contains("≥ 60 s (200 ms–60 s)") && text.contains("**missed**"), "{text}");
    }

    #[test]
    fn a_study_is_taken_up_where_it_was_cut_short() {
        let folder = folder("resume");
        std::fs::create_dir_all(&folder).expect("a new folder");
        let plan = Plan { time_limit: Duration::from_secs(1), repetitions: 1, quick: true };
        let settings = Setting::all(&plan);
        let (left, done) = settings.split_first().expect("some settings");
        let known =
            |setting: &Setting| Row { repetition: 0, ..row(setting.axis, setting.at, KERNELS[setting.kernel].1, 1.0) };
        let lines: Vec<String> = done.iter().map(|setting| known(setting).to_line() + "\n").collect();
        let text = format!("{HEAD}\n{}inputs,1.0,mate", lines.concat());
        std::fs::write(folder.join("raw.csv"), text).expect("our folder");
        let written = run(&plan, &folder).expect("one small solve");
        assert_eq!(written.len(), 1 + 2 * Axis::ALL.len());
        let rows = read(&folder).expect("just written");
        assert_eq!(rows.len(), settings.len());
        assert!(left.is_in(&rows) && rows.last().is_some_and(|row| row.status == "optimal"));
        for file in written {
            assert!(std::fs::metadata(&file).expect("the file was written").len() > 500, "{}", file.display());
        }
        std::fs::remove_dir_all(folder).expect("the folder is ours");
    }
}
