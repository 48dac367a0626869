//! `fathom import`.

use crate::args::Import;
use crate::studies::{self, point_text};
use crate::text::{plain, plain_path};
use anyhow::Context as _;
use fathom_sheet::{Column, Options, Role, Row, Table};
use fathom_study::{Error, Experiment, Imported, Outcome, Purpose};
use std::process::ExitCode;

/// How many experiments a dry run shows.
const SHOWN: usize = 5;

/// How many rows that are left out are named.
const NAMED: usize = 8;

pub fn run(args: &Import) -> anyhow::Result<ExitCode> {
    // The table is read before the study is opened, so that a mistake creates and adds nothing.
    let file = studies::file(&args.study)?;
    let table =
        Table::read(&args.table, &file.definition().space, &options(args)).with_context(|| plain_path(&args.table))?;
    let experiments = table.experiments();
    if args.dry_run {
        let imported = match file.open(Purpose::Look) {
            Ok(mut opened) => opened.study.rehearse(&experiments)?,
            Err(Error::NoStore { .. } | Error::NoSuchStudy { .. }) => Imported { added: experiments.len(), known: 0 },
            Err(error) => return Err(error.into()),
        };
        rehearse(args, &table, imported)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut study = studies::opened(&args.study, &file, Purpose::Add)?;
    let Imported { added, known } = study.import_all(&experiments)?;
    summarise(args, &table)?;
    let added = if added == 1 { "1 trial added".to_owned() } else { format!("{added} trials added") };
    match known {
        0 => say!("{added}"),
        known => say!("{added}, {known} there already"),
    }
    Ok(ExitCode::SUCCESS)
}

fn options(args: &Import) -> Options {
    Options {
        value: args.value.clone(),
        columns: args.column.clone(),
        ignored: args.ignore.clone(),
        separator: args.separator,
        decimal: args.decimal.map(Into::into),
        sheet: args.sheet.clone(),
    }
}

/// Whether a column is understood although its header says something else.
fn is_renamed(column: &&Column) -> bool {
    match &column.role {
        Role::Parameter(name) => *name != column.header && fathom_sheet::column(name) != column.header,
        Role::Value(name) => *name != column.header && !column.header.ends_with(&format!(":{name}")),
        Role::State | Role::Message | Role::Origin | Role::Trial | Role::Ignored => false,
    }
}

/// What was understood, in a few lines.
fn summarise(args: &Import, table: &Table) -> anyhow::Result<()> {
    let rows = match table.rows.len() + table.left_out.len() {
        1 => "1 row".to_owned(),
        count => format!("{count} rows"),
    };
    say!("{}: {}, {rows}", plain_path(&args.table), plain(&table.manner()));
    let renamed: Vec<String> = table
        .columns
        .iter()
        .filter(is_renamed)
        .map(|column| format!("`{}` is {}", plain(&column.header), what(&column.role)))
        .collect();
    if !renamed.is_empty() {
        say!("{}", renamed.join(", "));
    }
    for remark in &table.remarks {
        say!("{}", plain(remark));
    }
    left_out(table)
}

/// What a column is, in a sentence.
fn what(role: &Role) -> String {
    if let Role::Parameter(name) = role { name.clone() } else { role.to_string() }
}

/// The rows that are no experiments.
fn left_out(table: &Table) -> anyhow::Result<()> {
    let named: Vec<String> =
        table.left_out.iter().take(NAMED).map(|left| format!("{} ({})", left.place, plain(&left.reason))).collect();
    let more = match table.left_out.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    match table.left_out.len() {
        0 => {}
        1 => say!("1 row is left out: {}", named.join(", ")),
        count => say!("{count} rows are left out: {}{more}", named.join(", ")),
    }
    Ok(())
}

/// What an import would do.
fn rehearse(args: &Import, table: &Table, imported: Imported) -> anyhow::Result<()> {
    say!("{}: {}", plain_path(&args.table), plain(&table.manner()));
    let width = table.columns.iter().map(|column| column.header.chars().count()).max().unwrap_or(0);
    for Column { letters, header, role } in &table.columns {
        say!("  {letters:<3} {:<width$}  {role}", plain(header));
    }
    for remark in &table.remarks {
        say!("{}", plain(remark));
    }
    left_out(table)?;
    for Row { place, experiment } in table.rows.iter().take(SHOWN) {
        say!("  {place}: {} -> {}", point_text(&experiment.point), outcome(experiment));
    }
    if table.rows.len() > SHOWN {
        say!("  and {} more", table.rows.len() - SHOWN);
    }
    let Imported { added, known } = imported;
    say!("{added} trials would be added, {known} are there already; nothing was written");
    say!("if a column is not what it should be: --value COLUMN, --column PARAMETER=COLUMN, --ignore COLUMN");
    match table.source.separator() {
        Some(_) => say!("if a number is not: --separator comma|semicolon|tab, --decimal point|comma"),
        None => say!("if a number is not: --decimal point|comma; if it is another sheet: --sheet NAME"),
    }
    Ok(())
}

fn outcome(experiment: &Experiment) -> String {
    match &experiment.outcome {
        Some(Outcome::Values(values)) => plain(&values.to_string()),
        Some(Outcome::Failed(reason)) => format!("failed {}", plain(reason)).trim_end().to_owned(),
        None => "pending".to_owned(),
    }
}
