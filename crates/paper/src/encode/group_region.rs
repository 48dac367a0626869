//! The region of one group of an additive model.

use crate::error::Result;
use fathom_global::Region;

/// The region of a group's own inputs; all other inputs stay at their lower ends. A row about inputs of several groups is an
/// error, because no group alone can keep it.
pub(crate) fn of(region: &Region, inputs: &[usize]) -> Result<Region> {
    let is_own = |j: usize| inputs.contains(&j);
    let side = |j: usize| (region.lower()[j], if is_own(j) { region.upper()[j] } else { region.lower()[j] });
    let whole: Vec<usize> = (0..region.dim()).filter(|j| is_own(*j) && region.integer()[*j]).collect();
    let mut own = Region::new(&(0..region.dim()).map(side).collect::<Vec<_>>())?.with_integers(&whole)?;
    for j in (0..region.dim()).filter(|j| is_own(*j)) {
        if let Some(values) = region.values(j) {
            own = own.with_values(j, values)?;
        }
    }
    for row in region.rows() {
        let pairs = row.quadratic().iter().flat_map(|(j, k, _)| [*j, *k]);
        let variables: Vec<usize> = row.linear().iter().map(|(j, _)| *j).chain(pairs).collect();
        if variables.iter().all(|j| is_own(*j)) {
            own = own.with_row(row.clone())?;
        } else if variables.iter().any(|j| is_own(*j)) {
            let what = "a constraint on inputs of several groups, group by group";
            return Err(fathom_global::Error::Unsupported { what }.into());
        }
    }
    Ok(own)
}
