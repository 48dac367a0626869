//! The tables of a study.

use super::axis::Axis;
use super::row::Row;
use super::series::{Place, places, series};
use crate::units::human;

/// The tables, from the raw rows alone.
pub fn tables(rows: &[Row]) -> String {
    let mut text = String::from("Medians over problems drawn by the `prior` rule, extremes in brackets; one thread.\n");
    text += &targets(rows);
    for axis in Axis::ALL {
        let curves = series(rows, axis);
        if curves.is_empty() {
            continue;
        }
        let heads: Vec<String> = curves.iter().map(|(name, _)| format!("{name}: time | nodes | proven")).collect();
        text += &format!("\n| {} | {} |\n|---|{}\n", axis.label(), heads.join(" | "), "---|".repeat(3 * curves.len()));
        for Place { at, .. } in places(&curves) {
            let cells: Vec<String> = curves.iter().map(|(_, curve)| cell(curve, at)).collect();
            text += &format!("| {} | {} |\n", axis.tick(at), cells.join(" | "));
        }
    }
    text
}

fn cell(curve: &[Place], at: f64) -> String {
    let Some(place) = curve.iter().find(|place| place.at == at) else { return "– | – | –".into() };
    let Place { seconds, nodes, proven, solved, .. } = place;
    let open = place.at_least();
    format!(
        "{open}{} ({}–{}) | {} ({}–{}) | {proven}/{solved}",
        human(seconds.middle),
        human(seconds.low),
        human(seconds.high),
        nodes.middle,
        nodes.low,
        nodes.high
    )
}

/// What is asked of problems drawn by the rule, over both kernels.
fn targets(rows: &[Row]) -> String {
    let mut text = String::from("\n| asked | median | proven | |\n|---|---|---|---|\n");
    let asked = [
        ("8D, N = 30", Axis::Inputs, 8.0, 1.0),
        ("10D, N = 30", Axis::Inputs, 10.0, 20.0),
        ("2D, N = 500", Axis::Observations, 500.0, 2.0),
        ("2D, N = 1000", Axis::Observations, 1000.0, 10.0),
    ];
    for (name, axis, at, limit) in asked {
        let chosen: Vec<&Row> = rows.iter().filter(|row| row.axis == axis && row.at == at).collect();
        let cells = match Place::of(at, &chosen) {
            Some(place) => {
                let met = place.seconds.middle < limit && place.at_least().is_empty();
                let (open, middle) = (place.at_least(), human(place.seconds.middle));
                let is_short = !place.at_least().is_empty() && place.seconds.middle < limit;
                let verdict = match (met, is_short) {
                    (true, _) => "met",
                    (false, true) => "undecided: the time limit was shorter",
                    (false, false) => "**missed**",
                };
                format!("{open}{middle} | {}/{} | {verdict}", place.proven, place.solved)
            }
            None => "– | – | –".into(),
        };
        text += &format!("| {name} under {} | {cells} |\n", human(limit));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_show_medians_extremes_and_targets() {
        let at =
            |seconds, status: &str| Row { status: status.into(), ..Row::example(Axis::Inputs, 8.0, "rbf", seconds) };
        let text = tables(&[at(0.2, "optimal"), at(0.5, "optimal"), at(60.0, "time_limit")]);
        assert!(text.contains("| 8 | 500 ms (200 ms–60 s) | 12 (12–12) | 2/3 |"), "{text}");
        assert!(text.contains("| 8D, N = 30 under 1 s | 500 ms | 2/3 | met |"), "{text}");
        let text = tables(&[at(0.2, "optimal"), at(60.0, "time_limit"), at(60.0, "time_limit")]);
        assert!(text.contains("≥ 60 s (200 ms–60 s)") && text.contains("**missed**"), "{text}");
    }
}
