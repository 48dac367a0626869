//! Stores of every schema version open, keep what they hold, and go on.
//!
//! `fixtures/vN.db` holds a study with four finished trials, a failed and a pending one. `v2.db` was written by the
//! program in write-ahead mode, `v3.db` with a rollback journal, `v4.db` with values by name, and `v5.db` with room for what is
//! proven later (`FATHOM_BLESS=1` writes the newest one if it does not exist); `v1.db` is the schema of `0001.sql` with the
//! rows of `v2.db`, as no program was ever in use at version 1. `fixtures/postgres-vN.sql` is the same study on a server,
//! as `pg_dump --inserts` wrote it, with another name for the worker who asked.
//! `postgres-v3.sql` is `postgres-v2.sql` with the column that `0003.sql` leads to, and `postgres-v4.sql` is `postgres-v3.sql` with
//! the column and the trigger of `0004.sql`.

use fathom_study::{Definition, Error, Outcome, Spool, State, Study, Values, backup, connect, examine};
use std::path::{Path, PathBuf};

const NEWEST: u32 = 6;

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
    let trials = study.trials().unwrap();
    assert_eq!(trials[2].message.as_deref(), Some("burnt"));
    for trial in trials.iter().filter(|trial| trial.state == done) {
        let told = trial.number("x").unwrap().powi(2);
        assert_eq!(trial.objective().map(f64::to_bits), Some(told.to_bits()), "{what}, trial {}", trial.id);
        assert_eq!(trial.values, Values::one(told).unwrap());
        study.tell(trial.id, told).unwrap();
        assert!(matches!(study.tell(trial.id, told + 1.0), Err(Error::AlreadyFinished { .. })), "{what}");
    }
    study.tell_values(6, Values::one(0.5).unwrap().with("strength", 1.0 / 3.0).unwrap()).unwrap();
    assert_eq!(study.trials().unwrap()[5].value("strength"), Some(1.0 / 3.0));
    assert_eq!(study.ask(1).unwrap()[0].id, 7);
    // An old trial takes corrections, and stays as it was told.
    let before = study.trials().unwrap().swap_remove(5);
    let corrected = study.correct(6, Outcome::of(0.75).unwrap(), None).unwrap();
    assert_eq!((corrected.objective(), corrected.as_told().values), (Some(0.75), before.values), "{what}");
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
    let versions = [
        include_str!("../fixtures/postgres-v1.sql"),
        include_str!("../fixtures/postgres-v2.sql"),
        include_str!("../fixtures/postgres-v3.sql"),
        include_str!("../fixtures/postgres-v4.sql"),
    ];
    for (version, dump) in (1..).zip(versions) {
        on_a_fresh_database(|url, client| {
            client.batch_execute(dump).unwrap();
            let mut study = Study::consult(url, Definition::parse(FILE).unwrap()).unwrap();
            assert_eq!(study.trials().unwrap().len(), 6);
            let schema = "SELECT max(version) FROM public.fathom_schema";
            assert_eq!(client.number(schema), version, "who looks upgrades nothing");
            goes_on(url, &format!("version {version}"));
            assert_eq!(client.number(schema), 5);
        });
    }
}

#[test]
#[cfg(feature = "postgres")]
fn a_server_of_a_later_version_is_refused_and_its_finished_trials_stay() {
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

/// Numbers that are hard to keep to the last bit.
fn awkward() -> Vec<f64> {
    let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        f64::from_bits(bits)
    };
    let mut values: Vec<f64> =
        std::iter::repeat_with(&mut random).filter(|value| value.is_finite()).take(500).collect();
    values.extend([0.1 + 0.2, 5e-324, -f64::MAX, 1e22, 123_456_789_012_345_680.0, 42.0, f64::MIN_POSITIVE, 1.0 / 3.0]);
    values
}

#[test]
fn every_told_value_of_an_old_file_is_kept_bit_by_bit_whoever_reads_copies_or_migrates_it() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("study.db"), folder.path().join("copy.db"));
    std::fs::copy(fixture(3), &path).unwrap();
    let old = rusqlite::Connection::open(&path).unwrap();
    let awkward = awkward();
    for (number, value) in (7..).zip(&awkward) {
        let add = "INSERT INTO trial (study, number, state, point, value, suggestion, asked_at, finished_at) \
                   SELECT study, ?1, state, point, ?2, suggestion, asked_at, finished_at FROM trial WHERE number = 1";
        old.execute(add, rusqlite::params![number, value]).unwrap();
    }
    let written: Vec<Option<u64>> = old
        .prepare("SELECT value FROM trial ORDER BY number")
        .unwrap()
        .query_map([], |row| Ok(row.get::<_, Option<f64>>(0)?.map(f64::to_bits)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    drop(old);
    let (url, definition) = (format!("sqlite://{}", path.display()), Definition::parse(FILE).unwrap());
    let bits = |study: &mut Study| -> Vec<Option<u64>> {
        study.trials().unwrap().iter().map(|trial| trial.objective().map(f64::to_bits)).collect()
    };
    assert_eq!(bits(&mut Study::consult(&url, definition.clone()).unwrap()), written, "to look at");
    assert_eq!(backup(&url, None, &copy).unwrap(), awkward.len() + 6);
    assert_eq!(bits(&mut Study::open(&format!("sqlite://{}", copy.display()), "old").unwrap()), written, "a copy");
    assert_eq!(bits(&mut Study::open(&url, "old").unwrap()), written, "migrated");
    assert_eq!(bits(&mut Study::consult(&url, definition.clone()).unwrap()), written, "to look at again");
    let remarks = examine(&url, &definition, &Spool::beside(&path)).unwrap();
    assert!(remarks.iter().all(|remark| !remark.is_finding), "{remarks:?}");
}

#[test]
#[cfg(feature = "postgres")]
fn every_told_value_of_an_old_server_is_kept_bit_by_bit_whoever_reads_or_migrates_it() {
    on_a_fresh_database(|url, client| {
        client.batch_execute(include_str!("../fixtures/postgres-v2.sql")).unwrap();
        let awkward = awkward();
        for (number, value) in (7..).zip(&awkward) {
            let add = format!(
                "INSERT INTO public.fathom_trial SELECT study, {number}, state, point, '{value:?}'::float8, message, suggestion, \
                 owner, lease, asked_at, finished_at, token FROM public.fathom_trial WHERE number = 1"
            );
            client.batch_execute(&add).unwrap();
        }
        let definition = Definition::parse(FILE).unwrap();
        let bits = |study: &mut Study| -> Vec<Option<u64>> {
            study.trials().unwrap()[6..].iter().map(|trial| trial.objective().map(f64::to_bits)).collect()
        };
        let written: Vec<Option<u64>> = awkward.iter().map(|value| Some(value.to_bits())).collect();
        assert_eq!(bits(&mut Study::consult(url, definition.clone()).unwrap()), written, "to look at");
        assert_eq!(bits(&mut Study::open(url, "old").unwrap()), written, "migrated");
        for told in ["'[1]'", "'{}'", "'1.5'", "'{\"value\":inf}'"] {
            let add = format!(
                "INSERT INTO public.fathom_trial SELECT study, 9999, state, point, {told}, message, suggestion, owner, lease, \
                 asked_at, finished_at, token FROM public.fathom_trial WHERE number = 1"
            );
            assert!(client.batch_execute(&add).is_err(), "{told}");
        }
    });
}

#[test]
fn a_value_that_is_no_number_keeps_an_old_file_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.db");
    std::fs::copy(fixture(3), &path).unwrap();
    let by_hand = rusqlite::Connection::open(&path).unwrap();
    by_hand.execute("DROP TRIGGER finished_trials_stay", []).unwrap();
    by_hand.execute("UPDATE trial SET value = 9e999 WHERE number = 2", []).unwrap();
    drop(by_hand);
    let before = std::fs::read(&path).unwrap();
    let url = format!("sqlite://{}", path.display());
    assert!(connect(&url).is_err());
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let remarks = examine(&url, &Definition::parse(FILE).unwrap(), &Spool::beside(&path)).unwrap();
    assert!(remarks.iter().any(|remark| remark.is_finding && remark.text.contains("trial 2, values")), "{remarks:?}");
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
    let by = "UPDATE trial SET told = '{\"value\":0.0}' WHERE number = 1";
    let of_ask = "UPDATE trial SET suggestion = '{}' WHERE number = 1";
    let no_object = "UPDATE trial SET later = '1' WHERE number = 1";
    for statement in [by, of_ask, no_object, "DELETE FROM trial WHERE number = 1"] {
        assert!(by_hand.execute(statement, []).is_err(), "{statement}");
    }
    by_hand.execute("UPDATE trial SET later = NULL WHERE number = 1", []).unwrap();
}

#[test]
fn what_is_told_is_an_object_with_a_value_in_it_even_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.db");
    write_fixture(&path);
    let by_hand = rusqlite::Connection::open(&path).unwrap();
    for told in ["'[1]'", "'{}'", "'1.5'", "'{\"value\":inf}'", "NULL"] {
        let finish = format!("UPDATE trial SET state = 'complete', told = {told} WHERE number = 6");
        assert!(by_hand.execute(&finish, []).is_err(), "{told}");
    }
}

#[test]
fn a_file_of_a_later_version_is_refused_and_no_file_of_another_kind_is_touched() {
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
