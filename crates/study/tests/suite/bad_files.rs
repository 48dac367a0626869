//! What is wrong with a study file, and where.

use fathom_study::{Definition, Error, Study};

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
        (
            "low = 0, high = 1 }",
            "low = 0, high = 1, step = 0.3 }",
            6,
            "the last value is 0.9; write high = 0.9, or 1.2",
        ),
        ("low = 0, high = 1 }", "low = 0, high = 1, step = -0.1 }", 6, "a step is a positive number"),
        ("low = 0, high = 1 }", "values = [0, 1, 0] }", 6, "0 appears twice"),
        ("low = 0, high = 1 }", "values = [3] }", 6, "at least two"),
        ("low = 0, high = 1 }", "values = [3, 'a'] }", 6, "choices"),
        ("low = 0, high = 1 }", "values = [0, 3], scale = 'log' }", 6, "positive"),
        ("low = 0, high = 1 }", "values = [0, 3], low = 0 }", 6, "`low` means nothing"),
        ("low = 0, high = 1 }", "low = 0, high = 1, ordered = true }", 6, "`ordered` means nothing"),
        ("'float', low = 0, high = 1 }", "'integer', low = 0, high = 9, scale = 'log' }", 6, "positive"),
        ("'float', low = 0, high = 1 }", "'integer', low = 1, high = 1000000, scale = 'log' }", 6, "at most 10000"),
        ("'float', low = 0, high = 1 }", "'integer', low = 1, high = 8, step = 1.5 }", 6, "whole numbers"),
        ("'float', low = 0, high = 1 }", "'integer', values = [1, 2.5] }", 6, "2.5 is no whole number"),
        ("'float', low = 0, high = 1 }", "'boolean', low = 0 }", 6, "`low` means nothing for a boolean"),
        ("'float', low = 0, high = 1 }", "'categorical', choices = [1, '1'] }", 6, "appears twice"),
        ("y = {", "'a b' = {", 3, "`y`; there are x, `a b`"),
        ("y = {", "'a`b' = {", 7, "backquotes"),
        ("y = {", "' y' = {", 7, "blank"),
        ("y = {", "'=y' = {", 7, "formula"),
        ("y = {", "'x ' = {", 7, "blank"),
        ("y = {", "'a b' = { type = 'boolean' }\n'a-b' = { type = 'boolean' }\ny = {", 17, "FATHOM_a_b"),
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
        ("'rbf'", "'rbf'\ndegree = 3", 9, "`degree`: the kernel rbf has no degree: only polynomial does"),
        ("'rbf'", "'polynomial'\nalpha = 3", 9, "`alpha`: the kernel polynomial has no alpha: only rq does"),
        ("'rbf'", "'rq'\noffset = 3", 9, "`offset`"),
        ("'rbf'", "'rq'\nalpha = 0", 9, "alpha"),
        ("'rbf'", "'polynomial'\ndegree = 65", 9, "degree"),
        ("'rbf'", "'polynomial'\ndegree = 1.5", 11, "u32"),
        ("'rbf'", "'linear'\noffset = -1", 9, "offset"),
        ("'rbf'", "'piecewise_linear'", 10, "there is no kernel"),
        ("'rbf'", "'rbf'\ndesign = 'grid'", 11, "latin-hypercube"),
        ("'rbf'", "'rbf'\npreset = 'mine'", 11, "paper"),
        ("'rbf'", "'rbf'\nrho = 1", 9, "`rho`: only acquisition = \"glcb\" has it"),
        ("'rbf'", "'rbf'\nimprecision = 1", 9, "`imprecision`"),
        ("'rbf'", "'rbf'\nacquisition = 'glcb'\nrho = -1", 12, "not negative"),
        ("[4, 3, 2.5]", "'theorem'", 9, "smoothness = [a, b]"),
        ("[4, 3, 2.5]", "'theorem'\nsmoothness = [1, 0]", 9, "positive"),
        ("[4, 3, 2.5]", "'theorem'\nsmoothness = [1]", 13, "tuple of size 2"),
        ("[4, 3, 2.5]", "'theorem'\nsmoothness = [1, 2]\ndelta = 1.5", 9, "between 0 and 1"),
        ("[4, 3, 2.5]", "[4, 3, 2.5]\ndelta = 0.1", 9, "`delta`: only beta = \"theorem\""),
        ("[4, 3, 2.5]", "[4, 3, 2.5]\nsmoothness = [1, 2]", 9, "`smoothness`"),
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

/// A study that ends by itself, with this strategy.
fn with(strategy: &str, stop: &str) -> Result<Definition, Error> {
    let parameters = "x = { type = 'float', low = 0, high = 1 }\ny = { type = 'float', low = 0, high = 1 }";
    let constraints = "constraints = ['x + y <= 1.5', 'x^2 <= 0.9']";
    Definition::parse(&format!("{constraints}\n[parameters]\n{parameters}\n[strategy]\n{strategy}\n[stop]\n{stop}"))
}

#[test]
fn what_an_optimiser_cannot_do_or_would_pass_over_is_refused_when_the_file_is_read() {
    let refused = |strategy: &str, stop: &str, part: &str| match with(strategy, stop) {
        Err(Error::File { message, .. }) => assert!(message.contains(part), "{strategy}: {message}"),
        other => panic!("{strategy}: {other:?}"),
    };
    for optimiser in ["multistart", "l-bfgs-b", "slsqp"].map(|optimiser| format!("optimiser = '{optimiser}'")) {
        with(&optimiser, "").unwrap();
        refused(&format!("{optimiser}\nnode_limit = 9"), "", "`node_limit`");
        refused(&format!("{optimiser}\npatience = '1s'"), "", "`patience`: an ask of");
        refused(&format!("{optimiser}\nmemory_limit = '1GB'"), "", "`memory_limit`");
        refused(&format!("{optimiser}\nrelative_gap = 0.1"), "", "`relative_gap`");
        refused(&format!("{optimiser}\npk.segments = 3"), "", "`pk`: only optimiser = \"pk\"");
        // What can be gained is said by a model and a search of its own.
        with(&optimiser, "gain = 0.1").unwrap();
    }
    for optimiser in ["pk'", "pk-groups'\ngroups = [['x', 'y']]"].map(|name| format!("optimiser = '{name}")) {
        with(&format!("{optimiser}\nnode_limit = 9\nmemory_limit = '1GB'\nrelative_gap = 0.1"), "gain = 0.1").unwrap();
        refused(&format!("{optimiser}\npk.round = 3"), "", "counts its rounds itself");
        refused(&format!("{optimiser}\npatience = '1s'"), "", "takes as long as `time_limit` allows");
        refused(&format!("{optimiser}\npk.tolerance = 1e-6"), "", "the certified search has no use for it");
        refused(&format!("{optimiser}\npk.segment = 3"), "", "unknown field `segment`");
    }
    refused("memory_limit = 'much'", "", "800MB or 4GB");
    for optimiser in ["multistart", "nelder-mead", "cobyla", "trust-constr"] {
        refused(&format!("optimiser = '{optimiser}'\ngap = 0.1"), "", "`gap`");
        refused(&format!("optimiser = '{optimiser}'\nthreads = 2"), "", "`threads`");
    }
    for acquisition in ["mean", "deviation", "ei", "log-ei", "pi"] {
        with(&format!("acquisition = '{acquisition}'\nbeta = 'paper'"), "").unwrap();
        refused(&format!("acquisition = '{acquisition}'\nbeta = 4"), "", "`beta`");
    }
    refused("acquisition = []", "", "the list of acquisition functions is empty");
    refused("acquisition = ['log-ei', 'best']", "", "best");
    refused("mean = 'high'", "", "mean must be a number");
    refused("initial = 1", "", "a model needs two points");
    refused("model_size = 1", "", "from 2 to 20000");
    refused("", "gain = -1", "must not be negative");
    with("acquisition = ['log_ei', 'mean']\nmean = 0.5\nwarp = 'none'\nfit = 'likelihood'\ninitial = 'paper'", "")
        .unwrap();
    for acquisition in ["lcb", "glcb"] {
        with(&format!("acquisition = '{acquisition}'\nbeta = 4"), "gain = 0.1").unwrap();
    }
    refused("kernel = 'matern12'\nbeta = 'theorem'\nsmoothness = [1, 2]", "", "derivatives");
    refused("optimiser = 'pk-groups'", "", "`groups`");
    refused(
        "optimiser = 'pk-groups'\ngroups = [['x'], ['y']]",
        "",
        "`x + y <= 1.5` joins parameters of several groups",
    );
    refused("optimiser = 'pk'\nacquisition = 'ei'", "", "`acquisition`");
    // Each of them alone is fine.
    with("groups = [['x'], ['y']]\nnode_limit = 9\ngap = 0.1\nthreads = 2\nbeta = 4", "gain = 0.1").unwrap();
}

#[test]
fn no_optimiser_that_proves_takes_more_inputs_than_it_has_room_for() {
    let parameters: String = (0..21).map(|j| format!("x{j} = {{ type = 'float', low = 0, high = 1 }}\n")).collect();
    for (optimiser, is_taken) in
        [("certified", true), ("pk", false), ("pk-groups", false), ("multistart", true), ("cobyla", true)]
    {
        let text = format!("[parameters]\n{parameters}[strategy]\noptimiser = '{optimiser}'\n");
        match Definition::parse(&text) {
            Ok(_) => assert!(is_taken, "{optimiser}"),
            Err(error) => assert!(!is_taken && error.to_string().contains("room for 20 coordinates"), "{error}"),
        }
    }
}

#[test]
fn a_built_in_function_has_no_timeout_and_no_retries() {
    let file = |more: &str| {
        let side = "{ type = 'float', low = 0, high = 1 }";
        format!("[parameters]\nx1 = {side}\nx2 = {side}\n[evaluate]\nfunction = 'branin'\n{more}")
    };
    Definition::parse(&file("")).unwrap();
    for more in ["timeout = '1h'", "retries = 2"] {
        assert!(Definition::parse(&file(more)).unwrap_err().to_string().contains("at once"));
    }
}

#[test]
fn what_a_store_has_kept_stays_readable_though_it_is_refused_now() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("study.db").display());
    let kept =
        "name = 'old'\n[parameters]\nx = { type = 'float', low = 0, high = 1 }\n[strategy]\noptimiser = 'slsqp'\n";
    drop(Study::create(&url, Definition::parse(kept).unwrap()).unwrap());
    let by_hand = rusqlite::Connection::open(folder.path().join("study.db")).unwrap();
    let edited = format!("{kept}node_limit = 9\n[stop]\ngain = 0.1\n");
    assert!(Definition::parse(&edited).is_err());
    assert_eq!(by_hand.execute("UPDATE study SET text = ?1", [&edited]).unwrap(), 1);
    let mut study = Study::open(&url, "old").unwrap();
    assert_eq!(study.definition().text(), edited);
    study.ask(1).unwrap();
    // The corrected file goes on with it.
    Study::resume(&url, Definition::parse(kept).unwrap()).unwrap();
}

#[test]
fn a_file_without_a_free_parameter_is_refused() {
    for text in ["", "[parameters]", "[parameters]\nx = { type = 'fixed', value = 3 }"] {
        assert!(matches!(Definition::parse(text), Err(Error::File { .. })), "{text}");
    }
}
