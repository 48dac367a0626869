//! Stores of every schema version open, keep what they hold, and go on.
//!
//! `fixtures/vN.db` holds a study with four finished trials, a failed and a pending one. `v2.db` was written by the
//! program in write-ahead mode, and `v3.db` with a rollback journal (`FATHOM_BLESS=1` writes the newest one where it does not
//! exist); `v1.db` is the schema of `0001.sql` with the
//! rows of `v2.db`, as no program was ever in use at version 1. `fixtures/postgres-vN.sql` is the same study on a server,
//! as `pg_dump --inserts` wrote it, with another name for whoever asked.

use fathom_study::{Definition, Error, State, Study, connect};
use std::path::{Path, PathBuf};

const NEWEST: u32 = 3;

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

/// A connection to a server without our own code.
#[cfg(feature = "postgres")]
pub struct Direct {
    client: tokio_postgres::Client,
    runtime: tokio::runtime::Runtime,
}

#[cfg(feature = "postgres")]
impl Direct {
    pub fn connect(url: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let client = runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
            tokio::spawn(connection);
            client
        });
        Self { client, runtime }
    }

    pub fn batch_execute(&mut self, statements: &str) -> Result<(), tokio_postgres::Error> {
        self.runtime.block_on(self.client.batch_execute(statements))
    }

    pub fn number(&mut self, query: &str) -> i64 {
        self.runtime.block_on(self.client.query_one(query, &[])).unwrap().get(0)
    }
}

/// A database of its own on the server of the tests, if there is one.
#[cfg(feature = "postgres")]
pub fn on_a_fresh_database(test: impl Fn(&str, &mut Direct)) {
    let Ok(server) = std::env::var("FATHOM_POSTGRES") else {
        eprintln!("skipped on PostgreSQL: FATHOM_POSTGRES is not set");
        return;
    };
    let name = crate::conformance::fresh("fixture").replace('-', "_");
    let mut main = Direct::connect(&server);
    main.batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
    let url = format!("{}/{name}", server.rsplit_once('/').unwrap().0);
    test(&url, &mut Direct::connect(&url));
    main.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).unwrap();
}

#[test]
#[cfg(feature = "postgres")]
fn every_version_on_a_server_opens_and_goes_on() {
    let versions = [include_str!("../fixtures/postgres-v1.sql"), include_str!("../fixtures/postgres-v2.sql")];
    for (version, dump) in (1..).zip(versions) {
        on_a_fresh_database(|url, client| {
            client.batch_execute(dump).unwrap();
            let mut study = Study::consult(url, Definition::parse(FILE).unwrap()).unwrap();
            assert_eq!(study.trials().unwrap().len(), 6);
            let schema = "SELECT max(version) FROM public.fathom_schema";
            assert_eq!(client.number(schema), version, "who looks upgrades nothing");
            goes_on(url, &format!("version {version}"));
            assert_eq!(client.number(schema), 2);
        });
    }
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
fn a_file_of_any_version_is_read_without_being_changed() {
    for version in 1..=NEWEST {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("study.db");
        std::fs::copy(fixture(version), &copy).unwrap();
        let before = (std::fs::read(&copy).unwrap(), names(folder.path()));
        let url = format!("sqlite://{}", copy.display());
        let mut study = Study::consult(&url, Definition::parse(FILE).unwrap()).unwrap();
        assert_eq!(study.trials().unwrap().len(), 6, "version {version}");
        assert_eq!(study.best().unwrap().unwrap().state, State::Complete);
        drop(study);
        assert_eq!((std::fs::read(&copy).unwrap(), names(folder.path())), before, "version {version}");
    }
}

fn names(folder: &Path) -> Vec<std::ffi::OsString> {
    std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name()).collect()
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
