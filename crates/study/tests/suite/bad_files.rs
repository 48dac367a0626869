//! What is wrong with a study file, and where.

use fathom_study::{Definition, Error};

const GOOD: &str = "name = 'good'
goal = 'maximise'
constraints = ['x + y <= 1.5']

[parameters]
x = { type = 'float', low = 0, high = 1 }
y = { type = 'float', low = 1e-3, high = 1 }

[strategy]
kernel = 'rbf'
noise = 'learned'
beta = [4, 3, 2.5]
time_limit = '5min'

[evaluate]
command = ['python3', 'train.py', '{x}']
timeout = '1h'
retries = 2

[stop]
trials = 40
gain = 0.01
time = '8h'
";

#[test]
fn every_mistake_names_its_line() {
    Definition::parse(GOOD).unwrap();
    for (from, to, line, part) in [
        ("name = 'good'", "nam = 'good'", 1, "nam"),
        ("name = 'good'", "name = 3", 1, "string"),
        ("'maximise'", "'maximal'", 2, "maximise"),
        ("x + y <= 1.5", "x + z <= 1.5", 3, "`z`"),
        ("x + y <= 1.5", "x * y^2 <= 1.5", 3, "quadratic"),
        ("low = 0, high = 1 }", "low = 2, high = 1 }", 6, "`x`"),
        ("low = 0, high = 1 }", "low = nan, high = 1 }", 6, "`x`"),
        ("low = 0, high = 1 }", "high = 1 }", 6, "`low` is missing"),
        ("low = 0, high = 1 }", "low = 0, high = 1, step = 2 }", 6, "step"),
        ("low = 0, high = 1 }", "low = 0, high = 1, choices = ['a'] }", 6, "choices"),
        ("low = 0, high = 1 }", "low = 0, high = 1, scale = 'log' }", 6, "positive"),
        ("y = {", "'a b' = {", 7, "a b"),
        ("low = 1e-3", "low = 'small'", 7, "f64"),
        ("'rbf'", "'cubic'", 10, "matern32"),
        ("'learned'", "-1", 11, "not negative"),
        ("'learned'", "0", 11, "noise"),
        ("[4, 3, 2.5]", "[]", 12, "beta"),
        ("[4, 3, 2.5]", "true", 12, "paper"),
        ("'5min'", "'soon'", 13, "no time"),
        ("'5min'", "'5min'\noptimiser = 'magic'", 14, "multistart"),
        ("'5min'", "'5min'\ninitial = 1", 14, "from 2"),
        ("'5min'", "'5min'\ngroups = [['x'], ['x', 'y']]", 9, "exactly one group"),
        ("'5min'", "'5min'\nacquisition = 'ei'\noptimiser = 'pk'", 9, "program"),
        ("command = ['python3', 'train.py', '{x}']", "command = []", 15, "program"),
        ("command = ['python3', 'train.py', '{x}']", "function = 'sine'", 15, "branin"),
        ("command = ['python3', 'train.py', '{x}']", "function = 'branin'", 15, "`x1`"),
        ("retries = 2", "retries = -2", 18, "u32"),
        ("trials = 40", "trial = 40", 21, "trial"),
        ("time = '8h'", "time = '8h", 23, ""),
    ] {
        let text = GOOD.replacen(from, to, 1);
        assert_ne!(text, GOOD, "{from}");
        match Definition::parse(&text) {
            Err(Error::File { line: found, message, .. }) => {
                assert!(found == line && message.contains(part), "{to}: line {found}, {message}");
            }
            other => panic!("{to}: {other:?}"),
        }
    }
}

#[test]
fn a_file_without_a_free_parameter_is_refused() {
    for text in ["", "[parameters]", "[parameters]\nx = { type = 'fixed', value = 3 }"] {
        assert!(matches!(Definition::parse(text), Err(Error::File { .. })), "{text}");
    }
}
