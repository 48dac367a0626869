//! One study with its folder, its ledger and its store, and how commands are run on it.

use super::disk::Disk;
use super::evaluation::{self, now};
use super::model::{Model, Stored, Verdict};
use super::network::Network;
use super::plan::{Kind, Plan};
use super::process::{Ended, Process, Way};
use super::server::{PASSWORD, Server};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A command that takes longer has got stuck. The longest lock takes a minute, and a store may be locked again.
pub const STUCK: Duration = Duration::from_secs(240);

/// The size of a disk for one study.
const KILOBYTES: u64 = 6 << 10;

/// Set by Ctrl-C: rounds end early, and servers and disks are put away.
pub static ENOUGH: AtomicBool = AtomicBool::new(false);

/// What happened so often.
#[derive(Debug, Default)]
pub struct Counts {
    pub kills: AtomicU64,
    pub storms: AtomicU64,
    pub restarts: AtomicU64,
    pub full_disks: AtomicU64,
    pub cuts: AtomicU64,
    pub interrupts: AtomicU64,
    pub readings: AtomicU64,
    pub tells: AtomicU64,
}

pub fn add(count: &AtomicU64) {
    count.fetch_add(1, Ordering::Relaxed);
}

/// A PostgreSQL server and the network before it.
#[derive(Debug)]
pub struct Far {
    pub server: Server,
    pub network: Network,
}

#[derive(Debug)]
pub struct Scene<'a> {
    pub plan: &'a Plan,
    pub seed: u64,
    pub far: Option<&'a Far>,
    pub disk: Option<Disk>,
    pub study: PathBuf,
    pub ledger: PathBuf,
    outputs: PathBuf,
    started: AtomicU64,
    is_over: AtomicBool,
    trouble: Mutex<Option<String>>,
    model: Mutex<Model>,
    pub counts: Counts,
}

impl<'a> Scene<'a> {
    /// Writes the study file. Ledger and outputs have a disk that is never full.
    pub fn new(plan: &'a Plan, seed: u64, number: usize, far: Option<&'a Far>, folder: &Path) -> Verdict<Self> {
        let (home, outputs) = (folder.join("study"), folder.join("outputs"));
        for place in [&home, &outputs] {
            std::fs::create_dir_all(place).map_err(|error| error.to_string())?;
        }
        let is_small = plan.fills_disks() && plan.kind == Kind::Sqlite;
        let disk = is_small.then(|| Disk::mount(&home, KILOBYTES)).transpose()?;
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let store = far.map(|far| format!("store = '{}'\n", Server::url_through(far.network.port())));
        let text = format!(
            "name = 'round-{number}'\n{}\
             [parameters]\nx1 = {{ type = 'float', low = -5, high = 10 }}\nx2 = {{ type = 'float', low = 0, high = 15 }}\n\
             [strategy]\n{}\n[evaluate]\ncommand = ['{}']\n",
            store.unwrap_or_default(),
            plan.strategy,
            program.display(),
        );
        let study = home.join("mine.toml");
        std::fs::write(&study, text).map_err(|error| error.to_string())?;
        Ok(Self {
            plan,
            seed,
            far,
            disk,
            study,
            ledger: folder.join("ledger"),
            outputs,
            started: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
            trouble: Mutex::new(None),
            model: Mutex::new(Model::default()),
            counts: Counts::default(),
        })
    }

    pub fn database(&self) -> PathBuf {
        self.study.with_extension("db")
    }

    /// What waits beside the study file to be told.
    pub fn spool(&self) -> String {
        std::fs::read_to_string(self.study.with_extension("untold")).unwrap_or_default()
    }

    pub fn model(&self) -> MutexGuard<'_, Model> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes trouble, which ends the round.
    pub fn note(&self, verdict: Verdict) {
        if let Err(trouble) = verdict {
            self.trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(trouble);
            self.end();
        }
    }

    pub fn verdict(&self) -> Verdict {
        match self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            Some(trouble) => Err(trouble),
            None => Ok(()),
        }
    }

    pub fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) || ENOUGH.load(Ordering::Relaxed)
    }

    /// Sleeps, but not beyond the end of the round.
    pub fn rest(&self, time: Duration) {
        let end = now() + time.as_secs_f64();
        while now() < end && !self.is_over() {
            std::thread::sleep(Duration::from_millis(20).min(time));
        }
    }

    /// A name for a process that nobody else has.
    pub fn name(&self, role: &str) -> String {
        format!("{role}-{}", self.started.fetch_add(1, Ordering::Relaxed))
    }

    /// `fathom` with the study; the evaluations will have `name` as their worker. `clock` is how far the clock is off.
    pub fn start(&self, name: &str, words: &[&str], clock: Option<&str>) -> Process {
        let mut command = Command::new(program());
        command.arg(words[0]).arg(&self.study).args(&words[1..]);
        let (least, most) = self.plan.pause;
        command.env(evaluation::LEDGER, &self.ledger).env(evaluation::WORKER, name);
        command.env(evaluation::PAUSE, format!("{least}-{most}"));
        if let (Some(clock), Some(library)) = (clock, faketime()) {
            command.env("LD_PRELOAD", library).env("FAKETIME", clock).env("NO_FAKE_STAT", "1");
            command.env("DONT_FAKE_MONOTONIC", "1").env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        }
        Process::start(command, &self.outputs.join(name))
    }

    /// Waits for the end of a process, and looks at what it said.
    pub fn finish(&self, name: &str, process: Process) -> Verdict<Ended> {
        let ended = process.end()?;
        let all = format!("{}{}", ended.stdout, ended.stderr);
        if all.contains("panicked") {
            return Err(format!("{name} panicked:\n{all}"));
        }
        if all.contains(PASSWORD) {
            return Err(format!("{name} shows the password:\n{all}"));
        }
        match ended.way {
            Way::Ended(code) if !(0..=2).contains(&code) => Err(format!("{name} ended with {code}:\n{all}")),
            Way::Ended(2) if self.plan.is_reachable() && !all.contains("finished") => {
                Err(format!("{name} failed although nothing kept it from the store:\n{all}"))
            }
            Way::Ended(_) | Way::Killed | Way::Interrupted(_) => Ok(ended),
        }
    }

    /// A whole command; killed after `life` if that is given.
    pub fn call(&self, words: &[&str], life: Option<Duration>, clock: Option<&str>) -> Verdict<Ended> {
        let name = self.name(words[0]);
        let mut process = self.start(&name, words, clock);
        if !process.wait(life.unwrap_or(STUCK), || ENOUGH.load(Ordering::Relaxed)) {
            process.kill();
            if life.is_none() && !ENOUGH.load(Ordering::Relaxed) {
                return Err(format!("`{}` got stuck ({name})", words.join(" ")));
            }
        }
        let ended = self.finish(&name, process)?;
        if ended.way == Way::Killed {
            add(&self.counts.kills);
        }
        Ok(ended)
    }

    /// `fathom trials`, held against what is known; `None` if the store is out of reach.
    pub fn look(&self) -> Verdict<Option<Vec<Stored>>> {
        let began = now();
        let ended = self.call(&["trials", "--json"], None, None)?;
        if ended.way != Way::Ended(0) {
            return Ok(None);
        }
        let trials: Vec<Stored> = ended.stdout.lines().map(Stored::parse).collect::<Verdict<_>>()?;
        self.model().observe(&trials, began, &evaluation::read(&self.ledger))?;
        add(&self.counts.readings);
        Ok(Some(trials))
    }

    /// The rows of the database as they are, by number.
    pub fn rows(&self) -> Verdict<Vec<(u64, String, Option<f64>)>> {
        let wrong = |error: &dyn std::fmt::Display| format!("the database cannot be read: {error}");
        match self.far {
            Some(far) => {
                let name = self.study_name()?;
                let rows = "SELECT number, state, told FROM fathom_trial JOIN fathom_study ON study = key \
                            WHERE name = $1 ORDER BY number";
                let rows = far.server.session()?.query(rows, &[&name]).map_err(|error| wrong(&error))?;
                rows.iter().map(|row| Ok((row.get::<_, i64>(0) as u64, row.get(1), value(row.get(2))?))).collect()
            }
            None => {
                let read = || -> rusqlite::Result<_> {
                    let database = rusqlite::Connection::open(self.database())?;
                    let verdict: String = database.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
                    let mut rows = database.prepare("SELECT number, state, told FROM trial ORDER BY number")?;
                    let rows =
                        rows.query_map([], |row| Ok((row.get::<_, i64>(0)? as u64, row.get(1)?, row.get(2)?)))?;
                    Ok((verdict, rows.collect::<rusqlite::Result<Vec<(u64, String, Option<String>)>>>()?))
                };
                match read().map_err(|error| wrong(&error))? {
                    (verdict, rows) if verdict == "ok" => {
                        rows.into_iter().map(|(number, state, told)| Ok((number, state, value(told)?))).collect()
                    }
                    (verdict, _) => Err(format!("the database is damaged: {verdict}")),
                }
            }
        }
    }

    fn study_name(&self) -> Verdict<String> {
        let text = std::fs::read_to_string(&self.study).map_err(|error| error.to_string())?;
        text.split('\'').nth(1).map(str::to_owned).ok_or_else(|| "the study has no name".into())
    }
}

/// The value in what a trial was told, which must be all that is there.
fn value(told: Option<String>) -> Verdict<Option<f64>> {
    let Some(told) = told else { return Ok(None) };
    let values: std::collections::BTreeMap<String, f64> =
        serde_json::from_str(&told).map_err(|error| format!("{told} is not what a trial is told: {error}"))?;
    match (values.len(), values.get("value")) {
        (1, Some(value)) => Ok(Some(*value)),
        (_, _) => Err(format!("{told} is not what the trial was told")),
    }
}

/// The `fathom` that is tested: that of `FATHOM_FAULTS_PROGRAM`, else the one built with this test.
fn program() -> PathBuf {
    std::env::var_os("FATHOM_FAULTS_PROGRAM").map_or_else(|| env!("CARGO_BIN_EXE_fathom").into(), Into::into)
}

/// The library that sets the clock of a process, if it is installed.
pub fn faketime() -> Option<PathBuf> {
    let folders = std::fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    let beside = folders.map(|folder| folder.path().join("faketime/libfaketimeMT.so.1"));
    beside.chain([PathBuf::from("/usr/lib64/faketime/libfaketimeMT.so.1")]).find(|path| path.exists())
}
