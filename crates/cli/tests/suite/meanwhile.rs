//! Points at once and proofs meanwhile, as a person meets them.

use super::{fathom, text};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A study of four floats whose evaluation takes so many seconds, and whose asks leave no time for a proof.
fn slow(folder: &Path, seconds: &str, strategy: &str) -> PathBuf {
    let parameters: String =
        ["a", "b", "c", "d"].map(|name| format!("{name} = {{ type = 'float', low = 0, high = 1 }}\n")).concat();
    let formula = "print sin(7 * $1) + cos(5 * $2 * $3) + ($4 - 0.3)^2";
    let command = format!("sleep {seconds}; echo '{{a}} {{b}} {{c}} {{d}}' | awk '{{{formula}}}'");
    let file = folder.join("slow.toml");
    let more =
        format!("[strategy]\ninitial = 6\n{strategy}\n[evaluate]\ncommand = [\"sh\", \"-c\", \"\"\"{command}\"\"\"]\n");
    std::fs::write(&file, format!("[parameters]\n{parameters}{more}")).unwrap();
    file
}

fn trials(path: &str) -> Vec<serde_json::Value> {
    let listed = fathom(&["trials", path, "--json"]);
    text(&listed.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn of_model(path: &str) -> Vec<serde_json::Value> {
    trials(path).into_iter().filter(|trial| trial["suggestion"]["origin"] == "model").collect()
}

/// The column `proof` of the trials that the model chose.
fn proofs(path: &str) -> Vec<String> {
    let table = fathom(&["trials", path, "--csv"]);
    let table = text(&table.stdout).lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let rows: Vec<Vec<String>> = table.collect();
    let column = |name: &str| rows[0].iter().position(|column| column == name).unwrap();
    let (origin, proof) = (column("origin"), column("proof"));
    rows[1..].iter().filter(|row| row[origin] == "model").map(|row| row[proof].clone()).collect()
}

#[test]
fn suggestions_are_proven_while_their_evaluations_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = slow(folder.path(), "1", "patience = '1us'");
    let path = file.to_str().unwrap();
    let run = fathom(&["run", path, "--trials", "9", "--workers", "2"]);
    let said = text(&run.stdout);
    assert!(run.status.success(), "{}", text(&run.stderr));
    assert!(said.contains("  proven       "), "{said}");
    let of_model = of_model(path);
    assert_eq!(of_model.len(), 3);
    for trial in &of_model {
        let suggestion = &trial["suggestion"];
        assert_ne!(suggestion["certificate"]["status"], "optimal", "it was asked for in haste");
        let (first, later) = (&suggestion["certificate"]["lower_bound"], &suggestion["later"]["certificate"]);
        assert!(first.is_null() || later["lower_bound"].as_f64() > first.as_f64(), "{trial}");
    }
    assert!(proofs(path).iter().all(|proof| proof == "proven" || proof == "better found"), "{:?}", proofs(path));
    let verified = fathom(&["verify", path]);
    assert!(verified.status.success(), "{}", text(&verified.stdout));
    // Nothing is left to prove.
    let prove = fathom(&["prove", path]);
    assert_eq!((prove.status.code(), text(&prove.stdout)), (Some(0), "no proof is open\n"));
}

#[test]
fn a_run_that_is_to_keep_the_processor_to_its_evaluations_proves_nothing_and_prove_does_it_later() {
    let folder = tempfile::tempdir().unwrap();
    let file = slow(folder.path(), "0.3", "patience = '1us'");
    let path = file.to_str().unwrap();
    let run = fathom(&["run", path, "--trials", "8", "--no-proofs"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    assert_eq!(proofs(path), ["cut short", "cut short"]);
    let before = trials(path);
    let prove = fathom(&["prove", path]);
    let said = text(&prove.stdout);
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with("trial 8: ") && lines[1].starts_with("trial 7: "), "the newest first: {said}");
    let is_better = said.contains("a better point was found afterwards: a = ");
    assert_eq!(prove.status.code(), Some(i32::from(is_better)), "{said}");
    assert!(lines.iter().all(|line| is_better || line.ends_with("proven within the gap")), "{said}");
    for (mut before, mut after) in before.into_iter().zip(trials(path)) {
        let later = |trial: &mut serde_json::Value| trial["suggestion"].as_object_mut().unwrap().remove("later");
        assert!(later(&mut before).is_none());
        later(&mut after);
        assert_eq!(before, after, "all else stays as it was");
    }
    let verified = fathom(&["verify", path]);
    assert!(verified.status.success(), "{}", text(&verified.stdout));
    let missing = fathom(&["prove", path, "1"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(text(&missing.stdout).contains("trial 1: no proof: "), "{}", text(&missing.stdout));
    assert_eq!(fathom(&["prove", path, "99"]).status.code(), Some(2));
}

#[test]
fn an_ask_waits_for_its_proof_if_it_is_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let file = slow(folder.path(), "0", "patience = '1us'\n");
    let path = file.to_str().unwrap();
    assert!(fathom(&["run", path, "--trials", "6"]).status.success());
    let hasty = fathom(&["ask", path]);
    assert!(hasty.status.success());
    assert!(text(&hasty.stderr).contains("trial 7 is the best point found; cut short: "), "{}", text(&hasty.stderr));
    let proven = fathom(&["ask", path, "--prove", "--json"]);
    let line: serde_json::Value = serde_json::from_str(text(&proven.stdout)).unwrap();
    assert_eq!((proven.status.code(), &line["id"], &line["assurance"]), (Some(0), &8.into(), &"proven".into()));
    assert_eq!(of_model(path)[1]["suggestion"]["certificate"]["status"], "optimal");
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_is_proven_by_then_and_a_kill_loses_nothing() {
    use super::interrupts::{hard, interrupted};
    let folder = tempfile::tempdir().unwrap();
    let file = hard(folder.path());
    let path = file.to_str().unwrap();
    let written = std::fs::read_to_string(&file).unwrap().replace("patience = '1h'", "patience = '100ms'");
    std::fs::write(&file, written).unwrap();
    assert!(fathom(&["ask", path]).status.success());
    let before = trials(path);
    // A proof that is killed leaves everything as it was.
    let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
    let mut child = command.args(["prove", path]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(2));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(trials(path), before);
    assert!(fathom(&["check-store", path]).status.success());
    let (output, took) = interrupted(&["prove", path], Duration::from_secs(4));
    assert!(took < Duration::from_secs(1), "{took:?}");
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(said.starts_with("trial 61: cut short: at most ") || said.contains("a better point was found"), "{said}");
    let later = &trials(path)[60]["suggestion"]["later"]["certificate"];
    assert_eq!(later["status"], "interrupted");
    let first = &before[60]["suggestion"]["certificate"]["lower_bound"];
    assert!(first.is_null() || later["lower_bound"].as_f64() > first.as_f64(), "{later}");
}

#[cfg(unix)]
#[test]
fn a_proof_in_the_background_delays_neither_ctrl_c_nor_the_next_who_asks() {
    use super::interrupts::{hard, interrupted};
    let folder = tempfile::tempdir().unwrap();
    let file = hard(folder.path());
    let path = file.to_str().unwrap();
    let written = std::fs::read_to_string(&file).unwrap();
    let written = written.replace("patience = '1h'", "patience = '100ms'").replace("['echo', '1']", "['sleep', '60']");
    std::fs::write(&file, written).unwrap();
    let (output, took) = interrupted(&["run", path, "--trials", "61"], Duration::from_secs(5));
    assert!(took < Duration::from_secs(1), "{took:?}");
    assert!(text(&output.stdout).contains("60 trials complete, 0 failed, 1 pending"), "{}", text(&output.stdout));
    let last = trials(path).pop().unwrap();
    assert_eq!(last["suggestion"]["later"]["certificate"]["status"], "interrupted", "{last}");
    let started = Instant::now();
    let next = fathom(&["ask", path]);
    assert!(text(&next.stdout).starts_with("trial 61: ") && started.elapsed() < Duration::from_secs(10));
}
