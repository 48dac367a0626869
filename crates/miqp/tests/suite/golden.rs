//! Files are written as committed, and real solvers read them. `FATHOM_BLESS=1` writes them anew.

use super::{available, models};
use fathom_miqp::{Dialect, Encoding, Model};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const BINARIES: Dialect = Dialect::Common(Encoding::Binaries);

/// Name, model, dialect, least value.
fn cases() -> Vec<(&'static str, Model, Dialect, f64)> {
    let paper = models::paper_minimum();
    vec![
        ("knapsack", models::knapsack(), BINARIES, -17.7),
        ("ball", models::ball(), BINARIES, 5.0),
        ("everything", models::everything(), BINARIES, models::EVERYTHING),
        ("paper-binaries", models::paper(), BINARIES, paper),
        ("paper-sos2", models::paper(), Dialect::Common(Encoding::Sos2), paper),
        ("paper-logarithmic", models::paper(), Dialect::Common(Encoding::Logarithmic), paper),
        ("paper-gurobi", models::paper(), Dialect::Gurobi, paper),
    ]
}

fn golden(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(file)
}

fn compare(file: &str, written: &[u8]) {
    let path = golden(file);
    if env::var_os("FATHOM_BLESS").is_some() {
        fs::write(&path, written).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap();
    assert_eq!(String::from_utf8_lossy(written), expected, "{file} changed; FATHOM_BLESS=1 accepts it");
}

#[test]
fn files_are_as_committed() {
    for (name, model, dialect, _) in cases() {
        let mut lp = Vec::new();
        model.write_lp(&mut lp, dialect).unwrap();
        compare(&format!("{name}.lp"), &lp);
        let mut mps = Vec::new();
        model.write_mps(&mut mps, dialect).unwrap();
        compare(&format!("{name}.mps"), &mps);
    }
}

#[test]
fn no_line_is_longer_than_readers_allow() {
    for (name, ..) in cases() {
        let text = fs::read_to_string(golden(&format!("{name}.lp"))).unwrap();
        assert!(text.lines().all(|line| line.len() <= 200), "{name}");
    }
}

/// Reads a file, solves it, prints the least value and the names of the variables.
const SCIP_READER: &str = "
import sys, pyscipopt
model = pyscipopt.Model()
model.hideOutput()
model.readProblem(sys.argv[1])
names = [v.name for v in model.getVars()]
model.setParam('limits/time', 100)
model.optimize()
print(repr(model.getObjVal()), *names)
";

const GUROBI_READER: &str = "
import sys, gurobipy
environment = gurobipy.Env(params={'OutputFlag': 0})
model = gurobipy.read(sys.argv[1], env=environment)
model.Params.NonConvex = 2
model.optimize()
print(repr(model.ObjVal), *[v.VarName for v in model.getVars()])
";

fn check_reader(package: &str, script: &str, reads: fn(Dialect) -> bool) {
    let Some(python) = available::python_with(package) else { return };
    for (name, model, dialect, least) in cases().into_iter().filter(|case| reads(case.2)) {
        let columns = match dialect {
            Dialect::Common(encoding) => model.expanded(encoding).unwrap().model().columns().to_vec(),
            Dialect::Gurobi => model.columns().to_vec(),
        };
        for extension in ["lp", "mps"] {
            let file = golden(&format!("{name}.{extension}"));
            let output = Command::new(&python).args(["-c", script]).arg(&file).output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{package} on {name}.{extension}: {text}{errors}");
            let last = text.lines().next_back().unwrap();
            let mut words = last.split_whitespace();
            let value: f64 = words.next().unwrap().parse().unwrap();
            assert!(
                (value - least).abs() < 2e-3 * least.abs(),
                "{package} on {name}.{extension}: {value}, not {least}"
            );
            let names: Vec<&str> = words.collect();
            for column in &columns {
                assert!(names.contains(&column.name()), "{package} lost `{}` of {name}.{extension}", column.name());
            }
        }
    }
}

#[test]
fn scip_reads_every_file_and_finds_its_optimum() {
    check_reader("pyscipopt", SCIP_READER, |dialect| dialect != Dialect::Gurobi);
}

#[test]
fn gurobi_reads_every_file_and_finds_its_optimum() {
    check_reader("gurobipy", GUROBI_READER, |_| true);
}

#[test]
fn a_full_disk_is_an_error() {
    let full = fs::File::options().write(true).open("/dev/full");
    let Ok(full) = full else { return };
    let error = models::knapsack().write_lp(full, BINARIES).unwrap_err();
    assert!(matches!(error, fathom_miqp::Error::Write(_)), "{error}");
}
