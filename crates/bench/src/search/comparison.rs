//! Measuring: each group of problems by one program and then by the other.

use super::report;
use super::row::{Row, Who};
use super::yardstick::{Told, read_best_known};
use crate::case::{Case, cases};
use crate::evidence;
use anyhow::{Context as _, bail};
use fathom_check::verify;
use fathom_global::{Certificate, Limits, Posed as _, Proof, Stop, minimise, minimise_with_proof};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Repetitions of problems that take less than [`SMALL`] seconds; larger ones are solved once.
const REPETITIONS: usize = 5;
const SMALL: f64 = 1.0;

/// A comparison under way.
struct Comparison {
    raw: evidence::Run<Row>,
    limits: Limits,
    time_limit: Duration,
}

impl Comparison {
    fn row(&self, who: Who, case: &Case, repetition: usize) -> Row {
        Row {
            who,
            instance: case.instance.name.clone(),
            family: case.family.clone(),
            d: case.instance.dim(),
            n: case.instance.count(),
            kernel: case.kernel.clone(),
            repetition,
            seconds: None,
            nodes: None,
            value: None,
            lower_bound: None,
            status: String::new(),
            gap: self.limits.gap,
            proof_bytes: None,
            time_limit: self.time_limit.as_secs_f64(),
        }
    }

    fn certified(&self, who: Who, case: &Case, repetition: usize, seconds: f64, found: &Certificate) -> Row {
        Row {
            seconds: Some(seconds),
            nodes: Some(found.nodes),
            value: Some(found.value),
            lower_bound: found.lower_bound,
            status: found.status.name().into(),
            ..self.row(who, case, repetition)
        }
    }

    /// Solves, solves with a proof and verifies it; the seconds of the slowest of the three.
    fn fathom(&mut self, case: &Case, repetition: usize) -> anyhow::Result<f64> {
        let start = Instant::now();
        let problem = case.instance.problem(&case.posterior)?;
        let found = minimise(&problem, &self.limits, &Stop::new(false), |_| ())?;
        let solve = start.elapsed().as_secs_f64();
        self.raw.push(&self.certified(Who::Fathom, case, repetition, solve, &found))?;

        let start = Instant::now();
        let problem = case.instance.problem(&case.posterior)?;
        let (found, proof) = minimise_with_proof(&problem, &self.limits, &Stop::new(false), |_| ())?;
        let recorded = start.elapsed().as_secs_f64();
        let bytes = proof.map(|proof| proof.to_bytes()).transpose()?;
        let proof_bytes = bytes.as_ref().map(|bytes| bytes.len() as u64);
        let row = self.certified(Who::Proof, case, repetition, recorded, &found);
        self.raw.push(&Row { proof_bytes, ..row })?;
        let Some(bytes) = bytes else { return Ok(solve.max(recorded)) };

        let start = Instant::now();
        let verdict = verify(&Proof::from_bytes(&bytes)?);
        let check = start.elapsed().as_secs_f64();
        let row = Row { seconds: Some(check), proof_bytes, ..self.row(Who::Verify, case, repetition) };
        self.raw.push(&match verdict {
            Ok(verdict) => Row {
                nodes: Some(verdict.boxes as u64),
                value: verdict.value.map(|(_, high)| high),
                lower_bound: verdict.lower_bound,
                status: "accepted".into(),
                ..row
            },
            Err(rejection) => Row { status: format!("rejected: {rejection}"), ..row },
        })?;
        Ok(solve.max(recorded).max(check))
    }

    /// Solves all `cases` in one call of `program`; those that are worth repeating.
    fn yardstick<'c>(
        &mut self,
        program: &Path,
        cases: &[&'c Case],
        repetition: usize,
    ) -> anyhow::Result<Vec<&'c Case>> {
        let files: Vec<String> = cases.iter().map(|case| case.file.display().to_string()).collect();
        let output = Command::new(program)
            .args(["-e", &format!("{:e}", self.limits.gap), "-t", &self.time_limit.as_secs_f64().to_string()])
            .args(["-f", &files.join(",")])
            .output()
            .with_context(|| format!("could not start {}", program.display()))?;
        if !output.status.success() {
            bail!("{} failed: {}", program.display(), String::from_utf8_lossy(&output.stderr));
        }
        let mut small = Vec::new();
        for line in String::from_utf8(output.stdout)?.lines().filter(|line| !line.ends_with(" skip")) {
            let told = Told::parse(line).with_context(|| format!("unexpected line of the yardstick: {line}"))?;
            let case = cases.iter().find(|case| case.instance.name == told.name);
            let case = *case.with_context(|| format!("the yardstick was not asked for {}", told.name))?;
            self.raw.push(&Row {
                seconds: Some(told.seconds),
                nodes: Some(told.nodes),
                value: Some(told.value),
                lower_bound: Some(told.lower_bound),
                status: if told.open { "open" } else { "optimal" }.into(),
                ..self.row(Who::Yardstick, case, repetition)
            })?;
            if told.seconds < SMALL {
                small.push(case);
            }
        }
        Ok(small)
    }
}

/// Solves every problem of the folder `instances` with us and, where it is named, with the program `yardstick`, family
/// by family, and writes `raw.csv` and `tables.md` into the new folder `run`. `best_known` names a table
/// `instance,best_known_lcb` to hold the results against.
pub fn compare(
    instances: &Path,
    yardstick: Option<&Path>,
    best_known: Option<&Path>,
    gap: f64,
    time_limit: Duration,
    run: &Path,
) -> anyhow::Result<()> {
    let cases = cases(instances)?;
    let best_known = best_known.map(read_best_known).transpose()?.unwrap_or_default();
    let raw = evidence::Run::create(run)?;
    let limits = Limits { gap, relative_gap: 0.0, time: Some(time_limit), threads: 1, ..Limits::default() };
    let mut under_way = Comparison { raw, limits, time_limit };
    for case in &cases {
        if let Some(value) = best_known.get(&case.instance.name) {
            let row = under_way.row(Who::BestKnown, case, 0);
            under_way.raw.push(&Row { value: Some(*value), status: "found".into(), ..row })?;
        }
    }
    for group in cases.chunk_by(|a, b| a.group() == b.group()) {
        let (_, family, d, n) = group[0].group();
        eprintln!("{family}, D = {d}, N = {n}: {} problems", group.len());
        let (mut ours, mut theirs): (Vec<&Case>, Vec<&Case>) = (group.iter().collect(), group.iter().collect());
        for repetition in 0..REPETITIONS {
            let mut small = Vec::new();
            for case in ours {
                let seconds = under_way.fathom(case, repetition);
                if seconds.with_context(|| format!("solving {}", case.instance.name))? < SMALL {
                    small.push(case);
                }
            }
            ours = small;
            if let Some(program) = yardstick.filter(|_| !theirs.is_empty()) {
                theirs = under_way.yardstick(program, &theirs, repetition)?;
            }
        }
    }
    report(run)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_solved_verified_and_never_overwritten() {
        let folder = std::env::temp_dir().join(format!("fathom-search-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a new folder");
        let text = r#"{"name": "tiny", "family": "prior", "seed": 1, "d": 1, "n": 2, "kernel": "rbf", "sigma_f2": 1.0,
            "lengthscales": [0.5], "noise": 1e-6, "beta_sqrt": 1.0, "bounds": [[0.0, 1.0]],
            "x": [[0.2], [0.7]], "y": [0.5, -0.5]}"#;
        std::fs::write(folder.join("tiny.json"), text).expect("our folder");
        let known = folder.join("best.csv");
        std::fs::write(&known, "instance,best_known_lcb\ntiny,5.0\n").expect("our folder");
        let run = folder.join("run");
        let go = || compare(&folder, None, Some(&known), 1e-3, Duration::from_secs(10), &run);
        go().expect("a tiny problem");
        let rows = evidence::read::<Row>(&run).expect("just written");
        assert_eq!(rows.iter().filter(|row| row.who == Who::Fathom && row.status == "optimal").count(), REPETITIONS);
        assert_eq!(rows.iter().filter(|row| row.who == Who::Verify && row.status == "accepted").count(), REPETITIONS);
        assert!(report(&run).expect("just written").contains("5 was the best known"));
        assert!(go().is_err(), "a run is never overwritten");
        std::fs::remove_dir_all(folder).expect("the folder is ours");
    }
}
