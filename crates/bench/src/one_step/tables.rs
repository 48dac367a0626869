//! The tables of a run, beside what the paper prints in its Tables 2, 3 and 5.

use super::Row;
use crate::contender::Contender;
use crate::statistics::Moments;
use crate::table::{Table, captioned};
use crate::units::human;
use std::collections::BTreeMap;

/// Further above the best point known than this is not optimal, by values in floating point whose rounding is far smaller.
const MISS: f64 = 1e-3;

/// Means closer than this are the same minima, found to different last digits.
const TIE: f64 = 1e-6;

/// One line of the paper: mean and half a standard deviation over 20 replications for 1D to 5D.
type Line = (Contender, [(f64, f64); 5]);

/// The LCB found with Matérn 3/2, Table 2.
#[rustfmt::skip]
const MATERN_VALUES: [Line; 6] = [
    (Contender::LbfgsB, [(-0.68, 0.54), (-0.94, 0.51), (-1.79, 0.74), (-1.21, 0.77), (-1.22, 0.50)]),
    (Contender::NelderMead, [(-0.65, 0.51), (-0.96, 0.51), (-1.32, 0.42), (-1.98, 1.07), (-1.07, 0.41)]),
    (Contender::Cobyla, [(-1.09, 0.44), (-1.26, 0.52), (-1.48, 0.75), (-1.58, 0.75), (-0.68, 0.49)]),
    (Contender::Slsqp, [(-0.59, 0.53), (-0.99, 0.70), (-1.58, 0.75), (-1.49, 0.86), (-1.43, 0.51)]),
    (Contender::TrustConstr, [(-0.54, 0.53), (-1.19, 0.55), (-1.95, 0.53), (-1.71, 0.88), (-1.61, 0.49)]),
    (Contender::Pk, [(-1.76, 0.27), (-2.26, 0.49), (-2.17, 0.36), (-2.25, 0.74), (-1.62, 0.50)]),
];

/// The same with RBF, Table 5.
#[rustfmt::skip]
const RBF_VALUES: [Line; 6] = [
    (Contender::LbfgsB, [(-0.67, 0.68), (-0.90, 0.42), (-2.03, 1.85), (-2.77, 1.45), (-2.26, 1.31)]),
    (Contender::NelderMead, [(-0.98, 0.63), (-0.87, 0.67), (-1.53, 0.74), (-2.70, 1.43), (-2.12, 1.38)]),
    (Contender::Cobyla, [(-1.25, 0.82), (-1.44, 0.60), (-2.18, 1.83), (-1.47, 0.99), (-2.49, 1.37)]),
    (Contender::Slsqp, [(-1.04, 1.00), (-0.72, 0.41), (-2.34, 1.83), (-2.53, 1.49), (-2.28, 1.29)]),
    (Contender::TrustConstr, [(-0.57, 0.68), (-1.27, 0.38), (-1.90, 0.70), (-3.06, 1.56), (-2.89, 1.32)]),
    (Contender::Pk, [(-1.82, 0.71), (-1.99, 0.49), (-2.94, 0.65), (-4.20, 1.87), (-3.10, 1.28)]),
];

/// Seconds with Matérn 3/2, Table 3.
#[rustfmt::skip]
const MATERN_SECONDS: [Line; 7] = [
    (Contender::LbfgsB, [(0.12, 0.06), (0.14, 0.08), (0.46, 0.25), (0.41, 0.16), (0.80, 0.37)]),
    (Contender::NelderMead, [(0.27, 0.11), (1.63, 2.35), (1.96, 1.28), (2.34, 0.96), (3.75, 1.51)]),
    (Contender::Cobyla, [(0.21, 0.06), (0.48, 0.29), (1.57, 1.32), (2.21, 1.52), (1.68, 0.75)]),
    (Contender::Slsqp, [(0.08, 0.04), (0.10, 0.05), (0.40, 0.17), (0.24, 0.13), (0.61, 0.23)]),
    (Contender::TrustConstr, [(0.26, 0.11), (0.78, 0.21), (0.88, 0.29), (2.67, 1.76), (1.78, 0.84)]),
    (Contender::Pk, [(2.08, 0.35), (11.37, 3.95), (866.48, 601.49), (1557.82, 576.70), (3199.24, 361.09)]),
    (Contender::AdditivePk, [(2.08, 0.35), (7.14, 0.93), (15.41, 2.04), (19.06, 4.52), (22.45, 3.34)]),
];

/// Kernel, inputs and replication.
type Problem<'r> = (&'r str, usize, u64);

fn problem(row: &Row) -> Problem<'_> {
    (&row.kernel, row.d, row.replication)
}

pub(super) fn tables(rows: &[Row]) -> String {
    // Of each problem the lowest value that any contender found, and the highest proven bound.
    let mut known: BTreeMap<Problem<'_>, (f64, f64)> = BTreeMap::new();
    for row in rows {
        let (best, bound) = known.entry(problem(row)).or_insert((f64::INFINITY, f64::NEG_INFINITY));
        *best = best.min(row.value);
        if let (Some(proven), "certified") = (row.lower_bound, row.method.as_str()) {
            *bound = bound.max(proven);
        }
    }
    let of = |kernel: &str| -> Vec<&Row> { rows.iter().filter(|row| row.kernel == kernel).collect() };
    let (matern, rbf) = (of("matern32"), of("rbf"));
    let mut text = String::new();
    if !matern.is_empty() {
        text += "## Matérn 3/2: Tables 2 and 3 of the paper\n\n";
        text += &(values("Table 2, ours", &matern) + &printed("Table 2, the paper's", "LCB", &matern, &MATERN_VALUES));
        text += &(misses(&matern, &known) + &gaps(&matern, &known) + &times("Table 3, ours", &matern));
        text += &(printed("Table 3, the paper's", "seconds", &matern, &MATERN_SECONDS) + &by_solver(&matern));
        text += &ordering("Matérn 3/2", &matern);
    }
    if !rbf.is_empty() {
        text += "## RBF: Table 5 of the paper\n\n";
        text += &(values("Table 5, ours", &rbf) + &printed("Table 5, the paper's", "LCB", &rbf, &RBF_VALUES));
        text += &(misses(&rbf, &known) + &gaps(&rbf, &known));
        text += &(times("Times beside Table 5, which the paper does not have", &rbf) + &by_solver(&rbf));
        text += &ordering("RBF", &rbf);
    }
    text
}

fn dimensions(rows: &[&Row]) -> Vec<usize> {
    let mut all: Vec<usize> = rows.iter().map(|row| row.d).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The name of a contender's line, with the solver's version.
fn label(contender: Contender, rows: &[&Row]) -> String {
    let solver = rows.iter().find_map(|row| row.solver.as_deref());
    solver.map_or_else(|| contender.title().into(), |solver| contender.title().replacen("SCIP", solver, 1))
}

/// How many problems a cell is made of, where that is not said elsewhere: a solver gets a few only.
fn few(rows: &[&Row]) -> String {
    let is_by_solver = rows.iter().any(|row| row.solver.is_some());
    if is_by_solver { format!(", of {}", rows.len()) } else { String::new() }
}

fn replications(rows: &[&Row]) -> u64 {
    rows.iter().map(|row| row.replication + 1).max().unwrap_or_default()
}

/// A line for each contender that has rows; a cell is made of its rows in one dimension.
fn by_method(rows: &[&Row], corner: &str, cell: impl Fn(&[&Row]) -> Option<String>) -> String {
    let dimensions = dimensions(rows);
    let mut table = Table::new(corner, &dimensions, |d| format!("{d}D"));
    for contender in Contender::ALL {
        let own: Vec<&Row> = rows.iter().copied().filter(|row| row.method == contender.name()).collect();
        if !own.is_empty() {
            let of = |d: usize| own.iter().copied().filter(|row| row.d == d).collect::<Vec<&Row>>();
            table.line(&label(contender, &own), |d| cell(&of(*d)));
        }
    }
    table.into_text()
}

fn values(item: &str, rows: &[&Row]) -> String {
    let caption = format!(
        "{item}: the LCB at the point that each method ends at, mean of {} problems (½ sd); lower is better. The problems are \
         drawn by our rule, so numbers can be compared within a column.",
        replications(rows)
    );
    let table = by_method(rows, "LCB", |rows| {
        let moments = Moments::of(rows.iter().map(|row| row.value))?;
        Some(moments.cell(|value| format!("{value:.2}")) + &few(rows))
    });
    captioned(&caption, &table)
}

fn times(item: &str, rows: &[&Row]) -> String {
    let caption =
        format!("{item}: processor time of one minimisation, mean of {} problems (½ sd).", replications(rows));
    let cell = |rows: &[&Row]| Some(Moments::of(rows.iter().map(|row| row.cpu_seconds))?.cell(human) + &few(rows));
    captioned(&caption, &by_method(rows, "time", cell))
}

fn misses(rows: &[&Row], known: &BTreeMap<Problem<'_>, (f64, f64)>) -> String {
    let caption = format!(
        "Not optimal: problems in which a method ends more than {MISS:e} above the best point that any method found (by: mean, \
         largest of those)."
    );
    let table = by_method(rows, "not optimal", |rows| {
        let above = |row: &&Row| row.value - known[&problem(row)].0;
        let missed: Vec<f64> = rows.iter().map(above).filter(|above| *above > MISS).collect();
        let largest = missed.iter().copied().fold(0.0, f64::max);
        let by = Moments::of(missed.iter().copied()).map(|m| format!(" ({:.2}, {largest:.2})", m.mean));
        (!rows.is_empty()).then(|| format!("{}/{}{}", missed.len(), rows.len(), by.unwrap_or_default()))
    });
    captioned(&caption, &table)
}

fn gaps(rows: &[&Row], known: &BTreeMap<Problem<'_>, (f64, f64)>) -> String {
    let table = by_method(rows, "above the bound", |rows| {
        let most: Vec<f64> = rows.iter().map(|row| row.value - known[&problem(row)].1).collect();
        let largest = most.iter().copied().fold(0.0, f64::max);
        let mean = Moments::of(most)?.mean;
        mean.is_finite().then(|| format!("{mean:.1e} ({largest:.1e})").replace('-', "−"))
    });
    captioned("Above the bound that the certified search proves: mean (largest).", &table)
}

/// What the paper prints, in the same columns.
fn printed(item: &str, what: &str, rows: &[&Row], lines: &[Line]) -> String {
    let dimensions = dimensions(rows);
    let mut table = Table::new(what, &dimensions, |d| format!("{d}D"));
    for (contender, numbers) in lines {
        // The paper's engine is another one.
        let title = contender.title().replacen("embedded search", "Gurobi 11, 50 % gap", 1);
        let cell = |(mean, half): (f64, f64)| format!("{mean:.2} ({half:.2})").replace('-', "−");
        table.line(&title, |d| numbers.get(d - 1).copied().map(cell));
    }
    captioned(&format!("{item}: {what}, mean of 20 problems (½ sd), on a Core i7-8700."), &table.into_text())
}

/// PK-MIQP by a solver beside the embedded search, on the problems that both got.
fn by_solver(rows: &[&Row]) -> String {
    let solved: Vec<Problem<'_>> = rows.iter().filter(|row| row.solver.is_some()).map(|row| problem(row)).collect();
    if solved.is_empty() {
        return String::new();
    }
    let is_shown = |row: &Row| row.method.starts_with("pk") && row.method != "pk-groups" || row.method == "certified";
    let shared: Vec<&Row> =
        rows.iter().copied().filter(|row| is_shown(row) && solved.contains(&problem(row))).collect();
    let table = by_method(&shared, "on the same problems", |rows| {
        let closed = rows.iter().filter(|row| row.status == "optimal").count();
        let mean = |of: fn(&Row) -> f64| Moments::of(rows.iter().map(|row| of(row))).map(|moments| moments.mean);
        let left = Moments::of(rows.iter().filter_map(|row| row.left)).map(|m| format!(", gap left {:.1e}", m.mean));
        let (value, cpu) = (mean(|row| row.value)?, human(mean(|row| row.cpu_seconds)?));
        let text = format!("{value:.2}; closed {closed}/{}{}; {cpu}", rows.len(), left.unwrap_or_default());
        Some(text.replace('-', "−"))
    });
    let caption = format!(
        "The engines beside each other: on the problems that the solver got, the mean LCB; how many gaps were closed within {} \
         processor seconds ({} s by the clock for the embedded search), and the mean gap left between value and bound of the \
         piecewise-linear function; the mean processor time.",
        super::SOLVER_LIMIT,
        super::LIMIT.as_secs()
    );
    captioned(&caption, &table)
}

/// Whether PK-MIQP and the certified search are best in each column against the five baselines, as the paper claims.
fn ordering(title: &str, rows: &[&Row]) -> String {
    let mut text = String::new();
    let mean = |contender: Contender, d: usize| {
        let of = |row: &&&Row| row.d == d && row.method == contender.name();
        Moments::of(rows.iter().filter(of).map(|row| row.value)).map(|moments| moments.mean)
    };
    for contender in [Contender::Pk, Contender::PkHalf, Contender::Certified] {
        let behind = |d: &usize| {
            let own = mean(contender, *d);
            let baselines = Contender::ALL.into_iter().filter(|other| other.is_baseline());
            baselines.filter_map(|other| mean(other, *d)).any(|other| own.is_none_or(|own| own > other + TIE))
        };
        let lost: Vec<String> = dimensions(rows).iter().filter(|d| behind(d)).map(|d| format!("{d}D")).collect();
        let verdict = if lost.is_empty() { "in every column".into() } else { format!("except in {}", lost.join(", ")) };
        text += &format!("* {title}: {} has the best mean against the five baselines {verdict}.\n", contender.title());
    }
    // PK-MIQP's is that of the piecewise-linear function.
    let asked = rows.iter().filter(|row| ["pk", "pk-half", "pk-published", "certified"].contains(&row.method.as_str()));
    let open: Vec<String> = asked
        .filter(|row| row.status != "optimal")
        .map(|row| format!("{} {}D {}", row.method, row.d, row.replication))
        .collect();
    let closed = if open.is_empty() { "all of them".into() } else { format!("all but {}", open.join(", ")) };
    text + &format!("* {title}: gaps asked for and closed without a solver: {closed}.\n\n")
}
