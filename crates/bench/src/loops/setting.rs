//! The panels of Figures 3 and 4.

use crate::contender::Contender;
use fathom_study::Function;

/// One problem under one kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// `None` is the support vector machine.
    pub function: Option<Function>,
    /// As study files call it.
    pub kernel: &'static str,
    /// A kernel for each input, as in the paper for more than two inputs.
    pub additive: bool,
    /// After the initial design.
    pub iterations: usize,
    /// The most boxes of a certified minimisation.
    pub node_limit: u64,
}

impl Setting {
    /// The nine of Figure 3, then the two of Figure 4.
    pub const ALL: [Self; 11] = [
        Self::new(Some(Function::Multimodal), "matern32", false, 20, 5000),
        Self::new(Some(Function::Bumpy), "matern32", false, 30, 5000),
        Self::new(Some(Function::Ackley), "matern32", false, 40, 5000),
        Self::new(Some(Function::Branin), "matern32", false, 40, 5000),
        Self::new(Some(Function::Rosenbrock), "matern32", false, 40, 5000),
        Self::new(Some(Function::Hartmann3), "matern32", true, 40, 5000),
        Self::new(Some(Function::Michalewicz5), "matern32", true, 40, 2000),
        Self::new(Some(Function::Ks224), "matern32", false, 20, 5000),
        Self::new(None, "matern32", false, 20, 5000),
        Self::new(Some(Function::Bumpy), "rbf", false, 30, 5000),
        Self::new(Some(Function::Ackley), "rbf", false, 40, 5000),
    ];

    const fn new(
        function: Option<Function>,
        kernel: &'static str,
        additive: bool,
        iterations: usize,
        node_limit: u64,
    ) -> Self {
        Self { function, kernel, additive, iterations, node_limit }
    }

    /// As raw files call it.
    pub fn name(&self) -> &'static str {
        self.function.map_or("svm", Function::name)
    }

    pub(super) fn inputs(&self) -> usize {
        self.function.map_or(2, |function| function.bounds().len())
    }

    /// What regret is measured from. The support vector machine's error cannot be below 0, and is drawn as it is.
    pub(super) fn minimum(&self) -> f64 {
        self.function.map_or(0.0, Function::minimum)
    }

    /// Whether a contender takes part. PK-MIQP goes group by group where there are groups.
    pub(super) fn has(&self, contender: Contender) -> bool {
        match contender {
            Contender::Pk => !self.additive,
            Contender::AdditivePk => self.additive,
            Contender::PkHalf => false,
            Contender::LbfgsB
            | Contender::NelderMead
            | Contender::Cobyla
            | Contender::Slsqp
            | Contender::TrustConstr
            | Contender::MultiStart
            | Contender::Certified => true,
        }
    }

    /// The study file, but for its strategy.
    pub(super) fn file(&self) -> String {
        self.function.map_or_else(
            || {
                let side = "{ type = 'float', low = 0.01, high = 1000.0, scale = 'log' }";
                format!("name = 'svm'\n[parameters]\nC = {side}\ngamma = {side}\n")
            },
            Function::study_file,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_eight_contenders_and_a_file() {
        for setting in Setting::ALL {
            assert_eq!(Contender::ALL.iter().filter(|contender| setting.has(**contender)).count(), 8);
            let definition = fathom_study::Definition::parse(&setting.file()).expect("a study file");
            assert_eq!(definition.space.dim(), setting.inputs());
            assert_eq!(setting.additive, setting.inputs() > 2);
        }
    }
}
