//! From a study file to a study.

use crate::args::StudyFile;
use anyhow::Context as _;
use fathom_study::{Definition, Study, Trial};
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
pub fn address(args: &StudyFile, definition: &Definition) -> String {
    let beside = || format!("sqlite://{}", args.file.with_extension("db").display());
    args.store.clone().or_else(|| definition.store.clone()).unwrap_or_else(beside)
}

/// The study, created where it does not exist yet.
pub fn open(args: &StudyFile) -> anyhow::Result<Study> {
    let definition = read(&args.file)?;
    let url = address(args, &definition);
    Study::resume(&url, definition).with_context(|| format!("study {} in {url}", args.file.display()))
}

/// The study to look at: nothing is created or written.
pub fn consult(args: &StudyFile) -> anyhow::Result<Study> {
    let definition = read(&args.file)?;
    let url = address(args, &definition);
    if let Some(path) = url.strip_prefix("sqlite://") {
        anyhow::ensure!(
            Path::new(path).exists(),
            "study {} has no trials yet: there is no {path}",
            args.file.display()
        );
    }
    Study::consult(&url, definition).with_context(|| format!("study {} in {url}", args.file.display()))
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
        fathom_study::Value::Integer(_) | fathom_study::Value::Text(_) => value.to_string(),
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
