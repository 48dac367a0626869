//! `fathom-check FILE...` checks proofs, and does nothing else.

use fathom_check::verify;
use fathom_proof::{FileError, Proof};
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

const USAGE: &str = "usage: fathom-check FILE...

Checks each proof file and says what was proven of which problem. Exit code: 0 if every proof holds, 1 if one is refused,
2 if a file cannot be read. docs/reference/proof.md says what is checked and what is trusted.";

fn main() -> ExitCode {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() || files.iter().any(|file| file.starts_with('-')) {
        complain(USAGE);
        return ExitCode::from(u8::from(!files.iter().any(|file| file == "--help" || file == "-h")) * 2);
    }
    let worst = files.iter().map(|file| check(file)).max().unwrap_or(0);
    ExitCode::from(worst)
}

/// Checks one file and returns its exit code.
fn check(file: &str) -> u8 {
    let name = file.escape_debug();
    let bytes = match std::fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) => {
            complain(&format!("{name}: {error}"));
            return 2;
        }
    };
    let proof = match Proof::from_bytes(&bytes) {
        Ok(proof) => proof,
        Err(error @ FileError::Problem(_)) => return print(1, &format!("{name}: the proof is refused: {error}")),
        Err(error) => {
            complain(&format!("{name}: {error}"));
            return 2;
        }
    };
    match verify(&proof) {
        Ok(verdict) => {
            let summary = format!("{name}: the proof holds\n\n{}\n{}", proof.statement, proof.claim);
            let boxes = verdict.boxes;
            let scope = format!("{boxes} boxes were checked. The proof says nothing of whether the model is right.\n");
            print(0, &format!("{summary}\n{scope}"))
        }
        Err(rejection) => print(1, &format!("{name}: the proof is refused: {rejection}")),
    }
}

/// Prints a verdict and returns its exit code, or 2 if the verdict is lost. A reader may close the pipe early: then the exit
/// code alone tells the verdict.
fn print(code: u8, verdict: &str) -> u8 {
    match writeln!(io::stdout(), "{verdict}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            complain(&format!("could not write the verdict: {error}"));
            2
        }
        Ok(()) | Err(_) => code,
    }
}

/// Prints to stderr; if nobody can read it, the exit code must do.
fn complain(text: &str) {
    writeln!(io::stderr(), "{text}").unwrap_or_default();
}
