//! A run: raw measurements in a file, and everything else made from that file alone.

use anyhow::{Context as _, ensure};
use std::fs::File;
use std::io::Write as _;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A measurement, one line of `raw.csv`.
pub trait Record: Sized {
    /// The first line of the file: the names of the fields.
    const HEAD: &'static str;

    /// As it stands in the file; numbers to the last bit.
    fn to_line(&self) -> String;

    /// Reads what [`Record::to_line`] wrote.
    fn parse(line: &str) -> anyhow::Result<Self>;
}

/// A folder with `raw.csv`, to which measurements are added as they come.
#[derive(Debug)]
pub struct Run<R> {
    raw: File,
    records: PhantomData<R>,
}

impl<R: Record> Run<R> {
    /// Starts a run in `folder`, which must not hold another one.
    pub fn create(folder: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(folder).with_context(|| format!("could not create {}", folder.display()))?;
        let path = raw_path(folder);
        let mut raw = File::create_new(&path)
            .with_context(|| format!("{} is there already: name another folder", path.display()))?;
        writeln!(raw, "{}", R::HEAD)?;
        Ok(Self { raw, records: PhantomData })
    }

    /// Takes up the run in `folder`, or starts it; with what it has measured so far.
    pub fn resume(folder: &Path) -> anyhow::Result<(Self, Vec<R>)> {
        let path = raw_path(folder);
        if !path.exists() {
            return Ok((Self::create(folder)?, Vec::new()));
        }
        let done = read(folder)?;
        let raw = File::options().append(true).open(&path)?;
        raw.set_len(whole_lines(&std::fs::read_to_string(&path)?).len() as u64)?;
        Ok((Self { raw, records: PhantomData }, done))
    }

    /// Adds a measurement.
    pub fn push(&mut self, record: &R) -> anyhow::Result<()> {
        // In one call, so that whatever ends the program ends it between lines.
        self.raw.write_all((record.to_line() + "\n").as_bytes())?;
        Ok(())
    }

    /// Adds the measurements of one job, which belong together.
    pub fn push_all(&mut self, records: &[R]) -> anyhow::Result<()> {
        let lines: String = records.iter().map(|record| record.to_line() + "\n").collect();
        self.raw.write_all(lines.as_bytes())?;
        Ok(())
    }
}

/// Writes down with what a run was made, or checks that it is taken up with the same.
pub(crate) fn settle(folder: &Path, settings: &str) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("could not create {}", folder.display()))?;
    let (path, text) =
        (folder.join("settings.txt"), format!("fathom-bench {}\n{settings}\n", env!("CARGO_PKG_VERSION")));
    match std::fs::read_to_string(&path) {
        Ok(known) => {
            ensure!(known == text, "{} holds a run with other settings: name another folder", path.display());
            Ok(())
        }
        Err(_) => std::fs::write(&path, text).with_context(|| format!("could not write {}", path.display())),
    }
}

/// Replaces the measurements of the run in `folder`.
pub(crate) fn rewrite<R: Record>(folder: &Path, records: &[R]) -> anyhow::Result<()> {
    let lines: String = records.iter().map(|record| record.to_line() + "\n").collect();
    let (path, new) = (raw_path(folder), folder.join("raw.csv.new"));
    std::fs::write(&new, format!("{}\n{lines}", R::HEAD))
        .with_context(|| format!("could not write {}", new.display()))?;
    std::fs::rename(&new, &path).with_context(|| format!("could not replace {}", path.display()))
}

/// The measurements of a run. A last line cut short by whatever ended the run is left out.
pub fn read<R: Record>(folder: &Path) -> anyhow::Result<Vec<R>> {
    let path = raw_path(folder);
    let text = std::fs::read_to_string(&path).with_context(|| format!("could not read {}", path.display()))?;
    let mut lines = whole_lines(&text).lines();
    ensure!(lines.next() == Some(R::HEAD), "{} does not begin with `{}`", path.display(), R::HEAD);
    lines.map(|line| R::parse(line).with_context(|| format!("in {}", path.display()))).collect()
}

/// Writes the tables of the run in `folder`; their path.
pub fn write_tables(folder: &Path, text: &str) -> anyhow::Result<PathBuf> {
    let path = folder.join("tables.md");
    std::fs::write(&path, text).with_context(|| format!("could not write {}", path.display()))?;
    Ok(path)
}

fn raw_path(folder: &Path) -> PathBuf {
    folder.join("raw.csv")
}

fn whole_lines(text: &str) -> &str {
    text.rfind('\n').map_or("", |end| &text[..=end])
}

/// The fields of a line, which must be so many.
pub(crate) fn fields<const N: usize>(line: &str) -> anyhow::Result<[&str; N]> {
    let fields: Vec<&str> = line.split(',').collect();
    fields.try_into().ok().with_context(|| format!("{line}: {N} fields are needed"))
}

/// A number to the last bit, or nothing.
pub(crate) fn number(value: Option<f64>) -> String {
    value.map(|v| format!("{v:?}")).unwrap_or_default()
}

/// A count, or nothing.
pub(crate) fn count(value: Option<u64>) -> String {
    value.map(|v| v.to_string()).unwrap_or_default()
}

/// A field that may be empty.
pub(crate) fn optional<T: FromStr>(field: &str) -> Result<Option<T>, T::Err> {
    if field.is_empty() { Ok(None) } else { field.parse().map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, PartialEq)]
    struct Pair(String, Option<f64>);

    impl Record for Pair {
        const HEAD: &'static str = "name,value";

        fn to_line(&self) -> String {
            format!("{},{}", self.0, number(self.1))
        }

        fn parse(line: &str) -> anyhow::Result<Self> {
            let [name, value] = fields(line)?;
            Ok(Self(name.into(), optional(value)?))
        }
    }

    fn folder(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("fathom-{name}-{}", std::process::id()))
    }

    #[test]
    fn what_is_measured_is_read_back_to_the_last_bit() {
        let folder = folder("round-trip");
        let rows = [Pair("a".into(), Some(-1.0 / 3.0)), Pair("b".into(), Some(0.1 + 0.2)), Pair("c".into(), None)];
        let mut run = Run::create(&folder).expect("a new folder");
        for row in &rows {
            run.push(row).expect("the file is open");
        }
        assert_eq!(read::<Pair>(&folder).expect("just written"), rows);
        assert!(Run::<Pair>::create(&folder).is_err(), "a run is never overwritten");
        std::fs::remove_dir_all(folder).expect("the folder is ours");
    }

    #[test]
    fn a_run_is_taken_up_after_its_last_whole_line() {
        let folder = folder("resume");
        for name in ["a", "b"] {
            let (mut run, done) = Run::resume(&folder).expect("started or taken up");
            assert_eq!(done.len(), usize::from(name == "b"));
            run.push(&Pair(name.into(), None)).expect("the file is open");
            std::io::Write::write_all(&mut run.raw, b"cut sh").expect("the file is open");
        }
        let text = std::fs::read_to_string(raw_path(&folder)).expect("just written");
        assert_eq!(text, "name,value\na,\nb,\ncut sh");
        std::fs::remove_dir_all(folder).expect("the folder is ours");
    }

    #[test]
    fn a_run_is_not_taken_up_with_other_settings() {
        let folder = folder("settings");
        settle(&folder, "gap 1e-3").expect("a new folder");
        settle(&folder, "gap 1e-3").expect("the same again");
        let error = settle(&folder, "gap 1e-2").expect_err("another gap").to_string();
        assert!(error.contains("settings.txt") && error.contains("another folder"), "{error}");
        std::fs::remove_dir_all(folder).expect("the folder is ours");
    }

    #[test]
    fn a_broken_raw_file_is_named() {
        let folder = folder("broken");
        std::fs::create_dir_all(&folder).expect("a new folder");
        for broken in ["name,value\na,three\n", "name,value\na\n", "value,name\na,3\n"] {
            std::fs::write(raw_path(&folder), broken).expect("our folder");
            let error = format!("{:#}", read::<Pair>(&folder).expect_err("broken"));
            assert!(error.contains("raw.csv"), "{error}");
        }
        std::fs::remove_dir_all(folder).expect("the folder is ours");
    }
}
