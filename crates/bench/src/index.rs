//! `README.md` of a folder that `paper` makes: where each item of the paper is, and how much of it was measured.

use crate::experiment::Extent;
use crate::loops::{Loops, MATERN, RBF};
use crate::one_step::OneStep;
use crate::pays::Pays;
use crate::regret::Regret;
use crate::table::Table;
use crate::theory::Theory;
use anyhow::Context as _;
use std::path::Path;

/// An item of the paper: its name, its files, the command that makes it alone, and how much of it a run has.
struct Item {
    name: &'static str,
    files: &'static [&'static str],
    command: &'static str,
    extent: Box<dyn Fn(bool) -> String>,
}

impl Item {
    fn new(
        name: &'static str,
        files: &'static [&'static str],
        command: &'static str,
        extent: impl Fn(bool) -> String + 'static,
    ) -> Self {
        Self { name, files, command, extent: Box::new(extent) }
    }
}

/// Writes the index into `folder`, which is made if need be.
pub(crate) fn write(folder: &Path, extent: Extent, one_step: &OneStep, loops: &Loops) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("could not create {}", folder.display()))?;
    // Tables alone are made again of whatever run is there.
    let settings = std::fs::read_to_string(folder.join("one-step/settings.txt")).unwrap_or_default();
    let is_quick = extent.quick || extent.tables && settings.lines().any(|line| line == "quick");
    let path = folder.join("README.md");
    std::fs::write(&path, text(is_quick, one_step, loops))
        .with_context(|| format!("could not write {}", path.display()))
}

fn items(one_step: &OneStep, loops: &Loops) -> Vec<Item> {
    let whole = |_| "all of it".to_string();
    let (one_step, loops) = (one_step.clone(), loops.clone());
    let steps = move |quick| one_step.extent(quick);
    let played = |kernel| {
        let loops = loops.clone();
        move |quick| loops.extent(kernel, quick)
    };
    vec![
        Item::new("Table 1", &["figures/table_1.md"], "fathom-bench table1", whole),
        Item::new(
            "Table 2 (values, Matérn 3/2)",
            &["one-step/tables.md"],
            "fathom-bench one-step FOLDER",
            steps.clone(),
        ),
        Item::new(
            "Table 3 (times, Matérn 3/2)",
            &["one-step/tables.md"],
            "fathom-bench one-step FOLDER",
            steps.clone(),
        ),
        Item::new("Table 4 (Gurobi's settings)", &[], "fathom solve PROBLEM --method pk --paper", |_| {
            "no result: `PkSettings::paper()` has them".into()
        }),
        Item::new("Table 5 (values, RBF)", &["one-step/tables.md"], "fathom-bench one-step FOLDER", steps),
        Item::new(
            "Figure 1",
            &["figures/figure_1_left.svg", "figures/figure_1_right.svg"],
            "fathom-bench figures FOLDER",
            whole,
        ),
        Item::new("Figure 2", &["figures/figure_2.svg"], "fathom-bench figures FOLDER", whole),
        Item::new(
            "Figure 3 (Matérn 3/2)",
            &["loops/figure_3.svg", "loops/tables.md"],
            "fathom-bench loops FOLDER",
            played(MATERN),
        ),
        Item::new(
            "Figure 4 (RBF)",
            &["loops/figure_4.svg", "loops/tables.md"],
            "fathom-bench loops FOLDER",
            played(RBF),
        ),
        Item::new(
            "Theorem 4.3 (errors of μ̃ and σ̃)",
            &["theory/mean.svg", "theory/deviation.svg", "theory/tables.md"],
            "fathom-bench theory FOLDER",
            Theory::extent,
        ),
        Item::new(
            "Theorem 4.4 and Lemma 4.5 (regret)",
            &["regret/cumulative.svg", "regret/tables.md"],
            "fathom-bench regret FOLDER",
            Regret::extent,
        ),
        Item::new(
            "not in the paper: does it pay?",
            &["pays/regret.svg", "pays/tables.md"],
            "fathom-bench pays FOLDER",
            Pays::extent,
        ),
    ]
}

fn text(is_quick: bool, one_step: &OneStep, loops: &Loops) -> String {
    let mut heads = vec!["files", "made alone by", "this run has"];
    heads.extend(is_quick.then_some("the full run has"));
    let mut table = Table::new("item of the paper", &heads, ToString::to_string);
    for item in items(one_step, loops) {
        let links: Vec<String> = item.files.iter().map(|file| format!("[{file}]({file})")).collect();
        table.line(item.name, |head| {
            Some(match *head {
                "files" => links.join(", "),
                "made alone by" => format!("`{}`", item.command),
                "this run has" => (item.extent)(is_quick),
                _ => (item.extent)(false),
            })
        });
    }
    let which = if is_quick { "a quick run, with less of everything than the paper" } else { "a full run" };
    format!(
        "# The paper, reproduced: {which}\n\n{}\nEach folder of measurements has `raw.csv.gz`, from which \
         its tables and pictures are made alone (`--tables`), and `settings.txt`.\n",
        table.into_text()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_run_says_what_it_lacks() {
        let loops = Loops { replications: 20, iterations: None, threads: 1, svm: None };
        let (quick, full) = (text(true, &OneStep { scip: 0 }, &loops), text(false, &OneStep { scip: 5 }, &loops));
        for words in [
            "2 replications, 1D to 2D",
            "6 of 9 panels, 2 replications, 4 iterations",
            "the full run has",
            "20 to 40 iterations",
        ] {
            assert!(quick.contains(words), "{words}: {quick}");
        }
        for words in ["20 replications, 1D to 5D; SCIP on 5 of them", "8 of 9 panels", "needs `--svm`"] {
            assert!(full.contains(words), "{words}: {full}");
        }
        assert!(
            !full.contains("quick")
                && quick.lines().filter(|line| line.starts_with('|')).all(|line| line.matches('|').count() == 6)
        );
    }
}
