"""Certificates, their proofs and audits."""

from __future__ import annotations

import json
import math
import pickle
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import fathom

Box = list[tuple[float, float]]


@pytest.fixture
def proven(model: fathom.GaussianProcess, square: Box) -> fathom.Certificate:
    return fathom.minimize_acquisition(model, square, gap=1e-3, proof=True)


def test_a_certificate_says_what_was_proven(proven: fathom.Certificate) -> None:
    assert proven.gap is not None and proven.lower_bound is not None and proven.relative_gap is not None
    assert 0 <= proven.gap <= 1e-3 and proven.value - proven.lower_bound == proven.gap
    assert proven.relative_gap == proven.gap / abs(proven.value) and proven.nodes > 0 and proven.seconds > 0
    text = str(proven)
    assert text.startswith("lcb: proven optimal within the gap") and f"{proven.lower_bound:.6f}" in text
    assert repr(proven) == f"Certificate(status='optimal', value={proven.value}, lower_bound={proven.lower_bound})"


def test_json_keeps_every_bit(proven: fathom.Certificate) -> None:
    again = fathom.Certificate.from_json(proven.to_json(), proven.proof)
    assert again == proven and again.verify().boxes == proven.verify().boxes
    assert json.loads(proven.to_json())["claim"] == {"function": "acquisition", "criterion": "lcb"}
    assert fathom.Certificate.from_json(proven.to_json()).proof is None
    pickled = pickle.loads(pickle.dumps(proven))
    assert pickled == proven and pickled.proof == proven.proof
    with pytest.raises(fathom.InputError, match="not a certificate: field `value`"):
        fathom.Certificate.from_json(proven.to_json().replace('"value":', '"value":"x",":":'))


def test_the_checker_confirms_the_claim(proven: fathom.Certificate) -> None:
    verification = proven.verify()
    assert verification.lower_bound == proven.lower_bound and verification.boxes >= 1
    assert verification.value is not None
    low, high = verification.value
    assert low <= proven.value <= high and high - low < 1e-6


def test_what_was_tampered_with_is_refused(proven: fathom.Certificate) -> None:
    proof = proven.proof
    assert proof is not None
    middle = len(proof) // 2
    broken = proof[:middle] + bytes([proof[middle] ^ 1]) + proof[middle + 1 :]
    with pytest.raises(fathom.ProofError):
        fathom.Certificate.from_json(proven.to_json(), broken)
    with pytest.raises(fathom.ProofError, match="does not begin with FATHOM PROOF"):
        fathom.Certificate.from_json(proven.to_json(), b"nothing")
    # The bound is better than was proven.
    claims = json.loads(proven.to_json())
    claims["lower_bound"] += 5e-4
    claims["gap"] = claims["value"] - claims["lower_bound"]
    claims["relative_gap"] = claims["gap"] / abs(claims["value"])
    bold = fathom.Certificate.from_json(json.dumps(claims), proof)
    with pytest.raises(fathom.ProofError, match="another certificate"):
        bold.verify()


def test_the_command_line_checks_the_same_proof(
    proven: fathom.Certificate, program: Callable[[str], str], tmp_path: Path
) -> None:
    assert proven.proof is not None
    path = tmp_path / "my.proof"
    path.write_bytes(proven.proof)
    done = subprocess.run([program("fathom"), "verify", path], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_an_audit_measures_someone_elses_point(model: fathom.GaussianProcess, square: Box) -> None:
    for acquisition in ("lcb", "log_ei"):
        other = [0.3, -0.2]
        audit = fathom.audit(other, model, square, acquisition, gap=1e-3)
        assert audit.feasible and audit.violations == []
        assert audit.shortfall is not None and audit.shortfall_at_most is not None
        assert 0 < audit.shortfall <= audit.shortfall_at_most <= audit.shortfall + 1e-3 + 1e-9
        assert audit.value == pytest.approx(audit.optimum + audit.shortfall)
        assert audit.certificate.value == audit.optimum and audit.certificate.status == "optimal"
        best = fathom.audit(audit.certificate.x, model, square, acquisition, gap=1e-3)
        assert best.shortfall == 0
    means, deviations = model.predict([other], return_std=True)
    assert fathom.audit(other, model, square, beta=9.0).value == pytest.approx(means[0] - 3 * deviations[0])


def test_an_audit_names_what_a_point_breaks(model: fathom.GaussianProcess, square: Box) -> None:
    audit = fathom.audit(
        [1.5, 0.5], model, square, integers=[1], constraints=[fathom.Row({0: 1, 1: 1}, upper=1)], proof=True
    )
    assert not audit.feasible and audit.shortfall is None and audit.shortfall_at_most is None
    assert "not a proof" in (type(audit).shortfall.__doc__ or "")
    assert [violation.split(" is ")[0] for violation in audit.violations] == ["x0", "x1", "constraint 1 (x0 + x1 <= 1)"]
    assert math.isfinite(audit.value) and audit.certificate.verify().boxes > 0
    assert "shortfall=None" in repr(audit)


def test_mistakes_in_an_audit_are_named(model: fathom.GaussianProcess, square: Box) -> None:
    with pytest.raises(fathom.InputError, match="x must be 2 finite numbers"):
        fathom.audit([1.0], model, square)
    with pytest.raises(fathom.InputError, match="x must be 2 finite numbers"):
        fathom.audit([1.0, np.nan], model, square)
    with pytest.raises(fathom.InputError, match="leave `method` out"):
        fathom.audit([0.0, 0.0], model, square, method="cobyla")
    with pytest.raises(TypeError, match="unexpected keyword argument 'gab'"):
        fathom.audit([0.0, 0.0], model, square, gab=1e-3)
