"""With one study file and seed, the command line, the Rust library and Python suggest the same, bit for bit."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import fathom

STUDIES = {
    "mixed": """\
constraints = ["x + 0.2*k <= 2.1", "x^2 + y^2 >= 0.1"]
[parameters]
x = { type = "float", low = -1.0, high = 2.0 }
y = { type = "float", low = -1.0, high = 1.0 }
rate = { type = "float", low = 1e-4, high = 1.0, scale = "log" }
k = { type = "integer", low = 1, high = 9 }
kind = { type = "categorical", choices = ["red", "green", "blue"] }
[strategy]
initial = 6
seed = 11
""",
    "maximised": """\
goal = "maximise"
[parameters]
x = { type = "float", low = -1.0, high = 2.0 }
y = { type = "float", low = -1.0, high = 1.0 }
[strategy]
kernel = "matern52"
acquisition = "log-ei"
noise = "learned"
initial = 5
seed = 3
""",
    "local": """\
[parameters]
x = { type = "float", low = -1.0, high = 2.0 }
y = { type = "float", low = -1.0, high = 1.0 }
[strategy]
kernel = "rbf"
optimiser = "multistart"
initial = 5
""",
}

TRIALS = 10

Point = dict[str, Any]


def value(point: Point) -> float:
    wave = math.sin(3 * point["x"]) + (point["y"] - 0.25) ** 2
    rest = abs(math.log10(point.get("rate", 1))) / 4 + point.get("k", 0) / 9 + (point.get("kind") == "red") / 8
    return float(wave + rest)


def by_python(file: Path) -> list[Point]:
    study = fathom.Study.from_toml(file, store="memory:")
    for _ in range(TRIALS):
        trial = study.ask()
        study.tell(trial, value(trial.params))
    return [trial.params for trial in study.trials]


def by_command(command: str, file: Path, store: str, count: int = TRIALS) -> list[Point]:
    def run(*arguments: str) -> str:
        line = [command, arguments[0], str(file), *arguments[1:], "--store", store]
        done = subprocess.run(line, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    points = []
    for _ in range(count):
        trial = json.loads(run("ask", "--json"))
        points.append(trial["point"])
        run("tell", str(trial["id"]), repr(value(trial["point"])))
    return points


def by_rust(example: str, file: Path, store: str) -> list[Point]:
    points = []
    with subprocess.Popen([example, file, store], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as rust:
        assert rust.stdin is not None and rust.stdout is not None
        for _ in range(TRIALS):
            points.append(json.loads(rust.stdout.readline()))
            rust.stdin.write(f"{value(points[-1])!r}\n")
            rust.stdin.flush()
        rust.stdin.close()
        rust.stdout.read()
    assert rust.returncode == 0
    return points


def bits(points: list[Point]) -> list[list[tuple[str, str]]]:
    """Points with numbers as exact text, so that nothing is rounded before it is compared."""
    exact: dict[type, Callable[[Any], str]] = {float: float.hex, int: str, str: str}
    return [sorted((name, exact[type(value)](value)) for name, value in point.items()) for point in points]


@pytest.mark.parametrize("name", STUDIES)
def test_all_three_suggest_the_same(name: str, program: Callable[[str], str], tmp_path: Path) -> None:
    command, example = program("fathom"), program("suggestions")
    file = tmp_path / f"{name}.toml"
    file.write_text(STUDIES[name])
    python = bits(by_python(file))
    assert len(python) == TRIALS
    assert bits(by_command(command, file, f"sqlite://{tmp_path}/command.db")) == python
    assert bits(by_rust(example, file, f"sqlite://{tmp_path}/rust.db")) == python


def test_a_study_begun_in_one_goes_on_in_the_other(program: Callable[[str], str], tmp_path: Path) -> None:
    command, file = program("fathom"), tmp_path / "mixed.toml"
    file.write_text(STUDIES["mixed"])
    store = f"sqlite://{tmp_path}/shared.db"
    alone = bits(by_python(file))
    by_command(command, file, store, 4)
    study = fathom.Study.open(store, "mixed")
    for _ in range(3):
        trial = study.ask()
        study.tell(trial, value(trial.params))
    by_command(command, file, store, 3)
    assert bits([trial.params for trial in study.trials]) == alone
    best = study.best
    shown = subprocess.run([command, "best", file, "--store", store, "--json"], capture_output=True, text=True, timeout=60)
    line = json.loads(shown.stdout)
    assert best is not None and (line["id"], line["value"], line["point"]) == (best.id, best.value, best.params)
    assert line["bound"] is None and study.remaining_gain is None and "values" in line["bound_missing"]
    recommended = study.recommended
    assert (line["by_model"] is None) == (recommended is None)
    if recommended is not None:
        trial, *numbers = recommended
        assert (line["by_model"]["id"], line["by_model"]["point"]) == (trial.id, trial.params)
        assert [line["by_model"][name] for name in ("median", "low", "high")] == numbers


def test_a_study_of_objects_opens_on_the_command_line(program: Callable[[str], str], tmp_path: Path) -> None:
    store = f"sqlite://{tmp_path}/objects.db"
    space: fathom.space.Space = {
        "x": fathom.Float(-1, 2),
        "y": (-1, 1),
        "rate": fathom.Float(1e-4, 1, log=True),
        "k": fathom.Integer(1, 9),
        "kind": fathom.Categorical(["red", "green"]),
    }
    study = fathom.Study(space, name="objects", constraints=["x + y <= 2"], seed=4, initial=4, store=store)
    for _ in range(3):
        trial = study.ask()
        study.tell(trial, value(trial.params))
    file = tmp_path / "objects.toml"
    file.write_text(study.toml)
    by_command(program("fathom"), file, store, 4)
    whole = fathom.Study.from_toml(study.toml)
    for _ in range(7):
        trial = whole.ask()
        whole.tell(trial, value(trial.params))
    assert bits([trial.params for trial in whole.trials]) == bits([trial.params for trial in study.trials])
