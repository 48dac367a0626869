//! What is known of a study before its file is written, and the file.

use super::line::Line;
use crate::decimal::pointed;
use anyhow::Context as _;
use fathom_proof::{CriterionName, KernelName};
use fathom_study::{Definition, Error, Method, Strategy};

/// What a study file can say, with the defaults as comments.
const TEMPLATE: &str = include_str!("../new.toml");

/// The template's own parameters lie between these lines.
const MARKS: [&str; 2] = ["# >>>\n", "# <<<\n"];

/// The template's own command.
const COMMAND: &str = r#"["python3", "evaluate.py", "{x1}", "{x2}"]"#;

/// The template's own constraints, which are an example.
const CONSTRAINTS: &str = r#"# constraints = ["x1 + 3*x2 <= 18", "x1^2 + x2^2 >= 1"]"#;

/// The template's own number of trials.
const TRIALS: &str = "trials = 50";

/// The template's own goal, and the other one.
const GOALS: [&str; 2] =
    ["\"minimise\"                  # or \"maximise\"", "\"maximise\"                  # or \"minimise\""];

pub struct Draft {
    pub name: String,
    /// Empty if the template's own parameters stay.
    pub lines: Vec<Line>,
    pub constraints: Vec<String>,
    pub evaluation: Evaluation,
    pub maximise: bool,
    pub trials: Option<u64>,
}

/// Who makes the experiments.
pub enum Evaluation {
    /// A program that has yet to be written: the template's own.
    Example,
    /// A program and its arguments, words apart by spaces.
    Command(String),
    /// A person.
    ByHand,
}

impl Draft {
    /// Adds a constraint on the parameters.
    pub fn constrain(&mut self, typed: &str) -> anyhow::Result<()> {
        self.constraints.push(pointed(typed.trim())?);
        let parsed = Definition::parse(&self.text()?);
        if parsed.is_err() {
            self.constraints.pop();
        }
        match parsed {
            Ok(_) => Ok(()),
            Err(Error::File { message, .. }) => anyhow::bail!(message),
            Err(error) => Err(error.into()),
        }
    }

    /// The file.
    pub fn text(&self) -> anyhow::Result<String> {
        let Strategy { kernel, optimiser, .. } = Strategy::default();
        let mut text = TEMPLATE
            .replace("KERNELS", &others(Strategy::kernels().map(KernelName::as_str), kernel.as_str()))
            .replace("CRITERIA", &others(CriterionName::ALL.iter().map(|name| name.as_str()), "").replace('_', "-"))
            .replace("OPTIMISERS", &others(Method::all().map(|method| method.name()), optimiser.name()))
            .replace("NAME", &self.name);
        if !self.lines.is_empty() {
            let (before, rest) = text.split_once(MARKS[0]).context("the template has a start mark")?;
            let (_, after) = rest.split_once(MARKS[1]).context("the template has an end mark")?;
            text = format!("{before}{}{after}", self.lines.iter().map(|line| line.text.as_str()).collect::<String>());
        }
        text = MARKS.iter().fold(text, |text, mark| text.replace(mark, ""));
        if let Some(words) = self.words() {
            text = text.replace(COMMAND, &serde_json::to_string(&words)?);
        }
        if matches!(self.evaluation, Evaluation::ByHand) {
            text = without_program(&text).context("the template has an evaluation")?;
        }
        if !self.constraints.is_empty() {
            let list = serde_json::to_string(&self.constraints)?.replace("\",\"", "\", \"");
            text = text.replace(CONSTRAINTS, &format!("constraints = {list}"));
        }
        if self.maximise {
            text = text.replace(GOALS[0], GOALS[1]);
        }
        if let Some(trials) = self.trials {
            text = text.replace(TRIALS, &format!("trials = {trials}"));
        }
        Ok(text)
    }

    /// The command, if the template's own does not do.
    fn words(&self) -> Option<Vec<String>> {
        if let Evaluation::Command(command) = &self.evaluation {
            return Some(words_of(command));
        }
        let names = self.lines.iter().map(|line| format!("{{{}}}", line.name));
        let words = ["python3", "evaluate.py"].map(str::to_owned).into_iter().chain(names);
        (!self.lines.is_empty()).then(|| words.collect())
    }
}

/// The words of a command, apart by blanks that are not within braces: the name of a parameter may have some.
fn words_of(command: &str) -> Vec<String> {
    let mut is_within = false;
    let mut ends = |letter: char| {
        is_within = letter == '{' || is_within && letter != '}';
        letter.is_whitespace() && !is_within
    };
    command.split(&mut ends).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The file with its evaluation as a comment.
fn without_program(text: &str) -> Option<String> {
    let (before, rest) = text.split_once("[evaluate]\n")?;
    let (evaluation, after) = rest.split_once("\n[stop]\n")?;
    let comment = |line: &str| if line.starts_with('#') { format!("{line}\n") } else { format!("# {line}\n") };
    let evaluation: String = evaluation.lines().map(comment).collect();
    Some(format!(
        "{before}# You make the experiments: `fathom ask` and `fathom tell`. If there is a program one day, `fathom run` starts it.\n\
         # [evaluate]\n{evaluation}\n[stop]\n{after}"
    ))
}

/// The names of all but the default.
fn others<'n>(names: impl Iterator<Item = &'n str>, default: &str) -> String {
    names.filter(|name| *name != default).collect::<Vec<_>>().join(", ")
}
