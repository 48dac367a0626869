//! A run: raw measurements in a file, and everything else made from that file alone.

use anyhow::{Context as _, bail};
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

/// One measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Whose software.
    pub who: String,
    /// What was measured.
    pub operation: String,
    /// Number of observations.
    pub n: usize,
    /// How long it took.
    pub seconds: f64,
    /// A result worth comparing, where there is one.
    pub value: Option<f64>,
}

const HEAD: &str = "who,operation,n,seconds,value";

/// A folder with `raw.csv`, to which measurements are added as they come.
#[derive(Debug)]
pub struct Run {
    raw: File,
}

impl Run {
    /// Starts a run in `folder`, which must not hold another one.
    pub fn create(folder: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(folder).with_context(|| format!("could not create {}", folder.display()))?;
        let path = folder.join("raw.csv");
        let mut raw = File::create_new(&path)
            .with_context(|| format!("{} is there already: name another folder", path.display()))?;
        writeln!(raw, "{HEAD}")?;
        Ok(Self { raw })
    }

    /// Adds a measurement.
    pub fn push(&mut self, row: Row) -> anyhow::Result<()> {
        let Row { who, operation, n, seconds, value } = row;
        let value = value.map(|v| format!("{v:?}")).unwrap_or_default();
        writeln!(self.raw, "{who},{operation},{n},{seconds:?},{value}")?;
        Ok(())
    }
}

/// The measurements of a run.
pub fn read(folder: &Path) -> anyhow::Result<Vec<Row>> {
    let path = folder.join("raw.csv");
    let text = std::fs::read_to_string(&path).with_context(|| format!("could not read {}", path.display()))?;
    let mut lines = text.lines();
    if lines.next() != Some(HEAD) {
        bail!("{} does not begin with `{HEAD}`", path.display());
    }
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let [who, operation, n, seconds, value] = fields[..] else { bail!("{line}: five fields are needed") };
        let value = if value.is_empty() { None } else { Some(value.parse()?) };
        Ok(Row { who: who.into(), operation: operation.into(), n: n.parse()?, seconds: seconds.parse()?, value })
    };
    lines.map(|line| row(line).with_context(|| format!("in {}", path.display()))).collect()
}

/// The middle value, or `None` of nothing.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("fathom-{name}-{}", std::process::id()))
    }

    #[test]
    fn what_is_measured_is_read_back_to_the_last_bit() {
        let folder = folder("round-trip");
        let rows = [
            Row { who: "fathom".into(), operation: "fit".into(), n: 30, seconds: 0.1 + 0.2, value: Some(-1.0 / 3.0) },
            Row { who: "scikit-learn".into(), operation: "predict".into(), n: 30, seconds: 1e-7, value: None },
        ];
        let mut run = Run::create(&folder).expect("a new folder");
        for row in rows.clone() {
            run.push(row).expect("the file is open");
        }
        assert_eq!(read(&folder).expect("just written"), rows);
        assert!(Run::create(&folder).is_err(), "a run is never overwritten");
        std::fs::remove_dir_all(folder).expect("the folder is ours");
    }

    #[test]
    fn a_broken_raw_file_is_named() {
        let folder = folder("broken");
        std::fs::create_dir_all(&folder).expect("a new folder");
        std::fs::write(folder.join("raw.csv"), format!("{HEAD}\nfathom,fit,thirty,1,2\n")).expect("our folder");
        let error = format!("{:#}", read(&folder).expect_err("thirty is no number"));
        assert!(error.contains("raw.csv"), "{error}");
        std::fs::remove_dir_all(folder).expect("the folder is ours");
    }

    #[test]
    fn the_median_of_an_even_count_is_the_upper_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(3.0));
        assert_eq!(median(Vec::new()), None);
    }
}
