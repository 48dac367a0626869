//! Four processes at once on one store.

use super::studies::{said, write};

const PROCESSES: usize = 4;
const EACH: usize = 250;

/// 1000 asks and tells, each by a process of its own, four at a time.
fn crowd(store: &str, name: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "[strategy]\ninitial = 5000\n");
    let named = format!("name = '{name}'\n{}", std::fs::read_to_string(&file).unwrap());
    std::fs::write(&file, named).unwrap();
    let path = file.to_str().unwrap();
    let fathom = |command: &str, rest: &[&str]| said(&[&[command, path, "--store", store], rest].concat());
    std::thread::scope(|scope| {
        for _ in 0..PROCESSES {
            scope.spawn(|| {
                for _ in 0..EACH {
                    let asked: serde_json::Value = serde_json::from_str(&fathom("ask", &["--json"])).unwrap();
                    fathom("tell", &[&asked["id"].to_string(), &asked["point"]["x1"].to_string()]);
                }
            });
        }
    });
    let lines = fathom("trials", &["--json"]);
    let all: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(all.len(), PROCESSES * EACH);
    assert!(all.iter().all(|trial| trial["value"] == trial["point"]["x1"]), "a value was lost or mixed up");
    let mut points: Vec<String> = all.iter().map(|trial| trial["point"].to_string()).collect();
    points.sort();
    points.dedup();
    assert_eq!(points.len(), all.len(), "a point was handed out twice");
}

#[test]
fn a_thousand_asks_and_tells_on_one_file_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    crowd(&format!("sqlite://{}", folder.path().join("shared.db").display()), "crowd");
}

#[test]
#[cfg(feature = "postgres")]
fn a_thousand_asks_and_tells_on_one_server_lose_nothing() {
    match std::env::var("FATHOM_POSTGRES") {
        Ok(url) => crowd(&url, &format!("crowd-{}", std::process::id())),
        Err(_) => eprintln!("skipped on PostgreSQL: FATHOM_POSTGRES is not set"),
    }
}
