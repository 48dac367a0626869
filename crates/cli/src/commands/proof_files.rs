//! The files to which proofs of solved problems go.

use crate::args::Solve;
use crate::text::plain_path;
use anyhow::Context as _;
use fathom_proof::Proof;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where the proof of each problem goes, if anywhere. An obstacle is reported before anything is solved.
///
/// The proofs of several problems have the names of the problem files, not the names inside them: a name in a file is no
/// place to write to.
pub(super) fn proof_paths(args: &Solve) -> anyhow::Result<Vec<Option<PathBuf>>> {
    let Some(target) = &args.proof else { return Ok(vec![None; args.instances.len()]) };
    anyhow::ensure!(target.as_os_str() != "-", "--proof: a proof goes to a file, not to the output");
    if let [_] = args.instances[..] {
        fathom_files::check_destination(target).context("--proof")?;
        return Ok(vec![Some(target.clone())]);
    }
    fathom_files::check_folder(target).context("--proof: several problems need a folder for their proofs")?;
    let mut taken = BTreeMap::new();
    let mut paths = Vec::new();
    for instance in &args.instances {
        let stem = instance.file_stem().unwrap_or_default().to_string_lossy();
        let path = fathom_files::inside(target, &format!("{stem}.proof")).context("--proof")?;
        // Some file systems do not tell small letters from capitals.
        if let Some(other) = taken.insert(stem.to_lowercase(), instance) {
            let (one, two) = (plain_path(other), plain_path(instance));
            anyhow::bail!("--proof: the proofs of {one} and {two} would have the same name; solve them one by one");
        }
        fathom_files::check_destination(&path).context("--proof")?;
        paths.push(Some(path));
    }
    Ok(paths)
}

/// Writes a proof, whole or not at all.
pub(super) fn write_proof(proof: &Proof, path: &Path) -> anyhow::Result<()> {
    let bytes = proof.to_bytes().with_context(|| format!("could not write the proof to {}", plain_path(path)))?;
    Ok(fathom_files::write(path, &bytes)?)
}
