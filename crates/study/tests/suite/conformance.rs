//! What every store must do. PostgreSQL is tested where `FATHOM_POSTGRES` is the address of a server's empty database
//! (tests/with-postgres starts one).

use fathom_study::{Definition, Error, Finish, Outcome, State, Study, Trial, connect};
use std::sync::atomic::{AtomicU64, Ordering};

const FILE: &str = "
[parameters]
x = { type = 'float', low = -1, high = 2 }
n = { type = 'integer', low = 1, high = 90 }
kind = { type = 'categorical', choices = ['a', 'b c', 'ü'] }
[strategy]
initial = 2000
";

static COUNTER: AtomicU64 = AtomicU64::new(0);

/// A name that no other test uses, also where all of them share one database.
pub fn fresh(name: &str) -> String {
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    format!("{name}-{}-{number}", std::process::id())
}

pub fn definition(name: &str) -> Definition {
    Definition::parse(&format!("name = '{name}'{FILE}")).unwrap()
}

/// Runs a test on every back end there is.
pub fn on_every_store(test: impl Fn(&str)) {
    let folder = tempfile::tempdir().unwrap();
    test(&format!("sqlite://{}", folder.path().join("study.db").display()));
    match std::env::var("FATHOM_POSTGRES") {
        Ok(url) => test(&url),
        Err(_) => eprintln!("skipped on PostgreSQL: FATHOM_POSTGRES is not set"),
    }
}

fn trial(id: u64) -> Trial {
    let mut study = Study::create("memory:", definition("any")).unwrap();
    Trial { id, ..study.ask(1).unwrap().remove(0) }
}

#[test]
fn studies_are_created_once_found_by_name_and_rewritten() {
    on_every_store(|url| {
        let mut store = connect(url).unwrap();
        let name = fresh("names");
        assert_eq!(store.find(&name).unwrap(), None);
        let key = store.create(&name, "one").unwrap().unwrap();
        assert_eq!(store.create(&name, "two").unwrap(), None);
        store.rewrite(key, "three").unwrap();
        let found = connect(url).unwrap().find(&name).unwrap().unwrap();
        assert_eq!((found.key, found.text.as_str()), (key, "three"));
        assert!(store.names().unwrap().contains(&name));
    });
}

#[test]
fn trials_are_added_under_the_next_number_only_and_come_back_bit_by_bit() {
    on_every_store(|url| {
        let mut store = connect(url).unwrap();
        let key = store.create(&fresh("numbers"), "").unwrap().unwrap();
        assert!(!store.add(key, &trial(2)).unwrap());
        let mut first = trial(1);
        first.point.insert("x".into(), fathom_study::Value::Float(0.1 + 0.2));
        assert!(store.add(key, &first).unwrap());
        assert!(!store.add(key, &trial(1)).unwrap());
        assert!(store.add(key, &trial(2)).unwrap());
        let back = connect(url).unwrap().trials(key).unwrap();
        assert_eq!(back.len(), 2);
        assert_eq!(back[0], first);
    });
}

#[test]
fn a_trial_is_finished_once() {
    on_every_store(|url| {
        let mut store = connect(url).unwrap();
        let key = store.create(&fresh("finish"), "").unwrap().unwrap();
        for id in 1..=2 {
            assert!(store.add(key, &trial(id)).unwrap());
        }
        assert_eq!(store.finish(key, 3, &Outcome::Value(1.0), 5.0).unwrap(), Finish::Unknown);
        assert_eq!(store.finish(key, 1, &Outcome::Value(-1e-300), 5.0).unwrap(), Finish::Done);
        assert_eq!(store.finish(key, 2, &Outcome::Failed("no 'luck'".into()), 6.0).unwrap(), Finish::Done);
        let Finish::Already(trial) = store.finish(key, 1, &Outcome::Value(2.0), 7.0).unwrap() else { panic!() };
        assert_eq!((trial.value, trial.finished_at), (Some(-1e-300), Some(5.0)));
        let trials = store.trials(key).unwrap();
        assert_eq!(trials[1].state, State::Failed);
        assert_eq!(trials[1].message.as_deref(), Some("no 'luck'"));
    });
}

#[test]
fn a_lease_is_renewed_by_its_owner_and_taken_by_others_once_it_has_ended() {
    on_every_store(|url| {
        let mut store = connect(url).unwrap();
        let key = store.create(&fresh("lease"), "").unwrap().unwrap();
        let leased = Trial { owner: Some("one".into()), lease: Some(100.0), ..trial(1) };
        assert!(store.add(key, &leased).unwrap());
        assert!(store.add(key, &trial(2)).unwrap());
        assert!(store.lease(key, 1, "one", 50.0, 120.0).unwrap());
        assert!(!store.lease(key, 1, "two", 110.0, 200.0).unwrap());
        assert!(store.lease(key, 1, "two", 121.0, 200.0).unwrap());
        assert!(!store.lease(key, 1, "one", 122.0, 200.0).unwrap());
        assert!(!store.lease(key, 2, "two", 1e9, 2e9).unwrap(), "without a lease a trial waits for ever");
        store.finish(key, 1, &Outcome::Value(0.0), 130.0).unwrap();
        assert!(!store.lease(key, 1, "two", 300.0, 400.0).unwrap());
    });
}

#[test]
fn the_same_state_machine_everywhere() {
    on_every_store(|url| {
        let name = fresh("machine");
        let mut study = Study::create(url, definition(&name)).unwrap();
        assert!(matches!(Study::create(url, definition(&name)), Err(Error::StudyExists { .. })));
        assert!(matches!(Study::open(url, "nobody"), Err(Error::NoSuchStudy { .. })));
        let trials = study.ask(3).unwrap();
        study.tell(1, 4.0).unwrap();
        study.tell(1, 4.0).unwrap();
        assert!(matches!(study.tell(1, 5.0), Err(Error::AlreadyFinished { id: 1, .. })));
        assert!(matches!(study.tell(9, 5.0), Err(Error::NoSuchTrial { id: 9, .. })));
        assert!(matches!(study.tell(2, f64::NAN), Err(Error::NotFinite { .. })));
        study.tell_failed(2, "burnt").unwrap();
        study.tell(3, 3.0).unwrap();
        let mut again = Study::open(url, &name).unwrap();
        assert_eq!(again.best().unwrap().unwrap().id, 3);
        assert_eq!(again.trials().unwrap()[2].point, trials[2].point);
        assert_eq!(
            again.history().unwrap().iter().map(|step| step.best).collect::<Vec<_>>(),
            [Some(4.0), Some(4.0), Some(3.0)]
        );
    });
}

#[test]
fn ask_crash_open_ask_gives_the_same_suggestion() {
    let folder = tempfile::tempdir().unwrap();
    let next = |url: &str| {
        let text = "[parameters]\nx = { type = 'float', low = -1, high = 2 }\n[strategy]\ninitial = 4";
        let mut study = Study::resume(url, Definition::parse(text).unwrap()).unwrap();
        while study.trials().unwrap().len() < 7 {
            let trial = study.ask(1).unwrap().remove(0);
            study.tell(trial.id, trial.number("x").unwrap().sin()).unwrap();
        }
        drop(study);
        // Nothing but the file is left; whoever opens it gets the same point.
        let trial = Study::resume(url, Definition::parse(text).unwrap()).unwrap().ask(1).unwrap().remove(0);
        (trial.id, trial.point)
    };
    let url = |name: &str| format!("sqlite://{}", folder.path().join(name).display());
    assert_eq!(next(&url("one.db")), next(&url("two.db")));
    assert_eq!(next(&url("one.db")).0, 9);
}

#[test]
fn a_suggestion_comes_back_with_all_that_its_proof_needs() {
    on_every_store(|url| {
        let name = fresh("proof");
        let text = format!("name = '{name}'{}", FILE.replace("initial = 2000", "initial = 4"));
        let mut study = Study::create(url, Definition::parse(&text).unwrap()).unwrap();
        for i in 1..=8 {
            let trial = study.ask(1).unwrap().remove(0);
            match i {
                3 => study.tell_failed(trial.id, "burnt").unwrap(),
                7 => {}
                _ => study.tell(trial.id, (0.1 + trial.number("x").unwrap()).sin()).unwrap(),
            }
        }
        let asked = study.ask(1).unwrap().remove(0);
        let made = study.proof(9).unwrap();
        drop(study);
        let mut again = Study::open(url, &name).unwrap();
        assert_eq!(again.trials().unwrap()[8].suggestion, asked.suggestion);
        assert_eq!(again.proof(9).unwrap(), made);
        again.tell(7, 0.5).unwrap();
        assert_eq!(again.verify(9).unwrap().proof, made, "what was told later does not count");
    });
}

#[test]
fn workers_on_one_store_lose_nothing_and_share_nothing() {
    on_every_store(|url| {
        let name = fresh("crowd");
        Study::create(url, definition(&name)).unwrap();
        std::thread::scope(|scope| {
            for worker in 0..4 {
                let name = &name;
                scope.spawn(move || {
                    let mut study = Study::open(url, name).unwrap();
                    for i in 0..25 {
                        let trial = study.ask(1).unwrap().remove(0);
                        study.tell(trial.id, f64::from(worker * 1000 + i)).unwrap();
                    }
                });
            }
        });
        let trials = Study::open(url, &name).unwrap().trials().unwrap();
        let mut values: Vec<f64> = trials.iter().map(|trial| trial.value.unwrap()).collect();
        values.sort_by(f64::total_cmp);
        let told: Vec<f64> = (0..4).flat_map(|w| (0..25).map(move |i| f64::from(w * 1000 + i))).collect();
        assert_eq!(values, told);
        for (i, trial) in trials.iter().enumerate() {
            assert!(trials[..i].iter().all(|other| other.point != trial.point), "trial {} is a duplicate", trial.id);
        }
    });
}

#[test]
fn addresses_that_are_none_say_what_would_be() {
    assert!(matches!(connect("mysql://here"), Err(Error::BadUrl { .. })));
    assert!(matches!(connect("sqlite://"), Err(Error::BadUrl { .. })));
    assert!(matches!(connect("sqlite:///no/such/folder/study.db"), Err(Error::Sqlite { .. })));
}
