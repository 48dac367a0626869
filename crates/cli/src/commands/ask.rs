//! `fathom ask`.

use crate::args::Ask;
use crate::studies::{self, Purpose};
use fathom_study::Lease;
use std::process::ExitCode;
use std::time::Duration;

/// How long a trial waits for an `ask` that was killed before anybody saw its number.
const UNSEEN: Duration = Duration::from_secs(20);

pub fn run(args: &Ask) -> anyhow::Result<ExitCode> {
    let mut study = studies::open(&args.study, Purpose::Ask)?;
    let lease = Lease { owner: studies::owner(0), duration: args.lease.unwrap_or(UNSEEN) };
    for _ in 0..args.count {
        let Some(trial) = study.ask_leased(&lease, u64::MAX)? else { break };
        match args.json {
            true => say!("{}", serde_json::json!({ "id": trial.id, "point": trial.point })),
            false => say!("trial {}: {}", trial.id, studies::point(&trial)),
        }
        // Printed, it is somebody's; until then the next who asks gets it.
        if args.lease.is_none() {
            study.keep(trial.id, &lease.owner)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
