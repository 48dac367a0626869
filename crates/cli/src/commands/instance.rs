//! Problem files, read and checked.

use crate::text::plain_path;
use anyhow::Context as _;
use fathom_global::Statement;
use std::fs;
use std::path::Path;

pub fn read(path: &Path) -> anyhow::Result<Statement> {
    let text = fs::read_to_string(path).with_context(|| format!("could not read {}", plain_path(path)))?;
    let mut json = serde_json::Deserializer::from_str(&text);
    let instance: Statement = serde_path_to_error::deserialize(&mut json)
        .with_context(|| format!("{} is not a problem file", plain_path(path)))?;
    Ok(instance)
}
