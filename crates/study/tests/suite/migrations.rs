//! Files of every schema version open, keep what they hold, and go on.
//!
//! `fixtures/vN.db` holds a study with four finished trials, a failed and a pending one. `v2.db` was written by the
//! program (`FATHOM_BLESS=1` writes the newest one where it does not exist); `v1.db` is the schema of `0001.sql` with the
//! rows of `v2.db`, as no program was ever in use at version 1. `fixtures/postgres-vN.sql` is the same study on a server,
//! as `pg_dump --inserts` wrote it, with another name for whoever asked.

use fathom_study::{Definition, Error, State, Study, connect};
use std::path::{Path, PathBuf};

const NEWEST: u32 = 2;

const FILE: &str =
    "name = 'old'\n[parameters]\nx = { type = 'float', low = -1.0, high = 2.0 }\n[strategy]\ninitial = 4\n";

fn fixture(version: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/v{version}.db"))
}

fn write_fixture(path: &Path) {
    let mut study = Study::create(&format!("sqlite://{}", path.display()), Definition::parse(FILE).unwrap()).unwrap();
    for i in 1..=5 {
        let trial = study.ask(1).unwrap().remove(0);
        match i {
            3 => study.tell_failed(trial.id, "burnt").unwrap(),
            _ => study.tell(trial.id, trial.number("x").unwrap().powi(2)).unwrap(),
        }
    }
    study.ask(1).unwrap();
}

#[test]
fn every_version_opens_and_goes_on() {
    if std::env::var_os("FATHOM_BLESS").is_some() && !fixture(NEWEST).exists() {
        write_fixture(&fixture(NEWEST));
    }
    for version in 1..=NEWEST {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("study.db");
        std::fs::copy(fixture(version), &copy).unwrap();
        goes_on(&format!("sqlite://{}", copy.display()), &format!("version {version}"));
    }
}

fn goes_on(url: &str, what: &str) {
    let mut study = Study::open(url, "old").unwrap();
    let states: Vec<State> = study.trials().unwrap().iter().map(|trial| trial.state).collect();
    let (done, failed) = (State::Complete, State::Failed);
    assert_eq!(states, [done, done, failed, done, done, State::Pending], "{what}");
    assert_eq!(study.trials().unwrap()[2].message.as_deref(), Some("burnt"));
    study.tell(6, 0.5).unwrap();
    assert_eq!(study.ask(1).unwrap()[0].id, 7);
}

/// A database of its own on the server of the tests, if there is one.
#[cfg(feature = "postgres")]
fn on_a_fresh_database(test: impl Fn(&str, &mut postgres::Client)) {
    let Ok(server) = std::env::var("FATHOM_POSTGRES") else {
        eprintln!("skipped on PostgreSQL: FATHOM_POSTGRES is not set");
        return;
    };
    let name = crate::conformance::fresh("fixture").replace('-', "_");
    let mut main = postgres::Client::connect(&server, postgres::NoTls).unwrap();
    main.batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
    let url = format!("{}/{name}", server.rsplit_once('/').unwrap().0);
    test(&url, &mut postgres::Client::connect(&url, postgres::NoTls).unwrap());
    main.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).unwrap();
}

#[test]
#[cfg(feature = "postgres")]
fn every_version_on_a_server_opens_and_goes_on() {
    on_a_fresh_database(|url, client| {
        client.batch_execute(include_str!("../fixtures/postgres-v1.sql")).unwrap();
        goes_on(url, "version 1");
    });
}

#[test]
#[cfg(feature = "postgres")]
fn a_server_of_the_future_is_refused_and_its_finished_trials_stay() {
    on_a_fresh_database(|url, client| {
        client.batch_execute(include_str!("../fixtures/postgres-v1.sql")).unwrap();
        let by_hand = ["UPDATE public.fathom_trial SET value = 0 WHERE number = 1", "DELETE FROM public.fathom_trial"];
        for statement in by_hand {
            assert!(client.batch_execute(statement).is_err(), "{statement}");
        }
        client.batch_execute("INSERT INTO public.fathom_schema VALUES (99)").unwrap();
        assert!(matches!(connect(url), Err(Error::LaterSchema { found: 99, .. })));
    });
}

#[test]
fn finished_trials_cannot_be_changed_even_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.db");
    write_fixture(&path);
    let by_hand = rusqlite::Connection::open(&path).unwrap();
    for statement in ["UPDATE trial SET value = 0 WHERE number = 1", "DELETE FROM trial WHERE number = 1"] {
        assert!(by_hand.execute(statement, []).is_err(), "{statement}");
    }
}

#[test]
fn a_file_of_the_future_is_refused_and_no_file_of_another_kind_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.db");
    let url = format!("sqlite://{}", path.display());
    write_fixture(&path);
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(matches!(connect(&url), Err(Error::LaterSchema { found: 99, .. })));
    std::fs::write(&path, "this is a letter, not a database, and long enough to be sure of it".repeat(20)).unwrap();
    assert!(matches!(connect(&url), Err(Error::Sqlite { .. })));
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("this is a letter"));
}
