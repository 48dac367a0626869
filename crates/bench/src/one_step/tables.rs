//! The tables of a run, beside what the paper prints in its Tables 2, 3 and 5.

use super::Row;
use crate::contender::Contender;
use crate::statistics::Moments;
use crate::table::Table;
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
        text += &(values(&matern) + &paper_values(&matern, &MATERN_VALUES) + &misses(&matern, &known));
        text += &(gaps(&matern, &known) + &times(&matern));
        text += &printed(&matern, "the paper's time", &MATERN_SECONDS, |(mean, half)| format!("{mean} s ({half} s)"));
        text += &ordering("Matérn 3/2", &matern);
    }
    if !rbf.is_empty() {
        text += "## RBF: Table 5 of the paper\n\n";
        text += &(values(&rbf) + &paper_values(&rbf, &RBF_VALUES) + &misses(&rbf, &known));
        text += &(gaps(&rbf, &known) + &times(&rbf) + &ordering("RBF", &rbf));
    }
    text
}

fn dimensions(rows: &[&Row]) -> Vec<usize> {
    let mut all: Vec<usize> = rows.iter().map(|row| row.d).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// A line for each contender that has rows; a cell is made of its rows in one dimension.
fn by_method(rows: &[&Row], corner: &str, cell: impl Fn(&[&Row]) -> Option<String>) -> String {
    let dimensions = dimensions(rows);
    let mut table = Table::new(corner, &dimensions, |d| format!("{d}D"));
    for contender in Contender::ALL {
        let own: Vec<&Row> = rows.iter().copied().filter(|row| row.method == contender.name()).collect();
        if !own.is_empty() {
            let of = |d: usize| own.iter().copied().filter(|row| row.d == d).collect::<Vec<&Row>>();
            table.line(contender.title(), |d| cell(&of(*d)));
        }
    }
    table.into_text() + "\n"
}

fn values(rows: &[&Row]) -> String {
    let count = rows.iter().map(|row| row.replication + 1).max().unwrap_or_default();
    by_method(rows, &format!("LCB, mean of {count} (½ sd)"), |rows| {
        Some(Moments::of(rows.iter().map(|row| row.value))?.cell(|value| format!("{value:.2}")))
    })
}

fn times(rows: &[&Row]) -> String {
    by_method(rows, "processor time, mean (½ sd)", |rows| {
        Some(Moments::of(rows.iter().map(|row| row.cpu_seconds))?.cell(human))
    })
}

fn misses(rows: &[&Row], known: &BTreeMap<Problem<'_>, (f64, f64)>) -> String {
    let corner = format!("provably not optimal, of all (by at least: mean, largest of those); by more than {MISS:e}");
    by_method(rows, &corner, |rows| {
        let above = |row: &&Row| row.value - known[&problem(row)].0;
        let missed: Vec<f64> = rows.iter().map(above).filter(|above| *above > MISS).collect();
        let largest = missed.iter().copied().fold(0.0, f64::max);
        let by = Moments::of(missed.iter().copied()).map(|m| format!(" ({:.2}, {largest:.2})", m.mean));
        (!rows.is_empty()).then(|| format!("{}/{}{}", missed.len(), rows.len(), by.unwrap_or_default()))
    })
}

fn gaps(rows: &[&Row], known: &BTreeMap<Problem<'_>, (f64, f64)>) -> String {
    by_method(rows, "above the minimum by at most, proven: mean (largest)", |rows| {
        let most: Vec<f64> = rows.iter().map(|row| row.value - known[&problem(row)].1).collect();
        let largest = most.iter().copied().fold(0.0, f64::max);
        let mean = Moments::of(most)?.mean;
        mean.is_finite().then(|| format!("{mean:.1e} ({largest:.1e})").replace('-', "−"))
    })
}

fn paper_values(rows: &[&Row], lines: &[Line]) -> String {
    printed(rows, "the paper's LCB", lines, |(mean, half)| format!("{mean:.2} ({half:.2})").replace('-', "−"))
}

fn printed(rows: &[&Row], what: &str, lines: &[Line], cell: impl Fn((f64, f64)) -> String) -> String {
    let dimensions = dimensions(rows);
    let mut table = Table::new(&format!("{what}, mean of 20 (½ sd)"), &dimensions, |d| format!("{d}D"));
    for (contender, numbers) in lines {
        table.line(contender.title(), |d| numbers.get(d - 1).copied().map(&cell));
    }
    table.into_text() + "\n"
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
        text += &format!("{title}: {} has the best mean against the five baselines {verdict}.\n", contender.title());
    }
    // PK-MIQP's is that of the piecewise-linear function.
    let asked = rows.iter().filter(|row| ["pk", "pk-half", "certified"].contains(&row.method.as_str()));
    let open: Vec<String> = asked
        .filter(|row| row.status != "optimal")
        .map(|row| format!("{} {}D {}", row.method, row.d, row.replication))
        .collect();
    let closed = if open.is_empty() { "all of them".into() } else { format!("all but {}", open.join(", ")) };
    text + &format!("{title}: gaps asked for and closed: {closed}.\n\n")
}
