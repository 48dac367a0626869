//! What pictures and reports hold, read as text.
#![allow(clippy::unwrap_used, missing_docs)]

use fathom_picture::{Format, Picture, report};
use fathom_study::{Definition, Outcome, Point, Study, Trial, Value};

const REACTION: &str = r#"name = "reaction <&> $5$"
goal = "maximise"
constraints = ["temperature + 5*cycles <= 120"]

[parameters]
temperature = { type = "float", low = 20, high = 120 }
catalyst = { type = "float", low = 0.01, high = 10, scale = "log" }
cycles = { type = "integer", low = 1, high = 6 }
solvent = { type = "categorical", choices = ["DMF", "THF", "<b>"] }
batch = { type = "fixed", value = 32 }

[strategy]
initial = 8
"#;

fn yield_of(trial: &Trial) -> f64 {
    let number = |name: &str| trial.number(name).unwrap();
    let solvent = if trial.point["solvent"] == Value::Text("DMF".into()) { 1.0 } else { 0.4 };
    let heat = (-((number("temperature") - 80.0) / 30.0).powi(2)).exp();
    70.0 * solvent * heat * (-number("catalyst").log10().powi(2)).exp()
}

/// A study with every kind of trial.
fn reaction() -> Study {
    let mut study = Study::create("memory:", Definition::parse(REACTION).unwrap()).unwrap();
    for _ in 0..14 {
        let trial = study.ask(1).unwrap().remove(0);
        match trial.id {
            5 => study.tell_failed(5, "the <glass> broke").unwrap(),
            id => study.tell(id, yield_of(&trial)).unwrap(),
        }
    }
    let mut past: Point = study.best().unwrap().unwrap().point;
    past.insert("temperature".into(), Value::Float(50.0));
    study.import(&[(past, Outcome::of(3.0).unwrap())]).unwrap();
    study.ask(1).unwrap();
    study
}

fn line() -> Study {
    let text = "name = 'line'\n[parameters]\nx = { type = 'float', low = -1, high = 2 }\n[strategy]\ninitial = 4\n";
    let mut study = Study::create("memory:", Definition::parse(text).unwrap()).unwrap();
    for _ in 0..6 {
        let trial = study.ask(1).unwrap().remove(0);
        study.tell(trial.id, (trial.number("x").unwrap() - 0.5).powi(2)).unwrap();
    }
    study
}

fn svg(study: &mut Study, picture: Picture, along: &[&str]) -> String {
    let along: Vec<String> = along.iter().map(|name| (*name).to_owned()).collect();
    String::from_utf8(picture.draw(study, &along, Format::Svg).unwrap()).unwrap()
}

/// Texts of an SVG as they are shown.
fn texts(svg: &str) -> Vec<String> {
    let parts = svg.split("<text").skip(1).map(|part| part.split_once('>').unwrap().1.split_once("</text>").unwrap().0);
    parts
        .map(|text| text.replace("&lt;", "<").replace("&gt;", ">").replace("&apos;", "'").replace("&amp;", "&"))
        .collect()
}

#[track_caller]
fn has(svg: &str, text: &str) {
    assert!(texts(svg).iter().any(|shown| shown.contains(text)), "{text}: {:?}", texts(svg));
}

#[test]
fn a_map_names_choices_says_where_it_is_cut_and_marks_what_is_forbidden() {
    let mut study = reaction();
    let map = svg(&mut study, Picture::Posterior, &["temperature", "cycles"]);
    for text in [
        "temperature",
        "cycles",
        "posterior median",
        "solvent = DMF, as in the best trial",
        "forbidden by the constraints",
    ] {
        has(&map, text);
    }
    for text in ["initial design", "chosen by the model", "imported", "failed", "pending", "best trial"] {
        has(&map, text);
    }
    let map = svg(&mut study, Picture::Posterior, &["catalyst", "solvent"]);
    for text in ["0.01", "0.1", "1", "10", "DMF", "THF", "<b>"] {
        assert!(texts(&map).iter().any(|shown| shown == text), "{text}: {:?}", texts(&map));
    }
    // The slice at the best trial's temperature and cycles has nothing that is forbidden.
    assert!(!map.contains("forbidden"));
}

#[test]
fn an_equation_forbids_a_whole_slice_and_the_picture_says_so() {
    let text = "name = 'mix'\nconstraints = ['a + b + c = 1']\n[parameters]\na = { type = 'float', low = 0, high = 1 }\nb = { type = \
                'float', low = 0, high = 1 }\nc = { type = 'float', low = 0, high = 1 }\n[strategy]\ninitial = 4\n";
    let mut study = Study::create("memory:", Definition::parse(text).unwrap()).unwrap();
    for _ in 0..6 {
        let trial = study.ask(1).unwrap().remove(0);
        study.tell(trial.id, (trial.number("a").unwrap() - 0.5).powi(2)).unwrap();
    }
    let map = svg(&mut study, Picture::Posterior, &["a", "b"]);
    has(&map, "constraints are not drawn: they allow no cell of this slice");
    assert!(!map.contains("forbidden"));
}

#[test]
fn gaps_that_are_all_the_same_have_room_around_them() {
    let picture = svg(&mut line(), Picture::Gap, &[]);
    has(&picture, "proven under the model of each step");
    assert!(texts(&picture).iter().any(|text| text == "0.01"), "{:?}", texts(&picture));
}

#[test]
fn one_value_is_enough_for_an_overview() {
    let mut study = Study::create("memory:", Definition::parse(REACTION).unwrap()).unwrap();
    let trial = study.ask(1).unwrap().remove(0);
    study.tell(trial.id, 2.0).unwrap();
    has(&svg(&mut study, Picture::Overview, &[]), "no model yet: a model needs two values");
}

#[test]
fn the_parameters_that_matter_most_are_chosen() {
    let mut study = reaction();
    let bars = svg(&mut study, Picture::Importance, &[]);
    let names = texts(&bars);
    let place = |name: &str| names.iter().position(|shown| shown == name).unwrap();
    // Bars come in the order of importance, and the number of cycles has no effect.
    for name in ["temperature", "catalyst", "solvent"] {
        assert!(place(name) < place("cycles"), "{names:?}");
    }
    assert!(names.iter().any(|text| text.starts_with("what each parameter explains alone")), "{names:?}");
    let chosen = svg(&mut study, Picture::Posterior, &[]);
    let is_a_parameter = |text: &&String| ["temperature", "catalyst", "cycles", "solvent"].contains(&text.as_str());
    let sorted: Vec<&String> = names.iter().filter(is_a_parameter).collect();
    let (first, second) = (sorted[0], sorted[1]);
    let is_label = |name: &String| texts(&chosen).contains(name);
    assert!(is_label(first) && is_label(second), "{names:?} {:?}", texts(&chosen));
}

#[test]
fn convergence_shows_the_best_value_and_every_kind_of_trial() {
    let mut study = reaction();
    let best = study.best().unwrap().unwrap();
    let picture = svg(&mut study, Picture::Convergence, &[]);
    has(&picture, &format!("at trial {} of 16", best.id));
    for text in [
        "higher is better",
        "best so far",
        "failed",
        "imported",
        "pending",
        "what can still be gained is not known yet",
    ] {
        has(&picture, text);
    }
    // Dollars are no mathematics, and names are escaped.
    has(&picture, "reaction <&> $5$");
}

#[test]
fn slices_have_a_panel_for_each_free_parameter() {
    let picture = svg(&mut reaction(), Picture::Slices, &[]);
    for name in ["temperature", "catalyst", "cycles", "solvent"] {
        assert_eq!(texts(&picture).iter().filter(|text| *text == name).count(), 1, "{name}");
    }
    assert!(!texts(&picture).contains(&"batch".to_owned()));
    for entry in ["68 % of the model's belief", "failed", "pending: suggested, no value yet"] {
        has(&picture, entry);
    }
}

#[test]
fn every_picture_of_every_study_is_drawn_in_every_format() {
    for mut study in [reaction(), line()] {
        for picture in Picture::ALL {
            let draw = |study: &mut Study, format| picture.draw(study, &[], format).unwrap();
            assert!(draw(&mut study, Format::Svg).starts_with(b"<svg viewBox="));
            assert!(draw(&mut study, Format::Png).starts_with(b"\x89PNG"));
            let pdf = draw(&mut study, Format::Pdf);
            assert!(pdf.starts_with(b"%PDF-1.4") && pdf.ends_with(b"%%EOF\n"));
            assert_eq!(draw(&mut study, Format::Svg), draw(&mut study, Format::Svg), "{picture:?}");
        }
    }
}

#[test]
fn leaving_one_out_counts_what_lies_within_its_interval() {
    let picture = svg(&mut reaction(), Picture::LeaveOneOut, &[]);
    // Thirteen values and an imported one; the failed trial has a stand-in only.
    has(&picture, "of 14 values lie within their interval");
}

#[test]
fn what_cannot_be_drawn_is_named() {
    let mut study = reaction();
    let said = |study: &mut Study, picture: Picture, along: &[&str]| {
        let along: Vec<String> = along.iter().map(|name| (*name).to_owned()).collect();
        picture.draw(study, &along, Format::Svg).unwrap_err().to_string()
    };
    assert_eq!(
        said(&mut study, Picture::Posterior, &["Temperature"]),
        "there is no parameter Temperature to draw along; there are temperature, catalyst, cycles, solvent"
    );
    assert_eq!(
        said(&mut study, Picture::Posterior, &["temperature", "cycles", "solvent"]),
        "posterior is drawn along one or two parameters; named were 3"
    );
    assert_eq!(said(&mut study, Picture::Gap, &["cycles"]), "gap is not drawn along parameters; named were 1");
    let mut empty = Study::create("memory:", Definition::parse(REACTION).unwrap()).unwrap();
    assert_eq!(said(&mut empty, Picture::Overview, &[]), "there is nothing to draw yet: no trial has a value");
}

#[test]
fn a_report_stands_alone_and_escapes_what_it_shows() {
    let page = report(&mut reaction()).unwrap();
    let parts = [
        "16 trials (14 complete, 1 failed, 1 pending): the largest value is <strong>",
        "<h1>reaction &lt;&amp;&gt; $5$</h1>",
        "<td>the &lt;glass&gt; broke</td>",
        "How much can still be gained is not known: it takes 20 values, and there are 14.",
        "<th>not by a model</th>",
        "prefers-color-scheme: dark",
        "@media print",
        "name=\"viewport\"",
    ];
    for part in parts {
        assert!(page.contains(part), "{part}");
    }
    // Nothing is fetched and nothing runs; every picture's names are its own.
    for part in ["<script", "<link", "<glass>", "<b>", " src=", "@import", "url(http"] {
        assert!(!page.contains(part), "{part}");
    }
    assert_eq!(page.matches("<svg ").count(), 5);
    let ids: Vec<&str> = page.split("<clipPath id=\"").skip(1).map(|part| part.split_once('"').unwrap().0).collect();
    let mut different = ids.clone();
    different.sort_unstable();
    different.dedup();
    assert!(!ids.is_empty() && different.len() == ids.len(), "{ids:?}");
    assert_eq!(page.matches("<tr><td class=\"number\">").count() + page.matches("<tr class=\"best\">").count(), 16 + 2);
}

#[test]
fn a_report_of_nothing_says_so() {
    let page = report(&mut Study::create("memory:", Definition::parse(REACTION).unwrap()).unwrap()).unwrap();
    assert!(page.contains("0 trials (0 complete): no trial has a value yet."), "{page}");
    assert!(page.contains("No slices yet: no trial has a value."));
}
