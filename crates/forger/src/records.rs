//! The evidence of a record.

use fathom_proof::{End, Evidence, Record, Step};

/// All evidence of a record.
pub(crate) fn evidence(record: &Record) -> Vec<&Evidence> {
    let narrowed = record.steps.iter().filter_map(|step| match step {
        Step::Narrowed { evidence, .. } => Some(evidence),
        Step::Rows(_) => None,
    });
    let end = match &record.end {
        End::Closed(evidence) | End::Split { floor: evidence, .. } => Some(evidence),
        End::Inherited | End::Empty { .. } => None,
    };
    narrowed.chain(end).collect()
}

/// All evidence of a record, to be changed.
pub(crate) fn evidence_mut(record: &mut Record) -> impl Iterator<Item = &mut Evidence> {
    let narrowed = record.steps.iter_mut().filter_map(|step| match step {
        Step::Narrowed { evidence, .. } => Some(evidence),
        Step::Rows(_) => None,
    });
    narrowed.chain(match &mut record.end {
        End::Closed(evidence) | End::Split { floor: evidence, .. } => Some(evidence),
        End::Inherited | End::Empty { .. } => None,
    })
}
