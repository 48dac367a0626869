//! This crate alone chooses how an acquisition function is minimised: by the certified search, by the paper's PK-MIQP,
//! or by a local method. Every method answers in the same way, with the same defaults and the same statuses.
//!
//! ```
//! use fathom_global::{Region, Stop};
//! use fathom_gp::{Covariance, Criterion, Dataset, Kernel, Model};
//! use fathom_method::{Settings, minimise};
//!
//! let data = Dataset::new(&[[0.1], [0.4], [0.8]], &[0.3, -0.2, 0.5])?;
//! let model = Model::new(Covariance::isotropic(Kernel::Matern52, 1, 1.0, 0.3)?, 1e-6)?;
//! let (posterior, region) = (model.condition(&data)?, Region::new(&[(0.0, 1.0)])?);
//!
//! for method in ["certified", "pk", "multistart"] {
//!     let settings = Settings { method: method.parse()?, ..Settings::default() };
//!     let criterion = Criterion::Lcb { kappa: 2.0 };
//!     let answer = minimise(&posterior, criterion, &region, &settings, &Stop::new(false), |_| {})?;
//!     // A local method proves nothing; after the paper's method the certified search bounds the true function.
//!     assert_eq!(answer.certificate.lower_bound.is_some(), method != "multistart");
//! }
//! # Ok::<(), fathom_method::Error>(())
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod answer;
mod gap;
mod memory;
mod method;
mod pk;
mod settings;

pub use answer::{Answer, Detour};
pub use fathom_paper::{Error, Result};
pub use gap::Gap;
pub use memory::bytes;
pub use method::Method;
pub use pk::{EngineName, Found, Parameter, PkOptions, Preset, Segments};
pub use settings::Settings;

use fathom_global::{Limits, Problem, Progress, Region, Stop, local};
use fathom_gp::{Acquisition, Criterion, Posterior};
use fathom_paper::{PkMiqp, baselines};
use std::time::Instant;

/// Observations near which a search in many inputs begins.
const STARTS: usize = 5;

/// The minimum of `criterion` under `posterior` over `region`, as far as the method and its limits go. `report`
/// receives the progress of the certified search.
pub fn minimise(
    posterior: &Posterior,
    criterion: Criterion,
    region: &Region,
    settings: &Settings<'_>,
    stop: &Stop,
    report: impl FnMut(Progress),
) -> Result<Answer> {
    match &settings.method {
        Method::Certified => {
            let started = Instant::now();
            let problem = Problem::new(posterior, criterion, region.clone())?;
            // The time limit includes the set-up.
            let limits = settings.limits(posterior, criterion, started);
            certified(&problem, &limits, settings.proof, stop, report)
        }
        Method::Pk => {
            let pk = settings.pk_settings();
            let outcome = PkMiqp::new(settings.engine, &pk)?.minimise(posterior, criterion, region, stop, report)?;
            Ok(Answer::by_the_paper(outcome))
        }
        Method::PkGroups => {
            let pk = settings.pk_settings();
            let way = PkMiqp::new(settings.engine, &pk)?;
            Ok(Answer::by_groups(way.minimise_groups(posterior, criterion, region, stop, report)?))
        }
        Method::Wide => {
            let started = Instant::now();
            let own = local::Settings { seed: settings.seed, time: settings.time, ..local::Settings::default() };
            let mut acquisition = Acquisition::new(posterior, criterion)?;
            let found = local::wide(&mut acquisition, region, &lowest(posterior), &own, stop)?;
            let certificate = found.certificate(&acquisition, &own, started.elapsed().as_secs_f64());
            Ok(Answer { certificate, proof: None, detour: None })
        }
        Method::Local(method) => {
            let started = Instant::now();
            let own =
                baselines::Settings { seed: settings.seed, time: settings.time, ..baselines::Settings::default() };
            let mut acquisition = Acquisition::new(posterior, criterion)?;
            let found = baselines::minimise(&mut acquisition, region, method, &own, stop)?;
            let certificate = found.certificate(&acquisition, &own, started.elapsed().as_secs_f64());
            Ok(Answer { certificate, proof: None, detour: None })
        }
    }
}

/// The points of the lowest observations, the lowest first: a search in many inputs begins near them.
fn lowest(posterior: &Posterior) -> Vec<Vec<f64>> {
    let mut order: Vec<usize> = (0..posterior.y().len()).collect();
    order.sort_by(|a, b| posterior.y()[*a].total_cmp(&posterior.y()[*b]));
    order.into_iter().take(STARTS).map(|i| posterior.x().row(i).to_vec()).collect()
}

/// The certified minimum of a problem, with a proof if one is wanted.
pub fn certified(
    problem: &Problem<'_>,
    limits: &Limits,
    proof: bool,
    stop: &Stop,
    report: impl FnMut(Progress),
) -> Result<Answer> {
    let (certificate, proof) = match proof {
        true => fathom_global::minimise_with_proof(problem, limits, stop, report)?,
        false => (fathom_global::minimise(problem, limits, stop, report)?, None),
    };
    Ok(Answer { certificate, proof, detour: None })
}
