//! Corrections as a person types them.

use super::sessions::Session;
use super::text;
use std::path::Path;
use std::process::Command;

/// What a command says, with every number.
fn run(session: &Session, command: &str) -> String {
    let folder = Path::new(env!("CARGO_BIN_EXE_fathom")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("bash");
    shell.args(["-c", &format!("exec 2>&1\n{command}")]).env("PATH", path).current_dir(session.folder());
    text(&shell.stdin(std::process::Stdio::null()).output().unwrap().stdout).to_owned()
}

/// A study by hand with three trials that were asked for.
fn bench() -> Session {
    let session = Session::new();
    run(
        &session,
        "fathom new bench.toml -p 'temperature 20 120' -p 'solvent DMF, THF' --trials 6 --by-hand > /dev/null",
    );
    let asked = run(&session, "fathom ask bench.toml -n 3");
    assert!(asked.contains("6 trials are planned: 3 of the initial design, then 3 that the model chooses"), "{asked}");
    session
}

#[test]
fn a_typing_error_is_corrected_and_the_correction_taken_back() {
    let session = bench();
    run(&session, "fathom tell bench.toml 1 12.4");
    let told = run(&session, "fathom tell bench.toml 2 124 --at temperature=46 --note 'smelled odd' --by Ada");
    assert!(
        told.contains("trial 2: value 124 at temperature = 46.0000") && told.contains("note: smelled odd"),
        "{told}"
    );
    let edited = run(&session, "fathom edit bench.toml 2 --value 12,6 --by Ada");
    assert!(edited.contains("trial 2: value 12.6 at temperature = 46.0000"), "{edited}");
    assert!(edited.contains("best so far 12.4000 (trial 1)"), "{edited}");
    let history = run(&session, "fathom history bench.toml 2");
    assert_eq!(history.lines().count(), 3, "{history}");
    assert!(history.lines().all(|line| line.contains(", Ada: trial 2: ")), "{history}");
    let json: serde_json::Value =
        serde_json::from_str(run(&session, "fathom history bench.toml --json").lines().last().unwrap()).unwrap();
    assert_eq!(json["edit"]["values"]["value"], 12.6, "{json}");
    assert!(run(&session, "fathom undo bench.toml").contains("trial 2: value 124"));
    let listed = run(&session, "fathom trials bench.toml --json");
    assert!(listed.contains("\"original\""), "{listed}");
}

#[test]
fn a_list_is_told_as_a_whole_or_not_at_all() {
    let session = bench();
    for (list, reason) in [
        ("1 12\n2 1,234\n", "`1,234` may be 1.234 or 1234"),
        ("1 12\n9 3\n", "no trial 9"),
        ("1 12\ntwo 3\n", "`two` is no trial"),
        ("1 12\n2\n", "write the trial's number"),
        ("\n", "no line"),
    ] {
        let said = run(&session, &format!("printf '{list}' | fathom tell bench.toml --from -"));
        assert!(said.contains(reason), "{said}");
    }
    assert!(run(&session, "fathom best bench.toml").contains("no trial has a value yet"));
    let told = run(
        &session,
        "printf '1;12,5\\n2\\tfailed the glass broke\\n\\n3 = 7\\n' > list.txt; fathom tell bench.toml --from list.txt",
    );
    assert!(told.contains("trial 1: value 12.5") && told.contains("trial 2: failed (the glass broke)"), "{told}");
    assert!(told.contains("3 of 6 trials told, 1 failed; best so far 7.00000 (trial 3)"), "{told}");
    // Once more is no harm, after a correction neither, and something else is refused before anything is told.
    run(&session, "fathom edit bench.toml 3 --value 7.5; fathom withdraw bench.toml 3");
    let again = run(&session, "fathom tell bench.toml --from list.txt");
    assert!(again.contains("3 of 6 trials told, 1 failed, 1 withdrawn; best so far 12.5000 (trial 1)"), "{again}");
    run(&session, "fathom ask bench.toml");
    let refused = run(&session, "printf '4 1\\n1 2\\n' | fathom tell bench.toml --from -");
    assert!(refused.contains("trial 1 is finished (value 12.5): to correct it, use `edit`"), "{refused}");
    assert!(run(&session, "fathom trials bench.toml").contains("4      pending"));
}

#[test]
fn who_has_all_trials_hears_that_they_may_stop_and_cancelled_ones_do_not_count() {
    let session = bench();
    run(
        &session,
        "fathom tell bench.toml 1 3; fathom tell bench.toml 2 4; fathom cancel bench.toml 3 --reason 'out of THF'",
    );
    for trial in 4..=7 {
        let asked = run(&session, "fathom ask bench.toml 2> hint; cat hint | grep stop || true");
        assert!(!asked.contains("you may stop"), "{trial}: {asked}");
        run(&session, &format!("fathom tell bench.toml {trial} {trial}"));
    }
    let asked = run(&session, "fathom ask bench.toml");
    assert!(asked.contains("you may stop: the study has the 6 trials of [stop]; this is one more"), "{asked}");
    let verified = run(&session, "fathom verify bench.toml | tail -n 1");
    assert!(verified.contains("verified"), "{verified}");
}

#[test]
fn mistakes_end_with_code_2_and_the_way_out() {
    let session = bench();
    run(&session, "fathom tell bench.toml 1 3");
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
        let said = run(&session, &format!("fathom {command}; echo code $?"));
        assert!(said.contains(way_out) && said.contains("code 2"), "{command}: {said}");
    }
    assert_eq!(run(&session, "fathom history bench.toml"), "nothing was changed\n");
}
