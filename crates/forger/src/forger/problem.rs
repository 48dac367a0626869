//! Forgeries of the problem: the model, its data, the region and the function.

use super::Forger;
use crate::records;
use fathom_proof::{
    KernelFields, KernelName, KnotArgument, Proof, StatedAcquisition, StatedKernel, StatedNegative, StatedRow,
};
use rand::RngExt as _;

/// The kernel before this one, among the kernels without fields.
fn before(name: KernelName) -> StatedKernel {
    let none = KernelFields::default();
    let all = KernelName::ALL.iter().filter_map(|name| StatedKernel::named(*name, none.clone()).ok());
    let plain: Vec<StatedKernel> = all.filter(|kernel| kernel.clone().into_fields().1 == none).collect();
    let at = plain.iter().position(|kernel| kernel.name() == name).unwrap_or(0);
    plain[(at + plain.len() - 1) % plain.len()].clone()
}

impl Forger {
    pub(super) fn hyperparameters(&mut self, proof: &mut Proof) {
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

    pub(super) fn data(&mut self, proof: &mut Proof) {
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

    pub(super) fn region(&mut self, proof: &mut Proof) {
        let statement = &mut proof.statement;
        if let Some((_, numbers)) = statement.values.first_mut() {
            // Another list: the numbers that a proof has passed over are now among those it has to bound.
            let at = self.rng.random_range(0..numbers.len() - 1);
            match self.rng.random_range(0..3) {
                0 => numbers.insert(at + 1, 0.5 * (numbers[at] + numbers[at + 1])),
                1 => numbers[at] = self.number(numbers[at]),
                _ => numbers.swap(at, at + 1),
            }
            return;
        }
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

    pub(super) fn rows(&mut self, proof: &mut Proof) {
        let dim = proof.statement.dim();
        if proof.statement.rows.is_empty() {
            // Every point satisfies this row, so its multiplier can be forged.
            let row = StatedRow { linear: vec![(0, 1.0)], upper: Some(1e3), ..StatedRow::default() };
            proof.statement.rows.push(row);
            // This draws nothing of use, but keeps the forgeries of a seed.
            self.each(proof, |_, _| ());
            let factor = self.number(1.0);
            for record in &mut proof.records {
                records::evidence_mut(record).for_each(|evidence| evidence.duals = vec![factor]);
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

    pub(super) fn knots(&mut self, proof: &mut Proof) {
        let way = self.rng.random_range(0..5);
        let (share, odd) = (self.rng.random::<f64>(), self.number(1.0));
        for term in &mut proof.statement.terms {
            if let StatedKernel::PiecewiseLinear { knots } | StatedKernel::PiecewiseLinearProduct { knots } =
                &mut term.kernel
            {
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
                if share > 0.93 {
                    // The same knots of the other argument.
                    let (name, mut fields) = term.kernel.clone().into_fields();
                    fields.knots = fields.knots.map(|(argument, knots)| match argument {
                        KnotArgument::Distance => (KnotArgument::InnerProduct, knots),
                        KnotArgument::InnerProduct => (KnotArgument::Distance, knots),
                    });
                    term.kernel = StatedKernel::named(name, fields).expect("the fields are those of the kernel");
                }
                return;
            }
        }
        self.hyperparameters(proof);
    }

    pub(super) fn function(&mut self, proof: &mut Proof) {
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
}
