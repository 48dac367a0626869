//! How far a long call is: a line on stderr if that is a terminal, nothing else.

use crate::studies::number_text;
use fathom_global::Progress;
use fathom_study::{Report, Stage};
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the line changes.
const PACE: Duration = Duration::from_millis(100);

/// A line that shows where a call stands. The line goes when the meter is dropped.
pub struct Meter {
    bar: ProgressBar,
    last: Mutex<Instant>,
}

impl Meter {
    /// The meter of a call whose length nobody knows.
    pub fn new() -> Self {
        Self::of(ProgressBar::new_spinner(), "{spinner} {wide_msg} {elapsed}")
    }

    /// The meter of a call with so many parts.
    pub fn of_parts(count: u64) -> Self {
        Self::of(ProgressBar::new(count), "{bar:20.█·} {pos}/{len}  {wide_msg} {elapsed}")
    }

    fn of(bar: ProgressBar, template: &str) -> Self {
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("█· "));
        }
        if !bar.is_hidden() {
            bar.enable_steady_tick(PACE);
        }
        Self { bar, last: Mutex::new(Instant::now()) }
    }

    /// Shows how far a search is.
    pub fn search(&self, progress: Progress, left: Option<Duration>) {
        self.show(|| searching("", progress, left));
    }

    /// Shows how far a study's call is.
    pub fn hear(&self, report: Report) {
        self.show(|| told(report));
    }

    /// Shows what `text` says, seldom enough to be read.
    pub fn show(&self, text: impl FnOnce() -> String) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if self.bar.is_hidden() || last.elapsed() < PACE {
            return;
        }
        *last = Instant::now();
        self.bar.set_message(text());
    }

    /// Shows what `text` says at once.
    pub fn tell(&self, text: impl FnOnce() -> String) {
        if !self.bar.is_hidden() {
            self.bar.set_message(text());
        }
    }

    /// Shows that so many parts are done, and what `text` says.
    pub fn show_part(&self, done: u64, text: impl FnOnce() -> String) {
        if !self.bar.is_hidden() {
            self.bar.set_position(done);
            self.bar.set_message(text());
        }
    }

    /// Prints a sentence on stderr, on a line of its own.
    pub fn say(&self, sentence: &str) {
        self.bar.suspend(|| eprintln!("{sentence}"));
    }

    /// Does something that prints, with the line out of the way.
    pub fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Removes the line.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.clear();
    }
}

/// What a study's call is at, on one line.
pub fn told(Report { stage, progress, left }: Report) -> String {
    // The words are short: numbers and the time left have to fit into 80 columns.
    let doing = match stage {
        Stage::Fit => "fit of the model",
        Stage::Bound => "gain",
        Stage::Search => "search",
        Stage::Proof => "proof",
        Stage::Check => "check",
    };
    match progress {
        Some(progress) => searching(&format!("{doing}: "), progress, left),
        None => format!("{doing}{}", rest(left)),
    }
}

fn searching(doing: &str, progress: Progress, left: Option<Duration>) -> String {
    let Progress { value, lower_bound, nodes, .. } = progress;
    let (shown, bound) = (number_text(value), number_text(lower_bound));
    let gap = value - lower_bound;
    format!("{doing}value {shown} bound {bound} gap {gap:.1e}, {nodes} boxes{}", rest(left))
}

fn rest(left: Option<Duration>) -> String {
    left.map_or_else(String::new, |left| format!(", {:.0} s left", left.as_secs_f64()))
}
