//! Regrets of all rivals on all problems, and what they say: mean ranks, and duels over problems with their significance.

use super::row::Row;
use crate::signed_rank::SignedRank;
use crate::statistics::Moments;
use std::collections::{BTreeMap, BTreeSet};

/// Regrets closer than this, in decades, are a tie: 1 %.
const TIE: f64 = 0.004_3;
/// A difference is settled if chance would show one as lopsided less often than this.
const LEVEL: f64 = 0.05;

/// By rival, then by problem, a regret curve for each seed.
#[derive(Debug)]
pub(super) struct Scores<'r> {
    curves: BTreeMap<&'r str, BTreeMap<&'r str, Vec<Curve>>>,
    /// One row of each problem, for what is known of it.
    pub problems: BTreeMap<&'r str, &'r Row>,
}

/// The regret of one study after each improvement.
#[derive(Debug)]
struct Curve(Vec<(usize, f64)>);

impl Curve {
    /// The regret after `n` evaluations; the last one counts on if the study ended before.
    fn at(&self, n: usize) -> Option<f64> {
        self.0.iter().take_while(|(after, _)| *after <= n).last().map(|(_, regret)| *regret)
    }
}

/// How one rival did against another, problem by problem.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Duel {
    pub wins: usize,
    pub ties: usize,
    pub losses: usize,
    /// Decades of regret by which the first is above the second, the mean over problems.
    pub behind: f64,
    /// Of Wilcoxon's test; 1 if all are ties.
    pub p: f64,
    /// Whether that test favours the first.
    is_favoured: bool,
}

impl Duel {
    /// What the duel settles if its probability, corrected for others, is `p`.
    pub fn verdict(&self, p: f64) -> &'static str {
        match (p < LEVEL, self.is_favoured) {
            (false, _) => "open",
            (true, true) => "ahead",
            (true, false) => "**behind**",
        }
    }
}

impl<'r> Scores<'r> {
    /// Of rows whose cells were read before.
    pub fn new(rows: &[&'r Row]) -> anyhow::Result<Self> {
        let mut scores = Self { curves: BTreeMap::new(), problems: BTreeMap::new() };
        for row in rows {
            let bests = row.bests()?;
            let curve = Curve(bests.into_iter().map(|(after, value)| (after, row.regret(value))).collect());
            let of_rival = scores.curves.entry(&row.rival).or_default();
            of_rival.entry(&row.problem).or_default().push(curve);
            scores.problems.entry(&row.problem).or_insert(row);
        }
        Ok(scores)
    }

    pub fn rivals(&self) -> Vec<&'r str> {
        self.curves.keys().copied().collect()
    }

    /// How many problems a rival has played.
    pub fn played(&self, rival: &str) -> usize {
        self.curves.get(rival).map_or(0, BTreeMap::len)
    }

    /// Rivals that have played every problem, so that their ranks and shares can be compared.
    pub fn complete(&self) -> Vec<&'r str> {
        self.rivals().into_iter().filter(|rival| self.played(rival) == self.problems.len()).collect()
    }

    /// The fewest seeds of a rival on any of its problems.
    pub fn seeds(&self, rival: &str) -> usize {
        self.curves.get(rival).and_then(|own| own.values().map(Vec::len).min()).unwrap_or_default()
    }

    /// The mean over seeds of log₁₀ regret after `n` evaluations.
    pub fn score(&self, rival: &str, problem: &str, n: usize) -> Option<f64> {
        let curves = self.curves.get(rival)?.get(problem)?;
        // A study that ended before its first value has no regret, and counts as one at the scale.
        let moments = Moments::of(curves.iter().map(|curve| curve.at(n).unwrap_or(1.0).log10()))?;
        Some(moments.mean)
    }

    /// The mean over problems of the rank among the complete rivals, ties sharing theirs.
    pub fn mean_rank(&self, rival: &str, n: usize) -> Option<f64> {
        let complete = self.complete();
        if !complete.contains(&rival) {
            return None;
        }
        let rank = |problem: &&str| -> Option<f64> {
            let own = self.score(rival, problem, n)?;
            let others = complete.iter().filter(|other| **other != rival);
            let gaps: Vec<f64> = others.filter_map(|other| Some(self.score(other, problem, n)? - own)).collect();
            let better = gaps.iter().filter(|gap| **gap < -TIE).count() as f64;
            let equal = gaps.iter().filter(|gap| gap.abs() <= TIE).count() as f64;
            Some(1.0 + better + 0.5 * equal)
        };
        Moments::of(self.problems.keys().filter_map(rank)).map(|moments| moments.mean)
    }

    /// `ours` against `theirs` after `n` evaluations on the problems that both have played and `is_meant` names; `None` without any.
    pub fn duel(&self, ours: &str, theirs: &str, n: usize, is_meant: impl Fn(&Row) -> bool) -> Option<Duel> {
        let problems = self.problems.iter().filter(|(_, row)| is_meant(row));
        let gaps: Vec<f64> = problems
            .filter_map(|(problem, _)| Some(self.score(ours, problem, n)? - self.score(theirs, problem, n)?))
            .map(|gap| if gap.abs() <= TIE { 0.0 } else { gap })
            .collect();
        let behind = Moments::of(gaps.iter().copied())?.mean;
        let count = |is_counted: fn(f64) -> bool| gaps.iter().filter(|gap| is_counted(**gap)).count();
        let test = SignedRank::of(&gaps);
        Some(Duel {
            wins: count(|gap| gap < 0.0),
            ties: count(|gap| gap == 0.0),
            losses: count(|gap| gap > 0.0),
            behind,
            p: test.map_or(1.0, |test| test.p),
            is_favoured: test.is_some_and(|test| test.favours_negative),
        })
    }

    /// The share of targets, decades of regret from 1 to `decades` below it on every problem, that a rival has reached after `n`.
    pub fn share(&self, rival: &str, n: usize, decades: f64) -> Option<f64> {
        let studies = self.curves.get(rival)?.values().flatten();
        let reached = |curve: &Curve| curve.at(n).map_or(0.0, |regret| (-regret.log10() / decades).clamp(0.0, 1.0));
        Moments::of(studies.map(reached)).map(|moments| moments.mean)
    }
}

/// A kind of problems: its place among all kinds, and its name.
pub(super) type Group = (usize, String);

/// The groups that a problem belongs to: its family, and of bbob its class of functions and its dimension.
pub(super) fn groups(row: &Row) -> BTreeSet<Group> {
    let mut groups = BTreeSet::from([(0, row.family.clone())]);
    let function = row.problem.strip_prefix("bbob-f").and_then(|rest| rest.get(..2)?.parse::<usize>().ok());
    if row.family == "bbob"
        && let Some(function) = function
    {
        let (last, class) = match function {
            1..=5 => (5, "f1–f5, separable"),
            6..=9 => (9, "f6–f9, moderate"),
            10..=14 => (14, "f10–f14, ill-conditioned"),
            15..=19 => (19, "f15–f19, multimodal with structure"),
            _ => (24, "f20–f24, multimodal without"),
        };
        groups.insert((100 + row.inputs, format!("bbob, {}D", row.inputs)));
        groups.insert((200 + last, format!("bbob, {class}")));
    }
    if row.family == "tables"
        && let Some((bench, _)) = row.problem.split_once('-')
    {
        groups.insert((300, format!("tables, {bench}")));
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::row;
    use super::*;

    #[test]
    fn ranks_share_ties_and_leave_out_who_has_not_played_everything() {
        let rows = [
            row("a", "p", "1:1 10:0.01"),
            row("b", "p", "1:1 10:0.1"),
            row("a", "q", "1:0.5"),
            row("b", "q", "1:0.5"),
            row("c", "q", "1:0.001"),
        ];
        let scores = Scores::new(&rows.iter().collect::<Vec<_>>()).expect("curves");
        assert_eq!(scores.complete(), ["a", "b"]);
        assert_eq!((scores.mean_rank("a", 60), scores.mean_rank("b", 60)), (Some(1.25), Some(1.75)));
        assert_eq!((scores.mean_rank("a", 5), scores.mean_rank("c", 60)), (Some(1.5), None));
        let duel = scores.duel("a", "b", 60, |_| true).expect("two problems");
        assert_eq!((duel.wins, duel.ties, duel.losses, duel.behind, duel.p), (1, 1, 0, -0.5, 1.0));
        assert_eq!(scores.duel("a", "c", 60, |row| row.problem == "p"), None);
    }

    #[test]
    fn a_verdict_needs_more_than_chance() {
        let rows: Vec<Row> =
            (0..6).flat_map(|i| [row("a", &format!("p{i}"), "1:0.1"), row("b", &format!("p{i}"), "1:1")]).collect();
        let scores = Scores::new(&rows.iter().collect::<Vec<_>>()).expect("curves");
        let duel = scores.duel("a", "b", 60, |_| true).expect("six problems");
        assert_eq!((duel.verdict(duel.p), duel.verdict(0.2)), ("ahead", "open"));
        let back = scores.duel("b", "a", 60, |_| true).expect("six problems");
        assert_eq!(back.verdict(back.p), "**behind**");
    }

    #[test]
    fn shares_are_of_decades() {
        let rows = [row("a", "p", "1:1 10:0.001"), row("a", "q", "20:1e-30")];
        let scores = Scores::new(&rows.iter().collect::<Vec<_>>()).expect("curves");
        let share = |n| scores.share("a", n, 6.0).expect("two problems");
        assert!((share(5) - 0.0).abs() < 1e-12 && (share(10) - 0.25).abs() < 1e-12 && (share(20) - 0.75).abs() < 1e-12);
    }

    #[test]
    fn problems_have_groups() {
        let names = |row: &Row| groups(row).into_iter().map(|(_, name)| name).collect::<Vec<_>>();
        let own = Row { inputs: 10, ..row("a", "bbob-f16-i08-d10", "") };
        assert_eq!(names(&own), ["bbob", "bbob, 10D", "bbob, f15–f19, multimodal with structure"]);
        let own = Row { family: "tables".into(), ..row("a", "hpolib-x", "") };
        assert_eq!(names(&own), ["tables", "tables, hpolib"]);
    }
}
