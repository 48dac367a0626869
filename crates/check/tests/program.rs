//! `fathom-check` as a program: its exit codes.
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
fn the_exit_code_is_that_of_the_worst_file() {
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
fn without_files_it_says_how_it_is_used() {
    for (arguments, expected) in
        [(&[][..], 2), (&["--help"], 0), (&["-h"], 0), (&["--what"], 2), (&["x.proof", "-v"], 2)]
    {
        let (code, said) = check(arguments);
        assert!(code == Some(expected) && said.starts_with("usage: fathom-check"), "{arguments:?}: {code:?} {said}");
    }
}
