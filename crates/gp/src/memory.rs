//! Checks whether there is memory for a model before the model is made, because an allocation that fails later ends the
//! program.

use crate::covariance::Covariance;
use crate::error::{Error, Result};

/// Models of at most this many numbers (80 MB) are not checked.
const SMALL: usize = 10_000_000;

/// Refuses to condition a model on so many observations if there is no memory for K̂, for its copy that is factored, and for
/// the factor.
pub(crate) fn room_to_condition(observations: usize) -> Result<()> {
    room_for(observations.saturating_mul(observations).saturating_mul(3), observations)
}

/// Refuses a fit by `workers` at once if there is no memory. A fit needs the distances of all pairs for each lengthscale. Each
/// worker needs the arguments, values and slopes of each kernel and the sensitivity at all pairs, and three matrices.
pub(crate) fn room_to_fit(structure: &Covariance, observations: usize, workers: usize) -> Result<()> {
    let square = observations.saturating_mul(observations);
    let halves: usize = structure.terms().iter().map(|term| term.sharing().count()).sum();
    let of_worker = 2 + 2 * structure.terms().len() + 2 * 3;
    room_for((square / 2).saturating_mul(halves + workers * of_worker), observations)
}

fn room_for(numbers: usize, observations: usize) -> Result<()> {
    let mut probe: Vec<f64> = Vec::new();
    if numbers > SMALL && probe.try_reserve_exact(numbers).is_err() {
        return Err(Error::NoMemory { observations, gigabytes: numbers as f64 * 8e-9 });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;

    #[test]
    fn a_model_that_no_machine_has_memory_for_is_refused_by_its_size() {
        let structure = Covariance::isotropic(Kernel::Rbf, 3, 1.0, 0.5).unwrap();
        assert_eq!(room_to_fit(&structure, 2000, 2), Ok(()));
        assert_eq!(room_to_condition(2000), Ok(()));
        // No processor can address 10^16 numbers.
        let refused = room_to_fit(&structure, 100_000_000, 1).unwrap_err();
        assert!(refused.to_string().contains("100000000 observations takes about 4"), "{refused}");
        assert!(matches!(room_to_condition(1 << 40), Err(Error::NoMemory { .. })));
    }
}
