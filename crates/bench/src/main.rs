//! `fathom-bench`: one sub-command per table and figure.

mod args;

use args::{Args, Command};
use clap::Parser as _;
use fathom_bench::{
    acquisitions, approximation, constraints, evidence, figures, fits, forgery, kernels, latency, loops, misses, model,
    one_step, pays, regret, scaling, search, soundness, theory,
};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    match run(Args::parse().command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// The exit code: 1 if something was found that must not be.
fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Paper { folder, extent, threads, svm } => {
            list(&figures::save_paper_figures(&folder.join("figures"))?);
            for command in [
                Command::Table1,
                Command::OneStep { folder: folder.join("one-step"), extent },
                Command::Loops { folder: folder.join("loops"), extent, threads, svm },
                Command::Pays { folder: folder.join("pays"), extent, threads },
                Command::Theory { folder: folder.join("theory"), extent },
                Command::Regret { folder: folder.join("regret"), extent },
            ] {
                run(command)?;
            }
        }
        Command::Table1 => {
            println!("{}\n{}", approximation::table_1()?, approximation::error_table()?);
        }
        Command::Figures { folder } => {
            list(&figures::save_paper_figures(&folder)?);
        }
        Command::Theory { folder, extent } => {
            list(&if extent.tables { theory::report(&folder)? } else { theory::run(extent.quick, &folder)? });
        }
        Command::Regret { folder, extent } => {
            let plan = if extent.full { regret::Plan::FULL } else { regret::Plan::QUICK };
            list(&if extent.tables { regret::report(&folder)? } else { regret::run(&plan, &folder)? });
        }
        Command::Pays { folder, extent, threads } => {
            let plan = if extent.full { pays::Plan::FULL } else { pays::Plan::QUICK };
            let plan = pays::Plan { threads, ..plan };
            list(&if extent.tables { pays::report(&folder)? } else { pays::run(&plan, &folder)? });
        }
        Command::Fits => print!("{}", fits::table()?),
        Command::Model { folder, python, quick } => {
            let mut run = evidence::Run::create(&folder)?;
            model::run(python.as_deref(), quick, &mut run)?;
            println!("{}", model::report(&folder)?);
        }
        Command::Tables { folder } => println!("{}", model::report(&folder)?),
        Command::Search { folder, instances, yardstick, best_known, gap, time_limit, tables } => {
            if let Some(instances) = instances.filter(|_| !tables) {
                let time_limit = Duration::from_secs(time_limit);
                search::compare(&instances, yardstick.as_deref(), best_known.as_deref(), gap, time_limit, &folder)?;
            }
            println!("{}", search::report(&folder)?);
        }
        Command::Acquisitions { folder, instances, gap, time_limit, repetitions, tables } => {
            if let Some(instances) = instances.filter(|_| !tables) {
                let time_limit = Duration::from_secs(time_limit);
                acquisitions::run(&acquisitions::Plan { instances, gap, time_limit, repetitions }, &folder)?;
            }
            println!("{}", acquisitions::report(&folder)?);
        }
        Command::Kernels { folder, instances, gap, time_limit, repetitions, solved, tables } => {
            if let Some(instances) = instances.filter(|_| !tables) {
                let time_limit = Duration::from_secs(time_limit);
                kernels::run(&kernels::Plan { instances, gap, time_limit, repetitions, solved }, &folder)?;
            }
            println!("{}", kernels::report(&folder)?);
        }
        Command::Scaling { folder, time_limit, repetitions, quick, tables } => {
            let plan = scaling::Plan { time_limit: Duration::from_secs(time_limit), repetitions, quick };
            let written = if tables { scaling::report(&folder)? } else { scaling::run(&plan, &folder)? };
            list(&written);
        }
        Command::Latency { folder, store, tables } => {
            println!("{}", if tables { latency::report(&folder)? } else { latency::run(&store, &folder)? });
        }
        Command::Constraints { folder, instances, gap, time_limit, tables } => {
            let text = match instances.filter(|_| !tables) {
                Some(instances) => constraints::run(&instances, gap, Duration::from_secs(time_limit), &folder)?,
                None => constraints::report(&folder)?,
            };
            println!("{text}");
        }
        Command::Misses { folder, instances, time_limit, tables } => {
            let text = match instances.filter(|_| !tables) {
                Some(instances) => misses::run(&instances, Duration::from_secs(time_limit), &folder)?,
                None => misses::report(&folder)?,
            };
            println!("{text}");
        }
        Command::OneStep { folder, extent } => {
            let plan = if extent.full { one_step::Plan::FULL } else { one_step::Plan::QUICK };
            println!("{}", if extent.tables { one_step::report(&folder)? } else { one_step::run(&plan, &folder)? });
        }
        Command::Loops { folder, extent, threads, svm } => {
            let plan = if extent.full { loops::Plan::full() } else { loops::Plan::quick() };
            let plan = loops::Plan { threads, svm, ..plan };
            list(&if extent.tables { loops::report(&folder)? } else { loops::run(&plan, &folder)? });
        }
        Command::Forge { folder, count, seed, threads, keep, tables } => {
            let plan = forgery::Plan { count, seed, threads, keep, stride: 1 };
            let holes = if tables { 0 } else { forgery::run(&plan, &folder)? };
            println!("{}", forgery::report(&folder)?);
            if holes > 0 {
                return Ok(ExitCode::FAILURE);
            }
        }
        Command::Soundness { folder, boxes, seed, threads, tables } => {
            let plan = soundness::Plan { boxes, seed, threads };
            println!("{}", if tables { soundness::report(&folder)? } else { soundness::run(&plan, &folder)? });
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(written: &[PathBuf]) {
    for path in written {
        println!("{}", path.display());
    }
}
