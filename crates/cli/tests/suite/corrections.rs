//! Corrections as a person types them.

use super::sessions::Session;

/// A study by hand with three trials that were asked for.
fn bench() -> Session {
    let mut session = Session::new();
    session.run("fathom new bench.toml -p 'temperature 20 120' -p 'solvent DMF, THF' --trials 6 --by-hand > /dev/null");
    let asked = session.run("fathom ask bench.toml -n 3");
    assert!(asked.contains("6 trials are planned: 3 of the initial design, then 3 that the model chooses"), "{asked}");
    session
}

#[test]
fn a_typing_error_is_corrected_and_the_correction_taken_back() {
    let mut session = bench();
    session.run("fathom tell bench.toml 1 12.4");
    let told = session.run("fathom tell bench.toml 2 124 --at temperature=46 --note 'smelled odd' --by Ada");
    assert!(
        told.contains("trial 2: value 124 at temperature = 46.0000") && told.contains("note: smelled odd"),
        "{told}"
    );
    let edited = session.run("fathom edit bench.toml 2 --value 12,6 --by Ada");
    assert!(edited.contains("trial 2: value 12.6 at temperature = 46.0000"), "{edited}");
    assert!(edited.contains("best so far 12.4000 (trial 1)"), "{edited}");
    let history = session.run("fathom history bench.toml 2");
    assert_eq!(history.lines().count(), 3, "{history}");
    assert!(history.lines().all(|line| line.contains(", Ada: trial 2: ")), "{history}");
    let json: serde_json::Value =
        serde_json::from_str(session.run("fathom history bench.toml --json").lines().last().unwrap()).unwrap();
    assert_eq!(json["edit"]["values"]["value"], 12.6, "{json}");
    assert!(session.run("fathom undo bench.toml").contains("trial 2: value 124"));
    let listed = session.run("fathom trials bench.toml --json");
    assert!(listed.contains("\"original\""), "{listed}");
}

#[test]
fn a_list_is_told_as_a_whole_or_not_at_all() {
    let mut session = bench();
    for (list, reason) in [
        ("1 12\n2 1,234\n", "`1,234` may be 1.234 or 1234"),
        ("1 12\n9 3\n", "no trial 9"),
        ("1 12\ntwo 3\n", "`two` is no trial"),
        ("1 12\n2\n", "write the trial's number"),
        ("\n", "no line"),
    ] {
        let said = session.run(&format!("printf '{list}' | fathom tell bench.toml --from -"));
        assert!(said.contains(reason), "{said}");
    }
    assert!(session.run("fathom best bench.toml").contains("no trial has a value yet"));
    let told = session.run(
        "printf '1;12,5\\n2\\tfailed the glass broke\\n\\n3 = 7\\n' > list.txt; fathom tell bench.toml --from list.txt",
    );
    assert!(told.contains("trial 1: value 12.5") && told.contains("trial 2: failed (the glass broke)"), "{told}");
    assert!(told.contains("3 of 6 trials told, 1 failed; best so far 7.00000 (trial 3)"), "{told}");
    // Once more is no harm, and something else is refused before anything is told.
    assert!(session.run("fathom tell bench.toml --from list.txt").contains("3 of 6 trials told"));
    session.run("fathom ask bench.toml");
    let refused = session.run("printf '4 1\\n1 2\\n' | fathom tell bench.toml --from -");
    assert!(refused.contains("trial 1 is finished (value 12.5): to correct it, use `edit`"), "{refused}");
    assert!(session.run("fathom trials bench.toml").contains("4      pending"));
}

#[test]
fn who_has_all_trials_hears_that_they_may_stop_and_cancelled_ones_do_not_count() {
    let mut session = bench();
    session.run(
        "fathom tell bench.toml 1 3; fathom tell bench.toml 2 4; fathom cancel bench.toml 3 --reason 'out of THF'",
    );
    for trial in 4..=7 {
        let asked = session.run("fathom ask bench.toml 2> hint; cat hint | grep stop || true");
        assert!(!asked.contains("you may stop"), "{trial}: {asked}");
        session.run(&format!("fathom tell bench.toml {trial} {trial}"));
    }
    let asked = session.run("fathom ask bench.toml");
    assert!(asked.contains("you may stop: the study has the 6 trials of [stop]; this is one more"), "{asked}");
    let verified = session.run("fathom verify bench.toml | tail -n 1");
    assert!(verified.contains("verified"), "{verified}");
}

#[test]
fn mistakes_end_with_code_2_and_the_way_out() {
    let mut session = bench();
    session.run("fathom tell bench.toml 1 3");
    for (command, way_out) in [
        ("edit bench.toml 1", "give --value, --failed, --at or --note"),
        ("edit bench.toml 1 --at temp=3", "there are temperature, solvent"),
        ("edit bench.toml 1 --at temperature", "NAME=VALUE"),
        ("edit bench.toml 2 --value 3", "tell it its value"),
        ("cancel bench.toml 1", "withdraw it"),
        ("withdraw bench.toml 2", "cancel it"),
        ("undo bench.toml", "nothing to undo"),
        ("undo bench.toml 7", "no entry 7"),
        ("tell bench.toml 2 12.4%", "without a unit"),
        ("tell bench.toml", "required"),
        ("history bench.toml 9", "no trial 9"),
    ] {
        let said = session.run(&format!("fathom {command}; echo code $?"));
        assert!(said.contains(way_out) && said.contains("code 2"), "{command}: {said}");
    }
    assert_eq!(session.run("fathom history bench.toml"), "nothing was changed\n");
}
