//! How far a run is, on one line of the terminal or now and then in a log.

use crate::units::human;
use std::io::{IsTerminal as _, Write as _};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How often a log is told.
const LOG_EVERY: Duration = Duration::from_secs(30);
/// The bar's width in characters.
const WIDTH: usize = 30;

/// A bar that threads may share.
#[derive(Debug)]
pub(crate) struct Progress {
    total: usize,
    started: Instant,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    done: usize,
    told: Option<Instant>,
}

impl Progress {
    /// Of `total` parts, `done` of which were there before.
    pub fn new(total: usize, done: usize) -> Self {
        eprintln!("{done} of {total} are there, {} to do", total - done);
        Self { total, started: Instant::now(), state: Mutex::new(State { done, told: None }) }
    }

    /// One more part is done; `what` says which.
    pub fn step(&self, what: &str) {
        let mut state = self.state.lock().expect("nobody panics while telling");
        state.done += 1;
        let line = line(state.done, self.total, self.started.elapsed(), what);
        if std::io::stderr().is_terminal() {
            let end = if state.done == self.total { "\n" } else { "" };
            eprint!("\r\x1b[2K{line}{end}");
            // A bar that cannot be drawn is no reason to stop measuring.
            let _ = std::io::stderr().flush();
        } else if state.done == self.total || state.told.is_none_or(|told| told.elapsed() >= LOG_EVERY) {
            eprintln!("{line}");
            state.told = Some(Instant::now());
        }
    }
}

fn line(done: usize, total: usize, elapsed: Duration, what: &str) -> String {
    let full = WIDTH * done / total.max(1);
    let bar = "█".repeat(full) + &"·".repeat(WIDTH - full);
    format!("{bar} {done}/{total}  {}  {what}", human(elapsed.as_secs_f64()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fills_up() {
        let halfway = line(5, 10, Duration::from_secs(12), "branin");
        assert_eq!(halfway.matches('█').count(), WIDTH / 2);
        assert!(halfway.contains("5/10") && halfway.contains("12 s") && halfway.ends_with("branin"));
        assert_eq!(line(10, 10, Duration::ZERO, "").matches('·').count(), 0);
    }
}
