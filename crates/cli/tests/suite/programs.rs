//! Programs that hold on, babble, or are handed names that look like places.
#![cfg(unix)]

use super::studies::{said, trials, write};
use super::text;
use std::process::Command;
use std::time::{Duration, Instant};

#[test]
fn a_grandchild_that_keeps_the_output_open_holds_nobody_up() {
    let folder = tempfile::tempdir().unwrap();
    for (command, complete) in [("sleep 43 & echo 7", true), ("sleep 43 & sleep 44", false)] {
        let file =
            write(folder.path(), &format!("[evaluate]\ncommand = ['sh', '-c', '{command}']\ntimeout = '500ms'\n"));
        let path = file.to_str().unwrap();
        let started = Instant::now();
        said(&["run", path, "--trials", "1"]);
        assert!(started.elapsed() < Duration::from_secs(20), "{command}: {:?}", started.elapsed());
        let told = &trials(path)[0];
        match complete {
            true => assert_eq!(told["value"], 7.0, "its own output counts"),
            false => assert!(told["message"].as_str().unwrap().contains("longer than 500ms")),
        }
        std::fs::remove_file(folder.path().join("plane.db")).unwrap();
    }
}

/// The program prints half a gigabyte; there are 700 MB of addresses.
#[cfg(target_os = "linux")]
#[test]
fn endless_output_costs_no_memory_and_its_last_line_is_the_value() {
    let folder = tempfile::tempdir().unwrap();
    let babble = "head -c 500000000 /dev/zero | tr '\\\\0' '\\\\377'; echo; echo 5";
    let file = write(folder.path(), &format!("[evaluate]\ncommand = ['sh', '-c', \"{babble}\"]\n"));
    let script = format!("ulimit -v 700000; exec {} run {} --trials 1", env!("CARGO_BIN_EXE_fathom"), file.display());
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(trials(file.to_str().unwrap())[0]["value"], 5.0);
}

#[test]
fn a_program_that_never_reads_its_input_is_ended_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("long.toml");
    let long = "x".repeat(300_000);
    let study = format!(
        "[parameters]\nk = {{ type = 'categorical', choices = ['a{long}', 'b{long}'] }}\n[evaluate]\n\
         command = ['perl', '-e', 'sleep 60']\ntimeout = '300ms'\n"
    );
    std::fs::write(&file, study).unwrap();
    let started = Instant::now();
    // A choice of that length is too much for an environment, so the program may not even start; it must not hang either.
    said(&["run", file.to_str().unwrap(), "--trials", "1"]);
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn names_are_replaced_once_and_the_number_of_the_trial_stays_its_number() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("names.toml");
    let study = "[parameters]\nkind = { type = 'categorical', choices = ['{x}', '{TRIAL}'] }\nx = { type = 'fixed', value = 17 }\n\
                 TRIAL = { type = 'fixed', value = 99 }\n[evaluate]\ncommand = ['sh', '-c', '''\
                 case \"$1\" in \"{\"*\"}\") test \"$2\" = 17-99 && echo \"$FATHOM_TRIAL\";; *) echo \"got $1\";; esac''', 'sh', '{kind}', \
                 '{x}-{TRIAL}']\n";
    std::fs::write(&file, study).unwrap();
    let path = file.to_str().unwrap();
    said(&["run", path, "--trials", "2"]);
    for trial in trials(path) {
        assert_eq!(trial["value"], trial["id"].as_f64().unwrap(), "{trial}");
    }
}
