//! A study on one page of HTML. The page needs no network, no script and no other file, and everything that comes from the study is
//! escaped.

use crate::error::{Error, Result};
use crate::format::svg;
use crate::number::short;
use crate::picture::Picture;
use crate::sheet::shown;
use crate::view::{View, text_of};
use fathom_study::{Assurance, CAVEAT, Goal, Learned, Origin, Remaining, State, Study, Trial, Watch};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

const STYLE: &str = include_str!("report.css");

/// Digits of numbers in tables.
const DIGITS: usize = 6;

/// How long the search for what can still be gained may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The pictures of the page, in their order.
const PICTURES: [Picture; 5] =
    [Picture::Overview, Picture::Slices, Picture::Importance, Picture::LeaveOneOut, Picture::Parallel];

/// The page.
pub fn report(study: &mut Study) -> Result<String> {
    let view = View::of(study)?;
    let mut body = format!("<h1>{}</h1>\n<p class=\"lead\">{}</p>\n", escaped(&view.definition.name), state(&view));
    body += &best(&view, study)?;
    body += "<h2>Pictures</h2>\n";
    body += &pictures(&view)?;
    body += &proofs(&view.trials);
    body += &learned(&view, study)?;
    body += &table(&view);
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}\
         <p class=\"quiet\">Made by Fathom {}.</p>\n</body>\n</html>\n",
        escaped(&view.definition.name),
        env!("CARGO_PKG_VERSION")
    ))
}

/// The page in a file, which ends in `.html`.
pub fn save_report(study: &mut Study, path: &Path) -> Result<()> {
    check_report(path)?;
    let page = report(study)?;
    Ok(fathom_files::write(path, page.as_bytes())?)
}

/// `Ok` if a page can be written there.
pub fn check_report(path: &Path) -> Result<()> {
    if path.extension().and_then(|ending| ending.to_str()) != Some("html") {
        return Err(Error::Ending { path: path.into(), endings: ".html" });
    }
    Ok(fathom_files::check_destination(path)?)
}

/// Text of others as text of a page.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in shown(text).chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            other => escaped.push(other),
        }
    }
    escaped
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The state of the study in a sentence.
fn state(view: &View) -> String {
    let of = |state: State| view.trials.iter().filter(|trial| trial.state == state).count();
    let mut parts = vec![format!("{} complete", of(State::Complete))];
    for (state, name) in
        [State::Failed, State::Pending, State::Cancelled, State::Withdrawn].map(|state| (state, state.name()))
    {
        if of(state) > 0 {
            parts.push(format!("{} {name}", of(state)));
        }
    }
    let goal = match view.goal() {
        Goal::Minimise => "smallest",
        Goal::Maximise => "largest",
    };
    let found = match view.best().ok().and_then(|best| Some((best.id, best.objective()?))) {
        Some((id, value)) => format!("the {goal} value is <strong>{}</strong>, of trial {id}", short(value, DIGITS)),
        None => "no trial has a value yet".into(),
    };
    format!("{} ({}): {found}.", count(view.trials.len(), "trial"), parts.join(", "))
}

/// The best point, and what can still be gained.
fn best(view: &View, study: &mut Study) -> Result<String> {
    let Ok(best) = view.best() else { return Ok(String::new()) };
    let mut text = "<h2>Best point</h2>\n<div class=\"wide\"><table>\n".to_owned();
    for (name, value) in &best.point {
        let _ = writeln!(text, "<tr><th>{}</th><td>{}</td></tr>", escaped(name), escaped(&value.to_string()));
    }
    text += "</table></div>\n";
    let said = match study.remaining_watched(&mut Watch::nobody().within(PATIENCE))? {
        Remaining::AtMost(bound) => {
            let sentence = bound.sentence(|number| short(number, DIGITS));
            format!("{}. {CAVEAT}", capital(&sentence))
        }
        Remaining::Silent(silence) => format!("How much can still be gained is not known: {silence}."),
    };
    let _ = writeln!(text, "<p>{}</p>", escaped(&said));
    Ok(text)
}

fn capital(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn pictures(view: &View) -> Result<String> {
    let mut text = String::new();
    for picture in PICTURES {
        match picture.sheet(view, &[]) {
            Ok(sheet) => {
                let _ = writeln!(text, "<figure>{}</figure>", svg(&sheet, &format!("{}-", picture.name())));
            }
            Err(Error::NothingYet { reason }) => {
                let _ = writeln!(text, "<p class=\"quiet\">No {} yet: {reason}.</p>", picture.name());
            }
            Err(error) => return Err(error),
        }
    }
    Ok(text)
}

/// How many suggestions are how sure.
fn proofs(trials: &[Trial]) -> String {
    let (mut proven, mut open, mut cut, mut better, mut without, mut chosen_otherwise) = (0, 0, 0, 0, 0, 0);
    for trial in trials {
        if trial.suggestion.origin != Origin::Model {
            chosen_otherwise += 1;
            continue;
        }
        let assurance = trial.suggestion.assurance();
        *match assurance {
            Assurance::Proven { .. } => &mut proven,
            Assurance::Better { .. } => &mut better,
            Assurance::CutShort { .. } if assurance.is_open() => &mut open,
            Assurance::CutShort { .. } => &mut cut,
            Assurance::None => &mut without,
        } += 1;
    }
    let rows = [
        (proven, "proven", "no point of the space has a better acquisition value by more than the gap"),
        (open, "open", "the search was cut short; <code>fathom prove</code> goes on"),
        (cut, "cut short", "the search ended before the gap was closed"),
        (better, "better found", "a longer search found a better point afterwards"),
        (without, "without a proof", "the optimiser proves nothing"),
        (chosen_otherwise, "not by a model", "points of the initial design and imported ones"),
    ];
    let mut text = "<h2>Proofs</h2>\n<div class=\"wide\"><table>\n".to_owned();
    for (number, name, meaning) in rows.into_iter().filter(|row| row.0 > 0) {
        let _ = writeln!(text, "<tr><td class=\"number\">{number}</td><th>{name}</th><td>{meaning}</td></tr>");
    }
    text + "</table></div>\n<p class=\"quiet\">Each proof is about the model as it was when the point was chosen. That the model is right \
            is not proven. <code>fathom verify</code> checks the proofs.</p>\n"
}

/// What the model has learned.
fn learned(view: &View, study: &mut Study) -> Result<String> {
    match view.model() {
        Ok(_) => {}
        Err(Error::NothingYet { .. }) => return Ok(String::new()),
        Err(error) => return Err(error),
    }
    let Learned { kernel, mean, noise, warp, lengthscales, made_of, .. } =
        study.learned_watched(&mut Watch::nobody())?;
    let mut text = "<h2>What was learned</h2>\n".to_owned();
    let warp = match warp {
        Some(warp) => {
            let worse = if view.goal() == Goal::Minimise { "above" } else { "below" };
            format!(" Values {worse} {} count by their logarithm.", short(warp.centre, DIGITS))
        }
        None => String::new(),
    };
    let _ = writeln!(
        text,
        "<p>The model is of {}, with the kernel {kernel}. Far from all trials it expects {}, and a value that is measured again differs \
         by about {}.{warp}</p>",
        count(made_of, "trial"),
        short(mean, DIGITS),
        short(noise, 3)
    );
    text += "<div class=\"wide\"><table>\n<tr><th>parameter</th><th class=\"number\">lengthscale, as a part of its range</th></tr>\n";
    let mut sorted = lengthscales;
    sorted.sort_by(|a, b| a.part_of_range.total_cmp(&b.part_of_range));
    for one in sorted {
        let (name, length) = (escaped(&one.parameter), short(one.part_of_range, 3));
        let _ = writeln!(text, "<tr><td>{name}</td><td class=\"number\">{length}</td></tr>");
    }
    Ok(text + "</table></div>\n<p class=\"quiet\">Short lengthscales matter most.</p>\n")
}

/// All trials.
fn table(view: &View) -> String {
    let best = view.best().ok().map(|best| best.id);
    let mut text =
        "<h2>Trials</h2>\n<div class=\"wide\"><table>\n<tr><th class=\"number\">trial</th><th>state</th>".to_owned();
    for parameter in view.definition.space.parameters() {
        let _ = write!(text, "<th>{}</th>", escaped(&parameter.name));
    }
    text += "<th class=\"number\">value</th><th>chosen by</th><th>proof</th><th>message</th></tr>\n";
    for trial in &view.trials {
        let class = if Some(trial.id) == best { " class=\"best\"" } else { "" };
        let _ = write!(text, "<tr{class}><td class=\"number\">{}</td><td>{}</td>", trial.id, trial.state.name());
        for value in trial.point.values() {
            let _ = write!(text, "<td>{}</td>", escaped(&text_of(value)));
        }
        let proof = trial.suggestion.assurance().name().unwrap_or_default().replace('_', " ");
        let _ = writeln!(
            text,
            "<td class=\"number\">{}</td><td>{}</td><td>{proof}</td><td>{}</td></tr>",
            trial.objective().map(|value| short(value, DIGITS)).unwrap_or_default(),
            trial.suggestion.origin.name(),
            escaped(&trial.message.as_deref().into_iter().chain(trial.notes()).collect::<Vec<_>>().join("; "))
        );
    }
    text + "</table></div>\n"
}
