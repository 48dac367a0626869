//! A study in its store, for the class `Study` of the package.

use crate::background::{SOON, Stopped, is_interrupt, on_subject};
use crate::error::{InputError, Interrupted, OrRaise as _};
use crate::table::{self, Understood};
use crate::trial::Trial;
use crate::verification::Verification;
use crate::{settings, value};
use fathom_global::Stop;
use fathom_picture::Picture;
use fathom_sheet::Table;
use fathom_study::run::Reservations;
use fathom_study::{
    Address, Definition, Entered, Opened, Outcome, Purpose, Recommended, Result, Study, StudyFile, TakenUp,
    Trial as Inner, Watch, Within, author,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long a value waits for a store that is busy or away before Python is told so.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long an ask that was stopped may take to answer: it ends its search and stores the trial.
const ANSWER: Duration = Duration::from_secs(1);

/// Number, trial, time, who and what of an entry of the history.
type ChangeFields = (u64, u64, f64, Option<String>, String);

/// A study and its store.
#[pyclass(frozen, module = "fathom._fathom", name = "Handle")]
pub struct Handle {
    study: Arc<Mutex<Study>>,
    /// The trials that this process evaluates.
    mine: Arc<Reservations>,
    name: String,
    text: String,
    maximised: bool,
    url: String,
}

impl Handle {
    /// The study that `open` opens at an address.
    fn new(py: Python<'_>, address: &Address, open: impl FnOnce() -> Result<Opened> + Send) -> PyResult<Self> {
        let connect = || -> Result<_> {
            let opened = open()?;
            let mine = Reservations::new(address, &opened.study.definition().name)?;
            Ok((opened, mine))
        };
        let (Opened { study, taken_up }, mine) = py.detach(connect).or_raise()?;
        for taken in taken_up {
            if let TakenUp::Kept(line, reason) = taken {
                let text = format!("trial {} was not told {}, which waits: {reason}", line.trial, line.outcome());
                py.import("warnings")?.call_method1("warn", (text,))?;
            }
        }
        let definition = study.definition();
        Ok(Self {
            name: definition.name.clone(),
            text: definition.text().to_owned(),
            maximised: definition.goal == fathom_study::Goal::Maximise,
            study: Arc::new(Mutex::new(study)),
            mine,
            url: address.to_string(),
        })
    }

    /// Works on the study in the background.
    fn work<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Study) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        self.watched(py, |study, _| work(study))
    }

    /// The same with work that can be stopped.
    fn watched<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Study, &mut Watch<'_>) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let work = |study: &mut Study, stop: &Stop| work(study, &mut Watch::new(stop));
        let Stopped { found, raised } = on_subject(py, &self.study, SOON, work, |_, _| ())?;
        raised.map_or_else(|| found.or_raise(), Err)
    }

    fn report(&self, py: Python<'_>, id: u64, outcome: Outcome) -> PyResult<()> {
        self.work(py, move |study| study.report(id, None, &outcome, &mut Within::new(PATIENCE)))?;
        self.mine.release(id);
        Ok(())
    }

    fn change(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&mut Study) -> Result<Inner> + Send + 'static,
    ) -> PyResult<Trial> {
        self.work(py, change).map(|trial| self.trial(trial))
    }

    fn trial(&self, trial: Inner) -> Trial {
        Trial::new(trial, &self.study)
    }

    /// Up to `count` trials, reserved, as long as there are fewer than `most`. If the call is interrupted or fails, the next who
    /// asks is given them; an `Interrupted` has them as its `result`, the last one as good as the search had it by then.
    fn reserve(&self, py: Python<'_>, count: usize, most: u64, prove: bool) -> PyResult<Vec<Trial>> {
        let (mine, theirs) = (Arc::clone(&self.mine), Arc::clone(&self.mine));
        let ask = move |study: &mut Study, stop: &Stop| {
            let mut trials = Vec::new();
            let mut watch = Watch::new(stop);
            while trials.len() < count && !watch.is_stopped() {
                let lease = mine.lease();
                let asked = match prove {
                    true => study.ask_proven(Some(&lease), most, &mut watch),
                    false => study.ask_watched(Some(&lease), most, &mut watch),
                };
                match asked {
                    Ok(Some(trial)) => {
                        // The other trials may take longer than this trial's lease.
                        mine.hold(trial.id);
                        trials.push(trial);
                    }
                    Ok(None) => break,
                    Err(error) => {
                        give_up(study, &mine, &trials);
                        return Err(error);
                    }
                }
            }
            if watch.is_stopped() {
                give_up(study, &mine, &trials);
            }
            Ok(trials)
        };
        let undo = move |study: &mut Study, asked: Result<Vec<Inner>>| {
            if let Ok(trials) = asked {
                give_up(study, &theirs, &trials);
            }
        };
        let Stopped { found, raised } = on_subject(py, &self.study, ANSWER, ask, undo)?;
        let trials = |found: Vec<Inner>| found.into_iter().map(|trial| self.trial(trial)).collect::<Vec<_>>();
        match (raised, found) {
            (None, found) => Ok(trials(found.or_raise()?)),
            (Some(error), Ok(found)) if is_interrupt(py, &error) && !found.is_empty() => {
                // The work may have answered before it heard of the signal.
                self.leave(py, &found)?;
                let message =
                    "stopped; the trials so far are this exception's `result`, and the next who asks is given them";
                Err(Interrupted::new_err((message, PyList::new(py, trials(found))?.unbind())))
            }
            (Some(error), Ok(found)) => {
                self.leave(py, &found)?;
                Err(error)
            }
            (Some(error), Err(_)) => Err(error),
        }
    }

    /// Leaves trials to the next who asks.
    fn leave(&self, py: Python<'_>, trials: &[Inner]) -> PyResult<()> {
        let (mine, trials) = (Arc::clone(&self.mine), trials.to_vec());
        self.work(py, move |study| {
            give_up(study, &mine, &trials);
            Ok(())
        })
    }
}

#[pymethods]
impl Handle {
    /// The study with these keys of a study file, created if it does not exist: in the store at `url`, else in memory.
    #[staticmethod]
    fn create(py: Python<'_>, keys: &Bound<'_, PyDict>, url: Option<&str>) -> PyResult<Self> {
        let definition = Definition::new(&settings::from_dict(keys)?).or_raise()?;
        let file = StudyFile::new(definition, url, None);
        Self::new(py, file.address(), || file.open(Purpose::Ask))
    }

    /// The study that `text` is about, created if it does not exist: in the store at `url`, else where the text says, else in
    /// a database beside the file that the text was read from, else in memory.
    #[staticmethod]
    #[pyo3(signature = (text, name, url, beside = None))]
    fn resume(py: Python<'_>, text: &str, name: &str, url: Option<&str>, beside: Option<&str>) -> PyResult<Self> {
        let definition = Definition::parse(text).or_raise()?.or_named(name);
        let file = StudyFile::new(definition, url, beside.map(Path::new));
        Self::new(py, file.address(), || file.open(Purpose::Ask))
    }

    /// The study called `name` in the store at `url`.
    #[staticmethod]
    fn open(py: Python<'_>, url: &str, name: &str) -> PyResult<Self> {
        let address = Address::from(url);
        Self::new(py, &address, || Opened::by_name(&address, name))
    }

    /// `count` trials to evaluate, which wait until they are told. If the call is interrupted, the next who asks is given them.
    /// With `prove` the call waits for proofs as long as the strategy's time limit allows.
    #[pyo3(signature = (count, prove = false))]
    fn ask(&self, py: Python<'_>, count: usize, prove: bool) -> PyResult<Vec<Trial>> {
        let trials = self.reserve(py, count, u64::MAX, prove)?;
        let (ids, mine) = (trials.iter().map(|trial| trial.inner.id).collect::<Vec<_>>(), Arc::clone(&self.mine));
        // The trials belong to the caller now, even if this process dies.
        self.work(py, move |study| {
            ids.into_iter().try_for_each(|id| {
                mine.release(id);
                study.keep(id, mine.owner()).map(|_| ())
            })
        })?;
        Ok(trials)
    }

    /// A trial to evaluate, reserved until it is told or given up, or this process ends; `None` if there are `most` trials
    /// already and nobody has given one up.
    fn take(&self, py: Python<'_>, most: u64) -> PyResult<Option<Trial>> {
        Ok(self.reserve(py, 1, most, false)?.pop())
    }

    /// Leaves a trial that was taken to the next who asks.
    fn give_up(&self, py: Python<'_>, id: u64) -> PyResult<()> {
        self.mine.release(id);
        let ended = self.mine.ended();
        self.work(py, move |study| study.renew(id, &ended).map(|_| ()))
    }

    /// Tells a trial its value. While the store does not take the value, it is kept beside the study.
    fn tell(&self, py: Python<'_>, id: u64, value: f64) -> PyResult<()> {
        self.report(py, id, Outcome::of(value).or_raise()?)
    }

    fn tell_failed(&self, py: Python<'_>, id: u64, reason: String) -> PyResult<()> {
        self.report(py, id, Outcome::Failed(reason))
    }

    /// Corrects what a finished trial was told: another value, or that it failed.
    fn correct(
        &self,
        py: Python<'_>,
        id: u64,
        value: Option<f64>,
        reason: String,
        by: Option<String>,
    ) -> PyResult<Trial> {
        let outcome = value.map_or_else(|| Ok(Outcome::Failed(reason)), Outcome::of).or_raise()?;
        self.change(py, move |study| study.correct(id, outcome, author(by.as_deref()).as_deref()))
    }

    /// Says which settings were really used.
    fn settle(&self, py: Python<'_>, id: u64, params: &Bound<'_, PyDict>, by: Option<String>) -> PyResult<Trial> {
        let settings: Vec<_> = value::from_dict(params)?.into_iter().collect();
        self.change(py, move |study| study.settle(id, &settings, author(by.as_deref()).as_deref()))
    }

    /// Says that nobody will evaluate a pending trial.
    fn cancel(&self, py: Python<'_>, id: u64, reason: String, by: Option<String>) -> PyResult<Trial> {
        self.mine.release(id);
        self.change(py, move |study| study.cancel(id, &reason, author(by.as_deref()).as_deref()))
    }

    /// Says that what a trial was told shall not count.
    fn withdraw(&self, py: Python<'_>, id: u64, reason: String, by: Option<String>) -> PyResult<Trial> {
        self.change(py, move |study| study.withdraw(id, &reason, author(by.as_deref()).as_deref()))
    }

    /// Adds a note to a trial.
    fn note(&self, py: Python<'_>, id: u64, text: String, by: Option<String>) -> PyResult<Trial> {
        self.change(py, move |study| study.note(id, &text, author(by.as_deref()).as_deref()))
    }

    /// Takes back an entry of the history, or the last one.
    fn undo(&self, py: Python<'_>, entry: Option<u64>, by: Option<String>) -> PyResult<Trial> {
        self.change(py, move |study| study.undo(entry, author(by.as_deref()).as_deref()))
    }

    /// (number, trial, time, who, what) of every entry of the history.
    fn changes(&self, py: Python<'_>) -> PyResult<Vec<ChangeFields>> {
        let of = |Entered { trial, change }: Entered| {
            (change.number, trial, change.made_at, change.by, change.edit.to_string())
        };
        Ok(self.work(py, Study::changes)?.into_iter().map(of).collect())
    }

    /// A finished experiment from elsewhere; without a value it failed.
    fn add(&self, py: Python<'_>, params: &Bound<'_, PyDict>, value: Option<f64>) -> PyResult<Trial> {
        let point = value::from_dict(params)?;
        let outcome =
            value.map_or_else(|| Ok(Outcome::Failed("added without a value".into())), Outcome::of).or_raise()?;
        self.work(py, move |study| study.add(&point, &outcome)).map(|trial| self.trial(trial))
    }

    /// A trial that somebody else is evaluating.
    fn add_pending(&self, py: Python<'_>, params: &Bound<'_, PyDict>) -> PyResult<Trial> {
        let point = value::from_dict(params)?;
        self.work(py, move |study| study.add_pending(&point)).map(|trial| self.trial(trial))
    }

    /// Adds the experiments of a file, or says what would be added: how many are added and known, how the file is written, columns with what
    /// they are, rows that are left out, and remarks.
    #[pyo3(signature = (path, value, columns, ignore, separator, decimal, sheet, dry_run))]
    #[expect(clippy::too_many_arguments, reason = "the options of a table, each with its name in Python")]
    fn add_table(
        &self,
        py: Python<'_>,
        path: PathBuf,
        value: Option<String>,
        columns: Vec<(String, String)>,
        ignore: Vec<String>,
        separator: Option<&str>,
        decimal: Option<&str>,
        sheet: Option<String>,
        dry_run: bool,
    ) -> PyResult<Understood> {
        let options = table::options(value, columns, ignore, separator, decimal, sheet)?;
        let add = move |study: &mut Study| {
            let read = Table::read(&path, &study.definition().space, &options);
            let table = match read {
                Ok(table) => table,
                Err(error) => return Ok(Err(error)),
            };
            let experiments = table.experiments();
            let imported = if dry_run { study.rehearse(&experiments) } else { study.import_all(&experiments) }?;
            Ok(Ok(table::understood(&table, imported)))
        };
        self.work(py, add)?.or_raise()
    }

    fn trials(&self, py: Python<'_>) -> PyResult<Vec<Trial>> {
        Ok(self.work(py, Study::trials)?.into_iter().map(|trial| self.trial(trial)).collect())
    }

    /// One trial.
    fn find(&self, py: Python<'_>, id: u64) -> PyResult<Trial> {
        self.work(py, move |study| study.trial(id)).map(|trial| self.trial(trial))
    }

    /// Goes on with the proof of a trial for so many seconds, or for the strategy's time limit. What is proven is stored, after
    /// Ctrl-C too.
    #[pyo3(signature = (id, seconds = None))]
    fn prove(&self, py: Python<'_>, id: u64, seconds: Option<f64>) -> PyResult<Trial> {
        let limit = seconds.map(seconds_of).transpose()?;
        let proven = self.watched(py, move |study, watch| {
            let limit = limit.unwrap_or(study.definition().strategy.time_limit);
            study.prove_watched(id, &mut watch.within(limit))
        })?;
        Ok(self.trial(proven))
    }

    /// The numbers of the trials whose proofs are open, the newest first.
    fn open_proofs(&self, py: Python<'_>) -> PyResult<Vec<u64>> {
        Ok(self.work(py, Study::open_proofs)?.into_iter().map(|trial| trial.id).collect())
    }

    /// The proof behind a trial, made again and checked.
    fn verify(&self, py: Python<'_>, id: u64) -> PyResult<Verification> {
        let verified = self.watched(py, move |study, watch| study.verify_watched(id, watch))?;
        Ok(Verification::of_trial(&self.name, &verified))
    }

    fn best(&self, py: Python<'_>) -> PyResult<Option<Trial>> {
        Ok(self.work(py, Study::best)?.map(|trial| self.trial(trial)))
    }

    /// (trial, median, low, high) of the best trial by the model, after a fit.
    fn recommended(&self, py: Python<'_>) -> PyResult<Option<(Trial, f64, f64, f64)>> {
        let recommended = self.watched(py, Study::recommended_watched)?;
        Ok(recommended.map(|Recommended { trial, median, low, high, .. }| (self.trial(trial), median, low, high)))
    }

    /// (best, reachable, gain), found by a minimisation.
    fn bound(&self, py: Python<'_>) -> PyResult<Option<(f64, f64, f64)>> {
        let remaining = self.watched(py, Study::remaining_watched)?;
        Ok(remaining.bound().map(|bound| (bound.best, bound.reachable, bound.gain)))
    }

    /// Posterior mean and deviation of the value at every point, after the finished trials.
    fn predict(&self, py: Python<'_>, points: Vec<Bound<'_, PyDict>>) -> PyResult<Vec<(f64, f64)>> {
        let points = points.iter().map(value::from_dict).collect::<PyResult<Vec<_>>>()?;
        self.watched(py, move |study, watch| {
            let surrogate = study.surrogate_watched(watch)?;
            let space = &study.definition().space;
            points.iter().map(|point| surrogate.predict(&space.check(point)?)).collect()
        })
    }

    /// The best value after each trial.
    fn best_so_far(&self, py: Python<'_>) -> PyResult<Vec<Option<f64>>> {
        Ok(self.work(py, Study::history)?.into_iter().map(|step| step.best).collect())
    }

    /// Draws a picture along some parameters, or those that matter most, into a file.
    fn draw(&self, py: Python<'_>, path: PathBuf, picture: &str, along: Vec<String>) -> PyResult<()> {
        let picture: Picture = picture.parse().map_err(InputError::new_err)?;
        self.work(py, move |study| Ok(picture.save(study, &along, &path)))?.or_raise()
    }

    /// Writes the study on one page of HTML into a file.
    fn write_report(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.work(py, move |study| Ok(fathom_picture::save_report(study, &path)))?.or_raise()
    }

    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    #[getter]
    fn maximised(&self) -> bool {
        self.maximised
    }

    #[getter]
    fn url(&self) -> &str {
        &self.url
    }
}

/// A time limit.
fn seconds_of(time: f64) -> PyResult<Duration> {
    let bad = |_| InputError::new_err(format!("time_limit is {time}: it must be a number of seconds, not negative"));
    Duration::try_from_secs_f64(time).map_err(bad)
}

/// Leaves trials to the next who asks.
fn give_up(study: &mut Study, mine: &Reservations, trials: &[Inner]) {
    for trial in trials {
        mine.release(trial.id);
        // If even that fails, the lease ends by itself.
        let _ = study.renew(trial.id, &mine.ended());
    }
}
