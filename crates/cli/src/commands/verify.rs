//! `fathom verify`: proof files, and the proofs behind a study's trials.

use super::instance;
use crate::args::{StudyFile, Verify};
use crate::meter::Meter;
use crate::studies;
use crate::text::{json, plain, plain_path};
use anyhow::Context as _;
use fathom_check::{Rejection, Verdict};
use fathom_global::{Proof, Statement};
use fathom_study::{Error, Origin, Report, Study, Trial, Verification, Watch};
use serde_json::json as object_of;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// How a proof file begins.
const MAGIC: &[u8] = b"FATHOM PROOF";

/// What every answer ends with.
const CAVEAT: &str = "The proof says nothing of whether the model is right.";

pub fn run(args: &Verify) -> anyhow::Result<ExitCode> {
    let (of, stray) = split(&args.of);
    let files: Vec<PathBuf> = stray.into_iter().map(PathBuf::from).chain(args.files.iter().cloned()).collect();
    let Some(first) = files.first() else { anyhow::bail!("there is nothing to verify: name a proof or a study file") };
    let holds = if is_proof(first)? {
        let of = of.map(|of| Problem::read(&of, args)).transpose()?;
        let mut holds = true;
        for path in &files {
            holds &= proof_file(path, of.as_ref(), args.json)?;
        }
        holds
    } else {
        anyhow::ensure!(of.is_none(), "--of compares a proof file; the trials of a study are compared with it anyway");
        study(args, first, &files[1..])?
    };
    Ok(if holds { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// What `--of` names: a file, and a trial if a number follows. Anything else that follows is a file to verify.
struct Of<'a> {
    file: &'a Path,
    id: Option<u64>,
}

fn split(of: &[String]) -> (Option<Of<'_>>, Option<&String>) {
    let Some(file) = of.first() else { return (None, None) };
    let id = of.get(1).and_then(|word| word.parse().ok());
    (Some(Of { file: Path::new(file), id }), of.get(1).filter(|_| id.is_none()))
}

fn is_proof(path: &Path) -> anyhow::Result<bool> {
    let bytes = std::fs::read(path).with_context(|| format!("could not read {}", plain_path(path)))?;
    Ok(bytes.starts_with(MAGIC))
}

/// What proofs are compared with.
struct Problem<'a> {
    file: &'a Path,
    /// The problems, each with the trial that it is from.
    candidates: Vec<(Option<u64>, Result<Statement, Error>)>,
}

impl<'a> Problem<'a> {
    fn read(of: &Of<'a>, args: &Verify) -> anyhow::Result<Self> {
        let Of { file, id } = *of;
        if file.extension().is_some_and(|ending| ending == "json") {
            anyhow::ensure!(id.is_none(), "{} is a problem file and has no trials", plain_path(file));
            return Ok(Self { file, candidates: vec![(None, Ok(instance::read(file)?))] });
        }
        let mut study = studies::consult(&StudyFile { file: file.into(), store: args.store.clone() })?;
        let ids = match id {
            Some(id) => vec![id],
            None => suggested(&study.trials()?).map(|trial| trial.id).collect(),
        };
        let mut candidates = Vec::new();
        for id in ids {
            match study.statement(id) {
                Err(error @ (Error::NoProof { .. } | Error::Different { .. })) => {
                    candidates.push((Some(id), Err(error)));
                }
                statement => candidates.push((Some(id), Ok(statement?))),
            }
        }
        Ok(Self { file, candidates })
    }

    /// What the proof is about, or the first difference.
    fn compare(&self, proof: &Proof) -> Result<String, String> {
        let file = plain_path(self.file);
        let mut difference = format!("{file} has no trial with a proof");
        for (id, statement) in &self.candidates {
            let name = id.map_or(file.to_string(), |id| format!("trial {id} of {file}"));
            match statement.as_ref().map(|statement| proof.statement.difference(statement)) {
                Ok(None) => return Ok(name),
                Ok(Some(what)) if self.candidates.len() == 1 => difference = format!("it is not about {name}: {what}"),
                Err(error) if self.candidates.len() == 1 => difference = error.to_string(),
                Ok(Some(_)) | Err(_) => difference = format!("it is not about any trial of {file}"),
            }
        }
        Err(difference)
    }
}

/// The trials that a model suggested.
fn suggested(trials: &[Trial]) -> impl Iterator<Item = &Trial> {
    trials.iter().filter(|trial| trial.suggestion.origin == Origin::Model)
}

fn proof_file(path: &Path, of: Option<&Problem<'_>>, is_json: bool) -> anyhow::Result<bool> {
    let name = plain_path(path);
    let bytes = std::fs::read(path).with_context(|| format!("could not read {name}"))?;
    let proof = Proof::from_bytes(&bytes).with_context(|| name.clone())?;
    let meter = Meter::new();
    meter.tell(|| format!("checking {name}"));
    let outcome = fathom_check::verify(&proof);
    meter.clear();
    let compared = of.map(|of| of.compare(&proof));
    let holds = outcome.is_ok() && !matches!(compared, Some(Err(_)));
    if is_json {
        let mut object = described(&proof, &outcome);
        object["file"] = name.into();
        object["about"] = compared.as_ref().and_then(|compared| compared.as_ref().ok()).cloned().into();
        object["difference"] = compared.and_then(Result::err).into();
        say!("{}", json(&object)?);
        return Ok(holds);
    }
    match &outcome {
        Ok(_) => say!("{name}: the proof holds"),
        Err(rejection) => say!("{name}: REJECTED\n  {}", plain(&rejection.to_string())),
    }
    match compared {
        Some(Ok(about)) => say!("It is about {about}: the same data, model, function and region."),
        Some(Err(difference)) => say!("DIFFERENT: {}", plain(&difference)),
        None => {}
    }
    if let Ok(verdict) = &outcome {
        say!("\n{}\n{}", proof.statement, claim(&proof, verdict));
        say!("{} boxes were checked. {CAVEAT}", verdict.boxes);
    }
    Ok(holds)
}

/// The claim, and how well the value is known.
fn claim(proof: &Proof, verdict: &Verdict) -> String {
    let value = verdict.value.map(|(low, high)| format!("\nThat value lies between {low} and {high}."));
    format!("{}{}", proof.claim, value.unwrap_or_default())
}

fn described(proof: &Proof, outcome: &Result<Verdict, Rejection>) -> serde_json::Value {
    let verdict = outcome.as_ref().ok();
    object_of!({
        "holds": outcome.is_ok(),
        "refused": outcome.as_ref().err().map(Rejection::to_string),
        "statement": proof.statement,
        "claim": proof.claim,
        "value_between": verdict.and_then(|verdict| verdict.value),
        "boxes": verdict.map(|verdict| verdict.boxes),
    })
}

fn study(args: &Verify, file: &Path, ids: &[PathBuf]) -> anyhow::Result<bool> {
    let number = |word: &PathBuf| {
        let word = word.to_string_lossy();
        word.parse::<u64>().with_context(|| format!("`{word}` is not the number of a trial"))
    };
    let ids: Vec<u64> = ids.iter().map(number).collect::<anyhow::Result<_>>()?;
    fathom_study::StudyFile::read(file, None).with_context(|| {
        format!("{} does not begin with FATHOM PROOF, so it was read as a study file", plain_path(file))
    })?;
    let opened = studies::consult(&StudyFile { file: file.into(), store: args.store.clone() });
    let mut study = match opened {
        Err(error) => match error.downcast_ref() {
            Some(Error::DifferentSpace { what, .. }) => {
                say!("{}: DIFFERENT: the study in the store has another {what}", plain_path(file));
                return Ok(false);
            }
            _ => return Err(error),
        },
        Ok(study) => study,
    };
    if ids.is_empty() {
        return every_trial(&mut study, args.json);
    }
    let mut holds = true;
    for id in ids {
        holds &= one_trial(&mut study, id, args.json)?;
    }
    Ok(holds)
}

/// Why a trial was not verified.
enum Shortfall {
    NoProof(String),
    Different(String),
    Refused(String),
}

impl Shortfall {
    /// The shortfall's name in `--json`, and the reason.
    fn parts(&self) -> (&'static str, &str) {
        match self {
            Self::NoProof(why) => ("no_proof", why),
            Self::Different(why) => ("difference", why),
            Self::Refused(why) => ("refused", why),
        }
    }

    /// The message as one line.
    fn line(&self, id: u64) -> String {
        match self {
            Self::NoProof(why) => format!("trial {id}: no proof: {why}"),
            Self::Different(why) => format!("trial {id}: DIFFERENT: {why}"),
            Self::Refused(why) => format!("trial {id}: REJECTED: {why}"),
        }
    }
}

/// The outcome of a trial's verification, if the program could find out.
fn told(outcome: fathom_study::Result<Verification>) -> anyhow::Result<Result<Verification, Shortfall>> {
    match outcome {
        Err(Error::NoProof { reason, .. }) => Ok(Err(Shortfall::NoProof(reason))),
        Err(Error::Different { what, .. }) => Ok(Err(Shortfall::Different(what))),
        Err(Error::Refused { rejection, .. }) => Ok(Err(Shortfall::Refused(rejection.to_string()))),
        outcome => Ok(Ok(outcome?)),
    }
}

/// Verifies a trial, with a line on stderr meanwhile. Ctrl-C ends the program: nothing would be left half done.
fn checked(study: &mut Study, id: u64) -> fathom_study::Result<Verification> {
    let meter = Meter::new();
    let mut hear = |report: Report| meter.hear(report);
    study.verify_watched(id, &mut Watch::nobody().heard_by(&mut hear))
}

fn one_trial(study: &mut Study, id: u64, is_json: bool) -> anyhow::Result<bool> {
    let name = study.definition().name.clone();
    let outcome = told(checked(study, id))?;
    if is_json {
        say!("{}", json(&object(&name, id, &outcome))?);
        return Ok(outcome.is_ok());
    }
    let Verification { proof: made, verdict } = match outcome {
        Ok(verification) => verification,
        Err(shortfall) => {
            say!("{}", plain(&shortfall.line(id)));
            return Ok(false);
        }
    };
    say!("trial {id}: the proof holds\n\n{}\n{}", made.proof.statement, claim(&made.proof, &verdict));
    say!("\nIt is the proof behind trial {id} of this study:");
    for reason in &made.reasons {
        say!("* {}", plain(reason));
    }
    say!("\n{} boxes were checked. {CAVEAT}", verdict.boxes);
    Ok(true)
}

fn object(study: &str, id: u64, outcome: &Result<Verification, Shortfall>) -> serde_json::Value {
    let mut object = match outcome {
        Ok(Verification { proof: made, verdict }) => {
            let mut object = described(&made.proof, &Ok(*verdict));
            object["scope"] = made.scope.name().into();
            object["fit_reproduced"] = made.is_fit_reproduced.into();
            object["reasons"] = made.reasons.clone().into();
            object
        }
        Err(shortfall) => {
            let (key, why) = shortfall.parts();
            object_of!({ "holds": false, key: why })
        }
    };
    object["study"] = study.into();
    object["trial"] = id.into();
    object
}

/// Prints a line for every model suggestion. Trials without a proof are no failure as long as other trials have one.
fn every_trial(study: &mut Study, is_json: bool) -> anyhow::Result<bool> {
    let name = study.definition().name.clone();
    let trials = study.trials()?;
    let (mut verified, mut without, mut wrong) = (0, trials.len() - suggested(&trials).count(), 0);
    for trial in suggested(&trials) {
        let outcome = told(checked(study, trial.id))?;
        match &outcome {
            Ok(_) => verified += 1,
            Err(Shortfall::NoProof(_)) => without += 1,
            Err(Shortfall::Different(_) | Shortfall::Refused(_)) => wrong += 1,
        }
        match (is_json, &outcome) {
            (true, outcome) => say!("{}", json(&object(&name, trial.id, outcome))?),
            (false, Ok(verification)) => say!("{}", line(verification)),
            (false, Err(shortfall)) => say!("{}", plain(&shortfall.line(trial.id))),
        }
    }
    if !is_json {
        let wrong = if wrong > 0 { format!(", {wrong} NOT") } else { String::new() };
        say!("{}: {verified} of {} trials verified{wrong}; {without} have no proof", plain(&name), trials.len());
    }
    Ok(wrong == 0 && verified > 0)
}

/// A verified trial on one line.
fn line(Verification { proof: made, verdict }: &Verification) -> String {
    let claim = &made.proof.claim;
    let gap = match (claim.value, claim.lower_bound) {
        (Some(value), Some(bound)) => format!(" within {:.1e} of the minimum of", value - bound),
        _ => " of".into(),
    };
    let fit = if made.is_fit_reproduced { "" } else { ", under the stored hyperparameters" };
    format!("trial {}: the proof holds:{gap} {}{fit}, {} boxes", made.id, made.scope, verdict.boxes)
}
