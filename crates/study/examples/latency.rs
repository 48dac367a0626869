//! How long asking and telling takes: `latency [URL]`, by default on an SQLite file of its own.
//!
//! First one worker at N = 100 trials of a function of three inputs, then four with 250 asks and tells each.

use fathom_study::{Definition, Function, Result, Study, connect};
use std::time::{Duration, Instant};

fn main() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("fathom-latency-{}.db", std::process::id()));
    let url = std::env::args().nth(1).unwrap_or_else(|| format!("sqlite://{}", folder.display()));
    println!("| what | median | slowest |\n|---|---|---|");
    model(&url)?;
    crowd(&url)?;
    // Where it is not ours, it is not there.
    let _ = std::fs::remove_file(folder);
    Ok(())
}

fn row(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let shown = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
    println!("| {what} | {} | {} |", shown(times[times.len() / 2]), shown(times[times.len() - 1]));
}

fn timed<T>(times: &mut Vec<Duration>, act: impl FnOnce() -> Result<T>) -> Result<T> {
    let started = Instant::now();
    let outcome = act()?;
    times.push(started.elapsed());
    Ok(outcome)
}

/// Asks at N = 100, D = 3 with a model, and the store's share.
fn model(url: &str) -> Result<()> {
    let function = Function::Hartmann3;
    let name = format!("latency-{}", std::process::id());
    let text = function.study_file().replace("\"hartmann3\"\n\n", &format!("\"{name}\"\n\n"));
    let mut study = Study::create(url, Definition::parse(&(text + "[strategy]\ninitial = 60\n"))?)?;
    let (mut asks, mut loads, mut tells) = (Vec::new(), Vec::new(), Vec::new());
    for number in 1..=110 {
        let mut times = Vec::new();
        let trial = timed(&mut times, || study.ask(1))?.remove(0);
        let x: Vec<f64> = function.parameters().iter().filter_map(|name| trial.number(name)).collect();
        timed(&mut tells, || study.tell(trial.id, function.value(&x)))?;
        if number > 95 {
            asks.extend(times);
            timed(&mut loads, || study.trials())?;
        }
    }
    row("ask, N = 95 to 110, D = 3", asks);
    row("of which the store: all trials read", loads);
    row("tell", tells);
    Ok(())
}

/// Four workers, 250 asks and tells each, points of the initial design.
fn crowd(url: &str) -> Result<()> {
    let name = format!("crowd-{}", std::process::id());
    let text = Function::Hartmann3.study_file().replace("\"hartmann3\"\n\n", &format!("\"{name}\"\n\n"));
    Study::create(url, Definition::parse(&(text + "[strategy]\ninitial = 5000\n"))?)?;
    let work = || -> Result<(Vec<Duration>, Vec<Duration>)> {
        let mut study = Study::open(url, &name)?;
        let (mut asks, mut tells) = (Vec::new(), Vec::new());
        for _ in 0..250 {
            let trial = timed(&mut asks, || study.ask(1))?.remove(0);
            timed(&mut tells, || study.tell(trial.id, trial.id as f64))?;
        }
        Ok((asks, tells))
    };
    let (mut asks, mut tells) = (Vec::new(), Vec::new());
    std::thread::scope(|scope| -> Result<()> {
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            let (a, t) = worker.join().expect("no worker panics")?;
            asks.extend(a);
            tells.extend(t);
        }
        Ok(())
    })?;
    let mut store = connect(url)?;
    let key = store.find(&name)?.expect("it was created above").key;
    let mut points: Vec<String> = store.trials(key)?.iter().map(|trial| format!("{:?}", trial.point)).collect();
    points.sort();
    points.dedup();
    assert_eq!(points.len(), 1000, "every ask is a point of its own");
    row("ask, 4 workers, 1000 trials", asks);
    row("tell, 4 workers, 1000 trials", tells);
    Ok(())
}
