//! From a study file to a study.

use crate::args::StudyFile;
use crate::text::plain;
use anyhow::Context as _;
use fathom_study::{Address, Definition, Error, Outcome, Spool, Study, TakenUp, Trial};
use std::path::Path;

/// Reads a study file; without a name it is called as the file is.
pub fn read(path: &Path) -> anyhow::Result<Definition> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("could not read {} (`fathom new` writes a study file)", path.display()))?;
    let definition = Definition::parse(&text).with_context(|| path.display().to_string())?;
    let stem = path.file_stem().map_or("study".into(), |stem| stem.to_string_lossy());
    Ok(definition.or_named(&stem))
}

/// Where the study is kept: as typed, else as the file says, else beside it.
pub fn address(args: &StudyFile, definition: &Definition) -> Address {
    let beside = || Address::of_file(&args.file.with_extension("db"));
    args.store.as_ref().map(Address::from).or_else(|| definition.store.clone()).unwrap_or_else(beside)
}

/// Where values wait that the store did not take.
pub fn spool(args: &StudyFile) -> Spool {
    Spool::beside(&args.file)
}

/// What a command does with a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Asks it for points: it is created where it does not exist, and an edited file is taken up.
    Ask,
    /// Adds what is known: it is created where it does not exist.
    Add,
    /// Tells it a value.
    Tell,
    /// Looks at it: nothing is created or written.
    Look,
}

/// The study for a purpose. Whoever acts first tells it what has waited to be told; whoever looks is told that it waits.
pub fn open(args: &StudyFile, purpose: Purpose) -> anyhow::Result<Study> {
    let definition = read(&args.file)?;
    let address = address(args, &definition);
    let context = || format!("study {} in {address}", args.file.display());
    let mut study = opened(&address, definition, purpose, args)?.with_spool(spool(args));
    if purpose == Purpose::Look {
        remark_waiting(&study, args);
    } else {
        take_up(&mut study, args).with_context(context)?;
    }
    Ok(study)
}

fn opened(address: &Address, definition: Definition, purpose: Purpose, args: &StudyFile) -> anyhow::Result<Study> {
    let study = match purpose {
        Purpose::Ask => Study::resume(address, definition),
        Purpose::Add => Study::begin(address, definition),
        Purpose::Tell => Study::join(address, definition),
        Purpose::Look => Study::consult(address, definition),
    };
    match study {
        Err(error @ Error::NoStore { .. }) => {
            Err(anyhow::anyhow!("study {} has no trials yet: {error}", args.file.display()))
        }
        study => study.with_context(|| format!("study {} in {address}", args.file.display())),
    }
}

/// The study to look at: nothing is created or written.
pub fn consult(args: &StudyFile) -> anyhow::Result<Study> {
    open(args, Purpose::Look)
}

/// Tells the study what has waited to be told to it, and says so.
pub fn take_up(study: &mut Study, args: &StudyFile) -> fathom_study::Result<()> {
    let path = spool(args);
    let path = path.path().display();
    for taken in study.take_up()? {
        match taken {
            TakenUp::Told(line) => {
                eprintln!("trial {} was told {}, which had waited in {path}", line.trial, line.outcome());
            }
            TakenUp::Kept(line, reason) => eprintln!(
                "{path} keeps {} for trial {}, which was not told: {reason}. Remove the line if it is not needed",
                line.outcome(),
                line.trial
            ),
        }
    }
    Ok(())
}

fn remark_waiting(study: &Study, args: &StudyFile) {
    let path = spool(args);
    match study.waiting() {
        Ok(0) => {}
        Ok(1) => eprintln!("1 value waits in {} to be told: run, ask, tell or import does so", path.path().display()),
        Ok(count) => {
            eprintln!("{count} values wait in {} to be told: run, ask, tell or import does so", path.path().display());
        }
        Err(error) => eprintln!("{error}"),
    }
}

/// The command that tells a trial its outcome by hand.
pub fn tell_command(args: &StudyFile, id: u64, outcome: &Outcome) -> String {
    let file = args.file.display();
    let store = args.store.as_ref().map(|store| format!(" --store {}", Address::from(store))).unwrap_or_default();
    match outcome {
        Outcome::Values(values) => {
            let objective = values.objective().map_or("VALUE".into(), |value| value.to_string());
            format!("fathom tell {file}{store} {id} {objective}")
        }
        Outcome::Failed(reason) => format!("fathom tell {file}{store} {id} --failed '{}'", reason.replace('\'', " ")),
    }
}

/// A name for worker `number` of this process, unique among workers everywhere.
pub fn owner(number: usize) -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let nanos = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |elapsed| elapsed.as_nanos());
    format!("{}-{}-{number}-{nanos}", host.trim(), std::process::id())
}

/// A trial's point on one line.
pub fn point(trial: &Trial) -> String {
    let pair = |(name, value): (&String, &fathom_study::Value)| format!("{name} = {}", short(value));
    trial.point.iter().map(pair).collect::<Vec<_>>().join(", ")
}

/// A value to look at.
fn short(value: &fathom_study::Value) -> String {
    match value {
        fathom_study::Value::Float(number) => number_text(*number),
        fathom_study::Value::Integer(_) | fathom_study::Value::Text(_) => plain(&value.to_string()),
    }
}

/// A number to look at: six digits, powers of ten where it is very small or large.
pub fn number_text(number: f64) -> String {
    match number.abs() {
        0.0 => "0".into(),
        size if (1e-4..1e7).contains(&size) => {
            let digits = (5 - size.log10().floor() as i32).clamp(0, 9) as usize;
            format!("{number:.digits$}")
        }
        _ => format!("{number:.5e}"),
    }
}
