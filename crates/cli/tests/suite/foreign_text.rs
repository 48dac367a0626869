//! Text of others: on the terminal it is shown and not obeyed, in CSV files it comes back to the letter.

use super::studies::{said, trials};
use super::{fathom, text};
use serde_json::Value;
use std::path::Path;

/// The beginning of a study whose name, choices and program output are for terminals.
const HOSTILE: &str = r#"name = "e\u001b]0;PWNED\u0007\nerror: forged"
[parameters]
x = { type = "float", low = 0.0, high = 1.0 }
k = { type = "categorical", choices = ["\u001b[2J\u001b[31mred", "two\nlines\ttab", "\u009b2J\u202egnp.exe\u2066", "\u007f"] }
"#;

fn is_plain(text: &str) -> bool {
    let turns = |c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !text.chars().any(|c| (c.is_control() && c != '\n') || turns(c))
}

#[test]
fn no_command_hands_control_characters_to_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("e.toml");
    let path = file.to_str().unwrap();
    let fails = "printf '\\\\033]0;PWNED\\\\007\\\\033[2Jboom'";
    let study = |command: &str| {
        format!("{HOSTILE}[evaluate]\ncommand = [\"sh\", \"-c\", \"{command}\"]\n[strategy]\ninitial = 8\n")
    };
    std::fs::write(&file, study(fails)).unwrap();
    let report = said(&["run", path, "--trials", "3"]);
    assert!(report.contains("0 trials complete, 3 failed") && report.contains("\\u{1b}]0;PWNED"), "{report}");
    assert!(trials(path)[0]["message"].as_str().unwrap().contains("boom"));
    std::fs::write(&file, study("echo 5")).unwrap();
    said(&["run", path, "--trials", "10"]);
    said(&["ask", path]);
    said(&["tell", path, "11", "--failed", "\u{1b}[2Jforged\nline"]);
    let mut outputs = Vec::new();
    for command in [
        &["trials", path] as &[&str],
        &["trials", path, "--json"],
        &["best", path],
        &["best", path, "--json"],
        &["run", path, "--trials", "10"],
        &["verify", path],
        &["verify", path, "9"],
        &["verify", path, "--json"],
        &["ask", path],
        &["proof", path, "1"],
        &["best", "no\u{1b}[2J\nerror: such.toml"],
        &["solve", "no\u{1b}[2J\nerror: such.json"],
        &["verify", "no\u{1b}[2J.proof"],
        &["import", path, "no\u{1b}[2J.csv"],
    ] {
        let output = fathom(command);
        for said in [text(&output.stdout), text(&output.stderr)] {
            assert!(is_plain(said), "{command:?}: {said:?}");
            assert!(!said.lines().skip(1).any(|line| line.starts_with("error:")), "{command:?}: {said:?}");
            outputs.push(said.to_owned());
        }
    }
    let table = &outputs[0];
    assert_eq!(table.lines().count(), 1 + trials(path).len() - 1, "a line for each trial: {table}");
    assert!(outputs.iter().any(|said| said.contains("forged\\nline")));
}

/// xorshift.
fn below(state: &mut u64, end: usize) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state % end as u64) as usize
}

fn hostile_text(state: &mut u64) -> String {
    const LETTERS: [char; 24] = [
        '=', '+', '-', '@', '\t', '\r', '\n', '\'', '"', ',', ';', ' ', '\u{1b}', '\u{7f}', '\u{9b}', '\u{202e}', '＝',
        'a', '1', '.', 'e', 'é', '\u{feff}', '\\',
    ];
    (0..below(state, 7)).map(|_| LETTERS[below(state, LETTERS.len())]).collect()
}

/// A text as a string of TOML.
fn quoted(text: &str) -> String {
    let inner: String = text.chars().map(|c| format!("\\U{:08x}", u32::from(c))).collect();
    format!("\"{inner}\"")
}

#[test]
fn what_was_exported_is_imported_to_the_letter() {
    let folder = tempfile::tempdir().unwrap();
    let mut state = 88_172_645_463_325_252;
    for round in 0..6 {
        let mut choices = vec!["plain".to_owned(), "=cmd|calc".to_owned()];
        while choices.len() < 12 {
            let text = hostile_text(&mut state);
            if !choices.contains(&text) {
                choices.push(text);
            }
        }
        let choices: Vec<String> = choices.iter().map(|choice| quoted(choice)).collect();
        let fixed = quoted(&format!("-{}", hostile_text(&mut state)));
        // These parameters are called like columns of the table.
        let study = format!(
            "[parameters]\nx = {{ type = 'float', low = -1, high = 1 }}\nvalue = {{ type = 'float', low = -2, high = 3 }}\n\
             state = {{ type = 'categorical', choices = [{}] }}\ntrial = {{ type = 'integer', low = -9, high = 9 }}\n\
             message = {{ type = 'fixed', value = {fixed} }}\norigin = {{ type = 'fixed', value = -0.5 }}\n\
             gain = {{ type = 'float', low = 1e-5, high = 1e-2, scale = 'log' }}\n[strategy]\ninitial = 30\n",
            choices.join(", ")
        );
        let at = |name: &str| folder.path().join(format!("{name}{round}")).to_str().unwrap().to_owned();
        let (one, two, csv) = (at("one") + ".toml", at("two") + ".toml", at("all") + ".csv");
        [&one, &two].iter().for_each(|path| std::fs::write(path, &study).unwrap());
        said(&["ask", &one, "-n", "16"]);
        for id in 1..=15 {
            let (id, failed) = (id.to_string(), id % 3 == 0);
            match failed {
                true => said(&["tell", &one, &id, &format!("--failed={}x", hostile_text(&mut state))]),
                false => said(&["tell", &one, &id, &format!("-{id}.25")]),
            };
        }
        said(&["export", &one, &csv]);
        assert!(said(&["import", &two, &csv]).ends_with("16 trials added\n"));
        let key = |trial: &Value| {
            let origin = trial["suggestion"]["origin"].clone();
            (["id", "point", "value", "state", "message"].map(|field| trial[field].clone()), origin)
        };
        let (mine, theirs): (Vec<_>, Vec<_>) =
            (trials(&one).iter().map(key).collect(), trials(&two).iter().map(key).collect());
        assert_eq!(mine, theirs, "the pending one is pending");
        // No cell that is text begins like a formula.
        let mut reader = csv::ReaderBuilder::new().from_path(Path::new(&csv)).unwrap();
        for record in reader.records().map(Result::unwrap) {
            for cell in record.iter().filter(|cell| cell.parse::<f64>().is_err()) {
                assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']), "{cell:?}");
            }
        }
    }
}

#[test]
fn tables_by_hand_are_read_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hand.toml");
    std::fs::write(
        &file,
        "[parameters]\nx = { type = 'float', low = -5, high = 5 }\nstate = { type = 'categorical', choices = ['solid', \"'quoted'\", '7'] }\n",
    )
    .unwrap();
    let (path, csv) = (file.to_str().unwrap(), folder.path().join("hand.csv"));
    std::fs::write(&csv, "x,state,note,value\n -1.5 , solid ,=1,2\n+2,'quoted',,\n3,7,,-1e-3\n").unwrap();
    let answer = said(&["import", path, csv.to_str().unwrap()]);
    assert!(answer.ends_with("1 row is left out: line 3 (no value)\n2 trials added\n"), "{answer}");
    let points: Vec<String> = trials(path).iter().map(|trial| format!("{}", trial["point"])).collect();
    let expected = [r#"{"x":-1.5,"state":"solid"}"#, r#"{"x":3.0,"state":"7"}"#];
    let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(points.len(), expected.len());
    for (found, expected) in points.iter().zip(expected) {
        assert_eq!(parsed(found), parsed(expected));
    }
}
