//! The blocks of code in the documents. Each is of a kind that some test runs or reads:
//!
//! | kind | who looks at it |
//! |---|---|
//! | `console` | commands after `$`, run in the order of the page; their answers are compared (`documents`, `examples`) |
//! | `sh` | commands, run in the same way; each must end with exit code 0 |
//! | `python` | crates/py/tests, which also compares the `text` below |
//! | `rust` | documentation tests of fathom-gp |
//! | `toml` | study files, or parts of them, read here |
//! | `json` | certificates and problem files, read here |
//! | `text` | an answer: of the block of Python above it, of the demo, or of the help (docs/reference/command-line.md) |
//! | `notation` | formulas, layouts of files and the like, which nobody can run |

use super::documents::{FOLLOWED, commands};
use super::examples;
use super::sessions::Session;
use fathom_global::Certificate;
use fathom_study::Definition;
use std::path::{Path, PathBuf};

/// Commands that no test runs: the page, the command, and why.
const NOT_RUN: [(&str, &str, &str); 19] = [
    ("README.md", "cargo run --release --bin fathom demo", "builds Fathom; a test runs the demo itself"),
    ("README.md", "./check", "runs the tests"),
    ("README.md", "cargo install --path crates/cli", "builds Fathom"),
    ("README.md", "pip install .", "builds Fathom"),
    ("docs/guide/botorch.md", "pip install . botorch", "builds Fathom"),
    ("docs/guide/first-five-minutes.md", "cargo install --path crates/cli", "builds Fathom"),
    ("docs/guide/optuna.md", "pip install . optuna", "builds Fathom"),
    ("docs/guide/python.md", "pip install .", "builds Fathom"),
    ("docs/guide/python.md", "pip install maturin && maturin develop --release", "builds Fathom"),
    ("docs/guide/python.md", "pip install -r crates/py/tests/requirements.txt", "./check does it"),
    (
        "docs/guide/python.md",
        "mypy crates/py/python crates/py/tests examples && stubtest --mypy-config-file pyproject.toml fathom._fathom",
        "./check does it",
    ),
    ("docs/guide/python.md", "pytest", "./check does it"),
    ("docs/guide/ray.md", "pip install . \"ray[tune]\"", "builds Fathom"),
    (
        "docs/guide/rust.md",
        "cargo run --release --example first_model | sed -n '7,15p'",
        "builds Fathom; crates/bench/tests/guide.rs runs the example and compares",
    ),
    (
        "docs/results.md",
        "cargo run --release -p fathom-bench -- paper runs/today --full --scip 3 --svm \"python3 examples/svm/svm.py --serve --samples 500\"",
        "takes days; crates/bench/tests/committed.rs runs parts of it",
    ),
    ("examples/cluster/README.md", "pip install fathom-bo \"ray[tune]\"", "needs a network"),
    (
        "examples/cluster/README.md",
        "python3 tune_ray.py --trials 16 --at-once 4",
        "test_examples.py runs it if Ray is installed",
    ),
    ("examples/svm/README.md", "pip install scikit-learn", "needs a network"),
    ("examples/svm/README.md", "fathom run svm.toml && fathom best svm.toml", "takes minutes; `svm` runs a part of it"),
];

/// Why a command is not run, if it is not.
pub fn reason_not_to_run(page: &str, command: &str) -> Option<&'static str> {
    let found = NOT_RUN.iter().find(|(where_, listed, _)| *where_ == page && *listed == command);
    found.map(|(_, _, reason)| *reason)
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub struct Block {
    pub line: usize,
    /// What stands behind the fence; empty if the block is only indented.
    pub kind: String,
    pub text: String,
}

/// The blocks of a page in their order.
pub fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut is_fenced, mut is_indented, mut was_blank) = (false, false, true);
    for (number, line) in page.lines().enumerate() {
        let begin = |kind: &str| Block { line: number + 1, kind: kind.to_owned(), text: String::new() };
        if let Some(kind) = line.trim_start().strip_prefix("```") {
            is_fenced = !is_fenced;
            is_indented = false;
            if is_fenced {
                blocks.push(begin(kind));
            }
        } else if let (true, Some(block)) = (is_fenced, blocks.last_mut()) {
            block.text += &format!("{line}\n");
        } else if line.starts_with("    ") && was_blank && !is_indented {
            is_indented = true;
            blocks.push(begin(""));
        } else if !line.is_empty() {
            is_indented = is_indented && line.starts_with("    ");
        }
        was_blank = line.is_empty();
    }
    assert!(!is_fenced, "a block has no end");
    blocks
}

/// Every page whose blocks must run, by its path, and its text: all but decisions and the list of pages.
fn pages() -> Vec<(String, String)> {
    let mut paths = vec![root().join("README.md")];
    let mut folders = vec![root().join("docs"), root().join("examples")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("docs/decisions") {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let name = |path: &Path| path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
    paths.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

/// Examples whose pages crates/py/tests/test_examples.py follows.
const FOLLOWED_IN_PYTHON: [&str; 3] = ["cluster", "optuna", "trained"];

/// Whether tests run the commands of a page.
fn is_followed(page: &str) -> bool {
    let mut examples = examples::FOLLOWED.iter().chain(&FOLLOWED_IN_PYTHON);
    FOLLOWED.contains(&page) || examples.any(|name| page == format!("examples/{name}/README.md"))
}

/// What is wrong with a block, if nobody looks at it.
fn neglect(page: &str, block: &Block, before: Option<&Block>) -> Option<String> {
    match block.kind.as_str() {
        "console" | "sh" => {
            let open: Vec<String> = commands(block)
                .into_iter()
                .map(|step| step.command)
                .filter(|c| reason_not_to_run(page, c).is_none())
                .collect();
            (!is_followed(page) && !open.is_empty())
                .then(|| format!("no test runs {open:?}: add the page to `documents`"))
        }
        "text" => {
            let is_answer = before.is_some_and(|before| before.kind == "python");
            let is_compared =
                page == "docs/reference/command-line.md" || (page == "README.md" && block.text.starts_with("best "));
            (!is_answer && !is_compared)
                .then(|| "nobody compares it: `text` is an answer, `notation` a formula".to_owned())
        }
        "rust" => (page != "docs/guide/rust.md").then(|| "fathom-gp tests docs/guide/rust.md alone".to_owned()),
        "python" | "toml" | "json" | "notation" => None,
        "" => Some("it is only indented: put it between fences, with its kind".to_owned()),
        other => Some(format!("`{other}` is of no kind that a test knows (blocks.rs lists them)")),
    }
}

#[test]
fn every_block_of_the_documents_is_of_a_kind_that_a_test_runs_or_reads() {
    let mut wrong = Vec::new();
    let mut kinds = std::collections::BTreeMap::<String, usize>::new();
    for (page, text) in pages() {
        let blocks = blocks(&text);
        for (index, block) in blocks.iter().enumerate() {
            *kinds.entry(block.kind.clone()).or_default() += 1;
            let before = index.checked_sub(1).map(|before| &blocks[before]);
            if let Some(reason) = neglect(&page, block, before) {
                wrong.push(format!("{page}:{}: {reason}", block.line));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(kinds.values().sum::<usize>() > 100 && kinds["console"] > 10 && kinds["sh"] > 10, "{kinds:?}");
}

#[test]
fn whatever_is_listed_as_not_run_is_in_its_page() {
    let pages = pages();
    for (page, command, _) in NOT_RUN {
        let (_, text) = pages.iter().find(|(name, _)| name == page).unwrap_or_else(|| panic!("there is no {page}"));
        let has = |block: &Block| commands(block).iter().any(|step| step.command == command);
        assert!(blocks(text).iter().any(has), "{page} has no `{command}` any more: take it off the list");
    }
}

#[test]
fn a_block_that_nobody_runs_is_found() {
    let page = "Text.\n\n    indented\n\n```text\nan answer to nothing\n```\n```ruby\nputs 1\n```\n```sh\nfathom best mine.toml\n```\n";
    let blocks = blocks(page);
    assert_eq!(blocks.iter().map(|block| block.line).collect::<Vec<_>>(), [3, 5, 8, 11]);
    for block in &blocks {
        assert!(neglect("docs/new.md", block, None).is_some(), "{}", block.text);
    }
}

/// What a part of a study file needs to be one.
const HEAD: &str = "[parameters]\nx = { type = \"float\", low = 0.0, high = 1.0 }\n";

#[test]
fn study_files_in_the_documents_are_study_files() {
    let mut found = 0;
    for (page, text) in pages() {
        for block in blocks(&text).into_iter().filter(|block| block.kind == "toml") {
            found += 1;
            if let Some(example) = page.strip_prefix("examples/").and_then(|rest| rest.split('/').next()) {
                let file = root().join("examples").join(example).join(format!("{example}.toml"));
                let file = std::fs::read_to_string(file).unwrap();
                assert!(file.contains(&block.text), "{page}:{}: not what {example}.toml says", block.line);
                continue;
            }
            let whole = if block.text.contains("[parameters]") { block.text } else { format!("{HEAD}{}", block.text) };
            if let Err(error) = Definition::parse(&whole) {
                panic!("{page}:{}: {error}", block.line);
            }
        }
    }
    assert!(found >= 3, "only {found} were found");
}

#[test]
fn objects_in_the_documents_are_certificates_or_problems() {
    let mut found = 0;
    for (page, text) in pages() {
        for block in blocks(&text).into_iter().filter(|block| block.kind == "json") {
            found += 1;
            if block.text.contains("\"claim\"") {
                let read = Certificate::from_json(&block.text);
                assert!(read.is_ok(), "{page}:{}: {read:?}", block.line);
            } else {
                let mut session = Session::new();
                session.write("problem.json", &block.text);
                session.works(
                    "fathom solve problem.json --proof problem.proof && fathom verify problem.proof --of problem.json",
                );
            }
        }
    }
    assert!(found >= 2, "only {found} were found");
}
