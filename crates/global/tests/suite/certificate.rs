//! Certificates are written and read as JSON.

use crate::instances::{load, solve};
use fathom_global::{Certificate, Claim, CriterionName, Error, Incumbent, Limits, Repairs, Settings, Status, Version};
use serde_json::{Value, json};
use std::time::Duration;

const STATUSES: [Status; 8] = [
    Status::Optimal,
    Status::TimeLimit,
    Status::NodeLimit,
    Status::IterationLimit,
    Status::Interrupted,
    Status::Exhausted,
    Status::MemoryLimit,
    Status::SolverLimit,
];

/// Numbers that a careless writer or reader would change.
fn awkward(status: Status) -> Certificate {
    let (value, bound) = (-(0.1 + 0.2), -1.0 / 3.0);
    Certificate {
        version: Version,
        claim: Claim::Acquisition { criterion: CriterionName::LogEi },
        x: vec![-0.0, 5e-324, f64::MAX, 1.0 / 3.0, -2.225_073_858_507_201e-308],
        value,
        lower_bound: Some(bound),
        gap: Some(value - bound),
        relative_gap: Some((value - bound) / value.abs()),
        status,
        nodes: u64::MAX,
        seconds: 1e-9 / 3.0,
        seed: u64::MAX - 1,
        settings: Settings {
            gap: 1e-4,
            relative_gap: 0.7 + 0.1,
            time_limit: Some(0.3),
            node_limit: Some(64),
            threads: 3,
        },
        repairs: Repairs { jitter: 1.1e-10, shift: 0.0 },
        pool: Vec::new(),
    }
}

fn refusal(json: &Value) -> String {
    let error = Certificate::from_json(&json.to_string()).unwrap_err();
    assert!(matches!(error, Error::BadCertificate { .. }));
    error.to_string()
}

#[test]
fn every_status_comes_back_bit_for_bit() {
    for status in STATUSES {
        let certificate = awkward(status);
        let unproven = Certificate { lower_bound: None, gap: None, relative_gap: None, ..certificate.clone() };
        for certificate in [certificate, unproven] {
            let text = certificate.to_json().unwrap();
            let again = Certificate::from_json(&text).unwrap();
            assert_eq!(again, certificate);
            assert_eq!(again.to_json().unwrap(), text);
            let bits = |c: &Certificate| c.x.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
            assert_eq!(bits(&again), bits(&certificate), "minus zero included");
            assert!(text.contains(&format!("\"status\":\"{}\"", status.name())), "{text}");
            assert_eq!(text.contains("\"lower_bound\":null"), certificate.lower_bound.is_none());
        }
    }
}

#[test]
fn every_criterion_is_written_by_its_name() {
    use CriterionName::{Deviation, Ei, Glcb, Lcb, LogEi, Mean, Pi};
    for criterion in [Lcb, Mean, Deviation, Glcb, Ei, LogEi, Pi] {
        let claim = json!({"function": "acquisition", "criterion": criterion.as_str()});
        assert_eq!(serde_json::to_value(Claim::Acquisition { criterion }).unwrap(), claim);
    }
}

#[test]
fn a_searchs_certificate_says_what_was_asked_for_and_comes_back() {
    let limits = Limits { gap: 1e-3, nodes: 1000, time: Some(Duration::from_secs(50)), seed: 9, ..Limits::default() };
    let certificate = solve(&load("prior_d2_rbf_r00"), &limits);
    assert_eq!(certificate.claim, Claim::Acquisition { criterion: CriterionName::Lcb });
    let settings =
        Settings { gap: 1e-3, relative_gap: 0.0, time_limit: Some(50.0), node_limit: Some(1000), threads: 1 };
    assert_eq!((certificate.settings, certificate.seed), (settings, 9));
    assert_eq!(certificate.repairs, Repairs::default());
    assert_eq!(certificate.relative_gap.unwrap(), certificate.gap.unwrap() / certificate.value.abs());
    assert_eq!(Certificate::from_json(&certificate.to_json().unwrap()).unwrap(), certificate);
    let free = solve(&load("prior_d1_rbf_r00"), &Limits::default());
    assert_eq!((free.settings.time_limit, free.settings.node_limit), (None, None));
}

#[test]
fn a_missing_field_is_refused_by_name() {
    let good: Value = serde_json::from_str(&awkward(Status::Optimal).to_json().unwrap()).unwrap();
    let refused = |path: &str| {
        let mut bad = good.clone();
        let (parent, field) = path.rsplit_once('/').unwrap();
        bad.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(field).unwrap();
        let error = refusal(&bad);
        assert!(error.contains(&format!("missing field `{field}`")), "{path}: {error}");
        assert!(parent.is_empty() || error.contains(&format!("field `{}`", &parent[1..])), "{path}: {error}");
    };
    for field in good.as_object().unwrap().keys() {
        refused(&format!("/{field}"));
    }
    for parent in ["settings", "repairs", "claim"] {
        for field in good[parent].as_object().unwrap().keys() {
            refused(&format!("/{parent}/{field}"));
        }
    }
}

#[test]
fn text_that_is_no_certificate_is_refused_with_the_field() {
    let good: Value = serde_json::from_str(&awkward(Status::Optimal).to_json().unwrap()).unwrap();
    for (path, value, said) in [
        ("/version", json!(2), "2 is not known"),
        ("/version", json!("1"), "expected u64"),
        ("/value", Value::Null, "null"),
        ("/x/2", json!("NaN"), "NaN"),
        ("/lower_bound", json!("NaN"), "NaN"),
        ("/lower_bound", json!(7.0), "above the value"),
        ("/gap", json!(1e-9), "not value − lower_bound"),
        ("/gap", Value::Null, "not value − lower_bound"),
        ("/relative_gap", json!(1e-9), "not gap / |value|"),
        ("/status", json!("fine"), "fine"),
        ("/claim/function", json!("something"), "something"),
        ("/claim/criterion", json!("something"), "something"),
        ("/seed", json!(-1), "-1"),
        ("/settings/threads", json!(0.5), "0.5"),
        ("/settings/time_limit", json!("1 s"), "1 s"),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(path).unwrap() = value;
        let error = refusal(&bad);
        let field = path.split('/').nth(1).unwrap();
        assert!(error.contains(&format!("field `{field}")) && error.contains(said), "{path}: {error}");
    }
    let mut future = good.clone();
    future["version"] = json!(2);
    future.as_object_mut().unwrap().remove("x");
    assert!(refusal(&future).contains("2 is not known"), "the version is looked at first");
    for text in ["", "[]", "{", "{\"version\": 1} {}"] {
        assert!(Certificate::from_json(text).is_err(), "{text}");
    }
}

#[test]
fn a_pool_comes_back_and_one_that_contradicts_the_certificate_is_refused() {
    let mut certificate = awkward(Status::Optimal);
    let point = |value: f64| Incumbent { x: certificate.x.clone(), value };
    certificate.pool = vec![point(certificate.value), point(0.1)];
    let text = certificate.to_json().unwrap();
    assert_eq!(Certificate::from_json(&text).unwrap(), certificate);
    let good: Value = serde_json::from_str(&text).unwrap();
    for (path, value, said) in [
        ("/pool/0/value", json!(-0.31), "begin with the best point"),
        ("/pool/1/value", json!(-7.0), "not in order"),
        ("/pool/1/x", json!([1.0]), "not of the same length"),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(path).unwrap() = value;
        let error = refusal(&bad);
        assert!(error.contains("field `pool`") && error.contains(said), "{path}: {error}");
    }
}

#[test]
fn numbers_that_json_cannot_say_are_refused_by_writer_and_reader() {
    let text = awkward(Status::Optimal).to_json().unwrap();
    for number in ["NaN", "Infinity", "1e999"] {
        let error = Certificate::from_json(&text.replace("\"seconds\":", &format!("\"seconds\":{number},\"was\":")));
        let error = error.unwrap_err().to_string();
        assert!(error.contains("field `seconds`"), "{number}: {error}");
    }
    let good = awkward(Status::Optimal);
    for (field, bad) in [
        ("value", Certificate { value: f64::NAN, ..good.clone() }),
        ("x", Certificate { x: vec![0.0, f64::INFINITY], ..good.clone() }),
        ("lower_bound", Certificate { lower_bound: Some(f64::NEG_INFINITY), ..good.clone() }),
        ("repairs.jitter", Certificate { repairs: Repairs { jitter: f64::NAN, shift: 0.0 }, ..good }),
    ] {
        let error = bad.to_json().unwrap_err().to_string();
        assert!(error.contains(&format!("field `{field}`")), "{error}");
    }
}

#[test]
fn the_documented_example_is_a_certificate() {
    let page = include_str!("../../../../docs/reference/certificate.md");
    let example = page.split("```json").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let certificate = Certificate::from_json(example).unwrap();
    let table = page.split("| `status` | meaning").next().unwrap();
    let Value::Object(fields) = serde_json::to_value(&certificate).unwrap() else { panic!("an object") };
    for field in fields.keys() {
        assert!(table.contains(&format!("`{field}")), "{field} is documented");
    }
    for status in STATUSES {
        assert!(page.contains(&format!("`{}`", status.name())), "{status:?} is documented");
    }
}
