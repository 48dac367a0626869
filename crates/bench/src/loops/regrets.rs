//! Simple regret, step by step, from the rows of a run.

use super::row::Row;
use super::setting::Setting;
use crate::contender::Contender;
use crate::moments::Moments;
use std::collections::BTreeMap;

/// The loops of one contender in one setting.
pub(super) struct Regrets<'r> {
    pub setting: Setting,
    pub contender: Contender,
    /// By seed, the rows from t = 0 on.
    loops: BTreeMap<u64, Vec<&'r Row>>,
}

impl<'r> Regrets<'r> {
    /// Of every contender in every setting that has rows, in the order of the figures. Only seeds that every contender of a
    /// setting has played count.
    pub fn all(rows: &'r [Row]) -> Vec<Self> {
        let mut by_loop: BTreeMap<(&str, &str, &str), BTreeMap<u64, Vec<&Row>>> = BTreeMap::new();
        for row in rows {
            let loops = by_loop.entry((&row.problem, &row.kernel, &row.method)).or_default();
            loops.entry(row.seed).or_default().push(row);
        }
        let mut all = Vec::new();
        for setting in Setting::ALL {
            let contenders = Contender::ALL.into_iter().filter(|contender| setting.has(*contender));
            let found = contenders.filter_map(|contender| {
                let mut loops = by_loop.remove(&(setting.name(), setting.kernel, contender.name()))?;
                for rows in loops.values_mut() {
                    rows.sort_by_key(|row| row.t);
                }
                Some(Self { setting, contender, loops })
            });
            let mut found: Vec<Self> = found.collect();
            let everyone = |seed: &u64, found: &[Self]| found.iter().all(|regrets| regrets.loops.contains_key(seed));
            let shared: Vec<u64> = found
                .first()
                .map(|first| first.loops.keys().copied().filter(|seed| everyone(seed, &found)).collect())
                .unwrap_or_default();
            for regrets in &mut found {
                regrets.loops.retain(|seed, _| shared.contains(seed));
            }
            all.extend(found.into_iter().filter(|regrets| !regrets.loops.is_empty()));
        }
        all
    }

    pub fn replications(&self) -> usize {
        self.loops.len()
    }

    /// The last iteration.
    pub fn iterations(&self) -> usize {
        self.loops.values().map(|rows| rows.len() - 1).min().unwrap_or_default()
    }

    /// The regret of each loop after iteration `t`, by seed.
    pub fn at(&self, t: usize) -> Vec<f64> {
        let best = |rows: &Vec<&Row>| {
            rows.iter().take(t + 1).filter_map(|row| row.value).fold(f64::INFINITY, f64::min) - self.setting.minimum()
        };
        self.loops.values().map(best).collect()
    }

    /// Mean and deviation of that.
    pub fn moments(&self, t: usize) -> Option<Moments> {
        Moments::of(self.at(t))
    }

    /// All steps after the design.
    pub fn steps(&self) -> impl Iterator<Item = &Row> {
        self.loops.values().flatten().copied().filter(|row| row.t > 0)
    }
}
