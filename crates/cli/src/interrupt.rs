//! Ctrl-C: the first one asks the work under way for the best it has, a second one ends the program.

use anyhow::Context as _;
use fathom_global::Stop;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The exit code of a program that Ctrl-C ended, as shells have it.
const ENDED: i32 = 130;

/// A flag that the first Ctrl-C sets; a second Ctrl-C ends the program.
pub fn stop() -> anyhow::Result<Arc<Stop>> {
    listen(true)
}

/// The same for work that a second Ctrl-C must not end: a value that was measured may be on its way to the store.
pub fn patient_stop() -> anyhow::Result<Arc<Stop>> {
    listen(false)
}

fn listen(is_ended_by_the_second: bool) -> anyhow::Result<Arc<Stop>> {
    let stop = Arc::new(Stop::new(false));
    let asked = Arc::clone(&stop);
    let handler = move || {
        if asked.swap(true, Ordering::Relaxed) && is_ended_by_the_second {
            std::process::exit(ENDED);
        }
    };
    ctrlc::set_handler(handler).context("could not listen for Ctrl-C")?;
    Ok(stop)
}
