//! The tables of a run, from its rows alone, beside what the paper prints.

use super::paper;
use super::row::Row;
use crate::contender::Contender;
use crate::moments::Moments;
use crate::table::Table;
use crate::units::human;
use std::collections::BTreeMap;

/// Further above the best point known than this is not optimal, by values in floating point whose rounding is far smaller.
const MISS: f64 = 1e-3;

/// Means closer than this are the same minima, found to different last digits.
const TIE: f64 = 1e-6;

/// Kernel, inputs and replication.
type Problem<'r> = (&'r str, usize, u64);

/// What is known of a problem from all rows together.
#[derive(Clone, Copy)]
struct Known {
    /// The lowest value that any contender found.
    best: f64,
    /// The highest proven bound.
    bound: f64,
}

/// The tables.
pub fn tables(rows: &[Row]) -> String {
    let known = known(rows);
    let mut text = String::new();
    for (kernel, title, numbers) in [("matern32", "Matérn 3/2", "Tables 2 and 3"), ("rbf", "RBF", "Table 5")] {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.kernel == kernel).collect();
        if rows.is_empty() {
            continue;
        }
        text += &format!("## {title}: {numbers} of the paper\n\n");
        for part in [values, paper_values, misses, gaps, times, paper_times] {
            text += &part(kernel, &rows, &known);
        }
        text += &ordering(title, &rows);
    }
    text
}

fn known(rows: &[Row]) -> BTreeMap<Problem<'_>, Known> {
    let mut known = BTreeMap::new();
    for row in rows {
        let nothing = Known { best: f64::INFINITY, bound: f64::NEG_INFINITY };
        let entry: &mut Known = known.entry(problem(row)).or_insert(nothing);
        entry.best = entry.best.min(row.value);
        if let (Some(bound), "certified") = (row.lower_bound, row.method.as_str()) {
            entry.bound = entry.bound.max(bound);
        }
    }
    known
}

fn problem(row: &Row) -> Problem<'_> {
    (&row.kernel, row.d, row.replication)
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
        let of = |d: usize| -> Vec<&Row> {
            rows.iter().copied().filter(|row| row.d == d && row.method == contender.name()).collect()
        };
        if rows.iter().any(|row| row.method == contender.name()) {
            table.line(contender.title(), |d| cell(&of(*d)));
        }
    }
    table.into_text() + "\n"
}

fn values(_: &str, rows: &[&Row], _: &BTreeMap<Problem<'_>, Known>) -> String {
    let count = rows.iter().map(|row| row.replication + 1).max().unwrap_or_default();
    by_method(rows, &format!("LCB, mean of {count} (½ sd)"), |rows| {
        Some(Moments::of(rows.iter().map(|row| row.value))?.cell(2))
    })
}

fn times(_: &str, rows: &[&Row], _: &BTreeMap<Problem<'_>, Known>) -> String {
    by_method(rows, "processor time, mean (½ sd)", |rows| {
        let moments = Moments::of(rows.iter().map(|row| row.cpu_seconds))?;
        Some(format!("{} ({})", human(moments.mean), human(0.5 * moments.deviation)))
    })
}

fn misses(_: &str, rows: &[&Row], known: &BTreeMap<Problem<'_>, Known>) -> String {
    let corner = format!("provably not optimal, of all (by at least: mean, largest of those); by more than {MISS:e}");
    by_method(rows, &corner, |rows| {
        let above = |row: &&Row| row.value - known[&problem(row)].best;
        let missed: Vec<f64> = rows.iter().map(above).filter(|above| *above > MISS).collect();
        let largest = missed.iter().copied().fold(0.0, f64::max);
        let by = Moments::of(missed.iter().copied()).map(|m| format!(" ({:.2}, {largest:.2})", m.mean));
        (!rows.is_empty()).then(|| format!("{}/{}{}", missed.len(), rows.len(), by.unwrap_or_default()))
    })
}

fn gaps(_: &str, rows: &[&Row], known: &BTreeMap<Problem<'_>, Known>) -> String {
    by_method(rows, "above the minimum by at most, proven: mean (largest)", |rows| {
        let most: Vec<f64> = rows.iter().map(|row| row.value - known[&problem(row)].bound).collect();
        let largest = most.iter().copied().fold(0.0, f64::max);
        let mean = Moments::of(most)?.mean;
        mean.is_finite().then(|| format!("{mean:.1e} ({largest:.1e})").replace('-', "−"))
    })
}

fn paper_values(kernel: &str, rows: &[&Row], _: &BTreeMap<Problem<'_>, Known>) -> String {
    printed(
        rows,
        "the paper's LCB, mean of 20 (½ sd)",
        |contender| paper::value(kernel, contender),
        |(mean, half)| format!("{mean:.2} ({half:.2})").replace('-', "−"),
    )
}

fn paper_times(kernel: &str, rows: &[&Row], _: &BTreeMap<Problem<'_>, Known>) -> String {
    let line = |contender| paper::seconds(kernel, contender);
    printed(rows, "the paper's time, mean of 20 (½ sd)", line, |(mean, half)| format!("{mean} s ({half} s)"))
}

fn printed(
    rows: &[&Row],
    corner: &str,
    line: impl Fn(Contender) -> Option<[(f64, f64); 5]>,
    cell: impl Fn((f64, f64)) -> String,
) -> String {
    let dimensions = dimensions(rows);
    let mut table = Table::new(corner, &dimensions, |d| format!("{d}D"));
    let mut is_empty = true;
    for contender in Contender::ALL {
        if let Some(numbers) = line(contender) {
            is_empty = false;
            table.line(contender.title(), |d| numbers.get(d - 1).copied().map(&cell));
        }
    }
    if is_empty { String::new() } else { table.into_text() + "\n" }
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
    let open = rows.iter().filter(|row| ["pk", "pk-half", "certified"].contains(&row.method.as_str()));
    let open: Vec<String> = open
        .filter(|row| row.status != "optimal")
        .map(|row| format!("{} {}D {}", row.method, row.d, row.replication))
        .collect();
    let closed = if open.is_empty() { "all of them".into() } else { format!("all but {}", open.join(", ")) };
    text + &format!("{title}: gaps asked for and closed: {closed}.\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misses_are_measured_from_the_best_point_known() {
        let rows = [
            Row::example("l-bfgs-b", 1, 0, -0.5),
            Row::example("pk", 1, 0, -1.0),
            Row::example("certified", 1, 0, -1.0),
            Row::example("l-bfgs-b", 1, 1, -2.0),
            Row::example("pk", 1, 1, -2.0),
            Row::example("certified", 1, 1, -2.0),
        ];
        let text = tables(&rows);
        assert!(text.contains("| L-BFGS-B | −1.25 (0.53) |"), "{text}");
        assert!(text.contains("| L-BFGS-B | 1/2 (0.50, 0.50) |"), "{text}");
        assert!(text.contains("| certified | 1.0e−3 (1.0e−3) |"), "{text}");
        assert!(text.contains("| PK-MIQP | −1.76 (0.27) |"), "{text}");
        assert!(text.contains("certified has the best mean against the five baselines in every column"), "{text}");
        assert!(text.contains("| certified | 250 ms (0 ms) |"), "{text}");
    }

    #[test]
    fn a_baseline_that_is_better_is_said_so() {
        let rows = [Row::example("cobyla", 2, 0, -3.0), Row::example("pk", 2, 0, -1.0)];
        assert!(tables(&rows).contains("PK-MIQP has the best mean against the five baselines except in 2D"));
    }
}
