//! How long asking and telling takes, and where the time goes.
//!
//! One worker on one thread: three functions of three inputs, the default gap, asks at 95 to 104 trials, half of those
//! trials chosen by the model, so that they crowd where late trials do; on further stores the first function alone, as the
//! model is the same. Seconds are by the clock and of the thread's CPU, as others share the machine. The store's share of an ask
//! is what it takes beside the model: reading all trials and adding one. The fit's share is measured beside it, by fitting the
//! same trials once more. Then four workers at once, 250 asks and tells each, without a model.

use crate::experiment::Experiment;
use crate::statistics::{Spread, median};
use crate::table::{Named, Table};
use crate::units::human;
use anyhow::{Context as _, ensure};
use cpu_time::ThreadTime;
use fathom_study::{Definition, Function, Study};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

/// Trials that are there when an ask is measured.
const MEASURED: std::ops::Range<u64> = 95..105;

/// Workers at once, and the trials of each.
const WORKERS: usize = 4;
const EACH: usize = 250;

/// What is minimised over the unit cube of three inputs.
const FUNCTIONS: [Named<[f64], f64>; 3] =
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

/// The experiment. Stores must exist or be files; PostgreSQL needs the feature `postgres`.
#[derive(clap::Args, Debug)]
pub struct Latency {
    /// Where to measure; may be given several times.
    #[arg(long, value_name = "URL", required_unless_present = "tables")]
    store: Vec<String>,
}

/// What was timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum What {
    Ask,
    /// The fit alone.
    Fit,
    /// What of an ask is not the model: reading and adding.
    Store,
    Tell,
    /// Of one of four workers.
    CrowdedAsk,
    CrowdedTell,
}

/// A measurement.
#[derive(Debug, Serialize, Deserialize)]
pub struct Row {
    store: String, // `sqlite` or `postgres`
    what: What,
    function: String, // what was minimised; nothing in a crowd
    trials: u64,      // of the study before, or the trial's number in a crowd
    seconds: f64,     // by the clock
    cpu_seconds: f64, // of the thread; of the store, of reading alone
}

/// A store, and what is minimised in it; nothing is the crowd.
type Part = (String, Option<usize>);

impl Experiment for Latency {
    type Part = Part;
    type Row = Row;

    fn settings(&self) -> String {
        format!("asks with {MEASURED:?} trials\n{WORKERS} workers, {EACH} trials each")
    }

    fn parts(&self, quick: bool) -> anyhow::Result<Vec<Part>> {
        let mut parts: Vec<Part> =
            self.store.iter().flat_map(|url| [(url.clone(), None), (url.clone(), Some(0))]).collect();
        let first = self.store.first().filter(|_| !quick);
        parts.extend(first.iter().flat_map(|url| (1..FUNCTIONS.len()).map(|at| ((*url).clone(), Some(at)))));
        Ok(parts)
    }

    fn name((url, function): &Part) -> String {
        format!("{} {}", kind(url), function.map_or("", |at| FUNCTIONS[at].0))
    }

    fn part_of(row: &Row) -> String {
        format!("{} {}", row.store, row.function)
    }

    fn measure(&self, (url, function): &Part, _: &Path) -> anyhow::Result<Vec<Row>> {
        let (name, timed) = match function {
            None => ("", crowd(url)?),
            Some(at) => (FUNCTIONS[*at].0, one_worker(url, FUNCTIONS[*at])?),
        };
        let row = |(what, trials, (seconds, cpu_seconds)): Timed| {
            let (store, function) = (kind(url).to_owned(), name.to_owned());
            Row { store, what, function, trials, seconds, cpu_seconds }
        };
        Ok(timed.into_iter().map(row).collect())
    }

    fn tables(rows: &[Row]) -> String {
        let stores: BTreeSet<&str> = rows.iter().map(|row| row.store.as_str()).collect();
        let functions: BTreeSet<&str> =
            rows.iter().map(|row| row.function.as_str()).filter(|f| !f.is_empty()).collect();
        let functions: Vec<&str> = functions.into_iter().collect();
        let mut text =
            String::from("Median (slowest) by the clock; median of the thread's CPU, of the store that of reading.\n");
        for store in stores {
            let cell = |what: What, function: &str| {
                let here = |row: &&Row| row.store == store && row.what == what && row.function == function;
                let clock = Spread::of(rows.iter().filter(here).map(|row| row.seconds))?;
                let cpu = median(rows.iter().filter(here).map(|row| row.cpu_seconds))?;
                Some(format!("{} ({}); CPU {}", human(clock.middle), human(clock.high), human(cpu)))
            };
            let head = format!("{store}, one worker, N = 95 to 104, D = 3");
            let mut table = Table::new(&head, &functions, |function| (*function).into());
            let fit = (What::Fit, "of which the fit");
            for (what, label) in [(What::Ask, "ask"), fit, (What::Store, "of which the store"), (What::Tell, "tell")] {
                table.line(label, |function| cell(what, function));
            }
            text += &format!("\n{}", table.into_text());
            let crowd = [(What::CrowdedAsk, "ask"), (What::CrowdedTell, "tell")];
            let head = format!("{store}, four workers, 1000 trials, no model");
            let mut table = Table::new(&head, &crowd, |(_, label)| (*label).into());
            table.line("each", |(what, _)| cell(*what, ""));
            text += &format!("\n{}", table.into_text());
        }
        text
    }
}

fn kind(url: &str) -> &str {
    url.split("://").next().unwrap_or(url)
}

/// A study of three inputs, with a name that no other run has.
fn create(url: &str, name: &str, initial: usize) -> anyhow::Result<Study> {
    let inputs: String = (1..=3).map(|j| format!("x{j} = {{ type = 'float', low = 0, high = 1 }}\n")).collect();
    let name = format!("{name}-{}", std::process::id());
    let text = format!("name = '{name}'\n[parameters]\n{inputs}[strategy]\ninitial = {initial}\n");
    Ok(Study::create(url, Definition::parse(&text)?)?)
}

/// What, the trial's number, and seconds by the clock and of the thread's CPU.
type Timed = (What, u64, (f64, f64));

fn timed<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<(T, (f64, f64)), E> {
    let (clock, cpu) = (Instant::now(), ThreadTime::now());
    let done = work()?;
    Ok((done, (clock.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64())))
}

fn one_worker(url: &str, (name, function): Named<[f64], f64>) -> anyhow::Result<Vec<Timed>> {
    let mut study = create(url, name, 50)?;
    let mut times = Vec::new();
    for number in 0..MEASURED.end {
        let is_measured = MEASURED.contains(&number);
        let mut reading = 0.0;
        if is_measured {
            let (_, read) = timed(|| study.trials())?;
            let (_, both) = timed(|| study.surrogate())?;
            reading = read.1;
            times.push((What::Fit, number, (both.0 - read.0, both.1 - read.1)));
        }
        let (mut trials, asked) = timed(|| study.ask(1))?;
        let trial = trials.pop().context("one trial")?;
        let x: Vec<f64> = trial.point.values().filter_map(fathom_study::Value::as_f64).collect();
        let (_, told) = timed(|| study.tell(trial.id, function(&x)))?;
        if is_measured {
            // The model's seconds are by the clock, so its share of the CPU is not known; that of reading is measured.
            let store = (asked.0 - trial.suggestion.seconds, reading);
            times.extend([(What::Ask, number, asked), (What::Store, number, store), (What::Tell, number, told)]);
        }
    }
    Ok(times)
}

fn crowd(url: &str) -> anyhow::Result<Vec<Timed>> {
    let name = create(url, "crowd", 5000)?.definition().name.clone();
    let work = || -> fathom_study::Result<Vec<Timed>> {
        let mut study = Study::open(url, &name)?;
        let mut times = Vec::new();
        for _ in 0..EACH {
            let (trials, asked) = timed(|| study.ask(1))?;
            let id = trials[0].id;
            let (_, told) = timed(|| study.tell(id, id as f64))?;
            times.extend([(What::CrowdedAsk, id, asked), (What::CrowdedTell, id, told)]);
        }
        Ok(times)
    };
    let times = std::thread::scope(|scope| -> anyhow::Result<Vec<Timed>> {
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
    Ok(times)
}
