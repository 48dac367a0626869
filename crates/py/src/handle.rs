//! A study in its store, for the class `Study` of the package.

use crate::errand::abandonable;
use crate::error::{OrRaise as _, StoreError};
use crate::reservation::Reservations;
use crate::trial::Trial;
use crate::verification::Verification;
use crate::{settings, value};
use fathom_study::{Address, Definition, Error, Outcome, Result, Spool, Study, TakenUp, Trial as Inner, Within};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::Path;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The address of studies that end with the process.
const MEMORY: &str = "memory:";

/// How long a value waits for a store that is busy or away before Python is told so.
const PATIENCE: Duration = Duration::from_secs(30);

/// A study and its store.
#[pyclass(frozen, module = "fathom._fathom", name = "Handle")]
pub struct Handle {
    study: Arc<Mutex<Study>>,
    /// What this process evaluates.
    mine: Arc<Reservations>,
    name: String,
    text: String,
    maximised: bool,
    url: String,
}

impl Handle {
    /// The study that `open` finds at an address; values that the store did not take wait beside `file`.
    fn new(
        py: Python<'_>,
        address: Address,
        file: Option<&Path>,
        open: impl FnOnce(&Address) -> Result<Study> + Send,
    ) -> PyResult<Self> {
        let is_shared = address != Address::from(MEMORY);
        let spool = file.or_else(|| address.file()).map(Spool::beside);
        let connect = || -> Result<_> {
            let mut study = open(&address)?;
            let mut taken = Vec::new();
            if let Some(spool) = spool {
                study = study.with_spool(spool);
                taken = study.take_up()?;
            }
            // Leases are renewed over a connection of their own. In memory there is nobody to renew them for.
            let mut store = fathom_study::connect(&address)?;
            let key = if is_shared { store.find(&study.definition().name)?.map(|found| found.key) } else { Some(0) };
            Ok((study, store, key, taken))
        };
        let (study, store, key, taken) = py.detach(connect).or_raise()?;
        for taken in taken {
            if let TakenUp::Kept(line, reason) = taken {
                let text = format!("trial {} was not told {}, which waits: {reason}", line.trial, line.outcome());
                py.import("warnings")?.call_method1("warn", (text,))?;
            }
        }
        let key = key.ok_or_else(|| StoreError::new_err(format!("{address} lost the study while it was opened")))?;
        let definition = study.definition();
        let owner = format!("python-{}-{}-{}", process::id(), unique(), since_1970().as_nanos());
        Ok(Self {
            name: definition.name.clone(),
            text: definition.text().to_owned(),
            maximised: definition.goal == fathom_study::Goal::Maximise,
            study: Arc::new(Mutex::new(study)),
            mine: Reservations::new(store, key, owner, is_shared),
            url: address.to_string(),
        })
    }

    /// Works on the study away from the interpreter.
    fn work<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Study) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        abandonable(py, &self.study, work, |_, _| ())?.or_raise()
    }

    fn report(&self, py: Python<'_>, id: u64, outcome: Outcome) -> PyResult<()> {
        self.work(py, move |study| study.report(id, None, &outcome, &mut Within::new(PATIENCE)))?;
        self.mine.release(id);
        Ok(())
    }

    fn trial(&self, trial: Inner) -> Trial {
        Trial::new(trial, &self.study)
    }

    /// Up to `count` trials, reserved, as long as there are fewer than `most`. Where it is interrupted or fails, the next who
    /// asks is given them.
    fn reserve(&self, py: Python<'_>, count: usize, most: u64) -> PyResult<Vec<Trial>> {
        let (mine, theirs) = (Arc::clone(&self.mine), Arc::clone(&self.mine));
        let ask = move |study: &mut Study| {
            let mut trials = Vec::new();
            while trials.len() < count {
                match study.ask_leased(&mine.lease(), most) {
                    Ok(Some(trial)) => {
                        // The others may take longer than its lease.
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
            Ok(trials)
        };
        let undo = move |study: &mut Study, asked: Result<Vec<Inner>>| {
            if let Ok(trials) = asked {
                give_up(study, &theirs, &trials);
            }
        };
        let trials = abandonable(py, &self.study, ask, undo)?.or_raise()?;
        Ok(trials.into_iter().map(|trial| self.trial(trial)).collect())
    }
}

#[pymethods]
impl Handle {
    /// The study with these keys of a study file, created where it does not exist: in the store at `url`, else in memory.
    #[staticmethod]
    fn create(py: Python<'_>, keys: &Bound<'_, PyDict>, url: Option<&str>) -> PyResult<Self> {
        let definition = Definition::new(&settings::from_dict(keys)?).or_raise()?;
        Self::new(py, Address::from(url.unwrap_or(MEMORY)), None, |address| Study::resume(address, definition))
    }

    /// The study that `text` is about, created where it does not exist: in the store at `url`, else where the text says,
    /// else in a database beside the file that it was read from, else in memory.
    #[staticmethod]
    #[pyo3(signature = (text, name, url, beside = None))]
    fn resume(py: Python<'_>, text: &str, name: &str, url: Option<&str>, beside: Option<&str>) -> PyResult<Self> {
        let definition = Definition::parse(text).or_raise()?.or_named(name);
        let beside = beside.map(Path::new);
        let file = beside.map(|file| file.with_extension("db"));
        let address = match (url, &definition.store, &file) {
            (Some(url), _, _) => Address::from(url),
            (None, Some(store), _) => store.clone(),
            (None, None, Some(file)) => Address::of_file(file),
            (None, None, None) => Address::from(MEMORY),
        };
        Self::new(py, address, beside, |address| Study::resume(address, definition))
    }

    /// The study called `name` in the store at `url`.
    #[staticmethod]
    fn open(py: Python<'_>, url: &str, name: &str) -> PyResult<Self> {
        Self::new(py, Address::from(url), None, |address| Study::open(address, name))
    }

    /// `count` trials to evaluate, which wait until they are told. Where it is interrupted, the next who asks is given them.
    fn ask(&self, py: Python<'_>, count: usize) -> PyResult<Vec<Trial>> {
        let trials = self.reserve(py, count, u64::MAX)?;
        let (ids, mine) = (trials.iter().map(|trial| trial.inner.id).collect::<Vec<_>>(), Arc::clone(&self.mine));
        // They are somebody's now, whoever dies.
        self.work(py, move |study| {
            ids.into_iter().try_for_each(|id| {
                mine.release(id);
                study.keep(id, mine.owner()).map(|_| ())
            })
        })?;
        Ok(trials)
    }

    /// A trial to evaluate, reserved as long as this process lives, is not told and does not give it up; `None` where there
    /// are `most` trials already and nobody has given one up.
    fn take(&self, py: Python<'_>, most: u64) -> PyResult<Option<Trial>> {
        Ok(self.reserve(py, 1, most)?.pop())
    }

    /// Leaves a trial that was taken to the next who asks.
    fn give_up(&self, py: Python<'_>, id: u64) -> PyResult<()> {
        self.mine.release(id);
        let ended = self.mine.ended();
        self.work(py, move |study| study.renew(id, &ended).map(|_| ()))
    }

    /// Tells a trial its value. While the store does not take it, it is kept beside the study.
    fn tell(&self, py: Python<'_>, id: u64, value: f64) -> PyResult<()> {
        self.report(py, id, Outcome::of(value).or_raise()?)
    }

    fn tell_failed(&self, py: Python<'_>, id: u64, reason: String) -> PyResult<()> {
        self.report(py, id, Outcome::Failed(reason))
    }

    /// A finished experiment from elsewhere; failed without a value.
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

    fn trials(&self, py: Python<'_>) -> PyResult<Vec<Trial>> {
        Ok(self.work(py, Study::trials)?.into_iter().map(|trial| self.trial(trial)).collect())
    }

    /// One trial.
    fn find(&self, py: Python<'_>, id: u64) -> PyResult<Trial> {
        let study = self.name.clone();
        let found = self.work(py, move |all| {
            let trial = all.trials()?.into_iter().find(|trial| trial.id == id);
            trial.ok_or(Error::NoSuchTrial { study, id })
        })?;
        Ok(self.trial(found))
    }

    /// The proof behind a trial, made again and checked.
    fn verify(&self, py: Python<'_>, id: u64) -> PyResult<Verification> {
        let verified = self.work(py, move |study| study.verify(id))?;
        Ok(Verification::of_trial(&self.name, &verified))
    }

    fn best(&self, py: Python<'_>) -> PyResult<Option<Trial>> {
        Ok(self.work(py, Study::best)?.map(|trial| self.trial(trial)))
    }

    /// (best, reachable, gain), by a minimisation of its own.
    fn bound(&self, py: Python<'_>) -> PyResult<Option<(f64, f64, f64)>> {
        Ok(self.work(py, Study::bound)?.map(|bound| (bound.best, bound.reachable, bound.gain)))
    }

    /// Posterior mean and deviation of the value at every point, after the finished trials.
    fn predict(&self, py: Python<'_>, points: Vec<Bound<'_, PyDict>>) -> PyResult<Vec<(f64, f64)>> {
        let points = points.iter().map(value::from_dict).collect::<PyResult<Vec<_>>>()?;
        self.work(py, move |study| {
            let landscape = study.landscape()?;
            let space = &study.definition().space;
            points.iter().map(|point| landscape.predict(&space.check(point)?)).collect()
        })
    }

    /// The best value after each trial.
    fn best_so_far(&self, py: Python<'_>) -> PyResult<Vec<Option<f64>>> {
        Ok(self.work(py, Study::history)?.into_iter().map(|step| step.best).collect())
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

/// Leaves trials to the next who asks.
fn give_up(study: &mut Study, mine: &Reservations, trials: &[Inner]) {
    for trial in trials {
        mine.release(trial.id);
        // Where even that fails, the lease ends by itself.
        let _ = study.renew(trial.id, &mine.ended());
    }
}

/// A number that nobody else in this process has.
fn unique() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// For names that nobody else has.
fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
