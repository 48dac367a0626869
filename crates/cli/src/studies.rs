//! Studies on the command line: opened, and what is said of them.

use crate::args;
use crate::text::plain;
use anyhow::Context as _;
use fathom_study::{Address, Error, Opened, Outcome, Point, Purpose, Study, StudyFile, TakenUp, Trial, Value};

/// The study file that was named.
pub fn file(args: &args::StudyFile) -> anyhow::Result<StudyFile> {
    Ok(StudyFile::read(&args.file, args.store.as_deref())?)
}

/// The study for a purpose; a message says what became of values that had waited.
pub fn open(args: &args::StudyFile, purpose: Purpose) -> anyhow::Result<Study> {
    opened(args, &file(args)?, purpose)
}

/// The same for a file that was read.
pub fn opened(args: &args::StudyFile, file: &StudyFile, purpose: Purpose) -> anyhow::Result<Study> {
    let Opened { study, taken_up } = match file.open(purpose) {
        Err(error @ Error::NoStore { .. }) => {
            anyhow::bail!("study {} has no trials yet: {error}", args.file.display())
        }
        opened => opened.with_context(|| format!("study {} in {}", args.file.display(), file.address()))?,
    };
    let spool = file.spool().map_or_else(String::new, |spool| spool.path().display().to_string());
    for taken in taken_up {
        match taken {
            TakenUp::Told(line) => {
                eprintln!("trial {} was told {}, which had waited in {spool}", line.trial, line.outcome());
            }
            TakenUp::Kept(line, reason) => eprintln!(
                "{spool} keeps {} for trial {}, which was not told: {reason}. Remove the line if it is not needed",
                line.outcome(),
                line.trial
            ),
        }
    }
    if purpose == Purpose::Look {
        match study.waiting() {
            Ok(0) => {}
            Ok(1) => eprintln!("1 value waits in {spool} to be told: run, ask, tell or import tells it"),
            Ok(count) => eprintln!("{count} values wait in {spool} to be told: run, ask, tell or import tells them"),
            Err(error) => eprintln!("{error}"),
        }
    }
    Ok(study)
}

/// The study to look at: nothing is created or written.
pub fn consult(args: &args::StudyFile) -> anyhow::Result<Study> {
    open(args, Purpose::Look)
}

/// The command that tells a trial its outcome by hand.
pub fn tell_command(args: &args::StudyFile, id: u64, outcome: &Outcome) -> String {
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

/// A trial's point on one line.
pub fn point(trial: &Trial) -> String {
    point_text(&trial.point)
}

/// A point on one line.
pub fn point_text(point: &Point) -> String {
    let pair = |(name, value): (&String, &Value)| format!("{name} = {}", short(value));
    point.iter().map(pair).collect::<Vec<_>>().join(", ")
}

/// A value for people to look at.
fn short(value: &Value) -> String {
    match value {
        Value::Float(number) => number_text(*number),
        Value::Integer(_) | Value::Boolean(_) | Value::Text(_) => plain(&value.to_string()),
    }
}

/// A number for people to look at: six digits, with a power of ten if the number is very small or large.
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
