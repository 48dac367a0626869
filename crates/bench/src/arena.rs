//! Whole studies of Fathom against rivals as they are shipped: regret, ranks, and what Fathom said was left to gain.
//!
//! Python plays the studies (`crates/bench/arena`: a file for each rival, and the sets of problems); this program asks for those
//! that are missing and makes everything else from their rows. A folder has studies of one set and one budget.
//!
//! Regret is the true value at the best point told so far less the optimum, as a share of the problem's scale, the median of values
//! at random points less the optimum.

mod player;
mod row;
mod scores;
mod sets;
mod tables;

use crate::chart::Picture;
use crate::experiment::Experiment;
use crate::raw;
use anyhow::{Context as _, ensure};
use player::{Outcome, Player, Study};
use row::Row;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The experiment.
#[derive(clap::Args, Debug)]
pub struct Arena {
    /// Who plays, in this order; several are allowed. Files of arena/rivals name them: fathom, botorch, optuna-tpe. Keys of a study
    /// file make another Fathom: fathom:strategy.acquisition=log-ei; a name of its own is before an at sign: eight@fathom:strategy.initial=8
    #[arg(long, default_values_t = ["fathom".to_string(), "sobol".to_string()])]
    rival: Vec<String>,
    /// The problems: tuning, test, long-test, constrained-tuning, constrained-test or tiny (arena/sets.toml).
    #[arg(long, default_value = "tuning")]
    set: String,
    /// Only problems whose names contain this.
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    only: String,
    /// Evaluations of a study.
    #[arg(long, default_value_t = 60)]
    budget: usize,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many seeds.
    #[arg(long, default_value_t = 1)]
    seeds: u64,
    /// A Python interpreter with what the rivals are made of.
    #[arg(long, default_value = "python3")]
    python: PathBuf,
    /// Where the Python half is.
    #[arg(long, default_value = "crates/bench/arena")]
    arena: PathBuf,
    /// Folders of other runs of the same set and budget; their studies are taken over instead of played.
    #[arg(long)]
    from: Vec<PathBuf>,
    #[arg(skip)]
    player: Mutex<Option<Player>>,
}

/// A study that is to be there: one to play, or one of another run.
#[derive(Debug)]
pub enum Part {
    Played(Study),
    Taken(Box<Row>),
}

impl Experiment for Arena {
    type Part = Part;
    type Row = Row;

    fn settings(&self) -> String {
        format!("set {}\nbudget {}", self.set, self.budget)
    }

    fn parts(&self, quick: bool) -> anyhow::Result<Vec<Part>> {
        let mut problems = sets::problems(&self.arena, &self.set)?;
        let mut parts = Vec::new();
        for folder in &self.from {
            let rows: Vec<Row> = raw::read(folder)?;
            let is_alike = |row: &Row| row.budget == self.budget && problems.contains(&row.problem);
            ensure!(rows.iter().all(is_alike), "{} has studies of another set or budget", folder.display());
            parts.extend(rows.into_iter().map(|row| Part::Taken(Box::new(row))));
        }
        problems.retain(|problem| problem.contains(&self.only));
        problems.truncate(if quick { 2 } else { problems.len() });
        for seed in self.seed..self.seed + self.seeds {
            for rival in &self.rival {
                let study = |problem: &String| {
                    let (rival, problem) = (rival.clone(), problem.clone());
                    Part::Played(Study { rival, problem, seed, budget: self.budget })
                };
                parts.extend(problems.iter().map(study));
            }
        }
        // A study that was taken over is not played as well.
        let mut names = BTreeSet::new();
        parts.retain(|part| names.insert(Self::name(part)));
        Ok(parts)
    }

    fn name(part: &Part) -> String {
        match part {
            Part::Played(study) => Row::part(&study.rival, &study.problem, study.seed),
            Part::Taken(row) => Self::part_of(row),
        }
    }

    fn part_of(row: &Row) -> String {
        Row::part(&row.rival, &row.problem, row.seed)
    }

    fn measure(&self, part: &Part, _: &Path) -> anyhow::Result<Vec<Row>> {
        match part {
            Part::Played(study) => self.play(study),
            Part::Taken(row) => Ok(vec![Row::clone(row)]),
        }
    }

    fn tables(rows: &[Row]) -> String {
        tables::text(rows).unwrap_or_else(|error| format!("The raw data cannot be read: {error:#}\n"))
    }

    fn pictures(rows: &[Row]) -> Vec<(&'static str, Picture)> {
        tables::pictures(rows).unwrap_or_default()
    }

    /// A value below a known optimum: the optimum is wrong, or the referee is.
    fn is_refuted(rows: &[Row]) -> bool {
        let is_wrong =
            |row: &Row| row.bests().map_or(true, |bests| bests.iter().any(|(_, value)| row.is_below_optimum(*value)));
        rows.iter().any(is_wrong)
    }
}

impl Arena {
    /// The row of a study. One that took its program down leaves no row, so that the next run tries again.
    fn play(&self, study: &Study) -> anyhow::Result<Vec<Row>> {
        let mut player = self.player.lock().expect("nobody panics while playing");
        if player.is_none() {
            *player = Some(Player::start(&self.python, &self.arena)?);
        }
        match player.as_mut().context("it was started")?.play(study)? {
            Outcome::Played(row) => Ok(vec![*row]),
            Outcome::Declined(why) => {
                eprintln!("{why}");
                Ok(Vec::new())
            }
            Outcome::Ended => {
                eprintln!("{} took Python down; the next run tries again", study.rival);
                *player = None;
                Ok(Vec::new())
            }
        }
    }
}
