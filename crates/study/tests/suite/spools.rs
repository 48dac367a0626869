//! Values that the store does not take for a while.

use crate::conformance::{definition, fresh, on_every_store};
use fathom_study::{Address, Error, Impatient, Outcome, Spool, Study, TakenUp, Trial, Untold, Values, Waiter};
use rusqlite::Connection;
use std::time::Duration;

/// A waiter that goes on until it was told `0` times that it waits.
struct Times(usize);

impl Waiter for Times {
    fn waits(&mut self, why: &Error, _: usize) {
        assert!(why.is_temporary(), "{why}");
        self.0 -= 1;
    }

    fn goes_on(&self) -> bool {
        self.0 > 0
    }
}

fn kept(error: &Error) -> bool {
    matches!(error, Error::Untold { id: 1, outcome, spool: Some(_), .. } if outcome.objective() == Some(42.125))
}

#[test]
fn a_value_that_a_busy_file_does_not_take_waits_beside_it_and_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.db");
    let spool = Spool::beside(&path);
    let open = || Study::open(Address::of_file(&path), "busy").unwrap().with_spool(spool.clone());
    Study::create(Address::of_file(&path), definition("busy")).unwrap().ask(2).unwrap();
    let mut study = open();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    study.set_patience(Duration::from_millis(10)).unwrap();
    let value = Outcome::of(42.125).unwrap();
    let error = study.report(1, None, &value, &mut Times(2)).unwrap_err();
    assert!(kept(&error) && error.is_temporary(), "{error}");
    let text = error.to_string();
    assert!(text.contains("42.125") && text.contains("study.untold"), "{text}");
    assert_eq!(spool.read().unwrap().len(), 1);
    study.report(1, None, &value, &mut Impatient).unwrap_err();
    assert_eq!(spool.read().unwrap().len(), 1, "the same is written down once");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(open().waiting().unwrap(), 1);
    // The next who opens the study tells the value.
    let taken = open().take_up().unwrap();
    assert!(
        matches!(&taken[..], [TakenUp::Told(line)] if line.trial == 1 && line.outcome().objective() == Some(42.125)),
        "{taken:?}"
    );
    assert!(!spool.path().exists());
    assert_eq!(open().trials().unwrap()[0].objective(), Some(42.125));
    assert_eq!(open().take_up().unwrap(), []);
    study.report(1, None, &value, &mut Impatient).unwrap();
}

#[test]
fn a_store_that_comes_back_is_told_and_nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.db");
    let spool = Spool::beside(&path);
    let mut study = Study::create(Address::of_file(&path), definition("back")).unwrap().with_spool(spool.clone());
    study.ask(1).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    study.set_patience(Duration::from_millis(10)).unwrap();
    std::thread::scope(|scope| {
        let path = spool.path();
        scope.spawn(move || {
            while !path.exists() {
                std::thread::sleep(Duration::from_millis(5));
            }
            other.execute_batch("ROLLBACK").unwrap();
        });
        study.report(1, None, &Outcome::Failed("it burnt".into()), &mut Times(100)).unwrap();
    });
    assert!(!spool.path().exists());
    assert_eq!(study.trials().unwrap()[0].message.as_deref(), Some("it burnt"));
}

#[test]
fn a_value_that_contradicts_the_store_or_belongs_to_another_study_is_kept() {
    on_every_store(|url| {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::new(folder.path().join("mine.untold"));
        let name = fresh("kept");
        let mut study = Study::create(url, definition(&name)).unwrap().with_spool(spool.clone());
        let trials = study.ask(3).unwrap();
        let address = study.address().clone();
        study.tell(1, 5.0).unwrap();
        let line =
            |name: &str, id: u64, value: f64| spool.untold(name, &address, id, None, &Outcome::of(value).unwrap());
        let mut wrong_point = line(&name, 2, 6.0);
        wrong_point.point = Some(trials[2].point.clone());
        let mut elsewhere = line(&name, 3, 8.0);
        elsewhere.store = "sqlite:elsewhere.db".into();
        let lines = [line(&name, 1, 6.0), line("another", 2, 7.0), wrong_point, elsewhere, line(&name, 9, 1.0)];
        for line in &lines {
            spool.keep(line).unwrap();
        }
        spool.keep(&line(&name, 3, 7.5)).unwrap();
        spool.keep(&line(&name, 1, 5.0)).unwrap();
        let taken = study.take_up().unwrap();
        let told = |id: u64| taken.iter().any(|it| matches!(it, TakenUp::Told(line) if line.trial == id));
        assert_eq!((taken.len(), told(3), told(1)), (5, true, true), "{taken:?}");
        assert_eq!(spool.read().unwrap(), lines, "nothing that was not told is dropped");
        let values: Vec<_> = study.trials().unwrap().iter().map(Trial::objective).collect();
        assert_eq!(values, [Some(5.0), None, Some(7.5)]);
    });
}

#[test]
fn many_write_to_one_spool_and_a_line_that_was_cut_short_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::new(folder.path().join("mine.untold"));
    let address = Address::from("memory:");
    std::thread::scope(|scope| {
        for worker in 0..4_u64 {
            let (spool, address) = (&spool, &address);
            scope.spawn(move || {
                for i in 0..25 {
                    let line = spool.untold("mine", address, 100 * worker + i, None, &Outcome::of(0.1).unwrap());
                    spool.keep(&line).unwrap();
                    if i % 2 == 0 {
                        spool.remove(&line).unwrap();
                    }
                }
            });
        }
    });
    assert_eq!(spool.read().unwrap().len(), 4 * 12);
    let text = std::fs::read_to_string(spool.path()).unwrap();
    std::fs::write(spool.path(), text + "{\"study\":\"mi").unwrap();
    let line = spool.untold("mine", &address, 999, None, &Outcome::of(1.0).unwrap());
    spool.keep(&line).unwrap();
    assert!(spool.read().unwrap_err().to_string().contains("line 49 is not readable"));
    spool.remove(&line).unwrap();
    assert_eq!(std::fs::read_to_string(spool.path()).unwrap().lines().count(), 49);
}

/// A waiter that remembers whether the value was written down.
#[derive(Default)]
struct Witness(Option<bool>);

impl Waiter for Witness {
    fn waits(&mut self, _: &Error, _: usize) {}

    fn goes_on(&self) -> bool {
        false
    }

    fn keeps(&mut self, _: u64, _: &Outcome, kept: Result<&std::path::Path, &Error>) {
        self.0 = Some(kept.is_ok());
    }
}

#[test]
fn a_value_that_cannot_be_written_down_either_is_not_said_to_be_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.db");
    let nowhere = Spool::new(folder.path().join("missing/study.untold"));
    for (spool, is_kept) in [(nowhere, false), (Spool::beside(&path), true)] {
        let name = format!("kept {is_kept}");
        let mut study = Study::create(Address::of_file(&path), definition(&name)).unwrap().with_spool(spool);
        study.ask(1).unwrap();
        let other = Connection::open(&path).unwrap();
        other.execute_batch("BEGIN EXCLUSIVE").unwrap();
        study.set_patience(Duration::from_millis(10)).unwrap();
        let mut witness = Witness::default();
        let error = study.report(1, None, &Outcome::of(0.5).unwrap(), &mut witness).unwrap_err();
        assert_eq!(witness.0, Some(is_kept));
        assert!(matches!(&error, Error::Untold { spool, .. } if spool.is_some() == is_kept), "{error}");
    }
}

#[test]
fn a_line_of_one_value_is_as_in_earlier_versions_and_several_values_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::new(folder.path().join("mine.untold"));
    let several = Outcome::Values(Values::one(0.1 + 0.2).unwrap().with("strength", 5e-324).unwrap());
    let outcomes = [Outcome::of(-1e-300).unwrap(), several, Outcome::Failed("burnt".into())];
    for (id, outcome) in (1..).zip(&outcomes) {
        let line = spool.untold("mine", &Address::from("memory:"), id, None, outcome);
        spool.keep(&line).unwrap();
        spool.keep(&line).unwrap();
    }
    let text = std::fs::read_to_string(spool.path()).unwrap();
    let ends: Vec<&str> = text.lines().map(|line| line.split_once(",\"written_at\"").unwrap().0).collect();
    let all = r#""values":{"value":0.30000000000000004,"strength":5e-324}"#;
    assert_eq!(ends[0], r#"{"study":"mine","store":"memory:","trial":1,"value":-1e-300"#);
    assert_eq!(ends[1], r#"{"study":"mine","store":"memory:","trial":2,"value":0.30000000000000004,"#.to_owned() + all);
    assert_eq!(ends[2], r#"{"study":"mine","store":"memory:","trial":3,"failed":"burnt""#);
    let lines = spool.read().unwrap();
    assert!(lines.iter().map(Untold::outcome).eq(&outcomes), "{lines:?}");
    for line in &lines {
        spool.remove(line).unwrap();
    }
    assert!(!spool.path().exists());
    // A line of an earlier version, whose writer had no reason to give.
    std::fs::write(spool.path(), "{\"study\":\"a\",\"store\":\"b\",\"trial\":1,\"written_at\":0.0}\n").unwrap();
    assert_eq!(spool.read().unwrap()[0].outcome(), &Outcome::Failed(String::new()));
}

#[test]
#[cfg(unix)]
fn a_spool_that_is_a_link_is_not_written_through() {
    let folder = tempfile::tempdir().unwrap();
    let victim = folder.path().join("victim");
    std::fs::write(&victim, "mine").unwrap();
    std::os::unix::fs::symlink(&victim, folder.path().join("mine.untold")).unwrap();
    let spool = Spool::new(folder.path().join("mine.untold"));
    let line = spool.untold("mine", &Address::from("memory:"), 1, None, &Outcome::of(1.0).unwrap());
    assert!(spool.keep(&line).is_err());
    assert_eq!(std::fs::read_to_string(victim).unwrap(), "mine");
}
