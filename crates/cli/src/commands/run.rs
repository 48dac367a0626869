//! `fathom run`: workers that ask, evaluate and tell until the study ends.

use crate::args::Run;
use crate::meter::{self, Meter};
use crate::studies::{self, number_text};
use crate::text::{plain, printable};
use crate::{assurance, interrupt};
use fathom_study::run::{Crew, Ending, Listener, News};
use fathom_study::{Error, Purpose, State, Study, Trial, Watch};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The number of trials if nobody says how many.
const TRIALS: u64 = 50;

/// How long the report at the end waits for the model.
const CLOSING: Duration = Duration::from_secs(5);

pub fn run(args: &Run) -> anyhow::Result<ExitCode> {
    let file = studies::file(&args.study)?;
    let definition = file.definition();
    if definition.evaluation.is_none() {
        anyhow::bail!("{} has no [evaluate]: say what to run, or use ask and tell", args.study.file.display());
    }
    anyhow::ensure!(args.workers > 0, "at least 1 worker is needed");
    let mut study = studies::opened(&args.study, &file, Purpose::Ask)?;
    let stop = interrupt::patient_stop()?;
    let most = args.trials.or(definition.stopping.trials).unwrap_or(TRIALS);
    let voice = Voice {
        meter: Meter::of_parts(most),
        lease: args.lease,
        has_others: args.workers > 1,
        is_exhausted: AtomicBool::new(false),
    };
    let crew = Crew {
        file: &file,
        workers: args.workers,
        most,
        lease: args.lease,
        proves: !args.no_proofs,
        stop: &stop,
        listener: &voice,
    };
    let started = Instant::now();
    let endings = crew.work(&mut study)?;
    voice.meter.clear();
    let mut errors = endings.into_iter().map(|ending| explained(args, ending));
    if let Some(first) = errors.next() {
        // Each error may carry a value that is kept nowhere else.
        errors.for_each(|error| eprintln!("error: {}", printable(&format!("{error:#}")).replace('\n', "\n  ")));
        return Err(first);
    }
    report(&mut study, &stop)?;
    let is_exhausted = voice.is_exhausted.load(Ordering::Relaxed);
    say!("  ended        {}", why(&mut study, most, started, is_exhausted, stop.load(Ordering::Relaxed))?);
    Ok(if stop.load(Ordering::Relaxed) { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn explained(args: &Run, ending: Ending) -> anyhow::Error {
    match ending {
        Ending::BrokeDown => anyhow::anyhow!("a worker broke down"),
        Ending::Failed(error) => error.into(),
        Ending::Untold { id, outcome, error } => {
            let by_hand = studies::tell_command(&args.study, id, &outcome);
            anyhow::Error::from(*error).context(format!("tell it by hand with `{by_hand}`"))
        }
    }
}

/// What the workers say, on stderr.
struct Voice {
    meter: Meter,
    lease: Duration,
    /// Whether workers of this process may be at it, which is nothing to speak of.
    has_others: bool,
    is_exhausted: AtomicBool,
}

impl Listener for Voice {
    fn hears(&self, news: News<'_>) {
        match news {
            News::Asks { worker, report } => self.meter.show(|| format!("worker {worker}: {}", meter::told(report))),
            News::Evaluates { trial, best, .. } => self.meter.show_part(trial.id, || standing(trial, best)),
            News::Proves { worker, report } => self.meter.show(|| format!("worker {worker}: {}", meter::told(report))),
            News::Proven { trial } => {
                let words = assurance::words(trial).unwrap_or_default();
                self.meter.tell(|| format!("trial {}: {words}", trial.id));
            }
            News::NotProven { id, why } => {
                self.meter.say(&format!("the proof of trial {id} was not kept: {why}; `fathom prove` proves it again"));
            }
            News::Leaves { trial } => {
                let proven = assurance::standing(trial, " before Ctrl-C")
                    .unwrap_or_else(|| format!("trial {} was asked for before Ctrl-C", trial.id));
                self.meter.say(&format!("{proven}; it waits for the next who asks"));
            }
            News::Exhausted { points } => {
                if !self.is_exhausted.swap(true, Ordering::Relaxed) {
                    self.meter.say(&format!("all {points} points of the space have been handed out"));
                }
            }
            News::WaitsForOthers { worker: 0 } if !self.has_others => {
                let lease = humantime::format_duration(self.lease);
                self.meter.say(&format!(
                    "all trials are handed out; one that nobody has told is evaluated again if its worker gives no sign of life for {lease}"
                ));
            }
            News::WaitsForOthers { .. } => {}
            // The message comes often enough to be seen, seldom enough to be read.
            News::Waits { why, times } if times.is_power_of_two() => {
                self.meter.say(&format!("{why}: trying again until it works or Ctrl-C"));
            }
            News::Waits { .. } => {}
            News::Keeps { id, outcome, kept } => self.meter.say(&match kept {
                Ok(path) => {
                    format!("trial {id} is to be told {outcome}, which is kept in {} until then", path.display())
                }
                Err(error) => {
                    format!("trial {id} is to be told {outcome}, which could not be written down either: {error}")
                }
            }),
            News::NotTold { id, outcome, why } => {
                self.meter.say(&format!("trial {id} was not told {outcome}: {why}"));
            }
        }
    }
}

/// How far the study is, on one line.
fn standing(trial: &Trial, best: Option<f64>) -> String {
    let best = best.map_or("none yet".into(), number_text);
    let gain = trial.suggestion.bound.map(|bound| format!("  can gain {}", number_text(bound.gain)));
    let gap = trial.suggestion.gap().map(|gap| format!("  gap {gap:.1e}"));
    format!("best {best}{}{}", gain.unwrap_or_default(), gap.unwrap_or_default())
}

/// Why the run ended.
fn why(study: &mut Study, most: u64, started: Instant, is_exhausted: bool, is_stopped: bool) -> anyhow::Result<String> {
    if is_stopped {
        return Ok("by Ctrl-C; the same command goes on".into());
    }
    let trials = study.trials()?;
    let told = trials.iter().filter(|trial| trial.state.is_told()).count() as u64;
    let bound = trials.iter().rev().find_map(|trial| trial.suggestion.bound);
    let stopping = &study.definition().stopping;
    Ok(match (bound, stopping.gain, stopping.time) {
        _ if is_exhausted => "all points of the space were tried".into(),
        (Some(bound), Some(gain), _) if bound.gain <= gain => {
            format!("at most {} can still be gained, and [stop] gain is {gain}", number_text(bound.gain))
        }
        _ if told >= most => format!("the study has its {most} trials; --trials makes room for more"),
        (_, _, Some(time)) if started.elapsed() >= time => {
            format!("the time of [stop], {}, is over", humantime::format_duration(time))
        }
        _ => "others have the trials that are left".into(),
    })
}

/// What the study came to, on stdout.
fn report(study: &mut Study, stop: &AtomicBool) -> anyhow::Result<()> {
    let trials = study.trials()?;
    let count = |state| trials.iter().filter(|trial| trial.state == state).count();
    let (complete, failed, pending) = (count(State::Complete), count(State::Failed), count(State::Pending));
    say!("{}: {complete} trials complete, {failed} failed, {pending} pending", plain(&study.definition().name));
    let Some(best) = study.definition().goal.best(&trials) else { return Ok(()) };
    say!("  best         {}   (trial {})", best.objective().map(number_text).unwrap_or_default(), best.id);
    say!("  at           {}", studies::point(best));
    match study.recommended_watched(&mut Watch::new(stop).within(CLOSING)) {
        Ok(Some(recommended)) => {
            say!("  by the model {}", recommended.sentence(number_text));
            if recommended.trial.id != best.id {
                say!("  at           {}", studies::point(&recommended.trial));
            }
        }
        // What is not known in time is not said; `fathom best` has more of it.
        Ok(None) | Err(Error::Late { .. } | Error::Interrupted { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    if let Some(bound) = trials.iter().rev().find_map(|trial| trial.suggestion.bound) {
        say!("  can gain     {}   at most, under the model, when last asked", number_text(bound.gain));
    }
    if let Some(summary) = assurance::summary(&trials) {
        say!("  proven       {summary}");
    }
    Ok(())
}
