//! How long asking and telling takes, and where the time goes.
//!
//! One worker on one thread: three functions of three inputs, the default gap, asks at 95 to 104 trials, half of those
//! trials chosen by the model, so that they crowd where late trials do; on further stores the first function alone, as the
//! model is the same. Seconds are by the clock and of the thread's CPU, where others share the machine. The store's share of an ask is what it takes
//! beside the model: reading all trials and adding one. The fit's share is measured beside it, by fitting the same trials
//! once more. Then four workers at once, 250 asks and tells each, without a model.

mod row;
mod tables;

pub use row::{Row, What};
pub use tables::tables;

use crate::evidence::{self, Run};
use anyhow::{Context as _, ensure};
use cpu_time::ThreadTime;
use fathom_study::{Definition, Function, Study};
use std::path::Path;
use std::time::Instant;

/// Trials that are there when an ask is measured.
const MEASURED: std::ops::Range<u64> = 95..105;

/// Workers at once, and the trials of each.
const WORKERS: usize = 4;
const EACH: usize = 250;

/// What is minimised over the unit cube of three inputs.
type Target = fn(&[f64]) -> f64;
const FUNCTIONS: [(&str, Target); 3] =
    [("hartmann", |x| Function::Hartmann3.value(x)), ("ackley", ackley), ("rosenbrock", rosenbrock)];

/// In three inputs, as [`Function::Ackley`] is in two.
fn ackley(x: &[f64]) -> f64 {
    use std::f64::consts::PI;
    let x: Vec<f64> = x.iter().map(|u| -32.0 + 48.0 * u).collect();
    let square = x.iter().map(|x| x * x).sum::<f64>() / 3.0;
    let waves = x.iter().map(|x| (2.0 * PI * x).cos()).sum::<f64>() / 3.0;
    20.0 - 20.0 * (-0.2 * square.sqrt()).exp() + 1_f64.exp() - waves.exp()
}

/// In three inputs, as [`Function::Rosenbrock`] is in two.
fn rosenbrock(x: &[f64]) -> f64 {
    let x: Vec<f64> = x.iter().map(|u| -2.0 + 4.0 * u).collect();
    x.windows(2).map(|pair| (1.0 - pair[0]).powi(2) + 100.0 * (pair[1] - pair[0] * pair[0]).powi(2)).sum()
}

/// Seconds by the clock and of this thread's CPU.
struct Watch {
    clock: Instant,
    cpu: ThreadTime,
}

impl Watch {
    fn start() -> Self {
        Self { clock: Instant::now(), cpu: ThreadTime::now() }
    }

    fn read(&self) -> (f64, f64) {
        (self.clock.elapsed().as_secs_f64(), self.cpu.elapsed().as_secs_f64())
    }
}

/// Measures on the stores at `urls` into a new `folder`; the tables.
pub fn run(urls: &[String], folder: &Path) -> anyhow::Result<String> {
    ensure!(!urls.is_empty(), "at least one store is needed, for example sqlite:///tmp/latency.db");
    let mut raw = Run::<Row>::create(folder)?;
    // The fit's starts would share the cores.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut measure = |url: &String, functions: &[(&str, Target)], is_crowded: bool| {
        let store = url.split("://").next().unwrap_or(url).to_owned();
        let mut push = |what, function: &str, trials, (seconds, cpu)| {
            raw.push(&Row { store: store.clone(), what, function: function.into(), trials, seconds, cpu })
        };
        if is_crowded {
            crowd(url, &mut push)?;
        }
        functions.iter().try_for_each(|(name, function)| pool.install(|| one_worker(url, name, *function, &mut push)))
    };
    let (first, others) = FUNCTIONS.split_at(1);
    for url in urls {
        measure(url, first, true)?;
    }
    measure(&urls[0], others, false)?;
    report(folder)
}

/// Makes `tables.md` of the run in `folder` from its `raw.csv` alone, and returns it.
pub fn report(folder: &Path) -> anyhow::Result<String> {
    let text = tables(&evidence::read(folder)?);
    evidence::write_tables(folder, &text)?;
    Ok(text)
}

/// A study of three inputs, with a name that no other run has.
fn create(url: &str, name: &str, initial: usize) -> anyhow::Result<Study> {
    let inputs: String = (1..=3).map(|j| format!("x{j} = {{ type = 'float', low = 0, high = 1 }}\n")).collect();
    let name = format!("{name}-{}", std::process::id());
    let text = format!("name = '{name}'\n[parameters]\n{inputs}[strategy]\ninitial = {initial}\n");
    Ok(Study::create(url, Definition::parse(&text)?)?)
}

fn one_worker(
    url: &str,
    name: &str,
    function: Target,
    push: &mut impl FnMut(What, &str, u64, (f64, f64)) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut study = create(url, name, 50)?;
    for number in 0..MEASURED.end {
        let is_measured = MEASURED.contains(&number);
        let mut reading = 0.0;
        if is_measured {
            let watch = Watch::start();
            study.trials()?;
            let read = watch.read();
            reading = read.1;
            let watch = Watch::start();
            study.landscape()?;
            let both = watch.read();
            push(What::Fit, name, number, (both.0 - read.0, both.1 - read.1))?;
        }
        let watch = Watch::start();
        let trial = study.ask(1)?.pop().context("one trial")?;
        let asked = watch.read();
        let x: Vec<f64> = trial.point.values().filter_map(fathom_study::Value::as_f64).collect();
        let watch = Watch::start();
        study.tell(trial.id, function(&x))?;
        let told = watch.read();
        if is_measured {
            push(What::Ask, name, number, asked)?;
            // The model's seconds are by the clock, so its share of the CPU is not known; that of reading is measured.
            push(What::Store, name, number, (asked.0 - trial.suggestion.seconds, reading))?;
            push(What::Tell, name, number, told)?;
        }
    }
    Ok(())
}

/// What, the trial's number, and seconds by the clock and of the CPU.
type Timed = (What, u64, (f64, f64));

fn crowd(url: &str, push: &mut impl FnMut(What, &str, u64, (f64, f64)) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let name = create(url, "crowd", 5000)?.definition().name.clone();
    let work = || -> fathom_study::Result<Vec<Timed>> {
        let mut study = Study::open(url, &name)?;
        let mut times = Vec::new();
        for _ in 0..EACH {
            let watch = Watch::start();
            let trials = study.ask(1)?;
            times.push((What::CrowdedAsk, trials[0].id, watch.read()));
            let watch = Watch::start();
            study.tell(trials[0].id, trials[0].id as f64)?;
            times.push((What::CrowdedTell, trials[0].id, watch.read()));
        }
        Ok(times)
    };
    let times = std::thread::scope(|scope| -> anyhow::Result<Vec<_>> {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        let mut times = Vec::new();
        for worker in workers {
            times.extend(worker.join().map_err(|_| anyhow::anyhow!("a worker broke down"))??);
        }
        Ok(times)
    })?;
    let trials = Study::open(url, &name)?.trials()?;
    ensure!(trials.len() == WORKERS * EACH, "{} trials are there, not {}", trials.len(), WORKERS * EACH);
    ensure!(trials.iter().all(|trial| trial.objective() == Some(trial.id as f64)), "a value was lost");
    for (what, number, seconds) in times {
        push(what, "", number, seconds)?;
    }
    Ok(())
}
