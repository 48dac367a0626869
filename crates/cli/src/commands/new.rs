//! `fathom new`.

use crate::args::New;
use anyhow::Context as _;
use fathom_study::{Definition, Function};
use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

/// What a study file can say, with the defaults as comments.
const TEMPLATE: &str = include_str!("new.toml");

pub fn run(args: &New) -> anyhow::Result<ExitCode> {
    let path = args.file.display();
    let text = match &args.function {
        Some(name) => name.parse::<Function>()?.study_file(),
        None => {
            let stem = args.file.file_stem().map_or("study".into(), |stem| stem.to_string_lossy().into_owned());
            let text = TEMPLATE.replace("NAME", &stem.replace(['"', '\\'], "_"));
            if std::io::stdin().is_terminal() { with_parameters(&text)? } else { text }
        }
    };
    Definition::parse(&text).context("what was typed makes no study")?;
    let mut file = std::fs::File::create_new(&args.file)
        .with_context(|| format!("could not create {path}; a file that exists is not overwritten"))?;
    file.write_all(text.as_bytes())?;
    say!("{path} written: edit it, then `fathom run {path}`");
    Ok(ExitCode::SUCCESS)
}

/// Replaces the template's parameters by what a person types.
fn with_parameters(template: &str) -> anyhow::Result<String> {
    eprintln!("Parameters, one a line as `name low high` (add `log` or `int`); an empty line ends.");
    let mut lines = String::new();
    loop {
        eprint!("> ");
        let mut line = String::new();
        if std::io::stdin().read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        match line.split_whitespace().collect::<Vec<_>>().as_slice() {
            [name, low, high, rest @ ..] if low.parse::<f64>().is_ok() && high.parse::<f64>().is_ok() => {
                let kind = if rest.contains(&"int") { "integer" } else { "float" };
                let scale = if rest.contains(&"log") { ", scale = \"log\"" } else { "" };
                lines += &format!("{name} = {{ type = \"{kind}\", low = {low}, high = {high}{scale} }}\n");
            }
            _ => eprintln!("not understood; for example: learning_rate 1e-5 1e-1 log"),
        }
    }
    if lines.is_empty() {
        return Ok(template.to_owned());
    }
    let (before, rest) = template.split_once("# >>>\n").context("the template has a start mark")?;
    let (_, after) = rest.split_once("# <<<\n").context("the template has an end mark")?;
    Ok(format!("{before}{lines}{after}"))
}
