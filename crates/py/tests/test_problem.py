"""Problem files: what is written is what is read, to the last bit."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fathom

rng = np.random.default_rng(3)
X = rng.uniform(-1, 1, (18, 3))
y = np.sin(4 * X[:, 0]) + X[:, 1] * X[:, 2] / 3
BOX = [(-1.0, 1.0), (-0.7, 1.0), (0.0, 3.1)]

MODELS: dict[str, dict[str, Any]] = {
    "matern52": {"lengthscales": [0.5, 0.9, 1.7], "noise_variance": 1e-5, "mean": 0.1},
    "groups": {
        "kernel": "rbf", "lengthscales": [0.5, 0.9, 1.7], "groups": [[2], [0, 1]], "signal_variance": [0.3, 0.9]
    },
    "rq": {"kernel": "rq", "alpha": 0.7, "lengthscales": 1 / 3},
    "polynomial": {"kernel": "polynomial", "degree": 3, "offset": 0.3, "lengthscales": 1.1, "noise_variance": 0.01},
}
PROBLEMS: dict[str, dict[str, Any]] = {
    "beta": {"beta": 2.0},
    "text": {"constraints": ["x0 + 3*x1 <= 0.1", "x0^2 + x2^2 >= 0.5"]},
    "rows": {
        "constraints": [fathom.Row({0: 0.1, 1: 1 / 3}, {(0, 2): 0.7}, lower=-0.2, upper=0.3)],
        "acquisition": "mean",
    },
    "integers": {"integers": [2], "acquisition": "deviation"},
    "glcb": {"acquisition": "glcb", "beta": 1.7, "rho": 0.3, "imprecision": 2.5},
    "improvement": {"acquisition": "log_ei", "best": 0.1},
    "best": {"acquisition": "ei"},
}


def model(name: str) -> fathom.GaussianProcess:
    return fathom.GaussianProcess.from_parameters(X, y, **MODELS[name])


def same(a: fathom.Certificate, b: fathom.Certificate) -> bool:
    assert a.x.tolist() and a.status == b.status
    return bool((a.x == b.x).all()) and (a.value, a.lower_bound, a.nodes) == (b.value, b.lower_bound, b.nodes)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_the_minimum_of_what_was_read_is_that_of_what_was_written(problem: str, tmp_path: Path) -> None:
    path, keywords = tmp_path / "problem.json", PROBLEMS[problem]
    limits: dict[str, Any] = {"relative_gap": 0.05, "node_limit": 2000}
    for name in MODELS if problem == "beta" else ["matern52"]:
        gp = model(name)
        gp.to_problem(path, BOX, name=f"{problem} of {name}", **keywords)
        read = fathom.read_problem(path)
        assert read.name == f"{problem} of {name}" and read.gp.kernel == gp.kernel
        written = fathom.minimize_acquisition(gp, BOX, **keywords, **limits)
        assert same(fathom.minimize_acquisition(read.gp, read.bounds, **read.keywords, **limits), written)
        # A file that is written once more has the same bytes.
        again = tmp_path / "again.json"
        read.gp.to_problem(again, np.array(read.bounds), name=read.name, **read.keywords)
        assert again.read_bytes() == path.read_bytes()


def test_a_fitted_model_and_categories_are_kept(tmp_path: Path) -> None:
    table = np.hstack([X[:, :1], np.eye(3)[rng.integers(0, 3, len(X))]])
    gp = fathom.GaussianProcess("matern32", ard=False).fit(table, y)
    box = [(-1, 1), (0, 1), (0, 1), (0, 1)]
    keywords: dict[str, Any] = {"one_of": [[1, 2, 3]], "constraints": ["x0 + x1 <= 0.9"]}
    gp.to_problem(tmp_path / "p.json", box, **keywords)
    read = fathom.read_problem(tmp_path / "p.json")
    assert read.keywords["integers"] == [1, 2, 3] and len(read.keywords["constraints"]) == 2
    found = fathom.minimize_acquisition(read.gp, read.bounds, **read.keywords)
    assert same(found, fathom.minimize_acquisition(gp, box, **keywords)) and sorted(found.x[1:]) == [0, 0, 1]


def test_the_command_line_finds_the_same(program: Callable[[str], str], tmp_path: Path) -> None:
    path, gp = tmp_path / "p.json", model("groups")
    keywords: dict[str, Any] = {"integers": [2], "constraints": ["x0 + 3*x1 <= 0.1"]}
    gp.to_problem(path, BOX, **keywords)
    call = [program("fathom"), "solve", "--json", "--gap", "1e-3", "--proof", str(tmp_path / "p.proof"), str(path)]
    done = subprocess.run(call, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    line, ours = json.loads(done.stdout), fathom.minimize_acquisition(gp, BOX, gap=1e-3, **keywords)
    assert (line["x"], line["value"], line["lower_bound"]) == (ours.x.tolist(), ours.value, ours.lower_bound)
    assert fathom.verify(tmp_path / "p.proof", of=path).lower_bound == ours.lower_bound


def test_a_sum_of_different_kernels_is_a_model_that_is_not_fitted(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    model("groups").to_problem(path, BOX)
    statement = json.loads(path.read_text())
    statement["terms"][0]["kernel"] = "matern12"
    path.write_text(json.dumps(statement))
    gp = fathom.read_problem(path).gp
    assert gp.kernel == "matern12 + rbf" and "matern12 + rbf" in repr(gp)
    with pytest.raises(fathom.InputError, match="different kernels"):
        gp.fit(X, y)


def test_what_cannot_be_read_or_written_is_named(tmp_path: Path) -> None:
    path, gp = tmp_path / "p.json", model("matern52")
    gp.to_problem(path, BOX, constraints=[fathom.Row({0: 1}, upper=0.5)])
    text = path.read_text()
    wrong = {
        r"unknown field `contraints`.* at line 2": text.replace('"constraints"', '\n"contraints"'),
        r"unknown field `liner`.* line 1": text.replace('"linear"', '"liner"'),
        "`noise`": text.replace('"noise":', '"noise":-'),
        "trailing": text + "{}",
        "EOF": text[:100],
    }
    for message, changed in wrong.items():
        path.write_text(changed)
        with pytest.raises(fathom.InputError, match=f"(?s)p.json is not a problem file: .*{message}"):
            fathom.read_problem(path)
    with pytest.raises(fathom.StoreError, match="could not read"):
        fathom.read_problem(tmp_path / "missing.json")
    with pytest.raises(fathom.StoreError, match="could not write"):
        gp.to_problem(tmp_path / "none" / "p.json", BOX)
    with pytest.raises(fathom.InputError, match="bounds has shape"):
        gp.to_problem(path, [0.0, 1.0])
    with pytest.raises(fathom.InputError, match="put it into a list"):
        gp.to_problem(path, BOX, constraints="x0 <= 1")
    with pytest.raises(fathom.InputError, match="there is no acquisition function `ucb`"):
        gp.to_problem(path, BOX, acquisition="ucb")
    with pytest.raises(fathom.InputError, match="no data yet"):
        fathom.GaussianProcess().to_problem(path, BOX)


def test_a_problem_goes_to_a_regular_file_and_nowhere_else(tmp_path: Path) -> None:
    victim, link, gp = tmp_path / "victim", tmp_path / "link.json", model("groups")
    victim.write_text("precious")
    link.symlink_to(victim)
    (tmp_path / "folder").mkdir()
    for path, reason in [(link, "symbolic link"), (tmp_path / "folder", "a folder"), (tmp_path / "no/p.json", "does not exist")]:
        with pytest.raises(fathom.StoreError, match=reason):
            gp.to_problem(path, BOX)
    assert victim.read_text() == "precious" and sorted(p.name for p in tmp_path.iterdir()) == ["folder", "link.json", "victim"]
