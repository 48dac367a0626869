//! The tables of a run, from its rows alone.

use super::plots::regrets;
use super::{BETAS, CONTENDERS, FUNCTIONS, Row};
use crate::contender::Contender;
use crate::moments::Moments;
use crate::table::Table;
use fathom_study::Function;

/// A step further above the certified point than this, in outputs scaled to [0, 1], counts as suboptimal.
const MISS: f64 = 1e-3;

/// The tables.
pub fn tables(rows: &[Row]) -> String {
    let mut columns: Vec<(f64, Function)> = Vec::new();
    for beta in BETAS {
        let is_there = |function: &Function| rows.iter().any(|row| row.beta == beta && row.function == function.name());
        columns.extend(FUNCTIONS.into_iter().filter(is_there).map(|function| (beta, function)));
    }
    let head = |(beta, function): &(f64, Function)| format!("{}, κ = {:.1}", function.name(), beta.sqrt());
    let of = |(beta, function): &(f64, Function)| -> Vec<&Row> {
        rows.iter().filter(|row| row.beta == *beta && row.function == function.name()).collect()
    };
    let end = |column: &(f64, Function), contender: Contender| {
        let here = of(column);
        let iterations = here.iter().map(|row| row.iterations).max().unwrap_or_default();
        regrets(&here, contender.name(), iterations, column.1.minimum())
    };
    let count = rows.iter().map(|row| row.seed + 1).max().unwrap_or_default();
    let mut regret = Table::new(&format!("regret at the end, mean of {count} (½ sd)"), &columns, head);
    let mut wins = Table::new("the certified search ends lower / higher (by more than 1 %)", &columns, head);
    let corner = format!("steps provably suboptimal by more than {MISS:e} (mean, largest of those)");
    let mut missed = Table::new(&corner, &columns, head);
    let mut unsure = Table::new("steps whose certified minimum was not closed", &columns, head);
    for contender in CONTENDERS {
        regret.line(contender.title(), |column| {
            let moments = Moments::of(end(column, contender))?;
            Some(format!("{:.1e} ({:.1e})", moments.mean, 0.5 * moments.deviation).replace('-', "−"))
        });
        wins.line(contender.title(), |column| {
            let (ours, theirs) = (end(column, Contender::Certified), end(column, contender));
            let (mut lower, mut higher) = (0, 0);
            for (ours, theirs) in ours.into_iter().zip(theirs) {
                let room = 0.01 * ours.abs().max(theirs.abs()) + 1e-6;
                lower += usize::from(ours < theirs - room);
                higher += usize::from(ours > theirs + room);
            }
            (contender != Contender::Certified).then(|| format!("{lower} / {higher}"))
        });
        let steps = |column: &(f64, Function)| -> Vec<&Row> {
            of(column).into_iter().filter(|row| row.method == contender.name() && row.at_least.is_some()).collect()
        };
        missed.line(contender.title(), |column| {
            let (steps, mut by) = (steps(column), Vec::new());
            by.extend(steps.iter().filter_map(|row| row.at_least).filter(|least| *least > MISS));
            let largest = by.iter().copied().fold(0.0, f64::max);
            let sizes = Moments::of(by.iter().copied()).map(|m| format!(" ({:.3}, {largest:.2})", m.mean));
            Some(format!("{} of {}{}", by.len(), steps.len(), sizes.unwrap_or_default()))
        });
        unsure.line(contender.title(), |column| {
            let steps = steps(column);
            Some(format!("{} of {}", steps.iter().filter(|row| row.status != "optimal").count(), steps.len()))
        });
    }
    [regret, wins, missed, unsure].map(Table::into_text).join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_that_another_point_beats_are_counted() {
        let minimum = Function::Bumpy.minimum();
        let mut rows = Vec::new();
        for (method, value, at_least) in [("l-bfgs-b", 2.0, 0.5), ("multistart", 1.0, 0.0), ("certified", 1.0, 0.0)] {
            let row = |(t, value): (usize, f64)| Row::example(method, 0, t, minimum + value, at_least);
            rows.extend([3.0, 3.0, value].into_iter().enumerate().map(row));
        }
        let text = tables(&rows);
        assert!(text.contains("| L-BFGS-B | 2.0e0 (0.0e0) |"), "{text}");
        assert!(text.contains("| L-BFGS-B | 1 / 0 |") && text.contains("| multi-start L-BFGS-B | 0 / 0 |"), "{text}");
        assert!(text.contains("| L-BFGS-B | 2 of 2 (0.500, 0.50) |"), "{text}");
        assert!(text.contains("| certified | 0 of 2 |"), "{text}");
    }
}
