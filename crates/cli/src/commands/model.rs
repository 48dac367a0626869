//! `fathom model`.

use crate::args::Model;
use crate::interrupt;
use crate::meter::Meter;
use crate::studies::{self, number_text};
use crate::text::{json, plain, plain_path};
use fathom_picture::{Format, Picture};
use fathom_study::{Goal, Learned, Report, Watch};
use std::process::ExitCode;

pub fn run(args: &Model) -> anyhow::Result<ExitCode> {
    if let Some(output) = &args.output {
        Format::of(output)?;
        fathom_files::check_destination(output)?;
    }
    let mut study = studies::consult(&args.study)?;
    let (stop, meter) = (interrupt::stop()?, Meter::new());
    let mut hear = |report: Report| meter.hear(report);
    let learned = study.learned_watched(&mut Watch::new(&stop).heard_by(&mut hear));
    meter.clear();
    let learned = learned?;
    if args.json {
        say!("{}", json(&serde_json::to_value(&learned)?)?);
    } else {
        show(&plain(&study.definition().name), study.definition().goal, &learned)?;
    }
    if let Some(output) = &args.output {
        Picture::Posterior.save(&mut study, &[], output)?;
        if !args.json {
            say!("picture: {}", plain_path(output));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show(name: &str, goal: Goal, learned: &Learned) -> anyhow::Result<()> {
    let Learned { kernel, mean, noise, warp, lengthscales, acquisition, made_of, trials } = learned;
    let of = if made_of == trials { String::new() } else { format!(" of {trials}: the best, the latest and a sample") };
    say!("{name}: the model of {made_of} finished trials{of}");
    say!("  kernel       {kernel}");
    say!("  mean         {}   expected far from all trials", number_text(*mean));
    say!("  noise        {}   deviation of a value that is measured again there", number_text(*noise));
    match warp {
        Some(warp) => {
            let worse = match goal {
                Goal::Minimise => "above",
                Goal::Maximise => "below",
            };
            say!(
                "  warp         values {worse} {} count by their logarithm, in units of {}",
                number_text(warp.centre),
                number_text(warp.width)
            );
        }
        None => say!("  warp         none"),
    }
    say!("  next step    minimises {}", acquisition.as_str().replace('_', "-"));
    say!("  lengthscales as a part of each range, the shortest first: short ones matter most");
    let mut sorted: Vec<_> = lengthscales.iter().collect();
    sorted.sort_by(|a, b| a.part_of_range.total_cmp(&b.part_of_range));
    let width = sorted.iter().map(|one| plain(&one.parameter).chars().count()).max().unwrap_or(0);
    for one in sorted {
        say!("    {:<width$}  {}", plain(&one.parameter), number_text(one.part_of_range));
    }
    Ok(())
}
