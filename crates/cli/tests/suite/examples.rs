//! The folders of examples/: what their pages tell comes true.

use super::documents::follow;
use super::sessions::Session;
use super::studies::said;
use std::path::Path;

/// The examples whose pages are followed here.
pub const FOLLOWED: [&str; 3] = ["oven", "reaction", "mixture"];

/// Runs the commands of an example's page in a copy of its folder, and compares the answers. Returns the best value.
fn best_of(example: &str) -> f64 {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(example);
    let mut session = Session::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, session.folder().join(path.file_name().unwrap())).unwrap();
    }
    let page = std::fs::read_to_string(folder.join("README.md")).unwrap();
    assert!(page.lines().count() <= 60, "a page is a screen");
    let done = follow(&format!("examples/{example}/README.md"), &mut session);
    assert!(done >= 3, "only {done} commands were found");
    let study = session.folder().join(format!("{example}.toml"));
    let best: serde_json::Value = serde_json::from_str(&said(&["best", study.to_str().unwrap(), "--json"])).unwrap();
    best["value"].as_f64().unwrap()
}

/// The best of 30 points at random was above 15.6 in each of 8 tries.
#[test]
fn a_program_is_tuned() {
    let best = best_of(FOLLOWED[0]);
    assert!(best < 15.0, "{best}");
}

/// The best of 15 points at random was above 85 in 3 of 10 tries; the study has 20. The level finds a broken loop, and ranks nothing.
#[test]
fn a_reaction_is_optimised_by_hand() {
    let best = best_of(FOLLOWED[1]);
    assert!(best > 85.0, "{best}");
}

/// The best of 20 points at random is above 9.999 in 3 of 200 tries.
#[test]
fn a_mixture_keeps_its_sum() {
    let best = best_of(FOLLOWED[2]);
    assert!(best > 9.999, "{best}");
}
