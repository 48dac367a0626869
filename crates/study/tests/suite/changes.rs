//! What people correct about trials counts from then on, is never lost, and leaves earlier proofs checkable.

use crate::conformance::{fresh, on_every_store};
use fathom_study::{Definition, Edit, Error, Outcome, Purpose, State, Study, StudyFile, Trial, Value, backup};

const FILE: &str = "
deterministic = true
[parameters]
x = { type = 'float', low = 0, high = 1 }
y = { type = 'float', low = 0, high = 1 }
[strategy]
initial = 4
";

fn definition(name: &str) -> Definition {
    Definition::parse(&format!("name = '{name}'{FILE}")).unwrap()
}

fn bowl(trial: &Trial) -> f64 {
    let of = |name: &str, centre: f64| (trial.number(name).unwrap() - centre).powi(2);
    of("x", 0.3) + of("y", 0.6)
}

/// A study with `count` trials, all told.
fn told(url: &str, count: usize) -> Study {
    let mut study = Study::create(url, definition(&fresh("changes"))).unwrap();
    for _ in 0..count {
        let trial = study.ask(1).unwrap().remove(0);
        study.tell(trial.id, bowl(&trial)).unwrap();
    }
    study
}

fn on_every_store_and_in_memory(test: impl Fn(&str)) {
    test("memory:");
    on_every_store(test);
}

#[test]
fn a_correction_counts_and_what_was_told_stays() {
    on_every_store_and_in_memory(|url| {
        let mut study = told(url, 3);
        let before = study.trials().unwrap();
        let changed = study.correct(2, Outcome::of(-7.5).unwrap(), Some("Ada")).unwrap();
        assert_eq!((changed.objective(), changed.state), (Some(-7.5), State::Complete));
        assert_eq!(changed.as_told().values, before[1].values);
        assert_eq!(study.best().unwrap().unwrap().id, 2);
        let entry = &changed.changes[0];
        assert_eq!((entry.number, entry.by.as_deref()), (1, Some("Ada")));
        assert!((entry.made_at - changed.finished_at.unwrap()).abs() < 60.0);
        let changed = study.correct(2, Outcome::Failed("spilt".into()), None).unwrap();
        assert_eq!(
            (changed.state, changed.objective(), changed.message.as_deref()),
            (State::Failed, None, Some("spilt"))
        );
        // The others are as they were, and to say the same again says nothing new.
        study.correct(2, Outcome::Failed("spilt".into()), None).unwrap();
        let trials = study.trials().unwrap();
        assert_eq!((&trials[0], &trials[2], trials[1].changes.len()), (&before[0], &before[2], 2));
        // Telling again what was told is no contradiction, whether corrected or not; anything else is.
        study.tell(2, before[1].objective().unwrap()).unwrap();
        assert!(matches!(study.tell(2, 1.0), Err(Error::AlreadyFinished { .. })));
    });
}

#[test]
fn every_change_can_be_undone_and_done_again() {
    on_every_store_and_in_memory(|url| {
        let mut study = told(url, 3);
        let first = study.trial(3).unwrap();
        study.correct(3, Outcome::of(4.0).unwrap(), None).unwrap();
        study.note(3, "smelled odd", None).unwrap();
        study.withdraw(3, "the scale was off", None).unwrap();
        let trial = study.trial(3).unwrap();
        assert_eq!((trial.state, trial.objective(), trial.notes()), (State::Withdrawn, None, vec!["smelled odd"]));
        assert_eq!(study.undo(None, None).unwrap().objective(), Some(4.0));
        assert_eq!(study.undo(None, None).unwrap().notes(), Vec::<&str>::new());
        let back = study.undo(None, None).unwrap();
        assert_eq!((back.state, &back.values, &back.point), (first.state, &first.values, &first.point));
        assert!(matches!(study.undo(None, None), Err(Error::NoSuchChange { number: None, .. })));
        assert!(matches!(study.undo(Some(77), None), Err(Error::NoSuchChange { number: Some(77), .. })));
        let refused = study.undo(Some(1), None).unwrap_err().to_string();
        assert!(refused.contains("undone already"), "{refused}");
        // Entry 6 undid entry 1.
        assert_eq!(study.undo(Some(6), None).unwrap().objective(), Some(4.0));
        let kinds: Vec<Edit> = study.changes().unwrap().into_iter().map(|entered| entered.change.edit).collect();
        assert_eq!(kinds[3..], [Edit::Undone(3), Edit::Undone(2), Edit::Undone(1), Edit::Undone(6)]);
    });
}

#[test]
fn changes_that_make_no_sense_are_refused_with_the_way_out() {
    on_every_store_and_in_memory(|url| {
        let mut study = told(url, 1);
        let pending = study.ask(1).unwrap().remove(0).id;
        for (refused, words) in [
            (study.correct(pending, Outcome::of(1.0).unwrap(), None), "tell it its value"),
            (study.withdraw(pending, "", None), "cancel it"),
            (study.cancel(1, "", None), "withdraw it"),
            (study.note(1, "  ", None), "empty"),
            (study.note(9, "who?", None), "has no trial 9"),
            (study.settle(1, &[("x".into(), Value::Text("high".into()))], None), "`x`"),
            (study.settle(1, &[("z".into(), Value::Float(1.0))], None), "`z`"),
        ] {
            let message = refused.unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        }
        assert_eq!(study.changes().unwrap(), []);
    });
}

#[test]
fn a_cancelled_trial_has_no_part_and_leaves_its_place_to_another() {
    on_every_store_and_in_memory(|url| {
        let mut study = told(url, 3);
        let lease = fathom_study::Lease { owner: "w".into(), duration: std::time::Duration::from_secs(60) };
        let trial = study.ask_leased(&lease, 4).unwrap().unwrap();
        assert_eq!(study.ask_leased(&lease, 4).unwrap(), None);
        assert_eq!(study.cancel(trial.id, "no time", None).unwrap().state, State::Cancelled);
        assert!(!study.renew(trial.id, &lease).unwrap() && !study.is_leased().unwrap());
        let other = study.ask_leased(&lease, 4).unwrap().unwrap();
        assert_ne!(other.point, trial.point);
        study.tell(other.id, bowl(&other)).unwrap();
        // Who evaluated it after all may tell it.
        study.tell(trial.id, bowl(&trial)).unwrap();
        let told = study.trial(trial.id).unwrap();
        assert_eq!((told.state, told.objective()), (State::Complete, Some(bowl(&trial))));
        assert_eq!(study.ask_leased(&lease, 5).unwrap(), None);
    });
}

#[test]
fn proofs_of_earlier_suggestions_hold_after_every_kind_of_change() {
    on_every_store_and_in_memory(|url| {
        let mut study = told(url, 6);
        let pending = study.ask(2).unwrap().remove(0);
        study.correct(2, Outcome::of(0.9).unwrap(), None).unwrap();
        let after_correction = study.ask(1).unwrap().remove(0);
        study.settle(5, &[("x".into(), Value::Float(0.25))], None).unwrap();
        study.withdraw(3, "", None).unwrap();
        study.cancel(pending.id, "", None).unwrap();
        let after_all = study.ask(1).unwrap().remove(0);
        study.undo(Some(3), None).unwrap();
        study.tell(pending.id, 0.4).unwrap();
        let last = study.ask(1).unwrap().remove(0);
        for id in [5, 6, pending.id, pending.id + 1, after_correction.id, after_all.id, last.id] {
            let verified = study.verify(id).unwrap();
            assert_eq!(verified.proof.id, id);
        }
        // The suggestions saw what they should: the data behind trial 5 have the value that was told, those behind the last the
        // corrected one.
        let data = |study: &mut Study, id: u64| study.statement(id).unwrap().y.len();
        assert_eq!(
            data(&mut study, after_all.id),
            5 + 2,
            "two pending ones are believed, one is withdrawn, one cancelled"
        );
    });
}

#[test]
fn settings_really_used_are_what_the_model_sees() {
    let mut study = told("memory:", 5);
    let asked = study.trial(4).unwrap();
    let moved = study.settle(4, &[("y".into(), Value::Float(0.125))], None).unwrap();
    assert_eq!((moved.number("y"), moved.number("x")), (Some(0.125), asked.number("x")));
    assert_eq!(moved.asked_point(), &asked.point);
    let next = study.ask(1).unwrap().remove(0);
    let inputs = study.statement(next.id).unwrap().x;
    assert!(inputs.iter().any(|row| row[1] == 0.125), "{inputs:?}");
}

#[test]
fn a_history_is_copied_with_its_study() {
    on_every_store(|url| {
        let folder = tempfile::tempdir().unwrap();
        let mut study = told(url, 3);
        study.correct(1, Outcome::of(0.1 + 0.2).unwrap(), Some("ü")).unwrap();
        study.withdraw(2, "off", None).unwrap();
        let pending = study.ask(1).unwrap().remove(0).id;
        study.cancel(pending, "", None).unwrap();
        let (name, copy) = (study.definition().name.clone(), folder.path().join("copy.db"));
        assert_eq!(backup(url, Some(&name), &copy).unwrap(), 4);
        let file = StudyFile::new(definition(&name), Some(&format!("sqlite://{}", copy.display())), None);
        let mut copied = file.open(Purpose::Ask).unwrap().study;
        assert_eq!(copied.trials().unwrap(), study.trials().unwrap());
        assert_eq!(copied.changes().unwrap(), study.changes().unwrap());
        // The copy goes on counting: entry 4, and the cancelled trial does not count.
        copied.note(1, "in the copy", None).unwrap();
        assert_eq!(copied.changes().unwrap().last().unwrap().change.number, 4);
        let lease = fathom_study::Lease { owner: "w".into(), duration: std::time::Duration::from_secs(60) };
        assert!(copied.ask_leased(&lease, 4).unwrap().is_some());
    });
}

#[test]
fn nobody_can_rewrite_a_history() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.db");
    let mut study = told(&format!("sqlite://{}", path.display()), 5);
    study.correct(1, Outcome::of(0.9).unwrap(), None).unwrap();
    let suggested = study.ask(1).unwrap().remove(0).id;
    study.verify(suggested).unwrap();
    drop(study);
    let database = rusqlite::Connection::open(&path).unwrap();
    for statement in ["UPDATE change SET edit = '{}'", "DELETE FROM change"] {
        let refused = database.execute(statement, []).unwrap_err().to_string();
        assert!(refused.contains("history"), "{refused}");
    }
    // Who gets around that is found out.
    database
        .execute_batch("DROP TRIGGER changes_stay; UPDATE change SET edit = '{\"values\":{\"value\":0.5}}'")
        .unwrap();
    drop(database);
    let name =
        fathom_study::connect(format!("sqlite://{}", path.display()).as_str()).unwrap().names().unwrap().remove(0);
    let mut study = Study::open(format!("sqlite://{}", path.display()).as_str(), &name).unwrap();
    let refused = study.verify(suggested).unwrap_err();
    assert!(refused.to_string().contains("had the value 0.9 then, and has the value 0.5 now"), "{refused}");
}
