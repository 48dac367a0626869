//! Whether the keys of a strategy fit each other and the space. What could not work, or would be passed over in silence, is
//! refused when the file is read and not after the first experiments.

use super::{BetaName, Strategy};
use crate::error::{Error, Result};
use crate::space::Space;
use fathom_global::{MOST_INPUTS, Row};
use fathom_method::{Method, PkOptions};
use fathom_paper::Engine;
use fathom_proof::{CriterionName, KernelName};

fn refused<T>(key: &'static str, reason: impl Into<String>) -> Result<T> {
    Err(Error::BadStrategy { key, reason: reason.into() })
}

/// `Ok` if none of these keys is given; the reason is that of the first.
fn none_given(keys: &[(&'static str, bool)], reason: &str) -> Result<()> {
    keys.iter().find(|(_, is_given)| *is_given).map_or(Ok(()), |(key, _)| refused(key, reason))
}

impl Strategy {
    /// `Ok` if the parts fit each other and the space.
    pub(crate) fn check(&self, space: &Space) -> Result<()> {
        self.covariance(space)?;
        self.check_kernel()?;
        self.check_optimiser(space)?;
        match self.optimiser {
            Method::Pk | Method::PkGroups => self.check_program(space)?,
            Method::Certified | Method::Wide | Method::Local(_) => {
                // A preset is about the whole strategy, and its optimiser may be another one.
                let own = PkOptions { preset: None, ..self.pk.clone() };
                none_given(&[("pk", own != PkOptions::default())], "only optimiser = \"pk\" has these settings")?;
            }
        }
        self.check_acquisition(space)
    }

    fn check_kernel(&self) -> Result<()> {
        let name = self.kernel;
        let of_others = |key: &str, whose: &str| format!("the kernel {name} has no {key}: only {whose} does");
        if self.alpha.is_some() && name != KernelName::Rq {
            return refused("alpha", of_others("alpha", "rq"));
        }
        if self.degree.is_some() && name != KernelName::Polynomial {
            return refused("degree", of_others("degree", "polynomial"));
        }
        if self.offset.is_some() && !matches!(name, KernelName::Linear | KernelName::Polynomial) {
            return refused("offset", "only the kernels linear and polynomial have one");
        }
        Ok(())
    }

    fn check_acquisition(&self, space: &Space) -> Result<()> {
        let imprecise = [("rho", self.rho.is_some()), ("imprecision", self.imprecision.is_some())];
        if !self.acquisition.any(CriterionName::is_imprecise) {
            none_given(&imprecise, "only acquisition = \"glcb\" has it")?;
        }
        let assumed = [("delta", self.delta.is_some()), ("smoothness", self.smoothness.is_some())];
        if self.beta != BetaName::Theorem {
            none_given(&assumed, "only beta = \"theorem\" has it")?;
        }
        if !self.acquisition.any(CriterionName::is_confidence_bound) && self.is_beta_given() {
            return refused("beta", format!("{} has no β: leave it out, or use \"lcb\"", self.acquisition));
        }
        if self.beta == BetaName::Theorem && self.kernel == KernelName::Matern12 {
            let reason = "\"theorem\" rests on derivatives, which functions under matern12 do not have";
            return refused("beta", reason);
        }
        match self.beta_at(1, space) {
            Err(Error::Model(error)) => refused("beta", error.to_string()),
            beta => beta.map(|_| ()),
        }
    }

    fn check_optimiser(&self, space: &Space) -> Result<()> {
        let optimiser = &self.optimiser;
        let reason = format!("an ask of {optimiser} takes as long as `time_limit` allows: leave it out");
        let is_hasty = self.patience.is_some() && *optimiser != Method::Certified;
        none_given(&[("patience", is_hasty)], &reason)?;
        match self.method(space) {
            Method::Wide => {
                let keys = [
                    ("gap", self.gap.is_some()),
                    ("relative_gap", self.relative_gap.is_some()),
                    ("node_limit", self.node_limit.is_some()),
                    ("memory_limit", self.memory_limit.is_some()),
                    ("patience", self.patience.is_some()),
                    ("threads", self.threads > 1),
                ];
                none_given(&keys, &format!("{}: leave it out", beyond(space)))
            }
            Method::Local(_) => {
                let reason = format!("{optimiser} proves no gap: leave it out, or use optimiser = \"certified\"");
                none_given(&[("gap", self.gap.is_some()), ("relative_gap", self.relative_gap.is_some())], &reason)?;
                let reason = format!("{optimiser} bounds no boxes: leave it out, or use optimiser = \"certified\"");
                let limits = [("node_limit", self.node_limit), ("memory_limit", self.memory_limit)];
                none_given(&limits.map(|(key, limit)| (key, limit.is_some())), &reason)?;
                none_given(&[("threads", self.threads > 1)], &format!("{optimiser} runs in one thread"))
            }
            Method::PkGroups if self.threads > 1 => refused("threads", "pk-groups runs each group in a thread anyway"),
            Method::Pk | Method::PkGroups if space.dim() > MOST_INPUTS => {
                let reason = format!(
                    "{optimiser} has room for {MOST_INPUTS} coordinates (one for each choice of a categorical \
                     parameter), and the space has {}: leave it out",
                    space.dim()
                );
                refused("optimiser", reason)
            }
            Method::Certified | Method::Pk | Method::PkGroups => Ok(()),
        }
    }

    /// What the paper's program asks for beyond that.
    fn check_program(&self, space: &Space) -> Result<()> {
        let optimiser = &self.optimiser;
        if self.acquisition.any(CriterionName::is_improvement) {
            let reason = "the paper's program has none for it: use \"lcb\", or optimiser = \"certified\"";
            return refused("acquisition", reason);
        }
        if self.pk.round.is_some() {
            return refused("pk", "`round`: a study counts its rounds itself");
        }
        if let Err(error) = self.pk.check(Engine::is_embeddable(space.dim())) {
            return refused("pk", error.to_string());
        }
        match self.groups_of_sides(space)? {
            Some(groups) if *optimiser == Method::PkGroups => check_groups(&groups, space),
            None if *optimiser == Method::PkGroups => {
                refused("optimiser", "pk-groups minimises group by group: give `groups`, or use \"pk\"")
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// Why nothing is proven in a space of many coordinates.
fn beyond(space: &Space) -> String {
    format!(
        "nothing is proven beyond {MOST_INPUTS} coordinates (one for each choice of a categorical parameter), and the space \
         has {}",
        space.dim()
    )
}

/// `Ok` if no constraint joins parameters of several groups.
fn check_groups(groups: &[Vec<usize>], space: &Space) -> Result<()> {
    let group_of = |side: usize| groups.iter().position(|group| group.contains(&side));
    for constraint in space.constraints() {
        let rows = space.rows(constraint)?;
        let mut joined = rows.iter().flat_map(sides_of).map(group_of);
        let first = joined.next();
        if joined.any(|group| Some(group) != first) {
            let reason = format!(
                "pk-groups minimises each group alone, and `{}` joins parameters of several groups: put them into one \
                 group, or use optimiser = \"pk\" or \"certified\"",
                constraint.text()
            );
            return refused("groups", reason);
        }
    }
    Ok(())
}

/// The coordinates that a row is about.
fn sides_of(row: &Row) -> impl Iterator<Item = usize> {
    let pairs = row.quadratic().iter().flat_map(|(j, k, _)| [*j, *k]);
    row.linear().iter().map(|(j, _)| *j).chain(pairs)
}
