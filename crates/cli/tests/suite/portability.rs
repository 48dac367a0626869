//! Programs that were built here, on an older processor. The test needs qemu's user emulation, and says so without it.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use super::{fathom, instance, text};
use std::path::Path;
use std::process::{Command, Output};

const EMULATOR: &str = "qemu-x86_64";

fn on(processor: &str, program: &Path, arguments: &[&str]) -> Output {
    Command::new(EMULATOR).args(["-cpu", processor]).arg(program).args(arguments).output().unwrap()
}

/// Nehalem (2008) has neither AVX nor FMA.
#[test]
fn an_old_processor_checks_proofs_and_finds_the_same() {
    if Command::new(EMULATOR).arg("--version").output().is_err() {
        println!("skipped: there is no {EMULATOR}; Debian has it in qemu-user");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let own = Path::new(env!("CARGO_BIN_EXE_fathom"));
    let checker = own.with_file_name("fathom-check");
    let problem = instance("prior_d2_matern32_r01");
    let problem = problem.to_str().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (here, there) = (at("here.proof"), at("there.proof"));
    let solved = |output: &Output| -> serde_json::Value {
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        serde_json::from_str(text(&output.stdout)).unwrap()
    };
    let found_here = solved(&fathom(&["solve", problem, "--json", "--proof", &here]));
    let found_there = solved(&on("Nehalem", own, &["solve", problem, "--json", "--proof", &there]));
    assert_eq!((&found_here["status"], &found_here["nodes"]), (&found_there["status"], &found_there["nodes"]));
    let (a, b) = (found_here["lower_bound"].as_f64().unwrap(), found_there["lower_bound"].as_f64().unwrap());
    assert!((a - b).abs() <= 1e-9 * a.abs(), "{a} and {b} differ in more than last digits");
    let holds = |output: &Output| {
        assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
        assert!(text(&output.stdout).contains("the proof holds"));
        text(&output.stdout).to_owned()
    };
    for proof in [&here, &there] {
        // The words are the same, and so the numbers, to the last digit.
        assert_eq!(
            holds(&on("Nehalem", own, &["verify", proof, "--of", problem])),
            holds(&fathom(&["verify", proof, "--of", problem]))
        );
        // This program is built beside ours with the rest of the workspace.
        if checker.exists() {
            holds(&on("Nehalem", &checker, &[proof]));
        }
    }
}
