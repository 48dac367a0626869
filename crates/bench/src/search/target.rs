//! What is asked of each group of problems.

use super::row::Row;
use super::summary::Summary;
use crate::spread::median;
use crate::units::human;

/// What is asked of a group of problems, in seconds; infinite where nothing is.
#[derive(Clone, Copy)]
pub(super) struct Target {
    median: f64,
    slowest: f64,
}

impl Target {
    const NONE: Self = Self { median: f64::INFINITY, slowest: f64::INFINITY };

    const fn median(seconds: f64) -> Self {
        Self { median: seconds, ..Self::NONE }
    }

    const fn slowest(seconds: f64) -> Self {
        Self { slowest: seconds, ..Self::NONE }
    }

    /// What is asked, and whether it is met; by problems that are all proven, or not at all.
    pub(super) fn judge(self, summaries: &[Summary]) -> String {
        let mut asked = Vec::new();
        if self.median.is_finite() {
            asked.push(format!("median {}", human(self.median)));
        }
        if self.slowest.is_finite() {
            asked.push(format!("all < {}", human(self.slowest)));
        }
        let times: Vec<f64> = summaries.iter().map(|summary| summary.seconds).collect();
        let Some(middle) = median(times.clone()).filter(|_| !asked.is_empty()) else { return "–".into() };
        let quick = middle <= self.median && times.iter().all(|seconds| *seconds < self.slowest);
        let open = summaries.iter().filter(|summary| !summary.proven).count();
        // More time than the run allowed might have closed the open ones in time.
        let allowed = summaries.iter().map(|summary| summary.time_limit).fold(f64::INFINITY, f64::min);
        let verdict = match (quick, open) {
            (true, 0) => "met".into(),
            (true, _) if allowed < self.slowest && self.slowest.is_finite() => {
                format!("undecided, {open} open at {}", human(allowed))
            }
            (true, _) => format!("**missed**, {open} open"),
            (false, _) => "**missed**".into(),
        };
        format!("{}: {verdict}", asked.join(", "))
    }
}

/// A column of the table.
pub(super) struct Group {
    pub name: &'static str,
    pub holds: fn(&Row) -> bool,
    pub yardstick: &'static str,
    pub must_hold: Target,
    pub go_for: Target,
}

#[rustfmt::skip]
pub(super) const GROUPS: [Group; 8] = [
    Group { name: "1D", holds: |row| row.family == "prior" && row.d == 1, yardstick: "0.1 ms",
            must_hold: Target::median(3e-4), go_for: Target::median(5e-5) },
    Group { name: "2D", holds: |row| row.family == "prior" && row.d == 2, yardstick: "0.4 ms",
            must_hold: Target::median(1e-3), go_for: Target::median(2e-4) },
    Group { name: "3D", holds: |row| row.family == "prior" && row.d == 3, yardstick: "2 ms",
            must_hold: Target::median(4e-3), go_for: Target::median(7e-4) },
    Group { name: "4D", holds: |row| row.family == "prior" && row.d == 4, yardstick: "5 ms",
            must_hold: Target::median(1e-2), go_for: Target::median(2e-3) },
    Group { name: "5D", holds: |row| row.family == "prior" && row.d == 5, yardstick: "8 ms",
            must_hold: Target::median(2e-2), go_for: Target::median(4e-3) },
    Group { name: "bo 2D–4D, N ≤ 100", holds: |row| row.family == "bo" && row.d <= 4 && row.n <= 100,
            yardstick: "2–260 ms", must_hold: Target { median: 5e-2, slowest: 2.0 }, go_for: Target::median(1e-2) },
    Group { name: "bo 6D, N ≤ 100", holds: |row| row.family == "bo" && row.d == 6 && row.n <= 100,
            yardstick: "0.3–2.1 s", must_hold: Target::slowest(10.0), go_for: Target::slowest(1.0) },
    Group { name: "all bo", holds: |row| row.family == "bo", yardstick: "–",
            must_hold: Target::slowest(60.0), go_for: Target::NONE },
];
