//! What every store must do. PostgreSQL is tested if `FATHOM_POSTGRES` is the address of a server's empty database
//! (tests/with-postgres starts one).

use fathom_study::{
    Address, Definition, Entry, Error, Experiment, Finish, Imported, Later, Lease, Origin, Outcome, Point, Standing,
    State, Study, Trial, Value, Values, backup, connect,
};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const FILE: &str = "
[parameters]
x = { type = 'float', low = -1, high = 2 }
n = { type = 'integer', low = 1, high = 90 }
kind = { type = 'categorical', choices = ['a', 'b c', 'ü'] }
[strategy]
initial = 2000
";

static COUNTER: AtomicU64 = AtomicU64::new(0);

/// A name that no other test uses, even if all tests share one database.
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

/// A trial of the initial design, to be added.
fn entry() -> Entry {
    let mut study = Study::create("memory:", definition("any")).unwrap();
    let Trial { point, suggestion, .. } = study.ask(1).unwrap().remove(0);
    Entry { point, suggestion, outcome: None, lease: None }
}

fn leased(owner: &str, milliseconds: u64) -> Entry {
    let lease = Lease { owner: owner.into(), duration: Duration::from_millis(milliseconds) };
    Entry { lease: Some(lease), ..entry() }
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
        assert_eq!(store.add(key, 2, &[entry()]).unwrap(), None);
        let mut first = leased("me", 5000);
        first.point.insert("x".into(), Value::Float(0.1 + 0.2));
        let added = store.add(key, 1, std::slice::from_ref(&first)).unwrap().unwrap();
        assert_eq!((added[0].id, &added[0].point, added[0].state), (1, &first.point, State::Pending));
        assert_eq!(store.add(key, 1, &[entry()]).unwrap(), None);
        let told = Entry { outcome: Some(Outcome::of(-0.3).unwrap()), ..entry() };
        let failed = Entry { outcome: Some(Outcome::Failed("no 'luck'".into())), ..entry() };
        assert_eq!(store.add(key, 1, &[told.clone(), failed.clone()]).unwrap(), None);
        let rest = store.add(key, 2, &[told, failed, entry()]).unwrap().unwrap();
        let states: Vec<State> = rest.iter().map(|trial| trial.state).collect();
        assert_eq!(states, [State::Complete, State::Failed, State::Pending]);
        let back = connect(url).unwrap().trials(key).unwrap();
        assert_eq!(back, [added, rest].concat());
        assert_eq!(store.trial(key, 3).unwrap().as_ref(), Some(&back[2]));
        assert_eq!(store.trial(key, 5).unwrap(), None);
        let age = back[1].finished_at.unwrap() - back[0].asked_at;
        assert!((0.0..60.0).contains(&age) && back[0].lease == Some(back[0].asked_at + 5.0), "{age}");
    });
}

#[test]
fn a_trial_is_finished_once() {
    on_every_store(|url| {
        let mut store = connect(url).unwrap();
        let key = store.create(&fresh("finish"), "").unwrap().unwrap();
        assert!(store.add(key, 1, &[entry(), entry()]).unwrap().is_some());
        assert_eq!(store.finish(key, 3, &Outcome::of(1.0).unwrap()).unwrap(), Finish::Unknown);
        assert_eq!(store.finish(key, 1, &Outcome::of(-1e-300).unwrap()).unwrap(), Finish::Done);
        assert_eq!(store.finish(key, 2, &Outcome::Failed("no 'luck'".into())).unwrap(), Finish::Done);
        let before = store.trial(key, 1).unwrap().unwrap();
        let Finish::Already(trial) = store.finish(key, 1, &Outcome::of(2.0).unwrap()).unwrap() else { panic!() };
        assert_eq!((trial.objective(), *trial), (Some(-1e-300), before));
        let trials = store.trials(key).unwrap();
        assert_eq!(trials[1].state, State::Failed);
        assert_eq!(trials[1].message.as_deref(), Some("no 'luck'"));
    });
}

#[test]
fn several_values_are_told_at_once_and_only_the_same_again() {
    on_every_store(|url| {
        let name = fresh("several");
        let mut study = Study::create(url, definition(&name)).unwrap();
        study.ask(2).unwrap();
        let told = Values::one(-1.5).unwrap().with("strength", 1e-300).unwrap().with("ü 'b' \"c\"", -0.0).unwrap();
        study.tell_values(1, told.clone()).unwrap();
        study.tell_values(1, told.clone()).unwrap();
        let again = Values::default().with("strength", 1e-300).unwrap().with("ü 'b' \"c\"", 0.0).unwrap();
        study.tell_values(1, again.with("value", -1.5).unwrap()).unwrap();
        let less = Values::one(-1.5).unwrap();
        let other = Values::one(-1.5).unwrap().with("strength", 2e-300).unwrap().with("ü 'b' \"c\"", 0.0).unwrap();
        for values in [less, other] {
            let refused = study.tell_values(1, values).unwrap_err();
            assert!(matches!(&refused, Error::AlreadyFinished { id: 1, .. }), "{refused}");
            assert!(refused.to_string().contains("strength = 0.000"), "{refused}");
        }
        let without = Values::default().with("strength", 1.0).unwrap();
        assert!(matches!(study.tell_values(2, without.clone()), Err(Error::BadValues(_))));
        assert!(matches!(study.tell_values(2, Values::default()), Err(Error::BadValues(_))));
        let trials = Study::open(url, &name).unwrap().trials().unwrap();
        assert!(matches!(study.add(&trials[0].point, &Outcome::Values(without)), Err(Error::BadValues(_))));
        assert_eq!((&trials[0].values, trials[0].objective(), trials[1].state), (&told, Some(-1.5), State::Pending));
        assert!(trials[0].values.iter().zip(told.iter()).all(|(a, b)| a.0 == b.0 && a.1.to_bits() == b.1.to_bits()));
        let past = (trials[0].point.clone(), Outcome::Values(told));
        let one = (trials[0].point.clone(), Outcome::of(-1.5).unwrap());
        assert_eq!(study.import(&[past, one]).unwrap(), Imported { added: 1, known: 1 });
    });
}

#[test]
fn a_lease_is_renewed_by_its_owner_and_taken_by_others_once_it_has_ended() {
    on_every_store(|url| {
        let mut store = connect(url).unwrap();
        let key = store.create(&fresh("lease"), "").unwrap().unwrap();
        let (long, none) = (Some(Duration::from_secs(100)), Some(Duration::ZERO));
        let over = || std::thread::sleep(Duration::from_millis(30));
        assert!(store.add(key, 1, &[leased("one", 60_000), entry()]).unwrap().is_some());
        assert_eq!(store.standing(key).unwrap(), Standing { count: 2, cancelled: 0, lapsed: None, is_leased: true });
        assert!(!store.lease(key, 1, "two", long).unwrap());
        assert!(store.lease(key, 1, "one", none).unwrap());
        over();
        assert_eq!(store.standing(key).unwrap().lapsed, Some(1));
        assert!(store.lease(key, 1, "two", long).unwrap());
        assert!(!store.lease(key, 1, "one", long).unwrap());
        assert_eq!(store.standing(key).unwrap(), Standing { count: 2, cancelled: 0, lapsed: None, is_leased: true });
        assert!(!store.lease(key, 2, "two", long).unwrap(), "without a lease a trial waits for ever");
        assert!(store.lease(key, 1, "two", None).unwrap());
        assert_eq!(store.standing(key).unwrap(), Standing { count: 2, cancelled: 0, lapsed: None, is_leased: false });
        assert_eq!(store.trial(key, 1).unwrap().unwrap().lease, Some(f64::MAX), "for ever");
        store.finish(key, 1, &Outcome::of(0.0).unwrap()).unwrap();
        assert!(!store.lease(key, 1, "two", long).unwrap());
    });
}

#[test]
fn every_store_is_the_same_state_machine() {
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
        assert!(matches!(study.tell(2, f64::NAN), Err(Error::BadValues(_))));
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
        // Only the file is left; whoever opens the file gets the same point.
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

/// A trial whose search was cut short, and what a longer one proved.
fn cut_short() -> (Entry, Later) {
    let text = "[parameters]\nx = { type = 'float', low = -1, high = 2 }\n[strategy]\ninitial = 4\nnode_limit = 1\nacquisition = 'lcb'\nbeta = 9";
    let mut study = Study::create("memory:", Definition::parse(text).unwrap()).unwrap();
    for trial in study.ask(4).unwrap() {
        study.tell(trial.id, (5.0 * trial.number("x").unwrap()).sin()).unwrap();
    }
    let Trial { point, suggestion, .. } = study.ask(1).unwrap().remove(0);
    let later = study.prove(5).unwrap().suggestion.later.unwrap();
    (Entry { point, suggestion, outcome: None, lease: None }, *later)
}

/// The same with a bound that is lower by so much.
fn weaker(later: &Later, by: f64) -> Later {
    let mut weaker = later.clone();
    weaker.certificate.lower_bound = later.certificate.lower_bound.map(|bound| bound - by);
    let (x, value) = (later.certificate.x.clone(), later.certificate.value);
    weaker.certificate.place(x, value);
    weaker
}

#[test]
fn what_is_proven_later_is_taken_if_it_is_more_whatever_the_state_and_leaves_the_suggestion_as_it_was() {
    let (entry, later) = cut_short();
    on_every_store(|url| {
        let mut store = connect(url).unwrap();
        let name = fresh("later");
        let key = store.create(&name, "").unwrap().unwrap();
        let before = store.add(key, 1, &[entry.clone(), entry.clone()]).unwrap().unwrap();
        assert!(!store.amend(key, 9, &later).unwrap(), "there is no such trial");
        assert!(!store.amend(key, 1, &weaker(&later, 1e9)).unwrap(), "the ask had proven more");
        assert!(store.amend(key, 1, &weaker(&later, 1e-3)).unwrap());
        assert!(!store.amend(key, 1, &weaker(&later, 1e-3)).unwrap(), "it is there already");
        store.finish(key, 1, &Outcome::of(1.0).unwrap()).unwrap();
        assert!(store.amend(key, 1, &later).unwrap(), "a finished trial takes it, too");
        assert!(!store.amend(key, 1, &weaker(&later, 1e-3)).unwrap());
        let trials = connect(url).unwrap().trials(key).unwrap();
        assert_eq!(trials[0].suggestion.later.as_deref(), Some(&later));
        assert_eq!((trials[0].state, trials[0].objective()), (State::Complete, Some(1.0)));
        let mut suggestion = trials[0].suggestion.clone();
        suggestion.later = None;
        assert_eq!((&suggestion, &trials[1]), (&before[0].suggestion, &before[1]));
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("copy.db");
        backup(url, Some(&name), &copy).unwrap();
        let mut copied = connect(&*format!("sqlite://{}", copy.display())).unwrap();
        let key = copied.find(&name).unwrap().unwrap().key;
        assert_eq!(copied.trials(key).unwrap(), trials);
    });
}

#[test]
fn of_many_who_prove_at_once_the_strongest_is_kept() {
    let (entry, later) = cut_short();
    on_every_store(|url| {
        let mut store = connect(url).unwrap();
        let key = store.create(&fresh("provers"), "").unwrap().unwrap();
        store.add(key, 1, std::slice::from_ref(&entry)).unwrap().unwrap();
        std::thread::scope(|scope| {
            for worker in 0..4 {
                let later = &later;
                scope.spawn(move || {
                    let mut store = connect(url).unwrap();
                    for i in 0..20 {
                        store.amend(key, 1, &weaker(later, f64::from((7 * i + 5 * worker) % 20) * 1e-4)).unwrap();
                    }
                });
            }
        });
        let kept = store.trial(key, 1).unwrap().unwrap().suggestion.later.unwrap();
        assert_eq!(kept.certificate.lower_bound, later.certificate.lower_bound);
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
        let mut values: Vec<f64> = trials.iter().map(|trial| trial.objective().unwrap()).collect();
        values.sort_by(f64::total_cmp);
        let told: Vec<f64> = (0..4).flat_map(|w| (0..25).map(move |i| f64::from(w * 1000 + i))).collect();
        assert_eq!(values, told);
        for (i, trial) in trials.iter().enumerate() {
            assert!(trials[..i].iter().all(|other| other.point != trial.point), "trial {} is a duplicate", trial.id);
        }
    });
}

#[test]
fn a_text_that_is_no_address_is_told_what_an_address_is() {
    assert!(matches!(connect("mysql://here"), Err(Error::BadUrl { .. })));
    assert!(matches!(connect("sqlite://"), Err(Error::BadUrl { .. })));
    let Err(error) = connect("postgre://ann:SECRET@host/db") else { panic!() };
    let stored = Definition::parse(&format!("store = 'postgres://ann:SECRET@host/db'{FILE}")).unwrap();
    for text in [format!("{error}"), format!("{error:?}"), format!("{stored:?}")] {
        assert!(!text.contains("SECRET"), "{text}");
    }
    assert!(matches!(connect("sqlite:///no/such/folder/study.db"), Err(Error::Sqlite { .. })));
}

#[test]
fn importing_the_same_again_adds_nothing_and_of_equal_rows_as_many_are_kept_as_either_has() {
    on_every_store(|url| {
        let mut study = Study::create(url, definition(&fresh("import"))).unwrap();
        let point = |x: f64| {
            let kind = Value::Text("a".into());
            Point::from([("x".into(), Value::Float(x)), ("n".into(), Value::Integer(3)), ("kind".into(), kind)])
        };
        let row = |x: f64, value: f64| (point(x), Outcome::of(value).unwrap());
        let rows = [row(0.5, 1.0), row(0.5, 1.0), row(0.5, 2.0), (point(1.0), Outcome::Failed("a".into()))];
        assert_eq!(study.import(&rows).unwrap(), Imported { added: 4, known: 0 });
        assert_eq!(study.import(&rows).unwrap(), Imported { added: 0, known: 4 });
        let more = [row(0.5, 1.0), row(0.5, 1.0), row(0.5, 1.0), (point(1.0), Outcome::Failed("b".into()))];
        assert_eq!(study.import(&more).unwrap(), Imported { added: 1, known: 3 });
        // A trial that was asked for counts like one that was imported.
        let trial = study.ask(1).unwrap().remove(0);
        study.tell(trial.id, 7.0).unwrap();
        assert_eq!(study.import(&[(trial.point, Outcome::of(7.0).unwrap())]).unwrap(), Imported { added: 0, known: 1 });
        assert!(study.import(&[row(0.0, 1.0), row(99.0, 1.0)]).is_err());
        assert_eq!(study.trials().unwrap().len(), 6, "a mistake adds nothing");
    });
}

#[test]
fn an_import_keeps_states_reasons_origins_and_order() {
    on_every_store(|url| {
        let mut study = Study::create(url, definition(&fresh("states"))).unwrap();
        let point = |x: f64| {
            let kind = Value::Text("a".into());
            Point::from([("x".into(), Value::Float(x)), ("n".into(), Value::Integer(3)), ("kind".into(), kind)])
        };
        let experiments = [
            Experiment { point: point(0.1), outcome: None, origin: Origin::Model },
            Experiment { point: point(0.2), outcome: Some(Outcome::Failed("burst".into())), origin: Origin::Design },
            Experiment::past(point(0.3), Outcome::of(4.0).unwrap()),
        ];
        assert_eq!(study.rehearse(&experiments).unwrap(), Imported { added: 3, known: 0 });
        assert_eq!(study.trials().unwrap(), []);
        assert_eq!(study.import_all(&experiments).unwrap(), Imported { added: 3, known: 0 });
        let trials = study.trials().unwrap();
        let kept = |trial: &Trial| (trial.state, trial.suggestion.origin, trial.message.clone(), trial.objective());
        assert_eq!(
            trials.iter().map(kept).collect::<Vec<_>>(),
            [
                (State::Pending, Origin::Model, None, None),
                (State::Failed, Origin::Design, Some("burst".into()), None),
                (State::Complete, Origin::Import, None, Some(4.0)),
            ]
        );
        assert_eq!(study.import_all(&experiments).unwrap(), Imported { added: 0, known: 3 });
        // What was pending is told, and is there already for a table that was written before.
        study.tell(1, 0.5).unwrap();
        assert_eq!(study.import_all(&experiments).unwrap(), Imported { added: 0, known: 3 });
    });
}

#[test]
fn a_backup_holds_what_the_store_holds_and_replaces_nothing() {
    on_every_store(|url| {
        let (name, other) = (fresh("backup"), fresh("other"));
        let mut study = Study::create(url, definition(&name)).unwrap();
        Study::create(url, definition(&other)).unwrap().ask(1).unwrap();
        for trial in study.ask(3).unwrap() {
            study.tell(trial.id, 0.1 * trial.id as f64).unwrap();
        }
        study.ask_leased(&Lease { owner: "me".into(), duration: Duration::from_secs(9) }, 9).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("copy.db");
        assert_eq!(backup(url, Some(&name), &file).unwrap(), 4);
        let mut copy = Study::open(Address::of_file(&file), &name).unwrap();
        assert_eq!(copy.trials().unwrap(), study.trials().unwrap());
        assert_eq!(copy.definition(), study.definition());
        assert!(Study::open(Address::of_file(&file), &other).is_err());
        assert!(matches!(backup(url, Some(&name), &file), Err(Error::Backup { .. })));
        let everything = folder.path().join("everything.db");
        assert!(backup(url, None, &everything).unwrap() >= 5);
        Study::open(Address::of_file(&everything), &other).unwrap();
        assert!(matches!(backup(url, Some("nobody"), &folder.path().join("no.db")), Err(Error::NoSuchStudy { .. })));
        let mut left: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
        left.sort();
        left.retain(|name| !name.to_string_lossy().ends_with("-journal"));
        assert_eq!(left, ["copy.db", "everything.db"], "no draft is left");
    });
}
