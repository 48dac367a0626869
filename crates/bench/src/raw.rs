//! The measurements of a run: `raw.csv` while it grows, `raw.csv.gz` once it is complete, read alike.
//!
//! The rows of a part are written in one call and end with an empty line, so that whatever ends the program leaves whole parts,
//! and a rest that is seen to be one.

use anyhow::Context as _;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

/// A file that parts are added to.
#[derive(Debug)]
pub(crate) struct Raw<R> {
    file: File,
    is_empty: bool,
    rows: PhantomData<R>,
}

impl<R: Serialize + DeserializeOwned> Raw<R> {
    /// Takes up the run in `folder`, or starts it; with the rows of its whole parts.
    pub fn open(folder: &Path) -> anyhow::Result<(Self, Vec<R>)> {
        std::fs::create_dir_all(folder).with_context(|| format!("could not create {}", folder.display()))?;
        let (path, packed) = (folder.join("raw.csv"), packed(folder));
        let text = if path.exists() || packed.exists() { text(folder)? } else { String::new() };
        if packed.exists() {
            std::fs::write(&path, &text).with_context(|| format!("could not write {}", path.display()))?;
            std::fs::remove_file(&packed).with_context(|| format!("could not unpack {}", packed.display()))?;
        }
        let file = File::options().append(true).create(true).open(&path);
        let file = file.with_context(|| format!("could not open {}", path.display()))?;
        let whole = whole_parts(&text).unwrap_or_default();
        file.set_len(whole.len() as u64)?;
        Ok((Self { file, is_empty: whole.is_empty(), rows: PhantomData }, parse(whole, &path)?))
    }

    /// Adds the rows of a part; one without rows leaves no trace.
    pub fn push(&mut self, rows: &[R]) -> anyhow::Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut writer = csv::WriterBuilder::new().has_headers(self.is_empty).from_writer(Vec::new());
        rows.iter().try_for_each(|row| writer.serialize(row))?;
        let mut lines = writer.into_inner().context("writing to memory")?;
        lines.push(b'\n');
        self.file.write_all(&lines).context("could not write raw.csv")?;
        self.is_empty = false;
        Ok(())
    }
}

/// Compresses the measurements of the run in `folder`.
pub(crate) fn pack(folder: &Path) -> anyhow::Result<()> {
    let (from, new, to) = (folder.join("raw.csv"), folder.join("raw.csv.gz.new"), packed(folder));
    let plain = std::fs::read(&from).with_context(|| format!("could not read {}", from.display()))?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&plain)?;
    // Whatever ends the program, one of the two files is whole.
    std::fs::write(&new, encoder.finish()?).with_context(|| format!("could not write {}", new.display()))?;
    std::fs::rename(&new, &to).with_context(|| format!("could not write {}", to.display()))?;
    std::fs::remove_file(&from).with_context(|| format!("could not remove {}", from.display()))
}

/// The measurements of the run in `folder`; of one cut short, those of its whole parts.
pub(crate) fn read<R: DeserializeOwned>(folder: &Path) -> anyhow::Result<Vec<R>> {
    let text = text(folder)?;
    parse(whole_parts(&text).unwrap_or(&text), folder)
}

fn packed(folder: &Path) -> PathBuf {
    folder.join("raw.csv.gz")
}

fn text(folder: &Path) -> anyhow::Result<String> {
    let (plain, packed) = (folder.join("raw.csv"), packed(folder));
    if !packed.exists() {
        return std::fs::read_to_string(&plain)
            .with_context(|| format!("{} holds no raw.csv.gz and no raw.csv", folder.display()));
    }
    let mut text = String::new();
    GzDecoder::new(File::open(&packed)?)
        .read_to_string(&mut text)
        .with_context(|| format!("could not read {}", packed.display()))?;
    Ok(text)
}

/// Up to the last empty line, if there is one.
fn whole_parts(text: &str) -> Option<&str> {
    text.rfind("\n\n").map(|end| &text[..end + 2])
}

fn parse<R: DeserializeOwned>(text: &str, path: &Path) -> anyhow::Result<Vec<R>> {
    let rows = csv::Reader::from_reader(text.as_bytes()).into_deserialize();
    rows.collect::<Result<_, _>>().with_context(|| format!("in the raw data of {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Pair {
        name: String,
        value: Option<f64>,
    }

    fn pair(name: &str, value: Option<f64>) -> Pair {
        Pair { name: name.into(), value }
    }

    #[test]
    fn whole_parts_are_read_back_to_the_last_bit_packed_or_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = [pair("a, b", Some(-1.0 / 3.0)), pair("c\nd", Some(1e-300)), pair("e", None)];
        let (mut raw, done) = Raw::open(folder.path()).expect("a new folder");
        assert!(done.is_empty());
        raw.push(&[]).expect("nothing to write");
        raw.push(&first).expect("the file is open");
        raw.file.write_all(b"f,1\ng,").expect("the file is open");
        assert_eq!(read::<Pair>(folder.path()).expect("cut short"), first);
        let (mut raw, done) = Raw::open(folder.path()).expect("taken up");
        assert_eq!(done, first, "half a part is no part");
        raw.push(&[pair("h", None)]).expect("the file is open");
        pack(folder.path()).expect("our folder");
        assert!(!folder.path().join("raw.csv").exists());
        let all = [&first[..], &[pair("h", None)]].concat();
        assert_eq!(read::<Pair>(folder.path()).expect("packed"), all);
        assert_eq!(Raw::<Pair>::open(folder.path()).expect("taken up").1, all);
    }

    #[test]
    fn a_broken_raw_file_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        for broken in ["name,value\na,three\n", "name,value\na\n", "nose,value\na,3\n"] {
            std::fs::write(folder.path().join("raw.csv"), broken).expect("our folder");
            let error = format!("{:#}", read::<Pair>(folder.path()).expect_err("broken"));
            assert!(error.contains(&folder.path().display().to_string()), "{error}");
        }
    }
}
