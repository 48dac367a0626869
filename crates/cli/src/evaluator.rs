//! One evaluation: a built-in function, or an external program.
//!
//! The program gets the point as JSON on its stdin, each parameter as FATHOM_name, and `{name}` in its arguments
//! replaced. The last line of its stdout that is not empty is the value. Its stderr is ours. It runs in a process group
//! of its own, which is killed when its time is over.

use fathom_study::{Evaluation, Trial};
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

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
    let mut child = start(words, trial)?;
    let input = serde_json::to_string(&trial.point).map_err(|error| Failure::Failed(error.to_string()))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read its stdin closes it early, which is fine.
        let _ = stdin.write_all(input.as_bytes());
    }
    let mut stdout = child.stdout.take().ok_or_else(|| Failure::Failed("its output cannot be read".into()))?;
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        stdout.read_to_end(&mut bytes).map(|_| bytes)
    });
    let status = wait(&mut child, timeout, alive)?;
    let bytes = reader.join().ok().and_then(Result::ok);
    let said = bytes.ok_or_else(|| Failure::Failed("its output cannot be read".into()))?;
    if !status.success() {
        return Err(Failure::Failed(format!("{} ended with {status}", words[0])));
    }
    let said = String::from_utf8_lossy(&said);
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
    match last.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) | Err(_) => {
            let shown: String = last.chars().take(80).collect();
            Err(Failure::Failed(format!("the last line printed is no value: `{shown}`")))
        }
    }
}

fn start(words: &[String], trial: &Trial) -> Result<Child, Failure> {
    let filled = |word: &String| {
        trial
            .point
            .iter()
            .fold(word.clone(), |word, (name, value)| word.replace(&format!("{{{name}}}"), &value.to_string()))
    };
    let mut command = Command::new(filled(&words[0]));
    command.args(words[1..].iter().map(filled)).stdin(Stdio::piped()).stdout(Stdio::piped());
    command.env("FATHOM_TRIAL", trial.id.to_string());
    for (name, value) in &trial.point {
        command.env(format!("FATHOM_{name}"), value.to_string());
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().map_err(|error| Failure::Failed(format!("could not start {}: {error}", words[0])))
}

fn wait(
    child: &mut Child,
    timeout: Option<Duration>,
    alive: &mut impl FnMut() -> bool,
) -> Result<std::process::ExitStatus, Failure> {
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
            return Err(Failure::Failed(format!("it took longer than {}", humantime::format_duration(timeout))));
        }
        std::thread::sleep(pause);
        pause = (2 * pause).min(Duration::from_millis(50));
    }
}

/// Kills the program and all it started.
fn end(child: &mut Child) {
    let group = format!("-{}", child.id());
    // Where that fails, the program itself is killed below; what it started may live on.
    let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
    let _ = child.kill();
    let _ = child.wait();
}
