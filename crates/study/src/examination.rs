//! What somebody who only looks sees of a store: whether the store and its records can be read.

use crate::address::Address;
use crate::definition::Definition;
use crate::error::Result;
use crate::remark::Remark;
use crate::space::Space;
use crate::spool::Spool;
use crate::store::{Kept, consult};
use crate::trial::{State, Trial};
use crate::values::OBJECTIVE;
use std::time::{SystemTime, UNIX_EPOCH};

/// Examines the store at an address, and in it the study that `definition` is about, without changing anything. It is an
/// error if the store cannot be opened.
pub fn examine(address: impl Into<Address>, definition: &Definition, spool: &Spool) -> Result<Vec<Remark>> {
    let mut store = consult(address)?;
    let mut remarks = store.examine()?;
    let names = store.names()?;
    remarks.push(Remark::fact(match names.len() {
        0 => "no studies".into(),
        count => format!("{count} studies: {}", names.join(", ")),
    }));
    match store.snapshot(Some(&definition.name))?.studies.first() {
        Some(kept) => remarks.extend(of_study(kept, definition)),
        None => remarks.push(Remark::finding(format!("it has no study `{}`", definition.name))),
    }
    remarks.extend(of_spool(spool));
    Ok(remarks)
}

fn of_study(kept: &Kept, definition: &Definition) -> Vec<Remark> {
    let mut remarks = Vec::new();
    match Definition::parse_kept(&kept.text) {
        Err(error) => remarks.push(Remark::finding(format!("its stored study file cannot be read: {error}"))),
        Ok(stored) => match definition.difference(&stored) {
            Some(what) => remarks.push(Remark::finding(format!("its {what} is not that of the study file"))),
            None if kept.text != definition.text() => {
                remarks.push(Remark::fact("the study file was edited; the next run or ask takes up the edits"));
            }
            None => {}
        },
    }
    let mut trials = Vec::new();
    for (i, row) in kept.rows.iter().enumerate() {
        if row.number != i as i64 + 1 {
            remarks.push(Remark::finding(format!("trial {} stands where trial {} should", row.number, i + 1)));
        }
        match row.clone().trial() {
            Ok(trial) => trials.push(trial),
            Err(error) => remarks.push(Remark::finding(error.to_string())),
        }
    }
    for trial in &trials {
        remarks.extend(of_trial(trial, &definition.space));
    }
    let count = |state: State| trials.iter().filter(|trial| trial.state == state).count();
    let set_aside: String = [State::Cancelled, State::Withdrawn]
        .into_iter()
        .filter(|state| count(*state) > 0)
        .map(|state| format!(", {} {}", count(state), state.name()))
        .collect();
    remarks.push(Remark::fact(format!(
        "study `{}`: {} trials can be read, {} complete, {} failed, {} pending{}",
        kept.name,
        trials.len(),
        count(State::Complete),
        count(State::Failed),
        count(State::Pending),
        set_aside
    )));
    remarks
}

fn of_trial(trial: &Trial, space: &Space) -> Vec<Remark> {
    let mut remarks = Vec::new();
    if let Err(error) = space.check(&trial.point) {
        remarks.push(Remark::finding(format!("the point of trial {} is not of this study: {error}", trial.id)));
    }
    if trial.state == State::Complete && trial.objective().is_none() {
        remarks.push(Remark::finding(format!("trial {} has {}, and no `{OBJECTIVE}`", trial.id, trial.values)));
    }
    if let (State::Pending, Some(owner), Some(lease)) = (trial.state, &trial.owner, trial.lease)
        && lease < f64::MAX
    {
        let left = lease - SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |elapsed| elapsed.as_secs_f64());
        remarks.push(Remark::fact(match left > 0.0 {
            true => format!("trial {} is out to {owner} for another {left:.0} s, by this machine's clock", trial.id),
            false => format!(
                "the lease of trial {} to {owner} ended {:.0} s ago, by this machine's clock: the next who asks is given it",
                trial.id, -left
            ),
        }));
    }
    remarks
}

fn of_spool(spool: &Spool) -> Vec<Remark> {
    let path = spool.path().display();
    match spool.read() {
        Ok(lines) if lines.is_empty() => Vec::new(),
        Ok(lines) => vec![Remark::finding(format!(
            "{} values wait in {path} to be told: the next run, ask, tell or import tells them",
            lines.len()
        ))],
        Err(error) => vec![Remark::finding(error.to_string())],
    }
}
