//! Counts that no machine has room for.

use super::text;
use std::process::Command;

#[test]
fn counts_beyond_their_limits_are_refused_at_once() {
    let instance = concat!(env!("CARGO_MANIFEST_DIR"), "/../../instances/prior_d1_rbf_r00.json");
    for (option, count, range) in
        [("--threads", "5000", "from 1 to 1024"), ("--pool", "99999999999", "from 0 to 10000")]
    {
        let output =
            Command::new(env!("CARGO_BIN_EXE_fathom")).args(["solve", option, count, instance]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{option}");
        assert!(text(&output.stderr).contains(range), "{}", text(&output.stderr));
    }
}
