//! `fathom ask`.

use crate::args::Ask;
use crate::studies;
use std::process::ExitCode;

pub fn run(args: &Ask) -> anyhow::Result<ExitCode> {
    let mut study = studies::open(&args.study)?;
    for _ in 0..args.count {
        let trial = study.ask(1)?.remove(0);
        match args.json {
            true => say!("{}", serde_json::json!({ "id": trial.id, "point": trial.point })),
            false => say!("trial {}: {}", trial.id, studies::point(&trial)),
        }
    }
    Ok(ExitCode::SUCCESS)
}
