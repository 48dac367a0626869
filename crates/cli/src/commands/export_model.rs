//! `fathom export-model`.

use super::instance::read;
use crate::args::{ExportModel, Format, Written};
use crate::text::plain_path;
use anyhow::Context as _;
use fathom_global::{Posed as _, Statement};
use fathom_miqp::{Dialect, Model};
use fathom_paper::{Program, Treatment, linearise};
use fathom_proof::Criterion;
use std::io::Write;
use std::process::ExitCode;

pub fn run(args: &ExportModel) -> anyhow::Result<ExitCode> {
    let instance = read(&args.instance)?;
    let model = model(args, &instance).with_context(|| plain_path(&args.instance))?;
    match &args.output {
        Some(path) if path.as_os_str() != "-" => {
            let mut text = Vec::new();
            write(args, &model, &mut text)?;
            fathom_files::write(path, &text)?;
        }
        Some(_) | None => write(args, &model, &mut std::io::stdout().lock())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn model(args: &ExportModel, instance: &Statement) -> anyhow::Result<Model> {
    let posterior = instance.posterior()?;
    let problem = instance.problem(&posterior)?;
    let (region, criterion) = (problem.region(), problem.acquisition().criterion());
    let options = args.kernel.options()?;
    let treatment = if args.published { Treatment::Published } else { options.treatment() };
    let negative = treatment.negative();
    let approximate = linearise(&posterior, region, options.breakpoints(1)?, treatment)?;
    let program = match (args.group, args.sub) {
        (None, true) => Program::sub(&approximate, region)?,
        (None, false) => Program::full(&approximate, criterion, region, negative)?,
        (Some(group), sub) => {
            let count = posterior.model().covariance.terms().len();
            anyhow::ensure!(group.get() <= count, "--group {group}: the model has {count} {}", groups(count));
            let criterion = if sub { Criterion::Mean } else { criterion };
            Program::group(&approximate, criterion, region, negative, group.get() - 1)?
        }
    };
    Ok(program.described(&instance.name).model().clone())
}

fn groups(count: usize) -> &'static str {
    if count == 1 { "group, which is all of it" } else { "groups, counted from 1" }
}

fn write(args: &ExportModel, model: &Model, to: &mut impl Write) -> fathom_miqp::Result<()> {
    let dialect = match args.encoding {
        Written::Binaries => Dialect::Common(fathom_miqp::Encoding::Binaries),
        Written::Sos2 => Dialect::Common(fathom_miqp::Encoding::Sos2),
        Written::Logarithmic => Dialect::Common(fathom_miqp::Encoding::Logarithmic),
        Written::Gurobi => Dialect::Gurobi,
    };
    match args.format {
        Format::Lp => model.write_lp(to, dialect),
        Format::Mps => model.write_mps(to, dialect),
    }
}
