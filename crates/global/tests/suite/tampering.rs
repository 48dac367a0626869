//! A false proof is rejected, even if its checksum is right.

use crate::instances::{all, load};
use fathom_check::verify;
use fathom_global::{Limits, Posed as _, Proof, Stop, minimise_with_proof};
use fathom_proof::{FileError, StatedAcquisition, StatedKernel};

fn proof(name: &str) -> Proof {
    let instance = load(name);
    let posterior = instance.posterior().unwrap();
    let problem = instance.problem(&posterior).unwrap();
    let limits = Limits { gap: 1e-3, ..Limits::default() };
    minimise_with_proof(&problem, &limits, &Stop::new(false), |_| {}).unwrap().1.unwrap()
}

#[test]
fn proofs_of_small_problems_of_every_kind_hold() {
    for instance in all("prior_d").iter().filter(|instance| instance.dim() <= 3) {
        let proof = proof(&instance.name);
        let read = Proof::from_bytes(&proof.to_bytes().unwrap()).unwrap();
        assert_eq!(read.statement, proof.statement);
        let verdict = verify(&read).unwrap();
        assert!(verdict.boxes > 0 && verdict.lower_bound <= verdict.value.map(|(_, high)| high), "{}", instance.name);
    }
}

#[test]
fn a_file_that_was_damaged_does_not_open() {
    let bytes = proof("prior_d2_matern32_r00").to_bytes().unwrap();
    assert!(matches!(Proof::from_bytes(b"nonsense"), Err(FileError::Broken(_))));
    assert!(Proof::from_bytes(&bytes[..bytes.len() / 2]).is_err());
    for at in [20, bytes.len() / 3, bytes.len() / 2, bytes.len() - 3] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        assert!(Proof::from_bytes(&damaged).is_err(), "byte {at}");
    }
}

/// `change` must turn a proof that holds into one that is rejected for a reason that names `culprit`.
fn rejects(name: &str, culprit: &str, change: impl Fn(&mut Proof)) {
    let mut lie = proof(name);
    change(&mut lie);
    // The proof goes through the file, so that the checksum is right.
    let lie = Proof::from_bytes(&lie.to_bytes().unwrap()).unwrap();
    let rejection = verify(&lie).unwrap_err();
    assert!(rejection.to_string().contains(culprit), "{name}: {rejection}");
}

/// The same for a change with which the file could not be read back.
fn rejects_in_memory(name: &str, culprit: &str, change: impl Fn(&mut Proof)) {
    let mut lie = proof(name);
    change(&mut lie);
    let refused = Proof::from_bytes(&lie.to_bytes().unwrap()).unwrap_err().to_string();
    assert!(refused.contains(culprit), "{name}: {refused}");
    let rejection = verify(&lie).unwrap_err().to_string();
    assert!(rejection.contains(culprit), "{name}: {rejection}");
}

const NAMES: [&str; 3] = ["prior_d2_matern32_r00", "prior_d2_rbf_r01", "bo_d2_n50_rbf_r0"];

#[test]
fn a_raised_bound_is_rejected() {
    for name in NAMES {
        let raise = |proof: &mut Proof| *proof.claim.lower_bound.as_mut().unwrap() += 2e-3;
        rejects(name, "above its value", raise);
        // This forgery lacks the point that gives it away.
        rejects(name, "box", |proof| {
            raise(proof);
            (proof.claim.point, proof.claim.value) = (None, None);
        });
    }
}

#[test]
fn a_changed_incumbent_is_rejected() {
    for name in NAMES {
        rejects(name, "the best point", |proof| *proof.claim.value.as_mut().unwrap() += 1e-3);
        rejects(name, "the best point", |proof| {
            *proof.claim.value.as_mut().unwrap() -= 1e-3;
            *proof.claim.lower_bound.as_mut().unwrap() -= 2e-3;
        });
        rejects(name, "the best point", |proof| {
            let point = proof.claim.point.as_mut().unwrap();
            point[0] = 0.5 * point[0] + 0.07;
        });
        rejects(name, "outside the region", |proof| proof.claim.point.as_mut().unwrap()[1] = 7.0);
    }
}

#[test]
fn changed_data_is_rejected() {
    for name in NAMES {
        rejects(name, "", |proof| proof.statement.y[3] -= 0.5);
        rejects(name, "", |proof| proof.statement.x[2][0] += 0.1);
        rejects(name, "", |proof| proof.statement.lengthscales[0] *= 1.1);
        rejects(name, "", |proof| {
            if let StatedAcquisition::Lcb { kappa } = &mut proof.statement.acquisition {
                *kappa *= 1.05;
            }
        });
        rejects_in_memory(name, "`noise`", |proof| proof.statement.noise = -1.0);
        rejects_in_memory(name, "`kernel`", |proof| proof.statement.terms[0].kernel = StatedKernel::Rq { alpha: -1.0 });
        rejects(name, "the pieces", |proof| proof.pieces[0].weights.clear());
    }
}

#[test]
fn a_grown_region_is_rejected() {
    for name in NAMES {
        rejects(name, "box", |proof| proof.statement.bounds[0].0 -= 0.5);
    }
}
