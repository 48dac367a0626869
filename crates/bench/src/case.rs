//! The problems of a folder.

use anyhow::{Context as _, ensure};
use fathom_global::{Instance, Posed as _};
use fathom_gp::Posterior;
use std::path::{Path, PathBuf};

/// A problem of the folder.
pub(crate) struct Case {
    pub file: PathBuf,
    pub family: String,
    pub kernel: String,
    pub instance: Instance,
    pub posterior: Posterior,
}

impl Case {
    fn read(file: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(file)?;
        let plain: serde_json::Value = serde_json::from_str(&text)?;
        let field = |name: &str| plain[name].as_str().map(String::from).with_context(|| format!("no field {name}"));
        let instance: Instance = serde_json::from_str(&text)?;
        let posterior = instance.posterior()?;
        let stem = file.file_stem().and_then(|stem| stem.to_str());
        ensure!(stem == Some(&instance.name), "the file must be called as the problem, {}", instance.name);
        Ok(Self { file: file.into(), family: field("family")?, kernel: field("kernel")?, instance, posterior })
    }

    /// Problems of one group are solved by one program and then by the other.
    pub(crate) fn group(&self) -> (bool, &str, usize, usize) {
        (self.family != "prior", &self.family, self.instance.dim(), self.instance.count())
    }
}

/// The problems of a folder, the families one after the other and each from small to large.
pub(crate) fn cases(folder: &Path) -> anyhow::Result<Vec<Case>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("could not read {}", folder.display()))?;
    let files: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<_>>()?;
    let json = files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "json"));
    let read = |file: &PathBuf| Case::read(file).with_context(|| format!("in {}", file.display()));
    let mut cases: Vec<Case> = json.map(read).collect::<anyhow::Result<_>>()?;
    ensure!(!cases.is_empty(), "{} holds no problems: JSON files are looked for", folder.display());
    cases.sort_by(|a, b| (a.group(), &a.file).cmp(&(b.group(), &b.file)));
    Ok(cases)
}
