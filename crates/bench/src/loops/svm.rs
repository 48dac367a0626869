//! The support vector machine of examples/svm as a process that answers a line for each line.

use anyhow::{Context as _, ensure};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

/// The process, and what it has answered so far.
#[derive(Debug)]
pub(super) struct Svm {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    child: Child,
    ask: Option<ChildStdin>,
    answer: BufReader<ChildStdout>,
    known: BTreeMap<[u64; 2], f64>,
}

impl Svm {
    /// Starts `command`, words separated by blanks.
    pub(super) fn start(command: &str) -> anyhow::Result<Self> {
        let mut words = command.split_whitespace();
        let program = words.next().context("--svm needs a command: python3 examples/svm/svm.py --serve")?;
        let mut child = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("could not start {program}"))?;
        let ask = child.stdin.take();
        let answer = BufReader::new(child.stdout.take().context("its output was asked for")?);
        Ok(Self { state: Mutex::new(State { child, ask, answer, known: BTreeMap::new() }) })
    }

    /// 1 less the accuracy under cross-validation.
    pub(super) fn error(&self, c: f64, gamma: f64) -> anyhow::Result<f64> {
        let mut state = self.state.lock().expect("nobody panics while asking");
        let key = [c.to_bits(), gamma.to_bits()];
        if let Some(error) = state.known.get(&key) {
            return Ok(*error);
        }
        let ask = state.ask.as_mut().context("the process is there until this is dropped")?;
        writeln!(ask, "{{\"C\": {c:?}, \"gamma\": {gamma:?}}}").context("the support vector machine has gone")?;
        ask.flush()?;
        let mut line = String::new();
        state.answer.read_line(&mut line)?;
        let accuracy: f64 = line.trim().parse().with_context(|| format!("it answered `{}`", line.trim()))?;
        ensure!((0.0..=1.0).contains(&accuracy), "{accuracy} is no accuracy");
        state.known.insert(key, 1.0 - accuracy);
        Ok(1.0 - accuracy)
    }
}

impl Drop for Svm {
    fn drop(&mut self) {
        if let Ok(state) = self.state.get_mut() {
            // It ends when its input does.
            state.ask = None;
            let _ = state.child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_no_machine_is_named() {
        let error =
            |command: &str| format!("{:#}", Svm::start(command).and_then(|svm| svm.error(1.0, 1.0)).expect_err("none"));
        assert!(error("").contains("--svm"));
        assert!(error("no-such-program-of-ours").contains("no-such-program-of-ours"));
        assert!(error("cat").contains("it answered"), "{}", error("cat"));
    }
}
