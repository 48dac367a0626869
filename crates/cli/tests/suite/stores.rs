//! Stores when others hold them, clocks are wrong, or nobody may write.

use super::studies::{said, trials, write};
use super::{fathom, text};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A program that evaluates in half a second and leaves a mark when it begins.
const SLOW: &str = "[evaluate]\ncommand = ['sh', '-c', 'touch \"$0\"; sleep 0.5; echo 42.125', 'BEGUN']\n";

fn start(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let since = Instant::now();
    while !is_so() {
        assert!(since.elapsed() < Duration::from_secs(60), "{what} did not happen");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A run that has evaluated its only trial while another process holds the database.
fn held_up(folder: &Path) -> (PathBuf, Child, Connection) {
    let begun = folder.join("begun");
    let file = write(folder, &SLOW.replace("BEGUN", begun.to_str().unwrap()));
    let run = start(&["run", file.to_str().unwrap(), "--trials", "1"]);
    until("an evaluation", || begun.exists());
    let other = Connection::open(folder.join("plane.db")).unwrap();
    other.busy_timeout(Duration::from_secs(10)).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    until("a value that waits", || folder.join("plane.untold").exists());
    (file, run, other)
}

fn end(child: Child) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    (status.code(), text(&stdout).to_owned(), text(&stderr).to_owned())
}

#[test]
fn a_value_waits_for_a_store_that_is_held_by_another() {
    let folder = tempfile::tempdir().unwrap();
    let (file, run, other) = held_up(folder.path());
    std::thread::sleep(Duration::from_secs(2));
    other.execute_batch("ROLLBACK").unwrap();
    let (code, said, warned) = end(run);
    assert_eq!(code, Some(0), "{warned}");
    assert!(said.contains("1 trials complete") && warned.contains("trying again until it works"), "{said}{warned}");
    assert_eq!(trials(file.to_str().unwrap())[0]["value"], 42.125);
    assert!(!folder.path().join("plane.untold").exists(), "what was told waits no longer");
}

#[test]
fn a_run_that_is_stopped_while_a_value_waits_prints_it_and_the_next_command_tells_it() {
    for signal in ["-INT", "-KILL"] {
        let folder = tempfile::tempdir().unwrap();
        let (file, run, other) = held_up(folder.path());
        let path = file.to_str().unwrap();
        Command::new("kill").args([signal, &run.id().to_string()]).status().unwrap();
        let (code, _, warned) = end(run);
        if signal == "-INT" {
            assert_eq!(code, Some(2), "{warned}");
            assert!(warned.contains(&format!("fathom tell {path} 1 42.125")), "{warned}");
        }
        drop(other);
        let looked = fathom(&["trials", path]);
        assert!(text(&looked.stderr).contains("1 value waits in"), "{}", text(&looked.stderr));
        assert_eq!(trials(path)[0]["state"], "pending", "who looks tells nothing");
        let asked = fathom(&["ask", path]);
        assert!(text(&asked.stderr).contains("trial 1 was told the value 42.125"), "{}", text(&asked.stderr));
        assert_eq!(trials(path)[0]["value"], 42.125);
        assert!(!folder.path().join("plane.untold").exists());
    }
}

#[test]
fn a_tell_by_hand_tries_for_a_stated_time_and_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "");
    let path = file.to_str().unwrap();
    said(&["ask", path, "-n", "2"]);
    let other = Connection::open(folder.path().join("plane.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let told = fathom(&["tell", path, "1", "0.1", "--wait", "2s"]);
    let warned = text(&told.stderr);
    assert_eq!(told.status.code(), Some(2), "{warned}");
    assert!(warned.contains("trying again for 2s") && warned.contains("plane.untold"), "{warned}");
    assert!(warned.contains(&format!("fathom tell {path} 1 0.1")), "{warned}");
    other.execute_batch("ROLLBACK").unwrap();
    said(&["tell", path, "2", "0.2"]);
    let values: Vec<_> = trials(path).iter().map(|trial| trial["value"].as_f64()).collect();
    assert_eq!(values, [Some(0.1), Some(0.2)]);
    // A value that contradicts the store is neither told nor dropped.
    let line = "{\"study\":\"plane\",\"store\":\"sqlite:plane.db\",\"trial\":1,\"value\":7.0,\"written_at\":0.0}\n";
    std::fs::write(folder.path().join("plane.untold"), line).unwrap();
    let asked = fathom(&["ask", path]);
    assert!(text(&asked.stderr).contains("keeps the value 7 for trial 1"), "{}", text(&asked.stderr));
    assert_eq!(std::fs::read_to_string(folder.path().join("plane.untold")).unwrap(), line);
    let checked = fathom(&["check-store", path]);
    assert_eq!(checked.status.code(), Some(1));
    assert!(text(&checked.stdout).contains("1 values wait"), "{}", text(&checked.stdout));
}

/// A library that sets the clock of a process wrong by `WRONG_BY` seconds, and no other clock.
fn wrong_clock(folder: &Path) -> PathBuf {
    let source = r#"
        #define _GNU_SOURCE
        #include <stdlib.h>
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>
        int clock_gettime(clockid_t clock, struct timespec *now) {
            int failed = syscall(SYS_clock_gettime, clock, now);
            char *wrong = getenv("WRONG_BY");
            if (clock == CLOCK_REALTIME && wrong) now->tv_sec += atol(wrong);
            return failed;
        }
    "#;
    let (code, library) = (folder.join("wrong.c"), folder.join("wrong.so"));
    std::fs::write(&code, source).unwrap();
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &code]).status().unwrap();
    assert!(built.success());
    library
}

/// Runs a study by workers whose clocks are hours apart; every trial must be evaluated once.
fn with_wrong_clocks(store: Option<&str>, name: &str) {
    let folder = tempfile::tempdir().unwrap();
    let (library, log) = (wrong_clock(folder.path()), folder.path().join("log"));
    let command = format!("echo $FATHOM_TRIAL >> {}; sleep 0.4; echo 1", log.display());
    let file = write(folder.path(), &format!("[evaluate]\ncommand = ['sh', '-c', '{command}']\n"));
    std::fs::write(&file, format!("name = '{name}'\n{}", std::fs::read_to_string(&file).unwrap())).unwrap();
    let workers: Vec<Child> = ["0", "3600", "-3600"]
        .iter()
        .map(|wrong| {
            let mut worker = Command::new(env!("CARGO_BIN_EXE_fathom"));
            worker.args(["run", file.to_str().unwrap(), "--trials", "9", "--lease", "10s"]);
            worker.args(store.iter().flat_map(|store| ["--store", store]));
            worker.env("LD_PRELOAD", &library).env("WRONG_BY", wrong).stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut worker in workers {
        assert!(worker.wait().unwrap().success());
    }
    let log = std::fs::read_to_string(&log).unwrap();
    let mut evaluated: Vec<u32> = log.lines().map(|line| line.parse().unwrap()).collect();
    evaluated.sort_unstable();
    assert_eq!(evaluated, (1..=9).collect::<Vec<u32>>(), "each trial once");
}

#[test]
#[cfg(target_os = "linux")]
fn clocks_that_are_hours_apart_make_nobody_evaluate_a_trial_twice() {
    with_wrong_clocks(None, "clocks");
    match std::env::var("FATHOM_POSTGRES") {
        Ok(url) if cfg!(feature = "postgres") => {
            with_wrong_clocks(Some(&url), &format!("clocks-{}", std::process::id()));
        }
        Ok(_) | Err(_) => eprintln!("skipped on PostgreSQL: FATHOM_POSTGRES is not set"),
    }
}

#[test]
fn looking_changes_nothing_and_an_ask_takes_up_an_edited_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "[strategy]\ninitial = 3\n[evaluate]\nfunction = 'branin'\n");
    let path = file.to_str().unwrap();
    said(&["run", path, "--trials", "5"]);
    let edited = std::fs::read_to_string(&file).unwrap().replace("initial = 3", "initial = 4");
    std::fs::write(&file, &edited).unwrap();
    let database = folder.path().join("plane.db");
    let stored = || -> String {
        Connection::open(&database).unwrap().query_row("SELECT text FROM study", [], |row| row.get(0)).unwrap()
    };
    let state = || {
        let mut names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
        names.sort();
        let changed = |path: &Path| std::fs::metadata(path).unwrap().modified().unwrap();
        (names, std::fs::read(&database).unwrap(), changed(&database), changed(folder.path()))
    };
    let elsewhere = tempfile::tempdir().unwrap();
    let output = |name: &str| elsewhere.path().join(name).to_str().unwrap().to_owned();
    let before = state();
    said(&["best", path]);
    said(&["trials", path]);
    said(&["export", path, &output("all.csv")]);
    said(&["plot", path, "--output", &output("plot.svg")]);
    said(&["verify", path, "5"]);
    said(&["proof", path, "5", "--output", &output("5.proof")]);
    assert_eq!(state(), before);
    said(&["check-store", path]);
    said(&["backup", path, &output("copy.db")]);
    assert_eq!(state(), before);
    assert!(stored().contains("initial = 3"));
    said(&["ask", path]);
    assert_eq!(stored(), edited);
    let nobody = fathom(&["best", write(elsewhere.path(), "").to_str().unwrap()]);
    assert!(text(&nobody.stderr).contains("no trials yet"), "{}", text(&nobody.stderr));
    assert!(!elsewhere.path().join("plane.db").exists());
}

#[test]
fn importing_is_all_or_nothing_and_doing_it_again_adds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "kind = { type = 'categorical', choices = ['a', ' a'] }\n");
    let (path, table) = (file.to_str().unwrap(), folder.path().join("past.csv"));
    let kind = |i: usize| if i.is_multiple_of(2) { " a" } else { "a" };
    let row = |i: usize| format!("{}, {} ,{},{}\n", i as f64 / 2000.0, i as f64 / 1000.0, kind(i), i % 7);
    let rows: String = (0..10_000).map(row).collect();
    std::fs::write(&table, format!("x1,x2,kind,value\n{rows}")).unwrap();
    let import = ["import", path, table.to_str().unwrap()];
    for pause in [30, 60, 90, 120, 180, 250] {
        let mut child = start(&import);
        std::thread::sleep(Duration::from_millis(pause));
        child.kill().unwrap();
        child.wait().unwrap();
        if folder.path().join("plane.db").exists() {
            let count = fathom(&["trials", path, "--csv"]).stdout.iter().filter(|byte| **byte == b'\n').count();
            assert!([0, 1, 10_001].contains(&count), "{count} lines after a kill");
        }
    }
    let started = Instant::now();
    said(&import);
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    assert!(said(&import).ends_with("\n0 trials added, 10000 there already\n"));
    let all = trials(path);
    assert_eq!(all.len(), 10_000);
    assert_eq!(all[0]["point"]["kind"], " a", "a choice is what is written");
    assert_eq!(all[1]["point"]["kind"], "a");
}

#[test]
fn a_copy_made_at_any_time_is_a_study() {
    let folder = tempfile::tempdir().unwrap();
    let file =
        write(folder.path(), "[evaluate]\ncommand = ['sh', '-c', 'echo $FATHOM_x1']\n[strategy]\ninitial = 900\n");
    let path = file.to_str().unwrap();
    said(&["run", path, "--trials", "1"]);
    let run = start(&["run", path, "--trials", "60", "--workers", "2"]);
    for i in 0..5 {
        let copy = folder.path().join(format!("copy{i}.db"));
        let copy = copy.to_str().unwrap();
        assert!(said(&["backup", path, copy]).contains("trials"));
        let store = format!("sqlite://{copy}");
        assert_eq!(fathom(&["check-store", path, "--store", &store]).status.code(), Some(0));
        let again = fathom(&["backup", path, copy]);
        assert_eq!(again.status.code(), Some(2));
        assert!(text(&again.stderr).contains("exists already"));
    }
    assert_eq!(end(run).0, Some(0));
    let whole = fathom(&["check-store", path]);
    assert_eq!(whole.status.code(), Some(0), "{}", text(&whole.stdout));
    assert!(text(&whole.stdout).contains("60 complete"), "{}", text(&whole.stdout));
}

#[test]
fn a_store_that_was_tampered_with_is_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "[evaluate]\nfunction = 'branin'\n[strategy]\ninitial = 9\n");
    let path = file.to_str().unwrap();
    said(&["run", path, "--trials", "4"]);
    assert_eq!(fathom(&["check-store", path]).status.code(), Some(0));
    let by_hand = Connection::open(folder.path().join("plane.db")).unwrap();
    by_hand.execute_batch("DROP TRIGGER finished_trials_stay; DROP TRIGGER trials_are_kept").unwrap();
    for (change, finding) in [
        (
            "UPDATE trial SET point = '{\"x1\":99.0,\"x2\":1.0}' WHERE number = 1",
            "the point of trial 1 is not of this study",
        ),
        ("UPDATE trial SET suggestion = '{' WHERE number = 2", "trial 2, suggestion"),
        (
            "UPDATE trial SET told = '{\"strength\":1.5}' WHERE number = 4",
            "trial 4 has values strength = 1.5, and no `value`",
        ),
        ("DELETE FROM trial WHERE number = 3", "trial 4 stands where trial 3 should"),
    ] {
        by_hand.execute_batch(change).unwrap();
        let checked = fathom(&["check-store", path]);
        assert_eq!(checked.status.code(), Some(1));
        assert!(text(&checked.stdout).contains(finding), "{}", text(&checked.stdout));
    }
    std::fs::write(folder.path().join("plane.db"), "no database").unwrap();
    assert_eq!(fathom(&["check-store", path]).status.code(), Some(2));
}

#[test]
fn no_message_shows_a_password() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "");
    let path = file.to_str().unwrap();
    for store in [
        "postgre://ann:SECRET@127.0.0.1:1/db",
        "postgres://ann:SECRET@127.0.0.1:1/db",
        "postgres://127.0.0.1:1/db?user=ann&password=SECRET",
        "host=127.0.0.1 password=SECRET",
    ] {
        for command in
            [&["best", path][..], &["ask", path], &["tell", path, "1", "2", "--wait", "0s"], &["check-store", path]]
        {
            let output = fathom(&[command, &["--store", store]].concat());
            assert_eq!(output.status.code(), Some(2));
            let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
            assert!(!said.contains("SECRET"), "{said}");
        }
    }
    let kept = std::fs::read_to_string(folder.path().join("plane.untold")).unwrap_or_default();
    assert!(!kept.contains("SECRET"), "{kept}");
}

#[test]
fn a_huge_value_stops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for (i, (value, scaling)) in [
        ("1e160", "standardise"),
        ("-1e160", "standardise"),
        ("1e308", "standardise"),
        ("-1.7e308", "unit"),
        ("1e160", "none"),
    ]
    .iter()
    .enumerate()
    {
        let own = folder.path().join(i.to_string());
        std::fs::create_dir(&own).unwrap();
        let file = write(
            &own,
            &format!(
                "[strategy]\ninitial = 3\nscaling = '{scaling}'\ntime_limit = '500ms'\n[evaluate]\nfunction = 'branin'\n"
            ),
        );
        let path = file.to_str().unwrap();
        said(&["run", path, "--trials", "4"]);
        said(&["ask", path]);
        said(&["tell", path, "5", value]);
        said(&["ask", path]);
        said(&["best", path]);
        said(&["run", path, "--trials", "8"]);
        assert_eq!(trials(path)[4]["value"], value.parse::<f64>().unwrap(), "the value stays");
    }
}
