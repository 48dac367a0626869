//! `fathom demo`.
//!
//! A study like any other, in a folder of its own, so that everything that is said of it can be looked at and checked.

use crate::args::Demo;
use crate::interrupt;
use crate::meter::Meter;
use crate::studies::{number_text, point};
use crate::text::plain_path;
use anyhow::Context as _;
use fathom_picture::{Format, Picture};
use fathom_study::{Assurance, Definition, Function, Lease, Origin, Report, State, Study, StudyFile, Trial, Watch};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long the next suggestion is kept for the demo; afterwards whoever goes on with the study is given it.
const LEASE: Duration = Duration::from_secs(1);

pub fn run(args: &Demo) -> anyhow::Result<ExitCode> {
    let function: Function = args.function.parse()?;
    let folder = folder(args.folder.as_deref())?;
    let at = |ending: &str| folder.join(format!("{}.{ending}", function.name()));
    let (file, picture) = (at("toml"), at("png"));
    for new in [&at("db"), &picture] {
        anyhow::ensure!(!new.exists(), "{} exists already; name another --folder", plain_path(new));
    }
    fathom_files::create_new(&file, function.study_file().as_bytes())?;
    let definition = Definition::parse(&function.study_file())?;
    let address = StudyFile::new(definition.clone(), None, Some(&file)).address().clone();
    let mut study = Study::create(address, definition)?;
    let started = Instant::now();
    say!("{}: {} evaluations, first a design, then minima of the acquisition function", function.name(), args.trials);
    say!("trial  value       best so far  can still gain");
    let (stop, meter) = (interrupt::stop()?, Meter::of_parts(args.trials));
    let mut best = f64::INFINITY;
    let mut hear = |report: Report| meter.hear(report);
    for done in 0..args.trials {
        let mut watch = Watch::new(&stop).heard_by(&mut hear);
        let Some(trial) = study.ask_watched(None, u64::MAX, &mut watch)? else { break };
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let value = function.value(&place(function, &trial));
        study.tell(trial.id, value)?;
        meter.show_part(done + 1, || format!("best {}", number_text(best.min(value))));
        let improves = value < best;
        best = best.min(value);
        if improves || trial.id % 10 == 0 {
            let gain = match (trial.suggestion.origin, trial.suggestion.bound) {
                (_, Some(bound)) => number_text(bound.gain),
                (Origin::Design, None) => "(initial design)".into(),
                (Origin::Model | Origin::Import, None) => "not known yet".into(),
            };
            meter.aside(|| -> anyhow::Result<()> {
                say!("{:>5}  {:<10}  {:<11}  {gain}", trial.id, number_text(value), number_text(best));
                Ok(())
            })?;
        }
    }
    meter.clear();
    let seconds = started.elapsed().as_secs_f64();
    let lease = Lease { owner: fathom_study::owner(0), duration: LEASE };
    let next = study.ask_leased(&lease, u64::MAX)?;
    report(&mut study, function, seconds)?;
    if let Some(next) = next.filter(|trial| trial.state == State::Pending) {
        say!("next    {}", point(&next));
    }
    let trials = study.trials()?;
    say!("proven  {}", proven(&trials));
    say!("check   fathom verify {}", plain_path(&file));
    let bytes = Picture::Overview.draw(&mut study, &[], Format::Png)?;
    fathom_files::create_new(&picture, &bytes)?;
    say!("picture {}", plain_path(&picture));
    Ok(ExitCode::SUCCESS)
}

/// The folder that was named, or a new one.
fn folder(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    let new = || (2..).map(|i| PathBuf::from(format!("fathom-demo-{i}"))).find(|path| !path.exists());
    let folder = match named {
        Some(named) => named.to_owned(),
        None if Path::new("fathom-demo").exists() => new().context("there is a name left")?,
        None => "fathom-demo".into(),
    };
    if !folder.exists() {
        std::fs::create_dir(&folder).with_context(|| format!("could not make the folder {}", plain_path(&folder)))?;
    }
    Ok(folder)
}

fn place(function: Function, trial: &Trial) -> Vec<f64> {
    function.parameters().iter().filter_map(|name| trial.number(name)).collect()
}

/// The best trial beside the nearest true minimum.
fn report(study: &mut Study, function: Function, seconds: f64) -> anyhow::Result<()> {
    let best = study.best()?.context("nothing was evaluated")?;
    let at = place(function, &best);
    let ranges: Vec<f64> = function.bounds().iter().map(|(low, high)| high - low).collect();
    let away =
        |x: &Vec<f64>| x.iter().zip(&at).zip(&ranges).map(|((x, y), range)| ((x - y) / range).powi(2)).sum::<f64>();
    let nearest = function.minimisers().into_iter().min_by(|a, b| away(a).total_cmp(&away(b))).unwrap_or_default();
    let text = |x: &[f64]| {
        let pair = |(name, x): (&String, &f64)| format!("{name} = {}", number_text(*x));
        function.parameters().iter().zip(x).map(pair).collect::<Vec<_>>().join(", ")
    };
    let value = best.objective().map(number_text).unwrap_or_default();
    say!("\nbest    {value} at {} (trial {}, {seconds:.1} s)", text(&at), best.id);
    say!("true    {} at {}", number_text(function.minimum()), text(&nearest));
    Ok(())
}

/// What is proven of the points that the model chose, and what is not.
fn proven(trials: &[Trial]) -> String {
    let chosen: Vec<&Trial> = trials.iter().filter(|trial| trial.suggestion.origin == Origin::Model).collect();
    if chosen.is_empty() {
        return "nothing: all points are of the initial design, which no model chose".into();
    }
    let proven = chosen.iter().filter(|trial| matches!(trial.suggestion.assurance(), Assurance::Proven { .. })).count();
    let all = chosen.len();
    let how_many = if proven == all { format!("all {all}") } else { format!("{proven} of the {all}") };
    format!(
        "{how_many} points that the model chose minimise its acquisition function over the whole space, within the gap; that \
         the model is right is not proven"
    )
}
