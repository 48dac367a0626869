//! How a trial and its study stand, each in a line.

use crate::studies::{self, number_text};
use crate::text::plain;
use fathom_study::{State, Study, Trial};

/// What became of a trial, at which settings, with its notes.
pub fn of_trial(trial: &Trial) -> String {
    let reason = trial.message.as_deref().filter(|message| !message.is_empty());
    let because = reason.map(|reason| format!(" ({})", plain(reason))).unwrap_or_default();
    let state = match trial.state {
        State::Complete => trial.values.to_string(),
        State::Pending => "pending".into(),
        State::Failed => format!("failed{because}"),
        State::Cancelled => format!("cancelled{because}"),
        State::Withdrawn => format!("withdrawn{because}"),
    };
    let notes: String = trial.notes().iter().map(|note| format!("; note: {}", plain(note))).collect();
    format!("trial {}: {state} at {}{notes}", trial.id, studies::point(trial))
}

/// How far the study is, and whether its own rule says that it may end.
pub fn of_study(study: &mut Study) -> anyhow::Result<String> {
    let trials = study.trials()?;
    let count = |state: State| trials.iter().filter(|trial| trial.state == state).count();
    let definition = study.definition();
    let told = trials.iter().filter(|trial| trial.state.is_told()).count();
    let of = definition.stopping.trials.map(|most| format!(" of {most}")).unwrap_or_default();
    let mut line = format!("{told}{of} trials told");
    for state in [State::Failed, State::Withdrawn, State::Pending] {
        if count(state) > 0 {
            line += &format!(", {} {}", count(state), state.name());
        }
    }
    match definition.goal.best(&trials) {
        Some(best) => {
            line +=
                &format!("; best so far {} (trial {})", best.objective().map(number_text).unwrap_or_default(), best.id);
        }
        None => line += "; no value yet",
    }
    let is_full = definition.stopping.trials.is_some_and(|most| told as u64 >= most);
    Ok(if is_full { line + "; the study has all its trials" } else { line })
}
