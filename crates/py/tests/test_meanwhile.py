"""Points at once, proofs later."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import fathom

SPACE = {name: (0.0, 1.0) for name in "abcd"}


def value(params: dict[str, float]) -> float:
    return math.sin(7 * params["a"]) + math.cos(5 * params["b"] * params["c"]) + (params["d"] - 0.3) ** 2


def hasty(store: str | None = None) -> fathom.Study:
    """A study whose asks leave no time for a proof, after its initial design."""
    study = fathom.Study(SPACE, initial=8, patience=1e-6, store=store)
    for _ in range(8):
        trial = study.ask()
        assert trial.assurance is None and trial.gap is None and trial.later is None
        study.tell(trial, value(trial.params))
    return study


def test_a_trial_that_was_handed_out_at_once_is_proven_later(tmp_path: Path) -> None:
    study = hasty(f"sqlite://{tmp_path}/hasty.db")
    trial = study.ask()
    assert trial.assurance == "cut_short" and trial.later is None
    study.tell(trial, value(trial.params))
    proven = study.prove(trial)
    assert proven.assurance in ("proven", "better_found") and proven.params == trial.params
    assert proven.certificate == trial.certificate and proven.later is not None and proven.later.status == "optimal"
    assert (proven.better is None) == (proven.assurance == "proven")
    assert study.find(trial) == proven and study.verify(trial).lower_bound == proven.later.lower_bound
    assert study.history[-1]["assurance"] == proven.assurance
    assert proven.gap is not None and (trial.gap is None or proven.gap < trial.gap)
    assert study.prove() == []


def test_open_proofs_are_finished_the_newest_first() -> None:
    study = hasty()
    asked = study.ask(2)
    assert [trial.id for trial in study.prove(time_limit=20)] == [trial.id for trial in reversed(asked)]


def test_an_ask_waits_for_its_proof_if_it_is_told_to() -> None:
    trial = hasty().ask(prove=True)
    assert trial.assurance == "proven" and trial.certificate is not None and trial.certificate.status == "optimal"


def test_what_has_no_proof_says_why() -> None:
    study = hasty()
    with pytest.raises(fathom.ProofError, match="initial design"):
        study.prove(1)
    with pytest.raises(fathom.InputError, match="time_limit is -1"):
        study.prove(1, time_limit=-1)
    with pytest.raises(fathom.InputError, match="patience is -1"):
        fathom.Study(SPACE, patience=-1)


def test_many_coordinates_get_suggestions_without_a_certificate() -> None:
    study = fathom.Study({f"x{j}": (0.0, 1.0) for j in range(25)}, initial=5)
    for _ in range(6):
        trial = study.ask()
        study.tell(trial, sum((x - 0.4) ** 2 for x in trial.params.values()))
    assert trial.origin == "model" and trial.certificate is None and trial.assurance is None
    with pytest.raises(fathom.ProofError, match="nothing is proven beyond 20 coordinates"):
        study.verify(trial)
