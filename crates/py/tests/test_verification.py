"""Proofs of files and of trials, and what they are about."""

from __future__ import annotations

import json
import pickle
import sqlite3
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

import fathom

Box = list[tuple[float, float]]


def told(store: str | None = None, **keywords: Any) -> fathom.Study:
    space = {"x": fathom.Float(0, 1), "k": fathom.Integer(1, 4), "kind": fathom.Categorical(["red", "green"])}
    study = fathom.Study(
        space, name="told", initial=4, store=store, seed=2, constraints=["x + 0.1*k <= 1.2"], **keywords
    )
    for _ in range(7):
        trial = study.ask()
        p = trial.params
        study.tell(trial, (p["x"] - 0.3) ** 2 + p["k"] / 10 + 0.2 * (p["kind"] == "red"))
    return study


def test_every_suggestion_of_a_study_is_verified(tmp_path: Path) -> None:
    study = told()
    for trial in study.trials[4:]:
        certificate = trial.certificate
        assert certificate is not None
        verified = study.verify(trial)
        assert verified.lower_bound == certificate.lower_bound and verified.boxes > 0 and verified.value is not None
        assert verified.value[0] <= certificate.value <= verified.value[1]
        assert verified.about == f"trial {trial.id} of `told`" and len(verified.reasons) == 5
        function = "negative logarithm of the expected improvement" if trial.id % 2 == 1 else "lower confidence"
        assert verified.problem.startswith(f"problem       told, trial {trial.id}\nfunction      {function}")
        assert verified.claim.startswith(f"No point of the region has a value below {certificate.lower_bound}")
        assert verified.problem in str(verified) and verified.claim in str(verified)
        proof = trial.proof()
        assert proof == study.proof(trial.id)
        path = tmp_path / f"{trial.id}.proof"
        path.write_bytes(proof)
        for of in (trial, (study, trial.id), (study, trial)):
            assert fathom.verify(path, of=of).about == f"trial {trial.id} of `told`"
        assert fathom.verify(proof).about is None


def test_trials_without_a_proof_say_why() -> None:
    study = told()
    for ask in (study.trials[0].proof, lambda: study.proof(1), lambda: study.verify(1)):
        with pytest.raises(fathom.ProofError, match="trial 1 has no proof: it belongs to the initial design"):
            ask()
    added = study.add({"x": 0.5, "k": 2, "kind": "red"}, 1.0)
    with pytest.raises(fathom.ProofError, match="added from outside"):
        added.proof()
    with pytest.raises(fathom.ProofError, match="which proves nothing"):
        told(optimizer="multistart").verify(6)
    with pytest.raises(fathom.InputError, match="has no trial 99"):
        study.verify(99)
    alone = pickle.loads(pickle.dumps(study.trials[5]))
    with pytest.raises(fathom.InputError, match=r"without its study: use study.proof\(6\) or of=\(study, 6\)"):
        alone.proof()
    assert study.proof(alone) == study.proof(6)


def test_a_changed_value_in_the_database_is_noticed(tmp_path: Path) -> None:
    store = f"sqlite://{tmp_path / 'told.db'}"
    study = told(store)
    proof = study.proof(6)
    with sqlite3.connect(tmp_path / "told.db") as database:
        # The database itself would refuse the change.
        database.execute("DROP TRIGGER finished_trials_stay")
        assert database.execute("UPDATE trial SET told = json_set(told, '$.value', json_extract(told, '$.value') + 0.001) WHERE number = 2").rowcount == 1
    opened = fathom.Study.open(store, "told")
    for ask in (lambda: opened.verify(6), lambda: opened.proof(6), lambda: fathom.verify(proof, of=(opened, 6))):
        with pytest.raises(fathom.ProofError, match="trial 6 is not what this study suggested: .*trial 2"):
            ask()
    assert fathom.verify(proof).boxes > 0


def test_a_proof_of_another_problem_names_the_first_difference(
    model: fathom.GaussianProcess, square: Box, tmp_path: Path
) -> None:
    path = tmp_path / "problem.json"
    model.to_problem(path, square, beta=4.0)
    certificate = fathom.minimize_acquisition(model, square, beta=4.0, gap=1e-3, proof=True)
    assert certificate.proof is not None
    verified = fathom.verify(certificate.proof, of=str(path))
    assert verified.about == str(path) and verified.lower_bound == certificate.lower_bound
    model.to_problem(path, square, beta=9.0)
    with pytest.raises(fathom.ProofError, match="not about .*problem.json: `kappa` is 2.0, not 3.0"):
        fathom.verify(certificate.proof, of=path)
    model.to_problem(path, [(-1, 1), (-1, 0.5)])
    with pytest.raises(fathom.ProofError, match=r"`bounds\[1\]\[1\]` is 1.0, not 0.5"):
        fathom.verify(certificate.proof, of=path)
    study = told()
    with pytest.raises(fathom.ProofError, match="not about trial 6 of `told`"):
        fathom.verify(study.proof(7), of=(study, 6))
    with pytest.raises(fathom.ProofError, match="trial 2 has no proof"):
        fathom.verify(study.proof(7), of=(study, 2))


def forged(proof: bytes, **claim: Any) -> bytes:
    """The proof with another claim, under a checksum that matches."""
    beginning, stream = proof.split(b"\n", 1)
    content = zlib.decompress(stream)[:-8]
    (length,) = struct.unpack("<I", content[:4])
    head = json.loads(content[4 : 4 + length])
    head["claim"].update(claim)
    text = json.dumps(head, ensure_ascii=False).encode()
    content = struct.pack("<I", len(text)) + text + content[4 + length :]
    checksum = 0xCBF29CE484222325
    for byte in content:
        checksum = (checksum ^ byte) * 0x100000001B3 % 2**64
    return beginning + b"\n" + zlib.compress(content + struct.pack("<Q", checksum))


def test_a_forged_claim_is_refused() -> None:
    study = told()
    proof, certificate = study.proof(6), study.trials[5].certificate
    assert certificate is not None and certificate.lower_bound is not None
    assert fathom.verify(forged(proof), of=(study, 6)).lower_bound == certificate.lower_bound
    wrong: list[dict[str, Any]] = [
        {"lower_bound": certificate.value + 1},
        {"lower_bound": -certificate.lower_bound},
        {"lower_bound": None},
        {"value": certificate.value - 0.1},
        {"point": [-coordinate for coordinate in certificate.x]},
    ]
    for claim in wrong:
        with pytest.raises(fathom.ProofError, match="the proof is refused"):
            fathom.verify(forged(proof, **claim), of=(study, 6))
    middle = len(proof) // 2
    with pytest.raises(fathom.ProofError):
        fathom.verify(proof[:middle] + bytes([proof[middle] ^ 1]) + proof[middle + 1 :])


def test_mistakes_are_named(model: fathom.GaussianProcess, square: Box, tmp_path: Path) -> None:
    proof = fathom.minimize_acquisition(model, square, gap=1e-2, proof=True).proof
    assert proof is not None
    with pytest.raises(fathom.ProofError, match="does not begin with FATHOM PROOF"):
        fathom.verify(b"nothing")
    with pytest.raises(fathom.StoreError, match="could not read"):
        fathom.verify(tmp_path / "missing.proof")
    (tmp_path / "p.json").write_text("{}")
    with pytest.raises(fathom.InputError, match="is not a problem file"):
        fathom.verify(proof, of=tmp_path / "p.json")
    for of in (3, (3, 4), (told(), 4, 5)):
        with pytest.raises(fathom.InputError, match="of cannot be"):
            fathom.verify(proof, of=of)  # type: ignore[arg-type]
