//! Files are written where they were named, and nowhere else.
#![cfg(unix)]

use super::studies::{said, write};
use super::{fathom, instance, text};
use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Every file below `folder` with its content; a link with its target.
fn everything(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            found.extend(everything(&path));
            found.insert(path, b"a folder".to_vec());
        } else if kind.is_file() {
            let content = std::fs::read(&path).unwrap();
            found.insert(path, content);
        } else {
            let leads = std::fs::read_link(&path).unwrap_or_default();
            found.insert(path, leads.to_string_lossy().into_owned().into_bytes());
        }
    }
    found
}

/// A problem that calls itself `name`, in `file`.
fn problem(file: &Path, name: &str) {
    let text = std::fs::read_to_string(instance("prior_d1_rbf_r00")).unwrap();
    let mut problem: serde_json::Value = serde_json::from_str(&text).unwrap();
    problem["name"] = name.into();
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, problem.to_string()).unwrap();
}

/// The command ends with exit code 2, and says `part` without a character that a terminal obeys.
fn refused(arguments: &[&str], part: &str) {
    let output = fathom(arguments);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
    assert!(said.contains(part), "{arguments:?}: {said}");
    assert!(!said.chars().any(|c| c.is_control() && c != '\n'), "{said:?}");
    assert!(output.stdout.is_empty(), "{arguments:?} was told before anything was done: {}", text(&output.stdout));
}

#[test]
fn a_problem_that_calls_itself_something_else_writes_nothing_else() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    std::fs::create_dir_all(at("proofs")).unwrap();
    std::fs::create_dir_all(at("victim")).unwrap();
    let absolute = at("victim/absolute").to_str().unwrap().to_owned();
    let names = ["../victim/a", absolute.as_str(), "same", "same", "..", "", "CON", "a\u{1b}[2J\n", &"x".repeat(300)];
    let files: Vec<PathBuf> = (0..names.len()).map(|i| at(&format!("p{i}.json"))).collect();
    for (file, name) in files.iter().zip(names) {
        problem(file, name);
    }
    let expected = everything(place.path());
    let (folder, mut arguments) = (at("proofs"), vec!["solve"]);
    arguments.extend(files.iter().map(|file| file.to_str().unwrap()));
    arguments.extend(["--proof", folder.to_str().unwrap()]);
    for method in ["certified", "pk"] {
        let output = fathom(&[&arguments[..], &["--method", method]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(!text(&output.stdout).chars().any(|c| c.is_control() && c != '\n'));
        let mut found = everything(place.path());
        for i in 0..names.len() {
            let proof = found.remove(&folder.join(format!("p{i}.proof"))).expect("called as its problem file");
            assert!(proof.starts_with(b"FATHOM PROOF"));
        }
        assert_eq!(found, expected);
    }
}

#[test]
fn proofs_that_would_share_a_name_and_texts_that_are_no_names_are_refused_before_anything_is_solved() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    std::fs::create_dir_all(at("proofs")).unwrap();
    let files =
        ["one/a.json", "two/A.json", "con.json", "e\u{1b}[2J.json", "d\u{202e}.json", "line\nbreak.json", "b.json"];
    files.iter().for_each(|file| problem(&at(file), "p"));
    let long = at(&format!("{}.json", "x".repeat(250)));
    problem(&long, "p");
    let before = everything(place.path());
    let (folder, b) = (at("proofs"), at("b.json"));
    let (folder, b) = (folder.to_str().unwrap(), b.to_str().unwrap());
    let solve = |one: &Path, part: &str| refused(&["solve", b, one.to_str().unwrap(), "--proof", folder], part);
    refused(
        &["solve", at("one/a.json").to_str().unwrap(), at("two/A.json").to_str().unwrap(), "--proof", folder],
        "would have the same name",
    );
    solve(&at("b.json"), "would have the same name");
    solve(&at("con.json"), "means a device");
    solve(&at("e\u{1b}[2J.json"), "control characters");
    solve(&at("d\u{202e}.json"), "control characters");
    solve(&at("line\nbreak.json"), "control characters");
    solve(&long, "longer than 255 bytes");
    refused(&["solve", b, at("con.json").to_str().unwrap(), "--proof", at("no").to_str().unwrap()], "does not exist");
    refused(&["solve", b, "--proof", "-"], "a proof goes to a file");
    assert_eq!(everything(place.path()), before);
}

#[test]
fn links_pipes_folders_and_missing_folders_are_left_alone_by_every_writer() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    problem(Path::new(&at("p.json")), "p");
    let study = write(place.path(), "[strategy]\ninitial = 2\n");
    let study = study.to_str().unwrap();
    for id in ["1", "2", "3"] {
        said(&["ask", study]);
        said(&["tell", study, id, &format!("{id}.5")]);
    }
    std::fs::create_dir(at("folder.svg")).unwrap();
    std::fs::write(at("victim"), "precious").unwrap();
    for link in ["link.svg", "draft.proof.part", "draft.svg.part"] {
        symlink(at("victim"), at(link)).unwrap();
    }
    symlink(at("nowhere"), at("dangling.svg")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(at("pipe.svg")).status().unwrap().success());
    let before = everything(place.path());
    let p = at("p.json");
    let writers: [&[&str]; 8] = [
        &["solve", &p, "--proof"],
        &["solve", &p, "--method", "pk", "--proof"],
        &["proof", study, "3", "--output"],
        &["export", study],
        &["export-model", &p, "--output"],
        &["plot", study, "convergence", "--output"],
        &["plot", study, "slices", "--output"],
        &["new"],
    ];
    for writer in writers {
        for (target, part) in [
            ("link.svg", "is a symbolic link"),
            ("dangling.svg", "is a symbolic link"),
            ("folder.svg", "is a folder"),
            ("pipe.svg", "is a device, a pipe or a socket"),
            ("no/such/folder/x.svg", "does not exist; make it first"),
        ] {
            refused(&[writer, &[&at(target)]].concat(), part);
        }
        assert_eq!(everything(place.path()), before, "{writer:?}");
    }
    // A link to somebody's file stands where earlier versions had their draft.
    said(&["solve", &p, "--proof", &at("draft.proof")]);
    said(&["plot", study, "convergence", "--output", &at("draft.svg")]);
    let mut after = everything(place.path());
    assert!(
        after.remove(Path::new(&at("draft.proof"))).is_some() && after.remove(Path::new(&at("draft.svg"))).is_some()
    );
    assert_eq!(after, before);
}

#[test]
fn a_study_whose_name_is_no_file_name_needs_to_be_told_where_its_proof_goes() {
    let place = tempfile::tempdir().unwrap();
    let inner = place.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let study = inner.join("plane.toml");
    std::fs::write(
        &study,
        "name = \"../plane\"\n[parameters]\nx = { type = 'float', low = 0, high = 1 }\n[strategy]\ninitial = 2\n",
    )
    .unwrap();
    let study = study.to_str().unwrap();
    for id in ["1", "2", "3"] {
        said(&["ask", study]);
        said(&["tell", study, id, &format!("{id}.5")]);
    }
    let before = everything(place.path());
    refused(&["proof", study, "3"], "say where to write with --output");
    assert_eq!(everything(place.path()), before);
}

#[test]
fn a_dash_is_the_output() {
    let place = tempfile::tempdir().unwrap();
    let study = write(place.path(), "");
    let study = study.to_str().unwrap();
    said(&["ask", study]);
    assert_eq!(said(&["export", study, "-"]), said(&["export", study]));
    let problem = instance("prior_d1_rbf_r00");
    let problem = problem.to_str().unwrap();
    assert_eq!(said(&["export-model", problem, "--output", "-"]), said(&["export-model", problem]));
}
