//! Processes of `fathom`: started, watched, killed; what they said and how they ended.

use super::evaluation::now;
use std::fs::File;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Way {
    /// By our `kill -9`.
    Killed,
    /// After our Ctrl-C, which came at that time.
    Interrupted(f64),
    /// By itself, with this exit code.
    Ended(i32),
}

/// A process and all it said.
#[derive(Debug)]
pub struct Ended {
    pub way: Way,
    pub at: f64,
    pub stdout: String,
    pub stderr: String,
}

/// A process that runs. It is killed when this is dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
    output: PathBuf,
    interrupted: Option<f64>,
    killed: bool,
}

impl Process {
    /// Starts `command`, whose output goes to files that begin with `output`.
    pub fn start(mut command: Command, output: &Path) -> Self {
        let file = |ending: &str| File::create(output.with_extension(ending)).expect("outputs can be written");
        command.stdin(Stdio::null()).stdout(file("out")).stderr(file("err"));
        let child = command.spawn().expect("fathom starts");
        Self { child, output: output.to_owned(), interrupted: None, killed: false }
    }

    /// Waits until the process ends, `patience` is over, or `is_enough` (asked some hundred times a second) says so.
    pub fn wait(&mut self, patience: Duration, is_enough: impl Fn() -> bool) -> bool {
        let started = Instant::now();
        loop {
            if self.child.try_wait().expect("a child can be waited for").is_some() {
                return true;
            }
            let left = patience.saturating_sub(started.elapsed());
            if left.is_zero() || is_enough() {
                return false;
            }
            std::thread::sleep(left.min(Duration::from_millis(3)));
        }
    }

    pub fn kill(&mut self) {
        self.killed = true;
        // The process may have ended by itself just now.
        let _ = self.child.kill();
    }

    /// Sends Ctrl-C.
    pub fn interrupt(&mut self) {
        self.interrupted = Some(now());
        signal(self.child.id(), "INT");
    }

    /// Waits for the process's end and reads what it said.
    pub fn end(mut self) -> Result<Ended, String> {
        let status = self.child.wait().expect("a child can be waited for");
        let read = |ending: &str| {
            let bytes = std::fs::read(self.output.with_extension(ending)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let (stdout, stderr) = (read("out"), read("err"));
        let way = match (status.code(), status.signal(), self.interrupted) {
            (None, Some(9), _) if self.killed => Way::Killed,
            // Signal 2 ends a process that had not begun to listen for it; the values that it had are looked after all the same.
            // Exit code 2 means that it gave up a value that the store would not take at once.
            (Some(0..=2), _, Some(at)) | (None, Some(2), Some(at)) => Way::Interrupted(at),
            (Some(code), _, _) => Way::Ended(code),
            (None, _, _) => return Err(format!("{} died: {status}\n{stderr}", self.output.display())),
        };
        Ok(Ended { way, at: now(), stdout, stderr })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a signal to a process.
pub fn signal(process: u32, name: &str) {
    let _ = Command::new("kill").args([format!("-{name}"), process.to_string()]).stderr(Stdio::null()).status();
}

/// Every number that a text mentions.
pub fn numbers(text: &str) -> impl Iterator<Item = f64> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && !"+-.".contains(letter))
        .filter_map(|word| word.trim_end_matches('.').parse().ok())
}
