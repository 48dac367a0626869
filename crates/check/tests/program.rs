//! The exit codes of the program `fathom-check`.
#![allow(missing_docs, clippy::unwrap_used)]

use fathom_proof::Proof;
use std::path::PathBuf;
use std::process::Command;

/// The exit code, and everything that was printed.
fn check(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_fathom-check")).args(arguments).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn the_worst_file_decides_the_exit_code() {
    let honest = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/rbf-lcb-box.proof");
    let mut proof = Proof::from_bytes(&std::fs::read(&honest).unwrap()).unwrap();
    proof.claim = fathom_proof::Conclusion { point: None, value: None, lower_bound: Some(1e3) };
    let forged = std::env::temp_dir().join(format!("fathom-check-{}.proof", std::process::id()));
    std::fs::write(&forged, proof.to_bytes().unwrap()).unwrap();
    let (good, bad) = (honest.to_str().unwrap(), forged.to_str().unwrap());
    let (code, said) = check(&[good]);
    assert!(code == Some(0) && said.contains("the proof holds"), "{code:?} {said}");
    let (code, said) = check(&[good, bad]);
    assert!(code == Some(1) && said.contains("the proof holds") && said.contains("below 1000"), "{code:?} {said}");
    assert_eq!(check(&[bad, "nowhere.proof"]).0, Some(2));
    std::fs::remove_file(forged).unwrap();
}

#[test]
fn without_files_the_program_prints_its_usage() {
    for (arguments, expected) in
        [(&[][..], 2), (&["--help"], 0), (&["-h"], 0), (&["--what"], 2), (&["x.proof", "-v"], 2)]
    {
        let (code, said) = check(arguments);
        assert!(code == Some(expected) && said.starts_with("usage: fathom-check"), "{arguments:?}: {code:?} {said}");
    }
}

#[test]
fn a_closed_pipe_leaves_the_verdict_to_the_exit_code() {
    let honest = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/rbf-lcb-box.proof");
    for (file, expected) in [(honest, 0), (PathBuf::from("nowhere.proof"), 2)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fathom-check"));
        for stream in [Command::stdout, Command::stderr] {
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            stream(&mut command, writer);
        }
        assert_eq!(command.arg(file).status().unwrap().code(), Some(expected));
    }
}
