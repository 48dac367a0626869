//! Bayesian optimisation that differs in nothing but how the acquisition function is minimised.
//!
//! Each loop is a [`Study`] in memory. Nothing is limited by time, so a rerun gives the same values. A local method that ends at a
//! point tried before is sent away from it, as every study does; if it cannot get away, or ends where a constraint does not
//! hold, it is stuck.

use crate::chart::Curve;
use crate::contender::Contender;
use crate::statistics::Moments;
use anyhow::Context as _;
use fathom_study::{Error, Function, Study, Trial};
use std::collections::BTreeMap;

/// The strategy of a study file, as the paper has it but for what is given; kernel and size of the design come after it.
pub(crate) fn strategy(contender: Contender, beta: f64, gap: f64, node_limit: u64, seed: u64) -> String {
    let optimiser = contender.name();
    let mut text = format!(
        "\n[strategy]\nard = false\nfit = 'likelihood'\nmean = 0\nnoise = 1e-6\nwarp = 'none'\nscaling = 'unit'\n\
         acquisition = 'lcb'\nbeta = {beta:?}\noptimiser = '{optimiser}'\ntime_limit = '1day'\n\
         seed = {seed}\n"
    );
    if contender.local().is_none() {
        text += &format!("gap = {gap:?}\n");
    }
    if optimiser.starts_with("pk") {
        text += "pk = { polish_from = 'best', true_bound = 'theorem' }\n";
    }
    if contender == Contender::Certified {
        text += &format!("node_limit = {node_limit}\n");
    }
    text
}

/// The next trial; `None` if the contender is stuck.
pub(crate) fn ask(study: &mut Study, contender: Contender) -> anyhow::Result<Option<Trial>> {
    match study.ask(1) {
        Ok(mut trials) => Ok(Some(trials.remove(0))),
        Err(Error::NoNewPoint | Error::BadStrategy { .. }) if contender.local().is_some() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// What a trial evaluates to.
pub(crate) fn value(function: Function, trial: &Trial) -> anyhow::Result<f64> {
    let x: Option<Vec<f64>> = function.parameters().iter().map(|name| trial.number(name)).collect();
    Ok(function.value(&x.context("every parameter is a number")?))
}

/// Simple regret of one contender's loops, step by step.
#[derive(Debug)]
pub(crate) struct Regrets {
    pub contender: Contender,
    /// λ, if it needs one.
    pub penalty: Option<f64>,
    /// By seed, after the design and after each iteration.
    loops: BTreeMap<u64, Vec<f64>>,
}

impl Regrets {
    /// From steps, each with its seed, its iteration and its value, to the minimum. Iterations come in their order.
    pub fn new(contender: Contender, steps: impl Iterator<Item = (u64, usize, Option<f64>)>, minimum: f64) -> Self {
        let mut loops: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        let mut steps: Vec<_> = steps.collect();
        steps.sort_by_key(|(_, t, _)| *t);
        for (seed, _, value) in steps {
            let regrets = loops.entry(seed).or_default();
            let best = regrets.last().copied().unwrap_or(f64::INFINITY);
            regrets.push(best.min(value.map_or(f64::INFINITY, |value| value - minimum)));
        }
        Self { contender, penalty: None, loops }
    }

    /// With the λ that they were played with.
    pub fn with(self, penalty: Option<f64>) -> Self {
        Self { penalty, ..self }
    }

    /// Keeps the seeds that every contender has played.
    pub fn share(all: &mut Vec<Self>) {
        let common = |seed: &u64, all: &[Self]| all.iter().all(|regrets| regrets.loops.contains_key(seed));
        let seeds = all.first().map(|first| first.loops.keys().copied().filter(|seed| common(seed, all)).collect());
        let seeds: Vec<u64> = seeds.unwrap_or_default();
        all.iter_mut().for_each(|regrets| regrets.loops.retain(|seed, _| seeds.contains(seed)));
        all.retain(|regrets| !regrets.loops.is_empty());
    }

    pub fn replications(&self) -> usize {
        self.loops.len()
    }

    pub fn has(&self, seed: u64) -> bool {
        self.loops.contains_key(&seed)
    }

    /// The last iteration that all loops have.
    pub fn iterations(&self) -> usize {
        self.loops.values().map(|regrets| regrets.len() - 1).min().unwrap_or_default()
    }

    /// The regret of each loop at the end, by seed.
    pub fn end(&self) -> Vec<f64> {
        let last = self.iterations();
        self.loops.values().map(|regrets| regrets[last]).collect()
    }

    /// The mean of these.
    pub fn mean_end(&self) -> f64 {
        Moments::of(self.end()).map_or(f64::INFINITY, |moments| moments.mean)
    }

    /// In how many loops this one, the certified one, ends lower and higher than `other` by more than 1 %.
    pub fn wins(&self, other: &Self) -> Option<String> {
        let (mut lower, mut higher) = (0, 0);
        for (ours, theirs) in self.end().into_iter().zip(other.end()) {
            let room = 0.01 * ours.abs().max(theirs.abs()) + 1e-6;
            lower += usize::from(ours < theirs - room);
            higher += usize::from(ours > theirs + room);
        }
        (other.contender != self.contender).then(|| format!("{lower} / {higher}"))
    }

    /// Means with whiskers of half a standard deviation.
    pub fn curve(&self, marked: (usize, usize)) -> Curve {
        let at = |t: usize| Moments::of(self.loops.values().map(|regrets| regrets[t])).map(|m| m.place(t as f64));
        Curve { pen: self.contender.pen(), points: (0..=self.iterations()).filter_map(at).collect(), marked }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regret_is_that_of_the_best_so_far_over_seeds_that_all_have() {
        let of = |contender, loops: &[(u64, [f64; 3])]| {
            let steps = loops
                .iter()
                .flat_map(|(seed, values)| (0..3).map(move |t| (*seed, t, (values[t] < 9.0).then_some(values[t]))));
            Regrets::new(contender, steps, 1.0)
        };
        let mut all = vec![
            of(Contender::Certified, &[(0, [4.0, 2.0, 3.0]), (1, [4.0, 4.0, 4.0]), (2, [5.0, 5.0, 5.0])]),
            of(Contender::Slsqp, &[(0, [4.0, 5.0, 3.0]), (1, [4.0, 9.0, 5.0])]),
        ];
        Regrets::share(&mut all);
        assert_eq!(
            (all[0].replications(), all[0].end()),
            (2, vec![1.0, 3.0]),
            "seed 2 is the certified search's alone"
        );
        assert_eq!((all[1].end(), all[0].wins(&all[1])), (vec![2.0, 3.0], Some("1 / 0".into())));
        assert_eq!(all[0].wins(&all[0]), None);
    }
}
