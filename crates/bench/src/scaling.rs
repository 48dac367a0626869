//! How the search scales: time and nodes against inputs, observations, lengthscale, gap, noise and kernel.
//!
//! Problems follow the `prior` rule, after Section 5.1 of the paper: N points of a Latin hypercube in [0, 1]^D (N =
//! min(10 D, 30) unless N is what varies), one lengthscale √D · logU[0.1, 1], σ_f² ~ U[0.5, 2], y a sample of the
//! prior with its noise (1e-6 unless it varies), κ = √(0.2 D log 2(N + 1)). Draws depend on D, N and the repetition
//! only: along the other axes the same points, variances and normal numbers meet every setting. Matérn 3/2 and RBF,
//! gap 1e-3, one thread. Seconds are those of building the problem from a posterior and searching it, by the clock.
//!
//! `raw.csv` grows by a row a solve and a run can be taken up again; tables and plots are made from it alone.

mod axis;
mod plots;
mod row;
mod series;
mod setting;
mod tables;

pub use axis::Axis;
pub use row::Row;
pub use setting::Plan;
pub use tables::tables;

use crate::evidence::{self, Run};
use crate::units::human;
use anyhow::{Context as _, ensure};
use setting::Setting;
use std::path::{Path, PathBuf};

/// Solves what `folder/raw.csv` does not hold yet, adding each row as it comes, then makes tables and plots.
pub fn run(plan: &Plan, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    ensure!(plan.repetitions > 0, "at least one repetition is needed");
    let (mut raw, done) = Run::resume(folder)?;
    let left: Vec<Setting> = Setting::all(plan).into_iter().filter(|setting| !setting.is_in(&done)).collect();
    eprintln!("{} solves are there, {} to do", done.len(), left.len());
    if let Some(first) = left.first() {
        first.solve(plan.time_limit)?; // warms up
    }
    for setting in left {
        let row = setting.solve(plan.time_limit).with_context(|| format!("solving {setting:?}"))?;
        eprintln!("{} = {}, {}: {}", row.axis.name(), row.axis.tick(row.at), row.kernel, human(row.seconds));
        raw.push(&row)?;
    }
    report(folder)
}

/// Makes `tables.md` and the plots of the study in `folder` from its `raw.csv` alone; the files written.
pub fn report(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let rows = evidence::read(folder)?;
    let mut written = vec![evidence::write_tables(folder, &tables(&rows))?];
    for axis in Axis::ALL {
        let series = series::series(&rows, axis);
        if !series.is_empty() {
            written.extend(plots::draw(axis, &series).save(folder, axis.name())?);
        }
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::axis::KERNELS;
    use super::*;
    use crate::evidence::Record as _;
    use std::time::Duration;

    #[test]
    fn a_study_is_taken_up_where_it_was_cut_short() {
        let folder = std::env::temp_dir().join(format!("fathom-scaling-resume-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a new folder");
        let plan = Plan { time_limit: Duration::from_secs(1), repetitions: 1, quick: true };
        let settings = Setting::all(&plan);
        let (left, done) = settings.split_first().expect("some settings");
        let known = |setting: &Setting| Row {
            repetition: 0,
            ..Row::example(setting.axis, setting.at, KERNELS[setting.kernel].1, 1.0)
        };
        let lines: Vec<String> = done.iter().map(|setting| known(setting).to_line() + "\n").collect();
        let text = format!("{}\n{}inputs,1.0,mate", Row::HEAD, lines.concat());
        std::fs::write(folder.join("raw.csv"), text).expect("our folder");
        let written = run(&plan, &folder).expect("one small solve");
        assert_eq!(written.len(), 1 + 2 * Axis::ALL.len());
        let rows = evidence::read::<Row>(&folder).expect("just written");
        assert_eq!(rows.len(), settings.len());
        assert!(left.is_in(&rows) && rows.last().is_some_and(|row| row.status == "optimal"));
        for file in written {
            assert!(std::fs::metadata(&file).expect("the file was written").len() > 500, "{}", file.display());
        }
        std::fs::remove_dir_all(folder).expect("the folder is ours");
    }
}
