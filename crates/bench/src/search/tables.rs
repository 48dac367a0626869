//! The tables of a comparison.

use super::findings::findings;
use super::row::{Row, Who};
use super::summary::{Summary, ratios, share, summaries};
use super::target::{GROUPS, Group};
use crate::spread::median;
use crate::table::Table;
use crate::units::{human, size};

/// The tables, from the raw rows alone.
pub fn tables(rows: &[Row]) -> String {
    let mut text = String::new();
    if let Some(Row { gap, time_limit, .. }) = rows.first() {
        text += &format!(
            "Gap {gap:e} absolute, {time_limit} s limit, one thread. Of each problem the median repetition.\n"
        );
        text += "Fathom by the clock, problem construction and rounding-safe search; the yardstick in its own CPU time.\n\n";
    }
    text += &speed_table(rows);
    text += &format!("\n{}\n{}\n{}", proof_table(rows), hard_table(rows), findings(rows));
    text
}

fn speed_table(rows: &[Row]) -> String {
    let mut table = Table::new("", &GROUPS, |group| group.name.into());
    let of = |group: &Group, who| summaries(rows.iter().filter(|row| (group.holds)(row)), who);
    let middle = |all: &[Summary]| median(all.iter().map(|problem| problem.seconds).collect());
    for who in [Who::Fathom, Who::Yardstick] {
        let name = who.name();
        table.line(&format!("{name}, median"), |group| middle(&of(group, who)).map(human));
        table.line(&format!("{name}, slowest"), |group| {
            of(group, who).iter().map(|problem| problem.seconds).reduce(f64::max).map(human)
        });
        table.line(&format!("{name}, median nodes"), |group| {
            median(of(group, who).iter().map(|problem| problem.nodes as f64).collect()).map(|nodes| nodes.to_string())
        });
        table.line(&format!("{name}, proven"), |group| share(&of(group, who)));
    }
    table.line("yardstick / fathom, medians", |group| {
        Some(format!("{:.2}×", middle(&of(group, Who::Yardstick))? / middle(&of(group, Who::Fathom))?))
    });
    table.line("yardstick, measured earlier", |group| Some(group.yardstick.into()));
    table.line("must hold", |group| Some(group.must_hold.judge(&of(group, Who::Fathom))));
    table.line("go for", |group| Some(group.go_for.judge(&of(group, Who::Fathom))));
    table.into_text()
}

fn proof_table(rows: &[Row]) -> String {
    let mut table = Table::new("proofs", &GROUPS, |group| group.name.into());
    let within = |group: &Group| rows.iter().filter(|row| (group.holds)(row)).cloned().collect::<Vec<Row>>();
    let bytes = |group: &Group| -> Vec<f64> {
        summaries(&within(group), Who::Verify).iter().filter_map(|p| p.proof_bytes).map(|b| b as f64).collect()
    };
    table.line("accepted", |group| share(&summaries(&within(group), Who::Verify)));
    table.line("verify, median", |group| {
        median(summaries(&within(group), Who::Verify).iter().map(|p| p.seconds).collect()).map(human)
    });
    let times = |value: f64| format!("{value:.1}×");
    table.line("verify / solve, median", |group| {
        median(ratios(&within(group), Who::Verify).into_iter().map(|ratio| ratio.1).collect()).map(times)
    });
    table.line("verify / solve, largest (at most 20×)", |group| {
        ratios(&within(group), Who::Verify).into_iter().map(|ratio| ratio.1).reduce(f64::max).map(times)
    });
    table.line("solve with proof / solve, median", |group| {
        median(ratios(&within(group), Who::Proof).into_iter().map(|ratio| ratio.1).collect())
            .map(|ratio| format!("{ratio:.2}×"))
    });
    table.line("proof, median", |group| median(bytes(group)).map(size));
    table.line("proof, largest", |group| bytes(group).into_iter().reduce(f64::max).map(size));
    table.into_text()
}

/// The `bo` problems one by one.
fn hard_table(rows: &[Row]) -> String {
    let hard = || rows.iter().filter(|row| row.family == "bo");
    let theirs = summaries(hard(), Who::Yardstick);
    let verified = summaries(hard(), Who::Verify);
    let mut text = String::from("| problem | fathom | nodes | gap | yardstick | nodes | gap | verify | proof |\n");
    text += &format!("|---|{}\n", "---|".repeat(8));
    let same = |all: &[Summary], name: &str| all.iter().position(|problem| problem.name == name);
    let cells = |problem: Option<&Summary>| match problem {
        Some(problem) => {
            let gap = problem.value.zip(problem.lower_bound).map_or("∞".into(), |(v, l)| format!("{:.1e}", v - l));
            format!(
                "{} | {} | {gap}{}",
                human(problem.seconds),
                problem.nodes,
                if problem.proven { "" } else { " open" }
            )
        }
        None => "– | – | –".into(),
    };
    for ours in summaries(hard(), Who::Fathom) {
        let yardstick = cells(same(&theirs, &ours.name).map(|at| &theirs[at]));
        let check = same(&verified, &ours.name).map(|at| &verified[at]);
        let seconds = check.map_or("–".into(), |check| human(check.seconds));
        let bytes = check.and_then(|check| check.proof_bytes).map_or("–".into(), |bytes| size(bytes as f64));
        text += &format!("| {} | {} | {yardstick} | {seconds} | {bytes} |\n", ours.name, cells(Some(&ours)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_show_medians_of_medians_beside_the_targets() {
        let rows = [
            Row::example(Who::Fathom, "a", 9.0),
            Row::example(Who::Fathom, "a", 2e-4),
            Row::example(Who::Fathom, "a", 1e-4),
            Row::example(Who::Yardstick, "a", 4e-4),
            Row { proof_bytes: Some(1500), status: "accepted".into(), ..Row::example(Who::Verify, "a", 1e-3) },
        ];
        let text = tables(&rows);
        assert!(text.contains("| fathom, median | 0.2 ms | – |"), "{text}");
        assert!(text.contains("| yardstick / fathom, medians | 2.00× |"), "{text}");
        assert!(text.contains("| must hold | median 0.3 ms: met | – |"), "{text}");
        assert!(text.contains("| go for | median 0.05 ms: **missed** |"), "{text}");
        assert!(text.contains("| verify / solve, largest (at most 20×) | 5.0× |"), "{text}");
        assert!(text.contains("| proof, largest | 1.5 kB |"), "{text}");
        assert!(text.contains("proofs refused (must be none): none."), "{text}");
        let open = Row { status: "time_limit".into(), ..Row::example(Who::Fathom, "b", 1e-4) };
        assert!(tables(&[open]).contains("median 0.3 ms: **missed**, 1 open"), "unproven problems meet no target");
        let hard = Row { family: "bo".into(), status: "time_limit".into(), ..Row::example(Who::Fathom, "c", 20.0) };
        assert!(tables(&[hard]).contains("all < 60 s: undecided, 1 open at 20 s"), "the run was too short to tell");
    }
}
