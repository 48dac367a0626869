//! `sets.toml`: which problems are for tuning and which for the test.

use anyhow::Context as _;
use std::collections::BTreeMap;
use std::path::Path;

/// The problems of a set, family by family in the file's order.
pub(super) fn problems(folder: &Path, set: &str) -> anyhow::Result<Vec<String>> {
    let path = folder.join("sets.toml");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("could not read {} (`--arena` says where the arena is)", path.display()))?;
    let mut sets: BTreeMap<String, toml::Table> =
        toml::from_str(&text).with_context(|| format!("in {}", path.display()))?;
    let known = sets.keys().cloned().collect::<Vec<_>>().join(", ");
    let families =
        sets.remove(set).with_context(|| format!("{} has no set `{set}`: it has {known}", path.display()))?;
    let list = |(family, names): (String, toml::Value)| -> anyhow::Result<Vec<String>> {
        names.try_into().with_context(|| format!("{set}.{family} in {} is no list of names", path.display()))
    };
    let lists = families.into_iter().map(list).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(lists.concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn what_is_tuned_on_is_not_tested_on() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("arena");
        let both = |set: &str| -> Vec<String> {
            let constrained = format!("constrained-{set}");
            [set, &constrained].map(|set| problems(&folder, set).expect("a set")).concat()
        };
        let [tuning, test] = ["tuning", "test"].map(both);
        let distinct: BTreeSet<&String> = tuning.iter().chain(&test).collect();
        assert_eq!(distinct.len(), tuning.len() + test.len(), "a problem is named twice");
        let instance = |name: &String| -> Option<u32> { name.split_once("-i")?.1.get(..2)?.parse().ok() };
        assert!(tuning.iter().filter_map(instance).all(|instance| instance <= 5));
        assert!(test.iter().filter_map(instance).all(|instance| instance >= 8));
        let is_plain =
            |name: &&String| name.starts_with("bbob-f") && !name.ends_with("-noisy") && !name.ends_with("-cut");
        assert!(test.iter().filter(is_plain).count() >= 48);
    }

    #[test]
    fn a_set_that_is_missing_is_named_with_those_that_are_there() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("arena");
        let error = problems(&folder, "tests").expect_err("a mistake").to_string();
        assert!(error.contains("`tests`") && error.contains("test, tiny, tuning"), "{error}");
    }
}
