//! The words for how sure a suggestion is, in one place.

use crate::studies;
use fathom_study::{Assurance, Origin, Trial};

/// What is known of a trial's point, in words; `None` if a model did not choose it or its optimiser proves nothing.
pub fn words(trial: &Trial) -> Option<String> {
    Some(match trial.suggestion.assurance() {
        Assurance::None => return local(trial),
        Assurance::Proven { .. } => "proven within the gap".into(),
        Assurance::CutShort { at_most: Some(at_most), .. } => {
            format!("cut short: at most {at_most:.1e} better under the model")
        }
        Assurance::CutShort { at_most: None, .. } => "cut short: nothing is proven yet".into(),
        Assurance::Better { point, by, .. } => {
            format!("a better point was found afterwards: {} (better by {by:.1e})", studies::point_text(&point))
        }
    })
}

/// The words for a point that a local search chose because there was no room for a proof.
fn local(trial: &Trial) -> Option<String> {
    let is_wide = trial.suggestion.method.as_deref() == Some(fathom_study::Method::Wide.name());
    let most = fathom_global::MOST_INPUTS;
    is_wide.then(|| format!("local: nothing is proven beyond {most} coordinates"))
}

/// What is known of a trial that a model chose, if that is less than a proof within the gap.
pub fn standing(trial: &Trial, by: &str) -> Option<String> {
    let basis = trial.suggestion.basis.as_deref()?;
    if !basis.is_fit_cut && trial.suggestion.assurance().is_proven() {
        return None;
    }
    let words = words(trial)?;
    let fit = if basis.is_fit_cut { "; the model was not fitted to the end" } else { "" };
    Some(format!("trial {} is the best point found{by}; {words}{fit}", trial.id))
}

/// How sure a trial is in a word or two, for a column of a table.
pub fn short(trial: &Trial) -> &'static str {
    match trial.suggestion.assurance() {
        Assurance::None => "",
        Assurance::Proven { .. } => "proven",
        Assurance::CutShort { .. } => "cut short",
        Assurance::Better { .. } => "better found",
    }
}

/// How many suggestions of a model are how sure; `None` if there is no proof to speak of.
pub fn summary(trials: &[Trial]) -> Option<String> {
    let suggested = trials.iter().filter(|trial| trial.suggestion.origin == Origin::Model);
    let (mut proven, mut cut, mut better, mut none) = (0, 0, 0, 0);
    for trial in suggested {
        *match trial.suggestion.assurance() {
            Assurance::None => &mut none,
            Assurance::Proven { .. } => &mut proven,
            Assurance::CutShort { .. } => &mut cut,
            Assurance::Better { .. } => &mut better,
        } += 1;
    }
    let all = proven + cut + better;
    if all == 0 {
        return None;
    }
    let mut text = format!("{proven} of {} suggestions within the gap", all + none);
    for (count, what) in
        [(cut, "cut short"), (better, "with a better point found afterwards"), (none, "without a proof")]
    {
        if count > 0 {
            text += &format!(", {count} {what}");
        }
    }
    Some(text)
}
