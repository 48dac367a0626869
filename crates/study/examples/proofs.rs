//! This example measures what proofs of suggestions cost: kept with the trial, or made again (docs/decisions/012).
//!
//! `cargo run --release -p fathom-study --example proofs`

use fathom_global::{Limits, Posed as _, Stop, minimise, minimise_with_proof};
use fathom_study::{Definition, Function, Study};
use std::time::{Duration, Instant};

/// Repetitions of what is timed; the median counts.
const REPETITIONS: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("| study | trials | ask | search | with notes | boxes | proof | row | basis | made again | checked |");
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for (name, more) in [
        ("branin", ""),
        ("hartmann3", ""),
        ("hartmann3", "acquisition = 'ei'\nkernel = 'matern52'"),
        ("ackley", ""),
        ("michalewicz5", "kernel = 'rbf'\nnode_limit = 20000"),
    ] {
        play(name, more)?;
    }
    Ok(())
}

/// A study of a test function, looked at with 20, 50 and 100 trials.
fn play(name: &str, more: &str) -> Result<(), Box<dyn std::error::Error>> {
    let function: Function = name.parse()?;
    let ranges: Vec<String> = function
        .parameters()
        .iter()
        .zip(function.bounds())
        .map(|(name, (low, high))| format!("{name} = {{ type = 'float', low = {low:?}, high = {high:?} }}"))
        .collect();
    let text = format!("[parameters]\n{}\n[strategy]\ninitial = 12\n{more}", ranges.join("\n"));
    let mut study = Study::create("memory:", Definition::parse(&text)?)?;
    for count in 1..=100 {
        let trial = study.ask(1)?.remove(0);
        let x: Vec<f64> = function.parameters().iter().filter_map(|name| trial.number(name)).collect();
        study.tell(trial.id, function.value(&x))?;
        if [20, 50, 100].contains(&count) {
            println!("| {name} {} {}", more.replace('\n', ", "), measured(&mut study, count)?);
        }
    }
    Ok(())
}

/// Trial `id`, the last one.
fn measured(study: &mut Study, id: u64) -> Result<String, Box<dyn std::error::Error>> {
    let trial = study.trials()?.pop().expect("it was asked for");
    let statement = study.statement(id)?;
    let (posterior, certificate) = (statement.posterior()?, trial.suggestion.certificate.as_ref().expect("certified"));
    let problem = statement.problem(&posterior)?;
    let limits = Limits {
        gap: certificate.settings.gap,
        relative_gap: certificate.settings.relative_gap,
        nodes: certificate.settings.node_limit.unwrap_or(u64::MAX),
        seed: certificate.seed,
        ..Limits::default()
    };
    let stop = Stop::new(false);
    let plain = median(|| minimise(&problem, &limits, &stop, |_| {}).map(drop))?;
    let noted = median(|| minimise_with_proof(&problem, &limits, &stop, |_| {}).map(drop))?;
    let again = median(|| study.proof(id).map(drop))?;
    let checked = median(|| study.verify(id).map(drop))?.saturating_sub(again);
    let bytes = study.proof(id)?.proof.to_bytes()?.len();
    let row = serde_json::to_string(&trial.suggestion)?.len();
    let basis = serde_json::to_string(&trial.suggestion.basis)?.len();
    let ms = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
    Ok(format!(
        "| {id} | {:.1} ms | {} | {} | {} | {:.1} kB | {row} B | {basis} B | {} | {} |",
        trial.suggestion.seconds * 1e3,
        ms(plain),
        ms(noted),
        certificate.nodes,
        bytes as f64 / 1e3,
        ms(again),
        ms(checked),
    ))
}

fn median<E>(mut act: impl FnMut() -> Result<(), E>) -> Result<Duration, E> {
    let mut times = Vec::new();
    for _ in 0..REPETITIONS {
        let started = Instant::now();
        act()?;
        times.push(started.elapsed());
    }
    times.sort();
    Ok(times[REPETITIONS / 2])
}
