//! What a person at a terminal is asked. An answer that is not understood is asked for again.

use super::draft::{Draft, Evaluation};
use super::line::Line;

pub fn parameters(draft: &mut Draft) -> anyhow::Result<()> {
    eprintln!(
        "Parameters, one a line: `name low high`, with `log`, `int` or `step 5` after it, `name one, two, three` or `name yes/no`."
    );
    eprintln!("For example: `learning_rate 1e-5 1e-1 log`. An empty line ends.");
    while let Some(typed) = prompt()? {
        match Line::read(&typed) {
            Ok(line) if draft.lines.iter().any(|other| other.name == line.name) => {
                eprintln!("not taken: there is a parameter `{}` already", line.name);
            }
            Ok(line) => draft.lines.push(line),
            Err(error) => eprintln!("not understood: {error:#}"),
        }
    }
    Ok(())
}

/// Everything but the parameters, as far as no option has said it.
pub fn rest(draft: &mut Draft) -> anyhow::Result<()> {
    if draft.constraints.is_empty() {
        constraints(draft)?;
    }
    if matches!(draft.evaluation, Evaluation::Example) {
        draft.evaluation = evaluation(draft)?;
    }
    if !draft.maximise {
        eprintln!("Are small values good (an empty line), or large ones (`max`)?");
        draft.maximise = prompt()?.is_some_and(|typed| typed.starts_with("max"));
    }
    if draft.trials.is_none() {
        draft.trials = trials()?;
    }
    Ok(())
}

fn constraints(draft: &mut Draft) -> anyhow::Result<()> {
    eprintln!(
        "Constraints on numbers, one a line, such as `x + 3*y <= 18` or `at most 2 of x, y, z`. An empty line ends."
    );
    while let Some(typed) = prompt()? {
        if let Err(error) = draft.constrain(&typed) {
            eprintln!("not understood: {error:#}");
        }
    }
    Ok(())
}

fn evaluation(draft: &Draft) -> anyhow::Result<Evaluation> {
    let names: String = draft.lines.iter().map(|line| format!(" {{{}}}", line.name)).collect();
    eprintln!("The program that makes an experiment and prints its value, such as `python3 evaluate.py{names}`.");
    eprintln!("Leave it empty if you make the experiments yourself.");
    Ok(prompt()?.map_or(Evaluation::ByHand, Evaluation::Command))
}

fn trials() -> anyhow::Result<Option<u64>> {
    eprintln!("How many experiments are there to be? An empty line takes 50.");
    while let Some(typed) = prompt()? {
        match typed.parse() {
            Ok(trials @ 1..) => return Ok(Some(trials)),
            Ok(_) | Err(_) => eprintln!("not understood: write a whole number, at least 1"),
        }
    }
    Ok(None)
}

/// A line that is not empty.
fn prompt() -> anyhow::Result<Option<String>> {
    eprint!("> ");
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(Some(line.trim().to_owned()).filter(|line| !line.is_empty()))
}
