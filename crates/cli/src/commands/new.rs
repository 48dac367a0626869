//! `fathom new`.

use crate::args::New;
use crate::text::plain_path;
use anyhow::Context as _;
use fathom_proof::{CriterionName, KernelName};
use fathom_study::{Definition, Error, Function, Method, Strategy};
use std::io::IsTerminal as _;
use std::process::ExitCode;

/// What a study file can say, with the defaults as comments.
const TEMPLATE: &str = include_str!("new.toml");

/// The template's own parameters lie between these lines.
const MARKS: [&str; 2] = ["# >>>\n", "# <<<\n"];

/// The template's own command.
const COMMAND: &str = r#"["python3", "evaluate.py", "{x1}", "{x2}"]"#;

/// The template's own goal, and the other one.
const GOALS: [&str; 2] =
    ["\"minimise\"                  # or \"maximise\"", "\"maximise\"                  # or \"minimise\""];

pub fn run(args: &New) -> anyhow::Result<ExitCode> {
    let path = plain_path(&args.file);
    let text = match &args.function {
        Some(name) => name.parse::<Function>()?.study_file(),
        None => {
            let read = |typed: &String| Line::read(typed).with_context(|| format!("--parameter \"{typed}\""));
            let mut lines: Vec<Line> = args.parameter.iter().map(read).collect::<anyhow::Result<_>>()?;
            let (mut command, mut maximise) = (args.command.clone(), args.maximise);
            if lines.is_empty() && std::io::stdin().is_terminal() {
                lines = typed_lines()?;
                command = command.map_or_else(|| typed_command(&lines), |command| Ok(Some(command)))?;
                maximise = maximise || typed_goal()?;
            }
            let stem = args.file.file_stem().map_or("study".into(), |stem| stem.to_string_lossy().into_owned());
            let text = filled(&stem.replace(['"', '\\'], "_"), &lines, command.as_deref())?;
            if maximise { text.replace(GOALS[0], GOALS[1]) } else { text }
        }
    };
    Definition::parse(&text).context("what was typed makes no study")?;
    fathom_files::create_new(&args.file, text.as_bytes())?;
    say!("{path} written: look it over, then `fathom run {path}`");
    Ok(ExitCode::SUCCESS)
}

/// A parameter as a line of the file.
struct Line {
    name: String,
    text: String,
}

impl Line {
    /// The parameter that `name low high`, with `log` or `int` after it, or `name one,two,three` states.
    fn read(typed: &str) -> anyhow::Result<Self> {
        let words: Vec<&str> = typed.split_whitespace().collect();
        let is_number = |word: &str| word.parse::<f64>().is_ok();
        let (name, table) = match words.as_slice() {
            [name, low, high] if is_number(low) && is_number(high) => {
                (name, format!("type = \"float\", low = {low}, high = {high}"))
            }
            [name, low, high, "log"] => {
                (name, format!("type = \"float\", low = {low}, high = {high}, scale = \"log\""))
            }
            [name, low, high, "int"] => (name, format!("type = \"integer\", low = {low}, high = {high}")),
            [name, choices] if choices.contains(',') => {
                let choices: Vec<&str> = choices.split(',').collect();
                (name, format!("type = \"categorical\", choices = {}", serde_json::to_string(&choices)?))
            }
            _ => anyhow::bail!("write `name low high`, with `log` or `int` after it, or `name one,two,three`"),
        };
        let text = format!("{name} = {{ {table} }}\n");
        match Definition::parse(&format!("[parameters]\n{text}")) {
            // The number of a line in the file would mean nothing to somebody who typed one line.
            Err(Error::File { message, .. }) => anyhow::bail!(message),
            parsed => parsed?,
        };
        Ok(Self { name: (*name).to_owned(), text })
    }
}

/// The names of all but the default.
fn others<'n>(names: impl Iterator<Item = &'n str>, default: &str) -> String {
    names.filter(|name| *name != default).collect::<Vec<_>>().join(", ")
}

/// The template with these parameters, if any, and this command.
fn filled(name: &str, lines: &[Line], command: Option<&str>) -> anyhow::Result<String> {
    let Strategy { kernel, optimiser, .. } = Strategy::default();
    let mut text = TEMPLATE
        .replace("KERNELS", &others(Strategy::kernels().map(KernelName::as_str), kernel.as_str()))
        .replace("CRITERIA", &others(CriterionName::ALL.iter().map(|name| name.as_str()), "").replace('_', "-"))
        .replace("OPTIMISERS", &others(Method::all().map(|method| method.name()), optimiser.name()))
        .replace("NAME", name);
    let mut words: Vec<String> = ["python3", "evaluate.py"].map(str::to_owned).to_vec();
    if !lines.is_empty() {
        let (before, rest) = text.split_once(MARKS[0]).context("the template has a start mark")?;
        let (_, after) = rest.split_once(MARKS[1]).context("the template has an end mark")?;
        text = format!("{before}{}{after}", lines.iter().map(|line| line.text.as_str()).collect::<String>());
        words.extend(lines.iter().map(|line| format!("{{{}}}", line.name)));
    }
    if let Some(command) = command {
        words = command.split_whitespace().map(str::to_owned).collect();
    }
    if command.is_some() || !lines.is_empty() {
        text = text.replace(COMMAND, &serde_json::to_string(&words)?);
    }
    Ok(MARKS.iter().fold(text, |text, mark| text.replace(mark, "")))
}

/// The parameters that a person types, line by line.
fn typed_lines() -> anyhow::Result<Vec<Line>> {
    eprintln!("Parameters, one a line: `name low high`, with `log` or `int` after it, or `name one,two,three`.");
    eprintln!("An empty line ends.");
    let mut lines = Vec::new();
    while let Some(typed) = prompt("> ")? {
        match Line::read(&typed) {
            Ok(line) => lines.push(line),
            Err(error) => eprintln!("not understood: {error:#}; for example: learning_rate 1e-5 1e-1 log"),
        }
    }
    Ok(lines)
}

fn typed_command(lines: &[Line]) -> anyhow::Result<Option<String>> {
    let names: String = lines.iter().map(|line| format!(" {{{}}}", line.name)).collect();
    eprintln!("The command that evaluates a point; an empty line takes `python3 evaluate.py{names}`.");
    prompt("> ")
}

/// Whether large values are good.
fn typed_goal() -> anyhow::Result<bool> {
    eprintln!("Are small values good (an empty line), or large ones (`max`)?");
    Ok(prompt("> ")?.is_some_and(|typed| typed.starts_with("max")))
}

/// A line that is not empty.
fn prompt(sign: &str) -> anyhow::Result<Option<String>> {
    eprint!("{sign}");
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(Some(line.trim().to_owned()).filter(|line| !line.is_empty()))
}
