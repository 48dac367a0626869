//! What others found: the yardstick's lines and the best values known.

use anyhow::{Context as _, bail};
use std::collections::BTreeMap;
use std::path::Path;

/// What the yardstick prints of a problem: `NAME best=… lb=… nodes=… t=…[ OPEN]`.
#[derive(Debug, PartialEq)]
pub(super) struct Told {
    pub name: String,
    pub value: f64,
    pub lower_bound: f64,
    pub nodes: u64,
    pub seconds: f64,
    pub open: bool,
}

impl Told {
    pub(super) fn parse(line: &str) -> anyhow::Result<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (words, open) = match words[..] {
            [.., "OPEN"] => (&words[..words.len() - 1], true),
            _ => (&words[..], false),
        };
        let [name, best, lower, nodes, seconds] = *words else { bail!("five words are needed") };
        let after = |word: &str, key: &str| -> anyhow::Result<String> {
            let value = word.strip_prefix(key).and_then(|rest| rest.strip_prefix('='));
            Ok(value.with_context(|| format!("{word} should begin with {key}="))?.into())
        };
        Ok(Self {
            name: name.into(),
            value: after(best, "best")?.parse()?,
            lower_bound: after(lower, "lb")?.parse()?,
            nodes: after(nodes, "nodes")?.parse()?,
            seconds: after(seconds, "t")?.parse()?,
            open,
        })
    }
}

pub(super) fn read_best_known(path: &Path) -> anyhow::Result<BTreeMap<String, f64>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("could not read {}", path.display()))?;
    let entry = |line: &str| -> anyhow::Result<(String, f64)> {
        let (name, value) = line.split_once(',').context("two fields are needed")?;
        Ok((name.into(), value.trim().parse()?))
    };
    let lines = text.lines().skip(1).filter(|line| !line.is_empty());
    lines.map(|line| entry(line).with_context(|| format!("{line}, in {}", path.display()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_yardstick_is_understood() {
        let told =
            Told::parse("bo_d2_n50_rbf_r0 best=-1.250000 lb=-1.251000 nodes=42 t=0.0031 OPEN").expect("well-formed");
        assert_eq!((told.nodes, told.seconds, told.open), (42, 0.0031, true));
        assert!(!Told::parse("a best=-1 lb=-2 nodes=1 t=0.0").expect("well-formed").open);
        assert!(Told::parse("a best=-1 lb=-2 nodes=1").is_err());
        assert!(Told::parse("a lb=-2 best=-1 nodes=1 t=0.0").is_err());
    }
}
