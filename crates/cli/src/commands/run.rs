//! `fathom run`: workers that ask, evaluate and tell until the study ends.

use crate::args::{Run, StudyFile};
use crate::evaluator::{self, Failure};
use crate::studies::{self, Purpose, number_text};
use crate::text::{plain, printable};
use anyhow::Context as _;
use fathom_study::{Address, Definition, Error, Evaluation, Lease, Outcome, State, Study, Trial, Waiter, patiently};
use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

/// Trials where nobody says how many.
const TRIALS: u64 = 50;

/// How long a worker waits for others at the store before it says so.
const PATIENCE: Duration = Duration::from_secs(30);

pub fn run(args: &Run) -> anyhow::Result<ExitCode> {
    let definition = studies::read(&args.study.file)?;
    let Some(evaluation) = definition.evaluation.clone() else {
        anyhow::bail!("{} has no [evaluate]: say what to run, or use ask and tell", args.study.file.display());
    };
    anyhow::ensure!(args.workers > 0, "at least 1 worker is needed");
    let address = studies::address(&args.study, &definition);
    let mut study = studies::open(&args.study, Purpose::Ask)?;
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    ctrlc::set_handler(move || asked.store(true, Ordering::Relaxed)).context("could not listen for Ctrl-C")?;
    let crew = Crew {
        study: &args.study,
        address: &address,
        most: args.trials.or(definition.stopping.trials).unwrap_or(TRIALS),
        definition: &definition,
        evaluation: &evaluation,
        lease: args.lease,
        stop: &stop,
        ended: AtomicBool::new(false),
        started: Instant::now(),
        line: Mutex::new(()),
    };
    let errors = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..args.workers)
            .map(|number| {
                scope.spawn({
                    let crew = &crew;
                    move || crew.work(number)
                })
            })
            .collect();
        let end = |worker: ScopedJoinHandle<'_, anyhow::Result<()>>| match worker.join() {
            Ok(end) => end.err(),
            Err(_) => Some(anyhow::anyhow!("a worker broke down")),
        };
        workers.into_iter().filter_map(end).collect::<Vec<anyhow::Error>>()
    });
    crew.clear();
    let mut errors = errors.into_iter();
    if let Some(first) = errors.next() {
        // Each may carry a value that is kept nowhere else.
        errors.for_each(|error| eprintln!("error: {}", printable(&format!("{error:#}")).replace('\n', "\n  ")));
        return Err(first);
    }
    report(&mut study)?;
    Ok(if stop.load(Ordering::Relaxed) { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// What all workers share.
struct Crew<'a> {
    study: &'a StudyFile,
    address: &'a Address,
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
        let mut waiter = Voice { crew: self };
        let opened = patiently(&mut waiter, || Study::open(self.address, &self.definition.name));
        let mut study = opened?.with_spool(studies::spool(self.study));
        let lease = Lease { owner: studies::owner(number), duration: self.lease };
        while !self.is_over() {
            let asked = match patiently(&mut waiter, || study.ask_leased(&lease, self.most)) {
                // Nothing is under way, so nothing is lost.
                Err(error) if error.is_temporary() && self.is_over() => break,
                Err(Error::Exhausted { points }) => {
                    eprintln!("all {points} points of the space have been handed out");
                    None
                }
                asked => asked?,
            };
            match asked {
                Some(trial) => self.evaluate(&mut study, &trial, &lease)?,
                None if patiently(&mut waiter, || study.is_leased())? => std::thread::sleep(Duration::from_millis(100)),
                None => break,
            }
        }
        Ok(())
    }

    fn evaluate(&self, study: &mut Study, trial: &Trial, lease: &Lease) -> anyhow::Result<()> {
        self.show(study, trial)?;
        // A store that does not answer must not keep the program from being looked after.
        study.set_patience(Duration::from_secs(1))?;
        let mut renewed = Instant::now();
        let mut is_ours = true;
        let outcome = evaluator::evaluate(self.evaluation, trial, || {
            if renewed.elapsed() > self.lease / 4 {
                renewed = Instant::now();
                is_ours = study.renew(trial.id, lease).unwrap_or(true);
            }
            is_ours && !self.stop.load(Ordering::Relaxed)
        });
        study.set_patience(PATIENCE)?;
        let outcome = match outcome {
            Ok(value) => Outcome::of(value)?,
            Err(Failure::Failed(reason)) => Outcome::Failed(reason),
            Err(Failure::Interrupted) => {
                // Given up at once, so that nobody has to wait for the lease to end; where that fails, it ends by itself.
                let _ = study.renew(trial.id, &Lease { duration: Duration::ZERO, ..lease.clone() });
                return Ok(());
            }
        };
        match study.report(trial.id, Some(&trial.point), &outcome, &mut Voice { crew: self }) {
            // Somebody else evaluated it too, after our lease had ended; theirs counts.
            Err(error @ Error::AlreadyFinished { .. }) => {
                self.say(&format!("trial {} was not told {outcome}: {error}", trial.id));
            }
            told => {
                let by_hand = || studies::tell_command(self.study, trial.id, &outcome);
                told.with_context(|| format!("tell it by hand with `{}`", by_hand()))?;
            }
        }
        if let (Some(bound), Some(gain)) = (trial.suggestion.bound, self.definition.stopping.gain)
            && bound.gain <= gain
        {
            self.ended.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// A sentence on stderr, on a line of its own.
    fn say(&self, sentence: &str) {
        let _one_at_a_time = self.line.lock();
        self.clear();
        eprintln!("{sentence}");
    }

    /// A line on stderr that says how far it is; silent where that is no terminal.
    fn show(&self, study: &mut Study, trial: &Trial) -> anyhow::Result<()> {
        if !std::io::stderr().is_terminal() {
            return Ok(());
        }
        let _one_at_a_time = self.line.lock();
        let best = study.best()?.and_then(|best| best.objective()).map_or("none yet".into(), number_text);
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

/// A worker that waits for the store until the run is stopped.
struct Voice<'a> {
    crew: &'a Crew<'a>,
}

impl Waiter for Voice<'_> {
    fn waits(&mut self, why: &Error, times: usize) {
        // Often enough to be seen, seldom enough to be read.
        if times.is_power_of_two() {
            self.crew.say(&format!("{why}: trying again until it works or Ctrl-C"));
        }
    }

    fn keeps(&mut self, id: u64, outcome: &Outcome, kept: Result<&Path, &Error>) {
        self.crew.say(&match kept {
            Ok(path) => format!("trial {id} is to be told {outcome}, which is kept in {} until then", path.display()),
            Err(error) => {
                format!("trial {id} is to be told {outcome}, which could not be written down either: {error}")
            }
        });
    }

    fn goes_on(&self) -> bool {
        !self.crew.stop.load(Ordering::Relaxed)
    }
}

/// What the study came to, on stdout.
pub fn report(study: &mut Study) -> anyhow::Result<()> {
    let trials = study.trials()?;
    let count = |state| trials.iter().filter(|trial| trial.state == state).count();
    let (complete, failed, pending) = (count(State::Complete), count(State::Failed), count(State::Pending));
    say!("{}: {complete} trials complete, {failed} failed, {pending} pending", plain(&study.definition().name));
    let Some(best) = study.best()? else { return Ok(()) };
    say!("  best         {}   (trial {})", best.objective().map(number_text).unwrap_or_default(), best.id);
    say!("  at           {}", studies::point(&best));
    if let Some(bound) = study.history()?.iter().rev().find_map(|step| step.bound) {
        say!("  can gain     {}   at most, under the model, when last asked", number_text(bound.gain));
    }
    Ok(())
}
