//! Tables of a run, from its rows alone.

use super::Row;
use crate::spread::median;
use crate::table::Table;
use crate::units::human;
use std::collections::BTreeMap;

/// Every way, the one that others are compared with first.
const WAYS: [&str; 6] = ["true", "sum", "kept", "published", "scip", "gurobi"];

/// A group of problems: inputs and kernel.
type Group = (usize, String);

/// The tables.
pub fn tables(rows: &[Row]) -> String {
    let mut text = String::new();
    if let Some(Row { gap, time_limit, .. }) = rows.first() {
        text += &format!(
            "Gap {gap:e}, {time_limit} s limit, one thread. `true`: the problem itself; `sum`: a kernel for each input; \
             `kept`, `published`: the paper's piecewise-linear kernel by the certified search, with either repair; \
             `scip`, `gurobi`: the program of `kept`, by that solver's word.\n\n"
        );
    }
    let mut groups: Vec<Group> = rows.iter().map(|row| (row.d, row.kernel.clone())).collect();
    groups.sort();
    groups.dedup();
    let of = |group: &Group, way: &str| -> Vec<&Row> {
        rows.iter().filter(|row| row.way == way && (row.d, row.kernel.clone()) == *group).collect()
    };
    let find: BTreeMap<(&str, &str), &Row> =
        rows.iter().map(|row| ((row.instance.as_str(), row.way.as_str()), row)).collect();
    let beside = |row: &Row, way: &'static str| find.get(&(row.instance.as_str(), way)).copied();
    let mut table = Table::new("", &groups, |(d, kernel)| format!("{d}D {kernel}"));
    for way in WAYS.into_iter().filter(|way| rows.iter().any(|row| row.way == *way)) {
        table.line(&format!("{way}: closed"), |group| {
            let all = of(group, way);
            let closed = all.iter().filter(|row| row.status == "optimal").count();
            (!all.is_empty()).then(|| format!("{closed}/{}", all.len()))
        });
        table.line(&format!("{way}: median time"), |group| {
            median(of(group, way).iter().map(|row| row.seconds).collect()).map(human)
        });
        table.line(&format!("{way}: median nodes"), |group| {
            median(of(group, way).iter().map(|row| row.nodes as f64).collect()).map(|nodes| format!("{nodes:.0}"))
        });
        if way != "true" {
            table.line(&format!("{way} / true: time, median (largest)"), |group| {
                let ratio = |row: &&Row| Some(row.seconds / beside(row, "true")?.seconds);
                let ratios: Vec<f64> = of(group, way).iter().filter_map(ratio).collect();
                let largest = ratios.iter().copied().reduce(f64::max)?;
                Some(format!("{:.1}× ({largest:.1}×)", median(ratios)?))
            });
        }
        if ["kept", "published"].contains(&way) {
            table.line(&format!("{way}: true value there, above the true minimum, mean (largest)"), |group| {
                let above = |row: &&Row| Some(row.true_value? - beside(row, "true")?.value?);
                let above: Vec<f64> = of(group, way).iter().filter_map(above).collect();
                let largest = above.iter().copied().reduce(f64::max)?;
                Some(format!("{:.3} ({largest:.3})", above.iter().sum::<f64>() / above.len() as f64))
            });
        }
        if ["scip", "gurobi"].contains(&way) {
            table.line(&format!("{way}: time over that of the certified search, median"), |group| {
                let ratio = |row: &&Row| Some(row.seconds / beside(row, "kept")?.seconds);
                median(of(group, way).iter().filter_map(ratio).collect()).map(|ratio| format!("{ratio:.0}×"))
            });
        }
    }
    text += &table.into_text();
    let refused: Vec<String> = rows
        .iter()
        .filter(|row| !["scip", "gurobi"].contains(&row.way.as_str()) && row.verdict != "accepted")
        .map(|row| format!("{} {}: {}", row.instance, row.way, row.verdict))
        .collect();
    text += "\nProofs refused (must be none): ";
    text += &if refused.is_empty() { "none.".into() } else { refused.join("; ") };
    // Where both closed, their values differ by no more than the gap, and no proven bound is above a solver's value.
    let solved = || rows.iter().filter(|row| ["scip", "gurobi"].contains(&row.way.as_str()));
    let pairs = || solved().filter_map(|row| beside(row, "kept").map(|kept| (row, kept)));
    let closed = pairs().filter(|(row, kept)| row.status == "optimal" && kept.status == "optimal");
    let differ = |(row, kept): &(&Row, &Row)| match (row.value, kept.value) {
        (Some(a), Some(b)) => (a - b).abs() > row.gap + 1e-6,
        _ => true,
    };
    let contradicted = pairs().filter(|(row, kept)| row.value.zip(kept.lower_bound).is_some_and(|(a, b)| b > a));
    text += &format!(
        "\nClosed by a solver and by the certified search: {}, of which further apart than the gap (must be none): {}; \
         proven bounds above a solver's value (must be none): {}.\n",
        closed.clone().count(),
        closed.filter(differ).count(),
        contradicted.count()
    );
    let failed: Vec<String> = solved()
        .filter(|row| row.status == "failed")
        .map(|row| format!("{} {}: {}", row.instance, row.way, row.verdict))
        .collect();
    if !failed.is_empty() {
        text += &format!("\nWithout an answer: {}.\n", failed.join("; "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_stand_beside_the_true_kernel_and_solvers_beside_the_search() {
        let rows = [
            Row::example("a", "true", 1e-3, -1.0),
            Row { true_value: Some(-0.9), ..Row::example("a", "kept", 4e-3, -1.1) },
            Row { verdict: "SCIP 10".into(), ..Row::example("a", "scip", 2.0, -1.1) },
        ];
        let text = tables(&rows);
        assert!(text.contains("| kept / true: time, median (largest) | 4.0× (4.0×) |"), "{text}");
        assert!(text.contains("mean (largest) | 0.100 (0.100) |"), "{text}");
        assert!(text.contains("| scip: time over that of the certified search, median | 500× |"), "{text}");
        assert!(text.contains("certified search: 1, of which further apart than the gap (must be none): 0"), "{text}");
        assert!(text.contains("Proofs refused (must be none): none."), "{text}");
        let wrong = [rows[1].clone(), Row { verdict: "SCIP 10".into(), ..Row::example("a", "scip", 2.0, -1.2) }];
        assert!(tables(&wrong).contains("(must be none): 1; proven bounds above a solver's value (must be none): 1."));
    }
}
