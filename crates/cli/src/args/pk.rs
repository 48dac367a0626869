//! The options of the paper's method: those of [`PkOptions`], under the same names.

use clap::Args as ClapArgs;
use fathom_method::PkOptions;
use serde_json::{Map, Value};

/// What only `--method pk` knows. What the words and numbers may be is decided by [`PkOptions`] alone.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "With --method pk (docs/guide/paper.md)")]
pub struct Pk {
    /// Start from a configuration: `paper` is that of the paper's Appendix B (gap 50 %, 90 minutes, its repair).
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// The same as --preset paper.
    #[arg(long, conflicts_with = "preset")]
    pub paper: bool,
    /// Who solves: embedded (the certified search), scip, gurobi, or auto (embedded if it takes the problem) [default: auto].
    #[arg(long, value_name = "ENGINE", alias = "backend")]
    pub engine: Option<String>,
    /// The solver's library, program or Python, if `fathom doctor` does not find it.
    #[arg(long, value_name = "PATH")]
    pub solver_path: Option<String>,
    #[command(flatten)]
    pub kernel: Kernel,
    /// ε of Lemma 4.5: the error to reach is kernel-error / t^(4 + ε) in round t, but not less than 1e-9.
    #[arg(long, value_name = "EPSILON")]
    pub schedule: Option<String>,
    /// t of --schedule [default: 1].
    #[arg(long, value_name = "T")]
    pub round: Option<String>,
    /// Of an additive model, minimise each group of inputs alone, as the paper does.
    #[arg(long, alias = "groups-alone")]
    pub group_by_group: bool,
    /// Where a solver starts: search (a short run of the certified search), sub-problem (the paper's) or none [default: search].
    #[arg(long, value_name = "WAY")]
    pub warm_start: Option<String>,
    /// The most time for the warm start [default: 60s, and a quarter of the time limit].
    #[arg(long, value_name = "TIME")]
    pub warm_start_time: Option<String>,
    /// The most time for the program itself.
    #[arg(long, value_name = "TIME")]
    pub program_time: Option<String>,
    /// Random points of the paper's warm start [default: 10].
    #[arg(long, value_name = "COUNT")]
    pub random_points: Option<String>,
    /// Most steps of a descent on the true function [default: 100].
    #[arg(long, value_name = "COUNT")]
    pub polish: Option<String>,
    /// Which points of the pool descend: pool (all) or best (the one with the lowest true value) [default: pool].
    #[arg(long, value_name = "WHICH")]
    pub polish_from: Option<String>,
    /// What is said of the true function: certified (the certified search bounds it) or theorem (an estimate) [default: certified].
    #[arg(long, value_name = "WAY")]
    pub true_bound: Option<String>,
    /// How much a solver may violate a row, 1e-9 to 1e-3 [default: 1e-9].
    #[arg(long, value_name = "TOLERANCE")]
    pub tolerance: Option<String>,
    /// How the kernel is written out: binaries (Eq. 6), sos2 or logarithmic [default: Gurobi's own constraints; binaries for SCIP].
    #[arg(long, value_name = "ENCODING")]
    pub encoding: Option<String>,
    /// A parameter of the solver, by its own name; may be given several times.
    #[arg(long = "parameter", value_name = "NAME=VALUE")]
    pub parameters: Vec<String>,
    /// File for the solver's log.
    #[arg(long, value_name = "FILE")]
    pub solver_log: Option<String>,
}

/// The options of the piecewise-linear kernel, which `export-model` has too.
#[derive(Debug, ClapArgs)]
pub struct Kernel {
    /// M, the segments of each kernel: paper (2D, D, 2D and 2D) or a number [default: paper].
    #[arg(long, value_name = "M")]
    pub segments: Option<String>,
    /// Instead of M, the error ε_M to reach with the fewest segments, as a part of the largest prior variance.
    #[arg(long, value_name = "ERROR")]
    pub kernel_error: Option<String>,
    /// ε_k, the curvature up to which a kernel of unit variance counts as near-linear [default: half of its largest].
    #[arg(long, value_name = "CURVATURE")]
    pub threshold: Option<String>,
    /// Of an indefinite K̃ and a negative σ̃²: keep-all loses no point, published is the paper's [default: keep-all].
    #[arg(long, value_name = "WAY")]
    pub treatment: Option<String>,
}

impl Kernel {
    fn words(&self) -> [(&'static str, Option<&String>); 4] {
        [
            ("segments", self.segments.as_ref()),
            ("kernel_error", self.kernel_error.as_ref()),
            ("threshold", self.threshold.as_ref()),
            ("treatment", self.treatment.as_ref()),
        ]
    }

    /// The settings that were asked for.
    pub fn options(&self) -> anyhow::Result<PkOptions> {
        named(self.words().into_iter().filter_map(|(name, word)| Some((name, read(word?)))))
    }
}

/// The settings with these names and values; a mistake is named by its option.
fn named(keys: impl Iterator<Item = (&'static str, Value)>) -> anyhow::Result<PkOptions> {
    let mut all = Map::new();
    for (name, value) in keys {
        let alone = Map::from_iter([(name.to_owned(), value.clone())]);
        serde_json::from_value::<PkOptions>(alone.into())
            .map_err(|error| anyhow::anyhow!("{}: {error}", option(name)))?;
        all.insert(name.to_owned(), value);
    }
    Ok(serde_json::from_value(all.into())?)
}

impl Pk {
    /// Every option but the switches and the parameters, with what was given.
    fn words(&self) -> impl Iterator<Item = (&'static str, Option<&String>)> {
        let own = [
            ("preset", self.preset.as_ref()),
            ("engine", self.engine.as_ref()),
            ("solver_path", self.solver_path.as_ref()),
            ("schedule", self.schedule.as_ref()),
            ("round", self.round.as_ref()),
            ("warm_start", self.warm_start.as_ref()),
            ("warm_start_time", self.warm_start_time.as_ref()),
            ("program_time", self.program_time.as_ref()),
            ("random_points", self.random_points.as_ref()),
            ("polish", self.polish.as_ref()),
            ("polish_from", self.polish_from.as_ref()),
            ("true_bound", self.true_bound.as_ref()),
            ("tolerance", self.tolerance.as_ref()),
            ("encoding", self.encoding.as_ref()),
            ("solver_log", self.solver_log.as_ref()),
        ];
        own.into_iter().chain(self.kernel.words())
    }

    /// An option that was given, as it is written on the command line.
    pub fn given(&self) -> Option<String> {
        let switches = [("paper", self.paper), ("group_by_group", self.group_by_group)];
        let switches = switches.into_iter().chain([("parameter", !self.parameters.is_empty())]);
        let words = self.words().map(|(name, word)| (name, word.is_some()));
        words.chain(switches).find_map(|(name, is_given)| is_given.then(|| option(name)))
    }

    /// The settings that were asked for; `pool` is the size of the pool if it is not 0.
    pub fn options(&self, pool: usize) -> anyhow::Result<PkOptions> {
        let mut parameters = Map::new();
        for given in &self.parameters {
            let Some((name, value)) = given.split_once('=') else {
                anyhow::bail!("--parameter: `{given}` is not NAME=VALUE");
            };
            parameters.insert(name.trim().to_owned(), Value::from(value.trim()));
        }
        let words = self.words().filter_map(|(name, word)| Some((name, read(word?))));
        let others = [
            self.paper.then(|| ("preset", Value::from("paper"))),
            self.group_by_group.then_some(("group_by_group", Value::Bool(true))),
            (pool > 0).then(|| ("pool", Value::from(pool))),
            Some(("parameters", parameters.into())),
        ];
        named(words.chain(others.into_iter().flatten()))
    }
}

/// A key as an option of the command line.
fn option(name: &str) -> String {
    format!("--{}", name.replace('_', "-"))
}

/// A number or a truth value if the word is one, else the word.
fn read(word: &str) -> Value {
    match serde_json::from_str(word) {
        Ok(value @ (Value::Number(_) | Value::Bool(_))) => value,
        _ => Value::from(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Args;
    use clap::CommandFactory as _;

    /// The keys that `[strategy.pk]` knows, by what its reader says of one that it does not know.
    fn keys() -> Vec<String> {
        let unknown = Map::from_iter([("?".to_owned(), Value::Null)]);
        let said = serde_json::from_value::<PkOptions>(unknown.into()).expect_err("no such key").to_string();
        let listed = said.split_once("expected one of ").expect("a list of the keys").1;
        listed.split(", ").map(|key| key.trim_matches(|c| c != '_' && !char::is_alphanumeric(c)).to_owned()).collect()
    }

    #[test]
    fn every_setting_of_the_papers_method_is_an_option_of_the_same_name() {
        let command = Args::command();
        let solve = command.find_subcommand("solve").expect("a command");
        let options: Vec<&str> = solve.get_arguments().filter_map(clap::Arg::get_long).collect();
        for key in keys() {
            // A parameter is given one by one.
            let name = if key == "parameters" { "parameter".to_owned() } else { key.replace('_', "-") };
            assert!(options.contains(&name.as_str()), "--{name} is missing");
        }
        assert!(keys().contains(&"kernel_error".to_owned()));
    }

    #[test]
    fn a_mistake_is_named_by_its_option() {
        let pk = |words: &[&str]| {
            let all = ["fathom", "solve", "a.json"].iter().chain(words);
            let parsed = <Args as clap::Parser>::try_parse_from(all).expect("options that exist");
            let crate::args::Command::Solve(solve) = parsed.command else { panic!("it is `solve`") };
            solve.pk.options(solve.pool)
        };
        for (words, says) in [
            (["--segments", "few"], "--segments: "),
            (["--warm-start-time", "soon"], "--warm-start-time: `soon` is no time"),
            (["--engine", "cplex"], "--engine: unknown variant `cplex`"),
            (["--parameter", "Cuts"], "--parameter: `Cuts` is not NAME=VALUE"),
        ] {
            let error = pk(&words).expect_err(says).to_string();
            assert!(error.contains(says), "{error}");
        }
        let read = pk(&["--segments", "12", "--pool", "3", "--parameter", "a/b=2", "--paper"]).expect("settings");
        assert_eq!((read.pool, read.parameters.len(), read.preset.is_some()), (Some(3), 1, true));
    }
}
