//! Ctrl-C during calls that take long.

use super::text;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A generous time: a tenth of it is meant, and machines stall.
const SOON: Duration = Duration::from_secs(1);

/// A study of eight inputs with 60 trials told, whose next ask takes a minute.
pub fn hard(folder: &Path) -> PathBuf {
    let parameters: String = (1..=8).map(|j| format!("x{j} = {{ type = 'float', low = 0, high = 1 }}\n")).collect();
    let more = "[strategy]\ninitial = 60\ngap = 0.0\nacquisition = 'lcb'\nbeta = 9\npatience = '1h'\n[evaluate]\ncommand = ['echo', '1']\n";
    let file = folder.join("hard.toml");
    std::fs::write(&file, format!("[parameters]\n{parameters}{more}")).unwrap();
    // A model makes a function with many minima of this noise.
    let noise =
        |i: u32, j: u32| (43758.5453 * (f64::from(i) * (12.9898 + 7.8233 * f64::from(j))).sin()).rem_euclid(1.0);
    let mut table = (1..=8).map(|j| format!("x{j},")).collect::<String>() + "value\n";
    for i in 1..=60 {
        let row: Vec<f64> = (0..8).map(|j| noise(i, j)).collect();
        let value: f64 = (8..12).map(|j| noise(i, j)).sum();
        table += &(row.iter().map(|x| format!("{x},")).collect::<String>() + &format!("{value}\n"));
    }
    let past = folder.join("past.csv");
    std::fs::write(&past, table).unwrap();
    let imported = super::fathom(&["import", file.to_str().unwrap(), past.to_str().unwrap()]);
    assert!(imported.status.success(), "{}", text(&imported.stderr));
    file
}

/// What a command says if Ctrl-C comes after a while, and how long it takes to end after that.
pub fn interrupted(arguments: &[&str], after: Duration) -> (Output, Duration) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
    let child = command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(after);
    let asked = Instant::now();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let took = asked.elapsed();
    eprintln!("{}: {took:?} after Ctrl-C", arguments[0]);
    (output, took)
}

#[test]
fn an_ask_answers_at_once_with_the_best_point_so_far_and_says_what_is_proven_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = hard(folder.path());
    let path = file.to_str().unwrap();
    let (output, took) = interrupted(&["ask", path], Duration::from_secs(4));
    let (said, warned) = (text(&output.stdout), text(&output.stderr));
    assert!(took < SOON, "{took:?}");
    assert_eq!(output.status.code(), Some(1), "{warned}");
    assert!(said.starts_with("trial 61: x1 = "), "{said}");
    assert!(warned.contains("trial 61 is the best point found before Ctrl-C"), "{warned}");
    assert!(warned.contains("cut short: at most") || warned.contains("nothing is proven yet"), "{warned}");
    let listed = super::fathom(&["trials", path, "--json"]);
    let last: serde_json::Value = serde_json::from_str(text(&listed.stdout).lines().last().unwrap()).unwrap();
    assert_eq!(last["id"], 61);
    assert_eq!(last["suggestion"]["certificate"]["status"], "interrupted");
    let verified = super::fathom(&["verify", path, "61"]);
    assert!(verified.status.success() || text(&verified.stdout).contains("no proof"), "{}", text(&verified.stdout));
}

#[test]
fn a_run_ends_at_once_with_its_best_value_and_leaves_the_trial_to_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let file = hard(folder.path());
    let path = file.to_str().unwrap();
    let (output, took) = interrupted(&["run", path, "--trials", "70"], Duration::from_secs(4));
    let (said, warned) = (text(&output.stdout), text(&output.stderr));
    assert!(took < SOON, "{took:?}");
    assert_eq!(output.status.code(), Some(1), "{warned}");
    assert!(said.contains("60 trials complete, 0 failed, 1 pending") && said.contains("  best "), "{said}");
    assert!(warned.contains("trial 61 is the best point found before Ctrl-C"), "{warned}");
    assert!(warned.contains("it waits for the next who asks"), "{warned}");
    let next = super::fathom(&["ask", path]);
    assert!(text(&next.stdout).starts_with("trial 61: "), "{}", text(&next.stdout));
}

#[test]
fn best_and_audit_end_at_once_with_what_they_know() {
    let folder = tempfile::tempdir().unwrap();
    let file = hard(folder.path());
    let (output, took) = interrupted(&["best", file.to_str().unwrap()], Duration::from_secs(3));
    let said = text(&output.stdout);
    assert!(took < SOON, "{took:?}");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(said.starts_with("trial "), "{said}");
    assert!(said.contains("can still be gained"), "{said}");
    let problem = super::instance("bo_d6_n200_matern32_r0");
    let point = ["0.5"; 6].join(",");
    let arguments = ["audit", problem.to_str().unwrap(), "--x", &point, "--gap", "0"];
    let (output, took) = interrupted(&arguments, Duration::from_millis(1500));
    assert!(took < SOON, "{took:?}");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("no point of the region has a value below"), "{}", text(&output.stdout));
}
