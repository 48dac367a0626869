//! A solver's process, which ends when it should and never outlives us.
//!
//! On Unix a three-line shell script becomes the solver. Before that, the script starts a watcher that reads a pipe, whose
//! other end we hold. Each line on the pipe interrupts the solver's process group as Ctrl-C would, and the end of the pipe
//! kills that group. The pipe ends if we close it or die, however we die. On other systems the solver is started directly; it
//! can be killed but not interrupted, and it may outlive a crash of ours.

use super::Stop;
use super::deadline::Deadline;
use super::work_directory::WorkDirectory;
use crate::error::{Error, Result};
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Process 0 means the group. Descriptor 3 is needed because shells give background processes an empty input.
#[cfg(unix)]
const WATCHED: &str = r#"
exec 3<&0 </dev/null
( trap '' INT; while read -r word; do kill -INT 0; done; kill -KILL 0 ) <&3 3<&- >/dev/null 2>&1 &
exec "$@" 3<&-
"#;

/// The shortest and the longest pause between two checks of the process.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(10));

/// The program to run, and how.
#[derive(Debug)]
pub(crate) struct Task {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub environment: Vec<(&'static str, OsString)>,
}

/// How a solver ended without a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The solver ended by itself, with success.
    Done,
    /// The solver was late, was interrupted, and ended with success.
    Interrupted,
    /// The solver was asked to stop and stopped before it had an answer.
    Stopped,
    /// The solver was late and was killed, or ended before it had an answer.
    Late,
}

/// Why a solver was interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    Asked,
    Late,
}

/// Runs `task` in the work directory until it ends, is asked to stop, or must be killed; returns how it ended and how long it
/// took.
pub(crate) fn run(
    solver: &'static str,
    task: &Task,
    work_directory: &WorkDirectory,
    deadline: Option<Deadline>,
    grace: Duration,
    stop: &Stop,
) -> Result<(Ending, f64)> {
    let start = Instant::now();
    let mut running = RunningSolver::new(solver, task, work_directory)?;
    let mut interrupt_at = deadline.and_then(Deadline::interrupt);
    let mut kill_at = deadline.and_then(Deadline::kill);
    let (mut interrupted, mut reminder, mut pause) = (None, None, PAUSES.0);
    let has_come = |time: Option<Instant>| time.is_some_and(|time| Instant::now() > time);
    let status = loop {
        if let Some(status) = running.ended()? {
            break status;
        }
        if interrupted.is_none() && stop.load(Ordering::Relaxed) {
            interrupted = Some(Reason::Asked);
            running.interrupt();
            reminder = Some(Instant::now() + grace / 2);
            interrupt_at = None;
            kill_at = Some(Instant::now() + grace);
        }
        if has_come(interrupt_at) {
            interrupted = Some(Reason::Late);
            running.interrupt();
            interrupt_at = None;
        }
        // A shell that is about to become the solver can lose an interrupt. There is only one reminder, because some solvers
        // give up without an answer if they are interrupted again and again.
        if has_come(reminder) {
            reminder = None;
            running.interrupt();
        }
        if has_come(kill_at) {
            drop(running);
            return match interrupted {
                Some(Reason::Asked) => {
                    Err(Error::Hung { solver, seconds: grace.as_secs_f64(), log: work_directory.log_tail() })
                }
                Some(Reason::Late) | None => Ok((Ending::Late, start.elapsed().as_secs_f64())),
            };
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(PAUSES.1);
    };
    let seconds = start.elapsed().as_secs_f64();
    match (status.success(), interrupted) {
        (true, None | Some(Reason::Asked)) => Ok((Ending::Done, seconds)),
        (true, Some(Reason::Late)) => Ok((Ending::Interrupted, seconds)),
        (false, Some(Reason::Asked)) => Ok((Ending::Stopped, seconds)),
        (false, Some(Reason::Late)) => Ok((Ending::Late, seconds)),
        (false, None) => Err(Error::Crashed { solver, how: status.to_string(), log: work_directory.log_tail() }),
    }
}

/// A running solver, which is killed when this is dropped.
struct RunningSolver {
    solver: &'static str,
    child: Child,
}

impl RunningSolver {
    fn new(solver: &'static str, task: &Task, work_directory: &WorkDirectory) -> Result<Self> {
        let not_started = |source| Error::NotStarted { solver, source };
        // The shell would report a missing program as an exit of the solver.
        if !task.program.is_file() {
            let what = format!("there is no file {}", task.program.display());
            return Err(not_started(std::io::Error::new(std::io::ErrorKind::NotFound, what)));
        }
        let log = work_directory.open_log()?;
        let child = command(&task.program, &task.arguments)
            .envs(task.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(work_directory.directory())
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
        // If the watcher is gone, the solver has ended, and `ended` will report it.
        let _ = self.child.stdin.as_mut().map(|pipe| pipe.write_all(b"stop\n"));
    }
}

impl Drop for RunningSolver {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // The watcher needs a moment, so the solver is killed directly, too. Both may have ended already.
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
