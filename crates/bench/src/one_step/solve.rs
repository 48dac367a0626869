//! One problem by one contender, timed.

use super::{Row, Task};
use crate::contender::Contender;
use cpu_time::ProcessTime;
use fathom_global::{Limits, Problem, Region, Stop, minimise};
use fathom_gp::{Acquisition, Covariance, Criterion, Dataset, FitSettings, Noise, Posterior, Replicates, Term, fit};
use fathom_paper::{Engine, PkMiqp, PkSettings, baselines};
use std::time::{Duration, Instant};

/// Solves that take longer than this are timed once, others three times.
const LONG: Duration = Duration::from_millis(50);

/// What a solve gives.
struct Found {
    value: f64,
    lower_bound: Option<f64>,
    nodes: u64,
    status: &'static str,
}

impl Task {
    pub(super) fn row(&self, contender: Contender, posterior: &Posterior, lengthscale: f64) -> anyhow::Result<Row> {
        let region = Region::new(&vec![(0.0, 1.0); self.d])?;
        let criterion = Criterion::Lcb { kappa: self.sample().kappa() };
        let ours = PkSettings { gap: self.gap, ..PkSettings::default() };
        let half = PkSettings { relative_gap: PkSettings::paper().relative_gap, ..ours.clone() };
        let additive = (contender == Contender::AdditivePk).then(|| additive(posterior)).transpose()?;
        let stop = Stop::new(false);
        let solve = || -> anyhow::Result<Found> {
            if let Some(method) = contender.local() {
                let mut function = Acquisition::new(posterior, criterion)?;
                let settings = baselines::Settings::default();
                let found = baselines::minimise(&mut function, &region, &method, &settings, &stop)?;
                return Ok(Found { value: found.value, lower_bound: None, nodes: 0, status: "local" });
            }
            if let Some(additive) = &additive {
                let method = PkMiqp::new(Engine::Embedded, &ours)?;
                let found = method.minimise_groups(additive, criterion, &region, &stop)?;
                let nodes = found.groups.iter().map(|group| group.nodes).sum();
                let value = Acquisition::new(posterior, criterion)?.value(&found.x);
                return Ok(Found { value, lower_bound: None, nodes, status: "local" });
            }
            if contender == Contender::Certified {
                let problem = Problem::new(posterior, criterion, region.clone())?;
                let limits = Limits { gap: self.gap, ..Limits::default() };
                let found = minimise(&problem, &limits, &stop, |_| ())?;
                let (value, lower_bound, nodes) = (found.value, found.lower_bound, found.nodes);
                return Ok(Found { value, lower_bound, nodes, status: found.status.name() });
            }
            let settings = if contender == Contender::PkHalf { &half } else { &ours };
            let found = PkMiqp::new(Engine::Embedded, settings)?.minimise(posterior, criterion, &region, &stop)?;
            let (nodes, status) = (found.certificate.nodes, found.certificate.status.name());
            // What it proves is about the piecewise-linear function, and so is the status.
            Ok(Found { value: found.value, lower_bound: None, nodes, status })
        };
        let (found, seconds, cpu_seconds) = timed(solve)?;
        let sample = self.sample();
        Ok(Row {
            method: contender.name().into(),
            kernel: self.kernel.into(),
            d: self.d,
            n: sample.n,
            replication: self.replication,
            seed: sample.seed,
            lengthscale,
            variance: posterior.model().covariance.terms()[0].variance(),
            gap: if contender == Contender::PkHalf { half.relative_gap } else { self.gap },
            nodes: found.nodes,
            status: found.status.into(),
            value: found.value,
            lower_bound: found.lower_bound,
            seconds,
            cpu_seconds,
            version: env!("CARGO_PKG_VERSION").into(),
        })
    }
}

/// The answer, and clock and processor seconds of the median solve.
fn timed(solve: impl Fn() -> anyhow::Result<Found>) -> anyhow::Result<(Found, f64, f64)> {
    let mut times = Vec::new();
    loop {
        let (clock, processor) = (Instant::now(), ProcessTime::now());
        let found = solve()?;
        let (clock, processor) = (clock.elapsed(), processor.elapsed());
        times.push((clock.as_secs_f64(), processor.as_secs_f64()));
        if times.len() == 3 || clock > LONG {
            times.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (seconds, cpu_seconds) = times[times.len() / 2];
            return Ok((found, seconds, cpu_seconds));
        }
    }
}

/// A kernel for each input, fitted to the problem's data.
fn additive(posterior: &Posterior) -> anyhow::Result<Posterior> {
    let model = posterior.model();
    let (kernel, dim) = (model.covariance.terms()[0].kernel(), posterior.x().dim());
    let terms = (0..dim).map(|j| Term::new(kernel, vec![j], 1.0 / dim as f64, &[0.5])).collect::<Result<_, _>>()?;
    let rows: Vec<Vec<f64>> = posterior.x().rows().collect();
    let data = Dataset::with_replicates(&rows, posterior.y(), Replicates::Keep)?;
    let settings = FitSettings { noise: Noise::Fixed(model.noise), ..FitSettings::default() };
    Ok(fit(&Covariance::new(dim, terms)?, &data, &settings)?.posterior)
}
