//! The tables of a run, from its rows alone.

use super::regrets::Regrets;
use super::row::Row;
use super::setting::Setting;
use crate::contender::Contender;
use crate::moments::Moments;
use crate::table::Table;
use crate::units::human;

/// The tables.
pub fn tables(rows: &[Row]) -> String {
    let all = Regrets::all(rows);
    let settings: Vec<Setting> =
        Setting::ALL.into_iter().filter(|setting| all.iter().any(|regrets| is_of(regrets, setting))).collect();
    let find = |contender: Contender, setting: &Setting| {
        all.iter().find(|regrets| regrets.contender == contender && is_of(regrets, setting))
    };
    // PK-MIQP is one line, by groups where there are groups.
    let pk = |setting: &Setting| if setting.additive { Contender::AdditivePk } else { Contender::Pk };
    let lines = Contender::ALL.into_iter().filter(|contender| Setting::ALL[0].has(*contender));
    let lines: Vec<Contender> = lines.collect();
    let of = |line: Contender, setting: &Setting| find(if line == Contender::Pk { pk(setting) } else { line }, setting);
    let table = |corner: &str, cell: &dyn Fn(&Regrets<'_>) -> Option<String>| {
        let mut table = Table::new(corner, &settings, head);
        for line in &lines {
            table.line(line.title(), |setting| of(*line, setting).and_then(cell));
        }
        table.into_text() + "\n"
    };
    let mut text = String::new();
    let mut counts = Table::new("", &settings, head);
    counts.line("replications", |setting| Some(find(Contender::Certified, setting)?.replications().to_string()));
    counts.line("iterations", |setting| Some(find(Contender::Certified, setting)?.iterations().to_string()));
    text += &(counts.into_text() + "\n");
    text += &table("regret at the end, mean (½ sd); of the support vector machine its error", &|regrets| {
        let moments = regrets.moments(regrets.iterations())?;
        Some(format!("{} ({})", short(moments.mean), short(0.5 * moments.deviation)))
    });
    text += &table(
        "of replications, those in which the certified search ends lower / higher (by more than 1 %)",
        &|regrets| {
            let certified = find(Contender::Certified, &regrets.setting)?;
            let ends = certified.at(certified.iterations()).into_iter().zip(regrets.at(regrets.iterations()));
            let (mut lower, mut higher) = (0, 0);
            for (ours, theirs) in ends {
                let room = 0.01 * ours.abs().max(theirs.abs()) + 1e-6;
                lower += usize::from(ours < theirs - room);
                higher += usize::from(ours > theirs + room);
            }
            (regrets.contender != Contender::Certified).then(|| format!("{lower} / {higher}"))
        },
    );
    text += &table("clock seconds of a step, mean (longest)", &|regrets| {
        let seconds: Vec<f64> = regrets.steps().filter(|row| row.value.is_some()).map(|row| row.seconds).collect();
        let longest = seconds.iter().copied().fold(0.0, f64::max);
        Some(format!("{} ({})", human(Moments::of(seconds)?.mean), human(longest)))
    });
    let mut notes = Table::new("steps", &settings, head);
    let share = |regrets: &Regrets<'_>, status: &str| {
        let all = regrets.steps().count();
        Some(format!("{} of {all}", regrets.steps().filter(|row| row.status == status).count()))
    };
    notes.line("certified: gap closed", |setting| share(find(Contender::Certified, setting)?, "optimal"));
    for line in lines.iter().filter(|line| line.local().is_some()) {
        let has = all.iter().any(|r| r.contender == *line && r.steps().any(|row| row.status == "stuck"));
        if has {
            notes.line(&format!("{}: stuck", line.title()), |setting| share(of(*line, setting)?, "stuck"));
        }
    }
    text + &notes.into_text()
}

fn is_of(regrets: &Regrets<'_>, setting: &Setting) -> bool {
    (regrets.setting.name(), regrets.setting.kernel) == (setting.name(), setting.kernel)
}

fn head(setting: &Setting) -> String {
    let kernel = if setting.kernel == "rbf" { ", RBF" } else { "" };
    format!("{}{kernel}", setting.name())
}

/// Three digits that count.
fn short(value: f64) -> String {
    let text = if value != 0.0 && value.abs() < 1e-3 { format!("{value:.1e}") } else { format!("{value:.3}") };
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regret_is_that_of_the_best_so_far_over_seeds_that_all_have() {
        let minimum = Setting::ALL[0].minimum();
        let mut rows = Vec::new();
        for (method, seed, steps) in [
            ("certified", 0, [3.0, 1.0, 2.0]),
            ("certified", 1, [3.0, 3.0, 3.0]),
            ("slsqp", 0, [3.0, 4.0, 2.0]),
            ("slsqp", 1, [3.0, 3.0, 4.0]),
            ("certified", 2, [9.0, 9.0, 9.0]),
        ] {
            let row = |(t, value): (usize, f64)| Row::example("multimodal", method, seed, t, minimum + value);
            rows.extend(steps.into_iter().enumerate().map(row));
        }
        let text = tables(&rows);
        assert!(text.contains("| replications | 2 |"), "seed 2 is the certified search's alone:\n{text}");
        assert!(text.contains("| certified | 2.000 (0.707) |") && text.contains("| SLSQP | 2.500 (0.354) |"), "{text}");
        assert!(text.contains("| SLSQP | 1 / 0 |") && text.contains("| certified: gap closed | 4 of 4 |"), "{text}");
    }
}
