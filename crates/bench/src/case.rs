//! The problems of a folder, and how one is solved, proven and verified.

use anyhow::{Context as _, ensure};
use fathom_check::{Rejection, Verdict, verify};
use fathom_global::{Certificate, Instance, Limits, Posed as _, Problem, Proof, Stop, minimise, minimise_with_proof};
use fathom_gp::Posterior;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Which problems, and how they are solved.
#[derive(clap::Args, Debug)]
pub(crate) struct Problems {
    /// A folder of problems, one JSON file each.
    #[arg(long, default_value = "instances")]
    pub instances: PathBuf,
    /// Absolute gap; of log EI, a gap relative to EI.
    #[arg(long, default_value_t = 1e-3)]
    pub gap: f64,
    /// Seconds for each solve.
    #[arg(long, default_value_t = 60.0)]
    pub time_limit: f64,
}

impl Problems {
    pub fn settings(&self) -> String {
        format!("absolute gap {:e}\ntime limit {} s", self.gap, self.time_limit)
    }

    pub fn limits(&self) -> Limits {
        let time = Some(std::time::Duration::from_secs_f64(self.time_limit));
        Limits { gap: self.gap, time, ..Limits::default() }
    }

    /// The problems of the folder, `prior` before other families and each from small to large; `quick` has the smallest alone.
    pub fn cases(&self, quick: bool) -> anyhow::Result<Vec<Case>> {
        let folder = &self.instances;
        let entries = std::fs::read_dir(folder).with_context(|| format!("could not read {}", folder.display()))?;
        let files: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<_>>()?;
        let json = files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "json"));
        let read = |file: &PathBuf| Case::read(file).with_context(|| format!("in {}", file.display()));
        let mut cases: Vec<Case> = json.map(read).collect::<anyhow::Result<_>>()?;
        ensure!(!cases.is_empty(), "{} holds no problems: JSON files are looked for", folder.display());
        cases.sort_by(|a, b| a.order().cmp(&b.order()));
        cases.retain(|case| !quick || case.instance.dim() <= 2 && case.instance.count() <= 50);
        Ok(cases)
    }
}

/// A problem of the folder.
#[derive(Debug)]
pub struct Case {
    pub family: String,
    pub kernel: String,
    pub instance: Instance,
    pub posterior: Posterior,
}

impl Case {
    fn read(file: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(file)?;
        let plain: serde_json::Value = serde_json::from_str(&text)?;
        let field = |name: &str| plain[name].as_str().map(String::from).with_context(|| format!("no field {name}"));
        let instance: Instance = serde_json::from_str(&text)?;
        let posterior = instance.posterior()?;
        let stem = file.file_stem().and_then(|stem| stem.to_str());
        ensure!(stem == Some(&instance.name), "the file must be called as the problem, {}", instance.name);
        Ok(Self { family: field("family")?, kernel: field("kernel")?, instance, posterior })
    }

    fn order(&self) -> (bool, &str, usize, usize, &str) {
        let Self { family, instance, .. } = self;
        (family != "prior", family, instance.dim(), instance.count(), &instance.name)
    }
}

/// Certificates and seconds of `repetitions` solves with their set-up, fewer if one takes longer than the time allowed or `long`.
pub(crate) fn solve<'p>(
    problem: &dyn Fn() -> fathom_global::Result<Problem<'p>>,
    limits: &Limits,
    repetitions: usize,
) -> anyhow::Result<(Certificate, Vec<f64>)> {
    let mut times = Vec::new();
    loop {
        let start = Instant::now();
        let found = minimise(&problem()?, limits, &Stop::new(false), |_| ())?;
        times.push(start.elapsed().as_secs_f64());
        if times.len() >= repetitions || limits.time.is_some_and(|limit| start.elapsed() >= limit) {
            return Ok((found, times));
        }
    }
}

/// A solve with its proof, which is written, read back and verified.
pub(crate) struct Proven {
    pub found: Certificate,
    /// Of the set-up and the search.
    pub seconds: f64,
    /// Nothing if nothing was proven.
    pub verified: Option<Verified>,
}

/// What the checker says of a proof.
pub(crate) struct Verified {
    pub bytes: usize,
    pub seconds: f64,
    pub verdict: Result<Verdict, Rejection>,
}

/// Solves a problem with its proof.
pub(crate) fn prove<'p>(
    problem: &dyn Fn() -> fathom_global::Result<Problem<'p>>,
    limits: &Limits,
) -> anyhow::Result<Proven> {
    let start = Instant::now();
    let (found, proof) = minimise_with_proof(&problem()?, limits, &Stop::new(false), |_| ())?;
    let seconds = start.elapsed().as_secs_f64();
    let Some(proof) = proof else { return Ok(Proven { found, seconds, verified: None }) };
    let bytes = proof.to_bytes()?;
    let start = Instant::now();
    let verdict = verify(&Proof::from_bytes(&bytes)?);
    let verified = Some(Verified { bytes: bytes.len(), seconds: start.elapsed().as_secs_f64(), verdict });
    Ok(Proven { found, seconds, verified })
}

impl Proven {
    /// `accepted`, or why not.
    pub fn verdict(&self) -> String {
        match &self.verified {
            None => "nothing proven".into(),
            Some(Verified { verdict: Ok(_), .. }) => "accepted".into(),
            Some(Verified { verdict: Err(refused), .. }) => refused.to_string(),
        }
    }
}

/// Those of `rows` that are `bad`, by name, or `none`.
pub(crate) fn names<R>(rows: &[R], bad: impl Fn(&R) -> bool, name: impl Fn(&R) -> String, separator: &str) -> String {
    let names: Vec<String> = rows.iter().filter(|row| bad(row)).map(name).collect();
    if names.is_empty() { "none".into() } else { names.join(separator) }
}
