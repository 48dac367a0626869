//! Documents say what examples and runs show.

#[path = "../examples/first_model.rs"]
#[allow(dead_code, reason = "its main is for the command line")]
mod first_model;

use std::path::Path;

/// A line without the time that it took.
fn masked(line: &str) -> &str {
    line.split(" boxes, ").next().filter(|_| line.ends_with(" ms)")).unwrap_or(line)
}

#[test]
fn the_first_model_says_what_the_page_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut said = Vec::new();
    first_model::tell(&mut said, folder.path()).expect("a model");
    let said = String::from_utf8(said).expect("a text");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/rust.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let command = "$ cargo run --release --example first_model | sed -n '7,15p'\n";
    let (_, shown) = page.split_once(command).expect("the command");
    let (shown, _) = shown.split_once("```").expect("the end of its answer");
    let shown: Vec<&str> = shown.lines().map(masked).collect();
    let said: Vec<&str> = said.lines().skip(6).take(9).map(masked).collect();
    assert_eq!(said, shown);
}

const ARENA: &str = "crates/bench/runs/2026-11-18-epyc-2core-arena/tables.md";
const LONG: &str = "crates/bench/runs/2026-11-18-epyc-2core-arena-long/tables.md";
const SEARCH: &str = "crates/bench/runs/2026-11-16-xeon-2core-search/tables.md";
const MAINGO: &str = "crates/bench/runs/2026-11-18-epyc-2core-maingo/README.md";
const BUILD: &str = "docs/decisions/022-what-a-build-costs.md";

/// Numbers in the documents: the page, its words, the evidence, and the words there. A number that changes must change in both.
const NUMBERS: [(&str, &str, &str, &str); 31] = [
    ("README.md", "two to three minutes on two cores", BUILD, "2 min 49 s by the clock"),
    ("README.md", "two to three minutes on two cores", BUILD, "1 min 53 s"),
    ("CHANGELOG.md", "two to three minutes on two cores", BUILD, "1 min 53 s"),
    ("CHANGELOG.md", "15 MB instead of 107", BUILD, "the command had 75 to 107 MB"),
    ("README.md", "on [75 problems]", ARENA, "studies of 60 evaluations on 75 problems"),
    ("README.md", "60 evaluations, one seed", ARENA, "from at least 1 seed"),
    ("README.md", "44 wins and 8 losses against BoTorch (which played 54 of them)", ARENA, "open | 44/2/8, p = 3e-6"),
    ("README.md", "(which played 54 of them)", ARENA, "| botorch (54 of 75) |"),
    ("README.md", "48 and 24 against Optuna's Gaussian process", ARENA, "ahead | 48/3/24, p = 0.007"),
    ("README.md", "51 and 21 against TPE", ARENA, "ahead | 51/3/21, p = 2e-6"),
    ("README.md", "43 and 28 against EGObox", ARENA, "ahead | 43/4/28, p = 0.027"),
    ("README.md", "After [200 evaluations]", LONG, "studies of 200 evaluations on 27 problems"),
    ("README.md", "in front of Optuna's two and CMA-ES", LONG, "| 20/3/4, p = 0.003, regret × 0.15, ahead |"),
    ("README.md", "in front of Optuna's two and CMA-ES", LONG, "| 20/1/6, p = 0.011, regret × 0.07, ahead |"),
    ("README.md", "in front of Optuna's two and CMA-ES", LONG, "| 21/0/4, p = 0.002, regret × 0.11, ahead |"),
    ("README.md", "It loses with noise.", ARENA, "| noisy (8) | 1/0/7 open | 2/1/5 open | 2/0/6 open |"),
    (
        "README.md",
        "[7 ms of processor time in 2D and 68 ms in 5D]",
        ARENA,
        "| fathom | 7.11 ms (52.8 ms) | 14.2 ms (126.6 ms) | 68 ms",
    ),
    ("README.md", "all 125 such statements", ARENA, "| true | 20 (100 %) | 24 (100 %) | 36 (100 %) | 45 (100 %) |"),
    ("README.md", "proven in [11 ms]", SEARCH, "| fathom, median | 0.17 ms | 0.55 ms | 2.08 ms | 3.57 ms | 10.6 ms |"),
    (
        "README.md",
        "3199 s to a gap of 50 %",
        "docs/results.md",
        "gap 50 % | 2.08 s | 11.4 s | 866 s | 1558 s | 3199 s |",
    ),
    ("README.md", "MAiNGO proves 8 of [16 smaller problems]", MAINGO, "closes the gap on 8 of the 16 problems"),
    ("README.md", "in 0.06 to 43 s", MAINGO, "MAiNGO takes 0.06 to 43 s"),
    ("docs/README.md", "44 of the 54 that BoTorch played", ARENA, "open | 44/2/8, p = 3e-6"),
    ("docs/README.md", "0.8 to 0.9 s for a suggestion", "docs/results.md", "took 0.8 to 0.9 s by the clock"),
    ("docs/results.md", "| BoTorch (54 problems) | 44/2/8 | 3e-6 |", ARENA, "open | 44/2/8, p = 3e-6"),
    ("docs/results.md", "All 125 statements", ARENA, "| true | 20 (100 %) | 24 (100 %) | 36 (100 %) | 45 (100 %) |"),
    (
        "docs/results.md",
        "takes 7 to 68 ms of processor time",
        ARENA,
        "| fathom | 7.11 ms (52.8 ms) | 14.2 ms (126.6 ms) | 68 ms",
    ),
    (
        "docs/results.md",
        "| 5D, N = 30 | 11 ms | 29 ms | 3199 s |",
        SEARCH,
        "| verify, median | 0.3 ms | 1.55 ms | 7.4 ms | 14.2 ms | 29.1 ms |",
    ),
    ("docs/results.md", "in 0.06 to 43 s", MAINGO, "MAiNGO takes 0.06 to 43 s"),
    (
        "docs/decisions/019-what-can-still-be-gained.md",
        "125",
        ARENA,
        "| true | 20 (100 %) | 24 (100 %) | 36 (100 %) | 45 (100 %) |",
    ),
    (
        "docs/guide/first-five-minutes.md",
        "All 125 such statements in tests on 75 problems were true",
        ARENA,
        "evaluations on 75 problems",
    ),
];

#[test]
fn numbers_in_the_documents_are_those_of_the_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let words = |page: &str| {
        let text = std::fs::read_to_string(root.join(page)).expect("a page");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for (page, said, evidence, shown) in NUMBERS {
        assert!(words(page).contains(said), "{page} does not say `{said}` any more: correct the list");
        assert!(words(evidence).contains(shown), "{page} says `{said}`, but {evidence} has no `{shown}`");
    }
    // "Each within 5 ms": the longest of Fathom's times beside MAiNGO's.
    let tables = words("crates/bench/runs/2026-11-18-epyc-2core-maingo/tables.md");
    let rows: Vec<&str> = tables.split(" | ").collect();
    let times: Vec<f64> = rows
        .windows(2)
        .filter(|pair| pair[0].parse::<u64>().is_ok())
        .filter_map(|pair| pair[1].strip_suffix(" ms")?.parse().ok())
        .collect();
    assert!(words("README.md").contains("Fathom proves all 16, each within 5 ms"));
    assert!(times.len() >= 16 && times.iter().filter(|ms| **ms < 5.0).count() == 16, "{times:?}");
}
