//! One evaluation: a built-in function, or an external program.
//!
//! The program gets the point as JSON on its stdin, each parameter as FATHOM_name (with underscores for blanks and signs), the trial's number as FATHOM_TRIAL, and
//! `{name}` in its arguments replaced. The last line of its stdout that is not empty is the value. Its stderr is ours. It runs in
//! a process group of its own, which is killed when its time is over. Only the end of its output is kept. Once the program
//! has ended, the evaluator waits a moment longer for output, then kills those of the group that still hold it open.

use crate::definition::{Evaluation, variable};
use crate::trial::Trial;
use crate::value::Point;
use std::io::{ErrorKind, Read, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of a program's output that are kept, from its end.
const KEPT: usize = 64 << 10;

/// How long the evaluator waits for output after the program has ended.
const LINGER: Duration = Duration::from_secs(1);

/// Characters of foreign text in a message.
const SHOWN: usize = 80;

/// Why there is no value.
#[derive(Debug)]
pub enum Failure {
    /// The trial failed; the message says how.
    Failed(String),
    /// The run was cut short: the trial is not to blame.
    Interrupted,
}

/// The value of `trial`. `alive` is called some times a second, and ends the run by returning `false`.
pub fn evaluate(evaluation: &Evaluation, trial: &Trial, mut alive: impl FnMut() -> bool) -> Result<f64, Failure> {
    match evaluation {
        Evaluation::Function(function) => {
            let number =
                |name: &String| trial.number(name).ok_or_else(|| Failure::Failed(format!("`{name}` is no number")));
            let x: Vec<f64> = function.parameters().iter().map(number).collect::<Result<_, _>>()?;
            Ok(function.value(&x))
        }
        Evaluation::Command { words, timeout, retries } => {
            let mut attempt = 0;
            loop {
                match run(words, *timeout, trial, &mut alive) {
                    Err(Failure::Failed(_)) if attempt < *retries => attempt += 1,
                    outcome => return outcome,
                }
            }
        }
    }
}

fn run(
    words: &[String],
    timeout: Option<Duration>,
    trial: &Trial,
    alive: &mut impl FnMut() -> bool,
) -> Result<f64, Failure> {
    let input = serde_json::to_string(&trial.point).map_err(|error| Failure::Failed(error.to_string()))?;
    let mut child = start(words, trial)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A thread of its own writes, as a program may not read for long. A program may close its stdin early.
        std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    }
    let stdout = child.stdout.take().ok_or_else(|| Failure::Failed("the program's output cannot be read".into()))?;
    let output = Output::of(stdout);
    let status = wait(&mut child, timeout, alive)?;
    let said = output.end(|| end(&mut child));
    if !status.success() {
        return Err(Failure::Failed(format!("{} ended with {status}", short(&words[0]))));
    }
    let said = String::from_utf8_lossy(&said);
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
    match last.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) | Err(_) => Err(Failure::Failed(format!("the last line printed is no value: `{}`", short(last)))),
    }
}

/// The beginning of foreign text, for a message, without the characters that terminals obey.
fn short(text: &str) -> String {
    let mut shown = String::new();
    for character in text.chars().take(SHOWN) {
        match character.is_control() {
            true => shown.extend(character.escape_default()),
            false => shown.push(character),
        }
    }
    shown
}

fn start(words: &[String], trial: &Trial) -> Result<Child, Failure> {
    let mut command = Command::new(filled(&words[0], &trial.point));
    let arguments = words[1..].iter().map(|word| filled(word, &trial.point));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    for (name, value) in &trial.point {
        command.env(variable(name), value.to_string());
    }
    // This comes last: FATHOM_TRIAL is the trial's number, whatever parameters are called.
    command.env("FATHOM_TRIAL", trial.id.to_string());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().map_err(|error| Failure::Failed(format!("could not start {}: {error}", short(&words[0]))))
}

/// `word` with the value of a parameter for each `{name}`. Values are not looked at again.
fn filled(word: &str, point: &Point) -> String {
    let (mut text, mut rest) = (String::new(), word);
    while let Some((before, after)) = rest.split_once('{') {
        text += before;
        let named = after.split_once('}').and_then(|(name, after)| Some((point.get(name)?, after)));
        rest = match named {
            Some((value, after)) => {
                text += &value.to_string();
                after
            }
            None => {
                text.push('{');
                after
            }
        };
    }
    text + rest
}

/// What a program prints, read at once so that the program never waits.
struct Output {
    tail: Arc<Mutex<Vec<u8>>>,
    /// Hangs up at the end.
    end: Receiver<()>,
}

impl Output {
    fn of(mut stdout: impl Read + Send + 'static) -> Self {
        let tail = Arc::new(Mutex::new(Vec::new()));
        let (open, end) = channel();
        let shared = Arc::clone(&tail);
        std::thread::spawn(move || {
            let _open = open;
            let mut piece = [0; 1 << 14];
            loop {
                let length = match stdout.read(&mut piece) {
                    Ok(0) => break,
                    Ok(length) => length,
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(_) => break,
                };
                let mut tail = shared.lock().unwrap_or_else(PoisonError::into_inner);
                tail.extend_from_slice(&piece[..length]);
                if tail.len() > 2 * KEPT {
                    let old = tail.len() - KEPT;
                    tail.drain(..old);
                }
            }
        });
        Self { tail, end }
    }

    /// The end of what was printed. `kill` ends those who hold the output open for too long.
    fn end(self, kill: impl FnOnce()) -> Vec<u8> {
        let is_open = |patience| self.end.recv_timeout(patience) == Err(RecvTimeoutError::Timeout);
        if is_open(LINGER) {
            kill();
            // A process that left the group lives on, and nobody reads its output any more.
            let _ = is_open(LINGER / 10);
        }
        std::mem::take(&mut *self.tail.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn wait(child: &mut Child, timeout: Option<Duration>, alive: &mut impl FnMut() -> bool) -> Result<ExitStatus, Failure> {
    let started = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) => {}
            Err(error) => return Err(Failure::Failed(error.to_string())),
        }
        if !alive() {
            end(child);
            return Err(Failure::Interrupted);
        }
        if let Some(timeout) = timeout.filter(|timeout| started.elapsed() > *timeout) {
            end(child);
            return Err(Failure::Failed(format!(
                "the program took longer than {}",
                humantime::format_duration(timeout)
            )));
        }
        std::thread::sleep(pause);
        pause = (2 * pause).min(Duration::from_millis(50));
    }
}

/// Kills the program and all it started.
fn end(child: &mut Child) {
    let group = format!("-{}", child.id());
    // If that fails, the program itself is killed below; what the program started may live on.
    let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    #[test]
    fn names_are_replaced_once_and_values_are_not_looked_at() {
        let point: Point = [
            ("kind".to_owned(), Value::Text("{x}".into())),
            ("x".to_owned(), Value::Float(0.5)),
            ("n".to_owned(), Value::Integer(3)),
        ]
        .into_iter()
        .collect();
        for (word, expected) in [
            ("{kind}", "{x}"),
            ("--k={kind}/{x}", "--k={x}/0.5"),
            ("{{x}}", "{0.5}"),
            ("{y} {n", "{y} {n"),
            ("{n}{n}", "33"),
            ("{", "{"),
            ("}{x}", "}0.5"),
            ("plain", "plain"),
        ] {
            assert_eq!(filled(word, &point), expected);
        }
    }

    #[test]
    fn of_long_output_the_end_is_kept() {
        let long = std::iter::repeat_n(b'x', 10_000_000).chain(*b"\n7\n").collect::<Vec<u8>>();
        let said = Output::of(std::io::Cursor::new(long)).end(|| {});
        assert!(said.ends_with(b"x\n7\n") && said.len() <= 2 * KEPT + (1 << 14), "{}", said.len());
    }
}
