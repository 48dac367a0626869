//! The table of a run, from its rows alone.

use super::Row;
use std::fmt::Write as _;

/// The table.
pub fn tables(rows: &[Row]) -> String {
    let mut text = String::from(
        "| model | breakpoints | M | ε_M | λ_min(K̃) | real μ | a posteriori μ | norms μ | printed μ \
         | real σ | a posteriori σ | norms σ | printed σ |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let breakpoints = row.asked.map_or_else(|| "paper".to_owned(), |error| format!("ε = {error:e}"));
        let numbers = [
            row.epsilon,
            row.smallest,
            row.mean,
            row.mean_a_posteriori,
            row.mean_norms,
            row.mean_printed,
            row.deviation,
            row.deviation_a_posteriori,
            row.deviation_norms,
            row.deviation_printed,
        ];
        let cells: Vec<String> = numbers.iter().map(|number| format!("{number:.1e}")).collect();
        let Row { kernel, noise, segments, .. } = row;
        let _ = writeln!(text, "| {kernel} σ_ε² = {noise:e} | {breakpoints} | {segments} | {} |", cells.join(" | "));
    }
    text
}
