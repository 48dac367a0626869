//! Work in the background: the interpreter's lock is released, and Ctrl-C is looked for meanwhile.
//!
//! Work that is stopped hands back what it has. Work that does not answer soon after that (a store that is away, a proof that is
//! being checked) is left to itself, and its later answer is undone.

use fathom_global::Stop;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::{PyErr, PyResult, Python};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// How often Ctrl-C is looked for.
const GLANCE: Duration = Duration::from_millis(50);

/// How long work that was stopped may take to answer.
pub const SOON: Duration = Duration::from_millis(200);

/// What became of work that can be stopped.
pub struct Stopped<T> {
    /// What the work handed back.
    pub found: T,
    /// What a signal's handler raised meanwhile.
    pub raised: Option<PyErr>,
}

/// Does `work`; a signal whose handler raises stops the work.
pub fn stoppable<T: Send>(py: Python<'_>, work: impl FnOnce(&Stop) -> T + Send) -> Stopped<T> {
    let (stop, done, waiter) = (Stop::new(false), AtomicBool::new(false), thread::current());
    let mut raised = None;
    thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let found = at_home(|| work(&stop));
            done.store(true, Ordering::Release);
            waiter.unpark();
            found
        });
        while !done.load(Ordering::Acquire) && !worker.is_finished() {
            py.detach(|| thread::park_timeout(GLANCE));
            if raised.is_none()
                && let Err(error) = py.check_signals()
            {
                stop.store(true, Ordering::Relaxed);
                raised = Some(error);
            }
        }
        let found = py.detach(|| worker.join()).unwrap_or_else(|panic| resume_unwind(panic));
        Stopped { found, raised }
    })
}

/// Where work on a subject stands.
enum Desk<T> {
    Waiting(Thread),
    Delivered(thread::Result<T>),
    Abandoned,
}

/// Does `work` on a subject that one worker has at a time. A signal whose handler raises stops the work, which
/// then has `patience` to answer. If there is no answer by then, nobody waits for it, and `undo` takes the answer back before
/// anybody else has the subject.
pub fn on_subject<S: Send + 'static, T: Send + 'static>(
    py: Python<'_>,
    subject: &Arc<Mutex<S>>,
    patience: Duration,
    work: impl FnOnce(&mut S, &Stop) -> T + Send + 'static,
    undo: impl FnOnce(&mut S, T) + Send + 'static,
) -> PyResult<Stopped<T>> {
    let desk = Arc::new(Mutex::new(Desk::Waiting(thread::current())));
    let stop = Arc::new(Stop::new(false));
    let (theirs, their_subject, their_stop) = (Arc::clone(&desk), Arc::clone(subject), Arc::clone(&stop));
    thread::spawn(move || {
        let mut guard = lock(&their_subject);
        let subject: &mut S = &mut guard;
        let found = catch_unwind(AssertUnwindSafe(|| at_home(|| work(subject, &their_stop))));
        let mut state = lock(&theirs);
        match (mem::replace(&mut *state, Desk::Abandoned), found) {
            (Desk::Waiting(waiter), found) => {
                *state = Desk::Delivered(found);
                waiter.unpark();
            }
            (Desk::Abandoned | Desk::Delivered(_), Ok(found)) => {
                drop(state);
                undo(subject, found);
            }
            // Nobody is there to hear of a failure.
            (Desk::Abandoned | Desk::Delivered(_), Err(_)) => {}
        }
    });
    let mut raised: Option<(PyErr, Instant)> = None;
    loop {
        py.detach(|| thread::park_timeout(GLANCE));
        if raised.is_none()
            && let Err(error) = py.check_signals()
        {
            stop.store(true, Ordering::Relaxed);
            raised = Some((error, Instant::now()));
        }
        let mut state = lock(&desk);
        match (mem::replace(&mut *state, Desk::Abandoned), raised.take()) {
            (Desk::Delivered(found), stopped) => {
                drop(state);
                let found = found.unwrap_or_else(|panic| resume_unwind(panic));
                return Ok(Stopped { found, raised: stopped.map(|(error, _)| error) });
            }
            (Desk::Waiting(_) | Desk::Abandoned, Some((error, since))) if since.elapsed() > patience => {
                return Err(error);
            }
            (waiting, stopped) => {
                *state = waiting;
                raised = stopped;
            }
        }
    }
}

/// Whether an exception is the user's Ctrl-C.
pub fn is_interrupt(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyKeyboardInterrupt>(py)
}

/// The lock's content, whoever panicked while holding it.
pub fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The process that loaded the package.
static HOME: OnceLock<u32> = OnceLock::new();

/// Remembers this process.
pub fn settle() {
    HOME.get_or_init(process::id);
}

/// Does `work` in a pool whose threads exist: a forked process has no threads of its parent, and gets its own.
fn at_home<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if HOME.get().is_none_or(|home| *home == process::id()) {
        return work();
    }
    match rayon::ThreadPoolBuilder::new().build() {
        Ok(threads) => threads.install(work),
        Err(_) => work(),
    }
}
