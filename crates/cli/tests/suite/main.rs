//! The command line, run as a person would.
#![allow(clippy::unwrap_used)]

mod blocks;
mod corrections;
mod crashes;
mod crowds;
mod destinations;
mod documents;
mod examples;
mod foreign_text;
mod golden;
mod help;
#[cfg(unix)]
mod interrupts;
mod limits;
mod meanwhile;
mod net;
#[cfg(unix)]
mod new;
mod paper;
mod portability;
mod programs;
mod proofs;
mod sessions;
mod stores;
mod studies;
mod svm;
mod tables;

use fathom_global::{Certificate, Claim};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const AUDIT: &str = "\
prior_d2_rbf_r00: the best known value is -3.882323; no point of the region has a value below -3.882423
  by the search's own word: no proof file covers an audit
  (0.750000, 0.500000)
    value   -1.104496
    infeasible: constraint 1 (x0 + x1 <= 1) is violated by 0.25
  (0.500000, 0.250000)
    value   -0.920402
    regret  at least 2.961922 above the best known point, as evaluated in floating point
            at most 2.962022 above the minimum, by the search's bound and that value
  (0.000000, 0.091674)
    value   -3.882323
    regret  at least 0.000000 above the best known point, as evaluated in floating point: as good to within the gap
            at most 0.000100 above the minimum, by the search's bound and that value
";

fn instance(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../instances").join(format!("{name}.json"))
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(format!("{name}.json"))
}

fn fathom(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fathom")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn solving_prints_what_was_proven_and_exits_0() {
    let output = fathom(&["solve", instance("prior_d2_rbf_r00").to_str().unwrap()]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for part in
        ["prior_d2_rbf_r00: proven optimal within the gap", "value        -3.882323", "no point of the box is lower"]
    {
        assert!(said.contains(part), "{said}");
    }
    assert!(output.stderr.is_empty(), "talk goes to terminals only");
}

#[test]
fn a_local_method_says_that_nothing_is_proven_and_writes_no_proof() {
    let problem = instance("prior_d2_rbf_r00");
    for method in ["multistart", "l-bfgs-b", "nelder-mead", "cobyla", "slsqp", "trust-constr"] {
        let output = fathom(&["solve", problem.to_str().unwrap(), "--method", method, "--json"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let certificate = Certificate::from_json(text(&output.stdout)).unwrap();
        assert_eq!((certificate.lower_bound, certificate.status.name()), (None, "local"), "{method}");
        // The certified minimum is -3.882323.
        assert!(certificate.value >= -3.88233, "{method}");
    }
    let output = fathom(&["solve", problem.to_str().unwrap(), "--method", "slsqp", "--proof", "no.proof"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("slsqp proves nothing"));
}

#[test]
fn options_of_the_papers_way_are_not_passed_over_in_silence_elsewhere() {
    let problem = instance("prior_d2_rbf_r00");
    let cases: [&[&str]; 4] =
        [&["--backend", "scip"], &["--paper"], &["--groups-alone"], &["--method", "slsqp", "--encoding", "sos2"]];
    for options in cases {
        let mut words = vec!["solve", problem.to_str().unwrap()];
        words.extend(options);
        let output = fathom(&words);
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        assert!(text(&output.stderr).contains("goes with --method pk"), "{}", text(&output.stderr));
    }
}

#[test]
fn constraints_of_a_problem_file_are_kept_and_an_impossible_one_is_proven_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut problem: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(instance("prior_d2_matern32_r00")).unwrap()).unwrap();
    let mut solve = |constraints: serde_json::Value| {
        problem["constraints"] = constraints;
        let (path, proof) = (folder.path().join("problem.json"), folder.path().join("problem.proof"));
        std::fs::write(&path, problem.to_string()).unwrap();
        let output = fathom(&["solve", path.to_str().unwrap(), "--json", "--proof", proof.to_str().unwrap()]);
        let checked = output.status.success().then(|| fathom(&["verify", proof.to_str().unwrap()]));
        (output, checked.map(|checked| text(&checked.stdout).to_owned()).unwrap_or_default())
    };
    let (output, checked) = solve(serde_json::json!([{"linear": [[0, 1.0], [1, 1.0]], "upper": 1.0}]));
    let certificate = Certificate::from_json(text(&output.stdout)).unwrap();
    assert!(certificate.x[0] + certificate.x[1] <= 1.0 + 1e-9 && checked.contains("the proof holds"));
    let (output, checked) = solve(serde_json::json!([{"linear": [[0, 1.0], [1, 1.0]], "lower": 2.5}]));
    assert!(text(&output.stdout).contains("\"infeasible\"") && checked.contains("No point of the region satisfies"));
    let (output, _) = solve(serde_json::json!([{"linear": [[7, 1.0]], "lower": 2.5}]));
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("`constraints`: entry 0"), "{}", text(&output.stderr));
}

#[test]
fn json_has_one_object_a_line_with_the_promised_fields() {
    let (one, two) = (instance("prior_d1_rbf_r00"), instance("prior_d2_matern32_r01"));
    let output = fathom(&["solve", one.to_str().unwrap(), two.to_str().unwrap(), "--json", "--gap", "1e-3"]);
    let fields = ["name", "x", "value", "lower_bound", "gap", "status", "nodes", "seconds", "cpu_seconds", "method"];
    for line in text(&output.stdout).lines() {
        let places: Vec<usize> =
            fields.iter().map(|field| line.find(&format!("\"{field}\":")).expect("a promised field")).collect();
        assert!(line.starts_with("{\"name\":") && places.is_sorted(), "{line}");
        let certificate = Certificate::from_json(line).expect("every line is a certificate");
        assert_eq!(certificate.settings.gap, 1e-3);
    }
    let lines: Vec<serde_json::Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    for line in &lines {
        assert_eq!(line["status"], "optimal");
        assert!(line["gap"].as_f64().unwrap() <= 1e-3 + 1e-9);
    }
    assert_eq!(lines[1]["x"].as_array().unwrap().len(), 2);
}

#[test]
fn an_audit_places_points_beside_the_certified_minimum() {
    let folder = tempfile::tempdir().unwrap();
    let (problem, points) = (folder.path().join("problem.json"), folder.path().join("points.json"));
    let mut constrained: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(instance("prior_d2_rbf_r00")).unwrap()).unwrap();
    constrained["constraints"] = serde_json::json!([{"linear": [[0, 1.0], [1, 1.0]], "upper": 1.0}]);
    std::fs::write(&problem, constrained.to_string()).unwrap();
    std::fs::write(&points, "[[0.5, 0.25]]\n{\"x\": [0.0, 0.09167437406846671]}").unwrap();
    let problem = problem.to_str().unwrap();
    let arguments = ["audit", problem, "--x", "0.75,0.5", "--points", points.to_str().unwrap(), "--gap", "1e-4"];
    let output = fathom(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), AUDIT);
    let output = fathom(&[&arguments[..], &["--json"]].concat());
    let lines: Vec<serde_json::Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["violations"], serde_json::json!([{"what": "row", "row": 0, "by": 0.25}]));
    assert_eq!((&lines[0]["feasible"], &lines[0]["regret"]), (&false.into(), &serde_json::Value::Null));
    let (least, most) = (lines[1]["regret"][0].as_f64().unwrap(), lines[1]["regret"][1].as_f64().unwrap());
    let (value, optimum) = (lines[1]["value"].as_f64().unwrap(), lines[1]["optimum"].as_f64().unwrap());
    assert!(least == value - optimum && least < most && most <= least + 1e-4 + 1e-9, "{least} {most}");
    assert_eq!(most, value - lines[1]["lower_bound"].as_f64().unwrap());
}

/// Two observations 7e-9 apart and a noise of 3e-20: the true minimum is −0.989, and Theorem 4.3 in floating point makes
/// −0.776 of the piecewise-linear bound.
#[test]
fn what_theorem_4_3_says_of_the_true_function_is_an_estimate_and_no_bound() {
    let problem = data("pk_false_bound");
    let arguments = ["solve", problem.to_str().unwrap(), "--method", "pk", "--true-bound", "theorem"];
    let output = fathom(&[&arguments[..], &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let certificate = Certificate::from_json(text(&output.stdout)).expect("every line is a certificate");
    assert_eq!((certificate.lower_bound, certificate.gap, certificate.status.name()), (None, None, "local"));
    assert!(matches!(certificate.claim, Claim::Acquisition { .. }));
    let line: serde_json::Value = serde_json::from_str(text(&output.stdout)).unwrap();
    assert!(
        line["true_function_estimate"].as_f64().unwrap() > -0.989,
        "if it is no longer wrong, find another problem"
    );
    let approximated = Certificate::from_json(&line["piecewise_linear"].to_string()).unwrap();
    assert!(matches!(approximated.claim, Claim::PiecewiseLinear { .. }));
    assert!(approximated.lower_bound.is_some() && approximated.status.name() == "optimal");

    let output = fathom(&arguments);
    let said = text(&output.stdout);
    for part in
        ["nothing is proven of the true function", "  estimate  ", "not proven (Theorem 4.3", "in floating point"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("lower bound"), "{said}");
}

#[test]
fn an_audit_refuses_what_is_no_point_and_says_how_to_give_one() {
    let path = instance("prior_d2_rbf_r00");
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad.json");
    std::fs::write(&bad, "[[0.1, \"a\"]]").unwrap();
    for (arguments, said) in [
        (vec![], "add --x 0.1,0.2,... or --points FILE"),
        (vec!["--x", "0.1"], "point 0 has 1 coordinates, the problem has 2 inputs"),
        (vec!["--x", "0.1,NaN"], "not a finite number"),
        (vec!["--x", "0.1;0.2"], "`0.1;0.2` is not a number"),
        (vec!["--points", bad.to_str().unwrap()], "bad.json has something else than points"),
        (vec!["--points", "no-such-file.json"], "could not read no-such-file.json"),
    ] {
        let output = fathom(&[&["audit", path.to_str().unwrap()][..], &arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(said), "{arguments:?}: {}", text(&output.stderr));
    }
}

/// The model is nearly singular, and the point that the search found is no better than this one.
#[test]
fn an_audit_does_not_call_a_difference_in_floating_point_proven() {
    let problem = data("audit_false");
    let arguments = ["audit", problem.to_str().unwrap(), "--x", "0", "--time-limit", "200ms"];
    let output = fathom(&arguments);
    let said = text(&output.stdout);
    assert!(!said.contains("proven not optimal"), "{said}");
    for part in ["as evaluated in floating point", "by the search's bound and that value", "no proof file covers"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let output = fathom(&[&arguments[..], &["--json"]].concat());
    let line: serde_json::Value = serde_json::from_str(text(&output.stdout)).unwrap();
    assert!(line["regret"][0].is_f64() && line["regret"][1].is_f64() && line["optimum"].is_f64(), "{line}");
}

#[test]
fn boxes_of_near_optimal_points_are_said_to_be_the_searchs_own_word() {
    let problem = instance("prior_d1_rbf_r00");
    let output = fathom(&["solve", problem.to_str().unwrap(), "--near-optimal", "0.1"]);
    assert!(text(&output.stdout).contains("by the search's own word: no proof file covers these boxes"));
    for command in ["solve", "audit"] {
        let help = fathom(&[command, "--help"]);
        assert!(text(&help.stdout).replace("\n", " ").contains("search's own word"), "{command}");
    }
}

#[test]
fn near_optimal_boxes_and_a_diverse_choice_are_listed() {
    let path = instance("prior_d2_matern32_r00");
    let path = path.to_str().unwrap();
    let output = fathom(&["solve", path, "--near-optimal", "0.2", "--diverse", "3", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let certificate = Certificate::from_json(text(&output.stdout)).unwrap();
    let line: serde_json::Value = serde_json::from_str(text(&output.stdout)).unwrap();
    let near = &line["near_optimal"];
    assert_eq!((&near["epsilon"], &near["resolution"], &near["complete"]), (&0.2.into(), &0.05.into(), &true.into()));
    let holds_it = |sides: &serde_json::Value| {
        (0..2).all(|j| sides[j][0].as_f64() <= Some(certificate.x[j]) && sides[j][1].as_f64() >= Some(certificate.x[j]))
    };
    assert!(near["boxes"].as_array().unwrap().iter().any(holds_it));
    assert_eq!(near["diverse"].as_array().unwrap().len(), 3);
    let output = fathom(&["solve", path, "--near-optimal", "0.2", "--diverse", "3"]);
    let said = text(&output.stdout);
    assert!(said.contains("every point within 0.2 lies in one of") && said.matches("  diverse").count() == 3, "{said}");
    for (arguments, said) in [
        (["--near-optimal", "-1"], "epsilon is -1: it must be finite and not negative"),
        (["--diverse", "3"], "--near-optimal"),
    ] {
        let output = fathom(&[&["solve", path][..], &arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(said), "{arguments:?}: {}", text(&output.stderr));
    }
}

#[test]
fn a_pool_is_listed_best_first_and_local_methods_have_none() {
    let path = instance("prior_d1_matern32_r00");
    let output = fathom(&["solve", path.to_str().unwrap(), "--pool", "3", "--json"]);
    let certificate = Certificate::from_json(text(&output.stdout)).unwrap();
    let pool = &certificate.pool;
    assert!(pool.len() == 3 && pool[0].x == certificate.x && pool.is_sorted_by(|a, b| a.value <= b.value));
    let output = fathom(&["solve", path.to_str().unwrap(), "--pool", "3"]);
    assert_eq!(text(&output.stdout).matches("  also         -").count(), 2, "{}", text(&output.stdout));
    let output = fathom(&["solve", path.to_str().unwrap(), "--pool", "3", "--method", "slsqp"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("keeps no pool; leave --method out"), "{}", text(&output.stderr));
    // The paper's method has a pool of its own, of this size.
    let output = fathom(&["solve", path.to_str().unwrap(), "--pool", "3", "--method", "pk", "--json"]);
    let line: serde_json::Value = serde_json::from_str(text(&output.stdout)).unwrap();
    assert!((1..=3).contains(&line["pool_points"].as_u64().unwrap()), "{line}");
}

#[test]
fn a_proof_is_written_and_verified_and_a_broken_one_refused() {
    let folder = tempfile::tempdir().unwrap();
    let proof = folder.path().join("some.proof");
    let solve = fathom(&["solve", instance("prior_d2_rbf_r01").to_str().unwrap(), "--proof", proof.to_str().unwrap()]);
    assert_eq!(solve.status.code(), Some(0));
    let verify = fathom(&["verify", proof.to_str().unwrap()]);
    assert_eq!(verify.status.code(), Some(0));
    assert!(text(&verify.stdout).contains("the proof holds"));
    let mut bytes = std::fs::read(&proof).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&proof, bytes).unwrap();
    let broken = fathom(&["verify", proof.to_str().unwrap()]);
    assert_eq!(broken.status.code(), Some(2));
    assert!(text(&broken.stderr).contains("some.proof"), "{}", text(&broken.stderr));
}

#[test]
fn several_problems_put_their_proofs_in_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("proofs");
    std::fs::create_dir(&target).unwrap();
    let (one, two) = (instance("prior_d1_rbf_r00"), instance("prior_d1_rbf_r01"));
    let arguments = ["solve", one.to_str().unwrap(), two.to_str().unwrap(), "--proof", target.to_str().unwrap()];
    assert_eq!(fathom(&arguments).status.code(), Some(0));
    for name in ["prior_d1_rbf_r00", "prior_d1_rbf_r01"] {
        assert!(target.join(format!("{name}.proof")).exists());
    }
}

#[test]
fn limits_end_a_search_with_exit_code_1_and_a_bound() {
    let hard = instance("bo_d6_n100_matern32_r0");
    let output = fathom(&["solve", hard.to_str().unwrap(), "--node-limit", "64", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let line: serde_json::Value = serde_json::from_str(text(&output.stdout)).unwrap();
    assert_eq!(line["status"], "node_limit");
    assert!(line["lower_bound"].as_f64().unwrap() <= line["value"].as_f64().unwrap());
    let output = fathom(&["solve", hard.to_str().unwrap(), "--gap", "0", "--time-limit", "200ms"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("not proven: time limit"));
}

#[test]
fn broken_problem_files_are_errors_that_name_file_and_field() {
    let folder = tempfile::tempdir().unwrap();
    let good: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(instance("prior_d2_rbf_r00")).unwrap()).unwrap();
    type Damage = fn(&mut serde_json::Value);
    let damages: [(&str, Damage); 8] = [
        ("noise", |v| {
            v.as_object_mut().unwrap().remove("noise");
        }),
        ("kernel", |v| v["kernel"] = "cubic".into()),
        ("sigma_f2", |v| v["sigma_f2"] = (-1.0).into()),
        ("bounds", |v| v["bounds"][0] = serde_json::json!([1.0, 0.0])),
        ("x[2]", |v| v["x"][2] = serde_json::json!(["a", 1.0])),
        ("y", |v| v["y"] = serde_json::json!([1.0])),
        ("n", |v| v["n"] = 0.into()),
        ("lengthscales", |v| v["lengthscales"][0] = 0.0.into()),
    ];
    for (field, damage) in damages {
        let mut bad = good.clone();
        damage(&mut bad);
        let path = folder.path().join("bad.json");
        std::fs::write(&path, bad.to_string()).unwrap();
        let output = fathom(&["solve", path.to_str().unwrap()]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{field}");
        assert!(said.contains("bad.json") && said.contains(field), "{field}: {said}");
    }
    std::fs::write(folder.path().join("bad.json"), "{\"noise\": NaN}").unwrap();
    assert_eq!(fathom(&["solve", folder.path().join("bad.json").to_str().unwrap()]).status.code(), Some(2));
    assert_eq!(fathom(&["solve", "no-such-file.json"]).status.code(), Some(2));
    assert_eq!(fathom(&["verify", "no-such-file.proof"]).status.code(), Some(2));
}

#[test]
fn regions_that_make_no_sense_are_errors_that_name_the_culprit() {
    let folder = tempfile::tempdir().unwrap();
    let good: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(instance("prior_d2_rbf_r00")).unwrap()).unwrap();
    for (field, value, said) in [
        ("integers", serde_json::json!([7]), "`integers`: there is no input 7"),
        ("one_of", serde_json::json!([[0, 1], [1]]), "`one_of`: input 1 is in two groups"),
        ("one_of", serde_json::json!([[0, 0]]), "`one_of`: input 0 is in two groups"),
        ("one_of", serde_json::json!([[]]), "`one_of`: one input of an empty group must be 1"),
        (
            "constraints",
            serde_json::json!([{"linear": [[0, 1.0]], "lower": 2.0, "upper": 1.0}]),
            "`constraints`: entry 0",
        ),
    ] {
        let mut bad = good.clone();
        bad[field] = value;
        let path = folder.path().join("bad.json");
        std::fs::write(&path, bad.to_string()).unwrap();
        let output = fathom(&["solve", path.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(2), "{field}");
        assert!(text(&output.stderr).contains(said), "{said}: {}", text(&output.stderr));
    }
    let mut between = good;
    between["bounds"][1] = serde_json::json!([0.2, 0.8]);
    between["integers"] = serde_json::json!([1]);
    let path = folder.path().join("between.json");
    std::fs::write(&path, between.to_string()).unwrap();
    let output = fathom(&["solve", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let said = "`integers`: no whole number lies between 0.2 and 0.8 (input 1)";
    assert!(text(&output.stderr).contains(said), "{}", text(&output.stderr));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_leaves_no_half_written_proof() {
    let problem = instance("prior_d1_rbf_r00");
    let output = fathom(&["solve", problem.to_str().unwrap(), "--proof", "/dev/full/some.proof"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("could not write to the folder /dev/full"), "{}", text(&output.stderr));
}

#[cfg(unix)]
#[test]
fn ctrl_c_returns_the_best_so_far() {
    let hard = instance("bo_d6_n200_matern32_r0");
    let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
    command.args(["solve", hard.to_str().unwrap(), "--gap", "0", "--json", "--time-limit", "60s"]);
    let child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let signal = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signal.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let line: serde_json::Value = serde_json::from_str(text(&output.stdout)).unwrap();
    assert_eq!(line["status"], "interrupted");
    assert!(line["lower_bound"].is_f64() && line["value"].is_f64());
}

#[test]
fn a_program_is_exported_whole_and_as_its_sub_problem() {
    let path = instance("prior_d1_rbf_r00");
    let path = path.to_str().unwrap();
    let full = fathom(&["export-model", path]);
    let said = text(&full.stdout);
    assert_eq!(full.status.code(), Some(0), "{}", text(&full.stderr));
    for part in ["distance_1:", "variance:", "lambda_10_1", "w_1_0", "K_10", "sigma", "mu"] {
        assert!(said.contains(part), "{part} is missing");
    }
    let sub = fathom(&["export-model", path, "--sub", "--encoding", "sos2"]);
    assert!(!text(&sub.stdout).contains("variance:") && !text(&sub.stdout).contains("lambda"));
    let published = fathom(&["export-model", path, "--published", "--encoding", "logarithmic"]);
    assert!(!text(&published.stdout).contains("clamp") && text(&published.stdout).contains("z_1_0"));

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("model.mps");
    let mps = fathom(&["export-model", path, "--format", "mps", "--output", file.to_str().unwrap()]);
    assert!(mps.status.success() && mps.stdout.is_empty());
    assert!(std::fs::read_to_string(file).unwrap().contains("QCMATRIX"));
}

/// Two inputs with a kernel each, one of distances and one of inner products.
const ADDITIVE: &str = r#"{"name": "two\nterms", "terms": [
    {"kernel": "matern32", "inputs": [0], "sigma_f2": 1.0},
    {"kernel": "polynomial", "degree": 2, "offset": 0.5, "inputs": [1], "sigma_f2": 0.5}],
    "lengthscales": [0.4, 1.0], "noise": 0.01, "x": [[0.2, -0.5], [0.7, 0.8]], "y": [0.3, -0.4], "kappa": 1.5,
    "bounds": [[0.0, 1.0], [-1.0, 1.0]]}"#;

#[test]
fn an_exported_program_says_what_it_is_and_with_which_tolerance_to_solve_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two.json");
    std::fs::write(&path, ADDITIVE).unwrap();
    let export = |more: &[&str]| {
        let output = fathom(&[&["export-model", path.to_str().unwrap()][..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout).to_string()
    };
    for (more, mark) in [(&[][..], '\\'), (&["--format", "mps"][..], '*')] {
        let said = export(more);
        let head: Vec<&str> = said.lines().take_while(|line| line.starts_with(mark)).collect();
        let head = head.join(" ");
        let parts = [
            "Problem: two terms",
            "N = 2 observations, D = 2 inputs",
            "Kernel of x_1: Matérn 3/2; M = 7 segments",
            "Kernel of x_2: polynomial of degree 2, offset 0.5; M = 2 segments",
            "eps_M = ",
            "Repair: ",
            "feasibility tolerance of 1e-9",
        ];
        assert!(parts.iter().all(|part| head.contains(part)), "{head}");
        assert!(said.contains("product_2_own") && said.contains("distance_1_1"), "{said}");
    }
    let gurobi = export(&["--encoding", "gurobi"]);
    assert!(gurobi.contains("General Constraints") && gurobi.contains("K_2_own = PWL ( p_2_own )"), "{gurobi}");
    assert!(!gurobi.contains("lambda"));
    let second = export(&["--group", "2"]);
    assert!(
        second.contains("Group 2 of 2 alone") && second.contains("p_own") && !second.contains("distance_1"),
        "{second}"
    );
    let mean = export(&["--group", "1", "--sub"]);
    assert!(mean.contains("distance_1:") && !mean.contains("variance:") && mean.contains("posterior mean"), "{mean}");
    for (group, reason) in [("3", "the model has 2 groups, counted from 1"), ("0", "zero")] {
        let refused = fathom(&["export-model", path.to_str().unwrap(), "--group", group]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(text(&refused.stderr).contains(reason), "{}", text(&refused.stderr));
    }
}

#[test]
fn the_doctor_says_what_is_here_and_how_to_get_the_rest_and_never_fails() {
    let run = |arguments: &[&str], bare: bool| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
        command.arg("doctor").args(arguments);
        if bare {
            command.env_clear().env("PATH", "/nowhere").env("FATHOM_SCIP_LIBRARY", "/nowhere/libscip.so");
        }
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout).to_string()
    };
    let said = run(&[], true);
    for part in [
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        "cores",
        "--threads",
        "SQLite      built in",
        "pip install pyscipopt",
        "pip install gurobipy",
        "no nonconvex quadratic constraints",
        "PostgreSQL",
    ] {
        assert!(said.contains(part), "{part} is missing in\n{said}");
    }
    let json: serde_json::Value = serde_json::from_str(&run(&["--json"], true)).unwrap();
    assert_eq!((&json["scip"]["found"], &json["gurobi"]["works"]), (&false.into(), &false.into()));
    assert!(json["default_memory_limit"].as_u64().unwrap() > 0 && json["cores"].as_u64().unwrap() > 0);
    assert!(json["scip"]["trouble"].as_str().unwrap().contains("/nowhere/libscip.so"));
    if scip().is_ok() {
        let json: serde_json::Value = serde_json::from_str(&run(&["--json"], false)).unwrap();
        assert_eq!(json["scip"]["works"], true, "{json}");
        assert!(json["scip"]["version"].as_str().unwrap().starts_with("SCIP "), "{json}");
    }
}

#[test]
fn a_missing_solver_says_how_to_get_it_and_exits_2() {
    let path = instance("prior_d1_rbf_r00");
    for (backend, remedy) in [("scip", "pip install pyscipopt"), ("gurobi", "pip install gurobipy")] {
        let arguments = ["solve", path.to_str().unwrap(), "--method", "pk", "--backend", backend];
        let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
        let empty = tempfile::tempdir().unwrap();
        command.args(arguments).env_clear().env("PATH", empty.path()).env("FATHOM_PYTHON", empty.path().join("none"));
        let output = command.output().unwrap();
        let said = text(&output.stderr);
        // A SCIP in the usual directories of the system is found whatever the environment says.
        if output.status.success() {
            eprintln!("skipped: {backend} is installed for the whole system");
            continue;
        }
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("was not found") && said.contains(remedy), "{said}");
    }
}

#[test]
fn the_papers_method_needs_no_solver_and_its_proof_is_verified() {
    let folder = tempfile::tempdir().unwrap();
    let proof = folder.path().join("some.proof");
    let (path, proof) = (instance("prior_d2_matern32_r00"), proof.to_str().unwrap());
    let solve = |more: &[&str]| {
        let arguments = ["solve", path.to_str().unwrap(), "--method", "pk"];
        fathom(&[&arguments[..], more].concat())
    };
    let output = solve(&["--json", "--proof", proof]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let line: serde_json::Value = serde_json::from_str(text(&output.stdout)).unwrap();
    assert_eq!(line["piecewise_linear"]["claim"]["bound_by"], "proof");
    assert!(line["piecewise_linear"]["gap"].as_f64().unwrap() <= 1e-3);
    let verdict = fathom(&["verify", proof]);
    assert_eq!(verdict.status.code(), Some(0), "{}", text(&verdict.stderr));
    let output = solve(&["--backend", "embedded"]);
    assert!(text(&output.stdout).contains("proven, closed, gap"), "{}", text(&output.stdout));
}

#[test]
fn groups_can_be_minimised_alone_as_the_paper_does() {
    let folder = tempfile::tempdir().unwrap();
    let mut problem: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(instance("prior_d2_matern32_r00")).unwrap()).unwrap();
    problem["groups"] = serde_json::json!([[0], [1]]);
    let file = folder.path().join("additive.json");
    std::fs::write(&file, problem.to_string()).unwrap();
    let path = file.to_str().unwrap();
    let output = fathom(&["solve", path, "--method", "pk", "--groups-alone", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let line: serde_json::Value = serde_json::from_str(text(&output.stdout)).unwrap();
    assert_eq!((&line["status"], line["groups"].as_array().unwrap().len()), (&"optimal".into(), 2), "{line}");
    let alone = ["solve", path, "--method", "pk", "--groups-alone", "--true-bound", "theorem"];
    let said = fathom(&alone);
    assert!(text(&said.stdout).contains("nothing is proven of the true function"), "{}", text(&said.stdout));
    let bare = fathom(&[&alone[..], &["--json"]].concat());
    let bare: serde_json::Value = serde_json::from_str(text(&bare.stdout)).unwrap();
    assert!(bare["lower_bound"].is_null() && bare["status"] == "local", "{bare}");
    // The certified minimum of the whole is at least as low.
    let whole = fathom(&["solve", path, "--json"]);
    let whole = Certificate::from_json(text(&whole.stdout)).unwrap();
    assert!(whole.lower_bound.unwrap() <= line["value"].as_f64().unwrap());
    let refused = fathom(&["solve", path, "--method", "pk", "--groups-alone", "--proof", "p"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn a_solvers_bound_comes_without_a_proof() {
    if let Err(error) = scip() {
        eprintln!("skipped: {error}");
        return;
    }
    let path = instance("prior_d1_rbf_r00");
    let output = fathom(&["solve", path.to_str().unwrap(), "--method", "pk", "--backend", "scip", "--proof", "p"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("a solver's bound comes without one"), "{}", text(&output.stderr));
}

/// SCIP, if it is here; a failure if it is required and is not here.
fn scip() -> fathom_miqp::Result<fathom_miqp::Scip> {
    let host = fathom_miqp::Host { program: env!("CARGO_BIN_EXE_fathom").into(), arguments: Vec::new() };
    fathom_miqp::Scip::find_hosted(Some(host)).inspect_err(|error| {
        let required = std::env::var("FATHOM_REQUIRE_SOLVERS").unwrap_or_default();
        assert!(!required.split(',').any(|word| word == "scip"), "scip is required: {error}");
    })
}

#[test]
fn the_papers_method_runs_with_scip_and_says_whose_bound_it_is() {
    if let Err(error) = scip() {
        eprintln!("skipped: {error}");
        return;
    }
    let path = instance("prior_d1_rbf_r03");
    let solve = |more: &[&str]| {
        let arguments = ["solve", path.to_str().unwrap(), "--method", "pk", "--backend", "scip"];
        fathom(&[&arguments[..], more].concat())
    };
    let output = solve(&["--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let line: serde_json::Value = serde_json::from_str(text(&output.stdout)).unwrap();
    let certificate = Certificate::from_json(&line["piecewise_linear"].to_string()).unwrap();
    assert_eq!(line["piecewise_linear"]["claim"]["bound_by"], "external_solver");
    assert_eq!((line["method"].as_str(), certificate.status.name()), (Some("pk"), "optimal"));
    // Of the true function the certified search speaks, not the solver.
    assert_eq!((line["status"].as_str(), &line["claim"]["function"]), (Some("optimal"), &"acquisition".into()));
    assert!(line["lower_bound"].as_f64().unwrap() <= line["value"].as_f64().unwrap());
    assert!(line["solver"].as_str().unwrap().starts_with("SCIP"));
    assert!(certificate.gap.unwrap() <= 1e-3 + 1e-6);
    let output = solve(&[]);
    assert!(text(&output.stdout).contains("'s word, closed"), "{}", text(&output.stdout));
}
