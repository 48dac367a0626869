//! Tables and the picture of an arena, from its rows alone.

use super::row::{Claim, Row};
use super::scores::{Group, Scores, groups};
use crate::chart::{self, Axis, Curve, Mark, Panel, Pen, Picture, Place};
use crate::signed_rank::holm;
use crate::statistics::{Moments, Spread, median};
use crate::table::{Table, captioned};
use crate::units::{counted, human};
use std::collections::{BTreeMap, BTreeSet};

/// After how many evaluations ranks are shown, and after how many duels are fought.
const RANKS: [usize; 10] = [8, 10, 15, 20, 30, 40, 60, 100, 150, 200];
const DUELS: [usize; 3] = [15, 60, 200];
/// Decades of regret that the picture's targets span.
const DECADES: f64 = 6.0;
/// A study would stop once no more than this share of the values' range can be gained.
const STOP: f64 = 0.05;
/// How many of the worst problems are listed.
const WORST: usize = 12;

/// Whether a rival is Fathom, in whatever configuration.
fn is_ours(rival: &str) -> bool {
    let head = rival.split(':').next().unwrap_or(rival);
    head.rsplit('@').next() == Some("fathom")
}

/// A rival's own name, if it was given one, for people.
fn title(rival: &str) -> &str {
    rival.split(':').next().and_then(|head| head.split_once('@')).map_or(rival, |(name, _)| name)
}

fn budget(rows: &[Row]) -> usize {
    rows.iter().map(|row| row.budget).max().unwrap_or_default()
}

pub(super) fn text(rows: &[Row]) -> anyhow::Result<String> {
    let scores = Scores::new(&rows.iter().collect::<Vec<_>>())?;
    let mut rivals = scores.rivals();
    let last = budget(rows);
    // The best come first; those that lack problems come last.
    let order = |rival: &&str| scores.mean_rank(rival, last).map_or(i64::MAX, |rank| (rank * 1e6) as i64);
    rivals.sort_by_key(order);
    let (ours, theirs): (Vec<&str>, Vec<&str>) = rivals.iter().copied().partition(|rival| is_ours(rival));
    let mut text = head(rows, &scores);
    text += &ranks(rows, &rivals)?;
    for own in ours {
        text += &duels(&scores, own, &rivals, last);
        text += &by_group(&scores, own, &theirs, last);
        text += &worst(&scores, own, &theirs, last);
    }
    text += &recommended(rows, &rivals);
    text += &seconds(rows, &rivals);
    text += &claims(rows, &rivals)?;
    text += &players(rows, &scores, &rivals);
    Ok(text)
}

fn head(rows: &[Row], scores: &Scores<'_>) -> String {
    format!(
        "{} studies of {} evaluations on {} problems. Regret is a share of the problem's scale (the median of values at random points less the \
         optimum), at least 1e-8; scores are means of its logarithm over seeds. Regrets within 1 % are ties.\n\n",
        rows.len(),
        budget(rows),
        scores.problems.len()
    )
}

/// A table of mean ranks for all problems and for each family.
fn ranks(rows: &[Row], rivals: &[&str]) -> anyhow::Result<String> {
    let families: BTreeSet<&str> = rows.iter().map(|row| row.family.as_str()).collect();
    let everything = (families.len() > 1).then_some("all problems");
    let columns: Vec<usize> = RANKS.into_iter().filter(|n| *n <= budget(rows)).collect();
    let mut text = String::new();
    for family in everything.into_iter().chain(families) {
        let own: Vec<&Row> = rows.iter().filter(|row| family == "all problems" || row.family == family).collect();
        let scores = Scores::new(&own)?;
        let mut table = Table::new("mean rank after", &columns, ToString::to_string);
        for rival in rivals {
            let played = scores.played(rival);
            let label = match played == scores.problems.len() {
                true => title(rival).to_string(),
                false => format!("{} ({played} of {})", title(rival), scores.problems.len()),
            };
            table.line(&label, |n| Some(format!("{:.2}", scores.mean_rank(rival, *n)?)));
        }
        let caption =
            format!("Ranks, {family}: {} problems; who has not played all of them has none.", scores.problems.len());
        text += &captioned(&caption, &table.into_text());
    }
    Ok(text)
}

/// Wins, ties and losses of one of ours against everyone.
fn duels(scores: &Scores<'_>, own: &str, rivals: &[&str], budget: usize) -> String {
    let mut stages: Vec<usize> = DUELS.into_iter().filter(|n| *n < budget).collect();
    stages.push(budget);
    let others: Vec<&str> = rivals.iter().copied().filter(|rival| *rival != own).collect();
    let pairs: Vec<(&str, usize)> = others.iter().flat_map(|rival| stages.iter().map(move |n| (*rival, *n))).collect();
    let fought: Vec<_> =
        pairs.iter().filter_map(|(rival, n)| Some(((*rival, *n), scores.duel(own, rival, *n, |_| true)?))).collect();
    let adjusted = holm(&fought.iter().map(|(_, duel)| duel.p).collect::<Vec<_>>());
    let mut table = Table::new("against", &stages, |n| format!("after {n}"));
    for rival in others {
        table.line(title(rival), |n| {
            let place = fought.iter().position(|(pair, _)| *pair == (rival, *n))?;
            let (duel, p) = (&fought[place].1, adjusted[place]);
            let factor = 10_f64.powf(duel.behind);
            Some(format!(
                "{}/{}/{}, p = {}, regret × {factor:.2}, {}",
                duel.wins,
                duel.ties,
                duel.losses,
                probability(p),
                duel.verdict(p)
            ))
        });
    }
    let seeds = counted(scores.seeds(own) as u64, "seed");
    let caption = format!(
        "Duels of {}: wins/ties/losses over problems, Wilcoxon's signed-rank test on log regret with Holm's correction over this \
         table, and the geometric mean of the regrets' ratio (below 1 is better). It played every problem from at least {seeds}; \"open\" means \
         that problems and seeds are too few to say.",
        title(own)
    );
    captioned(&caption, &table.into_text())
}

fn probability(p: f64) -> String {
    if p < 0.001 { format!("{p:.0e}") } else { format!("{p:.3}") }
}

/// Where one of ours wins and loses at the end.
fn by_group(scores: &Scores<'_>, own: &str, theirs: &[&str], budget: usize) -> String {
    let all: BTreeSet<Group> = scores.problems.values().flat_map(|row| groups(row)).collect();
    let mut table = Table::new("problems", theirs, |rival| title(rival).into());
    for group in all {
        let is_meant = |row: &Row| groups(row).contains(&group);
        let count = scores.problems.values().filter(|row| is_meant(row)).count();
        table.line(&format!("{} ({count})", group.1), |rival| {
            let duel = scores.duel(own, rival, budget, is_meant)?;
            Some(format!("{}/{}/{} {}", duel.wins, duel.ties, duel.losses, duel.verdict(duel.p)))
        });
    }
    let caption = format!(
        "Where {} wins and loses: wins/ties/losses after {budget} evaluations by kind of problem, with what Wilcoxon's test settles at 5 %, \
         each cell by itself; \"open\" means that problems and seeds are too few to say.",
        title(own)
    );
    captioned(&caption, &table.into_text())
}

/// The problems on which one of ours is furthest behind the best of the others.
fn worst(scores: &Scores<'_>, own: &str, theirs: &[&str], budget: usize) -> String {
    let lost = |problem: &&str| -> Option<(f64, String, [String; 3])> {
        let ours = scores.score(own, problem, budget)?;
        let scored = theirs.iter().filter_map(|rival| Some((scores.score(rival, problem, budget)?, *rival)));
        let (best, rival) = scored.min_by(|a, b| a.0.total_cmp(&b.0))?;
        let regret = |score: f64| format!("{:.1e}", 10_f64.powf(score));
        Some((ours - best, (*problem).to_string(), [regret(ours), regret(best), title(rival).into()]))
    };
    let mut all: Vec<_> = scores.problems.keys().filter_map(lost).filter(|(behind, ..)| *behind > 0.0).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (count, of) =
        (all.len(), scores.problems.keys().filter(|problem| scores.score(own, problem, budget).is_some()).count());
    let mut table = Table::new("problem", &[0, 1, 2], |column| ["regret", "of the best other", "who"][*column].into());
    for (_, problem, cells) in all.into_iter().take(WORST) {
        table.line(&problem, |column| Some(cells[*column].clone()));
    }
    let caption = format!(
        "Where {} is furthest behind the best of the others: on {count} of {of} problems somebody ends lower after {budget} evaluations; the first \
         {WORST} of them.",
        title(own)
    );
    captioned(&caption, &table.into_text())
}

/// Under noise, the regret at the point that was told the least, and at the one that the rival recommends.
fn recommended(rows: &[Row], rivals: &[&str]) -> String {
    let noisy: Vec<&Row> = rows.iter().filter(|row| row.family == "noisy").collect();
    if noisy.iter().all(|row| row.recommended.is_none()) {
        return String::new();
    }
    let problems: BTreeSet<&str> = noisy.iter().map(|row| row.problem.as_str()).collect();
    let columns: Vec<Option<&str>> = problems.into_iter().map(Some).chain([None]).collect();
    let mut table = Table::new("told the least / recommended", &columns, |name| name.unwrap_or("all").into());
    for rival in rivals {
        table.line(title(rival), |name| {
            let own = || {
                noisy
                    .iter()
                    .filter(|row| row.rival == **rival && name.is_none_or(|name| row.problem == *name))
                    .filter_map(|row| {
                        let told = row.bests().ok()?.last()?.1;
                        Some((row.regret(told).log10(), row.regret(row.recommended.unwrap_or(told)).log10()))
                    })
            };
            let mean = |logs: Vec<f64>| Some(10_f64.powf(Moments::of(logs)?.mean));
            let (told, recommended) = own().unzip();
            Some(format!("{:.1e} / {:.1e}", mean(told)?, mean(recommended)?))
        });
    }
    let caption = "With noise: the regret at the end, the geometric mean over seeds, at the point that was told the least value and at the point that \
                   the rival recommends; if it recommends none, that is the first one again.";
    captioned(caption, &table.into_text())
}

/// Processor time of suggestions.
fn seconds(rows: &[Row], rivals: &[&str]) -> String {
    let kinds: BTreeSet<(&str, usize)> = rows.iter().map(|row| (row.family.as_str(), row.inputs)).collect();
    let kinds: Vec<(&str, usize)> = kinds.into_iter().collect();
    let mut table = Table::new("processor time", &kinds, |(family, inputs)| format!("{family}, {inputs} inputs"));
    for rival in rivals {
        table.line(title(rival), |kind| {
            let own = || rows.iter().filter(|row| row.rival == **rival && (row.family.as_str(), row.inputs) == *kind);
            let longest = Spread::of(own().map(|row| row.cpu_longest))?.high;
            Some(format!("{} ({})", human(median(own().map(|row| row.cpu_late))?), human(longest)))
        });
    }
    let caption = "Seconds: of one suggestion in the second half of a study, the median of the studies' medians (and the longest suggestion of any study).";
    captioned(caption, &table.into_text())
}

/// What was said of the gain that is left, and whether it was true.
fn claims(rows: &[Row], rivals: &[&str]) -> anyhow::Result<String> {
    let mut by_rival: BTreeMap<&str, Vec<(&Row, Claim)>> = BTreeMap::new();
    for row in rows {
        for claim in row.claims()? {
            by_rival.entry(&row.rival).or_default().push((row, claim));
        }
    }
    let mut text = String::new();
    for rival in rivals.iter().filter(|rival| by_rival.contains_key(**rival)) {
        let made = &by_rival[rival];
        let stages: Vec<usize> =
            made.iter().map(|(_, claim)| claim.after).collect::<BTreeSet<_>>().into_iter().collect();
        let mut table = Table::new("said after", &stages, ToString::to_string);
        let studies = rows.iter().filter(|row| row.rival == **rival);
        let count = |n: usize, is_counted: &dyn Fn(&(&Row, Claim)) -> bool| -> usize {
            made.iter().filter(|said| said.1.after == n && is_counted(said)).count()
        };
        // What is left is not less than nothing, and a claim may be right by rounding alone.
        let is_true = |(row, claim): &(&Row, Claim)| claim.best - row.optimum <= claim.gain + 1e-9 * row.scale;
        let would_stop = |(_, claim): &(&Row, Claim)| claim.gain <= STOP * claim.range;
        let is_right = |said: &(&Row, Claim)| would_stop(said) && said.1.best - said.0.optimum <= STOP * said.1.range;
        let could_stop = |(row, claim): &(&Row, Claim)| claim.best - row.optimum <= STOP * claim.range;
        let reached = |n: usize| studies.clone().filter(|row| row.evaluations >= n).count();
        table.line("statements, of studies", |n| Some(format!("{} of {}", count(*n, &|_| true), reached(*n))));
        table.line("true", |n| {
            let (right, all) = (count(*n, &is_true), count(*n, &|_| true));
            Some(format!("{right} ({:.0} %)", 100.0 * right as f64 / all as f64))
        });
        table.line("claimed, as a share of the range (median)", |n| {
            let shares = made.iter().filter(|said| said.1.after == *n).map(|(_, claim)| claim.gain / claim.range);
            Some(format!("{:.3}", median(shares)?))
        });
        table.line("would stop", |n| Some(count(*n, &would_stop).to_string()));
        table.line("of these rightly", |n| Some(count(*n, &is_right).to_string()));
        table.line("could stop, if one knew", |n| Some(count(*n, &could_stop).to_string()));
        let caption = format!(
            "What {} says can still be gained: true if no point is better by more. A study would stop at a claim of {:.0} % of the range of \
             its values, rightly if no more than that is left.",
            title(rival),
            100.0 * STOP
        );
        text += &captioned(&caption, &table.into_text());
    }
    Ok(text)
}

/// Versions, seeds and errors.
fn players(rows: &[Row], scores: &Scores<'_>, rivals: &[&str]) -> String {
    let heads = ["versions", "studies", "fewest seeds", "studies that ended with an error, and the first error"];
    let mut table = Table::new("who", &heads, |head| (*head).into());
    for rival in rivals {
        let own: Vec<&Row> = rows.iter().filter(|row| row.rival == **rival).collect();
        let versions: BTreeSet<&str> = own.iter().map(|row| row.version.as_str()).collect();
        let failed: Vec<&&Row> = own.iter().filter(|row| !row.error.is_empty()).collect();
        table.line(&rival.replace('|', "\\|"), |head| match *head {
            "versions" => Some(versions.iter().copied().collect::<Vec<_>>().join("; ")),
            "studies" => Some(own.len().to_string()),
            "fewest seeds" => Some(scores.seeds(rival).to_string()),
            _ => failed.first().map(|row| format!("{}: {}", failed.len(), row.error.replace('|', "\\|"))),
        });
    }
    captioned("Who played.", &table.into_text())
}

/// How curves are told apart, ours first.
const PENS: [(&str, &str, Mark); 12] = [
    ("#1a1a1a", "", Mark::Circle),
    ("#0072b2", "", Mark::Square),
    ("#d55e00", "6 3", Mark::Triangle),
    ("#009e73", "2 2", Mark::Diamond),
    ("#cc79a7", "", Mark::TriangleDown),
    ("#e69f00", "8 3 2 3", Mark::Hexagon),
    ("#56b4e9", "6 3", Mark::Cross),
    ("#7f7f7f", "2 2", Mark::Plus),
    ("#8c510a", "", Mark::Star),
    ("#542788", "8 3 2 3", Mark::Circle),
    ("#b2182b", "2 2", Mark::Square),
    ("#999999", "", Mark::None),
];

/// The share of targets reached, by evaluations, for all problems and each family.
pub(super) fn pictures(rows: &[Row]) -> anyhow::Result<Vec<(&'static str, Picture)>> {
    let all = Scores::new(&rows.iter().collect::<Vec<_>>())?;
    let mut rivals = all.rivals();
    rivals.sort_by_key(|rival| !is_ours(rival));
    let pen = |rival: &str| {
        let place = rivals.iter().position(|other| *other == rival).unwrap_or_default();
        let (colour, dash, mark) = PENS[place % PENS.len()];
        Pen { colour, width: if is_ours(rival) { 2.4 } else { 1.4 }, dash, mark }
    };
    let budget = budget(rows);
    let families: BTreeSet<&str> = rows.iter().map(|row| row.family.as_str()).collect();
    let everything = (families.len() > 1).then_some("all problems");
    let mut panels = Vec::new();
    for family in everything.into_iter().chain(families) {
        let own: Vec<&Row> = rows.iter().filter(|row| family == "all problems" || row.family == family).collect();
        let scores = Scores::new(&own)?;
        let curve = |rival: &&str| {
            let place = rivals.iter().position(|other| other == rival).unwrap_or_default();
            let share = |n: usize| Some(Place::bare(n as f64, scores.share(rival, n, DECADES)?));
            Curve { pen: pen(rival), points: (1..=budget).filter_map(share).collect(), marked: (10, place % 10) }
        };
        let complete = scores.complete();
        let curves: Vec<Curve> = rivals.iter().filter(|rival| complete.contains(*rival)).map(curve).collect();
        let high = curves.iter().flat_map(|curve| &curve.points).fold(0.1, |high: f64, place| high.max(place.y));
        let (x, y) = (Axis::linear(0.0, budget as f64), Axis::linear(0.0, (10.0 * high).ceil() / 10.0));
        let title = format!("{family} ({})", scores.problems.len());
        panels.push(Panel::new(title, ("evaluations", "share of targets reached"), x, y, curves));
    }
    let legend: Vec<(&str, Pen)> = rivals.iter().map(|rival| (title(rival), pen(rival))).collect();
    let note = "targets: regrets from 1 to 1e-6 of a problem's scale, evenly in decades; only who has played every problem of a panel";
    let columns = panels.len().min(3);
    Ok(vec![("targets", chart::draw(&panels, columns.max(1), chart::FRAME, &legend, Some(note)))])
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::row;
    use super::*;

    fn rows() -> Vec<Row> {
        let mut rows = Vec::new();
        for i in 0..8 {
            let problem = format!("bbob-f{:02}-i08-d2", i + 1);
            rows.push(Row {
                claims: format!("20:0.5:{}:10 60:0.01:0.02:10", if i < 6 { 0.6 } else { 0.4 }),
                ..row("eight@fathom:strategy.initial=8", &problem, "1:1 20:0.5 60:0.01")
            });
            rows.push(row("sobol", &problem, "1:1 20:0.5 60:0.1"));
        }
        rows[3].error = "Exception: a | b".into();
        rows
    }

    #[test]
    fn tables_say_who_is_ahead_and_which_statements_were_true() {
        let text = text(&rows()).expect("tables");
        for words in [
            "| eight | 1.50 | 1.50 | 1.50 | 1.50 | 1.50 | 1.50 | 1.00 |",
            "| sobol | 0/8/0, p = 1.000, regret × 1.00, open | 8/0/0, p = 0.016, regret × 0.10, ahead |",
            "| bbob, f1–f5, separable (5) | 5/0/0 open |",
            "| statements, of studies | 8 of 8 | 8 of 8 |",
            "| true | 6 (75 %) | 8 (100 %) |",
            "| would stop | 2 | 8 |\n| of these rightly | 2 | 8 |\n| could stop, if one knew | 8 | 8 |",
            "| sobol | package 1.0 | 8 | 1 | 1: Exception: a \\| b |",
            "on 0 of 8 problems somebody ends lower",
        ] {
            assert!(text.contains(words), "{words}: {text}");
        }
    }

    #[test]
    fn what_is_recommended_stands_beside_what_was_told_the_least() {
        let noisy = |rival: &str, problem: &str, recommended| Row {
            family: "noisy".into(),
            recommended,
            ..row(rival, problem, "1:1 60:0.1")
        };
        let rows = [noisy("fathom", "p", Some(0.01)), noisy("fathom", "q", Some(1.0)), noisy("sobol", "p", None)];
        let text = text(&rows).expect("tables");
        for words in ["| fathom | 1.0e-1 / 1.0e-2 | 1.0e-1 / 1.0e0 | 1.0e-1 / 1.0e-1 |", "| sobol | 1.0e-1 / 1.0e-1 |"]
        {
            assert!(text.contains(words), "{words}: {text}");
        }
        assert!(!super::text(&self::rows()).expect("tables").contains("told the least"));
    }

    #[test]
    fn a_budget_that_is_no_stage_has_a_duel_of_its_own() {
        let rows: Vec<Row> = rows().into_iter().map(|row| Row { budget: 72, ..row }).collect();
        assert!(text(&rows).expect("tables").contains("| after 15 | after 60 | after 72 |"));
    }

    #[test]
    fn fathom_is_known_by_its_file() {
        assert!(is_ours("fathom") && is_ours("fathom:strategy.seed=1") && is_ours("new@fathom:a=b@c"));
        assert!(!is_ours("optuna-gp") && !is_ours("fathom@sobol"));
        assert_eq!((title("new@fathom:a=b"), title("fathom:a=b"), title("sobol")), ("new", "fathom:a=b", "sobol"));
    }

    #[test]
    fn a_picture_has_a_panel_for_every_family() {
        let mut rows = rows();
        rows.push(Row { family: "tables".into(), ..row("sobol", "hpolib-x", "1:1") });
        assert_eq!(pictures(&rows).expect("a picture").len(), 1);
    }
}
