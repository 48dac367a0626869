//! `fathom new`.

mod draft;
mod line;
mod questions;

use crate::args::New;
use crate::text::plain_path;
use anyhow::Context as _;
use draft::{Draft, Evaluation};
use fathom_study::Function;
use line::Line;
use std::io::IsTerminal as _;
use std::process::ExitCode;

pub fn run(args: &New) -> anyhow::Result<ExitCode> {
    let path = plain_path(&args.file);
    let (text, is_by_hand) = match &args.function {
        Some(name) => (name.parse::<Function>()?.study_file(), false),
        None => {
            let draft = draft(args)?;
            (draft.text()?, matches!(draft.evaluation, Evaluation::ByHand))
        }
    };
    fathom_study::Definition::parse(&text).context("what was typed makes no study")?;
    fathom_files::create_new(&args.file, text.as_bytes())?;
    match is_by_hand {
        true => say!(
            "{path} written: look it over, then `fathom ask {path}` names an experiment, and `fathom tell {path} 1 VALUE` takes the \
             value of the first"
        ),
        false => say!("{path} written: look it over, then `fathom run {path}`"),
    }
    Ok(ExitCode::SUCCESS)
}

/// What the options say, and a person at a terminal if no parameter is among them.
fn draft(args: &New) -> anyhow::Result<Draft> {
    let stem = args.file.file_stem().map_or("study".into(), |stem| stem.to_string_lossy().into_owned());
    let read = |typed: &String| Line::read(typed).with_context(|| format!("--parameter \"{typed}\""));
    let mut draft = Draft {
        name: stem.replace(['"', '\\'], "_"),
        lines: args.parameter.iter().map(read).collect::<anyhow::Result<_>>()?,
        constraints: Vec::new(),
        evaluation: match &args.command {
            Some(command) => Evaluation::Command(command.clone()),
            None if args.by_hand => Evaluation::ByHand,
            None => Evaluation::Example,
        },
        maximise: args.maximise,
        trials: args.trials,
    };
    let asks = args.parameter.is_empty() && std::io::stdin().is_terminal();
    if asks {
        questions::parameters(&mut draft)?;
    }
    for typed in &args.constraint {
        draft.constrain(typed).with_context(|| format!("--constraint \"{typed}\""))?;
    }
    if asks {
        questions::rest(&mut draft)?;
    }
    Ok(draft)
}
