//! `fathom demo`.

use crate::args::{Demo, Picture};
use crate::picture;
use crate::studies::number_text;
use crate::text::plain_path;
use fathom_study::{Definition, Function, Origin, Study};
use std::process::ExitCode;
use std::time::Instant;

pub fn run(args: &Demo) -> anyhow::Result<ExitCode> {
    picture::check(&args.output)?;
    let function: Function = args.function.parse()?;
    let mut study = Study::create("memory:", Definition::parse(&function.study_file())?)?;
    let started = Instant::now();
    say!("{}: {} evaluations, first a design, then minima of the acquisition function", function.name(), args.trials);
    say!("trial  value       best so far  can still gain");
    let mut best = f64::INFINITY;
    for _ in 0..args.trials {
        let trial = study.ask(1)?.remove(0);
        let x: Vec<f64> = function.parameters().iter().filter_map(|name| trial.number(name)).collect();
        let value = function.value(&x);
        study.tell(trial.id, value)?;
        let improves = value < best;
        best = best.min(value);
        if improves || trial.id % 10 == 0 {
            let gain = match (trial.suggestion.origin, trial.suggestion.bound) {
                (_, Some(bound)) => number_text(bound.gain),
                (Origin::Design, None) => "(initial design)".into(),
                (Origin::Model | Origin::Import, None) => "not known yet".into(),
            };
            say!("{:>5}  {:<10}  {:<11}  {gain}", trial.id, number_text(value), number_text(best));
        }
    }
    let certified = study.history()?.iter().filter(|step| step.gap.is_some()).count();
    say!("\nfound {}, the true minimum is {}", number_text(best), number_text(function.minimum()));
    say!("{certified} suggestions with a certificate, {:.1} s", started.elapsed().as_secs_f64());
    picture::save(&mut study, Picture::Convergence, &args.output)?;
    say!("picture: {}", plain_path(&args.output));
    Ok(ExitCode::SUCCESS)
}
