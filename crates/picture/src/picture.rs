//! The pictures that there are, by name.

use crate::convergence;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::gap;
use crate::importance::{self, importances};
use crate::leave_one_out;
use crate::map::{What, draw_curve, draw_map};
use crate::panel::LABEL;
use crate::parallel;
use crate::sheet::{Anchor, Area, Sheet};
use crate::slices;
use crate::view::View;
use fathom_study::{Parameter, Study};
use std::path::Path;
use std::str::FromStr;

/// A picture of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picture {
    /// Convergence beside the model over the two parameters that matter most.
    Overview,
    /// Values, the best so far, and what may still be reached.
    Convergence,
    /// What can still be gained and the gaps of the proofs, trial by trial.
    Gap,
    /// What the model expects over one or two parameters.
    Posterior,
    /// The acquisition function over one or two parameters.
    Acquisition,
    /// The model along each parameter, through the best trial.
    Slices,
    /// How much each parameter matters.
    Importance,
    /// Each value beside what the model expects of it from all others.
    LeaveOneOut,
    /// A line for each trial across all parameters.
    Parallel,
}

impl Picture {
    /// All pictures.
    pub const ALL: [Self; 9] = [
        Self::Overview,
        Self::Convergence,
        Self::Gap,
        Self::Posterior,
        Self::Acquisition,
        Self::Slices,
        Self::Importance,
        Self::LeaveOneOut,
        Self::Parallel,
    ];

    /// The name of the picture.
    pub fn name(self) -> &'static str {
        match self {
            Self::Overview => "overview",
            Self::Convergence => "convergence",
            Self::Gap => "gap",
            Self::Posterior => "posterior",
            Self::Acquisition => "acquisition",
            Self::Slices => "slices",
            Self::Importance => "importance",
            Self::LeaveOneOut => "leave-one-out",
            Self::Parallel => "parallel",
        }
    }

    /// What the picture shows.
    pub fn about(self) -> &'static str {
        match self {
            Self::Overview => "Convergence beside the model over the two parameters that matter most",
            Self::Convergence => "Values, the best so far, and what may still be reached",
            Self::Gap => "What can still be gained and the gaps of the proofs, trial by trial",
            Self::Posterior => {
                "What the model expects over one or two parameters: its median; the other parameters are as in the best trial"
            }
            Self::Acquisition => "The acquisition function over one or two parameters",
            Self::Slices => {
                "A small panel for each parameter: the model along it through the best trial, with 68 % of its belief"
            }
            Self::Importance => {
                "How much each parameter matters: the share of the variance of what the model expects, over the whole ranges and \
                 in the units of the model, that the parameter explains alone (its first-order Sobol' index). Constraints are \
                 left out"
            }
            Self::LeaveOneOut => {
                "Each value beside what the model expects of it from all other trials, under the same hyperparameters"
            }
            Self::Parallel => "A line per trial across all parameters, coloured by value",
        }
    }

    /// Draws the picture of a study in a format. `along` names the parameters; if it names none, the picture takes those that matter
    /// most.
    pub fn draw(self, study: &mut Study, along: &[String], format: Format) -> Result<Vec<u8>> {
        format.bytes(&self.sheet(&View::of(study)?, along)?)
    }

    /// The same in a file, whose ending says the format.
    pub fn save(self, study: &mut Study, along: &[String], path: &Path) -> Result<()> {
        let bytes = self.draw(study, along, Format::of(path)?)?;
        Ok(fathom_files::write(path, &bytes)?)
    }

    pub(crate) fn sheet(self, view: &View, along: &[String]) -> Result<Sheet> {
        let along = view.named(along)?;
        let count = |wants: &'static str, range: std::ops::RangeInclusive<usize>| match range.contains(&along.len()) {
            true => Ok(()),
            false => Err(Error::Count { picture: self.name(), wants, found: along.len() }),
        };
        match self {
            Self::Overview => {
                count("is drawn along one or two parameters", 0..=2)?;
                let mut sheet = Sheet::new(1320.0, 620.0);
                convergence::draw(view, &mut sheet, Area { left: 100.0, top: 80.0, width: 500.0, height: 380.0 })?;
                let right = Area { left: 730.0, top: 80.0, width: 430.0, height: 380.0 };
                match surface(view, &mut sheet, right, &along, What::Posterior) {
                    Err(Error::NothingYet { reason }) => {
                        let middle = (right.left + 0.5 * right.width, right.top + 0.5 * right.height);
                        sheet.note(middle, &format!("no model yet: {reason}"), LABEL, Anchor::Middle);
                    }
                    drawn => drawn?,
                }
                return Ok(sheet);
            }
            Self::Slices => return slices::sheet(view, &along),
            Self::Parallel => return parallel::sheet(view, &along),
            Self::Posterior | Self::Acquisition => count("is drawn along one or two parameters", 0..=2)?,
            Self::Convergence | Self::Gap | Self::Importance | Self::LeaveOneOut => {
                count("is not drawn along parameters", 0..=0)?;
            }
        }
        // Bars need no legend below them.
        let mut sheet = Sheet::new(960.0, if self == Self::Importance { 545.0 } else { 620.0 });
        let area = Area { left: 110.0, top: 80.0, width: 720.0, height: 400.0 };
        match self {
            Self::Convergence => convergence::draw(view, &mut sheet, area)?,
            Self::Gap => gap::draw(view, &mut sheet, area)?,
            Self::Importance => importance::draw(view, &mut sheet, area)?,
            Self::LeaveOneOut => leave_one_out::draw(view, &mut sheet, area)?,
            Self::Posterior => surface(view, &mut sheet, area, &along, What::Posterior)?,
            Self::Acquisition => surface(view, &mut sheet, area, &along, What::Acquisition)?,
            Self::Overview | Self::Slices | Self::Parallel => {}
        }
        Ok(sheet)
    }
}

impl FromStr for Picture {
    type Err = String;

    fn from_str(name: &str) -> std::result::Result<Self, String> {
        let names: Vec<&str> = Self::ALL.iter().map(|picture| picture.name()).collect();
        let find = Self::ALL.into_iter().find(|picture| picture.name() == name);
        find.ok_or_else(|| format!("there is no picture {name:?}; there are {}", names.join(", ")))
    }
}

/// A map or a curve, along the named parameters or the two that matter most.
fn surface(view: &View, sheet: &mut Sheet, area: Area, named: &[&Parameter], what: What) -> Result<()> {
    let along = match (named, view.free().as_slice()) {
        ([], free @ ([_] | [_, _])) => free.to_vec(),
        ([], _) => two(view)?,
        (named, _) => named.to_vec(),
    };
    match along[..] {
        [x] => draw_curve(view, sheet, area, x, what),
        [x, y, ..] if x.name != y.name => draw_map(view, sheet, area, (x, y), what),
        _ => draw_curve(view, sheet, area, along[0], what),
    }
}

/// The two parameters that matter most, in the order of the space.
fn two(view: &View) -> Result<Vec<&Parameter>> {
    let shares = importances(view)?;
    let mut sorted = shares.clone();
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
    let is_chosen = |parameter: &Parameter| sorted[..2].iter().any(|(chosen, _)| chosen.name == parameter.name);
    Ok(shares.into_iter().map(|(parameter, _)| parameter).filter(|parameter| is_chosen(parameter)).collect())
}
