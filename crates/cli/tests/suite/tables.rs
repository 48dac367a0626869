//! Tables from spreadsheets and for them, as a person would.

use super::{fathom, text};
use std::path::Path;

const STUDY: &str = "goal = 'maximise'\n[parameters]\ntemperature = { type = 'float', low = 20, high = 120 }\n\
    hours = { type = 'float', low = 1, high = 24 }\nsolvent = { type = 'categorical', choices = ['DMF', 'THF'] }\n";

fn write(folder: &Path, name: &str, content: &[u8]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

fn said(args: &[&str]) -> String {
    let output = fathom(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

fn refused(args: &[&str]) -> String {
    let output = fathom(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    text(&output.stderr).to_owned()
}

#[test]
fn a_dry_run_writes_nothing_and_a_mistake_creates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let study = write(folder.path(), "bench.toml", STUDY.as_bytes());
    let table = write(folder.path(), "past.csv", "Temperature (°C);Hours;Solvent;Ertrag\n46,2;3;DMF;17,5\n".as_bytes());
    let shown = said(&["import", &study, &table, "--value", "Ertrag", "--dry-run"]);
    for part in [
        "separated by semicolons, decimal commas",
        "parameter temperature",
        "nothing was written",
        "--column PARAMETER=COLUMN",
    ] {
        assert!(shown.contains(part), "{shown}");
    }
    assert!(
        refused(&["import", &study, &table])
            .contains("there is no column `value`: say --value COLUMN; the columns are")
    );
    assert!(
        refused(&["import", &study, &table, "--value", "Ertrag", "--column", "temperature"])
            .contains("write PARAMETER=COLUMN")
    );
    assert!(refused(&["import", &study, &table, "--separator", "blank"]).contains("write comma, semicolon or tab"));
    assert!(!folder.path().join("bench.db").exists());
    assert!(said(&["import", &study, &table, "--value", "Ertrag"]).ends_with("\n1 trial added\n"));
    let again = said(&["import", &study, &table, "--value", "Ertrag", "--dry-run"]);
    assert!(again.contains("0 trials would be added, 1 are there already"), "{again}");
}

#[test]
fn a_study_goes_through_every_kind_of_table() {
    let folder = tempfile::tempdir().unwrap();
    let study = write(folder.path(), "one.toml", STUDY.as_bytes());
    said(&["ask", &study, "-n", "4"]);
    said(&["tell", &study, "1", "1.234"]);
    said(&["tell", &study, "2", "--failed", "=the flask; broke"]);
    said(&["tell", &study, "4", "-5"]);
    let shown = said(&["trials", &study]);
    for (name, options) in
        [("a.csv", &[][..]), ("b.csv", &["--locale", "us"]), ("c.csv", &["--locale", "de"]), ("d.xlsx", &[])]
    {
        let table = folder.path().join(name);
        let table = table.to_str().unwrap();
        said(&[&["export", &study, table], options].concat());
        let other = write(folder.path(), &format!("{name}.toml"), STUDY.as_bytes());
        assert!(said(&["import", &other, table]).ends_with("\n4 trials added\n"));
        assert_eq!(said(&["trials", &other]), shown, "{name}");
        assert!(said(&["import", &other, table]).ends_with("\n0 trials added, 4 there already\n"));
    }
    let bytes = std::fs::read(folder.path().join("c.csv")).unwrap();
    assert!(bytes.starts_with(b"\xef\xbb\xbftrial;state;") && bytes.windows(7).any(|part| part == b";1,234;"));
    let workbook = folder.path().join("e.xlsx");
    assert!(
        refused(&["export", &study, workbook.to_str().unwrap(), "--locale", "de"]).contains("which every Excel opens")
    );
    assert!(refused(&["export", &study, "e.ods"]).contains("no .ods is written"));
}
