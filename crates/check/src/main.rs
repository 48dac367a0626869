//! `fathom-check FILE...`: checks proofs, and nothing else.

use fathom_check::verify;
use fathom_proof::{FileError, Proof};
use std::process::ExitCode;

const USAGE: &str = "usage: fathom-check FILE...

Checks each proof file and says what was proven of which problem. Exit code: 0 if every proof holds, 1 if one is refused,
2 if a file cannot be read. docs/reference/proof.md says what is checked and what is trusted.";

fn main() -> ExitCode {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() || files.iter().any(|file| file.starts_with('-')) {
        eprintln!("{USAGE}");
        return ExitCode::from(u8::from(!files.iter().any(|file| file == "--help" || file == "-h")) * 2);
    }
    let worst = files.iter().map(|file| check(file)).max().unwrap_or(0);
    ExitCode::from(worst)
}

/// The exit code of one file.
fn check(file: &str) -> u8 {
    let name = file.escape_debug();
    let bytes = match std::fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("{name}: {error}");
            return 2;
        }
    };
    let proof = match Proof::from_bytes(&bytes) {
        Ok(proof) => proof,
        Err(error @ FileError::Problem(_)) => {
            println!("{name}: the proof is refused: {error}");
            return 1;
        }
        Err(error) => {
            eprintln!("{name}: {error}");
            return 2;
        }
    };
    match verify(&proof) {
        Ok(verdict) => {
            println!("{name}: the proof holds\n\n{}\n{}", proof.statement, proof.claim);
            println!("{} boxes were checked. The proof says nothing of whether the model is right.\n", verdict.boxes);
            0
        }
        Err(rejection) => {
            println!("{name}: the proof is refused: {rejection}");
            1
        }
    }
}
