//! Databases in files can be copied, and read without the right to write; those of earlier versions go on.

use crate::conformance::definition;
use fathom_study::{Address, DesignSize, Error, Study, connect, consult};
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// A database as earlier versions left it when they were killed: the log beside it has all the trials.
fn in_wal(folder: &Path) -> (PathBuf, Connection) {
    let path = folder.join("old.db");
    let old = Connection::open(&path).unwrap();
    old.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(())).unwrap();
    old.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    let text = definition("old");
    old.execute_batch(include_str!("../../src/store/sqlite/0001.sql")).unwrap();
    old.execute_batch(include_str!("../../src/store/sqlite/0002.sql")).unwrap();
    old.pragma_update(None, "user_version", 2).unwrap();
    old.execute("INSERT INTO study (name, text) VALUES ('old', ?1)", [text.text()]).unwrap();
    (path, old)
}

fn names(folder: &Path) -> Vec<String> {
    let name = |file: std::io::Result<std::fs::DirEntry>| file.unwrap().file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = std::fs::read_dir(folder).unwrap().map(name).collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u8 {
    std::fs::read(path).unwrap()[18]
}

#[test]
fn a_database_whose_log_is_missing_says_so_and_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _open) = in_wal(folder.path());
    let alone = tempfile::tempdir().unwrap();
    let copy = alone.path().join("copy.db");
    std::fs::copy(&path, &copy).unwrap();
    let before = std::fs::read(&copy).unwrap();
    let address = Address::of_file(&copy);
    assert!(matches!(connect(&address), Err(Error::MissingLog { .. })));
    let Err(error) = consult(&address) else { panic!("it is not an empty store") };
    assert!(
        error.to_string().contains("copy.db-wal is missing") && error.to_string().contains("fathom backup"),
        "{error}"
    );
    assert_eq!((names(alone.path()), std::fs::read(&copy).unwrap()), (vec!["copy.db".to_owned()], before));
    // With its log the database is what it was.
    std::fs::copy(folder.path().join("old.db-wal"), alone.path().join("copy.db-wal")).unwrap();
    Study::open(&address, "old").unwrap();
}

#[test]
fn a_database_of_an_earlier_version_leaves_its_log_once_it_is_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (path, old) = in_wal(folder.path());
    let address = Address::of_file(&path);
    // An earlier version has the database open and goes on.
    let mut study = Study::open(&address, "old").unwrap();
    study.ask(1).unwrap();
    assert_eq!(mode(&path), 2);
    let count = |connection: &Connection| -> i64 {
        connection.query_row("SELECT count(*) FROM trial", [], |row| row.get(0)).unwrap()
    };
    assert_eq!(count(&old), 1);
    drop((study, old));
    let mut study = Study::open(&address, "old").unwrap();
    assert_eq!(mode(&path), 1);
    study.tell(1, 0.5).unwrap();
    assert!(!folder.path().join("old.db-wal").exists());
}

#[test]
fn the_file_alone_is_whole_after_every_change() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("study.db"), folder.path().join("copy.db"));
    let mut study = Study::create(Address::of_file(&path), definition("copied")).unwrap();
    for i in 1..=3 {
        let trial = study.ask(1).unwrap().remove(0);
        study.tell(trial.id, 0.5).unwrap();
        // Nobody closes anything, as if everybody had been killed here.
        std::fs::copy(&path, &copy).unwrap();
        let mut copied = Study::open(Address::of_file(&copy), "copied").unwrap();
        assert_eq!(copied.trials().unwrap(), study.trials().unwrap(), "after {i}");
    }
}

#[test]
fn a_change_that_a_kill_cut_short_is_undone_by_whoever_reads_next() {
    let folder = tempfile::tempdir().unwrap();
    let (path, crashed) = (folder.path().join("study.db"), folder.path().join("crashed.db"));
    let mut study = Study::create(Address::of_file(&path), definition("cut")).unwrap();
    let trial = study.ask(1).unwrap().remove(0);
    let before = study.trials().unwrap();
    // The state in the middle of a commit: some pages are new, and the journal has the old ones.
    let writer = Connection::open(&path).unwrap();
    writer.pragma_update(None, "cache_size", 1).unwrap();
    writer.execute_batch("BEGIN; UPDATE trial SET owner = hex(randomblob(20000))").unwrap();
    writer.execute_batch("CREATE TABLE large AS SELECT hex(randomblob(100000)) AS a").unwrap();
    std::fs::copy(&path, &crashed).unwrap();
    std::fs::copy(folder.path().join("study.db-journal"), folder.path().join("crashed.db-journal")).unwrap();
    assert!(std::fs::metadata(folder.path().join("crashed.db-journal")).unwrap().len() > 0);
    let mut read = Study::consult(Address::of_file(&crashed), definition("cut")).unwrap();
    assert_eq!(read.trials().unwrap(), before);
    assert_eq!(before[0].id, trial.id);
}

#[test]
fn whoever_looks_creates_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let missing = Address::of_file(&folder.path().join("missing.db"));
    assert!(matches!(consult(&missing), Err(Error::NoStore { .. })));
    let path = folder.path().join("study.db");
    let mut study = Study::create(Address::of_file(&path), definition("looked at")).unwrap();
    study.ask(2).unwrap();
    drop(study);
    let state = || {
        let changed = std::fs::metadata(folder.path()).unwrap().modified().unwrap();
        (names(folder.path()), std::fs::read(&path).unwrap(), changed)
    };
    let before = state();
    let edited = definition("looked at").text().replace("initial = 2000", "initial = 7");
    let edited = fathom_study::Definition::parse(&edited).unwrap();
    let mut read = Study::consult(Address::of_file(&path), edited).unwrap();
    assert_eq!((read.trials().unwrap().len(), read.definition().strategy.initial), (2, DesignSize::Points(7)));
    assert!(read.tell(1, 0.5).is_err(), "it is open for reading alone");
    drop(read);
    assert_eq!(state(), before);
}

/// Whether the system's list of locks has one of this process on the file.
#[cfg(target_os = "linux")]
fn is_locked(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let inode = format!(":{} ", std::fs::metadata(path).unwrap().ino());
    let process = format!(" {} ", std::process::id());
    let locks = std::fs::read_to_string("/proc/locks").unwrap();
    locks.lines().any(|line| line.contains(&inode) && line.contains(&process))
}

#[cfg(target_os = "linux")]
#[test]
fn to_open_a_store_gives_up_no_lock_of_another_one_in_this_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shared.db");
    let address = format!("sqlite://{}", path.display());
    let _first = Study::create(&*address, definition("shared")).unwrap();
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(is_locked(&path), "the system does not list its locks as expected");
    let second = Study::open(&*address, "shared").unwrap();
    assert!(is_locked(&path), "opening gave up the lock");
    let third = Study::consult(&*address, definition("shared")).unwrap();
    drop((second, third));
    assert!(is_locked(&path), "closing gave up the lock");
    writer.execute_batch("ROLLBACK").unwrap();
    assert!(!is_locked(&path));
}
