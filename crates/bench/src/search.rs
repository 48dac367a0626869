//! How fast and how sound the search is: every problem of a folder, ours beside the yardstick's, in one run.
//!
//! Seconds are those of building the problem from a posterior and searching it, by the clock and on one thread; the
//! yardstick's are the CPU seconds that it reports (four decimals), its factorisation not included as ours is not.
//! Every problem is also solved with a proof, which is written, read back and verified. All goes into `raw.csv`, the
//! best known values too, and the tables are made from that file alone.

use crate::evidence::median;
use anyhow::{Context as _, bail, ensure};
use fathom_global::{Certificate, Instance, Limits, Proof, Status, Stop, minimise, minimise_with_proof, verify};
use fathom_gp::Posterior;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Repetitions of problems that take less than [`SMALL`] seconds; larger ones are solved once.
const REPETITIONS: usize = 5;
const SMALL: f64 = 1.0;

/// A proven bound may exceed a value that was found elsewhere by no more than that value's rounding.
const TOLERANCE: f64 = 1e-6;

const HEAD: &str =
    "who,instance,family,d,n,kernel,repetition,seconds,nodes,value,lower_bound,status,gap,proof_bytes,time_limit";

/// Where a row comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Our search.
    Fathom,
    /// The scratch program.
    Yardstick,
    /// The best value known before.
    BestKnown,
    /// Our search while it writes its proof down.
    Proof,
    /// The proof read back and checked.
    Verify,
}

impl Who {
    const ALL: [Self; 5] = [Self::Fathom, Self::Yardstick, Self::BestKnown, Self::Proof, Self::Verify];

    fn name(self) -> &'static str {
        match self {
            Self::Fathom => "fathom",
            Self::Yardstick => "yardstick",
            Self::BestKnown => "best_known",
            Self::Proof => "fathom_proof",
            Self::Verify => "fathom_verify",
        }
    }
}

/// One line of `raw.csv`.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Where it comes from.
    pub who: Who,
    /// The problem.
    pub instance: String,
    /// Its family, `prior` or `bo`.
    pub family: String,
    /// Inputs.
    pub d: usize,
    /// Observations.
    pub n: usize,
    /// As the problem's file calls it.
    pub kernel: String,
    /// From 0.
    pub repetition: usize,
    /// How long it took.
    pub seconds: Option<f64>,
    /// Boxes bounded, or checked.
    pub nodes: Option<u64>,
    /// Best value.
    pub value: Option<f64>,
    /// Proven lower bound.
    pub lower_bound: Option<f64>,
    /// `optimal`, or why not; of a verification `accepted`, or why not.
    pub status: String,
    /// The absolute gap asked for.
    pub gap: f64,
    /// Size of the proof's file.
    pub proof_bytes: Option<u64>,
    /// Seconds allowed.
    pub time_limit: f64,
}

impl Row {
    fn to_line(&self) -> String {
        let Self { instance, family, d, n, kernel, repetition, status, gap, time_limit, .. } = self;
        let status = status.replace([',', '\n'], ";");
        let (seconds, value, lower) = (number(self.seconds), number(self.value), number(self.lower_bound));
        let (nodes, bytes) = (count(self.nodes), count(self.proof_bytes));
        let who = self.who.name();
        format!(
            "{who},{instance},{family},{d},{n},{kernel},{repetition},{seconds},{nodes},{value},{lower},{status},\
             {gap:?},{bytes},{time_limit:?}"
        )
    }

    fn parse(line: &str) -> anyhow::Result<Self> {
        let fields: Vec<&str> = line.split(',').collect();
        let [who, instance, family, d, n, kernel, repetition, seconds, nodes, value, lower, status, gap, bytes, limit] =
            fields[..]
        else {
            bail!("{line}: {} fields are needed", HEAD.split(',').count());
        };
        let who = Who::ALL.into_iter().find(|w| w.name() == who).with_context(|| format!("{who}: who is that?"))?;
        Ok(Self {
            who,
            instance: instance.into(),
            family: family.into(),
            d: d.parse()?,
            n: n.parse()?,
            kernel: kernel.into(),
            repetition: repetition.parse()?,
            seconds: optional(seconds)?,
            nodes: optional(nodes)?,
            value: optional(value)?,
            lower_bound: optional(lower)?,
            status: status.into(),
            gap: gap.parse()?,
            proof_bytes: optional(bytes)?,
            time_limit: limit.parse()?,
        })
    }
}

/// A number to the last bit, or nothing.
pub(crate) fn number(value: Option<f64>) -> String {
    value.map(|v| format!("{v:?}")).unwrap_or_default()
}

/// A count, or nothing.
pub(crate) fn count(value: Option<u64>) -> String {
    value.map(|v| v.to_string()).unwrap_or_default()
}

/// A field that may be empty.
pub(crate) fn optional<T: std::str::FromStr>(field: &str) -> Result<Option<T>, T::Err> {
    if field.is_empty() { Ok(None) } else { field.parse().map(Some) }
}

/// As raw files call it.
pub(crate) fn status_name(status: Status) -> &'static str {
    match status {
        Status::Optimal => "optimal",
        Status::TimeLimit => "time_limit",
        Status::NodeLimit => "node_limit",
        Status::Interrupted => "interrupted",
        Status::Exhausted => "exhausted",
    }
}

/// A problem of the folder.
struct Case {
    file: PathBuf,
    family: String,
    kernel: String,
    instance: Instance,
    posterior: Posterior,
}

impl Case {
    fn read(file: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(file)?;
        let plain: serde_json::Value = serde_json::from_str(&text)?;
        let field = |name: &str| plain[name].as_str().map(String::from).with_context(|| format!("no field {name}"));
        let instance: Instance = serde_json::from_str(&text)?;
        let posterior = instance.posterior()?;
        let stem = file.file_stem().and_then(|stem| stem.to_str());
        ensure!(stem == Some(&instance.name), "the file must be called as the problem, {}", instance.name);
        Ok(Self { file: file.into(), family: field("family")?, kernel: field("kernel")?, instance, posterior })
    }

    /// Problems of one group are solved by one program and then by the other.
    fn group(&self) -> (bool, &str, usize, usize) {
        (self.family != "prior", &self.family, self.instance.d, self.instance.n)
    }
}

/// The problems of a folder, the families one after the other and each from small to large.
fn cases(folder: &Path) -> anyhow::Result<Vec<Case>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("could not read {}", folder.display()))?;
    let files: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<_>>()?;
    let json = files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "json"));
    let read = |file: &PathBuf| Case::read(file).with_context(|| format!("in {}", file.display()));
    let mut cases: Vec<Case> = json.map(read).collect::<anyhow::Result<_>>()?;
    ensure!(!cases.is_empty(), "{} holds no problems: JSON files are looked for", folder.display());
    cases.sort_by(|a, b| (a.group(), &a.file).cmp(&(b.group(), &b.file)));
    Ok(cases)
}

/// A run under way.
struct Run {
    raw: File,
    limits: Limits,
    time_limit: Duration,
}

impl Run {
    fn row(&self, who: Who, case: &Case, repetition: usize) -> Row {
        Row {
            who,
            instance: case.instance.name.clone(),
            family: case.family.clone(),
            d: case.instance.d,
            n: case.instance.n,
            kernel: case.kernel.clone(),
            repetition,
            seconds: None,
            nodes: None,
            value: None,
            lower_bound: None,
            status: String::new(),
            gap: self.limits.gap,
            proof_bytes: None,
            time_limit: self.time_limit.as_secs_f64(),
        }
    }

    fn certified(&self, who: Who, case: &Case, repetition: usize, seconds: f64, found: &Certificate) -> Row {
        Row {
            seconds: Some(seconds),
            nodes: Some(found.nodes),
            value: Some(found.value),
            lower_bound: found.lower_bound,
            status: status_name(found.status).into(),
            ..self.row(who, case, repetition)
        }
    }

    fn push(&mut self, row: &Row) -> anyhow::Result<()> {
        writeln!(self.raw, "{}", row.to_line())?;
        Ok(())
    }

    /// Solves, solves with a proof and verifies it; the seconds of the slowest of the three.
    fn fathom(&mut self, case: &Case, repetition: usize) -> anyhow::Result<f64> {
        let start = Instant::now();
        let problem = case.instance.problem(&case.posterior)?;
        let found = minimise(&problem, &self.limits, &Stop::new(false), |_| ())?;
        let solve = start.elapsed().as_secs_f64();
        self.push(&self.certified(Who::Fathom, case, repetition, solve, &found))?;

        let start = Instant::now();
        let problem = case.instance.problem(&case.posterior)?;
        let (found, proof) = minimise_with_proof(&problem, &self.limits, &Stop::new(false), |_| ())?;
        let recorded = start.elapsed().as_secs_f64();
        let bytes = proof.map(|proof| proof.to_bytes()).transpose()?;
        let proof_bytes = bytes.as_ref().map(|bytes| bytes.len() as u64);
        let row = self.certified(Who::Proof, case, repetition, recorded, &found);
        self.push(&Row { proof_bytes, ..row })?;
        let Some(bytes) = bytes else { return Ok(solve.max(recorded)) };

        let start = Instant::now();
        let verdict = verify(&Proof::from_bytes(&bytes)?);
        let check = start.elapsed().as_secs_f64();
        let row = Row { seconds: Some(check), proof_bytes, ..self.row(Who::Verify, case, repetition) };
        self.push(&match verdict {
            Ok(verdict) => Row {
                nodes: Some(verdict.boxes as u64),
                value: Some(verdict.value.1),
                lower_bound: Some(verdict.lower_bound),
                status: "accepted".into(),
                ..row
            },
            Err(rejection) => Row { status: format!("rejected: {rejection}"), ..row },
        })?;
        Ok(solve.max(recorded).max(check))
    }

    /// Solves all `cases` in one call of `program`; those that are worth repeating.
    fn yardstick<'c>(
        &mut self,
        program: &Path,
        cases: &[&'c Case],
        repetition: usize,
    ) -> anyhow::Result<Vec<&'c Case>> {
        let files: Vec<String> = cases.iter().map(|case| case.file.display().to_string()).collect();
        let output = Command::new(program)
            .args(["-e", &format!("{:e}", self.limits.gap), "-t", &self.time_limit.as_secs_f64().to_string()])
            .args(["-f", &files.join(",")])
            .output()
            .with_context(|| format!("could not start {}", program.display()))?;
        if !output.status.success() {
            bail!("{} failed: {}", program.display(), String::from_utf8_lossy(&output.stderr));
        }
        let mut small = Vec::new();
        for line in String::from_utf8(output.stdout)?.lines().filter(|line| !line.ends_with(" skip")) {
            let told = Told::parse(line).with_context(|| format!("unexpected line of the yardstick: {line}"))?;
            let case = cases.iter().find(|case| case.instance.name == told.name);
            let case = *case.with_context(|| format!("the yardstick was not asked for {}", told.name))?;
            self.push(&Row {
                seconds: Some(told.seconds),
                nodes: Some(told.nodes),
                value: Some(told.value),
                lower_bound: Some(told.lower_bound),
                status: if told.open { "open" } else { "optimal" }.into(),
                ..self.row(Who::Yardstick, case, repetition)
            })?;
            if told.seconds < SMALL {
                small.push(case);
            }
        }
        Ok(small)
    }
}

/// What the yardstick prints of a problem: `NAME best=… lb=… nodes=… t=…[ OPEN]`.
#[derive(Debug, PartialEq)]
struct Told {
    name: String,
    value: f64,
    lower_bound: f64,
    nodes: u64,
    seconds: f64,
    open: bool,
}

impl Told {
    fn parse(line: &str) -> anyhow::Result<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (words, open) = match words[..] {
            [.., "OPEN"] => (&words[..words.len() - 1], true),
            _ => (&words[..], false),
        };
        let [name, best, lower, nodes, seconds] = *words else { bail!("five words are needed") };
        let after = |word: &str, key: &str| -> anyhow::Result<String> {
            let value = word.strip_prefix(key).and_then(|rest| rest.strip_prefix('='));
            Ok(value.with_context(|| format!("{word} should begin with {key}="))?.into())
        };
        Ok(Self {
            name: name.into(),
            value: after(best, "best")?.parse()?,
            lower_bound: after(lower, "lb")?.parse()?,
            nodes: after(nodes, "nodes")?.parse()?,
            seconds: after(seconds, "t")?.parse()?,
            open,
        })
    }
}

fn read_best_known(path: &Path) -> anyhow::Result<BTreeMap<String, f64>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("could not read {}", path.display()))?;
    let entry = |line: &str| -> anyhow::Result<(String, f64)> {
        let (name, value) = line.split_once(',').context("two fields are needed")?;
        Ok((name.into(), value.trim().parse()?))
    };
    let lines = text.lines().skip(1).filter(|line| !line.is_empty());
    lines.map(|line| entry(line).with_context(|| format!("{line}, in {}", path.display()))).collect()
}

/// Solves every problem of the folder `instances` with us and, where it is named, with the program `yardstick`, family
/// by family, and writes `raw.csv` and `tables.md` into the new folder `run`. `best_known` names a table
/// `instance,best_known_lcb` to hold the results against.
pub fn compare(
    instances: &Path,
    yardstick: Option<&Path>,
    best_known: Option<&Path>,
    gap: f64,
    time_limit: Duration,
    run: &Path,
) -> anyhow::Result<()> {
    let cases = cases(instances)?;
    let best_known = best_known.map(read_best_known).transpose()?.unwrap_or_default();
    std::fs::create_dir_all(run).with_context(|| format!("could not create {}", run.display()))?;
    let path = run.join("raw.csv");
    let mut raw =
        File::create_new(&path).with_context(|| format!("{} is there already: name another folder", path.display()))?;
    writeln!(raw, "{HEAD}")?;
    let limits = Limits { gap, relative_gap: 0.0, time: Some(time_limit), threads: 1, ..Limits::default() };
    let mut under_way = Run { raw, limits, time_limit };
    for case in &cases {
        if let Some(value) = best_known.get(&case.instance.name) {
            let row = under_way.row(Who::BestKnown, case, 0);
            under_way.push(&Row { value: Some(*value), status: "found".into(), ..row })?;
        }
    }
    for group in cases.chunk_by(|a, b| a.group() == b.group()) {
        let (_, family, d, n) = group[0].group();
        eprintln!("{family}, D = {d}, N = {n}: {} problems", group.len());
        let (mut ours, mut theirs): (Vec<&Case>, Vec<&Case>) = (group.iter().collect(), group.iter().collect());
        for repetition in 0..REPETITIONS {
            let mut small = Vec::new();
            for case in ours {
                let seconds = under_way.fathom(case, repetition);
                if seconds.with_context(|| format!("solving {}", case.instance.name))? < SMALL {
                    small.push(case);
                }
            }
            ours = small;
            if let Some(program) = yardstick.filter(|_| !theirs.is_empty()) {
                theirs = under_way.yardstick(program, &theirs, repetition)?;
            }
        }
    }
    report(run)?;
    Ok(())
}

/// The rows of the run in `folder`.
pub fn read(folder: &Path) -> anyhow::Result<Vec<Row>> {
    let path = folder.join("raw.csv");
    let text = std::fs::read_to_string(&path).with_context(|| format!("could not read {}", path.display()))?;
    let mut lines = text.lines();
    ensure!(lines.next() == Some(HEAD), "{} does not begin with `{HEAD}`", path.display());
    lines.map(|line| Row::parse(line).with_context(|| format!("in {}", path.display()))).collect()
}

/// Makes `tables.md` of the run in `folder` from its `raw.csv` alone, and returns it.
pub fn report(folder: &Path) -> anyhow::Result<String> {
    let text = tables(&read(folder)?);
    let path = folder.join("tables.md");
    std::fs::write(&path, &text).with_context(|| format!("could not write {}", path.display()))?;
    Ok(text)
}

/// What is asked of a group of problems, in seconds; infinite where nothing is.
#[derive(Clone, Copy)]
struct Target {
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
    fn judge(self, problems: &[Problem]) -> String {
        let mut asked = Vec::new();
        if self.median.is_finite() {
            asked.push(format!("median {}", human(self.median)));
        }
        if self.slowest.is_finite() {
            asked.push(format!("all < {}", human(self.slowest)));
        }
        let times: Vec<f64> = problems.iter().map(|problem| problem.seconds).collect();
        let Some(middle) = median(times.clone()).filter(|_| !asked.is_empty()) else { return "–".into() };
        let quick = middle <= self.median && times.iter().all(|seconds| *seconds < self.slowest);
        let open = problems.iter().filter(|problem| !problem.proven).count();
        // More time than the run allowed might have closed the open ones in time.
        let allowed = problems.iter().map(|problem| problem.time_limit).fold(f64::INFINITY, f64::min);
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
struct Group {
    name: &'static str,
    holds: fn(&Row) -> bool,
    yardstick: &'static str,
    must_hold: Target,
    go_for: Target,
}

#[rustfmt::skip]
const GROUPS: [Group; 8] = [
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

/// One program's repetitions on one problem, summed up.
struct Problem {
    name: String,
    seconds: f64,
    nodes: u64,
    value: Option<f64>,
    lower_bound: Option<f64>,
    proof_bytes: Option<u64>,
    time_limit: f64,
    /// Or accepted; in every repetition.
    proven: bool,
}

/// Every problem that `who` solved, medians over its repetitions.
fn problems<'r>(rows: impl IntoIterator<Item = &'r Row>, who: Who) -> Vec<Problem> {
    let mut by_name: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows.into_iter().filter(|row| row.who == who) {
        by_name.entry(&row.instance).or_default().push(row);
    }
    let summed = |(name, rows): (&str, Vec<&Row>)| {
        let last = rows.last()?;
        Some(Problem {
            name: name.into(),
            seconds: median(rows.iter().filter_map(|row| row.seconds).collect())?,
            nodes: last.nodes.unwrap_or(0),
            value: last.value,
            lower_bound: last.lower_bound,
            proof_bytes: last.proof_bytes,
            time_limit: last.time_limit,
            proven: rows.iter().all(|row| ["optimal", "accepted"].contains(&row.status.as_str())),
        })
    };
    by_name.into_iter().filter_map(summed).collect()
}

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
    let mut table = Table::new("", GROUPS.map(|group| group.name));
    let of = |group: &Group, who| problems(rows.iter().filter(|row| (group.holds)(row)), who);
    let middle = |all: &[Problem]| median(all.iter().map(|problem| problem.seconds).collect());
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
    table.text
}

fn proof_table(rows: &[Row]) -> String {
    let mut table = Table::new("proofs", GROUPS.map(|group| group.name));
    let within = |group: &Group| rows.iter().filter(|row| (group.holds)(row)).cloned().collect::<Vec<Row>>();
    let bytes = |group: &Group| -> Vec<f64> {
        problems(&within(group), Who::Verify).iter().filter_map(|p| p.proof_bytes).map(|b| b as f64).collect()
    };
    table.line("accepted", |group| share(&problems(&within(group), Who::Verify)));
    table.line("verify, median", |group| {
        median(problems(&within(group), Who::Verify).iter().map(|p| p.seconds).collect()).map(human)
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
    table.text
}

/// Seconds of `who` over those of our plain solve, by problem.
fn ratios(rows: &[Row], who: Who) -> Vec<(String, f64)> {
    let solves: BTreeMap<String, f64> = problems(rows, Who::Fathom).into_iter().map(|p| (p.name, p.seconds)).collect();
    let ratio = |problem: Problem| Some((problem.name.clone(), problem.seconds / solves.get(&problem.name)?));
    problems(rows, who).into_iter().filter_map(ratio).collect()
}

/// The `bo` problems one by one.
fn hard_table(rows: &[Row]) -> String {
    let hard = || rows.iter().filter(|row| row.family == "bo");
    let theirs = problems(hard(), Who::Yardstick);
    let verified = problems(hard(), Who::Verify);
    let mut text = String::from("| problem | fathom | nodes | gap | yardstick | nodes | gap | verify | proof |\n");
    text += &format!("|---|{}\n", "---|".repeat(8));
    let same = |all: &[Problem], name: &str| all.iter().position(|problem| problem.name == name);
    let cells = |problem: Option<&Problem>| match problem {
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
    for ours in problems(hard(), Who::Fathom) {
        let yardstick = cells(same(&theirs, &ours.name).map(|at| &theirs[at]));
        let check = same(&verified, &ours.name).map(|at| &verified[at]);
        let seconds = check.map_or("–".into(), |check| human(check.seconds));
        let bytes = check.and_then(|check| check.proof_bytes).map_or("–".into(), |bytes| size(bytes as f64));
        text += &format!("| {} | {} | {yardstick} | {seconds} | {bytes} |\n", ours.name, cells(Some(&ours)));
    }
    text
}

/// What must not be: bounds above known values, proven values that are not the best, proofs refused or too slow. Last,
/// what is good news.
fn findings(rows: &[Row]) -> String {
    let known: BTreeMap<&str, f64> = rows
        .iter()
        .filter(|row| row.who == Who::BestKnown)
        .filter_map(|row| Some((row.instance.as_str(), row.value?)))
        .collect();
    let mut wrong = Vec::new();
    let mut news = Vec::new();
    let note = |list: &mut Vec<String>, line: String| {
        if !list.contains(&line) {
            list.push(line);
        }
    };
    for row in rows {
        let (who, name) = (row.who.name(), &row.instance);
        match row.who {
            Who::BestKnown => continue,
            Who::Verify if row.status != "accepted" => note(&mut wrong, format!("{who}, {name}: {}", row.status)),
            Who::Fathom | Who::Proof | Who::Yardstick | Who::Verify => {}
        }
        let solved = row.who != Who::Verify;
        if solved && !row.value.is_some_and(f64::is_finite) {
            note(&mut wrong, format!("{who}, {name}: no finite value"));
        }
        if row.who == Who::Fathom && !row.lower_bound.is_some_and(f64::is_finite) {
            note(&mut wrong, format!("{who}, {name}: no finite bound"));
        }
        let Some(best) = known.get(name.as_str()) else { continue };
        if let Some(bound) = row.lower_bound.filter(|bound| *bound > best + TOLERANCE) {
            note(&mut wrong, format!("{who}, {name}: bound {bound} above the best known {best}"));
        }
        if let Some(value) = row.value.filter(|value| solved && row.status == "optimal" && *value > best + row.gap) {
            note(&mut wrong, format!("{who}, {name}: proven {value}, but {best} is known"));
        }
        if let Some(value) = row.value.filter(|value| row.who == Who::Fathom && *value < best - TOLERANCE) {
            note(&mut news, format!("{name}: {value}, {best} was the best known"));
        }
    }
    let slow = ratios(rows, Who::Verify).into_iter().filter(|(_, ratio)| *ratio > 20.0);
    let slow: Vec<String> = slow.map(|(name, ratio)| format!("{name}: {ratio:.1}×")).collect();
    let mut text = format!("{} best known values to hold against.\n", known.len());
    for (title, list) in [
        ("Bounds above a known value, proven values above it, no finite result, proofs refused (must be none)", wrong),
        ("Verified in more than 20× the solve (must be none)", slow),
        ("Better than the best known by more than 1e-6", news),
    ] {
        let _ = writeln!(text, "\n{title}: {}", if list.is_empty() { "none.".into() } else { list.len().to_string() });
        for line in list {
            text += &format!("* {line}\n");
        }
    }
    text
}

/// A Markdown table with a column for each group.
struct Table {
    text: String,
}

impl Table {
    fn new(corner: &str, heads: [&str; GROUPS.len()]) -> Self {
        Self { text: format!("| {corner} | {} |\n|---|{}\n", heads.join(" | "), "---|".repeat(heads.len())) }
    }

    fn line(&mut self, label: &str, cell: impl Fn(&Group) -> Option<String>) {
        let cells = GROUPS.each_ref().map(|group| cell(group).unwrap_or_else(|| "–".into()));
        self.text += &format!("| {label} | {} |\n", cells.join(" | "));
    }
}

fn share(problems: &[Problem]) -> Option<String> {
    let proven = problems.iter().filter(|problem| problem.proven).count();
    (!problems.is_empty()).then(|| format!("{proven}/{}", problems.len()))
}

/// Seconds in the unit that suits them.
pub(crate) fn human(seconds: f64) -> String {
    match seconds {
        s if s < 1e-4 => format!("{} ms", digits(s * 1e3, 3)),
        s if s < 1e-2 => format!("{} ms", digits(s * 1e3, 2)),
        s if s < 1.0 => format!("{} ms", digits(s * 1e3, 1)),
        s => format!("{} s", digits(s, 2)),
    }
}

/// With at most so many decimals.
fn digits(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    text.trim_end_matches('0').trim_end_matches('.').into()
}

fn size(bytes: f64) -> String {
    match bytes {
        b if b < 1e3 => format!("{b} B"),
        b if b < 1e6 => format!("{:.1} kB", b / 1e3),
        b => format!("{:.1} MB", b / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(who: Who, instance: &str, seconds: f64) -> Row {
        Row {
            who,
            instance: instance.into(),
            family: "prior".into(),
            d: 1,
            n: 10,
            kernel: "rbf".into(),
            repetition: 0,
            seconds: Some(seconds),
            nodes: Some(7),
            value: Some(-1.0),
            lower_bound: Some(-1.0005),
            status: "optimal".into(),
            gap: 1e-3,
            proof_bytes: None,
            time_limit: 20.0,
        }
    }

    #[test]
    fn rows_are_read_back_to_the_last_bit() {
        let full = Row { proof_bytes: Some(123), value: Some(-1.0 / 3.0), ..row(Who::Proof, "a", 0.1 + 0.2) };
        let bare = Row { seconds: None, nodes: None, lower_bound: None, ..row(Who::BestKnown, "b", 0.0) };
        for row in [full, bare] {
            assert_eq!(Row::parse(&row.to_line()).expect("just written"), row);
        }
        assert!(Row::parse("fathom,a,prior").is_err());
        assert!(Row::parse(&row(Who::Fathom, "a", 1.0).to_line().replace("fathom", "someone")).is_err());
        let talk = Row { status: "rejected: box 1, side [0, 1]".into(), ..row(Who::Verify, "a", 1.0) };
        assert_eq!(Row::parse(&talk.to_line()).expect("commas are replaced").status, "rejected: box 1; side [0; 1]");
    }

    #[test]
    fn the_yardstick_is_understood() {
        let told =
            Told::parse("bo_d2_n50_rbf_r0 best=-1.250000 lb=-1.251000 nodes=42 t=0.0031 OPEN").expect("well-formed");
        assert_eq!((told.nodes, told.seconds, told.open), (42, 0.0031, true));
        assert!(!Told::parse("a best=-1 lb=-2 nodes=1 t=0.0").expect("well-formed").open);
        assert!(Told::parse("a best=-1 lb=-2 nodes=1").is_err());
        assert!(Told::parse("a lb=-2 best=-1 nodes=1 t=0.0").is_err());
    }

    #[test]
    fn tables_show_medians_of_medians_beside_the_targets() {
        let rows = [
            row(Who::Fathom, "a", 9.0),
            row(Who::Fathom, "a", 2e-4),
            row(Who::Fathom, "a", 1e-4),
            row(Who::Yardstick, "a", 4e-4),
            Row { proof_bytes: Some(1500), status: "accepted".into(), ..row(Who::Verify, "a", 1e-3) },
        ];
        let text = tables(&rows);
        assert!(text.contains("| fathom, median | 0.2 ms | – |"), "{text}");
        assert!(text.contains("| yardstick / fathom, medians | 2.00× |"), "{text}");
        assert!(text.contains("| must hold | median 0.3 ms: met | – |"), "{text}");
        assert!(text.contains("| go for | median 0.05 ms: **missed** |"), "{text}");
        assert!(text.contains("| verify / solve, largest (at most 20×) | 5.0× |"), "{text}");
        assert!(text.contains("| proof, largest | 1.5 kB |"), "{text}");
        assert!(text.contains("proofs refused (must be none): none."), "{text}");
        let open = Row { status: "time_limit".into(), ..row(Who::Fathom, "b", 1e-4) };
        assert!(tables(&[open]).contains("median 0.3 ms: **missed**, 1 open"), "unproven problems meet no target");
        let hard = Row { family: "bo".into(), status: "time_limit".into(), ..row(Who::Fathom, "c", 20.0) };
        assert!(tables(&[hard]).contains("all < 60 s: undecided, 1 open at 20 s"), "the run was too short to tell");
    }

    #[test]
    fn what_must_not_be_is_listed() {
        let known = |value| Row { value: Some(value), ..row(Who::BestKnown, "a", 0.0) };
        let text = |best, ours: Row| findings(&[known(best), ours]);
        assert!(text(-1.0, row(Who::Fathom, "a", 1.0)).contains("(must be none): none."));
        assert!(text(-1.002, row(Who::Fathom, "a", 1.0)).contains("fathom, a: bound -1.0005 above"));
        assert!(text(-1.002, row(Who::Fathom, "a", 1.0)).contains("fathom, a: proven -1, but -1.002 is known"));
        let open = Row { status: "time_limit".into(), lower_bound: Some(-2.0), ..row(Who::Fathom, "a", 1.0) };
        assert!(text(-1.5, open).contains("(must be none): none."));
        assert!(text(-0.9, row(Who::Fathom, "a", 1.0)).contains("* a: -1, -0.9 was the best known"));
        let refused = Row { status: "rejected: a lie".into(), ..row(Who::Verify, "a", 1.0) };
        assert!(text(-1.0, refused).contains("fathom_verify, a: rejected: a lie"));
        let nothing = Row { value: Some(f64::NAN), lower_bound: None, ..row(Who::Fathom, "a", 1.0) };
        assert!(text(-1.0, nothing).contains("* fathom, a: no finite bound"));
        let slow = [row(Who::Fathom, "a", 1.0), Row { status: "accepted".into(), ..row(Who::Verify, "a", 30.0) }];
        assert!(findings(&slow).contains("* a: 30.0×"));
    }

    #[test]
    fn a_folder_is_solved_verified_and_never_overwritten() {
        let folder = std::env::temp_dir().join(format!("fathom-search-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a new folder");
        let text = r#"{"name": "tiny", "family": "prior", "seed": 1, "d": 1, "n": 2, "kernel": "rbf", "sigma_f2": 1.0,
            "lengthscales": [0.5], "noise": 1e-6, "beta_sqrt": 1.0, "bounds": [[0.0, 1.0]],
            "x": [[0.2], [0.7]], "y": [0.5, -0.5]}"#;
        std::fs::write(folder.join("tiny.json"), text).expect("our folder");
        let known = folder.join("best.csv");
        std::fs::write(&known, "instance,best_known_lcb\ntiny,5.0\n").expect("our folder");
        let run = folder.join("run");
        let go = || compare(&folder, None, Some(&known), 1e-3, Duration::from_secs(10), &run);
        go().expect("a tiny problem");
        let rows = read(&run).expect("just written");
        assert_eq!(rows.iter().filter(|row| row.who == Who::Fathom && row.status == "optimal").count(), REPETITIONS);
        assert_eq!(rows.iter().filter(|row| row.who == Who::Verify && row.status == "accepted").count(), REPETITIONS);
        assert!(report(&run).expect("just written").contains("5 was the best known"));
        assert!(go().is_err(), "a run is never overwritten");
        std::fs::remove_dir_all(folder).expect("the folder is ours");
    }
}
