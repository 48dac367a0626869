//! Changes an honest proof as someone would who has read the checker and wants a false claim accepted.
//!
//! Most forgeries raise the claim beyond the truth and then change what the proof leans on, as a false claim with honest evidence
//! is refused at once.

use super::truth::Truth;
use fathom_proof::{
    Conclusion, Cut, End, Evidence, KernelFields, KernelName, Order, Proof, Reason, Record, StatedAcquisition,
    StatedKernel, StatedNegative, StatedRow, Step,
};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use std::io::{Read as _, Write as _};

/// Numbers at the ends of what numbers can be, and where squares and products leave it.
const STRANGE: [f64; 26] = [
    0.0,
    -0.0,
    1.0,
    5e-324,
    1e-310,
    f64::MIN_POSITIVE,
    1e-300,
    1e-200,
    1e-160,
    1e-100,
    1e-50,
    1e-16,
    1e-8,
    1e8,
    1e16,
    1e50,
    1e100,
    1.3e154,
    1.4e154,
    1e200,
    1e300,
    1e308,
    f64::MAX,
    f64::INFINITY,
    f64::NAN,
    0.5,
];

/// One way to change a proof.
type Change = fn(&mut Forger, &mut Proof);

/// A kind of forgery: its name, and what it changes beside the claim.
pub(super) const KINDS: [(&str, Change); 34] = [
    ("claim alone", |_, _| ()),
    ("point and value", Forger::point),
    ("no points", Forger::no_points),
    ("ends inherited", |forger, proof| forger.ends(proof, |_, _| End::Inherited)),
    ("ends empty", |forger, proof| forger.ends(proof, |forger, proof| End::Empty { row: forger.row(proof) })),
    ("ends closed", |forger, proof| forger.ends(proof, |forger, proof| End::Closed(forger.borrowed(proof)))),
    ("covered from above", Forger::covered),
    ("halves", Forger::halves),
    ("split position", Forger::positions),
    ("split coordinate", Forger::coordinates),
    ("narrowed further", Forger::narrowed),
    ("narrowed anew", Forger::narrowed_anew),
    ("cuts", Forger::cuts),
    ("cuts anew", Forger::cuts_anew),
    ("multipliers", Forger::multipliers),
    ("weights", Forger::weights),
    ("weights and multipliers", |forger, proof| {
        forger.weights(proof);
        forger.multipliers(proof);
    }),
    ("prior means of pieces", Forger::piece_means),
    ("least eigenvalue", Forger::eigenvalue),
    ("pieces", Forger::pieces),
    ("reasons", Forger::reasons),
    ("parameters", Forger::parameters),
    ("shifts", |forger, proof| forger.vectors(proof, |evidence| &mut evidence.shift)),
    ("points of tangency", |forger, proof| forger.vectors(proof, |evidence| &mut evidence.at)),
    ("multipliers of rows", |forger, proof| forger.vectors(proof, |evidence| &mut evidence.duals)),
    ("lengths", Forger::lengths),
    ("three at once", |forger, proof| {
        for _ in 0..3 {
            let change = KINDS[forger.rng.random_range(3..26)].1;
            change(forger, proof);
        }
    }),
    ("hyperparameters", Forger::hyperparameters),
    ("data", Forger::data),
    ("region", Forger::region),
    ("rows", Forger::rows),
    ("knots", Forger::knots),
    ("function", Forger::function),
    ("bytes", |_, _| ()),
];

/// Whether a walk through the tree comes to an end soon: a box within itself has no file.
/// The kernel before this one among those without fields of their own.
fn before(name: KernelName) -> StatedKernel {
    let none = KernelFields::default();
    let all = KernelName::ALL.iter().filter_map(|name| StatedKernel::named(*name, none.clone()).ok());
    let plain: Vec<StatedKernel> = all.filter(|kernel| kernel.clone().into_fields().1 == none).collect();
    let at = plain.iter().position(|kernel| kernel.name() == name).unwrap_or(0);
    plain[(at + plain.len() - 1) % plain.len()].clone()
}

fn has_end(proof: &Proof) -> bool {
    let mut pending: Vec<usize> = (0..proof.pieces.len()).collect();
    let mut left = 10_000;
    while let Some(at) = pending.pop() {
        left -= 1;
        if let Some(Record { end: End::Split { halves, .. }, .. }) = proof.records.get(at) {
            pending.extend(halves);
        }
        if left == 0 {
            return false;
        }
    }
    true
}

/// Makes forgeries of one proof.
pub(super) struct Forger {
    pub rng: ChaCha8Rng,
    pub truth: Truth,
}

impl Forger {
    /// The bytes of a forgery of this kind; none if the writer cannot write it down.
    pub fn forge(&mut self, honest: &Proof, kind: usize) -> Option<Vec<u8>> {
        let mut proof = honest.clone();
        if self.chance(0.93) {
            self.raise(&mut proof);
        }
        (KINDS[kind].1)(self, &mut proof);
        let bytes = if has_end(&proof) { proof.to_bytes().ok()? } else { return None };
        if KINDS[kind].0 == "bytes" { self.bytes(&bytes) } else { Some(bytes) }
    }

    fn chance(&mut self, share: f64) -> bool {
        self.rng.random::<f64>() < share
    }

    fn decades(&mut self, low: f64, high: f64) -> f64 {
        10_f64.powf(low + (high - low) * self.rng.random::<f64>())
    }

    /// A number to put in the place of another.
    fn number(&mut self, old: f64) -> f64 {
        let strange = STRANGE[self.rng.random_range(0..STRANGE.len())];
        match self.rng.random_range(0..12) {
            0..=3 => strange,
            4 => -strange,
            5 => old * self.decades(-12.0, 12.0),
            6 => old * (1.0 + self.decades(-15.0, 0.0)),
            7 => old + self.decades(-15.0, 3.0),
            8 => old - self.decades(-15.0, 3.0),
            9 => -old,
            10 => old.next_up(),
            _ => old * strange,
        }
    }

    /// A claim that is too high: by next to nothing, by far, or beyond all numbers.
    fn raise(&mut self, proof: &mut Proof) {
        let Truth::Between(lower, upper) = self.truth else {
            proof.claim.lower_bound = Some(self.number(1.0));
            return;
        };
        let scale = upper.abs() + 1e-3;
        let claim = match self.rng.random_range(0..12) {
            0..=4 => upper + scale * self.decades(-11.0, 1.0),
            5 => upper + scale * self.decades(-12.0, 300.0),
            6 => upper + 0.5 * (upper - lower) + 1e-6 * scale,
            7 => f64::MAX,
            8 => self.number(upper).abs(),
            9 => upper + scale * 0.1,
            10 => 0.0,
            _ => STRANGE[self.rng.random_range(0..STRANGE.len())],
        };
        proof.claim.lower_bound = Some(claim);
        // A claim above its own value is refused at once.
        match self.rng.random_range(0..10) {
            0 => {}
            1 => proof.claim.value = proof.claim.value.map(|_| claim),
            _ => (proof.claim.point, proof.claim.value) = (None, None),
        }
    }

    fn point(&mut self, proof: &mut Proof) {
        let bounds = proof.statement.bounds.clone();
        let value = match self.truth {
            Truth::Between(_, upper) => upper,
            Truth::Empty | Truth::Unknown => 0.0,
        };
        let mut point: Vec<f64> = match &proof.claim.point {
            Some(point) if self.chance(0.5) => point.clone(),
            Some(_) | None => bounds.iter().map(|(low, high)| low + self.rng.random::<f64>() * (high - low)).collect(),
        };
        if self.chance(0.7) {
            let j = self.rng.random_range(0..point.len());
            point[j] = if self.chance(0.5) { self.number(point[j]) } else { point[j] + self.decades(-12.0, -1.0) };
        }
        let value = match self.rng.random_range(0..4) {
            0 => value * (1.0 - self.decades(-9.0, 2.0)),
            1 => value - self.decades(-9.0, 2.0),
            2 => self.number(value),
            _ => value,
        };
        let old = proof.claim.lower_bound.filter(|bound| *bound <= value);
        proof.claim = Conclusion { point: Some(point), value: Some(value), lower_bound: old.or(Some(value)) };
    }

    fn no_points(&mut self, proof: &mut Proof) {
        proof.claim = Conclusion { point: None, value: None, lower_bound: None };
        for at in 0..proof.records.len() {
            if matches!(proof.records[at].end, End::Closed(_)) && self.chance(0.8) {
                let end = if self.chance(0.8) { End::Empty { row: self.row(proof) } } else { End::Inherited };
                proof.records[at].end = end;
            }
        }
        if self.chance(0.3) {
            self.cuts_anew(proof);
        }
    }

    fn row(&mut self, proof: &Proof) -> usize {
        match self.rng.random_range(0..6) {
            0 => u32::MAX as usize,
            _ => self.rng.random_range(0..=proof.statement.rows.len()),
        }
    }

    /// Some record, rather near the root.
    fn record(&mut self, proof: &Proof) -> usize {
        let (count, roots) = (proof.records.len(), proof.pieces.len().clamp(1, proof.records.len()));
        if self.chance(0.4) { self.rng.random_range(0..roots) } else { self.rng.random_range(0..count) }
    }

    /// Whole parts of the tree end otherwise.
    fn ends(&mut self, proof: &mut Proof, end: fn(&mut Self, &Proof) -> End) {
        let all = self.chance(0.3);
        let chosen = self.record(proof);
        for at in 0..proof.records.len() {
            let is_leaf = !matches!(proof.records[at].end, End::Split { .. });
            if at == chosen || all && is_leaf {
                proof.records[at].end = end(self, proof);
                if self.chance(0.3) {
                    proof.records[at].steps.clear();
                }
            }
        }
    }

    /// Evidence of another box, or of this one, perhaps changed.
    fn borrowed(&mut self, proof: &Proof) -> Evidence {
        let all: Vec<&Evidence> = proof.records.iter().flat_map(super::honest::evidence).collect();
        let (dim, rows) = (proof.statement.dim(), proof.statement.rows.len());
        let mut evidence = match all.is_empty() {
            true => Evidence {
                reason: Reason::Moving(Order::Two, 1.0),
                shift: vec![0.0; dim],
                at: vec![0.0; dim],
                duals: vec![0.0; rows],
            },
            false => all[self.rng.random_range(0..all.len())].clone(),
        };
        if self.chance(0.5) {
            evidence.reason = self.reason(evidence.reason, proof.multipliers.len());
        }
        if self.chance(0.2) {
            evidence.shift.iter_mut().chain(&mut evidence.at).for_each(|value| *value = self.number(*value));
        }
        evidence
    }

    /// A split with a bound of the forger's own, and everything below inherited.
    fn covered(&mut self, proof: &mut Proof) {
        let roots = proof.pieces.len();
        for root in 0..roots.min(proof.records.len()) {
            let floor = self.borrowed(proof);
            let next = proof.records.len();
            proof.records.extend([Record::default(), Record::default()]);
            let (low, high) = proof.statement.bounds[0];
            let position = if self.chance(0.5) { low } else { (0.5 * (low + high)).floor() };
            let steps = if self.chance(0.5) { proof.records[root].steps.clone() } else { Vec::new() };
            proof.records[root] =
                Record { steps, end: End::Split { floor, coordinate: 0, position, halves: [next, next + 1] } };
        }
    }

    fn halves(&mut self, proof: &mut Proof) {
        let splits: Vec<usize> =
            (0..proof.records.len()).filter(|at| matches!(proof.records[*at].end, End::Split { .. })).collect();
        if splits.is_empty() {
            return;
        }
        let way = self.rng.random_range(0..3);
        let at = splits[self.rng.random_range(0..splits.len())];
        if let End::Split { halves, .. } = &mut proof.records[at].end {
            match way {
                0 => halves.swap(0, 1),
                1 => halves[0] = halves[1],
                _ => halves[1] = halves[0],
            }
        }
    }

    fn positions(&mut self, proof: &mut Proof) {
        let all = self.chance(0.3);
        let chosen = self.record(proof);
        let (low, high) = proof.statement.bounds[0];
        for at in 0..proof.records.len() {
            let new = match self.rng.random_range(0..5) {
                0 => low,
                1 => high,
                2 => low + (high - low) * self.rng.random::<f64>(),
                _ => f64::NAN,
            };
            let (is_new, odd) = (!new.is_nan(), self.number(low));
            if let End::Split { position, .. } = &mut proof.records[at].end
                && (all || at >= chosen)
            {
                *position = if is_new { new } else { odd };
                if !all {
                    return;
                }
            }
        }
    }

    fn coordinates(&mut self, proof: &mut Proof) {
        let (new, all) = (self.rng.random_range(0..=proof.statement.dim()), self.chance(0.3));
        let new = if self.chance(0.1) { 255 } else { new };
        let chosen = self.record(proof);
        for (at, record) in proof.records.iter_mut().enumerate() {
            if let End::Split { coordinate, .. } = &mut record.end
                && (all || at >= chosen)
            {
                *coordinate = new;
                if !all {
                    return;
                }
            }
        }
    }

    fn side(&mut self, low: f64, high: f64) -> (f64, f64) {
        let at = low + (high - low) * self.rng.random::<f64>();
        let width = (high - low) * self.decades(-12.0, 0.0);
        match self.rng.random_range(0..6) {
            0 => (at, at),
            1 => (at.round(), high),
            2 => (low, at),
            3 => (self.number(low), self.number(high)),
            4 => (high, low),
            _ => (at, (at + width).min(high)),
        }
    }

    fn narrowed(&mut self, proof: &mut Proof) {
        let bounds = proof.statement.bounds.clone();
        let all = self.chance(0.4);
        for at in 0..proof.records.len() {
            for step in 0..proof.records[at].steps.len() {
                let (j, is_meant) = (self.rng.random_range(0..bounds.len()), all || self.chance(0.2));
                let (low, high) = self.side(bounds[j].0, bounds[j].1);
                if let (Step::Narrowed { lower, upper, .. }, true) = (&mut proof.records[at].steps[step], is_meant) {
                    (lower[j], upper[j]) = (low, high);
                }
            }
        }
    }

    fn narrowed_anew(&mut self, proof: &mut Proof) {
        let roots = proof.pieces.len().min(proof.records.len());
        for at in 0..roots {
            let (mut lower, mut upper): (Vec<f64>, Vec<f64>) = proof.statement.bounds.iter().copied().unzip();
            for j in 0..lower.len() {
                (lower[j], upper[j]) = self.side(lower[j], upper[j]);
            }
            let step = Step::Narrowed { evidence: self.borrowed(proof), lower, upper };
            proof.records[at].steps.insert(0, step);
            if self.chance(0.5) {
                proof.records[at].end = End::Closed(self.borrowed(proof));
            }
        }
    }

    fn cuts(&mut self, proof: &mut Proof) {
        for at in 0..proof.records.len() {
            for step in 0..proof.records[at].steps.len() {
                let Step::Rows(mut cuts) = proof.records[at].steps[step].clone() else { continue };
                for cut in &mut cuts {
                    match self.rng.random_range(0..6) {
                        0 => cut.lower = self.number(cut.lower),
                        1 => cut.upper = self.number(cut.upper),
                        2 => cut.lower = cut.upper,
                        3 => cut.coordinate = self.rng.random_range(0..=proof.statement.dim()),
                        4 => cut.row = self.row(proof),
                        _ => (cut.lower, cut.upper) = self.side(cut.lower, cut.upper),
                    }
                }
                proof.records[at].steps[step] = Step::Rows(cuts);
            }
        }
    }

    fn cuts_anew(&mut self, proof: &mut Proof) {
        let roots = proof.pieces.len().min(proof.records.len());
        for at in 0..roots {
            let mut cuts = Vec::new();
            for _ in 0..self.rng.random_range(1..4) {
                let coordinate = self.rng.random_range(0..proof.statement.dim());
                let (low, high) = proof.statement.bounds[coordinate];
                let (lower, upper) = self.side(low, high);
                cuts.push(Cut { row: self.row(proof), coordinate, lower, upper });
            }
            proof.records[at].steps.insert(0, Step::Rows(cuts));
        }
    }

    /// One entry, two of them, or all.
    fn entries(&mut self, values: &mut [f64]) {
        if values.is_empty() {
            return;
        }
        let factor = self.number(1.0);
        let (first, second) = (self.rng.random_range(0..values.len()), self.rng.random_range(0..values.len()));
        match self.rng.random_range(0..6) {
            0 => values[first] = self.number(values[first]),
            1 => {
                let new = self.number(values[first]);
                (values[first], values[second]) = (new, -new);
            }
            2 => values.iter_mut().for_each(|value| *value *= factor),
            3 => values.iter_mut().for_each(|value| *value = factor),
            4 => values.iter_mut().for_each(|value| *value = self.number(*value)),
            _ => values.iter_mut().for_each(|value| *value *= 1.0 + 0.1 * self.rng.random::<f64>()),
        }
    }

    fn multipliers(&mut self, proof: &mut Proof) {
        let all = self.chance(0.5);
        for g in &mut proof.multipliers {
            if all || self.chance(0.3) {
                self.entries(g);
            }
        }
    }

    fn weights(&mut self, proof: &mut Proof) {
        for piece in &mut proof.pieces {
            self.entries(&mut piece.weights);
        }
        // Tilted evidence compares the two.
        let weights = proof.pieces.first().map(|piece| piece.weights.clone());
        if let (Some(weights), true) = (weights, self.chance(0.3)) {
            proof.multipliers.iter_mut().for_each(|g| g.clone_from(&weights));
        }
    }

    fn piece_means(&mut self, proof: &mut Proof) {
        let count = proof.pieces.len();
        if count == 0 {
            return;
        }
        let chosen = self.rng.random_range(0..count);
        proof.pieces[chosen].mean = self.number(proof.pieces[chosen].mean);
        if count == 2 && self.chance(0.5) {
            let means = [proof.pieces[1].mean, proof.pieces[0].mean];
            (proof.pieces[0].mean, proof.pieces[1].mean) = (means[0], means[1]);
        }
    }

    fn eigenvalue(&mut self, proof: &mut Proof) {
        let old = proof.least_eigenvalue.unwrap_or(1.0);
        let new = if self.chance(0.5) { old * self.decades(-1.0, 3.0) } else { self.number(old) };
        proof.least_eigenvalue = if self.chance(0.1) { None } else { Some(new) };
    }

    fn pieces(&mut self, proof: &mut Proof) {
        match (self.rng.random_range(0..3), proof.pieces.len()) {
            (0, 2) => {
                proof.pieces.swap(0, 1);
            }
            (1, 2) => {
                proof.pieces.truncate(1);
            }
            (_, 2) if proof.records.len() > 1 => proof.records.swap(0, 1),
            (0, 1) => proof.pieces.push(proof.pieces[0].clone()),
            (1, _) => proof.pieces.clear(),
            (_, _) => self.piece_means(proof),
        }
    }

    fn reason(&mut self, old: Reason, multipliers: usize) -> Reason {
        let order = if self.chance(0.5) { Order::Two } else { Order::Three };
        let index = self.rng.random_range(0..=multipliers);
        match self.rng.random_range(0..6) {
            0 => Reason::Multiplier(order, index),
            1 | 2 => Reason::Tilted(order, index, self.number(1.0)),
            3 => Reason::Moving(order, self.number(1.0)),
            4 => Reason::Taylor { guess: self.number(0.5), kappa: self.number(2.0) },
            _ => match old {
                Reason::Multiplier(_, at) => Reason::Multiplier(order, at),
                Reason::Tilted(_, at, tau) => Reason::Tilted(order, at, tau),
                Reason::Moving(_, weight) => Reason::Moving(order, weight),
                Reason::Taylor { guess, kappa } => Reason::Taylor { guess, kappa },
            },
        }
    }

    /// Some evidence, or all of it.
    fn each(&mut self, proof: &mut Proof, mut change: impl FnMut(&mut Self, &mut Evidence)) {
        let all = self.chance(0.6);
        for record in &mut proof.records {
            let end = match &mut record.end {
                End::Closed(evidence) | End::Split { floor: evidence, .. } => Some(evidence),
                End::Inherited | End::Empty { .. } => None,
            };
            let narrowed = record.steps.iter_mut().filter_map(|step| match step {
                Step::Narrowed { evidence, .. } => Some(evidence),
                Step::Rows(_) => None,
            });
            for evidence in narrowed.chain(end) {
                if all || self.chance(0.2) {
                    change(self, evidence);
                }
            }
        }
    }

    fn reasons(&mut self, proof: &mut Proof) {
        let (count, one) = (proof.multipliers.len(), self.chance(0.5));
        let same = self.reason(Reason::Moving(Order::Two, 1.0), count);
        self.each(proof, |forger, evidence| {
            evidence.reason = if one { same } else { forger.reason(evidence.reason, count) };
        });
    }

    fn parameters(&mut self, proof: &mut Proof) {
        let same = self.chance(0.5).then(|| self.number(1.0));
        self.each(proof, |forger, evidence| {
            let mut new = |old: f64| same.unwrap_or_else(|| forger.number(old));
            evidence.reason = match evidence.reason {
                Reason::Multiplier(order, at) => Reason::Tilted(order, at, new(1.0)),
                Reason::Tilted(order, at, tau) => Reason::Tilted(order, at, new(tau)),
                Reason::Moving(order, weight) => Reason::Moving(order, new(weight)),
                Reason::Taylor { guess, kappa } => {
                    let guess = new(guess);
                    Reason::Taylor { guess, kappa: if same.is_some() { kappa } else { forger.number(kappa) } }
                }
            };
        });
    }

    fn vectors(&mut self, proof: &mut Proof, of: fn(&mut Evidence) -> &mut Vec<f64>) {
        let same = self.chance(0.4).then(|| self.number(1.0));
        self.each(proof, |forger, evidence| {
            let values = of(evidence);
            match same {
                Some(same) => values.iter_mut().for_each(|value| *value = same),
                None => forger.entries(values),
            }
        });
    }

    /// Vectors of other lengths: in a file they shift all that follows.
    fn lengths(&mut self, proof: &mut Proof) {
        let way = self.rng.random_range(0..5);
        let value = self.number(0.0);
        match way {
            0 => self.each(proof, |_, evidence| evidence.shift.push(value)),
            1 => self.each(proof, |_, evidence| evidence.at.clear()),
            2 => self.each(proof, |_, evidence| {
                evidence.duals.pop();
            }),
            3 => proof.multipliers.iter_mut().for_each(|g| g.push(value)),
            _ => proof.pieces.iter_mut().for_each(|piece| piece.weights.push(value)),
        }
    }

    fn hyperparameters(&mut self, proof: &mut Proof) {
        let statement = &mut proof.statement;
        let near_end = [1e-100, 1e100, 1e-50, 1e50, 1e-12, 1e12][self.rng.random_range(0..6)];
        let new = |forger: &mut Self, old: f64| match forger.rng.random_range(0..3) {
            0 => near_end,
            1 => old * forger.decades(-3.0, 3.0),
            _ => forger.number(old),
        };
        for _ in 0..self.rng.random_range(1..3) {
            match self.rng.random_range(0..6) {
                0 => statement.noise = new(self, statement.noise),
                1 => statement.jitter = new(self, statement.jitter),
                2 => {
                    let j = self.rng.random_range(0..statement.lengthscales.len());
                    statement.lengthscales[j] = new(self, statement.lengthscales[j]);
                }
                3 => statement.mean = new(self, statement.mean),
                4 => {
                    let j = self.rng.random_range(0..statement.terms.len());
                    statement.terms[j].variance = new(self, statement.terms[j].variance);
                }
                _ => {
                    let j = self.rng.random_range(0..statement.terms.len());
                    let (name, mut fields) = statement.terms[j].kernel.clone().into_fields();
                    if fields == KernelFields::default() {
                        statement.terms[j].kernel = before(name);
                    } else {
                        fields.alpha = fields.alpha.map(|alpha| new(self, alpha));
                        fields.offset = fields.offset.map(|offset| new(self, offset));
                        fields.degree = fields.degree.map(|_| self.rng.random_range(0..70));
                        statement.terms[j].kernel =
                            StatedKernel::named(name, fields).expect("the fields are those of the kernel");
                    }
                }
            }
        }
    }

    fn data(&mut self, proof: &mut Proof) {
        let n = proof.statement.y.len();
        let i = self.rng.random_range(0..n);
        match self.rng.random_range(0..5) {
            0 => self.entries(&mut proof.statement.y),
            1 => {
                let mut row = proof.statement.x[i].clone();
                self.entries(&mut row);
                proof.statement.x[i] = row;
            }
            2 => proof.statement.x[i] = proof.statement.x[(i + 1) % n].clone(),
            3 => proof.statement.y[i] = self.number(proof.statement.y[i]),
            _ => {
                proof.statement.x.truncate(1);
                proof.statement.y.truncate(1);
                proof.multipliers.iter_mut().for_each(|g| g.truncate(1));
                proof.pieces.iter_mut().for_each(|piece| piece.weights.truncate(1));
            }
        }
    }

    fn region(&mut self, proof: &mut Proof) {
        let statement = &mut proof.statement;
        let j = self.rng.random_range(0..statement.bounds.len());
        let (low, high) = statement.bounds[j];
        match self.rng.random_range(0..5) {
            0 => statement.bounds[j] = (low, self.number(high)),
            1 => statement.bounds[j] = (self.number(low), high),
            2 => {
                let wider = self.decades(-3.0, 3.0);
                statement.bounds[j] = (low - wider, high + wider);
            }
            3 => statement.integers = vec![j],
            _ => {
                statement.integers = vec![j];
                statement.bounds[j] = (low - self.rng.random::<f64>(), high + 3.0 * self.rng.random::<f64>());
            }
        }
    }

    fn rows(&mut self, proof: &mut Proof) {
        let dim = proof.statement.dim();
        if proof.statement.rows.is_empty() {
            // A row that any point satisfies, so that its multiplier can be forged.
            let row = StatedRow { linear: vec![(0, 1.0)], upper: Some(1e3), ..StatedRow::default() };
            proof.statement.rows.push(row);
            self.each(proof, |_, _| ());
            let factor = self.number(1.0);
            for record in &mut proof.records {
                let end = match &mut record.end {
                    End::Closed(evidence) | End::Split { floor: evidence, .. } => Some(evidence),
                    End::Inherited | End::Empty { .. } => None,
                };
                let steps = record.steps.iter_mut().filter_map(|step| match step {
                    Step::Narrowed { evidence, .. } => Some(evidence),
                    Step::Rows(_) => None,
                });
                steps.chain(end).for_each(|evidence| evidence.duals = vec![factor]);
            }
        }
        let at = self.rng.random_range(0..proof.statement.rows.len());
        let row = &mut proof.statement.rows[at];
        match self.rng.random_range(0..6) {
            0 => row.upper = row.upper.map(|side| side + self.decades(-9.0, 1.0)),
            1 => row.lower = row.lower.map(|side| side - self.decades(-9.0, 1.0)),
            2 => (row.lower, row.upper) = (None, None),
            3 => row.quadratic.push((dim - 1, dim - 1, self.number(1.0))),
            4 => row.linear.iter_mut().for_each(|(_, c)| *c = self.number(*c)),
            _ => {
                let (huge, j) = (self.decades(10.0, 40.0), self.rng.random_range(0..dim));
                row.quadratic.extend([(j, j, huge), (j, j, 1.0), (j, j, -huge)]);
            }
        }
    }

    fn knots(&mut self, proof: &mut Proof) {
        let way = self.rng.random_range(0..5);
        let (share, odd) = (self.rng.random::<f64>(), self.number(1.0));
        for term in &mut proof.statement.terms {
            if let StatedKernel::PiecewiseLinear { knots } = &mut term.kernel {
                let at = ((knots.len() as f64 - 1.0) * share) as usize + usize::from(share > 0.1);
                let at = at.min(knots.len() - 1);
                match way {
                    0 => knots[at].1 = odd,
                    1 => knots[at].0 = odd,
                    2 => knots[at].1 -= share,
                    3 => knots.truncate(2),
                    _ => {
                        knots.truncate(2);
                        knots[1].0 *= share;
                    }
                }
                return;
            }
        }
        self.hyperparameters(proof);
    }

    fn function(&mut self, proof: &mut Proof) {
        use StatedAcquisition as A;
        let number = |forger: &mut Self, old: f64| {
            if forger.chance(0.5) { old + forger.rng.random::<f64>() } else { forger.number(old) }
        };
        proof.statement.acquisition = match (self.rng.random_range(0..4), proof.statement.acquisition) {
            (0, _) => A::Mean,
            (1, _) => A::Lcb { kappa: number(self, 2.0) },
            (_, A::Lcb { kappa }) => A::Lcb { kappa: number(self, kappa) },
            (_, A::Glcb { kappa, rho, imprecision }) => {
                A::Glcb { kappa, rho: number(self, rho), imprecision: number(self, imprecision) }
            }
            (2, A::Ei { best }) => A::LogEi { best },
            (2, A::LogEi { best }) => A::Pi { best },
            (2, A::Pi { best }) => A::Ei { best },
            (_, A::Ei { best }) => A::Ei { best: number(self, best) },
            (_, A::LogEi { best }) => A::LogEi { best: number(self, best) },
            (_, A::Pi { best }) => A::Pi { best: number(self, best) },
            (_, A::Mean) => A::Deviation,
            (_, A::Deviation) => A::Mean,
        };
        if self.chance(0.3) {
            proof.statement.negative_variance = match proof.statement.negative_variance {
                Some(StatedNegative::Clamped) => Some(StatedNegative::Excluded),
                Some(StatedNegative::Excluded) => Some(StatedNegative::Clamped),
                None => None,
            };
        }
    }

    /// Edits of the content itself, with a checksum that fits.
    fn bytes(&mut self, file: &[u8]) -> Option<Vec<u8>> {
        let (first, stream) = file.split_at_checked(15)?;
        let mut content = Vec::new();
        ZlibDecoder::new(stream).read_to_end(&mut content).ok()?;
        content.truncate(content.len().checked_sub(8)?);
        let head = 4 + u32::from_le_bytes(*content.first_chunk()?) as usize;
        for _ in 0..self.rng.random_range(1..4) {
            let from = if self.chance(0.8) { head.min(content.len() - 1) } else { 0 };
            let at = self.rng.random_range(from..content.len());
            match self.rng.random_range(0..5) {
                0 => content[at] ^= 1 << self.rng.random_range(0..8),
                1 => content[at] = self.rng.random(),
                2 => content.insert(at, self.rng.random()),
                3 => {
                    content.remove(at);
                }
                _ => {
                    let new = self.number(1.0).to_le_bytes();
                    let end = (at + 8).min(content.len());
                    content[at..end].copy_from_slice(&new[..end - at]);
                }
            }
        }
        let fnv = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        let sum = content.iter().fold(0xcbf2_9ce4_8422_2325, fnv);
        content.extend_from_slice(&sum.to_le_bytes());
        let mut encoder = ZlibEncoder::new(first.to_vec(), Compression::fast());
        encoder.write_all(&content).ok()?;
        encoder.finish().ok()
    }
}
