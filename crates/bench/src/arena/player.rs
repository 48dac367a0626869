//! The Python program that plays studies, started once and asked for one after the other.

use super::row::Row;
use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Which study is to be played.
#[derive(Debug, Clone, Serialize)]
pub struct Study {
    pub rival: String,
    pub problem: String,
    pub seed: u64,
    pub budget: usize,
}

/// What came of it.
#[derive(Debug)]
pub(super) enum Outcome {
    Played(Box<Row>),
    /// The rival has no way to take the problem; why.
    Declined(String),
    /// The program ended before it answered: the rival took it down.
    Ended,
}

/// A line of the program.
#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Played(Box<Row>),
    Declined {
        declined: String,
    },
    /// There is no such rival or problem, or what it is made of is not installed.
    Refused {
        refused: String,
    },
}

/// The program; it ends with its value.
#[derive(Debug)]
pub(super) struct Player {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Player {
    pub fn start(python: &Path, arena: &Path) -> anyhow::Result<Self> {
        let mut child = Command::new(python)
            .arg("-B")
            .arg(arena.join("play.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("could not start {} (`--python` names another)", python.display()))?;
        let questions = child.stdin.take().context("stdin is piped")?;
        let answers = BufReader::new(child.stdout.take().context("stdout is piped")?);
        Ok(Self { child, questions, answers })
    }

    pub fn play(&mut self, study: &Study) -> anyhow::Result<Outcome> {
        let question = serde_json::to_string(study)? + "\n";
        let mut line = String::new();
        let is_asked = self.questions.write_all(question.as_bytes()).is_ok();
        if !is_asked || self.answers.read_line(&mut line)? == 0 {
            return Ok(Outcome::Ended);
        }
        match serde_json::from_str(&line).with_context(|| format!("play.py answered {line}"))? {
            Answer::Played(row) => Ok(Outcome::Played(row)),
            Answer::Declined { declined } => Ok(Outcome::Declined(declined)),
            Answer::Refused { refused } => {
                bail!("{refused} (`crates/bench/arena/requirements.txt` has what rivals are made of)")
            }
        }
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        // What is played for nobody need not be finished, and an error here helps nobody.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
