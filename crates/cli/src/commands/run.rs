//! `fathom run`: workers that ask, evaluate and tell until the study ends.

use crate::args::Run;
use crate::evaluator::{self, Failure};
use crate::studies::{self, number_text};
use anyhow::Context as _;
use fathom_study::{Definition, Error, Evaluation, Lease, State, Study, Trial};
use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Trials where nobody says how many.
const TRIALS: u64 = 50;

pub fn run(args: &Run) -> anyhow::Result<ExitCode> {
    let definition = studies::read(&args.study.file)?;
    let Some(evaluation) = definition.evaluation.clone() else {
        anyhow::bail!("{} has no [evaluate]: say what to run, or use ask and tell", args.study.file.display());
    };
    anyhow::ensure!(args.workers > 0, "at least 1 worker is needed");
    let url = studies::address(&args.study, &definition);
    let mut study = Study::resume(&url, definition.clone())?;
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    ctrlc::set_handler(move || asked.store(true, Ordering::Relaxed)).context("could not listen for Ctrl-C")?;
    let crew = Crew {
        url: &url,
        most: args.trials.or(definition.stopping.trials).unwrap_or(TRIALS),
        definition: &definition,
        evaluation: &evaluation,
        lease: args.lease,
        stop: &stop,
        ended: AtomicBool::new(false),
        started: Instant::now(),
        line: Mutex::new(()),
    };
    let outcome = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..args.workers)
            .map(|number| {
                scope.spawn({
                    let crew = &crew;
                    move || crew.work(number)
                })
            })
            .collect();
        let ends: Vec<anyhow::Result<()>> = workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a worker broke down"))))
            .collect();
        ends.into_iter().collect::<anyhow::Result<()>>()
    });
    crew.clear();
    outcome?;
    report(&mut study)?;
    Ok(if stop.load(Ordering::Relaxed) { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// What all workers share.
struct Crew<'a> {
    url: &'a str,
    most: u64,
    definition: &'a Definition,
    evaluation: &'a Evaluation,
    lease: Duration,
    stop: &'a AtomicBool,
    /// A stopping rule was met.
    ended: AtomicBool,
    started: Instant,
    line: Mutex<()>,
}

impl Crew<'_> {
    fn is_over(&self) -> bool {
        let late = self.definition.stopping.time.is_some_and(|time| self.started.elapsed() > time);
        late || self.stop.load(Ordering::Relaxed) || self.ended.load(Ordering::Relaxed)
    }

    fn work(&self, number: usize) -> anyhow::Result<()> {
        // A worker that cannot go on ends the others too.
        let outcome = self.loop_until_over(number);
        if outcome.is_err() {
            self.ended.store(true, Ordering::Relaxed);
        }
        outcome
    }

    fn loop_until_over(&self, number: usize) -> anyhow::Result<()> {
        let mut study = Study::open(self.url, &self.definition.name)?;
        let lease = Lease { owner: studies::owner(number), duration: self.lease };
        while !self.is_over() {
            let asked = match study.ask_leased(&lease, self.most) {
                Err(Error::Exhausted { points }) => {
                    eprintln!("all {points} points of the space have been handed out");
                    None
                }
                asked => asked?,
            };
            match asked {
                Some(trial) => self.evaluate(&mut study, &trial, &lease)?,
                None if self.others_at_work(&mut study)? => std::thread::sleep(Duration::from_millis(100)),
                None => break,
            }
        }
        Ok(())
    }

    /// Whether trials are out on a lease, so that one of them may yet be given up.
    fn others_at_work(&self, study: &mut Study) -> anyhow::Result<bool> {
        let out = |trial: &Trial| trial.state == State::Pending && trial.lease.is_some_and(|lease| lease < f64::MAX);
        Ok(study.trials()?.iter().any(out))
    }

    fn evaluate(&self, study: &mut Study, trial: &Trial, lease: &Lease) -> anyhow::Result<()> {
        self.show(study, trial)?;
        let mut renewed = Instant::now();
        let mut is_ours = true;
        let outcome = evaluator::evaluate(self.evaluation, trial, || {
            if renewed.elapsed() > self.lease / 4 {
                renewed = Instant::now();
                is_ours = study.renew(trial.id, lease).unwrap_or(true);
            }
            is_ours && !self.stop.load(Ordering::Relaxed)
        });
        let told = match outcome {
            Ok(value) => study.tell(trial.id, value),
            Err(Failure::Failed(reason)) => study.tell_failed(trial.id, &reason),
            Err(Failure::Interrupted) => {
                // Given up at once, so that nobody has to wait for the lease to end.
                study.renew(trial.id, &Lease { duration: Duration::ZERO, ..lease.clone() }).map(|_| ())
            }
        };
        match told {
            // Somebody else evaluated it too, after our lease had ended; theirs counts.
            Err(Error::AlreadyFinished { .. }) => {}
            told => told?,
        }
        if let (Some(bound), Some(gain)) = (trial.suggestion.bound, self.definition.stopping.gain)
            && bound.gain <= gain
        {
            self.ended.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// A line on stderr that says how far it is; silent where that is no terminal.
    fn show(&self, study: &mut Study, trial: &Trial) -> anyhow::Result<()> {
        if !std::io::stderr().is_terminal() {
            return Ok(());
        }
        let _one_at_a_time = self.line.lock();
        let best = study.best()?.and_then(|best| best.value).map_or("none yet".into(), number_text);
        let gain = trial.suggestion.bound.map(|bound| format!("  can gain {}", number_text(bound.gain)));
        let gap = trial.suggestion.certificate.as_ref().and_then(|certificate| certificate.gap);
        let gap = gap.map(|gap| format!("  gap {gap:.1e}")).unwrap_or_default();
        let filled = (20 * trial.id / self.most.max(1)).min(20) as usize;
        let bar = "█".repeat(filled) + &"·".repeat(20 - filled);
        let seconds = self.started.elapsed().as_secs();
        eprint!("\r\x1b[K{bar} {}/{}  best {best}{}{gap}  {seconds} s", trial.id, self.most, gain.unwrap_or_default());
        Ok(())
    }

    fn clear(&self) {
        if std::io::stderr().is_terminal() {
            eprint!("\r\x1b[K");
        }
    }
}

/// What the study came to, on stdout.
pub fn report(study: &mut Study) -> anyhow::Result<()> {
    let trials = study.trials()?;
    let count = |state| trials.iter().filter(|trial| trial.state == state).count();
    let (complete, failed, pending) = (count(State::Complete), count(State::Failed), count(State::Pending));
    say!("{}: {complete} trials complete, {failed} failed, {pending} pending", study.definition().name);
    let Some(best) = study.best()? else { return Ok(()) };
    say!("  best         {}   (trial {})", best.value.map(number_text).unwrap_or_default(), best.id);
    say!("  at           {}", studies::point(&best));
    if let Some(bound) = study.history()?.iter().rev().find_map(|step| step.bound) {
        say!("  can gain     {}   at most, under the model, when last asked", number_text(bound.gain));
    }
    Ok(())
}
