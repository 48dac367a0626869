//! Studies on the command line.

use super::{fathom, text};
use std::path::{Path, PathBuf};

const PLANE: &str = "
[parameters]
x1 = { type = 'float', low = -5, high = 10 }
x2 = { type = 'float', low = 0, high = 15 }
";

pub fn write(folder: &Path, rest: &str) -> PathBuf {
    let path = folder.join("plane.toml");
    std::fs::write(&path, format!("{PLANE}{rest}")).unwrap();
    path
}

pub fn said(arguments: &[&str]) -> String {
    let output = fathom(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

pub fn trials(file: &str) -> Vec<serde_json::Value> {
    said(&["trials", file, "--json"]).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_study_of_ones_own_program_goes_from_nothing_to_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    let path = file.to_str().unwrap();
    assert!(said(&["new", path]).contains("fathom run"));
    assert_eq!(fathom(&["new", path]).status.code(), Some(2), "a file that exists is not overwritten");
    let script = "read point; echo \"$point\" >&2; echo some talk; echo \"$FATHOM_x1\" | sed 's/^/0/; s/^0-/-0/'; echo";
    let edited = std::fs::read_to_string(&file).unwrap().replace(
        "[\"python3\", \"evaluate.py\", \"{x1}\", \"{x2}\"]",
        &format!("['sh', '-c', '''{script}''', 'name', '{{x1}}']"),
    );
    std::fs::write(&file, edited.replace("trials = 50", "trials = 25")).unwrap();
    let report = said(&["run", path, "--workers", "2"]);
    assert!(report.contains("mine: 25 trials complete, 0 failed, 0 pending"), "{report}");
    assert!(said(&["best", path]).contains("can still be gained"));
    for what in ["convergence", "gap", "posterior", "acquisition", "parallel"] {
        for ending in ["svg", "png"] {
            let picture = folder.path().join(format!("{what}.{ending}"));
            said(&["plot", path, what, "--output", picture.to_str().unwrap()]);
            assert!(std::fs::metadata(&picture).unwrap().len() > 1000, "{what}.{ending}");
        }
    }
    assert!(said(&["run", path]).contains("25 trials complete"), "a finished study stays as it is");
}

#[test]
fn ask_tell_and_import_do_what_run_does() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "[strategy]\ninitial = 3\n");
    let path = file.to_str().unwrap();
    assert!(said(&["ask", path, "-n", "2"]).starts_with("trial 1: x1 = "));
    let asked: serde_json::Value = serde_json::from_str(&said(&["ask", path, "--json"])).unwrap();
    assert_eq!(asked["id"], 3);
    said(&["tell", path, "1", "-2.5"]);
    said(&["tell", path, "2", "--failed", "it burnt"]);
    said(&["tell", path, "3", "1e-3"]);
    let again = fathom(&["tell", path, "1", "7"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("trial 1 is finished (value -2.5)"), "{}", text(&again.stderr));
    assert!(said(&["best", path]).starts_with("trial 1: -2.5"));
    let table = said(&["trials", path]);
    assert!(table.starts_with("trial  state") && table.contains("it burnt"), "{table}");
    let csv = folder.path().join("all.csv");
    said(&["export", path, csv.to_str().unwrap()]);
    let other = folder.path().join("other.toml");
    std::fs::copy(&file, &other).unwrap();
    let added = said(&["import", other.to_str().unwrap(), csv.to_str().unwrap()]);
    assert!(added.ends_with("all.csv: CSV, separated by commas, decimal points, 3 rows\n3 trials added\n"), "{added}");
    let (mine, theirs) = (trials(path), trials(other.to_str().unwrap()));
    for (a, b) in mine.iter().zip(&theirs) {
        assert_eq!((&a["point"], &a["value"], &a["state"]), (&b["point"], &b["value"], &b["state"]));
    }
    std::fs::write(&csv, "x1,x2,value\n1,2,3\n1,99,3\n").unwrap();
    let bad = fathom(&["import", other.to_str().unwrap(), csv.to_str().unwrap()]);
    assert!(text(&bad.stderr).contains("line 3") && text(&bad.stderr).contains("`x2`"), "{}", text(&bad.stderr));
    assert_eq!(trials(other.to_str().unwrap()).len(), 3, "a mistake adds nothing");
}

#[test]
fn programs_that_fail_hang_or_babble_make_failed_trials() {
    let folder = tempfile::tempdir().unwrap();
    for (command, reason) in [
        ("['false']", "ended with exit status: 1"),
        ("['sleep', '60']", "longer than 200ms"),
        ("['echo', 'no number']", "no value: `no number`"),
        ("['echo', 'nan']", "no value: `nan`"),
        ("['no-such-program']", "could not start no-such-program"),
    ] {
        let file = write(folder.path(), &format!("[evaluate]\ncommand = {command}\ntimeout = '200ms'\nretries = 1\n"));
        let path = file.to_str().unwrap();
        let report = said(&["run", path, "--trials", "2"]);
        assert!(report.contains("0 trials complete, 2 failed"), "{report}");
        let message = trials(path)[0]["message"].as_str().unwrap().to_owned();
        assert!(message.contains(reason), "{message}");
        std::fs::remove_file(folder.path().join("plane.db")).unwrap();
    }
}

#[test]
fn a_study_ends_once_nothing_is_left_to_gain() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("multimodal.toml");
    said(&["new", file.to_str().unwrap(), "--function", "multimodal"]);
    let text = std::fs::read_to_string(&file).unwrap() + "[stop]\ngain = 0.01\n";
    std::fs::write(&file, text).unwrap();
    let report = said(&["run", file.to_str().unwrap(), "--trials", "200"]);
    assert!(report.contains("best         -1.89"), "{report}");
    let told = trials(file.to_str().unwrap());
    assert!(told.len() < 100, "{}", told.len());
}

#[test]
fn mistakes_in_a_study_file_name_the_file_and_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "[strategy]\nkernle = 'rbf'\n");
    let output = fathom(&["ask", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("plane.toml") && text(&output.stderr).contains("line 6"),
        "{}",
        text(&output.stderr)
    );
    let output = fathom(&["ask", "no-such-study.toml"]);
    assert!(text(&output.stderr).contains("fathom new"), "{}", text(&output.stderr));
}

#[test]
fn the_demo_ends_in_a_report_and_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("demo");
    let place = place.to_str().unwrap();
    let report = said(&["demo", "--folder", place]);
    assert!(report.contains("true    0.397887 at x1 = "), "{report}");
    let file = format!("{place}/branin.toml");
    let best: serde_json::Value = serde_json::from_str(&said(&["best", &file, "--json"])).unwrap();
    // The demo comes within 1e-3 of Branin's minimum.
    assert!((best["value"].as_f64().unwrap() - 0.397_887_4).abs() < 1e-3, "{best}");
    assert!(std::fs::read(format!("{place}/branin.png")).unwrap().starts_with(b"\x89PNG"));
    // What it calls proven is proven, and the command that it names checks it.
    let suggested = trials(&file).iter().filter(|trial| trial["suggestion"]["origin"] == "model").count();
    assert_eq!(suggested, 33);
    assert!(report.contains(&format!("proven  all {suggested} points that the model chose")), "{report}");
    let command = report.lines().find_map(|line| line.strip_prefix("check   fathom ")).unwrap();
    let output = fathom(&command.split(' ').collect::<Vec<_>>());
    let checked = text(&output.stdout);
    assert!(checked.ends_with(&format!("{suggested} of 41 trials verified; 8 have no proof\n")), "{checked}");
    // A second demo leaves the first one alone.
    let before = std::fs::read(format!("{place}/branin.db")).unwrap();
    let output = fathom(&["demo", "--folder", place]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("branin.db exists already; name another --folder"));
    assert_eq!(std::fs::read(format!("{place}/branin.db")).unwrap(), before);
}

#[test]
fn pictures_are_drawn_along_the_parameters_that_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("demo");
    said(&["demo", "hartmann3", "--trials", "12", "--folder", place.to_str().unwrap()]);
    let file = place.join("hartmann3.toml");
    let (file, picture) = (file.to_str().unwrap(), folder.path().join("map.svg"));
    let output = picture.to_str().unwrap();
    said(&["plot", file, "posterior", "--parameters", "x3,x1", "--output", output]);
    let drawn = std::fs::read_to_string(&picture).unwrap();
    assert!(drawn.contains(">at x2 = ") && drawn.contains(">x3</text>") && !drawn.contains(">x2</text>"), "{drawn}");
    let refused = fathom(&["plot", file, "posterior", "-p", "x4", "--output", output]);
    assert!(text(&refused.stderr).contains("there is no parameter x4 to draw along; there are x1, x2, x3"));
    let page = folder.path().join("report.html");
    said(&["report", file, "--output", page.to_str().unwrap()]);
    let written = std::fs::read_to_string(&page).unwrap();
    assert!(written.contains("13 trials (12 complete, 1 pending)") && !written.contains("<script"), "{written}");
    let refused = fathom(&["report", file, "--output", output]);
    assert!(text(&refused.stderr).contains("map.svg must end in .html"));
}

#[test]
fn the_papers_method_serves_as_optimiser() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("multimodal.toml");
    let path = file.to_str().unwrap();
    said(&["new", path, "--function", "multimodal"]);
    let edited = std::fs::read_to_string(&file).unwrap() + "[strategy]\ninitial = 5\noptimiser = 'pk'\n";
    std::fs::write(&file, edited).unwrap();
    assert!(said(&["run", path, "--trials", "8"]).contains("8 trials complete"));
    assert_eq!(fathom(&["verify", path, "8"]).status.code(), Some(0));
    for trial in &trials(path)[5..] {
        let suggestion = &trial["suggestion"];
        assert_eq!((suggestion["method"].as_str(), suggestion["solver"].as_str()), (Some("pk"), Some("Fathom")));
        // The two statements stand apart.
        assert_eq!(suggestion["certificate"]["claim"]["function"], "acquisition");
        assert_eq!(suggestion["piecewise_linear"]["claim"]["function"], "piecewise_linear");
        assert!(suggestion["forecast"]["deviation"].as_f64().unwrap() > 0.0, "{suggestion}");
    }
}
