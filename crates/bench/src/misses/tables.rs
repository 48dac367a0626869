//! The tables of a run.

use super::{MISS, Row};
use crate::spread::Spread;
use crate::table::Table;
use crate::units::human;

/// The tables, from the raw rows alone.
pub fn tables(rows: &[Row]) -> String {
    let mut text = format!(
        "Missed: more than {MISS:e} above the proven lower bound of the minimum. How many of how many problems, and in\n\
         brackets the median and the largest distance of those missed.\n\n"
    );
    let mut groups: Vec<Group> =
        rows.iter().map(|row| Some((row.family != "prior", row.family.clone(), row.d))).collect();
    groups.sort();
    groups.dedup();
    groups.push(None);
    let mut methods: Vec<&str> = Vec::new();
    for row in rows {
        if !methods.contains(&row.method.as_str()) {
            methods.push(&row.method);
        }
    }
    let head = |group: &Group| group.as_ref().map_or("all".into(), |(_, family, d)| format!("{family} {d}D"));
    let of = |method: &str, group: &Group| -> Vec<&Row> {
        let here = |row: &&Row| group.as_ref().is_none_or(|(_, family, d)| row.family == *family && row.d == *d);
        rows.iter().filter(|row| row.method == method).filter(here).collect()
    };
    let mut missed = Table::new("missed", &groups, head);
    let mut time = Table::new("CPU time, median (longest)", &groups, head);
    for method in methods {
        missed.line(method, |group| {
            let rows = of(method, group);
            let misses: Vec<f64> = rows.iter().filter(|row| row.is_missed()).map(|row| row.miss()).collect();
            let count = format!("{} of {}", misses.len(), rows.len());
            let by = Spread::of(misses).map(|spread| format!(" ({:.2}, {:.2})", spread.middle, spread.high));
            (!rows.is_empty()).then(|| count + &by.unwrap_or_default())
        });
        time.line(method, |group| {
            let spread = Spread::of(of(method, group).iter().map(|row| row.seconds).collect())?;
            Some(format!("{} ({})", human(spread.middle), human(spread.high)))
        });
    }
    text += &format!("{}\n{}", missed.into_text(), time.into_text());
    text
}

/// A family and its inputs, `prior` first; `None` is everything.
type Group = Option<(bool, String, usize)>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misses_are_counted_by_method_and_group() {
        let rows = [
            Row::example("multistart", "a", -1.0),
            Row::example("multistart", "b", -0.5),
            Row { d: 3, ..Row::example("multistart", "c", -1.0) },
            Row::example("slsqp", "a", -0.75),
        ];
        let text = tables(&rows);
        assert!(text.contains("| missed | prior 2D | prior 3D | all |"), "{text}");
        assert!(text.contains("| multistart | 1 of 2 (0.50, 0.50) | 0 of 1 | 1 of 3 (0.50, 0.50) |"), "{text}");
        assert!(text.contains("| slsqp | 1 of 1 (0.25, 0.25) | – | 1 of 1 (0.25, 0.25) |"), "{text}");
    }
}
