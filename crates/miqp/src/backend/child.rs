//! A solver's process: it ends when it should, and never outlives us.
//!
//! On Unix a three-line shell script becomes the solver. Before it does, it leaves a watcher behind that reads a pipe of
//! which we hold the other end: each line on it interrupts the solver's process group as Ctrl-C would, and its end kills
//! that group. The pipe ends when we let go of it, and when we die, however we die. Elsewhere the solver is started
//! directly, can be killed but not interrupted, and may outlive a crash of ours.

use super::Stop;
use super::workplace::Workplace;
use crate::error::{Error, Result};
use crate::settings::Settings;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Process 0 is the group. The detour by descriptor 3 is needed because shells give what runs in the background an empty
/// input.
#[cfg(unix)]
const WATCHED: &str = r#"
exec 3<&0 </dev/null
( trap '' INT; while read -r word; do kill -INT 0; done; kill -KILL 0 ) <&3 3<&- >/dev/null 2>&1 &
exec "$@" 3<&-
"#;

/// The shortest and longest pause between two looks at the process.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));

/// What to run.
#[derive(Debug)]
pub(crate) struct Task {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub environment: Vec<(&'static str, OsString)>,
}

/// How it went, if it went well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It ended by itself, with success.
    Done,
    /// It was asked to stop and did so without success, before it had an answer.
    Stopped,
}

/// Runs `task` in the workplace until it ends, is asked to stop, or must be killed; and how long that took.
pub(crate) fn run(
    solver: &'static str,
    task: &Task,
    workplace: &Workplace,
    settings: &Settings,
    stop: &Stop,
) -> Result<(Ending, f64)> {
    let start = Instant::now();
    let mut leash = Leash::new(solver, task, workplace)?;
    let mut deadline = settings.time_limit.and_then(|limit| start.checked_add(limit + settings.grace));
    let mut stopped = false;
    let mut reminder = None;
    let mut pause = PAUSES.0;
    let status = loop {
        if let Some(status) = leash.ended()? {
            break status;
        }
        if !stopped && stop.load(Ordering::Relaxed) {
            stopped = true;
            leash.interrupt();
            reminder = Some(Instant::now() + settings.grace / 2);
            deadline = Some(Instant::now() + settings.grace);
        }
        // A shell on its way to becoming the solver can lose an interrupt. Not more than one reminder: some solvers give
        // up without an answer when they are interrupted again and again.
        if reminder.is_some_and(|reminder| Instant::now() > reminder) {
            reminder = None;
            leash.interrupt();
        }
        if deadline.is_some_and(|deadline| Instant::now() > deadline) {
            drop(leash);
            return Err(Error::Hung { solver, seconds: settings.grace.as_secs_f64(), log: workplace.log_tail() });
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(PAUSES.1);
    };
    let seconds = start.elapsed().as_secs_f64();
    match (status.success(), stopped) {
        (true, _) => Ok((Ending::Done, seconds)),
        (false, true) => Ok((Ending::Stopped, seconds)),
        (false, false) => Err(Error::Crashed { solver, how: status.to_string(), log: workplace.log_tail() }),
    }
}

/// A running solver; dropping this kills it.
struct Leash {
    solver: &'static str,
    child: Child,
}

impl Leash {
    fn new(solver: &'static str, task: &Task, workplace: &Workplace) -> Result<Self> {
        let not_started = |source| Error::NotStarted { solver, source };
        // The shell would report this as an exit of the solver.
        if !task.program.is_file() {
            let what = format!("there is no file {}", task.program.display());
            return Err(not_started(std::io::Error::new(std::io::ErrorKind::NotFound, what)));
        }
        let log = workplace.open_log()?;
        let child = command(&task.program, &task.arguments)
            .envs(task.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(workplace.directory())
            .stdin(Stdio::piped())
            .stdout(log.try_clone().map_err(not_started)?)
            .stderr(log)
            .spawn()
            .map_err(not_started)?;
        Ok(Self { solver, child })
    }

    fn ended(&mut self) -> Result<Option<ExitStatus>> {
        self.child.try_wait().map_err(|source| Error::NotStarted { solver: self.solver, source })
    }

    fn interrupt(&mut self) {
        // A watcher that is gone has taken the solver with it, or the solver has ended: either way `ended` will tell.
        let _ = self.child.stdin.as_mut().map(|pipe| pipe.write_all(b"stop\n"));
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // The watcher needs a moment; the solver itself need not wait for it. Both may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
fn command(program: &Path, arguments: &[OsString]) -> Command {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(WATCHED).arg("sh").arg(program).args(arguments).process_group(0);
    command
}

#[cfg(not(unix))]
fn command(program: &Path, arguments: &[OsString]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}
